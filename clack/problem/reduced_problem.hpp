// The one-step problem in reduced form (eq:reduced):
//
//     u = W r + u_free,      K* contains u + g(u), orthogonal to r in K
//
// with K the product of one cone per contact. It knows no bodies and owns nothing: a view, so that
// a time step can build it in place and a file reader can hold the storage.
#pragma once

#include <span>

#include "clack/core/cone.hpp"
#include "clack/core/types.hpp"
#include "clack/problem/delassus.hpp"

namespace clack {

struct ReducedProblem {
  const Delassus* W = nullptr;     // m x m
  const double* u_free = nullptr;  // m, free local velocity [m/s]
  std::span<const Cone> cones;     // one per contact
  std::span<const int> offset;     // first row of each contact; offset[contacts] = m

  int size() const { return W->size(); }
  int contacts() const { return static_cast<int>(cones.size()); }
  ConstVectorMap free_velocity() const { return {u_free, size()}; }

  // Whether the parts fit each other, which is the caller's affair: for assertions.
  bool is_consistent() const {
    if (W == nullptr || (u_free == nullptr && size() > 0)) return false;
    if (offset.size() != cones.size() + 1 || offset.front() != 0 || offset.back() != size())
      return false;
    for (std::size_t c = 0; c < cones.size(); ++c) {
      if (offset[c + 1] - offset[c] != cones[c].dim()) return false;
    }
    return true;
  }
};

}  // namespace clack
