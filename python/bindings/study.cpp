// Convergence studies of scenes.
#include "clack/record/scene_study.hpp"

#include "python/bindings/scene.hpp"

namespace clack::python {
namespace {

template <class Value>
py::array_t<double> column(const SchemeStudy& record, Value value) {
  py::array_t<double> result(static_cast<py::ssize_t>(record.runs.size()));
  for (std::size_t k = 0; k < record.runs.size(); ++k)
    result.mutable_at(k) = static_cast<double>(value(record.runs[k]));
  return result;
}

py::array_t<double> numbers(const std::vector<double>& values) {
  return copy(values.data(), static_cast<py::ssize_t>(values.size()));
}

py::dict to_dict(const SchemeStudy& record) {
  py::dict result;
  result["steps"] = numbers(record.steps);
  result["errors"] = numbers(record.errors);
  result["errors_q"] = column(record, [](const StudyRun& run) { return run.error_q; });
  result["errors_v"] = column(record, [](const StudyRun& run) { return run.error_v; });
  result["errors_l1"] = column(record, [](const StudyRun& run) { return run.error_l1; });
  result["pairwise_orders"] = numbers(record.orders);
  result["cpu_seconds"] = column(record, [](const StudyRun& run) { return run.cpu_seconds; });
  result["iterations"] = column(record, [](const StudyRun& run) { return run.solver_iterations; });
  result["orders"] = record.fit.order;
  result["half_widths"] = record.fit.half_width;
  py::list failures;
  for (const StudyRun& run : record.runs) failures.append(run.failure);
  result["failures"] = failures;
  return result;
}

py::dict to_dict(const ConvergenceStudy& study) {
  py::dict result, schemes;
  for (const SchemeStudy& record : study.schemes) schemes[py::str(record.scheme)] = to_dict(record);
  result["title"] = study.title;
  result["norm"] = study.norm.name();
  result["reference"] = study.reference;
  result["observed"] = study.observed;
  result["good"] = study.good();
  result["schemes"] = schemes;
  return result;
}

// Ctrl-C ends a study; only the main thread sees it.
void check_signals(std::size_t, std::size_t) {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

py::dict converge(const LoadedScene& loaded, std::vector<std::string> schemes,
                  const std::vector<double>& steps, std::vector<double> tolerances,
                  std::string reference, std::string reference_scheme, std::string norm,
                  std::vector<std::string> observe, int jobs) {
  SceneStudyOptions options{.schemes = std::move(schemes),
                            .tolerances = std::move(tolerances),
                            .reference = std::move(reference),
                            .reference_scheme = std::move(reference_scheme),
                            .norm = std::move(norm),
                            .observe = std::move(observe),
                            // Functions of Python run one at a time, and need not expect others.
                            .jobs = loaded.source.has_callbacks ? 1 : jobs,
                            .progress = check_signals};
  for (const double h : steps) options.steps.push_back({.largest = h, .smallest = h});
  const SceneStudy study(
      [&](const std::string& scheme) {
        SceneSource source = loaded.source;
        source.overrides.push_back("simulation.scheme=" + scheme);
        return LoadedScene(std::move(source)).scene;
      },
      std::move(options));
  if (loaded.source.has_callbacks) return to_dict(study.run());
  const ConvergenceStudy result = [&] {
    const py::gil_scoped_release release;
    return study.run();
  }();
  return to_dict(result);
}

}  // namespace

void bind_study(py::module_& module) { module.def("_converge", &converge); }

}  // namespace clack::python
