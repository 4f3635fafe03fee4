#include "clack/integrate/newmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/integrate/stages.hpp"

namespace clack {
namespace {

// Vectors kept from step to step. The last two only with the level of acceleration.
enum Memory { kA, kB, kPotential, kInertial, kDamping, kExternal, kLambda, kLambdaBar, kDrives };
// Vectors of a step: iterates a+ and b+, a+ without multipliers, X, U, W, H lambda, displacement,
// displacement by friction, vector of the rows; then for all rows: the part of a multiplier that
// acts already, lambda and lambda-bar of the end.
enum Scratch {
  kEndA,
  kEndB,
  kFreeA,
  kX,
  kU,
  kW,
  kForce,
  kMove,
  kSlip,
  kRows,
  kOffset,
  kEndLambda,
  kEndLambdaBar
};

// Columns one after the other; nothing where there are no motors.
Vector flat(const Matrix& drives) { return Eigen::Map<const Vector>(drives.data(), drives.size()); }
Matrix drives_of(const Step& step) {
  const Vector& own = step.memory[kDrives];
  const int nv = step.system.nv();
  return Eigen::Map<const Matrix>(own.data(), nv, own.size() / nv);
}

IterationMatrix& mass_of(Step& step) { return step.extra[0]; }
IterationMatrix& smooth_of(Step& step) { return step.extra[1 + 2 * step.phase]; }
IterationMatrix& rows_of(Step& step) { return step.extra[2 + 2 * step.phase]; }

}  // namespace

NewmarkFamily::NewmarkFamily(const SchemeOptions& options, const AlphaParameters& p,
                             std::vector<Kind> sequence)
    : Scheme(options), p_(p), sequence_(std::move(sequence)) {}

std::vector<NewmarkFamily::Kind> NewmarkFamily::sequence_of(const SchemeOptions& options) {
  switch (options.constraints) {
    case ConstraintLevel::position_velocity:
      return {Kind::position, Kind::velocity};
    case ConstraintLevel::position_velocity_acceleration:
      return {Kind::acceleration, Kind::position, Kind::velocity};
    default:
      return {Kind::coupled};
  }
}

void NewmarkFamily::check(const ContactSet&) const {
  if (options().constraints == ConstraintLevel::position) {
    throw InputError(
        fmt::format("scheme '{}' has no level 'position' alone; take 'velocity', "
                    "'position-velocity' or 'position-velocity-acceleration'",
                    name()));
  }
}

void NewmarkFamily::initialise(Step& step) const {
  const int nv = step.system.nv(), rows = step.contacts.rows();
  for (int i = 0; i < 1 + 2 * phases(); ++i) step.extra.emplace_back(nv, rows, step.M.is_sparse());
  evaluate_mass(step.system, step.end.t, step.end.q, step.M);
  step.matrix_failed = !mass_of(step).factorise(step.M);
  Vector a(nv);
  mass_of(step).solve(step.end.forces.total, a);
  const Vector zero = Vector::Zero(nv);
  step.memory.add("acceleration", a);
  step.memory.add("rate_of_velocity", a);
  step.memory.add("force_potential", step.end.forces.potential);
  step.memory.add("force_inertial", step.end.forces.inertial);
  step.memory.add("force_damping", step.end.forces.damping);
  step.memory.add("force_external", step.end.forces.external);
  step.memory.add("contact_force", Vector::Zero(rows));
  step.memory.add("contact_force_filtered", Vector::Zero(rows));
  step.memory.add("force_drives", flat(step.end.forces.drives));
  step.scratch.assign(kOffset, zero);
  step.scratch.resize(kEndLambdaBar + 1, Vector::Zero(rows));
}

// The filters leave a, the forces of M a and lambda-bar a time proportional to h away from the
// state that they belong to: their distance from the values there grows with h (eq:alpha_change).
void NewmarkFamily::change_step(Step& step, double ratio) const {
  SchemeMemory& memory = step.memory;
  const Forces& forces = step.start.forces;
  auto stretch = [&](Vector& bar, const Vector& at_state) {
    bar = at_state + ratio * (bar - at_state);
  };
  stretch(memory[kA], memory[kB]);
  stretch(memory[kPotential], forces.potential);
  stretch(memory[kInertial], forces.inertial);
  stretch(memory[kDamping], forces.damping);
  stretch(memory[kExternal], forces.external);
  stretch(memory[kDrives], flat(forces.drives));
  stretch(memory[kLambdaBar], memory[kLambda]);
}

void NewmarkFamily::change_contacts(Step& step) const {
  step.contacts.change().carry_rows(step.memory[kLambda]);
  step.contacts.change().carry_rows(step.memory[kLambdaBar]);
}

void NewmarkFamily::resize(Step& step) const {
  for (int i : {kOffset, kEndLambda, kEndLambdaBar}) step.scratch[i] = step.r;
}

NewmarkFamily::Response NewmarkFamily::response(const Step& step) const {
  const double h = step.h, hb = h * p_.beta, hg = h * p_.gamma, S_K = h * hb;
  switch (kind(step)) {
    case Kind::coupled:
      return {hg, 1, 0, 1, 0.5 * h, S_K};
    case Kind::position:
      return {hb, 1, 0, 0, h, S_K};
    case Kind::velocity:
      return {hg, 1, 0, 1, 0, 0};
    case Kind::acceleration:
      return {h * mass_factor(), 0, -1 / h, 0, 0, S_K};
    case Kind::naive_velocity:
      return {hg, 0, -1 / h, 0, 0, S_K};
    case Kind::naive_position:
      return {hb, 0, -1 / h, 0, 0, S_K};
  }
  return {};
}

// --- detect
// ---------------------------------------------------------------------------------------

void NewmarkFamily::detect_first(Step& step) const {
  if (step.matrix_for_h != step.h) {
    for (IterationMatrix& matrix : step.extra) matrix.forget();
    step.matrix_for_h = step.h;
  }
  detect_at_start(step, rows_of(step), step.start.v);
  for (int i : {kX, kU, kW, kForce, kSlip}) step.scratch[i].setZero();
  for (int i : {kOffset, kEndLambda, kEndLambdaBar}) step.scratch[i].setZero();
  step.scratch[kEndA] = step.memory[kA];
  update_state(step);
  // Frames of the predicted end of the step.
  update_contact_map(step.contacts, step.end.t, step.end.q, step.detection);
}

void NewmarkFamily::detect(Step& step) const {
  if (step.phase == 0 && step.repeats == 0) detect_first(step);
  const Kind k = kind(step);
  if (k == Kind::velocity) {
    update_contact_map(step.contacts, step.end.t, step.end.q, step.detection);
    select_closed(step);
  } else if (k == Kind::acceleration) {
    select_lasting(step);
  } else {
    const double tolerance = on_position(k) ? HUGE_VAL : options().activation_tolerance;
    select_active(step.contacts, options().gamma * step.h, tolerance, step.detection);
  }
  step.w_next = step.detection.w;
  step.scratch[kX].setZero();
  set_offsets(step);
  update_state(step);
  if (!step.system.is_linear()) update_mass(step);
}

// Constraints, and contacts that the position phase loaded or left closed.
void NewmarkFamily::select_closed(Step& step) const {
  Detection& detection = step.detection;
  const Vector& pushed = step.warm[step.phase - 1];
  detection.active.clear();
  for (int c = 0; c < detection.gap.size(); ++c) {
    const bool closed =
        pushed[detection.row_begin[c]] > 0 || step.end.gap[c] <= options().activation_tolerance;
    if (step.contacts.list()[c].bilateral || closed) {
      detection.active.push_back(c);
    }
  }
}

// Constraints, and contacts that are closed and neither approach nor leave.
void NewmarkFamily::select_lasting(Step& step) const {
  Detection& detection = step.detection;
  detection.active.clear();
  const double slow = 1e-9 * (1 + step.start.v.cwiseAbs().maxCoeff());
  for (int c = 0; c < detection.gap.size(); ++c) {
    const double u = detection.u[detection.row_begin[c]];
    const bool lasting = std::abs(step.start.gap[c]) <= 1e-9 && std::abs(u) <= slow;
    if (step.contacts.list()[c].bilateral || lasting) {
      detection.active.push_back(c);
    }
  }
}

// What the forces lambda have done already counts in the laws of the other levels.
void NewmarkFamily::set_offsets(Step& step) const {
  Vector& offset = step.scratch[kOffset];
  offset.setZero();
  if (options().constraints != ConstraintLevel::position_velocity_acceleration) return;
  const Vector &start = step.memory[kLambdaBar], &end = step.scratch[kEndLambdaBar];
  if (kind(step) == Kind::position) {
    offset = step.h * ((0.5 - p_.beta) * start + p_.beta * end);
  } else if (kind(step) == Kind::velocity) {
    offset = step.h * ((1 - p_.gamma) * start + p_.gamma * end);
  }
}

// --- predict
// --------------------------------------------------------------------------------------

void NewmarkFamily::update_mass(Step& step) const {
  evaluate_mass(step.system, step.end.t, step.end.q, step.M);
  step.matrix_failed = !mass_of(step).factorise(step.M);
}

void NewmarkFamily::update_matrices(Step& step) const {
  IterationMatrix& rows = rows_of(step);
  if (!step.contacts.has_constant_map()) rows.forget_columns();
  if (step.system.is_linear() && rows.is_factorised()) return;
  if (!mass_of(step).is_factorised() || !step.system.is_linear()) update_mass(step);
  evaluate_jacobians(step.system, step.end.t, step.end.q, step.end.v, step.K, step.C);
  const Response f = response(step);
  SystemMatrix& S = step.M_hat;
  S = step.M;
  S.scale(mass_factor());
  S.set_sum(S, step.h * p_.gamma, step.C, f.S_K, step.K);
  step.matrix_failed = !smooth_of(step).factorise(S) || step.matrix_failed;
  // on_x S - on_a L = m M + c C + k K; M_hat = S/m where only the first term is left.
  const double m = f.on_x * mass_factor() - f.on_a * f.L_M;
  const double c = f.on_x * step.h * p_.gamma - f.on_a * f.L_C;
  const double k = f.on_x * f.S_K - f.on_a * f.L_K;
  const double rest = std::max(std::abs(c) * step.C.largest(), std::abs(k) * step.K.largest());
  if (rest <= 1e-14 * S.largest()) {
    S.scale(1 / m);
  } else if (S.is_sparse()) {
    SystemMatrix between = step.M;
    between.scale(m);
    between.set_sum(between, c, step.C, k, step.K);
    return rows.set_chain(smooth_of(step), between, mass_of(step));
  } else {
    const Matrix between = m * step.M.dense() + c * step.C.dense() + k * step.K.dense();
    S.dense() = step.M.dense() * between.lu().solve(S.dense());
  }
  step.matrix_failed = !rows.factorise(S) || step.matrix_failed;
}

void NewmarkFamily::add_coupling(const Step& step, const Vector& X, double factor,
                                 Vector& out) const {
  const Response f = response(step);
  if (f.L_M != 0) step.M.add_product(factor * f.L_M, X, out);
  if (f.L_C != 0) step.C.add_product(factor * f.L_C, X, out);
  if (f.L_K != 0) step.K.add_product(factor * f.L_K, X, out);
}

// y of the current iterate, up to a constant.
void NewmarkFamily::set_rows_vector(const Step& step, Vector& y) const {
  const Response f = response(step);
  switch (kind(step)) {
    case Kind::acceleration:
      y = step.h * step.scratch[kEndB];
      break;
    case Kind::position:
    case Kind::naive_position:
      y = f.on_a * step.scratch[kEndA] + f.on_x * step.scratch[kX];
      break;
    default:
      y = step.end.v;
  }
}

void NewmarkFamily::predict(Step& step) const {
  const bool slow = step.equation_residual > 0.1 * step.previous_equation_residual;
  if (step.newton_iterations == 0 || (slow && step.newton_iterations > 1)) update_matrices(step);
  const Response f = response(step);
  compute_residual(step);
  add_coupling(step, step.scratch[kX], -1, step.momentum_residual);
  smooth_of(step).solve(step.momentum_residual, step.work);
  step.scratch[kFreeA] = step.scratch[kEndA] - step.work;
  set_rows_vector(step, step.scratch[kRows]);
  step.v_free = step.scratch[kRows] - f.on_a * step.work - f.on_x * step.scratch[kX];
}

// momentum_residual = M b+ - F - H lambda.
void NewmarkFamily::compute_residual(Step& step) const {
  step.M.multiply(step.scratch[kEndB], step.momentum_residual);
  step.momentum_residual -= step.end.forces.total + step.scratch[kForce];
}

// --- assemble
// -------------------------------------------------------------------------------------

// h d(H'v + w)/dt at the end of the step along its own motion. Friction sees it with u_T: a contact
// that slides is pushed against its slip, one that sticks against its acceleration
// (eq:alpha_friction).
void NewmarkFamily::set_acceleration_rows(Step& step) const {
  step.w_next.setZero();
  if (!step.contacts.has_constant_map() || step.contacts.is_moving()) {
    add_frame_rates(step);
  }
  for (int c : step.detection.active) {
    const int begin = step.detection.row_begin[c];
    for (int row = begin + 1; row < begin + step.contacts.list()[c].dim(); ++row) {
      step.w_next[row] += step.detection.u[row];
    }
  }
}

// What the change of H and w adds, by a central difference over the step: exact to second order, as
// the scheme is.
void NewmarkFamily::add_frame_rates(Step& step) const {
  Detection& detection = step.detection;
  for (int side : {1, -1}) {
    step.work = (0.5 * side * step.h) * step.end.v;
    step.system.advance(step.end.q, step.work, step.q_theta);
    detection.map_changed = true;
    update_contact_map(step.contacts, step.end.t + 0.5 * side * step.h, step.q_theta, detection);
    for (int row = 0; row < step.w_next.size(); ++row) {
      const double u = detection.H.dot(row, step.end.v) + detection.w[row];
      step.w_next[row] += side * u;
    }
  }
  update_contact_map(step.contacts, step.end.t, step.end.q, detection);
}

void NewmarkFamily::assemble(Step& step) const {
  const Kind k = kind(step);
  IterationMatrix& rows = rows_of(step);
  if (on_position(k)) set_position_rows(step, step.h, step.scratch[kRows], nullptr);
  if (k == Kind::acceleration) set_acceleration_rows(step);
  const bool friction = k != Kind::position;
  const Vector& offset = step.scratch[kOffset];
  for (int c : step.detection.active) {
    const int begin = step.detection.row_begin[c];
    const int rows_here = friction ? step.contacts.list()[c].dim() : 1;
    for (int row = begin; row < begin + rows_here; ++row) {
      if (offset[row] == 0) continue;
      rows.add_response(step.detection.H, row, -offset[row], step.v_free);
    }
  }
  const bool velocity = k == Kind::coupled || k == Kind::velocity || k == Kind::naive_velocity;
  step.problem.build(step.contacts, step.detection, rows, step.v_free, step.w_next,
                     {.restitution = velocity, .friction = friction});
}

// --- correct
// --------------------------------------------------------------------------------------

void NewmarkFamily::update_state(Step& step) const {
  const double h = step.h;
  const Vector &a = step.memory[kA], &end_a = step.scratch[kEndA];
  const bool keep_position = kind(step) == Kind::velocity;
  step.scratch[kEndB] =
      ((1 - p_.alpha_m) * end_a + p_.alpha_m * a - p_.alpha_f * step.memory[kB]) / (1 - p_.alpha_f);
  step.end.v = step.start.v + h * ((1 - p_.gamma) * a + p_.gamma * end_a) + step.scratch[kW];
  if (!keep_position) {
    step.scratch[kMove] = h * step.start.v + (h * h) * ((0.5 - p_.beta) * a + p_.beta * end_a) +
                          step.scratch[kU] + step.scratch[kSlip];
    step.system.advance(step.start.q, step.scratch[kMove], step.end.q);
    step.contacts.gaps(step.end.t, step.end.q, step.end.gap);
  }
  evaluate_forces(step.system, step.end);
}

void NewmarkFamily::correct(Step& step) const {
  const Kind k = kind(step);
  std::vector<Vector>& x = step.scratch;
  for (int i = 0; i < step.problem.size(); ++i)
    step.problem.r[i] -= x[kOffset][step.problem.rows()[i]];
  contact_force(step, step.problem.r.data(), step.work);
  for (int i = 0; i < step.problem.size(); ++i)
    step.problem.r[i] += x[kOffset][step.problem.rows()[i]];
  mass_of(step).solve(step.work, x[kX]);
  const bool naive = k == Kind::naive_velocity || k == Kind::naive_position;
  if (k == Kind::acceleration || naive) x[kForce] = step.work / step.h;
  if (k == Kind::coupled || k == Kind::velocity) x[kW] = x[kX];
  if (k == Kind::coupled) x[kU] = 0.5 * step.h * x[kX];
  if (k == Kind::position) x[kU] = step.h * x[kX];
  step.work.setZero();
  add_coupling(step, x[kX], 1, step.work);
  smooth_of(step).solve(step.work, step.momentum_residual);
  x[kEndA] = x[kFreeA] - step.momentum_residual;
  update_state(step);
  ++step.newton_iterations;
  if (one_pass(step)) return;
  if (!step.system.is_linear()) update_mass(step);
  compute_residual(step);
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  step.equation_residual = residual_norm(step);
  if (!on_position(k)) return;
  set_rows_vector(step, x[kRows]);
  step.equation_residual =
      std::max(step.equation_residual, position_residual(step, step.h, x[kRows], nullptr));
}

double NewmarkFamily::residual_norm(const Step& step) const {
  const Forces& f = step.end.forces;
  // b+ is a difference of a+, a and b, whose round-off it keeps.
  const double inertia = step.M.largest_row([&](int j) {
    return std::abs(step.scratch[kEndA][j]) + std::abs(step.memory[kA][j]) +
           std::abs(step.memory[kB][j]);
  });
  const double scale = inertia + f.potential.cwiseAbs().maxCoeff() +
                       f.inertial.cwiseAbs().maxCoeff() + f.damping.cwiseAbs().maxCoeff() +
                       f.external.cwiseAbs().maxCoeff();
  const double worst = step.momentum_residual.cwiseAbs().maxCoeff();
  return scale > 0 ? worst / scale : worst;
}

bool NewmarkFamily::one_pass(const Step& step) const {
  return step.system.is_linear() && (!on_position(kind(step)) || step.contacts.has_constant_map());
}

bool NewmarkFamily::accepted(const Step& step) const {
  return one_pass(step) || newton_finished(step, options());
}

bool NewmarkFamily::next_phase(Step& step) const {
  if (kind(step) == Kind::acceleration) filter_multipliers(step);
  if (step.phase + 1 < phases()) {
    ++step.phase;
    return true;
  }
  // Friction moves the position by h/2 M^-1 H_T r_T as well; known only now, so once more with it.
  if (kind(step) != Kind::velocity || step.repeats > 0 || !set_slip(step)) return false;
  ++step.repeats;
  step.phase = 0;
  for (int i : {kU, kW, kForce}) step.scratch[i].setZero();
  return true;
}

// Whether there is any.
bool NewmarkFamily::set_slip(Step& step) const {
  step.work.setZero();
  bool found = false;
  for (int c : step.detection.active) {
    const int begin = step.detection.row_begin[c];
    for (int row = begin + 1; row < begin + step.contacts.list()[c].dim(); ++row) {
      // Without what the forces lambda have done, which moves the position through a.
      const double all = step.warm[step.phase][row], r = all - step.scratch[kOffset][row];
      if (std::abs(r) <= 1e-14 * std::abs(all)) continue;
      step.detection.H.add_to(row, 0.5 * step.h * r, step.work);
      found = true;
    }
  }
  if (found) mass_of(step).solve(step.work, step.scratch[kSlip]);
  return found;
}

// lambda-bar of the end of the step, by the filter of the accelerations.
void NewmarkFamily::filter_multipliers(Step& step) const {
  Vector &bar = step.scratch[kEndLambdaBar], &lambda = step.scratch[kEndLambda];
  lambda.setZero();
  for (int i = 0; i < step.problem.size(); ++i) {
    lambda[step.problem.rows()[i]] = step.problem.r[i] / step.h;
  }
  bar = ((1 - p_.alpha_f) * lambda + p_.alpha_f * step.memory[kLambda] -
         p_.alpha_m * step.memory[kLambdaBar]) /
        (1 - p_.alpha_m);
}

// --- audit
// ----------------------------------------------------------------------------------------

// The forces of M a+: each part by the filter that gives a+ from b+.
void NewmarkFamily::filter_forces(Step& step) const {
  auto filter = [&](Vector& bar, const Vector& start, const Vector& end) {
    bar = ((1 - p_.alpha_f) * end + p_.alpha_f * start - p_.alpha_m * bar) / (1 - p_.alpha_m);
  };
  filter(step.memory[kPotential], step.start.forces.potential, step.end.forces.potential);
  filter(step.memory[kInertial], step.start.forces.inertial, step.end.forces.inertial);
  filter(step.memory[kDamping], step.start.forces.damping, step.end.forces.damping);
  filter(step.memory[kExternal], step.start.forces.external, step.end.forces.external);
  filter(step.memory[kDrives], flat(step.start.forces.drives), flat(step.end.forces.drives));
}

// Forces work on the displacement, impulses on the mean velocity (eq:newmark_identity).
void NewmarkFamily::audit(Step& step) const {
  std::vector<Vector>& x = step.scratch;
  SchemeMemory& memory = step.memory;
  const double gamma = p_.gamma, h = step.h;
  store_impulses(step);
  step.v_theta = 0.5 * (step.start.v + step.end.v);
  open_audit(step);
  auto work = [&](int part) { return x[kMove].dot(memory[part]); };
  step.energy.work_external += (1 - gamma) * work(kExternal);
  step.energy.work_damping += (1 - gamma) * work(kDamping);
  add_motor_work(step, x[kMove], drives_of(step), 1 - gamma);
  filter_forces(step);
  step.energy.work_external += gamma * work(kExternal);
  step.energy.work_damping += gamma * work(kDamping);
  add_motor_work(step, x[kMove], drives_of(step), gamma);
  add_impulse_work(step, step.v_theta, step.r);
  compute_residual(step);
  double error = gamma * x[kMove].dot(step.momentum_residual);
  // M (dv - h a_gamma) = H r where there is W.
  step.work = step.end.v - step.start.v - h * ((1 - gamma) * memory[kA] + gamma * x[kEndA]) - x[kW];
  step.M.multiply(step.work, step.momentum_residual);
  error += step.v_theta.dot(step.momentum_residual);
  close_audit(step, error,
              0.5 * h * (step.start.energies.driving_power + step.end.energies.driving_power));
  step.M.multiply(x[kEndA], step.work);
  step.energy.algorithmic = 0.25 * h * h * (2 * p_.beta - gamma) * x[kEndA].dot(step.work);
  if (p_.alpha_f > 0 && p_.alpha_m == 0) {
    step.K.multiply(x[kMove], step.work);
    step.energy.algorithmic += 0.5 * p_.alpha_f * (1 - gamma) * x[kMove].dot(step.work);
  }
  memory[kA] = x[kEndA];
  memory[kB] = x[kEndB];
  memory[kLambda] = x[kEndLambda];
  memory[kLambdaBar] = x[kEndLambdaBar];
}

}  // namespace clack
