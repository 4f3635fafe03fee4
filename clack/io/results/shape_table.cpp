#include "clack/io/results/shape_table.hpp"

#include <Eigen/Geometry>

namespace clack {
namespace {

using Numbers = std::vector<double>;

void append(Numbers& out, const Vector3& x) { out.insert(out.end(), x.begin(), x.end()); }

void append_corners(Numbers& out, double rounding, const std::vector<Vector3>& corners) {
  out = {rounding, static_cast<double>(corners.size())};
  for (const Vector3& corner : corners) append(out, corner);
}

Numbers numbers_of(const PlanarCore& core) {
  Numbers out = {core.rounding, static_cast<double>(core.vertices.size())};
  for (const Vector2& corner : core.vertices) out.insert(out.end(), corner.begin(), corner.end());
  return out;
}

struct Numbering {
  ShapeTable& table;

  Numbers operator()(const Sphere& s) const { return {s.radius}; }
  Numbers operator()(const Capsule& s) const { return {s.radius, s.half_length}; }
  Numbers operator()(const Cylinder& s) const { return {s.radius, s.half_length, s.rounding}; }
  Numbers operator()(const ConeShape& s) const { return {s.radius, s.height, s.rounding}; }
  Numbers operator()(const Plane& s) const {
    return {s.normal.x(), s.normal.y(), s.normal.z(), s.offset};
  }
  Numbers operator()(const Box& s) const {
    return {s.half.x(), s.half.y(), s.half.z(), s.rounding};
  }
  Numbers operator()(const Polyhedron& s) const {
    Numbers out;
    append_corners(out, s.rounding, s.core.vertices);
    for (const PolytopeFace& face : s.core.faces) {
      out.push_back(face.end - face.begin);
      out.insert(out.end(), s.core.loops.begin() + face.begin, s.core.loops.begin() + face.end);
    }
    return out;
  }
  Numbers operator()(const TriangleMesh& s) const {
    Numbers out;
    append_corners(out, s.rounding, s.vertices);
    for (const Triangle& triangle : s.triangles)
      out.insert(out.end(), triangle.begin(), triangle.end());
    return out;
  }
  Numbers operator()(const HeightField& s) const {
    Numbers out = {static_cast<double>(s.nx), static_cast<double>(s.ny), s.dx, s.dy, s.rounding};
    out.insert(out.end(), s.heights.begin(), s.heights.end());
    return out;
  }
  Numbers operator()(const Compound& s) const {
    Numbers out;
    for (const CompoundPart& part : s.parts) {
      out.push_back(table.add(part.shape));
      append(out, part.pose.position);
      const Eigen::Quaterniond q(part.pose.rotation);
      out.insert(out.end(), {q.w(), q.x(), q.y(), q.z()});
    }
    return out;
  }
  Numbers operator()(const Disc& s) const { return {s.radius}; }
  Numbers operator()(const PlanarCapsule& s) const { return {s.radius, s.half_length}; }
  Numbers operator()(const Polygon& s) const { return numbers_of(s.core); }
  Numbers operator()(const Segment& s) const { return numbers_of(s.core); }
  Numbers operator()(const Line& s) const { return {s.normal.x(), s.normal.y(), s.offset}; }
  Numbers operator()(const RingShape& s) const { return {s.inner, s.outer}; }
  Numbers operator()(const Tube& s) const { return {s.inner, s.outer, s.half_length}; }
  Numbers operator()(const Socket& s) const { return {s.inner, s.outer}; }
};

}  // namespace

int ShapeTable::add(const ShapePtr& shape) {
  const auto known = known_.find(shape.get());
  if (known != known_.end()) return known->second;
  Numbers numbers = std::visit(Numbering{*this}, shape->geometry());  // parts come first
  const int index = static_cast<int>(kinds_.size());
  numbers_.push_back(std::move(numbers));
  kinds_.emplace_back(shape_list()[static_cast<std::size_t>(shape->kind())].name);
  known_.emplace(shape.get(), index);
  return index;
}

std::vector<StaticDataset> ShapeTable::datasets() const {
  std::vector<double> all;
  std::vector<std::int64_t> offset = {0};
  for (const Numbers& numbers : numbers_) {
    all.insert(all.end(), numbers.begin(), numbers.end());
    offset.push_back(static_cast<std::int64_t>(all.size()));
  }
  return {{"/shapes/kind", kinds_}, {"/shapes/offset", offset}, {"/shapes/number", all}};
}

}  // namespace clack
