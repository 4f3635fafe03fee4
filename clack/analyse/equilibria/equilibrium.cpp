#include "clack/analyse/equilibria/equilibrium.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "clack/analyse/orbits/differences.hpp"
#include "clack/analyse/orbits/phase_motion.hpp"
#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kTouches = 1e-9;  // of the size of q: a gap this small counts as closed
constexpr double kGrows = 1e-6;    // of the largest |s|: a real part above it counts
constexpr int kMostExchanges = 1000;

void check_system(const System& system, const ContactSet& set) {
  if (system.nq() != system.nv()) {
    throw InputError(fmt::format(
        "equilibria need as many coordinates as velocities; the system has {} and {} (bodies in "
        "space have quaternions)",
        system.nq(), system.nv()));
  }
  if (set.is_dynamic())
    throw InputError("equilibria need a fixed list of contacts; those of rigid bodies come and go");
  if (set.has_laws())
    throw InputError("equilibria know contacts with e_n, e_t and mu; one has a law of its own");
}

}  // namespace

struct EquilibriumEquations::Parts {
  Parts(std::shared_ptr<const System> of, double time)
      : system(std::move(of)), t(time), set(*system), motion(set) {
    check_system(*system, set);
  }

  // Closed contacts hold; those on a moving surface slide.
  std::vector<ContactState> states(const Vector& q, const std::vector<char>& closed) {
    std::vector<ContactState> result(set.list().size());
    ContactMap H(system->nv(), set.rows());
    Vector w(set.rows());
    set.map(t, q, H, w);
    for (int c = 0; c < set.size(); ++c) {
      const Contact& contact = set.list()[static_cast<std::size_t>(c)];
      if (contact.bilateral || !closed[static_cast<std::size_t>(c)]) continue;
      ContactState& state = result[static_cast<std::size_t>(c)];
      state.mode = ContactMode::sticking;
      if (!has_friction(contact)) continue;
      const int row = set.row_begin()[static_cast<std::size_t>(c)] + 1;
      const double slip = w.segment(row, contact.tangents).norm();
      if (!(slip > 0))
        throw InputError(fmt::format(
            "contact '{}' has friction and its surfaces do not move against each other: equilibria "
            "under stick are not isolated; give it a drive, or mu: 0",
            contact.name));
      state.mode = ContactMode::sliding;
      for (int k = 0; k < contact.tangents; ++k) state.direction[k] = w[row + k] / slip;
    }
    return result;
  }

  std::shared_ptr<const System> system;
  double t;
  ContactSet set;
  ContactMotion motion;
};

EquilibriumEquations::EquilibriumEquations(const EquilibriumProblem& problem, double parameter)
    : parts_(std::make_unique<Parts>(problem.system(parameter), problem.t)) {}

EquilibriumEquations::~EquilibriumEquations() = default;

int EquilibriumEquations::contacts() const { return parts_->set.size(); }

bool EquilibriumEquations::residual(const Vector& q, const std::vector<char>& closed, Vector& F) {
  Parts& p = *parts_;
  const int n = p.system->nv();
  p.motion.fix(p.states(q, closed), Vector::Zero(p.set.rows()));
  if (!p.motion.evaluate(p.t, q, Vector::Zero(n))) return false;
  Vector gap(p.set.size());
  p.set.gaps(p.t, q, gap);
  std::vector<double> held;
  for (int c = 0; c < p.set.size(); ++c) {
    const bool holds = p.set.list()[static_cast<std::size_t>(c)].bilateral;
    if (holds || closed[static_cast<std::size_t>(c)]) held.push_back(gap[c]);
  }
  F.resize(n + static_cast<int>(held.size()));
  F.head(n) = p.motion.acceleration();
  std::copy(held.begin(), held.end(), F.data() + n);
  return F.allFinite();
}

bool EquilibriumEquations::read(const Vector& q, const std::vector<char>& closed, Vector& gap,
                                Vector& force) {
  Vector F;
  if (!residual(q, closed, F)) return false;
  Parts& p = *parts_;
  gap.resize(p.set.size());
  p.set.gaps(p.t, q, gap);
  force.resize(p.set.size());
  for (int c = 0; c < p.set.size(); ++c)
    force[c] = p.motion.multipliers()[p.set.row_begin()[static_cast<std::size_t>(c)]];
  return true;
}

bool EquilibriumEquations::judge(Equilibrium& found) {
  Parts& p = *parts_;
  const int n = p.system->nv();
  ContactPhase phase;
  phase.states = p.states(found.q, found.closed);
  phase.multipliers = Vector::Zero(p.set.rows());
  Vector z = Vector::Zero(2 * n);
  z.head(n) = found.q;
  const Vector scale = Vector::Constant(2 * n, equilibrium_scale(found.q));
  PhaseMotion motion(p.system, scale, 1e-12);
  motion.enter(phase);
  const auto field = [&](const Vector& x, Vector& f) { return motion.rate(p.t, x, f); };
  Matrix A;
  if (!compute_jacobian(field, z, scale, false, A)) return false;
  const Matrix basis = motion.tangent_space(p.t, z);
  found.eigenvalues.clear();
  found.growth = found.frequency = 0;
  found.stable = true;
  if (basis.cols() == 0) return true;
  const Eigen::VectorXcd values = Matrix(basis.transpose() * A * basis).eigenvalues();
  found.eigenvalues.assign(values.begin(), values.end());
  std::stable_sort(found.eigenvalues.begin(), found.eigenvalues.end(),
                   [](const auto& a, const auto& b) { return a.real() > b.real(); });
  found.growth = found.eigenvalues.front().real();
  found.frequency = std::abs(found.eigenvalues.front().imag());
  found.stable = found.growth <= kGrows * values.cwiseAbs().maxCoeff();
  return values.allFinite();
}

double equilibrium_scale(const Vector& q) {
  const double largest = q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0;
  return largest > 0 ? largest : 1;
}

namespace {

// Gauss and Newton on equations that are more than the unknowns and fit together.
std::string solve(EquilibriumEquations& equations, const EquilibriumProblem& problem,
                  const std::vector<char>& closed, Vector& q) {
  const SmoothFunction function = [&](const Vector& at, Vector& F) {
    return equations.residual(at, closed, F);
  };
  for (int pass = 0; pass < problem.max_iterations; ++pass) {
    const double scale = equilibrium_scale(q);
    Vector F;
    Matrix J;
    if (!function(q, F) ||
        !compute_jacobian(function, q, Vector::Constant(q.size(), scale), false, J))
      return "the forces have no value, a mass is zero or a sliding contact jams";
    for (int i = 0; i < J.rows(); ++i) {
      const double size = J.row(i).norm();
      if (size == 0) continue;
      J.row(i) /= size;
      F[i] /= size;
    }
    const Vector step = J.completeOrthogonalDecomposition().solve(F);
    q -= step;
    if (!q.allFinite()) break;
    if (step.cwiseAbs().maxCoeff() <= problem.tolerance * equilibrium_scale(q)) return {};
  }
  return "Newton's method finds no equilibrium from this guess";
}

// Opens what pulls most, else closes what penetrates most; false where nothing is wrong.
bool exchange(const Equilibrium& found, const std::vector<char>& bilateral,
              std::vector<char>& closed) {
  const double forces = found.force.size() > 0 ? found.force.cwiseAbs().maxCoeff() : 0;
  int worst = -1;
  double value = 0;
  for (int c = 0; c < found.force.size(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    if (bilateral[k] || !closed[k] || found.force[c] >= -1e-9 * forces) continue;
    if (found.force[c] < value) value = found.force[c], worst = c;
  }
  if (worst >= 0) {
    closed[static_cast<std::size_t>(worst)] = 0;
    return true;
  }
  for (int c = 0; c < found.gap.size(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    if (bilateral[k] || closed[k]) continue;
    if (found.gap[c] < -kTouches * equilibrium_scale(found.q) && found.gap[c] < value)
      value = found.gap[c], worst = c;
  }
  if (worst >= 0) closed[static_cast<std::size_t>(worst)] = 1;
  return worst >= 0;
}

}  // namespace

Equilibrium find_equilibrium(const EquilibriumProblem& problem, double parameter,
                             const Vector& guess) {
  EquilibriumEquations equations(problem, parameter);
  const std::shared_ptr<const System> system = problem.system(parameter);
  Equilibrium found;
  found.parameter = parameter;
  found.q = guess;
  std::vector<char> bilateral;
  for (const Contact& contact : system->contacts()) bilateral.push_back(contact.bilateral);
  Vector gap(static_cast<int>(bilateral.size()));
  system->gaps(problem.t, guess, gap);
  std::vector<char> closed;
  for (int c = 0; c < gap.size(); ++c)
    closed.push_back(bilateral[static_cast<std::size_t>(c)] ||
                     gap[c] <= kTouches * equilibrium_scale(guess));
  for (int pass = 0; pass < kMostExchanges; ++pass) {
    found.note = solve(equations, problem, closed, found.q);
    found.closed = closed;
    if (found.note.empty() && !equations.read(found.q, closed, found.gap, found.force))
      found.note = "the forces have no value";
    if (!found.note.empty()) {
      found.status = Status::stagnated;
      return found;
    }
    if (exchange(found, bilateral, closed)) continue;
    found.status = Status::converged;
    if (!equations.judge(found)) {
      found.status = Status::numerical_failure;
      found.note = "the motion about the equilibrium has no derivative";
    }
    return found;
  }
  found.status = Status::stagnated;
  found.note = "no set of closed contacts fits";
  return found;
}

}  // namespace clack
