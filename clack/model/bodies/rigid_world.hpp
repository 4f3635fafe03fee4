// Rigid bodies with shapes and materials, in space or in the plane z = 0: what is simulated. It is
// constant during a run; the state lives in WorldState.
//
//     m dv = F dt + dP,      J domega + omega x J omega dt = tau dt + dL          (eq:newton_euler)
//
// with v of the centre of mass in the frame of the surroundings, omega and the principal moments J
// in that of the body.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clack/core/large_array.hpp"
#include "clack/core/rotation.hpp"
#include "clack/model/bodies/body_functions.hpp"
#include "clack/model/bodies/world_load.hpp"
#include "clack/model/joints/joint.hpp"
#include "clack/model/law.hpp"
#include "clack/model/laws/law.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack {

struct Material {
  std::string name;
  double density = 1000;  // [kg/m^3], in the plane [kg/m^2]
  double mu = 0.5;        // friction [-]
  double e_n = 0;         // normal restitution, 0 to 1 [-]
};

// A law for two materials, in place of the combination of their numbers.
struct MaterialPair {
  int a = 0, b = 0;  // materials
  double mu = 0, e_n = 0;
  LawPtr law;  // any other law, in place of these numbers
};

// A law between two points, one of each of two bodies; or between bodies that touch at the start.
struct Link {
  std::string name;
  int a = 0, b = 0;                   // bodies
  Vector3 point_a = Vector3::Zero();  // in the frame of a [m]
  Vector3 point_b = Vector3::Zero();  // in the frame of b [m]
  Vector3 normal = Vector3::UnitX();  // in the frame of a, towards b; not read where it is axial
  bool axial = false;                 // the normal goes from one point to the other
  double length = 0;                  // of an axial one at rest: gap = distance - length [m]
  double area = 1;                    // [m^2], in the plane [m]
  LawPtr law;
};

enum class BodyKind { free, fixed, driven };

struct BodyState {
  Vector3 position = Vector3::Zero();  // of the centre of mass [m]
  Quaternion rotation = Quaternion::Identity();
  Vector3 v = Vector3::Zero();      // [m/s]
  Vector3 omega = Vector3::Zero();  // in the body's frame [rad/s]

  Pose pose() const { return {position, rotation.toRotationMatrix()}; }
};

struct Body {
  std::string name;
  ShapePtr shape;  // origin at the centre of mass, principal axes along x, y, z
  BodyKind kind = BodyKind::free;
  int material = 0;
  double mass = 0;                    // [kg]; not read unless free
  Vector3 moments = Vector3::Zero();  // principal [kg m^2]
  BodyFunctions load;                 // on a free body [N, N m]
  BodyFunctions motion;               // of a driven body [m/s, rad/s]
  BodyFunctions path;                 // of a driven body, in place of motion [m, rad]
  unsigned group = 1,
           collides = ~0u;  // bits: bodies touch where each collides with the other's group
  double birth = -std::numeric_limits<double>::infinity();   // [s]
  double removal = std::numeric_limits<double>::infinity();  // [s]

  bool is_free() const { return kind == BodyKind::free; }
  bool is_isotropic() const { return moments.x() == moments.y() && moments.y() == moments.z(); }
  // Before its birth and from its removal on a body neither moves nor touches, and has no energy.
  bool is_present(double t) const { return t >= birth && t < removal; }
  double kinetic_energy(const BodyState& state) const;  // [J]
};

struct WorldState {
  double t = 0;  // [s]
  LargeArray<BodyState> bodies;
  double shear_offset = 0;  // of the next cell across a sheared one (RigidWorld::shear_rate) [m]
  std::vector<double> coordinates;  // of joints, in the order of WorldJoints [m, rad]
};

struct RigidWorld {
  std::vector<Material> materials;
  std::vector<MaterialPair> pairs;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<Coupler> couplers;
  std::vector<std::pair<int, int>> apart;  // bodies a < b that never touch, sorted
  LargeArray<Body> bodies;
  Vector3 gravity = Vector3::Zero();  // [m/s^2]
  Vector3 period = Vector3::Zero();   // of a periodic cell, 0: none [m]
  double shear_rate = 0;  // of a cell with periods along x and along axis shear_normal [1/s]
  int shear_normal = 1;   // 1 (y) or 2 (z): cells along it pass each other in x
  bool planar = false;    // all shapes are of the plane
  std::shared_ptr<const WorldLoad> load;  // beside those of the bodies; null: none
  // At coordinates with a controlled motor, in the order of WorldJoints; set between steps from
  // outside. Null where there is none [N, N m].
  std::shared_ptr<std::vector<double>> efforts;

  int dimension() const { return planar ? 2 : 3; }

  // Bodies are never moved back into the cell. Image k across a sheared one is displaced by
  // k (period e_n + offset e_x) and faster by k shear_speed e_x (eq:lees_edwards).
  bool is_sheared() const { return shear_rate != 0; }
  double shear_speed() const { return shear_rate * period[shear_normal]; }  // [m/s]
  Vector3 streaming_velocity(const Vector3& position) const {
    return {shear_rate * position[shear_normal], 0, 0};
  }

  // Geometric means of the numbers of both materials, unless a pair says otherwise.
  MaterialPair law(int material_a, int material_b) const;
  // Energies of the free bodies that are present [J]. Positions count as they are, never moved
  // back into a periodic cell: the potential does not jump where a body leaves it.
  double kinetic_energy(const WorldState& state) const;
  double potential_energy(const WorldState& state) const;

  // Throws InputError for numbers out of range and shapes of the plane in space or the reverse.
  void validate(const WorldState& initial) const;
};

// What the laws of pairs and links remember, by name.
std::vector<LawVariable> all_law_variables(const RigidWorld& world);

// A free body of a shape and a material: mass and moments from its density, the shape in its
// principal frame. `pose` is that of the shape as given; the state gets that of the centre of mass.
Body make_body(std::string name, const ShapePtr& shape, const Material& material,
               int material_index, const Pose& pose, BodyState& state);

}  // namespace clack
