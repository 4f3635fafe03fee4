#include "clack/analyse/orbits/continuation.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "clack/analyse/orbits/orbit_equations.hpp"
#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kReal = 1e-9;        // relative imaginary part of a real multiplier
constexpr double kNearStart = 0.05;   // of the period, from the start to an event
constexpr int kMostRefinements = 40;  // of a special point

bool is_real(const std::complex<double>& value) {
  return std::abs(value.imag()) <= kReal * std::max(1.0, std::abs(value));
}

// Product of mu + 1: changes its sign where one real multiplier passes -1.
double doubling_function(const Orbit& orbit) {
  std::complex<double> product = 1;
  for (const auto& value : orbit.multipliers.values) product *= value + 1.0;
  return product.real();
}

// |mu| - 1 of the outermost complex pair; -1 where there is none.
double torus_function(const Orbit& orbit) {
  double outermost = 0;
  for (const auto& value : orbit.multipliers.values) {
    if (!is_real(value)) outermost = std::max(outermost, std::abs(value));
  }
  return outermost - 1;
}

double largest_speed(const Orbit& orbit) {
  double largest = 0;
  for (const ContactPhase& phase : orbit.phases)
    largest = std::max(largest, phase.z.tail(phase.z.size() / 2).cwiseAbs().maxCoeff());
  return largest;
}

// Time from the start to the nearest event of a period before or after it, over the period.
double start_margin(const Orbit& orbit) {
  if (orbit.phases.size() < 2) return 1;
  const double first = orbit.phases.front().end - orbit.start.t;
  const double last = orbit.start.t + orbit.period - orbit.phases.back().begin;
  return std::min(first, last) / orbit.period;
}

// The same orbit from the middle of its longest phase: an event that passes the start would look
// like a change of the sequence.
Orbit recentred(const OrbitProblem& problem, const Orbit& orbit) {
  const std::vector<ContactPhase>& phases = orbit.phases;
  const double end = orbit.start.t + orbit.period;
  const ContactPhase* longest = &phases.back();  // goes on as the first one
  double length = end - phases.back().begin + phases.front().end - orbit.start.t;
  for (std::size_t i = 1; i + 1 < phases.size(); ++i) {
    if (phases[i].end - phases[i].begin > length) {
      longest = &phases[i];
      length = longest->end - longest->begin;
    }
  }
  double t = longest->begin + 0.5 * length;
  if (t > end) longest = &phases.front(), t -= orbit.period;
  PhaseMotion motion(problem.system(orbit.parameter), sequence_scale(phases, longest->z),
                     problem.flow.simulation.scheme_options.flow_tolerance);
  motion.enter(*longest);
  Vector z = longest->z;
  if (!motion.flow(longest->begin, t, z, nullptr).empty()) return orbit;
  Orbit moved;
  moved.status = Status::converged;
  moved.parameter = orbit.parameter;
  moved.period = orbit.period;
  moved.damping = orbit.damping;
  moved.history = orbit.history;
  moved.start = {t, z.head(z.size() / 2), z.tail(z.size() / 2)};
  verify_orbit(problem, {}, moved);
  return moved.admissible ? moved : orbit;
}

// One branch under way.
class Follower {
 public:
  Follower(const OrbitProblem& problem, const ContinuationOptions& options)
      : problem_(problem), options_(options) {}

  Branch run(const Orbit& start);

 private:
  // A solution with the equations that it satisfies and the direction of the branch there.
  struct Place {
    Orbit orbit;
    std::shared_ptr<OrbitEquations> equations;
    Vector X, tangent;  // tangent over the scale of X
    double speed = 0;   // of the coordinate along the branch
  };

  double coordinate(const Orbit& orbit) const {
    if (options_.over == BranchCoordinate::parameter) return orbit.parameter;
    return options_.over == BranchCoordinate::period ? orbit.period : orbit.energy;
  }
  std::string enter(Place& place, const Place* before, double sign) const;
  std::string recentre(Place& place) const;
  double coordinate_speed(const Place& place) const;
  std::string step(const Place& from, double ds, Place& to, int& iterations) const;
  void add(Place place, double ds, PointKind kind);
  void look_between(const Place& from, const Place& to, double ds);
  template <class Function>
  double find_zero(const Place& from, const Place& to, double ds, double tolerance,
                   Function function, Place& zero) const;
  template <class Function>
  void refine(const Place& from, const Place& to, double ds, PointKind kind, Function function);
  bool finish_at_bound(const Place& from, const Place& to, double ds);

  OrbitProblem problem_;
  ContinuationOptions options_;
  Branch branch_;
  double arclength_ = 0;
};

// Builds the equations about an orbit and the tangent there, in the direction of the one before.
// Where there is none, its coordinate changes with the given sign.
std::string Follower::enter(Place& place, const Place* before, double sign) const {
  OrbitProblem problem = problem_;
  problem.parameter = place.orbit.parameter;
  const bool free_parameter = problem.kind != OrbitKind::conservative;
  place.equations = std::make_shared<OrbitEquations>(problem, place.orbit.phases,
                                                     place.orbit.period, free_parameter);
  OrbitEquations& equations = *place.equations;
  place.X = equations.start();
  Vector F;
  Matrix J;
  std::string fault = equations.jacobian(place.X, F, J);
  if (!fault.empty()) return fault;
  const Eigen::BDCSVD<Matrix> svd(J, Eigen::ComputeFullV);
  place.tangent = svd.matrixV().col(J.cols() - 1);
  place.speed = coordinate_speed(place);
  double along = sign * place.speed;
  if (before) {
    const Vector last = before->tangent.cwiseProduct(before->equations->scale());
    along = place.tangent.dot(last.cwiseQuotient(equations.scale()));
  }
  if (along < 0) place.tangent = -place.tangent, place.speed = -place.speed;
  return {};
}

// Not at a fold, where the direction would be lost.
std::string Follower::recentre(Place& place) const {
  if (start_margin(place.orbit) > kNearStart || std::abs(place.speed) < 1e-3) return {};
  const double sign = place.speed;
  place.orbit = recentred(problem_, place.orbit);
  return enter(place, nullptr, sign);
}

double Follower::coordinate_speed(const Place& place) const {
  const OrbitEquations& equations = *place.equations;
  if (options_.over == BranchCoordinate::parameter)
    return place.tangent[equations.parameter_index()];
  if (options_.over == BranchCoordinate::period) return place.tangent[equations.period_index()];
  const double d = 1e-5;
  const Vector shift = d * place.tangent.cwiseProduct(equations.scale());
  const double rise =
      place.equations->energy(place.X + shift) - place.equations->energy(place.X - shift);
  return rise / (2 * d);
}

// One predictor and corrector; what it finds is verified by the event-driven motion.
std::string Follower::step(const Place& from, double ds, Place& to, int& iterations) const {
  OrbitEquations& equations = *from.equations;
  const Vector predicted = from.X + ds * from.tangent.cwiseProduct(equations.scale());
  Vector X = predicted;
  const OrbitPin arclength = [&](const Vector& at, Vector& gradient) {
    gradient = from.tangent;
    return from.tangent.dot((at - predicted).cwiseQuotient(equations.scale()));
  };
  equations.set_reference(from.X);
  const NewtonResult newton =
      solve_orbit(equations, {arclength}, problem_.tolerance, problem_.max_iterations, X);
  iterations = newton.iterations;
  if (!newton.converged) return newton.note;
  to.orbit = {};
  to.orbit.parameter = equations.parameter(X);
  to.orbit.start = equations.first_state(X);
  to.orbit.period = equations.period(X);
  to.orbit.damping = equations.damping(X);
  to.orbit.history = newton.history;
  to.orbit.status = Status::converged;
  if (!(to.orbit.period > 0)) return "the period would become negative";
  verify_orbit(problem_, equations.phases(X), to.orbit);
  if (!to.orbit.admissible) return to.orbit.inadmissible;
  return enter(to, &from, 0);
}

void Follower::add(Place place, double ds, PointKind kind) {
  branch_.points.push_back({std::move(place.orbit), arclength_ + ds, kind});
}

// The zero of a function of the place between `from` and the one at distance ds: secants, and
// halving in between. Returns its distance, 0 where none was found.
template <class Function>
double Follower::find_zero(const Place& from, const Place& to, double ds, double tolerance,
                           Function function, Place& zero) const {
  double low = 0, high = ds, at_low = function(from), at_high = function(to), found = 0;
  if (!(at_low * at_high < 0)) return 0;
  for (int pass = 0; pass < kMostRefinements; ++pass) {
    const double secant = high - at_high * (high - low) / (at_high - at_low);
    const double s = pass % 3 == 2 ? 0.5 * (low + high) : secant;
    Place middle;
    int iterations = 0;
    if (!step(from, s, middle, iterations).empty()) break;
    const double value = function(middle);
    zero = std::move(middle);
    found = s;
    if (std::abs(value) <= tolerance || high - low <= 1e-13 * ds) break;
    const bool beyond = value * at_high > 0;
    (beyond ? high : low) = s;
    (beyond ? at_high : at_low) = value;
  }
  return found;
}

template <class Function>
void Follower::refine(const Place& from, const Place& to, double ds, PointKind kind,
                      Function function) {
  Place zero;
  const double s = find_zero(from, to, ds, 1e-10, function, zero);
  // A function that jumps from one sign to the other has no zero.
  if (s > 0 && std::abs(function(zero)) <= 1e-6) add(std::move(zero), s, kind);
}

void Follower::look_between(const Place& from, const Place& to, double ds) {
  const std::size_t first = branch_.points.size();
  refine(from, to, ds, PointKind::fold, [](const Place& place) { return place.speed; });
  refine(from, to, ds, PointKind::period_doubling,
         [](const Place& place) { return doubling_function(place.orbit); });
  if (problem_.kind != OrbitKind::conservative) {
    refine(from, to, ds, PointKind::neimark_sacker,
           [](const Place& place) { return torus_function(place.orbit); });
  }
  std::stable_sort(
      branch_.points.begin() + static_cast<long>(first), branch_.points.end(),
      [](const BranchPoint& a, const BranchPoint& b) { return a.arclength < b.arclength; });
}

// Where the step leaves the range, the branch ends on its bound.
bool Follower::finish_at_bound(const Place& from, const Place& to, double ds) {
  const double now = coordinate(to.orbit);
  if (now >= options_.low && now <= options_.high) return false;
  const double bound = now < options_.low ? options_.low : options_.high;
  Place last;
  const double found = find_zero(
      from, to, ds, 1e-10 * std::max(1.0, std::abs(bound)),
      [&](const Place& place) { return coordinate(place.orbit) - bound; }, last);
  if (found > 0) {
    look_between(from, last, found);
    add(std::move(last), found, PointKind::end);
  }
  branch_.stop =
      fmt::format("reached {} = {:.9g}",
                  branch_coordinate_names()[static_cast<std::size_t>(options_.over)], bound);
  return true;
}

Branch Follower::run(const Orbit& start) {
  Place now;
  now.orbit = start;
  branch_.status = Status::converged;
  if (start_margin(now.orbit) < kNearStart) now.orbit = recentred(problem_, now.orbit);
  std::string fault = enter(now, nullptr, options_.direction);
  if (!fault.empty()) {
    branch_.status = Status::numerical_failure;
    branch_.stop = fault;
    return branch_;
  }
  add(now, 0, PointKind::regular);
  double ds = options_.step;
  while (static_cast<int>(branch_.points.size()) < options_.max_points) {
    Place next;
    int iterations = 0;
    fault = step(now, ds, next, iterations);
    if (!fault.empty()) {
      ds *= 0.5;
      if (ds >= options_.min_step) continue;
      branch_.points.back().kind = PointKind::end;
      const bool other_course = next.orbit.good() && !next.orbit.admissible;
      if (!other_course) branch_.status = Status::stagnated;
      branch_.stop = fmt::format("the branch ends at a {} of {:.9g}: {}; slowest impact {:.3g} m/s",
                                 branch_coordinate_names()[static_cast<std::size_t>(options_.over)],
                                 coordinate(now.orbit), fault, now.orbit.slowest_approach);
      return branch_;
    }
    if (finish_at_bound(now, next, ds)) return branch_;
    look_between(now, next, ds);
    const bool grazes = next.orbit.slowest_approach < options_.grazing * largest_speed(next.orbit);
    add(next, ds, grazes ? PointKind::end : PointKind::regular);
    arclength_ += ds;
    now = std::move(next);
    if (grazes) {
      branch_.stop = fmt::format("grazing at a {} of {:.9g}: the slowest impact has {:.3g} m/s",
                                 branch_coordinate_names()[static_cast<std::size_t>(options_.over)],
                                 coordinate(now.orbit), now.orbit.slowest_approach);
      return branch_;
    }
    fault = recentre(now);
    if (!fault.empty()) {
      branch_.status = Status::numerical_failure;
      branch_.stop = fault;
      return branch_;
    }
    const double ratio =
        std::sqrt(static_cast<double>(options_.good_iterations) / std::max(1, iterations));
    ds = std::min(options_.max_step, ds * std::clamp(ratio, 0.5, 2.0));
  }
  branch_.stop = fmt::format("stopped after {} points", options_.max_points);
  return branch_;
}

}  // namespace

const std::vector<std::string>& branch_coordinate_names() {
  static const std::vector<std::string> names = {"parameter", "period", "energy"};
  return names;
}

const std::vector<std::string>& point_kind_names() {
  static const std::vector<std::string> names = {"regular", "fold", "period-doubling",
                                                 "neimark-sacker", "end"};
  return names;
}

void ContinuationOptions::validate() const {
  if (!(low < high)) {
    throw InputError(fmt::format(
        "a branch is continued from {} to {}; the first must be the smaller one", low, high));
  }
  if (!(step > 0) || !(min_step > 0) || !(max_step >= step) || max_points < 2) {
    throw InputError(
        "steps of a continuation must be > 0, max_step not below step, max_points at least 2");
  }
  if (direction != 1 && direction != -1)
    throw InputError(fmt::format("direction of a continuation: {}; allowed: 1, -1", direction));
}

double Branch::coordinate(const BranchPoint& point, BranchCoordinate over) const {
  if (over == BranchCoordinate::parameter) return point.orbit.parameter;
  return over == BranchCoordinate::period ? point.orbit.period : point.orbit.energy;
}

Branch continue_orbit(const OrbitProblem& problem, const Orbit& start,
                      const ContinuationOptions& options) {
  options.validate();
  if (!start.good() || !start.admissible)
    throw InputError("a branch must start from an orbit that was found and is admissible");
  const bool family = problem.kind == OrbitKind::conservative;
  if (family == (options.over == BranchCoordinate::parameter)) {
    throw InputError(family ? "a conservative family is continued over its period or its energy"
                            : "forced and autonomous orbits are continued over a parameter");
  }
  return Follower(problem, options).run(start);
}

DoubledOrbit switch_at_doubling(const OrbitProblem& problem, const Orbit& point, double amplitude) {
  DoubledOrbit result{problem, {}};
  OrbitProblem& doubled = result.problem;
  doubled.parameter = point.parameter;
  if (problem.period) doubled.period = [once = problem.period](double p) { return 2 * once(p); };
  const FlowMap map(problem.system(point.parameter), problem.flow);
  const MappedFlow twice = map.compute(point.start, 2 * point.period, false);
  if (!twice.good() || !twice.not_smooth.empty()) {
    result.orbit.status = Status::numerical_failure;
    result.orbit.note = twice.good() ? twice.not_smooth : twice.note;
    return result;
  }
  const bool free_parameter = problem.kind != OrbitKind::conservative;
  OrbitEquations equations(doubled, twice.phases, 2 * point.period, free_parameter);
  Vector F, X = equations.start();
  Matrix J;
  result.orbit.note = equations.jacobian(X, F, J);
  if (!result.orbit.note.empty()) {
    result.orbit.status = Status::numerical_failure;
    return result;
  }
  // Two directions lead on from here; the one without change of the parameter (of the period, in a
  // family) is that of the multiplier -1.
  const Eigen::BDCSVD<Matrix> svd(J, Eigen::ComputeFullV);
  const Matrix kernel = svd.matrixV().rightCols(2);
  const int fixed = free_parameter ? equations.parameter_index() : equations.period_index();
  Vector direction = kernel(fixed, 1) * kernel.col(0) - kernel(fixed, 0) * kernel.col(1);
  direction.normalize();
  const Vector from = X;
  X += amplitude * direction.cwiseProduct(equations.scale());
  const OrbitPin distance = [&](const Vector& at, Vector& gradient) {
    gradient = direction;
    return direction.dot((at - from).cwiseQuotient(equations.scale())) - amplitude;
  };
  const NewtonResult newton =
      solve_orbit(equations, {distance}, problem.tolerance, problem.max_iterations, X);
  Orbit& orbit = result.orbit;
  orbit.parameter = equations.parameter(X);
  orbit.start = equations.first_state(X);
  orbit.period = equations.period(X);
  orbit.damping = equations.damping(X);
  orbit.history = newton.history;
  orbit.status = newton.converged ? Status::converged : Status::stagnated;
  orbit.note = newton.note;
  doubled.parameter = orbit.parameter;
  if (newton.converged) verify_orbit(doubled, equations.phases(X), orbit);
  return result;
}

}  // namespace clack
