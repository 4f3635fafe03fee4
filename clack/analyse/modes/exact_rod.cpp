#include "clack/analyse/modes/exact_rod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

// a(t) of a mode from the start of its contact, over 2L/c.
std::deque<WavePiece> mode_wave(const ExactRodData& rod, const RodMode& mode) {
  std::deque<WavePiece> wave;
  double left = 2 * rod.length / rod.c;
  const WavePiece period[] = {
      {mode.contact, -mode.alpha}, {mode.away, mode.alpha}, {mode.away, -mode.alpha}};
  for (int i = 0; left > 0; i = (i + 1) % 3) {
    const double length = std::min(left, period[i].length);
    if (length > 0) wave.push_back({length, period[i].height});
    left -= length;
  }
  return wave;
}

}  // namespace

void ExactRodData::validate() const {
  if (!(EA > 0) || !(c > 0) || !(length > 0) || !std::isfinite(g0)) {
    throw InputError(
        fmt::format("a rod needs EA, c and length > 0 and a finite g0; given are {}, {}, {}, {}",
                    EA, c, length, g0));
  }
}

RodPeriods rod_mode_periods(const ExactRodData& rod, int order) {
  rod.validate();
  const double q = order, unit = rod.length / rod.c;
  const double at_zero = (2 * q + 3) / ((q + 1) * (q + 1));
  if (rod.g0 > 0) return {at_zero * unit, 4 / (2 * q + 1) * unit};
  if (rod.g0 < 0) return {2 / (q + 1) * unit, at_zero * unit};
  return {at_zero * unit, at_zero * unit};
}

RodMode rod_mode(const ExactRodData& rod, int order, double period, double energy) {
  const RodPeriods allowed = rod_mode_periods(rod, order);
  if (order < 0) throw InputError(fmt::format("order of a rod mode: {}; the first is 0", order));
  const bool on_edge = rod.g0 > 0 && std::abs(period - allowed.high) <= 1e-14 * period;
  const bool fixed = rod.g0 == 0 && std::abs(period - allowed.low) <= 1e-12 * period;
  if (!(period > allowed.low && period < allowed.high) && !on_edge && !fixed) {
    throw InputError(fmt::format(
        "mode {} of the rod has periods between {:.9g} and {:.9g} s; {:.9g} s is asked for",
        order + 1, allowed.low, allowed.high, period));
  }
  const double q = order, unit = rod.length / rod.c, T = period / unit;
  RodMode mode{.order = order, .period = period};
  mode.contact = std::max(0.0, (4 - (2 * q + 1) * T) * unit);
  mode.away = ((q + 1) * T - 2) * unit;
  mode.alpha = rod.g0 == 0 ? rod.c * std::sqrt(energy / (2 * rod.EA * rod.length))
                           : rod.g0 / unit / (2 * (q + 1) * (q + 1) * T - 4 * q - 6);
  mode.force = 2 * rod.EA * mode.alpha / rod.c;
  mode.energy = 2 * rod.EA * rod.length * mode.alpha * mode.alpha / (rod.c * rod.c);
  return mode;
}

double first_rod_frequency(const ExactRodData& rod, double energy) {
  rod.validate();
  return rod.c / rod.length / (3 + rod.g0 * std::sqrt(rod.EA / (2 * rod.length * energy)));
}

ExactRod::ExactRod(const ExactRodData& data, const RodMode& mode)
    : ExactRod(data, mode_wave(data, mode)) {}

ExactRod::ExactRod(const ExactRodData& data, std::deque<WavePiece> wave)
    : data_(data), wave_(std::move(wave)) {
  data_.validate();
  double total = 0, largest = 0;
  for (const WavePiece& piece : wave_) {
    total += piece.length;
    tip_ += piece.length * piece.height;
    largest = std::max(largest, std::abs(piece.height));
  }
  const double window = 2 * data_.length / data_.c;
  if (!(std::abs(total - window) <= 1e-12 * window)) {
    throw InputError(fmt::format(
        "the wave of a rod is given over {} s; it must be {} s long (2L/c)", total, window));
  }
  round_off_ = 1e-13 * (std::abs(data_.g0) + largest * window);
  if (tip_ > data_.g0 + round_off_) {
    throw InputError(
        fmt::format("the tip of the rod starts at {} m, beyond its stop at {} m", tip_, data_.g0));
  }
  touching_ = tip_ >= data_.g0 - round_off_;
}

void ExactRod::add_piece(double length, double height) {
  if (!wave_.empty() && wave_.back().height == height) {
    wave_.back().length += length;
  } else {
    wave_.push_back({length, height});
  }
}

void ExactRod::advance(double duration) {
  double left = duration;
  while (left > 0) {
    WavePiece& piece = wave_.front();
    const double a = piece.height;
    const bool contact = touching_ && a <= 0;
    if (contact && !in_contact_) ++contacts_;
    in_contact_ = contact;
    double length = std::min(left, piece.length);
    bool hits = false;
    if (!contact && a < 0) {  // on its way to the stop
      const double until = (data_.g0 - tip_) / (-2 * a);
      hits = until <= length + round_off_ / (-2 * a);
      if (hits) length = std::clamp(until, 0.0, length);
    }
    piece.length -= length;
    const bool used = piece.length <= 1e-15 * (2 * data_.length / data_.c);
    if (used) length += std::max(0.0, piece.length), wave_.pop_front();
    add_piece(length, contact ? a : -a);
    if (!contact) tip_ += -2 * a * length;
    if (hits) tip_ = data_.g0;
    touching_ = hits || (contact && touching_) || (!contact && touching_ && length == 0);
    left -= length;
    t_ += length;
    if (length == 0 && !hits && !used) break;
  }
}

double ExactRod::tip_velocity() const {
  const double a = wave_.front().height;
  return touching_ && a <= 0 ? 0.0 : -2 * a;
}

double ExactRod::force() const {
  const double a = wave_.front().height;
  return touching_ && a <= 0 ? -2 * data_.EA * a / data_.c : 0.0;
}

double ExactRod::energy() const {
  double sum = 0;
  for (const WavePiece& piece : wave_) sum += piece.length * piece.height * piece.height;
  return data_.EA / data_.c * sum;
}

// u(x, t): the integral of a over [t + (L - x)/c, t + (L + x)/c].
double ExactRod::displacement(double x) const {
  const double begin = (data_.length - x) / data_.c, end = (data_.length + x) / data_.c;
  double at = 0, sum = 0;
  for (const WavePiece& piece : wave_) {
    const double overlap = std::min(end, at + piece.length) - std::max(begin, at);
    if (overlap > 0) sum += overlap * piece.height;
    at += piece.length;
  }
  return sum;
}

}  // namespace clack
