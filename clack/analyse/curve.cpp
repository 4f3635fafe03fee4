#include "clack/analyse/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {

void Curve::reserve(std::size_t points) {
  t_.reserve(points);
  x_.reserve(points * dimension_);
}

void Curve::add(double t, const double* x) {
  if (!std::isfinite(t) || (!t_.empty() && t < t_.back())) {
    throw InputError(
        fmt::format("the time {} of point {} lies before the one above", t, size() + 1));
  }
  for (int j = 0; j < dimension_; ++j) {
    if (!std::isfinite(x[j])) throw InputError(fmt::format("a value at t = {} is not finite", t));
  }
  t_.push_back(t);
  x_.insert(x_.end(), x, x + dimension_);
}

void Curve::at(double t, double* result) const {
  const auto after = std::upper_bound(t_.begin(), t_.end(), t);
  if (after == t_.begin() || after == t_.end()) {
    std::copy_n(x(after == t_.begin() ? 0 : size() - 1), dimension_, result);
    return;
  }
  const std::size_t i = after - t_.begin() - 1;
  const double share = (t - t_[i]) / (t_[i + 1] - t_[i]);
  for (int j = 0; j < dimension_; ++j) result[j] = (1 - share) * x(i)[j] + share * x(i + 1)[j];
}

CurveFunction Curve::function() const {
  return [this](double t, double* x) { at(t, x); };
}

namespace {

class Sampler {
 public:
  Sampler(const CurveFunction& function, int dimension, double shortest, double tolerance)
      : function_(function), n_(dimension), shortest_(shortest), tolerance_(tolerance) {}

  std::vector<double> value(double t) const {
    std::vector<double> x(n_);
    function_(t, x.data());
    return x;
  }

  // Adds the points after `a` up to `b`.
  void refine(double a, const std::vector<double>& xa, double b, const std::vector<double>& xb,
              Curve& curve) const {
    const double middle = 0.5 * (a + b);
    if (b - a > shortest_ && middle > a && middle < b) {
      const std::vector<double> x = value(middle);
      double sag = 0;
      for (int j = 0; j < n_; ++j) sag = std::max(sag, std::abs(x[j] - 0.5 * (xa[j] + xb[j])));
      if (!(sag <= tolerance_)) {
        refine(a, xa, middle, x, curve);
        refine(middle, x, b, xb, curve);
        return;
      }
    }
    curve.add(b, xb.data());
  }

 private:
  const CurveFunction& function_;
  int n_;
  double shortest_, tolerance_;
};

}  // namespace

Curve sample_curve(const CurveFunction& function, int dimension, double begin, double end,
                   long intervals, double tolerance) {
  const Sampler sampler(function, dimension, 1e-13 * (end - begin), tolerance);
  Curve curve(dimension);
  double a = begin;
  std::vector<double> xa = sampler.value(a);
  curve.add(a, xa.data());
  for (long i = 1; i <= intervals; ++i) {
    const double b = i == intervals ? end
                                    : begin + (end - begin) * static_cast<double>(i) /
                                                  static_cast<double>(intervals);
    std::vector<double> xb = sampler.value(b);
    sampler.refine(a, xa, b, xb, curve);
    a = b;
    xa = std::move(xb);
  }
  return curve;
}

}  // namespace clack
