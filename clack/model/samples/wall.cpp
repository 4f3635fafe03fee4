#include "clack/model/samples/wall.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/model/samples/blocks.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "wall";

// How many pieces with gaps between them fit; round-off must not cost one.
int fit(double room, double piece, double gap) {
  return static_cast<int>(std::floor((room + gap) / (piece + gap) * (1 + 1e-12)));
}

struct Course {
  const WallOptions& options;
  int number;
  Sample& sample;
  double x = 0;

  void add(double length) {
    const Vector3& brick = options.brick;
    const double z = number * (brick.z() + options.gap) + 0.5 * brick.z();
    const Vector3 size =
        options.dim == 3 ? Vector3(length, brick.y(), brick.z()) : Vector3(length, brick.z(), 0);
    SampleBody body{samples::make_block(size, options.dim), {}, {}};
    body.pose.position = samples::upright({x + 0.5 * length, 0, z}, options.dim);
    body.suffix = fmt::format("course{}_{}", number + 1, ++count);
    sample.push_back(std::move(body));
    x += length + options.gap;
  }

  int count = 0;
};

void add_foundation(const WallOptions& options, Sample& sample) {
  const double length = options.wall_length(), height = options.foundation_height;
  const Vector3 size =
      options.dim == 3 ? Vector3(length, options.brick.y(), height) : Vector3(length, height, 0);
  SampleBody body{samples::make_block(size, options.dim), {}, "foundation", true};
  body.pose.position =
      samples::upright({0.5 * length, 0, -options.gap - 0.5 * height}, options.dim);
  sample.push_back(std::move(body));
}

}  // namespace

int WallOptions::brick_count() const { return length > 0 ? fit(length, brick.x(), gap) : bricks; }

int WallOptions::course_count() const { return height > 0 ? fit(height, brick.z(), gap) : courses; }

double WallOptions::wall_length() const { return brick_count() * (brick.x() + gap) - gap; }

double WallOptions::wall_height() const { return course_count() * (brick.z() + gap) - gap; }

void WallOptions::validate() const {
  samples::require_dim(dim, kName);
  for (int i = 0; i < 3; ++i)
    samples::require_positive(brick[i], fmt::format("brick[{}]", i), kName);
  samples::require_not_negative(gap, "gap", kName);
  samples::require_between(gap, 0, 0.5 * brick.x(), "gap", kName);
  samples::require_not_negative(length, "length", kName);
  samples::require_not_negative(height, "height", kName);
  samples::require_at_least(brick_count(), 1, "number of bricks in a course", kName);
  samples::require_at_least(course_count(), 1, "number of courses", kName);
  samples::require_positive(foundation_height, "foundation_height", kName);
}

Sample make_wall(const WallOptions& options) {
  options.validate();
  const double full = options.brick.x(), half = 0.5 * (full - options.gap);
  Sample sample;
  for (int k = 0; k < options.course_count(); ++k) {
    Course course{options, k, sample};
    const bool shifted = k % 2 == 1;
    if (shifted && options.half_bricks) course.add(half);
    if (shifted && !options.half_bricks) course.x = half + options.gap;
    for (int i = 0; i < options.brick_count() - (shifted ? 1 : 0); ++i) course.add(full);
    if (shifted && options.half_bricks) course.add(half);
  }
  if (options.foundation) add_foundation(options, sample);
  return sample;
}

}  // namespace clack
