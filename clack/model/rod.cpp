#include "clack/model/rod.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"

namespace clack {

void RodData::validate() const {
  auto require = [](double value, const char* field) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw InputError(fmt::format("{} of the rod is {}; it must be finite and > 0", field, value));
    }
  };
  require(length, "length");
  require(area, "area");
  require(young, "young");
  require(density, "density");
  // A clamped rod of one element has no neighbour that could carry the tip's mass.
  const int fewest = clamped && mass == RodMass::massless_tip ? 2 : 1;
  if (elements < fewest || elements > kMostElements) {
    throw InputError(fmt::format("elements of the rod is {}; it must be from {} to {}", elements,
                                 fewest, kMostElements));
  }
}

RodMatrices make_rod(const RodData& data) {
  data.validate();
  const int n = data.elements;
  const double h = data.length / n;
  const double stiffness = data.young * data.area / h, mass = data.density * data.area * h;
  Matrix M = Matrix::Zero(n + 1, n + 1), K = M;
  for (int e = 0; e < n; ++e) {
    K.block<2, 2>(e, e) += stiffness * (Matrix(2, 2) << 1, -1, -1, 1).finished();
    if (data.mass == RodMass::consistent) {
      M.block<2, 2>(e, e) += mass / 6 * (Matrix(2, 2) << 2, 1, 1, 2).finished();
    } else {
      M.block<2, 2>(e, e) += mass / 2 * Matrix::Identity(2, 2);
    }
  }
  if (data.mass == RodMass::massless_tip) {
    M(n - 1, n - 1) += M(n, n);
    M(n, n) = 0;
  }
  const int first = data.clamped ? 1 : 0, size = n + 1 - first;
  RodMatrices rod{M.bottomRightCorner(size, size), K.bottomRightCorner(size, size), {}};
  for (int i = first; i <= n; ++i) rod.names.push_back(fmt::format("u{}", i));
  return rod;
}

}  // namespace clack
