// A scene that has been read, with where it came from, so that it can be read again with changes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clack/io/scene/scene.hpp"
#include "python/bindings/callbacks.hpp"

namespace clack::python {

struct SceneSource {
  std::string path;                    // of a file; or
  std::string text;                    // of a scene built in Python
  std::vector<std::string> overrides;  // path=value
  SceneObjects objects;
  std::shared_ptr<PythonWorldLoad> load;  // that of `objects`
  bool has_callbacks = false;             // some of the objects are Python's

  bool is_file() const { return !path.empty(); }
};

struct LoadedScene {
  explicit LoadedScene(SceneSource from);

  SceneSource source;
  Scene scene;
};

}  // namespace clack::python
