#include "clack/analyse/modes/conservative.hpp"

#include <fmt/format.h>

#include "clack/collide/contact_set.hpp"
#include "clack/core/error.hpp"
#include "clack/integrate/contact_motion.hpp"

namespace clack {

void check_conservative(const System& system, int contact, const std::string& what) {
  const auto refuse = [&](const std::string& why) { throw InputError(what + why); };
  const ContactSet set(system);
  if (!system.is_linear() || !set.has_constant_map()) refuse("this one is not linear");
  if (contact < 0 || contact >= set.size())
    refuse(fmt::format("it has {} contacts, number {} is asked for", set.size(), contact));
  const Contact& which = set.list()[static_cast<std::size_t>(contact)];
  if (which.bilateral) refuse(fmt::format("'{}' is a constraint", which.name));
  if (has_friction(which)) refuse(fmt::format("'{}' has friction", which.name));
  const int n = system.nv();
  Matrix K(n, n), C(n, n);
  const Vector zero = Vector::Zero(n);
  system.jacobians(0, zero, zero, K, C);
  if (C.cwiseAbs().maxCoeff() > 0) refuse("it has damping or gyroscopic forces");
  Forces now(n), later(n);
  system.forces(0, zero, zero, now);
  now.set_total();
  for (double t : {0.37, 1.93, 71.1}) {
    system.forces(t, zero, zero, later);
    later.set_total();
    if ((later.total - now.total).norm() > 0) refuse("its forces depend on time");
  }
}

}  // namespace clack
