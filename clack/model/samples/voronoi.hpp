// Convex cells that fill a box: the Voronoi cells of random points,
//
//     C_i = { x in box : |x - p_i| <= |x - p_j| for all j }     (eq:voronoi)
//
// each cut out of the box by the half spaces of its neighbours, nearest first, until all that is
// left to try is more than twice as far from p_i as the cell's farthest vertex.
#pragma once

#include <cstdint>

#include "clack/model/samples/sample.hpp"

namespace clack {

struct VoronoiOptions {
  int dim = 3;
  BoundingBox box = {Vector3::Zero(), Vector3::Ones()};  // [m]; in the plane z is not read
  long count = 100;                                      // of cells
  int iterations = 0;                                    // of Lloyd: each moves points to centroids
  double gap = 0;  // between neighbours; half of it to the box [m]
  std::uint64_t seed = 1;

  void validate() const;
};

// Polyhedra, in the plane polygons, whose frames are at their centroids. Suffixes count from 1.
Sample make_voronoi(const VoronoiOptions& options);

}  // namespace clack
