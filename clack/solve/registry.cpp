// The names of the solvers, in one place.
#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/solve/nsgs.hpp"
#include "clack/solve/prox_newton.hpp"
#include "clack/solve/solver.hpp"

namespace clack {
namespace {

template <class Options>
Options with_common(const SolverOptions& common) {
  Options options;
  static_cast<SolverOptions&>(options) = common;
  return options;
}

}  // namespace

const std::vector<SolverInfo>& solver_list() {
  static const std::vector<SolverInfo> list = {
      {"nsgs", "nonsmooth Gauss-Seidel with an exact local solve (Jourdan, Alart, Jean 1998)"},
      {"prox-newton", "semismooth Newton on Alart-Curnier's map inside a proximal point loop"},
  };
  return list;
}

std::unique_ptr<Solver> make_solver(std::string_view name, const SolverOptions& options) {
  if (name == "nsgs") return std::make_unique<Nsgs>(with_common<NsgsOptions>(options));
  if (name == "prox-newton") {
    return std::make_unique<ProxNewton>(with_common<ProxNewtonOptions>(options));
  }
  std::string known;
  for (const SolverInfo& info : solver_list()) known += fmt::format(" {}", info.name);
  throw InputError(fmt::format("unknown solver '{}'; known:{}", name, known));
}

}  // namespace clack
