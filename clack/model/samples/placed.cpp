#include "clack/model/samples/placed.hpp"

#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/model/samples/checks.hpp"
#include "clack/model/samples/size_distribution.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "table";

}  // namespace

void PlacedOptions::validate() const {
  samples::require_dim(dim, kName);
  if ((shape != nullptr) == !radii.empty())
    throw InputError("the table needs either radii of balls or a shape beside the sample");
  if (poses.empty()) throw InputError("the table has no rows; it must have one for each body");
  if (!radii.empty() && radii.size() != poses.size())
    throw InputError(fmt::format("{} radii for {} bodies", radii.size(), poses.size()));
  if (shape && shape->is_planar() != (dim == 2))
    throw InputError(fmt::format("the shape is one of {}", dim == 2 ? "space" : "the plane"));
  for (std::size_t i = 0; i < radii.size(); ++i)
    samples::require_positive(radii[i], fmt::format("radius of body {}", i + 1), kName);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!poses[i].position.allFinite() || !poses[i].rotation.allFinite())
      throw InputError(fmt::format("the position or rotation of body {} is not finite", i + 1));
  }
}

Sample make_placed(const PlacedOptions& options) {
  options.validate();
  Sample sample;
  sample.reserve(options.poses.size());
  for (std::size_t i = 0; i < options.poses.size(); ++i) {
    SampleBody body;
    body.pose = options.poses[i];
    body.shape = options.shape ? options.shape : make_ball(options.radii[i], options.dim, sample);
    body.suffix = std::to_string(i + 1);
    sample.push_back(std::move(body));
  }
  return sample;
}

}  // namespace clack
