#include "clack/collide/narrow/patches.hpp"

#include <algorithm>
#include <cmath>

namespace clack::narrow {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

void Output::add(const Vector3& on_a, const Vector3& on_b, const Vector3& normal, double gap,
                 std::uint64_t feature) const {
  if (gap <= margin)
    add_outside(pose_a * Vector3(0.5 * (on_a + on_b)), pose_a.rotation * normal, gap, feature);
}

void Output::add_inner(const Vector3& on_a, const Vector3& on_b, const Vector3& normal, double gap,
                       std::uint64_t feature) const {
  constexpr std::uint64_t kInside = std::uint64_t{1} << 42;  // keys that no outer contact has
  if (!(gap <= margin)) return;
  add(on_a, on_b, normal, gap, kInside + feature);
  manifold.points.back().inner = true;
}

namespace {

constexpr double kAligned = 1e-9;  // a face is the reference where its normal is this near
constexpr double kNear = 0.02;     // two faces this near to parallel touch as faces [rad]
constexpr double kLevel = 1e-7;    // points this near the outermost one belong to it, relative

void to_frame_of_a(Patch& patch, const Pose& pose) {
  for (Vector3& point : patch.points) point = pose * point;
}

// Of the point where the edge between two points crosses a side of the other patch.
int crossing_id(int a, int b, int side) {
  return static_cast<int>(mix(mix(std::min(a, b), std::max(a, b)), side) & 0x7fffffff);
}

// Keeps the part of a loop (or of an edge) with normal . x <= offset.
void clip_by_plane(Patch& patch, Patch& work, const Vector3& normal, double offset,
                   double tolerance, int side) {
  work.points.clear();
  work.ids.clear();
  const std::size_t count = patch.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 &here = patch.points[i], &next = patch.points[(i + 1) % count];
    const double from = normal.dot(here) - offset, to = normal.dot(next) - offset;
    if (from <= tolerance) {
      work.points.push_back(here);
      work.ids.push_back(patch.ids[i]);
    }
    const bool crosses =
        (from < -tolerance && to > tolerance) || (from > tolerance && to < -tolerance);
    if (!crosses || count == 1 || (count == 2 && i == 1)) continue;
    work.points.push_back(here + from / (from - to) * (next - here));
    work.ids.push_back(crossing_id(patch.ids[i], patch.ids[(i + 1) % count], side));
  }
  // Copied, not exchanged: memory that is large enough stays where it is needed.
  patch.points = work.points;
  patch.ids = work.ids;
}

struct Faces {
  bool on_a;       // the reference is a face of A
  Vector3 normal;  // from A to B
  int face;
};

// The face, of A or else of B, that the normal belongs to.
bool find_reference(const Difference& d, const Vector3& normal, double angle, Faces& reference) {
  Vector3 face_normal;
  if (d.a.nearest_face(normal, face_normal, reference.face) &&
      (face_normal - normal).squaredNorm() < angle * angle) {
    reference.on_a = true;
    reference.normal = face_normal;
    return true;
  }
  if (!d.b.nearest_face(-(d.pose.rotation.transpose() * normal), face_normal, reference.face))
    return false;
  reference.normal = -(d.pose.rotation * face_normal);
  reference.on_a = false;
  return (reference.normal - normal).squaredNorm() < angle * angle;
}

struct Patches {
  Patch a, b;
};

void load_patches(const Difference& d, const Faces& reference, Patches& patches) {
  const Vector3 on_b = -(d.pose.rotation.transpose() * reference.normal);
  if (reference.on_a) {
    const Vector3 lean = d.pose.rotation * d.b.support(on_b).point + d.pose.position;
    d.a.face_patch(reference.face, lean, patches.a);
    d.b.incident_patch(on_b, patches.b);
  } else {
    d.b.face_patch(reference.face, d.pose.to_body(d.a.support(reference.normal).point), patches.b);
    d.a.incident_patch(reference.normal, patches.a);
  }
  to_frame_of_a(patches.b, d.pose);
}

std::uint64_t face_key(const Faces& reference, int incident, int id) {
  return (std::uint64_t(reference.on_a) << 63) | (std::uint64_t(reference.face & 0x7fff) << 48) |
         (std::uint64_t(incident & 0xffff) << 32) | std::uint32_t(id);
}

// The points of the clipped patch against the plane of the reference face.
void add_face_points(const Difference& d, const Faces& reference, const Patches& patches,
                     const Output& output) {
  const Vector3& n = reference.normal;
  const Patch& face = reference.on_a ? patches.a : patches.b;
  const Patch& clipped = reference.on_a ? patches.b : patches.a;
  const double offset = n.dot(face.points[0]), round = d.a.rounding + d.b.rounding;
  for (std::size_t i = 0; i < clipped.points.size(); ++i) {
    const Vector3& point = clipped.points[i];
    const double apart = (reference.on_a ? 1 : -1) * (n.dot(point) - offset);
    const Vector3 on_face = point - (n.dot(point) - offset) * n;
    const Vector3 &a = reference.on_a ? on_face : point, &b = reference.on_a ? point : on_face;
    output.add(a + d.a.rounding * n, b - d.b.rounding * n, n, apart - round,
               face_key(reference, clipped.id, clipped.ids[i]));
  }
}

void add_nearest(const Difference& d, const Separation& separation, const Faces& reference,
                 const Output& output) {
  const Vector3& n = reference.normal;
  const double apart = separation.axis.separation;
  Vector3 a = separation.point_a, b = separation.point_b;
  if (!separation.points_known) {
    const DifferencePoint outermost = d.support(n);
    a = reference.on_a ? Vector3(outermost.b - apart * n) : outermost.a;
    b = a + apart * n;
  }
  output.add(a + d.a.rounding * n, b - d.b.rounding * n, n, apart - d.a.rounding - d.b.rounding,
             face_key(reference, 0xffff, 0));
}

bool add_face_contact(const Difference& d, const Separation& separation, const Output& output) {
  thread_local Patches patches;
  Faces reference;
  if (!find_reference(d, separation.axis.normal, kAligned, reference)) return false;
  load_patches(d, reference, patches);
  const Patch& face = reference.on_a ? patches.a : patches.b;
  Patch& incident = reference.on_a ? patches.b : patches.a;
  const Vector3 outward = reference.on_a ? reference.normal : Vector3(-reference.normal);
  const double size = d.a.size + d.b.size;
  clip(incident, face, outward, 1e-12 * size);
  const std::size_t first = output.manifold.points.size();
  add_face_points(d, reference, patches, output);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = first; i < output.manifold.points.size(); ++i)
    least = std::min(least, output.manifold.points[i].gap);
  const double nearest = separation.axis.separation - d.a.rounding - d.b.rounding;
  if (least > nearest + 1e-9 * size)  // the nearest point is on no patch: a needle, a rim
    add_nearest(d, separation, reference, output);
  thin_out(output.manifold.points, first);
  return true;
}

// Edges or corners touch, but the normal is almost that of a face: one box on another with a slight
// tilt. The point found is the nearest one; the faces give the others, so that a stack does not
// stand on one point. At those the bodies are no nearer to each other than at the first (up to the
// square of the angle).
bool add_near_faces(const Difference& d, const Separation& separation, const Output& output) {
  thread_local Patches patches;
  Faces reference;
  const Vector3& n = separation.axis.normal;
  if (!find_reference(d, n, kNear, reference)) return false;
  load_patches(d, reference, patches);
  const Patch& face = reference.on_a ? patches.a : patches.b;
  Patch& incident = reference.on_a ? patches.b : patches.a;
  const double side = reference.on_a ? 1 : -1, size = d.a.size + d.b.size;
  clip(incident, face, side * reference.normal, 1e-12 * size);
  const std::size_t first = output.manifold.points.size();
  add_nearest(d, separation, {reference.on_a, n, reference.face}, output);
  const double offset = reference.normal.dot(face.points[0]), least = separation.axis.separation;
  const double round = d.a.rounding + d.b.rounding;
  for (std::size_t i = 0; i < incident.points.size(); ++i) {
    const Vector3& point = incident.points[i];
    const double apart = std::max(least, side * (reference.normal.dot(point) - offset));
    const Vector3 a = reference.on_a ? Vector3(point - apart * n) : point, b = a + apart * n;
    if ((a - separation.point_a).norm() < 1e-6 * size) continue;
    output.add(a + d.a.rounding * n, b - d.b.rounding * n, n, apart - round,
               face_key(reference, incident.id, incident.ids[i]));
  }
  thin_out(output.manifold.points, first);
  return true;
}

// Two parallel edges: the ends of the part where they lie side by side.
bool add_parallel_edges(const Difference& d, const Separation& separation, const Output& output) {
  thread_local Patches patches;
  const Vector3& n = separation.axis.normal;
  const double level = kLevel * std::min(d.a.size, d.b.size);
  d.a.outermost_patch(n, level, patches.a);
  d.b.outermost_patch(-(d.pose.rotation.transpose() * n), level, patches.b);
  if (patches.a.points.size() != 2 || patches.b.points.size() != 2) return false;
  to_frame_of_a(patches.b, d.pose);
  const Vector3& start = patches.a.points[0];
  const Vector3 edge = patches.a.points[1] - start,
                other = patches.b.points[1] - patches.b.points[0];
  const double length = edge.norm();
  if (edge.cross(other).norm() > kLevel * length * other.norm()) return false;
  const Vector3 along = edge / length;
  double from = along.dot(patches.b.points[0] - start), to = along.dot(patches.b.points[1] - start);
  if (from > to) std::swap(from, to);
  const double begin = std::max(from, 0.0), end = std::min(to, length);
  if (!(end - begin > kLevel * length)) return false;
  const Vector3 across =
      patches.b.points[0] - start - along.dot(patches.b.points[0] - start) * along;
  const double apart = n.dot(across), round = d.a.rounding + d.b.rounding;
  for (const double s : {begin, end}) {
    const Vector3 a = start + s * along;
    output.add(a + d.a.rounding * n, a + across - d.b.rounding * n, n, apart - round,
               mix(mix(patches.a.id, patches.b.id), s == begin));
  }
  return true;
}

}  // namespace

void clip(Patch& patch, const Patch& face, const Vector3& normal, double tolerance) {
  thread_local Patch work;
  const std::size_t count = face.points.size();
  for (std::size_t i = 0; i < count && !patch.points.empty(); ++i) {
    const Vector3 &here = face.points[i], &next = face.points[(i + 1) % count];
    const Vector3 outward = (next - here).cross(normal).normalized();
    clip_by_plane(patch, work, outward, outward.dot(here), tolerance, static_cast<int>(i));
  }
}

void thin_out(std::vector<ContactPoint>& points, std::size_t first) {
  const std::size_t count = points.size() - first;
  if (count <= kMostPoints) return;
  auto begin = points.begin() + static_cast<std::ptrdiff_t>(first);
  std::iter_swap(begin, std::min_element(begin, points.end(), [](const auto& a, const auto& b) {
                   return a.gap < b.gap;
                 }));
  for (int kept = 1; kept < kMostPoints; ++kept) {
    auto farthest = begin + kept;
    double most = -1;
    for (auto it = begin + kept; it != points.end(); ++it) {
      double least = std::numeric_limits<double>::infinity();
      for (auto chosen = begin; chosen != begin + kept; ++chosen)
        least = std::min(least, (chosen->position - it->position).squaredNorm());
      if (least > most) most = least, farthest = it;
    }
    std::iter_swap(begin + kept, farthest);
  }
  points.resize(first + kMostPoints);
}

void add_patches(const Difference& d, const Separation& separation, const Output& output) {
  const Axis& axis = separation.axis;
  const bool edges = axis.arc_a >= 0;
  if (!edges && add_face_contact(d, separation, output)) return;
  if (separation.points_known && add_near_faces(d, separation, output)) return;
  if (!edges && add_parallel_edges(d, separation, output)) return;
  const Vector3& n = axis.normal;
  const std::uint64_t key = mix(axis.arc_a + 1, axis.arc_b + 1);
  output.add(separation.point_a + d.a.rounding * n, separation.point_b - d.b.rounding * n, n,
             axis.separation - d.a.rounding - d.b.rounding, key);
}

}  // namespace clack::narrow
