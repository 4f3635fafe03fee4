#include "clack/integrate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/integrate/faults.hpp"
#include "clack/integrate/law_passes.hpp"
#include "clack/integrate/stages.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {
namespace {

// Whether the iteration matrix of a scheme that is implicit in stiffness and damping is regular.
bool has_regular_iteration_matrix(const System& system, const State& initial, const Matrix& M,
                                  double h_theta) {
  Matrix K(M.rows(), M.cols()), C(K);
  system.jacobians(initial.t, initial.q, initial.v, K, C);
  const Matrix M_hat = M + h_theta * C + h_theta * h_theta * K;
  if (!M_hat.allFinite()) return false;
  const Vector pivots = Eigen::PartialPivLU<Matrix>(M_hat).matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() > 1e-14 * pivots.maxCoeff();
}

constexpr const char* kSingular =
    "the mass matrix is singular, not positive definite, in the initial state; ";

std::string needs_mass_everywhere(const Scheme& scheme) {
  return fmt::format(
      "{}with {} every coordinate needs a positive mass (moreau-jean with theta > 1/2 "
      "also takes a massless one that a spring or a damper holds)",
      kSingular, scheme.name());
}

// Whether the same of a sparse system is.
bool has_regular_sparse_matrix(const System& system, const State& initial, const SystemMatrix& M,
                               double h_theta) {
  SystemMatrix K(system.nv(), true), C(K), M_hat(K);
  evaluate_jacobians(system, initial.t, initial.q, initial.v, K, C);
  M_hat.set_sum(M, h_theta, C, h_theta * h_theta, K);
  return IterationMatrix(system.nv(), 0, true).factorise(M_hat);
}

// Pivots of a large matrix are not worth their time: its diagonal tells most.
std::string sparse_mass_fault(const System& system, const State& initial, const Scheme& scheme,
                              double h) {
  SystemMatrix M(system.nv(), true);
  evaluate_mass(system, initial.t, initial.q, M);
  if (!M.all_finite()) return "the mass matrix is not finite in the initial state";
  const Vector diagonal = M.sparse().diagonal();
  int i = 0;
  if (diagonal.size() == 0 || diagonal.minCoeff(&i) > 0) return {};
  if (diagonal[i] < 0) {
    return fmt::format("coordinate '{}' has the mass {} in the initial state; it must be > 0",
                       system.coordinate_name(i), diagonal[i]);
  }
  const std::string where = fmt::format("; '{}' has none", system.coordinate_name(i));
  if (scheme.needs_regular_mass()) return needs_mass_everywhere(scheme) + where;
  if (has_regular_sparse_matrix(system, initial, M, h * scheme.options().theta)) return {};
  return fmt::format("{}every coordinate needs a positive mass, a spring or a damper{}", kSingular,
                     where);
}

// Throws InputError where a contact's own law and its rows or the scheme do not go together.
void check_law(const Contact& contact, const Scheme& scheme) {
  if (contact.bilateral) {
    throw InputError(fmt::format("constraint '{}' has a law; only contacts do", contact.name));
  }
  const std::string fault = contact.law.own->fault(contact.tangents, contact.turns);
  if (!fault.empty()) {
    throw InputError(
        fmt::format("contact '{}' with law '{}' {}", contact.name, contact.law.own->name(), fault));
  }
  if (scheme.law_fault().empty()) return;
  throw InputError(fmt::format(
      "scheme '{}' cannot treat contact '{}' with law '{}': {}; take moreau-jean, for example",
      scheme.name(), contact.name, contact.law.own->name(), scheme.law_fault()));
}

}  // namespace

void check_state(const System& system, const State& state) {
  if (state.q.size() != system.nq() || state.v.size() != system.nv()) {
    throw InputError(fmt::format(
        "the initial state has {} coordinates and {} velocities; the system has {} and {}",
        state.q.size(), state.v.size(), system.nq(), system.nv()));
  }
  if (!state.q.allFinite() || !state.v.allFinite()) {
    throw InputError("the initial state is not finite");
  }
}

std::string mass_fault(const System& system, const State& initial, const Scheme& scheme, double h) {
  if (!scheme.needs_mass()) return {};
  if (system.is_sparse()) return sparse_mass_fault(system, initial, scheme, h);
  Matrix M(system.nv(), system.nv());
  system.mass(initial.t, initial.q, M);
  const double scale = M.cwiseAbs().maxCoeff();
  if (!M.allFinite() || !((M - M.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * scale)) {
    return "the mass matrix is not symmetric and finite in the initial state";
  }
  const Vector pivots = Eigen::LDLT<Matrix>(M).vectorD();
  if (pivots.minCoeff() > 1e-14 * pivots.maxCoeff()) return {};
  if (pivots.minCoeff() < -1e-12 * scale) {
    return "the mass matrix is not positive definite in the initial state";
  }
  if (scheme.needs_regular_mass()) return needs_mass_everywhere(scheme);
  if (has_regular_iteration_matrix(system, initial, M, h * scheme.options().theta)) return {};
  return fmt::format("{}every coordinate needs a positive mass, a spring or a damper", kSingular);
}

namespace {

// Before anything is stored.
bool stores_sparse(const System& system, const Scheme& scheme) {
  const std::string fault = storage_fault(system, scheme);
  if (!fault.empty()) throw InputError(fault);
  return system.is_sparse() && scheme.takes_sparse();
}

}  // namespace

void SimulationOptions::validate() const {
  if (!(h > 0) || !std::isfinite(h)) {
    throw InputError(fmt::format("the time step is {} s; it must be finite and > 0", h));
  }
  if (adaptive) adaptive->validate();
  scheme_options.validate();
  solver_options.validate();
}

Simulation::Simulation(std::shared_ptr<const System> system, const State& initial,
                       const SimulationOptions& options)
    : system_(std::move(system)),
      options_(options),
      scheme_(make_scheme(options.scheme, options.scheme_options)),
      step_(*system_, stores_sparse(*system_, *scheme_), !scheme_->finds_contacts()),
      start_time_(initial.t) {
  options.validate();
  scheme_->configure(options);
  const std::string fault = scheme_->system_fault(*system_);
  if (!fault.empty()) throw InputError(fault);
  if (!scheme_->finds_contacts())
    solver_ = make_solver(options.solver, options.solver_options, options.solver_own);
  check_start(initial);
  scheme_->check(step_.contacts);
  reset(initial);
}

void Simulation::reset(const State& initial) {
  check_state(*system_, initial);
  start_time_ = initial.t;
  count_ = 0;
  ready_ = false;
  step_.end.t = initial.t;
  step_.end.q = initial.q;
  step_.end.v = initial.v;
  step_.h = options_.h;
  if (step_.contacts.is_dynamic()) {
    (void)system_->prescribe(initial.t, options_.h, step_.end.q, step_.end.v);
    find_contacts(step_.end);
  }
  if (!scheme_->finds_contacts()) evaluate_forces(*system_, step_.end);  // else it has its own
  step_.contacts.gaps(initial.t, step_.end.q, step_.end.gap);
  step_.end.energies = system_->energies(initial.t, initial.q, initial.v);
  step_.energy.kinetic = step_.end.energies.kinetic;
  step_.energy.potential = step_.end.energies.potential;
  if (!step_.end.forces.total.allFinite() ||
      !std::isfinite(step_.energy.kinetic + step_.energy.potential)) {
    throw InputError("the forces or energies are not finite in the initial state");
  }
  step_.r.setZero();
  step_.warm.assign(static_cast<std::size_t>(scheme_->phases()), step_.r);
  step_.memory = {};
  step_.extra.clear();
  step_.scratch.clear();
  step_.data.reset();
  step_.matrix.forget();
  step_.matrix_for_h = 0;
  step_.matrix_failed = false;
  scheme_->initialise(step_);
  ready_ = true;
}

void Simulation::set_state(const State& state) {
  const Checkpoint old = checkpoint();
  if (scheme_->finds_contacts()) {
    check_state(*system_, state);
    step_.end.t = state.t;
    step_.end.q = state.q;
    step_.end.v = state.v;
    step_.end.energies = system_->energies(state.t, state.q, state.v);
    step_.energy = {};
    step_.energy.kinetic = step_.end.energies.kinetic;
    step_.energy.potential = step_.end.energies.potential;
  } else {
    step_.energy = {};
    reset(state);
  }
  take_over_contacts(old);
  start_time_ = old.start_time + (state.t - old.end.t);
  count_ = old.count;
}

void Simulation::take_over_contacts(const Checkpoint& from) {
  const auto same = [](const Vector& a, const Vector& b) { return a.size() == b.size(); };
  if (scheme_->finds_contacts()) scheme_->restore(step_, from.scheme.get());
  if (from.contacts != step_.contacts.identities()) return;
  if (std::equal(from.warm.begin(), from.warm.end(), step_.warm.begin(), step_.warm.end(), same))
    step_.warm = from.warm;
  if (from.law_memory.size() == step_.problem.laws.memory().size())
    step_.problem.laws.set_memory(from.law_memory);
}

// The contacts that may close in a step from a state.
void Simulation::find_contacts(StatePoint& start) {
  if (!step_.contacts.find(start.t, start.q, start.v, step_.h)) return;
  step_.change_contacts();
  if (!ready_) return;
  scheme_->change_contacts(step_);
  scheme_->resize(step_);
}

void Simulation::check_start(const State& initial) const {
  check_state(*system_, initial);
  for (const Contact& contact : step_.contacts.kinds()) {
    if (contact.law.own) check_law(contact, *scheme_);
    if (contact.tangents < 0 || contact.tangents > 2 ||
        (contact.bilateral && contact.tangents > 0)) {
      throw InputError(fmt::format(
          "contact '{}' has {} tangential rows; a contact has 0 to 2, a constraint none",
          contact.name, contact.tangents));
    }
  }
  const std::string fault = mass_fault(*system_, initial, *scheme_, options_.h);
  if (!fault.empty()) throw InputError(fault);
}

void Simulation::begin_step(double t_end, double h) {
  std::swap(step_.start, step_.end);
  if (h != step_.h) scheme_->change_step(step_, h / step_.h);
  step_.h = h;
  step_.end.t = t_end;
  step_.phase = 0;
  step_.repeats = 0;
  step_.earlier = {};
  step_.fault.clear();
  step_.status = Status::converged;
  step_.gap_lost = false;
  step_.fed = 0;
  step_.drive_work.setZero();
  scheme_->begin_step(step_);
  if (!step_.contacts.is_dynamic()) return;
  StatePoint& start = step_.start;
  step_.fed = system_->prescribe(start.t, h, start.q, start.v);
  find_contacts(start);
  evaluate_forces(*system_, start);
  step_.contacts.gaps(start.t, start.q, start.gap);
}

void Simulation::detect() {
  scheme_->detect(step_);
  const double recovery = scheme_->options().recovery;
  if (recovery > 0)
    set_recovery(step_.contacts, step_.start.gap, step_.h, recovery, step_.detection);
  step_.gap_lost = any_lost(step_.detection.gap);  // it would count as open
}

void Simulation::begin_phase() {
  if (!step_.problem.laws.empty()) step_.problem.laws.set_reach(step_.detection);
  step_.newton_iterations = 0;
  step_.equation_residual = step_.previous_equation_residual = 0;
}

void Simulation::solve() {
  if (step_.failed() || scheme_->solve(step_)) return;
  ContactProblem& problem = step_.problem;
  if (!problem.laws.empty()) {
    observe_reactions();
    if (step_.newton_iterations == 0) {
      problem.begin_laws(step_.contacts, step_.detection, step_.start.gap, step_.warm[step_.phase],
                         {step_.start.t, step_.h, scheme_->position_weight()});
    }
    MatrixRows& rows = problem.law_rows;
    problem.set_law_rows();
    LawProblem laws{problem.laws, rows, [&](double tolerance) {
                      return solver_->solve(rows.view(), rows.y.data(), rows.x.data(), tolerance);
                    }};
    step_.solve = solve_with_laws(laws, solver_->options().tolerance, step_.newton_iterations);
    return;
  }
  if (step_.newton_iterations == 0) {  // later passes go on from the one before
    const Vector& warm = step_.warm[step_.phase];
    for (int i = 0; i < problem.size(); ++i) problem.r[i] = warm[problem.rows()[i]];
  }
  step_.solve = solver_->solve(problem.view(), problem.r.data(), problem.u.data());
}

// Of the impulses of the step before at first, then of those of the last solve.
void Simulation::observe_reactions() {
  ContactProblem& problem = step_.problem;
  bool started = step_.newton_iterations > 0;
  problem.laws.observe([this, started](std::span<StatedContact> stated) mutable {
    const ContactProblem& now = step_.problem;
    reaction_r_ = step_.warm[static_cast<std::size_t>(step_.phase)];
    for (int i = 0; started && i < now.size(); ++i) reaction_r_[now.rows()[i]] = now.r[i];
    started = true;
    const std::span<const double> all(reaction_r_.data(),
                                      static_cast<std::size_t>(reaction_r_.size()));
    for (StatedContact& c : stated) {
      if (c.law->needs_reaction())
        (void)step_.contacts.reaction(c.contact, all, c.situation.reaction);
    }
  });
}

void Simulation::end_phase() {
  if (step_.failed()) return;
  Vector& warm = step_.warm[step_.phase];
  warm.setZero();
  const ContactProblem& problem = step_.problem;
  for (int i = 0; i < problem.size(); ++i) warm[problem.rows()[i]] = problem.r[i];
  // In this order a residual that is not a number stays.
  const Residual now = step_.solve.measured(), before = step_.earlier;
  step_.earlier = {std::max(now.plain, before.plain), std::max(now.scaled, before.scaled),
                   std::max(now.velocity, before.velocity), now.contact};
  step_.solve.set(step_.earlier);
  if (step_.status != Status::converged) return;
  step_.status = step_.solve.status;
  const bool solved = newton_converged(step_, scheme_->options());
  if (step_.status == Status::converged && !solved) step_.status = Status::iteration_limit;
}

Status Simulation::audit() {
  ++count_;
  if (step_.failed()) return abandon_step();
  scheme_->audit(step_);
  if (!step_.problem.laws.empty()) update_laws();
  step_.contacts.gaps(step_.end.t, step_.end.q, step_.end.gap);
  const double energy = step_.energy.kinetic + step_.energy.potential;
  // A scheme with contacts of its own has looked at its bodies.
  const bool finite =
      std::isfinite(energy) &&
      (scheme_->finds_contacts() || (step_.end.q.allFinite() && step_.end.v.allFinite()));
  step_.gap_lost = finite && any_lost(step_.end.gap);  // a state that is lost loses its gaps
  if (step_.failed() || !finite || step_.status == Status::numerical_failure) return fail();
  return step_.status;
}

// A bond whose law reaches no gap any more has broken.
void Simulation::update_laws() {
  const ContactLaws& laws = step_.problem.laws;
  step_.problem.update_laws(step_.detection, step_.r, step_.u_end);
  if (!step_.contacts.is_dynamic()) return;
  for (int c : step_.detection.active) {
    const ContactIdentity& identity = step_.contacts.list()[static_cast<std::size_t>(c)].identity;
    if (laws.reach(c) == -Law::kNever) step_.contacts.release(identity);
  }
}

// The step could not be computed: the state stays at its start.
Status Simulation::abandon_step() {
  step_.solve = {};
  const Status status = fail();
  const double t_end = step_.end.t;
  step_.end = step_.start;
  step_.end.t = t_end;
  step_.r.setZero();
  step_.u_end.setZero();
  step_.detection.active.clear();
  step_.energy = {};
  step_.energy.kinetic = step_.end.energies.kinetic;
  step_.energy.potential = step_.end.energies.potential;
  return status;
}

// Says why the step has no result.
Status Simulation::fail() {
  const std::string why = step_.fault.empty() ? step_fault(step_, *scheme_) : step_.fault;
  std::string& note = step_.solve.note;
  if (!why.empty()) {
    step_.fault =
        fmt::format("between t = {:.6g} s and {:.6g} s {}", step_.start.t, step_.end.t, why);
    const bool said = note.find(why) != std::string::npos;  // by the scheme
    if (!said) note += (note.empty() ? "" : "; ") + step_.fault;
  }
  return step_.solve.status = step_.status = Status::numerical_failure;
}

Checkpoint Simulation::checkpoint() const {
  return {step_.end,
          step_.contacts.identities(),
          step_.memory,
          step_.warm,
          step_.problem.laws.memory(),
          step_.energy,
          step_.h,
          start_time_,
          count_,
          scheme_->save(step_)};
}

void Simulation::restore(const Checkpoint& checkpoint) {
  check_state(*system_, {checkpoint.end.t, checkpoint.end.q, checkpoint.end.v});
  if (step_.contacts.is_dynamic() && step_.contacts.restore(checkpoint.contacts)) {
    step_.change_contacts();
    scheme_->resize(step_);
  }
  step_.end = checkpoint.end;
  step_.memory = checkpoint.memory;
  step_.warm = checkpoint.warm;
  step_.problem.laws.set_memory(checkpoint.law_memory);
  step_.energy = checkpoint.energy;
  step_.h = checkpoint.h;
  step_.matrix_failed = false;
  start_time_ = checkpoint.start_time;
  count_ = checkpoint.count;
  scheme_->restore(step_, checkpoint.scheme.get());
}

Status Simulation::step() {
  return step_to(start_time_ + static_cast<double>(count_ + 1) * options_.h, options_.h);
}

// The outer loop is over the phases of a step (problems solved one after the other), the inner one
// over the passes of a phase until the equation of motion is met.
Status Simulation::step_to(double t_end, double h) {
  StageTimer timer(seconds_, options_.record_timings);
  begin_step(t_end, h);
  do {
    begin_phase();
    detect();
    timer.mark(Stage::detect);
    do {
      predict();
      timer.mark(Stage::predict);
      assemble();
      timer.mark(Stage::assemble);
      solve();
      timer.mark(Stage::solve);
      correct();
      timer.mark(Stage::correct);
    } while (!accepted());
    end_phase();
  } while (next_phase());
  const Status status = audit();
  timer.mark(Stage::audit);
  return status;
}

}  // namespace clack
