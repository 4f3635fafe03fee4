// One run of a convergence study.
#pragma once

#include "clack/analyse/convergence.hpp"

namespace clack {

// Constant steps, or the tolerance of steps that adapt themselves.
struct StudyRunSize {
  long steps = 0;
  double tolerance = 0;  // 0: constant steps
};

// Steps a case to its end; keeps what is observed. A failure is marked in the result.
[[nodiscard]] StudyRun run_case(const StudyCase& study_case, const StudyRunSize& size,
                                const ObservedCoordinates& observed, ObservedMotion& motion);

}  // namespace clack
