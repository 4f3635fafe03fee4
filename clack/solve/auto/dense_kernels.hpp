// Dense kernels of the factorisation, dispatched at run time to the widest vectors of the machine.
#pragma once

#include <cstddef>

namespace clack {

// C -= A B, all by rows: C m x n with rows ldc apart, A m x k (lda), B k x n (ldb). Works in whole
// vectors: rows of B and C must have kVectorSlack more values than n, those of B zero.
inline constexpr int kVectorSlack = 8;
void subtract_product(double* C, std::ptrdiff_t ldc, const double* A, std::ptrdiff_t lda,
                      const double* B, std::ptrdiff_t ldb, int m, int n, int k);

// The name of the instruction set in use, for reports.
const char* vector_target();

}  // namespace clack
