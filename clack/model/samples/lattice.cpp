#include "clack/model/samples/lattice.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "lattice";

// In units of the spacing.
Vector3 lattice_point(const LatticeOptions& options, int i, int j, int k) {
  const double odd_row = j % 2, odd_layer = k % 2;
  const double row = std::sqrt(0.75);
  if (options.kind == LatticeKind::cubic) return Vector3(i, j, k);
  if (options.kind == LatticeKind::fcc)
    return {i + 0.5 * odd_layer, j + 0.5 * odd_layer, k * std::sqrt(0.5)};
  // a layer B sits over the centres of triangles of A
  const double shift = std::fmod(odd_row + odd_layer, 2);
  return {i + 0.5 * shift, j * row + odd_layer * row / 3, k * std::sqrt(2.0 / 3)};
}

double greatest_diameter(const LatticeOptions& options) {
  if (options.sizes) return options.sizes->greatest_diameter();
  if (options.shape->kind() == ShapeKind::sphere) return 2 * options.shape->as<Sphere>().radius;
  if (options.shape->kind() == ShapeKind::disc) return 2 * options.shape->as<Disc>().radius;
  return 0;
}

void check_room(const LatticeOptions& options) {
  const double diameter = greatest_diameter(options);
  const double need = diameter + 2 * std::sqrt(options.dim) * options.jitter;
  if (diameter == 0 || need <= options.spacing * (1 + 1e-12)) return;
  throw InputError(
      fmt::format("spacing of the lattice is {}; diameters up to {} and a jitter of {} "
                  "need at least {}",
                  options.spacing, diameter, options.jitter, need));
}

}  // namespace

void LatticeOptions::validate() const {
  samples::require_dim(dim, kName);
  for (int i = 0; i < dim; ++i)
    samples::require_at_least(count[i], 1, fmt::format("count[{}]", i), kName);
  samples::require_positive(spacing, "spacing", kName);
  samples::require_not_negative(jitter, "jitter", kName);
  for (int i = 0; i < 3; ++i)
    samples::require_finite(origin[i], fmt::format("origin[{}]", i), kName);
  if (dim == 2 && kind == LatticeKind::fcc)
    throw InputError("kind of the lattice is fcc; in the plane it must be square or triangular");
  if ((shape != nullptr) == sizes.has_value())
    throw InputError("the lattice needs either a shape or sizes, not both");
  if (sizes) sizes->validate();
  if (shape && shape->is_planar() != (dim == 2))
    throw InputError(fmt::format("shape of the lattice is one of {}; dim is {}",
                                 shape->is_planar() ? "the plane" : "space", dim));
  check_room(*this);
}

Matrix3 draw_rotation(int dim, SplitMix& random) {
  const double turn = 2 * std::numbers::pi;
  if (dim == 2) return planar_pose(0, 0, turn * random.uniform()).rotation;
  // Shoemake (1992): a point of the unit sphere of quaternions
  const double part = random.uniform(), a = turn * random.uniform(), b = turn * random.uniform();
  const double s = std::sqrt(1 - part), c = std::sqrt(part);
  return Eigen::Quaterniond(c * std::cos(b), s * std::sin(a), s * std::cos(a), c * std::sin(b))
      .toRotationMatrix();
}

Sample make_lattice(const LatticeOptions& options) {
  options.validate();
  SplitMix random(options.seed);
  std::optional<SizeSampler> sampler;
  if (options.sizes) sampler.emplace(*options.sizes, options.dim);
  Sample sample;
  for (int k = 0; k < (options.dim == 2 ? 1 : options.count[2]); ++k)
    for (int j = 0; j < options.count[1]; ++j)
      for (int i = 0; i < options.count[0]; ++i) {
        SampleBody body;
        body.pose.position = options.origin + options.spacing * lattice_point(options, i, j, k);
        for (int axis = 0; axis < options.dim && options.jitter > 0; ++axis)
          body.pose.position[axis] += options.jitter * random.uniform(-1, 1);
        if (options.random_rotation) body.pose.rotation = draw_rotation(options.dim, random);
        body.shape = sampler ? make_ball(0.5 * sampler->draw_diameter(random), options.dim, sample)
                             : options.shape;
        body.suffix = std::to_string(sample.size() + 1);
        sample.push_back(std::move(body));
      }
  return sample;
}

}  // namespace clack
