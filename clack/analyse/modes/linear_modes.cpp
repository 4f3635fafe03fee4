#include "clack/analyse/modes/linear_modes.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/analyse/modes/sparse_modes.hpp"
#include "clack/core/error.hpp"
#include "clack/integrate/contact_motion.hpp"
#include "clack/integrate/simulation.hpp"

namespace clack {
namespace {

constexpr int kMostDense = 200;           // of sparse systems, coordinates for dense eigenvalues
constexpr int kMostForEigenvalues = 400;  // free coordinates; the state matrix is twice that

Matrix dense(const SystemMatrix& A) { return A.is_sparse() ? Matrix(A.sparse()) : A.dense(); }

struct Linearised {
  Matrix M, C, K, N;  // N: columns span the allowed displacements
  std::vector<int> closed;
};

// Which contacts are constraints, with the modes that ContactMotion needs.
std::vector<ContactState> closed_states(const ContactSet& set, const Vector& gap,
                                        const LinearModeOptions& options,
                                        std::vector<int>& closed) {
  std::vector<ContactState> states(set.list().size());
  for (int c = 0; c < set.size(); ++c) {
    const bool touches = options.contacts == ModeContacts::closed && gap[c] <= options.tolerance;
    const Contact& contact = set.list()[static_cast<std::size_t>(c)];
    if (contact.booking == Booking::drive && contact.law.own)
      throw InputError("linear modes know neither servos nor drives of limited force: '" +
                       contact.name + "'; take a spring in their place");
    if (!touches || contact.bilateral || contact.booking != Booking::contact) continue;
    states[static_cast<std::size_t>(c)].mode = ContactMode::sticking;
    closed.push_back(c);
  }
  return states;
}

// The rows of H_E.
std::vector<int> held_rows(const ContactSet& set, const std::vector<ContactState>& states) {
  std::vector<int> rows;
  for (int c = 0; c < set.size(); ++c) {
    const Contact& contact = set.list()[static_cast<std::size_t>(c)];
    const int row = set.row_begin()[static_cast<std::size_t>(c)];
    const bool sticks = states[static_cast<std::size_t>(c)].mode == ContactMode::sticking;
    if (!contact.bilateral && !sticks) continue;
    rows.push_back(row);
    for (int k = 1; sticks && has_friction(contact) && k <= contact.tangents; ++k)
      rows.push_back(row + k);
  }
  return rows;
}

// An orthonormal basis of the displacements that the rows of H_E leave.
Matrix free_directions(const ContactSet& set, const std::vector<ContactState>& states,
                       const Matrix& H) {
  const std::vector<int> rows = held_rows(set, states);
  const auto n = H.rows();
  if (rows.empty()) return Matrix::Identity(n, n);
  Matrix E = H(Eigen::all, rows);
  E.colwise().normalize();
  const Eigen::ColPivHouseholderQR<Matrix> factors(E);
  const Matrix Q = factors.householderQ();
  return Q.rightCols(n - factors.rank());
}

struct SparseLinearised {
  SparseMatrix M, K, E;  // E: nv x constraints
  std::vector<int> closed;
};

// Constant matrices and rows: forces of contacts do not bend.
SparseLinearised linearise_sparse(const System& system, const State& state,
                                  const LinearModeOptions& options) {
  const int n = system.nv();
  ContactSet set(system, true);
  if (!set.has_constant_map() || set.is_dynamic())
    throw InputError(
        "linear modes of a system with sparse matrices need contacts with constant rows");
  SystemMatrix M(n, true), K(n, true), C(n, true);
  evaluate_mass(system, state.t, state.q, M);
  evaluate_jacobians(system, state.t, state.q, state.v, K, C);
  SparseLinearised result{M.sparse(), K.sparse(), {}, {}};
  Vector gap(set.size()), w(set.rows());
  set.gaps(state.t, state.q, gap);
  const std::vector<ContactState> states = closed_states(set, gap, options, result.closed);
  ContactMap H(n, set.rows(), true);
  set.map(state.t, state.q, H, w);
  result.E = H.columns(held_rows(set, states));
  return result;
}

Linearised linearise(const System& system, const State& state, const LinearModeOptions& options) {
  const int n = system.nv();
  ContactSet set(system);
  if (set.is_dynamic()) set.find(state.t, state.q, state.v, 0);
  SystemMatrix M(n, system.is_sparse()), K(n, system.is_sparse()), C(n, system.is_sparse());
  evaluate_mass(system, state.t, state.q, M);
  evaluate_jacobians(system, state.t, state.q, state.v, K, C);
  Linearised result{dense(M), dense(C), dense(K), {}, {}};
  Vector gap(set.size()), w(set.rows());
  set.gaps(state.t, state.q, gap);
  const std::vector<ContactState> states = closed_states(set, gap, options, result.closed);
  ContactMap H(n, set.rows());
  set.map(state.t, state.q, H, w);
  result.N = free_directions(set, states, H.dense());
  if (result.N.cols() == n) return result;
  // Forces of constraints and closed contacts bend with the motion.
  ContactMotion motion(set);
  motion.fix(states, Vector::Zero(set.rows()));
  if (motion.evaluate(state.t, state.q, state.v))
    set.add_stiffness(state.t, state.q, motion.multipliers(), result.K);
  return result;
}

std::vector<std::complex<double>> damped_eigenvalues(const Matrix& M, const Matrix& C,
                                                     const Matrix& K) {
  const auto m = M.rows();
  const Eigen::PartialPivLU<Matrix> factors(M);
  Matrix A = Matrix::Zero(2 * m, 2 * m);
  A.topRightCorner(m, m).setIdentity();
  A.bottomLeftCorner(m, m) = -factors.solve(K);
  A.bottomRightCorner(m, m) = -factors.solve(C);
  const Eigen::VectorXcd values = A.eigenvalues();
  std::vector<std::complex<double>> result(values.begin(), values.end());
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.real() > b.real(); });
  return result;
}

}  // namespace

namespace {

// Coordinates without mass follow the others: M x = nu K x with nu = 1/omega^2, zero for those.
void solve_with_massless(const Matrix& M, const Matrix& K, const Matrix& N, LinearModes& modes) {
  const Eigen::SelfAdjointEigenSolver<Matrix> mass(M);
  const double round_off = 1e-13 * mass.eigenvalues().cwiseAbs().maxCoeff();
  if (mass.eigenvalues()[0] < -round_off)
    throw InputError("the mass matrix is not positive definite in the state of the linear modes");
  if (K.llt().info() != Eigen::Success)
    throw InputError("a coordinate without mass needs a stiffness that holds it, K > 0");
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(M, K);
  const Vector& nu = solver.eigenvalues();  // ascending
  const long massless = (mass.eigenvalues().array() <= round_off).count();
  const long count = nu.size() - massless;
  modes.omega_squared.resize(count);
  modes.shapes.resize(N.rows(), count);
  for (long j = 0; j < count; ++j) {
    const long from = nu.size() - 1 - j;
    modes.omega_squared[j] = 1 / nu[from];
    modes.shapes.col(j) = N * solver.eigenvectors().col(from) / std::sqrt(nu[from]);
  }
}

void take_roots(LinearModes& modes) {
  modes.omega = modes.omega_squared.cwiseMax(0).cwiseSqrt();
  const double round_off = 1e-12 * std::max(1e-300, modes.omega_squared.cwiseAbs().maxCoeff());
  for (int j = 0; j < modes.omega.size(); ++j) {
    if (modes.omega_squared[j] < -round_off)
      modes.omega[j] = std::numeric_limits<double>::quiet_NaN();
  }
}

LinearModes compute_sparse(const System& system, const State& state,
                           const LinearModeOptions& options) {
  const SparseLinearised linear = linearise_sparse(system, state, options);
  LinearModes modes;
  modes.closed = linear.closed;
  const SparseMatrix skew = linear.K - SparseMatrix(linear.K.transpose());
  const double size = linear.K.coeffs().abs().maxCoeff();
  modes.symmetric = skew.nonZeros() == 0 || skew.coeffs().abs().maxCoeff() <= 1e-9 * size;
  const int free = system.nv() - static_cast<int>(linear.E.cols());
  const int count = std::min(options.count > 0 ? options.count : LinearModeOptions::kFewSparse,
                             std::max(1, free - 2));
  const SparseModes found = compute_sparse_modes(linear.M, linear.K, linear.E, count);
  if (!found.note.empty()) throw InputError(found.note);
  modes.converged = found.converged;
  modes.omega_squared = found.omega_squared;
  modes.shapes = found.shapes;
  take_roots(modes);
  return modes;
}

}  // namespace

void LinearModeOptions::validate() const {
  if (count < 0 || !(tolerance >= 0))
    throw InputError("linear modes: count must not be negative, and tolerance neither");
}

LinearModes compute_linear_modes(const System& system, const State& state,
                                 const LinearModeOptions& options) {
  options.validate();
  check_state(system, state);
  if (system.is_sparse() && system.nv() > kMostDense) return compute_sparse(system, state, options);
  const Linearised linear = linearise(system, state, options);
  if (!linear.M.allFinite() || !linear.K.allFinite() || !linear.C.allFinite())
    throw InputError("mass or stiffness are not finite in the state of the linear modes");
  LinearModes modes;
  modes.closed = linear.closed;
  const Matrix& N = linear.N;
  if (N.cols() == 0) return modes;
  const Matrix M = N.transpose() * linear.M * N, K = N.transpose() * linear.K * N;
  const double size = K.cwiseAbs().maxCoeff();
  modes.symmetric = (K - K.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * size;
  const Matrix symmetric = 0.5 * (K + K.transpose());
  if (M.llt().info() == Eigen::Success) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(symmetric, M);
    modes.omega_squared = solver.eigenvalues();
    modes.shapes = N * solver.eigenvectors();
  } else {
    solve_with_massless(M, symmetric, N, modes);
  }
  take_roots(modes);
  if (options.count > 0 && options.count < modes.omega.size()) {
    modes.omega_squared.conservativeResize(options.count);
    modes.omega.conservativeResize(options.count);
    modes.shapes.conservativeResize(Eigen::NoChange, options.count);
  }
  if (N.cols() <= kMostForEigenvalues && modes.omega.size() == N.cols())
    modes.eigenvalues = damped_eigenvalues(M, N.transpose() * linear.C * N, K);
  return modes;
}

}  // namespace clack
