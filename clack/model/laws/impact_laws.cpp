#include "clack/model/laws/impact_laws.hpp"

#include "clack/model/laws/basic_laws.hpp"

namespace clack {
namespace {

// The unilateral block; false where the contact is open and no impact.
bool add_impact_block(const ContactSituation& contact, LawStatement& statement) {
  if (!contact.closed) {
    add_unilateral_block(contact, 0, statement);
    return false;
  }
  statement.unilateral = statement.count;
  statement.add_block(false).add_row(0);
  return true;
}

}  // namespace

void PoissonImpact::prepare(const ContactSituation& contact, LawStatement& statement) const {
  if (!add_impact_block(contact, statement) || contact.stage == 0) return;
  // r = r_c + (e_n r_cN + y) e_N + r_eT, with |r_eT| <= mu (y + e_n r_cN): e_n r_cN stands, and
  // rubs.
  statement.carried = contact.r_stage;
  const double standing = e_n_ * contact.r_stage[0];
  if (!(standing > 0)) return;
  statement.carried[0] += standing;
  LawBlock& block = statement.add_block(false);
  block.add_row(-1, 0, -standing, 1);
  block.rubs = true;
}

void FremondImpact::prepare(const ContactSituation& contact, LawStatement& statement) const {
  statement.e_t = e_t_;
  if (!add_impact_block(contact, statement) || !(contact.u_start[0] < 0)) return;
  if (k_n_ > 0) {
    LawBlock& block = statement.add_block(false);
    block.add_row(0, 1, contact.u_start[0], 2 / k_n_);
    block.rubs = true;
  }
  if (k_t_ > 0 && contact.tangents > 0) {
    LawBlock& block = statement.add_block(true);
    for (int k = 1; k <= contact.tangents; ++k) block.add_row(k, 1, contact.u_start[k], 2 / k_t_);
  }
}

}  // namespace clack
