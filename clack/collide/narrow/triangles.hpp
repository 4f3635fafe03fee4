// One triangle of a surface against a convex body, with what its neighbours allow: a contact on an
// edge or a vertex counts only where the surface is convex there and the normal points between the
// normals of the faces around it (eq:internal_edge). Elsewhere a neighbour's face has the contact.
#pragma once

#include <array>

#include "clack/collide/narrow/pairs.hpp"

namespace clack::narrow {

// A triangle as a flat polytope with two faces.
class TriangleCore {
 public:
  TriangleCore(const std::array<Vector3, 3>& corners, const Vector3& normal);
  PolytopeView view() const { return {corners_, faces_, kLoops, arcs_, {}, {}}; }

 private:
  static constexpr std::array<int, 6> kLoops{0, 1, 2, 0, 2, 1};
  std::array<Vector3, 3> corners_;
  std::array<PolytopeFace, 2> faces_;
  std::array<PolytopeArc, 6> arcs_;
};

struct SurfaceTriangle {
  std::array<Vector3, 3> corner;
  std::array<int, 3> vertex;  // ids
  Vector3 normal;             // unit
  int id;
};

enum class Sides { front, both, solid };  // solid: all that is behind counts as inside

// What the neighbours of a triangle say about a normal at one of its features.
class Neighbours {
 public:
  virtual ~Neighbours() = default;
  // Is the neighbour across the side i, i+1 nowhere in front of the plane with that normal?
  virtual bool edge_allows(const SurfaceTriangle& triangle, int side,
                           const Vector3& normal) const = 0;
  virtual bool vertex_allows(const SurfaceTriangle& triangle, int corner,
                             const Vector3& normal) const = 0;
};

struct SurfaceContact {
  const SurfaceTriangle& triangle;
  const Neighbours& neighbours;
  const Convex& body;
  const Pose& pose;  // of the body in the frame of the surface
  double rounding;   // of the surface
  Sides sides;
  const Output& output;

  void add() const;

 private:
  void add_ball() const;
  void add_core() const;
  void add_on_face(const Difference& difference) const;
  bool reaches_through(const Difference& difference) const;
  bool allows(const Vector3& normal) const;
  std::uint64_t key(int corners) const;
};

// Points that two triangles share are kept once, and of many points with one normal a few.
void tidy(std::vector<ContactPoint>& points, std::size_t first, double tolerance);

}  // namespace clack::narrow
