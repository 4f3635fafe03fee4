// The impulses of the last step, by contact: the start of the next solve.
#pragma once

#include <cstdint>
#include <vector>

#include "clack/collide/world_detection.hpp"

namespace clack {

struct RememberedImpulse {
  int a, b;
  std::uint64_t feature;
  Vector3 impulse;                     // on b, frame of the surroundings [N s]
  Vector3 position = Vector3::Zero();  // of the contact point [m]
};

// A contact goes on where the same features of the same bodies touch. Where faces or edges
// coincide, round-off decides between the features of a point: what is left over goes to the
// nearest point of the same bodies within a small part of their size. Each impulse is given once.
class ImpulseMemory {
 public:
  // Impulses are world vectors, one a contact.
  void keep(const LargeArray<WorldContact>& contacts, int dim, const Vector3* impulses);
  // `impulses` receives what goes on and zeros; `radius` of each body, 0 where it has no bounds
  // [m].
  void start(const LargeArray<WorldContact>& contacts, const std::vector<double>& radius,
             Vector3* impulses);

  // Of the last start(): which of the impulses each contact was given, -1 for none.
  const std::vector<int>& sources() const { return source_; }
  const LargeArray<RememberedImpulse>& impulses() const { return impulses_; }
  void set(LargeArray<RememberedImpulse> impulses) { impulses_ = std::move(impulses); }

 private:
  struct Range {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };
  void match(Range now, Range before, const std::vector<double>& radius);
  bool match_features(Range now, Range before);  // true: all have been served
  void match_places(Range now, Range before, double reach);
  void give(std::size_t old, std::size_t contact);

  LargeArray<RememberedImpulse> impulses_;  // sorted by bodies, as contacts are
  std::vector<char> given_;
  std::vector<int> source_;                 // by contact
  const WorldContact* contacts_ = nullptr;  // of the call of start() under way
  Vector3* start_ = nullptr;
};

}  // namespace clack
