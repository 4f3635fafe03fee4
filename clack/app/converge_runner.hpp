// One run of a convergence study.
#pragma once

#include "clack/app/converge_study.hpp"

namespace clack::app {

// Constant steps, or the tolerance of steps that adapt themselves.
struct RunSize {
  long steps = 0;
  double tolerance = 0;  // 0: constant steps
};

// Steps a scene to its end; keeps what is observed. A failure is marked in the record.
RunRecord run_scene(const Scene& scene, const RunSize& size, const Observed& observed,
                    Motion& motion);

}  // namespace clack::app
