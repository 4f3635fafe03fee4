// Bodies on a regular lattice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "clack/model/samples/size_distribution.hpp"

namespace clack {

// Neighbours are `spacing` apart in all of them: equal spheres of that diameter touch.
enum class LatticeKind {
  cubic,      // in the plane: square
  fcc,        // space: square layers, every other one shifted by half a spacing along x and y
  hexagonal,  // space: triangular layers ABAB (hcp); in the plane: triangular rows
};

struct LatticeOptions {
  int dim = 3;
  LatticeKind kind = LatticeKind::cubic;
  std::array<int, 3> count = {5, 5, 5};   // along x, y, z; in the plane z is not read
  double spacing = 0.01;                  // of neighbours [m]
  Vector3 origin = Vector3::Zero();       // of the first point [m]
  double jitter = 0;                      // each coordinate moves by up to +- jitter [m]
  bool random_rotation = false;           // uniform over all rotations, in the plane all angles
  ShapePtr shape;                         // of every body; or
  std::optional<SizeDistribution> sizes;  // of spheres, in the plane discs
  std::uint64_t seed = 1;

  void validate() const;
};

// Suffixes count from 1, x first. Spheres and discs are refused where they could overlap; for other
// shapes the spacing is the caller's choice.
Sample make_lattice(const LatticeOptions& options);

// Uniform over all rotations; in the plane about z.
Matrix3 draw_rotation(int dim, SplitMix& random);

}  // namespace clack
