#include "clack/analyse/orbits/continuation.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "clack/analyse/orbits/branch_follower.hpp"
#include "clack/analyse/orbits/orbit_equations.hpp"
#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kReal = 1e-9;       // relative imaginary part of a real multiplier
constexpr double kNearStart = 0.05;  // of the period, from the start to an event

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

// Orbits by multiple shooting, verified by the event-driven motion.
class ShootingSubject final : public BranchSubject {
 public:
  ShootingSubject(const OrbitProblem& problem, const ContinuationOptions& options)
      : problem_(problem), options_(options) {}

  std::shared_ptr<PathEquations> equations(const Orbit& orbit) const override {
    OrbitProblem problem = problem_;
    problem.parameter = orbit.parameter;
    return std::make_shared<OrbitEquations>(problem, orbit.phases, orbit.period,
                                            problem.kind != OrbitKind::conservative);
  }
  std::string accept(PathEquations& equations, const Vector& X, const NewtonResult& newton,
                     Orbit& orbit) const override;
  double coordinate(const Orbit& orbit) const override {
    if (options_.over == BranchCoordinate::parameter) return orbit.parameter;
    return options_.over == BranchCoordinate::period ? orbit.period : orbit.energy;
  }
  double coordinate_speed(const BranchPlace& place) const override;
  double tolerance() const override { return problem_.tolerance; }
  int max_iterations() const override { return problem_.max_iterations; }
  std::vector<SpecialFunction> special_functions() const override;
  bool describe_anew(Orbit& orbit) const override {
    if (start_margin(orbit) > kNearStart) return false;
    orbit = recentred(problem_, orbit);
    return true;
  }
  std::string end(const Orbit& orbit) const override {
    if (!(orbit.slowest_approach < options_.grazing * largest_speed(orbit))) return {};
    return fmt::format("grazing, the slowest impact has {:.3g} m/s", orbit.slowest_approach);
  }
  std::string remark(const Orbit& orbit) const override {
    return fmt::format("; slowest impact {:.3g} m/s", orbit.slowest_approach);
  }

 private:
  OrbitProblem problem_;
  ContinuationOptions options_;
};

std::string ShootingSubject::accept(PathEquations& path, const Vector& X,
                                    const NewtonResult& newton, Orbit& orbit) const {
  auto& equations = static_cast<OrbitEquations&>(path);
  orbit.parameter = equations.parameter(X);
  orbit.start = equations.first_state(X);
  orbit.period = equations.period(X);
  orbit.damping = equations.damping(X);
  orbit.history = newton.history;
  orbit.status = Status::converged;
  if (!(orbit.period > 0)) return "the period would become negative";
  verify_orbit(problem_, equations.phases(X), orbit);
  return orbit.admissible ? std::string() : orbit.inadmissible;
}

double ShootingSubject::coordinate_speed(const BranchPlace& place) const {
  auto& equations = static_cast<OrbitEquations&>(*place.equations);
  if (options_.over == BranchCoordinate::parameter)
    return place.tangent[equations.parameter_index()];
  if (options_.over == BranchCoordinate::period) return place.tangent[equations.period_index()];
  const double d = 1e-5;
  const Vector shift = d * place.tangent.cwiseProduct(equations.scale());
  return (equations.energy(place.X + shift) - equations.energy(place.X - shift)) / (2 * d);
}

std::vector<SpecialFunction> ShootingSubject::special_functions() const {
  std::vector<SpecialFunction> list = BranchSubject::special_functions();
  list.push_back({PointKind::period_doubling,
                  [](const BranchPlace& place) { return doubling_function(place.orbit); }});
  if (problem_.kind != OrbitKind::conservative) {
    list.push_back({PointKind::neimark_sacker,
                    [](const BranchPlace& place) { return torus_function(place.orbit); }});
  }
  return list;
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
  return follow_branch(ShootingSubject(problem, options), start, options);
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
  const PathPin distance = [&](const Vector& at, Vector& gradient) {
    gradient = direction;
    return direction.dot((at - from).cwiseQuotient(equations.scale())) - amplitude;
  };
  const NewtonResult newton =
      solve_path(equations, {distance}, problem.tolerance, problem.max_iterations, X);
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
