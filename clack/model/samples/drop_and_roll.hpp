// Drop-and-roll deposition: Visscher, Bolsterli (1972), Random packing of equal and unequal spheres
// in two and three dimensions, Nature 239, 504.
//
// A sphere falls into a box and follows the steepest descent of its height among the floor, the
// walls and the spheres at rest,
//
//     v = -e_z + sum_k lambda_k n_k,   0 <= lambda_k  perp  n_k'v >= 0      (eq:steepest-descent)
//
// n_k: unit normals of what it touches, towards its centre. With no lambda_k > 0 it falls, with one
// it rolls down a meridian, with two round the circle at fixed distances from both; it rests where
// the lambda_k, three in space and two in the plane, balance its weight: v = 0. Every path is a
// line or an arc, so the events along it are roots of quadratic equations and square roots suffice.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>

namespace clack {

struct RestingSphere {
  Eigen::Vector3d centre;
  double radius;
};

// What a sphere touches where it rests; the normal points towards its centre.
struct RestingContact {
  int other;  // an earlier sphere, -1: the floor z = 0, -2, -3: the walls across x, -4, -5: y
  Eigen::Vector3d normal;
};

// The box is 0 <= x <= width_x, 0 <= y <= width_y, open above. The plane is x, z: y = 0. Lengths
// are in units of a typical radius: the tolerances (1e-10) are absolute.
class DropAndRoll {
 public:
  DropAndRoll(int dim, double width_x, double width_y, double largest_radius);
  ~DropAndRoll();

  // Drops a sphere at (x, y), which must leave it room between the walls. False where round-off
  // leads it astray, which is rare: draw another place.
  [[nodiscard]] bool drop(double radius, double x, double y);

  std::span<const RestingSphere> spheres() const;
  std::span<const RestingContact> contacts() const;  // of the last sphere that came to rest

 private:
  class Packer;
  std::unique_ptr<Packer> packer_;
};

}  // namespace clack
