#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/shapes/moments.hpp"

namespace clack::shapes {
namespace {

Matrix3 outer(const Vector3& a, const Vector3& b) { return a * b.transpose(); }

// The tetrahedron of the origin and three points; negative where they are clockwise.
Moments tetrahedron(const Vector3& a, const Vector3& b, const Vector3& c) {
  Moments moments;
  const Vector3 sum = a + b + c;
  moments.volume = a.dot(b.cross(c)) / 6;
  moments.first = moments.volume / 4 * sum;
  moments.second =
      moments.volume / 20 * (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum));
  return moments;
}

// Area, ∫ x dA, ∫ x x' dA of a triangle.
Moments triangle(const Vector3& a, const Vector3& b, const Vector3& c) {
  Moments moments;
  const Vector3 sum = a + b + c;
  moments.volume = (b - a).cross(c - a).norm() / 2;
  moments.first = moments.volume / 3 * sum;
  moments.second =
      moments.volume / 12 * (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum));
  return moments;
}

// A layer of the given height on a flat piece.
Moments prism(const Moments& base, const Vector3& normal, double height) {
  Moments moments;
  moments.volume = height * base.volume;
  moments.first = height * base.first + height * height / 2 * base.volume * normal;
  const Matrix3 mixed = outer(base.first, normal);
  moments.second = height * base.second + height * height / 2 * (mixed + mixed.transpose()) +
                   height * height * height / 3 * base.volume * outer(normal, normal);
  return moments;
}

// The sector of a cylinder about the edge a-b between two directions perpendicular to it.
Moments edge_sector(const Vector3& a, const Vector3& b, const Vector3& from, const Vector3& to,
                    double radius) {
  const double angle = std::atan2(from.cross(to).norm(), from.dot(to));
  if (angle == 0) return {};
  const double length = (b - a).norm(), area = angle * radius * radius / 2;
  const Vector3 middle = 0.5 * (a + b), axis = (from + to).normalized();
  const Vector3 side = axis.cross((b - a).normalized());
  const Matrix3 line = length * (outer(middle, middle) + outer(b - a, b - a) / 12);
  const Vector3 arm = 2 * std::pow(radius, 3) / 3 * std::sin(angle / 2) * axis;
  const Matrix3 mixed = length * outer(middle, arm);
  Moments moments;
  moments.volume = area * length;
  moments.first = length * (area * middle + arm);
  moments.second = area * line + mixed + mixed.transpose() +
                   length * std::pow(radius, 4) / 8 *
                       ((angle + std::sin(angle)) * outer(axis, axis) +
                        (angle - std::sin(angle)) * outer(side, side));
  return moments;
}

// Angle at vertex i of a face's loop.
double corner_angle(const Polytope& p, const PolytopeFace& face, int i) {
  const int count = face.end - face.begin;
  const Vector3& here = p.vertices[p.loops[face.begin + i]];
  const Vector3 next = p.vertices[p.loops[face.begin + (i + 1) % count]] - here;
  const Vector3 last = p.vertices[p.loops[face.begin + (i + count - 1) % count]] - here;
  return std::atan2(next.cross(last).norm(), next.dot(last));
}

// Sectors of a ball at the vertices: solid angle 2 pi - sum of the corner angles, and
// ∫ n dOmega = 1/2 sum over the arcs of angle times the normal of the arc's plane.
Moments vertex_sectors(const Polytope& p, double radius) {
  std::vector<double> solid(p.vertices.size(), 2 * M_PI);
  std::vector<Vector3> mean(p.vertices.size(), Vector3::Zero());
  for (const PolytopeFace& face : p.faces)
    for (int i = 0; i < face.end - face.begin; ++i)
      solid[p.loops[face.begin + i]] -= corner_angle(p, face, i);
  for (const PolytopeArc& arc : p.arcs) {
    const double angle = std::atan2(arc.from.cross(arc.to).norm(), arc.from.dot(arc.to));
    mean[arc.head] += angle / 2 * arc.direction;
    mean[arc.tail] -= angle / 2 * arc.direction;
  }
  Moments sum;
  for (std::size_t i = 0; i < p.vertices.size(); ++i) {
    const Vector3& v = p.vertices[i];
    const double volume = std::pow(radius, 3) / 3 * solid[i];
    const Vector3 arm = std::pow(radius, 4) / 4 * mean[i];
    sum.volume += volume;
    sum.first += volume * v + arm;
    sum.second += volume * outer(v, v) + outer(v, arm) + outer(arm, v);
  }
  sum.second += 4 * M_PI / 15 * std::pow(radius, 5) * Matrix3::Identity();
  return sum;
}

double cross(const Vector2& a, const Vector2& b) { return a.x() * b.y() - a.y() * b.x(); }
Vector3 lift(const Vector2& v) { return {v.x(), v.y(), 0}; }

// The part of a disc about a corner between two directions, as an edge sector of unit length
// without its extent along z.
Moments disc_sector(const Vector2& corner, const Vector2& from, const Vector2& to, double radius) {
  const double angle = std::atan2(std::abs(cross(from, to)), from.dot(to));
  Moments moments = edge_sector(lift(corner) - Vector3(0, 0, 0.5),
                                lift(corner) + Vector3(0, 0, 0.5), lift(from), lift(to), radius);
  moments.second(2, 2) -= angle * radius * radius / 2 / 12;
  return moments;
}

Moments layer(const Vector2& a, const Vector2& b, const Vector2& normal, double height) {
  Moments line;
  line.volume = (b - a).norm();
  line.first = line.volume * lift(0.5 * (a + b));
  line.second = line.volume * (outer(lift(0.5 * (a + b)), lift(0.5 * (a + b))) +
                               outer(lift(b - a), lift(b - a)) / 12);
  return prism(line, lift(normal), height);
}

}  // namespace

Moments mesh_moments(const TriangleMesh& mesh) {
  if (!mesh.is_closed()) throw InputError("the mesh is not closed: it has no volume and no mass");
  const Vector3 centre = mesh.vertices[mesh.triangles[0][0]];  // near the surface: least round-off
  Moments sum;
  for (const Triangle& t : mesh.triangles)
    sum += tetrahedron(mesh.vertices[t[0]] - centre, mesh.vertices[t[1]] - centre,
                       mesh.vertices[t[2]] - centre);
  if (!(sum.volume > 0))
    throw InputError(
        "the volume of the mesh is not > 0; are its triangles clockwise from outside?");
  return sum.moved({centre, Matrix3::Identity()});
}

Moments polytope_moments(const Polytope& p, double rounding) {
  const Vector3 centre = p.vertices[0];
  Moments sum, layers;
  for (const PolytopeFace& face : p.faces) {
    Moments flat;
    for (int i = face.begin + 1; i + 1 < face.end; ++i) {
      const Vector3 &a = p.vertices[p.loops[face.begin]], &b = p.vertices[p.loops[i]],
                    &c = p.vertices[p.loops[i + 1]];
      sum += tetrahedron(a - centre, b - centre, c - centre);
      flat += triangle(a, b, c);
    }
    layers += prism(flat, face.normal, rounding);
  }
  sum = sum.moved({centre, Matrix3::Identity()});
  if (rounding == 0) return sum;
  sum += layers;
  for (const PolytopeArc& arc : p.arcs)
    sum += edge_sector(p.vertices[arc.tail], p.vertices[arc.head], arc.from, arc.to, rounding);
  return sum += vertex_sectors(p, rounding);
}

Moments planar_moments(const PlanarCore& core) {
  const std::size_t n = core.vertices.size();
  Moments sum;
  if (n == 1) {
    sum.volume = M_PI * core.rounding * core.rounding;
    sum.first = sum.volume * lift(core.vertices[0]);
    sum.second = sum.volume * outer(lift(core.vertices[0]), lift(core.vertices[0]));
    sum.second.diagonal().head<2>().array() += sum.volume * core.rounding * core.rounding / 4;
    return sum;
  }
  for (std::size_t i = 1; i + 1 < n; ++i)
    sum += triangle(lift(core.vertices[0]), lift(core.vertices[i]), lift(core.vertices[i + 1]));
  for (std::size_t i = 0; i < n; ++i) {
    const Vector2& next = core.vertices[(i + 1) % n];
    sum += layer(core.vertices[i], next, core.normals[i], core.rounding);
    if (n > 2) {
      sum += disc_sector(next, core.normals[i], core.normals[(i + 1) % n], core.rounding);
    } else {  // half a disc is two quarters
      const Vector2 out = (next - core.vertices[i]).normalized();
      sum += disc_sector(next, core.normals[i], out, core.rounding);
      sum += disc_sector(next, out, core.normals[1 - i], core.rounding);
    }
  }
  return sum;
}

}  // namespace clack::shapes
