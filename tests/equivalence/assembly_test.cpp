// Parts in one scene: the same motion as one system of formulas, and as bodies on joints, under
// every scheme; derivatives of the coupling; bodies that move as they are told.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "clack/core/error.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/io/report/run_data.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/record/recorded_run.hpp"
#include "tests/equivalence/schemes.hpp"
#include "tests/folder.hpp"
#include "tests/model/finite_difference.hpp"

namespace clack {
namespace {

using test::run_by_scheme;

class AssemblySchemes : public testing::TestWithParam<std::string> {};

// Three masses in a row: one by its energies, one by matrices, one a disc; a spring and a contact
// between them, and a wall.
constexpr const char* kParts = R"(
clack: 1
system:
  type: assembly
  parts:
    first:
      type: lagrangian
      coordinates: [x]
      kinetic: 0.5*x'^2
      potential: 20*x^2
    second:
      type: linear
      M: [[2]]
      coordinates: [y]
      contacts: [{name: wall, G: [-1], g0: 1.2}]
    discs:
      type: rigid-bodies
      space: 2d
      gravity: [0, 0]
      materials: {stuff: {density: 1, mu: 0}}
      bodies:
        - {name: disc, shape: {disc: {radius: 0.1}}, mass: 1.5, position: [0.5, 0]}
  points:
    end: [y, 0]
  springs:
    - {between: [disc, end], stiffness: 80, length: 0.4, damping: 0.5}
  forces: {disc_x: 3*sin(5*t)}
  contacts: [{name: push, gap: disc_x - x - 0.3}]
initial: {q: {x: 0.1, y: 1}, v: {x': 3}}
simulation: {step: 1.0e-3, end: 0.5}
)";
constexpr const char* kWhole = R"(
clack: 1
system:
  type: lagrangian
  coordinates: [d, x, y]
  kinetic: 0.5*x'^2 + y'^2 + 0.75*d'^2
  potential: 20*x^2 + 40*(y - d - 0.4)^2
  dissipation: 0.25*(y' - d')^2
  forces: {d: 3*sin(5*t)}
  contacts:
    - {name: wall, gap: 1.2 - y}
    - {name: push, gap: d - x - 0.3}
initial: {q: {d: 0.5, x: 0.1, y: 1}, v: {x': 3}}
simulation: {step: 1.0e-3, end: 0.5}
)";

TEST_P(AssemblySchemes, PartsMoveAsOneSystemOfFormulas) {
  const Simulation parts = run_by_scheme(kParts, GetParam()),
                   whole = run_by_scheme(kWhole, GetParam());
  EXPECT_NEAR(parts.q()[0], whole.q()[0], 1e-9);
  EXPECT_NEAR(parts.q()[7], whole.q()[1], 1e-9);
  EXPECT_NEAR(parts.q()[8], whole.q()[2], 1e-9);
  EXPECT_NEAR(parts.v()[0], whole.v()[0], 1e-7);
  EXPECT_NEAR(parts.v()[6], whole.v()[1], 1e-7);
  EXPECT_NEAR(parts.v()[7], whole.v()[2], 1e-7);
  EXPECT_LT(parts.q()[0], 5);  // it was held back at all
}

// A box that hangs by a corner in space: by a link, and by three formulas that name its point.
std::string hanging_box(const std::string& how) {
  const std::string bodies = R"(
      gravity: [0, 0, -9.81]
      materials: {stuff: {density: 1000, mu: 0}}
      bodies:
        - {name: post, shape: {sphere: {radius: 0.001}}, fixed: true, position: [0, 0, 0.4]}
        - {name: box, shape: {box: {size: [0.1, 0.2, 0.3]}}, position: [0.25, 0.1, 0.15]}
)";
  const std::string rest = "simulation: {step: 1.0e-3, end: 0.3}\n";
  if (how == "link")
    return "clack: 1\nsystem:\n      type: rigid-bodies" + bodies +
           "      links: [{name: pin, bodies: [post, box], point: [0, 0, 0.4], link: {law: "
           "hinge}}]\n" +
           rest;
  return "clack: 1\nsystem:\n  type: assembly\n  parts:\n    bodies:\n      type: rigid-bodies" +
         bodies + R"(
  points: {pin: {body: box, at: [-0.25, -0.1, 0.25]}}
  constraints:
    - {name: pin x, equation: pin_x}
    - {name: pin y, equation: pin_y}
    - {name: pin z, equation: pin_z - 0.4}
)" + rest;
}

TEST_P(AssemblySchemes, AFormulaPinsABodyAsALinkDoes) {
  std::string formulas = hanging_box("formulas");
  const bool family =
      GetParam() == "newmark" || GetParam() == "hht" || GetParam() == "generalized-alpha";
  if (family)  // the default of bodies with joints
    formulas.replace(formulas.find("end: 0.3"), 8, "end: 0.3, constraints: position-velocity");
  const Simulation linked = run_by_scheme(hanging_box("link"), GetParam()),
                   pinned = run_by_scheme(formulas, GetParam());
  EXPECT_GT((linked.q() - linked.system().bodies()->to_state(linked.system().bodies()->initial()).q)
                .norm(),
            0.1);
  EXPECT_LT((pinned.q() - linked.q()).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((pinned.v() - linked.v()).cwiseAbs().maxCoeff(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Assembly, AssemblySchemes, testing::ValuesIn(test::all_schemes()),
                         test::scheme_name);

// --- derivatives -------------------------------------------------------------------------------

// A body that turns in space on springs to a mass of its own kind of part, with gaps and sliding.
constexpr const char* kCoupled = R"(
clack: 1
system:
  type: assembly
  parts:
    slider:
      type: lagrangian
      coordinates: [s]
      kinetic: 0.5*(2 + sin(s))*s'^2
    bodies:
      type: rigid-bodies
      gravity: [0, 0, -9.81]
      materials: {stuff: {density: 1000, mu: 0.3}}
      bodies:
        - {name: still, shape: {sphere: {radius: 0.1}}, fixed: true, position: [3, 0, 0]}
        - {name: box, shape: {box: {size: [0.1, 0.2, 0.3]}}, position: [0.3, 0.1, 0.2]}
  points:
    tip: {body: box, at: [0.3, -0.2, 0.5]}
    hook: [s, 0.2*s^2, 1 + 0.1*t]
  springs:
    - {between: [tip, hook], stiffness: 30, length: 0.2, damping: 4}
    - {between: [box, still], stiffness: 7}
  define: {lean: box_e3x*s}
  potential: 3*lean^2 + 2*box_qw*s
  dissipation: 0.3*box_wx^2*(1 + s^2) + 0.1*(box_wz - s')^2
  forces: {tip_z: 2*cos(t)*s, lean: 1.5}
  contacts:
    - {name: edge, gap: tip_z - s + 5, tangent: [tip_x' - s', box_wy + box_vy*s], mu: 0.2}
    - {name: post, gap: 'box_x*still_x + 0.3*t*s + 9'}
initial: {q: {s: 0.4}, v: {s': 0.3}}
simulation: {step: 1.0e-3, end: 0.1}
)";

struct Coupled {
  Scene scene = parse_scene("scene", kCoupled, {"simulation.scheme=moreau-jean"});
  const System& system = *scene.system;
  Vector q, v;
  std::vector<int> free;  // velocities that forces change

  Coupled() {
    test::Random random(7);
    q = scene.initial.q;
    v = random.vector(system.nv());
    v.head(6).setZero();
    Vector moved(system.nq());
    system.advance(q, 0.5 * random.vector(system.nv()), moved);
    q.tail(8) = moved.tail(8);  // all but the fixed body
    for (int i = 6; i < system.nv(); ++i) free.push_back(i);
  }
  Vector at(double s, int dof) const {
    Vector moved(system.nq());
    system.advance(q, s * Vector::Unit(system.nv(), dof), moved);
    return moved;
  }
};

TEST(AssemblyCoupling, JacobiansAreThoseOfItsForces) {
  const Coupled c;
  const auto force = [&](const Vector& q, const Vector& v) {
    Forces forces(c.system.nv());
    c.system.forces(0.3, q, v, forces);
    forces.set_total();
    return forces.total;
  };
  Matrix K(c.system.nv(), c.system.nv()), C(K);
  c.system.jacobians(0.3, c.q, c.v, K, C);
  for (const int j : c.free) {
    const Vector by_q = test::slopes([&](double s) { return force(c.at(s, j), c.v); }, 1e-3);
    const Vector by_v = test::slopes(
        [&](double s) { return force(c.q, c.v + s * Vector::Unit(c.system.nv(), j)); }, 1e-3);
    EXPECT_LT((K.col(j) + by_q).cwiseAbs().maxCoeff(), 1e-8 * (1 + K.cwiseAbs().maxCoeff())) << j;
    EXPECT_LT((C.col(j) + by_v).cwiseAbs().maxCoeff(), 1e-8 * (1 + C.cwiseAbs().maxCoeff())) << j;
  }
  MatrixEntries stiffness, damping;
  c.system.jacobian_entries(0.3, c.q, c.v, stiffness, damping);
  for (const auto& x : stiffness) K(x.row(), x.col()) -= x.value();
  EXPECT_LT(K.cwiseAbs().maxCoeff(), 1e-12 * (1 + C.cwiseAbs().maxCoeff()));
}

TEST(AssemblyCoupling, ForcesOfThePotentialAreItsSlopes) {
  const Coupled c;
  Forces forces(c.system.nv());
  c.system.forces(0.3, c.q, c.v, forces);
  for (const int j : c.free) {
    const double slope = test::slope(
        [&](double s) { return c.system.energies(0.3, c.at(s, j), c.v).potential; }, 1e-3);
    EXPECT_NEAR(forces.potential[j], -slope, 1e-7) << j;
  }
  EXPECT_EQ(forces.potential.head(6).norm(), 0);  // of the fixed body, on which a spring pulls
}

TEST(AssemblyCoupling, RowsOfContactsAreTheSlopesOfGaps) {
  const Coupled c;
  const int rows = c.system.rows(), contacts = static_cast<int>(c.system.contacts().size());
  Matrix H(c.system.nv(), rows);
  Vector w(rows);
  c.system.contact_map(0.3, c.q, H, w);
  const int normal[] = {0, 3};
  for (int j = 0; j < c.system.nv(); ++j) {
    const Vector slope = test::slopes(
        [&](double s) {
          Vector gap(contacts);
          c.system.gaps(0.3, c.at(s, j), gap);
          return gap;
        },
        1e-3);
    for (int k = 0; k < contacts; ++k) EXPECT_NEAR(H(j, normal[k]), slope[k], 1e-8) << j;
  }
  ContactMap sparse(c.system.nv(), rows, true);
  sparse.clear();
  Vector w_sparse(rows);
  c.system.contact_rows(0.3, c.q, sparse, w_sparse);
  for (int row = 0; row < rows; ++row) {
    Vector column(c.system.nv());
    sparse.column(row, column);
    EXPECT_EQ(column, H.col(row));
  }
  EXPECT_EQ(w_sparse, w);
}

// u along the free motion with the velocities held.
TEST(AssemblyCoupling, TheBiasIsTheRateOfTheRows) {
  const Coupled c;
  const int rows = c.system.rows();
  Vector b(rows);
  c.system.contact_bias(0.3, c.q, c.v, b);
  const Vector slope = test::slopes(
      [&](double s) {
        Vector q(c.system.nq()), w(rows);
        Matrix H(c.system.nv(), rows);
        c.system.advance(c.q, s * c.v, q);
        c.system.contact_map(0.3 + s, q, H, w);
        return Vector(H.transpose() * c.v + w);
      },
      1e-3);
  EXPECT_LT((b - slope).cwiseAbs().maxCoeff(), 1e-8 * (1 + slope.cwiseAbs().maxCoeff()));
}

// --- bodies that move as they are told -----------------------------------------------------------

TEST(AssemblyDriven, APistonPushesAMassOfFormulas) {
  const Scene scene = parse_scene("scene", R"(
clack: 1
system:
  type: assembly
  parts:
    cart: {type: lagrangian, coordinates: [x], kinetic: 0.5*x'^2}
    machine:
      type: rigid-bodies
      space: 2d
      gravity: [0, 0]
      materials: {stuff: {density: 1, mu: 0}}
      bodies:
        - {name: piston, shape: {disc: {radius: 0.1}}, position: [0, 0], driven: {velocity: [0.7, 0]}}
  contacts: [{name: face, gap: x - piston_x - 0.1}]
initial: {q: {x: 0.2}}
simulation: {scheme: moreau-jean, step: 1.0e-3, end: 0.5}
)");
  Simulation simulation(scene.system, scene.initial, scene.options);
  double fed = 0;
  while (simulation.steps() < scene.step_count()) {
    ASSERT_EQ(simulation.step(), Status::converged);
    fed += simulation.last_step().energy.work_contact + simulation.last_step().energy.work_impact;
  }
  EXPECT_NEAR(simulation.v()[6], 0.7, 1e-12);
  EXPECT_NEAR(simulation.q()[0], 0.35, 1e-12);
  EXPECT_NEAR(simulation.q()[7], 0.45, 1e-3);
  EXPECT_NEAR(fed, 0.5 * 0.49, 1e-9);  // the mass has what the piston gave less the impact's loss
}

// --- as a user runs it -------------------------------------------------------------------------

TEST(AssemblyRun, TheExampleClosesItsBalanceAndRecordsAllContacts) {
  const Scene scene = load_scene(std::string(CLACK_SOURCE_DIR) + "/examples/pendulum_box_rod.yaml",
                                 {"simulation.end=0.8"});
  const auto run = make_run(scene, 1);
  double error = 0, most = 0, before = run->energy().kinetic + run->energy().potential, works = 0;
  const double start = before;
  long impacts = 0;
  while (!run->done()) {
    ASSERT_EQ(run->step(), Status::converged) << run->time();
    const EnergyAudit& e = run->energy();
    error = std::max(error, std::abs(e.error));
    most = std::max(most, e.kinetic + e.potential);
    works += e.work_external + e.work_damping + e.work_contact + e.work_impact + e.work_friction +
             e.numerical;
    for (const EventRow& event : run->events()) impacts += event.kind == EventKind::impact;
  }
  const double end = run->energy().kinetic + run->energy().potential;
  EXPECT_LT(error, 1e-12 * most);
  EXPECT_NEAR(end, start + works, 1e-9 * most);
  EXPECT_LT(end, 0.8 * start);
  EXPECT_GT(impacts, 5);
  const auto counts = run->impacts();
  for (const char* name : {"bob on box", "box on rod", "stop"})
    EXPECT_GT(counts.at(name), 0) << name;
  ContactRowList rows;
  run->collect(rows);
  EXPECT_GE(rows.size(), 2u);  // the corners of the box on the floor
}

TEST(AssemblyRun, ResultsAndPageShowCoordinatesAndBodies) {
  const Scene scene = load_scene(std::string(CLACK_SOURCE_DIR) + "/examples/pendulum_box_rod.yaml",
                                 {"simulation.end=0.3", "output.every=7"});
  const test::Folder folder;
  RecordedRun recorded(scene, {.folder = folder.path()});
  recorded.simulate([] { return true; });
  const RunData data(folder.path().string());
  EXPECT_TRUE(data.is_world());
  const nlohmann::json head = data.head();
  EXPECT_EQ(head["bodies"], 2);
  EXPECT_EQ(head["columns"][0]["name"], "phi");
  const ResultsReader reader(folder.file("results.h5"));
  EXPECT_EQ(reader.q().cols(), 2 * 7 + 1 + 21);
  EXPECT_EQ(reader.q_names()[14], "phi");
  EXPECT_EQ(reader.contact_names(), (std::vector<std::string>{"stop", "bob on box", "box on rod"}));
  // The impact of the bob is in the row that follows it, with its impulse.
  const ContactColumns contacts = reader.contacts();
  double impulse = 0;
  for (std::size_t c = 0; c < contacts.id.size(); ++c) {
    if (contacts.id[c] == 1)
      impulse = std::max(impulse, contacts.impulse(static_cast<Eigen::Index>(c), 0));
  }
  EXPECT_GT(impulse, 5);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < data.rows(); ++row) rows.push_back(row);
  EXPECT_NO_THROW((void)data.contacts_block(rows));
  EXPECT_NO_THROW((void)data.curves_block(1, 0, data.rows()));
}

TEST(AssemblyScene, SaysWhatIsWrong) {
  const auto message = [](const std::string& from, const std::string& to) {
    std::string text = kParts;
    text.replace(text.find(from), from.size(), to);
    try {
      (void)parse_scene("scene", text);
    } catch (const SceneError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("[disc, end]", "[disk, end]").find("'disk' is neither a point"),
            std::string::npos);
  EXPECT_NE(message("coordinates: [y]", "coordinates: [x]").find("that of another part already"),
            std::string::npos);
  EXPECT_NE(message("forces: {disc_x", "forces: {disc_q").find("neither a coordinate"),
            std::string::npos);
  EXPECT_NE(message("gap: disc_x - x - 0.3", "gap: disc_fx - x").find("unknown name 'disc_fx'"),
            std::string::npos);
  EXPECT_NE(message("type: linear\n", "type: assembly\n").find("cannot be an assembly"),
            std::string::npos);
  EXPECT_NE(message("simulation: {step", "simulation: {scheme: stewart-trinkle, step")
                .find("'stewart-trinkle' is not known"),
            std::string::npos);
}

}  // namespace
}  // namespace clack
