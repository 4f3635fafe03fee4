#include "clack/io/scene/quantity_reader.hpp"

#include <algorithm>
#include <cctype>

namespace clack {
namespace {

std::vector<std::string> identifiers_of(const Field& field) {
  const auto text = field.is_scalar() ? field.text() : std::nullopt;
  if (!text) return {};
  try {
    return formula::identifiers(*text);
  } catch (const formula::ParseError&) {  // the parser says what is wrong
    return {};
  }
}

// Formulas have no dots: arm_hand for arm.hand.
std::string plain_name(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace

formula::Expr QuantityReader::t() {
  const auto [it, added] = known_.emplace("t", formula::kNone);
  if (added) it->second = vocabulary_.graph.variable("t");
  return it->second;
}

std::map<std::string, int>::const_iterator QuantityReader::find_body(
    const std::string& name) const {
  const auto it = world_.names.find(name);
  if (it != world_.names.end()) return it;
  return std::find_if(world_.names.begin(), world_.names.end(),
                      [&](const auto& entry) { return plain_name(entry.first) == name; });
}

// JOINT_angle, JOINT_angle_rate, JOINT_fx, ...
bool QuantityReader::find_of_joint(const std::string& name, WorldQuantity& quantity) const {
  const RigidWorld& world = *world_.world;
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const Joint& joint = world.joints[j];
    const std::string head = plain_name(joint.name) + "_";
    if (!name.starts_with(head)) continue;
    const std::string rest = name.substr(head.size());
    const auto coordinates = joint_type(joint.kind).coordinates(joint, world.planar);
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const bool rate = rest == coordinates[k].name + "_rate";
      if (!rate && rest != coordinates[k].name) continue;
      quantity = {.joint = static_cast<int>(j), .coordinate = static_cast<int>(k), .rate = rate};
      return true;
    }
    const auto list = joint_quantity_list();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (rest != list[i].name) continue;
      quantity = {.index = static_cast<int>(i), .joint = static_cast<int>(j)};
      return true;
    }
  }
  return false;
}

bool QuantityReader::find(const std::string& name, WorldQuantity& quantity) const {
  const auto samples = sample_quantity_list();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].name != name) continue;
    quantity = {.index = static_cast<int>(i)};
    return true;
  }
  const std::size_t cut = name.rfind('_');
  if (cut == std::string::npos) return false;
  const auto body = find_body(name.substr(0, cut));
  const auto list = body_quantity_list();
  for (std::size_t i = 0; body != world_.names.end() && i < list.size(); ++i) {
    if (list[i].name != std::string_view(name).substr(cut + 1)) continue;
    quantity = {.body = body->second, .index = static_cast<int>(i)};
    return true;
  }
  return world_.world && find_of_joint(name, quantity);
}

formula::Names QuantityReader::names(const Field& field) {
  formula::Names result = vocabulary_.parameters;
  result["t"] = t();
  for (const std::string& name : identifiers_of(field)) {
    if (result.contains(name)) continue;
    const auto known = known_.find(name);
    WorldQuantity quantity;
    if (known != known_.end()) {
      result[name] = known->second;
    } else if (find(name, quantity)) {
      result[name] = known_[name] = vocabulary_.graph.variable(name);
      variables_.push_back(result[name]);
      quantities_.push_back(quantity);
    }
  }
  return result;
}

}  // namespace clack
