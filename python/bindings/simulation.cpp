#include "python/bindings/simulation.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "clack/core/error.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack::python {

// Marks a step under way, against threads and against callbacks that step again.
class PySimulation::Guard {
 public:
  explicit Guard(PySimulation& simulation) : simulation_(simulation) {
    if (simulation_.busy_.exchange(true))
      throw std::runtime_error(
          "the simulation is in the middle of a step, in a callback of its own or in another "
          "thread");
  }
  ~Guard() { simulation_.busy_ = false; }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  PySimulation& simulation_;
};

// Puts a simulation back to where it stood before a step that an exception broke off.
class PySimulation::Undo {
 public:
  explicit Undo(Run& run) : run_(run) {
    if (const Simulation* simulation = run.simulation()) point_ = simulation->checkpoint();
  }
  void apply() const {
    if (point_) run_.simulation()->restore(*point_);
  }

 private:
  Run& run_;
  std::optional<Checkpoint> point_;
};

PySimulation::PySimulation(std::shared_ptr<const LoadedScene> scene, int threads)
    : scene_(std::move(scene)),
      threads_(threads),
      run_(make_run(scene_->scene, threads)),
      ledger_(run_->energy()),
      measures_(scene_->scene.measures) {
  measures_.add(run_->time(), run_->measured_q(), run_->measured_v());
}

void PySimulation::require_idle() const {
  if (busy_) {
    throw std::runtime_error(
        "the simulation is in the middle of a step: this can be had between two steps only");
  }
}

const Simulation& PySimulation::system() const {
  if (const Simulation* simulation = run_->simulation()) return *simulation;
  throw py::type_error("not possible in a run whose step adapts itself");
}

const RigidWorld& PySimulation::rigid_world() const {
  if (scene().world) return *scene().world;
  throw py::type_error("this simulation has no rigid bodies: it is a system with coordinates");
}

const WorldState& PySimulation::bodies() {
  (void)rigid_world();
  const Simulation& simulation = system();
  if (const BodyStep* own = body_step(simulation)) return own->state();
  to_world(simulation.system(), simulation.time(), simulation.q(), simulation.v(), bodies_);
  return bodies_;
}

Status PySimulation::step_without_lock() {
  if (!scene_->source.has_callbacks) return run_->step();
  const Undo undo(*run_);
  try {
    return run_->step();
  } catch (...) {
    undo.apply();
    forget_contacts();
    has_contacts_ = false;
    throw;
  }
}

void PySimulation::after_step(Status status) {
  status_ = status;
  ledger_.add(run_->energy());
  if (measures_.size() > 0) measures_.add(run_->time(), run_->measured_q(), run_->measured_v());
  forget_contacts();
  has_contacts_ = true;
  refresh();
}

void PySimulation::refresh() {
  const auto fill = [](std::span<const double> values, Vector& copy) {
    std::copy(values.begin(), values.end(), copy.data());
  };
  if (q_.size() > 0) fill(run_->q(), q_);
  if (v_.size() > 0) fill(run_->v(), v_);
}

Status PySimulation::step() {
  const Guard guard(*this);
  Status status;
  {
    const py::gil_scoped_release release;
    status = step_without_lock();
  }
  after_step(status);
  return status;
}

Status PySimulation::run(double until, const py::object& callback, py::object self) {
  if (std::isnan(until)) throw py::value_error("until is not a number");
  const double h = scene_->scene.options.h;
  const auto is_wanted = [&] {
    const bool adaptive = !run_->simulation();
    return adaptive ? !run_->done() && time() < until : time() < until - 1e-9 * h;
  };
  using Clock = std::chrono::steady_clock;
  Status worst = Status::converged;
  const auto note = [&](Status status) {
    if (worst == Status::converged || status == Status::numerical_failure) worst = status;
    return status != Status::numerical_failure;
  };
  while (is_wanted() && worst != Status::numerical_failure) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const auto slice = Clock::now() + std::chrono::milliseconds(10);
    {
      const Guard guard(*this);
      const py::gil_scoped_release release;
      do {
        const Status status = step_without_lock();
        after_step(status);
        note(status);
      } while (callback.is_none() && Clock::now() < slice && is_wanted() &&
               worst != Status::numerical_failure);
    }
    if (callback.is_none()) continue;
    const py::object answer = callback(self);
    if (is_false(answer)) break;
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return worst;
}

void PySimulation::book_change(const EnergyAudit& now) {
  EnergyAudit entry = now;
  const EnergyAudit& before = ledger_.totals();
  entry.work_external = now.kinetic + now.potential - before.kinetic - before.potential;
  ledger_.add(entry);
  refresh();
}

namespace {

// Bodies of the plane stay in it.
void require_planar(const RigidWorld& world, const WorldState& state, std::size_t body) {
  if (!world.planar) return;
  const BodyState& s = state.bodies[body];
  const bool turned = s.rotation.x() != 0 || s.rotation.y() != 0;
  if (s.position.z() == 0 && s.v.z() == 0 && s.omega.x() == 0 && s.omega.y() == 0 && !turned)
    return;
  throw py::value_error(fmt::format("body '{}': in the plane z is 0 and it turns about z alone",
                                    world.bodies[body].name));
}

}  // namespace

void PySimulation::set_state(const Vector* q, const Vector* v, const double* t) {
  require_idle();
  (void)system();  // refuses adaptive steps
  Simulation& simulation = *run_->simulation();
  State state{t ? *t : time(), q ? *q : simulation.q(), v ? *v : shown_velocities()};
  if (!scene().world && state.t != time())
    throw py::value_error("the time of a system with coordinates cannot be changed");
  if (scene().world) {
    check_bodies(state);
    place_trees(state.q);
    const Vector shown = state.v;
    from_shown_velocities(simulation.system(), state.q, shown, state.v);
  }
  simulation.set_state(state);
  book_change(simulation.last_step().energy);
}

Vector PySimulation::shown_velocities() const {
  Vector shown;
  to_shown_velocities(system().system(), system().q(), system().v(), shown);
  return shown;
}

// Bodies of trees stand where the coordinates of their joints say.
void PySimulation::place_trees(Vector& q) const {
  const ArticulatedBodies* articulated = system().system().articulated();
  if (!articulated) return;
  const Vector& now = system().q();
  const int places = RigidBodies::kQ * articulated->bodies()->count(),
            coordinates = articulated->nq() - places;
  if (q.segment(places, coordinates) == now.segment(places, coordinates)) {
    for (const TreeLink& link : articulated->tree().links()) {
      const int at = RigidBodies::kQ * link.body;
      if (link.joint < 0 ||
          (q.segment(at, RigidBodies::kQ) - now.segment(at, RigidBodies::kQ)).norm() < 1e-12)
        continue;
      throw py::value_error(
          fmt::format("body '{}' hangs on a joint and is in joint coordinates: set the coordinates "
                      "of the joint, which stand behind the bodies in q",
                      scene().world->bodies[static_cast<std::size_t>(link.body)].name));
    }
  }
  articulated->normalise(q.head(articulated->nq()));
}

// What is fixed or driven stays where it is.
void PySimulation::check_bodies(State& state) const {
  const Simulation& now = system();
  const RigidWorld& world = *scene().world;
  const Vector shown = shown_velocities();
  WorldState bodies;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const auto q = static_cast<Eigen::Index>(RigidBodies::kQ * i),
               v = static_cast<Eigen::Index>(RigidBodies::kV * i);
    if (!world.bodies[i].is_free()) {
      state.q.segment<RigidBodies::kQ>(q) = now.q().segment<RigidBodies::kQ>(q);
      state.v.segment<RigidBodies::kV>(v) = shown.segment<RigidBodies::kV>(v);
      continue;
    }
    const double length = state.q.segment<4>(q + 3).norm();
    if (!(length > 0.5 && length < 2)) {
      throw py::value_error(fmt::format("q: the quaternion (w, x, y, z) of '{}' is no rotation",
                                        world.bodies[i].name));
    }
    state.q.segment<4>(q + 3) /= length;
  }
  now.system().bodies()->to_world(state.t, state.q, state.v, bodies);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) require_planar(world, bodies, i);
}

void PySimulation::set_body(std::size_t body, const Vector3* position, const Vector* rotation,
                            const Vector3* v, const Vector3* omega) {
  require_idle();
  const Body& model = rigid_world().bodies[body];
  if (!model.is_free()) {
    throw py::value_error(fmt::format("body '{}' is {}; only free bodies can be moved", model.name,
                                      model.kind == BodyKind::fixed ? "fixed" : "driven"));
  }
  BodyState s = bodies().bodies[body];
  if (position) s.position = *position;
  if (rotation) {
    const Quaternion turn((*rotation)[0], (*rotation)[1], (*rotation)[2], (*rotation)[3]);
    if (!(turn.norm() > 0.5 && turn.norm() < 2))
      throw py::value_error("rotation: expected a unit quaternion (w, x, y, z)");
    s.rotation = turn.normalized();
  }
  if (v) s.v = *v;
  if (omega) s.omega = *omega;
  Vector q_next = system().q(), v_next = shown_velocities();
  RigidBodies::write(s, q_next.data() + RigidBodies::kQ * body,
                     v_next.data() + RigidBodies::kV * body);
  set_state(&q_next, &v_next, nullptr);
}

void PySimulation::change(const std::vector<std::string>& assignments) {
  require_idle();
  SceneSource source = scene_->source;
  source.overrides.insert(source.overrides.end(), assignments.begin(), assignments.end());
  auto next = std::make_shared<LoadedScene>(std::move(source));
  Scene& scene = next->scene;
  if (scene.q_names.size() != this->scene().q_names.size() ||
      (scene.world != nullptr) != (this->scene().world != nullptr) ||
      (scene.world && scene.world->bodies.size() != this->scene().world->bodies.size())) {
    throw InputError("another number of coordinates or bodies: start a new simulation");
  }
  const std::span<const double> q = run_->q(), v = run_->v();
  scene.initial.t = time();
  scene.initial.q = ConstVectorMap(q.data(), static_cast<Eigen::Index>(q.size()));
  scene.initial.v = ConstVectorMap(v.data(), static_cast<Eigen::Index>(v.size()));
  std::shared_ptr<Run> run = make_run(scene, threads_);
  const long earlier = steps();
  if (run_->simulation() && run->simulation())
    run->simulation()->take_over_contacts(run_->simulation()->checkpoint());
  scene_ = std::move(next);
  run_ = std::move(run);
  earlier_steps_ = earlier;
  forget_contacts();
  has_contacts_ = false;
  book_change(run_->energy());
}

const Vector& PySimulation::q() {
  if (q_.size() == 0) {
    q_.resize(static_cast<Eigen::Index>(run_->q().size()));
    refresh();
  }
  return q_;
}

const Vector& PySimulation::v() {
  if (v_.size() == 0) {
    v_.resize(static_cast<Eigen::Index>(run_->v().size()));
    refresh();
  }
  return v_;
}

void PySimulation::forget_contacts() {
  if (contacts_) used_ = std::move(contacts_);
  contacts_.reset();
}

// Fresh memory costs ten times what filling it does: that of an earlier step is taken again, unless
// an array in Python still shows it.
std::shared_ptr<const ContactRowList> PySimulation::contacts() {
  require_idle();
  if (!contacts_) {
    const bool is_unused = used_ && used_.use_count() == 1;
    auto rows = is_unused ? std::move(used_) : std::make_shared<ContactRowList>();
    if (has_contacts_)
      run_->collect(*rows);
    else
      rows->clear();
    contacts_ = std::move(rows);
  }
  return contacts_;
}

}  // namespace clack::python
