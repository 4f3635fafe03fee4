// A time-stepping scheme: the stages of a step. The sequence itself is Simulation::step.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "clack/integrate/step.hpp"

namespace clack {

struct SchemeOptions {
  double theta = 0.5;  // weight of the end of the step [-]
  double gamma = 0.5;  // forecast of the activation, in steps [-]
  double activation_tolerance = 1e-12;  // a gap this small counts as closed [m]
  double newton_tolerance = 1e-12;      // for the equation of motion, relative
  int newton_max_iterations = 50;

  void validate() const;
};

class Scheme {
 public:
  explicit Scheme(const SchemeOptions& options) : options_(options) { options_.validate(); }
  virtual ~Scheme() = default;
  virtual std::string_view name() const = 0;
  const SchemeOptions& options() const { return options_; }

  // Throws InputError where the scheme cannot treat the system.
  virtual void check(const System&) const {}
  // Whether the scheme looks at M at all.
  virtual bool needs_mass() const { return true; }
  // Whether M alone must be positive definite; else M + h theta C + h^2 theta^2 K will do.
  virtual bool needs_regular_mass() const { return true; }

  virtual void detect(Step& step) const = 0;    // candidates, local frames, active set
  virtual void predict(Step& step) const = 0;   // iteration matrix and free velocity
  virtual void assemble(Step& step) const = 0;  // the one-step problem
  virtual void correct(Step& step) const = 0;   // velocity and configuration from the impulses
  virtual bool accepted(const Step& step) const = 0;  // no further pass from predict to correct
  virtual void audit(Step& step) const = 0;     // energies, works, their balance

 private:
  SchemeOptions options_;
};

// The equation of motion holds to the tolerance, to round-off, or the limit of passes is reached.
bool newton_finished(const Step& step, const SchemeOptions& options);
// Whether it may be called solved: at the tolerance, or stalled at round-off just above it.
bool newton_converged(const Step& step, const SchemeOptions& options);

struct SchemeInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<SchemeInfo>& scheme_list();
std::unique_ptr<Scheme> make_scheme(std::string_view name, const SchemeOptions& options);

}  // namespace clack
