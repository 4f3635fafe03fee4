#include "clack/model/assembly.hpp"

#include <algorithm>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {
namespace {

// The velocities that coordinate i of a system depends on.
void add_velocities(const System& system, int i, int v_begin, std::vector<int>& list) {
  if (!system.bodies()) {
    list.push_back(v_begin + i);
    return;
  }
  const int at = v_begin + RigidBodies::kV * (i / RigidBodies::kQ), k = i % RigidBodies::kQ;
  if (k < 3)
    list.push_back(at + k);
  else
    list.insert(list.end(), {at + 3, at + 4, at + 5});
}

void shift(MatrixEntries& entries, std::size_t first, int by) {
  for (std::size_t k = first; k < entries.size(); ++k)
    entries[k] = {entries[k].row() + by, entries[k].col() + by, entries[k].value()};
}

}  // namespace

Assembly::Assembly(const std::vector<AssemblyPart>& parts, Coupling coupling)
    : coupling_(std::move(coupling)) {
  for (const AssemblyPart& x : parts) {
    const System& system = *x.system;
    if (system.bodies() && !parts_.empty())
      throw InputError("the rigid bodies of an assembly are one part, and its first one");
    const int contacts = static_cast<int>(system.contacts().size());
    parts_.push_back({x.system, nq_, nv_, system.nq(), system.nv(), contact_end_, contacts,
                      row_end_, system.rows()});
    nq_ += system.nq();
    nv_ += system.nv();
    contact_end_ += contacts;
    row_end_ += system.rows();
    contacts_.insert(contacts_.end(), system.contacts().begin(), system.contacts().end());
    sparse_ = sparse_ || system.is_sparse();
    linear_ = linear_ && system.is_linear();
    constant_map_ = constant_map_ && (contacts == 0 || system.has_constant_contact_map());
    moving_ = moving_ || (contacts > 0 && system.has_moving_contacts());
  }
  if (!coupling_.formulas) return;
  const System& formulas = *coupling_.formulas;
  contacts_.insert(contacts_.end(), formulas.contacts().begin(), formulas.contacts().end());
  for (const int i : coupling_.coordinates) {
    const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& x) {
      return i >= x.q_begin && i < x.q_begin + x.nq;
    });
    if (part == parts_.end()) throw InputError("the coupling names a coordinate that is not there");
    if (const ArticulatedBodies* articulated = part->system->articulated())
      articulated->list_velocities(i - part->q_begin, touched_);  // the first part
    else
      add_velocities(*part->system, i - part->q_begin, part->v_begin, touched_);
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  linear_ = linear_ && formulas.is_linear() && nq_ == nv_;
  if (formulas.contacts().empty()) return;
  constant_map_ = constant_map_ && formulas.has_constant_contact_map() && nq_ == nv_;
  moving_ = moving_ || formulas.has_moving_contacts();
}

std::string Assembly::coordinate_name(int i) const {
  for (const Part& part : parts_) {
    if (i < part.v_begin + part.nv) return part.system->coordinate_name(i - part.v_begin);
  }
  return System::coordinate_name(i);
}

// The bodies' own: they come first.
int Assembly::drivers() const { return parts_.empty() ? 0 : parts_.front().system->drivers(); }

const RigidBodies* Assembly::bodies() const {
  return parts_.empty() ? nullptr : parts_.front().system->bodies();
}

const ArticulatedBodies* Assembly::articulated() const {
  return parts_.empty() ? nullptr : parts_.front().system->articulated();
}

// --- part by part ------------------------------------------------------------------------------

void Assembly::mass(double t, ConstVectorRef q, MatrixRef M) const {
  M.setZero();
  for (const Part& part : parts_)
    part.system->mass(t, part.q(q), M.block(part.v_begin, part.v_begin, part.nv, part.nv));
}

void Assembly::mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const {
  for (const Part& part : parts_) {
    const std::size_t first = M.size();
    part.system->mass_entries(t, part.q(q), M);
    shift(M, first, part.v_begin);
  }
}

void Assembly::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  for (const Part& part : parts_) {
    Forces own(part.nv);
    part.system->forces(t, part.q(q), part.v(v), own);
    out.potential.segment(part.v_begin, part.nv) = own.potential;
    out.inertial.segment(part.v_begin, part.nv) = own.inertial;
    out.damping.segment(part.v_begin, part.nv) = own.damping;
    out.external.segment(part.v_begin, part.nv) = own.external;
    if (own.drives.cols() == 0) continue;
    out.drives.setZero(nv_, own.drives.cols());
    out.drives.middleRows(part.v_begin, part.nv) = own.drives;
  }
  if (coupling_.formulas) add_coupling_forces(t, q, v, out);
}

void Assembly::jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                         MatrixRef C) const {
  K.setZero();
  C.setZero();
  for (const Part& part : parts_) {
    const int at = part.v_begin, n = part.nv;
    part.system->jacobians(t, part.q(q), part.v(v), K.block(at, at, n, n), C.block(at, at, n, n));
  }
  if (!coupling_.formulas) return;
  MatrixEntries stiffness, damping;
  coupling_entries(t, q, v, stiffness, damping);
  for (const auto& x : stiffness) K(x.row(), x.col()) += x.value();
  for (const auto& x : damping) C(x.row(), x.col()) += x.value();
}

void Assembly::jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                                MatrixEntries& C) const {
  for (const Part& part : parts_) {
    const std::size_t first_K = K.size(), first_C = C.size();
    part.system->jacobian_entries(t, part.q(q), part.v(v), K, C);
    shift(K, first_K, part.v_begin);
    shift(C, first_C, part.v_begin);
  }
  if (coupling_.formulas) coupling_entries(t, q, v, K, C);
}

Energies Assembly::energies(double t, ConstVectorRef q, ConstVectorRef v) const {
  Energies sum;
  const auto add = [&](const Energies& x) {
    sum.kinetic += x.kinetic;
    sum.potential += x.potential;
    sum.driving_power += x.driving_power;
  };
  for (const Part& part : parts_) add(part.system->energies(t, part.q(q), part.v(v)));
  if (coupling_.formulas) add(coupling_.formulas->energies(t, coupled(q), coupled_rates(q, v)));
  return sum;
}

double Assembly::appearing_energy(double t_start, double t_end, ConstVectorRef q,
                                  ConstVectorRef v) const {
  double sum = 0;
  for (const Part& part : parts_)
    sum += part.system->appearing_energy(t_start, t_end, part.q(q), part.v(v));
  return sum;
}

void Assembly::advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const {
  for (const Part& part : parts_)
    part.system->advance(part.q(q), part.v(dq), q_next.segment(part.q_begin, part.nq));
}

void Assembly::difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const {
  for (const Part& part : parts_)
    part.system->difference(part.q(q_next), part.q(q), dq.segment(part.v_begin, part.nv));
}

void Assembly::coordinate_rates(ConstVectorRef q, ConstVectorRef v, VectorRef rates) const {
  for (const Part& part : parts_)
    part.system->coordinate_rates(part.q(q), part.v(v), rates.segment(part.q_begin, part.nq));
}

void Assembly::pull_back(ConstVectorRef q, ConstVectorRef gradient, VectorRef force) const {
  for (const Part& part : parts_)
    part.system->pull_back(part.q(q), part.q(gradient), force.segment(part.v_begin, part.nv));
}

void Assembly::normalise(VectorRef q) const {
  for (const Part& part : parts_) part.system->normalise(q.segment(part.q_begin, part.nq));
}

double Assembly::prescribe(double t, double h, VectorRef q, VectorRef v) const {
  double fed = 0;
  for (const Part& part : parts_)
    fed += part.system->prescribe(t, h, q.segment(part.q_begin, part.nq),
                                  v.segment(part.v_begin, part.nv));
  return fed;
}

void Assembly::list_prescribed(double t, std::vector<int>& list) const {
  list.clear();
  std::vector<int> own;
  for (const Part& part : parts_) {
    part.system->list_prescribed(t, own);
    for (const int i : own) list.push_back(part.v_begin + i);
  }
}

// --- contacts ----------------------------------------------------------------------------------

void Assembly::gaps(double t, ConstVectorRef q, VectorRef gap) const {
  for (const Part& part : parts_) {
    if (part.contacts > 0)
      part.system->gaps(t, part.q(q), gap.segment(part.contact_begin, part.contacts));
  }
  if (coupling_contacts() > 0)
    coupling_.formulas->gaps(t, coupled(q), gap.tail(coupling_contacts()));
}

void Assembly::contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const {
  H.setZero();
  for (const Part& part : parts_) {
    if (part.rows == 0) continue;
    part.system->contact_map(t, part.q(q),
                             H.block(part.v_begin, part.row_begin, part.nv, part.rows),
                             w.segment(part.row_begin, part.rows));
  }
  if (coupling_contacts() == 0) return;
  const int rows = coupling_.formulas->rows();
  Matrix own(coupling_.formulas->nv(), rows);
  coupling_.formulas->contact_map(t, coupled(q), own, w.tail(rows));
  for (int row = 0; row < rows; ++row) H.col(row_end_ + row) = spread(q, own.col(row));
}

void Assembly::contact_rows(double t, ConstVectorRef q, ContactMap& H, VectorRef w) const {
  for (const Part& part : parts_) {
    if (part.rows == 0) continue;
    ContactMap own(part.nv, part.rows, true);
    own.clear();
    part.system->contact_rows(t, part.q(q), own, w.segment(part.row_begin, part.rows));
    H.add_rows(own, part.v_begin);
  }
  if (coupling_contacts() == 0) return;
  const int rows = coupling_.formulas->rows();
  Matrix own(coupling_.formulas->nv(), rows);
  coupling_.formulas->contact_map(t, coupled(q), own, w.tail(rows));
  for (int row = 0; row < rows; ++row) {
    const Vector column = spread(q, own.col(row));
    for (const int i : touched_) H.add(i, column[i]);
    H.end_row();
  }
}

// u = a(x)'x' along the motion: a's own change, and a'x'' with the velocities held.
void Assembly::contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const {
  for (const Part& part : parts_) {
    if (part.rows > 0)
      part.system->contact_bias(t, part.q(q), part.v(v), b.segment(part.row_begin, part.rows));
  }
  if (coupling_contacts() == 0) return;
  const int rows = coupling_.formulas->rows();
  const Vector x = coupled(q);
  coupling_.formulas->contact_bias(t, x, coupled_rates(q, v), b.tail(rows));
  if (nq_ == nv_) return;
  const Vector change = derivative(q, v, [&](const Vector& at) { return coupled_rates(at, v); });
  Matrix own(coupling_.formulas->nv(), rows);
  Vector w(rows);
  coupling_.formulas->contact_map(t, x, own, w);
  b.tail(rows) += own.transpose() * change;
}

// --- coupling ----------------------------------------------------------------------------------

Vector Assembly::coupled(ConstVectorRef q) const { return q(coupling_.coordinates); }

Vector Assembly::coupled_rates(ConstVectorRef q, ConstVectorRef v) const {
  Vector rates(nq_);
  coordinate_rates(q, v, rates);
  return rates(coupling_.coordinates);
}

Vector Assembly::spread(ConstVectorRef q, ConstVectorRef gradient) const {
  Vector all = Vector::Zero(nq_), force(nv_);
  all(coupling_.coordinates) = gradient;
  pull_back(q, all, force);
  return force;
}

void Assembly::add_coupling_forces(double t, ConstVectorRef q, ConstVectorRef v,
                                   Forces& out) const {
  Forces own(coupling_.formulas->nv());
  coupling_.formulas->forces(t, coupled(q), coupled_rates(q, v), own);
  std::vector<int> held;
  list_prescribed(t, held);
  const auto add = [&](const Vector& gradient, Vector& forces) {
    Vector force = spread(q, gradient);
    force(held).setZero();
    forces += force;
  };
  add(own.potential, out.potential);
  add(own.damping, out.damping);
  add(own.external, out.external);
}

// Of a function of G along a motion. G is linear in a quaternion, so that differences of it over any
// length are its derivatives; in joint coordinates it is not.
template <class Function>
Vector Assembly::derivative(ConstVectorRef q, ConstVectorRef v, Function&& of) const {
  Vector moved(nq_);
  if (!articulated()) {
    coordinate_rates(q, v, moved);
    return of(Vector(q + moved)) - of(Vector(q));
  }
  constexpr double kStep = 1e-5;
  advance(q, kStep * v, moved);
  const Vector ahead = of(moved);
  advance(q, -kStep * v, moved);
  return (ahead - of(moved)) / (2 * kStep);
}

// F = G(q)'f(x, x') with x' = (G(q) v) (eq:assembly_stiffness).
void Assembly::coupling_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                                MatrixEntries& C) const {
  const System& formulas = *coupling_.formulas;
  const int m = formulas.nv();
  const Vector x = coupled(q), rates = coupled_rates(q, v);
  Matrix own_K(m, m), own_C(m, m);
  formulas.jacobians(t, x, rates, own_K, own_C);
  Forces own(m);
  formulas.forces(t, x, rates, own);
  own.set_total();
  std::vector<int> held;
  list_prescribed(t, held);
  const auto add = [&](const Vector& column, int j, MatrixEntries& entries) {
    for (const int i : touched_) {
      if (column[i] != 0 && !std::binary_search(held.begin(), held.end(), i))
        entries.emplace_back(i, j, column[i]);
    }
  };
  Vector unit = Vector::Zero(nv_), moved(nq_);
  for (const int j : touched_) {
    unit[j] = 1;
    coordinate_rates(q, unit, moved);
    unit[j] = 0;
    const Vector dx = moved(coupling_.coordinates);
    add(spread(q, own_C * dx), j, C);
    Vector column = spread(q, own_K * dx);
    if (nq_ != nv_) {
      unit[j] = 1;
      column += spread(
          q, own_C * derivative(q, unit, [&](const Vector& at) { return coupled_rates(at, v); }));
      column -= derivative(q, unit, [&](const Vector& at) { return spread(at, own.total); });
      unit[j] = 0;
    }
    add(column, j, K);
  }
}

}  // namespace clack
