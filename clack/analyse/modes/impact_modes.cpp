#include "clack/analyse/modes/impact_modes.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>

#include "clack/analyse/modes/conservative.hpp"
#include "clack/collide/contact_set.hpp"
#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kPi = 3.14159265358979323846;

// t brought into [0, T).
double wrapped(double t, double T) {
  const double s = t - T * std::floor(t / T);
  return s < T ? s : 0.0;
}

constexpr const char* kWhat =
    "modes of impacts in closed form need a linear conservative system with one elastic contact "
    "without friction: ";

void refuse(const std::string& why) { throw InputError(kWhat + why); }

void check_system(const System& system, int contact) {
  const ContactSet set(system);
  if (system.is_linear() && contact >= 0 && contact < set.size()) {
    const Contact& which = set.list()[static_cast<std::size_t>(contact)];
    if (!which.bilateral && which.law.e_n != 1)
      refuse(fmt::format("'{}' has e_n = {}", which.name, which.law.e_n));
  }
  check_conservative(system, contact, kWhat);
}

}  // namespace

ImpactModes::ImpactModes(const System& system, int contact) {
  check_system(system, contact);
  const int n = system.nv();
  const Vector zero = Vector::Zero(n);
  modes_ = compute_linear_modes(system, {0, zero, zero});
  const double largest = modes_.omega_squared.maxCoeff();
  if (!(modes_.omega_squared[0] > 1e-12 * largest)) refuse("it has a motion without stiffness");
  // Rest: K q = F(0), by modes.
  Forces forces(n);
  system.forces(0, zero, zero, forces);
  forces.set_total();
  rest_ = zero;
  for (int j = 0; j < modes_.omega.size(); ++j) {
    const Vector shape = modes_.shapes.col(j);
    rest_ += shape * shape.dot(forces.total) / modes_.omega_squared[j];
  }
  ContactSet set(system);
  ContactMap H(n, set.rows());
  Vector w(set.rows()), gaps(set.size());
  set.map(0, zero, H, w);
  set.gaps(0, rest_, gaps);
  const int row = set.row_begin()[static_cast<std::size_t>(contact)];
  if (w[row] != 0) refuse("its contact moves");
  gap0_ = gaps[contact];
  b_ = modes_.shapes.transpose() * H.dense().col(row);
}

double ImpactModes::kernel(double T, double t) const {
  double sum = 0;
  for (int j = 0; j < b_.size(); ++j) {
    const double om = modes_.omega[j];
    sum += b_[j] * b_[j] * std::cos(om * (t - T / 2)) / (2 * om * std::sin(om * T / 2));
  }
  return sum;
}

double ImpactModes::kernel_rate(double T, double t) const {
  double sum = 0;
  for (int j = 0; j < b_.size(); ++j) {
    const double om = modes_.omega[j];
    sum -= b_[j] * b_[j] * std::sin(om * (t - T / 2)) / (2 * std::sin(om * T / 2));
  }
  return sum;
}

double ImpactModes::kernel_curvature(double T, double t) const {
  double sum = 0;
  for (int j = 0; j < b_.size(); ++j) {
    const double om = modes_.omega[j];
    sum -= b_[j] * b_[j] * om * std::cos(om * (t - T / 2)) / (2 * std::sin(om * T / 2));
  }
  return sum;
}

double ImpactModes::closure(double T) const { return kernel(T, 0); }

State ImpactModes::state(const ImpactMode& mode, double t) const {
  State state{t, rest_, Vector::Zero(rest_.size())};
  const double T = mode.period;
  for (std::size_t i = 0; i < mode.times.size(); ++i) {
    const double s = wrapped(t - mode.times[i], T);
    for (int j = 0; j < b_.size(); ++j) {
      const double om = modes_.omega[j], angle = om * (s - T / 2), half = std::sin(om * T / 2);
      const double share = mode.impulses[i] * b_[j];
      state.q += share * std::cos(angle) / (2 * om * half) * modes_.shapes.col(j);
      state.v -= share * std::sin(angle) / (2 * half) * modes_.shapes.col(j);
    }
  }
  return state;
}

double ImpactModes::gap(const ImpactMode& mode, double t) const {
  double sum = gap0_;
  for (std::size_t i = 0; i < mode.times.size(); ++i)
    sum += mode.impulses[i] * kernel(mode.period, wrapped(t - mode.times[i], mode.period));
  return sum;
}

double ImpactModes::gap_rate(const ImpactMode& mode, double t) const {
  double sum = 0;
  for (std::size_t i = 0; i < mode.times.size(); ++i)
    sum += mode.impulses[i] * kernel_rate(mode.period, wrapped(t - mode.times[i], mode.period));
  return sum;
}

// By modal coordinates just after the first impact.
void ImpactModes::set_energy(ImpactMode& mode) const {
  mode.energy = 0;
  const double T = mode.period;
  for (int j = 0; j < b_.size(); ++j) {
    const double om = modes_.omega[j], half = std::sin(om * T / 2);
    double a = 0, rate = 0;
    for (std::size_t i = 0; i < mode.times.size(); ++i) {
      const double angle = om * (wrapped(mode.times.front() - mode.times[i], T) - T / 2);
      a += mode.impulses[i] * b_[j] * std::cos(angle) / (2 * om * half);
      rate -= mode.impulses[i] * b_[j] * std::sin(angle) / (2 * half);
    }
    mode.energy += 0.5 * (rate * rate + modes_.omega_squared[j] * a * a);
  }
}

// The minima of the gap between impacts, by sign changes of its rate on a grid of the fastest mode.
void ImpactModes::find_lowest_gap(ImpactMode& mode) const {
  mode.lowest_gap = HUGE_VAL;
  const double fastest = modes_.omega.maxCoeff(), step = 2 * kPi / (40 * fastest);
  for (std::size_t i = 0; i < mode.times.size(); ++i) {
    const double begin = mode.times[i];
    const double end = i + 1 < mode.times.size() ? mode.times[i + 1] : mode.period;
    const int parts = std::max(20, static_cast<int>(std::ceil((end - begin) / step)));
    double last = begin + 1e-9 * (end - begin), rate = gap_rate(mode, last);
    for (int k = 1; k < parts; ++k) {
      const double t = begin + (end - begin) * k / parts, next = gap_rate(mode, t);
      if (rate < 0 && next >= 0) {
        double low = last, high = t;
        for (int pass = 0; pass < 60; ++pass) {
          const double middle = 0.5 * (low + high);
          (gap_rate(mode, middle) < 0 ? low : high) = middle;
        }
        const double lowest = gap(mode, high);
        if (lowest < mode.lowest_gap) mode.lowest_gap = lowest, mode.lowest_at = high;
      }
      last = t;
      rate = next;
    }
  }
}

void ImpactModes::check(ImpactMode& mode) const {
  mode.admissible = false;
  for (std::size_t i = 0; i < mode.times.size(); ++i) {
    if (!(mode.impulses[i] > 0)) {
      mode.inadmissible = fmt::format("the impulse at t = {:.9g} s would pull, {:.6g} N s",
                                      mode.times[i], mode.impulses[i]);
      return;
    }
    if (gap_rate(mode, mode.times[i] + 1e-9 * mode.period) < 0) {
      mode.inadmissible = fmt::format(
          "the contact would be entered after the impact at t = {:.9g} s", mode.times[i]);
      return;
    }
  }
  find_lowest_gap(mode);
  if (!(mode.lowest_gap > 0)) {
    mode.inadmissible =
        fmt::format("the gap would be {:.6g} m at t = {:.9g} s", mode.lowest_gap, mode.lowest_at);
    return;
  }
  mode.admissible = std::isfinite(mode.energy);
  if (!mode.admissible) mode.inadmissible = "the energy is not finite";
}

ImpactMode ImpactModes::one_impact(double T) const {
  if (!(T > 0)) throw InputError(fmt::format("the period is {} s; it must be > 0", T));
  ImpactMode mode{.period = T, .times = {0}, .impulses = {-gap0_ / closure(T)}, .inadmissible = {}};
  set_energy(mode);
  check(mode);
  return mode;
}

// sum_j r_j G(t_i - t_j) = -g0,   sum_(j != i) r_j G'(t_i - t_j) = 0                (eq:impact_modes)
// The second ones hold for k - 1 impacts if they hold for all others: least squares.
ImpactMode ImpactModes::several_impacts(double T, const std::vector<double>& times) const {
  const int k = static_cast<int>(times.size());
  if (!(T > 0) || k == 0) throw InputError("modes of impacts need a period > 0 and an impact");
  ImpactMode mode{.period = T, .times = times, .impulses = {}, .inadmissible = {}};
  for (double& t : mode.times) t -= times.front();
  Vector unknown = Vector::Zero(2 * k - 1);  // impulses, then times but the first
  Matrix G(k, k);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j)
      G(i, j) = kernel(T, wrapped(mode.times[static_cast<std::size_t>(i)] -
                                      mode.times[static_cast<std::size_t>(j)],
                                  T));
  }
  unknown.head(k) = G.completeOrthogonalDecomposition().solve(Vector::Constant(k, -gap0_));
  for (int i = 1; i < k; ++i) unknown[k + i - 1] = mode.times[static_cast<std::size_t>(i)];
  const auto time = [&](int i) { return i == 0 ? 0.0 : unknown[k + i - 1]; };
  for (int pass = 0; pass < 50; ++pass) {
    Vector F = Vector::Zero(2 * k);
    Matrix J = Matrix::Zero(2 * k, 2 * k - 1);
    for (int i = 0; i < k; ++i) {
      F[i] = gap0_;
      for (int j = 0; j < k; ++j) {
        const double s = wrapped(time(i) - time(j), T), r = unknown[j];
        F[i] += r * kernel(T, s);
        J(i, j) += kernel(T, s);
        if (i == j) continue;
        F[k + i] += r * kernel_rate(T, s);
        J(k + i, j) += kernel_rate(T, s);
        for (const auto& [at, sign] : {std::pair{i, 1.0}, {j, -1.0}}) {
          if (at == 0) continue;
          J(i, k + at - 1) += sign * r * kernel_rate(T, s);
          J(k + i, k + at - 1) += sign * r * kernel_curvature(T, s);
        }
      }
    }
    mode.residual = F.cwiseAbs().maxCoeff() / std::max(std::abs(gap0_), 1e-300);
    const Vector step = J.completeOrthogonalDecomposition().solve(-F);
    unknown += step;
    if (!(step.norm() > 1e-15 * unknown.norm())) break;
  }
  mode.impulses.assign(unknown.begin(), unknown.begin() + k);
  for (int i = 1; i < k; ++i) mode.times[static_cast<std::size_t>(i)] = wrapped(time(i), T);
  set_energy(mode);
  if (mode.residual > 1e-9 || !std::is_sorted(mode.times.begin(), mode.times.end())) {
    mode.inadmissible = "no solution was found from the guessed times";
    return mode;
  }
  check(mode);
  return mode;
}

std::vector<ImpactMode> ImpactModes::two_impacts(double T) const {
  std::vector<ImpactMode> found;
  const double fastest = modes_.omega.maxCoeff();
  const int parts = std::max(100, static_cast<int>(20 * fastest * T));
  double last = kernel_rate(T, 1e-9 * T), before = 1e-9 * T;
  for (int k = 1; k < parts; ++k) {
    const double s = 0.5 * T * k / parts, rate = kernel_rate(T, s);
    if ((last < 0) != (rate < 0)) found.push_back(several_impacts(T, {0, 0.5 * (before + s)}));
    last = rate;
    before = s;
  }
  return found;
}

namespace {

// Whether two solutions are the same orbit, whichever of its impacts counts as the first.
bool same_orbit(const ImpactMode& a, const ImpactMode& b) {
  const std::size_t k = a.times.size();
  for (std::size_t shift = 0; shift < k; ++shift) {
    double distance = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const double t =
          wrapped(b.times[(i + shift) % k] - b.times[shift] + 1e-9 * b.period, b.period);
      distance = std::max(distance, std::abs(t - a.times[i] - 1e-9 * b.period));
    }
    if (distance < 1e-6 * a.period) return true;
  }
  return false;
}

// Impacts at equal distances: an orbit of a part of the period.
bool is_repeated(const ImpactMode& mode) {
  const std::size_t k = mode.times.size();
  for (std::size_t part = 2; part <= k; ++part) {
    if (k % part != 0) continue;
    bool same = true;
    for (std::size_t i = 0; i < k; ++i) {
      const double t =
          wrapped(mode.times[i] + mode.period / static_cast<double>(part), mode.period);
      double nearest = mode.period;
      for (double other : mode.times)
        nearest = std::min({nearest, std::abs(t - other), mode.period - std::abs(t - other)});
      same = same && nearest < 1e-6 * mode.period;
    }
    if (same) return true;
  }
  return false;
}

}  // namespace

std::vector<ImpactMode> ImpactModes::impacts(double T, int count) const {
  constexpr int kSlots = 12;
  if (count < 1 || count > 5)
    throw InputError(fmt::format("impacts per period: {}; allowed: 1 to 5", count));
  if (count == 1) return {one_impact(T)};
  if (count == 2) return two_impacts(T);
  std::vector<ImpactMode> found;
  std::vector<int> slot(static_cast<std::size_t>(count));
  const std::function<void(std::size_t)> choose = [&](std::size_t i) {
    if (i < slot.size()) {
      for (int s = slot[i - 1] + 1; s < kSlots; ++s) slot[i] = s, choose(i + 1);
      return;
    }
    std::vector<double> times;
    for (int s : slot) times.push_back(T * s / kSlots);
    const ImpactMode mode = several_impacts(T, times);
    if (!(mode.residual <= 1e-9) || !std::is_sorted(mode.times.begin(), mode.times.end())) return;
    const bool known = std::any_of(found.begin(), found.end(), [&](const ImpactMode& other) {
      return same_orbit(other, mode);
    });
    if (!known && !is_repeated(mode)) found.push_back(mode);
  };
  choose(1);
  return found;
}

std::vector<PeriodWindow> ImpactModes::one_impact_windows(double begin, double end,
                                                          int grid) const {
  const auto good = [&](double T) { return one_impact(T).admissible; };
  const auto edge = [&](double inside, double outside) {
    for (int pass = 0; pass < 60; ++pass) {
      const double middle = 0.5 * (inside + outside);
      (good(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  std::vector<PeriodWindow> windows;
  bool inside = false;
  double last = begin;
  for (int k = 0; k <= grid; ++k) {
    const double T = begin + (end - begin) * k / grid;
    const bool now = T > 0 && good(T);
    if (now && !inside) windows.push_back({k == 0 ? T : edge(T, last), end});
    if (!now && inside) windows.back().end = edge(last, T);
    inside = now;
    last = T;
  }
  return windows;
}

}  // namespace clack
