// The entries of the first-order solvers and their text options.
#include "clack/solve/families.hpp"
#include "clack/solve/first_order/prox_iteration.hpp"
#include "clack/solve/first_order/variational_inequality.hpp"

namespace clack {

namespace {

constexpr SolverEntry kEntries[] = {
    make_entry<ProxJacobi, ProxOptions>("jacobi", "proximal point iteration, all contacts at once",
                                        "Foerg, Pfeiffer, Ulbrich (2005)"),
    make_entry<ProxSor, ProxOptions>(
        "prox-sor", "proximal point iteration, contact by contact with the newest impulses",
        "Moreau (1994); Studer (2009)"),
    make_entry<ViFixedPoint, ViOptions>(
        "vi-fixed-point", "variational inequality: projection with a self-adaptive step",
        "Khobotov (1987)"),
    make_entry<ViExtragradient, ViOptions>(
        "vi-extragradient", "variational inequality: extragradient with a corrected step",
        "Korpelevich (1976); He, Liao (2002)"),
    make_entry<ViHyperplane, ViOptions>(
        "vi-hyperplane", "variational inequality: projection on a separating hyperplane",
        "Solodov, Tseng (1996)"),
};

}  // namespace

std::span<const SolverEntry> first_order_family() { return kEntries; }

}  // namespace clack
