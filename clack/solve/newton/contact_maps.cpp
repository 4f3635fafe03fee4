#include "clack/solve/newton/contact_maps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace clack {
namespace {

void resize(int dim, MapValue& value) {
  value.phi.setZero(dim);
  value.dr.setZero(dim, dim);
  value.du.setZero(dim, dim);
}

void bilateral(const Cone& cone, const double* u, MapValue& value) {
  value.phi = Eigen::Map<const SmallVector>(u, cone.dim());
  value.du.setIdentity();
}

// Radius mu a of the discs, with da/dr_N and da/du_N.
struct Limit {
  double a, dr, du;
};

// r_i - proj_{|.| <= mu a}(z), z = r_i - u_i, for one disc.
void disc_map(const Cone::Disc& disc, const double* r, const double* u, const Limit& limit,
              MapValue& value) {
  const int b = disc.begin, d = disc.dim;
  const double radius = disc.radius * limit.a;
  std::array<double, Cone::kMaxDiscDim> z{}, n{};
  for (int k = 0; k < d; ++k) z[k] = r[b + k] - u[b + k];
  const double length = std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  if (radius > 0 && length <= radius) {  // stick: Phi = u
    for (int k = 0; k < d; ++k) {
      value.phi[b + k] = u[b + k];
      value.du(b + k, b + k) = 1;
    }
    return;
  }
  for (int k = 0; k < d; ++k) n[k] = length > 0 ? z[k] / length : 0.0;
  const double turn = d > 1 && length > 0 ? radius / length : 0.0;
  for (int k = 0; k < d; ++k) {
    value.phi[b + k] = r[b + k] - radius * n[k];
    value.dr(b + k, 0) = -disc.radius * n[k] * limit.dr;
    value.du(b + k, 0) = -disc.radius * n[k] * limit.du;
    for (int l = 0; l < d; ++l) {
      const double P = turn * ((k == l ? 1.0 : 0.0) - n[k] * n[l]);
      value.dr(b + k, b + l) = (k == l ? 1.0 : 0.0) - P;
      value.du(b + k, b + l) = P;
    }
  }
}

void alart_curnier_variant(const Cone& cone, const double* r, const double* u, bool jean,
                           MapValue& value) {
  resize(cone.dim(), value);
  if (cone.is_free()) return bilateral(cone, u, value);
  const double t = r[0] - u[0];
  value.phi[0] = t > 0 ? u[0] : r[0];
  (t > 0 ? value.du : value.dr)(0, 0) = 1;
  const double a = jean ? r[0] : t;
  const Limit limit = a > 0 ? Limit{a, 1.0, jean ? 0.0 : -1.0} : Limit{0, 0, 0};
  for (int i = 0; i < cone.disc_count(); ++i) disc_map(cone.disc(i), r, u, limit, value);
}

// The derivative of u -> u + g(u).
SmallMatrix shift_derivative(const Cone& cone, const double* u) {
  SmallMatrix G = SmallMatrix::Identity(cone.dim(), cone.dim());
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    const double length = disc.norm(u);
    if (length == 0) continue;  // 0 is an element of the subdifferential
    for (int k = disc.begin; k < disc.begin + disc.dim; ++k) G(0, k) = disc.radius * u[k] / length;
  }
  return G;
}

// x + y - sqrt(x^2 + y^2) and its derivatives.
struct ScalarFb {
  double phi, dx, dy;
};
ScalarFb scalar_fb(double x, double y) {
  const double root = std::hypot(x, y);
  if (root == 0) return {0, 1 - M_SQRT1_2, 1 - M_SQRT1_2};
  return {x + y - root, 1 - x / root, 1 - y / root};
}

SmallMatrix arrow(const SmallVector& x) {
  SmallMatrix L = x[0] * SmallMatrix::Identity(x.size(), x.size());
  L.row(0) = x.transpose();
  L.col(0) = x;
  return L;
}

// L_z^-1 for an arrow matrix with z_0 > |z_1|; det = z_0^2 - |z_1|^2.
SmallMatrix inverse_arrow(const SmallVector& z, double det) {
  const int d = static_cast<int>(z.size());
  const auto tail = z.tail(d - 1);
  SmallMatrix inverse(d, d);
  inverse(0, 0) = z[0] / det;
  inverse.row(0).tail(d - 1) = -tail.transpose() / det;
  inverse.col(0).tail(d - 1) = -tail / det;
  inverse.bottomRightCorner(d - 1, d - 1) = tail * tail.transpose() / (det * z[0]);
  inverse.bottomRightCorner(d - 1, d - 1).diagonal().array() += 1 / z[0];
  return inverse;
}

// phi = x + y - (x o x + y o y)^1/2; dx, dy its derivatives. Where the root has an eigenvalue 0
// it is not differentiable; a floor on that eigenvalue gives the limit of the derivative of the
// smoothed function.
void lorentz_fb(const SmallVector& x, const SmallVector& y, SmallVector& phi, SmallMatrix& dx,
                SmallMatrix& dy) {
  const int d = static_cast<int>(x.size());
  const SmallMatrix identity = SmallMatrix::Identity(d, d);
  const double w0 = x.squaredNorm() + y.squaredNorm();
  if (w0 == 0) {
    phi.setZero(d);
    dx = dy = (1 - M_SQRT1_2) * identity;
    return;
  }
  const SmallVector w1 = 2 * (x[0] * x.tail(d - 1) + y[0] * y.tail(d - 1));
  const double length = w1.norm();
  const double high = std::sqrt(w0 + length);
  const double low = std::sqrt(std::max(w0 - length, 0.0));
  SmallVector z(d);
  z[0] = 0.5 * (high + low);
  z.tail(d - 1).setZero();
  if (length > 0) z.tail(d - 1) = (0.5 * (high - low) / length) * w1;
  phi = x + y - z;
  const double floor = 1e-9 * high;
  const double det = high * std::max(low, floor);
  if (low < floor) z[0] = std::sqrt(z.tail(d - 1).squaredNorm() + det);
  const SmallMatrix inverse = inverse_arrow(z, det);
  dx = identity - inverse * arrow(x);
  dy = identity - inverse * arrow(y);
}

// A cone with one disc of radius > 0.
void coulomb_fb(const Cone& cone, const double* r, const double* u, MapValue& value) {
  const int d = cone.dim();
  const double mu = cone.mu();
  SmallVector x = Eigen::Map<const SmallVector>(r, d);
  SmallVector y = Eigen::Map<const SmallVector>(u, d);
  x[0] *= mu;
  y[0] = (u[0] + cone.shift(u)) / mu;
  SmallMatrix dx(d, d), dy(d, d);
  lorentz_fb(x, y, value.phi, dx, dy);
  SmallMatrix G = shift_derivative(cone, u);
  G.row(0) /= mu;
  value.dr = dx;
  value.dr.col(0) *= mu;
  value.du.noalias() = dy * G;
}

}  // namespace

void alart_curnier(const Cone& cone, const double* r, const double* u, MapValue& value) {
  alart_curnier_variant(cone, r, u, false, value);
}

void jean_moreau(const Cone& cone, const double* r, const double* u, MapValue& value) {
  alart_curnier_variant(cone, r, u, true, value);
}

SmallMatrix projection_derivative(const Cone& cone, const double* x) {
  const int dim = cone.dim();
  if (cone.is_free()) return SmallMatrix::Identity(dim, dim);
  std::array<double, Cone::kMaxDim> p;
  cone.project(x, p.data());
  SmallMatrix P = SmallMatrix::Zero(dim, dim);
  if (p[0] <= 0) return P;
  // p_N = (x_N + sum mu_i |x_i|) / (1 + sum mu_i^2) over the discs that hold with equality
  double weight = 1;
  P(0, 0) = 1;
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    const double length = disc.norm(x);
    if (length <= disc.radius * p[0]) continue;
    weight += disc.radius * disc.radius;
    for (int k = disc.begin; k < disc.begin + disc.dim; ++k) P(0, k) = disc.radius * x[k] / length;
  }
  P.row(0) /= weight;
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    const double length = disc.norm(x);
    const bool active = length > disc.radius * p[0];
    const double turn = disc.radius * p[0] / std::max(length, 1e-300);
    for (int k = disc.begin; k < disc.begin + disc.dim; ++k) {
      if (!active) {
        P(k, k) = 1;
        continue;
      }
      P.row(k) = (disc.radius * x[k] / length) * P.row(0);
      for (int l = disc.begin; l < disc.begin + disc.dim; ++l) {
        P(k, l) += turn * ((k == l ? 1.0 : 0.0) - x[k] * x[l] / (length * length));
      }
    }
  }
  return P;
}

void natural_map(const Cone& cone, const double* r, const double* u, MapValue& value) {
  const int dim = cone.dim();
  resize(dim, value);
  if (cone.is_free()) return bilateral(cone, u, value);
  SmallVector x(dim), p(dim);
  for (int k = 0; k < dim; ++k) x[k] = r[k] - u[k];
  x[0] -= cone.shift(u);
  cone.project(x.data(), p.data());
  const SmallMatrix P = projection_derivative(cone, x.data());
  value.phi = Eigen::Map<const SmallVector>(r, dim) - p;
  value.dr = SmallMatrix::Identity(dim, dim) - P;
  value.du.noalias() = P * shift_derivative(cone, u);
}

void fischer_burmeister(const Cone& cone, const double* r, const double* u, MapValue& value) {
  if (cone.is_free() || cone.disc_count() > 1) return alart_curnier(cone, r, u, value);
  resize(cone.dim(), value);
  if (cone.mu() > 0) return coulomb_fb(cone, r, u, value);
  const ScalarFb normal = scalar_fb(r[0], u[0]);
  value.phi[0] = normal.phi;
  value.dr(0, 0) = normal.dx;
  value.du(0, 0) = normal.dy;
  for (int k = 1; k < cone.dim(); ++k) {  // no friction: the tangential impulse is 0
    value.phi[k] = r[k];
    value.dr(k, k) = 1;
  }
}

}  // namespace clack
