#include "clack/analyse/harmonic/fourier_basis.hpp"

#include <cmath>

namespace clack {

FourierBasis::FourierBasis(int harmonics, bool even, int samples)
    : harmonics_(harmonics), even_(even), E_(samples, even ? 1 + harmonics : 1 + 2 * harmonics) {
  constexpr double kTwoPi = 6.28318530717958647692;
  for (int j = 0; j < samples; ++j) {
    E_(j, 0) = 1;
    for (int k = 1; k <= harmonics; ++k) {
      // The product modulo the number of samples keeps the angle small and exact.
      const double angle = kTwoPi * static_cast<double>((static_cast<long>(j) * k) % samples) /
                           static_cast<double>(samples);
      E_(j, cosine(k)) = std::cos(angle);
      if (!even) E_(j, sine(k)) = std::sin(angle);
    }
  }
  F_ = E_.transpose() * (2.0 / samples);
  F_.row(0) *= 0.5;
}

Matrix FourierBasis::derivative(const Matrix& full) {
  const auto H = (full.rows() - 1) / 2;
  Matrix result = Matrix::Zero(full.rows(), full.cols());
  for (long k = 1; k <= H; ++k) {
    result.row(k) = static_cast<double>(k) * full.row(H + k);
    result.row(H + k) = -static_cast<double>(k) * full.row(k);
  }
  return result;
}

Vector FourierBasis::to_full(const Vector& coefficients) const {
  if (!even_) return coefficients;
  Vector full = Vector::Zero(1 + 2 * harmonics_);
  full.head(1 + harmonics_) = coefficients;
  return full;
}

}  // namespace clack
