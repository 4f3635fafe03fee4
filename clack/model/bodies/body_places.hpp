// Where bodies are in q of RigidBodies.
#pragma once

#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {

inline Vector3 centre_in(ConstVectorRef q, int body) {
  return q.segment<3>(RigidBodies::kQ * body);
}

inline Quaternion rotation_in(ConstVectorRef q, int body) {
  const double* p = q.data() + RigidBodies::kQ * body + 3;
  return {p[0], p[1], p[2], p[3]};
}

// -1: the ground.
inline BodyState place_in(ConstVectorRef q, int body) {
  BodyState s;
  if (body < 0) return s;
  s.position = centre_in(q, body);
  s.rotation = rotation_in(q, body);
  return s;
}

}  // namespace clack
