// The finite elements of a rod: matrices, frequencies, a tip without mass.
#include "clack/model/rod.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "clack/core/error.hpp"
#include "tests/physics/support.hpp"

namespace clack {
namespace {

RodData unit_rod(int elements, RodMass mass, bool clamped) {
  return {.elements = elements, .mass = mass, .clamped = clamped};
}

TEST(Rod, HasTheMatricesOfTwoElementsByHand) {
  // h = 1/2: EA/h = 6, rho A h = 5.
  const RodData data{.length = 0.5, .area = 0.1, .young = 15, .density = 200, .elements = 2};
  const RodMatrices rod = make_rod(data);
  Matrix K(3, 3), M(3, 3);
  K << 6, -6, 0, -6, 12, -6, 0, -6, 6;
  M << 10, 5, 0, 5, 20, 5, 0, 5, 10;
  M /= 6;
  EXPECT_LT((rod.K - K).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((rod.M - M).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(rod.names, (std::vector<std::string>{"u0", "u1", "u2"}));
}

TEST(Rod, LosesItsFirstNodeWhereItIsClamped) {
  const RodMatrices free = make_rod(unit_rod(5, RodMass::lumped, false));
  const RodMatrices clamped = make_rod(unit_rod(5, RodMass::lumped, true));
  EXPECT_EQ(clamped.K, free.K.bottomRightCorner(5, 5));
  EXPECT_EQ(clamped.M, free.M.bottomRightCorner(5, 5));
  EXPECT_EQ(clamped.names.front(), "u1");
  EXPECT_EQ(clamped.names.back(), "u5");
}

TEST(Rod, KeepsItsMassWhateverTheMatrix) {
  for (const RodMass mass : {RodMass::consistent, RodMass::lumped, RodMass::massless_tip}) {
    const RodData data{
        .length = 2, .area = 3, .young = 1, .density = 5, .elements = 7, .mass = mass};
    EXPECT_NEAR(make_rod(data).M.sum(), 30, 1e-12);
  }
}

TEST(Rod, HasTheSameEntriesInSparseMatrices) {
  for (const RodMass mass : {RodMass::consistent, RodMass::lumped, RodMass::massless_tip}) {
    for (const bool clamped : {false, true}) {
      const RodData data{.length = 0.7,
                         .area = 0.3,
                         .young = 11,
                         .density = 13,
                         .elements = 9,
                         .mass = mass,
                         .clamped = clamped};
      const RodMatrices dense = make_rod(data);
      const SparseRodMatrices sparse = make_sparse_rod(data);
      EXPECT_EQ(Matrix(sparse.M), dense.M);
      EXPECT_EQ(Matrix(sparse.K), dense.K);
      EXPECT_EQ(sparse.names, dense.names);
      EXPECT_LE(sparse.K.nonZeros(), 3 * sparse.K.rows());
    }
  }
}

TEST(Rod, WithoutMassAtItsTipIsTheBilinearOscillatorOfTheTextbook) {
  // Two elements: m = 3/4 at the middle; 2 with a free tip, 4 with a fixed one.
  const RodMatrices rod = make_rod(unit_rod(2, RodMass::massless_tip, true));
  EXPECT_DOUBLE_EQ(rod.M(0, 0), 0.75);
  EXPECT_EQ(rod.M(1, 1), 0);
  EXPECT_DOUBLE_EQ(rod.K(0, 0), 4);
  EXPECT_DOUBLE_EQ(rod.K(0, 0) - rod.K(0, 1) * rod.K(1, 0) / rod.K(1, 1), 2);
}

Vector frequencies(const RodMatrices& rod) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<Matrix>(rod.K, rod.M)
      .eigenvalues()
      .cwiseMax(0)
      .cwiseSqrt();
}

TEST(Rod, HasTheFrequenciesOfTheContinuousOneWithTheKnownErrorOfTheElements) {
  const int n = 40;
  const double L = 1.3, E = 7, rho = 2, c = std::sqrt(E / rho), h = L / n;
  RodData data{
      .length = L, .area = 0.4, .young = E, .density = rho, .elements = n, .clamped = true};
  const Vector consistent = frequencies(make_rod(data));
  data.mass = RodMass::lumped;
  const Vector lumped = frequencies(make_rod(data));
  for (int k = 1; k <= 8; ++k) {
    const double exact = (2 * k - 1) * M_PI * c / (2 * L), s = std::sin(exact * h / (2 * c));
    EXPECT_NEAR(lumped[k - 1], 2 * c / h * s, 1e-10 * exact) << k;
    EXPECT_NEAR(consistent[k - 1], 2 * c / h * s / std::sqrt(1 - 2 * s * s / 3), 1e-10 * exact)
        << k;
    const double leading = std::pow(exact * h / c, 2) / 24;  // relative
    EXPECT_NEAR(consistent[k - 1] / exact - 1, leading, 0.1 * leading) << k;
    EXPECT_NEAR(1 - lumped[k - 1] / exact, leading, 0.1 * leading) << k;
  }
}

TEST(Rod, ThatIsFreeMovesWithoutStrain) {
  const RodMatrices rod = make_rod(unit_rod(9, RodMass::consistent, false));
  EXPECT_LT((rod.K * Vector::Ones(10)).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_NEAR(frequencies(rod)[1], M_PI, 0.02);
}

TEST(Rod, RefusesDataThatMeanNothing) {
  EXPECT_THROW(make_rod(unit_rod(0, RodMass::lumped, false)), InputError);
  EXPECT_THROW(make_rod(unit_rod(RodData::kMostDense + 1, RodMass::lumped, false)), InputError);
  EXPECT_THROW(make_sparse_rod(unit_rod(RodData::kMostElements + 1, RodMass::lumped, false)),
               InputError);
  EXPECT_NO_THROW(make_sparse_rod(unit_rod(RodData::kMostDense + 1, RodMass::lumped, false)));
  EXPECT_THROW(make_rod(unit_rod(1, RodMass::massless_tip, true)), InputError);
  EXPECT_NO_THROW(make_rod(unit_rod(1, RodMass::massless_tip, false)));
  EXPECT_THROW(make_rod({.length = -1}), InputError);
  EXPECT_THROW(make_rod({.young = NAN}), InputError);
}

// One closed form of the nonsmooth modes: two elements, contact on a massless tip, period 3.5.
TEST(MasslessTip, ReturnsAfterThePeriodOfItsNonsmoothMode) {
  const double energy = 8.0437171101, v0 = std::sqrt(2 * energy / 0.75);
  std::vector<double> errors;
  for (const double h : {3.5 / 4000, 3.5 / 16000}) {
    const Scene scene = test::example(
        "rod_wall", {"system.rod.elements=2", "system.rod.mass=massless-tip", "parameters.gap=1",
                     "system.contacts=[{name: wall, G: {u2: -1}, g0: gap}]", "exact={v: {u1': 0}}",
                     "measures=[]", "simulation.theta=0.501", "simulation.end=3.5",
                     test::step_of(h), "initial={v: " + std::to_string(v0) + "}"});
    double longest = 0, first = 0;
    const test::Outcome outcome = test::run(scene, [&](const Simulation& s) {
      const bool touching = s.last_step().end.gap[0] < 1e-3;
      if (touching && first == 0) first = s.time();
      if (touching) longest = s.time() - first;
    });
    ASSERT_EQ(outcome.failed_steps, 0);
    EXPECT_GT(outcome.min_gap, -20 * h);
    EXPECT_NEAR(longest, 1.1348521363, 0.02) << "length of the contact";
    errors.push_back(std::abs(outcome.q[0]) + std::abs(outcome.v[0] - v0));
  }
  EXPECT_LT(errors[0], 5e-3) << "of v0 = " << v0;
  EXPECT_LT(errors[1], 2e-3);
}

TEST(MasslessTip, IsRefusedWhereTheSchemeCannotCarryIt) {
  const auto message = [](const std::vector<std::string>& set) -> std::string {
    std::vector<std::string> all = {"system.rod.mass=massless-tip"};
    all.insert(all.end(), set.begin(), set.end());
    try {
      test::example("rod_wall", all);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message({"simulation.theta=0.6"}), "");
  for (const char* set :
       {"simulation.theta=0.5", "simulation.theta=0", "simulation.scheme=moreau-midpoint"}) {
    EXPECT_NE(message({set}).find("system.rod: the mass matrix is singular"), std::string::npos)
        << set;
    EXPECT_NE(message({set}).find("theta > 1/2"), std::string::npos) << set;
  }
}

}  // namespace
}  // namespace clack
