// The stages of a step and their clock.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace clack {

// In order; also the names of the timers.
enum class Stage { detect, predict, assemble, solve, correct, audit };
inline constexpr std::array<std::string_view, 6> kStageNames = {"detect", "predict", "assemble",
                                                                "solve",  "correct", "audit"};

// Adds the time since the last mark to a stage; does nothing when timings are off.
class StageTimer {
 public:
  StageTimer(std::array<double, 6>& seconds, bool on) : seconds_(seconds), on_(on) {
    if (on_) last_ = Clock::now();
  }
  void mark(Stage stage) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    seconds_[static_cast<std::size_t>(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::array<double, 6>& seconds_;
  bool on_;
  Clock::time_point last_;
};

}  // namespace clack
