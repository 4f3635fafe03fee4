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

static void read_options(OptionReader& reader, OuterOptions& options) {
  reader.read("memory", options.memory);
  reader.read("accuracy", options.accuracy);
  reader.read("core_iterations", options.core_iterations);
}

static void read_options(OptionReader& reader, AclmOptions& options) {
  read_options(reader, static_cast<OuterOptions&>(options));
  int outer = static_cast<int>(options.outer), core = static_cast<int>(options.core);
  reader.read_choice("outer", {"fixed-point", "newton"}, outer);
  reader.read_choice("core", {"apgd", "bb", "admm", "ipm"}, core);
  options.outer = static_cast<AclmOptions::Outer>(outer);
  options.core = static_cast<CoreKind>(core);
}

static void read_options(OptionReader& reader, AdmmOptions& options) {
  reader.read("rho", options.settings.rho);
  reader.read("relaxation", options.settings.relaxation);
  reader.read("adapt_every", options.settings.adapt_every);
  reader.read("check_every", options.check_every);
}

static void read_options(OptionReader& reader, IpmOptions& options) {
  reader.read("steps_each_start", options.steps_each_start);
  reader.read("starts", options.starts);
}

namespace {

constexpr SolverEntry kEntries[] = {
    {"tresca", "fixed point on friction bounds: convex problems on cylinders", "Haslinger (1983)",
     make_configured<Tresca, OuterOptions>},
    {"panagiotopoulos", "normal and tangential problems in turn", "Panagiotopoulos (1975)",
     make_configured<Panagiotopoulos, OuterOptions>},
    {"aclm", "convex second-order cone problems inside a fixed point on the sliding velocity",
     "Acary, Cadoux, Lemarechal, Malick (2011)", make_configured<Aclm, AclmOptions>},
    {"admm", "alternating direction method of multipliers, one factorisation for many steps",
     "Carpentier, Le Lidec, Montaut (2024)", make_configured<Admm, AdmmOptions>},
    {"ipm", "primal-dual interior point method on the exact problem",
     "Acary, Armand, Nguyen, Shpakovych (2024)", make_configured<Ipm, IpmOptions>},
};

}  // namespace

std::span<const SolverEntry> convex_family() { return kEntries; }

}  // namespace clack
