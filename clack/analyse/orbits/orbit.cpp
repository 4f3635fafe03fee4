#include "clack/analyse/orbits/orbit.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "clack/analyse/orbits/orbit_equations.hpp"
#include "clack/collide/contact_set.hpp"

namespace clack {
namespace {

constexpr int kSamples = 200;      // of a period, for the extremes of coordinates
constexpr int kMostHalvings = 10;  // of a step of Newton's method

Vector stacked(const State& state) {
  Vector z(state.q.size() + state.v.size());
  z << state.q, state.v;
  return z;
}

// z(T) - z(0), zero where it may drift.
Vector closing_error(const OrbitProblem& problem, const State& start, const State& end) {
  Vector error = stacked(end) - stacked(start);
  for (int i : problem.drifting) error[i] = 0;
  return error;
}

std::string contact_name(const System& system, int contact) {
  return system.contacts()[static_cast<std::size_t>(contact)].name;
}

// What an event is called in a message.
std::string event_name(const System& system, const ContactPhase& phase) {
  if (!phase.has_event) return "the end of the period";
  const ContactMode mode = phase.states[static_cast<std::size_t>(phase.event.contact)].mode;
  const bool normal = phase.event.root == Flow::Root::normal;
  const char* what = mode == ContactMode::open       ? "closes"
                     : normal                        ? "opens"
                     : mode == ContactMode::sticking ? "begins to slide"
                                                     : "stops sliding";
  return fmt::format("contact '{}' {} at t = {:.9g} s", contact_name(system, phase.event.contact),
                     what, phase.end);
}

// Where the motion leaves the sequence, in words.
std::string first_difference(const System& system, const std::vector<ContactPhase>& found,
                             const std::vector<ContactPhase>& sought) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i >= sought.size() || !found[i].same_kind(sought[i]))
      return fmt::format("the motion from the start takes another course: {}",
                         event_name(system, found[i]));
  }
  return "the motion from the start ends before the sequence does";
}

void set_extremes(const OrbitProblem& problem, const std::shared_ptr<const System>& system,
                  Orbit& orbit) {
  const int n = static_cast<int>(orbit.start.q.size());
  orbit.largest = orbit.smallest = orbit.start.q;
  PhaseMotion motion(system, sequence_scale(orbit.phases, stacked(orbit.start)),
                     problem.flow.simulation.scheme_options.flow_tolerance);
  const auto visit = [&](double, const Vector& z) {
    orbit.largest = orbit.largest.cwiseMax(z.head(n));
    orbit.smallest = orbit.smallest.cwiseMin(z.head(n));
  };
  for (const ContactPhase& phase : orbit.phases) {
    motion.enter(phase);
    const int parts = 2 + static_cast<int>(kSamples * (phase.end - phase.begin) / orbit.period);
    (void)motion.sample(phase.begin, phase.end, parts, phase.z, visit);
  }
}

void set_multipliers(const OrbitProblem& problem, const std::shared_ptr<const System>& system,
                     Orbit& orbit) {
  PhaseMotion motion(system, sequence_scale(orbit.phases, stacked(orbit.start)),
                     problem.flow.simulation.scheme_options.flow_tolerance);
  motion.enter(orbit.phases.front());
  const Matrix basis = motion.tangent_space(orbit.start.t, stacked(orbit.start));
  orbit.multipliers = compute_multipliers(
      orbit.monodromy, without_coordinates(basis, problem.drifting), problem.trivial_multipliers());
}

// Where nothing moves any more Newton's method has found an equilibrium instead of an orbit.
bool is_at_rest(const Vector& rate, const Vector& scale, double period) {
  return rate.size() == 0 || rate.cwiseQuotient(scale).cwiseAbs().maxCoeff() * period < 1e-6;
}
constexpr const char* kAtRest = "the motion has come to rest: an equilibrium, not an orbit";

// What errors of the start may become over a period.
double allowed_closing(const OrbitProblem& problem, const Matrix& Phi, const Vector& scale) {
  const Matrix scaled = scale.cwiseInverse().asDiagonal() * Phi * scale.asDiagonal();
  return 100 * problem.tolerance * std::max(1.0, scaled.norm());
}

Orbit failed(std::string note, Status status = Status::numerical_failure) {
  Orbit orbit;
  orbit.status = status;
  orbit.note = std::move(note);
  return orbit;
}

}  // namespace

const std::vector<std::string>& orbit_method_names() {
  static const std::vector<std::string> names = {"shooting", "harmonic"};
  return names;
}

const std::vector<std::string>& orbit_kind_names() {
  static const std::vector<std::string> names = {"forced", "autonomous", "conservative"};
  return names;
}

OrbitProblem OrbitProblem::make(std::shared_ptr<const System> system, OrbitKind kind,
                                double period) {
  OrbitProblem problem;
  problem.kind = kind;
  problem.system = [system](double) { return system; };
  problem.period = [period](double) { return period; };
  return problem;
}

namespace {

// Contacts that are closed in the first phase have gaps of round-off in a solution of the
// equations; the event-driven motion would take them for open.
void close_contacts(const System& system, const ContactPhase& phase, State& start) {
  constexpr double kRoundOff = 1e-7;
  ContactSet set(system);
  std::vector<int> contacts, rows;
  for (int c = 0; c < set.size(); ++c) {
    const ContactMode mode = phase.states[static_cast<std::size_t>(c)].mode;
    if (set.list()[static_cast<std::size_t>(c)].bilateral || mode == ContactMode::open) continue;
    contacts.push_back(c);
    rows.push_back(set.row_begin()[static_cast<std::size_t>(c)]);
  }
  if (rows.empty()) return;
  ContactMap map(system.nv(), set.rows());
  Vector w(set.rows()), gaps(set.size());
  for (int pass = 0; pass < 3; ++pass) {
    set.gaps(start.t, start.q, gaps);
    const Vector gap = gaps(contacts);
    if (gap.cwiseAbs().maxCoeff() > kRoundOff * (1 + start.q.norm())) return;
    set.map(start.t, start.q, map, w);
    const Matrix H = map.dense()(Eigen::all, rows);
    const auto solver = (H.transpose() * H).completeOrthogonalDecomposition();
    start.q -= H * solver.solve(gap);
    start.v -= H * solver.solve(H.transpose() * start.v + w(rows));
  }
}

}  // namespace

void verify_orbit(const OrbitProblem& problem, const std::vector<ContactPhase>& sequence,
                  Orbit& orbit) {
  const auto system = problem.system(orbit.parameter);
  const FlowMap map(system, problem.flow);
  if (!sequence.empty()) close_contacts(*system, sequence.front(), orbit.start);
  MappedFlow flow = map.compute(orbit.start, orbit.period, true);
  const Energies energies = system->energies(orbit.start.t, orbit.start.q, orbit.start.v);
  orbit.energy = energies.kinetic + energies.potential;
  orbit.phases = sequence.empty() ? flow.phases : sequence;
  if (!flow.good()) {
    orbit.inadmissible = flow.note;
    return;
  }
  const Vector scale = sequence_scale(flow.phases, stacked(flow.end));
  const Vector error = closing_error(problem, orbit.start, flow.end);
  orbit.closing = error.cwiseQuotient(scale).cwiseAbs().maxCoeff();
  orbit.drift = stacked(flow.end).head(system->nv()) - orbit.start.q;
  orbit.impacts = flow.impacts;
  orbit.slowest_approach = flow.slowest_approach;
  orbit.monodromy = flow.Phi;
  const bool same = sequence.empty() || same_sequence(flow.phases, sequence);
  if (!same) {
    orbit.inadmissible = first_difference(*system, flow.phases, sequence);
  } else if (!flow.not_smooth.empty()) {
    orbit.inadmissible = flow.not_smooth;
  } else if (orbit.closing > allowed_closing(problem, flow.Phi, scale)) {
    orbit.inadmissible = fmt::format(
        "the motion from the start misses it by {:.3g} of its size after a period: an impulse "
        "would "
        "pull, or an impact grazes",
        orbit.closing);
  }
  orbit.admissible = orbit.inadmissible.empty();
  if (same) orbit.phases = std::move(flow.phases);
  set_extremes(problem, system, orbit);
  if (orbit.monodromy.size() > 0) set_multipliers(problem, system, orbit);
}

namespace {

// Newton's method on the event-driven map.
class SingleShooting {
 public:
  SingleShooting(const OrbitProblem& problem, const State& guess, double period)
      : problem_(problem), map_(problem.system(problem.parameter), problem.flow) {
    orbit_.parameter = problem.parameter;
    orbit_.start = guess;
    orbit_.period = period;
    reference_ = stacked(guess);
  }

  Orbit run() {
    flow_ = map_.compute(orbit_.start, orbit_.period, true);
    if (!flow_.good()) return failed(flow_.note);
    if (flow_.Phi.size() == 0) return failed("the motion has no derivative: " + flow_.not_smooth);
    const Vector first_scale = sequence_scale(flow_.phases, stacked(flow_.end));
    for (int pass = 0; !is_closed(); ++pass) {
      if (pass >= problem_.max_iterations) {
        return failed(
            fmt::format("Newton's method did not converge in {} iterations; {}", pass, distance()),
            Status::iteration_limit);
      }
      if (!improve(newton_step()))
        return failed(
            "no shorter step of Newton's method closes the orbit any better; " + distance(),
            Status::stagnated);
    }
    if (is_at_rest(flow_.begin_rate, first_scale, orbit_.period)) return failed(kAtRest);
    orbit_.status = Status::converged;
    verify_orbit(problem_, {}, orbit_);
    return orbit_;
  }

 private:
  std::string distance() const {
    return fmt::format("the motion misses its start by {:.3g} of its size", orbit_.history.back());
  }

  double error(const State& start, const MappedFlow& flow) const {
    return closing_error(problem_, start, flow.end).cwiseQuotient(scale_).cwiseAbs().maxCoeff();
  }

  bool is_closed() {
    scale_ = sequence_scale(flow_.phases, stacked(flow_.end));
    const double worst = error(orbit_.start, flow_);
    const bool stalled = !orbit_.history.empty() && worst > 0.3 * orbit_.history.back();
    orbit_.history.push_back(worst);
    return worst <= 1e-2 * problem_.tolerance || (stalled && worst <= problem_.tolerance);
  }

  // (P_z - I) dz + f dT = -(P - z), f . dz = 0                                     (eq:shooting)
  Vector newton_step() const {
    const int size = static_cast<int>(reference_.size());
    Matrix J = Matrix::Zero(size + 1, size + 1);
    Vector right = Vector::Zero(size + 1), units(size + 1);
    units << scale_, orbit_.period;
    J.topLeftCorner(size, size) = flow_.Phi - Matrix::Identity(size, size);
    right.head(size) = -closing_error(problem_, orbit_.start, flow_.end);
    Vector rate = flow_.begin_rate.cwiseQuotient(scale_.cwiseAbs2());
    if (problem_.kind == OrbitKind::autonomous) J.col(size).head(size) = flow_.end_rate;
    for (int i : problem_.drifting) {  // its start is arbitrary and kept
      J.row(i).setZero();
      J(i, i) = 1;
      right[i] = reference_[i] - stacked(orbit_.start)[i];
      rate[i] = 0;
    }
    if (problem_.kind == OrbitKind::autonomous) {
      J.row(size).head(size) = rate.transpose() / rate.cwiseProduct(scale_).norm();
    } else {
      J(size, size) = 1;
    }
    J.topRows(size) = scale_.cwiseInverse().asDiagonal() * J.topRows(size);
    right.head(size) = right.head(size).cwiseQuotient(scale_);
    const Matrix scaled = J * units.asDiagonal();
    return scaled.completeOrthogonalDecomposition().solve(right).cwiseProduct(units);
  }

  // Takes the longest of step, step/2, ... that brings the end nearer to the start.
  bool improve(const Vector& step) {
    const int n = static_cast<int>(reference_.size()) / 2;
    double share = 1;
    for (int k = 0; k <= kMostHalvings; ++k, share *= 0.5) {
      State tried = orbit_.start;
      tried.q += share * step.head(n);
      tried.v += share * step.segment(n, n);
      const double period = orbit_.period + share * step[2 * n];
      if (!(period > 0)) continue;
      MappedFlow next = map_.compute(tried, period, true);
      if (!next.good() || next.Phi.size() == 0) continue;
      const double then = error(tried, next);
      if (!(then < orbit_.history.back() || then <= problem_.tolerance)) continue;
      orbit_.start = tried;
      orbit_.period = period;
      flow_ = std::move(next);
      return true;
    }
    return false;
  }

  const OrbitProblem& problem_;
  FlowMap map_;
  Orbit orbit_;
  MappedFlow flow_;
  Vector reference_, scale_;
};

}  // namespace

Orbit single_shooting(const OrbitProblem& problem, const State& guess, double period_guess) {
  if (problem.kind == OrbitKind::conservative)
    return failed(
        "single shooting takes forced and autonomous orbits; a conservative family needs "
        "multiple shooting");
  return SingleShooting(problem, guess, period_guess).run();
}

Orbit multiple_shooting(const OrbitProblem& problem, const State& guess, double period_guess) {
  const FlowMap map(problem.system(problem.parameter), problem.flow);
  const MappedFlow flow = map.compute(guess, period_guess, false);
  if (!flow.good()) return failed(flow.note);
  if (!flow.not_smooth.empty()) return failed(flow.not_smooth);
  OrbitEquations equations(problem, flow.phases, period_guess, false);
  Vector X = equations.start();
  std::vector<PathPin> pins;
  if (problem.kind == OrbitKind::conservative) {
    pins.push_back([&](const Vector& at, Vector& gradient) {
      gradient = Vector::Unit(equations.unknowns(), equations.period_index());
      return at[equations.period_index()] / period_guess - 1;
    });
  }
  const NewtonResult newton =
      solve_path(equations, pins, problem.tolerance, problem.max_iterations, X);
  Orbit orbit;
  orbit.parameter = problem.parameter;
  orbit.start = equations.first_state(X);
  orbit.period = equations.period(X);
  orbit.damping = equations.damping(X);
  orbit.history = newton.history;
  if (!newton.converged) {
    orbit.status = Status::stagnated;
    orbit.note = newton.note;
    return orbit;
  }
  orbit.status = Status::converged;
  verify_orbit(problem, equations.phases(X), orbit);
  return orbit;
}

double guess_period(const OrbitProblem& problem, const State& start, double horizon) {
  constexpr int kSteps = 2000;
  FlowMapOptions options = problem.flow;
  const FlowMap map(problem.system(problem.parameter), options);
  SimulationOptions simulation_options = map.options().simulation;
  simulation_options.h = horizon / kSteps;
  Simulation simulation(map.shared_system(), start, simulation_options);
  std::vector<Vector> points;
  Vector scale = stacked(start).cwiseAbs();
  for (int k = 0; k < kSteps; ++k) {
    if (simulation.step() != Status::converged) return 0;
    points.push_back(stacked({simulation.time(), simulation.q(), simulation.v()}));
    scale = scale.cwiseMax(points.back().cwiseAbs());
  }
  scale = scale.cwiseMax(1e-300);
  std::vector<double> distance;
  for (const Vector& z : points) {
    Vector error = (z - stacked(start)).cwiseQuotient(scale);
    for (int i : problem.drifting) error[i] = 0;
    distance.push_back(error.norm());
  }
  // The first of the deep minima after the motion has left its start.
  const double farthest = *std::max_element(distance.begin(), distance.end());
  std::vector<std::pair<double, double>> minima;  // time, distance
  bool away = false;
  for (std::size_t k = 1; k + 1 < distance.size(); ++k) {
    const double d = distance[k];
    away = away || d > 0.3 * farthest;
    if (away && d <= distance[k - 1] && d <= distance[k + 1] && d < 0.1 * farthest)
      minima.emplace_back(static_cast<double>(k + 1) * simulation_options.h, d);
  }
  double lowest = HUGE_VAL;
  for (const auto& [t, d] : minima) lowest = std::min(lowest, d);
  for (const auto& [t, d] : minima) {
    if (d <= 2 * lowest + 0.01 * farthest) return t;
  }
  return 0;
}

}  // namespace clack
