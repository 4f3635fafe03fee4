// A scene simulated to its end with everything written down: what `clack run` and the Python module
// do. Writes DIR/results.h5 while it runs and DIR/summary.json when it ends.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clack/record/recorder.hpp"

namespace clack {

struct RecordOptions {
  std::filesystem::path folder;  // exists
  int threads = 1;               // of rigid bodies; 0: as many as the machine has
  bool resume = false;           // go on where the run in the folder was broken off
  long dump_every = 0;           // the one-step problem of each Nth step goes to DIR/problems
};

// How a run came to its end.
struct Ending {
  Status status = Status::converged;
  double seconds = 0;  // of computing, since it was started or taken up
  long steps = 0;      // in that time
  long problems = 0;   // files of dump_every
};

class RecordedRun {
 public:
  // `scene` must outlive this. Throws InputError where `resume` meets the run of another scene.
  RecordedRun(const Scene& scene, RecordOptions options);
  ~RecordedRun();

  // Steps to the end, to a state that is not finite, or until `go_on`, asked after each step, says
  // no; then finishes both files. They are finished as well where `go_on` throws.
  void simulate(const std::function<bool()>& go_on);

  const Run& run() const { return *run_; }
  const Recorder& recorder() const { return recorder_; }
  const Ending& ending() const { return ending_; }
  // At the end: what a user should know of it, a sentence each (remarks.hpp).
  const std::vector<std::string>& remarks() const { return remarks_; }
  // JSON, as in summary.json; indent -1: on one line.
  std::string summary(int indent = -1) const;

 private:
  class ProblemDump;
  void step_to_the_end(const std::function<bool()>& go_on);
  void finish();

  const Scene& scene_;
  RecordOptions options_;
  std::unique_ptr<Run> run_;
  Recorder recorder_;
  std::unique_ptr<ProblemDump> dump_;
  Ending ending_;
  std::vector<std::string> remarks_;
};

}  // namespace clack
