// The joints of a simulation: names, rates, efforts from outside, reactions.
#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "clack/integrate/body_reading.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"
#include "python/bindings/simulation.hpp"

namespace clack::python {
namespace {

using Pointer = std::shared_ptr<PySimulation>;

const RigidBodies& bodies_of(const Pointer& simulation) {
  (void)simulation->rigid_world();  // else it throws
  return *simulation->scene().system->bodies();
}

std::vector<std::string> joint_names(const Pointer& simulation) {
  const RigidWorld& world = simulation->rigid_world();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < holding_count(world); ++i) names.push_back(holding_name(world, i));
  return names;
}

std::vector<std::pair<std::string, std::string>> coordinates(const Pointer& simulation) {
  const WorldJoints& joints = bodies_of(simulation).joints();
  std::vector<std::pair<std::string, std::string>> names;
  for (const WorldJoints::Coordinate& x : joints.coordinates())
    names.emplace_back(joints.joints()[static_cast<std::size_t>(x.joint)].name, x.what.name);
  return names;
}

double rate(const Pointer& simulation, int coordinate) {
  return bodies_of(simulation).coordinate_rate(coordinate, simulation->q(), simulation->v());
}

// Only what the scene leaves to a controller can be set.
double& effort_at(const Pointer& simulation, int coordinate) {
  const RigidBodies& bodies = bodies_of(simulation);
  const WorldJoints& joints = bodies.joints();
  const auto k = static_cast<std::size_t>(coordinate);
  const int number = joints.coordinates()[k].joint;
  const Joint& joint = joints.joints()[static_cast<std::size_t>(number)];
  for (const JointMotor& motor : joint.motors) {
    if (motor.controlled && joints.coordinate(number, motor.coordinate) == coordinate)
      return (*bodies.world().efforts)[k];
  }
  throw InputError(
      fmt::format("joint '{}' is not controlled from outside; say `control: true` in "
                  "its entry in the scene",
                  joint.name));
}

py::array_t<double> reactions(const Pointer& simulation) {
  std::vector<double> values;
  simulation->run().collect_reactions(values);
  py::array_t<double> array({static_cast<py::ssize_t>(values.size() / 6), py::ssize_t{6}});
  std::copy(values.begin(), values.end(), array.mutable_data());
  return array;
}

// Power, then work, of the drives of each joint.
std::pair<double, double> drive(const Pointer& simulation, std::size_t joint) {
  std::vector<double> values;
  simulation->run().collect_drive_powers(values);
  if (values.empty()) return {0, 0};
  return {values[joint], values[values.size() / 2 + joint]};
}

}  // namespace

void bind_joints(py::class_<PySimulation, Pointer>& simulation) {
  simulation.def_property_readonly("_joint_names", &joint_names)
      .def_property_readonly("_joint_coordinates", &coordinates)
      .def("_joint_rate", &rate)
      .def("_joint_effort", [](const Pointer& s, int k) { return effort_at(s, k); })
      .def("_set_joint_effort",
           [](const Pointer& s, int k, double effort) {
             if (!std::isfinite(effort)) throw InputError("an effort must be finite");
             effort_at(s, k) = effort;
           })
      .def_property_readonly("_joint_reactions", &reactions)
      .def("_joint_drive", &drive);
}

}  // namespace clack::python
