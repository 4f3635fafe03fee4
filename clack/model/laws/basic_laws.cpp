#include "clack/model/laws/basic_laws.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

void NewtonImpact::prepare(const ContactSituation& contact, LawStatement& statement) const {
  statement.e_t = e_t_;
  add_unilateral_block(contact, e_n_ * contact.u_start[0], statement);
}

LawBlock* add_unilateral_block(const ContactSituation& contact, double offset,
                               LawStatement& statement) {
  if (!contact.closed && !contact.speculative) return nullptr;
  if (contact.speculative && (!contact.closed || offset == 0))
    offset = std::max(contact.gap, 0.0) / contact.h;
  statement.unilateral = statement.count;
  LawBlock& block = statement.add_block(false);
  block.add_row(0, 1, offset);
  return &block;
}

void add_tangential_disc(const ContactSituation& contact, double mu, LawStatement& statement) {
  LawBlock* block = statement.unilateral_block();
  if (!block || contact.tangents == 0) return;
  block->add_disc(contact.tangents, statement.friction_share * mu);
  for (int k = 1; k <= contact.tangents; ++k)
    block->add_row(k, 1, statement.e_t * contact.u_start[k]);
}

void CoulombFriction::prepare(const ContactSituation& contact, LawStatement& statement) const {
  double mu = mu_.at(0);
  if (!mu_.is_constant()) {
    const double slip = contact.tangents == 1 ? std::abs(contact.u_start[1])
                                              : std::hypot(contact.u_start[1], contact.u_start[2]);
    mu = mu_.at(slip);
  }
  add_tangential_disc(contact, std::isfinite(mu) && mu > 0 ? mu : 0.0, statement);
}

}  // namespace clack
