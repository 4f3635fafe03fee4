// Adds the time since the last mark to a stage; does nothing when timings are off.
#pragma once

#include <array>
#include <chrono>

namespace clack {

class StageTimer {
 public:
  StageTimer(std::array<double, 6>& seconds, bool on) : seconds_(seconds), on_(on) {
    if (on_) last_ = Clock::now();
  }
  template <class Stage>
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
