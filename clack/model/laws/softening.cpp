#include "clack/model/laws/softening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

// With less traction than this, in units of the strength, a bond has failed.
constexpr double kNoTraction = 1e-12;

}  // namespace

std::string Softening::fault(double q) const {
  if (q > 1) return {};
  return fmt::format(
      "the elastic branch alone takes {:.4g} of the fracture energy; it must be less than all of "
      "it: "
      "give more G, more c or less strength",
      1 / q);
}

std::string LinearSoftening::fault(double q) const {
  if (q <= 1) return Softening::fault(q);
  const Knee k = knee(q);
  if (k.x >= 1 - 1e-12 && k.end >= k.x * (1 - 1e-12)) return {};
  return fmt::format(
      "the knee is at {:.4g} and the end at {:.4g} times the elastic limit; they must "
      "follow in this order: change knee_traction or knee_energy",
      k.x, k.end);
}

double LinearSoftening::traction(double q, double x) const {
  const Knee k = knee(q);
  if (x < k.x) return 1 + (k.t - 1) * (x - 1) / (k.x - 1);
  return x < k.end ? k.t * (k.end - x) / (k.end - k.x) : 0;
}

double LinearSoftening::mean(double q, double a, double b) const {
  const Knee k = knee(q);
  const std::array<double, 3> x = {1, k.x, k.end}, t = {1, k.t, 0};
  double area = 0;
  for (int i = 0; i < 2; ++i) {
    const double low = std::max(a, x[i]), high = std::min(b, x[i + 1]);
    if (!(high > low)) continue;
    const double slope = (t[i + 1] - t[i]) / (x[i + 1] - x[i]);
    area += (high - low) / (b - a) * (t[i] + slope * (0.5 * (low + high) - x[i]));
  }
  return area;
}

double LinearSoftening::at_secant(double q, double secant) const {
  const Knee k = knee(q);
  if (secant * k.x < k.t) return k.t * k.end / (secant * (k.end - k.x) + k.t);
  if (!(k.x > 1)) return 1;
  const double slope = (k.t - 1) / (k.x - 1);
  return std::max(1.0, (1 - slope) / (secant - slope));
}

double ExponentialSoftening::traction(double q, double x) const {
  const double t = std::exp(2 * (1 - x) / (q - 1));
  return t < kNoTraction ? 0 : t;
}

double ExponentialSoftening::mean(double q, double a, double b) const {
  const double rate = 2 / (q - 1), width = rate * (b - a);
  return -std::exp(rate * (1 - a)) * std::expm1(-width) / width;
}

// y + log y = log(rate/secant) + rate with y = rate x, by Newton's method: the left side is concave
// and rises, so that from below it climbs to the root.
double ExponentialSoftening::at_secant(double q, double secant) const {
  const double rate = 2 / (q - 1), right = std::log(rate / secant) + rate;
  double y = rate;  // x = 1, at or below the root
  for (int i = 0; i < 100; ++i) {
    const double next = y + (right - y - std::log(y)) * y / (1 + y);
    if (!(next > y * (1 + 1e-16))) break;
    y = next;
  }
  return std::max(1.0, y / rate);
}

SofteningZone::SofteningZone(std::string_view name, Stiffness stiffness, Mode opening, Mode sliding,
                             std::unique_ptr<const Softening> softening, double friction_exponent)
    : CohesiveZone(stiffness, friction_exponent),
      name_(name),
      opening_(opening),
      sliding_(sliding),
      elastic_{opening.strength * opening.strength / stiffness.c_n,
               sliding.strength * sliding.strength / stiffness.c_t},
      softening_(std::move(softening)) {
  // Of the modes in between q lies between these two.
  const double q[] = {2 * opening.fracture_energy / elastic_[0],
                      2 * sliding.fracture_energy / elastic_[1]};
  for (int k = 0; k < 2; ++k) {
    const std::string fault = softening_->fault(q[k]);
    if (!fault.empty()) throw InputError(fmt::format("in mode {}: {}", k + 1, fault));
  }
}

// D = D_i x^2, and s_bar is the work between the two ends over (D_1 - D_0)/2 (eq:mean_secant).
BondChange SofteningZone::change(const BondPath& path, double intact) const {
  const double m = path.shear;
  const double D_i = 1 / ((1 - m) / elastic_[0] + m / elastic_[1]);  // (eq:mixed_mode)
  const double G = 1 / ((1 - m) / opening_.fracture_energy + m / sliding_.fracture_energy);
  const double q = 2 * G / D_i;
  const double start = std::sqrt(path.D_start / D_i), end = std::sqrt(path.D_end / D_i);
  BondChange out;
  // Where the mode has changed, the bond may stand beyond the curve of the new one.
  out.intact = start > 1 ? std::min(intact, softening_->traction(q, start) / start) : intact;
  out.secant = out.intact;
  if (out.intact <= 0) return out;
  const double past = std::max(start, softening_->at_secant(q, out.intact));
  if (end <= past) return out;
  const double elastic = 0.5 * out.intact * (past + start) * (past - start);
  const double work = elastic + (end - past) * softening_->mean(q, past, end);
  out.secant = 2 * work / ((end - start) * (end + start));
  const double traction = softening_->traction(q, end);
  out.intact = traction / end;
  out.slope = std::min(0.0, (out.intact - out.secant) / (path.D_end - path.D_start));
  return out;
}

}  // namespace clack
