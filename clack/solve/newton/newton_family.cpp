// The entries of the semismooth Newton solvers.
#include "clack/solve/families.hpp"
#include "clack/solve/newton/semismooth_newton.hpp"

namespace clack {
namespace {

void read_common(OptionReader& reader, SemismoothNewtonOptions& options) {
  int search = static_cast<int>(options.line_search);
  reader.read_choice("line_search", {"automatic", "none", "armijo", "goldstein-price"}, search);
  options.line_search = static_cast<LineSearch>(search);
  int factorisation = static_cast<int>(options.factorisation);
  reader.read_choice("factorisation", {"automatic", "dense", "sparse"}, factorisation);
  options.factorisation = static_cast<Factorisation>(factorisation);
  reader.read("start_sweeps", options.start_sweeps);
  reader.read("inner_steps", options.inner_steps);
  reader.read("alpha_min", options.alpha_min);
  reader.read("alpha_start", options.alpha_start);
}

std::unique_ptr<Solver> make_newton_ac(const SolverOptions& common, const OptionSet& own) {
  NewtonAcOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("newton-ac", own);
  read_common(reader, options);
  int variant = options.jean_moreau;
  reader.read_choice("variant", {"alart-curnier", "jean-moreau"}, variant);
  options.jean_moreau = variant == 1;
  reader.finish();
  return std::make_unique<NewtonAc>(options);
}

template <class Method>
std::unique_ptr<Solver> make_newton(std::string_view name, const SolverOptions& common,
                                    const OptionSet& own) {
  SemismoothNewtonOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader(name, own);
  read_common(reader, options);
  reader.finish();
  return std::make_unique<Method>(options);
}

std::unique_ptr<Solver> make_newton_nm(const SolverOptions& common, const OptionSet& own) {
  return make_newton<NewtonNm>("newton-nm", common, own);
}

std::unique_ptr<Solver> make_newton_fb(const SolverOptions& common, const OptionSet& own) {
  return make_newton<NewtonFb>("newton-fb", common, own);
}

constexpr SolverEntry kEntries[] = {
    {"newton-ac", "semismooth Newton on Alart-Curnier's (or Jean-Moreau's) map, sparse or dense",
     "Alart, Curnier (1991); Jean, Moreau (1987)", make_newton_ac},
    {"newton-nm", "semismooth Newton on the natural map with De Saxce's shift, sparse or dense",
     "De Saxce, Feng (1998); Qi, Sun (1993)", make_newton_nm},
    {"newton-fb",
     "semismooth Newton on Fischer-Burmeister's map; rolling contacts use Alart-Curnier's",
     "Fukushima, Luo, Tseng (2001)", make_newton_fb},
};

}  // namespace

std::span<const SolverEntry> semismooth_newton_family() { return kEntries; }

}  // namespace clack
