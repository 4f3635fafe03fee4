// Synthetic contact problems of any size, from geometry, the same on every machine.
//
// Bodies are placed one after the other, layer by layer from the floor up; each touches bodies
// below it, the floor, and walls where asked for. Random packings are dropped into a box with
// walls, body by body, and each rolls down to a stable rest. From the contacts follow the global
// problem of one step of length h,
//
//     M v = H r + f,    u = H' v + w,      f = M v_0 + h F,  F = weight,  w = 0       (eq:generate)
//
// with body coordinates v = (linear velocity, angular velocity) about the centre of mass. v = 0 is
// admissible (w = 0). reduce() gives the form with W.
#pragma once

#include <cstdint>
#include <string_view>

#include "clack/problem/body_problem.hpp"
#include "clack/problem/problem_data.hpp"

namespace clack::test {

enum class Packing {
  fcc,        // spheres, cubic close packing on square layers: up to 12 neighbours
  bcc,        // spheres, body-centred: up to 8 neighbours
  hexagonal,  // discs in the plane: up to 6 neighbours
  random,     // spheres (plane: discs) dropped into a box, each rolls to rest on 3 (2): about 6 (4)
  tower,      // boxes on boxes: 4 corner contacts a face (plane: 2), hyperstatic
  wall        // bricks in running bond: each rests on two, 8 corner contacts (plane: 4)
};
// The name used in files, and the packing of a name; throws InputError that lists the names.
std::string_view to_string(Packing packing);
Packing packing_from_string(std::string_view name);

struct GenerateOptions {
  Packing packing = Packing::fcc;
  int dim = 3;         // 2 or 3; fcc and bcc need 3, hexagonal 2
  int contacts = 100;  // exactly; the last body may have lost some of its own
  int width = 0;  // bodies along an edge of a layer, 0: from the number of contacts; random: the
                  // box in mean diameters, >= 3
  bool walls = false;  // spheres and discs: rigid side walls around the lattice; random: always
  std::uint64_t seed = 1;

  double size = 0.01;           // radius, or half the edge of a box [m]
  double disorder = 0;          // lattices: displacement of each centre / radius, in [0, 0.2]
  double radius_spread = 0;     // random: radius uniform in size (1 +- radius_spread), in [0, 0.5]
  double density = 2500;        // [kg/m^3], in the plane [kg/m^2]
  double mass_ratio = 1;        // > 0, largest density / smallest; < 1 only with mass_by_height
  bool mass_by_height = false;  // density * mass_ratio^(layer / 10), limited to mass_ratio^1
  double mu = 0.5;              // friction
  double mu_spread = 0;         // uniform in mu (1 +- mu_spread), in [0, 1]
  double frictionless = 0;      // share of contacts with mu = 0, in [0, 1]
  double h = 5e-3;              // step [s]
  double gravity = 9.81;        // [m/s^2]
  double speed = 0;             // v_0: linear components uniform in +-speed [m/s]

  void validate() const;  // throws InputError
};

// Equal options give equal bytes, on all machines whose compiler fuses no multiplication with an
// addition. Time and memory grow linearly with `contacts`.
ProblemData generate_problem(const GenerateOptions& options);

// The same bodies, contacts and numbers in body space (a plane problem lies in x, y instead of x,
// z).
BodyProblem generate_body_problem(const GenerateOptions& options);

}  // namespace clack::test
