#include "clack/analyse/equilibria/equilibrium_branch.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <optional>

#include "clack/analyse/orbits/differences.hpp"
#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr int kMostHalvings = 60;
constexpr int kGoodIterations = 3;
constexpr double kDifference = 1e-7;
constexpr double kTurn = 0.9;     // cosine of the largest turn of the tangent in a step
constexpr double kSlack = 1e-9;   // of gaps over the size of q, and of forces over the largest
constexpr double kDamped = 1e-4;  // of |s|: a real part below minus this is damping
constexpr double kSide = 1e-5;    // to both sides of a point, to see which way a force goes

class Follower {
 public:
  Follower(const EquilibriumProblem& problem, const Equilibrium& start,
           const EquilibriumBranchOptions& options)
      : problem_(problem), options_(options), nq_(static_cast<int>(start.q.size())) {
    scale_ = Vector::Constant(nq_ + 1, equilibrium_scale(start.q));
    scale_[nq_] = options.high - options.low;
  }

  EquilibriumBranch run(const Equilibrium& start);

 private:
  struct Place {
    Equilibrium at;
    Vector X, tangent;  // tangent over the scale
    double speed() const { return tangent[tangent.size() - 1]; }
  };

  Vector unknowns(const Equilibrium& e) const {
    Vector X(nq_ + 1);
    X << e.q, e.parameter;
    return X;
  }
  bool function(const Vector& X, const std::vector<char>& closed, Vector& F) const;
  bool jacobian(const Vector& X, const std::vector<char>& closed, bool exact, Vector& F,
                Matrix& J) const;
  bool read(const Vector& X, const std::vector<char>& closed, Vector& gap, Vector& force) const;
  std::string enter(Place& place, const Vector* along) const;
  std::string correct(const Place& from, double ds, Place& to, int& iterations) const;
  template <class Value>
  std::optional<double> locate(const Place& from, double ds, Value value, Place& zero) const;
  double margin(const Place& place, int contact, bool was_closed) const;
  int first_change(const Place& from, const Place& to, double& ds, Place& at) const;
  std::string change(Place& place, int contact);
  bool look_between(const Place& from, const Place& to, double ds);
  void locate_stability(const Place& from, const Place& to, double ds);
  void add(const Place& place, double s, EquilibriumKind kind, int contact = -1) {
    branch_.points.push_back({place.at, s, kind, contact});
  }

  EquilibriumProblem problem_;
  EquilibriumBranchOptions options_;
  int nq_;
  Vector scale_;
  EquilibriumBranch branch_;
  double arclength_ = 0;
};

bool Follower::function(const Vector& X, const std::vector<char>& closed, Vector& F) const {
  EquilibriumEquations equations(problem_, X[nq_]);
  return equations.residual(X.head(nq_), closed, F);
}

// Rows of length one over the scale of the unknowns. A system for another parameter may have to be
// read from a file: where it only steers Newton's method its derivative is a plain difference.
bool Follower::jacobian(const Vector& X, const std::vector<char>& closed, bool exact, Vector& F,
                        Matrix& J) const {
  EquilibriumEquations here(problem_, X[nq_]);
  if (!here.residual(X.head(nq_), closed, F)) return false;
  const SmoothFunction by_q = [&](const Vector& q, Vector& value) {
    return here.residual(q, closed, value);
  };
  const SmoothFunction by_parameter = [&](const Vector& p, Vector& value) {
    Vector at = X;
    at[nq_] = p[0];
    return function(at, closed, value);
  };
  Matrix Jq, Jp;
  if (!compute_jacobian(by_q, X.head(nq_), scale_.head(nq_), false, Jq)) return false;
  if (exact) {
    if (!compute_jacobian(by_parameter, X.tail(1), scale_.tail(1), false, Jp)) return false;
  } else {
    const double d = kDifference * scale_[nq_];
    Vector beyond;
    if (!by_parameter(Vector::Constant(1, X[nq_] + d), beyond)) return false;
    Jp = (beyond - F) / d;
  }
  J.resize(Jq.rows(), nq_ + 1);
  J << Jq, Jp;
  J = J * scale_.asDiagonal();
  for (int i = 0; i < J.rows(); ++i) {
    const double size = J.row(i).norm();
    if (size == 0) continue;
    J.row(i) /= size;
    F[i] /= size;
  }
  return true;
}

bool Follower::read(const Vector& X, const std::vector<char>& closed, Vector& gap,
                    Vector& force) const {
  EquilibriumEquations equations(problem_, X[nq_]);
  return equations.read(X.head(nq_), closed, gap, force);
}

// The tangent at a place, on the side of `along`; then stability.
std::string Follower::enter(Place& place, const Vector* along) const {
  Vector F;
  Matrix J;
  if (!jacobian(place.X, place.at.closed, true, F, J)) return "the forces have no derivative";
  const Eigen::JacobiSVD<Matrix> svd(J, Eigen::ComputeFullV);
  place.tangent = svd.matrixV().col(nq_);
  if (along && place.tangent.dot(*along) < 0) place.tangent = -place.tangent;
  EquilibriumEquations equations(problem_, place.X[nq_]);
  place.at.q = place.X.head(nq_);
  place.at.parameter = place.X[nq_];
  place.at.status = Status::converged;
  if (!equations.read(place.at.q, place.at.closed, place.at.gap, place.at.force) ||
      !equations.judge(place.at))
    return "the motion about the equilibrium has no derivative";
  return {};
}

std::string Follower::correct(const Place& from, double ds, Place& to, int& iterations) const {
  const Vector predicted = from.X + ds * from.tangent.cwiseProduct(scale_);
  to.X = predicted;
  to.at.closed = from.at.closed;
  for (iterations = 1; iterations <= problem_.max_iterations; ++iterations) {
    Vector F;
    Matrix J;
    if (!jacobian(to.X, to.at.closed, false, F, J)) return "the forces have no value";
    Matrix all(J.rows() + 1, nq_ + 1);
    all << J, from.tangent.transpose();
    Vector right(F.size() + 1);
    right << F, from.tangent.dot((to.X - predicted).cwiseQuotient(scale_));
    const Vector step = all.colPivHouseholderQr().solve(right);
    to.X -= step.cwiseProduct(scale_);
    if (!to.X.allFinite() || step.norm() > 1e3) break;
    if (step.cwiseAbs().maxCoeff() <= problem_.tolerance) return enter(to, &from.tangent);
  }
  return "Newton's method does not converge";
}

// The zero of a function of the place between `from` and the one at distance ds.
template <class Value>
std::optional<double> Follower::locate(const Place& from, double ds, Value value,
                                       Place& zero) const {
  double low = 0, high = ds, at_low = value(from);
  int iterations = 0;
  Place end;
  if (!correct(from, ds, end, iterations).empty()) return {};
  double at_high = value(end);
  zero = end;
  double found = ds;
  for (int pass = 0; pass < kMostHalvings && high - low > 1e-14 * ds; ++pass) {
    const double secant = high - at_high * (high - low) / (at_high - at_low);
    const bool inside = secant > low && secant < high;
    const double s = pass % 3 == 2 || !inside ? 0.5 * (low + high) : secant;
    Place middle;
    if (!correct(from, s, middle, iterations).empty()) return {};
    const double now = value(middle);
    zero = middle;
    found = s;
    if (now == 0) break;
    const bool beyond = (now > 0) == (at_high > 0);
    (beyond ? high : low) = s;
    (beyond ? at_high : at_low) = now;
    if (std::abs(now) < 1e-13 * std::max(std::abs(value(from)), std::abs(value(end)))) break;
  }
  return found;
}

// What must not become negative: the gap of an open contact, the force of a closed one, over their
// sizes.
double Follower::margin(const Place& place, int contact, bool was_closed) const {
  if (!was_closed) return place.at.gap[contact] / equilibrium_scale(place.at.q);
  const double largest = place.at.force.cwiseAbs().maxCoeff();
  return largest > 0 ? place.at.force[contact] / largest : 0;
}

// The first contact that changes on the way, -1 if none; `ds` and `at` become those of the change.
int Follower::first_change(const Place& from, const Place& to, double& ds, Place& at) const {
  const std::shared_ptr<const System> system = problem_.system(from.at.parameter);
  const std::vector<Contact>& contacts = system->contacts();
  int first = -1;
  const double whole = ds;
  for (int c = 0; c < to.at.gap.size(); ++c) {
    if (contacts[static_cast<std::size_t>(c)].bilateral) continue;
    const bool closed = from.at.closed[static_cast<std::size_t>(c)];
    if (margin(to, c, closed) >= -kSlack) continue;
    Place zero;
    const auto s = locate(
        from, whole,
        [&](const Place& place) { return closed ? place.at.force[c] : place.at.gap[c]; }, zero);
    if (!s || (first >= 0 && *s >= ds)) continue;
    first = c;
    ds = *s;
    at = zero;
  }
  return first;
}

// Goes on with the contact closed, or open, in the direction in which its force, or gap, grows.
std::string Follower::change(Place& place, int contact) {
  char& closed = place.at.closed[static_cast<std::size_t>(contact)];
  closed = !closed;
  std::string fault = enter(place, nullptr);
  if (!fault.empty()) return fault;
  double sides[2];
  for (const int side : {0, 1}) {
    const Vector X = place.X + (side == 0 ? -kSide : kSide) * place.tangent.cwiseProduct(scale_);
    Vector gap, force;
    if (!read(X, place.at.closed, gap, force)) return "the forces have no value";
    sides[side] = closed ? force[contact] : gap[contact];
  }
  if (sides[1] == sides[0]) return "a contact closes and opens at once";
  if (sides[1] < sides[0]) place.tangent = -place.tangent;
  return {};
}

void Follower::locate_stability(const Place& from, const Place& to, double ds) {
  double low = 0, high = ds;
  Place unstable = from.at.stable ? to : from, at = to;
  int iterations = 0;
  while (high - low > 1e-12 * ds) {
    Place middle;
    const double s = 0.5 * (low + high);
    if (s <= low || s >= high || !correct(from, s, middle, iterations).empty()) break;
    if (!middle.at.stable) unstable = middle;
    at = middle;
    (middle.at.stable == from.at.stable ? low : high) = s;
  }
  const double size = std::abs(unstable.at.eigenvalues.front());
  // Where damping makes the growth pass zero, its zero; else where it begins.
  const Equilibrium& calm = from.at.stable ? from.at : to.at;
  Place zero;
  if (calm.growth < -kDamped * size) {
    const auto s = locate(
        from, ds, [](const Place& place) { return place.at.growth; }, zero);
    if (s) high = *s, at = zero;
  }
  const bool pair = unstable.at.frequency > 1e-3 * size;
  add(at, arclength_ + high, pair ? EquilibriumKind::flutter : EquilibriumKind::divergence);
}

// Folds and changes of stability. False where the tangent turns too much for one step.
bool Follower::look_between(const Place& from, const Place& to, double ds) {
  if (from.tangent.dot(to.tangent) < kTurn) return false;
  if (from.speed() * to.speed() < 0) {
    Place zero;
    if (const auto s = locate(
            from, ds, [](const Place& place) { return place.speed(); }, zero))
      add(zero, arclength_ + *s, EquilibriumKind::fold);
  } else if (from.at.stable != to.at.stable) {
    locate_stability(from, to, ds);
  }
  return true;
}

EquilibriumBranch Follower::run(const Equilibrium& start) {
  Place now;
  now.at = start;
  now.X = unknowns(start);
  branch_.status = Status::converged;
  Vector along = Vector::Zero(nq_ + 1);
  along[nq_] = options_.direction;
  std::string fault = enter(now, &along);
  if (!fault.empty()) {
    branch_.status = Status::numerical_failure;
    branch_.stop = fault;
    return branch_;
  }
  add(now, 0, EquilibriumKind::regular);
  double ds = options_.step;
  int changes_here = 0;
  while (static_cast<int>(branch_.points.size()) < options_.max_points) {
    Place next;
    int iterations = 0;
    fault = correct(now, ds, next, iterations);
    double s = ds;
    Place at = next;
    const int contact = fault.empty() ? first_change(now, next, s, at) : -1;
    if (fault.empty() && !look_between(now, contact >= 0 ? at : next, s))
      fault = "the branch turns sharply";
    if (!fault.empty()) {
      ds *= 0.5;
      if (ds >= options_.min_step) continue;
      branch_.status = Status::stagnated;
      branch_.stop = fmt::format("the branch ends at {:.9g}: {}", now.at.parameter, fault);
      branch_.points.back().kind = EquilibriumKind::end;
      return branch_;
    }
    if (contact >= 0) next = at;
    const double p = next.at.parameter;
    if (p < options_.low || p > options_.high) {
      const double bound = p < options_.low ? options_.low : options_.high;
      Place last;
      std::erase_if(branch_.points, [&](const EquilibriumPoint& point) {
        const double value = point.equilibrium.parameter;
        return value < options_.low || value > options_.high;
      });
      if (const auto end = locate(
              now, s, [&](const Place& place) { return place.at.parameter - bound; }, last))
        add(last, arclength_ + *end, EquilibriumKind::end);
      branch_.stop = fmt::format("reached parameter = {:.9g}", bound);
      return branch_;
    }
    arclength_ += s;
    if (contact < 0) {
      add(next, arclength_, EquilibriumKind::regular);
      now = std::move(next);
      changes_here = 0;
      if (iterations <= kGoodIterations) ds = std::min(options_.max_step, 1.5 * ds);
      continue;
    }
    const bool closes = !next.at.closed[static_cast<std::size_t>(contact)];
    fault = change(next, contact);
    add(next, arclength_, closes ? EquilibriumKind::closes : EquilibriumKind::opens, contact);
    changes_here = s < options_.min_step ? changes_here + 1 : 0;
    if (!fault.empty() || changes_here > 3) {
      branch_.status = Status::stagnated;
      branch_.stop = fmt::format("the branch ends at {:.9g}: {}", p,
                                 fault.empty() ? "several contacts change at once" : fault);
      return branch_;
    }
    now = std::move(next);
    ds = options_.step;
  }
  branch_.stop = fmt::format("stopped after {} points", options_.max_points);
  return branch_;
}

}  // namespace

const std::vector<std::string>& equilibrium_kind_names() {
  static const std::vector<std::string> names = {"regular",    "fold",    "closes", "opens",
                                                 "divergence", "flutter", "end"};
  return names;
}

void EquilibriumBranchOptions::validate() const {
  if (!(low < high))
    throw InputError(fmt::format(
        "a branch is continued from {} to {}; the first must be the smaller one", low, high));
  if (!(step > 0) || !(min_step > 0) || !(max_step >= step) || max_points < 2)
    throw InputError(
        "steps of a continuation must be > 0, max_step not below step, max_points at least 2");
  if (direction != 1 && direction != -1)
    throw InputError(fmt::format("direction of a continuation: {}; allowed: 1, -1", direction));
}

EquilibriumBranch continue_equilibrium(const EquilibriumProblem& problem, const Equilibrium& start,
                                       const EquilibriumBranchOptions& options) {
  options.validate();
  if (!start.good()) throw InputError("a branch must start from an equilibrium that was found");
  return Follower(problem, start, options).run(start);
}

}  // namespace clack
