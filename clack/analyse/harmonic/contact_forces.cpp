#include "clack/analyse/harmonic/contact_forces.hpp"

#include <cmath>

#include "clack/integrate/contact_motion.hpp"

namespace clack {
namespace {

// One contact with friction under way through the samples.
class FrictionMarch {
 public:
  FrictionMarch(const ForceSamples& trial, const Vector& drift, int normal, int tangents, double mu,
                ForceSamples& out)
      : trial_(trial), drift_(drift), out_(out), normal_(normal), tangents_(tangents), mu_(mu) {
    const auto last = trial.value.rows() - 1;
    lambda_ = trial.value.row(last).segment(normal + 1, tangents).transpose();
    if (!with_derivative()) return;
    D_.resize(tangents, trial.derivative.front().cols());
    for (int i = 0; i < tangents; ++i) D_.row(i) = gradient(last, normal + 1 + i);
  }

  void run() {
    const auto N = trial_.value.rows();
    for (int period = 0; period < 2; ++period) {
      for (long j = 0; j < N; ++j) {
        step(j, j > 0 ? j - 1 : N - 1);
        if (period == 1) store(j);
      }
    }
  }

 private:
  bool with_derivative() const { return !trial_.derivative.empty(); }
  Eigen::RowVectorXd gradient(long j, int row) const {
    return trial_.derivative[static_cast<std::size_t>(row)].row(j);
  }

  void step(long j, long before) {
    const auto N = static_cast<double>(trial_.value.rows());
    for (int i = 0; i < tangents_; ++i) {
      const int row = normal_ + 1 + i;
      lambda_[i] += trial_.value(j, row) - trial_.value(before, row) - drift_[row] / N;
      if (with_derivative()) D_.row(i) += gradient(j, row) - gradient(before, row);
    }
    const double radius = mu_ * out_.value(j, normal_), size = lambda_.norm();
    if (size <= radius) return;
    const Vector direction = lambda_ / size;
    if (with_derivative()) {
      D_ = (radius / size) * (D_ - direction * (direction.transpose() * D_)).eval();
      D_ += mu_ * direction * out_.derivative[static_cast<std::size_t>(normal_)].row(j);
    }
    lambda_ = radius * direction;
  }

  void store(long j) {
    for (int i = 0; i < tangents_; ++i) {
      const int row = normal_ + 1 + i;
      out_.value(j, row) = lambda_[i];
      if (with_derivative()) out_.derivative[static_cast<std::size_t>(row)].row(j) = D_.row(i);
    }
  }

  const ForceSamples& trial_;
  const Vector& drift_;
  ForceSamples& out_;
  int normal_, tangents_;
  double mu_;
  Vector lambda_;
  Matrix D_;
};

}  // namespace

ForceSamples compute_contact_forces(const LinearStructure& structure, const ForceSamples& trial,
                                    const Vector& drift) {
  ForceSamples out = trial;
  for (std::size_t c = 0; c < structure.contacts().size(); ++c) {
    const Contact& contact = structure.contacts()[c];
    if (contact.bilateral) continue;
    const int row = structure.row(static_cast<int>(c));
    for (long j = 0; j < out.value.rows(); ++j) {
      if (out.value(j, row) > 0) continue;
      out.value(j, row) = 0;
      if (!out.derivative.empty()) out.derivative[static_cast<std::size_t>(row)].row(j).setZero();
    }
    if (has_friction(contact)) {
      FrictionMarch(trial, drift, row, contact.tangents, contact.law.mu.at(0), out).run();
      continue;
    }
    for (int k = 1; k <= contact.tangents; ++k) {
      out.value.col(row + k).setZero();
      if (!out.derivative.empty()) out.derivative[static_cast<std::size_t>(row + k)].setZero();
    }
  }
  return out;
}

}  // namespace clack
