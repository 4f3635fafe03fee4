// Solves the cases of a bench, each in a process of its own.
#pragma once

#include <string>

#include "clack/app/bench_table.hpp"
#include "clack/app/siconos_peer.hpp"

namespace clack::app {

struct RunnerOptions {
  double time_limit = 10;  // [s]
  int repeat = 5;          // the best counts; no further one after a second of solving
  int jobs = 1;            // at the same time
  std::string scratch;     // a folder
};

// Fills `table.results`. `peer` may be null where no solver is a peer's. False: interrupted, what
// is left has the status not_run.
bool run_cases(BenchTable& table, const SiconosPeer* peer, const RunnerOptions& options);

}  // namespace clack::app
