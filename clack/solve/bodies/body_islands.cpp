#include "clack/solve/bodies/body_islands.hpp"

#include <numeric>

namespace clack {
namespace {

// Union-find with halving of paths.
int find_root(std::vector<int>& parent, int body) {
  auto at = static_cast<std::size_t>(body);
  while (parent[at] != static_cast<int>(at)) {
    parent[at] = parent[static_cast<std::size_t>(parent[at])];
    at = static_cast<std::size_t>(parent[at]);
  }
  return static_cast<int>(at);
}

}  // namespace

std::vector<std::vector<int>> find_islands(const BodyProblem& problem) {
  const auto moves = [&](int body) {
    return body >= 0 && problem.bodies[static_cast<std::size_t>(body)].inverse_mass > 0;
  };
  std::vector<int> parent(problem.bodies.size()), number(problem.bodies.size(), -1);
  std::iota(parent.begin(), parent.end(), 0);
  for (const BodyContact& contact : problem.contacts) {
    if (!moves(contact.a) || !moves(contact.b)) continue;
    parent[static_cast<std::size_t>(find_root(parent, contact.a))] = find_root(parent, contact.b);
  }
  std::vector<std::vector<int>> islands;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const BodyContact& contact = problem.contacts[k];
    if (!moves(contact.a) && !moves(contact.b)) continue;
    int& island = number[static_cast<std::size_t>(
        find_root(parent, moves(contact.b) ? contact.b : contact.a))];
    if (island < 0) {
      island = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    islands[static_cast<std::size_t>(island)].push_back(static_cast<int>(k));
  }
  return islands;
}

}  // namespace clack
