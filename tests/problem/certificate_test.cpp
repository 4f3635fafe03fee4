#include "clack/problem/certificate.hpp"

#include "clack/problem/residual.hpp"
#include "problem_support.hpp"

namespace clack::test {
namespace {

Certificate certify(const Manufactured& made) {
  return compute_certificate(made.problem.view(), made.r.data(), made.u.data());
}

// One contact on a unit mass, W = I, with r and u as given.
Manufactured one_contact(const Cone& cone, const std::vector<double>& r,
                         const std::vector<double>& u) {
  Manufactured made;
  made.r = ConstVectorMap(r.data(), cone.dim());
  made.u = ConstVectorMap(u.data(), cone.dim());
  SparseMatrix W(cone.dim(), cone.dim());
  W.setIdentity();
  made.problem = make_reduced_problem({cone}, W, made.u - made.r);
  return made;
}

TEST(Certificate, AcceptsManufacturedSolutionsThatTheResidualAccepts) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Manufactured made = make_reduced(random, mixed_cones(20));
    EXPECT_LE(certify(made).worst(), 1e-13) << seed;
    Vector u(made.problem.dimension());
    EXPECT_LE(compute_residual(made.problem.view(), made.r.data(), u.data()).plain, 1e-13) << seed;
  }
}

TEST(Certificate, RejectsWhatTheResidualRejects) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    Manufactured made = make_reduced(random, mixed_cones(20));
    made.r += 1e-3 * random_vector(random, made.r.size());
    Vector u(made.r.size());
    EXPECT_GE(compute_residual(made.problem.view(), made.r.data(), u.data()).plain, 1e-5);
    made.u = u;
    const Certificate certificate = certify(made);
    EXPECT_LE(certificate.dynamics, 1e-14);
    EXPECT_GE(certificate.worst(), 1e-5);
  }
}

TEST(Certificate, NamesTheConditionThatFails) {
  const Cone cone = Cone::coulomb(3, 0.5);
  EXPECT_EQ(certify(one_contact(cone, {2, 1, 0}, {0, -3, 0})).worst(), 0);
  EXPECT_GT(certify(one_contact(cone, {-1, 0, 0}, {0, 0, 0})).impulse, 0.9);
  EXPECT_GT(certify(one_contact(cone, {1, 1, 0}, {0, -1, 0})).impulse, 0.4);
  EXPECT_GT(certify(one_contact(cone, {0, 0, 0}, {-1, 0, 0})).velocity, 0.9);
  EXPECT_GT(certify(one_contact(cone, {1, 0, 0}, {1, 0, 0})).orthogonal, 0.9);
  EXPECT_GT(certify(one_contact(cone, {2, 1, 0}, {0, 0, 1})).sliding, 0.2);      // sideways
  EXPECT_GT(certify(one_contact(cone, {2, 0.9, 0}, {0, -1, 0})).sliding, 0.02);  // too weak
  EXPECT_GT(certify(one_contact(cone, {2, 0.9, 0}, {0, -1, 0})).bipotential, 0.02);
  EXPECT_GT(certify(one_contact(Cone::free(2), {1, 1}, {0, 1e-3})).velocity, 9e-4);
  EXPECT_GT(certify(one_contact(Cone::rolling(1, 0.1), {1, 0, 0, 0.2, 0}, {0, 0, 0, 0, 0})).impulse,
            0.4);
  Manufactured inconsistent = one_contact(cone, {2, 1, 0}, {0, -3, 0});
  inconsistent.u[1] = -4;
  EXPECT_GT(certify(inconsistent).dynamics, 0.1);
}

TEST(Certificate, NanIsNeverAccepted) {
  Manufactured made = one_contact(Cone::coulomb(3, 0.5), {2, 1, 0}, {0, -3, 0});
  made.r[2] = NAN;
  EXPECT_FALSE(certify(made).worst() < 1e300);
}

TEST(Certificate, DoesNotDependOnUnits) {
  Random random(7);
  const std::vector<Cone> cones(5, Cone::coulomb(3, 0.4));
  Manufactured made = make_reduced(random, cones);
  made.r += 1e-4 * random_vector(random, made.r.size());
  const Certificate before = certify(made);
  constexpr double kImpulse = 1e6;  // millinewtons for kilonewtons
  constexpr double kVelocity = 1e3;
  Manufactured scaled = made;
  scaled.r *= kImpulse;
  scaled.u *= kVelocity;
  const SparseMatrix W = made.problem.W.to_sparse() * (kVelocity / kImpulse);
  scaled.problem = make_reduced_problem(cones, W, made.problem.u_free * kVelocity);
  const Certificate after = certify(scaled);
  EXPECT_NEAR(after.impulse, before.impulse, 1e-12);
  EXPECT_NEAR(after.velocity, before.velocity, 1e-12);
  EXPECT_NEAR(after.orthogonal, before.orthogonal, 1e-12);
  EXPECT_NEAR(after.sliding, before.sliding, 1e-12);
  EXPECT_NEAR(after.bipotential, before.bipotential, 1e-12);
  EXPECT_NEAR(after.dynamics, before.dynamics, 1e-12);
}

}  // namespace
}  // namespace clack::test
