#include "clack/model/samples/blocks.hpp"

namespace clack::samples {
namespace {

// Of an anticlockwise or clockwise polygon.
Vector2 centroid(const std::vector<Vector2>& outline) {
  Vector2 moment = Vector2::Zero();
  double twice = 0;
  for (std::size_t i = 1; i + 1 < outline.size(); ++i) {
    const Vector2 a = outline[i] - outline[0], b = outline[i + 1] - outline[0];
    const double area = a.x() * b.y() - a.y() * b.x();
    moment += area * (a + b) / 3;
    twice += area;
  }
  return outline[0] + moment / twice;
}

}  // namespace

ShapePtr make_block(const Vector3& size, int dim) {
  if (dim == 3) return make_shape(Box(0.5 * size));
  const double x = 0.5 * size.x(), y = 0.5 * size.y();
  return make_shape(Polygon({{-x, -y}, {x, -y}, {x, y}, {-x, y}}));
}

Vector3 upright(const Vector3& point, int dim) {
  return dim == 3 ? point : Vector3(point.x(), point.z(), 0);
}

CompoundPart make_prism_part(const std::vector<Vector2>& outline, double front, double back,
                             int dim) {
  const Vector2 centre = centroid(outline);
  std::vector<Vector2> corners;
  for (const Vector2& corner : outline) corners.push_back(corner - centre);
  if (dim == 2) return {make_shape(Polygon(corners)), planar_pose(centre.x(), centre.y(), 0)};
  std::vector<Vector3> points;
  const double half = 0.5 * (back - front);
  for (const Vector2& corner : corners)
    for (const double y : {-half, half}) points.emplace_back(corner.x(), y, corner.y());
  return {make_shape(Polyhedron(points)), {{centre.x(), 0.5 * (front + back), centre.y()}}};
}

SampleBody make_prism(const std::vector<Vector2>& outline, double front, double back, int dim,
                      std::string suffix) {
  CompoundPart part = make_prism_part(outline, front, back, dim);
  return {std::move(part.shape), part.pose, std::move(suffix)};
}

}  // namespace clack::samples
