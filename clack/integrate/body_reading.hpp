// What the last step has left at rigid bodies and their contacts, whichever scheme made it: what
// measures, events, results and Python read.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "clack/integrate/stewart_trinkle.hpp"

namespace clack {

class BodyReading {
 public:
  // A view of the data of stewart-trinkle, good until the next step; by other schemes a copy of what
  // the step has left at the rigid bodies of its system, but for what joints of trees carry, which is
  // computed where it is asked for.
  BodyReading(const Simulation& simulation);  // NOLINT: implicit
  // The same of another step of the same scene, in the memory of the last one.
  void read(const Simulation& simulation);

  const RigidWorld& world() const { return direct_ ? direct_->world() : *data_->world; }
  const WorldState& state() const { return direct_ ? direct_->state() : data_->state; }
  double time() const { return state().t; }
  double h() const { return direct_ ? direct_->h() : data_->h; }  // [s]
  int dim() const { return world().dimension(); }
  const EnergyAudit& energy() const { return direct_ ? direct_->energy() : data_->energy; }

  // Contacts as they were found at the start of the step, with bonds and links.
  const LargeArray<WorldContact>& contacts() const {
    return direct_ ? direct_->contacts() : data_->contacts;
  }
  // Arms and friction coefficient.
  const BodyContact& row(std::size_t contact) const {
    return direct_ ? direct_->problem().contacts[contact] : data_->rows[contact];
  }
  // Impulses and velocities at the end of the step in the contacts' frames, `dim` values a contact.
  const std::vector<double>& r() const { return direct_ ? direct_->r() : data_->r; }
  const std::vector<double>& u() const { return direct_ ? direct_->u() : data_->u; }
  // Impulse as a world vector.
  Vector3 impulse(std::size_t contact) const;
  std::array<double, 3> start_velocity(std::size_t contact) const;
  double gap_at_end(std::size_t contact) const;  // [m]
  // The number that a contact had in the step before, -1 for a new one.
  int source(std::size_t contact) const {
    return direct_ ? direct_->sources()[contact] : data_->sources[contact];
  }
  // The link of the world that a contact is, -1 where it is none.
  int link_of(std::size_t contact) const;
  // Contacts whose bond or link broke at the end of the step.
  const std::vector<std::size_t>& broken() const {
    return direct_ ? direct_->broken() : data_->broken;
  }
  // What holds bodies: the joints of the scene, then the links.
  struct Holding {
    double error = 0;  // on positions [m, rad]
    Wrench reaction;   // mean over the step on b, at the joint's point, in its frame of a [N, N m]
  };
  Holding holding(std::size_t index) const;
  double holding_error(std::size_t index) const;  // the first of it
  double drive_work(std::size_t index) const;  // of its motors, drives and servos in the step [J]
  // Mean forces of joints on bodies over the step [N, N m].
  std::vector<JointRows::Load> joint_loads() const;

 private:
  struct Data {
    void clear();

    const RigidWorld* world;
    WorldState state, start;
    LargeArray<Twist> before, after;  // at the ends of the step
    double h;
    EnergyAudit energy;
    LargeArray<WorldContact> contacts;
    LargeArray<BodyContact> rows;
    std::vector<double> r, u, u_start, gap_end;
    std::vector<int> sources;
    std::vector<std::size_t> broken;
    std::shared_ptr<JointRows> joints;  // at the end of the step; null where there are none
    std::vector<double> joint_impulses, drive_work;
    std::vector<Wrench> tree_reactions;  // by joint, of bodies in joint coordinates; else empty
  };
  int joint_of(std::size_t holding) const;  // -1: of a link that may break
  void read_contacts(const Step& step);
  void read_joints(const Step& step);

  const RigidBodies* bodies_ = nullptr;
  const ArticulatedBodies* articulated_ = nullptr;
  const BodyStep* direct_ = nullptr;
  std::shared_ptr<Data> data_;
  const Step* step_ = nullptr;  // of bodies in joint coordinates
};

// Of joints of the scene, then links: how many, their names, and the size of the smaller body [m].
std::size_t holding_count(const RigidWorld& world);
const std::string& holding_name(const RigidWorld& world, std::size_t index);
double holding_size(const RigidWorld& world, std::size_t index);

// How a contact ended the step.
ContactStatus contact_status(const BodyReading& reading, std::size_t contact);

}  // namespace clack
