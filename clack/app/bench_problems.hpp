// The problem files of `clack bench`.
#pragma once

#include <string>
#include <vector>

#include "clack/app/bench_table.hpp"
#include "clack/problem/problem_data.hpp"

namespace clack::app {

// Files as they are named, folders by all .dat, .hdf5 and .h5 files below them, sorted. Every file
// is read once. Throws InputError that lists all files that cannot be read, and every folder that
// holds none.
std::vector<BenchProblem> find_problems(const std::vector<std::string>& paths);

// In reduced form, whatever the file holds.
ProblemData load_reduced(const std::string& path);

}  // namespace clack::app
