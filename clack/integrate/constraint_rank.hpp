// How many constraints of a mechanism with loops are independent, while it moves (eq:constraint_rank).
//
// The pivots d_i of S = G'M^-1 G, scaled to a unit diagonal, are the squares of the sines under which
// rows stand on those before. One below kLost has lost its row; it is taken for independent again
// above kFound. Between two steps a mechanism can pass a position where rows depend on each other, as
// a four-bar that is flat: the roots of d_i fall and rise along straight lines that meet in zero.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clack/integrate/constraint_matrix.hpp"

namespace clack {

class ConstraintRank {
 public:
  static constexpr double kLost = 1e-9, kFound = 1e-8;
  static constexpr int kMostRows = 200;

  ConstraintRank(const System& system, const State& start);

  // Whether its rank can change at all: there are loops, and not too many rows.
  static bool may_change(const System& system);

  struct Change {
    double t = 0;  // [s]
    int before = 0, rank = 0;
    bool passes = false;  // the rank comes back within the step
  };
  // The state at the end of a step.
  void add(double t, ConstVectorRef q);

  int rows() const { return rows_.count(); }
  int rank() const { return rank_; }  // at the last state
  int least() const { return least_; }
  long changes() const { return changes_; }  // so far; that a rank comes back is none
  const Change& first() const { return first_; }

  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);

 private:
  struct Sample {
    double t = 0;
    Vector sines;
  };
  Vector sines(double t, ConstVectorRef q);
  void note(const Change& change);
  bool passes(int row, double& t) const;

  ConstraintMatrix rows_;
  std::array<Sample, 4> samples_;  // the last ones, oldest first
  int count_ = 0;                  // of them
  std::vector<char> lost_;
  int rank_ = 0, least_ = 0;
  long changes_ = 0;
  Change first_;
};

}  // namespace clack
