// Siconos (Debian: python3-siconos) as a peer to compare with, through bench/siconos_peer.py.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clack/app/bench_table.hpp"
#include "clack/problem/problem_data.hpp"

namespace clack::app {

// How a case is to be solved.
struct CaseLimits {
  double tolerance;
  double time_limit;  // [s]
  int repeat;
};

class SiconosPeer {
 public:
  // Writes the script to `folder` and asks it for its solvers. Throws InputError where no Python
  // has the package.
  explicit SiconosPeer(const std::string& folder);

  // Names for problems of contacts of this dimension.
  const std::vector<std::string>& solvers(int dim) const;
  // All names, each once, or those asked for. Throws InputError for an unknown one.
  std::vector<std::string> choose(const std::vector<std::string>& names) const;
  bool has(const std::string& name, int dim) const;

  // The problem, in reduced form, as text that its solvers accept. Throws IoError.
  void write(const ProblemData& problem, const std::string& path) const;

  // Solves the problem, which lies at `dat` as well, and judges r. `out` is a path for scratch
  // files. To be called in a child of its own.
  CaseResult solve(const ProblemData& problem, const std::string& dat, const std::string& solver,
                   const CaseLimits& limits, const std::string& out) const;

 private:
  std::string python_, script_;
  std::map<int, std::vector<std::string>> solvers_;  // by dimension
};

}  // namespace clack::app
