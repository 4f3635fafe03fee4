#include "clack/record/stepper.hpp"

namespace clack {
namespace {

SimulationOptions with_threads(SimulationOptions options, int threads) {
  options.threads = threads;
  return options;
}

}  // namespace

Stepper::Stepper(const Scene& scene, int threads)
    : simulation_(scene.system, scene.initial, with_threads(scene.options, threads)),
      now_(&simulation_),
      step_count_(scene.step_count()) {
  if (scene.options.adaptive) {
    adaptive_ = std::make_unique<AdaptiveSimulation>(
        scene.system, scene.initial, with_threads(scene.options, threads), scene.end);
  }
}

Status Stepper::step() {
  if (!adaptive_) return simulation_.step();
  if (second_is_next_) {
    second_is_next_ = false;
    now_ = &adaptive_->second();
    return adaptive_->second_status();
  }
  adaptive_->step();
  now_ = &adaptive_->first();
  second_is_next_ = adaptive_->first_status() != Status::numerical_failure;
  return adaptive_->first_status();
}

bool Stepper::done() const {
  return adaptive_ ? !second_is_next_ && adaptive_->done() : simulation_.steps() >= step_count_;
}

std::array<double, 6> Stepper::seconds_by_stage() const {
  return adaptive_ ? adaptive_->seconds_by_stage() : simulation_.seconds_by_stage();
}

std::optional<AdaptiveFigures> Stepper::figures() const {
  return adaptive_ ? std::optional(adaptive_->figures()) : std::nullopt;
}

}  // namespace clack
