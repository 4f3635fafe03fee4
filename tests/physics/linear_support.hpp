// Linear systems built from matrices, and the rod of the lectures.
#pragma once

#include <memory>
#include <vector>

#include "clack/model/linear_system.hpp"

namespace clack::test {

// M dv + (C v + K q) dt = f dt + H dr with constant load and gaps G q + g0.
inline std::shared_ptr<LinearSystem> make_linear(const Matrix& M, const Matrix& C, const Matrix& K,
                                                 const Vector& f,
                                                 const std::vector<LinearContact>& contacts,
                                                 const std::vector<double>& g0) {
  LinearSystemData data;
  data.M = M;
  data.C = C;
  data.K = K;
  data.contacts = contacts;
  formula::Graph graph;
  std::vector<formula::Expr> outputs;
  for (double x : f) outputs.push_back(graph.constant(x));
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    outputs.push_back(graph.constant(g0[c]));
    for (int k = 0; k < contacts[c].contact.dim(); ++k) outputs.push_back(graph.constant(0));
  }
  const formula::Expr inputs[] = {graph.variable("t")};
  data.time = {std::make_shared<formula::Tape>(graph, inputs, outputs), true, false};
  return std::make_shared<LinearSystem>(data);
}

inline LinearContact make_contact(const Vector& normal, double e_n) {
  LinearContact contact;
  contact.contact.name = "contact";
  contact.contact.law.e_n = e_n;
  contact.normal = normal;
  return contact;
}

struct RodMatrices {
  Matrix M, K;
};

// A free rod of `elements` equal linear elements; consistent or lumped mass.
inline RodMatrices make_rod(int elements, double length, double EA, double rhoA, bool lumped) {
  const int n = elements + 1;
  const double l = length / elements;
  RodMatrices rod{Matrix::Zero(n, n), Matrix::Zero(n, n)};
  for (int i = 0; i < elements; ++i) {
    const double m = rhoA * l, k = EA / l;
    rod.M(i, i) += lumped ? m / 2 : m / 3;
    rod.M(i + 1, i + 1) += lumped ? m / 2 : m / 3;
    rod.M(i, i + 1) += lumped ? 0 : m / 6;
    rod.M(i + 1, i) += lumped ? 0 : m / 6;
    rod.K(i, i) += k;
    rod.K(i + 1, i + 1) += k;
    rod.K(i, i + 1) -= k;
    rod.K(i + 1, i) -= k;
  }
  return rod;
}

}  // namespace clack::test
