#include "clack/analyse/harmonic/contact_forces.hpp"

#include <cmath>

#include "clack/integrate/contact_motion.hpp"

namespace clack {
namespace {

// Friction of one contact: onto the disc of radius mu lambda_N, sample by sample.
void project_on_disc(int normal, int tangents, double mu, ForceSamples& out) {
  const bool with_derivative = !out.derivative.empty();
  const auto at = [&](int i) { return static_cast<std::size_t>(normal + 1 + i); };
  for (long j = 0; j < out.value.rows(); ++j) {
    const Vector trial = out.value.row(j).segment(normal + 1, tangents).transpose();
    const double radius = mu * out.value(j, normal), size = trial.norm();
    if (size <= radius) continue;
    const Vector direction = trial / size;
    out.value.row(j).segment(normal + 1, tangents) = radius * direction.transpose();
    if (!with_derivative) continue;
    Matrix D(tangents, out.derivative.front().cols());
    for (int i = 0; i < tangents; ++i) D.row(i) = out.derivative[at(i)].row(j);
    D = (radius / size) * (D - direction * (direction.transpose() * D)).eval();
    D += mu * direction * out.derivative[static_cast<std::size_t>(normal)].row(j);
    for (int i = 0; i < tangents; ++i) out.derivative[at(i)].row(j) = D.row(i);
  }
}

}  // namespace

ForceSamples compute_contact_forces(const LinearStructure& structure, const ForceSamples& trial) {
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
      project_on_disc(row, contact.tangents, contact.law.mu.at(0), out);
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
