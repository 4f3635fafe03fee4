// Rows of contacts with a matrix: u = W r + u_free, W dense by columns or sparse.
#pragma once

#include <span>
#include <vector>

#include "clack/assemble/law_rows.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/delassus.hpp"

namespace clack {

struct RowMatrixView {
  std::span<const int> begin;  // first row of each stated contact, then the number of rows
  const double* W;
  const SparseMatrix* sparse_W;  // null where W is dense
  const double* u_free;
  double *r, *u;  // of the rows: receive the solution

  int size() const { return begin.back(); }
};

class MatrixRows final : public LawRows {
 public:
  // The rows of the next problem; what is seen must stay until it is solved.
  void set(const RowMatrixView& rows) { rows_ = rows; }

  void build(std::span<const StatedContact> stated, bool impacts) override;
  ReducedProblem view() override { return static_cast<const MatrixRows&>(*this).view(); }
  ReducedProblem view() const;
  void set_velocities(std::span<StatedContact> stated) override;

 private:
  struct BlockRow {
    int contact;  // position among those stated
    const ContactValues* map;
    double offset, compliance;
  };
  void collect_blocks(std::span<const StatedContact> stated);
  void set_free_velocities(std::span<const StatedContact> stated, bool impacts);
  void build_dense();
  void build_sparse();
  template <class Diagonal>
  void scale_standing_rows(Diagonal&& diagonal);

  RowMatrixView rows_{};
  std::vector<BlockRow> block_rows_;
  std::vector<const LawBlock*> blocks_;
  std::vector<Cone> cones_;
  std::vector<int> offset_{0};
  std::vector<double> rows_free_;  // velocities of the rows without impulses
  std::vector<double> shift_, shifted_, W_, half_, u_free_;
  DenseDelassus operator_;
  BlockSparse block_operator_;
};

}  // namespace clack
