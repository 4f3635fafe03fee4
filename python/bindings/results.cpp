// A scene run to its end with everything written down, as `clack run` does.
#include <chrono>

#include "clack/record/files.hpp"
#include "clack/record/recorded_run.hpp"
#include "python/bindings/scene.hpp"

namespace clack::python {
namespace {

// Writes the folder's results.h5 and summary.json and returns the summary as JSON. The callback is
// called with t and the number of steps after each step; False ends the run. Ctrl-C ends it between
// two steps; what was computed is kept.
std::string record(const std::shared_ptr<LoadedScene>& scene, const std::string& folder,
                   int threads, bool resume, long dump_every, const py::object& callback) {
  if (threads < 0 || threads > 1024) throw py::value_error("threads: allowed are 0 to 1024");
  if (dump_every < 0) throw py::value_error("dump_problems: a whole number >= 0");
  RecordOptions options;
  options.folder = make_folder(folder, "");
  options.threads = threads;
  options.resume = resume;
  options.dump_every = dump_every;
  RecordedRun recorded(scene->scene, options);
  using Clock = std::chrono::steady_clock;
  auto next_look = Clock::now();
  const bool has_callback = !callback.is_none();
  const auto go_on = [&]() -> bool {
    const auto now = Clock::now();
    if (!has_callback && now < next_look) return true;
    next_look = now + std::chrono::milliseconds(10);
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!has_callback) return true;
    return !is_false(callback(recorded.run().time(), recorded.run().steps()));
  };
  {
    const py::gil_scoped_release release;
    recorded.simulate(go_on);
  }
  return recorded.summary();
}

}  // namespace

void bind_results(py::module_& module) { module.def("_record", &record); }

}  // namespace clack::python
