// The laws of a system's contacts on top of its one-step problem: each contact's law turns its rows
// into blocks (eq:law_blocks), and what the blocks carry becomes impulses of the rows again.
#pragma once

#include <span>
#include <vector>

#include "clack/collide/detection.hpp"
#include "clack/model/laws/law.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/reduced_problem.hpp"
#include "clack/problem/residual.hpp"

namespace clack {

// The rows that laws stand on: u = W r + u_free, W dense by columns or sparse.
struct ContactRowsView {
  std::span<const int> contacts;  // active ones
  std::span<const int> begin;     // first row of each, then the number of rows
  const double* W;
  const SparseMatrix* sparse_W;  // null where W is dense
  const double* u_free;

  int size() const { return begin.back(); }
};

// When a problem is stated: of a step from t to t + h that moves positions with this weight on u+.
struct StepInterval {
  double t, h, end_weight;
};

class ContactLaws {
 public:
  explicit ContactLaws(const ContactSet& contacts);
  // The contacts of a step; what laws remember goes over to those that go on.
  void bind(const ContactSet& contacts);

  // Where no contact can have a law of its own there is nothing to do here.
  bool empty() const { return empty_; }

  // Up to which gaps the laws act, for select_active.
  void set_reach(Detection& detection) const;
  // Up to which gap the law of a contact acts, as it remembers now; -kNever without one [m].
  double reach(int contact) const;
  // Takes what is known at the start of a step, `impulses` by row of the step before; the statement
  // itself is made by state().
  void begin_step(const ContactSet& contacts, const Detection& detection, const Vector& gap,
                  const Vector& impulses, const StepInterval& interval);
  // All laws answer; then the problem of their blocks is built on the rows.
  void state(const ContactRowsView& rows, int stage, int pass);
  // The problem stated last, and its unknowns; the start of the solve is what is known of them.
  ReducedProblem view() const;
  std::vector<double>& y() { return y_; }
  double* x() { return x_.data(); }
  std::vector<BlockOwner> owners() const;  // of its cones
  // After a solve: impulses and velocities of the rows, of which the laws take note.
  void take_solution(const ContactRowsView& rows, double* r, double* u);
  // Of rows N and T of contacts whose laws depend on the solution, by the last one.
  void velocities(std::vector<double>& values) const;
  void end_stage();

  int stages() const { return stages_; }
  bool iterate() const { return iterate_; }

  // At the end of a step the laws bring their memories up to date.
  void update(const Detection& detection, const Vector& r, const Vector& u_end);

  // Of all contacts, in their order, one after the other.
  const std::vector<double>& memory() const { return memory_; }
  void set_memory(std::vector<double> memory) { memory_ = std::move(memory); }
  // Of one contact; none where it has no law of its own.
  std::span<const double> memory(int contact) const;
  std::vector<LawVariable> variables(int contact) const;
  // The part of an impulse that bonds carry, by rows of the system.
  const Vector& bond_impulses() const { return bond_; }

 private:
  struct ContactState {
    LawPtr law;
    std::size_t memory_begin = 0, memory_size = 0;
    bool bilateral = false;
    ContactSituation situation;
    LawStatement statement;
    std::vector<double> y;   // of the blocks solved last: the start of the next solve
    LawStatement solved;     // what they were
    ContactValues before{};  // impulses of the step before
    int row_begin = 0;       // in the system
  };
  struct BlockRow {
    int contact;  // position in the list of active ones
    const ContactValues* map;
    double offset, compliance;
    bool bond;
  };

  std::span<double> memory_of(const ContactState& state);
  void collect_blocks(const ContactRowsView& rows);
  void set_free_velocities(const ContactRowsView& rows, int stage);
  void build_operator(const ContactRowsView& rows);
  void build_dense(const ContactRowsView& rows);
  void build_sparse(const ContactRowsView& rows);
  double standing_scale(std::size_t block, double others, double own) const;
  void scale_standing_rows();

  bool empty_;
  std::vector<ContactState> states_;  // one per contact of the system
  std::vector<double> memory_;
  int stages_ = 1;
  bool iterate_ = false;
  std::vector<int> active_;
  std::vector<BlockRow> block_rows_;
  std::vector<Cone> cones_;
  std::vector<int> offset_;
  std::vector<double> rows_free_;  // velocities of the rows without impulses, of the stage
  std::vector<double> shift_, shifted_, W_, half_, u_free_, y_, x_;
  Vector bond_;
  DenseDelassus operator_;
  BlockSparse block_operator_;
  bool sparse_;
};

}  // namespace clack
