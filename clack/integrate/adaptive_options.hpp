// How the step adapts itself: see adaptive.hpp.
#pragma once

#include <optional>

#include "clack/core/option.hpp"
#include "clack/core/types.hpp"

namespace clack {

struct AdaptiveOptions {
  double tolerance = 1e-4;                // error of a pair of steps over `scale` [-]
  std::optional<double> h_min, h_max;     // [s]; 1e-6 and 100 of the first step where not given
  std::optional<double> max_penetration;  // [m]
  Vector scale;                           // nq or empty: 1 for each coordinate [m, rad]

  static const OptionTable<AdaptiveOptions>& table();
  void validate() const;  // throws InputError
};

}  // namespace clack
