// Small systems whose contacts have laws of their own, stepped once or many times.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clack/integrate/simulation.hpp"
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/law_list.hpp"
#include "tests/physics/linear_support.hpp"

namespace clack::test {

using Numbers = std::map<std::string, double>;

inline LawPtr normal_law(const std::string& name, const Numbers& numbers, double mu = 0) {
  return combine_laws(make_law(LawKind::normal, name, numbers),
                      make_law(LawKind::friction, "coulomb", {{"mu", mu}}), nullptr);
}

inline LinearContact contact_with(LawPtr law, const Vector& normal,
                                  const std::vector<Vector>& tangents = {}) {
  LinearContact contact;
  contact.contact.name = "contact";
  contact.contact.tangents = static_cast<int>(tangents.size());
  contact.contact.law.own = std::move(law);
  contact.normal = normal;
  contact.tangents = tangents;
  return contact;
}

// A mass matrix, contacts with gaps g0 at q = 0, a constant load.
struct Setting {
  Matrix M;
  std::vector<LinearContact> contacts;
  std::vector<double> g0 = {};
  Vector f = {};

  std::shared_ptr<LinearSystem> system() const {
    const Matrix zero = Matrix::Zero(M.rows(), M.cols());
    return make_linear(M, zero, zero, f.size() > 0 ? f : Vector(Vector::Zero(M.rows())), contacts,
                       g0.empty() ? std::vector<double>(contacts.size(), 0.0) : g0);
  }
};

struct RunOptions {
  double h = 1e-3;
  double theta = 0.5;
  std::string solver = "nsgs";
  double tolerance = 1e-13;
  std::string scheme = "moreau-jean";
};

inline Simulation make_simulation(const Setting& setting, const Vector& v,
                                  const RunOptions& run = {}) {
  SimulationOptions options;
  options.h = run.h;
  options.scheme = run.scheme;
  options.scheme_options.theta = run.theta;
  options.solver = run.solver;
  options.solver_options.tolerance = run.tolerance;
  State initial;
  initial.q = Vector::Zero(v.size());
  initial.v = v;
  return Simulation(setting.system(), initial, options);
}

// What one step makes of the velocities v at q = 0.
struct Impacted {
  Status status;
  Vector v, r, u_start, u;  // r, u: all rows

  double energy_gain(const Matrix& M, const Vector& v_start) const {
    return (0.5 * v.dot(M * v) - 0.5 * v_start.dot(M * v_start)) / (0.5 * v_start.dot(M * v_start));
  }
};

inline Impacted impact(const Setting& setting, const Vector& v, const RunOptions& run = {}) {
  Simulation simulation = make_simulation(setting, v, run);
  const Status status = simulation.step();
  const Step& step = simulation.last_step();
  return {status, simulation.v(), step.r, step.detection.u, step.u_end};
}

// Contacts all over a body of `size` velocities, with random directions and masses.
struct RandomImpact {
  Matrix M;
  std::vector<Vector> rows;  // 1 + tangents of each contact, one after the other
  Vector v;
  int contacts, tangents;

  RandomImpact(std::mt19937& random, int size, int contacts_in, int tangents_in)
      : contacts(contacts_in), tangents(tangents_in) {
    std::normal_distribution<double> normal;
    const auto vector = [&] {
      Vector x(size);
      for (double& value : x) value = normal(random);
      return x;
    };
    Matrix A(size, size);
    for (int i = 0; i < size * size; ++i) A.data()[i] = normal(random);
    M = A * A.transpose() / size + 0.2 * Matrix::Identity(size, size);
    for (int i = 0; i < contacts * (1 + tangents); ++i) rows.push_back(vector());
    v = vector();
  }

  // law(c) is that of contact c.
  template <class LawOf>
  Setting with(LawOf law) const {
    Setting setting{M, {}};
    for (int c = 0; c < contacts; ++c) {
      const auto begin = rows.begin() + c * (1 + tangents);
      setting.contacts.push_back(
          contact_with(law(c), *begin, std::vector<Vector>(begin + 1, begin + 1 + tangents)));
    }
    return setting;
  }
};

}  // namespace clack::test
