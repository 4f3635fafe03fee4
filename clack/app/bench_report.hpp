// What `clack bench` leaves: tables on the terminal, bench.csv, the performance profiles.
#pragma once

#include <filesystem>

#include "clack/app/bench_table.hpp"

namespace clack::app {

void print_tables(const BenchTable& table);
void print_counts(const BenchTable& table);
// Clack against Siconos: `auto` against its PROX and against its best, sweep against sweep.
void print_peer_summary(const BenchTable& table);

// bench.csv, one row a case that was tried, and profile_TOL.svg, one a tolerance. Throws IoError.
void write_csv(const BenchTable& table, const std::filesystem::path& folder);
void write_profiles(const BenchTable& table, const std::filesystem::path& folder);

}  // namespace clack::app
