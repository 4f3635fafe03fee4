// Van den Bergen's expanding polytope on A - B: a polytope inside A - B grows at its face nearest
// to the origin until that face lies on the boundary.
#include <algorithm>
#include <array>
#include <cmath>

#include "clack/collide/narrow/penetration.hpp"

namespace clack::narrow {
namespace {

constexpr int kMostPoints = 400;
constexpr double kAnyAngle = 4;
constexpr double kConverged = 1e-12;  // distance left to the boundary, relative to the size

struct Face {
  std::array<int, 3> corner;     // anticlockwise from outside
  std::array<int, 3> neighbour;  // across the side i, i+1
  Vector3 normal;
  double distance;  // of the origin to the plane
  bool alive;
  unsigned stamp;  // of the last search for visible faces
};

struct Side {
  int face, side;
};

// Kept by each thread, so that nothing is allocated once warm.
struct Workspace {
  std::vector<DifferencePoint> points;
  std::vector<Face> faces;
  std::vector<Side> horizon;
  std::vector<int> stack;
};

class Expansion {
 public:
  Expansion(const Difference& difference, Workspace& work)
      : difference_(difference), work_(work), size_(difference.size()) {
    work_.points.clear();
    work_.faces.clear();
  }

  Axis run(const Simplex& start);

 private:
  bool make_tetrahedron(const Simplex& start);
  bool add_towards(const Vector3& direction);
  void add_face(int i, int j, int k);
  void link_all();
  int nearest_face() const;
  bool insert(const DifferencePoint& point, int face);
  bool find_horizon(const Vector3& w, int face);
  bool visible(const Face& face, const Vector3& w) const {
    return face.normal.dot(w) - face.distance > 1e-15 * size_;
  }

  const Difference& difference_;
  Workspace& work_;
  double size_;
  unsigned stamp_ = 0;
};

double volume(const std::vector<DifferencePoint>& p) {
  return (p[1].w - p[0].w).cross(p[2].w - p[0].w).dot(p[3].w - p[0].w);
}

// Adds the support of a direction where it is not in the span of the points at hand.
bool Expansion::add_towards(const Vector3& direction) {
  const DifferencePoint next = difference_.support(direction);
  const double ahead = direction.dot(next.w - work_.points[0].w);
  if (std::abs(ahead) < 1e-9 * size_ * direction.norm()) return false;
  work_.points.push_back(next);
  return true;
}

bool Expansion::make_tetrahedron(const Simplex& start) {
  for (int i = 0; i < start.count; ++i) work_.points.push_back(start.points[i]);
  std::vector<DifferencePoint>& p = work_.points;
  if (p.size() == 4 && std::abs(volume(p)) < 1e-12 * std::pow(size_, 3)) p.resize(1);
  for (int axis = 0; axis < 6 && p.size() == 1; ++axis)
    add_towards((axis % 2 ? -1 : 1) * Vector3::Unit(axis / 2));
  if (p.size() == 2) {
    const Vector3 line = p[1].w - p[0].w, across = line.unitOrthogonal();
    const Vector3 other = line.normalized().cross(across);
    if (!add_towards(across) && !add_towards(-across) && !add_towards(other)) add_towards(-other);
  }
  if (p.size() == 3) {
    const Vector3 normal = (p[1].w - p[0].w).cross(p[2].w - p[0].w).normalized();
    if (!add_towards(normal)) add_towards(-normal);
  }
  if (p.size() < 4) return false;
  if (volume(p) > 0) std::swap(p[1], p[2]);
  return true;
}

void Expansion::add_face(int i, int j, int k) {
  Face face{{i, j, k}, {-1, -1, -1}, Vector3::Zero(), 0, true, 0};
  const Vector3 &a = work_.points[i].w, &b = work_.points[j].w, &c = work_.points[k].w;
  face.normal = (b - a).cross(c - a);
  const double area = face.normal.norm();
  // A face without area is never the nearest one, but keeps the surface closed.
  face.distance = std::numeric_limits<double>::infinity();
  if (area > 0) {
    face.normal /= area;
    face.distance = face.normal.dot(a);
  }
  work_.faces.push_back(face);
}

void Expansion::link_all() {
  for (Face& face : work_.faces)
    for (int side = 0; side < 3; ++side)
      for (int f = 0; f < 4; ++f)
        for (int other = 0; other < 3; ++other)
          if (work_.faces[f].corner[other] == face.corner[(side + 1) % 3] &&
              work_.faces[f].corner[(other + 1) % 3] == face.corner[side])
            face.neighbour[side] = f;
}

int Expansion::nearest_face() const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (int f = 0; f < static_cast<int>(work_.faces.size()); ++f)
    if (work_.faces[f].alive && work_.faces[f].distance < least)
      least = work_.faces[f].distance, best = f;
  return best;
}

// Removes the faces that see w, starting at one; their border is the horizon, in order of
// discovery.
bool Expansion::find_horizon(const Vector3& w, int start) {
  work_.horizon.clear();
  work_.stack.assign({start});
  ++stamp_;
  work_.faces[start].stamp = stamp_;
  while (!work_.stack.empty()) {
    const int f = work_.stack.back();
    work_.stack.pop_back();
    work_.faces[f].alive = false;
    for (int side = 0; side < 3; ++side) {
      const int other = work_.faces[f].neighbour[side];
      if (work_.faces[other].stamp == stamp_) continue;
      if (visible(work_.faces[other], w)) {
        work_.faces[other].stamp = stamp_;
        work_.stack.push_back(other);
      } else {
        work_.horizon.push_back({f, side});
      }
    }
  }
  return work_.horizon.size() >= 3;
}

bool Expansion::insert(const DifferencePoint& point, int face) {
  if (!find_horizon(point.w, face)) return false;
  const int apex = static_cast<int>(work_.points.size());
  const int first = static_cast<int>(work_.faces.size());
  work_.points.push_back(point);
  for (const Side& edge : work_.horizon) {
    const Face& dead = work_.faces[edge.face];
    const int tail = dead.corner[edge.side], head = dead.corner[(edge.side + 1) % 3];
    const int outside = dead.neighbour[edge.side], made = static_cast<int>(work_.faces.size());
    add_face(tail, head, apex);
    work_.faces[made].neighbour[0] = outside;
    for (int side = 0; side < 3; ++side)
      if (work_.faces[outside].corner[side] == head &&
          work_.faces[outside].corner[(side + 1) % 3] == tail)
        work_.faces[outside].neighbour[side] = made;
  }
  const int last = static_cast<int>(work_.faces.size());
  for (int f = first; f < last; ++f)
    for (int g = first; g < last; ++g)
      if (work_.faces[f].corner[1] == work_.faces[g].corner[0]) {
        work_.faces[f].neighbour[1] = g;
        work_.faces[g].neighbour[2] = f;
      }
  for (int f = first; f < last; ++f)  // a horizon that is no single loop cannot be closed
    if (work_.faces[f].neighbour[1] < 0 || work_.faces[f].neighbour[2] < 0) return false;
  return true;
}

Axis Expansion::run(const Simplex& start) {
  Axis best{-std::numeric_limits<double>::infinity(), Vector3::UnitZ()};
  if (!make_tetrahedron(start)) return {difference_.separation(best.normal), best.normal};
  add_face(0, 1, 2);
  add_face(0, 3, 1);
  add_face(0, 2, 3);
  add_face(1, 3, 2);
  link_all();
  while (static_cast<int>(work_.points.size()) < kMostPoints) {
    const int face = nearest_face();
    if (face < 0) break;
    const Vector3 normal = work_.faces[face].normal;
    const double inner = work_.faces[face].distance;
    const DifferencePoint next = difference_.support(normal);
    const double outer = normal.dot(next.w);
    if (-outer > best.separation) best = {-outer, normal};
    if (-best.separation - inner <= kConverged * size_ || !insert(next, face)) break;
  }
  return best;
}

// With B moved apart along the normal by a little more than the depth, the nearest points of the
// moved bodies have the same normal where it is the right one, and a better one where it is not:
// the error shrinks by depth/(radius of curvature).
Axis refine(const Difference& d, Axis axis) {
  for (int k = 0; k < 8; ++k) {
    Pose moved = d.pose;
    const double shift = 1e-3 * d.size() - axis.separation;
    moved.position += shift * axis.normal;
    const Difference apart{d.a, d.b, moved};
    const Distance distance = compute_distance(apart, std::numeric_limits<double>::infinity());
    if (distance.verdict != Distance::Verdict::apart) break;
    const double separation = d.separation(distance.normal);
    if (!(separation > axis.separation)) break;
    const bool done = separation - axis.separation < 1e-15 * d.size();
    axis = {separation, distance.normal};
    if (done) break;
  }
  return axis;
}

}  // namespace

Axis expand_polytope(const Difference& difference, const Simplex& start) {
  thread_local Workspace work;
  const Axis axis = Expansion(difference, work).run(start);
  return refine(difference, snap_to_faces(difference, axis, {kAnyAngle, 0}));
}

}  // namespace clack::narrow
