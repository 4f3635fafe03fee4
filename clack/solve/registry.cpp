// The names of the solvers, in one place.
#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/solve/bodies/body_solver.hpp"
#include "clack/solve/families.hpp"

namespace clack {
namespace {

const SolverEntry* find_solver(std::string_view name) {
  for (const SolverEntry& entry : solver_list())
    if (entry.name == name) return &entry;
  return nullptr;
}

[[noreturn]] void refuse_solver(std::string_view name) {
  std::string known;
  for (const SolverEntry& entry : solver_list()) known += fmt::format(" {}", entry.name);
  throw InputError(fmt::format("unknown solver '{}'; known:{}", name, known));
}

}  // namespace

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
  const SolverEntry* entry = find_solver(name);
  if (!entry) refuse_solver(name);
  return entry->make(name, options, own);
}

std::vector<OptionState> own_options(std::string_view solver, const OptionSet& given) {
  if (solver == "bodies") return describe_options<BodySolverOptions>(solver, given);
  const SolverEntry* entry = find_solver(solver);
  if (!entry) refuse_solver(solver);
  return entry->own_options(solver, given);
}

std::vector<std::string_view> solvers_with_option(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SolverEntry& entry : solver_list()) names.push_back(entry.name);
  names.push_back("bodies");
  std::erase_if(names, [&](std::string_view solver) {
    const std::vector<OptionState> own = own_options(solver);
    return std::none_of(own.begin(), own.end(),
                        [&](const OptionState& option) { return option.info.name == name; });
  });
  return names;
}

}  // namespace clack
