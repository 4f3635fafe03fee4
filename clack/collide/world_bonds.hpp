// The bonds and links of a world: where they are, which hold, and the contacts that they are.
//
// A bond is made where bodies with a bonding law touch at the start of a run: a point of each body
// and the normal, which turns with the first. While one bond of a pair of bodies holds, all of them
// stand in place of the pair's contacts; then contacts are detected as between any others.
#pragma once

#include <vector>

#include "clack/collide/contact_arms.hpp"
#include "clack/core/large_array.hpp"

namespace clack {

class WorldBonds {
 public:
  // Starts with the world's links.
  WorldBonds(const RigidWorld& world, const LawTable& laws);

  // Bonds from the contacts of the initial state; `radius` of each body [m].
  void make(const WorldState& state, const LargeArray<WorldContact>& contacts,
            const std::vector<double>& radius);
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
  Vector3 jump_of(const Bond& bond, const WorldState& state) const;
  double round_radius(int body, const std::vector<double>& radius) const;
  double area(const LargeArray<WorldContact>& contacts, std::size_t begin, std::size_t end,
              const std::vector<double>& radius) const;

  const RigidWorld* world_;
  const LawTable* laws_;
  std::vector<Bond> bonds_;  // the world's links first
};

}  // namespace clack
