// What a convergence study compares with: a motion, a closed form.
#include <algorithm>
#include <cmath>

#include "clack/analyse/convergence.hpp"

namespace clack {
namespace {

double largest_value(const CurveFunction& function, int dimension, double begin, double end) {
  double largest = 0;
  std::vector<double> x(dimension);
  for (int i = 0; i <= 1024; ++i) {
    function(begin + (end - begin) * i / 1024, x.data());
    for (const double value : x) largest = std::max(largest, std::abs(value));
  }
  return largest > 0 ? largest : 1;
}

}  // namespace

ReferenceMotion ReferenceMotion::of_motion(ObservedMotion motion) {
  ReferenceMotion reference;
  reference.motion_ = std::move(motion);
  return reference;
}

ReferenceMotion ReferenceMotion::of_exact(const ExactMotion& exact, const StudyCase& study_case,
                                          const ObservedCoordinates& observed,
                                          const ErrorNorm& norm, long intervals) {
  ReferenceMotion reference;
  reference.exact_ = exact;
  reference.initial_ = study_case.initial;
  reference.observed_ = observed;
  if (norm.kind != ErrorNorm::Kind::hausdorff) return reference;
  const auto curve = [&](const CurveFunction& function, std::size_t size) {
    const int n = static_cast<int>(size);
    const double scale = largest_value(function, n, study_case.initial.t, study_case.end);
    return sample_curve(function, n, study_case.initial.t, study_case.end, intervals, 1e-8 * scale);
  };
  reference.motion_.q = curve(reference.q_function(), observed.q.size());
  reference.motion_.v = curve(reference.v_function(), observed.v.size());
  return reference;
}

CurveFunction ReferenceMotion::exact_function(bool velocities) const {
  return [this, velocities, q = initial_.q, v = initial_.v](double t, double* x) mutable {
    exact_.at(t, q, v);
    for (const int i : velocities ? observed_.v : observed_.q) *x++ = velocities ? v[i] : q[i];
  };
}

CurveFunction ReferenceMotion::q_function() const {
  return exact_ ? exact_function(false) : motion_.q.function();
}

CurveFunction ReferenceMotion::v_function() const {
  return exact_ ? exact_function(true) : motion_.v.function();
}

}  // namespace clack
