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

namespace {

// A symmetric matrix that couples neighbours only: A_ii, and A_i,i+1.
struct Tridiagonal {
  Vector diagonal, off;

  Matrix to_dense() const {
    Matrix A = diagonal.asDiagonal();
    A.diagonal(1) = A.diagonal(-1) = off;
    return A;
  }
  SparseMatrix to_sparse() const {
    MatrixEntries entries;
    entries.reserve(static_cast<std::size_t>(3 * diagonal.size()));
    for (int i = 0; i < diagonal.size(); ++i) entries.emplace_back(i, i, diagonal[i]);
    for (int i = 0; i < off.size(); ++i) {
      if (off[i] == 0) continue;
      entries.emplace_back(i, i + 1, off[i]);
      entries.emplace_back(i + 1, i, off[i]);
    }
    SparseMatrix A(diagonal.size(), diagonal.size());
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  }
};

// The sum of n elements with the matrix [[a, b], [b, a]], less node 0 of a clamped rod.
Tridiagonal assemble(const RodData& data, double a, double b) {
  const int n = data.elements, first = data.clamped ? 1 : 0;
  Vector diagonal = Vector::Constant(n + 1, a + a);
  diagonal[0] = diagonal[n] = a;
  return {diagonal.tail(n + 1 - first), Vector::Constant(n - first, b)};
}

Tridiagonal stiffness(const RodData& data) {
  const double k = data.young * data.area / (data.length / data.elements);
  return assemble(data, k, -k);
}

Tridiagonal mass(const RodData& data) {
  const double m = data.density * data.area * (data.length / data.elements);
  if (data.mass == RodMass::consistent) return assemble(data, m / 6 * 2, m / 6);
  Tridiagonal M = assemble(data, m / 2, 0);
  if (data.mass == RodMass::massless_tip) {
    const auto tip = M.diagonal.size() - 1;
    M.diagonal[tip - 1] += M.diagonal[tip];
    M.diagonal[tip] = 0;
  }
  return M;
}

std::vector<std::string> node_names(const RodData& data) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(data.elements) + 1);
  for (int i = data.clamped ? 1 : 0; i <= data.elements; ++i)
    names.push_back(fmt::format("u{}", i));
  return names;
}

}  // namespace

RodMatrices make_rod(const RodData& data) {
  data.validate();
  if (data.elements > RodData::kMostDense) {
    throw InputError(
        fmt::format("elements of the rod is {}; dense matrices are made for at most {}",
                    data.elements, RodData::kMostDense));
  }
  return {mass(data).to_dense(), stiffness(data).to_dense(), node_names(data)};
}

SparseRodMatrices make_sparse_rod(const RodData& data) {
  data.validate();
  return {mass(data).to_sparse(), stiffness(data).to_sparse(), node_names(data)};
}

}  // namespace clack
