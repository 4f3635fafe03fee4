// Anderson acceleration of a fixed point s = F(s), type II (eq:anderson_outer):
//
//     f_k = F(s_k) - s_k,   gamma = argmin |f_k - dF gamma|,   s_{k+1} = F(s_k) - (dS + dF) gamma
//
// with dF, dS the differences of the last f and s. It is a multisecant quasi-Newton method on
// F(s) - s = 0. Memory is cleared when |f| grows by more than a factor: what it holds then belongs
// to other contacts that stick or slide. Steps with |gamma| > 1e4 are not accelerated. Sums have a
// fixed order: the same bits on any number of threads.
// Reference: Walker, Ni (2011).
#pragma once

#include <deque>

#include "clack/core/types.hpp"

namespace clack {

class Anderson {
 public:
  explicit Anderson(int memory = 5, double growth = 2) : memory_(memory), growth_(growth) {}
  void clear();
  // The next s from s and F(s). With memory 0 it is F(s).
  Vector next(const Vector& s, const Vector& image);

 private:
  void extend_products();

  int memory_;
  double growth_;
  double last_norm_ = 0;
  Vector last_f_, last_image_;
  std::deque<Vector> f_steps_, image_steps_;
  Matrix products_;  // dF' dF
};

}  // namespace clack
