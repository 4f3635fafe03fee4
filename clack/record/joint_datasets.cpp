#include "clack/record/joint_datasets.hpp"

#include "clack/integrate/body_reading.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

constexpr std::int32_t kCoordinatesPerBody = 7;  // those of joints stand behind them

// A link that may break is no joint, but is drawn and listed like one.
Joint unheld(const Link& link) {
  Joint joint;
  joint.a = link.a;
  joint.b = link.b;
  joint.frame_a.point = link.point_a;
  joint.frame_b.point = link.point_b;
  joint.frame_a.axes = Quaternion::FromTwoVectors(Vector3::UnitZ(), link.normal).toRotationMatrix();
  return joint;
}

struct Columns {
  std::vector<std::string> name, kind;
  std::vector<std::int32_t> body_a, body_b, breakable;
  std::vector<double> point_a, point_b, axes_a, axes_b;

  void add(const Joint& joint, const std::string& own_name, const std::string& own_kind,
           bool breaks) {
    name.push_back(own_name);
    kind.push_back(own_kind);
    body_a.push_back(joint.a);
    body_b.push_back(joint.b);
    breakable.push_back(breaks ? 1 : 0);
    add_frame(joint.frame_a, point_a, axes_a);
    add_frame(joint.frame_b, point_b, axes_b);
  }
  static void add_frame(const JointFrame& frame, std::vector<double>& point,
                        std::vector<double>& axes) {
    point.insert(point.end(), frame.point.data(), frame.point.data() + 3);
    axes.insert(axes.end(), frame.axes.data(), frame.axes.data() + 9);  // by columns
  }
};

Columns list_joints(const RigidWorld& world, const WorldJoints& joints) {
  Columns columns;
  for (std::size_t i = 0; i < world.joints.size(); ++i) {
    const Joint& joint = joints.joints()[i];
    columns.add(joint, joint.name, joint_type(joint.kind).name, false);
  }
  for (std::size_t i = 0; i < world.links.size(); ++i) {
    const Link& link = world.links[i];
    const int joint = joints.joint_of_link(static_cast<int>(i));
    columns.add(joint < 0 ? unheld(link) : joints.joints()[static_cast<std::size_t>(joint)],
                link.name, std::string(link.law->name()), joint < 0);
  }
  return columns;
}

void add_coordinates(const RigidWorld& world, const WorldJoints& joints, ResultsHeader& header) {
  std::vector<std::int32_t> joint, place;
  std::vector<std::string> name, unit;
  auto at = kCoordinatesPerBody * static_cast<std::int32_t>(world.bodies.size());
  for (const WorldJoints::Coordinate& x : joints.coordinates()) {
    joint.push_back(x.joint);
    name.push_back(x.what.name);
    unit.push_back(x.what.unit);
    place.push_back(at++);
  }
  if (joint.empty()) return;
  header.extra.push_back({"/joints/coordinate_joint", joint});
  header.extra.push_back({"/joints/coordinate_name", name});
  header.extra.push_back({"/joints/coordinate_unit", unit});
  header.extra.push_back({"/joints/coordinate_place", place});
}

// By joint of the scene, then by link: 0 where constraints share a load that is not unique.
std::vector<std::int32_t> unique_reactions(const WorldJoints& joints, int count,
                                           std::span<const int> shared_loads) {
  std::vector<std::int32_t> unique(static_cast<std::size_t>(count), 1);
  int links = 0;
  for (int j = 0; j < static_cast<int>(joints.joints().size()); ++j)
    links += joints.link(j) >= 0 ? 1 : 0;
  const int own = static_cast<int>(joints.joints().size()) - links;
  for (const int j : shared_loads) {
    const int link = joints.link(j), at = link < 0 ? j : own + link;
    unique[static_cast<std::size_t>(at)] = 0;
  }
  return unique;
}

}  // namespace

void add_joint_datasets(const System& system, std::span<const int> shared_loads,
                        ResultsHeader& header) {
  const RigidBodies* bodies = system.bodies();
  if (!bodies || holding_count(bodies->world()) == 0) return;
  const Columns columns = list_joints(bodies->world(), bodies->joints());
  const auto n = static_cast<int>(columns.name.size());
  header.extra.push_back({"/joints/name", columns.name});
  header.extra.push_back({"/joints/kind", columns.kind});
  header.extra.push_back({"/joints/body_a", columns.body_a});
  header.extra.push_back({"/joints/body_b", columns.body_b});
  header.extra.push_back({"/joints/breakable", columns.breakable});
  header.extra.push_back({"/joints/point_a", columns.point_a, {n, 3}});
  header.extra.push_back({"/joints/point_b", columns.point_b, {n, 3}});
  header.extra.push_back({"/joints/axes_a", columns.axes_a, {n, 9}});
  header.extra.push_back({"/joints/axes_b", columns.axes_b, {n, 9}});
  header.extra.push_back({"/joints/unique", unique_reactions(bodies->joints(), n, shared_loads)});
  add_coordinates(bodies->world(), bodies->joints(), header);
}

}  // namespace clack
