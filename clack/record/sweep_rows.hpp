// Rows of a sweep as lines of JSON: what runs leave behind while the others go on, on any number of
// processes and machines. Each line stands by itself; one that is torn by a kill is no row. Numbers
// come back with the same bits.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "clack/record/sweep.hpp"

namespace clack {

std::string row_line(const SweepRow& row);
std::optional<SweepRow> read_row(const std::string& line);

// Appends the row to a file and hands it to the system before it returns. Throws IoError.
void append_row(const std::filesystem::path& file, const SweepRow& row);

// All rows of the files DIR/*.jsonl by run; of a run that is there twice the first one.
std::map<int, SweepRow> read_rows(const std::filesystem::path& folder);

}  // namespace clack
