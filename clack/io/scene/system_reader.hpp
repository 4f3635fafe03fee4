// The `system:` part of a scene.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clack/io/scene/vocabulary.hpp"
#include "clack/model/system.hpp"

namespace clack {

struct NamedSystem {
  std::shared_ptr<const System> system;  // null if something was wrong
  std::vector<std::string> q_names, v_names;
  formula::Expr t = formula::kNone;
  std::vector<formula::Expr> q, v;  // variables of the vocabulary's graph
};

NamedSystem read_system(const Field& field, Vocabulary& vocabulary);

// Parts that both kinds of system share.
// Names of coordinates (default those given, else q1, q2, ...) and velocities (default x' for x) as
// variables of the vocabulary.
bool read_coordinates(const Field& field, Vocabulary& vocabulary, int count, NamedSystem& out,
                      const std::vector<std::string>& default_names = {});
// mu, e_n, e_t and the laws of a contact, whose tangential directions stand under `tangent_key`.
ContactLaw read_law(const Field& field, Vocabulary& vocabulary, const char* tangent_key);
// How many rows of relative rotation a contact may have; complains at `turn` and returns 0 where
// `turns` is another number.
int allowed_turns(const Field& turn, int tangents, int turns);
// `area:` of a contact, 1 where it is not given.
double read_area(const Field& field, Vocabulary& vocabulary);
// `name:` of a contact, a constraint or a measure, or a default with its number; complains where it
// is taken, since results and summaries go by name.
std::string read_name(const Field& field, Vocabulary& vocabulary, const char* kind,
                      std::size_t index);

// Potential, dissipation, forces, contacts and constraints as formulas of coordinates of others.
struct CouplingFormulas {
  std::shared_ptr<const System> system;  // null where nothing is coupled
  std::vector<int> coordinates;          // of those given, the ones that `system` has
  bool good = true;
};
// `potential` and `dissipation` are added to those of the field.
CouplingFormulas read_coupling(const Field& field, Vocabulary& vocabulary,
                               const NamedSystem& coordinates, formula::Expr potential,
                               formula::Expr dissipation);

NamedSystem read_linear(const Field& field, Vocabulary& vocabulary);
NamedSystem read_lagrangian(const Field& field, Vocabulary& vocabulary);

}  // namespace clack
