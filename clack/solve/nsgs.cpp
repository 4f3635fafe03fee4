#include "clack/solve/nsgs.hpp"

#include <fmt/format.h>

#include <array>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/local_solver.hpp"

namespace clack {

void NsgsOptions::validate() const {
  SolverOptions::validate();
  if (check_every < 1) throw InputError("nsgs: check_every must be >= 1");
  if (!(relaxation > 0 && relaxation < 2)) {
    throw InputError(fmt::format("nsgs: relaxation is {}; it must lie in (0, 2)", relaxation));
  }
}

Nsgs::Nsgs(const NsgsOptions& options) : Solver(options), options_(options) { options.validate(); }

void Nsgs::load_blocks(const ReducedProblem& problem) {
  blocks_.clear();
  block_begin_.clear();
  for (int c = 0; c < problem.contacts(); ++c) {
    const int dim = problem.cones[c].dim();
    block_begin_.push_back(static_cast<int>(blocks_.size()));
    blocks_.resize(blocks_.size() + dim * dim);
    problem.W->diagonal_block(problem.offset[c], dim, blocks_.data() + block_begin_.back());
  }
}

void Nsgs::update_contact(const ReducedProblem& problem, int contact, double* r) const {
  std::array<double, Cone::kMaxDim> b, local;
  const Cone& cone = problem.cones[contact];
  const int begin = problem.offset[contact];
  const int dim = cone.dim();
  const double* block = blocks_.data() + block_begin_[contact];
  problem.W->multiply_rows(begin, dim, r, b.data());
  for (int i = 0; i < dim; ++i) {
    b[i] += problem.u_free[begin + i];
    for (int j = 0; j < dim; ++j) b[i] -= block[i + j * dim] * r[begin + j];
    local[i] = r[begin + i];
  }
  if (!solve_local(cone, block, b.data(), local.data())) return;
  const double omega = options_.relaxation;
  for (int i = 0; i < dim; ++i) {
    r[begin + i] = omega == 1.0 ? local[i] : (1 - omega) * r[begin + i] + omega * local[i];
  }
  if (omega > 1.0) cone.project(r + begin, r + begin);
}

void Nsgs::sweep(const ReducedProblem& problem, double* r, bool forward) const {
  const int n = problem.contacts();
  for (int k = 0; k < n; ++k) update_contact(problem, forward ? k : n - 1 - k, r);
}

void Nsgs::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  load_blocks(problem);
  for (int iteration = 1;; ++iteration) {
    sweep(problem, r, iteration % 2 == 1);
    const bool last = iteration >= options().max_iterations;
    if (iteration > 2 && iteration % options_.check_every != 0 && !last) continue;
    if (stop_here(iteration, compute_residual(problem, r, u).worst(), report)) return;
  }
}

}  // namespace clack
