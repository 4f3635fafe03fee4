#include "clack/solve/local_rolling.hpp"

#include <algorithm>
#include <cmath>

#include "clack/solve/local_newton.hpp"

namespace clack {
namespace {

using Values = ClosedContact::Values;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Minimises 1/2 y' S y + c' y in the disc |y| <= limit, S 2 x 2 positive semidefinite (s01 = s10):
// y = -(S + l I)^-1 c with Newton on 1/|y| - 1/limit, monotone from the left.
void minimise_in_disc(const double S[3], const double c[2], double limit, double y[2]) {
  const double c_norm = std::sqrt(c[0] * c[0] + c[1] * c[1]);
  if (!(limit > 0) || !(c_norm > 0)) {
    y[0] = y[1] = 0;
    return;
  }
  double l = 1e-15 * (S[0] + S[2]);
  for (int k = 0; k < 60; ++k) {
    const double a = S[0] + l, d = S[2] + l, det = a * d - S[1] * S[1];
    if (!(det > 0)) {
      l = 2 * l + 1e-15 * c_norm / limit;
      continue;
    }
    y[0] = -(d * c[0] - S[1] * c[1]) / det;
    y[1] = -(a * c[1] - S[1] * c[0]) / det;
    const double length2 = y[0] * y[0] + y[1] * y[1], length = std::sqrt(length2);
    if (length <= limit * (1 + 1e-15)) return;
    const double slope = (d * y[0] * y[0] - 2 * S[1] * y[0] * y[1] + a * y[1] * y[1]) / det;
    l += length2 / slope * (length - limit) / limit;
  }
}

// y(s) by block descent over the discs, from the discs' present values; returns u_N(s).
double solve_discs(const ClosedContact& contact, double s, Values& r) {
  r[0] = s;
  for (int sweep = 0; sweep < 200; ++sweep) {
    double change = 0, size = s;
    for (int i = 0; i < contact.disc_count(); ++i) {
      const Cone::Disc& disc = contact.disc(i);
      const int p = disc.begin, q = disc.begin + 1;
      const double S[3] = {contact.W(p, p), 0.5 * (contact.W(p, q) + contact.W(q, p)),
                           contact.W(q, q)};
      double c[2] = {contact.b(p), contact.b(q)}, y[2];
      for (int j = 0; j < contact.dim(); ++j) {
        if (j == p || j == q) continue;
        c[0] += contact.W(p, j) * r[at(j)];
        c[1] += contact.W(q, j) * r[at(j)];
      }
      minimise_in_disc(S, c, contact.radius(i) * s, y);
      change += std::abs(y[0] - r[at(p)]) + std::abs(y[1] - r[at(q)]);
      size += std::abs(y[0]) + std::abs(y[1]);
      r[at(p)] = y[0];
      r[at(q)] = y[1];
    }
    if (change <= 1e-14 * size) break;
  }
  double u = contact.b(0);
  for (int j = 0; j < contact.dim(); ++j) u += contact.W(0, j) * r[at(j)];
  return u;
}

// The root of u_N(s) by bisection; after every halving Newton may end it.
double bracket(const ClosedContact& contact, Values& r) {
  r.fill(0.0);
  double low = 0, high = -contact.b(0) / contact.W(0, 0), best = HUGE_VAL;
  for (int k = 0; k < 60 && solve_discs(contact, high, r) < 0; ++k) {
    low = high;
    high *= 4;
  }
  Values trial = r, found = r;
  for (int k = 0; k < 100 && high - low > 1e-15 * high; ++k) {
    const double middle = low > 0 && high > 4 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    (solve_discs(contact, middle, r) < 0 ? low : high) = middle;
    trial = r;
    const double error = contact.newton(trial, 6);
    if (error < best) {
      best = error;
      found = trial;
    }
    if (best <= ClosedContact::kAccurate) break;
  }
  r = found;
  return best;
}

}  // namespace

bool solve_local_rolling(const Cone& cone, const double* W, const double* b, double* r) {
  if (solve_local_ac(cone, W, b, r)) return true;
  const ClosedContact contact(cone, W, b);
  Values x;
  const double error = bracket(contact, x);
  if (std::isfinite(error)) contact.write(x, r);
  return error <= 1e-9;
}

}  // namespace clack
