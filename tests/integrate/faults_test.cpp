// Steps that have no result end as numerical failures, and say which coordinate or contact is why.
#include <gtest/gtest.h>

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {
namespace {

Scene scene_of(const std::string& system, const std::string& scheme) {
  return parse_scene("scene", "clack: 1\nsystem:\n" + system +
                                  "simulation: {step: 0.01, end: 1, scheme: " + scheme + "}\n");
}

// Steps until one is not converged, at most to the end.
const Step& run_until_failure(Simulation& simulation, const Scene& scene, Status& status) {
  status = Status::converged;
  for (long k = 0; k < scene.step_count() && status == Status::converged; ++k) {
    status = simulation.step();
  }
  return simulation.last_step();
}

// Finite forces whose derivatives become infinite on the way.
const std::string kStiff = R"yaml(  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*x'^2 + 0.5*y'^2
  forces: {y: "if(t > 0.045, sqrt(abs(y)), 0)"
}
)yaml";
const std::string kDamped = R"yaml(  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*x'^2 + 0.5*y'^2
  forces: {y: "if(t > 0.045, -sqrt(abs(y')), 0)"
}
)yaml";

TEST(Faults, AnInfiniteDerivativeEndsTheRunAndNamesTheCoordinate) {
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == "statics") continue;
    for (const bool damped : {false, true}) {
      const Scene scene = scene_of(damped ? kDamped : kStiff, std::string(info.name));
      Simulation simulation(scene.system, scene.initial, scene.options);
      Status status;
      const Step& step = run_until_failure(simulation, scene, status);
      const bool needed =
          damped ? simulation.scheme().needs_damping() : simulation.scheme().needs_stiffness();
      EXPECT_EQ(status, needed ? Status::numerical_failure : Status::converged) << info.name;
      EXPECT_TRUE(simulation.q().allFinite()) << info.name;
      if (!needed) continue;
      EXPECT_NE(step.solve.note.find("the derivative of the force on coordinate 'y' by the"),
                std::string::npos)
          << info.name << ": " << step.solve.note;
      EXPECT_NEAR(simulation.time(), 0.05, 0.011) << info.name;
    }
  }
}

TEST(Faults, AnInfiniteDerivativeAtTheStartIsRefusedWhereTheSchemeTakesIt) {
  const std::string power = R"yaml(  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*x'^2 + 0.5*y'^2
  potential: abs(x)^1.5 + abs(y)^1.5
)yaml";
  int refused = 0;
  for (const SchemeInfo& info : scheme_list()) {
    try {
      const Scene scene = scene_of(power, std::string(info.name));
      Simulation simulation(scene.system, scene.initial, scene.options);
      EXPECT_EQ(simulation.step(), Status::converged) << info.name;
    } catch (const SceneError& error) {
      ++refused;
      EXPECT_NE(
          std::string(error.what()).find("the derivative of the force on coordinate 'x' by the"),
          std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(refused, 11);
}

TEST(Faults, AGapThatIsNotANumberEndsTheRunAndNamesTheContact) {
  const std::string system = R"yaml(  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*x'^2 + 0.5*y'^2
  potential: x
  contacts: [{name: floor, gap: sqrt(x + 0.05) + 1}]
)yaml";
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == "statics") continue;
    const Scene scene = scene_of(system, std::string(info.name));
    Simulation simulation(scene.system, scene.initial, scene.options);
    Status status;
    const Step& step = run_until_failure(simulation, scene, status);
    EXPECT_EQ(status, Status::numerical_failure) << info.name;
    EXPECT_NE(step.solve.note.find("the gap of 'floor' is"), std::string::npos)
        << info.name << ": " << step.solve.note;
    EXPECT_NEAR(simulation.time(), std::sqrt(0.1), 0.021) << info.name;
  }
}

TEST(Faults, AGradientThatIsNotFiniteIsRefusedAtTheStart) {
  const std::string system = R"yaml(  type: lagrangian
  coordinates: [x]
  kinetic: 0.5*x'^2
  potential: x
  contacts: [{name: floor, gap: sqrt(x)}]
)yaml";
  try {
    (void)scene_of(system, "moreau-jean");
    ADD_FAILURE() << "taken";
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("the derivative of the gap of 'floor' by the coordinate 'x' is infinite"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace clack
