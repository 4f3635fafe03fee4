#include "python/bindings/callbacks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "clack/core/error.hpp"
#include "python/bindings/law_handles.hpp"

namespace clack::python {
namespace {

bool has(const py::object& object, const char* name) {
  return py::hasattr(object, name) && !object.attr(name).is_none();
}

// The value of an attribute that may be a method of the given arguments.
template <class... Arguments>
py::object value_or_call(const py::object& object, const char* name, Arguments&&... arguments) {
  const py::object value = object.attr(name);
  return PyCallable_Check(value.ptr()) ? value(std::forward<Arguments>(arguments)...) : value;
}

std::string name_of(const py::object& object) {
  if (has(object, "name")) return py::str(object.attr("name"));
  return py::str(py::type::of(object).attr("__name__"));
}

// A copy, so that no memory of the step can be kept or changed.
py::array_t<double> numbers(ConstVectorRef x) { return copy(x.data(), x.size()); }

LawVariable to_variable(py::handle item) {
  if (py::isinstance<py::str>(item)) return {py::str(item), "", 0};
  const auto values = py::cast<py::sequence>(item);
  LawVariable variable{py::str(values[0]), "", 0};
  if (values.size() > 1) variable.unit = py::str(values[1]);
  if (values.size() > 2) variable.initial = py::cast<double>(values[2]);
  return variable;
}

}  // namespace

PythonLaw::PythonLaw(py::object object) : object_(object), name_(name_of(object)) {
  if (!has(object, "prepare")) {
    throw py::type_error(
        fmt::format("the law '{}' has no method prepare(contact, statement)", name_));
  }
  if (has(object, "stages")) stages_ = py::cast<int>(object.attr("stages"));
  if (has(object, "iterates")) iterates_ = py::cast<bool>(object.attr("iterates"));
  if (stages_ < 1 || stages_ > 2)
    throw py::value_error(fmt::format("the law '{}' has {} stages; allowed: 1, 2", name_, stages_));
  has_reach_ = has(object, "reach");
  has_update_ = has(object, "update");
}

std::vector<LawVariable> PythonLaw::variables(int tangents, int turns) const {
  const py::gil_scoped_acquire lock;
  std::vector<LawVariable> result;
  if (!has(*object_, "variables")) return result;
  for (py::handle item : value_or_call(*object_, "variables", tangents, turns))
    result.push_back(to_variable(item));
  return result;
}

std::string PythonLaw::fault(int tangents, int turns) const {
  const py::gil_scoped_acquire lock;
  if (!has(*object_, "fault")) return {};
  const py::object fault = value_or_call(*object_, "fault", tangents, turns);
  return fault.is_none() ? std::string() : std::string(py::str(fault));
}

double PythonLaw::reach(const ContactSituation& contact) const {
  if (!has_reach_) return -kNever;
  const py::gil_scoped_acquire lock;
  return py::cast<double>(value_or_call(*object_, "reach", SituationHandle(contact)));
}

void PythonLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const py::gil_scoped_acquire lock;
  const auto handle = std::make_shared<StatementHandle>(contact, statement);
  try {
    (*object_).attr("prepare")(SituationHandle(contact), handle);
  } catch (...) {
    handle->close();
    throw;
  }
  handle->close();
}

void PythonLaw::update(const ContactSituation& contact, std::span<double> memory) const {
  if (!has_update_) return;
  const py::gil_scoped_acquire lock;
  const auto size = static_cast<py::ssize_t>(memory.size());
  py::array_t<double> values = copy(memory.data(), size);
  (*object_).attr("update")(SituationHandle(contact), values);
  for (py::ssize_t i = 0; i < size; ++i) {
    const double value = values.data()[i];
    if (!std::isfinite(value)) {
      throw py::value_error(
          fmt::format("the law '{}' left {} in its memory at {}", name_, value, i));
    }
    memory[static_cast<std::size_t>(i)] = value;
  }
}

PythonSystem::PythonSystem(py::object object) : object_(object) {
  for (const char* name : {"nv", "mass", "forces"}) {
    if (!has(object, name))
      throw py::type_error(fmt::format("a system needs '{}'; see clack.System", name));
  }
  nv_ = py::cast<int>(object.attr("nv"));
  if (nv_ < 1 || nv_ > 10000)
    throw py::value_error(fmt::format("nv is {}; allowed: 1 to 10000", nv_));
  has_energies_ = has(object, "energies");
  has_jacobians_ = has(object, "jacobians");
  read_contacts();
}

void PythonSystem::read_contacts() {
  if (!has(*object_, "contacts")) return;
  for (py::handle item : (*object_).attr("contacts")) {
    const auto entry = py::cast<py::dict>(item);
    Contact contact;
    contact.name = fmt::format("contact {}", contacts_.size() + 1);
    for (const auto& [key, value] : entry) {
      const std::string word = py::str(key);
      if (word == "name")
        contact.name = py::str(value);
      else if (word == "tangents")
        contact.tangents = py::cast<int>(value);
      else if (word == "bilateral")
        contact.bilateral = py::cast<bool>(value);
      else if (word == "mu")
        contact.law.mu = py::cast<double>(value);
      else if (word == "e_n")
        contact.law.e_n = py::cast<double>(value);
      else if (word == "e_t")
        contact.law.e_t = py::cast<double>(value);
      else
        throw py::value_error(fmt::format(
            "contact '{}': unknown key '{}'; allowed: name, tangents, bilateral, mu, e_n, e_t",
            contact.name, word));
    }
    const auto refuse = [&](const char* what, double value, const char* allowed) {
      throw py::value_error(
          fmt::format("contact '{}': {} is {}; it must be {}", contact.name, what, value, allowed));
    };
    const double mu = contact.law.mu.at(0), e_n = contact.law.e_n, e_t = contact.law.e_t;
    if (contact.tangents < 0 || contact.tangents > 2)
      refuse("tangents", contact.tangents, "0, 1 or 2");
    if (!(mu >= 0) || !std::isfinite(mu)) refuse("mu", mu, "a number >= 0");
    if (!(e_n >= 0 && e_n <= 1)) refuse("e_n", e_n, "in [0, 1]");
    if (!(e_t > -1 && e_t <= 1)) refuse("e_t", e_t, "in (-1, 1]");
    contacts_.push_back(contact);
  }
  for (const char* name : {"gaps", "contact_map"}) {
    if (!contacts_.empty() && !has(*object_, name))
      throw py::type_error(fmt::format("a system with contacts needs '{}'", name));
  }
}

void PythonSystem::mass(double t, ConstVectorRef q, MatrixRef M) const {
  const py::gil_scoped_acquire lock;
  M = to_matrix((*object_).attr("mass")(t, numbers(q)), nv_, nv_, "mass");
}

void PythonSystem::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  const py::gil_scoped_acquire lock;
  for (Vector* part : {&out.potential, &out.inertial, &out.damping, &out.external}) part->setZero();
  const py::object given = (*object_).attr("forces")(t, numbers(q), numbers(v));
  if (!py::isinstance<py::dict>(given)) {
    (has_energies_ ? out.potential : out.external) = to_vector(given, nv_, "forces");
    return;
  }
  for (const auto& [key, value] : py::cast<py::dict>(given)) {
    const std::string word = py::str(key);
    Vector* part = word == "potential"  ? &out.potential
                   : word == "inertial" ? &out.inertial
                   : word == "damping"  ? &out.damping
                   : word == "external" ? &out.external
                                        : nullptr;
    if (!part) {
      throw py::value_error(fmt::format(
          "forces: unknown group '{}'; allowed: potential, inertial, damping, external", word));
    }
    *part = to_vector(value, nv_, "forces['" + word + "']");
  }
}

Vector PythonSystem::total_force(double t, ConstVectorRef q, ConstVectorRef v) const {
  Forces forces(nv_);
  this->forces(t, q, v, forces);
  return forces.potential + forces.inertial + forces.damping + forces.external;
}

// Forward differences where the object gives none; they cost passes, not accuracy.
void PythonSystem::jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                             MatrixRef C) const {
  const py::gil_scoped_acquire lock;
  if (has_jacobians_) {
    const auto both = py::cast<py::tuple>((*object_).attr("jacobians")(t, numbers(q), numbers(v)));
    if (both.size() != 2) throw py::value_error("jacobians: expected the two matrices K, C");
    K = to_matrix(both[0], nv_, nv_, "jacobians: K");
    C = to_matrix(both[1], nv_, nv_, "jacobians: C");
    return;
  }
  const Vector base = total_force(t, q, v);
  Vector x(q), y(v);
  for (int j = 0; j < nv_; ++j) {
    x[j] += 1e-7 * std::max(1.0, std::abs(q[j]));
    K.col(j) = (base - total_force(t, x, v)) / (x[j] - q[j]);
    x[j] = q[j];
    y[j] += 1e-7 * std::max(1.0, std::abs(v[j]));
    C.col(j) = (base - total_force(t, q, y)) / (y[j] - v[j]);
    y[j] = v[j];
  }
}

Energies PythonSystem::energies(double t, ConstVectorRef q, ConstVectorRef v) const {
  if (!has_energies_) return System::energies(t, q, v);
  const py::gil_scoped_acquire lock;
  const Vector values =
      to_vector((*object_).attr("energies")(t, numbers(q), numbers(v)), 2, "energies");
  return {values[0], values[1], 0};
}

void PythonSystem::gaps(double t, ConstVectorRef q, VectorRef gap) const {
  if (contacts_.empty()) return;
  const py::gil_scoped_acquire lock;
  gap = to_vector((*object_).attr("gaps")(t, numbers(q)), gap.size(), "gaps");
}

void PythonSystem::contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const {
  if (contacts_.empty()) return;
  const py::gil_scoped_acquire lock;
  const py::object given = (*object_).attr("contact_map")(t, numbers(q));
  w.setZero();
  if (!py::isinstance<py::tuple>(given)) {
    H = to_matrix(given, nv_, rows(), "contact_map: H");
    return;
  }
  const auto both = py::cast<py::tuple>(given);
  if (both.size() != 2) throw py::value_error("contact_map: expected H, or H and w");
  H = to_matrix(both[0], nv_, rows(), "contact_map: H");
  w = to_vector(both[1], rows(), "contact_map: w");
}

void PythonForce::compute(double t, ConstVectorRef q, ConstVectorRef v, VectorRef Q) const {
  const py::gil_scoped_acquire lock;
  Q = to_vector((*function_)(t, numbers(q), numbers(v)), Q.size(), "force");
}

namespace {

void add_load(const Vector& values, BodyLoad& load) {
  for (int k = 0; k < values.size(); ++k) load[static_cast<std::size_t>(k)] += values[k];
}

Vector to_load(py::handle given, const std::string& name) {
  const Vector values = to_vector(given, "force on '" + name + "'");
  if (values.size() == 3 || values.size() == 6) return values;
  throw py::value_error(
      fmt::format("force on '{}': expected 3 values (force) or 6 (force, torque); found {}", name,
                  values.size()));
}

}  // namespace

void PythonWorldLoad::set_names(const RigidWorld& world) {
  bodies_.clear();
  if (!py::isinstance<py::dict>(*loads_)) return;
  for (const auto& [key, value] : py::cast<py::dict>(*loads_)) {
    const std::string name = py::str(key);
    std::size_t at = 0;
    while (at < world.bodies.size() && world.bodies[at].name != name) ++at;
    if (at == world.bodies.size())
      throw InputError(fmt::format("force: there is no body '{}'", name));
    if (!world.bodies[at].is_free())
      throw InputError(fmt::format("force: '{}' is not free, a force has no effect on it", name));
    bodies_.emplace_back(at, name);
  }
}

void PythonWorldLoad::add(double t, const WorldState& state, std::span<BodyLoad> loads) const {
  const py::gil_scoped_acquire lock;
  if (!py::isinstance<py::dict>(*loads_)) {
    add_all(t, state, loads);
    return;
  }
  const auto by_name = py::cast<py::dict>(*loads_);
  for (const auto& [at, name] : bodies_) {
    const BodyState& s = state.bodies[at];
    const py::object function = by_name[name.c_str()];
    py::object given = function;
    if (PyCallable_Check(function.ptr())) {
      const double rotation[] = {s.rotation.w(), s.rotation.x(), s.rotation.y(), s.rotation.z()};
      given = function(t, copy(s.position.data(), 3), copy(rotation, 4), copy(s.v.data(), 3),
                       copy(s.omega.data(), 3));
    }
    add_load(to_load(given, name), loads[at]);
  }
}

void PythonWorldLoad::add_all(double t, const WorldState& state, std::span<BodyLoad> loads) const {
  const auto n = static_cast<py::ssize_t>(state.bodies.size());
  py::array_t<double> position({n, py::ssize_t{3}}), rotation({n, py::ssize_t{4}}),
      v({n, py::ssize_t{3}}), omega({n, py::ssize_t{3}});
  for (py::ssize_t i = 0; i < n; ++i) {
    const BodyState& s = state.bodies[static_cast<std::size_t>(i)];
    const double turn[] = {s.rotation.w(), s.rotation.x(), s.rotation.y(), s.rotation.z()};
    std::copy_n(s.position.data(), 3, position.mutable_data(i, 0));
    std::copy_n(turn, 4, rotation.mutable_data(i, 0));
    std::copy_n(s.v.data(), 3, v.mutable_data(i, 0));
    std::copy_n(s.omega.data(), 3, omega.mutable_data(i, 0));
  }
  const py::object given = (*loads_)(t, position, rotation, v, omega);
  const Matrix values = to_matrix(given, n, -1, "force");
  if (values.cols() != 3 && values.cols() != 6) {
    throw py::value_error(fmt::format(
        "force: expected 3 columns (force) or 6 (force, torque); found {}", values.cols()));
  }
  for (py::ssize_t i = 0; i < n; ++i) {
    for (py::ssize_t k = 0; k < values.cols(); ++k)
      loads[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] += values(i, k);
  }
}

}  // namespace clack::python
