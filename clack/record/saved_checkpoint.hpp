// A checkpoint as numbers of a results file, from which a run goes on with the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clack/integrate/simulation.hpp"
#include "clack/io/results/results_reader.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

// Throws InputError where a run of the scene cannot be taken up, with the reason.
void refuse_restart(const Scene& scene);

// All but the state, which is a row of the file, and what the scheme keeps beside (Scheme::save).
void save_checkpoint(const Simulation& simulation, std::vector<double>& numbers);
// The checkpoint of the file's last row. Throws InputError where the numbers are those of another
// scene.
Checkpoint load_checkpoint(const Scene& scene, const ResultsReader& file,
                           std::span<const double>& numbers);

// Takes a number from the front.
double take(std::span<const double>& numbers);
// A feature of a contact as two numbers: a double holds 53 bits.
void save_feature(std::uint64_t feature, std::vector<double>& numbers);
std::uint64_t take_feature(std::span<const double>& numbers);

}  // namespace clack
