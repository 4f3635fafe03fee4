#include "clack/analyse/harmonic/harmonic_orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/analyse/modes/linear_modes.hpp"
#include "clack/analyse/orbits/branch_follower.hpp"
#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;

Vector series_value(const Matrix& series, double angle) {
  const auto H = (series.cols() - 1) / 2;
  Vector sum = series.col(0);
  for (long k = 1; k <= H; ++k) {
    const double s = static_cast<double>(k) * angle;
    sum += std::cos(s) * series.col(k) + std::sin(s) * series.col(H + k);
  }
  return sum;
}

Matrix series_rate(const Matrix& series) {
  return FourierBasis::derivative(series.transpose()).transpose();
}

void check_problem(const HarmonicProblem& problem, const LinearStructure& structure,
                   double period) {
  const OrbitKind kind = problem.orbit.kind;
  if (kind == OrbitKind::forced && !structure.comes_back_after(period))
    throw InputError(
        fmt::format("the forces and drives of the system do not have the period {:.9g} s", period));
  if (kind != OrbitKind::forced && !structure.is_constant())
    throw InputError("the system is driven: its orbits are forced ones");
  if (kind != OrbitKind::conservative) return;
  if (structure.is_damped())
    throw InputError("a conservative family needs a system without damping");
  if (structure.has_friction())
    throw InputError("a conservative family needs contacts without friction");
}

// Mean energy, extremes and contact intervals of a period.
void measure(HarmonicEquations& equations, const Vector& X, Orbit& orbit) {
  const Matrix& q = orbit.series.q;
  const Matrix rate = equations.frequency(X) * series_rate(q);
  const FourierBasis full(equations.basis().harmonics(), false, equations.basis().samples());
  const Matrix positions = q * full.values().transpose();
  const Matrix velocities = rate * full.values().transpose();
  orbit.largest = positions.rowwise().maxCoeff();
  orbit.smallest = positions.rowwise().minCoeff();
  const LinearStructure& structure = equations.structure(orbit.parameter);
  const auto N = positions.cols();
  orbit.energy = 0;
  for (long j = 0; j < N; ++j) {
    const Energies energies =
        structure.system().energies(orbit.period * static_cast<double>(j) / static_cast<double>(N),
                                    positions.col(j), velocities.col(j));
    orbit.energy += (energies.kinetic + energies.potential) / static_cast<double>(N);
  }
  orbit.start = {0, positions.col(0), velocities.col(0)};
}

// Each closing of a contact that has mass is an impact, elastic in this method.
void check_impacts(HarmonicEquations& equations, Orbit& orbit) {
  const LinearStructure& structure = equations.structure(orbit.parameter);
  const FourierBasis full(equations.basis().harmonics(), false, equations.basis().samples());
  orbit.admissible = true;
  orbit.impacts = 0;
  for (int c = 0; c < static_cast<int>(structure.contacts().size()); ++c) {
    const Contact& contact = structure.contacts()[static_cast<std::size_t>(c)];
    if (contact.bilateral) continue;
    const int row = structure.row(c);
    const Vector force = full.values() * orbit.series.force.row(row).transpose();
    const double level = 1e-3 * force.cwiseAbs().maxCoeff();
    int closings = 0;
    for (long j = 0; j < force.size(); ++j) {
      const double before = force[j > 0 ? j - 1 : force.size() - 1];
      closings += force[j] > level && before <= level;
    }
    orbit.impacts += closings;
    if (closings == 0 || !structure.has_mass(c) || contact.law.e_n == 1) continue;
    orbit.admissible = false;
    orbit.inadmissible = fmt::format(
        "contact '{}' carries mass and closes with e_n = {:g}; harmonic balance has "
        "elastic impacts only",
        contact.name, contact.law.e_n);
  }
}

Orbit make_orbit(HarmonicEquations& equations, const Vector& X, const NewtonResult& newton) {
  Orbit orbit;
  orbit.method = OrbitMethod::harmonic_balance;
  orbit.parameter = equations.parameter(X);
  orbit.period = kTwoPi / equations.frequency(X);
  orbit.history = newton.history;
  orbit.status = newton.converged ? Status::converged : Status::stagnated;
  orbit.note = newton.note;
  const ContactSeries contacts = equations.series(X);
  orbit.series = {equations.coordinates(X), contacts.force, contacts.motion};
  orbit.closing = newton.history.empty() ? 0 : newton.history.back();
  orbit.slowest_approach = HUGE_VAL;
  measure(equations, X, orbit);
  check_impacts(equations, orbit);
  return orbit;
}

ContactSeries contact_series(const Orbit& orbit) {
  return {orbit.series.force, orbit.series.motion};
}

class HarmonicSubject final : public BranchSubject {
 public:
  HarmonicSubject(const HarmonicProblem& problem, const ContinuationOptions& options)
      : problem_(problem), options_(options) {}

  std::shared_ptr<PathEquations> equations(const Orbit& orbit) const override {
    const bool free_parameter = problem_.orbit.kind != OrbitKind::conservative;
    return std::make_shared<HarmonicEquations>(problem_, orbit.parameter, orbit.period,
                                               contact_series(orbit), free_parameter);
  }
  std::string accept(PathEquations& equations, const Vector& X, const NewtonResult& newton,
                     Orbit& orbit) const override {
    orbit = make_orbit(static_cast<HarmonicEquations&>(equations), X, newton);
    return orbit.admissible ? std::string() : orbit.inadmissible;
  }
  double coordinate(const Orbit& orbit) const override {
    if (options_.over == BranchCoordinate::parameter) return orbit.parameter;
    return options_.over == BranchCoordinate::period ? orbit.period : orbit.energy;
  }
  double coordinate_speed(const BranchPlace& place) const override;
  double energy_speed(const BranchPlace& place) const;
  // A family leaves its linear mode with rising energy, whatever its coordinate does.
  double first_speed(const BranchPlace& place) const override {
    const bool linear = place.orbit.impacts == 0 && problem_.orbit.kind == OrbitKind::conservative;
    return linear ? options_.direction * energy_speed(place) : place.speed;
  }
  double tolerance() const override { return problem_.orbit.tolerance; }
  int max_iterations() const override { return problem_.orbit.max_iterations; }
  // On the line of a linear mode the coordinate stands but for round-off: no folds there.
  std::vector<SpecialFunction> special_functions() const override {
    return {{PointKind::fold, [](const BranchPlace& place) {
               return std::abs(place.speed) < 1e-7 ? 0.0 : place.speed;
             }}};
  }

 private:
  HarmonicProblem problem_;
  ContinuationOptions options_;
};

double HarmonicSubject::coordinate_speed(const BranchPlace& place) const {
  auto& equations = static_cast<HarmonicEquations&>(*place.equations);
  if (options_.over == BranchCoordinate::parameter)
    return place.tangent[equations.parameter_index()];
  if (options_.over == BranchCoordinate::period) return -place.tangent[equations.frequency_index()];
  return energy_speed(place);
}

double HarmonicSubject::energy_speed(const BranchPlace& place) const {
  auto& equations = static_cast<HarmonicEquations&>(*place.equations);
  const double d = 1e-5;
  const Vector shift = d * place.tangent.cwiseProduct(equations.scale());
  const double ahead = make_orbit(equations, place.X + shift, {}).energy;
  const double behind = make_orbit(equations, place.X - shift, {}).energy;
  return (ahead - behind) / (2 * d);
}

}  // namespace

namespace {

// From stops so far away that the linear response does not touch them, step by step to where they
// are.
NewtonResult solve_by_lifting(HarmonicEquations& equations, const OrbitProblem& asked, Vector& X) {
  X.setZero();
  const Matrix motion = equations.series(X).motion;
  double lift = 0;
  for (long r = 0; r < motion.rows(); ++r)
    lift = std::max(lift, motion.row(r).tail(motion.cols() - 1).cwiseAbs().sum() - motion(r, 0));
  double step = 0.25 * lift;
  NewtonResult newton;
  while (step > 1e-4 * lift) {
    const double next = std::max(0.0, lift - step);
    Vector tried = X;
    equations.set_lift(next);
    newton = solve_path(equations, {}, asked.tolerance, asked.max_iterations, tried);
    if (!newton.converged) {
      step *= 0.5;
      continue;
    }
    X = tried;
    lift = next;
    step *= 1.5;
    if (lift == 0) break;
  }
  equations.set_lift(0);
  if (lift > 0) newton.converged = false;
  return newton;
}

}  // namespace

Orbit harmonic_orbit(const HarmonicProblem& problem, const Orbit* guess) {
  const OrbitProblem& asked = problem.orbit;
  const double parameter = asked.parameter;
  const double period =
      guess && asked.kind != OrbitKind::forced ? guess->period : asked.period(parameter);
  if (!(period > 0) || !std::isfinite(period))
    throw InputError(fmt::format("the period is {} s; it must be > 0", period));
  const LinearStructure structure(asked.system(parameter));
  check_problem(problem, structure, period);
  const int full = 1 + 2 * problem.options.harmonics, rows = structure.rows();
  ContactSeries series{Matrix::Zero(rows, full), Matrix::Zero(rows, full)};
  if (guess) series = contact_series(*guess);
  HarmonicEquations equations(problem, parameter, period, series, false);
  Vector X = equations.start();
  if (!guess) X.head(rows * equations.basis().size()).setZero();
  NewtonResult newton = solve_path(equations, {}, asked.tolerance, asked.max_iterations, X);
  if (!newton.converged && !guess && asked.kind == OrbitKind::forced)
    newton = solve_by_lifting(equations, asked, X);
  return make_orbit(equations, X, newton);
}

namespace {

// A linear mode at the contacts: their gaps at rest and its shape there.
struct ContactShape {
  double omega;                // [rad/s]
  Vector rest, shape;          // by row of H
  double touching = HUGE_VAL;  // amplitude at which the first contact is touched, 0: at rest
};

ContactShape contact_shape(const LinearStructure& structure, int mode) {
  const Vector zero = Vector::Zero(structure.nv());
  const LinearModes modes = compute_linear_modes(structure.system(), {0, zero, zero});
  if (mode < 0 || mode >= modes.omega.size() || !(modes.omega[mode] > 0)) {
    throw InputError(fmt::format("linear mode {} is asked for; there are {} that oscillate",
                                 mode + 1, (modes.omega.array() > 0).count()));
  }
  const FourierBasis basis(1, true, 8);
  const HarmonicDrive drive = structure.drive(1, basis);
  const ComplexMatrix V = structure.solve(0, drive.f.col(0).cast<std::complex<double>>());
  const Vector still = structure.project(V).real().col(structure.rows()) + drive.g.col(0);
  ContactShape result{
      modes.omega[mode], still,
      structure.project(modes.shapes.col(mode).cast<std::complex<double>>()).real()};
  const double largest = result.shape.cwiseAbs().maxCoeff();
  for (int c = 0; c < static_cast<int>(structure.contacts().size()); ++c) {
    const int r = structure.row(c);
    const bool seen = std::abs(result.shape[r]) > 1e-9 * largest;
    if (structure.contacts()[static_cast<std::size_t>(c)].bilateral || !seen) continue;
    result.touching = std::min(result.touching, result.rest[r] / std::abs(result.shape[r]));
  }
  return result;
}

}  // namespace

Orbit harmonic_linear_mode(const HarmonicProblem& problem, int mode, std::optional<double> energy) {
  if (problem.orbit.kind != OrbitKind::conservative)
    throw InputError("a linear mode is the start of a conservative family");
  const LinearStructure structure(problem.orbit.system(problem.orbit.parameter));
  check_problem(problem, structure, 1);
  const ContactShape at = contact_shape(structure, mode);
  if (!std::isfinite(at.touching) || at.touching < 0) {
    throw InputError(fmt::format("linear mode {} {}", mode + 1,
                                 at.touching < 0 ? "starts in contact: at rest a gap is below zero"
                                                 : "never touches a contact"));
  }
  const double most = 0.5 * at.omega * at.omega * at.touching * at.touching;  // [J]
  const double amplitude = std::sqrt(2 * energy.value_or(most > 0 ? 0.5 * most : 0.5)) / at.omega;
  if (most > 0 && !(amplitude < at.touching)) {
    throw InputError(
        fmt::format("linear mode {} touches a contact at {:.9g} J; its family starts "
                    "below that",
                    mode + 1, most));
  }
  const int rows = structure.rows(), full = 1 + 2 * problem.options.harmonics;
  ContactSeries series{Matrix::Zero(rows, full), Matrix::Zero(rows, full)};
  series.motion.col(0) = at.rest;
  series.motion.col(1) = amplitude * at.shape;
  HarmonicEquations equations(problem, problem.orbit.parameter, kTwoPi / at.omega, series, false);
  Vector X = equations.start();
  const Vector from = X;
  const int frequency = equations.frequency_index();
  // At the given amplitude; the frequency follows.
  const PathPin pin = [&](const Vector& now, Vector& gradient) {
    gradient = from / from.head(frequency).norm();
    gradient[frequency] = 0;
    return gradient.dot((now - from).cwiseQuotient(equations.scale()));
  };
  const NewtonResult newton =
      solve_path(equations, {pin}, problem.orbit.tolerance, problem.orbit.max_iterations, X);
  return make_orbit(equations, X, newton);
}

Branch continue_harmonic(const HarmonicProblem& problem, const Orbit& start,
                         const ContinuationOptions& options) {
  options.validate();
  if (!start.good() || !start.admissible || start.method != OrbitMethod::harmonic_balance)
    throw InputError("a branch by harmonic balance must start from an orbit that it has found");
  const bool family = problem.orbit.kind == OrbitKind::conservative;
  if (family == (options.over == BranchCoordinate::parameter)) {
    throw InputError(family ? "a conservative family is continued over its period or its energy"
                            : "forced and autonomous orbits are continued over a parameter");
  }
  return follow_branch(HarmonicSubject(problem, options), start, options);
}

State harmonic_state(const Orbit& orbit, double t) {
  const double omega = kTwoPi / orbit.period;
  return {t, series_value(orbit.series.q, omega * t),
          omega * series_value(series_rate(orbit.series.q), omega * t)};
}

Vector harmonic_force(const Orbit& orbit, double t) {
  return series_value(orbit.series.force, kTwoPi / orbit.period * t);
}

}  // namespace clack
