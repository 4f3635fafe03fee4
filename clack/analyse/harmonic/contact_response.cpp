#include "clack/analyse/harmonic/contact_response.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

namespace clack {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;

}  // namespace

HarmonicDrive ResponseMaker::drive(double omega) const {
  return structure_.drive(kTwoPi / omega, basis_);
}

// Column k: a_k - i b_k.
ComplexMatrix ResponseMaker::amplitudes(const Matrix& coefficients) const {
  const int H = basis_.harmonics();
  ComplexMatrix result = coefficients.leftCols(1 + H).cast<std::complex<double>>();
  if (!basis_.even()) result.imag().rightCols(H) = -coefficients.rightCols(H);
  return result;
}

ResponseChart ResponseMaker::chart(double omega) const {
  ResponseChart chart;
  const double kappa = structure_.contact_stiffness();
  const int m = structure_.rows();
  const ComplexVector none = ComplexVector::Zero(structure_.nv());
  for (int k = 0; k <= basis_.harmonics(); ++k) {
    const ComplexMatrix V = structure_.solve(k * omega, none);
    const Matrix S = structure_.project(V.leftCols(m)).real();
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(kappa * 0.5 * (S + S.transpose()));
    const Vector theta = eigen.eigenvalues().array().atan();
    const Matrix& Q = eigen.eigenvectors();
    chart.a.push_back(Q * theta.array().cos().matrix().asDiagonal() * Q.transpose());
    chart.b.push_back(kappa * (Q * theta.array().sin().matrix().asDiagonal() * Q.transpose()));
  }
  return chart;
}

// A complex matrix on amplitudes a - i b, as a real one on coefficients.
void ResponseMaker::put(int k, const ComplexMatrix& part, Matrix& A) const {
  for (int i = 0; i < part.rows(); ++i) {
    for (int j = 0; j < part.cols(); ++j) {
      const double re = part(i, j).real(), im = part(i, j).imag();
      A(at(i, k), at(j, k)) = re;
      if (k == 0 || basis_.even()) continue;
      const int sine = basis_.sine(k);
      A(at(i, sine), at(j, sine)) = re;
      A(at(i, k), at(j, sine)) = im;
      A(at(i, sine), at(j, k)) = -im;
    }
  }
}

ContactResponse ResponseMaker::response(double omega, const ResponseChart& chart) const {
  const int m = structure_.rows(), size = basis_.size();
  const HarmonicDrive driven = drive(omega);
  const ComplexMatrix f = amplitudes(driven.f);
  ContactResponse result{Matrix::Zero(m * size, m * size), Matrix::Zero(m * size, m * size),
                         Vector(m * size), driven.drift};
  for (int r = 0; r < m; ++r) result.y_free.segment(at(r, 0), size) = driven.g.row(r).transpose();
  for (int k = 0; k <= basis_.harmonics(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const ComplexMatrix Y = structure_.project(structure_.solve(k * omega, f.col(k)));
    const ComplexMatrix S = Y.leftCols(m);
    const ComplexMatrix factor = chart.a[i] + chart.b[i] * S;
    const ComplexMatrix force = factor.partialPivLu().inverse();
    put(k, force, result.A_force);
    put(k, S * force, result.A_motion);
    for (int r = 0; r < m; ++r) {
      result.y_free[at(r, k)] += Y(r, m).real();
      if (k > 0 && !basis_.even()) result.y_free[at(r, basis_.sine(k))] -= Y(r, m).imag();
    }
  }
  return result;
}

Vector ResponseMaker::unknowns(const ResponseChart& chart, const ContactResponse& response,
                               const Vector& force, const Vector& motion) const {
  const int m = structure_.rows(), size = basis_.size();
  const Vector moved = motion - response.y_free;
  Vector s(m * size);
  for (int b = 0; b < size; ++b) {
    const auto k = static_cast<std::size_t>(b <= basis_.harmonics() ? b : b - basis_.harmonics());
    Vector lambda(m), y(m);
    for (int r = 0; r < m; ++r) lambda[r] = force[at(r, b)], y[r] = moved[at(r, b)];
    const Vector part = chart.a[k] * lambda + chart.b[k] * y;
    for (int r = 0; r < m; ++r) s[at(r, b)] = part[r];
  }
  return s;
}

Matrix ResponseMaker::coordinates(double omega, const Vector& force) const {
  const int m = structure_.rows(), size = basis_.size(), H = basis_.harmonics();
  const ComplexMatrix f = amplitudes(drive(omega).f);
  Matrix lambda(m, size);
  for (int r = 0; r < m; ++r) lambda.row(r) = force.segment(at(r, 0), size).transpose();
  const ComplexMatrix amplitude = amplitudes(lambda);
  Matrix q = Matrix::Zero(structure_.nv(), 1 + 2 * H);
  for (int k = 0; k <= H; ++k) {
    const ComplexMatrix V = structure_.solve(k * omega, f.col(k));
    const ComplexVector moved = V.leftCols(m) * amplitude.col(k) + V.col(m);
    q.col(k) = moved.real();
    if (k > 0) q.col(H + k) = -moved.imag();
  }
  return q;
}

}  // namespace clack
