#include "clack/solve/lcp/infeasibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "clack/solve/lcp/phase_one.hpp"

namespace clack {
namespace {

constexpr double kRound = 8 * std::numeric_limits<double>::epsilon();
constexpr Eigen::Index kLargestTableau = 40'000'000;

SparseMatrix gather_matrix(const Delassus& W) {
  if (const auto* blocks = dynamic_cast<const BlockSparse*>(&W)) return blocks->to_sparse();
  Matrix dense(W.size(), W.size());
  Vector unit = Vector::Zero(W.size());
  for (int j = 0; j < W.size(); ++j) {
    unit[j] = 1;
    W.multiply(unit.data(), dense.col(j).data());
    unit[j] = 0;
  }
  return dense.sparseView();
}

// The 32 corners of the rhombic triacontahedron around the unit ball: those of a cube, and of three
// crossed pairs of rectangles.
Matrix triacontahedron() {
  constexpr double phi = std::numbers::phi;
  Matrix corners(3, 32);
  Eigen::Index count = 0;
  for (int signs = 0; signs < 8; ++signs) {
    corners.col(count++) << (signs & 1 ? 1 : -1), (signs & 2 ? 1 : -1), (signs & 4 ? 1 : -1);
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (const auto& [y, z] : {std::pair(1 / phi, phi), std::pair(phi, 1.0)}) {
      for (int signs = 0; signs < 4; ++signs) {
        corners(axis, count) = 0;
        corners((axis + 1) % 3, count) = signs & 1 ? y : -y;
        corners((axis + 2) % 3, count++) = signs & 2 ? z : -z;
      }
    }
  }
  return corners / phi;
}

// Vectors on the axis of a disc's coordinates whose nonnegative combinations with x_N = 1 contain
// the disc: corners of a circumscribed polygon or polyhedron, or both ends of an interval.
Matrix outer_corners(const Cone::Disc& disc, int sides) {
  if (disc.radius == 0) return Matrix::Zero(disc.dim, 1);
  if (disc.dim == 1) return disc.radius * Matrix{{1.0, -1.0}};
  if (disc.dim == 3) return disc.radius * (1 + 1e-12) * triacontahedron();
  const double corner = disc.radius / std::cos(std::numbers::pi / sides) * (1 + 1e-12);
  Matrix corners(2, sides);
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    corners.col(k) << corner * std::cos(angle), corner * std::sin(angle);
  }
  return corners;
}

// Columns that generate a cone which contains K.
Matrix outer_generators(const Cone& cone) {
  const int dim = cone.dim();
  Matrix columns;
  if (cone.is_free()) {
    columns.resize(dim, 2 * dim);
    columns.leftCols(dim) = Matrix::Identity(dim, dim);
    columns.rightCols(dim) = -Matrix::Identity(dim, dim);
    return columns;
  }
  columns = Matrix::Zero(dim, 1);
  columns(0, 0) = 1;
  for (int d = 0; d < cone.disc_count(); ++d) {
    const Matrix corners = outer_corners(cone.disc(d), cone.disc_count() > 1 ? 8 : 16);
    const Matrix before = columns;
    columns.resize(dim, before.cols() * corners.cols());
    for (Eigen::Index k = 0; k < columns.cols(); ++k) {
      columns.col(k) = before.col(k / corners.cols());
      columns.col(k).segment(cone.disc(d).begin, cone.disc(d).dim) =
          corners.col(k % corners.cols());
    }
  }
  return columns;
}

// The inequalities on which the proof rests: u_N >= 0 and u_free rows = 0 for r in the outer cones.
struct Polyhedral {
  std::vector<int> rows;
  std::vector<char> equal;
  SparseMatrix generators;  // m x k, all outer generators
};

Polyhedral make_polyhedral(const ReducedProblem& problem) {
  Polyhedral result;
  std::vector<Triplet> triplets;
  Eigen::Index count = 0;
  for (int c = 0; c < problem.contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    const int begin = problem.offset[c];
    for (int k = 0; k < (cone.is_free() ? cone.dim() : 1); ++k) {
      result.rows.push_back(begin + k);
      result.equal.push_back(cone.is_free() ? 1 : 0);
    }
    const Matrix columns = outer_generators(cone);
    for (Eigen::Index j = 0; j < columns.cols(); ++j, ++count) {
      for (int i = 0; i < cone.dim(); ++i) {
        if (columns(i, j) != 0)
          triplets.emplace_back(begin + i, static_cast<int>(count), columns(i, j));
      }
    }
  }
  result.generators.resize(problem.size(), count);
  result.generators.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

}  // namespace

InfeasibilityCheck::InfeasibilityCheck(const ReducedProblem& problem)
    : problem_(problem), W_(gather_matrix(*problem.W)), largest_(Vector::Zero(problem.size())) {
  for (int j = 0; j < W_.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(W_, j); entry; ++entry) {
      largest_[j] = std::max(largest_[j], std::abs(entry.value()));
    }
  }
}

// How much (W' y)' r can exceed 0 for r in the cone, per unit of the columns' largest entries.
double InfeasibilityCheck::violation(const Cone& cone, int begin, const Vector& sum,
                                     const Vector& magnitude) const {
  double worst = 0;
  if (cone.is_free()) {
    for (int j = begin; j < begin + cone.dim(); ++j) {
      if (largest_[j] > 0) {
        worst = std::max(worst, (std::abs(sum[j]) + kRound * magnitude[j]) / largest_[j]);
      }
    }
    return worst;
  }
  double excess = sum[begin], round = magnitude[begin], largest = largest_[begin];
  for (int d = 0; d < cone.disc_count(); ++d) {
    const Cone::Disc disc = cone.disc(d);
    const auto part = [&](const Vector& v) {
      return v.segment(begin + disc.begin, disc.dim).norm();
    };
    excess += disc.radius * part(sum);
    round += disc.radius * part(magnitude);
    largest = std::max(largest, disc.radius * part(largest_));
  }
  return largest > 0 ? std::max(0.0, excess + kRound * round) / largest : 0.0;
}

double InfeasibilityCheck::bound(std::span<double> y, std::span<const Side> sides) const {
  const auto side = [&](int row) {
    return sides.empty() ? Side::open : sides[static_cast<std::size_t>(row)];
  };
  for (int c = 0; c < problem_.contacts(); ++c) {
    if (problem_.cones[c].is_free()) continue;
    const int begin = problem_.offset[c];
    for (int k = 0; k < problem_.cones[c].dim(); ++k) {
      double& weight = y[static_cast<std::size_t>(begin + k)];
      if (k > 0 || (weight < 0 && side(begin) != Side::closed)) weight = 0;
    }
  }
  const ConstVectorMap weights(y.data(), problem_.size());
  if (!weights.allFinite()) return 0;
  const Vector sum = W_.transpose() * weights;
  const Vector magnitude = W_.cwiseAbs().transpose() * weights.cwiseAbs();
  double worst = 0;
  for (int c = 0; c < problem_.contacts(); ++c) {
    if (side(problem_.offset[c]) == Side::separated) continue;
    worst = std::max(worst, violation(problem_.cones[c], problem_.offset[c], sum, magnitude));
  }
  const auto u_free = problem_.free_velocity();
  const double round = kRound * u_free.cwiseAbs().dot(weights.cwiseAbs());
  const double strength = -u_free.dot(weights) - round;
  if (!(strength > 0)) return 0;
  return strength / (worst * u_free.cwiseAbs().maxCoeff());
}

std::optional<Infeasibility> check_infeasibility(const ReducedProblem& problem,
                                                 std::vector<double> y) {
  Infeasibility proof{std::move(y), 0};
  proof.bound = InfeasibilityCheck(problem).bound(proof.y);
  if (!(proof.bound >= kProofBound)) return std::nullopt;
  return proof;
}

std::optional<Infeasibility> find_infeasibility(const ReducedProblem& problem) {
  const Polyhedral outer = make_polyhedral(problem);
  const auto n = static_cast<Eigen::Index>(outer.rows.size());
  if (n == 0 || n * (2 * n + outer.generators.cols()) > kLargestTableau) return std::nullopt;
  const Matrix product = SparseMatrix(gather_matrix(*problem.W) * outer.generators);
  const Matrix A = product(outer.rows, Eigen::all);
  const Vector b = problem.free_velocity()(outer.rows);
  PhaseOne search;
  if (search.solve(A, b, outer.equal) != PhaseOne::Outcome::infeasible) return std::nullopt;
  std::vector<double> y(static_cast<std::size_t>(problem.size()), 0.0);
  for (Eigen::Index i = 0; i < n; ++i) {
    y[static_cast<std::size_t>(outer.rows[static_cast<std::size_t>(i)])] = search.y()[i];
  }
  return check_infeasibility(problem, std::move(y));
}

void report_infeasible(const Infeasibility& proof, std::string_view found, SolveReport& report) {
  report.status = Status::infeasible;
  report.certificate = proof.y;
  report.note = fmt::format(
      "{}; no admissible r gives u_N >= 0: the weights y of the certificate have y' u < 0 for "
      "every "
      "r in K (checked; a solution would have W r above {:.0e} times u_free)",
      found, proof.bound);
}

}  // namespace clack
