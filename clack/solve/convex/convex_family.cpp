// The entries of the solvers with a convex core.
#include "clack/solve/convex/aclm.hpp"
#include "clack/solve/convex/admm.hpp"
#include "clack/solve/convex/alternating.hpp"
#include "clack/solve/convex/ipm.hpp"
#include "clack/solve/convex/projected_gradient.hpp"
#include "clack/solve/families.hpp"

namespace clack {

std::unique_ptr<ConvexCore> make_core(CoreKind kind) {
  switch (kind) {
    case CoreKind::apgd:
      return std::make_unique<ApgdCore>();
    case CoreKind::spectral:
      return std::make_unique<SpectralCore>();
    case CoreKind::admm:
      return std::make_unique<AdmmCore>();
    case CoreKind::interior_point:
      break;
  }
  return std::make_unique<InteriorPointCore>();
}

const OptionTable<AclmOptions>& AclmOptions::table() {
  using Self = AclmOptions;
  static const OptionTable<Self> table = extend_options<Self>(
      OuterOptions::table(),
      {make_choice<Self>({.name = "outer", .unit = "-", .meaning = "loop on the sliding velocity"},
                         {"fixed-point", "newton"}, &Self::outer),
       make_choice<Self>(
           {.name = "core",
            .unit = "-",
            .meaning = "method for the convex problems: accelerated or spectral projected "
                       "gradient, ADMM, interior point"},
           {"apgd", "bb", "admm", "ipm"}, &Self::core)});
  return table;
}

namespace {

constexpr SolverEntry kEntries[] = {
    make_entry<Tresca, OuterOptions>("tresca",
                                     "fixed point on friction bounds: convex problems on cylinders",
                                     "Haslinger (1983)"),
    make_entry<Panagiotopoulos, OuterOptions>(
        "panagiotopoulos", "normal and tangential problems in turn", "Panagiotopoulos (1975)"),
    make_entry<Aclm, AclmOptions>(
        "aclm", "convex second-order cone problems inside a fixed point on the sliding velocity",
        "Acary, Cadoux, Lemarechal, Malick (2011)"),
    make_entry<Admm, AdmmOptions>(
        "admm", "alternating direction method of multipliers, one factorisation for many steps",
        "Carpentier, Le Lidec, Montaut (2024)"),
    make_entry<Ipm, IpmOptions>("ipm", "primal-dual interior point method on the exact problem",
                                "Acary, Armand, Nguyen, Shpakovych (2024)"),
};

}  // namespace

std::span<const SolverEntry> convex_family() { return kEntries; }

}  // namespace clack
