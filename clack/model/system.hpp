// A mechanical system with contacts: what a user's own C++ model implements.
//
//     M(t,q) dv = F(t,q,v) dt + H(t,q) dr,      dq = v dt,      u = H' v + w (eq:motion)
//
// The system is const during a simulation; the state lives elsewhere. Every function writes into
// memory of the caller and must not allocate.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "clack/core/contact_map.hpp"
#include "clack/core/system_matrix.hpp"
#include "clack/core/types.hpp"
#include "clack/model/law.hpp"

namespace clack {

class RigidBodies;
class ArticulatedBodies;

// What a contact is from step to step: whose features touch. Of a fixed list: its number.
struct ContactIdentity {
  int source = 0;     // of the contact set
  int a = -1, b = 0;  // bodies, -1: the surroundings
  std::uint64_t feature = 0;

  auto operator<=>(const ContactIdentity&) const = default;
};

// Where the work of a contact's impulses belongs.
enum class Booking { contact, friction, drive, spring };

// One candidate contact, or one bilateral constraint (gap = 0 at all times).
struct Contact {
  std::string name;
  int tangents = 0;  // tangential rows: 0 frictionless, 1 plane, 2 space
  int turns = 0;     // rows of relative rotation: R in the plane; S, or S, R1, R2 in space
  bool bilateral = false;
  ContactLaw law;
  double area = 1;            // for laws in terms of stresses [m^2], in the plane [m]
  double material_angle = 0;  // from T1 to the first axis of the material, about the normal [rad]
  Booking booking = Booking::contact;
  ContactIdentity identity = {};
  int driver = -1;  // of System::drivers, whose work that of Booking::drive is; -1: of none

  int dim() const { return 1 + tangents + turns; }
};

// The generalised forces by where their work goes, each nv [N or N m].
struct Forces {
  explicit Forces(int nv = 0);

  Vector potential;  // -dV/dq
  Vector inertial;   // gyroscopic and centrifugal terms
  Vector damping;    // dissipation
  Vector external;   // all others, driven ones included
  Vector total;      // their sum
  Matrix drives;     // nv x drivers: parts of `external` by who drives; no columns where none do

  void set_total();
};

struct Energies {
  double kinetic = 0;        // T; p'v - T where time enters T (Jacobi's energy) [J]
  double potential = 0;      // V [J]
  double driving_power = 0;  // -dL/dt [W]
};

class System {
 public:
  virtual ~System() = default;

  virtual int nv() const = 0;
  virtual int nq() const { return nv(); }
  // For messages.
  virtual std::string coordinate_name(int i) const;
  // Candidates that a system states itself, in a fixed order; rows of H' are stacked in this order,
  // normal first. Those that come and go are found by contact sources (clack/collide).
  const std::vector<Contact>& contacts() const { return contacts_; }
  int rows() const;

  // M (nv x nv), symmetric positive definite [kg, kg m^2, ...].
  virtual void mass(double t, ConstVectorRef q, MatrixRef M) const = 0;
  // Fills potential, inertial, damping, external; the caller sums them.
  virtual void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const = 0;
  // How many drives and motors have a work of their own in results (eq:drive_work).
  virtual int drivers() const { return 0; }
  // K = -dF/dq, C = -dF/dv; zero makes the scheme treat the forces by fixed-point iteration.
  virtual void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                         MatrixRef C) const;

  // Whether the matrices are to be stored as sparse ones; then their entries are asked for instead.
  // The defaults take those of the dense matrices.
  virtual bool is_sparse() const { return false; }
  virtual void mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const;
  virtual void jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                                MatrixEntries& C) const;

  // Energies and the power that explicit time feeds in; the default takes T = v'Mv/2 and V = 0.
  virtual Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const;

  // Energy of what is there at t_end and was not at t_start, less that of the reverse, at (q, v) [J].
  virtual double appearing_energy(double /*t_start*/, double /*t_end*/, ConstVectorRef /*q*/,
                                  ConstVectorRef /*v*/) const {
    return 0;
  }

  // gap (one per contact) [m].
  virtual void gaps(double t, ConstVectorRef q, VectorRef gap) const;
  // H (nv x rows) and w (rows), u = H'v + w.
  virtual void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const;

  // The same for a sparse map, which is continued by all rows; the default takes those of the dense
  // one.
  virtual void contact_rows(double t, ConstVectorRef q, ContactMap& H, VectorRef w) const;

  // b = dH'/dt v + dw/dt (rows) along the motion, so that du/dt = H'a + b [m/s^2]. The default
  // takes differences of contact_map, good to some ten digits, and allocates.
  virtual void contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const;

  // K -= d(H r)/dq (nv x nv), the geometric stiffness of contacts under the forces r (rows) [N]:
  // the curvature of gaps times their forces. The default takes differences of contact_map, good
  // to some nine digits, and allocates.
  virtual void add_contact_stiffness(double t, ConstVectorRef q, ConstVectorRef r,
                                     MatrixRef K) const;

  // q_next = q moved by the displacement dq of the velocity space [m, rad], and back: the
  // displacement that leads from q to q_next.
  virtual void advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const;
  virtual void difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const;
  // q' = G(q) v (nq), and G(q)'g (nv): a gradient by q as a generalised force. Identities where nq
  // = nv.
  virtual void coordinate_rates(ConstVectorRef q, ConstVectorRef v, VectorRef rates) const;
  virtual void pull_back(ConstVectorRef q, ConstVectorRef gradient, VectorRef force) const;
  // Takes out of q what has no meaning, such as the length of a quaternion.
  virtual void normalise(VectorRef /*q*/) const {}
  // Sets the velocities of what moves as it is told for the step from t to t + h, which starts from
  // (q, v); they stay as they are within it. Returns the energy that this feeds in [J].
  virtual double prescribe(double /*t*/, double /*h*/, VectorRef /*q*/, VectorRef /*v*/) const {
    return 0;
  }

  // Velocities that forces and impulses do not change at t: of what is fixed, driven or not there.
  // M has ones for them, and nothing couples with them.
  virtual void list_prescribed(double /*t*/, std::vector<int>& list) const { list.clear(); }
  // The rigid bodies among what moves, whose coordinates are the first ones; null where there are
  // none.
  virtual const RigidBodies* bodies() const { return nullptr; }
  // The same in joint coordinates, where v is not that of the bodies; null elsewhere.
  virtual const ArticulatedBodies* articulated() const { return nullptr; }

  // M, C, K constant and F affine in (q, v): a step is one linear solve.
  virtual bool is_linear() const { return false; }
  // H constant and w depends on time only.
  virtual bool has_constant_contact_map() const { return false; }
  // w or H depends on time.
  virtual bool has_moving_contacts() const { return true; }

 protected:
  std::vector<Contact> contacts_;
};

// M, and K and C, as they are stored.
void evaluate_mass(const System& system, double t, ConstVectorRef q, SystemMatrix& M);
void evaluate_jacobians(const System& system, double t, ConstVectorRef q, ConstVectorRef v,
                        SystemMatrix& K, SystemMatrix& C);

// What a simulation starts from.
struct State {
  double t = 0;  // [s]
  Vector q;      // nq
  Vector v;      // nv
};

}  // namespace clack
