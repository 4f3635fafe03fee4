// Ten periods started on the exact nonsmooth mode of a rod: how much energy each scheme loses. The
// figures compared with (notes on modal analysis) do not say at which instant the run starts; they
// vary by a quarter with it. Here the tip is on its way to the wall, half a time unit before
// contact.
#include "tests/physics/rod_mode.hpp"

#include <gtest/gtest.h>

#include "clack/integrate/simulation.hpp"
#include "tests/physics/linear_support.hpp"

namespace clack {
namespace {

constexpr int kElements = 100;
constexpr double kStart = 3.0;

struct RodRun {
  double energy_change = 0;  // relative, of T + V, or of the leapfrog's own energy
  double peak_force = 0;
};

Matrix without_first(const Matrix& A) { return A.bottomRightCorner(A.rows() - 1, A.cols() - 1); }

RodRun run_rod(const std::string& scheme, bool lumped, double courant, double e_n) {
  const int n = kElements;
  const test::RodMatrices rod = test::make_rod(n, 1, 1, 1, lumped);
  const Matrix M = without_first(rod.M), K = without_first(rod.K);
  const auto system = test::make_linear(M, Matrix::Zero(n, n), K, Vector::Zero(n),
                                        {test::make_contact(-Vector::Unit(n, n - 1), e_n)}, {1.0});
  SimulationOptions options;
  options.scheme = scheme;
  options.h = courant / n;
  options.scheme_options.gamma = 0;
  State start;
  test::set_mode_state(n, kStart, start.q, start.v);
  Simulation simulation(system, start, options);
  // Central differences conserve the energy of x = (q+ - q)/h and of q+'Kq.
  const bool leapfrog = scheme == "central-differences";
  double energy = 0, first = 0.5 * (start.v.dot(M * start.v) + start.q.dot(K * start.q));
  RodRun result;
  Vector q = start.q;
  const long steps = std::lround(10 * test::kModePeriod / options.h);
  for (long k = 0; k < steps; ++k) {
    EXPECT_EQ(simulation.step(), Status::converged);
    result.peak_force = std::max(result.peak_force, simulation.last_step().r[0] / options.h);
    const EnergyAudit& now = simulation.last_step().energy;
    if (leapfrog) {
      const Vector x = (simulation.q() - q) / options.h;
      energy = 0.5 * (x.dot(M * x) + q.dot(K * simulation.q()));
      if (k == 0) first = energy;
    } else {
      energy = now.kinetic + now.potential;
    }
    q = simulation.q();
  }
  result.energy_change = energy / first - 1;
  return result;
}

void expect_within_a_fifth(double measured, double listed, const char* name) {
  std::printf("  %-28s energy %+.2f %% (listed %+.1f %%)\n", name, 100 * measured, listed);
  EXPECT_LT(std::abs(100 * measured - listed), 0.2 * std::abs(listed)) << name;
}

TEST(RodMode, starts_with_energy_two) {
  Vector u, v;
  test::set_mode_state(kElements, kStart, u, v);
  const test::RodMatrices rod = test::make_rod(kElements, 1, 1, 1, false);
  const double energy = 0.5 * (v.dot(without_first(rod.M) * v) + u.dot(without_first(rod.K) * u));
  EXPECT_NEAR(energy, 2, 0.02);
  test::set_mode_state(kElements, 0.25, u, v);
  EXPECT_NEAR(u[kElements - 1], 1, 1e-9);  // in contact
  test::set_mode_state(kElements, 2.0, u, v);
  EXPECT_NEAR(u[kElements - 1], -2, 1e-9);  // farthest: 1.5 time units at speed 2
}

TEST(RodMode, energy_losses_are_those_listed_and_in_their_order) {
  const double central_9 = run_rod("central-differences", true, 0.9, 0).energy_change;
  const double central_5 = run_rod("central-differences", true, 0.5, 0).energy_change;
  const RodRun theta = run_rod("theta-xi", false, 1, 0);
  const double plastic = run_rod("moreau-jean", false, 1, 0).energy_change;
  const double elastic = run_rod("moreau-jean", false, 1, 1).energy_change;
  expect_within_a_fifth(central_9, -8.9, "central differences, 0.9");
  expect_within_a_fifth(central_5, -8.0, "central differences, 0.5");
  expect_within_a_fifth(theta.energy_change, -6.7, "theta = xi = 1/2");
  EXPECT_NEAR(theta.peak_force, 4.7, 0.2 * 4.7);  // the exact force is 2
  expect_within_a_fifth(plastic, -6.5, "Moreau-Jean, e = 0");
  EXPECT_LT(std::abs(elastic), 1e-9);
  EXPECT_LT(central_9, central_5);
  EXPECT_LT(central_5, theta.energy_change);
  EXPECT_LT(theta.energy_change, plastic);
  EXPECT_LT(plastic, elastic);
}

// A massless tip is quasi-static: it follows the last inner node or leans on the wall. What is left
// is a conservative force law of the inner nodes, continuous but not smooth.
class MasslessTip final : public System {
 public:
  MasslessTip() : M_(Matrix::Zero(kInner, kInner)) {
    for (int i = 0; i < kInner; ++i) M_(i, i) = 1.0 / kElements;
    M_(kInner - 1, kInner - 1) *= 1.5;  // the tip's half goes to its neighbour
  }
  int nv() const override { return kInner; }
  void mass(double, ConstVectorRef, MatrixRef M) const override { M = M_; }
  void forces(double, ConstVectorRef q, ConstVectorRef, Forces& out) const override {
    const double k = kElements, tip = std::min(1.0, q[kInner - 1]);
    for (int i = 0; i < kInner; ++i) {
      const double left = i > 0 ? q[i - 1] : 0.0, right = i + 1 < kInner ? q[i + 1] : tip;
      out.potential[i] = k * (left - 2 * q[i] + right);
    }
    out.inertial.setZero();
    out.damping.setZero();
    out.external.setZero();
  }
  double energy(const Vector& q, const Vector& v) const {
    const double k = kElements, tip = std::min(1.0, q[kInner - 1]);
    double twice =
        v.dot(M_ * v) + k * q[0] * q[0] + k * (tip - q[kInner - 1]) * (tip - q[kInner - 1]);
    for (int i = 1; i < kInner; ++i) twice += k * (q[i] - q[i - 1]) * (q[i] - q[i - 1]);
    return 0.5 * twice;
  }

 private:
  static constexpr int kInner = kElements - 1;
  Matrix M_;
};

TEST(RodMode, a_massless_tip_with_central_differences_keeps_the_energy) {
  for (double courant : {0.5}) {
    const auto system = std::make_shared<MasslessTip>();
    SimulationOptions options;
    options.scheme = "central-differences";
    options.h = courant / kElements;
    State start;
    test::set_mode_state(kElements, kStart, start.q, start.v);
    start.q.conservativeResize(kElements - 1);
    start.v.conservativeResize(kElements - 1);
    Simulation simulation(system, start, options);
    const double first = system->energy(start.q, start.v);
    const long steps = std::lround(10 * test::kModePeriod / options.h);
    for (long k = 0; k < steps; ++k) ASSERT_EQ(simulation.step(), Status::converged);
    const double change = system->energy(simulation.q(), simulation.v()) / first - 1;
    std::printf("  massless tip, %.1f              energy %+.3f %% (bounded)\n", courant,
                100 * change);
    EXPECT_LT(std::abs(change), 4e-3);
  }
}

}  // namespace
}  // namespace clack
