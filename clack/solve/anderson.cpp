#include "clack/solve/anderson.hpp"

#include <cassert>

namespace clack {

void Anderson::clear() {
  f_steps_.clear();
  image_steps_.clear();
  last_f_.resize(0);
}

Vector Anderson::next(const Vector& s, const Vector& image) {
  assert(s.size() == image.size());
  if (memory_ == 0) return image;
  const Vector f = image - s;
  const double norm = f.norm();
  if (last_f_.size() != f.size() || norm > growth_ * last_norm_) {
    clear();
  } else {
    f_steps_.push_back(f - last_f_);
    image_steps_.push_back(image - last_image_);
    if (static_cast<int>(f_steps_.size()) > memory_) {
      f_steps_.pop_front();
      image_steps_.pop_front();
    }
  }
  last_f_ = f;
  last_image_ = image;
  last_norm_ = norm;
  const int n = static_cast<int>(f_steps_.size());
  if (n == 0) return image;
  Matrix normal(n, n);
  Vector right(n);
  for (int i = 0; i < n; ++i) {
    right[i] = f_steps_[i].dot(f);
    for (int j = 0; j < n; ++j) normal(i, j) = f_steps_[i].dot(f_steps_[j]);
  }
  const double mean = normal.diagonal().mean();
  if (!(mean > 0)) return image;
  normal.diagonal().array() += 1e-12 * mean;
  const Vector gamma = normal.ldlt().solve(right);
  if (!gamma.allFinite() || gamma.cwiseAbs().maxCoeff() > 1e4) return image;
  Vector result = image;
  for (int i = 0; i < n; ++i) result -= gamma[i] * image_steps_[i];
  return result;
}

}  // namespace clack
