// Taking up a results file where its run was broken off.
#pragma once

#include <memory>
#include <string>

#include "clack/io/results/results_reader.hpp"
#include "clack/io/results/results_writer.hpp"

namespace clack {

// A writer of `path` that starts with the rows of the file that is there, which stays whole until
// the copy is complete. The header must describe the same columns. Throws InputError for a file of
// another shape.
std::unique_ptr<ResultsWriter> resume_results(const std::string& path, const ResultsHeader& header,
                                              const ResultsReader& old);

}  // namespace clack
