#include "clack/collide/contact_arms.hpp"

namespace clack {

LawTable::LawTable(const RigidWorld& world) : count_(world.materials.size()) {
  for (int a = 0; a < static_cast<int>(count_); ++a) {
    for (int b = 0; b < static_cast<int>(count_); ++b) laws_.push_back(world.law(a, b));
  }
  for (const Body& body : world.bodies) bodies_.push_back({body.material, body.is_free()});
}

}  // namespace clack
