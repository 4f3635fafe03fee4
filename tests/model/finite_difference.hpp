// Central differences of fourth order, and random states that are the same in every run.
#pragma once

#include <cstdint>
#include <functional>

#include "clack/core/types.hpp"

namespace clack::test {

// df/ds at s = 0.
inline double slope(const std::function<double(double)>& f, double h = 1e-3) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

// df/ds at s = 0 of a vector.
inline Vector slopes(const std::function<Vector(double)>& f, double h = 1e-3) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

// Numbers in (-1, 1) by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return 2 * (static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53) - 1;
  }
  Vector vector(int n) {
    Vector result(n);
    for (int i = 0; i < n; ++i) result[i] = next();
    return result;
  }

 private:
  std::uint64_t state_;
};

}  // namespace clack::test
