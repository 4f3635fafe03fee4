// The family of solvers for linear complementarity problems.
#include "clack/solve/families.hpp"
#include "clack/solve/lcp/lcp_enum.hpp"
#include "clack/solve/lcp/lcp_newton.hpp"
#include "clack/solve/lcp/lemke.hpp"

namespace clack {

namespace {

constexpr SolverEntry kEntries[] = {
    make_entry<Lemke, LemkeOptions>(
        "lemke", "complementary pivoting, lexicographic (frictionless problems only)",
        "Lemke (1965); Cottle, Pang, Stone (1992)"),
    make_entry<LcpNewton, LcpNewtonOptions>(
        "lcp-newton",
        "semismooth Newton on a complementarity function (frictionless problems only)",
        "De Luca, Facchinei, Kanzow (1996)"),
    make_entry<LcpEnum, LcpEnumOptions>(
        "lcp-enum",
        "enumeration of active sets, decides small problems (frictionless problems only)",
        "Al-Khayyal (1987); Murty (1988)"),
};

}  // namespace

std::span<const SolverEntry> lcp_family() { return kEntries; }

}  // namespace clack
