// What the tables of options say, for keyword arguments, docstrings and stubs.
#include "clack/integrate/simulation.hpp"
#include "python/bindings/common.hpp"

namespace clack::python {
namespace {

py::object to_object(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return py::bool_(*flag);
  if (const auto* whole = std::get_if<long>(&value)) return py::int_(*whole);
  if (const auto* number = std::get_if<double>(&value))
    return std::isfinite(*number) ? py::object(py::float_(*number)) : py::object(py::none());
  if (const auto* word = std::get_if<std::string_view>(&value)) return py::str(std::string(*word));
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return py::cast(*numbers);
  return py::none();
}

py::list to_names(const std::vector<std::string_view>& names) {
  py::list result;
  for (const std::string_view name : names) result.append(std::string(name));
  return result;
}

py::dict to_dict(const std::vector<OptionState>& options) {
  static const char* const kKinds[] = {"number", "whole", "flag", "word", "list"};
  py::dict result;
  for (const auto& [info, value] : options) {
    py::dict entry;
    entry["kind"] = kKinds[static_cast<std::size_t>(info.kind)];
    entry["default"] = to_object(value);
    entry["otherwise"] = std::string(info.otherwise);
    entry["unit"] = std::string(info.unit);
    entry["allowed"] = info.allowed();
    entry["meaning"] = std::string(info.meaning);
    entry["schemes"] = to_names(info.readers);
    result[py::str(std::string(info.name))] = entry;
  }
  return result;
}

py::dict own_dict() {
  py::dict result;
  for (const SolverEntry& entry : solver_list())
    result[py::str(std::string(entry.name))] = to_dict(own_options(entry.name));
  result["bodies"] = to_dict(own_options("bodies"));
  return result;
}

}  // namespace

void bind_options(py::module_& module) {
  module.def("_options", [] {
    py::dict result;
    result["simulation"] = to_dict(option_states(SchemeOptions::table(), SchemeOptions{}));
    result["adaptive"] = to_dict(option_states(AdaptiveOptions::table(), AdaptiveOptions{}));
    result["solver"] =
        to_dict(option_states(SolverOptions::table(), SimulationOptions{}.solver_options));
    result["own"] = own_dict();
    return result;
  });
}

}  // namespace clack::python
