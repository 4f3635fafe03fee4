#include "clack/solve/local_projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "clack/problem/residual.hpp"

namespace clack {
namespace {

double row_velocity(const double* W, const double* b, const double* r, int dim, int row) {
  double u = b[row];
  for (int j = 0; j < dim; ++j) u += W[row + j * dim] * r[j];
  return u;
}

void project_disc(const Cone::Disc& disc, double normal, double* r) {
  const double length = disc.norm(r);
  const double limit = disc.radius * normal;
  if (length <= limit) return;
  for (int k = disc.begin; k < disc.begin + disc.dim; ++k) r[k] *= limit / length;
}

// All rows of a bilateral block with one step.
void step_free(int dim, const double* W, const double* b, double omega, double* r) {
  const double lambda = largest_eigenvalue(W, dim);
  if (!(lambda > 0)) return;
  std::array<double, Cone::kMaxDim> u;
  for (int k = 0; k < dim; ++k) u[static_cast<std::size_t>(k)] = row_velocity(W, b, r, dim, k);
  for (int k = 0; k < dim; ++k) r[k] -= omega / lambda * u[static_cast<std::size_t>(k)];
}

void step_disc(const Cone::Disc& disc, int dim, const double* W, const double* b, double omega,
               double* r) {
  const double lambda = disc_eigenvalue(disc, W, dim);
  if (lambda > 0) {
    std::array<double, Cone::kMaxDiscDim> u;
    for (int k = 0; k < disc.dim; ++k) u[static_cast<std::size_t>(k)] = row_velocity(W, b, r, dim, disc.begin + k);
    for (int k = 0; k < disc.dim; ++k) r[disc.begin + k] -= omega / lambda * u[static_cast<std::size_t>(k)];
  }
  project_disc(disc, r[0], r);
}

}  // namespace

double disc_eigenvalue(const Cone::Disc& disc, const double* W, int dim) {
  const double* corner = W + disc.begin + disc.begin * dim;
  if (disc.dim == 1) return corner[0];
  std::array<double, Cone::kMaxDiscDim * Cone::kMaxDiscDim> block;
  for (int j = 0; j < disc.dim; ++j) std::copy_n(corner + j * dim, disc.dim, block.begin() + j * disc.dim);
  return largest_eigenvalue(block.data(), disc.dim);
}

void project_discs(const Cone& cone, double* r) {
  for (int i = 0; i < cone.disc_count(); ++i) project_disc(cone.disc(i), r[0], r);
}

void project_local(const Cone& cone, const double* W, const double* b, double omega, double* r) {
  const int dim = cone.dim();
  if (cone.is_free()) {
    step_free(dim, W, b, omega, r);
    return;
  }
  const double step = W[0] > 0 ? omega / W[0] * row_velocity(W, b, r, dim, 0) : 0.0;
  r[0] = std::max(0.0, r[0] - step);
  for (int i = 0; i < cone.disc_count(); ++i) step_disc(cone.disc(i), dim, W, b, omega, r);
}

}  // namespace clack
