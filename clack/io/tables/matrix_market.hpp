// Sparse matrices as text: the Matrix Market exchange format.
#pragma once

#include <string>

#include "clack/core/system_matrix.hpp"
#include "clack/io/tables/table_reader.hpp"

namespace clack {

// A file with the heading `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`: FORMAT `coordinate` (entries
// `row column value` from 1, each given once) or `array` (all values, column by column), FIELD `real`
// or `integer`, SYMMETRY `general` or `symmetric` (one triangle, coordinate only). Throws IoError if
// the file cannot be read, InputError with file:line where it is no such matrix.
SparseMatrix read_matrix_market(const std::string& path);

// The same from numbers: three columns, in the first row `rows columns entries`, then `row column
// value` from 1. `name` stands for the file in messages.
SparseMatrix to_sparse_matrix(const Table& table, const std::string& name);

}  // namespace clack
