#include "clack/record/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/collide/world_detection.hpp"
#include "clack/integrate/body_reading.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"
#include "clack/model/shapes/extent.hpp"

namespace clack {
namespace {

using Remarks = std::vector<std::string>;

constexpr double kOverlap = 1e-3;   // of the smaller body
constexpr double kViolated = 1e-4;  // of a system's coordinates
constexpr std::size_t kNamed = 3;   // names that a list shows

struct Overlap {
  const WorldContact* deepest = nullptr;
  long pairs = 0;
};

// Points of a pair stand together.
Overlap find_overlap(const RigidWorld& world, const LargeArray<WorldContact>& contacts) {
  Overlap found;
  int a = -1, b = -1;
  for (const WorldContact& contact : contacts) {
    const double size =
        smaller_size(half_extent(*world.bodies[static_cast<std::size_t>(contact.a)].shape),
                     half_extent(*world.bodies[static_cast<std::size_t>(contact.b)].shape));
    if (!(contact.gap < -kOverlap * size)) continue;
    if (contact.a != a || contact.b != b) ++found.pairs;
    a = contact.a, b = contact.b;
    if (!found.deepest || contact.gap < found.deepest->gap) found.deepest = &contact;
  }
  return found;
}

void add_overlap(const Scene& scene, Remarks& remarks) {
  // Bodies that follow a path stand where a simulation puts them.
  State start = scene.initial;
  (void)scene.system->prescribe(start.t, scene.options.h, start.q, start.v);
  WorldState state;
  to_world(*scene.system, start.t, start.q, start.v, state);
  WorldDetection detection(*scene.world);
  const std::vector<double> reach(scene.world->bodies.size(), 0.0);
  const Overlap found = find_overlap(*scene.world, detection.find(state, reach));
  if (!found.deepest) return;
  const auto name = [&](int body) {
    return scene.world->bodies[static_cast<std::size_t>(body)].name;
  };
  const double recovery = scene.options.scheme_options.recovery;
  const std::string more =
      found.pairs > 1 ? fmt::format(", the deepest of {} pairs", found.pairs) : "";
  remarks.push_back(fmt::format(
      "at the start '{}' and '{}' overlap by {:.3g} m{}; {}", name(found.deepest->a),
      name(found.deepest->b), -found.deepest->gap, more,
      recovery > 0
          ? fmt::format("simulation.recovery takes it back with at most {:g} m/s", recovery)
          : "overlap stays as it is: move them apart, or take it back slowly with "
            "simulation.recovery: {speed: ...}"));
}

void add_violated(const Scene& scene, Remarks& remarks) {
  const std::vector<Contact>& contacts = scene.system->contacts();
  Vector gap(static_cast<int>(contacts.size()));
  scene.system->gaps(scene.initial.t, scene.initial.q, gap);
  const double length = scene.initial.q.size() > 0 ? scene.initial.q.cwiseAbs().maxCoeff() : 0.0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double own = gap[static_cast<int>(c)];
    if (contacts[c].bilateral || contacts[c].law.own || !(own < -kViolated * length)) continue;
    remarks.push_back(fmt::format(
        "contact '{}' is violated at the start: its gap is {:.3g} m; give an initial.q with "
        "gap >= 0",
        contacts[c].name, own));
  }
}

void add_long_step(const Scene& scene, Remarks& remarks) {
  const double length = scene.end - scene.initial.t;
  if (!(length > 0) || scene.options.h <= length * (1 + 1e-9)) return;
  remarks.push_back(
      fmt::format("the step of {:g} s is longer than the run of {:g} s: one step goes beyond its "
                  "end; take a smaller simulation.step",
                  scene.options.h, length));
}

void add_near_misses(const RunFigures& figures, Remarks& remarks) {
  if (figures.near_misses == 0) return;
  remarks.push_back(
      fmt::format("{} of the steps missed a tolerance by little, at most {:.3g} times it; a larger "
                  "solver.max_iterations or solver.name: auto may meet it",
                  figures.near_misses, figures.near_miss_worst));
}

void add_drift(const Scene& scene, const RunFigures& figures, Remarks& remarks) {
  if (!(figures.drift.relative > kDriftLimit)) return;
  remarks.push_back(fmt::format(
      "link '{}' drifts: at t = {:g} s its points are {:.3g} m off, {:.3g} of the smaller body's "
      "size; it is held on velocities: take a smaller simulation.step, or a scheme and a link that "
      "hold positions (docs/scene-bodies.md)",
      holding_name(*scene.world, static_cast<std::size_t>(figures.drift.link)), figures.drift_time,
      figures.drift.distance, figures.drift.relative));
}

void add_rank(const Recorder& recorder, Remarks& remarks) {
  const ConstraintRank* rank = recorder.rank();
  if (!rank || rank->changes() == 0) return;
  const ConstraintRank::Change& first = rank->first();
  remarks.push_back(fmt::format(
      "at t = {:.6g} s the mechanism {} a singular position: of its {} rows {} are independent in "
      "place of {}{}; there it may go on in more than one way, and reactions are not unique",
      first.t, first.passes ? "passes" : "comes to", rank->rows(), first.rank, first.before,
      rank->changes() > 1
          ? fmt::format(" ({} times in all, {} at least)", rank->changes(), rank->least())
          : ""));
}

void add_lost(const Run& run, Remarks& remarks) {
  const std::vector<std::string> names = run.lost_bodies();
  if (names.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    list += fmt::format("{}'{}'", i > 0 ? ", " : "", names[i]);
  if (names.size() > kNamed) list += fmt::format(" and {} others", names.size() - kNamed);
  remarks.push_back(fmt::format(
      "{} fall{} with nothing below; give a wider floor, or remove them in time (removed: ...)",
      list, names.size() == 1 ? "s" : ""));
}

void add_energy(const RunFigures& figures, const Ledger& ledger, Remarks& remarks) {
  if (figures.gain_steps > 0) {
    remarks.push_back(fmt::format(
        "impacts with friction added energy in {} steps, {:.3g} J in all ({:.2g} of the largest "
        "energy): Newton's law with e_n > 0 and friction can, and so can a loose tolerance; "
        "another impact law, or a finer solver.tolerance, tells which",
        figures.gain_steps, figures.gain_work, figures.gain_work / ledger.scale()));
  }
  if (figures.excess_work > 0) {
    remarks.push_back(fmt::format(
        "impacts took {:.3g} J in the step to t = {:g} s, far beyond the energy in the scene: "
        "bodies are jammed between others that are driven or fixed",
        figures.excess_work, figures.excess_time));
  }
}

}  // namespace

Remarks start_remarks(const Scene& scene) {
  Remarks remarks = scene.remarks;
  if (scene.world) add_overlap(scene, remarks);
  add_violated(scene, remarks);
  add_long_step(scene, remarks);
  return remarks;
}

Remarks run_remarks(const Scene& scene, const Run& run, const Recorder& recorder) {
  const RunFigures& figures = recorder.figures();
  Remarks remarks = start_remarks(scene);
  add_near_misses(figures, remarks);
  if (scene.world) add_drift(scene, figures, remarks);
  add_rank(recorder, remarks);
  add_lost(run, remarks);
  add_energy(figures, recorder.ledger(), remarks);
  return remarks;
}

}  // namespace clack
