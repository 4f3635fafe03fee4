#include "clack/solve/convex/interior_point.hpp"

#include <algorithm>
#include <cmath>

namespace clack {
namespace {

constexpr double kBilateral = 1e-9;  // proximal term of bilateral rows, after scaling

// x o y in the Jordan algebra of the Lorentz cone.
SmallVector jordan(const SmallVector& x, const SmallVector& y) {
  const int n = static_cast<int>(x.size()) - 1;
  SmallVector product(n + 1);
  product[0] = x.dot(y);
  product.tail(n) = x[0] * y.tail(n) + y[0] * x.tail(n);
  return product;
}

double determinant(const SmallVector& x) {
  const double tail = x.tail(x.size() - 1).norm();
  return (x[0] - tail) * (x[0] + tail);
}

// y with x o y = b.
SmallVector divide(const SmallVector& x, const SmallVector& b) {
  const int n = static_cast<int>(x.size()) - 1;
  SmallVector y(n + 1);
  y[0] = (x[0] * b[0] - x.tail(n).dot(b.tail(n))) / determinant(x);
  y.tail(n) = (b.tail(n) - y[0] * x.tail(n)) / x[0];
  return y;
}

// Largest t with x + t d in the cone; x is inside.
double distance_to_boundary(const SmallVector& x, const SmallVector& d) {
  const int n = static_cast<int>(x.size()) - 1;
  if (n == 0) return d[0] < 0 ? -x[0] / d[0] : HUGE_VAL;
  const double a = determinant(d);
  const double b = x[0] * d[0] - x.tail(n).dot(d.tail(n));
  const double c = determinant(x);
  const double root = b * b - a * c;
  if (a >= 0 && b >= 0) return HUGE_VAL;
  if (root < 0) return HUGE_VAL;
  if (b > 0) return (b + std::sqrt(root)) / -a;
  return c / (-b + std::sqrt(root));
}

}  // namespace

void InteriorPoint::add_blocks(int contact) {
  const Cone& cone = cones_[contact];
  const int begin = W_->offset()[contact];
  if (cone.is_free()) return;
  const int before = static_cast<int>(blocks_.size());
  int place = blocks_.empty() ? 0 : blocks_.back().place + blocks_.back().dim;
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    if (disc.radius > 0) {
      blocks_.push_back({contact, begin, begin + disc.begin, 1 + disc.dim, place, disc.radius});
      place += 1 + disc.dim;
    } else {
      for (int k = 0; k < disc.dim; ++k) fixed_[begin + disc.begin + k] = 1;
    }
  }
  const bool frictionless = static_cast<int>(blocks_.size()) == before;
  if (frictionless) blocks_.push_back({contact, begin, begin + 1, 1, place, 1.0});
}

void InteriorPoint::load(const BlockSparse& W, std::span<const Cone> cones, bool coulomb) {
  W_ = &W;
  cones_ = cones;
  coulomb_ = coulomb;
  blocks_.clear();
  first_block_.assign(1, 0);
  fixed_.assign(W.size(), 0);
  for (int c = 0; c < static_cast<int>(cones.size()); ++c) {
    add_blocks(c);
    first_block_.push_back(static_cast<int>(blocks_.size()));
  }
  scaling_.resize(blocks_.size());
  system_.load(W, Factorisation::automatic);
  T_.resize(system_.block_values());
  B_.resize(system_.block_values());
}

void InteriorPoint::start(const Vector& b, double size) {
  const int rows = blocks_.empty() ? 0 : blocks_.back().place + blocks_.back().dim;
  r_.setZero(b.size());
  x_.setZero(rows);
  z_.setZero(rows);
  dz_.setZero(rows);
  dx_.setZero(rows);
  for (const Block& block : blocks_) {
    r_[block.normal] = size;
    x_[block.place] = block.mu * size;
    z_[block.place] = size / block.mu;
  }
  scaled_steps_ = 0;
  first_mean_ = complementarity();
}

SmallVector InteriorPoint::slack(const Block& block, const Vector& r) const {
  SmallVector x(block.dim);
  x[0] = block.mu * r[block.normal];
  x.tail(block.dim - 1) = r.segment(block.begin, block.dim - 1);
  return x;
}

SmallMatrix InteriorPoint::normal_map(const Block& block) const {
  const int rows = cones_[block.contact].dim(), n = block.dim - 1;
  SmallMatrix map = SmallMatrix::Zero(rows, block.dim);
  map(0, 0) = block.mu;
  map.block(block.begin - block.normal, 1, n, n).setIdentity();
  if (!coulomb_ || n == 0) return map;
  const auto tail = z_.segment(block.place + 1, n);
  const double length = tail.norm();
  if (length > 0) map.row(0).tail(n) = -block.mu * tail.transpose() / length;
  return map;
}

// W r + b + s(z) e_N - G' z.
void InteriorPoint::compute_dual_residual(const Vector& b) {
  residual_ = multiply(*W_, r_) + b;
  for (const Block& block : blocks_) {
    const int n = block.dim - 1;
    const auto tail = z_.segment(block.place + 1, n);
    residual_[block.normal] -= block.mu * z_[block.place];
    if (coulomb_) residual_[block.normal] += block.mu * tail.norm();
    residual_.segment(block.begin, n) -= tail;
  }
}

double InteriorPoint::complementarity() const {
  return blocks_.empty() ? 0.0 : x_.dot(z_) / static_cast<double>(blocks_.size());
}

// lambda = S z = S^-1 x with S = eta [w0 w1'; w1 I + w1 w1' / (1 + w0)].
void InteriorPoint::scale_nesterov_todd(const SmallVector& x, const SmallVector& z,
                                        Scaling& scaling) const {
  const int n = static_cast<int>(x.size()) - 1;
  const double det_x = std::sqrt(std::max(determinant(x), 1e-300));
  const double det_z = std::sqrt(std::max(determinant(z), 1e-300));
  SmallVector w = x / det_x;
  w[0] += z[0] / det_z;
  w.tail(n) -= z.tail(n) / det_z;
  w /= 2 * std::sqrt(0.5 * (1 + x.dot(z) / (det_x * det_z)));
  scaling.inverse.setIdentity(n + 1, n + 1);
  scaling.inverse(0, 0) = w[0];
  scaling.inverse.row(0).tail(n) = -w.tail(n).transpose();
  scaling.inverse.col(0).tail(n) = -w.tail(n);
  scaling.inverse.bottomRightCorner(n, n) += w.tail(n) * w.tail(n).transpose() / (1 + w[0]);
  scaling.inverse /= std::sqrt(det_x / det_z);
  scaling.theta = scaling.inverse * scaling.inverse;
  scaling.lambda = scaling.inverse * x;
}

void InteriorPoint::compute_scaling() {
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& block = blocks_[k];
    const SmallVector x = x_.segment(block.place, block.dim);
    const SmallVector z = z_.segment(block.place, block.dim);
    if (!plain_) {
      scale_nesterov_todd(x, z, scaling_[k]);
      continue;
    }
    scaling_[k].theta.resize(block.dim, block.dim);
    for (int j = 0; j < block.dim; ++j) {
      const SmallVector unit = SmallVector::Unit(block.dim, j);
      scaling_[k].theta.col(j) = divide(x, jordan(z, unit));
    }
  }
}

bool InteriorPoint::factorise() {
  std::fill(T_.begin(), T_.end(), 0.0);
  std::fill(B_.begin(), B_.end(), 0.0);
  for (int c = 0; c < static_cast<int>(cones_.size()); ++c) {
    const int dim = cones_[c].dim(), begin = W_->offset()[c];
    Eigen::Map<SmallMatrix> T(T_.data() + system_.block_begin(c), dim, dim);
    Eigen::Map<SmallMatrix> B(B_.data() + system_.block_begin(c), dim, dim);
    for (int k = 0; k < dim; ++k) (fixed_[begin + k] ? B : T)(k, k) = 1;
    if (cones_[c].is_free()) B.diagonal().setConstant(kBilateral);
    for (int k = first_block_[c]; k < first_block_[c + 1]; ++k) {
      const Block& block = blocks_[k];
      SmallMatrix G = SmallMatrix::Zero(block.dim, dim);
      G(0, 0) = block.mu;
      G.block(1, block.begin - begin, block.dim - 1, block.dim - 1).setIdentity();
      B += normal_map(block) * scaling_[k].theta * G;
    }
  }
  return system_.factorise(T_, B_);
}

std::vector<SmallVector> InteriorPoint::right_sides(double target, bool corrector) const {
  std::vector<SmallVector> rc(blocks_.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& block = blocks_[k];
    const Scaling& scaling = scaling_[k];
    if (plain_) {
      rc[k] = -jordan(x_.segment(block.place, block.dim), z_.segment(block.place, block.dim));
    } else {
      rc[k] = -jordan(scaling.lambda, scaling.lambda);
    }
    rc[k][0] += target;
    if (!corrector) continue;
    const SmallVector dx = dx_.segment(block.place, block.dim);
    if (plain_) {
      rc[k] -= jordan(dx, dz_.segment(block.place, block.dim));
    } else {  // the affine step has rc = -lambda o lambda, so S dz = -lambda - S^-1 dx
      const SmallVector scaled_dx = scaling.inverse * dx;
      rc[k] += jordan(scaled_dx, scaling.lambda + scaled_dx);
    }
  }
  return rc;
}

bool InteriorPoint::solve_step(const std::vector<SmallVector>& rc) {
  rhs_ = -residual_;
  std::vector<SmallVector> v(blocks_.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& block = blocks_[k];
    if (plain_) {
      v[k] = divide(x_.segment(block.place, block.dim), rc[k]);
    } else {
      v[k] = scaling_[k].inverse * divide(scaling_[k].lambda, rc[k]);
    }
    const int dim = cones_[block.contact].dim();
    rhs_.segment(block.normal, dim) += normal_map(block) * v[k];
  }
  for (int i = 0; i < rhs_.size(); ++i) {
    if (fixed_[i]) rhs_[i] = 0;
  }
  if (!system_.solve(rhs_, dr_)) return false;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& block = blocks_[k];
    const SmallVector dx = slack(block, dr_);
    dx_.segment(block.place, block.dim) = dx;
    dz_.segment(block.place, block.dim) = v[k] - scaling_[k].theta * dx;
  }
  return dz_.allFinite();
}

double InteriorPoint::step_to_boundary() const {
  double length = HUGE_VAL;
  for (const Block& block : blocks_) {
    length = std::min({length,
                       distance_to_boundary(x_.segment(block.place, block.dim),
                                            dx_.segment(block.place, block.dim)),
                       distance_to_boundary(z_.segment(block.place, block.dim),
                                            dz_.segment(block.place, block.dim))});
  }
  return length;
}

bool InteriorPoint::step(const Vector& b) {
  constexpr double kNear = 1e-4, kPoor = 0.2;
  const double mean = complementarity();
  plain_ = scaled_steps_ == 0 && mean < kNear * first_mean_;
  if (scaled_steps_ > 0) --scaled_steps_;
  compute_dual_residual(b);
  compute_scaling();
  if (!factorise() || !solve_step(right_sides(0, false))) return false;
  const double reach = std::min(1.0, step_to_boundary());
  const double predicted =
      blocks_.empty() ? 0.0 : (x_ + reach * dx_).dot(z_ + reach * dz_) / blocks_.size();
  const double ratio = mean > 0 ? std::clamp(predicted / mean, 0.0, 1.0) : 0.0;
  if (!solve_step(right_sides(ratio * ratio * ratio * mean, true))) return false;
  const double length = std::min(1.0, (coulomb_ ? 0.95 : 0.99) * step_to_boundary());
  if (plain_ && length < kPoor) scaled_steps_ = 3;
  r_ += length * dr_;
  x_ += length * dx_;
  z_ += length * dz_;
  return length > 1e-9 && r_.allFinite() && z_.allFinite();
}

void InteriorPointCore::load(const BlockSparse& W, bool symmetric, std::span<const Cone> cones) {
  W_ = &W;
  cones_ = cones;
  method_.load(W, cones, false);
  polish_.load(W, symmetric, cones);
}

CoreReport InteriorPointCore::solve(const Vector& b, const CoreLimits& limits, Vector& r) {
  constexpr int kMostSteps = 100, kPatience = 6, kPolish = 1000;
  const ConeSet set(cones_, W_->offset());
  set.project(r);
  BestCore best;
  best.offer(r, natural_measure(set, r, multiply(*W_, r) + b, b));
  method_.start(b, std::max(b.cwiseAbs().maxCoeff(), 1e-100));
  CoreReport report;
  int last_progress = kMostSteps;
  while (!is_done(limits, report.iterations, best.measure) && report.iterations < kMostSteps) {
    ++report.iterations;
    const bool moved = method_.step(b);
    Vector p = method_.r();
    if (!p.allFinite()) break;
    set.project(p);
    const double before = best.measure;
    best.offer(p, natural_measure(set, p, multiply(*W_, p) + b, b));
    if (best.measure < before) last_progress = report.iterations;
    if (!moved || report.iterations - last_progress > kPatience) break;
  }
  if (best.r.size() > 0) r = best.r;
  report.measure = best.measure;
  if (is_done(limits, report.iterations, best.measure)) return report;
  CoreLimits rest = limits;
  rest.max_iterations = std::min(kPolish, limits.max_iterations - report.iterations);
  const CoreReport polished = polish_.solve(b, rest, r);
  return {report.iterations + polished.iterations, polished.measure};
}

}  // namespace clack
