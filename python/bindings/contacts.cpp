#include "python/bindings/contacts.hpp"

#include <cstddef>

#include "clack/problem/body_problem.hpp"

namespace clack::python {
namespace {

using Pointer = std::shared_ptr<PySimulation>;

// ContactRow as NumPy sees it; r and u with the rows that contacts of this kind of model have.
py::dtype contact_dtype(int rows) {
  const auto vector = [](const char* kind, int n) {
    return py::object(py::make_tuple(kind, py::make_tuple(n)));
  };
  py::list names, formats, offsets;
  const auto add = [&](const char* name, py::object format, std::size_t offset) {
    names.append(name);
    formats.append(std::move(format));
    offsets.append(offset);
  };
  add("id", py::str("<i4"), offsetof(ContactRow, id));
  add("body_a", py::str("<i4"), offsetof(ContactRow, body_a));
  add("body_b", py::str("<i4"), offsetof(ContactRow, body_b));
  add("status", py::str("<i4"), offsetof(ContactRow, status));
  add("gap", py::str("<f8"), offsetof(ContactRow, gap));
  add("point", vector("<f8", 3), offsetof(ContactRow, point));
  add("normal", vector("<f8", 3), offsetof(ContactRow, normal));
  add("r", vector("<f8", rows), offsetof(ContactRow, r));
  add("u", vector("<f8", rows), offsetof(ContactRow, u));
  add("feature", py::str("<i8"), offsetof(ContactRow, feature));
  return py::dtype(names, formats, offsets, sizeof(ContactRow));
}

int local_rows(const PySimulation& simulation) {
  int rows = 3;
  if (!simulation.scene().system) return rows;
  for (const Contact& contact : simulation.scene().system->contacts())
    rows = std::max(rows, contact.dim());
  return rows;
}

using Rows = std::shared_ptr<const ContactRowList>;

py::array contact_array(const Pointer& simulation) {
  const Rows rows = simulation->contacts();
  const py::capsule owner(new Rows(rows), [](void* p) { delete static_cast<Rows*>(p); });
  py::array array(contact_dtype(local_rows(*simulation)), {static_cast<py::ssize_t>(rows->size())},
                  {sizeof(ContactRow)}, rows->data(), owner);
  make_read_only(array);
  return array;
}

// Impulses as vectors in the frame of the surroundings, on body_b.
py::array impulses(const Pointer& simulation) {
  simulation->require_idle();
  const int dim = simulation->rigid_world().dimension();
  const Rows rows = simulation->contacts();
  py::array_t<double> result({static_cast<py::ssize_t>(rows->size()), py::ssize_t{3}});
  for (std::size_t c = 0; c < rows->size(); ++c) {
    const ContactRow& row = (*rows)[c];
    const Vector3 impulse = to_world(Vector3(row.normal.data()), dim, row.r.data());
    std::copy_n(impulse.data(), 3, result.mutable_data(static_cast<py::ssize_t>(c), 0));
  }
  return result;
}

}  // namespace

void bind_contacts(py::class_<PySimulation, Pointer>& simulation) {
  simulation
      .def_property_readonly(
          "contacts", &contact_array,
          "Contacts of the last step, a structured array: id, body_a, body_b (normal from a to b), "
          "status, gap [m], point [m], normal, r [N s] and u [m/s] (normal first; u of b against "
          "a, "
          "+r acts on b). Read-only; it stays as it is when the simulation goes on.")
      .def_property_readonly("impulses", &impulses,
                             "impulses of `contacts` on body_b as vectors in space [N s], (n, 3)");
}

}  // namespace clack::python
