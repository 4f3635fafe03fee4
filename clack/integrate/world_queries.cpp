// What a world's simulation answers about its last step.
#include <cmath>

#include "clack/integrate/world_simulation.hpp"
#include "clack/model/shapes/extent.hpp"

namespace clack {

std::array<double, 3> WorldSimulation::start_velocity(std::size_t c) const {
  const BodyContact& row = problem_.contacts[c];
  std::array<double, 3> u{};
  to_local(row.normal, problem_.dim, velocity_of((*contacts_)[c], row, begin_), u.data());
  return u;
}

int WorldSimulation::link_of(std::size_t c) const {
  const std::uint64_t feature = (*contacts_)[c].feature;
  const bool is_link = feature >= kTieFeature && feature - kTieFeature < world_->links.size();
  return is_link ? static_cast<int>(feature - kTieFeature) : -1;
}

double WorldSimulation::link_size(std::size_t index) const {
  const Link& link = world_->links[index];
  const auto size = [&](int body) {
    return half_extent(*world_->bodies[static_cast<std::size_t>(body)].shape);
  };
  return smaller_size(size(link.a), size(link.b));
}

// Before anything is computed with it: formulas may leave the numbers at any time. True where all
// is finite; the sums tell it, without a branch per body.
bool WorldSimulation::find_failed_body(const LargeArray<Twist>& motion) {
  const auto sum_of = [&](std::size_t i) {
    const BodyState& s = state_.bodies[i];
    return motion[i].v.sum() + motion[i].omega.sum() + s.position.sum() + s.rotation.coeffs().sum();
  };
  double sum = 0;
  failed_body_ = -1;
  for (std::size_t i = 0; i < motion.size(); ++i) sum += sum_of(i);
  if (std::isfinite(sum)) return true;
  for (std::size_t i = 0; i < motion.size() && failed_body_ < 0; ++i) {
    if (!std::isfinite(sum_of(i))) failed_body_ = static_cast<int>(i);
  }
  return failed_body_ < 0;
}

}  // namespace clack
