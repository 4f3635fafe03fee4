// A run of a scene as the recorder sees it, whatever is simulated.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clack/core/large_array.hpp"
#include "clack/integrate/adaptive.hpp"
#include "clack/io/results/events.hpp"
#include "clack/io/results/results_reader.hpp"
#include "clack/io/results/rows.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

using ContactRowList = LargeArray<ContactRow>;

// An error of a step beside the tolerance that it should meet.
struct StepError {
  double error = 0, tolerance = 0;
};

// Where the contact problem of a step is worst: a contact of a system, or two bodies.
struct WorstPlace {
  int first = -1, second = -1;  // contact, or bodies; -1: not known
};

// Position error of the joint or link that is worst off.
struct LinkDrift {
  double distance = 0;  // [m]
  double relative = 0;  // over the size of the smaller body
  int link = -1;        // of joints, then links; -1: there is none
};

class Run {
 public:
  virtual ~Run() = default;

  virtual Status step() = 0;
  virtual bool done() const = 0;

  virtual double time() const = 0;  // [s]
  virtual long steps() const = 0;
  virtual std::span<const double> q() const = 0;
  virtual std::span<const double> v() const = 0;
  // Inputs of the measures after t.
  virtual const Vector& measured_q() const = 0;
  virtual const Vector& measured_v() const = 0;

  // Of the last step.
  virtual const EnergyAudit& energy() const = 0;
  virtual const SolveReport& report() const = 0;
  // Contact problem, and where there is one the equation of motion.
  virtual std::vector<StepError> errors() const = 0;
  // After a step without finite result: what is not finite, in words.
  virtual std::string failure() const = 0;
  virtual WorstPlace worst_place() const = 0;
  // That of any step in words; empty where it is not known.
  virtual std::string place_name(const WorstPlace& place) const = 0;
  virtual int contact_count() const = 0;
  virtual double smallest_gap() const = 0;               // [m]; infinite where nothing is near
  virtual void collect(ContactRowList& rows) const = 0;  // in place of what is there
  // What the laws of these contacts remember: for each the variables of the header, NaN where its
  // law has no such one.
  virtual void collect_law(std::vector<double>& values) const { values.clear(); }
  // What happened at contacts and links in the last step; none where the scene asks for none of
  // rigid bodies.
  virtual std::span<const EventRow> events() const = 0;
  // Position errors of the joints of rigid bodies, then of links [m, rad], and the worst of them.
  virtual void collect_drift(std::vector<double>& values) const { values.clear(); }
  virtual LinkDrift drift() const { return {}; }
  // Mean force and moment of each of them in the last step, on its second body at its point, in its
  // frame of the first one [N, N m].
  virtual void collect_reactions(std::vector<double>& values) const { values.clear(); }
  // Power of the motors, drives and servos of each joint, mean over the last step [W], then the work
  // that they have done so far [J]; nothing where no joint has any.
  virtual void collect_drive_powers(std::vector<double>& values) const { values.clear(); }
  // Free bodies that fall and have nothing below them, by name.
  virtual std::vector<std::string> lost_bodies() const { return {}; }
  // The one-step problem in reduced form, empty where nothing touches.
  virtual std::optional<ProblemData> problem() const = 0;

  // The simulation itself, where it may be looked into and its state changed; none with adaptive
  // steps.
  virtual Simulation* simulation() { return nullptr; }

  virtual std::array<double, 6> seconds_by_stage() const = 0;
  virtual std::optional<AdaptiveFigures> adaptive_figures() const { return std::nullopt; }
  // Contacts of a system by name: events `impact` and `close`.
  virtual std::map<std::string, long> impacts() const { return {}; }

  // Figures of the sample, one a name; constant names.
  virtual std::vector<std::string> sample_names() const { return {}; }
  virtual void compute_sample(std::vector<double>& values) const { values.clear(); }

  virtual void describe(ResultsHeader& header) const = 0;

  // What a fresh run needs beside q, v and the contacts of a row to go on with the same bits.
  // Throws InputError where a run cannot be taken up.
  virtual void save(std::vector<double>& numbers) const = 0;
  virtual void restore(const ResultsReader& file, std::span<const double>& numbers) = 0;
};

// What counts of a solve in the verdict of a step.
double verdict_error(const SolveReport& report);

// The one-step problem of a step in reduced form, empty where nothing touches.
std::optional<ProblemData> problem_of(const ContactProblem& problem);

std::unique_ptr<Run> make_run(const Scene& scene, int threads);
std::unique_ptr<Run> make_system_run(const Scene& scene);
std::unique_ptr<Run> make_world_run(const Scene& scene, int threads);

}  // namespace clack
