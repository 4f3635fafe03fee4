// Measures of samples against closed forms.
#include "clack/analyse/sample_measures.hpp"
#include "clack/analyse/world_quantities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "clack/analyse/sample_profiles.hpp"
#include "clack/core/error.hpp"
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

void take_steps(test::BodySimulation& simulation, int count) {
  for (int k = 0; k < count; ++k) ASSERT_EQ(simulation.step(), Status::converged);
}

TEST(SampleMeasures, AColumnOfSpheresBearsItsWeightFromTopToBottom) {
  const int n = 4;
  const double radius = 0.1;
  Arrangement setup;
  setup.add_plane(Vector3::UnitZ());
  for (int k = 0; k < n; ++k) setup.add(make_shape(Sphere(radius)), {0, 0, radius * (1 + 2 * k)});
  const double weight = setup.last_body().mass * kGravity;
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-13);
  take_steps(simulation, 5);
  const SampleSummary s = SampleMeasures(*setup.world).summarise(simulation);
  EXPECT_EQ(s.contacts, n);
  EXPECT_NEAR(s.max_normal_force, n * weight, 1e-7 * weight);
  EXPECT_NEAR(s.mean_normal_force, 0.5 * (n + 1) * weight, 1e-7 * weight);
  EXPECT_DOUBLE_EQ(s.strong_share, 0.5);  // 3 and 4 times the weight; the mean is 2.5 times
  EXPECT_DOUBLE_EQ(s.coordination, (2.0 * n - 1) / n);
  EXPECT_EQ(s.rattlers, n);
  EXPECT_TRUE(std::isnan(s.coordination_backbone));
  EXPECT_TRUE(std::isnan(s.solid_fraction));
  EXPECT_NEAR(compute_resultant(simulation, 0).force.z(), -n * weight, 1e-7 * weight);
  EXPECT_NEAR(s.fabric[2], 1, 1e-14);

  const std::vector<double> density = compute_force_histogram(simulation, 10, 2.5);
  // f/<f> = 0.4, 0.8, 1.2, 1.6, each with the share 1/4 in bins of 1/4.
  const std::vector<double> expected = {0, 1, 0, 1, 1, 0, 1, 0, 0, 0};
  for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(density[k], expected[k], 1e-12) << k;
}

// A cube of 27 frictionless spheres in a corner, pressed by three plates.
struct PressedCube {
  static constexpr double kSide = 0.2, kPressure = 500;
  Arrangement setup{0.0};
  SampleSettings settings;

  PressedCube() {
    setup.world->gravity.setZero();
    for (int axis = 0; axis < 3; ++axis) setup.add_plane(Vector3::Unit(axis));
    for (int k = 0; k < 27; ++k)
      setup.add(make_shape(Sphere(kSide / 2)),
                kSide * Vector3(k % 3 + 0.5, k / 3 % 3 + 0.5, k / 9 + 0.5));
    const std::string force = std::to_string(-kPressure * 9 * kSide * kSide);
    for (int axis = 0; axis < 3; ++axis) {
      Vector3 half = Vector3::Constant(1.4 * kSide), centre = Vector3::Constant(1.5 * kSide);
      half[axis] = 0.25 * kSide;
      centre[axis] = 3.25 * kSide;
      setup.add(make_shape(Box(half)), centre);
      std::array<std::string, 6> load = {"0", "0", "0", "0", "0", "0"};
      load[static_cast<std::size_t>(axis)] = force;
      setup.last_body().load = BodyFunctions(load);
    }
    settings.region = BoundingBox{Vector3::Zero(), Vector3::Constant(3 * kSide)};
  }
};

TEST(SampleMeasures, ACubicPackingHasItsFabricItsFractionAndThePressureOfItsPlates) {
  PressedCube cube;
  test::BodySimulation simulation = cube.setup.simulate(1e-3, 1e-12);
  take_steps(simulation, 3);
  const SampleSummary s = SampleMeasures(*cube.setup.world, cube.settings).summarise(simulation);
  EXPECT_EQ(s.bodies, 27);
  EXPECT_NEAR(s.solid_fraction, std::numbers::pi / 6, 1e-12);
  EXPECT_EQ(s.contacts, 108);
  EXPECT_EQ(s.sliding, 108);  // without friction every contact is at its limit
  EXPECT_DOUBLE_EQ(s.coordination, 6);
  EXPECT_DOUBLE_EQ(s.neighbours, 6);
  EXPECT_EQ(s.rattlers, 0);
  EXPECT_DOUBLE_EQ(s.coordination_backbone, 6);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(s.fabric[k], 1.0 / 3, 1e-12);
    EXPECT_NEAR(s.stress[k], PressedCube::kPressure, 1e-5 * PressedCube::kPressure);
    EXPECT_NEAR(s.stress[k + 3], 0, 1e-5 * PressedCube::kPressure);
    EXPECT_NEAR(s.fabric[k + 3], 0, 1e-12);
  }
  EXPECT_NEAR(s.pressure, PressedCube::kPressure, 1e-5 * PressedCube::kPressure);
  EXPECT_NEAR(s.mean_normal_force, PressedCube::kPressure * PressedCube::kSide * PressedCube::kSide,
              1e-4);
}

TEST(SampleMeasures, TheInertialNumberFollowsItsDefinition) {
  PressedCube cube;
  cube.settings.shear_rate = -3;
  test::BodySimulation simulation = cube.setup.simulate(1e-3, 1e-12);
  take_steps(simulation, 3);
  const double expected =
      3 * PressedCube::kSide * std::sqrt(1000 / PressedCube::kPressure);  // 1000 kg/m^3
  EXPECT_NEAR(
      SampleMeasures(*cube.setup.world, cube.settings).summarise(simulation).inertial_number,
      expected, 1e-4 * expected);
}

TEST(SampleMeasures, AWallFeelsTheWeightAndItsMoment) {
  Arrangement setup;
  setup.add_plane(Vector3::UnitZ());
  setup.add(make_shape(Sphere(0.1)), {0.3, 0.2, 0.1});
  setup.add(make_shape(Box({0.1, 0.2, 0.1})), {-0.4, 0.1, 0.1});
  const double sphere = setup.world->bodies[1].mass * kGravity,
               box = setup.world->bodies[2].mass * kGravity;
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-13);
  take_steps(simulation, 3);
  const ContactResultant sum = compute_resultant(simulation, 0);
  EXPECT_NEAR(sum.force.z(), -(sphere + box), 1e-6);
  EXPECT_NEAR(sum.torque.x(), -0.2 * sphere - 0.1 * box, 1e-6);
  EXPECT_NEAR(sum.torque.y(), 0.3 * sphere - 0.4 * box, 1e-6);
  EXPECT_NEAR(sum.force.x(), 0, 1e-6);
  // Four points of the box are one neighbour.
  EXPECT_DOUBLE_EQ(SampleMeasures(*setup.world).summarise(simulation).neighbours, 1);
}

TEST(SampleMeasures, RattlersAreTakenOutUntilNoneIsLeft) {
  Arrangement setup(0.8, 0, true);
  setup.add_plane(Vector3::UnitY());
  const ShapePtr disc = make_shape(Disc(0.1));
  setup.add(disc, {0, 0.1, 0});  // a pyramid of three
  setup.add(disc, {0.2, 0.1, 0});
  setup.add(disc, {0.1, 0.1 + 0.1 * std::sqrt(3.0), 0});
  setup.add(disc, {1, 0.1, 0});  // a column of two: the upper one is a rattler, then the lower
  setup.add(disc, {1, 0.3, 0});
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
  take_steps(simulation, 3);
  const SampleSummary s = SampleMeasures(*setup.world).summarise(simulation);
  EXPECT_EQ(s.rattlers, 2);
  EXPECT_GE(s.coordination_backbone, 2);
  EXPECT_EQ(s.sticking, s.contacts);
}

TEST(SampleMeasures, PointsWithoutLoadAreOpenAndDoNotCount) {
  Arrangement setup;
  setup.add_plane(Vector3::UnitZ());
  setup.add(make_shape(Sphere(0.1)), {0, 0, 0.1});
  setup.add(make_shape(Sphere(0.1)), {0.2 + 1e-5, 0, 0.1});  // near enough to be a candidate
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
  take_steps(simulation, 3);
  const SampleSummary s = SampleMeasures(*setup.world, {}).summarise(simulation);
  EXPECT_EQ(s.open, 1);
  EXPECT_EQ(s.contacts, 2);
  EXPECT_DOUBLE_EQ(s.coordination, 1);
  EXPECT_TRUE(std::isnan(s.fabric[0]));  // no loaded point between free bodies
}

TEST(SampleMeasures, SlidingAndStickingAreToldApart) {
  for (const double slope : {0.3, 0.6}) {
    Arrangement setup(0.5);
    const Vector3 normal(std::sin(slope), 0, std::cos(slope));
    setup.add_plane(normal);
    setup.add(make_shape(Sphere(0.1)), 0.1 * normal).omega.y() = slope > 0.5 ? -100 : 0;
    test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
    take_steps(simulation, 3);
    const SampleSummary s = SampleMeasures(*setup.world).summarise(simulation);
    EXPECT_EQ(s.sliding, slope > 0.5);
    EXPECT_EQ(s.sticking, slope < 0.5);
    EXPECT_EQ(s.dissipated > 1e-6, slope > 0.5);
  }
}

TEST(SampleMeasures, AGasHasTheStressOfItsVelocitiesWithoutTheFlow) {
  for (const double rate : {0.0, 0.7}) {
    Arrangement setup(0, 1, true);
    setup.world->gravity.setZero();
    setup.world->period = {8, 6, 0};
    setup.world->shear_rate = rate;
    for (int k = 0; k < 12; ++k) {
      BodyState& s = setup.add(make_shape(Disc(0.1)), {2.0 * (k % 4), 2.0 * (k / 4) + 12, 0});
      s.v = setup.world->streaming_velocity(s.position) +
            Vector3(k % 2 ? 0.3 : -0.3, k % 2 ? 0.2 : -0.2, 0) + Vector3(5, 1, 0);
    }
    test::BodySimulation simulation = setup.simulate(1e-6);
    take_steps(simulation, 1);
    const double mass = 12 * setup.last_body().mass;
    const SampleSummary s = SampleMeasures(*setup.world).summarise(simulation);
    EXPECT_NEAR(s.stress[0], mass * 0.09 / 48, 1e-4);
    EXPECT_NEAR(s.stress[1], mass * 0.04 / 48, 1e-4);
    EXPECT_NEAR(s.stress[3], mass * 0.06 / 48, 1e-4);
    EXPECT_NEAR(s.solid_fraction, 12 * std::numbers::pi * 0.01 / 48, 1e-12);
    EXPECT_EQ(s.contacts, 0);
    EXPECT_TRUE(std::isnan(s.fabric[0]));
    SampleSettings lower;  // three rows at y = 12, 14, 16, two cells above
    lower.region = BoundingBox{Vector3::Zero(), Vector3(8, 3, 0)};
    EXPECT_EQ(SampleMeasures(*setup.world, lower).summarise(simulation).bodies, 8);
    EXPECT_NEAR(s.kinetic_energy, setup.world->kinetic_energy(simulation.state()), 1e-9);
  }
}

TEST(SampleMeasures, TheProfileOfAShearedCellIsTheFlowWhereverItsImagesStand) {
  Arrangement setup(0, 1, true);
  setup.world->gravity.setZero();
  setup.world->period = {4, 4, 0};
  setup.world->shear_rate = 0.5;
  for (int k = 0; k < 16; ++k) {
    BodyState& s =
        setup.add(make_shape(Disc(0.1)), {0.5 + k % 4, 0.5 + k / 4 + 4 * (k % 3 - 1), 0});
    s.v = setup.world->streaming_velocity(s.position);
  }
  test::BodySimulation simulation = setup.simulate(1e-3);
  take_steps(simulation, 2);
  const std::vector<ProfileBin> profile = compute_velocity_profile(simulation, 1, 0, 4, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_DOUBLE_EQ(profile[k].centre, 0.5 + static_cast<double>(k));
    EXPECT_NEAR(profile[k].mass, 4 * setup.last_body().mass, 1e-12);
    EXPECT_NEAR(profile[k].velocity.x(), 0.5 * profile[k].centre, 1e-12);
  }
  EXPECT_THROW(compute_velocity_profile(simulation, 2, 0, 4, 4), InputError);
  EXPECT_THROW(compute_velocity_profile(simulation, 1, 0, 0, 4), InputError);
}

TEST(SampleMeasures, MassThatPassesAPlaneIsCountedForwardAndBack) {
  Arrangement setup(0, 1);
  setup.add_plane(Vector3::UnitZ());
  for (int k = 0; k < 4; ++k) setup.add(make_shape(Sphere(0.1)), {0.5 * k, 0, 0.6 + 0.3 * k});
  setup.last_body().birth = 0.1;
  const double mass = setup.last_body().mass;
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
  MassFlow down({0, 0, 0.5}, {0, 0, -2});
  down.add(*setup.world, simulation.state());
  auto run_to = [&](double end) {
    run_world(simulation, end,
              [&](const test::BodySimulation& s) { down.add(s.world(), s.state()); });
  };
  // Down through the plane at 0.14, 0.29, 0.38 and, born late, 0.55 s; up again at 0.50, 0.52, 0.57
  // s.
  run_to(0.22);
  EXPECT_EQ(down.bodies(), 1);
  EXPECT_NEAR(down.mass(), mass, 1e-12);
  EXPECT_NEAR(down.mean_rate(), mass / 0.22, 1e-9);
  run_to(0.45);
  EXPECT_EQ(down.bodies(), 3);
  run_to(0.51);
  EXPECT_EQ(down.bodies(), 2);
  run_to(0.6);
  EXPECT_EQ(down.bodies(), 1);
  EXPECT_NEAR(down.mass(), mass, 1e-12);
}

TEST(SampleMeasures, AConeOfSpheresHasTheSlopeItWasBuiltWith) {
  for (const double slope : {0.35, 0.6}) {
    Arrangement setup;
    setup.add_plane(Vector3::UnitZ());
    const double top = 1;
    for (double z = 0.05; z < top; z += 0.1)
      for (double x = -3; x < 3.01; x += 0.1)
        for (double y = -3; y < 3.01; y += 0.1)
          if (z < top - std::hypot(x, y) * std::tan(slope))
            setup.add(make_shape(Sphere(0.05)), {x, y, z});
    for (int k = 0; k < 30; ++k)  // some have rolled away
      setup.add(make_shape(Sphere(0.05)),
                {std::cos(k) * (2.9 + 0.1 * k), std::sin(k) * (2.9 + 0.1 * k), 0.05});
    EXPECT_NEAR(compute_repose_angle(*setup.world, setup.state, 0.1), slope, 0.03);
  }
}

TEST(BodyQuantities, AreThoseOfTheState) {
  Arrangement setup;
  BodyState& s = setup.add(make_shape(Box({0.1, 0.2, 0.3})), {1, 2, 3},
                           Quaternion(Eigen::AngleAxisd(0.7, Vector3(1, 2, 2) / 3)));
  s.v = {4, 5, 6};
  s.omega = {7, 8, 9};
  const test::BodySimulation simulation = setup.simulate(1e-3);
  const BodyState& now = simulation.state().bodies[0];
  std::vector<WorldQuantity> all;
  for (int i = 0; i < static_cast<int>(body_quantity_list().size()); ++i) all.push_back({0, i});
  Vector values(static_cast<int>(all.size()));
  compute_quantities(all, simulation, SampleMeasures(*setup.world), values);
  const auto value = [&](const std::string& name) {
    const auto list = body_quantity_list();
    int i = 0;
    while (list[static_cast<std::size_t>(i)].name != name) ++i;
    return values[i];
  };
  const Matrix3 R = now.rotation.toRotationMatrix();
  const Vector3 spin = R * now.omega;
  for (int k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    EXPECT_EQ(value(axis), now.position[k]);
    EXPECT_EQ(value("v" + axis), now.v[k]);
    EXPECT_NEAR(value("w" + axis), spin[k], 1e-14);
    EXPECT_EQ(value("f" + axis), 0);
    EXPECT_EQ(value("t" + axis), 0);
    for (int j = 0; j < 3; ++j) EXPECT_EQ(value("e" + std::to_string(j + 1) + axis), R(k, j));
  }
  EXPECT_EQ(value("qw"), now.rotation.w());
  EXPECT_EQ(value("qz"), now.rotation.z());
}

TEST(BodyQuantities, OfThePlaneHaveTheAngle) {
  Arrangement setup(0.5, 0, true);
  setup.add(make_shape(Disc(0.1)), {0, 0, 0},
            Quaternion(Eigen::AngleAxisd(-2.5, Vector3::UnitZ())));
  Vector value(1);
  compute_quantities({{0, static_cast<int>(BodyQuantity::angle)}}, setup.simulate(1e-3),
                     SampleMeasures(*setup.world), value);
  EXPECT_NEAR(value[0], -2.5, 1e-14);
}

TEST(SampleMeasures, EveryNameOfTheListHasANumber) {
  std::set<std::string_view> names;
  for (const SampleQuantityInfo& info : sample_quantity_list()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.summary.empty());
  }
  PressedCube cube;
  test::BodySimulation simulation = cube.setup.simulate(1e-3);
  take_steps(simulation, 1);
  const SampleMeasures measures(*cube.setup.world);
  const std::vector<double> values = measures.compute(simulation);
  const SampleSummary summary = measures.summarise(simulation);
  ASSERT_EQ(values.size(), names.size());
  const auto value = [&](std::string_view name) {
    const auto list = sample_quantity_list();
    std::size_t i = 0;
    while (list[i].name != name) ++i;
    return values[i];
  };
  EXPECT_EQ(value("bodies"), summary.bodies);
  EXPECT_EQ(value("fabric_zz"), summary.fabric[2]);
  EXPECT_EQ(value("mean_normal_force"), summary.mean_normal_force);
  EXPECT_EQ(value("kinetic_energy"), summary.kinetic_energy);
}

}  // namespace
}  // namespace clack
