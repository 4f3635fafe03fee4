#include "clack/model/samples/joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/core/split_mix.hpp"
#include "clack/model/samples/checks.hpp"
#include "clack/model/samples/convex_cell.hpp"

namespace clack {
namespace {

using samples::ConvexCell;

constexpr std::string_view kName = "joints";
constexpr double kTolerance = 1e-12;  // relative to the diagonal of the box
constexpr double kThin = 1e-8;

double diagonal(const JointsOptions& options) {
  return (options.box.upper - options.box.lower).head(options.dim).norm();
}

Vector3 middle(const JointsOptions& options) {
  Vector3 centre = options.box.centre();
  if (options.dim == 2) centre.z() = 0;
  return centre;
}

// Ascending offsets of the planes of a set that may meet the box.
std::vector<double> plane_offsets(const JointsOptions& options, const JointSet& set,
                                  SplitMix& random) {
  const double base = joint_normal(set, options.dim).dot(middle(options)) + set.offset;
  const double reach = 0.5 * diagonal(options) + std::abs(set.offset) + set.spacing;
  const long last = static_cast<long>(reach / set.spacing) + 1;
  std::vector<double> offsets;
  for (long k = -last; k <= last; ++k) {
    const double shift = set.jitter > 0 ? set.jitter * random.uniform(-1, 1) : 0;
    offsets.push_back(base + set.spacing * (static_cast<double>(k) + shift));
  }
  return offsets;
}

bool is_block(const ConvexCell& cell, double diagonal) {
  return !cell.is_empty() && cell.thickness() > kThin * diagonal;
}

// The slices of a cell between the planes, from below.
void slice(ConvexCell cell, const Vector3& normal, const std::vector<double>& offsets,
           const JointsOptions& options, std::vector<ConvexCell>& slices) {
  const double size = diagonal(options), tolerance = kTolerance * size;
  for (const double offset : offsets) {
    ConvexCell piece = cell;
    piece.cut({normal, offset - 0.5 * options.gap}, tolerance);
    if (is_block(piece, size)) slices.push_back(std::move(piece));
    cell.cut({-normal, -offset - 0.5 * options.gap}, tolerance);
    if (cell.is_empty()) return;
  }
  if (is_block(cell, size)) slices.push_back(std::move(cell));
}

// Only the planes that meet the cell or, by their aperture, touch it.
std::vector<double> near_offsets(const ConvexCell& cell, const Vector3& normal,
                                 const std::vector<double>& offsets, double gap) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Vector3& vertex : cell.vertices()) {
    low = std::min(low, normal.dot(vertex) - gap);
    high = std::max(high, normal.dot(vertex) + gap);
  }
  return {std::lower_bound(offsets.begin(), offsets.end(), low),
          std::upper_bound(offsets.begin(), offsets.end(), high)};
}

void check_set(const JointSet& set, int dim, std::size_t index) {
  const auto field = [&](std::string_view name) { return fmt::format("{}[{}]", name, index); };
  const double right = 0.5 * std::numbers::pi;
  samples::require_between(set.dip, dim == 2 ? -right : 0, right, field("dip"), kName);
  samples::require_finite(set.dip_direction, field("dip_direction"), kName);
  samples::require_positive(set.spacing, field("spacing"), kName);
  samples::require_finite(set.offset, field("offset"), kName);
  samples::require_between(set.jitter, 0, 0.49, field("jitter"), kName);
}

}  // namespace

Vector3 joint_normal(const JointSet& set, int dim) {
  const double sine = std::sin(set.dip), cosine = std::cos(set.dip);
  if (dim == 2) return {sine, cosine, 0};
  return {sine * std::sin(set.dip_direction), sine * std::cos(set.dip_direction), cosine};
}

void JointsOptions::validate() const {
  samples::require_dim(dim, kName);
  samples::require_box(box, dim, kName);
  samples::require_not_negative(gap, "gap", kName);
  samples::require_not_negative(least_volume, "least_volume", kName);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    check_set(sets[i], dim, i);
    const double least = sets[i].spacing * (1 - 2 * sets[i].jitter);
    if (gap >= least)
      throw InputError(fmt::format("gap of the joints is {}; set {} leaves {} between its planes",
                                   gap, i, least));
  }
  for (std::size_t i = 0; i < keep.size() && dim == 2; ++i)
    if (keep[i].normal.z() != 0)
      throw InputError(
          fmt::format("keep[{}] of the joints has a normal with z = {}; in the plane "
                      "it must be 0",
                      i, keep[i].normal.z()));
}

Sample make_joints(const JointsOptions& options) {
  options.validate();
  SplitMix random(options.seed);
  std::vector<ConvexCell> cells = {ConvexCell(samples::prism_box(options.box, options.dim))};
  for (const Plane& plane : options.keep)
    cells[0].cut({plane.normal, plane.offset}, kTolerance * diagonal(options));
  if (!is_block(cells[0], diagonal(options)))
    throw InputError("keep of the joints leaves nothing of the box");
  for (const JointSet& set : options.sets) {
    const Vector3 normal = joint_normal(set, options.dim);
    const std::vector<double> offsets = plane_offsets(options, set, random);
    std::vector<ConvexCell> slices;
    for (ConvexCell& cell : cells) {
      const std::vector<double> near = near_offsets(cell, normal, offsets, options.gap);
      slice(std::move(cell), normal, near, options, slices);
    }
    cells = std::move(slices);
  }
  Sample sample;
  for (const ConvexCell& cell : cells)
    if (cell.volume() >= options.least_volume)
      sample.push_back(
          samples::make_cell_body(cell, options.dim, std::to_string(sample.size() + 1)));
  return sample;
}

}  // namespace clack
