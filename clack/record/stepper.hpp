// Steps of a scene, with a constant length or one that adapts itself: pairs are shown one after the
// other.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "clack/integrate/adaptive.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

class Stepper {
 public:
  Stepper(const Scene& scene, int threads);

  Status step();
  bool done() const;
  // As the last step has left it.
  const Simulation& now() const { return *now_; }
  // To be changed between two steps; none where the step adapts itself.
  Simulation* simulation() { return adaptive_ ? nullptr : &simulation_; }
  std::array<double, 6> seconds_by_stage() const;
  std::optional<AdaptiveFigures> figures() const;

 private:
  Simulation simulation_;  // where the step adapts itself: shows the initial state
  std::unique_ptr<AdaptiveSimulation> adaptive_;
  const Simulation* now_;
  long step_count_;
  bool second_is_next_ = false;
};

}  // namespace clack
