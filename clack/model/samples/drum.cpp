#include "clack/model/samples/drum.hpp"

#include <cmath>
#include <numbers>

#include "clack/model/samples/blocks.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

std::vector<Vector2> ring_corners(double radius, int sides, int k) {
  const double half = std::numbers::pi / sides, r = radius / std::cos(half);
  const double from = (2 * k - 1) * half, to = (2 * k + 1) * half;
  return {{r * std::cos(from), r * std::sin(from)}, {r * std::cos(to), r * std::sin(to)}};
}

// The trapezium of side k in the drum's section (x, z), in the plane (x, y).
CompoundPart make_drum_side(const DrumOptions& options, int k) {
  const auto inner = ring_corners(options.radius, options.sides, k);
  const auto outer = ring_corners(options.radius + options.thickness, options.sides, k);
  const double half = 0.5 * options.length;
  return samples::make_prism_part({inner[0], outer[0], outer[1], inner[1]}, -half, half,
                                  options.dim);
}

void add_drum_ends(const DrumOptions& options, std::vector<CompoundPart>& parts) {
  std::vector<Vector2> outline;
  for (int k = 0; k < options.sides; ++k)
    outline.push_back(ring_corners(options.radius + options.thickness, options.sides, k)[0]);
  const double half = 0.5 * options.length, t = options.thickness;
  parts.push_back(samples::make_prism_part(outline, -half - t, -half, 3));
  parts.push_back(samples::make_prism_part(outline, half, half + t, 3));
}

}  // namespace

void DrumOptions::validate() const {
  constexpr std::string_view kName = "drum";
  samples::require_dim(dim, kName);
  samples::require_positive(radius, "radius", kName);
  samples::require_positive(length, "length", kName);
  samples::require_positive(thickness, "thickness", kName);
  samples::require_at_least(sides, 3, "sides", kName);
}

Sample make_drum(const DrumOptions& options) {
  options.validate();
  std::vector<CompoundPart> parts;
  for (int k = 0; k < options.sides; ++k) parts.push_back(make_drum_side(options, k));
  if (options.dim == 3 && options.ends) add_drum_ends(options, parts);
  return {{make_shape(Compound(std::move(parts))), {}, ""}};
}

}  // namespace clack
