// What users set of schemes and of steps that adapt themselves.
#include <fmt/format.h>

#include <cmath>
#include <span>

#include "clack/core/error.hpp"
#include "clack/integrate/adaptive_options.hpp"
#include "clack/integrate/scheme.hpp"

namespace clack {
namespace {

// Schemes with the weight theta.
constexpr std::string_view kTheta[] = {"moreau-jean",
                                       "moreau-jean-dissipative",
                                       "moreau-direct-projection",
                                       "moreau-combined-projection",
                                       "schatzman-paoli",
                                       "theta-xi"};
// Schemes that decide from a forecast which contacts take part.
constexpr std::string_view kForecast[] = {"moreau-jean",
                                          "moreau-jean-dissipative",
                                          "moreau-direct-projection",
                                          "newmark",
                                          "hht",
                                          "generalized-alpha",
                                          "naive-hht",
                                          "semi-implicit-2"};
constexpr std::string_view kActivated[] = {"moreau-jean",
                                           "moreau-jean-dissipative",
                                           "moreau-midpoint",
                                           "moreau-direct-projection",
                                           "moreau-combined-projection",
                                           "newmark",
                                           "hht",
                                           "generalized-alpha",
                                           "naive-hht",
                                           "rattle",
                                           "semi-implicit-2",
                                           "event-driven",
                                           "statics"};
constexpr std::string_view kNewmark[] = {"newmark", "hht", "generalized-alpha", "naive-hht"};
constexpr std::string_view kAlphaF[] = {"hht", "generalized-alpha", "naive-hht"};
constexpr std::string_view kEvents[] = {"event-driven"};
// Schemes with Newton's iteration.
constexpr std::string_view kNewton[] = {"moreau-jean",
                                        "moreau-jean-dissipative",
                                        "moreau-direct-projection",
                                        "moreau-combined-projection",
                                        "schatzman-paoli",
                                        "newmark",
                                        "hht",
                                        "generalized-alpha",
                                        "naive-hht",
                                        "rattle",
                                        "semi-implicit-3",
                                        "central-differences",
                                        "theta-xi",
                                        "statics"};

std::vector<std::string_view> list(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

using Self = SchemeOptions;

OptionTable<Self> theta_options() {
  return {
      make_option<Self>({.name = "theta",
                         .range = {0, 1},
                         .unit = "-",
                         .meaning = "weight of the end of the step",
                         .readers = list(kTheta)},
                        &Self::theta),
      make_option<Self>(
          {.name = "gamma",
           .range = OptionRange::from(0),
           .unit = "-",
           .meaning = "a contact takes part if gap + gamma h u_N <= activation_tolerance",
           .readers = list(kForecast)},
          &Self::gamma),
      make_option<Self>({.name = "xi",
                         .range = {0, 1},
                         .unit = "-",
                         .meaning = "weight of the end of the step in the forces",
                         .readers = {"theta-xi"}},
                        &Self::xi),
  };
}

OptionTable<Self> newmark_options() {
  constexpr std::string_view kFollows = "from `rho_inf`";
  return {
      make_option<Self>({.name = "rho_inf",
                         .range = {0, 1},
                         .unit = "-",
                         .meaning = "spectral radius at infinite frequency; of hht in [1/2, 1]",
                         .otherwise = "1 (newmark), 0.8",
                         .readers = list(kNewmark)},
                        &Self::rho_inf),
      make_option<Self>({.name = "alpha_m",
                         .range = {-1, 0.5},
                         .unit = "-",
                         .meaning = "weight of the start of the step in the accelerations",
                         .otherwise = kFollows,
                         .readers = {"generalized-alpha"}},
                        &Self::alpha_m),
      make_option<Self>({.name = "alpha_f",
                         .range = {0, 0.5},
                         .unit = "-",
                         .meaning = "weight of the start of the step in the forces; hht's alpha",
                         .otherwise = kFollows,
                         .readers = list(kAlphaF)},
                        &Self::alpha_f),
      make_option<Self>({.name = "beta",
                         .range = {0, 1},
                         .unit = "-",
                         .meaning = "Newmark's parameter of positions",
                         .otherwise = kFollows,
                         .readers = list(kNewmark)},
                        &Self::beta),
      make_option<Self>({.name = "newmark_gamma",
                         .range = {0, 2},
                         .unit = "-",
                         .meaning = "Newmark's parameter of velocities",
                         .otherwise = kFollows,
                         .readers = list(kNewmark)},
                        &Self::newmark_gamma),
      make_choice<Self>({.name = "constraints",
                         .unit = "-",
                         .meaning = "level of contacts and constraints: position-velocity is GGL; "
                                    "naive-hht has velocity and position, position is its alone",
                         .readers = list(kNewmark)},
                        constraint_level_names(), &Self::constraints),
  };
}

OptionTable<Self> other_options() {
  return {
      make_option<Self>({.name = "activation_tolerance",
                         .range = OptionRange::from(0),
                         .unit = "m",
                         .meaning = "a gap this small counts as closed",
                         .readers = list(kActivated)},
                        &Self::activation_tolerance),
      make_option<Self>({.name = "flow_tolerance",
                         .range = {1e-14, 1e-2},
                         .unit = "-",
                         .meaning = "relative and absolute tolerance of the flow between events",
                         .readers = list(kEvents)},
                        &Self::flow_tolerance),
      make_option<Self>(
          {.name = "capture_time",
           .range = OptionRange::from(0),
           .unit = "s",
           .meaning = "an impact this soon after the last one of its contact has no rebound",
           .readers = list(kEvents)},
          &Self::capture_time),
      make_option<Self>({.name = "max_events",
                         .range = OptionRange::from(1),
                         .unit = "-",
                         .meaning = "events in a step beyond which impacts have no rebound",
                         .readers = list(kEvents)},
                        &Self::max_events),
      make_option<Self>({.name = "newton_tolerance",
                         .range = {.low = 0, .high = 0.1, .low_open = true},
                         .unit = "-",
                         .meaning = "for the equation of motion or of equilibrium, relative",
                         .readers = list(kNewton)},
                        &Self::newton_tolerance),
      make_option<Self>({.name = "newton_max_iterations",
                         .range = OptionRange::from(1),
                         .unit = "-",
                         .meaning = "passes from predict to correct in a step",
                         .readers = list(kNewton)},
                        &Self::newton_max_iterations),
  };
}

}  // namespace

const OptionTable<SchemeOptions>& SchemeOptions::table() {
  static const OptionTable<Self> table = [] {
    OptionTable<Self> all;
    for (const OptionTable<Self>& part : {theta_options(), newmark_options(), other_options()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

void SchemeOptions::validate() const {
  validate_options("simulation", table(), *this);
  if (!(recovery >= 0) || !std::isfinite(recovery)) {
    throw InputError(
        fmt::format("the speed of recovery is {} m/s; it must be finite and >= 0", recovery));
  }
}

const OptionTable<AdaptiveOptions>& AdaptiveOptions::table() {
  using Adaptive = AdaptiveOptions;
  static const OptionTable<Adaptive> table = {
      make_option<Adaptive>({"tolerance", OptionRange::above(0), "-",
                             "of the error of two steps over `scale`, positions and integrated "
                             "velocities"},
                            &Adaptive::tolerance),
      make_option<Adaptive>({"h_min", OptionRange::above(0), "s",
                             "a step is not shorter, unless to meet `end`", "1e-6 `step`"},
                            &Adaptive::h_min),
      make_option<Adaptive>(
          {"h_max", OptionRange::above(0), "s", "a step is not longer", "100 `step`"},
          &Adaptive::h_max),
      make_option<Adaptive>({"max_penetration", OptionRange::above(0), "m",
                             "steps that end deeper are redone with a shorter step", "none"},
                            &Adaptive::max_penetration),
      make_option<Adaptive>(
          {"scale", OptionRange::above(0), "m, rad",
           "size of each coordinate that the tolerance is relative to; also a map "
           "by names, or one number for all",
           "1"},
          &Adaptive::scale),
  };
  return table;
}

void AdaptiveOptions::validate() const {
  validate_options("adaptive", table(), *this);
  if (h_min && h_max && *h_min > *h_max) {
    throw InputError(fmt::format("adaptive: h_min is {}, larger than h_max, {}", *h_min, *h_max));
  }
}

}  // namespace clack
