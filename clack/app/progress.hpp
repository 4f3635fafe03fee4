// A progress bar with rate and time left, on a terminal only.
#pragma once

#include <chrono>

namespace clack::app {

class Progress {
 public:
  explicit Progress(long total);
  ~Progress();

  void update(long done);  // cheap: looks at the clock every 256 calls

 private:
  using Clock = std::chrono::steady_clock;
  void draw(long done);

  long total_;
  bool on_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace clack::app
