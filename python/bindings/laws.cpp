// Laws: the situation of a contact and the statement about it, as a law in Python sees them.
#include "python/bindings/common.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/law_list.hpp"
#include "python/bindings/law_handles.hpp"

namespace clack::python {

LawStatement& StatementHandle::get() const {
  if (!statement_) {
    throw std::runtime_error("a statement is good only within the call of prepare");
  }
  return *statement_;
}

namespace {

// One block of a statement, by its number.
struct BlockHandle {
  std::shared_ptr<StatementHandle> statement;
  int number;

  LawBlock& get() const { return statement->get().blocks[static_cast<std::size_t>(number)]; }
};

void require_number(double value, const char* what, bool may_be_negative) {
  if (std::isfinite(value) && (may_be_negative || value >= 0)) return;
  throw py::value_error(fmt::format("{} is {}; it must be {}", what, value,
                                    may_be_negative ? "finite" : "finite and >= 0"));
}

BlockHandle add_block(const std::shared_ptr<StatementHandle>& handle, bool free) {
  LawStatement& statement = handle->get();
  if (statement.count >= LawStatement::kMaxBlocks)
    throw py::value_error(
        fmt::format("a statement has at most {} blocks", LawStatement::kMaxBlocks));
  statement.add_block(free);
  return {handle, statement.count - 1};
}

int add_row(const BlockHandle& handle, py::object row, double scale, double offset,
            double compliance) {
  LawBlock& block = handle.get();
  const int rows = handle.statement->contact().rows();
  require_number(scale, "scale", true);
  require_number(offset, "offset", true);
  require_number(compliance, "compliance", false);
  if (block.dim >= Cone::kMaxDim)
    throw py::value_error(fmt::format("a block has at most {} rows", Cone::kMaxDim));
  if (py::isinstance<py::int_>(row)) {
    const int number = py::cast<int>(row);
    if (number < -1 || number >= rows)
      throw py::value_error(
          fmt::format("row {}: the contact has the rows 0 to {}", number, rows - 1));
    return block.add_row(number, scale, offset, compliance);
  }
  const Vector given = to_vector(row, rows, "row");
  ContactValues combination{};
  for (int k = 0; k < rows; ++k) combination[static_cast<std::size_t>(k)] = scale * given[k];
  return block.add_row(combination, offset, compliance);
}

void add_disc(const BlockHandle& handle, int rows, double radius) {
  LawBlock& block = handle.get();
  require_number(radius, "radius", false);
  if (rows < 1 || rows > Cone::kMaxDiscDim || block.disc_count >= Cone::kMaxDiscs ||
      block.dim + rows > Cone::kMaxDim) {
    throw py::value_error(fmt::format("a disc of {} rows does not fit into the block", rows));
  }
  block.add_disc(rows, radius);
}

py::array_t<double> contact_values(const ContactSituation& contact, const ContactValues& values) {
  return copy(values.data(), contact.rows());
}

void bind_situation(py::module_& module) {
  using Handle = SituationHandle;
  py::class_<Handle> situation(
      module, "ContactSituation",
      "What a law knows of its contact. Rows: normal, then tangential, then "
      "turning ones.");
  const auto number = [&](const char* name, auto member, const char* doc) {
    situation.def_property_readonly(
        name, [member](const Handle& h) { return h.values.*member; }, doc);
  };
  number("tangents", &ContactSituation::tangents, "number of tangential rows");
  number("turns", &ContactSituation::turns, "number of rows that turn");
  number("t", &ContactSituation::t, "start of the step [s]");
  number("h", &ContactSituation::h, "length of the step [s]");
  number("end_weight", &ContactSituation::end_weight,
         "positions move by h (end_weight u+ + (1 - end_weight) u-)");
  number("gap", &ContactSituation::gap, "at the start of the step [m]");
  number("forecast_gap", &ContactSituation::forecast_gap,
         "by which the scheme tells closed contacts [m]");
  number("closed", &ContactSituation::closed, "whether the contact counts as closed in this step");
  number("speculative", &ContactSituation::speculative,
         "an open contact must not close beyond gap = 0");
  number("area", &ContactSituation::area, "that the contact stands for [m^2], in the plane [m]");
  number("stage", &ContactSituation::stage, "of the law's stages, from 0");
  number("pass_number", &ContactSituation::pass, "0: u and r are those of the start of the step");
  situation
      .def_property_readonly(
          "u_start", [](const Handle& h) { return contact_values(h.values, h.values.u_start); },
          "local velocities at the start of the step [m/s]")
      .def_property_readonly(
          "u", [](const Handle& h) { return contact_values(h.values, h.values.u); },
          "local velocities at the end of the step, of the last pass [m/s]")
      .def_property_readonly(
          "r", [](const Handle& h) { return contact_values(h.values, h.values.r); },
          "local impulses of the last pass [N s]")
      .def_property_readonly(
          "memory",
          [](const Handle& h) {
            return copy(h.memory.data(), static_cast<py::ssize_t>(h.memory.size()));
          },
          "what the law remembers, at the start of the step")
      .def_property_readonly(
          "rows", [](const Handle& h) { return h.values.rows(); }, "number of rows")
      .def_property_readonly(
          "slip", [](const Handle& h) { return h.values.slip(); },
          "|u_T| at the end of the step [m/s]")
      .def(
          "way",
          [](const Handle& h, int row) {
            if (row < 0 || row >= h.values.rows())
              throw py::index_error(fmt::format("row {} of {}", row, h.values.rows()));
            return h.values.way(row);
          },
          py::arg("row"), "how far a row moves within the step, by the last pass [m, rad]");
}

void bind_statement(py::module_& module) {
  py::class_<StatementHandle, std::shared_ptr<StatementHandle>>(
      module, "LawStatement", "What a law states about its contact: blocks and a shift.")
      .def(
          "add_unilateral",
          [](const std::shared_ptr<StatementHandle>& h, double offset) {
            require_number(offset, "offset", true);
            return add_unilateral_block(h->contact(), offset, h->get()) != nullptr;
          },
          py::arg("offset") = 0.0,
          "Signorini's condition on u_N + offset [m/s]; False where the contact is open.")
      .def(
          "add_tangential_disc",
          [](const std::shared_ptr<StatementHandle>& h, double mu) {
            require_number(mu, "mu", false);
            add_tangential_disc(h->contact(), mu, h->get());
          },
          py::arg("mu"), "Friction |r_T| <= mu r_N on the tangential rows of the contact.")
      .def("add_block", &add_block, py::arg("free") = false,
           "A cone on combinations of the contact's rows; free: bilateral.")
      .def_property(
          "shift",
          [](const StatementHandle& h) { return copy(h.get().shift.data(), h.contact().rows()); },
          [](const StatementHandle& h, py::handle values) {
            const Vector given = to_vector(values, h.contact().rows(), "shift");
            std::copy_n(given.data(), given.size(), h.get().shift.data());
          },
          "impulses by attraction, one a row [N s]")
      .def_property(
          "e_t", [](const StatementHandle& h) { return h.get().e_t; },
          [](const StatementHandle& h, double e_t) {
            if (!(e_t > -1 && e_t <= 1)) throw py::value_error("e_t must be in (-1, 1]");
            h.get().e_t = e_t;
          },
          "tangential restitution [-]");
  py::class_<BlockHandle>(module, "LawBlock", "One cone on combinations of the contact's rows.")
      .def("add_row", &add_row, py::arg("row"), py::arg("scale") = 1.0, py::arg("offset") = 0.0,
           py::arg("compliance") = 0.0,
           "A further row: `scale` times a row of the contact (-1: none), or a combination of its "
           "rows; offset [m/s], compliance [1/kg]. Returns its number.")
      .def("add_disc", &add_disc, py::arg("rows"), py::arg("radius"),
           "A disc on the `rows` that are added next.");
}

}  // namespace

void bind_laws(py::module_& module) {
  bind_situation(module);
  bind_statement(module);
  module.def(
      "laws",
      [] {
        py::dict result;
        for (const LawInfo& info : law_list()) {
          py::dict parameters;
          for (const LawParameter& parameter : info.parameters)
            parameters[py::str(std::string(parameter.name))] =
                fmt::format("{} [{}]", parameter.meaning, parameter.unit);
          py::dict entry;
          entry["kind"] = std::string(law_kind_names()[static_cast<std::size_t>(info.kind)]);
          entry["summary"] = std::string(info.summary);
          entry["parameters"] = parameters;
          result[py::str(std::string(info.name))] = entry;
        }
        return result;
      },
      "All laws by name: kind, summary, parameters with meaning and unit.");
}

}  // namespace clack::python
