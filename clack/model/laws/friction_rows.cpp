#include "clack/model/laws/friction_rows.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

TangentVector friction_velocity(const ContactSituation& contact, const LawStatement& statement) {
  TangentVector x{};
  for (int k = 0; k < contact.tangents; ++k)
    x[k] = contact.u[1 + k] + statement.e_t * contact.u_start[1 + k];
  return x;
}

double friction_slip(const ContactSituation& contact, const LawStatement& statement) {
  const TangentVector x = friction_velocity(contact, statement);
  return std::hypot(x[0], x[1]);
}

double friction_load(const ContactSituation& contact, const LawStatement& statement) {
  return std::max(0.0, contact.r[0] - statement.shift[0]);
}

void add_tangential_row(const ContactSituation& contact, const LawStatement& statement,
                        const TangentVector& direction, double scale, LawBlock& block,
                        double row_offset, double row_compliance) {
  ContactValues combination{};
  for (int k = 0; k < contact.tangents; ++k) {
    combination[1 + k] = scale * direction[k];
    row_offset += statement.e_t * combination[1 + k] * contact.u_start[1 + k];
  }
  block.add_row(combination, row_offset, row_compliance);
}

void add_tangential_rows(const ContactSituation& contact, const LawStatement& statement,
                         double scale, LawBlock& block) {
  for (int k = 0; k < contact.tangents; ++k) {
    TangentVector axis{};
    axis[k] = 1;
    add_tangential_row(contact, statement, axis, scale, block);
  }
}

}  // namespace clack
