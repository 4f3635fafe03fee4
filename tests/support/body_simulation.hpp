// Rigid bodies by the scheme stewart-trinkle, with what its data tell within reach.
#pragma once

#include <memory>
#include <utility>

#include "clack/integrate/body_reading.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack::test {

class BodySimulation {
 public:
  BodySimulation(const std::shared_ptr<const RigidWorld>& world, const WorldState& initial,
                 const SimulationOptions& options)
      : BodySimulation(std::make_shared<RigidBodies>(world, initial), options) {}
  explicit BodySimulation(const Scene& scene)
      : simulation_(scene.system, scene.initial, scene.options) {}

  [[nodiscard]] Status step() { return simulation_.step(); }
  Checkpoint checkpoint() const { return simulation_.checkpoint(); }
  void restore(const Checkpoint& checkpoint) { simulation_.restore(checkpoint); }

  const BodyStep& data() const { return *body_step(simulation_); }
  const RigidWorld& world() const { return data().world(); }
  const WorldState& state() const { return data().state(); }
  double time() const { return simulation_.time(); }
  double h() const { return data().h(); }
  long steps() const { return simulation_.steps(); }
  const LargeArray<WorldContact>& contacts() const { return data().contacts(); }
  const LargeArray<Vector3>& impulses() const { return data().impulses(); }
  const std::vector<int>& sources() const { return data().sources(); }
  const std::vector<double>& r() const { return data().r(); }
  const std::vector<double>& u() const { return data().u(); }
  int dim() const { return data().dim(); }
  const BodyProblem& problem() const { return data().problem(); }
  const ContactLaws& laws() const { return data().laws(); }
  const WorldBonds& bonds() const { return data().bonds(); }
  const std::vector<std::size_t>& broken() const { return data().broken(); }
  int link_of(std::size_t contact) const { return data().link_of(contact); }
  // Joints of the scene, then links.
  BodyReading::Holding holding(std::size_t i) const { return BodyReading(simulation_).holding(i); }
  double link_drift(std::size_t link) const {
    return holding(world().joints.size() + link).error;
  }
  int failed_body() const { return data().failed_body(); }
  const SolveReport& report() const { return simulation_.last_step().solve; }
  const EnergyAudit& energy() const { return simulation_.last_step().energy; }
  const std::array<double, 6>& seconds_by_stage() const { return simulation_.seconds_by_stage(); }

  operator BodyReading() const { return simulation_; }  // NOLINT: implicit

 private:
  BodySimulation(const std::shared_ptr<const RigidBodies>& bodies, const SimulationOptions& options)
      : simulation_(bodies, bodies->to_state(bodies->initial()), options) {}

  Simulation simulation_;
};

}  // namespace clack::test
