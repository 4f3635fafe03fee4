#include "clack/solve/bodies/body_islands.hpp"

#include "clack/core/components.hpp"

namespace clack {

std::vector<std::vector<int>> find_islands(const BodyProblem& problem) {
  const auto moves = [&](int body) {
    return body >= 0 && problem.bodies[static_cast<std::size_t>(body)].inverse_mass > 0;
  };
  Components bodies;
  bodies.reset(problem.bodies.size());
  for (const BodyContact& contact : problem.contacts) {
    if (moves(contact.a) && moves(contact.b)) bodies.join(contact.a, contact.b);
  }
  std::vector<std::vector<int>> islands;
  std::vector<int> number(problem.bodies.size(), -1);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const BodyContact& contact = problem.contacts[k];
    if (!moves(contact.a) && !moves(contact.b)) continue;
    int& island =
        number[static_cast<std::size_t>(bodies.find(moves(contact.b) ? contact.b : contact.a))];
    if (island < 0) {
      island = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    islands[static_cast<std::size_t>(island)].push_back(static_cast<int>(k));
  }
  return islands;
}

}  // namespace clack
