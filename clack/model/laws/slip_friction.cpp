#include "clack/model/laws/slip_friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/friction_rows.hpp"

namespace clack {

std::vector<LawVariable> StaticDynamicFriction::variables(int, int) const {
  return {{"slid until", "s", -1e300}};
}

// A time instead of a flag: a contact that opens is not asked to update, and sticks when it comes
// back.
double StaticDynamicFriction::mu(const ContactSituation& contact) const {
  return std::abs(contact.t - contact.memory[0]) <= 1e-6 * contact.h ? mu_d_ : mu_s_;
}

void StaticDynamicFriction::prepare(const ContactSituation& contact,
                                    LawStatement& statement) const {
  add_tangential_disc(contact, mu(contact), statement);
}

// Sticking leaves a slip of round-off and a force inside the disc, sliding the force of the limit.
void StaticDynamicFriction::update(const ContactSituation& contact,
                                   std::span<double> memory) const {
  constexpr double kInside = 1 - 1e-8, kRoundOff = 1e-12;
  double fastest = 0;
  for (int k = 0; k < contact.rows(); ++k)
    fastest = std::max({fastest, std::abs(contact.u[k]), std::abs(contact.u_start[k])});
  const bool loaded = contact.closed && contact.r[0] > 0;
  const bool slides = contact.slip() > kRoundOff * fastest &&
                      std::hypot(contact.r[1], contact.tangents == 2 ? contact.r[2] : 0.0) >=
                          kInside * mu(contact) * contact.r[0];
  if (loaded && slides) memory[0] = contact.t + contact.h;
}

void SlipFriction::prepare(const ContactSituation& contact, LawStatement& statement) const {
  if (statement.unilateral < 0 || contact.tangents == 0) return;
  const Split mu = split(friction_slip(contact, statement));
  add_tangential_disc(contact, mu.radius, statement);
  if (!has_slope()) return;
  // r_T = -c u_T as rows sqrt(c) u_T + y = 0: without a load or slope they are still there.
  const double c = statement.friction_share * mu.slope * friction_load(contact, statement);
  LawBlock& dashpot = statement.add_block(true);
  add_tangential_rows(contact, statement, std::sqrt(c), dashpot);
  for (int k = 0; k < dashpot.dim; ++k) dashpot.compliance[k] = 1;
}

double SlipDependentFriction::mu(double slip) const {
  const double value = mu_.at(slip);
  return std::isfinite(value) && value > 0 ? value : 0.0;
}

// The slope decides how fast the passes converge, not where. Its noise however is one of radius and
// dashpot apart, which the residual sees: a wide difference has little of it.
SlipFriction::Split SlipDependentFriction::split(double slip) const {
  const double value = mu(slip);
  if (mu_.is_constant()) return {value, 0};
  const double by = 1e-2 * slip + 1e-9, low = std::max(0.0, slip - by);
  const double rise = std::max(0.0, (mu(slip + by) - mu(low)) / (slip + by - low));
  const double slope = slip > 0 ? std::min(rise, value / slip) : rise;
  return {value - slope * slip, slope};
}

StribeckFriction::StribeckFriction(double mu_s, double mu_d, double v_s, double exponent,
                                   double viscous)
    : mu_s_(mu_s), mu_d_(mu_d), v_s_(v_s), exponent_(exponent), viscous_(viscous) {
  if (mu_s < mu_d) {
    throw InputError(
        fmt::format("law 'stribeck': mu_s is {} and mu_d {}; it must be mu_s >= mu_d", mu_s, mu_d));
  }
}

SlipFriction::Split StribeckFriction::split(double slip) const {
  return {mu_d_ + (mu_s_ - mu_d_) * std::exp(-std::pow(slip / v_s_, exponent_)), viscous_};
}

}  // namespace clack
