// A straight elastic rod in finite elements: rho A u_tt = E A u_xx by n linear elements of equal
// length h = L/n, nodes 0 (left) to n (right), u(x, t) along the rod.
//
//     Ke = E A/h [[1, -1], [-1, 1]],   Me = rho A h/6 [[2, 1], [1, 2]] or rho A h/2 I      (eq:rod)
#pragma once

#include <string>
#include <vector>

#include "clack/core/system_matrix.hpp"
#include "clack/core/types.hpp"

namespace clack {

enum class RodMass {
  consistent,
  lumped,
  massless_tip  // lumped, the half element of the right end moved to its neighbour
};

struct RodData {
  double length = 1;   // [m]
  double area = 1;     // [m^2]
  double young = 1;    // [Pa]
  double density = 1;  // [kg/m^3]
  int elements = 1;
  RodMass mass = RodMass::consistent;
  bool clamped = false;  // node 0 fixed and left out

  static constexpr int kMostElements = 1000000;
  static constexpr int kMostDense = 2000;  // elements of a rod with dense matrices
  static constexpr int kFewElements =
      100;                // up to which scenes keep them dense: sparse is faster from some 40 on
  void validate() const;  // throws InputError
};

struct RodMatrices {
  Matrix M, K;                     // n + 1 nodes, n where the left end is clamped
  std::vector<std::string> names;  // u0, u1, ... by node
};
struct SparseRodMatrices {
  SparseMatrix M, K;
  std::vector<std::string> names;
};

// Throw InputError where data mean nothing, the first also beyond kMostDense elements. The entries
// of both have the same bits.
RodMatrices make_rod(const RodData& data);
SparseRodMatrices make_sparse_rod(const RodData& data);

}  // namespace clack
