#include "clack/solve/local_newton.hpp"

#include <algorithm>
#include <cmath>

#include "clack/solve/local_projection.hpp"

namespace clack {
namespace {

// Gauss elimination with row pivoting, in place; false where a pivot vanishes.
bool solve_in_place(int n, double* A, double* x) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(A[i + k * n]) > std::abs(A[pivot + k * n])) pivot = i;
    }
    if (!(std::abs(A[pivot + k * n]) > 1e-300)) return false;
    if (pivot != k) {
      for (int j = k; j < n; ++j) std::swap(A[k + j * n], A[pivot + j * n]);
      std::swap(x[k], x[pivot]);
    }
    const double inverse = 1 / A[k + k * n];
    for (int i = k + 1; i < n; ++i) {
      const double factor = A[i + k * n] * inverse;
      if (factor == 0) continue;
      for (int j = k + 1; j < n; ++j) A[i + j * n] -= factor * A[k + j * n];
      x[i] -= factor * x[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] -= A[k + j * n] * x[j];
    x[k] /= A[k + k * n];
  }
  return true;
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

ClosedContact::ClosedContact(const Cone& cone, const double* W, const double* b)
    : cone_(cone), dim_(cone.dim()) {
  scale_.fill(1.0);
  scale_[0] = 1 / std::sqrt(W[0]);
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc d = cone.disc(i);
    const double lambda = disc_eigenvalue(d, W, dim_);
    const double scale = lambda > 0 ? 1 / std::sqrt(lambda) : scale_[0];
    for (int k = 0; k < d.dim; ++k) scale_[at(d.begin + k)] = scale;
    radius_[at(i)] = d.radius * scale_[0] / scale;
  }
  for (int j = 0; j < dim_; ++j) {
    b_[at(j)] = scale_[at(j)] * b[j];
    for (int i = 0; i < dim_; ++i)
      W_[at(i + j * dim_)] = scale_[at(i)] * W[i + j * dim_] * scale_[at(j)];
  }
  b_norm_ = norm(b_);
}

double ClosedContact::norm(const Values& x) const {
  double sum = 0;
  for (int k = 0; k < dim_; ++k) sum += x[at(k)] * x[at(k)];
  return std::sqrt(sum);
}

ClosedContact::Values ClosedContact::scaled(const double* r) const {
  Values x{};
  for (int k = 0; k < dim_; ++k) x[at(k)] = r[k] / scale_[at(k)];
  return x;
}

void ClosedContact::write(const Values& x, double* r) const {
  for (int k = 0; k < dim_; ++k) r[k] = scale_[at(k)] * x[at(k)];
  r[0] = std::max(r[0], 0.0);
  project_discs(cone_, r);
}

void ClosedContact::velocity(const Values& r, Values& u) const {
  for (int i = 0; i < dim_; ++i) {
    double sum = b(i);
    for (int j = 0; j < dim_; ++j) sum += W(i, j) * r[at(j)];
    u[at(i)] = sum;
  }
}

void ClosedContact::evaluate(const Values& r, Values& phi, Block* J) const {
  Values u;
  velocity(r, u);
  phi[0] = u[0];
  if (J) {
    for (int j = 0; j < dim_; ++j) (*J)[at(j * dim_)] = W(0, j);
  }
  for (int i = 0; i < cone_.disc_count(); ++i) evaluate_disc(i, r, u, phi, J);
}

// Inside the disc Phi = u. Outside, with n = z / |z| and P = limit / |z| (I - n n'),
// dPhi = dr_i - mu n dr_N - P (dr_i - du_i).
void ClosedContact::evaluate_disc(int i, const Values& r, const Values& u, Values& phi,
                                  Block* J) const {
  const Cone::Disc d = disc(i);
  const double limit = radius(i) * std::max(r[0], 0.0);
  double z[Cone::kMaxDiscDim] = {}, n[Cone::kMaxDiscDim] = {};
  for (int k = 0; k < d.dim; ++k) z[k] = r[at(d.begin + k)] - u[at(d.begin + k)];
  const double length = std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  const bool inside = radius(i) > 0 && length <= limit;
  for (int k = 0; k < d.dim; ++k) n[k] = length > 0 ? z[k] / length : 0.0;
  const double g = d.dim > 1 && length > 0 ? limit / length : 0.0;
  for (int k = 0; k < d.dim; ++k) {
    const int row = d.begin + k;
    phi[at(row)] = inside ? u[at(row)] : r[at(row)] - limit * n[k];
    if (!J) continue;
    for (int j = 0; j < dim_; ++j) {
      double value = inside ? W(row, j) : (row == j ? 1.0 : 0.0);
      if (!inside) {
        if (j == 0 && r[0] > 0) value -= radius(i) * n[k];
        for (int l = 0; l < d.dim; ++l) {
          const double P = g * ((k == l ? 1.0 : 0.0) - n[k] * n[l]);
          value += P * (W(d.begin + l, j) - (d.begin + l == j ? 1.0 : 0.0));
        }
      }
      (*J)[at(row + j * dim_)] = value;
    }
  }
}

double ClosedContact::error(const Values& r) const {
  Values phi;
  evaluate(r, phi, nullptr);
  return norm(phi) / std::max({norm(r), b_norm_, 1e-300});
}

double ClosedContact::newton(Values& r, int steps) const {
  Values phi, x = r;
  Block J;
  double best = HUGE_VAL;
  for (int k = 0; k <= steps; ++k) {
    evaluate(x, phi, &J);
    const double now = norm(phi) / std::max({norm(x), b_norm_, 1e-300});
    if (!(now < best)) {
      if (best <= kAccurate) break;  // round-off: no further step helps
    } else {
      best = now;
      r = x;
      if (best <= 2e-16) break;
    }
    if (k == steps || !solve_in_place(dim_, J.data(), phi.data())) break;
    for (int i = 0; i < dim_; ++i) x[at(i)] -= phi[at(i)];
  }
  return best;
}

bool solve_local_ac(const Cone& cone, const double* W, const double* b, double* r) {
  if (cone.is_free() || cone.disc_count() == 0 || b[0] >= 0 || !(W[0] > 0)) return false;
  const ClosedContact contact(cone, W, b);
  ClosedContact::Values x = contact.scaled(r);
  double error = contact.newton(x, 12);
  if (!(error <= ClosedContact::kAccurate)) {
    x.fill(0.0);
    x[0] = -contact.b(0) / contact.W(0, 0);
    error = contact.newton(x, 20);
  }
  if (!(error <= ClosedContact::kAccurate)) return false;
  contact.write(x, r);
  return true;
}

}  // namespace clack
