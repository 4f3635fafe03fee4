#include "clack/integrate/stewart_trinkle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

BodyStep& data(const Step& step) { return static_cast<BodyStep&>(*step.data); }

// What all schemes and results read.
void store(Step& step) {
  const LargeArray<BodyState>& bodies = data(step).state().bodies;
  double *q = step.end.q.data(), *v = step.end.v.data();
  for (std::size_t i = 0; i < bodies.size(); ++i, q += RigidBodies::kQ, v += RigidBodies::kV)
    RigidBodies::write(bodies[i], q, v);
  const std::vector<double>& coordinates = data(step).state().coordinates;
  std::copy(coordinates.begin(), coordinates.end(), q);
}

}  // namespace

SimulationOptions body_options() {
  SimulationOptions options;
  options.scheme = kWorldScheme;
  options.solver = kBodySolver;
  options.solver_options.tolerance = 1e-8;
  return options;
}

std::string StewartTrinkle::system_fault(const System& system) const {
  const RigidBodies* bodies = system.bodies();
  if (bodies && bodies->nv() == system.nv()) return {};
  if (system.articulated()) {
    return fmt::format(
        "scheme '{}' has the velocities of bodies, not those of joint coordinates; take moreau-jean, "
        "or leave out `coordinates`",
        name());
  }
  return fmt::format(
      "scheme '{}' moves rigid bodies alone: it turns them by their own free rotation and has no "
      "rule for other coordinates; take moreau-jean, for example",
      name());
}

void StewartTrinkle::initialise(Step& step) const {
  const RigidBodies& bodies = *step.system.bodies();
  WorldState start;
  bodies.to_world(step.end.t, step.end.q, step.end.v, start);
  step.data = std::make_unique<BodyStep>(bodies, std::move(start), settings_);
  store(step);  // driven bodies have the velocities of their motion
  step.energy = data(step).energy();
}

void StewartTrinkle::begin_step(Step& step) const { data(step).begin(step.end.t, step.h); }
void StewartTrinkle::detect(Step& step) const { data(step).detect(); }
void StewartTrinkle::predict(Step& step) const { data(step).predict(); }
void StewartTrinkle::assemble(Step& step) const { data(step).assemble(); }

bool StewartTrinkle::solve(Step& step) const {
  data(step).solve();
  step.solve = data(step).report();
  return true;
}

void StewartTrinkle::correct(Step& step) const {
  data(step).correct();
  store(step);
}

void StewartTrinkle::audit(Step& step) const {
  const BodyStep& bodies = data(step);
  const Status status = data(step).audit();
  step.energy = bodies.energy();
  step.end.energies = {step.energy.kinetic, step.energy.potential, 0};
  if (status != Status::numerical_failure) return;
  step.status = status;
  const int failed = bodies.failed_body();
  if (failed < 0) {
    step.fault = "the contact problem has no finite solution";
    return;
  }
  const Body& body = bodies.world().bodies[static_cast<std::size_t>(failed)];
  step.fault = fmt::format("body '{}': its {} is not finite", body.name,
                           body.kind == BodyKind::driven ? "motion or path" : "load or velocity");
}

std::shared_ptr<const SchemeRecord> StewartTrinkle::save(const Step& step) const {
  return data(step).record();
}

void StewartTrinkle::restore(Step& step, const SchemeRecord* record) const {
  WorldState state;
  step.system.bodies()->to_world(step.end.t, step.end.q, step.end.v, state);
  data(step).restore(state, step.energy, static_cast<const BodyRecord*>(record));
}

const BodyStep* body_step(const Simulation& simulation) {
  return dynamic_cast<const BodyStep*>(simulation.last_step().data.get());
}

}  // namespace clack
