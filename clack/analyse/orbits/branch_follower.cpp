#include "clack/analyse/orbits/branch_follower.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace clack {
namespace {

constexpr int kMostRefinements = 40;  // of a special point

// One branch under way.
class Follower {
 public:
  Follower(const BranchSubject& subject, const ContinuationOptions& options)
      : subject_(subject), options_(options) {}

  Branch run(const Orbit& start);

 private:
  const std::string& over_name() const {
    return branch_coordinate_names()[static_cast<std::size_t>(options_.over)];
  }
  std::string enter(BranchPlace& place, const BranchPlace* before, double sign) const;
  std::string recentre(BranchPlace& place) const;
  std::string step(const BranchPlace& from, double ds, BranchPlace& to, int& iterations) const;
  void add(BranchPlace place, double ds, PointKind kind);
  void look_between(const BranchPlace& from, const BranchPlace& to, double ds);
  template <class Function>
  double find_zero(const BranchPlace& from, const BranchPlace& to, double ds, double tolerance,
                   Function function, BranchPlace& zero) const;
  template <class Function>
  void refine(const BranchPlace& from, const BranchPlace& to, double ds, PointKind kind,
              Function function);
  bool finish_at_bound(const BranchPlace& from, const BranchPlace& to, double ds);

  const BranchSubject& subject_;
  ContinuationOptions options_;
  Branch branch_;
  double arclength_ = 0;
};

// Builds the equations about an orbit and the tangent there, in the direction of the one before.
// Where there is none, its coordinate changes with the given sign.
std::string Follower::enter(BranchPlace& place, const BranchPlace* before, double sign) const {
  place.equations = subject_.equations(place.orbit);
  PathEquations& equations = *place.equations;
  place.X = equations.start();
  Vector F;
  Matrix J;
  std::string fault = equations.jacobian(place.X, F, J);
  if (!fault.empty()) return fault;
  const Eigen::BDCSVD<Matrix> svd(J, Eigen::ComputeFullV);
  place.tangent = svd.matrixV().col(J.cols() - 1);
  place.speed = subject_.coordinate_speed(place);
  const double along =
      before ? equations.orientation(*before->equations, before->X, before->tangent, place.tangent)
             : sign * subject_.first_speed(place);
  if (along < 0) place.tangent = -place.tangent, place.speed = -place.speed;
  return {};
}

// Not at a fold, where the direction would be lost.
std::string Follower::recentre(BranchPlace& place) const {
  if (std::abs(place.speed) < 1e-3 || !subject_.describe_anew(place.orbit)) return {};
  const double sign = place.speed;
  return enter(place, nullptr, sign);
}

// One predictor and corrector; what it finds is verified by the event-driven motion.
std::string Follower::step(const BranchPlace& from, double ds, BranchPlace& to,
                           int& iterations) const {
  PathEquations& equations = *from.equations;
  const Vector predicted = from.X + ds * from.tangent.cwiseProduct(equations.scale());
  Vector X = predicted;
  const PathPin arclength = [&](const Vector& at, Vector& gradient) {
    gradient = from.tangent;
    return from.tangent.dot((at - predicted).cwiseQuotient(equations.scale()));
  };
  equations.set_reference(from.X);
  const NewtonResult newton =
      solve_path(equations, {arclength}, subject_.tolerance(), subject_.max_iterations(), X);
  iterations = newton.iterations;
  if (!newton.converged) return newton.note;
  to.orbit = {};
  const std::string fault = subject_.accept(equations, X, newton, to.orbit);
  if (!fault.empty()) return fault;
  return enter(to, &from, 0);
}

void Follower::add(BranchPlace place, double ds, PointKind kind) {
  branch_.points.push_back({std::move(place.orbit), arclength_ + ds, kind});
}

// The zero of a function of the place between `from` and the one at distance ds: secants, and
// halving in between. Returns its distance, 0 where none was found.
template <class Function>
double Follower::find_zero(const BranchPlace& from, const BranchPlace& to, double ds,
                           double tolerance, Function function, BranchPlace& zero) const {
  double low = 0, high = ds, at_low = function(from), at_high = function(to), found = 0;
  if (!(at_low * at_high < 0)) return 0;
  for (int pass = 0; pass < kMostRefinements; ++pass) {
    const double secant = high - at_high * (high - low) / (at_high - at_low);
    const double s = pass % 3 == 2 ? 0.5 * (low + high) : secant;
    BranchPlace middle;
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
void Follower::refine(const BranchPlace& from, const BranchPlace& to, double ds, PointKind kind,
                      Function function) {
  BranchPlace zero;
  const double s = find_zero(from, to, ds, 1e-10, function, zero);
  // A function that jumps from one sign to the other has no zero.
  if (s > 0 && std::abs(function(zero)) <= 1e-6) add(std::move(zero), s, kind);
}

void Follower::look_between(const BranchPlace& from, const BranchPlace& to, double ds) {
  const std::size_t first = branch_.points.size();
  for (const SpecialFunction& special : subject_.special_functions())
    refine(from, to, ds, special.kind, special.value);
  std::stable_sort(
      branch_.points.begin() + static_cast<long>(first), branch_.points.end(),
      [](const BranchPoint& a, const BranchPoint& b) { return a.arclength < b.arclength; });
}

// Where the step leaves the range, the branch ends on its bound.
bool Follower::finish_at_bound(const BranchPlace& from, const BranchPlace& to, double ds) {
  const double now = subject_.coordinate(to.orbit);
  if (now >= options_.low && now <= options_.high) return false;
  const double bound = now < options_.low ? options_.low : options_.high;
  BranchPlace last;
  const double found = find_zero(
      from, to, ds, 1e-10 * std::max(1.0, std::abs(bound)),
      [&](const BranchPlace& place) { return subject_.coordinate(place.orbit) - bound; }, last);
  if (found > 0) {
    look_between(from, last, found);
    add(std::move(last), found, PointKind::end);
  }
  branch_.stop = fmt::format("reached {} = {:.9g}", over_name(), bound);
  return true;
}

Branch Follower::run(const Orbit& start) {
  BranchPlace now;
  now.orbit = start;
  branch_.status = Status::converged;
  (void)subject_.describe_anew(now.orbit);
  std::string fault = enter(now, nullptr, options_.direction);
  if (!fault.empty()) {
    branch_.status = Status::numerical_failure;
    branch_.stop = fault;
    return branch_;
  }
  add(now, 0, PointKind::regular);
  double ds = options_.step;
  while (static_cast<int>(branch_.points.size()) < options_.max_points) {
    BranchPlace next;
    int iterations = 0;
    fault = step(now, ds, next, iterations);
    if (!fault.empty()) {
      ds *= 0.5;
      if (ds >= options_.min_step) continue;
      branch_.points.back().kind = PointKind::end;
      const bool other_course = next.orbit.good() && !next.orbit.admissible;
      if (!other_course) branch_.status = Status::stagnated;
      branch_.stop = fmt::format("the branch ends at a {} of {:.9g}: {}{}", over_name(),
                                 subject_.coordinate(now.orbit), fault, subject_.remark(now.orbit));
      return branch_;
    }
    if (finish_at_bound(now, next, ds)) return branch_;
    look_between(now, next, ds);
    const std::string reason = subject_.end(next.orbit);
    add(next, ds, reason.empty() ? PointKind::regular : PointKind::end);
    arclength_ += ds;
    now = std::move(next);
    if (!reason.empty()) {
      branch_.stop = fmt::format("the branch ends at a {} of {:.9g}: {}", over_name(),
                                 subject_.coordinate(now.orbit), reason);
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

std::vector<SpecialFunction> BranchSubject::special_functions() const {
  return {{PointKind::fold, [](const BranchPlace& place) { return place.speed; }}};
}

Branch follow_branch(const BranchSubject& subject, const Orbit& start,
                     const ContinuationOptions& options) {
  return Follower(subject, options).run(start);
}

}  // namespace clack
