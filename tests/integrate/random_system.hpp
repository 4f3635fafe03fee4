// A random linear system with contacts, for identities that hold for every one.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "clack/model/linear_system.hpp"

namespace clack::test {

inline Matrix random_spd(std::mt19937& random, int n, double shift) {
  std::normal_distribution<double> normal;
  Matrix A(n, n);
  for (int i = 0; i < n * n; ++i) A.data()[i] = normal(random);
  return A * A.transpose() / n + shift * Matrix::Identity(n, n);
}

// A random linear system with contacts on the first three coordinates and a driven load.
inline std::shared_ptr<LinearSystem> make_random_system(double e_n, double mu, bool damped) {
  std::mt19937 random(5);
  const int n = 4;
  LinearSystemData data;
  data.M = random_spd(random, n, 0.5);
  data.K = random_spd(random, n, 1.0) * 30;
  data.C = damped ? Matrix(random_spd(random, n, 0.1)) : Matrix::Zero(n, n);
  formula::Graph graph;
  const formula::Expr t = graph.variable("t");
  std::vector<formula::Expr> outputs;
  for (int i = 0; i < n; ++i) {
    outputs.push_back(
        graph.multiply(graph.constant(i - 1.5), graph.apply(formula::Function::kSin, t)));
  }
  for (int c = 0; c < 2; ++c) {
    LinearContact contact;
    contact.contact.name = "wall";
    contact.contact.tangents = mu > 0 ? 1 : 0;
    contact.contact.law.e_n = e_n;
    contact.contact.law.mu = mu;
    contact.normal = Vector::Unit(n, c);
    if (mu > 0) contact.tangents = {Vector::Unit(n, c + 2)};
    for (int k = 0; k < (mu > 0 ? 3 : 2); ++k) outputs.push_back(graph.constant(0));
    data.contacts.push_back(contact);
  }
  const formula::Expr inputs[] = {t};
  data.time = {std::make_shared<formula::Tape>(graph, inputs, outputs), false, false};
  return std::make_shared<LinearSystem>(data);
}

}  // namespace clack::test
