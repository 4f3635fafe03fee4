// Where contacts act on rigid bodies, and the laws of their pairs.
#pragma once

#include <algorithm>
#include <vector>

#include "clack/collide/world_detection.hpp"
#include "clack/core/large_array.hpp"

namespace clack {

// Velocity of a body in the frame of the surroundings.
struct Twist {
  Vector3 v = Vector3::Zero();      // of the centre [m/s]
  Vector3 omega = Vector3::Zero();  // [rad/s]

  Vector3 at(const Vector3& arm) const { return v + omega.cross(arm); }
};

// From the centres of both bodies to the points where the contact acts on them [m].
struct ContactArms {
  Vector3 a, b;
};

// Each body's own surface point: a ball has the arm of its radius however far the gap is open. Ties
// act at one point, that of B.
inline ContactArms contact_arms(const WorldContact& contact, const WorldState& state) {
  const Vector3 half =
      contact.feature < kTieFeature ? Vector3(0.5 * contact.gap * contact.normal) : Vector3::Zero();
  return {contact.position - half - state.bodies[static_cast<std::size_t>(contact.a)].position,
          contact.position + half - contact.image -
              state.bodies[static_cast<std::size_t>(contact.b)].position};
}

// Of two bodies' sizes, 0 for one without bounds: that of the smaller one.
inline double smaller_size(double a, double b) {
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

// The laws of all pairs of materials, and of bodies what contacts ask for, close together: a body
// of the world is large.
class LawTable {
 public:
  explicit LawTable(const RigidWorld& world);
  // Of two bodies.
  const MaterialPair& operator()(int a, int b) const {
    return laws_[static_cast<std::size_t>(of(a).material) * count_ +
                 static_cast<std::size_t>(of(b).material)];
  }
  bool is_free(int body) const { return of(body).free; }

 private:
  struct Entry {
    int material;
    bool free;
  };
  const Entry& of(int body) const { return bodies_[static_cast<std::size_t>(body)]; }

  std::size_t count_;
  std::vector<MaterialPair> laws_;
  std::vector<Entry> bodies_;
};

}  // namespace clack
