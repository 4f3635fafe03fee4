#include "clack/integrate/scheme.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "clack/core/error.hpp"

namespace clack {

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
