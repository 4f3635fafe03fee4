// A simulation as Python sees it: a run of a scene of any kind that is stepped, looked at and
// changed.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "clack/analyse/ledger.hpp"
#include "clack/analyse/measures.hpp"
#include "clack/record/run.hpp"
#include "python/bindings/scene.hpp"

namespace clack::python {

class PySimulation {
 public:
  PySimulation(std::shared_ptr<const LoadedScene> scene, int threads);

  // Each may be called only while no step is under way; else RuntimeError.
  Status step();
  // Steps until t reaches `until`, a step fails for good, or `after_step` says no. The
  // interpreter's lock is released; signals are looked at every few milliseconds, between two
  // steps.
  Status run(double until, const py::object& callback, py::object self);
  // What a step left is changed and goes on: positions and velocities (null: as they are), time.
  void set_state(const Vector* q, const Vector* v, const double* t);
  void set_body(std::size_t body, const Vector3* position, const Vector* rotation, const Vector3* v,
                const Vector3* omega);
  // Other values of the scene, path=value; state and time stay.
  void change(const std::vector<std::string>& assignments);

  const Scene& scene() const { return scene_->scene; }
  const LoadedScene& loaded() const { return *scene_; }
  const std::shared_ptr<Run>& shared_run() const { return run_; }
  Run& run() const { return *run_; }
  const Simulation& system() const;  // throws TypeError where the step adapts itself
  // Of rigid bodies, whichever scheme moves them; throws TypeError for other systems.
  const RigidWorld& rigid_world() const;
  const WorldState& bodies();
  double time() const { return run_->time(); }
  long steps() const { return earlier_steps_ + run_->steps(); }
  Status status() const { return status_; }
  const Ledger& ledger() const { return ledger_; }
  const Measures& measures() const { return measures_; }
  void require_idle() const;

  // Memory that stays where it is and is brought up to date after each step.
  const Vector& q();
  const Vector& v();
  // Of the last step; a new one after each step, so that those given out stay as they are.
  std::shared_ptr<const ContactRowList> contacts();

 private:
  class Guard;
  class Undo;
  Status step_without_lock();
  void after_step(Status status);
  void refresh();
  void book_change(const EnergyAudit& now);
  void check_bodies(State& state) const;
  Vector shown_velocities() const;
  void place_trees(Vector& q) const;

  std::shared_ptr<const LoadedScene> scene_;
  int threads_;
  std::shared_ptr<Run> run_;
  Ledger ledger_;
  Measures measures_;
  Status status_ = Status::converged;
  long earlier_steps_ = 0;  // of simulations that this one went on from
  Vector q_, v_;            // empty until asked for
  WorldState bodies_;       // of a scheme on rigid bodies
  void forget_contacts();
  std::shared_ptr<ContactRowList> contacts_;  // null until asked for
  std::shared_ptr<ContactRowList> used_;      // of an earlier step: memory to be used again
  bool has_contacts_ = false;                 // a step has left some
  std::atomic<bool> busy_{false};
};

void bind_joints(py::class_<PySimulation, std::shared_ptr<PySimulation>>& simulation);

}  // namespace clack::python
