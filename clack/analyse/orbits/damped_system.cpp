#include "clack/analyse/orbits/damped_system.hpp"

namespace clack {

DampedSystem::DampedSystem(std::shared_ptr<const System> system, double d)
    : system_(std::move(system)), d_(d) {
  contacts_ = system_->contacts();
}

void DampedSystem::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  system_->forces(t, q, v, out);
  Matrix M(nv(), nv());
  system_->mass(t, q, M);
  out.damping.noalias() -= d_ * (M * v);
}

}  // namespace clack
