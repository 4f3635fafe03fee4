#include "clack/model/samples/size_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

using samples::require_positive;

constexpr std::string_view kName = "size distribution";

// Of the standard normal law.
double normal_fraction(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Bisection: the result is the same wherever erfc is monotone.
double normal_quantile(double fraction, double low, double high) {
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (normal_fraction(middle) < fraction ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// d^(1 - dim): between two points of a curve by mass it is uniform by number.
double inverse_power(double diameter, int dim) {
  return dim == 3 ? 1 / (diameter * diameter) : 1 / diameter;
}

void check_curve(const SizeDistribution& sizes) {
  const std::size_t n = sizes.diameters.size();
  if (n < 2 || sizes.passing.size() != n)
    throw InputError(
        fmt::format("the curve of the {} has {} diameters and {} passing fractions; "
                    "both must be given at the same 2 points or more",
                    kName, n, sizes.passing.size()));
  for (std::size_t i = 0; i < n; ++i) {
    require_positive(sizes.diameters[i], "diameter", kName);
    if (i > 0 && !(sizes.diameters[i] > sizes.diameters[i - 1]))
      throw InputError(fmt::format("diameter {} of the {} is {} after {}; diameters must ascend",
                                   i + 1, kName, sizes.diameters[i], sizes.diameters[i - 1]));
    if (i > 0 && !(sizes.passing[i] >= sizes.passing[i - 1]))
      throw InputError(fmt::format("passing fraction {} of the {} is {} after {}; it cannot fall",
                                   i + 1, kName, sizes.passing[i], sizes.passing[i - 1]));
  }
  if (sizes.passing.front() != 0 || sizes.passing.back() != 1)
    throw InputError(
        fmt::format("the passing fraction of the {} goes from {} to {}; it must go "
                    "from 0 to 1",
                    kName, sizes.passing.front(), sizes.passing.back()));
}

void check_range(const SizeDistribution& sizes) {
  require_positive(sizes.smallest, "smallest", kName);
  require_positive(sizes.largest, "largest", kName);
  if (sizes.smallest > sizes.largest)
    throw InputError(fmt::format("smallest of the {} is {}; it must be <= largest, which is {}",
                                 kName, sizes.smallest, sizes.largest));
}

}  // namespace

double SizeDistribution::least_diameter() const {
  return kind == SizeKind::curve ? diameters.front() : smallest;
}

double SizeDistribution::greatest_diameter() const {
  return kind == SizeKind::curve ? diameters.back() : largest;
}

void SizeDistribution::validate() const {
  if (kind == SizeKind::curve) return check_curve(*this);
  check_range(*this);
  if (kind == SizeKind::uniform) return;
  require_positive(median, "median", kName);
  require_positive(sigma, "sigma", kName);
}

SizeSampler::SizeSampler(const SizeDistribution& sizes, int dim) : sizes_(sizes), dim_(dim) {
  sizes.validate();
  if (sizes.kind == SizeKind::log_normal) {
    // d^-dim times a log-normal density is one again, its median lower (eq:sieve)
    median_ = sizes.median * (sizes.by_mass ? std::exp(-dim * sizes.sigma * sizes.sigma) : 1);
    low_fraction_ = normal_fraction(std::log(sizes.smallest / median_) / sizes.sigma);
    high_fraction_ = normal_fraction(std::log(sizes.largest / median_) / sizes.sigma);
    if (sizes.smallest < sizes.largest && !(high_fraction_ - low_fraction_ > 1e-6))
      throw InputError(
          fmt::format("smallest and largest of the {} are {} and {}; between them must "
                      "lie more than a millionth of the sizes (median by number {})",
                      kName, sizes.smallest, sizes.largest, median_));
    return;
  }
  if (sizes.kind == SizeKind::uniform) {
    sizes_.diameters = {sizes.smallest, sizes.largest};
    sizes_.passing = {0, 1};
  }
  numbers_ = {0};
  for (std::size_t i = 1; i < sizes_.diameters.size(); ++i) {
    const double low = sizes_.diameters[i - 1], high = sizes_.diameters[i];
    double weight = sizes_.passing[i] - sizes_.passing[i - 1];
    if (sizes.by_mass && low < high)
      weight *= (inverse_power(low, dim) - inverse_power(high, dim)) / (high - low);
    numbers_.push_back(numbers_.back() + weight);
  }
  const double total = numbers_.back();
  for (double& number : numbers_) number /= total;
}

double SizeSampler::draw_diameter(SplitMix& random) const {
  const double fraction = random.uniform();
  return sizes_.kind == SizeKind::log_normal ? draw_log_normal(fraction) : draw_class(fraction);
}

double SizeSampler::draw_log_normal(double fraction) const {
  const double low = std::log(sizes_.smallest / median_) / sizes_.sigma;
  const double high = std::log(sizes_.largest / median_) / sizes_.sigma;
  const double target = low_fraction_ + fraction * (high_fraction_ - low_fraction_);
  const double diameter = median_ * std::exp(sizes_.sigma * normal_quantile(target, low, high));
  return std::clamp(diameter, sizes_.smallest, sizes_.largest);
}

double SizeSampler::draw_class(double fraction) const {
  const auto above = std::upper_bound(numbers_.begin() + 1, numbers_.end() - 1, fraction);
  const std::size_t i = static_cast<std::size_t>(above - numbers_.begin());
  const double low = sizes_.diameters[i - 1], high = sizes_.diameters[i];
  const double width = numbers_[i] - numbers_[i - 1];
  const double part = width > 0 ? (fraction - numbers_[i - 1]) / width : 0;
  if (!sizes_.by_mass || low == high) return low + part * (high - low);
  const double from = inverse_power(low, dim_), to = inverse_power(high, dim_);
  const double power = from + part * (to - from);
  return std::clamp(dim_ == 3 ? 1 / std::sqrt(power) : 1 / power, low, high);
}

std::vector<double> draw_radii(const SizeDistribution& sizes, const SizeAmount& amount, int dim,
                               SplitMix& random) {
  const SizeSampler sampler(sizes, dim);
  if (amount.count <= 0) require_positive(amount.volume, "solid volume", kName);
  std::vector<double> radii;
  double sum = 0;
  while (amount.count > 0 ? std::ssize(radii) < amount.count : sum < amount.volume) {
    const double radius = 0.5 * sampler.draw_diameter(random);
    const double next = sum + solid_volume(radius, dim);
    const bool too_much = next - amount.volume > amount.volume - sum;
    if (amount.count <= 0 && too_much && !radii.empty()) break;
    radii.push_back(radius);
    sum = next;
  }
  return radii;
}

double solid_volume(double radius, int dim) {
  return dim == 2 ? std::numbers::pi * radius * radius
                  : 4.0 / 3 * std::numbers::pi * radius * radius * radius;
}

ShapePtr make_ball(double radius, int dim) {
  return dim == 2 ? make_shape(Disc(radius)) : make_shape(Sphere(radius));
}

ShapePtr make_ball(double radius, int dim, const Sample& before) {
  if (!before.empty()) {
    const ShapePtr& last = before.back().shape;
    if (last->kind() == ShapeKind::sphere && last->as<Sphere>().radius == radius && dim == 3)
      return last;
    if (last->kind() == ShapeKind::disc && last->as<Disc>().radius == radius && dim == 2)
      return last;
  }
  return make_ball(radius, dim);
}

}  // namespace clack
