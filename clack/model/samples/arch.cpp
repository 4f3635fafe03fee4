#include "clack/model/samples/arch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/model/samples/blocks.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "arch";

// Angles are from the crown, positive towards +x.
class Ring {
 public:
  explicit Ring(const ArchOptions& options)
      : options_(options),
        inner_(options.inner_radius()),
        outer_(inner_ + options.thickness),
        centre_(options.rise - options.circle_radius()) {}

  // Between two joints, each face half a gap from its radius.
  SampleBody voussoir(double from, double to, double front, double back, std::string suffix) const {
    const double g = 0.5 * options_.gap;
    return samples::make_prism({corner(inner_, from, g), corner(inner_, to, -g),
                                corner(outer_, to, -g), corner(outer_, from, g)},
                               front, back, options_.dim, std::move(suffix));
  }

  // A rectangle on the joint at `angle`, away from the arch: side -1 or +1.
  SampleBody abutment(int side, double front, double back, std::string suffix) const {
    const double angle = side * options_.half_angle(), g = 0.5 * options_.gap * side;
    const Vector2 a = corner(inner_, angle, g), b = corner(outer_, angle, g);
    const double length =
        options_.abutment_length > 0 ? options_.abutment_length : options_.thickness;
    const Vector2 away = side * length * Vector2(std::cos(angle), -std::sin(angle));
    SampleBody body = samples::make_prism({a, b, b + away, a + away}, front, back, options_.dim,
                                          std::move(suffix));
    body.fixed = true;
    return body;
  }

 private:
  // The point of a circle `shift` beyond the radius at `angle`, measured across it.
  Vector2 corner(double radius, double angle, double shift) const {
    const double turned = angle + std::asin(shift / radius);
    return {radius * std::sin(turned), centre_ + radius * std::cos(turned)};
  }

  const ArchOptions& options_;
  double inner_, outer_, centre_;
};

double joint_angle(const ArchOptions& options, double k) {
  return options.half_angle() * (2 * k / options.voussoirs - 1);
}

void add_abutments(const Ring& ring, double front, double back, Sample& sample) {
  sample.push_back(ring.abutment(-1, front, back, "abutment1"));
  sample.push_back(ring.abutment(1, front, back, "abutment2"));
}

}  // namespace

double ArchOptions::circle_radius() const {
  return (0.25 * span * span + rise * rise) / (2 * rise);
}

double ArchOptions::half_angle() const { return std::atan2(0.5 * span, circle_radius() - rise); }

double ArchOptions::inner_radius() const {
  const double share = line == ArchLine::intrados ? 0 : line == ArchLine::mean ? 0.5 : 1;
  return circle_radius() - share * thickness;
}

void ArchOptions::validate() const {
  samples::require_dim(dim, kName);
  for (const auto& [value, field] :
       {std::pair(span, "span"), {rise, "rise"}, {thickness, "thickness"}, {depth, "depth"}})
    samples::require_positive(value, field, kName);
  if (rise > 0.5 * span)
    throw InputError(
        fmt::format("rise of the arch is {}; it must be <= span/2 = {}", rise, 0.5 * span));
  samples::require_at_least(voussoirs, 1, "voussoirs", kName);
  samples::require_not_negative(gap, "gap", kName);
  samples::require_not_negative(abutment_length, "abutment_length", kName);
  if (!(inner_radius() > 0))
    throw InputError(
        fmt::format("thickness of the arch is {}; the intrados would have the radius "
                    "{}, which must be > 0",
                    thickness, inner_radius()));
  if (half_angle() * 2 / voussoirs >= std::numbers::pi)
    throw InputError(
        fmt::format("voussoirs of the arch is {}; one must span less than a half "
                    "circle",
                    voussoirs));
  const double chord = 2 * inner_radius() * std::sin(half_angle() / voussoirs);
  if (gap >= 0.5 * chord)
    throw InputError(
        fmt::format("gap of the arch is {}; it must be less than half a voussoir's "
                    "chord, {}",
                    gap, 0.5 * chord));
}

Sample make_arch(const ArchOptions& options) {
  options.validate();
  const Ring ring(options);
  const double half = 0.5 * options.depth;
  Sample sample;
  for (int k = 0; k < options.voussoirs; ++k)
    sample.push_back(ring.voussoir(joint_angle(options, k), joint_angle(options, k + 1), -half,
                                   half, std::to_string(k + 1)));
  if (options.abutments) add_abutments(ring, -half, half, sample);
  return sample;
}

void VaultOptions::validate() const {
  arch.validate();
  samples::require_at_least(rows, 1, "rows", "vault");
  if (arch.dim != 3) throw InputError("dim of the vault is 2; a vault is in space");
}

Sample make_vault(const VaultOptions& options) {
  options.validate();
  const ArchOptions& arch = options.arch;
  const Ring ring(arch);
  const int n = arch.voussoirs;
  Sample sample;
  for (int row = 0; row < options.rows; ++row) {
    const double front = row * (arch.depth + arch.gap), back = front + arch.depth;
    const double shift = row % 2 == 1 ? 0.5 : 0;
    const int count = shift > 0 ? n + 1 : n;
    for (int k = 0; k < count; ++k) {
      const double from = std::max(0.0, k - shift), to = std::min<double>(n, k + 1 - shift);
      sample.push_back(ring.voussoir(joint_angle(arch, from), joint_angle(arch, to), front, back,
                                     fmt::format("row{}_{}", row + 1, k + 1)));
    }
  }
  const double back = options.rows * (arch.depth + arch.gap) - arch.gap;
  if (arch.abutments) add_abutments(ring, 0, back, sample);
  return sample;
}

}  // namespace clack
