// The entries of the semismooth Newton solvers.
#include "clack/solve/families.hpp"
#include "clack/solve/newton/semismooth_newton.hpp"

namespace clack {

namespace {

constexpr SolverEntry kEntries[] = {
    make_entry<NewtonAc, NewtonAcOptions>(
        "newton-ac", "semismooth Newton on Alart-Curnier's (or Jean-Moreau's) map, sparse or dense",
        "Alart, Curnier (1991); Jean, Moreau (1987)"),
    make_entry<NewtonNm, SemismoothNewtonOptions>(
        "newton-nm", "semismooth Newton on the natural map with De Saxce's shift, sparse or dense",
        "De Saxce, Feng (1998); Qi, Sun (1993)"),
    make_entry<NewtonFb, SemismoothNewtonOptions>(
        "newton-fb",
        "semismooth Newton on Fischer-Burmeister's map; contacts with several discs use "
        "Alart-Curnier's",
        "Fukushima, Luo, Tseng (2001)"),
};

}  // namespace

std::span<const SolverEntry> semismooth_newton_family() { return kEntries; }

}  // namespace clack
