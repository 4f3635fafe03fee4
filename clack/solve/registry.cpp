// The names of the solvers, in one place.
#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/solve/families.hpp"

namespace clack {

const std::vector<SolverEntry>& solver_list() {
  static const std::vector<SolverEntry> list = [] {
    std::vector<SolverEntry> all;
    for (const auto& family :
         {auto_family(), gauss_seidel_family(), first_order_family(), newton_family(),
          semismooth_newton_family(), convex_family(), lcp_family()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return list;
}

std::unique_ptr<Solver> make_solver(std::string_view name, const SolverOptions& options,
                                    const OptionSet& own) {
  std::string known;
  for (const SolverEntry& entry : solver_list()) {
    if (entry.name == name) {
      OptionReader reader(name, own);
      std::unique_ptr<Solver> solver = entry.make(options, reader);
      reader.finish();
      return solver;
    }
    known += fmt::format(" {}", entry.name);
  }
  throw InputError(fmt::format("unknown solver '{}'; known:{}", name, known));
}

}  // namespace clack
