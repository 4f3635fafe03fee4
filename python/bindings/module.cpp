// The extension module clack._clack: the library as Python sees it, without any mechanics.
#include "python/bindings/common.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/core/version.hpp"
#include "clack/io/scene/field.hpp"

namespace clack::python {
namespace {

std::string shape_text(const py::array& array) { return py::str(array.attr("shape")); }

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

Numbers to_numbers(py::handle values, const std::string& what) {
  const py::array any = py::array::ensure(values);
  if (!any) {
    PyErr_Clear();
    throw py::type_error(what + ": expected numbers");
  }
  const char kind = any.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    throw py::type_error(fmt::format("{}: expected numbers; found an array of type {}", what,
                                     std::string(py::str(any.dtype()))));
  }
  Numbers numbers = Numbers::ensure(any);
  if (!numbers) throw py::error_already_set();
  return numbers;
}

void require_finite(const Numbers& numbers, const std::string& what) {
  const double* data = numbers.data();
  for (py::ssize_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(data[i]))
      throw py::value_error(fmt::format("{}: value {} is {}; it must be finite", what, i, data[i]));
  }
}

}  // namespace

Vector to_vector(py::handle values, const std::string& what) {
  const Numbers numbers = to_numbers(values, what);
  if (numbers.ndim() != 1)
    throw py::value_error(
        fmt::format("{}: expected one dimension; found the shape {}", what, shape_text(numbers)));
  require_finite(numbers, what);
  return ConstVectorMap(numbers.data(), numbers.size());
}

Vector to_vector(py::handle values, py::ssize_t size, const std::string& what) {
  const Numbers numbers = to_numbers(values, what);
  if (numbers.ndim() != 1 || numbers.size() != size)
    throw py::value_error(
        fmt::format("{}: expected {} values; found the shape {}", what, size, shape_text(numbers)));
  require_finite(numbers, what);
  return ConstVectorMap(numbers.data(), size);
}

Matrix to_matrix(py::handle values, py::ssize_t rows, py::ssize_t columns,
                 const std::string& what) {
  const Numbers numbers = to_numbers(values, what);
  const bool fits = numbers.ndim() == 2 && (rows < 0 || numbers.shape(0) == rows) &&
                    (columns < 0 || numbers.shape(1) == columns);
  if (!fits) {
    const auto size = [](py::ssize_t n) { return n < 0 ? std::string("n") : std::to_string(n); };
    throw py::value_error(fmt::format("{}: expected the shape ({}, {}); found {}", what, size(rows),
                                      size(columns), shape_text(numbers)));
  }
  require_finite(numbers, what);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(numbers.data(), numbers.shape(0), numbers.shape(1));
}

Vector3 to_vector3(py::handle values, const std::string& what) {
  return to_vector(values, 3, what);
}

void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

py::array view(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
               py::object owner) {
  py::array array(py::dtype::of<double>(), std::move(shape), std::move(strides), data, owner);
  make_read_only(array);
  return array;
}

py::array view(const Vector& values, py::object owner) {
  return view(values.data(), {values.size()}, {sizeof(double)}, std::move(owner));
}

py::array_t<double> copy(const double* data, py::ssize_t size) {
  return py::array_t<double>(size, data);
}

bool is_false(py::handle answer) {
  py::detail::make_caster<bool> value;
  return value.load(answer, false) && !py::detail::cast_op<bool>(value);
}

py::str status_word(Status status) {
  static std::array<PyObject*, 7> words{};
  PyObject*& word = words[static_cast<std::size_t>(status)];
  if (!word) {
    const std::string text(to_string(status));
    word = PyUnicode_InternFromString(text.c_str());
  }
  return py::reinterpret_borrow<py::str>(word);
}

namespace {

// Bad input is a ValueError, a file that cannot be read an OSError. The complaints about a scene
// stand one by one in `messages`.
void bind_errors(py::module_& module) {
  static py::handle input_error =
      py::exception<InputError>(module, "InputError", PyExc_ValueError).release();
  static py::handle io_error = py::exception<IoError>(module, "IoError", PyExc_OSError).release();
  input_error.attr("__doc__") =
      "Bad input: a scene, an option or a problem that cannot be accepted. `messages` has the "
      "complaints one by one.";
  io_error.attr("__doc__") = "A file that cannot be read or written.";
  py::register_exception_translator([](std::exception_ptr pointer) {
    const auto raise = [](py::handle type, const char* text, std::vector<std::string> messages) {
      py::object error = type(text);
      error.attr("messages") = std::move(messages);
      PyErr_SetObject(type.ptr(), error.ptr());
    };
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const SceneError& error) {
      raise(input_error, error.what(), error.messages());
    } catch (const InputError& error) {
      raise(input_error, error.what(), {error.what()});
    } catch (const IoError& error) {
      raise(io_error, error.what(), {error.what()});
    }
  });
}

}  // namespace
}  // namespace clack::python

PYBIND11_MODULE(_clack, module) {
  using namespace clack::python;
  module.doc() = "Nonsmooth mechanics: contact, impact and Coulomb friction, exactly.";
  module.attr("__version__") = clack::kVersion;
  bind_errors(module);
  bind_laws(module);
  bind_options(module);
  bind_scene(module);
  bind_problem(module);
  bind_simulation(module);
  bind_results(module);
  bind_study(module);
  bind_orbits(module);
}
