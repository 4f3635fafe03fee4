// What all bindings share: arrays in and out, callbacks, errors.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "clack/core/status.hpp"
#include "clack/core/types.hpp"
#include "clack/model/pose.hpp"

namespace clack::python {

namespace py = pybind11;

// Numbers of an array or a sequence. Throws ValueError (TypeError for what holds no numbers) with
// `what` it is, if its shape is another, or a value is not finite.
Vector to_vector(py::handle values, py::ssize_t size, const std::string& what);
// Any number of values.
Vector to_vector(py::handle values, const std::string& what);
Matrix to_matrix(py::handle values, py::ssize_t rows, py::ssize_t columns, const std::string& what);
Vector3 to_vector3(py::handle values, const std::string& what);

// A read-only view of memory that `owner` keeps alive.
py::array view(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
               py::object owner);
py::array view(const Vector& values, py::object owner);
void make_read_only(py::array& array);
// An array of its own.
py::array_t<double> copy(const double* data, py::ssize_t size);

// Python's or NumPy's False, the answer of a callback that ends a run; None is not.
bool is_false(py::handle answer);

// The word of a status, made once.
py::str status_word(Status status);

// A Python object held by C++: it may be let go from a thread that does not hold the interpreter.
class HeldObject {
 public:
  explicit HeldObject(py::object object) : object_(std::move(object)) {}
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;
  ~HeldObject() {
    py::gil_scoped_acquire lock;
    object_ = py::object();
  }
  const py::object& operator*() const { return object_; }

 private:
  py::object object_;
};

void bind_scene(py::module_& module);
void bind_simulation(py::module_& module);
void bind_problem(py::module_& module);
void bind_laws(py::module_& module);
void bind_options(py::module_& module);
void bind_results(py::module_& module);
void bind_study(py::module_& module);
void bind_orbits(py::module_& module);

}  // namespace clack::python
