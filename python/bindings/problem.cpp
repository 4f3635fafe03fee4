// One-step problems and the solvers alone.
#include "python/bindings/problem.hpp"

#include <fmt/format.h>

#include <limits>

#include "clack/core/error.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/solver.hpp"

namespace clack::python {

const ProblemData& PyProblem::reduced() const {
  if (data_.form == ProblemForm::reduced) return data_;
  if (!reduced_) reduced_ = reduce(data_);
  return *reduced_;
}

namespace {

using Pointer = std::shared_ptr<PyProblem>;
using Indices = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// What the solve returns.
struct Solution {
  SolveReport report;
  py::array r, u, history;
};

constexpr const char* kAllowedCones =
    "allowed: ('nonnegative',), ('coulomb', 2 or 3, mu), ('rolling', mu, mu_r), ('free', 1 to 6)";

Cone to_cone(py::handle item) {
  const bool sequence = py::isinstance<py::tuple>(item) || py::isinstance<py::list>(item);
  if (!sequence || py::len(item) == 0)
    throw py::type_error(
        fmt::format("cone {}: expected a tuple; {}", std::string(py::repr(item)), kAllowedCones));
  const py::tuple parts = py::reinterpret_borrow<py::sequence>(item);
  const std::string kind = py::str(parts[0]);
  const auto number = [&](std::size_t i) {
    if (i >= parts.size()) throw py::value_error("cone '" + kind + "': too few numbers");
    const double value = PyFloat_AsDouble(parts[i].ptr());
    if (PyErr_Occurred()) throw py::error_already_set();
    return value;
  };
  const auto coefficient = [&](std::size_t i) {
    const double value = number(i);
    if (!(value >= 0) || !std::isfinite(value))
      throw py::value_error(fmt::format("mu is {}; it must be finite and >= 0", value));
    return value;
  };
  if (kind == "nonnegative") return Cone::nonnegative();
  if (kind == "rolling") return Cone::rolling(coefficient(1), coefficient(2));
  const int dim = static_cast<int>(number(1));
  if (kind == "free" && dim >= 1 && dim <= Cone::kMaxDim) return Cone::free(dim);
  if (kind == "coulomb" && dim == 1) return Cone::nonnegative();
  if (kind == "coulomb" && (dim == 2 || dim == 3)) return Cone::coulomb(dim, coefficient(2));
  throw py::value_error(fmt::format("cone ('{}', {}): {}", kind, dim, kAllowedCones));
}

SparseMatrix to_sparse(const Indices& rows, const Indices& columns, const py::object& values,
                       py::ssize_t m) {
  const Vector numbers = to_vector(values, "W");
  if (rows.size() != numbers.size() || columns.size() != numbers.size())
    throw py::value_error("W: as many rows and columns as values are needed");
  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<std::size_t>(numbers.size()));
  for (py::ssize_t k = 0; k < numbers.size(); ++k) {
    const std::int64_t i = rows.data()[k], j = columns.data()[k];
    if (i < 0 || j < 0 || i >= m || j >= m)
      throw py::value_error(fmt::format("W: entry ({}, {}) lies outside {} x {}", i, j, m, m));
    triplets.emplace_back(static_cast<int>(i), static_cast<int>(j), numbers[k]);
  }
  SparseMatrix W(m, m);
  W.setFromTriplets(triplets.begin(), triplets.end());
  return W;
}

Pointer make_problem(const Indices& rows, const Indices& columns, const py::object& values,
                     const py::object& u_free, const py::list& cones) {
  const Vector free = to_vector(u_free, "u_free");
  std::vector<Cone> all;
  for (py::handle item : cones) all.push_back(to_cone(item));
  return std::make_shared<PyProblem>(
      make_reduced_problem(std::move(all), to_sparse(rows, columns, values, free.size()), free));
}

py::array history_array(const std::vector<HistoryEntry>& history) {
  py::list names, formats, offsets;
  const auto add = [&](const char* name, const char* format, std::size_t offset) {
    names.append(name);
    formats.append(format);
    offsets.append(offset);
  };
  add("iteration", "<i4", offsetof(HistoryEntry, iteration));
  add("seconds", "<f8", offsetof(HistoryEntry, seconds));
  add("residual", "<f8", offsetof(HistoryEntry, residual));
  const py::dtype type(names, formats, offsets, sizeof(HistoryEntry));
  return py::array(type, {static_cast<py::ssize_t>(history.size())}, {sizeof(HistoryEntry)},
                   history.data());
}

std::string option_text(py::handle value) {
  if (py::isinstance<py::bool_>(value)) return py::cast<bool>(value) ? "true" : "false";
  return py::str(value);
}

Solution solve(const Pointer& problem, const std::string& name, double tolerance,
               int max_iterations, const py::object& time_limit, const py::object& r0,
               const py::dict& own) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.record_history = true;
  if (!time_limit.is_none()) options.time_limit = py::cast<double>(time_limit);
  OptionSet set;
  for (const auto& [key, value] : own) set[py::str(key)] = option_text(value);
  const std::unique_ptr<Solver> solver = make_solver(name, options, set);
  const py::ssize_t m = problem->data().dimension();
  Vector r = Vector::Zero(m);
  if (!r0.is_none()) r = to_vector(r0, m, "r");
  Vector u = Vector::Zero(m);
  Solution solution;
  {
    const py::gil_scoped_release release;
    solution.report = solver->solve(problem->reduced().view(), r.data(), u.data());
  }
  solution.r = copy(r.data(), m);
  solution.u = copy(u.data(), m);
  solution.history = history_array(solution.report.history);
  return solution;
}

py::tuple residual(const Pointer& problem, const py::object& r) {
  const py::ssize_t m = problem->data().dimension();
  const Vector impulses = to_vector(r, m, "r");
  Vector u = Vector::Zero(m);
  const Residual measures = compute_residual(problem->reduced().view(), impulses.data(), u.data());
  return py::make_tuple(measures.plain, measures.scaled, measures.velocity, copy(u.data(), m));
}

// Values, row numbers and columns, for scipy.sparse.coo_matrix.
py::tuple coordinates(const Pointer& problem) {
  const SparseMatrix W = problem->reduced().W.to_sparse();
  const auto n = static_cast<py::ssize_t>(W.nonZeros());
  py::array_t<double> values(n);
  py::array_t<int> rows(n), columns(n);
  py::ssize_t k = 0;
  for (int outer = 0; outer < W.outerSize(); ++outer) {
    for (SparseMatrix::InnerIterator it(W, outer); it; ++it, ++k) {
      values.mutable_data()[k] = it.value();
      rows.mutable_data()[k] = static_cast<int>(it.row());
      columns.mutable_data()[k] = static_cast<int>(it.col());
    }
  }
  return py::make_tuple(values, rows, columns);
}

void write(const Pointer& problem, const std::string& path, const py::object& r,
           const py::object& u) {
  if (r.is_none() || u.is_none()) {
    write_problem(path, problem->data());
    return;
  }
  const py::ssize_t m = problem->data().dimension();
  ProblemSolution solution{to_vector(r, m, "r"), to_vector(u, m, "u"), Vector()};
  write_problem(path, problem->data(), &solution);
}

py::object stored_solution(const std::string& path, const Pointer& problem) {
  const std::optional<ProblemSolution> solution = read_solution(path, problem->data());
  if (!solution) return py::none();
  return py::make_tuple(copy(solution->r.data(), solution->r.size()),
                        copy(solution->u.data(), solution->u.size()));
}

}  // namespace

void bind_problem(py::module_& module) {
  py::class_<PyProblem, Pointer>(
      module, "Problem",
      "The one-step problem: u = W r + u_free with K* containing u + g(u), "
      "orthogonal to r in K.")
      .def_static("_make", &make_problem)
      .def_static(
          "_read",
          [](const std::string& path) { return std::make_shared<PyProblem>(read_problem(path)); })
      .def_static("_stored_solution", &stored_solution)
      .def("write", &write, py::arg("path"), py::arg("r") = py::none(), py::arg("u") = py::none(),
           "Writes FCLIB (.hdf5, with the solution where it is given) or Siconos text (.dat).")
      .def_property_readonly("name", [](const Pointer& p) { return p->data().name; })
      .def_property_readonly("title", [](const Pointer& p) { return p->data().title; })
      .def_property_readonly(
          "contacts", [](const Pointer& p) { return p->data().contacts(); },
          "number of contacts and constraints")
      .def_property_readonly(
          "dimension", [](const Pointer& p) { return p->data().dimension(); },
          "number of unknowns m")
      .def_property_readonly("form",
                             [](const Pointer& p) {
                               return p->data().form == ProblemForm::global ? "global" : "reduced";
                             })
      .def_property_readonly(
          "u_free",
          [](py::object self) { return view(py::cast<PyProblem&>(self).reduced().u_free, self); },
          "free local velocity, m values [m/s]; a view")
      .def_property_readonly(
          "mu",
          [](const Pointer& p) {
            const std::vector<Cone>& cones = p->data().cones;
            py::array_t<double> mu(static_cast<py::ssize_t>(cones.size()));
            for (std::size_t i = 0; i < cones.size(); ++i)
              mu.mutable_data()[i] =
                  cones[i].is_free() ? std::numeric_limits<double>::infinity() : cones[i].mu();
            return mu;
          },
          "friction of each contact; infinite for a bilateral constraint")
      .def_property_readonly(
          "offset",
          [](py::object self) {
            const std::vector<int>& offset = py::cast<PyProblem&>(self).data().offset;
            py::array array(py::dtype::of<int>(), {static_cast<py::ssize_t>(offset.size())},
                            {sizeof(int)}, offset.data(), self);
            make_read_only(array);
            return array;
          },
          "first row of each contact, and m; a view")
      .def("_coordinates", &coordinates)
      .def("_residual", &residual)
      .def("_solve", &solve)
      .def("__repr__", [](const Pointer& p) {
        return fmt::format("<clack.Problem {}: {} contacts, {} unknowns, {}>",
                           p->data().name.empty() ? "without name" : p->data().name,
                           p->data().contacts(), p->data().dimension(),
                           p->data().form == ProblemForm::global ? "global" : "reduced");
      });
  py::class_<Solution>(module, "Solution", "What a solver found, judged by the yardstick.")
      .def_property_readonly(
          "status", [](const Solution& s) { return status_word(s.report.status); },
          "'converged' where both residuals are within the tolerance")
      .def_property_readonly("converged",
                             [](const Solution& s) { return s.report.status == Status::converged; })
      .def_property_readonly("iterations", [](const Solution& s) { return s.report.iterations; })
      .def_property_readonly(
          "residual", [](const Solution& s) { return s.report.residual; },
          "of the yardstick, recomputed after the solve")
      .def_property_readonly(
          "residual_scaled", [](const Solution& s) { return s.report.residual_scaled; },
          "the same, free of units")
      .def_property_readonly(
          "velocity_error", [](const Solution& s) { return s.report.velocity_error; },
          "largest error in velocity of a contact, relative to its island")
      .def_property_readonly(
          "seconds", [](const Solution& s) { return s.report.seconds; }, "wall clock [s]")
      .def_property_readonly("note", [](const Solution& s) { return s.report.note; })
      .def_readonly("r", &Solution::r, "impulses, normal first [N s]")
      .def_readonly("u", &Solution::u, "local velocities W r + u_free [m/s]")
      .def_readonly("history", &Solution::history,
                    "iteration, seconds and the solver's own measure, a structured array")
      .def("__repr__", [](const Solution& s) {
        return fmt::format("<clack.Solution {} after {} iterations in {:.3g} s, residual {:.1e}>",
                           to_string(s.report.status), s.report.iterations, s.report.seconds,
                           s.report.residual);
      });
}

}  // namespace clack::python
