// Periodic cells, at rest and sheared: where the cell begins must not matter.
#include <gtest/gtest.h>

#include <random>

#include "clack/core/error.hpp"
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

// Two balls that meet across the boundary, and the same two in the open.
void expect_same_as_in_the_open(const Vector3& period, double rate, int normal, double offset,
                                const std::array<int, 3>& image) {
  Arrangement cell(0.3, 0.6), open(0.3, 0.6);
  for (Arrangement* one : {&cell, &open}) one->world->gravity.setZero();
  cell.world->period = period;
  cell.world->shear_rate = rate;
  cell.world->shear_normal = normal;
  cell.state.shear_offset = offset;
  const Vector3 direction = Vector3(1, 2, 2) / 3;
  Vector3 shift(image[0] * period.x(), image[1] * period.y(), image[2] * period.z()),
      drift(0, 0, 0);
  if (rate != 0) {
    shift.x() += image[static_cast<std::size_t>(normal)] * offset;
    drift.x() = image[static_cast<std::size_t>(normal)] * rate * period[normal];
  }
  const Vector3 a(0.1, 0.2, 0.3), b = a + 0.5003 * direction,  // not at the end of a step
      v_b = -1.5 * direction;
  for (Arrangement* one : {&cell, &open}) one->add(make_shape(Sphere(0.2)), a).omega = {1, 5, 2};
  open.add(make_shape(Sphere(0.15)), b).v = v_b;
  cell.add(make_shape(Sphere(0.15)), b - shift).v = v_b - drift;
  test::BodySimulation in_cell = cell.simulate(1e-3, 1e-13), in_open = open.simulate(1e-3, 1e-13);
  run_world(in_open, 0.25);
  run_world(in_cell, 0.25);
  ASSERT_GT(in_open.state().bodies[0].v.norm(), 0.1);
  const BodyState &first = in_cell.state().bodies[0], &second = in_cell.state().bodies[1];
  EXPECT_LT((first.v - in_open.state().bodies[0].v).norm(), 1e-10);
  EXPECT_LT((first.omega - in_open.state().bodies[0].omega).norm(), 1e-9);
  EXPECT_LT((first.position - in_open.state().bodies[0].position).norm(), 1e-10);
  EXPECT_LT((second.v + drift - in_open.state().bodies[1].v).norm(), 1e-10);
}

TEST(WorldPeriodic, BallsMeetAcrossTheBoundaryAsInTheOpen) {
  expect_same_as_in_the_open({2, 0, 0}, 0, 1, 0, {1, 0, 0});
  expect_same_as_in_the_open({2, 3, 0}, 0, 1, 0, {-1, 2, 0});
  expect_same_as_in_the_open({2, 3, 2.5}, 0, 1, 0, {1, -1, 1});
}

TEST(WorldPeriodic, BallsMeetAcrossTheBoundaryOfAShearedCellAsInTheOpen) {
  for (const double offset : {0.0, 0.4, 1.0, -0.9}) {
    expect_same_as_in_the_open({2, 3, 0}, 0.5, 1, offset, {0, 1, 0});
    expect_same_as_in_the_open({2, 3, 2.5}, -0.7, 2, offset, {2, -1, 1});
    expect_same_as_in_the_open({2, 3, 2.5}, 2, 1, offset, {1, -2, 0});
  }
}

// Bodies at rest whose images pass at high speed must be seen in time.
TEST(WorldPeriodic, AnImageThatPassesFastIsNotMissed) {
  Arrangement cell(0, 0);
  cell.world->gravity.setZero();
  cell.world->period = {4, 2, 0};
  cell.world->shear_rate = 5;  // eleven cells apart: they pass at 110 m/s, two radii a step
  cell.add(make_shape(Sphere(0.1)), {0, 0.95, 0});
  cell.add(make_shape(Sphere(0.1)), {-1, -20.95, 0});
  test::BodySimulation simulation = cell.simulate(2e-3, 1e-12);
  double lowest = 1;
  run_world(simulation, 1, [&](const test::BodySimulation& s) {
    for (const WorldContact& contact : s.contacts()) lowest = std::min(lowest, contact.gap);
  });
  EXPECT_GT(lowest, -1e-9);
  EXPECT_GT(std::abs(simulation.state().bodies[0].v.y()), 0.01);
}

// A gas of balls or discs, some of them boxes.
Arrangement make_gas(bool planar, const Vector3& period, double rate, int normal, unsigned seed) {
  Arrangement setup(0.4, 0.8, planar);
  setup.world->gravity.setZero();
  setup.world->period = period;
  setup.world->shear_rate = rate;
  setup.world->shear_normal = normal;
  if (rate != 0) setup.state.shear_offset = 0.3;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> speed;
  const int layers = planar ? 1 : 3;
  for (int k = 0; k < 9 * layers; ++k) {
    const Vector3 place((k % 3) * period.x() / 3, (k / 3 % 3) * period.y() / 3,
                        planar ? 0 : (k / 9) * period.z() / 3);
    const ShapePtr shape = planar  ? make_shape(Disc(0.3))
                           : k % 4 ? make_shape(Sphere(0.3))
                                   : make_shape(Box({0.2, 0.25, 0.15}));
    BodyState& s = setup.add(shape, place);
    s.v = Vector3(speed(random), speed(random), planar ? 0 : speed(random)) +
          setup.world->streaming_velocity(place);
    s.omega.z() = speed(random);
  }
  return setup;
}

struct Cell {
  bool planar;
  Vector3 period;
  double rate;
  int normal;
};

const std::vector<Cell> kCells = {{false, {2.4, 2.4, 2.4}, 0, 1},
                                  {true, {2.4, 2.7, 0}, 0, 1},
                                  {false, {2.4, 2.1, 2.3}, 3, 1},
                                  {false, {2.2, 2.5, 2.3}, -2, 2},
                                  {true, {2.3, 2.4, 0}, 2.5, 1}};

TEST(WorldPeriodic, AShiftOfAllBodiesOrOfEachByTheLatticeChangesNothing) {
  for (const Cell& cell : kCells) {
    const Arrangement setup = make_gas(cell.planar, cell.period, cell.rate, cell.normal, 3);
    Arrangement moved = setup;
    std::mt19937_64 random(7);
    std::uniform_int_distribution<int> cells(-2, 2);
    std::vector<Vector3> shifts;
    const Vector3 all(0.77, -1.3, cell.planar ? 0 : 0.45);
    for (BodyState& s : moved.state.bodies) {
      Vector3 shift = all;
      std::array<int, 3> k = {cells(random), cells(random), cells(random)};
      for (int axis = 0; axis < 3; ++axis)
        shift[axis] += k[static_cast<std::size_t>(axis)] * cell.period[axis];
      const Vector3 faster = setup.world->streaming_velocity(shift);
      shift.x() += k[static_cast<std::size_t>(cell.normal)] * setup.state.shear_offset;
      s.position += shift;
      s.v += faster;
      shifts.push_back(shift);
    }
    test::BodySimulation one = setup.simulate(1e-3, 1e-13), other = moved.simulate(1e-3, 1e-13);
    long contacts = 0;
    run_world(one, 0.15, [&](const test::BodySimulation& s) {
      for (const double r : s.r()) contacts += r > 0;
    });
    run_world(other, 0.15);
    ASSERT_GT(contacts, 3);
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      const BodyState &x = one.state().bodies[i], &y = other.state().bodies[i];
      const Vector3 faster = setup.world->streaming_velocity(moved.state.bodies[i].position -
                                                             setup.state.bodies[i].position);
      ASSERT_LT((y.v - faster - x.v).norm(), 1e-8) << i;
      ASSERT_LT((y.position - shifts[i] - 0.15 * faster - x.position).norm(), 1e-8) << i;
      ASSERT_LT((y.omega - x.omega).norm(), 1e-7) << i;
    }
  }
}

TEST(WorldPeriodic, MomentumStaysAndTheLedgerKnowsTheWorkOfTheCell) {
  for (const Cell& cell : kCells) {
    const Arrangement setup = make_gas(cell.planar, cell.period, cell.rate, cell.normal, 5);
    test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
    auto momentum = [&] {
      Vector3 sum = Vector3::Zero();
      for (std::size_t i = 0; i < setup.world->bodies.size(); ++i)
        sum += setup.world->bodies[i].mass * simulation.state().bodies[i].v;
      return sum;
    };
    const Vector3 start = momentum();
    const double energy = simulation.energy().kinetic;
    double fed = 0, lost = 0, numerical = 0;
    run_world(simulation, 0.5, [&](const test::BodySimulation& s) {
      fed += s.energy().work_contact;
      lost += s.energy().work_impact + s.energy().work_friction;
      numerical += s.energy().numerical;
    });
    EXPECT_LT((momentum() - start).norm(), 1e-10 * (1 + start.norm()));
    EXPECT_NEAR(simulation.energy().kinetic - energy, fed + lost + numerical, 1e-9 * energy);
    EXPECT_EQ(fed != 0, cell.rate != 0);
    EXPECT_LT(lost, -0.01 * energy);
  }
}

TEST(WorldPeriodic, ASampleUnderShearFlowsUniformly) {
  const double side = 4.4, rate = 1;
  Arrangement setup(0.3, 0.3, true);
  setup.world->gravity.setZero();
  setup.world->period = {side, side, 0};
  setup.world->shear_rate = rate;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> radius(0.42, 0.5), push(-0.3, 0.3);
  for (int k = 0; k < 16; ++k) {
    BodyState& s = setup.add(make_shape(Disc(radius(random))), {1.1 * (k % 4), 1.1 * (k / 4), 0});
    s.v = setup.world->streaming_velocity(s.position) + Vector3(push(random), push(random), 0);
  }
  test::BodySimulation simulation = setup.simulate(5e-3, 1e-8);
  double product = 0, square = 0;
  while (simulation.time() < 12) {
    ASSERT_EQ(simulation.step(), Status::converged);
    ASSERT_NO_FATAL_FAILURE(expect_closed_ledger(simulation));
    for (const BodyState& s : simulation.state().bodies) {
      const double cells = std::floor(s.position.y() / side);
      const double y = s.position.y() - (cells + 0.5) * side;
      product += y * (s.v.x() - cells * rate * side);
      square += y * y;
    }
  }
  EXPECT_NEAR(product / square, rate, 0.1 * rate);
}

TEST(WorldPeriodic, ARestartInAShearedCellKeepsItsOffset) {
  const Arrangement setup = make_gas(true, {2.3, 2.4, 0}, 2.5, 1, 9);
  test::BodySimulation whole = setup.simulate(1e-3), again = setup.simulate(1e-3);
  run_world(whole, 0.2);
  again.restore(whole.checkpoint());
  run_world(whole, 0.4);
  run_world(again, 0.4);
  EXPECT_EQ(again.state().shear_offset, whole.state().shear_offset);
  for (std::size_t i = 0; i < whole.state().bodies.size(); ++i)
    EXPECT_EQ(again.state().bodies[i].position, whole.state().bodies[i].position);
}

// Positions are not moved back: a body that falls through the cell for ever loses m g y.
TEST(WorldPeriodic, APotentialDoesNotJumpAtTheBoundary) {
  Arrangement setup;
  setup.world->period = {0, 0, 1};
  setup.add(make_shape(Sphere(0.1)), {0, 0, 0});
  test::BodySimulation simulation = setup.simulate(1e-3);
  run_world(simulation, 2);
  EXPECT_NEAR(simulation.energy().kinetic, 0.5 * setup.last_body().mass * 4 * kGravity * kGravity,
              1e-8);
  EXPECT_LT(simulation.state().bodies[0].position.z(), -19);
}

TEST(WorldPeriodic, CellsThatCannotBeAreRefused) {
  auto expect_refused = [](const std::function<void(Arrangement&)>& change) {
    Arrangement setup;
    setup.world->period = {3, 3, 3};
    setup.add(make_shape(Sphere(0.1)), {0, 0, 0});
    EXPECT_NO_THROW(setup.simulate(1e-3));
    change(setup);
    EXPECT_THROW(setup.simulate(1e-3), InputError);
  };
  expect_refused([](Arrangement& a) { a.world->period.x() = -1; });
  expect_refused([](Arrangement& a) { a.world->shear_rate = 1, a.world->period.x() = 0; });
  expect_refused([](Arrangement& a) { a.world->shear_rate = 1, a.world->period.y() = 0; });
  expect_refused([](Arrangement& a) { a.world->shear_rate = 1, a.world->shear_normal = 0; });
  expect_refused([](Arrangement& a) { a.world->shear_rate = 600; });
  expect_refused([](Arrangement& a) { a.state.shear_offset = 1; });
  expect_refused([](Arrangement& a) { a.add_plane(Vector3::UnitZ()); });
  expect_refused([](Arrangement& a) {
    a.world->shear_rate = 1, a.world->period.z() = 0, a.add_plane(Vector3::UnitZ());
  });
}

}  // namespace
}  // namespace clack
