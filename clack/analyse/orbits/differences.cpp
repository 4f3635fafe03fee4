#include "clack/analyse/orbits/differences.hpp"

namespace clack {
namespace {

constexpr double kShort = 1e-3, kLong = 1e3;  // times the scale of a variable

// f(x + d e_j) - f(x - d e_j).
bool difference(const SmoothFunction& f, Vector& x, int j, double d, Vector& ahead,
                Vector& behind) {
  const double at = x[j];
  x[j] = at + d;
  bool known = f(x, ahead);
  x[j] = at - d;
  known = known && f(x, behind);
  x[j] = at;
  ahead -= behind;
  return known;
}

}  // namespace

bool compute_jacobian(const SmoothFunction& f, const Vector& x, const Vector& scale, bool affine,
                      Matrix& J) {
  Vector moved = x, value, other;
  const double weight[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  for (int j = 0; j < static_cast<int>(x.size()); ++j) {
    const double d = (affine ? kLong : kShort) * scale[j];
    for (int k = 0; k < (affine ? 1 : 3); ++k) {
      if (!difference(f, moved, j, (k + 1) * d, value, other)) return false;
      if (j == 0 && k == 0) J.setZero(value.size(), x.size());
      J.col(j) += (affine ? 0.5 : weight[k]) / d * value;
    }
  }
  return J.allFinite();
}

}  // namespace clack
