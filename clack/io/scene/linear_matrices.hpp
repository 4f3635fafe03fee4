// Matrices of linear systems in a scene: as rows, or from a file.
#pragma once

#include <optional>

#include "clack/core/system_matrix.hpp"
#include "clack/io/scene/vocabulary.hpp"

namespace clack {

// Whether a value is `{file: NAME}`.
bool is_matrix_file(const Field& field);
// The matrix of `{file: NAME}`: a Matrix Market file beside the scene, or numbers of the program
// that reads the scene, under that name. < 0: any size. Complains and returns nothing where it is
// wrong.
std::optional<SparseMatrix> read_matrix_file(const Field& field, const Vocabulary& vocabulary,
                                             int rows, int columns);
// The same, or a list of rows.
std::optional<SparseMatrix> read_sparse_matrix(const Field& field, Vocabulary& vocabulary, int rows,
                                               int columns);
// Complains and returns false where a mass matrix is not symmetric or has a negative eigenvalue.
// Whether a singular one will do is for the scheme to say.
bool check_mass_matrix(const Field& field, const Matrix& M);
bool check_mass_matrix(const Field& field, const SparseMatrix& M);

}  // namespace clack
