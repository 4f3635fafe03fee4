#include "clack/integrate/joint_projection.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

JointProjection::JointProjection(const RigidWorld& world, const WorldState& initial)
    : part_(make_part(world, initial)),
      bodies_(part_.world, part_.initial),
      joints_(bodies_),
      gap_(static_cast<int>(joints_.contacts().size())),
      w_(gap_),
      H_(bodies_.nv(), static_cast<int>(gap_.size()), true) {
  MatrixEntries mass, inverse;
  bodies_.mass_entries(0, gap_, mass);
  for (const auto& x : mass) inverse.emplace_back(x.row(), x.col(), 1 / x.value());
  inverse_mass_.resize(bodies_.nv(), bodies_.nv());
  inverse_mass_.setFromTriplets(inverse.begin(), inverse.end());
}

JointProjection::Part JointProjection::make_part(const RigidWorld& world,
                                                 const WorldState& initial) {
  Part part{std::make_shared<RigidWorld>(), {}};
  part.world->planar = world.planar;
  part.world->gravity = world.gravity;
  part.world->materials = world.materials;
  double length = 0;
  for (const Link& link : world.links) {
    if (rigid_link(*link.law, length) == RigidLink::none) continue;
    Link own = link;
    for (int* body : {&own.a, &own.b}) {
      const auto at = static_cast<std::size_t>(*body);
      const auto known = std::find(members_.begin(), members_.end(), at);
      *body = static_cast<int>(known - members_.begin());
      if (known != members_.end()) continue;
      members_.push_back(at);
      part.world->bodies.push_back(world.bodies[at]);
    }
    part.world->links.push_back(std::move(own));
  }
  part.initial = part_of(initial);
  return part;
}

WorldState JointProjection::part_of(const WorldState& state) const {
  WorldState part;
  part.t = state.t;
  for (const std::size_t i : members_) part.bodies.push_back(state.bodies[i]);
  return part;
}

void JointProjection::factorise(const WorldState& start) {
  constexpr double kRegularisation = 1e-14;
  H_.clear();
  joints_.map(0, bodies_.to_state(start).q, 0, H_, w_);
  std::vector<int> rows(static_cast<std::size_t>(gap_.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>(i);
  const SparseMatrix H = H_.columns(rows);
  X_ = inverse_mass_ * H;
  SparseMatrix A = SparseMatrix(H.transpose()) * X_;
  const double shift = kRegularisation * A.diagonal().cwiseAbs().maxCoeff();
  for (int i = 0; i < A.rows(); ++i) A.coeffRef(i, i) += shift;
  factor_.compute(A);
}

// Of a slack wire there is none.
double JointProjection::update_gaps(const Vector& q) {
  joints_.gaps(0, q, gap_);
  for (int i = 0; i < gap_.size(); ++i) {
    if (!joints_.contacts()[static_cast<std::size_t>(i)].bilateral)
      gap_[i] = std::min(gap_[i], 0.0);
  }
  return gap_.cwiseAbs().maxCoeff();
}

double JointProjection::energy(const WorldState& state) const {
  return part_.world->kinetic_energy(state) + part_.world->potential_energy(state);
}

double JointProjection::project(const WorldState& start, double h, WorldState& state) {
  constexpr int kMostPasses = 50;
  constexpr double kRoundOff = 4e-16;
  WorldState part = part_of(state);
  State now = bodies_.to_state(part);
  const double length = 1 + now.q.cwiseAbs().maxCoeff(), before = energy(part);
  double worst = update_gaps(now.q);
  if (!(worst > kRoundOff * length)) return 0;
  factorise(part_of(start));
  if (factor_.info() != Eigen::Success) return 0;
  Vector moved = now.q;
  for (int pass = 0; pass < kMostPasses && worst > kRoundOff * length; ++pass) {
    const Vector displacement = X_ * factor_.solve(-gap_);
    bodies_.advance(now.q, displacement, moved);
    std::swap(now.q, moved);
    now.v += displacement / h;
    const double left = update_gaps(now.q);
    if (!(left < 0.5 * worst) && pass > 2) break;  // round-off
    worst = left;
  }
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (!part_.world->bodies[k].is_free()) continue;
    part.bodies[k] = RigidBodies::body(now.q, now.v, static_cast<int>(k));
    state.bodies[members_[k]] = part.bodies[k];
  }
  return energy(part) - before;
}

}  // namespace clack
