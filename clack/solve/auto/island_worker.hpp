// Solves one island after the other; the work itself is compiled for several instruction sets.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "clack/core/cone.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/residual.hpp"

namespace clack {

// Squares of both natural maps in unscaled units, and of the norms that they are divided by; of the
// velocities the largest error (eq:velocity_error) and the largest load lambda_i |r_i|.
struct IslandError {
  double plain = 0, scaled = 0;
  double velocity = 0, load = 0;  // [m^2/s^2]
  double r = 0, u = 0;
};

// What the squares of an island may be.
struct IslandTarget {
  double plain = HUGE_VAL, scaled = HUGE_VAL;
  double velocity = HUGE_VAL;  // [m/s], no square
  double free = 0;             // largest free velocity of the island [m/s]

  // How far an error is from the target: <= 1 when all measures hold.
  double excess(const IslandError& error) const {
    const double maps = std::sqrt(std::max(error.plain / plain, error.scaled / scaled));
    const double floor = round_off_velocity(std::sqrt(error.load), free);
    const double own = (std::sqrt(error.velocity) - floor) / velocity;
    return own > maps || std::isnan(own) ? own : maps;
  }
};

// What was done for an island, for the report.
struct IslandEffort {
  int sweeps = 0;
  int newton_steps = 0;
  int restarts = 0;
  double error = 0;        // over the target; <= 1 is solved
  bool too_large = false;  // the size guard kept Newton away
  bool interior = false;   // Newton's method began again from interior points
};

struct IslandLimits {
  bool warm = false;              // the start is close: Newton's method may begin at once
  int max_sweeps = 2000;          // of the first phase, where Newton is not allowed
  double max_flops = 2e10;        // multiply-adds of one factorisation
  std::function<bool()> expired;  // asks the clock
};

class IslandWorker {
 public:
  virtual ~IslandWorker() = default;

  // Copies the contacts of an island; `local` is room for a number a contact of W.
  virtual void load(const BlockSparse& W, std::span<const Cone> cones, const double* u_free,
                    const double* r, std::span<const int> contacts, std::vector<int>& local) = 0;
  virtual void store(const BlockSparse& W, double* r) const = 0;
  virtual void sweep_once() = 0;
  virtual IslandError error() const = 0;
  // Iterates until all measures are below the target, or progress ends.
  virtual IslandEffort solve(const IslandTarget& target, const IslandLimits& limits) = 0;
  // The same from other starts and with other parameters.
  virtual IslandEffort restart(const IslandTarget& target, const IslandLimits& limits) = 0;
};

// For cones of at most `dim` rows, with the widest vectors that this machine has.
std::unique_ptr<IslandWorker> make_island_worker(int dim);

// The name of the instruction set in use, for reports.
const char* vector_target();

}  // namespace clack
