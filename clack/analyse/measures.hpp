// Numbers taken from a run: the value of an Observable over time, reduced to one figure.
#pragma once

#include <span>
#include <vector>

#include "clack/core/types.hpp"
#include "clack/model/observable.hpp"

namespace clack {

struct MeasureResult {
  double value;  // NaN if it could not be taken (a period needs two crossings)
  long samples;  // states, or crossings, that it rests on
};

class Measures {
 public:
  explicit Measures(std::vector<Observable> observables);

  void add(double t, ConstVectorRef q, ConstVectorRef v);
  std::size_t size() const { return observables_.size(); }
  const Observable& observable(std::size_t i) const { return observables_[i]; }
  MeasureResult result(std::size_t i) const;
  double last(std::size_t i) const;  // the formula's last value; NaN before `after`

  // All numbers, for a run that is taken up again.
  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);  // takes them from the front

 private:
  struct Sum {
    long samples = 0;
    double last = 0, minimum = 0, maximum = 0, total = 0, previous_time = 0;
    long crossings = 0;
    double first_crossing = 0, last_crossing = 0;  // [s]
  };
  void add_crossing(const Observable& observable, double t, double value, Sum& sum) const;

  std::vector<Observable> observables_;
  std::vector<Sum> sums_;
};

}  // namespace clack
