#include "clack/integrate/scheme.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "clack/core/error.hpp"

namespace clack {

void SchemeOptions::validate() const {
  auto require = [](bool good, const char* field, double value, const char* allowed) {
    if (!good) throw InputError(fmt::format("{} is {}; it must be {}", field, value, allowed));
  };
  require(theta >= 0 && theta <= 1, "theta", theta, "in [0, 1]");
  require(xi >= 0 && xi <= 1, "xi", xi, "in [0, 1]");
  auto require_given = [&](const std::optional<double>& x, const char* field, double low,
                           double high, const char* allowed) {
    if (x) require(*x >= low && *x <= high, field, *x, allowed);
  };
  require_given(rho_inf, "rho_inf", 0, 1, "in [0, 1]");
  require_given(alpha_m, "alpha_m", -1, 0.5, "in [-1, 0.5]");
  require_given(alpha_f, "alpha_f", 0, 0.5, "in [0, 0.5]");
  require_given(beta, "beta", 0, 1, "in [0, 1]");
  require_given(newmark_gamma, "newmark_gamma", 0, 2, "in [0, 2]");
  require(gamma >= 0 && std::isfinite(gamma), "gamma", gamma, "finite and >= 0");
  require(activation_tolerance >= 0 && std::isfinite(activation_tolerance), "activation_tolerance",
          activation_tolerance, "finite and >= 0");
  require(newton_tolerance > 0 && newton_tolerance < 1, "newton_tolerance", newton_tolerance,
          "in (0, 1)");
  require(flow_tolerance >= 1e-14 && flow_tolerance <= 1e-2, "flow_tolerance", flow_tolerance,
          "in [1e-14, 1e-2]");
  require(capture_time >= 0 && std::isfinite(capture_time), "capture_time", capture_time,
          "finite and >= 0");
  require(max_events >= 1, "max_events", max_events, ">= 1");
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

const std::vector<std::string_view>& constraint_level_names() {
  static const std::vector<std::string_view> names = {"velocity", "position", "position-velocity",
                                                      "position-velocity-acceleration"};
  return names;
}

namespace {

[[noreturn]] void refuse(const Contact& contact, std::string_view scheme, std::string_view what) {
  throw InputError(
      fmt::format("scheme '{}' cannot treat contact '{}': {}", scheme, contact.name, what));
}

}  // namespace

void refuse_restitution(const ContactSet& contacts, std::string_view scheme) {
  refuse_tangential_restitution(contacts, scheme);
  for (const Contact& contact : contacts.kinds()) {
    if (contact.bilateral || contact.law.e_n == 0) continue;
    refuse(contact, scheme,
           fmt::format("it has no impact law, so e_n must be 0, not {}", contact.law.e_n));
  }
}

void refuse_tangential_restitution(const ContactSet& contacts, std::string_view scheme) {
  for (const Contact& contact : contacts.kinds()) {
    if (contact.bilateral || contact.tangents == 0 || contact.law.e_t == 0) continue;
    refuse(
        contact, scheme,
        fmt::format("it has no tangential restitution, so e_t must be 0, not {}", contact.law.e_t));
  }
}

void refuse_friction(const ContactSet& contacts, std::string_view scheme) {
  for (const Contact& contact : contacts.kinds()) {
    if (contact.tangents == 0) continue;
    refuse(contact, scheme, "it knows no friction; remove the tangents");
  }
}

void refuse_constant_step(const Scheme& scheme) {
  if (scheme.step_may_vary()) return;
  throw InputError(fmt::format(
      "scheme '{}' cannot adapt its step: it needs one step length for the whole run; remove "
      "'adaptive' or take a one-step scheme such as moreau-jean",
      scheme.name()));
}

}  // namespace clack
