// Scenes: read from a file or from the text that the builder writes, with objects of Python.
#include "python/bindings/scene.hpp"

#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/integrate/scheme.hpp"
#include "clack/model/samples/sample.hpp"
#include "clack/model/shapes/shape.hpp"
#include "clack/solve/solver.hpp"

namespace clack::python {
namespace {

constexpr const char* kName = "<python>";  // stands for the file in messages

Scene read(const SceneSource& source) {
  return source.is_file() ? load_scene(source.path, source.overrides, source.objects)
                          : parse_scene(kName, source.text, source.overrides, source.objects);
}

Table to_table(py::handle values, const std::string& what) {
  const auto both = py::cast<py::tuple>(values);  // names of the columns, numbers
  Table table;
  table.names = py::cast<std::vector<std::string>>(both[0]);
  const Matrix numbers = to_matrix(both[1], -1, static_cast<py::ssize_t>(table.names.size()), what);
  table.columns = static_cast<std::size_t>(numbers.cols());
  table.values.resize(static_cast<std::size_t>(numbers.size()));
  for (Eigen::Index i = 0; i < numbers.rows(); ++i) {
    for (Eigen::Index j = 0; j < numbers.cols(); ++j)
      table.values[static_cast<std::size_t>(i * numbers.cols() + j)] = numbers(i, j);
  }
  return table;
}

SceneSource make_source(std::string path, std::string text, std::vector<std::string> overrides,
                        const py::dict& laws, const py::dict& systems, const py::dict& tables,
                        const py::object& force) {
  SceneSource source{std::move(path), std::move(text), std::move(overrides), {}, nullptr, false};
  for (const auto& [name, law] : laws) {
    source.objects.laws[py::str(name)] =
        std::make_shared<PythonLaw>(py::reinterpret_borrow<py::object>(law));
  }
  for (const auto& [name, system] : systems) {
    source.objects.systems[py::str(name)] =
        std::make_shared<PythonSystem>(py::reinterpret_borrow<py::object>(system));
  }
  for (const auto& [name, table] : tables) {
    const std::string word = py::str(name);
    source.objects.tables[word] = to_table(table, word);
  }
  if (!force.is_none()) {
    if (!PyCallable_Check(force.ptr()) && !py::isinstance<py::dict>(force))
      throw py::type_error("force: expected a function, or a dict of body names to functions");
    if (PyCallable_Check(force.ptr())) source.objects.force = std::make_shared<PythonForce>(force);
    source.load = std::make_shared<PythonWorldLoad>(force);
    source.objects.load = source.load;
  }
  source.has_callbacks =
      !source.objects.laws.empty() || !source.objects.systems.empty() || source.load != nullptr;
  return source;
}

py::list body_names(const LoadedScene& loaded) {
  py::list names;
  if (loaded.scene.world) {
    for (const Body& body : loaded.scene.world->bodies) names.append(body.name);
  }
  return names;
}

// name -> summary of any list of the library.
template <class List>
py::dict summaries(const List& list) {
  py::dict result;
  for (const auto& info : list) result[py::str(std::string(info.name))] = std::string(info.summary);
  return result;
}

}  // namespace

LoadedScene::LoadedScene(SceneSource from) : source(std::move(from)), scene(read(source)) {
  if (scene.world && source.load) source.load->set_names(*scene.world);
  if (!scene.world && source.load && !source.objects.force) {
    throw InputError("force: a dict of bodies is for rigid bodies; give a function f(t, q, v)");
  }
}

void bind_scene(py::module_& module) {
  py::class_<LoadedScene, std::shared_ptr<LoadedScene>>(module, "LoadedScene",
                                                        "A scene that has been read and checked.")
      .def(py::init([](std::string path, std::string text, std::vector<std::string> overrides,
                       const py::dict& laws, const py::dict& systems, const py::dict& tables,
                       const py::object& force) {
             return std::make_shared<LoadedScene>(make_source(std::move(path), std::move(text),
                                                              std::move(overrides), laws, systems,
                                                              tables, force));
           }),
           py::kw_only(), py::arg("path") = "", py::arg("text") = "",
           py::arg("overrides") = std::vector<std::string>{}, py::arg("laws") = py::dict(),
           py::arg("systems") = py::dict(), py::arg("tables") = py::dict(),
           py::arg("force") = py::none())
      .def_property_readonly("title", [](const LoadedScene& s) { return s.scene.title; })
      .def_property_readonly("description",
                             [](const LoadedScene& s) { return s.scene.description; })
      .def_property_readonly("path", [](const LoadedScene& s) { return s.source.path; })
      .def_property_readonly(
          "text", [](const LoadedScene& s) { return s.scene.text; }, "the scene as YAML")
      .def_property_readonly("scheme", [](const LoadedScene& s) { return s.scene.options.scheme; })
      .def_property_readonly("solver", [](const LoadedScene& s) { return s.scene.options.solver; })
      .def_property_readonly(
          "h", [](const LoadedScene& s) { return s.scene.options.h; }, "time step [s]")
      .def_property_readonly(
          "end", [](const LoadedScene& s) { return s.scene.end; }, "the time to stop at [s]")
      .def_property_readonly(
          "is_world", [](const LoadedScene& s) { return s.scene.world != nullptr; },
          "whether it is one of rigid bodies")
      .def_property_readonly("q_names", [](const LoadedScene& s) { return s.scene.q_names; })
      .def_property_readonly("v_names", [](const LoadedScene& s) { return s.scene.v_names; })
      .def_property_readonly("body_names", &body_names);
  module.def(
      "schemes", [] { return summaries(scheme_list()); }, "Time-stepping schemes by name.");
  module.def(
      "solvers", [] { return summaries(solver_list()); }, "Solvers by name.");
  module.def(
      "shapes", [] { return summaries(shape_list()); }, "Shapes of rigid bodies by name.");
  module.def(
      "samples", [] { return summaries(sample_list()); }, "Generators of bodies by name.");
}

}  // namespace clack::python
