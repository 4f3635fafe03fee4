// One scene over one or two of its values: the runs of a sweep and what is kept of each.
//
//     Sweep sweep(load, options);
//     for (const std::vector<int>& chain : sweep.chains())          // in any order, anywhere
//       for (int index : chain) rows.push_back(sweep.run(index, end_of_the_run_before));
//     write_sweep(folder, sweep, rows);                             // sweep_tables.hpp
//
// A run depends on its own values alone and, in a chain, on the end of the run before it: the table
// is the same however the chains are shared out.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clack/analyse/orbits/section.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/record/orbit_study.hpp"

namespace clack {

// KEY=LOW:HIGH:COUNT, or KEY=a,b,c: a path of the scene as of --set, and its values in order.
struct VariedKey {
  std::string key;
  std::vector<std::string> texts;  // YAML
  std::vector<double> values;      // as many; the place in the list where a text is no number
  bool numeric = true;

  static VariedKey parse(const std::string& text);  // throws InputError
};

enum class SweepSection { none, period, impact };
enum class SweepCarry { none, up, down, both };
const std::vector<std::string>& sweep_carry_names();

struct SweepOptions {
  std::vector<VariedKey> vary;  // one or two; the runs go through the first one fastest
  SweepSection section = SweepSection::none;
  std::string period;   // formula of the scene's parameters [s]; empty: none
  std::string contact;  // whose impacts are the section; empty: any
  double skip = 0;      // transient before anything is kept [s]
  long skip_periods = 0;
  int keep = 100;                       // points of the section
  SweepCarry carry = SweepCarry::none;  // along the first key
  std::vector<std::string> drift;       // coordinates that do not count in comparisons
  double tolerance = 1e-6;              // of a motion that repeats, over its size
  double attractor_tolerance = 1e-3;    // of two motions that are the same

  void validate() const;  // throws InputError
};

// One run of the sweep.
struct SweepRun {
  int index = 0;
  std::vector<int> at;           // place in the values of each key
  bool down = false;             // in a chain that goes down
  std::vector<std::string> set;  // KEY=VALUE
};

// What is kept of a run: one row of the table.
struct SweepRow {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  int run = 0;
  std::string status = "not_run";  // of the worst step, or bad_input, or crashed
  std::string reason;              // in words, where it is not converged
  long steps = 0;
  double time = kNone;                        // at the end [s]
  double kinetic = kNone, potential = kNone;  // at the end [J]
  double energy_error = kNone;                // of the balance, relative
  double max_residual = kNone;                // unit-free, of the contact problems
  double min_gap = kNone;                     // [m]
  int contacts_max = 0;
  // After the transient: impacts, beginnings of stick, and the share of the time in which at least
  // one contact carries load, sticks, slides.
  long impacts = 0, sticks = 0;
  double closed = kNone, sticking = kNone, sliding = kNone;
  std::vector<double> measures;
  State end;
  MotionSize size;
  double period = kNone;  // [s], of the section or for whole periods
  std::vector<SectionPoint> section;
  MotionLabel label;
  int attractor = -1;  // set by gather_sweep: index into the list of attractors

  bool good() const { return status == "converged"; }
};

class Sweep {
 public:
  // Reads the scene with the first values. Throws InputError where an option does not fit it, and
  // SceneError where the scene is not good with them.
  Sweep(SceneWith load, SweepOptions options);

  const SweepOptions& options() const { return options_; }
  const Scene& scene() const { return scene_; }  // with the first values
  const std::vector<int>& drifting() const { return drifting_; }
  const std::vector<SweepRun>& runs() const { return runs_; }
  // Runs that must follow each other, in their order; one each without carry.
  const std::vector<std::vector<int>>& chains() const { return chains_; }
  // Whether the runs differ in their start alone, so that points of their sections can be compared;
  // else attractors are told apart by their rhythm.
  bool same_system() const;
  // Everything that decides the rows, for a sweep that is taken up again.
  std::string fingerprint() const;

  // Never throws for what the values do to the scene: that is a row with its reason. `start`: the
  // end of the run before in the chain.
  SweepRow run(int index, const std::optional<State>& start = {}) const;

 private:
  void make_runs();
  void check_scene();
  double period_of(const SweepRun& run) const;
  void simulate(const SweepRun& run, const std::optional<State>& start, SweepRow& row) const;

  SceneWith load_;
  SweepOptions options_;
  Scene scene_;
  std::vector<int> drifting_;
  std::vector<SweepRun> runs_;
  std::vector<std::vector<int>> chains_;
};

// All runs on threads of this process; `jobs` 0: as many as processors. `progress` is called from
// this thread with the number of runs that are done; it ends the sweep by an exception.
std::map<int, SweepRow> run_sweep(const Sweep& sweep, int jobs,
                                  const std::function<void(std::size_t done)>& progress = {});

}  // namespace clack
