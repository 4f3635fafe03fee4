// The step, for all kinds of simulation: the only place with the sequence of stages.
//
// The outer loop is over the phases of a step (problems solved one after the other), the inner one
// over the passes of a phase until the equation of motion is met.
#pragma once

#include "clack/core/status.hpp"
#include "clack/integrate/stage_timer.hpp"

namespace clack {

template <class Simulation>
inline Status run_stages(Simulation& simulation, StageTimer& timer) {
  do {
    simulation.begin_phase();
    simulation.detect();
    timer.mark(Stage::detect);
    do {
      simulation.predict();
      timer.mark(Stage::predict);
      simulation.assemble();
      timer.mark(Stage::assemble);
      simulation.solve();
      timer.mark(Stage::solve);
      simulation.correct();
      timer.mark(Stage::correct);
    } while (!simulation.accepted());
    simulation.end_phase();
  } while (simulation.next_phase());
  const Status status = simulation.audit();
  timer.mark(Stage::audit);
  return status;
}

}  // namespace clack
