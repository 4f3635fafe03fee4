#include "clack/solve/anderson.hpp"

#include <algorithm>
#include <cassert>

namespace clack {

void Anderson::clear() {
  f_steps_.clear();
  image_steps_.clear();
  products_.resize(0, 0);
  last_f_.resize(0);
}

// The products of the differences: those with the newest are new, the others stay.
void Anderson::extend_products() {
  const auto n = static_cast<Eigen::Index>(f_steps_.size());
  const Eigen::Index kept = std::min(n - 1, products_.rows());
  const Matrix old = products_.bottomRightCorner(kept, kept);
  products_.resize(n, n);
  products_.topLeftCorner(kept, kept) = old;
  for (Eigen::Index i = 0; i < n; ++i) {
    products_(i, n - 1) = products_(n - 1, i) =
        f_steps_[static_cast<std::size_t>(i)].dot(f_steps_.back());
  }
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
    extend_products();
  }
  last_f_ = f;
  last_image_ = image;
  last_norm_ = norm;
  const int n = static_cast<int>(f_steps_.size());
  if (n == 0) return image;
  Matrix normal = products_;
  Vector right(n);
  for (int i = 0; i < n; ++i) right[i] = f_steps_[i].dot(f);
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
