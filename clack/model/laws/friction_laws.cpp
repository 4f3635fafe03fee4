// The laws of friction.
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

LawPtr make_coulomb(const LawValues& values) {
  return std::make_shared<CoulombFriction>(values.coefficient("mu"));
}

}  // namespace

std::vector<LawInfo> friction_laws() {
  return {
      {LawKind::friction, "coulomb",
       "dry friction; the coefficient may be a formula of the slip at the start of the step",
       "Coulomb (1785)",
       {{"mu", "-", "coefficient of friction", 0, 0, Law::kNever, false,
         LawParameter::Kind::coefficient}},
       make_coulomb},
  };
}

}  // namespace clack
