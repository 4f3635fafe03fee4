#include "clack/integrate/constraint_rank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clack/core/components.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

// Whether joints with constraints close a loop of bodies; all that does not move freely is one.
bool has_loops(const RigidBodies& bodies) {
  const RigidWorld& world = bodies.world();
  const int ground = bodies.count();
  Components parts;
  parts.reset(ground + 1);
  const auto node = [&](int body) {
    const bool free = body >= 0 && world.bodies[static_cast<std::size_t>(body)].is_free();
    return free ? body : ground;
  };
  for (const Joint& joint : bodies.joints().joints()) {
    const bool holds =
        joint.kind != JointKind::rope && !joint_type(joint.kind).rows(joint, world.planar).empty();
    if (!holds) continue;
    const int a = node(joint.a), b = node(joint.b);
    if (parts.find(a) == parts.find(b)) return true;
    parts.join(a, b);
  }
  return world.couplers.size() > 1;
}

int row_count(const System& system) {
  int count = 0;
  for (const Contact& contact : system.contacts()) count += contact.bilateral ? 1 : 0;
  return count;
}

}  // namespace

bool ConstraintRank::may_change(const System& system) {
  const RigidBodies* bodies = system.bodies();
  return row_count(system) > 1 || (bodies && has_loops(*bodies));
}

ConstraintRank::ConstraintRank(const System& system, const State& start)
    : rows_(system, start), lost_(static_cast<std::size_t>(rows_.count()), 0) {
  const int n = rows_.count();
  rank_ = least_ = n;
  if (n == 0 || n > kMostRows) return;
  samples_[0] = {start.t, sines(start.t, start.q)};
  count_ = 1;
  for (int i = 0; i < n; ++i) {
    const double sine = samples_[0].sines[i];
    lost_[static_cast<std::size_t>(i)] = sine * sine < kLost;
    rank_ -= lost_[static_cast<std::size_t>(i)];
  }
  least_ = rank_;
}

// Square roots of the pivots of LDL' without exchanges: a row that depends on those before has none.
Vector ConstraintRank::sines(double t, ConstVectorRef q) {
  const int n = rows_.count();
  if (!rows_.linearise(t, q)) return Vector::Constant(n, std::nan(""));
  const Vector scale = rows_.S().diagonal().cwiseSqrt().cwiseInverse();
  Matrix L = scale.asDiagonal() * Matrix(rows_.S()) * scale.asDiagonal();
  constexpr double kRoundOff = 1e-13;
  Vector result(n);
  for (int j = 0; j < n; ++j) {
    const double pivot = L(j, j);
    result[j] = std::sqrt(std::max(pivot, 0.0));
    const int rest = n - j - 1;
    if (!(pivot > kRoundOff)) continue;
    const Vector column = L.col(j).tail(rest) / pivot;
    L.bottomRightCorner(rest, rest).noalias() -= column * L.col(j).tail(rest).transpose();
  }
  return result;
}

void ConstraintRank::add(double t, ConstVectorRef q) {
  if (count_ == 0) return;
  if (count_ == 4)
    std::rotate(samples_.begin(), samples_.begin() + 1, samples_.end());
  else
    ++count_;
  Sample& last = samples_[static_cast<std::size_t>(count_ - 1)];
  last = {t, sines(t, q)};
  Change stays{t, rank_, rank_, false}, passing{0, rank_, rank_, true};
  for (int i = 0; i < rows_.count(); ++i) {
    char& lost = lost_[static_cast<std::size_t>(i)];
    const double square = last.sines[i] * last.sines[i];
    if (lost ? square > kFound : square < kLost) {
      lost = lost ? 0 : 1;
      stays.rank += lost ? -1 : 1;
    }
    double at = 0;
    if (!lost && passes(i, at)) {
      --passing.rank;
      passing.t = at;
    }
  }
  if (stays.rank != stays.before) note(stays);
  if (passing.rank != passing.before) note(passing);
}

// Lines through the first two and the last two of four samples that meet in zero between the second
// and the third.
bool ConstraintRank::passes(int row, double& t) const {
  if (count_ < 4) return false;
  const auto at = [&](std::size_t k) { return samples_[k].sines[row]; };
  const double fall = at(0) - at(1), rise = at(3) - at(2);
  if (!(fall > 0 && rise > 0)) return false;
  const double t1 = samples_[1].t, t2 = samples_[2].t, step = t2 - t1;
  const double left = t1 + at(1) * (t1 - samples_[0].t) / fall,
               right = t2 - at(2) * (samples_[3].t - t2) / rise;
  constexpr double kMeet = 0.1;  // of a step
  t = 0.5 * (left + right);
  return std::abs(left - right) < kMeet * step && t >= t1 && t < t2;
}

void ConstraintRank::note(const Change& change) {
  least_ = std::min(least_, change.rank);
  if (!change.passes) rank_ = change.rank;
  if (change.rank > change.before) return;
  if (changes_++ == 0) first_ = change;
}

void ConstraintRank::save(std::vector<double>& numbers) const {
  for (const double x :
       {static_cast<double>(count_), static_cast<double>(rank_), static_cast<double>(least_),
        static_cast<double>(changes_), first_.t, static_cast<double>(first_.before),
        static_cast<double>(first_.rank), static_cast<double>(first_.passes)})
    numbers.push_back(x);
  for (int k = 0; k < count_; ++k) {
    const Sample& sample = samples_[static_cast<std::size_t>(k)];
    numbers.push_back(sample.t);
    numbers.insert(numbers.end(), sample.sines.begin(), sample.sines.end());
  }
  numbers.insert(numbers.end(), lost_.begin(), lost_.end());
}

void ConstraintRank::restore(std::span<const double>& numbers) {
  const auto take = [&] {
    if (numbers.empty()) return 0.0;
    const double x = numbers.front();
    numbers = numbers.subspan(1);
    return x;
  };
  count_ = std::clamp(static_cast<int>(take()), 0, 4);
  rank_ = static_cast<int>(take());
  least_ = static_cast<int>(take());
  changes_ = static_cast<long>(take());
  first_.t = take();
  first_.before = static_cast<int>(take());
  first_.rank = static_cast<int>(take());
  first_.passes = take() != 0;
  for (int k = 0; k < count_; ++k) {
    Sample& sample = samples_[static_cast<std::size_t>(k)];
    sample.t = take();
    sample.sines.resize(rows_.count());
    for (double& x : sample.sines) x = take();
  }
  for (char& x : lost_) x = take() != 0;
}

}  // namespace clack
