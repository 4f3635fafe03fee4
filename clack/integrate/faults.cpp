#include "clack/integrate/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clack {
namespace {

constexpr double kConsistent = 1e-9;  // relative violation of a constraint that counts as none

// The first entry of a matrix that is not finite, as (row, column); row -1 where all are.
std::pair<int, int> first_bad_entry(const Matrix& A) {
  for (int j = 0; j < A.cols(); ++j) {
    for (int i = 0; i < A.rows(); ++i) {
      if (!std::isfinite(A(i, j))) return {i, j};
    }
  }
  return {-1, -1};
}

int first_bad_entry(const Vector& x) {
  for (int i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return i;
  }
  return -1;
}

std::string in_words(double value) {
  if (std::isnan(value)) return "not a number";
  return value > 0 ? "infinite" : "minus infinity";
}

std::string bad_derivative(const System& system, const Matrix& A, const char* by) {
  const auto [i, j] = first_bad_entry(A);
  if (i < 0) return {};
  return fmt::format("the derivative of the force on coordinate '{}' by the {} '{}' is {}",
                     system.coordinate_name(i), by, system.coordinate_name(j), in_words(-A(i, j)));
}

// Rows of the constraints at a state: H, w and which contacts they belong to.
struct ConstraintRows {
  Matrix H;  // nv x rows
  Vector w;
  std::vector<int> contacts;
};

ConstraintRows constraint_rows(const System& system, const State& state) {
  Matrix H(system.nv(), system.rows());
  Vector w(system.rows());
  system.contact_map(state.t, state.q, H, w);
  std::vector<int> rows;
  ConstraintRows result;
  int row = 0;
  for (std::size_t c = 0; c < system.contacts().size(); ++c) {
    if (system.contacts()[c].bilateral) {
      rows.push_back(row);
      result.contacts.push_back(static_cast<int>(c));
    }
    row += system.contacts()[c].dim();
  }
  result.H = H(Eigen::all, rows);
  result.w = w(rows);
  return result;
}

double largest(const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

std::string derivative_fault(const System& system, const Scheme& scheme, const State& state) {
  Matrix K(system.nv(), system.nv()), C(K);
  system.jacobians(state.t, state.q, state.v, K, C);
  std::string fault;
  if (scheme.needs_stiffness()) fault = bad_derivative(system, K, "coordinate");
  if (fault.empty() && scheme.needs_damping()) {
    fault = bad_derivative(system, C, "rate of coordinate");
  }
  return fault;
}

bool any_lost(const Vector& gap) { return std::any_of(gap.begin(), gap.end(), is_lost); }

std::string gap_fault(const System& system, double t, const Vector& q) {
  const std::vector<Contact>& contacts = system.contacts();
  Vector gap(static_cast<int>(contacts.size())), w(system.rows());
  Matrix H(system.nv(), system.rows());
  system.gaps(t, q, gap);
  system.contact_map(t, q, H, w);
  int row = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double value = gap[static_cast<int>(c)];
    if (is_lost(value)) {
      return fmt::format("the gap of '{}' is {}", contacts[c].name, in_words(value));
    }
    const auto [i, j] = first_bad_entry(Matrix(H.middleCols(row, contacts[c].dim())));
    if (i >= 0) {
      return fmt::format("the derivative of {} of '{}' by {} '{}' is {}",
                         j == 0 ? "the gap" : "a tangential velocity", contacts[c].name,
                         j == 0 ? "the coordinate" : "the rate of coordinate",
                         system.coordinate_name(i), in_words(H(i, row + j)));
    }
    row += contacts[c].dim();
  }
  return {};
}

ConstraintFault constraint_fault(const System& system, const State& state) {
  const ConstraintRows rows = constraint_rows(system, state);
  Vector gap(static_cast<int>(system.contacts().size()));
  system.gaps(state.t, state.q, gap);
  ConstraintFault fault;
  double worst = kConsistent * (1 + largest(state.q));
  for (std::size_t k = 0; k < rows.contacts.size(); ++k) {
    const double value = gap[rows.contacts[k]], slope = rows.H.col(static_cast<int>(k)).norm();
    const double distance = std::abs(value) / (slope > 0 ? slope : 1.0);
    if (distance <= worst) continue;  // the other way round for what is not a number
    fault = {rows.contacts[k], value};
    worst = distance;
  }
  return fault;
}

std::string velocity_remark(const System& system, const State& state) {
  const ConstraintRows rows = constraint_rows(system, state);
  const Vector u = rows.H.transpose() * state.v + rows.w;
  if (u.size() == 0) return {};
  const Vector size = rows.H.cwiseAbs().transpose() * state.v.cwiseAbs() + rows.w.cwiseAbs();
  int k = 0;
  const double worst = u.cwiseAbs().maxCoeff(&k);
  if (worst <= kConsistent * largest(size)) return {};
  Matrix M(system.nv(), system.nv());
  system.mass(state.t, state.q, M);
  const Matrix X = M.ldlt().solve(rows.H);
  const Matrix A = rows.H.transpose() * X;
  const Vector after = state.v - X * A.completeOrthogonalDecomposition().solve(u);
  const double energy = 0.5 * (after.dot(M * after) - state.v.dot(M * state.v));
  return fmt::format(
      "the initial velocity violates constraint '{}' by {:.6g} m/s; the first step removes this, "
      "which changes the kinetic energy by {:.6g} J: give velocities that satisfy the constraints",
      system.contacts()[static_cast<std::size_t>(rows.contacts[static_cast<std::size_t>(k)])].name,
      u[k], energy);
}

namespace {

std::string point_fault(const Step& step, const Scheme& scheme, const StatePoint& point) {
  const System& system = step.system;
  if (!point.q.allFinite() || !point.v.allFinite()) return {};
  Forces forces(system.nv());
  system.forces(point.t, point.q, point.v, forces);
  forces.set_total();
  if (const int i = first_bad_entry(forces.total); i >= 0) {
    return fmt::format("the force on coordinate '{}' is {}", system.coordinate_name(i),
                       in_words(forces.total[i]));
  }
  if (const std::string fault = gap_fault(system, point.t, point.q); !fault.empty()) return fault;
  return derivative_fault(system, scheme, {point.t, point.q, point.v});
}

}  // namespace

std::string step_fault(const Step& step, const Scheme& scheme) {
  std::string fault;
  for (const Vector* gap : {&step.detection.gap, &step.end.gap}) {
    const auto lost = std::find_if(gap->begin(), gap->end(), is_lost);
    if (lost == gap->end()) continue;
    const auto c = static_cast<std::size_t>(lost - gap->begin());
    return fmt::format("the gap of '{}' is {}", step.contacts.list()[c].name, in_words(*lost));
  }
  for (const StatePoint* point : {&step.start, &step.end}) {
    if (fault.empty()) fault = point_fault(step, scheme, *point);
  }
  if (!fault.empty()) return fault;
  if (step.matrix_failed) return "the matrix of the scheme is singular or not finite";
  if (const int i = first_bad_entry(step.end.v); i >= 0) {
    return fmt::format("the rate of coordinate '{}' is {}", step.system.coordinate_name(i),
                       in_words(step.end.v[i]));
  }
  if (const int i = first_bad_entry(step.end.q); i >= 0) {
    return fmt::format("coordinate '{}' is {}", step.system.coordinate_name(i),
                       in_words(step.end.q[i]));
  }
  return {};
}

}  // namespace clack
