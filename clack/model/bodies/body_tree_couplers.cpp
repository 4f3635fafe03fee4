// Couplers between coordinates of trees: velocities that follow others.
#include <algorithm>
#include <cmath>

#include "clack/model/bodies/body_tree.hpp"

namespace clack {

// Gauss and Jordan's elimination of the couplers whose coordinates are all those of trees: each row
// solved for its largest term.
std::vector<BodyTree::Follower> BodyTree::solve_couplers() {
  const std::vector<Coupler>& couplers = world_->couplers;
  absorbed_.assign(couplers.size(), 0);
  std::vector<Vector> rows;  // factors by velocity of links, then the constant
  for (std::size_t c = 0; c < couplers.size(); ++c) {
    Vector row = Vector::Zero(size() + 1);
    bool fits = true;
    for (const Coupler::Term& x : couplers[c].terms) {
      const int k = velocity_of(joints_->coordinate(x.joint, x.coordinate));
      fits = fits && k >= 0;
      if (k >= 0) row[k] += x.factor;
    }
    if (!fits) continue;
    row[size()] = couplers[c].constant;
    absorbed_[c] = 1;
    rows.push_back(std::move(row));
  }
  constexpr double kZero = 1e-12;
  std::vector<int> pivots(rows.size(), -1);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    int at = 0;
    const double scale = rows[c].head(size()).cwiseAbs().maxCoeff(&at);
    if (!(scale > kZero)) continue;  // follows from those before
    pivots[c] = at;
    rows[c] /= rows[c][at];
    for (std::size_t other = 0; other < rows.size(); ++other) {
      if (other != c) rows[other] -= rows[other][at] * Vector(rows[c]);
    }
  }
  std::vector<Follower> followers;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (pivots[c] < 0) continue;
    Follower follower{pivots[c], rows[c][size()], {}};
    for (int k = 0; k < size(); ++k) {
      if (k != pivots[c] && std::abs(rows[c][k]) > kZero)
        follower.terms.push_back({k, -rows[c][k]});
    }
    followers.push_back(std::move(follower));
  }
  return followers;
}

void BodyTree::absorb_couplers() {
  followers_ = solve_couplers();
  std::vector<int> follower_of(velocities_.size(), -1), place(velocities_.size(), -1);
  for (std::size_t f = 0; f < followers_.size(); ++f)
    follower_of[static_cast<std::size_t>(followers_[f].velocity)] = static_cast<int>(f);
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    if (follower_of[k] >= 0) continue;
    place[k] = static_cast<int>(independent_.size());
    independent_.push_back(static_cast<int>(k));
  }
  share_begin_.assign(1, 0);
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    if (follower_of[k] < 0) {
      shares_.push_back({place[k], 1});
    } else {
      for (const VelocityShare& x : followers_[static_cast<std::size_t>(follower_of[k])].terms)
        shares_.push_back({place[static_cast<std::size_t>(x.index)], x.factor});
    }
    share_begin_.push_back(shares_.size());
  }
}

void BodyTree::spread(ConstVectorRef v, VectorRef links) const {
  for (int k = 0; k < size(); ++k) {
    double sum = 0;
    for (const VelocityShare& x : shares(k)) sum += x.factor * v[x.index];
    links[k] = sum;
  }
}

void BodyTree::pick(ConstVectorRef links, VectorRef v) const {
  for (int i = 0; i < nv(); ++i) v[i] = links[velocity(i)];
}

// Coordinates that follow others, exactly.
void BodyTree::follow(VectorRef q) const {
  const int places = RigidBodies::kQ * bodies_->count();
  const auto coordinate = [&](int k) -> double& {
    return q[places + velocities_[static_cast<std::size_t>(k)].coordinate];
  };
  for (const Follower& f : followers_) {
    double sum = f.constant;
    for (const VelocityShare& x : f.terms) sum += x.factor * coordinate(x.index);
    coordinate(f.velocity) = sum;
  }
}

}  // namespace clack
