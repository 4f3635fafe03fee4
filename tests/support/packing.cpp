#include "tests/support/packing.hpp"

#include <algorithm>
#include <cmath>

namespace clack::test {
namespace {

// base^x, 0 <= x <= 1, by square roots alone: std::pow differs between machines in the last bit.
double power(double base, double x) {
  double result = 1, root = base;
  for (int bit = 0; bit < 52 && x > 0; ++bit) {
    root = std::sqrt(root);
    x *= 2;
    if (x < 1) continue;
    x -= 1;
    result *= root;
  }
  return x >= 1 ? base : result;
}

// Layers of a lattice of spheres or discs: rows of `width`, shifted by half a spacing every other
// layer.
struct Lattice {
  int width, depth;
  double spacing, rise, shift_y;

  Lattice(const GenerateOptions& options, double neighbours) {
    const double r = options.size;
    const bool plane = options.packing == Packing::hexagonal;
    const double bodies = options.contacts / neighbours;
    width = options.width > 0 ? options.width : 1;
    const auto cube = [&](double edge) { return plane ? edge * edge : edge * edge * edge; };
    while (options.width == 0 && cube(width + 1) <= bodies) ++width;
    depth = plane ? 1 : width;
    spacing = options.packing == Packing::bcc ? 4 * r / std::sqrt(3.0) : 2 * r;
    rise = options.packing == Packing::fcc   ? std::sqrt(2.0) * r
           : options.packing == Packing::bcc ? 2 * r / std::sqrt(3.0)
                                             : std::sqrt(3.0) * r;
    shift_y = plane ? 0 : 0.5 * spacing;
  }
  int per_layer() const { return width * depth; }
  Point centre(int index, double radius) const {
    const int layer = index / per_layer(), in_layer = index % per_layer();
    const double odd = layer % 2;
    return {in_layer % width * spacing + odd * 0.5 * spacing,
            in_layer / width * spacing + odd * shift_y, radius + layer * rise};
  }
};

// Contacts of spheres as they are placed. On a lattice the earlier neighbours of a body lie among
// the last two layers, at most one step away in each direction.
class SpherePacker {
 public:
  SpherePacker(const GenerateOptions& options, SplitMix& random)
      : options_(options), random_(random), lattice_(options, neighbours(options)) {}

  PackedScene pack() {
    while (std::ssize(scene_.contacts) < options_.contacts) place();
    scene_.contacts.resize(static_cast<std::size_t>(options_.contacts));
    return std::move(scene_);
  }

 private:
  static double neighbours(const GenerateOptions& options) {  // contacts a body, inside
    return options.packing == Packing::fcc ? 6 : options.packing == Packing::bcc ? 4 : 3;
  }

  void place() {
    const int index = static_cast<int>(scene_.bodies.size());
    PackedBody body;
    body.layer = index / lattice_.per_layer();
    body.radius = options_.size;
    body.centre = lattice_.centre(index, options_.size);
    body.density = draw_density(options_, body.layer, random_);
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == 1 && options_.dim == 2) continue;
      const double shift = options_.disorder * options_.size * random_.uniform(-1, 1);
      if (body.layer > 0 || axis < 2) body.centre[axis] += shift;
    }
    scene_.bodies.push_back(body);
    touch_rigid(index);
    touch_neighbours(index);
  }

  void touch(int a, int b, const Point& point, const Point& normal) {
    scene_.contacts.push_back({a, b, point, normal});
  }

  void touch_rigid(int index) {
    const PackedBody& body = scene_.bodies[static_cast<std::size_t>(index)];
    const auto against = [&](const Point& normal) {
      touch(-1, index, body.centre - body.radius * normal, normal);
    };
    if (body.layer == 0) against(Point::UnitZ());
    if (!options_.walls) return;
    const int in_layer = index % lattice_.per_layer();
    const bool odd = body.layer % 2 == 1;
    const int column = in_layer % lattice_.width, row = in_layer / lattice_.width;
    if (column == 0 && !odd) against(Point::UnitX());
    if (column == lattice_.width - 1 && odd) against(-Point::UnitX());
    if (options_.dim == 2) return;
    if (row == 0 && !odd) against(Point::UnitY());
    if (row == lattice_.depth - 1 && odd) against(-Point::UnitY());
  }

  // Lattice neighbours count as touching wherever the disorder has moved them.
  void touch_neighbours(int index) {
    const double reach = 2 * options_.size * (1 + 1e-9);
    const Point home = lattice_.centre(index, options_.size);
    const int layer = index / lattice_.per_layer(), in_layer = index % lattice_.per_layer();
    const int column = in_layer % lattice_.width, row = in_layer / lattice_.width;
    for (int below = std::max(0, layer - 1); below <= layer; ++below) {
      for (int y = std::max(0, row - 1); y <= std::min(lattice_.depth - 1, row + 1); ++y) {
        for (int x = std::max(0, column - 1); x <= std::min(lattice_.width - 1, column + 1); ++x) {
          const int other = below * lattice_.per_layer() + y * lattice_.width + x;
          if (other >= index) continue;
          if ((lattice_.centre(other, options_.size) - home).norm() > reach) continue;
          const Point a = scene_.bodies[static_cast<std::size_t>(other)].centre;
          const Point b = scene_.bodies[static_cast<std::size_t>(index)].centre;
          touch(other, index, 0.5 * (a + b), (b - a) / (b - a).norm());
        }
      }
    }
  }

  const GenerateOptions& options_;
  SplitMix& random_;
  Lattice lattice_;
  PackedScene scene_;
};

// The corners of the rectangle that two boxes, one on the other, or a box and the floor share.
class BoxPacker {
 public:
  BoxPacker(const GenerateOptions& options, SplitMix& random) : options_(options), random_(random) {
    const int face = options.dim == 3 ? 4 : 2;
    const bool wall = options.packing == Packing::wall;
    const double bricks = static_cast<double>(options.contacts) / (wall ? 2 * face : face);
    width_ = options.width > 0 ? options.width
             : wall            ? std::max(1, static_cast<int>(std::sqrt(bricks)))
                               : 1;
  }

  PackedScene pack() {
    while (std::ssize(scene_.contacts) < options_.contacts) place();
    scene_.contacts.resize(static_cast<std::size_t>(options_.contacts));
    return std::move(scene_);
  }

 private:
  void place() {
    const int index = static_cast<int>(scene_.bodies.size());
    const double half = options_.size;
    const bool wall = options_.packing == Packing::wall;
    PackedBody body;
    body.layer = index / width_;
    body.half_edge = {wall ? 2 * half : half, options_.dim == 3 ? half : 0.0, half};
    body.density = draw_density(options_, body.layer, random_);
    const double pitch = 4 * half;  // bricks end to end; towers a box apart
    body.centre = {index % width_ * pitch, 0, half + 2 * half * body.layer};
    if (wall && body.layer % 2 == 1) body.centre.x() += 0.5 * pitch;
    scene_.bodies.push_back(body);
    if (body.layer == 0) {
      touch_face(-1, index, body.centre.x() - body.half_edge.x(),
                 body.centre.x() + body.half_edge.x());
      return;
    }
    const int below = index - width_, column = index % width_;
    for (int step = column > 0 ? -1 : 0; step <= (column < width_ - 1 ? 1 : 0); ++step) {
      touch_below(below + step, index);
    }
  }

  void touch_below(int other, int index) {
    const PackedBody& a = scene_.bodies[static_cast<std::size_t>(other)];
    const PackedBody& b = scene_.bodies[static_cast<std::size_t>(index)];
    const double low = std::max(a.centre.x() - a.half_edge.x(), b.centre.x() - b.half_edge.x());
    const double high = std::min(a.centre.x() + a.half_edge.x(), b.centre.x() + b.half_edge.x());
    if (high - low > 1e-6 * options_.size) touch_face(other, index, low, high);
  }

  void touch_face(int a, int b, double low, double high) {
    const PackedBody& body = scene_.bodies[static_cast<std::size_t>(b)];
    const double z = body.centre.z() - body.half_edge.z(), y = body.half_edge.y();
    for (const double x : {low, high}) {
      scene_.contacts.push_back({a, b, {x, -y, z}, Point::UnitZ()});
      if (options_.dim == 3) scene_.contacts.push_back({a, b, {x, y, z}, Point::UnitZ()});
    }
  }

  const GenerateOptions& options_;
  SplitMix& random_;
  int width_ = 1;
  PackedScene scene_;
};

}  // namespace

double draw_density(const GenerateOptions& options, int layer, SplitMix& random) {
  constexpr double kLayers = 10;  // over which mass_by_height goes from 1 to mass_ratio
  const double drawn = random.uniform();
  const double x = options.mass_by_height ? std::min(1.0, layer / kLayers) : drawn;
  return options.density * power(options.mass_ratio, x);
}

PackedScene pack_spheres(const GenerateOptions& options, SplitMix& random) {
  return SpherePacker(options, random).pack();
}

PackedScene pack_boxes(const GenerateOptions& options, SplitMix& random) {
  return BoxPacker(options, random).pack();
}

}  // namespace clack::test
