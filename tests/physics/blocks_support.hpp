// What tests of blocks and masonry share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "clack/core/error.hpp"
#include "tests/physics/support.hpp"

namespace clack::test {

inline std::string set(const std::string& path, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "=%.17g", value);
  return path + text;
}
inline std::string parameter(const std::string& name, double value) {
  return set("parameters." + name, value);
}

inline const BodyState& body_state(const test::BodySimulation& simulation,
                                   const std::string& name) {
  const LargeArray<Body>& bodies = simulation.world().bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].name == name) return simulation.state().bodies[i];
  }
  throw InputError("no body '" + name + "'");
}

inline double mechanical_energy(const test::BodySimulation& simulation) {
  return simulation.energy().kinetic + simulation.energy().potential;
}

inline void expect_solved(const Outcome& outcome) {
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(outcome.balance, 1e-11);
}

// A circular arch under its own weight as a problem of lines of thrust (Heyman). Voussoirs are
// those of the sample `arch`: flat from joint to joint. Of the half from the crown to the joint at
// the angle a, W is the weight and X its moment about the crown's vertical. A thrust H at the
// height y in the crown, M = H y, meets that joint within the stone, at a radius from r to R, if
//
//     H r cos(a) + W r sin(a) - X <= M <= H R cos(a) + W R sin(a) - X
//
// for all joints: two unknowns H, M. Density times gravity is 1, the depth 1.
class ThrustLine {
 public:
  ThrustLine(double radius, double half_angle, double thickness, int voussoirs)
      : inner_(radius - thickness / 2), outer_(radius + thickness / 2) {
    const double step = 2 * half_angle / voussoirs;
    const double first = voussoirs % 2 == 0 ? 0 : -step / 2;  // half a keystone
    double weight = 0, moment = 0;
    if (voussoirs % 2 == 0) joints_.push_back({0, 0, 0});
    for (int k = 0; k < (voussoirs + 1) / 2; ++k) {
      const double from = std::max(first + k * step, 0.0), to = first + (k + 1) * step;
      const double chord = std::cos(step / 2);  // distance of a flat side over its radius
      const double middle = first + (k + 0.5) * step;
      weight += area(outer_, chord, from - middle, to - middle) -
                area(inner_, chord, from - middle, to - middle);
      moment += lever(outer_, chord, middle, from - middle, to - middle) -
                lever(inner_, chord, middle, from - middle, to - middle);
      joints_.push_back({to, weight, moment});
    }
  }
  double weight() const { return 2 * joints_.back().weight; }

  // Largest over H of what is left between the two bounds of M; > 0: the arch can stand.
  double margin() const { return room(best_thrust()); }
  // Least and greatest thrust of the arch that stands.
  double least_thrust() const { return last_thrust(0); }
  double greatest_thrust() const { return last_thrust(3 * weight()); }

 private:
  struct Joint {
    double angle, weight, moment;
  };
  // The triangle from the centre to a flat side at the distance d = radius chord, between two
  // angles from the side's normal, which points in the direction `middle`.
  static double area(double radius, double chord, double from, double to) {
    const double d = radius * chord;
    return 0.5 * d * d * (std::tan(to) - std::tan(from));
  }
  static double lever(double radius, double chord, double middle, double from, double to) {
    const double d = radius * chord;
    const double along = d, across = 0.5 * d * (std::tan(from) + std::tan(to));
    return area(radius, chord, from, to) * 2 / 3 *
           (along * std::sin(middle) + across * std::cos(middle));
  }
  double room(double thrust) const {
    double lower = -HUGE_VAL, upper = HUGE_VAL;
    for (const Joint& joint : joints_) {
      const double across = thrust * std::cos(joint.angle) + joint.weight * std::sin(joint.angle);
      lower = std::max(lower, inner_ * across - joint.moment);
      upper = std::min(upper, outer_ * across - joint.moment);
    }
    return upper - lower;
  }
  double best_thrust() const {  // room is concave
    double low = 0, high = 3 * weight();
    for (int i = 0; i < 200; ++i) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (room(a) < room(b) ? low : high) = room(a) < room(b) ? a : b;
    }
    return 0.5 * (low + high);
  }
  double last_thrust(double outside) const {
    double inside = best_thrust();
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (inside + outside);
      (room(middle) > 0 ? inside : outside) = middle;
    }
    return inside;
  }

  double inner_, outer_;
  std::vector<Joint> joints_;
};

// The least thickness of a semicircular arch over its mean radius.
inline double least_thickness(int voussoirs) {
  double low = 0.01, high = 0.3;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (ThrustLine(1, M_PI / 2, middle, voussoirs).margin() > 0 ? high : low) = middle;
  }
  return high;
}

// Whether examples/masonry_arch.yaml with that thickness still stands at the end.
inline bool arch_stands(double ratio, int voussoirs, double end) {
  const std::string keystone = "arch_" + std::to_string((voussoirs + 1) / 2) + "_vy";
  const Scene scene =
      example("masonry_arch", {parameter("ratio", ratio), set("simulation.end", end),
                               set("system.bodies.1.sample.arch.voussoirs", voussoirs),
                               "measures=[{name: sinking, of: \"-" + keystone + "\", take: max}]"});
  const Outcome outcome = run_world(scene);
  expect_solved(outcome);
  return outcome.measures.at("sinking") < 1e-4;
}

}  // namespace clack::test
