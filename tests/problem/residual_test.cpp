#include "clack/problem/residual.hpp"

#include <numeric>

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

// Contacts side by side that nothing couples, without friction: W is diagonal.
struct Uncoupled {
  std::vector<double> W, u_free, r;
  Residual measure() const {
    const int n = static_cast<int>(r.size());
    const Matrix dense = Eigen::Map<const Vector>(W.data(), n).asDiagonal();
    const DenseDelassus operator_of_all(dense.data(), n);
    const std::vector<Cone> cones(r.size(), Cone::nonnegative());
    std::vector<int> offset(r.size() + 1);
    std::iota(offset.begin(), offset.end(), 0);
    std::vector<double> u(r.size());
    return compute_residual({&operator_of_all, u_free.data(), cones, offset}, r.data(), u.data());
  }
};

TEST(VelocityError, IsThatOfTheWorstContactAgainstItsOwnIsland) {
  // The first is solved but for 1e-3 of its free velocity, the second exactly.
  const Residual alone = Uncoupled{{2}, {-1}, {0.4995}}.measure();
  EXPECT_NEAR(alone.velocity, 1e-3, 1e-14);
  const Residual beside = Uncoupled{{2, 1}, {-1, -1e6}, {0.4995, 1e6}}.measure();
  EXPECT_NEAR(beside.velocity, 1e-3, 1e-14);
  EXPECT_LT(beside.scaled, 1e-8);
}

TEST(VelocityError, IsMeasuredAgainstTheLargestFreeVelocityOfTheIsland) {
  const Matrix W = (Matrix(2, 2) << 2, 1, 1, 2).finished();
  const DenseDelassus coupled(W.data(), 2);
  const std::vector<Cone> cones(2, Cone::nonnegative());
  const std::vector<int> offset{0, 1, 2};
  const double u_free[] = {-0.001, -1}, r[] = {0, 0.5};
  double u[2];
  const Residual residual = compute_residual({&coupled, u_free, cones, offset}, r, u);
  EXPECT_EQ(residual.velocity, 0);  // the first is pushed open by the second
  const double short_of[] = {0, 0.49};
  EXPECT_NEAR(compute_residual({&coupled, u_free, cones, offset}, short_of, u).velocity, 0.02,
              1e-14);
}

TEST(VelocityError, CannotBeHiddenByImpulsesThatRunAway) {
  // Two opposite contacts of a body in a press: the free velocities cannot both be answered.
  const Matrix W = (Matrix(2, 2) << 1, -1, -1, 1).finished();
  const DenseDelassus press(W.data(), 2);
  const std::vector<Cone> cones(2, Cone::nonnegative());
  const std::vector<int> offset{0, 1, 2};
  const double u_free[] = {-1, 0.9};
  double u[2];
  for (const double load : {1e3, 1e9, 1e15}) {
    const double r[] = {load + 0.95, load};
    const Residual residual = compute_residual({&press, u_free, cones, offset}, r, u);
    EXPECT_GT(residual.velocity, 0.04) << load;
  }
}

TEST(VelocityError, OfAContactThatNothingMovesIsItsPenetration) {
  const Residual jammed = Uncoupled{{0}, {-1}, {0}}.measure();
  EXPECT_EQ(jammed.velocity, 1);
  EXPECT_EQ((Uncoupled{{0}, {-1}, {1e6}}.measure().velocity), 1);
  EXPECT_EQ((Uncoupled{{0}, {1}, {0}}.measure().velocity), 0);
}

TEST(VelocityError, AndTheScaledResidualAreFreeOfUnits) {
  const Uncoupled si{{2, 0.3}, {-1, -0.2}, {0.49, 0.6}};
  // Grams and millimetres: impulses times 1e6, velocities times 1e3.
  Uncoupled small = si;
  for (double& w : small.W) w *= 1e-3;
  for (double& u : small.u_free) u *= 1e3;
  for (double& r : small.r) r *= 1e6;
  EXPECT_NEAR(small.measure().velocity, si.measure().velocity, 1e-15);
  EXPECT_NEAR(small.measure().scaled, si.measure().scaled, 1e-15);
  EXPECT_GT(std::abs(small.measure().plain - si.measure().plain), 1e-3);
}

TEST(VelocityError, IsNotANumberWhereTheImpulsesAreNone) {
  EXPECT_TRUE(std::isnan(Uncoupled{{1, 1}, {-1, -1}, {NAN, 1}}.measure().worst()));
  EXPECT_TRUE(std::isnan(Uncoupled{{1, 1}, {-1, -1}, {1, NAN}}.measure().unit_free()));
}

}  // namespace
}  // namespace clack::test
