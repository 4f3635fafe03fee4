// Nonsmooth equations Phi(r, u) = 0 that hold exactly where one contact obeys its law, with an
// element of their generalised derivative. All are written for one contact in scaled variables
// (eq:scaling) with step rho = 1; bilateral rows are the equations u = 0.
//
//   Alart-Curnier   r_N - (r_N - u_N)+,  r_i - proj_{|.| <= mu_i a} (r_i - u_i)      (eq:newton_ac)
//                   with a = (r_N - u_N)+, in Jean and Moreau's variant a = r_N+
//   natural map     r - proj_K(r - u - g(u))                                         (eq:newton_nm)
//   Fischer-Burmeister   x + y - (x o x + y o y)^1/2 in the Jordan algebra of the    (eq:newton_fb)
//                   second-order cone, x = (mu r_N, r_T), y = ((u_N + g)/mu, u_T)
//
// References: Alart, Curnier (1991); Jean, Moreau (1987); Fukushima, Luo, Tseng (2001).
#pragma once

#include "clack/core/cone.hpp"
#include "clack/core/types.hpp"

namespace clack {

using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Cone::kMaxDim, Cone::kMaxDim>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, Cone::kMaxDim, 1>;

struct MapValue {
  SmallVector phi;  // dim
  SmallMatrix dr;   // dim x dim, dPhi/dr at fixed u
  SmallMatrix du;   // dim x dim, dPhi/du at fixed r
};

using ContactMap = void (*)(const Cone& cone, const double* r, const double* u, MapValue& value);

void alart_curnier(const Cone& cone, const double* r, const double* u, MapValue& value);
void jean_moreau(const Cone& cone, const double* r, const double* u, MapValue& value);
void natural_map(const Cone& cone, const double* r, const double* u, MapValue& value);
// Contacts with two or three discs have no such map (their cone is not symmetric): Alart-Curnier's is used.
void fischer_burmeister(const Cone& cone, const double* r, const double* u, MapValue& value);

// An element of the generalised derivative of x -> proj_K(x), dim x dim.
SmallMatrix projection_derivative(const Cone& cone, const double* x);

}  // namespace clack
