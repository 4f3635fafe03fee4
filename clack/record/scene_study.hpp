// A convergence study of a scene: what its options name, and its references.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clack/analyse/convergence.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

// Steps from `largest` to `smallest` in a geometric series, each the nearest that divides the time
// of the scene. One step: `largest`, which must divide it.
struct StepRange {
  double largest = 0, smallest = 0;  // [s]
  int count = 1;
};

struct SceneStudyOptions {
  std::vector<std::string> schemes;
  std::vector<StepRange> steps;
  std::vector<double> tolerances;    // of steps that adapt themselves; empty: none
  std::string reference;             // exact, self, a file; empty: exact where the scene has it
  std::string reference_scheme;      // of `self`; empty: each its own
  std::string norm = "L1";           // ErrorNorm
  std::vector<std::string> observe;  // names of coordinates and velocities; empty: all
  int jobs = 0;                      // threads; 0: as many as processors
  std::function<void(std::size_t done, std::size_t count)> progress;  // StudyOptions
};

// The scene with another scheme.
using SceneLoader = std::function<Scene(const std::string& scheme)>;

class SceneStudy {
 public:
  // Reads all input. Throws OptionError, InputError, SceneError or IoError where it is not good.
  SceneStudy(const SceneLoader& load, SceneStudyOptions options);

  // A run that fails is only marked.
  [[nodiscard]] ConvergenceStudy run() const;

 private:
  void choose_reference(const Scene& scene);
  void read_steps(const Scene& scene);
  void read_observed(const Scene& scene);
  void read_reference_motion(const SceneLoader& load, const Scene& scene);

  SceneStudyOptions options_;
  std::vector<StudyCase> cases_;  // one per scheme
  StudyOptions study_options_;
  StudyReference reference_;
  std::string scene_, title_, reference_words_;
  std::vector<std::string> observed_;  // names
};

}  // namespace clack
