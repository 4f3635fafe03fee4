// Mechanisms of scenes as tests run them, under any scheme.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "clack/analyse/ledger.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"
#include "clack/record/run.hpp"

namespace clack::test {

constexpr double kPi = std::numbers::pi;

inline std::string scheme_is(const std::string& name) { return "simulation.scheme=" + name; }

inline std::string step_is(double h) {
  char text[64];
  std::snprintf(text, sizeof text, "simulation.step=%.17g", h);
  return text;
}

class Mechanism {
 public:
  explicit Mechanism(Scene scene)
      : scene_(std::move(scene)), run_(make_run(scene_, 1)), ledger_(run_->energy()) {
    start_energy_ = energy();
  }
  // One of examples/, with assignments as --set takes them.
  static Mechanism example(const std::string& name, const std::vector<std::string>& set = {}) {
    return Mechanism(load_scene(CLACK_SOURCE_DIR "/examples/" + name + ".yaml", set));
  }
  static Mechanism text(const std::string& text, const std::vector<std::string>& set = {}) {
    return Mechanism(parse_scene("scene", text, set));
  }

  void step() {
    if (run_->step() != Status::converged) ++failed_;
    ledger_.add(run_->energy());
    run_->collect_drift(drifts_);
    for (const double x : drifts_) drift_ = std::max(drift_, x);
    energy_error_ = std::max(energy_error_, std::abs(energy() - start_energy_));
  }
  void run_to(double end) {
    while (run_->time() < end - 1e-6 * scene_.options.h) {
      step();
      if (!std::isfinite(energy())) break;
    }
  }
  // All steps solved and the ledger closed.
  void expect_sound(const std::string& what = {}) const {
    EXPECT_EQ(failed_, 0) << what;
    EXPECT_LT(ledger_.relative_error(), 1e-12) << what;
  }

  Run& run() { return *run_; }
  const RigidWorld& world() const { return *scene_.world; }
  const System& system() const { return *scene_.system; }
  double time() const { return run_->time(); }
  double h() const { return scene_.options.h; }
  long failed() const { return failed_; }
  double drift() const { return drift_; }                // largest so far [m, rad]
  double energy_error() const { return energy_error_; }  // largest change so far [J]
  double energy() const { return run_->energy().kinetic + run_->energy().potential; }
  const EnergyAudit& totals() const { return ledger_.totals(); }

  Vector3 position(const std::string& body) const { return at(body).position; }
  Vector3 velocity(const std::string& body) const { return at(body).v; }
  // Angular velocity in the frame of the surroundings [rad/s].
  Vector3 spin(const std::string& body) const {
    const BodyState s = at(body);
    return s.rotation * s.omega;
  }
  // Of a point of a body, in the body's frame.
  Vector3 point(const std::string& body, const Vector3& local) const {
    const BodyState s = at(body);
    return s.position + s.rotation * local;
  }
  Vector3 axis(const std::string& body, const Vector3& local) const {
    return at(body).rotation * local;
  }
  // "JOINT_COORDINATE" [m, rad], and its rate.
  double coordinate(const std::string& name) const { return run_->q()[index(name)]; }
  double rate(const std::string& name) const {
    Vector rates(static_cast<int>(run_->q().size()));
    scene_.system->coordinate_rates(q(), run_->simulation()->v(), rates);
    return rates[static_cast<int>(index(name))];
  }
  // Mean over the last step: force, then moment, on the joint's second body, in its frame of the
  // first one.
  std::array<double, 6> reaction(const std::string& joint) const {
    std::vector<double> all;
    run_->collect_reactions(all);
    std::array<double, 6> own{};
    for (std::size_t j = 0; j < scene_.world->joints.size(); ++j) {
      if (scene_.world->joints[j].name != joint) continue;
      std::copy_n(all.begin() + 6 * static_cast<long>(j), 6, own.begin());
    }
    return own;
  }
  // Of all contacts of a body: normal forces, mean over the last step [N].
  double normal_force(const std::string& body) const {
    ContactRowList rows;
    run_->collect(rows);
    double sum = 0;
    for (const ContactRow& row : rows) {
      if (row.body_a == number(body) || row.body_b == number(body)) sum += row.r[0] / h();
    }
    return sum;
  }

 private:
  int number(const std::string& body) const {
    const auto& bodies = scene_.world->bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].name == body) return static_cast<int>(i);
    }
    ADD_FAILURE() << "no body " << body;
    return 0;
  }
  ConstVectorMap q() const { return {run_->q().data(), static_cast<int>(run_->q().size())}; }
  ConstVectorMap v() const { return {run_->v().data(), static_cast<int>(run_->v().size())}; }
  std::size_t index(const std::string& name) const {
    const auto& names = scene_.q_names;
    const auto it = std::find(names.begin(), names.end(), name);
    EXPECT_NE(it, names.end()) << name;
    return static_cast<std::size_t>(it - names.begin());
  }
  BodyState at(const std::string& body) const { return RigidBodies::body(q(), v(), number(body)); }

  Scene scene_;
  std::unique_ptr<Run> run_;
  Ledger ledger_;
  std::vector<double> drifts_;
  long failed_ = 0;
  double drift_ = 0, energy_error_ = 0, start_energy_ = 0;
};

// A scheme, and the order that the position of a mechanism has by it.
struct Method {
  std::string name;
  double order;
  std::vector<std::string> options;

  std::vector<std::string> settings(double h) const {
    std::vector<std::string> all = {scheme_is(name), step_is(h)};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
};

// Trees of joints in their own coordinates.
constexpr const char* kInJoints = "system.coordinates=joints";

inline bool is_in_joints(const Method& method) {
  return !method.options.empty() && method.options[0] == kInJoints;
}

inline bool lets_joints_drift(const Method& method) {
  return method.name == "moreau-jean" && !is_in_joints(method);
}

inline const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"stewart-trinkle", 1, {}},
      {"rattle", 2, {}},
      {"generalized-alpha", 1, {}},
      {"generalized-alpha", 2, {"simulation.constraints=position-velocity-acceleration"}},
      {"moreau-jean", 1, {}},
      {"moreau-jean", 2, {kInJoints}},
      {"generalized-alpha", 2, {kInJoints}},
      {"rattle", 2, {kInJoints}}};
  return all;
}

// `error(settings)` of a run with the steps h and h/2: below the bound, and falling by the order.
template <class Error>
void expect_converges(const Method& method, double h, double bound, Error&& error) {
  const double coarse = error(method.settings(h)), fine = error(method.settings(h / 2));
  const double order = std::log2(coarse / fine);
  std::printf("  %-18s%s order %.2f, error %.2g with h = %.2g s\n", method.name.c_str(),
              is_in_joints(method) ? " in joints," : "", order, fine, h / 2);
  EXPECT_LT(fine, bound) << method.name;
  constexpr double kRoundOff = 1e-12;
  if (coarse > kRoundOff) {
    EXPECT_GT(order, method.order - 0.25) << method.name;
  }
}

}  // namespace clack::test
