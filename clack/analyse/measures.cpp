#include "clack/analyse/measures.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "clack/core/formula/scratch.hpp"

namespace clack {

Measures::Measures(std::vector<Observable> observables)
    : observables_(std::move(observables)), sums_(observables_.size()) {}

void Measures::add(double t, ConstVectorRef q, ConstVectorRef v) {
  for (std::size_t i = 0; i < observables_.size(); ++i) {
    const Observable& observable = observables_[i];
    if (t < observable.after) continue;
    const formula::Tape& tape = *observable.tape;
    const int inputs = tape.input_count();
    double* memory = formula::scratch(inputs + tape.register_count());
    memory[0] = t;
    std::copy_n(q.data(), q.size(), memory + 1);
    std::copy_n(v.data(), v.size(), memory + 1 + q.size());
    double value = 0;
    tape.prepare(memory + inputs);
    tape.evaluate(memory, &value, memory + inputs);

    Sum& sum = sums_[i];
    if (sum.samples > 0) add_crossing(observable, t, value, sum);
    sum.minimum = sum.samples == 0 ? value : std::min(sum.minimum, value);
    sum.maximum = sum.samples == 0 ? value : std::max(sum.maximum, value);
    sum.total += value;
    sum.last = value;
    sum.previous_time = t;
    ++sum.samples;
  }
}

// An upward crossing of the level, its time interpolated between two states.
void Measures::add_crossing(const Observable& observable, double t, double value, Sum& sum) const {
  const double before = sum.last - observable.level, now = value - observable.level;
  if (!(before < 0 && now >= 0)) return;
  const double when = sum.previous_time + (t - sum.previous_time) * before / (before - now);
  if (sum.crossings == 0) sum.first_crossing = when;
  sum.last_crossing = when;
  ++sum.crossings;
}

MeasureResult Measures::result(std::size_t i) const {
  const Sum& sum = sums_[i];
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (sum.samples == 0) return {nan, 0};
  switch (observables_[i].take) {
    case Take::final:
      return {sum.last, sum.samples};
    case Take::minimum:
      return {sum.minimum, sum.samples};
    case Take::maximum:
      return {sum.maximum, sum.samples};
    case Take::mean:
      return {sum.total / static_cast<double>(sum.samples), sum.samples};
    case Take::crossings:
      return {static_cast<double>(sum.crossings), sum.crossings};
    case Take::period:
      break;
  }
  if (sum.crossings < 2) return {nan, sum.crossings};
  return {(sum.last_crossing - sum.first_crossing) / static_cast<double>(sum.crossings - 1),
          sum.crossings};
}

double Measures::last(std::size_t i) const {
  return sums_[i].samples > 0 ? sums_[i].last : std::numeric_limits<double>::quiet_NaN();
}

void Measures::save(std::vector<double>& numbers) const {
  for (const Sum& sum : sums_) {
    for (double x : {static_cast<double>(sum.samples), sum.last, sum.minimum, sum.maximum,
                     sum.total, sum.previous_time, static_cast<double>(sum.crossings),
                     sum.first_crossing, sum.last_crossing}) {
      numbers.push_back(x);
    }
  }
}

void Measures::restore(std::span<const double>& numbers) {
  auto next = [&] {
    const double x = numbers.front();
    numbers = numbers.subspan(1);
    return x;
  };
  for (Sum& sum : sums_) {
    sum.samples = static_cast<long>(next());
    for (double* x : {&sum.last, &sum.minimum, &sum.maximum, &sum.total, &sum.previous_time})
      *x = next();
    sum.crossings = static_cast<long>(next());
    sum.first_crossing = next();
    sum.last_crossing = next();
  }
}

}  // namespace clack
