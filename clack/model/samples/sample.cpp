#include "clack/model/samples/sample.hpp"

#include <array>

namespace clack {

void move_sample(Sample& sample, const Pose& motion) {
  for (SampleBody& body : sample) body.pose = motion * body.pose;
}

std::span<const SampleInfo> sample_list() {
  static constexpr std::array<SampleInfo, 14> kList = {{
      {"lattice", "one shape, or spheres or discs of drawn sizes, on a regular lattice"},
      {"random-packing", "spheres or discs without contact at random in a box, walls or periodic"},
      {"deposit", "spheres or discs dropped one by one into a box, each at rest on its supports"},
      {"voronoi", "convex cells of random points that fill a box"},
      {"joints", "rock mass: a box cut by families of parallel planes, with slope faces"},
      {"wall", "masonry wall in running bond"},
      {"arch", "voussoirs of a circular arch, with abutments"},
      {"vault", "barrel vault: rows of voussoirs in running bond"},
      {"tower", "tower of planks: log cabin or squares of four"},
      {"dominoes", "row of dominoes along a line, an arc or a spiral"},
      {"chute", "inclined channel with side walls, its base smooth or rough"},
      {"hopper", "conical or wedge funnel under a bin, one body, and a lid on its orifice"},
      {"drum", "hollow cylinder, one body about its axis"},
      {"table", "balls or copies of one shape at the places that a table gives"},
  }};
  return kList;
}

}  // namespace clack
