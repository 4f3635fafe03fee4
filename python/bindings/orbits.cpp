// Periodic orbits, branches, modes, exponents, equilibria and sweeps of scenes.
#include <fmt/format.h>

#include <pybind11/complex.h>

#include <algorithm>
#include <complex>

#include "clack/analyse/modes/linear_modes.hpp"
#include "clack/core/error.hpp"
#include "clack/record/equilibrium_study.hpp"
#include "clack/record/orbit_study.hpp"
#include "clack/record/sweep_tables.hpp"
#include "python/bindings/scene.hpp"

namespace clack::python {
namespace {

SceneWith loader(const LoadedScene& loaded) {
  return [source = loaded.source](const std::vector<std::string>& more) {
    SceneSource changed = source;
    changed.overrides.insert(changed.overrides.end(), more.begin(), more.end());
    return LoadedScene(std::move(changed)).scene;
  };
}

// Functions of Python need the interpreter; all else runs without it.
template <class Work>
auto compute(const LoadedScene& loaded, Work work) {
  if (loaded.source.has_callbacks) return work();
  const py::gil_scoped_release release;
  return work();
}

py::array_t<double> numbers(const Vector& x) { return copy(x.data(), x.size()); }
py::array_t<double> numbers(const std::vector<double>& x) {
  return copy(x.data(), static_cast<py::ssize_t>(x.size()));
}

py::array_t<std::complex<double>> complex_numbers(const std::vector<std::complex<double>>& x) {
  return py::array_t<std::complex<double>>(static_cast<py::ssize_t>(x.size()), x.data());
}

// One row per element, all of the same length.
template <class List, class Row>
py::array_t<double> table(const List& list, Row row) {
  py::ssize_t columns = 0;
  for (const auto& element : list) columns = std::max<py::ssize_t>(columns, row(element).size());
  py::array_t<double> result({static_cast<py::ssize_t>(list.size()), columns});
  py::ssize_t i = 0;
  for (const auto& element : list) {
    const Vector values = row(element);
    for (py::ssize_t k = 0; k < columns; ++k)
      result.mutable_at(i, k) = k < values.size() ? values[k] : SweepRow::kNone;
    ++i;
  }
  return result;
}

template <class List, class Value>
py::array_t<double> column(const List& list, Value value) {
  py::array_t<double> result(static_cast<py::ssize_t>(list.size()));
  py::ssize_t i = 0;
  for (const auto& element : list) result.mutable_at(i++) = static_cast<double>(value(element));
  return result;
}

template <class List, class Value>
py::list words(const List& list, Value value) {
  py::list result;
  for (const auto& element : list) result.append(value(element));
  return result;
}

// ---- orbits

SceneOrbitOptions orbit_options(const py::dict& given) {
  SceneOrbitOptions options;
  options.orbit = given["orbit"].cast<bool>();
  options.kind = given["kind"].cast<std::string>();
  options.method = given["method"].cast<std::string>();
  options.period = given["period"].cast<std::string>();
  options.settle = given["settle"].cast<double>();
  options.drift = given["drift"].cast<std::vector<std::string>>();
  options.from = given["start"].cast<std::string>();
  return options;
}

void add_motion(const OrbitProblem& problem, const Orbit& orbit, py::dict& result) {
  const auto system = problem.system(orbit.parameter);
  std::vector<double> t;
  std::vector<Vector> states;
  PhaseMotion motion(system, sequence_scale(orbit.phases, orbit.phases.front().z),
                     problem.flow.simulation.scheme_options.flow_tolerance);
  for (const ContactPhase& phase : orbit.phases) {
    motion.enter(phase);
    const int parts = 1 + static_cast<int>(400 * (phase.end - phase.begin) / orbit.period);
    (void)motion.sample(phase.begin, phase.end, parts, phase.z, [&](double time, const Vector& z) {
      t.push_back(time);
      states.push_back(z);
    });
  }
  const auto n = orbit.start.q.size();
  result["motion_t"] = numbers(t);
  result["motion_q"] = table(states, [n](const Vector& z) -> Vector { return z.head(n); });
  result["motion_v"] = table(states, [n](const Vector& z) -> Vector { return z.tail(n); });
}

py::dict to_dict(const OrbitProblem& problem, const Orbit& orbit) {
  py::dict result;
  result["status"] = status_word(orbit.status);
  result["note"] = orbit.note;
  result["period"] = orbit.period;
  result["t"] = orbit.start.t;
  result["q"] = numbers(orbit.start.q);
  result["v"] = numbers(orbit.start.v);
  result["energy"] = orbit.energy;
  result["closing"] = orbit.closing;
  result["impacts"] = orbit.impacts;
  result["slowest_impact"] = orbit.slowest_approach;
  result["admissible"] = orbit.admissible;
  result["inadmissible"] = orbit.inadmissible;
  result["stable"] = orbit.multipliers.stable;
  result["multipliers"] = complex_numbers(orbit.multipliers.values);
  result["q_max"] = numbers(orbit.largest);
  result["q_min"] = numbers(orbit.smallest);
  if (orbit.good()) add_motion(problem, orbit, result);
  return result;
}

py::dict orbit(const LoadedScene& loaded, const py::dict& given) {
  const SceneOrbits orbits(loader(loaded), orbit_options(given));
  const Orbit found = compute(loaded, [&] { return orbits.find(); });
  return to_dict(orbits.problem(), found);
}

py::dict to_dict(const Branch& branch) {
  using Points = std::vector<BranchPoint>;
  const Points& points = branch.points;
  py::dict result;
  result["status"] = status_word(branch.status);
  result["stop"] = branch.stop;
  result["parameter"] = column(points, [](const BranchPoint& x) { return x.orbit.parameter; });
  result["period"] = column(points, [](const BranchPoint& x) { return x.orbit.period; });
  result["energy"] = column(points, [](const BranchPoint& x) { return x.orbit.energy; });
  result["stable"] =
      column(points, [](const BranchPoint& x) { return x.orbit.multipliers.stable ? 1 : 0; });
  result["impacts"] = column(points, [](const BranchPoint& x) { return x.orbit.impacts; });
  result["slowest_impact"] =
      column(points, [](const BranchPoint& x) { return x.orbit.slowest_approach; });
  result["kind"] = words(points, [](const BranchPoint& x) {
    return point_kind_names()[static_cast<std::size_t>(x.kind)];
  });
  result["t"] = column(points, [](const BranchPoint& x) { return x.orbit.start.t; });
  result["q"] = table(points, [](const BranchPoint& x) { return x.orbit.start.q; });
  result["v"] = table(points, [](const BranchPoint& x) { return x.orbit.start.v; });
  result["q_max"] = table(points, [](const BranchPoint& x) { return x.orbit.largest; });
  result["q_min"] = table(points, [](const BranchPoint& x) { return x.orbit.smallest; });
  result["multipliers"] = words(
      points, [](const BranchPoint& x) { return complex_numbers(x.orbit.multipliers.values); });
  return result;
}

py::dict branch(const LoadedScene& loaded, const py::dict& given, const std::string& over,
                double low, double high, double at, bool down, double step, int max_points) {
  ContinuationOptions options{.low = low,
                              .high = high,
                              .direction = down ? -1 : 1,
                              .step = step,
                              .max_step = std::max(0.1, step),
                              .max_points = max_points};
  options.validate();
  if (over == "period") options.over = BranchCoordinate::period;
  if (over == "energy") options.over = BranchCoordinate::energy;
  SceneOrbitOptions asked = orbit_options(given);
  if (options.over == BranchCoordinate::parameter) asked.over = over;
  asked.at = at;
  const SceneOrbits orbits(loader(loaded), asked);
  return to_dict(compute(loaded, [&] {
    const Orbit first = orbits.find();
    if (first.good() && first.admissible) return continue_orbit(orbits.problem(), first, options);
    Branch none;
    none.status = first.good() ? Status::infeasible : first.status;
    none.stop =
        "no orbit to start from was found: " + (first.good() ? first.inadmissible : first.note);
    return none;
  }));
}

py::dict lyapunov(const LoadedScene& loaded, const py::dict& given, double time, double interval) {
  const SceneOrbits orbits(loader(loaded), orbit_options(given));
  const LyapunovExponents found = compute(loaded, [&] { return orbits.exponents(time, interval); });
  py::dict result;
  result["status"] = status_word(found.status);
  result["note"] = found.note;
  result["exponents"] = numbers(found.exponents);
  result["error"] = found.error;
  result["time"] = found.time;
  result["history"] = numbers(found.history);
  return result;
}

// ---- modes and equilibria

py::dict modes(const LoadedScene& loaded, const std::string& contacts) {
  LinearModeOptions options;
  options.contacts = contacts == "closed" ? ModeContacts::closed : ModeContacts::open;
  const LinearModes found =
      compute_linear_modes(*loaded.scene.system, loaded.scene.initial, options);
  py::dict result;
  result["omega"] = numbers(found.omega);
  result["omega_squared"] = numbers(found.omega_squared);
  std::vector<Vector> rows;
  for (int i = 0; i < found.shapes.rows(); ++i) rows.emplace_back(found.shapes.row(i));
  result["shapes"] = table(rows, [](const Vector& x) { return x; });
  result["eigenvalues"] = complex_numbers(found.eigenvalues);
  result["closed"] = found.closed;
  result["symmetric"] = found.symmetric;
  return result;
}

py::dict equilibria(const LoadedScene& loaded, const std::string& over, double low, double high,
                    double at, bool down, double step, int max_points) {
  const SceneEquilibria scene(loader(loaded), over);
  const EquilibriumBranch branch = compute(loaded, [&] {
    EquilibriumBranch one;
    const Equilibrium first = scene.find(at);
    one.status = first.status;
    one.stop = first.note;
    if (!first.good()) return one;
    one.points.push_back({first, 0, EquilibriumKind::regular, -1});
    if (over.empty()) return one;
    return continue_equilibrium(scene.problem(), first,
                                {.low = low,
                                 .high = high,
                                 .direction = down ? -1 : 1,
                                 .step = step,
                                 .max_step = std::max(0.05, step),
                                 .max_points = max_points});
  });
  const std::vector<EquilibriumPoint>& points = branch.points;
  py::dict result;
  result["status"] = status_word(branch.status);
  result["stop"] = branch.stop;
  result["parameter"] =
      column(points, [](const EquilibriumPoint& x) { return x.equilibrium.parameter; });
  result["q"] = table(points, [](const EquilibriumPoint& x) { return x.equilibrium.q; });
  result["gap"] = table(points, [](const EquilibriumPoint& x) { return x.equilibrium.gap; });
  result["force"] = table(points, [](const EquilibriumPoint& x) { return x.equilibrium.force; });
  result["stable"] =
      column(points, [](const EquilibriumPoint& x) { return x.equilibrium.stable ? 1 : 0; });
  result["growth"] = column(points, [](const EquilibriumPoint& x) { return x.equilibrium.growth; });
  result["kind"] = words(points, [](const EquilibriumPoint& x) {
    return equilibrium_kind_names()[static_cast<std::size_t>(x.kind)];
  });
  result["contact"] =
      words(points, [&](const EquilibriumPoint& x) { return scene.contact_name(x.contact); });
  result["eigenvalues"] = words(
      points, [](const EquilibriumPoint& x) { return complex_numbers(x.equilibrium.eigenvalues); });
  return result;
}

// ---- sweeps

SweepOptions sweep_options(const py::dict& given) {
  SweepOptions options;
  for (const auto& item : given["vary"].cast<py::list>()) {
    const auto pair = item.cast<py::tuple>();
    VariedKey key;
    key.key = pair[0].cast<std::string>();
    key.texts = pair[1].cast<std::vector<std::string>>();
    key.values = pair[2].cast<std::vector<double>>();
    key.numeric = pair[3].cast<bool>();
    options.vary.push_back(std::move(key));
  }
  const auto section = given["section"].cast<std::string>();
  options.section = section == "period"   ? SweepSection::period
                    : section == "impact" ? SweepSection::impact
                                          : SweepSection::none;
  options.period = given["period"].cast<std::string>();
  options.contact = given["contact"].cast<std::string>();
  options.skip = given["skip"].cast<double>();
  options.skip_periods = given["skip_periods"].cast<long>();
  options.keep = given["keep"].cast<int>();
  const auto carry = given["carry"].cast<std::string>();
  const auto& names = sweep_carry_names();
  const auto found = std::find(names.begin(), names.end(), carry);
  if (found == names.end())
    throw InputError(fmt::format("carry: '{}'; allowed: none, up, down, both", carry));
  options.carry = static_cast<SweepCarry>(found - names.begin());
  options.drift = given["drift"].cast<std::vector<std::string>>();
  options.tolerance = given["tolerance"].cast<double>();
  return options;
}

// Ctrl-C ends a sweep; only the main thread sees it.
void check_signals(std::size_t) {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

py::dict section_dict(const SweepRow& row) {
  using Points = std::vector<SectionPoint>;
  const Points& points = row.section;
  py::dict result;
  result["t"] = column(points, [](const SectionPoint& x) { return x.t; });
  result["q"] = table(points, [](const SectionPoint& x) { return x.q; });
  result["v"] = table(points, [](const SectionPoint& x) { return x.v; });
  result["u_before"] = column(points, [](const SectionPoint& x) { return x.u_before; });
  result["u_after"] = column(points, [](const SectionPoint& x) { return x.u_after; });
  return result;
}

py::dict sweep(const LoadedScene& loaded, const py::dict& given, int jobs,
               const std::string& folder) {
  const Sweep sweep(loader(loaded), sweep_options(given));
  if (loaded.source.has_callbacks) jobs = 1;
  SweepResult found = compute(loaded, [&] {
    SweepResult gathered = gather_sweep(sweep, run_sweep(sweep, jobs, check_signals));
    if (!folder.empty()) write_sweep(folder, sweep, gathered);
    return gathered;
  });
  const std::vector<SweepRow>& rows = found.rows;
  const std::vector<Observable>& observables = sweep.scene().measures;
  py::dict result, measures;
  for (std::size_t i = 0; i < observables.size(); ++i)
    measures[py::str(observables[i].name)] = column(rows, [i](const SweepRow& row) {
      return i < row.measures.size() ? row.measures[i] : SweepRow::kNone;
    });
  py::list places;
  for (std::size_t k = 0; k < sweep.options().vary.size(); ++k)
    places.append(column(sweep.runs(), [k](const SweepRun& run) { return run.at[k]; }));
  result["places"] = places;
  result["down"] = column(sweep.runs(), [](const SweepRun& run) { return run.down ? 1 : 0; });
  result["status"] = words(rows, [](const SweepRow& row) { return row.status; });
  result["reason"] = words(rows, [](const SweepRow& row) { return row.reason; });
  result["measures"] = measures;
  result["impacts"] = column(rows, [](const SweepRow& row) { return row.impacts; });
  result["sticks"] = column(rows, [](const SweepRow& row) { return row.sticks; });
  result["sticking"] = column(rows, [](const SweepRow& row) { return row.sticking; });
  result["sliding"] = column(rows, [](const SweepRow& row) { return row.sliding; });
  result["repeats_after"] = column(rows, [](const SweepRow& row) { return row.label.points; });
  result["periods"] = column(rows, [](const SweepRow& row) { return row.label.periods; });
  result["impacts_per_repeat"] =
      column(rows, [](const SweepRow& row) { return row.label.impacts; });
  result["attractor"] = column(rows, [](const SweepRow& row) { return row.attractor; });
  result["attractors"] =
      words(found.attractors, [](const AttractorList::Attractor& x) { return x.name; });
  result["end_q"] = table(rows, [](const SweepRow& row) { return row.end.q; });
  result["end_v"] = table(rows, [](const SweepRow& row) { return row.end.v; });
  result["sections"] = words(rows, section_dict);
  result["title"] = sweep.scene().title;
  result["files"] = found.files;
  return result;
}

}  // namespace

void bind_orbits(py::module_& module) {
  module.def("_orbit", &orbit);
  module.def("_branch", &branch);
  module.def("_lyapunov", &lyapunov);
  module.def("_modes", &modes);
  module.def("_equilibria", &equilibria);
  module.def("_sweep", &sweep);
}

}  // namespace clack::python
