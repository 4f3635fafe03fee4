// The step of Stewart and Trinkle on rigid bodies (eq:world_step): forces explicit, positions with
// the velocities of the end, contacts with their open gaps, all impulses before the free rotation.
// Its data are arrays of bodies and contacts, so that tens of thousands of them are moved at once.
// Reference: Stewart, Trinkle (1996); Anitescu, Potra (1997).
#pragma once

#include "clack/integrate/body_step.hpp"
#include "clack/integrate/simulation.hpp"

namespace clack {

constexpr const char* kWorldScheme = "stewart-trinkle";

// What scenes of rigid bodies start from.
SimulationOptions body_options();

class StewartTrinkle final : public Scheme {
 public:
  explicit StewartTrinkle(const SchemeOptions& options) : Scheme(options) {}
  std::string_view name() const override { return kWorldScheme; }

  void configure(const SimulationOptions& options) override { settings_ = options; }
  std::string system_fault(const System& system) const override;
  bool finds_contacts() const override { return true; }
  std::string law_fault() const override { return {}; }
  double position_weight() const override { return 1; }
  void initialise(Step& step) const override;
  void begin_step(Step& step) const override;
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  bool solve(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step&) const override { return true; }
  void audit(Step& step) const override;
  std::shared_ptr<const SchemeRecord> save(const Step& step) const override;
  void restore(Step& step, const SchemeRecord* record) const override;

 private:
  SimulationOptions settings_;
};

// The bodies of a simulation by this scheme, as its last step has left them; null by another one.
const BodyStep* body_step(const Simulation& simulation);

}  // namespace clack
