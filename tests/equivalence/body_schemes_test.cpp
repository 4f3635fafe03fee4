// Rigid bodies under schemes other than the default step: axes of materials that turn, and cells that
// are periodic or sheared.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "clack/core/error.hpp"
#include "clack/core/rotation.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/record/run.hpp"

namespace clack {
namespace {

std::string words(const Vector3& x) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z());
}

Vector3 position(const Run& run, int body) { return Vector3(run.q().data() + 7 * body); }
Vector3 velocity(const Run& run, int body) { return Vector3(run.v().data() + 6 * body); }
Vector3 spin(const Run& run, int body) {  // in the frame of the surroundings
  const double* p = run.q().data() + 7 * body + 3;
  return Quaternion(p[0], p[1], p[2], p[3]) * Vector3(run.v().data() + 6 * body + 3);
}

// Steps to the end; every step must be solved and its ledger closed.
template <class Observe>
void run_to_end(Run& run, Observe observe) {
  while (!run.done()) {
    ASSERT_EQ(run.step(), Status::converged) << run.time();
    const EnergyAudit& energy = run.energy();
    ASSERT_NEAR(energy.error, 0, 1e-9 * (1 + energy.kinetic + std::abs(energy.potential)));
    observe();
  }
}
void run_to_end(Run& run) {
  run_to_end(run, [] {});
}

// --- axes of a material --------------------------------------------------------------------------

constexpr double kMu1 = 0.1, kMu2 = 0.6, kAngle = 0.4, kTurning = 4, kGravity = 10;

// What carries the axes: the body that slides, or the floor below it, which turns.
struct Slide {
  bool table;
  Vector3 x = Vector3::Zero(), v = Vector3(3, 0.5, 0);
};

// v' = -g (mu_1^2 u_1 e_1 + mu_2^2 u_2 e_2)/|(mu_1 u_1, mu_2 u_2)|, the normal of the ellipse at the
// impulse that it gives (eq:anisotropic), with e_1 turning. The angle of the law is about the normal
// from A to B, which points down where the body is A.
Vector3 rate(const Slide& at, double t) {
  const double angle = kTurning * t + (at.table ? kAngle : -kAngle);
  const Vector3 e1(std::cos(angle), std::sin(angle), 0), e2(-e1.y(), e1.x(), 0);
  const Vector3 floor = at.table ? Vector3(Vector3(0, 0, kTurning).cross(at.x)) : Vector3(0, 0, 0);
  const double u1 = e1.dot(at.v - floor), u2 = e2.dot(at.v - floor);
  return -kGravity * (kMu1 * kMu1 * u1 * e1 + kMu2 * kMu2 * u2 * e2) /
         std::hypot(kMu1 * u1, kMu2 * u2);
}

// By Runge and Kutta's rule, to round-off.
Slide integrated(bool table, double end) {
  Slide s{table};
  const int steps = 3000;
  const double h = end / steps;
  for (int k = 0; k < steps; ++k) {
    const auto moved = [&](const Vector3& v, const Vector3& a, double dt) {
      return Slide{table, s.x + dt * v, s.v + dt * a};
    };
    const double t = k * h;
    const Vector3 a1 = rate(s, t);
    const Slide s2 = moved(s.v, a1, h / 2);
    const Vector3 a2 = rate(s2, t + h / 2);
    const Slide s3 = moved(s2.v, a2, h / 2);
    const Vector3 a3 = rate(s3, t + h / 2);
    const Slide s4 = moved(s3.v, a3, h);
    const Vector3 a4 = rate(s4, t + h);
    s.x += h / 6 * (s.v + 2 * s2.v + 2 * s3.v + s4.v);
    s.v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return s;
}

// A ball that slides but cannot be turned by friction; with `hopper` a second one bounces far away,
// and its contact comes and goes before the other in the list.
Scene sliding_scene(const std::string& scheme, double h, bool table, bool hopper) {
  const std::string floor = table ? fmt::format(
                                        "    - {{name: floor, shape: plane, driven: {{velocity: "
                                        "[0, 0, 0], spin: [0, 0, {}]}}}}\n",
                                        kTurning)
                                  : "    - {name: floor, shape: plane, fixed: true}\n";
  const std::string ball = fmt::format(
      "    - {{name: slider, shape: {{sphere: {{radius: 0.1}}}}, mass: 1, inertia: [1.0e9, 1.0e9, "
      "1.0e9], "
      "position: [0, 0, 0.1], velocity: {}, spin: [0, 0, {}]}}\n",
      words(Slide{table}.v), table ? 0 : kTurning);
  const std::string other =
      "    - {name: hopper, shape: {sphere: {radius: 0.1}}, mass: 1, position: [50, 0, 0.105]}\n";
  return parse_scene(
      "scene",
      fmt::format(
          "clack: 1\nsystem:\n  type: rigid-bodies\n  gravity: [0, 0, -{}]\n"
          "  materials: {{stuff: {{density: 1000}}}}\n  pairs:\n"
          "    - materials: [stuff, stuff]\n      normal: {{law: newton, e_n: 1}}\n"
          "      friction: {{law: anisotropic, mu_1: {}, mu_2: {}, angle: {}}}\n"
          "  bodies:\n{}simulation: {{scheme: {}, step: {}, end: 0.3}}\n"
          "solver: {{tolerance: 1.0e-10}}\n",
          kGravity, kMu1, kMu2, kAngle,
          table ? floor + (hopper ? other : "") + ball : (hopper ? other : "") + ball + floor,
          scheme, h));
}

class AxesUnderSchemes : public testing::TestWithParam<std::string> {};

TEST_P(AxesUnderSchemes, TurnWithTheBodyThatCarriesThem) {
  for (const bool table : {false, true}) {
    const Slide exact = integrated(table, 0.3);
    for (const bool hopper : {false, true}) {
      SCOPED_TRACE(fmt::format("{}{}", table ? "table" : "body", hopper ? ", list changes" : ""));
      const Scene scene = sliding_scene(GetParam(), 5e-4, table, hopper);
      const auto run = make_run(scene, 1);
      const int slider = (table ? 1 : 0) + (hopper ? 1 : 0);
      int changes = 0, before = -1;
      run_to_end(*run, [&] {
        changes += before >= 0 && run->contact_count() != before;
        before = run->contact_count();
      });
      EXPECT_EQ(changes > 4, hopper) << changes;
      // Axes that stand still lead elsewhere by 0.5 m/s and more.
      EXPECT_LT((velocity(*run, slider) - exact.v).norm(), 5e-3);
      EXPECT_LT((position(*run, slider) - Vector3(0, 0, 0.1) - exact.x).norm(), 3e-3);
    }
  }
}

std::string plain_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bodies, AxesUnderSchemes,
                         testing::Values("stewart-trinkle", "moreau-jean",
                                         "moreau-jean-dissipative", "moreau-midpoint", "newmark",
                                         "hht", "generalized-alpha"),
                         plain_name);

// --- cells ---------------------------------------------------------------------------------------

struct Ball {
  double radius;
  Vector3 position = Vector3::Zero(), velocity = Vector3::Zero(), spin = Vector3::Zero();
};

Scene cell_scene(const std::string& cell, const std::vector<Ball>& balls, const std::string& scheme,
                 double h, double end, double e_n = 0.6) {
  std::string bodies;
  for (const Ball& ball : balls) {
    bodies += fmt::format(
        "    - {{shape: {{sphere: {{radius: {}}}}}, position: {}, velocity: {}, spin: {}}}\n",
        ball.radius, words(ball.position), words(ball.velocity), words(ball.spin));
  }
  return parse_scene(
      "scene",
      fmt::format("clack: 1\nsystem:\n  type: rigid-bodies\n"
                  "  materials: {{stuff: {{density: 1000, mu: 0.3, e_n: {}}}}}\n{}  bodies:\n{}"
                  "simulation: {{scheme: {}, step: {}, end: {}}}\nsolver: {{tolerance: 1.0e-12}}\n",
                  e_n, cell.empty() ? "" : "  cell: " + cell + "\n", bodies, scheme, h, end));
}

struct Cell {
  Vector3 period;
  double rate = 0;
  int normal = 1;

  std::string text() const {
    return fmt::format("{{period: {}, shear_rate: {}, shear_normal: {}}}", words(period), rate,
                       normal == 1 ? "y" : "z");
  }
  Vector3 shift(const std::array<int, 3>& image) const {
    return {image[0] * period.x(), image[1] * period.y(), image[2] * period.z()};
  }
  Vector3 drift(const std::array<int, 3>& image) const {
    return {image[static_cast<std::size_t>(normal)] * rate * period[normal], 0, 0};
  }
};

class CellsUnderSchemes : public testing::TestWithParam<std::string> {
 protected:
  // Two balls that hit each other off the middle while they spin, and the same with the second one
  // moved by the lattice.
  void expect_as_in_the_open(const Cell& cell, const std::array<int, 3>& image) const {
    const Vector3 direction = Vector3(1, 2, 2) / 3, shift = cell.shift(image),
                  drift = cell.drift(image);
    const Ball a{0.2, {0.1, 0.2, 0.3}, {0, 0, 0}, {1, 5, 2}};
    Ball b{0.15, a.position + 0.5003 * direction, -1.5 * direction + Vector3(0.1, 0, 0), {0, 0, 3}};
    const Scene open_scene = cell_scene("", {a, b}, GetParam(), 1e-3, 0.25);
    b.position -= shift;
    b.velocity -= drift;
    const Scene scene = cell_scene(cell.text(), {a, b}, GetParam(), 1e-3, 0.25);
    const auto open = make_run(open_scene, 1), run = make_run(scene, 1);
    run_to_end(*open);
    run_to_end(*run);
    ASSERT_GT(velocity(*open, 0).norm(), 0.1) << "they have not met";
    EXPECT_LT((velocity(*run, 0) - velocity(*open, 0)).norm(), 1e-8);
    EXPECT_LT((velocity(*run, 1) + drift - velocity(*open, 1)).norm(), 1e-8);
    EXPECT_LT((spin(*run, 0) - spin(*open, 0)).norm(), 1e-7);
    EXPECT_LT((spin(*run, 1) - spin(*open, 1)).norm(), 1e-7);
    EXPECT_LT((position(*run, 0) - position(*open, 0)).norm(), 1e-8);
    EXPECT_LT((position(*run, 1) + shift + 0.25 * drift - position(*open, 1)).norm(), 1e-8);
  }
};

TEST_P(CellsUnderSchemes, BallsMeetAcrossTheBorderAsInTheOpen) {
  expect_as_in_the_open({{2, 0, 0}}, {1, 0, 0});
  expect_as_in_the_open({{2, 3, 0}}, {-1, 2, 0});
  expect_as_in_the_open({{2, 3, 2.5}}, {1, -1, 1});
}

TEST_P(CellsUnderSchemes, BallsMeetAcrossTheBorderOfAShearedCellAsInTheOpen) {
  expect_as_in_the_open({{2, 3, 0}, 0.5, 1}, {0, 1, 0});
  expect_as_in_the_open({{2, 3, 2.5}, -0.7, 2}, {2, -1, 1});
  expect_as_in_the_open({{2, 3, 2.5}, 2, 1}, {1, -2, 0});
}

INSTANTIATE_TEST_SUITE_P(Bodies, CellsUnderSchemes,
                         testing::Values("stewart-trinkle", "moreau-jean", "moreau-midpoint",
                                         "moreau-combined-projection", "newmark",
                                         "generalized-alpha", "rattle", "schatzman-paoli",
                                         "event-driven"),
                         plain_name);

// Nine balls in a cell that is sheared: impacts across all of its borders.
std::vector<Ball> make_gas(const Cell& cell) {
  std::vector<Ball> balls;
  for (int k = 0; k < 9; ++k) {
    const Vector3 place((k % 3) * cell.period.x() / 3, (k / 3) * cell.period.y() / 3, 0.02 * k);
    const Vector3 own(std::sin(3 * k + 1), std::cos(5 * k), 0.3 * std::sin(7 * k));
    balls.push_back({0.3,
                     place,
                     own + Vector3(cell.rate * place[cell.normal], 0, 0),
                     {0, std::sin(k), std::cos(k)}});
  }
  return balls;
}

// Momentum stays, the ledger knows the work of the cell, and where a body stands does not matter.
TEST(ShearedCell, IsTheSameFromWhereverItIsSeenUnderOtherSchemes) {
  const Cell cell{{2.4, 2.2, 2.6}, 1.5, 1};
  for (const char* scheme : {"moreau-jean", "newmark"}) {
    SCOPED_TRACE(scheme);
    const std::vector<Ball> gas = make_gas(cell);
    std::vector<Ball> moved = gas;
    std::vector<Vector3> shifts, drifts;
    for (std::size_t k = 0; k < gas.size(); ++k) {
      const std::array<int, 3> image = {static_cast<int>(k % 3) - 1, static_cast<int>(k % 2),
                                        static_cast<int>(k % 5) - 2};
      shifts.push_back(cell.shift(image));
      drifts.push_back(cell.drift(image));
      moved[k].position += shifts.back();
      moved[k].velocity += drifts.back();
    }
    const Scene scene = cell_scene(cell.text(), gas, scheme, 1e-3, 0.3),
                moved_scene = cell_scene(cell.text(), moved, scheme, 1e-3, 0.3);
    const auto run = make_run(scene, 1), other = make_run(moved_scene, 1);
    double fed = 0, contacts = 0;
    run_to_end(*run, [&] {
      fed += std::abs(run->energy().work_contact);
      contacts += run->energy().work_impact < 0;
    });
    run_to_end(*other);
    EXPECT_GT(contacts, 3);
    EXPECT_GT(fed, 0);
    Vector3 momentum = Vector3::Zero();
    for (int k = 0; k < 9; ++k) {
      const auto at = static_cast<std::size_t>(k);
      momentum += velocity(*run, k) - gas[at].velocity;  // all of one mass
      EXPECT_LT((velocity(*other, k) - drifts[at] - velocity(*run, k)).norm(), 1e-6) << k;
      EXPECT_LT((position(*other, k) - shifts[at] - 0.3 * drifts[at] - position(*run, k)).norm(),
                1e-6)
          << k;
    }
    EXPECT_LT(momentum.norm(), 1e-10);
  }
}

// The same motion as the default step gives, but for the orders of both.
TEST(ShearedCell, MovesAsByTheDefaultStep) {
  const Cell cell{{2.4, 2.2, 0}, 1.5, 1};
  const std::vector<Ball> balls = {{0.3, {0.2, 0.4, 0}, {-0.6, -1, 0}, {0, 0, 2}},
                                   {0.3, {0.1, 1.7, 0}, {2.55, 0.5, 0}, {0, 0, 0}}};
  const auto end_of = [&](const char* scheme, double h) {
    const Scene scene = cell_scene(cell.text(), balls, scheme, h, 0.9);
    const auto run = make_run(scene, 1);
    long impacts = 0;
    run_to_end(*run, [&] { impacts += run->energy().work_impact < -1e-9; });
    EXPECT_GE(impacts, 1) << scheme;
    Vector result(12);
    result << velocity(*run, 0), velocity(*run, 1), position(*run, 0), position(*run, 1);
    return result;
  };
  const Vector reference = end_of("stewart-trinkle", 2.5e-5);
  for (const char* scheme : {"moreau-jean", "newmark"}) {
    const double coarse = (end_of(scheme, 1e-3) - reference).norm(),
                 fine = (end_of(scheme, 1e-4) - reference).norm();
    EXPECT_LT(coarse, 2e-2) << scheme;
    EXPECT_LT(fine, 3e-3) << scheme;
  }
}

// In a cell that is sheared by half of itself in a step nobody knows what may close.
TEST(ShearedCell, ThatShearsTooMuchInAStepIsRefusedUnderEveryScheme) {
  for (const double rate : {60.0, -120.0}) {
    for (const char* scheme : {"stewart-trinkle", "moreau-jean", "newmark"}) {
      const auto start = [&] {
        const Scene scene =
            cell_scene(Cell{{9, 9, 0}, rate, 1}.text(), {Ball{0.3}}, scheme, 0.01, 0.1);
        (void)make_run(scene, 1);
      };
      try {
        start();
        ADD_FAILURE() << scheme << " takes it";
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("it must be below 0.5"), std::string::npos)
            << scheme << ": " << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace clack
