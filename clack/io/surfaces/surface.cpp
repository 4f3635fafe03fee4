#include "clack/io/surfaces/surface.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "clack/core/error.hpp"
#include "clack/model/shapes/flat_sided.hpp"

namespace clack {
namespace {

using std::numbers::pi;

// The numbers of one shape, taken from the front.
class Source {
 public:
  explicit Source(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
  bool empty() const { return at_ == numbers_.size(); }
  double next() {
    if (empty()) throw InputError("a shape of /shapes has too few numbers");
    return numbers_[at_++];
  }
  int index(int below) {
    const double value = next();
    if (!(value >= 0 && value < below)) throw InputError("a shape of /shapes has a bad index");
    return static_cast<int>(value);
  }
  int count() { return index(1 << 30); }
  Vector3 point() {
    const double x = next(), y = next();
    return {x, y, next()};
  }

 private:
  std::vector<double> numbers_;
  std::size_t at_ = 0;
};

void add_fan(Surface& out, std::span<const int> loop) {
  for (std::size_t i = 2; i < loop.size(); ++i)
    out.triangles.push_back({loop[0], loop[i - 1], loop[i]});
}

struct ProfilePoint {
  double radius, z;
};

// A quarter turn and more about (radius, z), from one angle to the other.
void add_arc(std::vector<ProfilePoint>& profile, ProfilePoint centre, double rounding, double from,
             double to, int segments) {
  const int count = std::max(1, static_cast<int>(std::ceil((to - from) / (2 * pi) * segments)));
  for (int i = 0; i <= (rounding > 0 ? count : 0); ++i) {
    const double angle = from + (to - from) * i / count;
    profile.push_back(
        {centre.radius + rounding * std::cos(angle), centre.z + rounding * std::sin(angle)});
  }
}

// Turns a profile, from the lowest to the highest point of the axis, about z.
Surface revolve(const std::vector<ProfilePoint>& profile, int segments) {
  Surface out;
  for (const ProfilePoint& p : profile) {
    for (int i = 0; i < segments; ++i) {
      const double angle = 2 * pi * i / segments;
      out.vertices.emplace_back(p.radius * std::cos(angle), p.radius * std::sin(angle), p.z);
    }
  }
  for (int ring = 0; ring + 1 < static_cast<int>(profile.size()); ++ring) {
    for (int i = 0; i < segments; ++i) {
      const int a = ring * segments + i, b = ring * segments + (i + 1) % segments;
      if (profile[static_cast<std::size_t>(ring)].radius > 0)
        out.triangles.push_back({a, b, b + segments});
      if (profile[static_cast<std::size_t>(ring) + 1].radius > 0)
        out.triangles.push_back({a, b + segments, a + segments});
    }
  }
  return out;
}

// A cylinder or cone with rounded edges: radii at the bottom and at the top.
Surface round_body(ProfilePoint bottom, ProfilePoint top, double rounding, int segments) {
  const double slope = std::atan2(bottom.radius - top.radius, top.z - bottom.z);
  std::vector<ProfilePoint> profile;
  profile.push_back({0, bottom.z - rounding});
  add_arc(profile, bottom, rounding, -pi / 2, slope, segments);
  add_arc(profile, top, rounding, slope, pi / 2, segments);
  profile.push_back({0, top.z + rounding});
  return revolve(profile, segments);
}

Surface capsule(double radius, double half_length, int segments) {
  std::vector<ProfilePoint> profile;
  add_arc(profile, {0, -half_length}, radius, -pi / 2, 0, segments);
  add_arc(profile, {0, half_length}, radius, 0, pi / 2, segments);
  profile.front().radius = profile.back().radius = 0;
  return revolve(profile, segments);
}

Surface faces_of(const Polytope& polytope) {
  Surface out{polytope.vertices, {}, {}};
  for (const PolytopeFace& face : polytope.faces)
    add_fan(out, std::span(polytope.loops)
                     .subspan(static_cast<std::size_t>(face.begin),
                              static_cast<std::size_t>(face.end - face.begin)));
  return out;
}

// A convex core in a ball's rounding is the hull of balls at its corners.
Surface rounded_hull(const std::vector<Vector3>& corners, double rounding, int segments) {
  const Surface ball = capsule(rounding, 0, std::min(segments, 12));
  std::vector<Vector3> points;
  for (const Vector3& corner : corners)
    for (const Vector3& p : ball.vertices) points.push_back(corner + p);
  return faces_of(make_hull(points));
}

Surface box(const Vector3& half, double rounding, int segments) {
  const Polytope core = make_box_polytope(half);
  return rounding > 0 ? rounded_hull(core.vertices, rounding, segments) : faces_of(core);
}

Surface polyhedron(Source& source, int segments) {
  const double rounding = source.next();
  Surface out;
  const int count = source.count();
  for (int i = 0; i < count; ++i) out.vertices.push_back(source.point());
  if (rounding > 0) return rounded_hull(out.vertices, rounding, segments);
  while (!source.empty()) {
    std::vector<int> loop(static_cast<std::size_t>(source.count()));
    for (int& corner : loop) corner = source.index(count);
    add_fan(out, loop);
  }
  return out;
}

Surface mesh(Source& source) {
  source.next();
  Surface out;
  const int count = source.count();
  for (int i = 0; i < count; ++i) out.vertices.push_back(source.point());
  while (!source.empty()) {
    const int a = source.index(count), b = source.index(count);
    out.triangles.push_back({a, b, source.index(count)});
  }
  return out;
}

Surface height_field(Source& source) {
  const int nx = source.count(), ny = source.count();
  const double dx = source.next(), dy = source.next();
  source.next();
  Surface out;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) out.vertices.emplace_back(i * dx, j * dy, source.next());
  for (int j = 0; j + 1 < ny; ++j) {
    for (int i = 0; i + 1 < nx; ++i) {
      const int a = j * nx + i;
      out.triangles.push_back({a, a + 1, a + nx + 1});
      out.triangles.push_back({a, a + nx + 1, a + nx});
    }
  }
  return out;
}

// The outline of a convex polygon with rounded corners, filled; of a bare segment, the line.
Surface planar(const std::vector<Vector3>& corners, double rounding, int segments) {
  Surface out;
  const std::size_t n = corners.size();
  if (rounding <= 0 && n == 2) return {corners, {}, {{0, 1}}};
  for (std::size_t i = 0; i < n; ++i) {
    if (rounding <= 0) {
      out.vertices.push_back(corners[i]);
      continue;
    }
    const Vector3 in = corners[i] - corners[(i + n - 1) % n],
                  go = corners[(i + 1) % n] - corners[i];
    const double from = n == 1 ? 0 : std::atan2(in.y(), in.x()) - pi / 2;
    double to = n == 1 ? 2 * pi : std::atan2(go.y(), go.x()) - pi / 2;
    if (to < from) to += 2 * pi;
    std::vector<ProfilePoint> arc;  // radius is x, z is y
    add_arc(arc, {corners[i].x(), corners[i].y()}, rounding, from, to, segments);
    if (n == 1) arc.pop_back();
    for (const ProfilePoint& p : arc) out.vertices.emplace_back(p.radius, p.z, 0);
  }
  std::vector<int> loop(out.vertices.size());
  for (std::size_t i = 0; i < loop.size(); ++i) loop[i] = static_cast<int>(i);
  add_fan(out, loop);
  return out;
}

Surface planar_core(Source& source, int segments) {
  const double rounding = source.next();
  std::vector<Vector3> corners(static_cast<std::size_t>(source.count()));
  for (Vector3& corner : corners) {
    const double x = source.next();
    corner = {x, source.next(), 0};
  }
  return planar(corners, rounding, segments);
}

void append(Surface& out, const Surface& part, const Pose& pose) {
  const int first = static_cast<int>(out.vertices.size());
  for (const Vector3& p : part.vertices) out.vertices.push_back(pose * p);
  for (auto [a, b, c] : part.triangles) out.triangles.push_back({first + a, first + b, first + c});
  for (auto [a, b] : part.lines) out.lines.push_back({first + a, first + b});
}

// Between two circles.
Surface ring(double inner, double outer, int segments) {
  Surface out;
  for (int i = 0; i < segments; ++i) {
    const Vector3 side(std::cos(2 * pi * i / segments), std::sin(2 * pi * i / segments), 0);
    out.vertices.push_back(inner * side);
    out.vertices.push_back(outer * side);
    const int a = 2 * i, b = 2 * ((i + 1) % segments);
    out.triangles.push_back({a, a + 1, b + 1});
    out.triangles.push_back({a, b + 1, b});
  }
  return out;
}

// The outer surface upwards, then the inner one downwards.
Surface tube(double inner, double outer, double half, int segments) {
  return revolve({{inner, -half}, {outer, -half}, {outer, half}, {inner, half}, {inner, -half}},
                 segments);
}

Surface socket(double inner, double outer, int segments) {
  Surface out = capsule(outer, 0, segments), hole = capsule(inner, 0, segments);
  for (auto& [a, b, c] : hole.triangles) std::swap(b, c);
  append(out, hole, Pose());
  return out;
}

Surface compound(const RecordedShapes& shapes, Source& source, int whole, int segments) {
  Surface out;
  while (!source.empty()) {
    const int part = source.index(whole);  // parts come first
    Pose pose;
    pose.position = source.point();
    const double w = source.next();
    const Vector3 xyz = source.point();
    pose.rotation = Eigen::Quaterniond(w, xyz.x(), xyz.y(), xyz.z()).toRotationMatrix();
    append(out, shapes.surface(part, segments), pose);
  }
  return out;
}

}  // namespace

RecordedShapes::RecordedShapes(const ResultsReader& results) {
  if (!results.has("/shapes/kind")) return;
  kinds_ = results.strings("/shapes/kind");
  const RowMatrix offset = results.matrix("/shapes/offset"), all = results.matrix("/shapes/number");
  for (Eigen::Index i = 0; i < offset.size(); ++i)
    offset_.push_back(static_cast<std::int64_t>(offset.data()[i]));
  numbers_.assign(all.data(), all.data() + all.size());
  const bool fits = offset_.size() == kinds_.size() + 1 && offset_.front() == 0 &&
                    std::is_sorted(offset_.begin(), offset_.end()) &&
                    offset_.back() == static_cast<std::int64_t>(numbers_.size());
  if (!fits) throw InputError("the datasets of /shapes do not fit each other");
}

std::vector<double> RecordedShapes::numbers(int shape) const {
  const auto k = static_cast<std::size_t>(shape);
  return {numbers_.begin() + offset_.at(k), numbers_.begin() + offset_.at(k + 1)};
}

bool RecordedShapes::is_unbounded(int shape) const {
  return kind(shape) == "plane" || kind(shape) == "line";
}

Surface RecordedShapes::surface(int shape, int segments) const {
  Source source(numbers(shape));
  const std::string& name = kind(shape);
  if (name == "sphere") return capsule(source.next(), 0, segments);
  if (name == "polyhedron") return polyhedron(source, segments);
  if (name == "mesh") return mesh(source);
  if (name == "height-field") return height_field(source);
  if (name == "compound") return compound(*this, source, shape, segments);
  if (name == "polygon" || name == "segment") return planar_core(source, segments);
  if (name == "disc") return planar({Vector3::Zero()}, source.next(), segments);
  if (is_unbounded(shape)) return {};
  const double a = source.next(), b = source.next();
  if (name == "capsule") return capsule(a, b, segments);
  if (name == "planar-capsule") return planar({{-b, 0, 0}, {b, 0, 0}}, a, segments);
  if (name == "ring") return ring(a, b, segments);
  if (name == "socket") return socket(a, b, segments);
  const double c = source.next();
  if (name == "tube") return tube(a, b, c, segments);
  if (name == "cylinder") return round_body({a, -b}, {a, b}, c, segments);
  if (name == "cone") return round_body({a, -b / 4}, {0, 3 * b / 4}, c, segments);
  if (name == "box") return box({a, b, c}, source.next(), segments);
  throw InputError("/shapes has a kind that is not known: " + name);
}

}  // namespace clack
