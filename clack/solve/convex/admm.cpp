#include "clack/solve/convex/admm.hpp"

#include "clack/core/error.hpp"
#include "clack/solve/newton/judged_iterate.hpp"

namespace clack {

const OptionTable<AdmmOptions>& AdmmOptions::table() {
  using Self = AdmmOptions;
  static const OptionTable<Self> table = {
      make_option<Self>(
          {"rho", OptionRange::above(0), "-", "first penalty, after scaling"},
          [](auto& x) -> auto& { return x.settings.rho; }),
      make_option<Self>(
          {"relaxation", OptionRange::inside(0, 2), "-", "relaxation of the steps"},
          [](auto& x) -> auto& { return x.settings.relaxation; }),
      make_option<Self>(
          {"adapt_every", OptionRange::from(0), "-",
           "steps before the first look at rho; then growing; 0: never"},
          [](auto& x) -> auto& { return x.settings.adapt_every; }),
      make_option<Self>({"check_every", OptionRange::from(1), "-",
                         "steps between two evaluations of the residual"},
                        &Self::check_every),
  };
  return table;
}

void AdmmOptions::validate() const {
  SolverOptions::validate();
  validate_options("admm", table(), *this);
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
