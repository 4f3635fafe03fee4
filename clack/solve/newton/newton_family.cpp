// The entries of the semismooth Newton solvers.
#include "clack/solve/families.hpp"
#include "clack/solve/newton/semismooth_newton.hpp"

namespace clack {

static void read_options(OptionReader& reader, SemismoothNewtonOptions& options) {
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

static void read_options(OptionReader& reader, NewtonAcOptions& options) {
  read_options(reader, static_cast<SemismoothNewtonOptions&>(options));
  int variant = options.jean_moreau;
  reader.read_choice("variant", {"alart-curnier", "jean-moreau"}, variant);
  options.jean_moreau = variant == 1;
}

namespace {

constexpr SolverEntry kEntries[] = {
    {"newton-ac", "semismooth Newton on Alart-Curnier's (or Jean-Moreau's) map, sparse or dense",
     "Alart, Curnier (1991); Jean, Moreau (1987)", make_configured<NewtonAc, NewtonAcOptions>},
    {"newton-nm", "semismooth Newton on the natural map with De Saxce's shift, sparse or dense",
     "De Saxce, Feng (1998); Qi, Sun (1993)", make_configured<NewtonNm, SemismoothNewtonOptions>},
    {"newton-fb",
     "semismooth Newton on Fischer-Burmeister's map; contacts with several discs use Alart-Curnier's",
     "Fukushima, Luo, Tseng (2001)", make_configured<NewtonFb, SemismoothNewtonOptions>},
};

}  // namespace

std::span<const SolverEntry> semismooth_newton_family() { return kEntries; }

}  // namespace clack
