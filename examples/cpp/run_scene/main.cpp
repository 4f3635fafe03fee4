// A scene run from C++, with everything that `clack run` writes.
//
// Shows: a scene as text, results.h5 and summary.json beside the program, the run while it goes on.
// Known: the ball comes to rest at t = (1 + e)/(1 - e) sqrt(2 h/g) = 8.58 s.
// Sample run:
//        $ ./run_scene
//        t = 10 s, 2000 steps: the ball lies at -0.00024 m; results in bouncing_ball/
#include <clack/record/recorded_run.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>

constexpr const char* kScene = R"(
clack: 1
title: Bouncing ball
parameters: {m: 1, g: 9.81}
system:
  type: lagrangian
  coordinates: [y]
  kinetic: 0.5*m*y'^2
  potential: m*g*y
  contacts: [{name: floor, gap: y, e_n: 0.9}]
initial: {q: [1]}
simulation: {step: 0.005, end: 10}
)";

int main() {
  const clack::Scene scene = clack::parse_scene("bouncing_ball", kScene);
  std::filesystem::create_directories("bouncing_ball");
  clack::RecordedRun recorded(scene, {.folder = "bouncing_ball"});
  recorded.simulate([] { return true; });  // asked after each step whether to go on
  const clack::Run& run = recorded.run();
  std::printf("t = %g s, %ld steps: the ball lies at %.2g m; results in bouncing_ball/\n",
              run.time(), run.steps(), run.q()[0]);
  const double fall = 9.81 * 0.005 * 0.005;  // of a step: the scheme is that exact in the end
  return std::abs(run.q()[0]) < fall && std::filesystem::exists("bouncing_ball/results.h5") ? 0 : 1;
}
