// The rows that the laws of contacts stand on, and the problem of the blocks that they state
// (eq:law_blocks). Where rows come from and how the operator of the blocks is formed is what kinds
// of rows differ in: those of a system have a matrix W, those of rigid bodies axes on two bodies.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "clack/model/laws/law.hpp"
#include "clack/problem/reduced_problem.hpp"
#include "clack/problem/residual.hpp"

namespace clack {

// A contact that takes part in a step: what its law knows and states, and what came of it.
struct StatedContact {
  int contact = 0;  // in the list of contacts
  const Law* law = nullptr;
  ContactSituation situation;
  ContactValues before{};  // impulses of the step before
  LawStatement statement;
  LawStatement solved;    // the one solved last
  std::vector<double> y;  // multipliers of the blocks, one block after the other
  ContactValues bond{};   // what bonds carry of the impulses

  std::size_t size() const {  // of y
    std::size_t rows = 0;
    for (int b = 0; b < statement.count; ++b)
      rows += static_cast<std::size_t>(statement.blocks[static_cast<std::size_t>(b)].dim);
    return rows;
  }
  double shift(std::size_t row) const { return statement.shift[row] + statement.carried[row]; }
};

class LawRows {
 public:
  virtual ~LawRows() = default;
  // Builds the problem of what is stated, which must stay until it is solved; y starts from what is
  // known. `impacts`: on the velocities of the start of the step, without its forces.
  virtual void build(std::span<const StatedContact> stated, bool impacts) = 0;
  virtual ReducedProblem view() = 0;
  // The yardstick for y; sets x.
  virtual Residual residual() { return compute_residual(view(), y.data(), x.data()); }
  // After a solve, when the impulses of the contacts are known: their velocities.
  virtual void set_velocities(std::span<StatedContact> stated) = 0;

  std::vector<double> y, x;        // unknowns of the problem
  std::vector<std::size_t> begin;  // first one of each stated contact
  std::vector<BlockOwner> owners;  // of the cones
};

// A row that belongs to no motion says c (y - s) = 0 for whatever c > 0: that of its block's other
// rows makes it count as much as they do, for light bodies and heavy ones. `others`: the largest
// W_ii of those; the factor of such a first row, 1 where the block has none.
inline double standing_scale(const LawBlock& block, double others) {
  const ContactValues& map = block.map[0];
  const bool stands = std::all_of(map.begin(), map.end(), [](double a) { return a == 0; });
  return stands && others > 0 && block.compliance[0] > 0 ? others / block.compliance[0] : 1;
}

}  // namespace clack
