// Contact candidates of a world of rigid bodies: broad phase, then the narrow phase of each pair.
#pragma once

#include <cstdint>
#include <vector>

#include "clack/collide/broad_phase.hpp"
#include "clack/collide/contact_point.hpp"
#include "clack/core/large_array.hpp"
#include "clack/model/bodies/rigid_world.hpp"

namespace clack {

// Identities from this one on belong to ties between bodies, not to features that touch.
constexpr std::uint64_t kTieFeature = std::uint64_t{1} << 62;

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
// speculative margin (eq:speculative).
//
// The broad phase looks at boxes with some padding, and its pairs are kept until a body has left
// its padded box (Verlet 1967). Each step takes those of them whose boxes, without padding, overlap
// now: the same as a broad phase of this step would give, so contacts do not depend on when the
// list was made. Periodic cells have a broad phase in each step.
class WorldDetection {
 public:
  explicit WorldDetection(const RigidWorld& world);

  // `reach`, one per body: how far a point of it may move in the step [m]. Sorted by a, b, then as
  // the narrow phase gives them. The reference is good until the next call. With a step h [s]
  // contacts inside hollow shapes have the normal that they will have in its middle (eq:mid_normal).
  const LargeArray<WorldContact>& find(const WorldState& state, const std::vector<double>& reach,
                                       double h = 0);
  const LargeArray<WorldContact>& contacts() const { return contacts_; }
  long lists_made() const { return lists_made_; }

 private:
  struct Ball {
    Vector3 centre = Vector3::Zero();
    double radius = -1;  // -1: not a sphere [m]
  };
  struct ListedPair {
    int a, b;
  };

  void update_bodies(const WorldState& state, const std::vector<double>& reach);
  void update_body(std::size_t i, const WorldState& state, double reach);
  bool list_holds(const std::vector<double>& reach) const;
  void make_list(const std::vector<double>& reach);
  bool are_apart(const CandidatePair& pair) const;
  bool may_touch_later(const CandidatePair& pair) const;
  void use_list(const std::vector<double>& reach);
  void select_hits(const std::vector<double>& reach);
  void add_balls(const ListedPair& pair);
  bool boxes_meet(const ListedPair& pair) const;
  void add_pair(const CandidatePair& pair, double margin);
  bool turns(const CandidatePair& pair) const;
  void add_held(const CandidatePair& pair, const Vector3& image, double margin);

  const RigidWorld* world_;
  BroadPhase broad_phase_;
  bool periodic_;
  std::vector<Pose> poses_;  // not of spheres
  LargeArray<Ball> balls_, listed_balls_;
  LargeArray<BoundingBox> boxes_, padded_;
  std::vector<double> room_;  // of a ball: how far its centre and reach may go, together [m]
  std::vector<CollisionFilter> filters_, listed_filters_;
  std::vector<HalfSpace> half_spaces_, listed_half_spaces_;
  std::vector<int> half_space_of_;  // by body; -1: none
  LargeArray<ListedPair> list_;
  LargeArray<int> hits_;      // of list_
  std::vector<char> hollow_;  // whether a part of the body is
  const WorldState* state_ = nullptr;
  double h_ = 0;  // [s]
  bool has_list_ = false;
  long lists_made_ = 0;
  double shear_offset_ = 0;  // [m]
  Manifold manifold_, ahead_;
  LargeArray<WorldContact> contacts_;
};

}  // namespace clack
