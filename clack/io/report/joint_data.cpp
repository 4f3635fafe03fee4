#include "clack/io/report/joint_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/model/joints/joint_geometry.hpp"

namespace clack {
namespace {

// As in RunData (docs/results.md).
constexpr std::size_t kQ = 7, kV = 6;
constexpr std::size_t kManyJoints = 60;  // more have no curves unless these are asked for
constexpr std::int64_t kNumbersAtOnce = 4'000'000;
constexpr int kLevels = 16384;

JointFrame frame_of(const RowMatrix& point, const RowMatrix& axes, Eigen::Index row) {
  JointFrame frame;
  frame.point = point.row(row).transpose();
  frame.axes = Eigen::Map<const Matrix3>(axes.data() + 9 * row);
  return frame;
}

BodyState body_at(int body, const double* q, const double* v) {
  BodyState state;
  if (body < 0) return state;
  const double* x = q + kQ * static_cast<std::size_t>(body);
  state.position = Vector3(x[0], x[1], x[2]);
  state.rotation = Quaternion(x[3], x[4], x[5], x[6]);
  if (!v) return state;
  const double* w = v + kV * static_cast<std::size_t>(body);
  state.v = Vector3(w[0], w[1], w[2]);
  state.omega = Vector3(w[3], w[4], w[5]);
  return state;
}

std::vector<double> flat(const JointFrame& frame) {
  std::vector<double> all(frame.point.data(), frame.point.data() + 3);
  all.insert(all.end(), frame.axes.data(), frame.axes.data() + 9);
  return all;
}

}  // namespace

JointData::JointData(const ResultsReader& reader, bool planar) {
  if (!reader.has("/joints/axes_b")) return;
  const std::vector<std::string> names = reader.strings("/joints/name"),
                                 kinds = reader.strings("/joints/kind");
  const auto read = [&](const char* name) { return reader.matrix(std::string("/joints/") + name); };
  const RowMatrix a = read("body_a"), b = read("body_b"), breakable = read("breakable"),
                  point_a = read("point_a"), point_b = read("point_b"), axes_a = read("axes_a"),
                  axes_b = read("axes_b");
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    if (breakable(i, 0) != 0) continue;
    Joint joint;
    joint.name = names.at(static_cast<std::size_t>(i));
    joint.a = static_cast<int>(a(i, 0));
    joint.b = static_cast<int>(b(i, 0));
    joint.frame_a = frame_of(point_a, axes_a, i);
    joint.frame_b = frame_of(point_b, axes_b, i);
    joints_.push_back({std::move(joint), kinds.at(static_cast<std::size_t>(i)), i});
  }
  reactions_ = !joints_.empty() && reader.has("/joints/reaction");
  powers_ = reactions_ && reader.has("/joints/power");
  read_coordinates(reader, planar);
}

void JointData::read_coordinates(const ResultsReader& reader, bool planar) {
  if (!reader.has("/joints/coordinate_joint")) return;
  const RowMatrix joint = reader.matrix("/joints/coordinate_joint"),
                  place = reader.matrix("/joints/coordinate_place");
  const std::vector<std::string> names = reader.strings("/joints/coordinate_name");
  for (Eigen::Index i = 0; i < joint.rows(); ++i) {
    const auto held = std::find_if(joints_.begin(), joints_.end(), [&](const Held& x) {
      return x.row == static_cast<Eigen::Index>(joint(i, 0));
    });
    if (held == joints_.end()) continue;
    const auto type = std::find_if(joint_list().begin(), joint_list().end(),
                                   [&](const JointType& x) { return x.name == held->kind; });
    if (type == joint_list().end()) continue;  // a kind of a newer version
    for (JointCoordinate& x : type->coordinates(held->joint, planar)) {
      if (x.name == names.at(static_cast<std::size_t>(i)))
        coordinates_.push_back({static_cast<std::size_t>(held - joints_.begin()),
                                static_cast<int>(place(i, 0)), std::move(x)});
    }
  }
}

bool JointData::is_coordinate(int place) const {
  return std::any_of(coordinates_.begin(), coordinates_.end(),
                     [&](const Coordinate& x) { return x.place == place; });
}

std::string JointData::label(const Coordinate& coordinate) const {
  const std::string& joint = joints_[coordinate.joint].joint.name;
  const auto own = std::count_if(coordinates_.begin(), coordinates_.end(),
                                 [&](const Coordinate& x) { return x.joint == coordinate.joint; });
  return own == 1 ? joint : joint + "." + coordinate.what.name;
}

bool JointData::is_named(const Coordinate& coordinate, const std::string& name,
                         const std::vector<std::string>& q_names) const {
  const auto place = static_cast<std::size_t>(coordinate.place);
  return name == label(coordinate) || (place < q_names.size() && name == q_names[place]);
}

bool JointData::has_coordinate(const std::string& name,
                               const std::vector<std::string>& q_names) const {
  return std::any_of(coordinates_.begin(), coordinates_.end(),
                     [&](const Coordinate& x) { return is_named(x, name, q_names); });
}

void JointData::choose(const std::vector<std::string>& q_names,
                       const std::vector<std::string>& wanted) {
  limited_ = joints_.size() > kManyJoints;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const bool asked = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
      return is_named(coordinates_[i], name, q_names);
    });
    if (wanted.empty() ? !limited_ : asked) chosen_.push_back(i);
  }
  for (const char* group : {"joint", "joint_rate"}) {
    for (const std::size_t i : chosen_) {
      const Coordinate& x = coordinates_[i];
      curves_.push_back({group, label(x), group[5] ? x.what.unit + "/s" : x.what.unit});
    }
  }
  if (limited_ || !reactions_) return;
  for (const Held& x : joints_) curves_.push_back({"reaction_force", x.joint.name, "N"});
  for (const Held& x : joints_) curves_.push_back({"reaction_moment", x.joint.name, "N m"});
  if (!powers_) return;
  for (const Held& x : joints_) curves_.push_back({"drive_power", x.joint.name, "W"});
  for (const Held& x : joints_) curves_.push_back({"drive_work", x.joint.name, "J"});
}

double JointData::rate(const Coordinate& coordinate, const double* q, const double* v) const {
  const Joint& joint = joints_[coordinate.joint].joint;
  const BodyState a = body_at(joint.a, q, v), b = body_at(joint.b, q, v);
  const WrenchPair unit = row_wrenches(coordinate.what.row, joint_geometry(joint, a, b));
  return unit.a.force.dot(a.v) + unit.a.moment.dot(a.rotation * a.omega) + unit.b.force.dot(b.v) +
         unit.b.moment.dot(b.rotation * b.omega);
}

std::vector<std::vector<double>> JointData::read(const ResultsReader& reader, std::int64_t first,
                                                 std::int64_t count) const {
  std::vector<std::vector<double>> all(curves_.size());
  if (curves_.empty()) return all;
  const bool reactions = reactions_ && !limited_;
  const std::int64_t width = reader.slice("/q", first, 1).cols();
  const std::int64_t step = std::max<std::int64_t>(1, kNumbersAtOnce / (2 * width));
  for (std::int64_t row = first; row < first + count; row += step) {
    const std::int64_t n = std::min(step, first + count - row);
    const RowMatrix q = reader.slice("/q", row, n), v = reader.slice("/v", row, n);
    const RowMatrix load = reactions ? reader.slice("/joints/reaction", row, n) : RowMatrix();
    std::vector<RowMatrix> drives;
    for (const char* name : {"/joints/power", "/joints/work"}) {
      if (reactions && powers_) drives.push_back(reader.slice(name, row, n));
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      auto out = all.begin();
      for (const std::size_t i : chosen_) (out++)->push_back(q(k, coordinates_[i].place));
      for (const std::size_t i : chosen_)
        (out++)->push_back(rate(coordinates_[i], q.row(k).data(), v.row(k).data()));
      for (int part = 0; part < (reactions ? 2 : 0); ++part) {  // force, moment; none at the start
        for (const Held& x : joints_)
          (out++)->push_back(row + k == 0 ? std::numeric_limits<double>::quiet_NaN()
                                          : load.block<1, 3>(k, 6 * x.row + 3 * part).norm());
      }
      for (const RowMatrix& drive : drives) {
        for (const Held& x : joints_) (out++)->push_back(drive(k, x.row));
      }
    }
  }
  return all;
}

void JointData::describe(Block& block) const {
  if (empty()) return;
  nlohmann::json names = nlohmann::json::array(), kinds = names;
  std::vector<std::int32_t> a, b;
  std::vector<double> frame_a, frame_b;
  for (const Held& x : joints_) {
    names.push_back(x.joint.name);
    kinds.push_back(x.kind);
    a.push_back(x.joint.a);
    b.push_back(x.joint.b);
    for (const double value : flat(x.joint.frame_a)) frame_a.push_back(value);
    for (const double value : flat(x.joint.frame_b)) frame_b.push_back(value);
  }
  block.header["joint_names"] = names;
  block.header["joint_kinds"] = kinds;
  block.add("joint_a", a);
  block.add("joint_b", b);
  block.add_single("joint_frame_a", frame_a);
  block.add_single("joint_frame_b", frame_b);
}

void JointData::add_forces(const ResultsReader& reader, const std::vector<std::int64_t>& rows,
                           const std::vector<RowMatrix>& q, Block& block) const {
  if (!reactions_) return;
  std::vector<double> scale;
  std::vector<std::int32_t> units;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const RowMatrix load = reader.slice("/joints/reaction", rows[k], 1);
    std::vector<Vector3> forces;
    double most = 0;
    for (const Held& x : joints_) {
      const Vector3 own = load.block<1, 3>(0, 6 * x.row).transpose();
      const BodyState a = body_at(x.joint.a, q[k].data(), nullptr);
      forces.emplace_back(a.rotation * (x.joint.frame_a.axes * own));
      if (forces.back().allFinite()) most = std::max(most, forces.back().norm());
    }
    scale.push_back(most);
    for (const Vector3& force : forces) {
      for (const double value : force) {
        std::int32_t unit = 0;
        if (most > 0) quantise(value, most / kLevels, unit);
        units.push_back(unit);
      }
    }
  }
  block.header["reaction_levels"] = kLevels;
  block.add_single("reaction_scale", scale);
  block.add("reaction", units);
}

}  // namespace clack
