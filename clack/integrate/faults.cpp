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

// Of an entry of K or C, which is minus the derivative.
std::string describe_derivative(const System& system, int i, int j, double value, const char* by) {
  return fmt::format("the derivative of the force on coordinate '{}' by the {} '{}' is {}",
                     system.coordinate_name(i), by, system.coordinate_name(j), in_words(-value));
}

std::string bad_derivative(const System& system, const Matrix& A, const char* by) {
  const auto [i, j] = first_bad_entry(A);
  return i < 0 ? std::string() : describe_derivative(system, i, j, A(i, j), by);
}

std::string bad_derivative(const System& system, const SystemMatrix& A, const char* by) {
  if (!A.is_sparse()) return bad_derivative(system, A.dense(), by);
  for (int j = 0; j < A.size(); ++j) {
    for (SparseMatrix::InnerIterator it(A.sparse(), j); it; ++it) {
      if (std::isfinite(it.value())) continue;
      return describe_derivative(system, static_cast<int>(it.row()), j, it.value(), by);
    }
  }
  return {};
}

// H and w of all rows of a system, stored as its matrices are.
struct ContactRowsAt {
  ContactMap H;
  Vector w;
};

ContactRowsAt contact_rows_at(const System& system, double t, const Vector& q) {
  ContactRowsAt at{ContactMap(system.nv(), system.rows(), system.is_sparse()),
                   Vector(system.rows())};
  if (system.rows() == 0) return at;
  if (system.is_sparse()) {
    at.H.clear();
    system.contact_rows(t, q, at.H, at.w);
  } else {
    system.contact_map(t, q, at.H.dense(), at.w);
  }
  return at;
}

// The rows of the constraints among them.
struct ConstraintRows {
  ContactRowsAt all;
  std::vector<int> rows, contacts;

  double velocity(std::size_t k, const Vector& v) const {
    return all.H.dot(rows[k], v) + all.w[rows[k]];
  }
};

ConstraintRows constraint_rows(const System& system, const State& state) {
  ConstraintRows result;
  int row = 0;
  for (std::size_t c = 0; c < system.contacts().size(); ++c) {
    if (system.contacts()[c].bilateral) {
      result.rows.push_back(row);
      result.contacts.push_back(static_cast<int>(c));
    }
    row += system.contacts()[c].dim();
  }
  if (!result.rows.empty()) result.all = contact_rows_at(system, state.t, state.q);
  return result;
}

double largest(const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

std::string derivative_fault(const System& system, const Scheme& scheme, const State& state) {
  SystemMatrix K(system.nv(), system.is_sparse()), C(K);
  evaluate_jacobians(system, state.t, state.q, state.v, K, C);
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
  Vector gap(static_cast<int>(contacts.size()));
  if (contacts.empty()) return {};
  system.gaps(t, q, gap);
  const ContactRowsAt at = contact_rows_at(system, t, q);
  const auto [bad, bad_row] = at.H.bad_entry();
  int row = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double value = gap[static_cast<int>(c)];
    if (is_lost(value)) {
      return fmt::format("the gap of '{}' is {}", contacts[c].name, in_words(value));
    }
    const int k = bad_row - row;
    if (bad >= 0 && k >= 0 && k < contacts[c].dim()) {
      Vector column(system.nv());
      at.H.column(bad_row, column);
      return fmt::format("the derivative of {} of '{}' by {} '{}' is {}",
                         k == 0 ? "the gap" : "a tangential velocity", contacts[c].name,
                         k == 0 ? "the coordinate" : "the rate of coordinate",
                         system.coordinate_name(bad), in_words(column[bad]));
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
    const double value = gap[rows.contacts[k]], slope = rows.all.H.norm(rows.rows[k]);
    const double distance = std::abs(value) / (slope > 0 ? slope : 1.0);
    if (distance <= worst) continue;  // the other way round for what is not a number
    fault = {rows.contacts[k], value};
    worst = distance;
  }
  return fault;
}

namespace {

// M^-1 b, by the structure of M.
class MassInverse {
 public:
  MassInverse(const System& system, const State& state)
      : M(system.nv(), system.is_sparse()), matrix_(M.is_sparse() ? system.nv() : 0, 0, true) {
    evaluate_mass(system, state.t, state.q, M);
    if (M.is_sparse())
      (void)matrix_.factorise(M);
    else
      dense_.compute(M.dense());
  }
  Vector solve(const Vector& b) const {
    if (!M.is_sparse()) return dense_.solve(b);
    Vector x(b.size());
    matrix_.solve(b, x);
    return x;
  }

  SystemMatrix M;

 private:
  IterationMatrix matrix_;
  Eigen::LDLT<Matrix> dense_;
};

// The change of kinetic energy where M^-1 H y takes the violations u away.
double energy_of_removal(const System& system, const State& state, const ConstraintRows& rows,
                         const Vector& u) {
  const MassInverse inverse(system, state);
  const auto n = static_cast<int>(rows.rows.size());
  Matrix A(n, n);
  Vector column(system.nv());
  for (int j = 0; j < n; ++j) {
    rows.all.H.column(rows.rows[static_cast<std::size_t>(j)], column);
    const Vector x = inverse.solve(column);
    for (int i = 0; i < n; ++i) A(i, j) = rows.all.H.dot(rows.rows[static_cast<std::size_t>(i)], x);
  }
  const Vector y = A.completeOrthogonalDecomposition().solve(u);
  column.setZero();
  for (int j = 0; j < n; ++j)
    rows.all.H.add_to(rows.rows[static_cast<std::size_t>(j)], y[j], column);
  const Vector after = state.v - inverse.solve(column);
  return 0.5 * (inverse.M.form(after, after) - inverse.M.form(state.v, state.v));
}

}  // namespace

std::string velocity_remark(const System& system, const State& state) {
  const ConstraintRows rows = constraint_rows(system, state);
  if (rows.rows.empty()) return {};
  Vector u(static_cast<int>(rows.rows.size())), size(u);
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    u[static_cast<int>(k)] = rows.velocity(k, state.v);
    size[static_cast<int>(k)] =
        rows.all.H.abs_dot(rows.rows[k], state.v) + std::abs(rows.all.w[rows.rows[k]]);
  }
  int k = 0;
  const double worst = u.cwiseAbs().maxCoeff(&k);
  if (worst <= kConsistent * largest(size)) return {};
  return fmt::format(
      "the initial velocity violates constraint '{}' by {:.6g} m/s; the first step removes this, "
      "which changes the kinetic energy by {:.6g} J: give velocities that satisfy the constraints",
      system.contacts()[static_cast<std::size_t>(rows.contacts[static_cast<std::size_t>(k)])].name,
      u[k], energy_of_removal(system, state, rows, u));
}

std::string storage_fault(const System& system, const Scheme& scheme) {
  const int n = system.nv();
  if (n <= kMostDenseUnknowns || (system.is_sparse() && scheme.takes_sparse())) return {};
  if (!system.is_sparse()) {
    return fmt::format(
        "the system has {} unknowns and dense matrices, which are for at most {}; sparse are rods "
        "and "
        "linear systems with matrices from files, without a force of the program's own",
        n, kMostDenseUnknowns);
  }
  return fmt::format(
      "scheme '{}' works on dense matrices, for at most {} unknowns; the system has {}: take "
      "moreau-jean, for example, which works on sparse ones",
      scheme.name(), kMostDenseUnknowns, n);
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
