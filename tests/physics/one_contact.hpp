// A point of mass with one contact on its coordinates: n above a plane, t1 and t2 along it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "clack/analyse/ledger.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/model/laws/law_list.hpp"
#include "linear_support.hpp"
#include "tests/values.hpp"

namespace clack::test {

struct PointSetup {
  int tangents = 0;
  double mass = 1;
  double spring = 0;   // to the origin, on every coordinate [N/m]
  Vector force, q, v;  // of 1 + tangents values; zero where left out
  LawPtr law;
  double area = 1;
  double h = 1e-3;
  std::string scheme = "moreau-jean";
  double theta = 0.5;
  std::string solver = "nsgs";
};

class PointRun {
 public:
  explicit PointRun(const PointSetup& setup)
      : n_(1 + setup.tangents),
        simulation_(system_of(setup), state_of(setup), options_of(setup)),
        ledger_(simulation_.last_step().energy) {}

  void step() {
    const Status status = simulation_.step();
    if (status != Status::converged) ++failed_;
    ledger_.add(simulation_.last_step().energy);
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }

  Simulation& simulation() { return simulation_; }
  const EnergyAudit& totals() const { return ledger_.totals(); }
  double balance() const { return ledger_.relative_error(); }
  int failed() const { return failed_; }
  double q(int k = 0) const { return simulation_.q()[k]; }
  double v(int k = 0) const { return simulation_.v()[k]; }
  // Mean force of the contact over the last step [N].
  double force(int k = 0) const { return simulation_.last_step().r[k] / simulation_.last_step().h; }
  double value(const std::string& name) const {
    const ContactLaws& laws = simulation_.last_step().problem.laws;
    const std::vector<LawVariable> variables = laws.variables(0);
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].name == name) return laws.memory(0)[i];
    }
    ADD_FAILURE() << "no variable " << name;
    return 0;
  }
  // Gives the point another velocity, as if struck from outside.
  void set_velocity(const Vector& v) {
    Checkpoint point = simulation_.checkpoint();
    point.end.v = v;
    point.end.energies = simulation_.system().energies(point.end.t, point.end.q, v);
    simulation_.restore(point);
  }

 private:
  static Vector filled(const Vector& x, int n) {
    return x.size() == n ? x : Vector(Vector::Zero(n));
  }
  static std::shared_ptr<const System> system_of(const PointSetup& setup) {
    const int n = 1 + setup.tangents;
    LinearContact contact;
    contact.contact.name = "contact";
    contact.contact.tangents = setup.tangents;
    contact.contact.law.own = setup.law;
    contact.contact.area = setup.area;
    contact.normal = Vector::Unit(n, 0);
    for (int k = 1; k < n; ++k) contact.tangents.push_back(Vector::Unit(n, k));
    return make_linear(setup.mass * Matrix::Identity(n, n), Matrix::Zero(n, n),
                       setup.spring * Matrix::Identity(n, n), filled(setup.force, n), {contact},
                       {0});
  }
  static State state_of(const PointSetup& setup) {
    const int n = 1 + setup.tangents;
    return {0, filled(setup.q, n), filled(setup.v, n)};
  }
  static SimulationOptions options_of(const PointSetup& setup) {
    SimulationOptions options;
    options.scheme = setup.scheme;
    options.scheme_options.theta = setup.theta;
    options.solver = setup.solver;
    options.h = setup.h;
    return options;
  }

  int n_;
  Simulation simulation_;
  Ledger ledger_;
  int failed_ = 0;
};

// Contact with mu beside a cohesion.
inline LawPtr with_contact(LawPtr cohesion, double mu = 0, double e_n = 0) {
  return combine_laws(make_law(LawKind::normal, "newton", {{"e_n", e_n}}),
                      make_law(LawKind::friction, "coulomb", {{"mu", mu}}), std::move(cohesion));
}

}  // namespace clack::test
