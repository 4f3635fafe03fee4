// Laws as blocks on the rows of a problem: W_b = A W A' + C, u_b = A (u_free + W shift) + offset.
#include "clack/assemble/contact_laws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "clack/assemble/contact_problem.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"
#include "clack/model/laws/law_list.hpp"
#include "tests/assemble/assemble_support.hpp"
#include "tests/values.hpp"

namespace clack::test {
namespace {

constexpr double kStep = 0.01, kEndWeight = 0.75;

LawPtr normal(std::string_view name, const std::map<std::string, double>& numbers = {}) {
  return combine_laws(make_law(LawKind::normal, name, numbers), nullptr, nullptr);
}
LawPtr with_friction(std::string_view name, const std::map<std::string, double>& numbers) {
  return combine_laws(make_law(LawKind::normal, "newton", {}),
                      make_law(LawKind::friction, name, numbers), nullptr);
}

// A problem up to the statement of its laws: contacts at these gaps, H and M at random.
struct Rig {
  KnownSystem system;
  ContactSet contacts;
  Detection detection;
  IterationMatrix matrix;
  ContactProblem problem;
  Vector v_free;

  Rig(std::vector<Contact> list, const Vector& gap, bool sparse, bool changed_order = false)
      : system(make(std::move(list))),
        contacts(system, sparse),
        detection(detect(contacts, Vector::LinSpaced(system.nv(), -1, 0.3))),
        matrix(system.nv(), contacts.rows(), sparse),
        problem(contacts),
        v_free(Vector::LinSpaced(system.nv(), -2, 1)) {
    EXPECT_TRUE(matrix.factorise(as_matrix(system.M(), sparse)));
    detection.gap = gap;
    if (!problem.laws.empty()) problem.laws.set_reach(detection);
    select_active(contacts, 0, 0, detection);
    if (changed_order) std::reverse(detection.active.begin(), detection.active.end());
    problem.build(contacts, detection, matrix, v_free, system.w());
    if (problem.laws.empty()) return;
    problem.begin_laws(contacts, detection, detection.gap, Vector::Zero(contacts.rows()),
                       {0.5, kStep, kEndWeight});
    problem.set_law_rows();
    problem.laws.state(problem.law_rows, 0, 0);
  }
  static KnownSystem make(std::vector<Contact> list) {
    int rows = 0;
    for (const Contact& contact : list) rows += contact.dim();
    std::mt19937 random(12);
    const Matrix M = block_mass(random, {3, 4});
    const Matrix H = random_matrix(random, 7, rows);
    const Vector w = random_matrix(random, rows, 1);
    return {M, H, w, std::move(list)};
  }
  Vector r() const { return ConstVectorMap(problem.r.data(), problem.size()); }
  Vector u() const { return ConstVectorMap(problem.u.data(), problem.size()); }
  // Of all rows of the system.
  Matrix W() const { return system.H().transpose() * system.M().fullPivLu().solve(system.H()); }
  Vector u_free() const { return system.H().transpose() * v_free + system.w(); }
};

Matrix matrix_of(const ReducedProblem& view) {
  Matrix W(view.size(), view.size());
  for (int j = 0; j < view.size(); ++j) {
    const Vector unit = Vector::Unit(view.size(), j);
    view.W->multiply(unit.data(), W.col(j).data());
  }
  return W;
}

void expect_equal(const ReducedProblem& x, const ReducedProblem& y) {
  ASSERT_EQ(x.size(), y.size());
  EXPECT_LT((matrix_of(x) - matrix_of(y)).norm(), 1e-12 * matrix_of(y).norm());
  EXPECT_LT((x.free_velocity() - y.free_velocity()).norm(), 1e-12 * y.free_velocity().norm());
  EXPECT_TRUE(std::equal(x.cones.begin(), x.cones.end(), y.cones.begin(), y.cones.end()));
  EXPECT_TRUE(std::equal(x.offset.begin(), x.offset.end(), y.offset.begin(), y.offset.end()));
}

TEST(ContactLaws, ArePlainWhereNoContactHasOneOfItsOwn) {
  const Rig rig({contact(1, 0.5, 0, 0.3), constraint()}, Vector::Zero(2), false);
  EXPECT_TRUE(rig.problem.laws.empty());
  EXPECT_EQ(rig.problem.laws.reach(0), -Law::kNever);
  EXPECT_TRUE(rig.problem.laws.memory(0).empty());
}

// Beside one contact with a law of its own all others are stated as blocks too.
TEST(ContactLaws, BlocksOfNewtonAndCoulombAreThePlainProblem) {
  for (const bool sparse : {false, true}) {
    const std::vector<Contact> plain = {contact(2, 0.4, 0.3, 0.5), constraint(),
                                        contact(1, 0.2, 0, 0.7), contact(0, 0.9)};
    std::vector<Contact> stated = plain;
    stated[0].law = {};
    stated[0].law.own =
        combine_laws(make_law(LawKind::normal, "newton", {{"e_n", 0.4}, {"e_t", 0.3}}),
                     make_law(LawKind::friction, "coulomb", {{"mu", 0.5}}), nullptr);
    const Rig one(plain, Vector::Zero(4), sparse), other(stated, Vector::Zero(4), sparse);
    ASSERT_TRUE(one.problem.laws.empty());
    ASSERT_FALSE(other.problem.laws.empty());
    EXPECT_FALSE(other.problem.laws.iterate());
    EXPECT_EQ(other.problem.laws.stages(), 1);
    expect_equal(other.problem.view(), one.problem.view());
    const std::vector<BlockOwner> owners = other.problem.law_rows.owners;
    ASSERT_EQ(owners.size(), 4U);
    for (int c = 0; c < 4; ++c) EXPECT_EQ(owners[static_cast<std::size_t>(c)].contact, c);
    EXPECT_EQ(owners[0].law, stated[0].law.own.get());
  }
}

// The solution goes back as impulses of the rows and velocities without restitution.
TEST(ContactLaws, SolutionsOfBlocksAreImpulsesAndVelocitiesOfTheRows) {
  for (const bool sparse : {false, true}) {
    std::vector<Contact> list = {contact(1, 0.5), contact(0, 0.2)};
    list[0].law.own = with_friction("coulomb", {{"mu", 0.5}});
    Rig rig(list, Vector::Zero(2), sparse);
    ContactLaws& laws = rig.problem.laws;
    rig.problem.law_rows.y = {2, -0.25, 1};
    laws.take_solution(rig.problem.law_rows);
    const Vector r = rig.r(), u = rig.u();
    EXPECT_EQ(r, values({2, -0.25, 1}));
    EXPECT_LT((u - rig.W() * r - rig.u_free()).norm(), 1e-12 * u.norm());
    EXPECT_EQ(laws.stated()[0].bond, ContactValues{});
  }
}

// Open contacts without reach take no part; those with one do.
TEST(ContactLaws, TakePartWithinTheReachOfTheirLaw) {
  std::vector<Contact> list = {contact(0), contact(0), contact(0)};
  list[0].law.own = normal("newton");
  list[1].law.own = combine_laws(
      make_law(LawKind::normal, "newton", {}), nullptr,
      make_law(LawKind::cohesion, "wet", {{"c_n", 2}, {"thickness", 1e-3}, {"irreversible", 1}}));
  list[2].law.own = list[1].law.own;
  const Rig rig(list, values({1e-4, 1e-4, 2e-3}), false);
  EXPECT_EQ(rig.problem.laws.reach(0), -Law::kNever);
  EXPECT_EQ(rig.problem.laws.reach(1), 1e-3);
  EXPECT_EQ(rig.detection.active, (std::vector<int>{1}));
}

// r = -h (k (w gap+ + (1 - w) gap) + c (w u+ + (1 - w) u-)), gap+ = gap + h (w u+ + (1 - w) u-)
// and u+ = W r + u_free: one linear equation in r.
TEST(ContactLaws, AComplianceRowGivesTheForceOfASpringAndADashpot) {
  const double k = 2000, c = 3, gap = -0.004, w = kEndWeight, h = kStep;
  for (const bool sparse : {false, true}) {
    std::vector<Contact> list = {contact(0)};
    list[0].law.own = normal("compliant", {{"stiffness", k}, {"damping", c}});
    Rig rig(list, values({gap}), sparse);
    const double W = rig.W()(0, 0), u_free = rig.u_free()[0], u_start = rig.detection.u[0];
    // r (1 + h (k h w^2 + c w) W) = -h (k (gap + w h (w u_free + (1 - w) u-)) + c (...))
    const auto mean = [&](double u) { return w * u + (1 - w) * u_start; };
    const double r = -h * (k * (gap + w * h * mean(u_free)) + c * mean(u_free)) /
                     (1 + h * (k * w * h + c) * w * W);
    const double u = W * r + u_free;
    ASSERT_NEAR(r, -h * (k * (gap + w * h * mean(u)) + c * mean(u)), 1e-14);
    ASSERT_GT(r, 0);
    const ReducedProblem view = rig.problem.view();
    ASSERT_EQ(view.size(), 1);
    EXPECT_NEAR(matrix_of(view)(0, 0), W + 1 / (h * w * (h * w * k + c)), 1e-12);
    EXPECT_NEAR(matrix_of(view)(0, 0) * r + view.u_free[0], 0, 1e-13);
    EXPECT_EQ(view.cones[0], Cone::nonnegative());
  }
}

// A dashpot does not act at a distance, and the spring pushes only below gap = 0.
TEST(ContactLaws, AComplianceRowOfAnOpenContactHasNoDashpot) {
  const double k = 2000, w = kEndWeight, h = kStep;
  std::vector<Contact> list = {contact(0)};
  list[0].law.own = normal("compliant", {{"stiffness", k}, {"damping", 1e6}});
  const Rig rig(list, values({0.5}), false);
  EXPECT_NEAR(matrix_of(rig.problem.view())(0, 0), rig.W()(0, 0) + 1 / (h * w * h * w * k), 1e-12);
  EXPECT_GT(rig.problem.view().u_free[0], 0);
}

// An attraction c_n shifts the cone: u_b = u_free - W h c_n, r = y - h c_n.
TEST(ContactLaws, AnAttractionShiftsTheImpulses) {
  const double c_n = 4;
  for (const bool sparse : {false, true}) {
    std::vector<Contact> list = {contact(1), contact(0)};
    list[0].law.own = combine_laws(
        make_law(LawKind::normal, "newton", {}),
        make_law(LawKind::friction, "coulomb", {{"mu", 0.5}}),
        make_law(LawKind::cohesion, "wet", {{"c_n", c_n}, {"thickness", 1}, {"irreversible", 0}}));
    Rig rig(list, values({-1e-3, -1e-3}), sparse);
    const Vector shift = values({-kStep * c_n, 0, 0});
    const ReducedProblem view = rig.problem.view();
    ASSERT_EQ(view.size(), 3);
    EXPECT_LT((matrix_of(view) - rig.W()).norm(), 1e-12 * rig.W().norm());
    EXPECT_LT((view.free_velocity() - rig.u_free() - rig.W() * shift).norm(), 1e-12);
    ContactLaws& laws = rig.problem.laws;
    rig.problem.law_rows.y = {3, 1, 0.5};
    laws.take_solution(rig.problem.law_rows);
    const Vector r = rig.r(), u = rig.u();
    EXPECT_LT((r - values({3, 1, 0.5}) - shift).norm(), 1e-14);
    EXPECT_LT((u - rig.W() * r - rig.u_free()).norm(), 1e-12 * u.norm());
    EXPECT_NEAR(laws.stated()[0].bond[0], shift[0], 1e-15);
  }
}

// Tresca's row belongs to no motion: its multiplier is h s, at the weight of the tangential rows.
TEST(ContactLaws, ARowThatBelongsToNoMotionHasTheFixedMultiplier) {
  const double s = 7;
  for (const bool sparse : {false, true}) {
    std::vector<Contact> list = {contact(1)};
    list[0].law.own = with_friction("tresca", {{"s", s}});
    const Rig rig(list, values({-1e-3}), sparse);
    const ReducedProblem view = rig.problem.view();
    ASSERT_EQ(view.size(), 3);  // Signorini | standing row, tangent
    const Matrix W_b = matrix_of(view), W = rig.W();
    EXPECT_NEAR(W_b(1, 1), W(1, 1), 1e-12);
    EXPECT_NEAR(W_b(2, 2), W(1, 1), 1e-12);
    EXPECT_NEAR(W_b(0, 2), W(0, 1), 1e-12);
    EXPECT_EQ(W_b(1, 2), 0);
    EXPECT_NEAR(-view.u_free[1] / W_b(1, 1), kStep * s, 1e-14);
  }
}

// The list may be in any order: blocks follow it.
TEST(ContactLaws, BlocksStandInTheOrderOfTheActiveContacts) {
  std::vector<Contact> list = {contact(1), contact(0), constraint()};
  list[0].law.own = with_friction("coulomb", {{"mu", 0.5}});
  Rig rig(list, Vector::Zero(3), false, true);
  const std::vector<BlockOwner> owners = rig.problem.law_rows.owners;
  ASSERT_EQ(owners.size(), 3U);
  EXPECT_EQ(owners[0].contact, 2);
  EXPECT_EQ(owners[2].contact, 0);
  const Matrix W = rig.W(), W_b = matrix_of(rig.problem.view());
  EXPECT_NEAR(W_b(0, 0), W(3, 3), 1e-12);
  EXPECT_NEAR(W_b(0, 2), W(3, 0), 1e-12);
  rig.problem.law_rows.y = {1, 2, 3, 4};
  rig.problem.laws.take_solution(rig.problem.law_rows);
  rig.problem.laws.end_stage();
  EXPECT_EQ(rig.r(), values({1, 2, 3, 4}));
}

// --- memory --------------------------------------------------------------------------------------

// Three balls above a floor; which of them are near it changes from call to call.
struct Balls {
  Scene scene = parse_scene("scene", R"(
clack: 1
system:
  type: rigid-bodies
  materials: {stuff: {density: 1000}}
  pairs: [{materials: [stuff, stuff], friction: {law: static-dynamic, mu_s: 0.5, mu_d: 0.3}}]
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: a, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}
    - {name: b, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0.1]}
    - {name: c, shape: {sphere: {radius: 0.1}}, position: [2, 0, 0.1]}
simulation: {step: 1.0e-3, end: 1}
)");
  ContactSet contacts{*scene.system, true};

  // Balls 1, 2, 3 on the floor or high above it.
  bool find(std::initializer_list<int> low) {
    State state = scene.initial;
    for (int i = 1; i <= 3; ++i) {
      const bool down = std::find(low.begin(), low.end(), i) != low.end();
      state.q[RigidBodies::kQ * i + 2] = down ? 0.1 : 5;
    }
    return contacts.find(0, state.q, state.v, 1e-3);
  }
};

TEST(ContactLaws, MemoryGoesOverByIdentity) {
  Balls balls;
  balls.find({1, 2});
  ContactLaws laws(balls.contacts);
  ASSERT_FALSE(laws.empty());
  ASSERT_EQ(laws.memory().size(), 2U);
  const double fresh = laws.memory()[0];
  EXPECT_EQ(laws.memory()[1], fresh);
  laws.set_memory({11, 12});

  ASSERT_TRUE(balls.find({2, 3}));  // ball 1 leaves, ball 3 comes
  laws.bind(balls.contacts);
  ASSERT_EQ(laws.memory().size(), 2U);
  EXPECT_EQ(laws.memory(0)[0], 12);
  EXPECT_EQ(laws.memory(1)[0], fresh);
  laws.set_memory({12, 13});

  ASSERT_TRUE(balls.find({1, 2, 3}));  // ball 1 comes back as a new one, before the others
  laws.bind(balls.contacts);
  EXPECT_EQ(laws.memory(), (std::vector<double>{fresh, 12, 13}));
  ASSERT_EQ(laws.variables(2).size(), 1U);
  EXPECT_EQ(laws.variables(2)[0].name, "slid until");

  ASSERT_TRUE(balls.find({}));
  laws.bind(balls.contacts);
  EXPECT_TRUE(laws.memory().empty());
}

TEST(ContactLaws, MemoryStaysWhereTheListIsTheSame) {
  Balls balls;
  balls.find({1, 3});
  ContactLaws laws(balls.contacts);
  laws.set_memory({5, 7});
  EXPECT_FALSE(balls.find({1, 3}));
  laws.bind(balls.contacts);
  EXPECT_EQ(laws.memory(), (std::vector<double>{5, 7}));
}

}  // namespace
}  // namespace clack::test
