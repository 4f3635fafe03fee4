// A law of friction of one's own, in C++: a track that is polished as a block slides over it.
//
// Shows: what a law gives (prepare: its part of the one-step problem; update: its memory), how it
// is
//        combined with the laws that exist, and how its memory is read.
// Known: mu(s) = mu_1 + (mu_0 - mu_1) exp(-s/L) of the way s, so that the block stops where
//        v0^2/2 = g (mu_1 s + (mu_0 - mu_1) L (1 - exp(-s/L))), here at 1.511843 m.
// Sample run:
//        $ ./own_law
//        the block stops after 1.511619 m, expected 1.511843 m; the track has mu = 0.2091
#include <clack/integrate/simulation.hpp>
#include <clack/model/laws/basic_laws.hpp>
#include <clack/model/laws/law_list.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

namespace {

constexpr double kGravity = 9.81;                           // [m/s^2]
constexpr double kFresh = 0.6, kWorn = 0.2, kLength = 0.4;  // mu_0, mu_1 [-], L [m]
constexpr double kSpeed = 3.0;                              // v0 [m/s]

class PolishedTrack final : public clack::Law {
 public:
  std::string_view name() const override { return "polished-track"; }
  std::vector<clack::LawVariable> variables(int, int) const override {
    return {{"slip_way", "m", 0}};
  }
  std::string fault(int tangents, int) const override {
    return tangents > 0 ? "" : "needs a tangential direction";
  }

  static double coefficient(double way) {
    return kWorn + (kFresh - kWorn) * std::exp(-way / kLength);
  }

  // A disc of radius mu(s) r_N on the tangential rows of the contact.
  void prepare(const clack::ContactSituation& contact,
               clack::LawStatement& statement) const override {
    clack::add_tangential_disc(contact, coefficient(contact.memory[0]), statement);
  }
  void update(const clack::ContactSituation& contact, std::span<double> memory) const override {
    memory[0] += std::abs(contact.way(1));
  }
};

// q = (x, y): a mass point above the floor y = 0.
class Block final : public clack::System {
 public:
  Block() {
    clack::Contact floor;
    floor.name = "floor";
    floor.tangents = 1;
    floor.law.own = clack::combine_laws(std::make_shared<clack::NewtonImpact>(),
                                        std::make_shared<PolishedTrack>(), nullptr);
    contacts_ = {floor};
  }
  int nv() const override { return 2; }
  void mass(double, clack::ConstVectorRef, clack::MatrixRef M) const override { M.setIdentity(); }
  void forces(double, clack::ConstVectorRef, clack::ConstVectorRef,
              clack::Forces& out) const override {
    for (clack::Vector* part : {&out.potential, &out.inertial, &out.damping, &out.external})
      part->setZero();
    out.potential[1] = -kGravity;
  }
  clack::Energies energies(double, clack::ConstVectorRef q,
                           clack::ConstVectorRef v) const override {
    return {0.5 * v.squaredNorm(), kGravity * q[1], 0};
  }
  void gaps(double, clack::ConstVectorRef q, clack::VectorRef gap) const override { gap[0] = q[1]; }
  void contact_map(double, clack::ConstVectorRef, clack::MatrixRef H,
                   clack::VectorRef w) const override {
    H << 0, 1, 1, 0;
    w.setZero();
  }
  bool has_constant_contact_map() const override { return true; }
  bool has_moving_contacts() const override { return false; }
};

double expected_way() {
  double low = 0, high = 100;
  for (int k = 0; k < 200; ++k) {
    const double s = 0.5 * (low + high);
    const double lost = kWorn * s + (kFresh - kWorn) * kLength * (1 - std::exp(-s / kLength));
    (kGravity * lost < 0.5 * kSpeed * kSpeed ? low : high) = s;
  }
  return low;
}

}  // namespace

int main() {
  clack::SimulationOptions options;
  options.h = 1e-4;
  const clack::State initial{0.0, clack::Vector::Zero(2), clack::Vector::Unit(2, 0) * kSpeed};
  clack::Simulation simulation(std::make_shared<Block>(), initial, options);
  for (int k = 0; k < 20000; ++k) {
    if (simulation.step() != clack::Status::converged) {
      std::puts("a step failed");
      return 1;
    }
  }
  const double way = simulation.last_step().problem.laws.memory(0)[0];
  std::printf("the block stops after %.6f m, expected %.6f m; the track has mu = %.4f\n",
              simulation.q()[0], expected_way(), PolishedTrack::coefficient(way));
  return std::abs(simulation.q()[0] - expected_way()) < 1e-3 ? 0 : 1;
}
