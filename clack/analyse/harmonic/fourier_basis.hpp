// Real Fourier series over one period, as rows of coefficients, and their samples:
//
//     y(s) = a_0 + sum_k a_k cos(k s) + b_k sin(k s),   s = omega t,   k = 1 .. H
//     coefficients (a_0, a_1 .. a_H, b_1 .. b_H), without the b_k in an even basis
//
// With complex amplitudes y_k = a_k - i b_k, y = Re sum y_k exp(i k s).
#pragma once

#include "clack/core/types.hpp"

namespace clack {

class FourierBasis {
 public:
  // `even`: cosines alone. Samples at s_j = 2 pi j/samples.
  FourierBasis(int harmonics, bool even, int samples);

  int harmonics() const { return harmonics_; }
  bool even() const { return even_; }
  int size() const { return even_ ? 1 + harmonics_ : 1 + 2 * harmonics_; }
  int samples() const { return static_cast<int>(E_.rows()); }
  int cosine(int k) const { return k; }
  int sine(int k) const { return harmonics_ + k; }  // k >= 1, not in an even basis

  const Matrix& values() const { return E_; }    // samples x size: coefficients to samples
  const Matrix& analysis() const { return F_; }  // size x samples: samples to coefficients
  // Coefficients of dy/ds, by column, of a full basis.
  static Matrix derivative(const Matrix& full);
  // Coefficients of a full basis from those of this one.
  Vector to_full(const Vector& coefficients) const;

 private:
  int harmonics_;
  bool even_;
  Matrix E_, F_;
};

}  // namespace clack
