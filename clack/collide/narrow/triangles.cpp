#include "clack/collide/narrow/triangles.hpp"

#include <algorithm>
#include <cmath>

namespace clack::narrow {

TriangleCore::TriangleCore(const std::array<Vector3, 3>& corners, const Vector3& normal)
    : corners_(corners) {
  const double offset = normal.dot(corners[0]);
  faces_ = {PolytopeFace{normal, offset, 0, 3}, PolytopeFace{-normal, -offset, 3, 6}};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const Vector3 along = (corners[j] - corners[i]).normalized(), out = along.cross(normal);
    arcs_[2 * i] = {i, j, along, normal, out};
    arcs_[2 * i + 1] = {i, j, along, out, -normal};
  }
}

namespace {

constexpr double kInside = 1e-12;  // a point this far outside a face counts as on it, relative
constexpr double kLevel = 1e-9;    // corners this near the outermost one touch as well, relative

double triangle_size(const SurfaceTriangle& t) {
  return std::max((t.corner[1] - t.corner[0]).norm(), (t.corner[2] - t.corner[0]).norm());
}

// The nearest feature to a point: 0-2 corners, 3-5 sides, 6 the face.
constexpr int kFace = 6;

struct NearestFeature {
  int feature;
  Vector3 point;
};

NearestFeature nearest_on_side(const SurfaceTriangle& t, int i, const Vector3& p) {
  const Vector3 &a = t.corner[i], along = t.corner[(i + 1) % 3] - a;
  const double s = along.dot(p - a) / along.squaredNorm();
  if (s <= 0) return {i, a};
  if (s >= 1) return {(i + 1) % 3, t.corner[(i + 1) % 3]};
  return {3 + i, a + s * along};
}

NearestFeature nearest_feature(const SurfaceTriangle& t, const Vector3& p) {
  const double tolerance = kInside * triangle_size(t);
  NearestFeature best{kFace, p - t.normal.dot(p - t.corner[0]) * t.normal};
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const Vector3 along = t.corner[(i + 1) % 3] - t.corner[i];
    if (along.cross(t.normal).dot(p - t.corner[i]) <= tolerance * along.norm()) continue;
    const NearestFeature candidate = nearest_on_side(t, i, p);
    const double distance = (candidate.point - p).squaredNorm();
    if (distance < least) least = distance, best = candidate;
  }
  return best;
}

}  // namespace

std::uint64_t SurfaceContact::key(int corners) const {
  if (corners == 7) return mix(1, triangle.id);
  std::array<int, 3> ids{-1, -1, -1};
  for (int i = 0; i < 3; ++i)
    if (corners & (1 << i)) ids[i] = triangle.vertex[i];
  std::sort(ids.begin(), ids.end());
  return mix(mix(2, ids[1] + 1), ids[2]);
}

void SurfaceContact::add_ball() const {
  const Vector3 centre = pose * body.polytope.vertices[0];
  const NearestFeature nearest = nearest_feature(triangle, centre);
  const double height = triangle.normal.dot(centre - triangle.corner[0]);
  if (height < 0 && sides == Sides::front && -height > body.rounding + rounding) return;
  if (nearest.feature == kFace) {
    const double side = height < 0 && sides == Sides::both ? -1 : 1;
    const Vector3 normal = side * triangle.normal;
    output.add(nearest.point + rounding * normal, centre - body.rounding * normal, normal,
               side * height - rounding - body.rounding, key(7));
    return;
  }
  const Vector3 out = centre - nearest.point;
  const double distance = out.norm();
  if ((height < 0 && sides != Sides::both) || !(distance > 0)) return;
  const Vector3 normal = out / distance;
  const bool corner = nearest.feature < 3;
  const int side = nearest.feature - 3;
  if (corner ? !neighbours.vertex_allows(triangle, nearest.feature, normal)
             : !neighbours.edge_allows(triangle, side, normal))
    return;
  output.add(nearest.point + rounding * normal, centre - body.rounding * normal, normal,
             distance - rounding - body.rounding,
             key(corner ? 1 << nearest.feature : (1 << side) | (1 << ((side + 1) % 3))));
}

// Which corners are outermost along the normal, and what the triangles around them say.
bool SurfaceContact::allows(const Vector3& normal) const {
  const double tolerance = kLevel * triangle_size(triangle);
  double most = -std::numeric_limits<double>::infinity();
  for (const Vector3& corner : triangle.corner) most = std::max(most, corner.dot(normal));
  int corners = 0;
  for (int i = 0; i < 3; ++i)
    if (triangle.corner[i].dot(normal) >= most - tolerance) corners |= 1 << i;
  if (sides != Sides::both && normal.dot(triangle.normal) < -kLevel) return false;
  switch (corners) {
    case 7:
      return true;
    case 1:
      return neighbours.vertex_allows(triangle, 0, normal);
    case 2:
      return neighbours.vertex_allows(triangle, 1, normal);
    case 4:
      return neighbours.vertex_allows(triangle, 2, normal);
    case 3:
      return neighbours.edge_allows(triangle, 0, normal);
    case 6:
      return neighbours.edge_allows(triangle, 1, normal);
    default:
      return neighbours.edge_allows(triangle, 2, normal);
  }
}

// The part of the body above (or below) the triangle, along the triangle's normal.
void SurfaceContact::add_on_face(const Difference& d) const {
  thread_local Patch patch, face;
  const bool from_behind =
      sides == Sides::both && triangle.normal.dot(d.pose.position - triangle.corner[0]) < 0;
  const Vector3 normal = from_behind ? Vector3(-triangle.normal) : triangle.normal;
  const Vector3 down = -(d.pose.rotation.transpose() * normal);
  d.b.incident_patch(down, patch);
  const Support lowest = d.b.support(down);
  patch.points.push_back(lowest.point);  // in case it is on no face that looks down
  patch.ids.push_back(-2);
  for (Vector3& point : patch.points) point = d.pose * point;
  const Vector3 nearest = patch.points.back();
  patch.points.pop_back();
  patch.ids.pop_back();
  d.a.face_patch(from_behind ? 1 : 0, normal, face);
  clip(patch, face, normal, kInside * d.a.size);
  const double offset = normal.dot(triangle.corner[0]), round = rounding + d.b.rounding;
  auto add = [&](const Vector3& point, int id) {
    const double apart = normal.dot(point) - offset;
    output.add(point - (apart - rounding) * normal, point - d.b.rounding * normal, normal,
               apart - round, mix(key(7), static_cast<std::uint64_t>(id)));
  };
  bool has_nearest = false;
  for (std::size_t i = 0; i < patch.points.size(); ++i) {
    has_nearest = has_nearest || (patch.points[i] - nearest).squaredNorm() == 0;
    add(patch.points[i], patch.ids[i]);
  }
  if (!has_nearest && nearest_feature(triangle, nearest).feature == kFace) add(nearest, -2);
}

void SurfaceContact::add_core() const {
  const TriangleCore core(triangle.corner, triangle.normal);
  const Convex flat(core.view(), rounding);
  const Difference difference{flat, body, pose};
  const double limit = output.margin + rounding + body.rounding;
  Separation separation;
  const bool near = separate(difference, limit, separation);
  if (near && allows(separation.axis.normal)) {
    Output named = output;
    named.prefix = mix(output.prefix, key(7));
    return add_patches(difference, separation, named);
  }
  if (reaches_through(difference) || (near && sides == Sides::both)) add_on_face(difference);
}

// A body in front of the triangle's plane that reaches behind it, perhaps beside the triangle: what
// is below the triangle counts all the same.
bool SurfaceContact::reaches_through(const Difference& d) const {
  if (sides == Sides::solid) return true;
  const double height = triangle.normal.dot(d.pose * d.b.centre - triangle.corner[0]);
  return sides == Sides::front && height > 0 &&
         d.separation(triangle.normal) <= output.margin + rounding + d.b.rounding;
}

void SurfaceContact::add() const {
  if (body.core == Convex::Core::polytope && body.polytope.vertices.size() == 1) {
    add_ball();
  } else {
    add_core();
  }
}

namespace {

// Moves the points with the normal of `first` to the front of the rest; returns the end of them.
std::size_t gather(std::vector<ContactPoint>& points, std::size_t first) {
  std::size_t end = first + 1;
  for (std::size_t i = end; i < points.size(); ++i)
    if (points[i].normal.dot(points[first].normal) > 1 - 1e-10) std::swap(points[end++], points[i]);
  return end;
}

}  // namespace

void tidy(std::vector<ContactPoint>& points, std::size_t first, double tolerance) {
  thread_local std::vector<ContactPoint> rest;
  for (std::size_t begin = first; begin < points.size();) {
    std::size_t end = gather(points, begin);
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = i + 1; j < end;) {
        if ((points[i].position - points[j].position).squaredNorm() > tolerance * tolerance) {
          ++j;
          continue;
        }
        if (points[j].gap < points[i].gap) std::swap(points[i], points[j]);
        points.erase(points.begin() + static_cast<std::ptrdiff_t>(j));
        --end;
      }
    rest.assign(points.begin() + static_cast<std::ptrdiff_t>(end), points.end());
    points.resize(end);
    thin_out(points, begin);
    begin = points.size();
    points.insert(points.end(), rest.begin(), rest.end());
  }
}

}  // namespace clack::narrow
