// Initial-value problems y' = f(t, y) of smooth right-hand sides without events, by CVODES (Adams'
// methods of variable order with functional iteration): for analyses that follow derivatives along
// a motion. Reference: Hindmarsh et al. (2005).
#pragma once

#include <functional>
#include <string>

#include "clack/core/types.hpp"

namespace clack {

// Writes the rate of y at (t, y); false where it has none.
using OdeRate = std::function<bool(double t, ConstVectorRef y, VectorRef rate)>;

// Moves y from `begin` to `end`, forwards or backwards; `tolerance` is that of what adds up,
// relative and absolute. Returns why it failed, in words; empty where it did not.
[[nodiscard]] std::string integrate_ode(const OdeRate& rate, double begin, double end,
                                        double tolerance, Vector& y);

// The same with y shown to `visit` at `parts` equal distances, both ends included, without starting
// anew in between.
[[nodiscard]] std::string sample_ode(const OdeRate& rate, double begin, double end, int parts,
                                     double tolerance, Vector& y,
                                     const std::function<void(double t, const Vector& y)>& visit);

}  // namespace clack
