// The family of solvers for linear complementarity problems.
#include "clack/solve/families.hpp"
#include "clack/solve/lcp/lcp_enum.hpp"
#include "clack/solve/lcp/lcp_newton.hpp"
#include "clack/solve/lcp/lemke.hpp"

namespace clack {
namespace {

std::unique_ptr<Solver> make_lemke(const SolverOptions& common, const OptionSet& own) {
  LemkeOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("lemke", own);
  reader.read("paths", options.paths);
  reader.finish();
  return std::make_unique<Lemke>(options);
}

std::unique_ptr<Solver> make_lcp_newton(const SolverOptions& common, const OptionSet& own) {
  LcpNewtonOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("lcp-newton", own);
  reader.read_choice("map", {"fischer-burmeister", "min"}, options.map);
  reader.read("starts", options.starts);
  reader.read("memory", options.memory);
  reader.finish();
  return std::make_unique<LcpNewton>(options);
}

std::unique_ptr<Solver> make_lcp_enum(const SolverOptions& common, const OptionSet& own) {
  LcpEnumOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("lcp-enum", own);
  reader.read("stored_leaves", options.stored_leaves);
  reader.finish();
  return std::make_unique<LcpEnum>(options);
}

constexpr SolverEntry kEntries[] = {
    {"lemke", "complementary pivoting, lexicographic (frictionless problems only)",
     "Lemke (1965); Cottle, Pang, Stone (1992)", make_lemke},
    {"lcp-newton", "semismooth Newton on a complementarity function (frictionless problems only)",
     "De Luca, Facchinei, Kanzow (1996)", make_lcp_newton},
    {"lcp-enum", "enumeration of active sets, decides small problems (frictionless problems only)",
     "Al-Khayyal (1987); Murty (1988)", make_lcp_enum},
};

}  // namespace

std::span<const SolverEntry> lcp_family() { return kEntries; }

}  // namespace clack
