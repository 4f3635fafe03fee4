#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/io/robots/robot_options.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

class Start {
 public:
  explicit Start(Robot& robot) : robot_(robot) {
    for (const RobotCoupler& coupler : robot_.couplers) {
      const RobotCoupler::Term& led = coupler.terms.front();
      led_.emplace_back(led.joint, led.coordinate);
    }
  }

  void set_defaults() {
    for (RobotJoint& joint : robot_.joints) {
      for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
        RobotCoordinate& c = joint.coordinates[k];
        c.start = std::clamp(c.reference, c.lower, c.upper);
      }
    }
  }

  void set(const std::string& name, double value) {
    std::vector<std::string> known;
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      RobotJoint& joint = robot_.joints[j];
      for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
        RobotCoordinate& c = joint.coordinates[k];
        known.push_back(c.joint);
        if (name != c.joint && name != coordinate_name(joint, k)) continue;
        check(j, k, value);
        c.start = value;
        return;
      }
    }
    throw InputError(fmt::format("there is no joint '{}' with a coordinate{}", shorten(name),
                                 allowed_words(name, {known.begin(), known.end()})));
  }

  // A chain of couplers is followed link by link.
  void follow() {
    for (std::size_t i = 0; i < robot_.couplers.size(); ++i) {
      for (const RobotCoupler& coupler : robot_.couplers) {
        double sum = coupler.constant;
        for (std::size_t k = 1; k < coupler.terms.size(); ++k)
          sum -= coupler.terms[k].factor * at(coupler.terms[k]).start;
        at(coupler.terms[0]).start = sum / coupler.terms[0].factor;
      }
    }
  }

  void remark() {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const RobotJoint& joint = robot_.joints[j];
      for (const RobotCoordinate& c : joint.coordinates) {
        const double nearest = std::clamp(c.reference, c.lower, c.upper);
        if (nearest != c.reference && c.start == nearest)
          robot_.remarks.push_back(fmt::format(
              "{}:{}: joint '{}' starts at {}, the end of its limits, which are without "
              "{}",
              robot_.path, joint.line, c.joint, nearest, c.reference));
      }
    }
  }

 private:
  RobotCoordinate& at(const RobotCoupler::Term& term) {
    return robot_.joints[static_cast<std::size_t>(term.joint)]
        .coordinates[static_cast<std::size_t>(term.coordinate)];
  }

  void check(std::size_t joint, std::size_t k, double value) const {
    const RobotCoordinate& c = robot_.joints[joint].coordinates[k];
    const std::pair here(static_cast<int>(joint), static_cast<int>(k));
    if (std::find(led_.begin(), led_.end(), here) != led_.end())
      throw InputError(fmt::format("joint '{}' follows another one and starts where that takes it",
                                   shorten(c.joint)));
    if (!(value >= c.lower && value <= c.upper))
      throw InputError(fmt::format("joint '{}' cannot start at {}; its limits are {} and {}",
                                   shorten(c.joint), value, c.lower, c.upper));
  }

  Robot& robot_;
  std::vector<std::pair<int, int>> led_;  // joints and coordinates that follow others
};

}  // namespace

void set_start(Robot& robot, const std::map<std::string, double>& start) {
  Start setter(robot);
  setter.set_defaults();
  for (const auto& [name, value] : start) setter.set(name, value);
  setter.follow();
  setter.remark();
}

std::string mass_fault(const RobotMass& mass) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(mass.inertia, Eigen::EigenvaluesOnly);
  const Vector3 moments = solver.eigenvalues();  // ascending
  const std::string list = fmt::format("{:g}, {:g} and {:g}", moments[0], moments[1], moments[2]);
  if (!(moments[0] > 1e-12 * moments[2]))
    return fmt::format("its principal moments of inertia are {} kg m^2; each must be > 0", list);
  // Files round their numbers: what is thin is on the edge.
  constexpr double kRounding = 1e-3;
  if (moments[2] > (1 + kRounding) * (moments[0] + moments[1]))
    return fmt::format(
        "its principal moments of inertia are {} kg m^2: no body has one that is larger than the "
        "sum of the two others",
        list);
  return {};
}

}  // namespace clack
