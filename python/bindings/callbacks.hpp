// Python objects as parts of a model: laws, systems, forces. Each call takes the interpreter's
// lock; an exception leaves the step through the library and reaches the caller as it was raised.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clack/model/bodies/rigid_world.hpp"
#include "clack/model/forced_system.hpp"
#include "clack/model/laws/law.hpp"
#include "clack/model/system.hpp"
#include "python/bindings/common.hpp"

namespace clack::python {

// A law as a Python object with `prepare(contact, statement)` and, where it remembers something,
// `variables` and `update(contact, memory)`.
class PythonLaw final : public Law {
 public:
  explicit PythonLaw(py::object object);

  std::string_view name() const override { return name_; }
  std::vector<LawVariable> variables(int tangents, int turns) const override;
  std::string fault(int tangents, int turns) const override;
  double reach(const ContactSituation& contact) const override;
  int stages() const override { return stages_; }
  bool iterates() const override { return iterates_; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;
  void update(const ContactSituation& contact, std::span<double> memory) const override;

 private:
  HeldObject object_;
  std::string name_;
  int stages_ = 1;
  bool iterates_ = false, has_reach_ = false, has_update_ = false;
};

// A system as a Python object with nv, contacts, mass, forces, gaps, contact_map, energies.
class PythonSystem final : public System {
 public:
  explicit PythonSystem(py::object object);

  int nv() const override { return nv_; }
  void mass(double t, ConstVectorRef q, MatrixRef M) const override;
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override;
  void gaps(double t, ConstVectorRef q, VectorRef gap) const override;
  void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const override;

 private:
  void read_contacts();
  Vector total_force(double t, ConstVectorRef q, ConstVectorRef v) const;

  HeldObject object_;
  int nv_ = 0;
  bool has_energies_ = false, has_jacobians_ = false;
};

// f(t, q, v) -> nv values.
class PythonForce final : public AppliedForce {
 public:
  explicit PythonForce(py::object function) : function_(std::move(function)) {}
  void compute(double t, ConstVectorRef q, ConstVectorRef v, VectorRef Q) const override;

 private:
  HeldObject function_;
};

// f(t, position, rotation, v, omega) -> (n, 3) or (n, 6), or for bodies by name f(t, body) -> 3 or
// 6 values; `names` maps the bodies' names to their numbers.
class PythonWorldLoad final : public WorldLoad {
 public:
  // `loads`: one callable for all bodies, or a dict of names to callables or values.
  explicit PythonWorldLoad(py::object loads) : loads_(std::move(loads)) {}
  // After the scene is read. Throws ValueError for a name that no body has.
  void set_names(const RigidWorld& world);
  void add(double t, const WorldState& state, std::span<BodyLoad> loads) const override;

 private:
  void add_all(double t, const WorldState& state, std::span<BodyLoad> loads) const;

  HeldObject loads_;
  std::vector<std::pair<std::size_t, std::string>> bodies_;  // by name
};

}  // namespace clack::python
