#include "clack/model/samples/hopper.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/model/samples/blocks.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

// Convex section of a plate: distances from the axis and heights, (r, z).
using Section = std::vector<Vector2>;

// The plate of side k of a regular n-gon about z: the section swept between two mitred ends.
CompoundPart make_side(const Section& section, int k, int n) {
  const double half = std::numbers::pi / n;
  std::vector<Vector3> points;
  for (const Vector2& corner : section)
    for (const double angle : {(2 * k - 1) * half, (2 * k + 1) * half}) {
      const double r = corner.x() / std::cos(half);
      points.emplace_back(r * std::cos(angle), r * std::sin(angle), corner.y());
    }
  Vector3 centre = Vector3::Zero();
  for (const Vector3& point : points) centre += point / static_cast<double>(points.size());
  for (Vector3& point : points) point -= centre;
  return {make_shape(Polyhedron(points)), {centre}};
}

// Below pi/4 the plates are cut off vertically at their ends, above it horizontally: their
// thickness is measured down or sideways.
bool is_shallow(const HopperOptions& options) { return options.angle < 0.25 * std::numbers::pi; }

Vector2 plate_offset(const HopperOptions& options) {
  if (is_shallow(options)) return {0, -options.thickness / std::cos(options.angle)};
  return {options.thickness / std::sin(options.angle), 0};
}

std::vector<Section> find_sections(const HopperOptions& options) {
  const Vector2 low(0.5 * options.orifice, 0);
  const Vector2 high(0.5 * options.bin_width, options.funnel_height());
  const Vector2 offset = plate_offset(options);
  std::vector<Section> sections = {{low, low + offset, high + offset, high}};
  if (options.bin_height > 0) {
    const double foot = high.y() + offset.y(), top = high.y() + options.bin_height;
    const double outer = high.x() + options.thickness;
    sections.push_back({{high.x(), foot}, {outer, foot}, {outer, top}, {high.x(), top}});
  }
  return sections;
}

Section mirrored(Section section) {
  for (Vector2& corner : section) corner.x() = -corner.x();
  return section;
}

// The plates that close a wedge along y, over all that its sections cover.
void add_ends(const HopperOptions& options, const std::vector<Section>& sections,
              std::vector<CompoundPart>& parts) {
  BoundingBox box;
  for (const Section& section : sections)
    for (const Vector2& corner : section) box.include(Vector3(corner.x(), 0, corner.y()));
  const double r = box.upper.x(), low = box.lower.z(), high = box.upper.z();
  const Section outline = {{-r, low}, {r, low}, {r, high}, {-r, high}};
  const double half = 0.5 * options.depth, t = options.thickness;
  parts.push_back(samples::make_prism_part(outline, -half - t, -half, 3));
  parts.push_back(samples::make_prism_part(outline, half, half + t, 3));
}

std::vector<CompoundPart> make_parts(const HopperOptions& options) {
  const std::vector<Section> sections = find_sections(options);
  std::vector<CompoundPart> parts;
  for (const Section& section : sections) {
    if (options.dim == 3 && options.kind == HopperKind::conical) {
      for (int k = 0; k < options.sides; ++k) parts.push_back(make_side(section, k, options.sides));
      continue;
    }
    const double half = 0.5 * options.depth;
    parts.push_back(samples::make_prism_part(section, -half, half, options.dim));
    parts.push_back(samples::make_prism_part(mirrored(section), -half, half, options.dim));
  }
  if (options.dim == 3 && options.kind == HopperKind::wedge) add_ends(options, sections, parts);
  return parts;
}

// As wide as the orifice and the feet of the plates.
SampleBody make_lid(const HopperOptions& options) {
  const Vector2 offset = plate_offset(options);
  double reach = 0.5 * options.orifice + std::max(offset.x(), options.thickness);
  double across = 0.5 * options.depth;
  if (options.dim == 3 && options.kind == HopperKind::conical) {
    reach /= std::cos(std::numbers::pi / options.sides);  // the corners of the polygon
    across = reach;
  }
  const double t = options.thickness;
  SampleBody lid;
  lid.shape =
      samples::make_block(samples::upright({2 * reach, 2 * across, t}, options.dim), options.dim);
  lid.pose.position = samples::upright({0, 0, offset.y() - 0.5 * t}, options.dim);
  lid.suffix = "lid";
  lid.fixed = true;
  return lid;
}

}  // namespace

double HopperOptions::funnel_height() const {
  return 0.5 * (bin_width - orifice) * std::tan(angle);
}

void HopperOptions::validate() const {
  constexpr std::string_view kName = "hopper";
  samples::require_dim(dim, kName);
  samples::require_positive(orifice, "orifice", kName);
  samples::require_positive(bin_width, "bin_width", kName);
  if (orifice >= bin_width)
    throw InputError(
        fmt::format("orifice of the hopper is {}; it must be < bin_width, {}", orifice, bin_width));
  samples::require_between(angle, 0, 0.49 * std::numbers::pi, "angle", kName);
  samples::require_not_negative(bin_height, "bin_height", kName);
  samples::require_positive(depth, "depth", kName);
  samples::require_positive(thickness, "thickness", kName);
  samples::require_at_least(sides, 3, "sides", kName);
}

Sample make_hopper(const HopperOptions& options) {
  options.validate();
  Sample sample;
  sample.push_back({make_shape(Compound(make_parts(options))), {}, "", true});
  if (options.lid) sample.push_back(make_lid(options));
  return sample;
}

}  // namespace clack
