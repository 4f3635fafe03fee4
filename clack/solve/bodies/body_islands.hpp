// Islands of a body problem: contacts joined through bodies that move.
#pragma once

#include <vector>

#include "clack/problem/body_problem.hpp"

namespace clack {

// The contacts of each island, both in the order of the problem. Contacts between driven bodies are
// in none.
std::vector<std::vector<int>> find_islands(const BodyProblem& problem);

}  // namespace clack
