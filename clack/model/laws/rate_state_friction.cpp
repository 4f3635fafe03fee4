#include "clack/model/laws/rate_state_friction.hpp"

#include <algorithm>
#include <cmath>

#include "clack/model/laws/friction_rows.hpp"

namespace clack {
namespace {

// The characteristic for one state, V from and to mu. V spans a hundred decades: its logarithm does
// not.
class Characteristic {
 public:
  Characteristic(const RateStateParameters& p, double theta)
      : a_(p.a),
        log_scale_(std::log(2 * p.V0) - (p.mu_0 + p.b * std::log(p.V0 * theta / p.Dc)) / p.a) {}

  double mu(double log_slip) const {
    const double y = log_slip - log_scale_;
    return a_ * (y > 20 ? y + std::log(2.0) + 0.25 * std::exp(-2 * y) : std::asinh(std::exp(y)));
  }
  // ln V at mu > 0.
  double log_slip(double mu) const {
    const double z = mu / a_;
    return log_scale_ +
           (z > 20 ? z - std::log(2.0) + std::log1p(-std::exp(-2 * z)) : std::log(std::sinh(z)));
  }
  // dV/dmu.
  double slope(double mu) const {
    const double z = mu / a_;
    return bounded_exp(log_scale_ + z - std::log(2.0) + std::log1p(std::exp(-2 * z))) / a_;
  }
  static double bounded_exp(double y) { return std::exp(std::min(y, 600.0)); }

 private:
  double a_, log_scale_;
};

}  // namespace

RateStateFriction::RateStateFriction(const RateStateParameters& parameters) : p_(parameters) {
  if (p_.theta_0 == 0) p_.theta_0 = p_.Dc / p_.V0;
}

std::vector<LawVariable> RateStateFriction::variables(int, int) const {
  return {{"theta", "s", p_.theta_0}};
}

std::string RateStateFriction::fault(int tangents, int /*turns*/) const {
  return tangents > 0 ? "" : "needs a tangential direction";
}

double RateStateFriction::evolve(double theta, double slip, double h) const {
  const double x = slip * h / p_.Dc;
  const double left = std::exp(-x);
  if (!p_.slip_law) return theta * left + (x > 0 ? h * (-std::expm1(-x) / x) : h);
  if (!(slip > 0)) return theta;
  return std::exp(std::log(theta) * left + std::log(p_.Dc / slip) * -std::expm1(-x));
}

// The last pass left a point (mu, V) of the response of the bodies, which falls with mu, on a
// tangent of the rising convex V(mu), that is, below it. So the solution lies between V of the pass
// and V(mu) of its force, and the next tangent touches halfway in ln V: far off the interval is
// halved, near by it shrinks as in Newton's method.
void RateStateFriction::prepare(const ContactSituation& contact, LawStatement& statement) const {
  LawBlock* block = statement.unilateral_block();
  if (!block || contact.tangents == 0) return;
  const TangentVector u = friction_velocity(contact, statement);
  const double slip = std::hypot(u[0], u[1]);
  const Characteristic law(p_, evolve(contact.memory[0], slip, contact.h));
  const double load = statement.friction_share * friction_load(contact, statement);
  if (!(load > 0)) {  // nothing is known of the force: Coulomb's disc for the slip of the start
    block->add_disc(contact.tangents,
                    statement.friction_share * (slip > 0 ? law.mu(std::log(slip)) : p_.mu_0));
    add_tangential_rows(contact, statement, 1, *block);
    return;
  }
  TangentVector along = {-contact.r[1], contact.tangents == 2 ? -contact.r[2] : 0.0};
  double force = std::hypot(along[0], along[1]);
  if (!(force > 0)) along = {1, 0};
  for (double& component : along) component /= force > 0 ? force : 1;
  const double mu_pass = std::max(force / load, 1e-14 * p_.a);
  const double slip_pass = along[0] * u[0] + along[1] * u[1];
  double log_slip = law.log_slip(mu_pass);
  if (slip_pass > 0) log_slip = 0.5 * (log_slip + std::log(slip_pass));
  const double mu = law.mu(log_slip), V = Characteristic::bounded_exp(log_slip),
               slope = law.slope(mu);

  // In the rows along and across the slip the tangent is a spring in series, V = V* + slope (mu -
  // mu*): within a disc that the solution does not reach.
  block->add_disc(contact.tangents, statement.friction_share * (mu + 10 * p_.a));
  add_tangential_row(contact, statement, along, 1, *block, slope * mu - V, slope / load);
  if (contact.tangents == 2) {
    const double across = mu > 0 ? V / mu : slope;
    add_tangential_row(contact, statement, {-along[1], along[0]}, 1, *block, 0, across / load);
  }
}

void RateStateFriction::update(const ContactSituation& contact, std::span<double> memory) const {
  memory[0] = evolve(contact.memory[0], contact.slip(), contact.h);
}

}  // namespace clack
