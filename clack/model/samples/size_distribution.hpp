// Sizes of spheres and discs.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "clack/core/split_mix.hpp"
#include "clack/model/samples/sample.hpp"

namespace clack {

enum class SizeKind {
  uniform,     // diameters uniform from `smallest` to `largest`
  log_normal,  // ln(d / median) normal with deviation sigma, cut to smallest <= d <= largest
  curve        // cumulative passing fraction over the diameter, straight between its points
};

// Fractions are by number or by mass (all of one density). With N' the density of numbers over the
// diameter d and P' that of mass,
//
//     P'(d) ~ d^dim N'(d)     (eq:sieve)
//
// where dim is 3 for spheres and 2 for discs.
struct SizeDistribution {
  SizeKind kind = SizeKind::uniform;
  bool by_mass = false;
  double smallest = 0.01, largest = 0.01;  // diameters [m]; a curve has its own ends
  double median = 0.01;                    // log_normal: before the cut [m]
  double sigma = 0.3;                      // log_normal: of ln d [-]
  std::vector<double> diameters;           // curve: ascending [m]
  std::vector<double> passing;             // curve: from 0 to 1 [-]

  double least_diameter() const;     // [m]
  double greatest_diameter() const;  // [m]
  void validate() const;
};

// Draws diameters by inversion of the distribution by number.
class SizeSampler {
 public:
  SizeSampler(const SizeDistribution& sizes, int dim);
  double draw_diameter(SplitMix& random) const;  // [m]

 private:
  double draw_log_normal(double fraction) const;
  double draw_class(double fraction) const;

  SizeDistribution sizes_;
  int dim_;
  std::vector<double> numbers_;  // curve: cumulative fraction by number at its points
  double median_ = 0;            // log_normal: by number [m]
  double low_fraction_ = 0,
         high_fraction_ = 1;  // log_normal: of the normal law at the ends of the cut
};

// How much to draw: `count` pieces or, where that is 0, until the solid volume comes nearest to
// `volume` [m^3], in the plane [m^2]. At least one piece.
struct SizeAmount {
  long count = 0;
  double volume = 0;
};
std::vector<double> draw_radii(const SizeDistribution& sizes, const SizeAmount& amount, int dim,
                               SplitMix& random);

double solid_volume(double radius, int dim);  // of a sphere [m^3] or a disc [m^2]
ShapePtr make_ball(double radius, int dim);   // a sphere or a disc
// The same, but the shape of the last body where that is an equal ball: equal ones share theirs.
ShapePtr make_ball(double radius, int dim, const Sample& before);

}  // namespace clack
