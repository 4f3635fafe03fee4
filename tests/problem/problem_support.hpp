// Problems made from a known solution: statuses and values are drawn first, then the data that
// make them solve the problem.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "clack/problem/problem_data.hpp"

namespace clack::test {

using Random = std::mt19937;

inline double uniform(Random& random, double low = -1, double high = 1) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Vector random_vector(Random& random, Eigen::Index size) {
  return Vector::NullaryExpr(size, [&] { return uniform(random); });
}

inline Matrix random_matrix(Random& random, Eigen::Index rows, Eigen::Index cols) {
  return Matrix::NullaryExpr(rows, cols, [&] { return uniform(random); });
}

inline Matrix random_spd(Random& random, Eigen::Index size) {
  const Matrix A = random_matrix(random, size, size);
  return A * A.transpose() + Matrix::Identity(size, size);
}

// All kinds, in turn.
inline std::vector<Cone> mixed_cones(int count) {
  const std::vector<Cone> kinds{Cone::coulomb(3, 0.6), Cone::free(2),           Cone::nonnegative(),
                                Cone::coulomb(2, 0.3), Cone::rolling(0.5, 0.1), Cone::coulomb(3, 0),
                                Cone::free(6),         Cone::discs({{3, 0.4}}),
                                Cone::discs({{1, 0.5}, {1, 0.2}}),
                                Cone::discs({{2, 0.5}, {1, 0.0}, {2, 0.1}})};
  std::vector<Cone> cones;
  for (int i = 0; i < count; ++i)
    cones.push_back(kinds[static_cast<std::size_t>(i) % kinds.size()]);
  return cones;
}

// r and u of one cone that obey its law: open, sticking or sliding, at random.
inline void draw_solution(Random& random, const Cone& cone, double* r, double* u) {
  std::fill_n(r, cone.dim(), 0.0);
  std::fill_n(u, cone.dim(), 0.0);
  if (cone.is_free()) {
    for (int k = 0; k < cone.dim(); ++k) r[k] = uniform(random);
    return;
  }
  if (uniform(random) > 0.5) {
    for (int k = 0; k < cone.dim(); ++k) u[k] = uniform(random);
    u[0] = std::abs(u[0]);
    return;
  }
  r[0] = uniform(random, 0.1, 2);
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    const Vector direction = random_vector(random, disc.dim);
    const double norm = direction.norm();
    const bool slides = uniform(random) > 0;
    const double share = slides ? 1.0 : uniform(random, 0, 0.9);
    const double speed = slides ? uniform(random, 0.1, 3) : 0.0;
    for (int k = 0; k < disc.dim; ++k) {
      r[disc.begin + k] = -share * disc.radius * r[0] * direction[k] / norm;
      u[disc.begin + k] = speed * direction[k] / norm;
    }
  }
}

struct Manufactured {
  ProblemData problem;
  Vector r;
  Vector u;
  Vector v;  // global form only
};

inline Manufactured draw(Random& random, std::vector<Cone> cones) {
  Manufactured made;
  made.problem.set_cones(std::move(cones));
  made.r.resize(made.problem.dimension());
  made.u.resize(made.problem.dimension());
  for (int c = 0; c < made.problem.contacts(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    const int begin = made.problem.offset[i];
    draw_solution(random, made.problem.cones[i], made.r.data() + begin, made.u.data() + begin);
  }
  return made;
}

// W dense, symmetric positive definite; u_free = u - W r.
inline Manufactured make_reduced(Random& random, std::vector<Cone> cones) {
  Manufactured made = draw(random, cones);
  const Matrix W = random_spd(random, made.problem.dimension());
  made.problem = make_reduced_problem(std::move(cones), W.sparseView(), made.u - W * made.r);
  return made;
}

// f = M v - H r, w = u - H' v.
inline Manufactured make_global(Random& random, std::vector<Cone> cones, const SparseMatrix& M) {
  Manufactured made = draw(random, cones);
  const Eigen::Index dof = M.rows();
  Matrix H = Matrix::Zero(dof, made.problem.dimension());
  for (Eigen::Index j = 0; j < H.cols(); ++j) {
    for (int k = 0; k < 4; ++k) H(static_cast<Eigen::Index>(random() % dof), j) = uniform(random);
  }
  made.v = random_vector(random, dof);
  made.problem = make_global_problem(std::move(cones), M, H.sparseView(), M * made.v - H * made.r,
                                     made.u - H.transpose() * made.v);
  return made;
}

// `bodies` dense blocks of `size` rows.
inline SparseMatrix random_bodies(Random& random, int bodies, int size) {
  Matrix M = Matrix::Zero(bodies * size, bodies * size);
  for (int b = 0; b < bodies; ++b) {
    M.block(b * size, b * size, size, size) = random_spd(random, size);
  }
  return M.sparseView();
}

}  // namespace clack::test
