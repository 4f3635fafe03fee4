// The family of solvers for linear complementarity problems.
#include "clack/solve/families.hpp"
#include "clack/solve/lcp/lcp_enum.hpp"
#include "clack/solve/lcp/lcp_newton.hpp"
#include "clack/solve/lcp/lemke.hpp"

namespace clack {

static void read_options(OptionReader& reader, LemkeOptions& options) {
  reader.read("paths", options.paths);
}

static void read_options(OptionReader& reader, LcpNewtonOptions& options) {
  reader.read_choice("map", {"fischer-burmeister", "min"}, options.map);
  reader.read("starts", options.starts);
  reader.read("memory", options.memory);
}

static void read_options(OptionReader& reader, LcpEnumOptions& options) {
  reader.read("stored_leaves", options.stored_leaves);
}

namespace {

constexpr SolverEntry kEntries[] = {
    {"lemke", "complementary pivoting, lexicographic (frictionless problems only)",
     "Lemke (1965); Cottle, Pang, Stone (1992)", make_configured<Lemke, LemkeOptions>},
    {"lcp-newton", "semismooth Newton on a complementarity function (frictionless problems only)",
     "De Luca, Facchinei, Kanzow (1996)", make_configured<LcpNewton, LcpNewtonOptions>},
    {"lcp-enum", "enumeration of active sets, decides small problems (frictionless problems only)",
     "Al-Khayyal (1987); Murty (1988)", make_configured<LcpEnum, LcpEnumOptions>},
};

}  // namespace

std::span<const SolverEntry> lcp_family() { return kEntries; }

}  // namespace clack
