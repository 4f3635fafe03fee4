#include "clack/io/scene/robot_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "clack/io/robots/robot_file.hpp"
#include "clack/io/robots/robot_writer.hpp"
#include "clack/io/scene/joint_elements.hpp"
#include "clack/io/scene/joint_reader.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

bool flag(const Field& field, const char* key, bool otherwise) {
  const auto x = field.find(key);
  if (!x) return otherwise;
  return x->choice({"true", "false"}).value_or(otherwise ? "true" : "false") == "true";
}

void read_packages(const Field& field, RobotOptions& options) {
  const auto packages = field.find("packages");
  if (!packages || !packages->expect_free_map()) return;
  for (const clack::Entry& x : packages->entries()) {
    const std::string folder = x.value.text("a folder").value_or("");
    options.packages[x.key] = (std::filesystem::path(field.folder()) / folder).string();
  }
}

}  // namespace

void RobotReader::read_files(const Field& list) {
  if (shapes_.planar()) {
    list.complain("robots stand in space; this scene is of the plane");
    return;
  }
  const std::vector<Field> items = list.items("a list of robots");
  entries_.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) read_entry(items[i], i);
}

void RobotReader::read_entry(const Field& field, std::size_t index) {
  if (!field.expect_map({"file", "name", "position", "rotation", "fixed", "material", "packages",
                         "keep_fixed", "exact_meshes", "self_collision", "start", "joints"}))
    return;
  const auto file = field.require("file", "a URDF or MJCF file");
  const auto path = file ? file->text("a file name") : std::nullopt;
  const auto name = field.find("name");
  RobotOptions options;
  options.floating = !flag(field, "fixed", true);
  options.keep_fixed = flag(field, "keep_fixed", false);
  read_packages(field, options);
  if (const auto start = field.find("start"); start && start->expect_free_map()) {
    for (const clack::Entry& x : start->entries())
      options.start[x.key] = vocabulary_.number(x.value).value_or(0);
  }
  RobotSceneOptions writing;
  writing.pose = shapes_.read_pose(field);
  writing.exact_meshes = flag(field, "exact_meshes", false);
  writing.self_collision = flag(field, "self_collision", true);
  if (const auto x = field.find("material")) writing.material = x->text("a name").value_or("");
  writing.prefix =
      (name ? name->text("a name").value_or("") : fmt::format("robot{}", index + 1)) + ".";
  if (!path) return;
  try {
    Robot robot = load_robot((std::filesystem::path(field.folder()) / *path).string(), options);
    const std::string text = write_robot_parts(robot, writing);
    auto document = std::make_unique<Document>(Document::parse(robot.path, text));
    out_.remarks.insert(out_.remarks.end(), robot.remarks.begin(), robot.remarks.end());
    entries_.push_back({field, writing.prefix, std::move(robot), std::move(document)});
  } catch (const SceneError& error) {
    for (const std::string& message : error.messages()) file->complain(message);
  } catch (const InputError& error) {
    field.find("start").value_or(*file).complain(error.what());
  } catch (const IoError& error) {
    file->complain(error.what());
  }
}

std::vector<Field> RobotReader::bodies() {
  std::vector<Field> result;
  for (Entry& entry : entries_) {
    if (const auto x = entry.document->root().find("bodies"); x && x->is_list())
      result.push_back(*x);
  }
  return result;
}

void RobotReader::read_joints() {
  for (Entry& entry : entries_) {
    if (const auto x = entry.document->root().find("joints"))
      clack::read_joints(*x, out_.names, out_.initial, shapes_, vocabulary_, *out_.world);
    read_drives(entry);
    set_efforts(entry);
  }
}

void RobotReader::read_couplers() {
  for (Entry& entry : entries_) {
    if (const auto x = entry.document->root().find("couplers"))
      clack::read_couplers(*x, vocabulary_, *out_.world);
    pass_on(entry);
  }
}

Joint* RobotReader::find_joint(const std::string& name) {
  for (Joint& joint : out_.world->joints) {
    if (joint.name == name) return &joint;
  }
  return nullptr;
}

// What the scene lets act at joints of the robot.
void RobotReader::read_drives(Entry& entry) {
  const auto joints = entry.field.find("joints");
  if (!joints || !joints->expect_free_map()) return;
  std::vector<std::string_view> known;
  for (const RobotJoint& joint : entry.robot.joints) known.emplace_back(joint.name);
  for (const clack::Entry& x : joints->entries()) {
    Joint* joint = find_joint(entry.prefix + x.key);
    if (joint != nullptr)
      JointElementReader(x.value, *out_.world, vocabulary_, *joint).replace();
    else
      x.name.complain(fmt::format("there is no joint '{}' in the file{}", shorten(x.key),
                                  allowed_words(x.key, known)));
  }
}

// A servo or a drive without a limit of its own gives no more than the file allows its motor.
void RobotReader::set_efforts(Entry& entry) {
  for (const RobotJoint& own : entry.robot.joints) {
    Joint* joint = find_joint(entry.prefix + own.name);
    for (std::size_t k = 0; joint != nullptr && k < own.coordinates.size(); ++k) {
      const double effort = own.coordinates[k].effort;
      const auto limit = [&](auto& list) {
        for (auto& x : list) {
          if (effort > 0 && x.coordinate == static_cast<int>(k) && !std::isfinite(x.limit))
            x.limit = effort;
        }
      };
      limit(joint->servos);
      limit(joint->speeds);
    }
  }
}

// A complaint about the text that was made is one about the file.
void RobotReader::pass_on(Entry& entry) const {
  try {
    entry.document->throw_if_bad();
  } catch (const SceneError& error) {
    for (const std::string& message : error.messages())
      entry.field.find("file")->complain("as a scene, " + message);
  }
}

}  // namespace clack
