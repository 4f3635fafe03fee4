// What a sweep leaves behind: sweep.csv and sweep.h5 (one row a run), section.csv, attractors.csv
// and pictures. Everything follows from the rows alone, in the order of the runs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "clack/record/sweep.hpp"

namespace clack {

struct SweepResult {
  std::vector<SweepRow> rows;  // one a run; those that are missing have the status not_run
  std::vector<AttractorList::Attractor> attractors;
  std::vector<std::string> files;     // that were written, by name
  std::vector<std::string> pictures;  // of them
  long failed = 0, missing = 0;
};

// Puts the rows in order and finds the attractors.
SweepResult gather_sweep(const Sweep& sweep, std::map<int, SweepRow> rows);

// Writes all files into the folder and names them in the result. Throws IoError.
void write_sweep(const std::filesystem::path& folder, const Sweep& sweep, SweepResult& result);

}  // namespace clack
