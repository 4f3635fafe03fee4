// What the contacts of a world's bodies are beside the shapes that touch: their laws, the axes of
// their rows, and bonds and links, which are contacts where nothing need touch.
//
// A bond is made where bodies with a bonding law touch at the start of a run: a point of each body
// and the normal, which turns with the first. While one bond of a pair of bodies holds, all of them
// stand in place of the pair's contacts; then contacts are detected as between any others.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "clack/collide/contact_arms.hpp"
#include "clack/core/large_array.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {

// A row of a contact: along `direction` on the velocity of its point, along `turn` on the rotation.
struct RowAxis {
  Vector3 direction = Vector3::Zero(), turn = Vector3::Zero();
};
using ContactAxes = std::array<RowAxis, kContactRows>;

// From T1 to the first axis of the material of the first body, in space [rad].
double material_angle(const ContactAxes& axes, const WorldContact& contact,
                      const WorldState& state);

class WorldBonds {
 public:
  // Starts with the world's links; those that cannot break are joints and hold nothing here. Throws
  // InputError for laws that have no meaning in this world.
  WorldBonds(const RigidWorld& world, const LawTable& table);

  // All laws beyond Newton's impact and Coulomb's friction, with those of links that hold.
  const std::vector<LawPtr>& laws() const { return laws_; }
  // That of a contact, null where it is plain.
  const LawPtr& law_of(int a, int b, std::uint64_t feature) const;
  const LawPtr& law_of(const WorldContact& x) const { return law_of(x.a, x.b, x.feature); }
  // Rows of a contact that has such a law beside the normal one.
  int tangents() const { return world_->planar ? 1 : 2; }
  int turns() const { return world_->planar ? 1 : 3; }
  // Null where the contact is no bond or link.
  const Link* link_of(const WorldContact& contact) const;
  // In space N, T1, T2, S, R1, R2; in the plane N, T, R.
  ContactAxes axes(const WorldContact& contact, const WorldState& state) const;

  // Distance of the farthest point of each body from its origin, 0 without bounds [m].
  const std::vector<double>& radius() const { return radius_; }
  // How far each body may go in a step, with the gap up to which laws act [m].
  void set_reach(const WorldState& state, double h, std::vector<double>& reach) const;

  // Bonds where bodies touch in the initial state.
  void make(const WorldState& state, WorldDetection& detection);
  // The contacts of a step: those detected, without pairs that bonds hold, and all links and bonds.
  void merge(const WorldState& state, const LargeArray<WorldContact>& detected,
             LargeArray<WorldContact>& merged) const;

  std::size_t size() const { return bonds_.size(); }
  // The contact that a bond or link is at a state.
  WorldContact contact_of(std::size_t index, const WorldState& state) const;
  const Link& operator[](std::size_t index) const { return bonds_[index].link; }
  bool holds(std::size_t index) const { return bonds_[index].holds; }
  void set_holds(std::size_t index, bool holds) { bonds_[index].holds = holds; }
  // Of a link that holds: how far its points are from where it holds them [m]; 0 of a broken one.
  double drift(std::size_t index, const WorldState& state) const;
  std::size_t made() const { return bonds_.size() - world_->links.size(); }
  std::size_t holding() const;

 private:
  struct Bond {
    Link link;
    Vector3 image = Vector3::Zero();
    bool holds = true;
    bool made = true;  // from a contact, in place of contacts; else a link of the scene
    Vector3 jump = Vector3::Zero();  // of a link at the start, in the frame of a [m]
  };
  void note(const LawPtr& law);
  Vector3 jump_of(const Bond& bond, const WorldState& state) const;
  double round_radius(int body) const;
  double area(const LargeArray<WorldContact>& contacts) const;
  void bond_pair(const WorldState& state, const LargeArray<WorldContact>& touching);

  const RigidWorld* world_;
  const LawTable* table_;
  std::vector<LawPtr> laws_;
  std::map<const Law*, LawPtr> unbonded_;  // of laws with bonds: between bodies that have none
  double margin_ = 0;                      // gap up to which laws act [m]
  std::vector<double> radius_;
  std::vector<Bond> bonds_;  // the world's links first
};

}  // namespace clack
