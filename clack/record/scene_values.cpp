#include "clack/record/scene_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "clack/core/error.hpp"

namespace clack {

bool has_parameter(const Scene& scene, const std::string& key, std::size_t own) {
  const std::string group = "parameters.";
  if (!key.starts_with(group)) return true;
  const auto sets = [&](const std::string& text) {
    return text.starts_with(key + "=") || text.starts_with("parameters=");
  };
  const auto others = scene.overrides.end() - static_cast<std::ptrdiff_t>(own);
  if (std::any_of(scene.overrides.begin(), others, sets)) return true;
  try {
    return YAML::Load(scene.text)["parameters"][key.substr(group.size())].IsDefined();
  } catch (const YAML::Exception&) {
    return true;  // a robot, or a scene in parts: not to be judged here
  }
}

std::vector<int> coordinates_of(const Scene& scene, const std::vector<std::string>& names) {
  std::vector<int> result;
  for (const std::string& name : names) {
    const auto found = std::find(scene.q_names.begin(), scene.q_names.end(), name);
    if (found == scene.q_names.end()) {
      throw InputError(fmt::format("drift: the scene has no coordinate '{}'; it has {}", name,
                                   fmt::join(scene.q_names, ", ")));
    }
    result.push_back(static_cast<int>(found - scene.q_names.begin()));
  }
  return result;
}

// The scene evaluates it in the place of its step.
double evaluate_time(const SceneWith& load, std::vector<std::string> set,
                     const std::string& formula, const std::string& option) {
  set.push_back("simulation.step=" + formula);
  try {
    return load(set).options.h;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: '{}' is no time > 0 in terms of the scene's parameters ({})",
                                 option, formula, error.what()));
  }
}

}  // namespace clack
