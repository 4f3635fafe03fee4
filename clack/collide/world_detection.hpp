// Contact candidates of a world of rigid bodies: broad phase, then the narrow phase of each pair.
#pragma once

#include <cstdint>
#include <vector>

#include "clack/collide/broad_phase.hpp"
#include "clack/collide/contact_point.hpp"
#include "clack/model/bodies/rigid_world.hpp"

namespace clack {

struct WorldContact {
  int a, b;               // bodies, a < b
  Vector3 position;       // [m]
  Vector3 normal;         // unit, from A to B
  Vector3 image;          // by which B stands displaced in a periodic cell [m]
  double gap;             // [m]
  std::uint64_t feature;  // with a and b the contact's identity across steps
  double drift = 0;       // speed of B's image along x in a sheared cell [m/s]
};

// Points that may close within a step: their gap is at most the way that both bodies can go, the
// speculative margin (eq:speculative)
class WorldDetection {
 public:
  explicit WorldDetection(const RigidWorld& world);

  // `reach`, one per body: how far a point of it may move in the step [m]. Sorted by a, b, then as
  // the narrow phase gives them. The reference is good until the next call.
  const std::vector<WorldContact>& find(const WorldState& state, const std::vector<double>& reach);
  const std::vector<WorldContact>& contacts() const { return contacts_; }

 private:
  void update_boxes(const WorldState& state, const std::vector<double>& reach);
  void add_pair(const CandidatePair& pair, double margin);

  const RigidWorld* world_;
  BroadPhase broad_phase_;
  std::vector<Pose> poses_;
  std::vector<BoundingBox> boxes_;
  std::vector<CollisionFilter> filters_;
  std::vector<HalfSpace> half_spaces_;
  double shear_offset_ = 0;  // [m]
  Manifold manifold_;
  std::vector<WorldContact> contacts_;
};

}  // namespace clack
