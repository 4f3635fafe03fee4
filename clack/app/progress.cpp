#include "clack/app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace clack::app {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60.0));
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string rate_text(double rate) {
  if (rate >= 1e6) return fmt::format("{:.2f} M", rate / 1e6);
  if (rate >= 1e3) return fmt::format("{:.1f} k", rate / 1e3);
  return fmt::format("{:.1f} ", rate);
}

}  // namespace

Progress::Progress(long total)
    : total_(total), on_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), last_(start_) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(long done) {
  if (!on_ || done % 256 != 0) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  draw(done);
}

void Progress::draw(long done) {
  constexpr int kWidth = 30;
  const double elapsed = std::chrono::duration<double>(last_ - start_).count();
  const double share = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1.0;
  const double rate = static_cast<double>(done) / elapsed;
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f} %  {}steps/s  {} left", std::string(filled, '='),
             std::string(kWidth - filled, ' '), 100 * share, rate_text(rate),
             duration_text(static_cast<double>(total_ - done) / rate));
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace clack::app
