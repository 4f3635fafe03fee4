// The laws of unilateral contact and impact.
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

LawPtr make_newton(const LawValues& values) {
  return std::make_shared<NewtonImpact>(values.number("e_n"), values.number("e_t"));
}

}  // namespace

std::vector<LawInfo> normal_laws() {
  return {
      {LawKind::normal, "newton",
       "Signorini's condition on velocities, restitution of the normal and tangential velocity",
       "Moreau (1988)",
       {{"e_n", "-", "normal restitution", 0, 0, 1},
        {"e_t", "-", "tangential restitution", 0, -1, 1, true}},
       make_newton},
  };
}

}  // namespace clack
