// Matrices of Siconos text files, in its three storages.
#pragma once

#include <string>

#include "clack/io/problems/token_reader.hpp"
#include "clack/problem/block_sparse.hpp"

namespace clack {

// What a matrix must be, known before it is read; -1: given by the file.
struct ExpectedShape {
  std::int64_t rows = -1;
  std::int64_t cols = -1;
  std::string reason = {};  // why it must have them, for the message
};

// Reads storage kind, rows, columns, then
//   0 dense     rows and columns once more, all entries by columns
//   1 blocks    number of blocks, block rows, block columns; row ends; column ends; length of the
//               row pointer and of the column list; both; then each block's number and entries by
//               columns
//   2 sparse    origin (1 triplets, 2 columns, 3 rows) and what CSparse prints
// `name` is for messages. With shape -1 the rows are bounded by the size of the file, since a
// vector of as many values must follow; the columns then are as many.
SparseMatrix read_dat_matrix(TokenReader& reader, std::string_view name, ExpectedShape shape);

}  // namespace clack
