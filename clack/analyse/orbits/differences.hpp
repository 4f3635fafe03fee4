// Derivatives of smooth functions of several variables by central differences of sixth order,
//
//     f'(x) = (45 (f1 - f-1) - 9 (f2 - f-2) + f3 - f-3)/(60 d) + O(d^6),   fk = f(x + k d)
//
// with d = 1e-3 of the scale of the variable: some 12 digits where f varies on that scale. Where f
// is affine one difference is exact, whatever d is, and a long one has the least round-off.
#pragma once

#include <functional>

#include "clack/core/types.hpp"

namespace clack {

// Writes f(x); the size of what it writes is fixed. False where f has no value.
using SmoothFunction = std::function<bool(const Vector& x, Vector& value)>;

// J (rows x size of x); `scale` is one length per variable. False where f has no value nearby.
[[nodiscard]] bool compute_jacobian(const SmoothFunction& f, const Vector& x, const Vector& scale,
                                    bool affine, Matrix& J);

}  // namespace clack
