// Problem files: FCLIB (HDF5) and Siconos (.dat text), read into and written from ProblemData.
//
// Reading decides by content, never by name. Understood are
//   FCLIB     local and global problems in two and three dimensions, also with equality
//             constraints (V, R, s and G, b: they become free cones after the contacts), and with
//             rolling friction; and Clack's own groups for any other mixture of cones
//   Siconos   local, global, rolling and global rolling friction problems, linear complementarity
//             problems and mixed ones; dense, block-sparse and sparse storage
//
// Bad content throws InputError with the file, the place, the value and what is allowed there; a
// file that cannot be opened throws IoError. Sizes are checked against the file before anything is
// allocated.
#pragma once

#include <optional>
#include <string>

#include "clack/problem/problem_data.hpp"

namespace clack {

// A solution as an FCLIB file stores it beside its problem.
struct ProblemSolution {
  Vector r;  // m [N s]
  Vector u;  // m [m/s]
  Vector v;  // nv [m/s], global form only
};

ProblemData read_problem(const std::string& path);

// The solution stored in an FCLIB file, if there is one. `problem` is what read_problem made of
// the same file. FCLIB's collections store zeros where none is known.
std::optional<ProblemSolution> read_solution(const std::string& path, const ProblemData& problem);

// By extension: .hdf5 and .h5 give FCLIB, .dat gives Siconos text with 17 digits; both read back
// the same values. A mixture of cones that FCLIB has no place for goes to Clack's own groups,
// which libfclib refuses instead of misreading; Siconos text cannot hold one (InputError).
// A solution is stored in FCLIB files only; where a global problem's v is left empty it is
// computed from r. The file appears complete or not at all.
void write_problem(const std::string& path, const ProblemData& problem,
                   const ProblemSolution* solution = nullptr);

}  // namespace clack
