// The Delassus operator W = H' M_hat^-1 H, [1/kg], behind one interface.
#pragma once

#include <cassert>
#include <span>

#include "clack/core/components.hpp"
#include "clack/core/types.hpp"

namespace clack {

// A square operator of `size` rows. Solvers see only this; what is stored is the subclass's affair.
class Delassus {
 public:
  virtual ~Delassus() = default;
  virtual int size() const = 0;
  // y = W x; x and y must not overlap.
  virtual void multiply(const double* x, double* y) const = 0;
  // y[0..dim) = rows [begin, begin + dim) of W x.
  virtual void multiply_rows(int begin, int dim, const double* x, double* y) const = 0;
  // The diagonal block of rows and columns [begin, begin + dim), by columns.
  virtual void diagonal_block(int begin, int dim, double* block) const = 0;
  // Joins the contacts that W couples; contact c has the rows [offset[c], offset[c + 1]).
  virtual void couple(std::span<const int> offset, Components& contacts) const = 0;
};

// A dense W, by columns, owned by somebody else.
class DenseDelassus final : public Delassus {
 public:
  DenseDelassus() = default;
  DenseDelassus(const double* data, int size) : data_(data), size_(size) {
    assert(size >= 0 && (data != nullptr || size == 0));
  }

  int size() const override { return size_; }
  void multiply(const double* x, double* y) const override;
  void multiply_rows(int begin, int dim, const double* x, double* y) const override;
  void diagonal_block(int begin, int dim, double* block) const override;
  void couple(std::span<const int> offset, Components& contacts) const override;
  ConstMatrixMap matrix() const { return {data_, size_, size_}; }

 private:
  const double* data_ = nullptr;
  int size_ = 0;
};

}  // namespace clack
