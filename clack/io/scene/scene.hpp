// A scene file: what is simulated and how. YAML, docs/scene.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clack/integrate/stewart_trinkle.hpp"
#include "clack/io/scene/scene_objects.hpp"
#include "clack/model/bodies/world_quantity.hpp"
#include "clack/model/exact_motion.hpp"
#include "clack/model/observable.hpp"
#include "clack/model/system.hpp"

namespace clack {

// Which events the results hold, whatever rows are kept.
enum class EventOutput { all, impacts, none };
const std::vector<std::string>& event_output_names();

struct Scene {
  static constexpr long kFewBodies = 200;  // free ones, up to which all events are kept by default

  std::string path, text;              // the file
  std::vector<std::string> overrides;  // --set assignments, in order
  std::string title, description;
  std::vector<std::string> remarks;  // what is allowed and probably not meant, in words

  // What moves; of rigid bodies also their world.
  std::shared_ptr<const System> system;
  std::vector<std::string> q_names, v_names;
  State initial;
  std::vector<int> shared_loads;  // joints whose reactions are not unique at the start

  std::shared_ptr<const RigidWorld> world;
  WorldState world_initial;
  std::vector<WorldQuantity> quantities;  // inputs of a world's measures, after t
  std::vector<int> measured_places;       // of an assembly: then these q and their rates
  std::optional<BoundingBox> region;      // of the sample's measures [m]; none: all bodies

  SimulationOptions options;
  double end = 0;                            // [s]
  long output_every = 1;                     // steps between two rows of the results
  std::optional<EventOutput> output_events;  // none: by the number of bodies, see events()
  std::vector<Observable> measures;
  ExactMotion exact;  // empty where the scene gives none

  // Steps from the start to the first grid point at or after `end`, where they are all of
  // options.h.
  long step_count() const;
  // As asked for; else all, but none of a world of more than kFewBodies free bodies.
  EventOutput events() const;
};

// Throws SceneError with every complaint, IoError if the file cannot be read.
Scene load_scene(const std::string& path, const std::vector<std::string>& overrides = {},
                 const SceneObjects& objects = {});
// The same for a text; `name` stands for the file in messages.
Scene parse_scene(const std::string& name, const std::string& text,
                  const std::vector<std::string>& overrides = {}, const SceneObjects& objects = {});

}  // namespace clack
