// The class Simulation: state, bodies, energy, solver records.
#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/io/results/shape_table.hpp"
#include "python/bindings/contacts.hpp"
#include "python/bindings/problem.hpp"
#include "python/bindings/simulation.hpp"

namespace clack::python {
namespace {

using Pointer = std::shared_ptr<PySimulation>;

// A body of a simulation, which it keeps alive.
struct BodyHandle {
  Pointer simulation;
  std::size_t index;

  const Body& model() const { return simulation->rigid_world().bodies[index]; }
  const BodyState& state() const { return simulation->bodies().bodies[index]; }
};

// Keeps the memory of a run, also of one that the simulation has gone on from.
py::capsule keep(const std::shared_ptr<Run>& run) {
  return py::capsule(new std::shared_ptr<Run>(run),
                     [](void* p) { delete static_cast<std::shared_ptr<Run>*>(p); });
}

// One vector of each body, as a view of the state.
template <class Member>
py::array body_view(const Pointer& simulation, Member member, py::ssize_t width) {
  const LargeArray<BodyState>& bodies = simulation->bodies().bodies;
  const auto n = static_cast<py::ssize_t>(bodies.size());
  return view((bodies.data()->*member).data(), {n, width}, {sizeof(BodyState), sizeof(double)},
              keep(simulation->shared_run()));
}

py::array vector_view(const BodyHandle& body, const Vector3& x) {
  return view(x.data(), {3}, {sizeof(double)}, keep(body.simulation->shared_run()));
}

py::array_t<double> rotation_of_body(const BodyHandle& body) {
  const Quaternion& q = body.state().rotation;
  const double values[] = {q.w(), q.x(), q.y(), q.z()};
  return copy(values, 4);
}

std::size_t body_index(const Pointer& simulation, const py::object& key) {
  const LargeArray<Body>& bodies = simulation->rigid_world().bodies;
  if (py::isinstance<BodyHandle>(key)) {
    const auto& body = py::cast<const BodyHandle&>(key);
    if (body.simulation != simulation)
      throw py::value_error(
          fmt::format("body '{}' belongs to another simulation", body.model().name));
    return body.index;
  }
  if (py::isinstance<py::str>(key)) {
    const std::string name = py::cast<std::string>(key);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].name == name) return i;
    }
    throw py::key_error(fmt::format("there is no body '{}'", name));
  }
  const auto number = py::cast<long>(key);
  const auto n = static_cast<long>(bodies.size());
  if (number < -n || number >= n) throw py::index_error(fmt::format("body {} of {}", number, n));
  return static_cast<std::size_t>(number < 0 ? number + n : number);
}

py::dict law_memory(const Pointer& simulation) {
  simulation->require_idle();
  py::dict result;
  ResultsHeader header;
  simulation->run().describe(header);
  std::vector<double> values;
  simulation->run().collect_law(values);
  const std::size_t width = header.law_variables.size();
  for (std::size_t k = 0; k < width; ++k) {
    py::array_t<double> column(static_cast<py::ssize_t>(values.size() / width));
    for (std::size_t i = 0; k + i * width < values.size(); ++i)
      column.mutable_data()[i] = values[k + i * width];
    result[py::str(header.law_variables[k])] = column;
  }
  return result;
}

py::dict sample(const Pointer& simulation) {
  simulation->require_idle();
  py::dict result;
  std::vector<double> values;
  simulation->run().compute_sample(values);
  const std::vector<std::string> names = simulation->run().sample_names();
  for (std::size_t i = 0; i < values.size(); ++i) result[py::str(names[i])] = values[i];
  return result;
}

py::dict measures(const Pointer& simulation) {
  py::dict result;
  const Measures& measures = simulation->measures();
  for (std::size_t i = 0; i < measures.size(); ++i)
    result[py::str(measures.observable(i).name)] = measures.result(i).value;
  return result;
}

py::dict seconds_by_stage(const Pointer& simulation) {
  py::dict result;
  const std::array<double, 6> seconds = simulation->run().seconds_by_stage();
  for (std::size_t i = 0; i < seconds.size(); ++i)
    result[py::str(std::string(kStageNames[i]))] = seconds[i];
  return result;
}

std::vector<std::string> contact_names(const Pointer& simulation) {
  std::vector<std::string> names;
  if (!simulation->scene().system) return names;
  for (const Contact& contact : simulation->scene().system->contacts())
    names.push_back(contact.name);
  return names;
}

// Shapes as numbers, laid out as in results.h5 (clack/io/results/shape_table.hpp).
py::dict shape_table(const Pointer& simulation) {
  ShapeTable table;
  std::vector<int> index;
  for (const Body& body : simulation->rigid_world().bodies) index.push_back(table.add(body.shape));
  py::dict result;
  result["shape_index"] = py::array_t<int>(static_cast<py::ssize_t>(index.size()), index.data());
  for (const StaticDataset& dataset : table.datasets()) {
    const std::string name = dataset.path.substr(dataset.path.rfind('/') + 1);
    std::visit([&](const auto& values) { result[py::str(name)] = py::cast(values); },
               dataset.values);
  }
  return result;
}

std::optional<Vector> optional_vector(const py::object& values, py::ssize_t size,
                                      const std::string& what) {
  if (values.is_none()) return std::nullopt;
  return to_vector(values, size, what);
}

void set_state(const Pointer& simulation, const py::object& q, const py::object& v,
               const py::object& t) {
  const auto nq = static_cast<py::ssize_t>(simulation->run().q().size());
  const auto nv = static_cast<py::ssize_t>(simulation->run().v().size());
  const auto new_q = optional_vector(q, nq, "q"), new_v = optional_vector(v, nv, "v");
  std::optional<double> new_t;
  if (!t.is_none()) new_t = py::cast<double>(t);
  if (new_t && !std::isfinite(*new_t)) throw py::value_error("t must be finite");
  simulation->set_state(new_q ? &*new_q : nullptr, new_v ? &*new_v : nullptr,
                        new_t ? &*new_t : nullptr);
}

// n x 3 values of all bodies; those that are not free keep theirs.
void set_body_columns(const Pointer& simulation, const py::object& values, int offset, bool of_q,
                      const std::string& what) {
  const auto n = static_cast<py::ssize_t>(simulation->bodies().bodies.size());
  const Matrix given = to_matrix(values, n, 3, what);
  const int width = of_q ? 7 : 6;
  Vector all = of_q ? simulation->q() : simulation->v();
  for (py::ssize_t i = 0; i < n; ++i) all.segment(width * i + offset, 3) = given.row(i).transpose();
  simulation->set_state(of_q ? &all : nullptr, of_q ? nullptr : &all, nullptr);
}

void bind_energy(py::module_& module) {
  py::class_<EnergyAudit> energy(
      module, "Energy",
      "Energies now and works since the start [J]; T + V - (T + V)(0) is "
      "the sum of the works and `numerical`.");
  const std::pair<const char*, double EnergyAudit::*> fields[] = {
      {"kinetic", &EnergyAudit::kinetic},
      {"potential", &EnergyAudit::potential},
      {"work_external", &EnergyAudit::work_external},
      {"work_damping", &EnergyAudit::work_damping},
      {"work_contact", &EnergyAudit::work_contact},
      {"work_impact", &EnergyAudit::work_impact},
      {"work_friction", &EnergyAudit::work_friction},
      {"work_bond", &EnergyAudit::work_bond},
      {"numerical", &EnergyAudit::numerical}};
  for (const auto& [name, member] : fields) energy.def_readonly(name, member, "[J]");
  const std::vector<std::pair<const char*, double EnergyAudit::*>> all(std::begin(fields),
                                                                       std::end(fields));
  energy
      .def_property_readonly(
          "total", [](const EnergyAudit& e) { return e.kinetic + e.potential; },
          "kinetic + potential [J]")
      .def("__getitem__",
           [all](const EnergyAudit& e, const std::string& name) {
             for (const auto& [word, member] : all) {
               if (name == word) return e.*member;
             }
             throw py::key_error(name);
           })
      .def("as_dict",
           [all](const EnergyAudit& e) {
             py::dict result;
             for (const auto& [word, member] : all) result[word] = e.*member;
             return result;
           })
      .def("__repr__", [all](const EnergyAudit& e) {
        std::string text = "Energy(";
        for (const auto& [word, member] : all)
          text += fmt::format("{}{}={:.6g}", text.back() == '(' ? "" : ", ", word, e.*member);
        return text + ") [J]";
      });
}

void bind_body(py::module_& module) {
  py::class_<BodyHandle>(module, "Body", "A rigid body of a simulation.")
      .def_property_readonly("name", [](const BodyHandle& b) { return b.model().name; })
      .def_property_readonly(
          "index", [](const BodyHandle& b) { return b.index; },
          "its row in the arrays of all bodies")
      .def_property_readonly(
          "mass", [](const BodyHandle& b) { return b.model().mass; }, "[kg]")
      .def_property_readonly(
          "moments", [](const BodyHandle& b) { return copy(b.model().moments.data(), 3); },
          "principal moments of inertia [kg m^2]")
      .def_property_readonly("kind",
                             [](const BodyHandle& b) {
                               const char* words[] = {"free", "fixed", "driven"};
                               return words[static_cast<int>(b.model().kind)];
                             })
      .def_property_readonly("material",
                             [](const BodyHandle& b) {
                               const auto at = static_cast<std::size_t>(b.model().material);
                               return b.simulation->rigid_world().materials[at].name;
                             })
      .def_property_readonly(
          "shape",
          [](const BodyHandle& b) {
            return std::string(
                shape_list()[static_cast<std::size_t>(b.model().shape->kind())].name);
          },
          "the kind of its shape")
      .def_property(
          "position", [](const BodyHandle& b) { return vector_view(b, b.state().position); },
          [](const BodyHandle& b, py::handle x) {
            const Vector3 value = to_vector3(x, "position");
            b.simulation->set_body(b.index, &value, nullptr, nullptr, nullptr);
          },
          "of the centre of mass [m]")
      .def_property(
          "rotation", &rotation_of_body,
          [](const BodyHandle& b, py::handle x) {
            const Vector value = to_vector(x, 4, "rotation");
            b.simulation->set_body(b.index, nullptr, &value, nullptr, nullptr);
          },
          "unit quaternion (w, x, y, z)")
      .def_property(
          "v", [](const BodyHandle& b) { return vector_view(b, b.state().v); },
          [](const BodyHandle& b, py::handle x) {
            const Vector3 value = to_vector3(x, "v");
            b.simulation->set_body(b.index, nullptr, nullptr, &value, nullptr);
          },
          "velocity of the centre of mass [m/s]")
      .def_property(
          "omega", [](const BodyHandle& b) { return vector_view(b, b.state().omega); },
          [](const BodyHandle& b, py::handle x) {
            const Vector3 value = to_vector3(x, "omega");
            b.simulation->set_body(b.index, nullptr, nullptr, nullptr, &value);
          },
          "angular velocity in the body's frame [rad/s]")
      .def(
          "__eq__",
          [](const BodyHandle& a, const BodyHandle& b) {
            return a.simulation == b.simulation && a.index == b.index;
          },
          py::is_operator())
      .def("__hash__", [](const BodyHandle& b) { return b.index; })
      .def("__repr__", [](const BodyHandle& b) {
        const Vector3& x = b.state().position;
        return fmt::format("<clack.Body '{}' at ({:.4g}, {:.4g}, {:.4g}) m>", b.model().name, x[0],
                           x[1], x[2]);
      });
}

void bind_report(py::module_& module) {
  py::class_<SolveReport>(module, "SolveReport", "How the one-step problem of a step was solved.")
      .def_property_readonly("status", [](const SolveReport& r) { return status_word(r.status); })
      .def_readonly("iterations", &SolveReport::iterations)
      .def_readonly("residual", &SolveReport::residual, "of the yardstick, recomputed")
      .def_readonly("residual_scaled", &SolveReport::residual_scaled, "the same, free of units")
      .def_readonly("velocity_error", &SolveReport::velocity_error,
                    "largest error in velocity of a contact, relative to its island")
      .def_readonly("seconds", &SolveReport::seconds, "wall clock [s]")
      .def_readonly("note", &SolveReport::note)
      .def("__repr__", [](const SolveReport& r) {
        return fmt::format("<{} after {} iterations, residual {:.1e}>", to_string(r.status),
                           r.iterations, r.residual);
      });
}

void bind_state(py::class_<PySimulation, Pointer>& simulation) {
  simulation
      .def_property_readonly(
          "t", [](const Pointer& s) { return s->time(); }, "time [s]")
      .def_property_readonly(
          "h", [](const Pointer& s) { return s->scene().options.h; },
          "time step [s]; the first one where it adapts itself")
      .def_property_readonly(
          "end", [](const Pointer& s) { return s->scene().end; }, "where the scene ends [s]")
      .def_property_readonly("steps", [](const Pointer& s) { return s->steps(); })
      .def_property_readonly(
          "status", [](const Pointer& s) { return status_word(s->status()); }, "of the last step")
      .def_property(
          "q", [](py::object self) { return view(py::cast<PySimulation&>(self).q(), self); },
          [](const Pointer& s, const py::object& q) { set_state(s, q, py::none(), py::none()); },
          "configuration [m, rad]; of rigid bodies position and quaternion (w, x, y, z) of each. A "
          "view that follows the steps; assign an array to change the state.")
      .def_property(
          "v", [](py::object self) { return view(py::cast<PySimulation&>(self).v(), self); },
          [](const Pointer& s, const py::object& v) { set_state(s, py::none(), v, py::none()); },
          "velocity [m/s, rad/s]; of rigid bodies v and omega of each. A view, as q.")
      .def("set_state", &set_state, py::arg("q") = py::none(), py::arg("v") = py::none(),
           py::arg("t") = py::none(),
           "Goes on from another state; what is None stays. The energy that this adds is booked as "
           "work_external.");
}

void bind_bodies(py::class_<PySimulation, Pointer>& simulation) {
  simulation
      .def("_body",
           [](const Pointer& s, const py::object& key) {
             return BodyHandle{s, body_index(s, key)};
           })
      .def_property_readonly("_body_names",
                             [](const Pointer& s) {
                               std::vector<std::string> names;
                               for (const Body& b : s->rigid_world().bodies)
                                 names.push_back(b.name);
                               return names;
                             })
      .def("_body_index", &body_index)
      .def_property(
          "_positions", [](const Pointer& s) { return body_view(s, &BodyState::position, 3); },
          [](const Pointer& s, const py::object& x) {
            set_body_columns(s, x, 0, true, "position");
          })
      .def_property(
          "_velocities", [](const Pointer& s) { return body_view(s, &BodyState::v, 3); },
          [](const Pointer& s, const py::object& x) { set_body_columns(s, x, 0, false, "v"); })
      .def_property(
          "_omegas", [](const Pointer& s) { return body_view(s, &BodyState::omega, 3); },
          [](const Pointer& s, const py::object& x) { set_body_columns(s, x, 3, false, "omega"); })
      .def_property_readonly("_masses",
                             [](const Pointer& s) {
                               const LargeArray<Body>& bodies = s->rigid_world().bodies;
                               const auto n = static_cast<py::ssize_t>(bodies.size());
                               return view(&bodies.data()->mass, {n}, {sizeof(Body)},
                                           keep(s->shared_run()));
                             })
      .def("_shape_table", &shape_table);
}

}  // namespace

void bind_simulation(py::module_& module) {
  bind_energy(module);
  bind_body(module);
  bind_report(module);
  py::class_<PySimulation, Pointer> simulation(module, "SimulationBase");
  simulation.def(
      py::init([](std::shared_ptr<LoadedScene> scene, int threads) {
        if (!scene) throw py::type_error("a simulation needs a scene");
        if (threads < 0 || threads > 1024)
          throw py::value_error(fmt::format("threads is {}; allowed: 0 to 1024", threads));
        return std::make_shared<PySimulation>(std::move(scene), threads);
      }),
      py::arg("scene"), py::arg("threads") = 1);
  bind_state(simulation);
  bind_bodies(simulation);
  bind_joints(simulation);
  bind_contacts(simulation);
  simulation
      .def(
          "step", [](PySimulation& s) { return status_word(s.step()); },
          "One step; returns its status, 'converged' where all tolerances are met.")
      .def("_run",
           [](py::object self, double until, const py::object& callback) {
             return status_word(py::cast<PySimulation&>(self).run(until, callback, self));
           })
      .def("_change", &PySimulation::change)
      .def_property_readonly("is_world",
                             [](const Pointer& s) { return s->scene().world != nullptr; })
      .def_property_readonly("title", [](const Pointer& s) { return s->scene().title; })
      .def_property_readonly("scheme", [](const Pointer& s) { return s->scene().options.scheme; })
      .def_property_readonly("scene_text", [](const Pointer& s) { return s->scene().text; })
      .def_property_readonly("q_names", [](const Pointer& s) { return s->scene().q_names; })
      .def_property_readonly("v_names", [](const Pointer& s) { return s->scene().v_names; })
      .def_property_readonly("contact_names", &contact_names,
                             "contacts of a system with coordinates, by `id` of `contacts`")
      .def_property_readonly(
          "energy", [](const Pointer& s) { return s->ledger().totals(); },
          "energies now and works since the start [J]")
      .def_property_readonly(
          "energy_error", [](const Pointer& s) { return s->ledger().relative_error(); },
          "largest imbalance of a step, relative")
      .def_property_readonly(
          "solver", [](const Pointer& s) { return s->run().report(); },
          "how the problem of the last step was solved")
      .def_property_readonly("measures", &measures, "the scene's measures so far, by name")
      .def_property_readonly(
          "impacts", [](const Pointer& s) { return s->run().impacts(); },
          "by contact: how often it closed with an impulse")
      .def_property_readonly("sample", &sample, "numbers of the sample of rigid bodies, by name")
      .def_property_readonly("law_memory", &law_memory,
                             "what laws remember, by variable: one value a row of `contacts`")
      .def_property_readonly("seconds_by_stage", &seconds_by_stage, "wall clock [s]")
      .def(
          "problem",
          [](const Pointer& s) -> py::object {
            s->require_idle();
            std::optional<ProblemData> problem = s->run().problem();
            if (!problem) return py::none();
            problem->name = "step_" + std::to_string(s->steps());
            return py::cast(std::make_shared<PyProblem>(std::move(*problem)));
          },
          "The one-step problem of the last step; None where nothing touched.");
}

}  // namespace clack::python
