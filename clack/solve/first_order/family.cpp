// The entries of the first-order solvers and their text options.
#include "clack/solve/families.hpp"
#include "clack/solve/first_order/prox_iteration.hpp"
#include "clack/solve/first_order/variational_inequality.hpp"

namespace clack {

static void read_options(OptionReader& reader, ProxOptions& options) {
  reader.read("omega", options.omega);
  reader.read("check_every", options.check_every);
  reader.read("reduction", options.reduction);
  reader.read("patience", options.patience);
}

static void read_options(OptionReader& reader, ViOptions& options) {
  reader.read("check_every", options.check_every);
  reader.read("step", options.step);
  reader.read("shrink", options.shrink);
  reader.read("upper", options.upper);
  reader.read("lower", options.lower);
  reader.read("gamma", options.gamma);
}

namespace {

constexpr SolverEntry kEntries[] = {
    {"jacobi", "proximal point iteration, all contacts at once", "Foerg, Pfeiffer, Ulbrich (2005)",
     make_configured<ProxJacobi, ProxOptions>},
    {"prox-sor", "proximal point iteration, contact by contact with the newest impulses",
     "Moreau (1994); Studer (2009)", make_configured<ProxSor, ProxOptions>},
    {"vi-fixed-point", "variational inequality: projection with a self-adaptive step",
     "Khobotov (1987)", make_configured<ViFixedPoint, ViOptions>},
    {"vi-extragradient", "variational inequality: extragradient with a corrected step",
     "Korpelevich (1976); He, Liao (2002)", make_configured<ViExtragradient, ViOptions>},
    {"vi-hyperplane", "variational inequality: projection on a separating hyperplane",
     "Solodov, Tseng (1996)", make_configured<ViHyperplane, ViOptions>},
};

}  // namespace

std::span<const SolverEntry> first_order_family() { return kEntries; }

}  // namespace clack
