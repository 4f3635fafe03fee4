// One-step problems for tests: random ones, and ones made from a known solution.
#pragma once

#include <random>
#include <vector>

#include "clack/problem/reduced_problem.hpp"

namespace clack {

// A problem that owns its storage.
struct OwnedProblem {
  Matrix W;
  Vector u_free;
  std::vector<Cone> cones;
  std::vector<int> offset;
  DenseDelassus dense;

  ReducedProblem view() {
    dense = DenseDelassus(W.data(), static_cast<int>(W.rows()));
    return {&dense, u_free.data(), cones, offset};
  }
};

inline Vector random_vector(std::mt19937& random, int n) {
  std::normal_distribution<double> normal;
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = normal(random);
  return x;
}

// W = A A' of rank min(rank, m); cones repeated in order; u_free in the range of W plus `offset`.
inline OwnedProblem make_problem(std::mt19937& random, std::vector<Cone> cones, int rank) {
  OwnedProblem problem;
  problem.cones = std::move(cones);
  int m = 0;
  for (const Cone& cone : problem.cones) {
    problem.offset.push_back(m);
    m += cone.dim();
  }
  problem.offset.push_back(m);
  Matrix A(m, rank);
  for (int j = 0; j < rank; ++j) A.col(j) = random_vector(random, m);
  problem.W = A * A.transpose() / rank;
  problem.u_free = A * random_vector(random, rank);
  return problem;
}

// Builds r and u with the law first, contact by contact in random states, then u_free = u - W r.
inline OwnedProblem make_known_problem(std::mt19937& random, std::vector<Cone> cones, int rank,
                                       Vector& r, Vector& u) {
  OwnedProblem problem = make_problem(random, std::move(cones), rank);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  const int m = static_cast<int>(problem.W.rows());
  r = Vector::Zero(m);
  u = Vector::Zero(m);
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    const int begin = problem.offset[c];
    if (cone.is_free()) {
      r.segment(begin, cone.dim()) = random_vector(random, cone.dim());
      continue;
    }
    const int state = std::uniform_int_distribution<int>(0, 2)(random);
    if (state == 0) {  // open: u_N > 0
      u.segment(begin, cone.dim()) = random_vector(random, cone.dim());
      u[begin] = uniform(random);
      continue;
    }
    r[begin] = uniform(random);
    for (int d = 0; d < cone.disc_count(); ++d) {
      const Cone::Disc disc = cone.disc(d);
      const Vector direction = random_vector(random, disc.dim).normalized();
      const double limit = disc.radius * r[begin];
      if (state == 1) {  // stick
        r.segment(begin + disc.begin, disc.dim) = 0.5 * limit * direction;
      } else {  // slide: u_T against r_T
        r.segment(begin + disc.begin, disc.dim) = limit * direction;
        u.segment(begin + disc.begin, disc.dim) = -uniform(random) * direction;
      }
    }
  }
  problem.u_free = u - problem.W * r;
  return problem;
}

}  // namespace clack
