// Each sign of the notation, fixed by one test.
#include <gtest/gtest.h>

#include "clack/integrate/simulation.hpp"

namespace clack {
namespace {

// A point mass above a floor in space: q = (x, y, z), gap = z, tangents x and y.
class PointOnFloor final : public System {
 public:
  explicit PointOnFloor(double mu, double e_n = 0, double e_t = 0, double belt = 0) : belt_(belt) {
    Contact contact;
    contact.name = "floor";
    contact.tangents = 2;
    contact.law.mu = mu;
    contact.law.e_n = e_n;
    contact.law.e_t = e_t;
    contacts_.push_back(contact);
  }
  int nv() const override { return 3; }
  void mass(double, ConstVectorRef, MatrixRef M) const override {
    M = 2.0 * Matrix::Identity(3, 3);
  }
  void forces(double, ConstVectorRef, ConstVectorRef, Forces& out) const override {
    out.potential << 0, 0, -20;
    out.inertial.setZero();
    out.damping.setZero();
    out.external.setZero();
  }
  Energies energies(double, ConstVectorRef q, ConstVectorRef v) const override {
    return {v.squaredNorm(), 20 * q[2], 0};
  }
  void gaps(double, ConstVectorRef q, VectorRef gap) const override { gap[0] = q[2]; }
  void contact_map(double, ConstVectorRef, MatrixRef H, VectorRef w) const override {
    H.setZero();
    H(2, 0) = H(0, 1) = H(1, 2) = 1;
    w << 0, -belt_, 0;
  }

 private:
  double belt_;
};

Simulation one_step(const PointOnFloor& system, Eigen::Vector3d v, double h = 0.01) {
  SimulationOptions options;
  options.h = h;
  return Simulation(std::make_shared<PointOnFloor>(system), {0, Vector::Zero(3), Vector(v)},
                    options);
}

TEST(Signs, ANormalImpulseIsPositiveAndPushesTheBodiesApart) {
  Simulation simulation = one_step(PointOnFloor(0.0), {0, 0, -1});
  EXPECT_EQ(simulation.step(), Status::converged);
  EXPECT_NEAR(simulation.last_step().r[0], 2 * 1 + 20 * 0.01, 1e-14);
  EXPECT_NEAR(simulation.v()[2], 0, 1e-15);
}

TEST(Signs, SeparationIsAPositiveNormalVelocity) {
  Simulation simulation = one_step(PointOnFloor(0.0, 0.5), {0, 0, -1});
  EXPECT_EQ(simulation.step(), Status::converged);
  EXPECT_NEAR(simulation.last_step().u_end[0], 0.5, 1e-14);
  EXPECT_NEAR(simulation.v()[2], 0.5, 1e-14);
}

TEST(Signs, FrictionOpposesSlidingInEveryDirection) {
  for (double angle : {0.0, 0.7, 1.9, 3.0, 4.4, 5.8}) {
    const Eigen::Vector3d v(3 * std::cos(angle), 3 * std::sin(angle), 0);
    Simulation simulation = one_step(PointOnFloor(0.3), v);
    EXPECT_EQ(simulation.step(), Status::converged);
    const Vector& r = simulation.last_step().r;
    EXPECT_NEAR(r[1], -0.3 * r[0] * std::cos(angle), 1e-14);
    EXPECT_NEAR(r[2], -0.3 * r[0] * std::sin(angle), 1e-14);
    EXPECT_EQ(contact_status(simulation.last_step(), 0), ContactStatus::sliding);
  }
}

TEST(Signs, ABeltDragsThePointAlong) {
  Simulation simulation = one_step(PointOnFloor(0.3, 0, 0, 2.0), {0, 0, 0});
  EXPECT_EQ(simulation.step(), Status::converged);
  EXPECT_NEAR(simulation.v()[0], 0.3 * 10 * 0.01, 1e-14);  // mu g h
  EXPECT_NEAR(simulation.last_step().u_end[1], simulation.v()[0] - 2.0, 1e-14);
  EXPECT_LT(simulation.last_step().energy.work_friction, 0);
  EXPECT_GT(simulation.last_step().energy.work_contact, 0);
}

TEST(Signs, TangentialRestitutionReversesTheSlip) {
  Simulation simulation = one_step(PointOnFloor(100.0, 0, 0.5), {0.4, 0, -5});
  EXPECT_EQ(simulation.step(), Status::converged);
  EXPECT_NEAR(simulation.v()[0], -0.2, 1e-13);
}

TEST(Signs, StickingAndOpenContactsAreRecognised) {
  Simulation sticking = one_step(PointOnFloor(0.3), {0.001, 0, 0});
  EXPECT_EQ(sticking.step(), Status::converged);
  EXPECT_EQ(contact_status(sticking.last_step(), 0), ContactStatus::sticking);
  Simulation leaving = one_step(PointOnFloor(0.3), {0, 0, 3});
  EXPECT_EQ(leaving.step(), Status::converged);
  EXPECT_TRUE(leaving.last_step().detection.active.empty());
}

}  // namespace
}  // namespace clack
