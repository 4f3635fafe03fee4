#include "clack/solve/bodies/stick_polish.hpp"

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace clack {
namespace {

constexpr double kEpsilon = 1e-8;  // over the eigenvalues of W_ii
constexpr int kSteps = 5;
constexpr double kInside = 1 - 1e-6;  // of the cone: what counts as sticking

using Rows = Eigen::Matrix<double, 3, 6>;  // of H' M^-1/2, one contact and one body

// A root of the inverse inertia, which may be singular.
Eigen::Matrix3d root_of(const RigidBody& body) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(body.inverse_inertia_matrix());
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
         eigen.eigenvectors().transpose();
}

class StickPolish {
 public:
  StickPolish(const BodyProblem& problem, const double* r)
      : problem_(problem),
        dim_(problem.dim),
        r_(Eigen::Map<const Vector>(r, problem.size())),
        u_(problem.size()) {}

  bool run(double* r) {
    const double before = compute_residual(problem_, r_.data(), u_.data()).unit_free();
    if (!classify()) return false;
    make_roots();
    if (!factorise()) return false;
    double best = before;
    for (int k = 0; k < kSteps && best > 0; ++k) {
      step();
      if (!inside()) break;
      const double error = compute_residual(problem_, r_.data(), u_.data()).unit_free();
      if (!(error < best)) break;
      best = error;
      std::copy_n(r_.data(), r_.size(), r);
    }
    return best < before;
  }

 private:
  bool moves(int body) const {
    return body >= 0 && problem_.bodies[static_cast<std::size_t>(body)].inverse_mass > 0;
  }

  // False where a contact slides.
  bool classify() {
    for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
      const auto own = r_.segment(static_cast<Eigen::Index>(k) * dim_, dim_);
      if (own.isZero(0)) continue;
      const double limit = kInside * problem_.contacts[k].mu * own[0];
      if (!(own[0] > 0 && own.tail(dim_ - 1).norm() < limit)) return false;
      sticking_.push_back(static_cast<int>(k));
    }
    return !sticking_.empty();
  }

  bool inside() const {
    return std::all_of(sticking_.begin(), sticking_.end(), [&](int k) {
      const auto own = r_.segment(Eigen::Index{k} * dim_, dim_);
      return own[0] > 0 && own.tail(dim_ - 1).norm() <=
                               problem_.contacts[static_cast<std::size_t>(k)].mu * own[0];
    });
  }

  void make_roots() {
    for (const RigidBody& body : problem_.bodies) roots_.push_back(root_of(body));
  }

  Rows rows_of(const BodyContact& contact, int body) const {
    const Eigen::Matrix3d frame = contact_frame(contact.normal, dim_);
    const bool is_b = body == contact.b;
    const Eigen::Vector3d& arm = is_b ? contact.arm_b : contact.arm_a;
    const auto at = static_cast<std::size_t>(body);
    Rows rows;
    rows.leftCols<3>() = std::sqrt(problem_.bodies[at].inverse_mass) * frame;
    for (int k = 0; k < 3; ++k) {
      rows.row(k).tail<3>() = arm.cross(Eigen::Vector3d(frame.row(k))).transpose() * roots_[at];
    }
    if (dim_ == 2) rows.row(2).setZero();
    return is_b ? rows : Rows(-rows);
  }

  template <class Act>
  void for_rows(int k, Act&& act) const {
    const BodyContact& contact = problem_.contacts[static_cast<std::size_t>(k)];
    for (const int body : {contact.a, contact.b})
      if (moves(body)) act(body, rows_of(contact, body));
  }

  bool factorise() {
    const auto n = static_cast<Eigen::Index>(6 * problem_.bodies.size());
    std::vector<Triplet> entries;
    for (int i = 0; i < n; ++i) entries.emplace_back(i, i, 1.0);
    for (const int k : sticking_) {
      double trace = 0;
      for_rows(k, [&](int, const Rows& rows) { trace += rows.squaredNorm(); });
      weight_.push_back(1 / (kEpsilon * trace));
      for_rows(k, [&](int i, const Rows& left) {
        for_rows(k, [&](int j, const Rows& right) {
          const Eigen::Matrix<double, 6, 6> block = weight_.back() * left.transpose() * right;
          for (int x = 0; x < 6; ++x)
            for (int y = 0; y < 6; ++y)
              if (6 * i + x >= 6 * j + y) entries.emplace_back(6 * i + x, 6 * j + y, block(x, y));
        });
      });
    }
    Eigen::SparseMatrix<double> A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    factor_.compute(A);
    return factor_.info() == Eigen::Success;
  }

  // dr = -P (u + B' y) / epsilon with (1 + B P B' / epsilon) y = -B P u / epsilon.
  void step() {
    Vector y = Vector::Zero(static_cast<Eigen::Index>(6 * problem_.bodies.size()));
    const auto u_of = [&](int k) {
      Eigen::Vector3d u = Eigen::Vector3d::Zero();
      u.head(dim_) = u_.segment(Eigen::Index{k} * dim_, dim_);
      return u;
    };
    for (std::size_t i = 0; i < sticking_.size(); ++i) {
      const Eigen::Vector3d u = u_of(sticking_[i]);
      for_rows(sticking_[i], [&](int body, const Rows& rows) {
        y.segment<6>(6 * body) -= weight_[i] * rows.transpose() * u;
      });
    }
    y = factor_.solve(y);
    for (std::size_t i = 0; i < sticking_.size(); ++i) {
      Eigen::Vector3d u = u_of(sticking_[i]);
      for_rows(sticking_[i],
               [&](int body, const Rows& rows) { u += rows * y.segment<6>(6 * body); });
      r_.segment(Eigen::Index{sticking_[i]} * dim_, dim_) -= weight_[i] * u.head(dim_);
    }
  }

  const BodyProblem& problem_;
  int dim_;
  Vector r_, u_;
  std::vector<int> sticking_;
  std::vector<double> weight_;  // P / epsilon
  std::vector<Eigen::Matrix3d> roots_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;
};

}  // namespace

bool polish_sticking(const BodyProblem& problem, double* r) {
  return StickPolish(problem, r).run(r);
}

}  // namespace clack
