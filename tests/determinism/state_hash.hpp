// Hashes of states, to compare runs by all their bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/support/body_simulation.hpp"

namespace clack::test {

// Fowler, Noll and Vo's.
class Hash {
 public:
  void add(const double* values, std::size_t count) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values);
    for (std::size_t k = 0; k < count * sizeof(double); ++k)
      value_ = (value_ ^ bytes[k]) * 1099511628211u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037u;
};

inline std::uint64_t hash_of(const WorldState& state) {
  Hash hash;
  for (const BodyState& body : state.bodies) {
    hash.add(body.position.data(), 3);
    hash.add(body.rotation.coeffs().data(), 4);
    hash.add(body.v.data(), 3);
    hash.add(body.omega.data(), 3);
  }
  return hash.value();
}

}  // namespace clack::test
