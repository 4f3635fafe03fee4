// The reduced one-step problem of the active contacts: W = H' M_hat^-1 H, u_free, cones.
#pragma once

#include <span>
#include <vector>

#include "clack/assemble/contact_laws.hpp"
#include "clack/assemble/iteration_matrix.hpp"
#include "clack/assemble/matrix_rows.hpp"
#include "clack/collide/detection.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/reduced_problem.hpp"

namespace clack {

// Which part of a contact's law a problem states.
struct ContactRows {
  bool restitution = true;  // on u+ + E u-; else on the rows as they are
  bool friction = true;     // with the tangential rows; else the normal ones alone
};

// How a problem takes a contact: by its law, as if bilateral, or with its normal row alone.
enum ContactUse : char { kByLaw, kHeld, kNormalOnly };

// When a problem is stated: of a step from t to t + h that moves positions with this weight on u+.
struct StepInterval {
  double t, h, end_weight;
};

class ContactProblem {
 public:
  explicit ContactProblem(const ContactSet& contacts);
  // Another list of contacts; memories of laws go over.
  void resize(const ContactSet& contacts);

  // u_free = H'v_free + w_next + E u_start, so that the law holds for u+ + E u- (eq:impact), with
  // E = diag(e_n, e_t, e_t). `use` has one ContactUse per contact; empty: all by law.
  void build(const ContactSet& contacts, const Detection& detection, IterationMatrix& M_hat,
             ConstVectorRef v_free, ConstVectorRef w_next, const ContactRows& kind = {},
             std::span<const char> use = {});
  // The problem that is solved: of the rows, or of the blocks of the contacts' own laws.
  ReducedProblem view() const { return laws.empty() ? row_problem() : law_rows.view(); }
  ReducedProblem row_problem() const;
  int size() const { return size_; }
  int contacts() const { return static_cast<int>(cones_.size()); }
  // Model row of each row of the problem.
  const std::vector<int>& rows() const { return rows_; }

  // v = v_free + M_hat^-1 H r.
  void apply_impulses(const Detection& detection, IterationMatrix& M_hat, const double* r,
                      VectorRef v) const;

  // Takes what the laws are told at the start of a step, `impulses` by row of the step before.
  void begin_laws(const ContactSet& contacts, const Detection& detection, const Vector& gap,
                  const Vector& impulses, const StepInterval& interval);
  // The laws state their blocks on the rows as built last.
  void set_law_rows();
  // At the end of a step, of which impulses and velocities of all rows are known.
  void update_laws(const Detection& detection, const Vector& all_r, const Vector& all_u);

  std::vector<double> r, u;  // impulses and the law's velocities u+ + E u-, of the active rows
  ContactLaws laws;          // where contacts have laws of their own, u is u+
  MatrixRows law_rows;

 private:
  void collect_rows(const ContactSet& contacts, const Detection& detection, const ContactRows& kind,
                    std::span<const char> use);
  void add_recovery(const Detection& detection);
  void build_dense(const Detection& detection, IterationMatrix& M_hat);
  void build_sparse(const Detection& detection, IterationMatrix& M_hat);

  int size_ = 0;
  std::vector<int> rows_, offset_;
  std::vector<Cone> cones_;
  std::vector<double> W_, u_free_, restitution_;
  std::vector<int> W_rows_;  // of which W_ is, by the matrix of that revision
  long W_revision_ = 0;
  DenseDelassus operator_;
  // Of a sparse M_hat: W by blocks of contacts.
  bool sparse_;
  SparseMatrix sparse_W_;
  BlockSparse block_operator_;
};

}  // namespace clack
