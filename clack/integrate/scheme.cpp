#include "clack/integrate/scheme.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "clack/core/error.hpp"
#include "clack/integrate/moreau_jean.hpp"
#include "clack/integrate/moreau_midpoint.hpp"
#include "clack/integrate/statics.hpp"

namespace clack {

void SchemeOptions::validate() const {
  auto require = [](bool good, const char* field, double value, const char* allowed) {
    if (!good) throw InputError(fmt::format("{} is {}; it must be {}", field, value, allowed));
  };
  require(theta >= 0 && theta <= 1, "theta", theta, "in [0, 1]");
  require(gamma >= 0 && std::isfinite(gamma), "gamma", gamma, "finite and >= 0");
  require(activation_tolerance >= 0 && std::isfinite(activation_tolerance), "activation_tolerance",
          activation_tolerance, "finite and >= 0");
  require(newton_tolerance > 0 && newton_tolerance < 1, "newton_tolerance", newton_tolerance,
          "in (0, 1)");
  require(newton_max_iterations >= 1, "newton_max_iterations", newton_max_iterations, ">= 1");
}

namespace {

// The last pass changed nothing any more, just above the tolerance.
bool stalled_at_round_off(const Step& step, const SchemeOptions& options) {
  return step.newton_iterations >= 3 &&
         step.equation_residual <= std::max(1e-10, 100 * options.newton_tolerance) &&
         step.equation_residual >= 0.5 * step.previous_equation_residual;
}

}  // namespace

bool newton_converged(const Step& step, const SchemeOptions& options) {
  return step.equation_residual <= options.newton_tolerance || stalled_at_round_off(step, options);
}

bool newton_finished(const Step& step, const SchemeOptions& options) {
  return newton_converged(step, options) || !std::isfinite(step.equation_residual) ||
         step.newton_iterations >= options.newton_max_iterations;
}

const std::vector<SchemeInfo>& scheme_list() {
  static const std::vector<SchemeInfo> list = {
      {"moreau-jean", "theta scheme with contact on velocities (Jean, Moreau 1987); first order, "
                      "dissipates for 1/2 <= theta <= 1/(1+e)"},
      {"moreau-midpoint", "Moreau's midpoint rule (1988), explicit in the forces"},
      {"statics", "equilibrium with frictionless contact at each instant"},
  };
  return list;
}

std::unique_ptr<Scheme> make_scheme(std::string_view name, const SchemeOptions& options) {
  if (name == "moreau-jean") return std::make_unique<MoreauJean>(options);
  if (name == "moreau-midpoint") return std::make_unique<MoreauMidpoint>(options);
  if (name == "statics") return std::make_unique<Statics>(options);
  std::string known;
  for (const SchemeInfo& info : scheme_list()) known += fmt::format(" {}", info.name);
  throw InputError(fmt::format("unknown scheme '{}'; known:{}", name, known));
}

}  // namespace clack
