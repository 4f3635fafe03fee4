#include "clack/integrate/law_passes.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

namespace clack {

// Passes that settle do so within some tens, each whole. Those that have not by then get the share
// that the secant of the last two ways tells, as far as one number can.
double PassShare::next(std::span<const double> from, std::span<const double> to) {
  constexpr int kPatience = 40;
  constexpr double kLeast = 1e-3;
  double square = 0, along = 0;
  const bool known = way_.size() == from.size();
  way_.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double way = to[i] - from[i];
    square += way * way;
    if (known) along += way * way_[i];
    way_[i] = way;
  }
  const double difference = square - 2 * along + square_;
  if (++passes_ > kPatience && known && difference > 0) {
    const double secant = share_ * (square_ - along) / difference;
    const double most = std::min(1.0, 2 * share_), least = std::max(kLeast, 0.1 * share_);
    share_ = secant > 0 ? std::clamp(secant, least, most) : most;
  }
  square_ = square;
  return share_;
}

std::string describe_unsettled(const ReducedProblem& problem, const double* y, const double* x,
                               const std::vector<BlockOwner>& owners) {
  std::map<int, double> square;  // of the natural map, by contact
  std::map<int, const Law*> law;
  double sum = 0;
  for (std::size_t b = 0; b < owners.size(); ++b) {
    const int begin = problem.offset[b];
    const double part = natural_map_square(problem.cones[b], y + begin, x + begin, 1);
    square[owners[b].contact] += part;
    law[owners[b].contact] = owners[b].law;
    sum += part;
  }
  std::map<std::string_view, int> counts;
  for (const auto& [contact, part] : square) {
    if (part * static_cast<double>(square.size()) < sum) continue;
    if (law[contact] && law[contact]->iterates()) ++counts[law[contact]->name()];
  }
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} of '{}'", text.empty() ? "" : ", ", count, name);
  return text.empty() ? "contacts beside them were not solved" : text;
}

}  // namespace clack
