// Values of a scene that options name: its parameters, and formulas of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clack/io/scene/scene.hpp"

namespace clack {

// A scene with some of its values replaced, as --set does.
using SceneWith = std::function<Scene(const std::vector<std::string>& more)>;

// Whether parameters.NAME stands in the scene; keys of other parts are judged by their reader. The
// last `own` assignments of the scene do not count.
bool has_parameter(const Scene& scene, const std::string& key, std::size_t own);

// Places in q of coordinates that may drift.
std::vector<int> coordinates_of(const Scene& scene, const std::vector<std::string>& names);

// A formula of the scene's parameters that is a time > 0 [s]; `option`: what it was given for.
double evaluate_time(const SceneWith& load, std::vector<std::string> set,
                     const std::string& formula, const std::string& option);

}  // namespace clack
