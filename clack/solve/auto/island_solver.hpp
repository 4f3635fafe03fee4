// Solves one island: accelerated Gauss-Seidel first, then proximal Newton with a multifrontal LU.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "clack/solve/auto/front_solver.hpp"
#include "clack/solve/auto/island.hpp"

namespace clack {

// What was done for an island, for the report.
struct IslandEffort {
  int sweeps = 0;
  int newton_steps = 0;
  int restarts = 0;
  double error = 0;  // over the target; <= 1 is solved
  bool factorised = false;
  bool too_large = false;  // the size guard kept Newton away
};

struct IslandLimits {
  int max_sweeps = 2000;           // of the first phase, where Newton is not allowed
  double max_flops = 2e10;         // multiply-adds of one factorisation
  std::function<bool()> expired;   // asks the clock
};

template <int D>
class IslandSolver {
 public:
  Island<D> island;

  // Iterates until both measures are below the target (squares), or no method helps any more.
  IslandEffort solve(const IslandError& target, const IslandLimits& limits);

 private:
  struct Settings {
    double rho = 1.0;
    double alpha_factor = 0.3;
    int inner_steps = 8;
    int max_steps = 300;
  };

  // Sweeps with Anderson acceleration; true when the target is reached.
  bool sweep_phase(const IslandError& target, int max_sweeps, bool may_leave, const IslandLimits& limits);
  void anderson_step();
  bool newton_phase(const IslandError& target, const Settings& settings, const IslandLimits& limits);
  bool proximal_step(double& alpha, const Settings& settings, int since_failure);
  double map_norm(double alpha, double rho) const;
  void linearise(double alpha, double rho);
  void linearise_contact(int a, double alpha, double rho);
  bool newton_step(double alpha, double rho);
  bool reached(const IslandError& target);
  void remember_best();
  void ladder(const IslandError& target, const IslandLimits& limits);

  FrontSolver<D> fronts_;
  IslandEffort effort_;
  double error_ = 0;                        // of the current r, over the target
  double best_error_ = 0;
  std::vector<double> best_r_;
  std::vector<double> centre_, saved_, dr_, rhs_;
  std::vector<double> T_, S_;               // D x D by rows a contact
  std::vector<char> active_;

  static constexpr int kMemory = 5;         // of Anderson's acceleration
  std::vector<double> image_, residual_, last_image_, last_residual_;
  std::array<std::vector<double>, kMemory> d_image_, d_residual_;
  int stored_ = 0, slot_ = 0;
};

}  // namespace clack
