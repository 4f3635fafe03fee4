// What a user should know of a scene or of a run that is no error: one sentence each, with the
// remedy.
#pragma once

#include <string>
#include <vector>

#include "clack/record/recorder.hpp"

namespace clack {

// Of the start: bodies that overlap, contacts that are violated, a step longer than the run.
std::vector<std::string> start_remarks(const Scene& scene);

// Those and what happened: near misses, links that drift, bodies that are lost, energy from
// nowhere.
std::vector<std::string> run_remarks(const Scene& scene, const Run& run, const Recorder& recorder);

constexpr double kDriftLimit = 1e-3;  // of a link, over the size of the smaller body

}  // namespace clack
