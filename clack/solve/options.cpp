#include "clack/solve/options.hpp"

#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

void refuse_option(std::string_view solver, std::string_view name,
                   const std::vector<std::string_view>& known) {
  std::string allowed, others;
  for (const std::string_view word : known) allowed += fmt::format(" {}", word);
  for (const std::string_view other : solvers_with_option(name))
    others += fmt::format("{}{}", others.empty() ? "" : ", ", other);
  const std::string fault =
      others.empty() ? fmt::format("unknown option '{}'", name)
                     : fmt::format("does not read option '{}', which is of: {}", name, others);
  throw InputError(
      fmt::format("{}: {}; known:{}", solver, fault, allowed.empty() ? " none" : allowed));
}

}  // namespace clack
