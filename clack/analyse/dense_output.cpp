#include "clack/analyse/dense_output.hpp"

#include <cmath>

namespace clack {
namespace {

State cubic_at(const State& a, const State& b, double s) {
  const double h = b.t - a.t;
  const Vector rise = (b.q - a.q) / h;
  State state;
  state.t = a.t + s * h;
  // Newton's form: q = qa + sh va + s^2 h (rise - va) + s^2 (s - 1) h (va + vb - 2 rise).
  const Vector bend = rise - a.v, twist = a.v + b.v - 2 * rise;
  state.q = a.q + h * (s * a.v + s * s * (bend + (s - 1) * twist));
  state.v = a.v + 2 * s * bend + s * (3 * s - 2) * twist;
  return state;
}

}  // namespace

std::vector<State> dense_between(const State& a, const State& b) {
  constexpr int kFinest = 20;
  std::vector<State> states;
  if (a.q.size() == a.v.size() && b.t > a.t) {
    for (int j = kFinest; j >= 1; --j) states.push_back(cubic_at(a, b, std::ldexp(1.0, -j)));
    for (int j = 2; j <= kFinest; ++j) states.push_back(cubic_at(a, b, 1 - std::ldexp(1.0, -j)));
  }
  states.push_back(b);
  return states;
}

}  // namespace clack
