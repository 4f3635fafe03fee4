#include "clack/io/robots/robot_shapes.hpp"

#include "clack/io/meshes/mesh_reader.hpp"

namespace clack {

ShapePtr make_robot_shape(const RobotShape& shape) {
  switch (shape.kind) {
    case RobotShape::Kind::box:
      return make_shape(Box(0.5 * shape.size));
    case RobotShape::Kind::sphere:
      return make_shape(Sphere(shape.size[0]));
    case RobotShape::Kind::cylinder:
      return make_shape(Cylinder(shape.size[0], 0.5 * shape.size[1]));
    case RobotShape::Kind::capsule:
      return make_shape(Capsule(shape.size[0], 0.5 * shape.size[1]));
    case RobotShape::Kind::plane:
      return make_shape(Plane());
    case RobotShape::Kind::mesh:
      break;
  }
  MeshData data = read_mesh(shape.file);
  scale_mesh(data, shape.scale);
  return make_shape(TriangleMesh(std::move(data.vertices), std::move(data.triangles)));
}

}  // namespace clack
