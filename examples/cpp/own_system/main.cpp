// A mechanical system of one's own, in C++: a bead on a rotating hoop with a stop.
//
// Shows: what a user implements (mass, forces with exact Jacobians, energies, a gap with its row)
// and
//        how a simulation is stepped.
// Known: below the critical speed the bead rests at the bottom; above it at cos(phi) = g/(R
// Omega^2),
//        here 1.047198 rad. The stop at 1.3 rad is hit on the way and takes its share of the
//        energy.
// Sample run:
//        $ ./own_system
//        bead rests at phi = 1.047198 rad, expected 1.047198 rad, impacts on the stop: 1
#include <clack/integrate/simulation.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

namespace {

constexpr double kMass = 0.1;                             // [kg]
constexpr double kRadius = 0.5;                           // [m]
constexpr double kGravity = 9.81;                         // [m/s^2]
constexpr double kDamping = 0.02;                         // [N m s]
constexpr double kStop = 1.3;                             // [rad]
const double kOmega = std::sqrt(2 * kGravity / kRadius);  // speed of the hoop [rad/s]

// q = phi, the angle from the bottom; gap = R (stop - phi).
class BeadOnHoop final : public clack::System {
 public:
  BeadOnHoop() {
    clack::Contact stop;
    stop.name = "stop";
    stop.law.e_n = 0.3;
    contacts_ = {stop};
  }

  int nv() const override { return 1; }

  void mass(double, clack::ConstVectorRef, clack::MatrixRef M) const override {
    M(0, 0) = kMass * kRadius * kRadius;
  }

  void forces(double, clack::ConstVectorRef q, clack::ConstVectorRef v,
              clack::Forces& out) const override {
    const double phi = q[0];
    out.potential[0] = -kMass * kGravity * kRadius * std::sin(phi) +
                       kMass * std::pow(kRadius * kOmega, 2) * std::sin(phi) * std::cos(phi);
    out.inertial[0] = 0;
    out.damping[0] = -kDamping * v[0];
    out.external[0] = 0;
  }

  void jacobians(double, clack::ConstVectorRef q, clack::ConstVectorRef, clack::MatrixRef K,
                 clack::MatrixRef C) const override {
    K(0, 0) = kMass * kGravity * kRadius * std::cos(q[0]) -
              kMass * std::pow(kRadius * kOmega, 2) * std::cos(2 * q[0]);
    C(0, 0) = kDamping;
  }

  // The centrifugal term is counted as a potential, as in the rotating frame.
  clack::Energies energies(double, clack::ConstVectorRef q,
                           clack::ConstVectorRef v) const override {
    const double kinetic = 0.5 * kMass * std::pow(kRadius * v[0], 2);
    const double potential = -kMass * kGravity * kRadius * std::cos(q[0]) -
                             0.5 * kMass * std::pow(kRadius * kOmega * std::sin(q[0]), 2);
    return {kinetic, potential, 0};
  }

  void gaps(double, clack::ConstVectorRef q, clack::VectorRef gap) const override {
    gap[0] = kRadius * (kStop - q[0]);
  }

  void contact_map(double, clack::ConstVectorRef, clack::MatrixRef H,
                   clack::VectorRef w) const override {
    H(0, 0) = -kRadius;
    w[0] = 0;
  }

  bool has_constant_contact_map() const override { return true; }
  bool has_moving_contacts() const override { return false; }
};

}  // namespace

int main() {
  clack::SimulationOptions options;
  options.h = 1e-3;
  clack::State initial{0.0, clack::Vector::Constant(1, 0.2), clack::Vector::Constant(1, 2.0)};
  clack::Simulation simulation(std::make_shared<BeadOnHoop>(), initial, options);
  int impacts = 0;
  bool loaded = false;
  for (int k = 0; k < 60000; ++k) {
    if (simulation.step() != clack::Status::converged) {
      std::puts("a step failed");
      return 1;
    }
    const bool now = simulation.last_step().r[0] > 0;
    impacts += now && !loaded;
    loaded = now;
  }
  const double expected = std::acos(kGravity / (kRadius * kOmega * kOmega));
  std::printf("bead rests at phi = %.6f rad, expected %.6f rad, impacts on the stop: %d\n",
              simulation.q()[0], expected, impacts);
  return std::abs(simulation.q()[0] - expected) < 1e-6 && impacts >= 1 ? 0 : 1;
}
