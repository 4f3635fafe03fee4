// Anderson's acceleration of a fixed-point iteration x <- G(x), with restarts (eq:anderson):
//
//     f = G(x) - x,    x+ = G(x) - dG gamma,    gamma = argmin |f - dF gamma|
//
// dF and dG are the last changes of f and of G(x). Where |f| grows by more than a factor the
// changes belong to other contacts that slide or stick: all are forgotten and the iteration goes on
// from G(x). Sums have a fixed order: the same bits on any number of threads. Walker, Ni (2011).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace clack {

class Anderson {
 public:
  Anderson(int memory, double growth) : memory_(memory), growth_(growth) {}

  void restart() { stored_ = -1; }
  // From x and its image G(x), n values each, to the next point, in place of x.
  void advance(const double* image, Eigen::Index n, double* x);

 private:
  void remember(Eigen::Ref<const Eigen::VectorXd> f, Eigen::Ref<const Eigen::VectorXd> g);
  bool fit(Eigen::Ref<const Eigen::VectorXd> f);

  int memory_;
  double growth_;
  int stored_ = -1;           // changes known; -1: not even a point
  int slot_ = 0;              // where the next change goes
  double size_ = 0;           // |f| of the last point
  Eigen::MatrixXd df_, dg_;   // n x memory
  Eigen::MatrixXd products_;  // dF'dF
  Eigen::VectorXd f_, g_, gamma_;
};

}  // namespace clack
