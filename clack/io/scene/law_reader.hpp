// The laws of a contact or of a pair of materials: `normal:`, `friction:`, `cohesion:`, `link:`.
#pragma once

#include "clack/io/scene/vocabulary.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {

// The keys that read_own_law reads, to be allowed beside others.
inline constexpr std::string_view kLawKeys[] = {"normal", "friction", "cohesion", "link"};

// A friction coefficient >= 0: a number, or a formula of `slip`. `what` it is in a complaint.
FrictionCoefficient read_coefficient(const Field& field, Vocabulary& vocabulary);

// The law that these keys make together with the plain numbers where they leave a part out; null
// where none of them is given, and where they say Newton and Coulomb by name: then `plain` gets the
// numbers. Each is a name, or a map with `law` and the law's parameters.
LawPtr read_own_law(const Field& field, Vocabulary& vocabulary, ContactLaw& plain);

}  // namespace clack
