// Random packings by drop-and-roll. Lengths here are in units of options.size.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "clack/model/samples/drop_and_roll.hpp"
#include "tests/support/packing.hpp"

namespace clack::test {
namespace {

class RandomPacker {
 public:
  RandomPacker(const GenerateOptions& options, SplitMix& random)
      : options_(options),
        random_(random),
        edge_(2.0 * choose_width(options)),
        box_(options.dim, edge_, edge_, 1 + options.radius_spread) {}

  PackedScene pack() {
    while (std::ssize(scene_.contacts) < options_.contacts) place();
    scene_.contacts.resize(static_cast<std::size_t>(options_.contacts));
    for (PackedBody& body : scene_.bodies) {
      body.centre *= options_.size;
      body.radius *= options_.size;
    }
    for (PackedContact& contact : scene_.contacts) contact.point *= options_.size;
    return std::move(scene_);
  }

 private:
  // The edge of the box in mean diameters: about as high as wide.
  static int choose_width(const GenerateOptions& options) {
    if (options.width > 0) return options.width;
    const double bodies = static_cast<double>(options.contacts) / options.dim;
    int width = 4;
    const auto fits = [&](double w) { return (options.dim == 2 ? w * w : w * w * w) <= bodies; };
    while (fits(width + 1)) ++width;
    return width;
  }

  // A sphere that round-off leads astray is drawn again, which is rare.
  void place() {
    constexpr int kDraws = 1000;
    for (int draw = 0; draw < kDraws; ++draw) {
      const double radius = 1 + options_.radius_spread * random_.uniform(-1, 1);
      const double x = random_.uniform(radius, edge_ - radius);
      const double y = options_.dim == 2 ? 0 : random_.uniform(radius, edge_ - radius);
      if (box_.drop(radius, x, y)) return record();
    }
    throw std::logic_error("generate: a sphere found no place to rest");
  }

  void record() {
    const RestingSphere& sphere = box_.spheres().back();
    const int index = static_cast<int>(scene_.bodies.size());
    PackedBody body;
    body.centre = sphere.centre;
    body.radius = sphere.radius;
    body.layer = static_cast<int>(0.5 * (sphere.centre.z() - sphere.radius) + 0.5);
    body.density = draw_density(options_, body.layer, random_);
    for (const RestingContact& contact : box_.contacts())
      scene_.contacts.push_back({std::max(contact.other, -1), index,
                                 sphere.centre - sphere.radius * contact.normal, contact.normal});
    scene_.bodies.push_back(body);
  }

  const GenerateOptions& options_;
  SplitMix& random_;
  double edge_;  // of the box, whose corner is the origin
  DropAndRoll box_;
  PackedScene scene_;
};

}  // namespace

PackedScene pack_random(const GenerateOptions& options, SplitMix& random) {
  return RandomPacker(options, random).pack();
}

}  // namespace clack::test
