#include "clack/integrate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/integrate/faults.hpp"
#include "clack/integrate/law_passes.hpp"
#include "clack/integrate/stage_sequence.hpp"
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

// Pivots of a large matrix are not worth their time: its diagonal tells most.
std::string sparse_mass_fault(const System& system, const State& initial) {
  SystemMatrix M(system.nv(), true);
  evaluate_mass(system, initial.t, initial.q, M);
  if (!M.all_finite()) return "the mass matrix is not finite in the initial state";
  const Vector diagonal = M.sparse().diagonal();
  int i = 0;
  if (diagonal.size() == 0 || diagonal.minCoeff(&i) > 0) return {};
  return fmt::format("coordinate '{}' has the mass {} in the initial state; it must be > 0",
                     system.coordinate_name(i), diagonal[i]);
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
  if (system.is_sparse()) return sparse_mass_fault(system, initial);
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
  constexpr const char* kSingular =
      "the mass matrix is singular, not positive definite, in the initial state; ";
  if (scheme.needs_regular_mass()) {
    return fmt::format(
        "{}with {} every coordinate needs a positive mass (moreau-jean with theta > 1/2 "
        "also takes a massless one that a spring or a damper holds)",
        kSingular, scheme.name());
  }
  if (has_regular_iteration_matrix(system, initial, M, h * scheme.options().theta)) return {};
  return fmt::format("{}every coordinate needs a positive mass, a spring or a damper", kSingular);
}

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
      solver_(make_solver(options.solver, options.solver_options)),
      step_(*system_, system_->is_sparse() && scheme_->takes_sparse()),
      start_time_(initial.t) {
  options.validate();
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
  evaluate_forces(*system_, step_.end);
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

// The contacts that may close in a step from a state.
void Simulation::find_contacts(StatePoint& start) {
  if (!step_.contacts.find(start.t, start.q, start.v, step_.h)) return;
  step_.change_contacts();
  if (ready_) scheme_->change_contacts(step_);
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
  if (!step_.contacts.is_dynamic()) return;
  StatePoint& start = step_.start;
  step_.fed = system_->prescribe(start.t, h, start.q, start.v);
  find_contacts(start);
  evaluate_forces(*system_, start);
  step_.contacts.gaps(start.t, start.q, start.gap);
}

void Simulation::detect() {
  scheme_->detect(step_);
  step_.gap_lost = any_lost(step_.detection.gap);  // it would count as open
}

void Simulation::begin_phase() {
  if (!step_.problem.laws.empty()) step_.problem.laws.set_reach(step_.detection);
  step_.newton_iterations = 0;
  step_.equation_residual = step_.previous_equation_residual = 0;
}

namespace {

// A system's problem as solve_with_laws sees it.
struct SystemLaws {
  ContactProblem& problem;
  const Detection& detection;
  Solver& solver;
  std::vector<double> start = {};  // multipliers before the solve

  ContactLaws& laws() { return problem.laws; }
  int stages() const { return problem.laws.stages(); }
  bool iterate() const { return problem.laws.iterate(); }
  void state(int stage, int pass) { laws().state(problem.row_view(detection), stage, pass); }
  SolveReport solve(double tolerance) {
    if (iterate()) start = laws().y();
    SolveReport report = solver.solve(laws().view(), laws().y().data(), laws().x(), tolerance);
    take_solution();
    return report;
  }
  void go(double share) {
    shorten(start, share, laws().y());
    take_solution();
  }
  void take_solution() {
    laws().take_solution(problem.row_view(detection), problem.r.data(), problem.u.data());
  }
  void velocities(std::vector<double>& values) { laws().velocities(values); }
  Residual residual() { return compute_residual(laws().view(), laws().y().data(), laws().x()); }
  std::string unsettled() {
    return describe_unsettled(laws().view(), laws().y().data(), laws().x(), laws().owners());
  }
  void end_stage() { laws().end_stage(); }
};

}  // namespace

void Simulation::solve() {
  if (step_.failed()) return;
  ContactProblem& problem = step_.problem;
  if (!problem.laws.empty()) {
    if (step_.newton_iterations == 0) {
      problem.laws.begin_step(step_.contacts, step_.detection, step_.start.gap,
                              step_.warm[step_.phase],
                              {step_.start.t, step_.h, scheme_->position_weight()});
    }
    SystemLaws laws{problem, step_.detection, *solver_};
    step_.solve = solve_with_laws(laws, solver_->options().tolerance, step_.newton_iterations);
    return;
  }
  if (step_.newton_iterations == 0) {  // later passes go on from the one before
    const Vector& warm = step_.warm[step_.phase];
    for (int i = 0; i < problem.size(); ++i) problem.r[i] = warm[problem.rows()[i]];
  }
  step_.solve = solver_->solve(problem.view(), problem.r.data(), problem.u.data());
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
  const bool finite = step_.end.q.allFinite() && step_.end.v.allFinite() && std::isfinite(energy);
  step_.gap_lost = finite && any_lost(step_.end.gap);  // a state that is lost loses its gaps
  if (step_.failed() || !finite || step_.status == Status::numerical_failure) return fail();
  return step_.status;
}

// A bond whose law reaches no gap any more has broken.
void Simulation::update_laws() {
  ContactLaws& laws = step_.problem.laws;
  laws.update(step_.detection, step_.r, step_.u_end);
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
  const std::string why = step_fault(step_, *scheme_);
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
          step_.contacts.list(),
          step_.memory,
          step_.warm,
          step_.problem.laws.memory(),
          step_.energy,
          step_.h,
          count_};
}

void Simulation::restore(const Checkpoint& checkpoint) {
  if (step_.contacts.is_dynamic() && step_.contacts.restore(checkpoint.contacts)) {
    step_.change_contacts();
    scheme_->change_contacts(step_);
  }
  step_.end = checkpoint.end;
  step_.memory = checkpoint.memory;
  step_.warm = checkpoint.warm;
  step_.problem.laws.set_memory(checkpoint.law_memory);
  step_.energy = checkpoint.energy;
  step_.h = checkpoint.h;
  step_.matrix_failed = false;
  count_ = checkpoint.count;
}

Status Simulation::step() {
  return step_to(start_time_ + static_cast<double>(count_ + 1) * options_.h, options_.h);
}

Status Simulation::step_to(double t_end, double h) {
  StageTimer timer(seconds_, options_.record_timings);
  begin_step(t_end, h);
  return run_stages(*this, timer);
}

}  // namespace clack
