// What follows from the options of a scene.
#include <algorithm>
#include <cmath>

#include "clack/io/scene/scene.hpp"

namespace clack {

long Scene::step_count() const {
  const double steps = (end - initial.t) / options.h;
  const double nearest = std::round(steps);
  // A grid point within round-off of the end is the end.
  if (std::abs(steps - nearest) <= 1e-9 * std::max(1.0, nearest)) return static_cast<long>(nearest);
  return static_cast<long>(std::ceil(steps));
}

const std::vector<std::string>& event_output_names() {
  static const std::vector<std::string> names = {"all", "impacts", "none"};
  return names;
}

EventOutput Scene::events() const {
  if (output_events || !world) return output_events.value_or(EventOutput::all);
  const auto free = std::count_if(world->bodies.begin(), world->bodies.end(),
                                  [](const Body& body) { return body.is_free(); });
  return free > kFewBodies ? EventOutput::none : EventOutput::all;
}

}  // namespace clack
