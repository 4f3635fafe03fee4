#include "clack/model/laws/shaped_friction.hpp"

#include <cmath>

#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/friction_rows.hpp"

namespace clack {

std::string AnisotropicFriction::fault(int tangents, int /*turns*/) const {
  if (tangents == 2) return {};
  return "needs two tangential directions; in the plane it would be 'coulomb'";
}

double AnisotropicFriction::radius(const ContactSituation& contact, const LawStatement& statement,
                                   double cosine, double sine) const {
  // y = r/nu. Before the first solve there is no force, only the slip nu u that it will oppose.
  const bool has_force = contact.r[1] != 0 || contact.r[2] != 0;
  const TangentVector x =
      has_force ? TangentVector{contact.r[1], contact.r[2]} : friction_velocity(contact, statement);
  const double first = cosine * x[0] + sine * x[1], second = cosine * x[1] - sine * x[0];
  const double y_1 = has_force ? first / nu_.first : first * nu_.first;
  const double y_2 = has_force ? second / nu_.second : second * nu_.second;
  const double length = std::hypot(y_1, y_2);
  if (!(length > 0)) return mu_.first / nu_.first;
  return length / std::hypot(nu_.first / mu_.first * y_1, nu_.second / mu_.second * y_2);
}

void AnisotropicFriction::prepare(const ContactSituation& contact, LawStatement& statement) const {
  LawBlock* block = statement.unilateral_block();
  if (!block) return;
  const double angle = contact.material_angle + angle_;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const double limit = associated_ ? 1.0 : radius(contact, statement, cosine, sine);
  block->add_disc(2, statement.friction_share * limit);
  add_tangential_row(contact, statement, {cosine, sine}, nu_.first, *block);
  add_tangential_row(contact, statement, {-sine, cosine}, nu_.second, *block);
}

// The mean arm of friction for a parabolic pressure, at which pure sliding and pure spin both reach
// the surface of the ball.
ContensouFriction::ContensouFriction(double mu, double radius)
    : mu_(mu), arm_(3 * M_PI / 16 * radius) {}

std::string ContensouFriction::fault(int tangents, int turns) const {
  if (tangents == 2 && turns >= 1) return {};
  return tangents == 2 ? "needs the spin about the normal: give 'turn' too"
                       : "needs two tangential directions and the spin about the normal";
}

void ContensouFriction::prepare(const ContactSituation& contact, LawStatement& statement) const {
  LawBlock* block = statement.unilateral_block();
  if (!block) return;
  block->add_disc(3, statement.friction_share * mu_);
  add_tangential_rows(contact, statement, 1, *block);
  block->add_row(3, arm_);
}

std::string RollingFriction::fault(int tangents, int turns) const {
  if (tangents == 0) return "needs a tangential direction";
  if (tangents == 1) {
    if (mu_s_ > 0) return "has a drilling length mu_s; nothing drills in the plane";
    return turns >= 1 ? "" : "needs the relative rotation: give 'turn' too";
  }
  if (mu_r_ > 0 && turns < 3) return "needs three rows of 'turn': the spin and two that roll";
  return turns >= 1 ? "" : "needs the relative rotation: give 'turn' too";
}

void RollingFriction::prepare(const ContactSituation& contact, LawStatement& statement) const {
  add_tangential_disc(contact, mu_, statement);
  LawBlock* block = statement.unilateral_block();
  if (!block) return;
  const auto add_turns = [&](int begin, int count, double length) {
    if (length == 0) return;
    block->add_disc(count, statement.friction_share * length);
    for (int k = 0; k < count; ++k) block->add_row(begin + k);
  };
  if (contact.tangents == 1) {
    add_turns(2, 1, mu_r_);
    return;
  }
  add_turns(3, 1, mu_s_);
  add_turns(4, 2, mu_r_);
}

void TrescaFriction::prepare(const ContactSituation& contact, LawStatement& statement) const {
  if (!contact.closed || contact.tangents == 0) return;
  LawBlock& block = statement.add_block(false);
  block.add_row(-1, 0, -statement.friction_share * contact.h * s_, 1);
  block.add_disc(contact.tangents, 1);
  add_tangential_rows(contact, statement, 1, block);
}

}  // namespace clack
