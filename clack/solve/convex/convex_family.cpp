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

namespace {

void read_outer(OptionReader& reader, OuterOptions& options) {
  reader.read("memory", options.memory);
  reader.read("accuracy", options.accuracy);
  reader.read("core_iterations", options.core_iterations);
}

std::unique_ptr<Solver> make_aclm(const SolverOptions& common, const OptionSet& own) {
  AclmOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("aclm", own);
  read_outer(reader, options);
  int outer = static_cast<int>(options.outer), core = static_cast<int>(options.core);
  reader.read_choice("outer", {"fixed-point", "newton"}, outer);
  reader.read_choice("core", {"apgd", "bb", "admm", "ipm"}, core);
  options.outer = static_cast<AclmOptions::Outer>(outer);
  options.core = static_cast<CoreKind>(core);
  reader.finish();
  return std::make_unique<Aclm>(options);
}

template <class Method>
std::unique_ptr<Solver> make_outer(std::string_view name, const SolverOptions& common,
                                   const OptionSet& own) {
  OuterOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader(name, own);
  read_outer(reader, options);
  reader.finish();
  return std::make_unique<Method>(options);
}

std::unique_ptr<Solver> make_tresca(const SolverOptions& common, const OptionSet& own) {
  return make_outer<Tresca>("tresca", common, own);
}

std::unique_ptr<Solver> make_panagiotopoulos(const SolverOptions& common, const OptionSet& own) {
  return make_outer<Panagiotopoulos>("panagiotopoulos", common, own);
}

std::unique_ptr<Solver> make_admm(const SolverOptions& common, const OptionSet& own) {
  AdmmOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("admm", own);
  reader.read("rho", options.settings.rho);
  reader.read("relaxation", options.settings.relaxation);
  reader.read("adapt_every", options.settings.adapt_every);
  reader.read("check_every", options.check_every);
  reader.finish();
  return std::make_unique<Admm>(options);
}

std::unique_ptr<Solver> make_ipm(const SolverOptions& common, const OptionSet& own) {
  IpmOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("ipm", own);
  reader.read("steps_each_start", options.steps_each_start);
  reader.read("starts", options.starts);
  reader.finish();
  return std::make_unique<Ipm>(options);
}

constexpr SolverEntry kEntries[] = {
    {"tresca", "fixed point on friction bounds: convex problems on cylinders", "Haslinger (1983)",
     make_tresca},
    {"panagiotopoulos", "normal and tangential problems in turn", "Panagiotopoulos (1975)",
     make_panagiotopoulos},
    {"aclm", "convex second-order cone problems inside a fixed point on the sliding velocity",
     "Acary, Cadoux, Lemarechal, Malick (2011)", make_aclm},
    {"admm", "alternating direction method of multipliers, one factorisation for many steps",
     "Carpentier, Le Lidec, Montaut (2024)", make_admm},
    {"ipm", "primal-dual interior point method on the exact problem",
     "Acary, Armand, Nguyen, Shpakovych (2024)", make_ipm},
};

}  // namespace

std::span<const SolverEntry> convex_family() { return kEntries; }

}  // namespace clack
