#include "clack/model/samples/random_packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "clack/core/error.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "random packing";

using Cell = std::array<long, 3>;

// Every ball is listed in all cells that the box around it and its gap meets, so that a small ball
// looks into few cells however large others are.
class BallGrid {
 public:
  BallGrid(const RandomPackingOptions& options, double edge)
      : options_(options), size_(options.box.upper - options.box.lower) {
    for (int i = 0; i < options.dim; ++i)
      count_[i] = std::clamp<long>(static_cast<long>(size_[i] / edge), 1, 1000);
    cells_.resize(static_cast<std::size_t>(count_[0] * count_[1] * count_[2]));
  }

  bool is_free(const Vector3& centre, double radius) const {
    return for_each_cell(centre, radius, [&](std::size_t cell) {
      return std::none_of(cells_[cell].begin(), cells_[cell].end(), [&](int other) {
        const double least = radius + radii_[other] + options_.gap;
        return distance(centre, centres_[other]).squaredNorm() < least * least;
      });
    });
  }

  void insert(const Vector3& centre, double radius) {
    const int index = static_cast<int>(centres_.size());
    centres_.push_back(centre);
    radii_.push_back(radius);
    for_each_cell(centre, radius, [&](std::size_t cell) {
      cells_[cell].push_back(index);
      return true;
    });
  }

 private:
  // To the nearest image.
  Vector3 distance(const Vector3& a, const Vector3& b) const {
    Vector3 d = a - b;
    for (int i = 0; i < options_.dim; ++i)
      if (options_.periodic[i]) d[i] -= size_[i] * std::round(d[i] / size_[i]);
    return d;
  }

  // Until visit(cell) says false.
  template <class Visit>
  bool for_each_cell(const Vector3& centre, double radius, const Visit& visit) const {
    Cell low = {0, 0, 0}, high = {0, 0, 0};
    for (int i = 0; i < options_.dim; ++i) find_range(centre, radius, i, low[i], high[i]);
    for (long z = low[2]; z <= high[2]; ++z)
      for (long y = low[1]; y <= high[1]; ++y)
        for (long x = low[0]; x <= high[0]; ++x)
          if (!visit(index(x, y, z))) return false;
    return true;
  }

  void find_range(const Vector3& centre, double radius, int i, long& low, long& high) const {
    const double scale = static_cast<double>(count_[i]) / size_[i];
    const double place = centre[i] - options_.box.lower[i];
    const double reach = radius + 0.5 * options_.gap + 1e-9 * size_[i];
    low = static_cast<long>(std::floor((place - reach) * scale));
    high = static_cast<long>(std::floor((place + reach) * scale));
    if (options_.periodic[i]) {
      high = std::min(high, low + count_[i] - 1);
    } else {
      low = std::clamp(low, 0L, count_[i] - 1);
      high = std::clamp(high, 0L, count_[i] - 1);
    }
  }

  std::size_t index(long x, long y, long z) const {
    const auto wrap = [](long i, long n) { return (i % n + n) % n; };
    return static_cast<std::size_t>(
        (wrap(z, count_[2]) * count_[1] + wrap(y, count_[1])) * count_[0] + wrap(x, count_[0]));
  }

  const RandomPackingOptions& options_;
  Vector3 size_;
  Cell count_ = {1, 1, 1};
  std::vector<std::vector<int>> cells_;
  std::vector<Vector3> centres_;
  std::vector<double> radii_;
};

Vector3 draw_centre(const RandomPackingOptions& options, double radius, SplitMix& random) {
  Vector3 centre = Vector3::Zero();
  for (int i = 0; i < options.dim; ++i) {
    const double margin = options.periodic[i] ? 0 : radius + options.gap;
    centre[i] = random.uniform(options.box.lower[i] + margin, options.box.upper[i] - margin);
  }
  return centre;
}

double sum_volumes(std::span<const double> radii, int dim) {
  return std::accumulate(radii.begin(), radii.end(), 0.0,
                         [&](double sum, double r) { return sum + solid_volume(r, dim); });
}

[[noreturn]] void refuse(const RandomPackingOptions& options, std::span<const double> radii,
                         std::size_t placed) {
  const double volume = samples::box_volume(options.box, options.dim);
  throw InputError(
      fmt::format("the random packing found no place for body {} of {} (diameter {}) in {} "
                  "attempts, at a solid "
                  "fraction of {:.3f} of {:.3f} asked for; ask for less, or take the deposit",
                  placed + 1, radii.size(), 2 * radii[placed], options.attempts,
                  sum_volumes(radii.first(placed), options.dim) / volume,
                  sum_volumes(radii, options.dim) / volume));
}

// Cells of about one ball, and not so many that most are empty.
double cell_edge(const RandomPackingOptions& options, std::span<const double> radii) {
  const double each = samples::box_volume(options.box, options.dim) / radii.size();
  return std::max(2 * radii.back(), std::pow(each, 1.0 / options.dim));
}

}  // namespace

void RandomPackingOptions::validate() const {
  samples::require_dim(dim, kName);
  samples::require_box(box, dim, kName);
  sizes.validate();
  samples::require_at_least(count, 0, "count", kName);
  samples::require_not_negative(gap, "gap", kName);
  samples::require_at_least(attempts, 1, "attempts", kName);
  if (count == 0 && !(solid_fraction > 0 && solid_fraction < 1))
    throw InputError(
        fmt::format("solid_fraction of the random packing is {}; it must lie between "
                    "0 and 1 where count is 0",
                    solid_fraction));
  for (int i = 0; i < dim; ++i) {
    const double room = box.upper[i] - box.lower[i];
    const double need = (periodic[i] ? 2 : 1) * (sizes.greatest_diameter() + 2 * gap);
    if (need > room)
      throw InputError(
          fmt::format("box of the random packing is {} wide along {}; diameters up to "
                      "{} need {}",
                      room, "xyz"[i], sizes.greatest_diameter(), need));
  }
}

Sample make_random_packing(const RandomPackingOptions& options) {
  options.validate();
  SplitMix random(options.seed);
  const double volume = samples::box_volume(options.box, options.dim);
  std::vector<double> radii = draw_radii(
      options.sizes, {options.count, options.solid_fraction * volume}, options.dim, random);
  std::sort(radii.begin(), radii.end(), std::greater<>());
  BallGrid grid(options, cell_edge(options, radii));
  Sample sample;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    Vector3 centre;
    long attempt = 0;
    do {
      if (attempt++ == options.attempts) refuse(options, radii, i);
      centre = draw_centre(options, radii[i], random);
    } while (!grid.is_free(centre, radii[i]));
    grid.insert(centre, radii[i]);
    sample.push_back({make_ball(radii[i], options.dim, sample), {centre}, std::to_string(i + 1)});
  }
  return sample;
}

}  // namespace clack
