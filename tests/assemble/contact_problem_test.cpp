// The reduced problem of a small system against W = H' M_hat^-1 H and u_free written out.
#include "clack/assemble/contact_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tests/assemble/assemble_support.hpp"

namespace clack::test {
namespace {

// mu = 0.8 - slip, negative for fast sliding.
FrictionCoefficient falling_friction() {
  formula::Graph graph;
  const formula::Expr inputs[] = {graph.variable("slip")};
  const formula::Expr outputs[] = {graph.subtract(graph.constant(0.8), inputs[0])};
  return {"0.8 - slip", std::make_shared<formula::Tape>(graph, inputs, outputs)};
}

// Rows: 0 frictionless | 1, 2 plane | 3 constraint | 4, 5, 6 space | 7, 8 plane, mu of the slip.
KnownSystem make_system(const Matrix& M) {
  std::mt19937 random(4);
  const int rows = 1 + 2 + 1 + 3 + 2;
  const Matrix H = random_matrix(random, static_cast<int>(M.rows()), rows);
  return {M,
          H,
          random_matrix(random, rows, 1),
          {contact(0, 0.9), contact(1, 0.5, 0.25, 0.3), constraint(), contact(2, 0.2, -0.4, 0.6),
           contact(1, 0, 0, falling_friction())}};
}

struct Structure {
  const char* name;
  Matrix M;
  bool sparse;
};

std::vector<Structure> structures() {
  std::mt19937 random(6);
  const Matrix blocks = block_mass(random, {3, 4, 6});
  return {{"dense", blocks, false}, {"blocks", blocks, true}, {"sparse", chain_matrix(16), true}};
}

// Everything that a step puts before build().
struct Rig {
  KnownSystem system;
  ContactSet contacts;
  Detection detection;
  IterationMatrix matrix;
  ContactProblem problem;
  Vector v_free, w_next;

  explicit Rig(const Structure& x)
      : system(make_system(x.M)),
        contacts(system, x.sparse),
        detection(detect(contacts, Vector::LinSpaced(system.nv(), -1, 1))),
        matrix(system.nv(), contacts.rows(), x.sparse),
        problem(contacts),
        v_free(Vector::LinSpaced(system.nv(), 0.5, -2)),
        w_next(Vector::LinSpaced(contacts.rows(), 0, 1)) {
    EXPECT_TRUE(matrix.factorise(as_matrix(x.M, x.sparse)));
  }
  void build(std::vector<int> active, const ContactRows& kind = {}, std::vector<char> use = {}) {
    detection.active = std::move(active);
    problem.build(contacts, detection, matrix, v_free, w_next, kind, use);
  }
  Matrix columns(const std::vector<int>& rows) const {
    Matrix H(system.nv(), static_cast<int>(rows.size()));
    for (std::size_t j = 0; j < rows.size(); ++j)
      H.col(static_cast<int>(j)) = system.H().col(rows[j]);
    return H;
  }
  Matrix W() const {
    const ReducedProblem view = problem.view();
    Matrix W(view.size(), view.size());
    for (int j = 0; j < view.size(); ++j) {
      const Vector unit = Vector::Unit(view.size(), j);
      view.W->multiply(unit.data(), W.col(j).data());
    }
    return W;
  }
  // Of these rows, with E u- added where `restitution` has a factor.
  void expect(const std::vector<int>& rows, const std::vector<double>& restitution,
              const char* name) const {
    ASSERT_EQ(problem.rows(), rows) << name;
    ASSERT_TRUE(problem.view().is_consistent()) << name;
    const Matrix H = columns(rows), exact = H.transpose() * system.M().fullPivLu().solve(H);
    EXPECT_LT((W() - exact).norm(), 1e-12 * exact.norm()) << name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double u_start =
          system.H().col(rows[i]).dot(Vector::LinSpaced(system.nv(), -1, 1)) + system.w()[rows[i]];
      const double u_free = system.H().col(rows[i]).dot(v_free) + w_next[rows[i]];
      EXPECT_NEAR(problem.view().u_free[i], u_free + restitution[i] * u_start, 1e-12)
          << name << " row " << i;
    }
  }
  std::vector<Cone> cones() const {
    return {problem.view().cones.begin(), problem.view().cones.end()};
  }
};

TEST(ContactProblem, IsThatOfDenseFormulasInEveryStructure) {
  for (const Structure& x : structures()) {
    Rig rig(x);
    rig.detection.u[8] = -0.3;
    rig.build({0, 1, 2, 3, 4});
    rig.expect({0, 1, 2, 3, 4, 5, 6, 7, 8}, {0.9, 0.5, 0.25, 0, 0.2, -0.4, -0.4, 0, 0}, x.name);
    EXPECT_EQ(rig.cones(),
              (std::vector<Cone>{Cone::nonnegative(), Cone::coulomb(2, 0.3), Cone::free(1),
                                 Cone::coulomb(3, 0.6), Cone::coulomb(2, 0.8 - 0.3)}));
  }
}

TEST(ContactProblem, HoldsTheActiveContactsAlone) {
  for (const Structure& x : structures()) {
    Rig rig(x);
    rig.build({0, 1, 2, 3, 4});
    rig.build({1, 3});
    rig.expect({1, 2, 4, 5, 6}, {0.5, 0.25, 0.2, -0.4, -0.4}, x.name);
    EXPECT_EQ(rig.problem.contacts(), 2);
    rig.build({});
    EXPECT_EQ(rig.problem.size(), 0);
    EXPECT_EQ(rig.problem.contacts(), 0);
  }
}

TEST(ContactProblem, LeavesOutRestitutionAndFrictionWhereAsked) {
  for (const Structure& x : structures()) {
    Rig rig(x);
    rig.build({1, 3}, {.restitution = false});
    rig.expect({1, 2, 4, 5, 6}, {0, 0, 0, 0, 0}, x.name);
    rig.build({1, 2, 3}, {.friction = false});
    rig.expect({1, 3, 4}, {0.5, 0, 0.2}, x.name);
    EXPECT_EQ(rig.cones(),
              (std::vector<Cone>{Cone::nonnegative(), Cone::free(1), Cone::nonnegative()}));
  }
}

TEST(ContactProblem, HoldsAContactOrTakesItsNormalAloneWhereAsked) {
  for (const Structure& x : structures()) {
    Rig rig(x);
    rig.build({0, 1, 3}, {}, {kHeld, kNormalOnly, kByLaw, kHeld, kByLaw});
    rig.expect({0, 1, 4}, {0.9, 0.5, 0.2}, x.name);
    EXPECT_EQ(rig.cones(), (std::vector<Cone>{Cone::free(1), Cone::nonnegative(), Cone::free(1)}));
  }
}

// A coefficient below zero, or none at all, is no friction.
TEST(ContactProblem, NeverHasANegativeCoefficient) {
  Rig rig(structures()[0]);
  rig.detection.u[8] = -3;  // 0.8 - 3
  rig.build({4});
  EXPECT_EQ(rig.cones(), (std::vector<Cone>{Cone::coulomb(2, 0)}));
  rig.detection.u[8] = std::nan("");
  rig.build({4});
  EXPECT_EQ(rig.cones(), (std::vector<Cone>{Cone::coulomb(2, 0)}));
}

TEST(ContactProblem, ImpulsesGiveTheVelocityOfDenseFormulas) {
  for (const Structure& x : structures()) {
    Rig rig(x);
    rig.build({1, 3});
    const Vector r = (Vector(5) << 1, -0.5, 2, 0, 0.25).finished();
    Vector v = rig.v_free;
    rig.problem.apply_impulses(rig.detection, rig.matrix, r.data(), v);
    const Vector exact =
        rig.v_free + rig.system.M().fullPivLu().solve(rig.columns({1, 2, 4, 5, 6}) * r);
    EXPECT_LT((v - exact).norm(), 1e-12 * exact.norm()) << x.name;
    // And the local velocities are those of the reduced form.
    const Vector u = rig.columns({1, 2, 4, 5, 6}).transpose() * (v - rig.v_free);
    EXPECT_LT((u - rig.W() * r).norm(), 1e-12 * u.norm()) << x.name;
  }
}

// Contacts of bodies that do not couple share no block of W.
TEST(ContactProblem, OfBodiesThatDoNotCoupleHasBlocksOfTheSameBodyOnly) {
  const Matrix M = 2 * Matrix::Identity(4, 4);
  Matrix H = Matrix::Zero(4, 3);
  H(0, 0) = H(1, 1) = H(2, 1) = H(3, 2) = 1;  // contact 0 on body 0, 1 on 1 and 2, 2 on 3
  const KnownSystem system(M, H, Vector::Zero(3), {contact(0), contact(0), contact(0)});
  ContactSet contacts(system, true);
  Detection detection = detect(contacts, Vector::Zero(4));
  detection.active = {0, 1, 2};
  IterationMatrix matrix(4, 3, true);
  ASSERT_TRUE(matrix.factorise(as_matrix(M, true)));
  ContactProblem problem(contacts);
  problem.build(contacts, detection, matrix, Vector::Zero(4), Vector::Zero(3));
  const auto& W = dynamic_cast<const BlockSparse&>(*problem.view().W);
  EXPECT_EQ(W.block_count(), 3);
  EXPECT_EQ(W.coefficient(1, 1), 1);
}

}  // namespace
}  // namespace clack::test
