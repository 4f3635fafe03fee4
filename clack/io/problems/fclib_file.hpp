// FCLIB's HDF5 files.
#pragma once

#include <optional>
#include <string>

#include "clack/io/problems/problem_file.hpp"

namespace clack {

// Whether the file has HDF5's signature, at its start or behind a user block.
bool is_hdf5_file(const std::string& path);

// The file exists and has HDF5's signature. Throws InputError.
ProblemData read_fclib(const std::string& path);
std::optional<ProblemSolution> read_fclib_solution(const std::string& path,
                                                   const ProblemData& problem);

// Overwrites the file. `solution` may be null; where it is given, all its vectors have the
// problem's sizes. Throws IoError.
void write_fclib(const std::string& path, const ProblemData& problem,
                 const ProblemSolution* solution);

}  // namespace clack
