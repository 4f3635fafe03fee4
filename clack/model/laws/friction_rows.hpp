// What the laws of friction share: the velocity that friction acts on, its load, and its rows.
#pragma once

#include <array>

#include "clack/model/laws/law.hpp"

namespace clack {

// A unit vector among the tangential rows; in the plane the second component is 0.
using TangentVector = std::array<double, 2>;

// u_T + e_t u_T-, of the last pass [m/s].
TangentVector friction_velocity(const ContactSituation& contact, const LawStatement& statement);
// |u_T + e_t u_T-|, of the last pass [m/s].
double friction_slip(const ContactSituation& contact, const LawStatement& statement);
// The normal impulse that friction is measured by, of the last pass [N s]; 0 where the contact was
// open.
double friction_load(const ContactSituation& contact, const LawStatement& statement);
// A row `scale` times the component of the velocity along `direction`, with its restitution.
void add_tangential_row(const ContactSituation& contact, const LawStatement& statement,
                        const TangentVector& direction, double scale, LawBlock& block,
                        double row_offset = 0, double row_compliance = 0);
// The tangential rows as they stand.
void add_tangential_rows(const ContactSituation& contact, const LawStatement& statement,
                         double scale, LawBlock& block);

}  // namespace clack
