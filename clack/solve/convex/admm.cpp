#include "clack/solve/convex/admm.hpp"

#include "clack/core/error.hpp"
#include "clack/solve/newton/judged_iterate.hpp"

namespace clack {

void AdmmOptions::validate() const {
  SolverOptions::validate();
  if (!(settings.rho > 0)) throw InputError("admm: rho must be > 0");
  if (!(settings.relaxation > 0 && settings.relaxation < 2)) {
    throw InputError("admm: relaxation must lie in (0, 2)");
  }
  if (settings.adapt_every < 0) throw InputError("admm: adapt_every must be >= 0");
  if (check_every < 1) throw InputError("admm: check_every must be >= 1");
}

Admm::Admm(const AdmmOptions& options) : Solver(options), options_(options) { options.validate(); }

void Admm::set_constant_term(const Vector& y) {
  b_ = scaled_.u_free();
  for (int c = 0; c < scaled_.contacts(); ++c) {
    b_[scaled_.offset()[c]] += scaled_.cones()[c].shift(y.data() + scaled_.offset()[c]);
  }
}

void Admm::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  JudgedIterate best(problem, options().verdict, r, u);
  if (stop_here(0, best.measure(), report)) return;
  scaled_.load(problem);
  engine_.load(scaled_.W(), scaled_.is_symmetric(), options_.settings);
  const ConeSet set(scaled_.cones(), scaled_.offset());
  const Vector start = scaled_.to_scaled(r);
  scaled_.velocity(start, b_);
  set_constant_term(Vector(b_));
  engine_.start(set, b_, start);
  for (int iteration = 1;; ++iteration) {
    set_constant_term(engine_.y());
    if (!engine_.step(set, b_)) {
      report.status = Status::numerical_failure;
      break;
    }
    const bool last = iteration >= options().max_iterations;
    if (iteration % options_.check_every != 0 && !last) continue;
    scaled_.from_scaled(engine_.z(), r);
    if (stop_here(iteration, best.judge(r, u), report)) break;
  }
  best.restore(r);
}

}  // namespace clack
