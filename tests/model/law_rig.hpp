// A body whose coordinates are the rows of one contact, so that u = v: the smallest place where a
// law acts.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "clack/integrate/simulation.hpp"
#include "clack/model/laws/law_list.hpp"
#include "clack/model/linear_system.hpp"

namespace clack::test {

struct LawRig {
  int tangents = 1, turns = 0;
  Matrix M;     // identity where empty
  Vector f, v;  // load and velocity at the start; zero where empty
  double h = 0.01;
  std::string solver = "nsgs", scheme = "moreau-jean";
  LawPtr normal = make_law(LawKind::normal, "newton", {});

  int rows() const { return 1 + tangents + turns; }

  Simulation simulation(LawPtr friction) const {
    const int n = rows();
    LinearSystemData data;
    data.M = M.size() > 0 ? M : Matrix(Matrix::Identity(n, n));
    data.C = data.K = Matrix::Zero(n, n);
    LinearContact contact;
    contact.contact.name = "contact";
    contact.contact.tangents = tangents;
    contact.contact.turns = turns;
    contact.contact.law.own = combine_laws(normal, std::move(friction), nullptr);
    contact.normal = Vector::Unit(n, 0);
    for (int k = 1; k < n; ++k) contact.tangents.push_back(Vector::Unit(n, k));
    data.contacts.push_back(contact);
    formula::Graph graph;
    const formula::Expr inputs[] = {graph.variable("t")};
    std::vector<formula::Expr> outputs;
    for (int i = 0; i < n; ++i) outputs.push_back(graph.constant(f.size() > 0 ? f[i] : 0.0));
    for (int i = 0; i < n + 1; ++i) outputs.push_back(graph.constant(0));
    data.time = {std::make_shared<formula::Tape>(graph, inputs, outputs), true, false};
    SimulationOptions options;
    options.h = h;
    options.solver = solver;
    options.scheme = scheme;
    const State start{0, Vector::Zero(n), v.size() > 0 ? v : Vector(Vector::Zero(n))};
    return Simulation(std::make_shared<LinearSystem>(data), start, options);
  }
};

// What one step leaves.
struct LawAnswer {
  Status status;
  Vector r, u;
};

inline LawAnswer step_of(Simulation& simulation) {
  const Status status = simulation.step();
  return {status, simulation.last_step().r, simulation.last_step().u_end};
}

inline LawAnswer one_step(const LawRig& rig, LawPtr friction) {
  Simulation simulation = rig.simulation(std::move(friction));
  return step_of(simulation);
}

inline LawPtr friction_law(std::string_view name, const std::map<std::string, double>& numbers) {
  return make_law(LawKind::friction, name, numbers);
}

}  // namespace clack::test
