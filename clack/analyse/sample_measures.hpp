// Numbers of a sample of rigid bodies after a step: contacts, fabric, stress, forces, a heap.
//
// Forces are f = r/h of the last step, at the arms of its start. A contact is loaded where r_N is
// above 1e-9 of the largest one. The sample is the free bodies that are present and whose centre
// lies in the region. Formulas: docs/theory/measures.md.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clack/integrate/body_reading.hpp"
#include "clack/model/bodies/world_quantity.hpp"
#include "clack/model/shapes/bounding_box.hpp"

namespace clack {

struct SampleSettings {
  // Without one: the whole periodic cell, where all directions have a period (in the plane x and
  // y). Without both, densities (solid fraction, stress) are NaN and all bodies count. [m]
  std::optional<BoundingBox> region;
  double shear_rate = 0;  // of the inertial number; 0: that of the world [1/s]
  double bin = 0;  // width of the rings of the heap's surface; 0: mean diameter of the bodies [m]

  void validate(const RigidWorld& world) const;  // throws InputError
};

// NaN where there is nothing to take a number from. Symmetric tensors: xx, yy, zz, xy, xz, yz.
struct SampleSummary {
  double bodies = 0;                           // in the sample
  double contacts = 0;                         // loaded points of its bodies
  double open = 0, sticking = 0, sliding = 0;  // points of its bodies by status
  double coordination = 0;                     // loaded points a body (eq:coordination)
  double neighbours = 0;                       // bodies touched under load a body
  double rattlers = 0;                         // bodies that bear nothing (eq:rattlers)
  double coordination_backbone = 0;            // without rattlers
  double solid_fraction = 0;                   // (eq:solid_fraction)
  std::array<double, 6> fabric{};              // (eq:fabric)
  std::array<double, 6> stress{};  // compression positive (eq:sample_stress) [Pa], plane [N/m]
  double pressure = 0;             // trace of the stress over the dimension [Pa]
  double mean_normal_force = 0, max_normal_force = 0;  // [N]
  double strong_share = 0;                             // of contacts above the mean force
  double kinetic_energy = 0;                           // of the sample [J]
  double dissipated = 0;       // by impacts and friction in the last step, whole world [J]
  double repose_angle = 0;     // (eq:repose) [rad]
  double inertial_number = 0;  // (eq:inertial_number)
};

class SampleMeasures {
 public:
  // Throws InputError for settings out of range. Volumes of the shapes are computed here, once.
  explicit SampleMeasures(const RigidWorld& world, const SampleSettings& settings = {});

  // The numbers of sample_quantity_list(), from the last step of a simulation of that world.
  std::vector<double> compute(const BodyReading& reading) const;
  SampleSummary summarise(const BodyReading& reading) const;

 private:
  SampleSettings settings_;
  std::vector<double> volume_;    // of each body, 0: none [m^3], plane [m^2]
  std::optional<double> region_;  // its volume [m^3], plane [m^2]
};

}  // namespace clack
