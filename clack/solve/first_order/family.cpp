// The entries of the first-order solvers and their text options.
#include "clack/solve/families.hpp"
#include "clack/solve/first_order/prox_iteration.hpp"
#include "clack/solve/first_order/variational_inequality.hpp"

namespace clack {
namespace {

template <class Made>
std::unique_ptr<Solver> make_prox(std::string_view name, const SolverOptions& common,
                                  const OptionSet& own) {
  ProxOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader(name, own);
  reader.read("omega", options.omega);
  reader.read("check_every", options.check_every);
  reader.read("reduction", options.reduction);
  reader.read("patience", options.patience);
  reader.finish();
  return std::make_unique<Made>(options);
}

template <class Made>
std::unique_ptr<Solver> make_vi(std::string_view name, const SolverOptions& common,
                                const OptionSet& own) {
  ViOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader(name, own);
  reader.read("check_every", options.check_every);
  reader.read("step", options.step);
  reader.read("shrink", options.shrink);
  reader.read("upper", options.upper);
  reader.read("lower", options.lower);
  reader.read("gamma", options.gamma);
  reader.finish();
  return std::make_unique<Made>(options);
}

constexpr SolverEntry kEntries[] = {
    {"jacobi", "proximal point iteration, all contacts at once", "Foerg, Pfeiffer, Ulbrich (2005)",
     [](const SolverOptions& common, const OptionSet& own) {
       return make_prox<ProxJacobi>("jacobi", common, own);
     }},
    {"prox-sor", "proximal point iteration, contact by contact with the newest impulses",
     "Moreau (1994); Studer (2009)",
     [](const SolverOptions& common, const OptionSet& own) {
       return make_prox<ProxSor>("prox-sor", common, own);
     }},
    {"vi-fixed-point", "variational inequality: projection with a self-adaptive step",
     "Khobotov (1987)",
     [](const SolverOptions& common, const OptionSet& own) {
       return make_vi<ViFixedPoint>("vi-fixed-point", common, own);
     }},
    {"vi-extragradient", "variational inequality: extragradient with a corrected step",
     "Korpelevich (1976); He, Liao (2002)",
     [](const SolverOptions& common, const OptionSet& own) {
       return make_vi<ViExtragradient>("vi-extragradient", common, own);
     }},
    {"vi-hyperplane", "variational inequality: projection on a separating hyperplane",
     "Solodov, Tseng (1996)",
     [](const SolverOptions& common, const OptionSet& own) {
       return make_vi<ViHyperplane>("vi-hyperplane", common, own);
     }},
};

}  // namespace

std::span<const SolverEntry> first_order_family() { return kEntries; }

}  // namespace clack
