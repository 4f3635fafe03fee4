// What a world's simulation answers about its last step.
#include "clack/integrate/body_step.hpp"

namespace clack {

const std::vector<double>& BodyStep::r() const {
  if (r_.empty()) {
    r_.resize(static_cast<std::size_t>(problem_.size()));
    to_local(problem_, impulses_.data(), r_.data());
  }
  return r_;
}

const std::vector<double>& BodyStep::u() const {
  if (u_.empty()) {
    u_.resize(static_cast<std::size_t>(problem_.size()));
    double* u = u_.data();
    for (std::size_t c = 0; c < problem_.contacts.size(); ++c, u += problem_.dim) {
      const BodyContact& row = problem_.contacts[c];
      to_local(row.normal, problem_.dim, velocity_of((*contacts_)[c], row, end_), u);
    }
  }
  return u_;
}

std::array<double, 3> BodyStep::start_velocity(std::size_t c) const {
  const BodyContact& row = problem_.contacts[c];
  std::array<double, 3> u{};
  to_local(row.normal, problem_.dim, velocity_of((*contacts_)[c], row, begin_), u.data());
  return u;
}

int BodyStep::link_of(std::size_t c) const {
  const std::uint64_t feature = (*contacts_)[c].feature;
  const bool is_link = feature >= kTieFeature && feature - kTieFeature < world_->links.size();
  return is_link ? static_cast<int>(feature - kTieFeature) : -1;
}

// Before anything is computed with it: formulas may leave the numbers at any time. True where every
// body is finite.
bool BodyStep::find_failed_body(const LargeArray<Twist>& motion) {
  failed_body_ = -1;
  for (std::size_t i = 0; i < motion.size() && failed_body_ < 0; ++i) {
    const BodyState& s = state_.bodies[i];
    const bool finite = motion[i].v.allFinite() && motion[i].omega.allFinite() &&
                        s.position.allFinite() && s.rotation.coeffs().allFinite();
    if (!finite) failed_body_ = static_cast<int>(i);
  }
  return failed_body_ < 0;
}

}  // namespace clack
