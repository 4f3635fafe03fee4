// The contacts that a system may have within a step, from all of its sources.
//
//     gap(t, q) [m] per contact,   u = H(t, q)'v + w(t, q) per row                      (eq:motion)
//
// A source finds candidates once a step: gaps that formulas state are always the same ones, bodies
// with shapes come near each other and part. Each candidate has an identity, by which impulses and
// memories of laws go over to the next step.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "clack/core/contact_map.hpp"
#include "clack/model/system.hpp"

namespace clack {

// Where a contact is in space: point [m], unit normal from A to B; in a periodic cell the image of B
// [m] and its speed along x [m/s].
struct ContactPlace {
  Eigen::Vector3d point, normal, image = Eigen::Vector3d::Zero();
  double drift = 0;
};

class ContactSource {
 public:
  virtual ~ContactSource() = default;
  // The candidates of a step of length h from (t, q, v). Whether they are others than before.
  virtual bool find(double /*t*/, ConstVectorRef /*q*/, ConstVectorRef /*v*/, double /*h*/) {
    return false;
  }
  virtual const std::vector<Contact>& contacts() const = 0;
  virtual void gaps(double t, ConstVectorRef q, VectorRef gap) = 0;
  // A dense map gets its columns from `first_row` on, a sparse one is continued.
  virtual void map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) = 0;
  // dH'/dt v + dw/dt along the motion; false where it is to be taken by differences of map().
  virtual bool bias(double /*t*/, ConstVectorRef /*q*/, ConstVectorRef /*v*/, VectorRef /*b*/) {
    return false;
  }
  // K -= d(H r)/dq; false where it is to be taken by differences of map().
  virtual bool add_stiffness(double /*t*/, ConstVectorRef /*q*/, ConstVectorRef /*r*/,
                             MatrixRef /*K*/) {
    return false;
  }
  // H constant and w a function of time alone; w or H depends on time.
  virtual bool has_constant_map() const { return false; }
  virtual bool is_moving() const { return true; }
  // Contacts that come and go.
  virtual bool is_dynamic() const { return false; }
  // One of each kind that may come: what a scheme is asked about before a run.
  virtual std::vector<Contact> kinds() const { return contacts(); }
  // Whether one may have a law beyond Newton's impact and Coulomb's friction.
  virtual bool has_laws() const;
  // What the laws of bonds say after a step: this contact holds no more.
  virtual void release(const ContactIdentity&) {}
  // The contact of another time by its identity, with its rows and law; the default looks among
  // those that are there, and has no rows for one that is not.
  virtual Contact recall(const ContactIdentity& identity) const;
  // The contacts of another time, from which the next find() goes on.
  virtual void restore(std::span<const ContactIdentity>) {}
  // Force and moment that the joint of contact i carries under these impulses of all of the source's
  // rows, as laws at its coordinates are told (ContactSituation::reaction); false where it is none.
  virtual bool reaction(int /*i*/, std::span<const double> /*impulses*/,
                        std::array<double, 6>& /*reaction*/) const {
    return false;
  }
  // Impulses r of its rows on rigid bodies, added as RigidBodies has forces, as the last map() saw
  // them; of bodies in joint coordinates, which alone need to ask.
  virtual void add_body_impulses(ConstVectorRef /*r*/, VectorRef /*impulses*/) const {}
  // Where contact i of the last find() is; false where it is nowhere in space.
  virtual bool place(int /*i*/, ContactPlace& /*place*/) const { return false; }
};

// Which contact of the list before goes on as which contact of the new one.
struct ContactChange {
  std::vector<int> source;                // by new contact; -1 for one that was not there
  std::vector<int> old_begin, new_begin;  // first row of each, then the number of rows

  // Values of contacts and of rows, those of new ones `fresh`.
  void carry_contacts(Vector& values, double fresh = 0) const;
  void carry_rows(Vector& values) const;
};

class ContactSet {
 public:
  // From all sources of a system, or from none.
  explicit ContactSet(const System& system, bool sparse = false, bool with_sources = true);

  const std::vector<Contact>& list() const { return list_; }
  int size() const { return static_cast<int>(list_.size()); }
  int rows() const { return row_begin_.back(); }
  // First row of each contact, then the number of rows.
  const std::vector<int>& row_begin() const { return row_begin_; }
  bool is_sparse() const { return sparse_; }
  bool is_dynamic() const { return dynamic_; }
  bool has_laws() const { return laws_; }
  std::vector<Contact> kinds() const;

  // The candidates of a step; true where the list has changed. change() says in any case which
  // contact was which one before.
  bool find(double t, ConstVectorRef q, ConstVectorRef v, double h);
  const ContactChange& change() const { return change_; }
  // The contacts of another time, from which the next find() goes on. True where they are others.
  bool restore(std::span<const ContactIdentity> list);
  std::vector<ContactIdentity> identities() const;

  void gaps(double t, ConstVectorRef q, VectorRef gap);
  void map(double t, ConstVectorRef q, ContactMap& H, VectorRef w);
  void bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b);
  void add_stiffness(double t, ConstVectorRef q, ConstVectorRef r, MatrixRef K);
  bool has_constant_map() const { return constant_map_; }
  bool is_moving() const { return moving_; }
  void release(const ContactIdentity& identity);
  bool place(int contact, ContactPlace& place) const;
  // `impulses`: of all rows.
  bool reaction(int contact, std::span<const double> impulses,
                std::array<double, 6>& reaction) const;

  void add_body_impulses(ConstVectorRef r, VectorRef impulses) const;

  const System& system() const { return *system_; }

 private:
  void collect();
  void keep_list();
  void note_change(const std::vector<Contact>& before, const std::vector<int>& row_begin);

  const System* system_;
  bool sparse_, dynamic_ = false, constant_map_ = true, moving_ = false, laws_ = false;
  std::vector<std::unique_ptr<ContactSource>> sources_;
  std::vector<Contact> list_;
  std::vector<int> row_begin_{0};
  bool restored_ = false;  // list_ is not that of the sources
  ContactChange change_;
};

// The sources of a system: its own list, and what its bodies have.
std::vector<std::unique_ptr<ContactSource>> make_contact_sources(const System& system);

}  // namespace clack
