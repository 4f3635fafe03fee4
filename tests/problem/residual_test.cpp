#include "clack/problem/residual.hpp"

#include "problem_support.hpp"

namespace clack::test {
namespace {

// The shortcut for one disc is the projection on the cone, also where components vanish.
TEST(NaturalMap, IsThatOfTheProjectionForEveryMixtureOfZerosAndSigns) {
  const double values[] = {-2, -0.0, 0, 0.5, 3};
  for (const int dim : {2, 3, 4}) {
    for (const double mu : {0.0, 0.3, 1e3}) {
      const Cone cone = Cone::discs({{dim - 1, mu}});
      for (int code = 0; code < 5 * 5 * 5 * 5; ++code) {
        const double r[] = {values[code % 5], values[code / 5 % 5], 0, values[code % 3]};
        const double u[] = {values[code / 25 % 5], values[code / 125 % 5], -0.0, values[code % 4]};
        const double any = detail::natural_map_square_of_any(cone, r, u, 0.7);
        EXPECT_NEAR(natural_map_square(cone, r, u, 0.7), any, 1e-12 * (1 + any))
            << dim << " " << mu << " " << code;
      }
    }
  }
}

TEST(NaturalMap, VanishesForAnOpenContactWithoutFrictionAndSlip) {
  const double r[] = {0, 0, 0}, u[] = {17, 0, 0};
  EXPECT_EQ(natural_map_square(Cone::coulomb(3, 0), r, u, 1), 0);
  EXPECT_EQ(natural_map_square(Cone::coulomb(2, 0), r, u, 1), 0);
}

}  // namespace
}  // namespace clack::test
