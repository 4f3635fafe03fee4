// The same statement of a law on rows with a matrix and on rows of rigid bodies: one solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clack/assemble/matrix_rows.hpp"
#include "clack/integrate/law_passes.hpp"
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/law_list.hpp"
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

using Numbers = std::map<std::string, double>;

constexpr double kStep = 1e-3, kTolerance = 1e-13, kSame = 1e-10;

struct NamedLaw {
  std::string name;
  LawPtr law;
};

std::vector<NamedLaw> laws() {
  const auto normal = [](const std::string& name, const Numbers& numbers) {
    return make_law(LawKind::normal, name, numbers);
  };
  const auto friction = [](const std::string& name, const Numbers& numbers) {
    return make_law(LawKind::friction, name, numbers);
  };
  const auto cohesion = [](const std::string& name, const Numbers& numbers) {
    return make_law(LawKind::cohesion, name, numbers);
  };
  const LawPtr newton = normal("newton", {{"e_n", 0.3}}),
               coulomb = friction("coulomb", {{"mu", 0.3}});
  return {
      {"newton", combine_laws(newton, coulomb, nullptr)},
      {"frictionless", combine_laws(newton, nullptr, nullptr)},
      {"poisson", combine_laws(normal("poisson", {{"e_n", 0.5}}), coulomb, nullptr)},
      {"compliant",
       combine_laws(normal("compliant", {{"stiffness", 2e4}, {"damping", 30}}), coulomb, nullptr)},
      {"rolling",
       combine_laws(newton, friction("rolling", {{"mu", 0.3}, {"mu_r", 4e-3}, {"mu_s", 2e-3}}),
                    nullptr)},
      {"tresca", combine_laws(newton, friction("tresca", {{"s", 40}}), nullptr)},
      {"contensou",
       combine_laws(newton, friction("contensou", {{"mu", 0.3}, {"radius", 0.01}}), nullptr)},
      {"anisotropic",
       combine_laws(newton, friction("anisotropic", {{"mu_1", 0.2}, {"mu_2", 0.4}, {"angle", 0.3}}),
                    nullptr)},
      {"stribeck",
       combine_laws(newton, friction("stribeck", {{"mu_s", 0.5}, {"mu_d", 0.2}, {"v_s", 0.1}}),
                    nullptr)},
      {"wet", combine_laws(newton, coulomb, cohesion("wet", {{"c_n", 30}, {"thickness", 1e-3}}))},
      {"mohr-coulomb",
       combine_laws(newton, coulomb, cohesion("mohr-coulomb", {{"c_n", 1e6}, {"c_t", 5e5}}))},
      {"bilinear", combine_laws(newton, coulomb,
                                cohesion("bilinear", {{"c_n", 1e9},
                                                      {"c_t", 5e8},
                                                      {"s_1", 1e5},
                                                      {"s_2", 5e4},
                                                      {"G_1", 10},
                                                      {"G_2", 10}}))},
  };
}

// Three round bodies on each other on a floor that moves, none of whose contacts is redundant; the
// uppermost is of a material without a law of its own.
class Tower {
 public:
  Tower(const LawPtr& law, bool planar) : setup_(0.5, 0.2, planar) {
    RigidWorld& world = *setup_.world;
    world.materials.push_back({"plain", 1000, 0.4, 0.1});
    world.pairs.push_back({0, 0, 0, 0, law});
    setup_.add_held(BodyKind::driven, planar ? make_shape(Line(Eigen::Vector2d(0, 1)))
                                             : make_shape(Plane(Vector3::UnitZ())));
    Vector3 centre = Vector3::Zero();
    const Vector3 up = planar ? Vector3::UnitY() : Vector3::UnitZ();
    const Vector3 lean[] = {up, planar ? Vector3(0.3, 1, 0) : Vector3(0.3, -0.1, 1),
                            planar ? Vector3(-0.4, 1, 0) : Vector3(-0.2, 0.4, 1)};
    double below = 0;
    for (int i = 0; i < 3; ++i) {
      const double radius = 0.1 - 0.02 * i;
      centre += (below + radius) * lean[i].normalized();
      below = radius;
      add_ball(radius, centre, i);
    }
    table_.emplace(world);
    bonds_.emplace(world, *table_);
    WorldDetection detection(world);
    bonds_->make(setup_.state, detection);
    std::vector<double> reach;
    bonds_->set_reach(setup_.state, kStep, reach);
    bonds_->merge(setup_.state, detection.find(setup_.state, reach), contacts_);
    set_motion();
    fill_world_problem(world, *table_, setup_.state, contacts_, start_, free_, kStep, 0, problem_);
    impulses_.resize(contacts_.size());
    end_.resize(start_.size());
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      members_.push_back(static_cast<int>(c));
      impulses_[c].setZero();
    }
  }

  std::size_t size() const { return contacts_.size(); }

  // `all`: contacts without a law of their own get that of their numbers.
  ContactLaws bound(bool all) const {
    std::vector<LawPtr> kinds = bonds_->laws();
    std::vector<LawContact> list;
    for (const WorldContact& x : contacts_) {
      LawPtr law = bonds_->law_of(x);
      const MaterialPair& pair = (*table_)(x.a, x.b);
      if (!law && all)
        law = std::make_shared<CompositeLaw>(
            std::vector<LawPtr>{std::make_shared<NewtonImpact>(pair.e_n, 0.0),
                                std::make_shared<CoulombFriction>(FrictionCoefficient(pair.mu))});
      const Link* link = bonds_->link_of(x);
      list.push_back({law, bonds_->tangents(), bonds_->turns(), link ? link->area : 1.0});
    }
    ContactLaws laws(kinds);
    laws.bind(std::move(list), {});
    return laws;
  }

  void begin(BodyRows& rows, ContactLaws& laws) {
    rows.begin_step({kStep, setup_.state, start_, free_, contacts_, problem_, impulses_, end_},
                    members_);
    laws.begin_step(members_, [&](StatedContact& c) { rows.describe({}, c); });
  }

  // u = W r + u_free of all rows, row by row.
  void make_matrix(std::vector<int>& begin, Matrix& W, Vector& u_free) const {
    const int rows = 1 + bonds_->tangents() + bonds_->turns(), n = static_cast<int>(size());
    Matrix J = Matrix::Zero(rows * n, 6 * static_cast<int>(start_.size()));
    u_free = Vector::Zero(rows * n);
    for (int c = 0; c < n; ++c) {
      begin.push_back(rows * c);
      const WorldContact& contact = contacts_[static_cast<std::size_t>(c)];
      const ContactArms arms = contact_arms(contact, setup_.state);
      const ContactAxes axes = bonds_->axes(contact, setup_.state);
      const Twist &a = free_[static_cast<std::size_t>(contact.a)],
                  &b = free_[static_cast<std::size_t>(contact.b)];
      for (int k = 0; k < rows; ++k) {
        const RowAxis& axis = axes[static_cast<std::size_t>(k)];
        const int row = rows * c + k;
        u_free[row] =
            axis.direction.dot(b.at(arms.b) - a.at(arms.a)) + axis.turn.dot(b.omega - a.omega);
        J.row(row).segment<3>(6 * contact.a) = -axis.direction;
        J.row(row).segment<3>(6 * contact.a + 3) = -(arms.a.cross(axis.direction) + axis.turn);
        J.row(row).segment<3>(6 * contact.b) = axis.direction;
        J.row(row).segment<3>(6 * contact.b + 3) = arms.b.cross(axis.direction) + axis.turn;
      }
    }
    begin.push_back(rows * n);
    Matrix inverse = Matrix::Zero(J.cols(), J.cols());
    for (std::size_t i = 1; i < start_.size(); ++i) {
      const auto at = static_cast<int>(6 * i);
      const RigidBody& body = problem_.bodies[i];
      inverse.block<3, 3>(at, at) = body.inverse_mass * Matrix3::Identity();
      inverse.block<3, 3>(at + 3, at + 3) = body.inverse_inertia_matrix();
    }
    W = J * inverse * J.transpose();
  }

  BodyRows rows(bool sweeps) const { return {*setup_.world, *bonds_, sweeps}; }
  const LargeArray<Vector3>& impulses() const { return impulses_; }

 private:
  void add_ball(double radius, const Vector3& centre, int i) {
    const bool planar = setup_.world->planar;
    const Quaternion turned(
        Eigen::AngleAxisd(0.4 + i, planar ? Vector3(0, 0, 1) : Vector3(1, 2, 3).normalized()));
    setup_.add(planar ? make_shape(Disc(radius)) : make_shape(Sphere(radius)), centre, turned);
    Body& body = setup_.last_body();
    body.material = i == 2 ? 1 : 0;
    if (!planar) body.moments = body.moments.cwiseProduct(Vector3(0.8, 1, 1.1));
  }

  // The bodies come together and slide on each other.
  void set_motion() {
    const bool planar = setup_.world->planar;
    const double v[][6] = {{0.1, 0.05, 0.02, 0, 0, 0},
                           {0.3, -0.1, -0.4, 0.5, -1, 0.7},
                           {-0.2, 0.3, -0.9, -0.4, 0.3, 1.1},
                           {0.4, -0.2, -1.6, 0.2, 0.9, -0.6}};
    for (std::size_t i = 0; i < 4; ++i) {
      Twist twist{{v[i][0], v[i][1], v[i][2]}, {v[i][3], v[i][4], v[i][5]}};
      if (planar) twist = {{v[i][0], v[i][2], 0}, {0, 0, v[i][5]}};
      start_.push_back(twist);
      if (i > 0) twist.v += kStep * setup_.world->gravity;
      free_.push_back(twist);
    }
  }

  Arrangement setup_;
  std::optional<LawTable> table_;
  std::optional<WorldBonds> bonds_;
  LargeArray<WorldContact> contacts_;
  LargeArray<Twist> start_, free_, end_;
  BodyProblem problem_;
  LargeArray<Vector3> impulses_;
  std::vector<int> members_;
};

SolverOptions solver_options() { return {.tolerance = kTolerance, .verdict = Verdict::unit_free}; }

Status solve(ContactLaws& laws, LawRows& rows) {
  LawProblem problem{laws, rows, [&](double tolerance) {
                       return make_solver("auto", solver_options())
                           ->solve(rows.view(), rows.y.data(), rows.x.data(), tolerance);
                     }};
  return solve_with_laws(problem, kTolerance, 0).status;
}

// By sweeps on bodies where they serve; `plain` says whether they did in any stage and pass.
Status solve_by_sweeps(ContactLaws& laws, BodyRows& rows, bool& plain) {
  BodySolverOptions options;
  static_cast<SolverOptions&>(options) = solver_options();
  BodySolver sweeps(options);
  LawProblem problem{laws, rows, [&](double tolerance) {
                       double* y = rows.y.data();
                       plain = plain || rows.is_plain();
                       if (rows.is_plain())
                         return sweeps.solve(rows.plain_problem(), y, nullptr, tolerance);
                       return make_solver("auto", solver_options())
                           ->solve(rows.view(), y, rows.x.data(), tolerance);
                     }};
  return solve_with_laws(problem, kTolerance, 0).status;
}

void expect_same(const StatedContact& x, const StatedContact& y) {
  ASSERT_EQ(x.contact, y.contact);
  ASSERT_EQ(x.statement.count, y.statement.count);
  for (std::size_t k = 0; k < kContactRows; ++k) {
    EXPECT_NEAR(x.situation.r[k], y.situation.r[k], kSame)
        << "contact " << x.contact << " row " << k;
    EXPECT_NEAR(x.situation.u[k], y.situation.u[k], kSame)
        << "contact " << x.contact << " row " << k;
    EXPECT_NEAR(x.bond[k], y.bond[k], kSame) << "contact " << x.contact << " row " << k;
  }
}

class EveryLaw : public testing::TestWithParam<NamedLaw> {};

TEST_P(EveryLaw, HasOneSolutionOnRowsOfAMatrixAndOnRowsOfBodies) {
  for (const bool planar : {false, true}) {
    SCOPED_TRACE(planar ? "plane" : "space");
    if (!GetParam().law->fault(planar ? 1 : 2, planar ? 1 : 3).empty()) continue;
    Tower tower(GetParam().law, planar);
    ASSERT_EQ(tower.size(), 3U);
    // Each contact with a law, on both kinds of rows.
    ContactLaws by_bodies = tower.bound(true), by_matrix = tower.bound(true);
    BodyRows bodies = tower.rows(false);
    tower.begin(bodies, by_bodies);
    by_matrix.begin_step(std::vector<int>{0, 1, 2}, [&](StatedContact& c) {
      const StatedContact& other = by_bodies.stated()[static_cast<std::size_t>(c.contact)];
      c.situation = other.situation;
      c.before = other.before;
    });
    std::vector<int> begin;
    Matrix W;
    Vector u_free;
    tower.make_matrix(begin, W, u_free);
    Vector r = Vector::Zero(u_free.size()), u = r;
    MatrixRows dense, sparse;
    dense.set({begin, W.data(), nullptr, u_free.data(), r.data(), u.data()});
    ASSERT_EQ(solve(by_bodies, bodies), Status::converged);
    ASSERT_EQ(solve(by_matrix, dense), Status::converged);
    double most = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same(by_bodies.stated()[i], by_matrix.stated()[i]));
      for (const double x : by_bodies.stated()[i].situation.r) most = std::max(most, std::abs(x));
    }
    EXPECT_GT(most, 0.1) << "nothing has been solved";
    EXPECT_FALSE(bodies.is_plain());
    const SparseMatrix S = W.sparseView(0.0, 0.0);
    sparse.set({begin, nullptr, &S, u_free.data(), r.data(), u.data()});
    ASSERT_EQ(solve(by_matrix, sparse), Status::converged);
    for (std::size_t i = 0; i < 3; ++i)
      ASSERT_NO_FATAL_FAILURE(expect_same(by_bodies.stated()[i], by_matrix.stated()[i]));
  }
}

TEST_P(EveryLaw, LeavesContactsBesideItTheirConeAndGivesTheSameSolution) {
  for (const bool planar : {false, true}) {
    SCOPED_TRACE(planar ? "plane" : "space");
    if (!GetParam().law->fault(planar ? 1 : 2, planar ? 1 : 3).empty()) continue;
    Tower tower(GetParam().law, planar);
    ContactLaws all = tower.bound(true), own = tower.bound(false);
    BodyRows rows = tower.rows(false), mixed = tower.rows(true);
    tower.begin(rows, all);
    ASSERT_EQ(solve(all, rows), Status::converged);
    const LargeArray<Vector3> impulses = tower.impulses();
    tower.begin(mixed, own);
    ASSERT_EQ(own.stated().size(), 2U);
    bool plain = false;
    ASSERT_EQ(solve_by_sweeps(own, mixed, plain), Status::converged);
    const std::string& name = GetParam().name;
    const bool coulomb = name == "newton" || name == "frictionless" || name == "wet";
    const bool blocks = name == "rolling" || name == "tresca" || name == "bilinear";
    EXPECT_TRUE(plain || !coulomb);
    EXPECT_FALSE(plain && blocks);
    for (std::size_t i = 0; i < 2; ++i)
      ASSERT_NO_FATAL_FAILURE(expect_same(own.stated()[i], all.stated()[i]));
    EXPECT_LT((tower.impulses()[2] - impulses[2]).norm(), kSame);
  }
}

INSTANTIATE_TEST_SUITE_P(LawRows, EveryLaw, testing::ValuesIn(laws()), [](const auto& chosen) {
  std::string name = chosen.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace clack
