// A function of time given by points: straight between two times, with a jump where a time appears
// twice, the second value being the one from then on (right-continuous).
#pragma once

#include <functional>
#include <vector>

namespace clack {

// x(t) of a curve of dimension n: writes n values.
using CurveFunction = std::function<void(double t, double* x)>;

class Curve {
 public:
  explicit Curve(int dimension = 0) : dimension_(dimension) {}

  void reserve(std::size_t points);
  // t not before the last point's; throws InputError otherwise, or if a value is not finite.
  void add(double t, const double* x);

  int dimension() const { return dimension_; }
  std::size_t size() const { return t_.size(); }
  double t(std::size_t i) const { return t_[i]; }                              // [s]
  const double* x(std::size_t i) const { return x_.data() + i * dimension_; }  // dimension values
  double begin() const { return t_.front(); }
  double end() const { return t_.back(); }

  // The value at t from the right; the first and the last value outside.
  void at(double t, double* x) const;
  CurveFunction function() const;  // refers to this curve

 private:
  int dimension_;
  std::vector<double> t_, x_;
};

// Points on a function, from `begin` to `end`: `intervals` equal ones, each halved until its middle
// lies within `tolerance` of the chord, so that a jump becomes a segment of no more than
// 1e-13 (end - begin) in time. What is shorter than an interval and returns within it is not seen.
Curve sample_curve(const CurveFunction& function, int dimension, double begin, double end,
                   long intervals, double tolerance);

}  // namespace clack
