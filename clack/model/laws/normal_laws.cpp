// The laws of unilateral contact and impact.
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/gap_laws.hpp"
#include "clack/model/laws/impact_laws.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

LawPtr make_newton(const LawValues& values) {
  return std::make_shared<NewtonImpact>(values.number("e_n"), values.number("e_t"));
}

LawPtr make_poisson(const LawValues& values) {
  return std::make_shared<PoissonImpact>(values.number("e_n"));
}

LawPtr make_fremond(const LawValues& values) {
  return std::make_shared<FremondImpact>(values.number("k_n"), values.number("k_t"),
                                         values.number("e_t"));
}

template <RigidContact::Level level>
LawPtr make_rigid(const LawValues& values) {
  return std::make_shared<RigidContact>(level, values.flag("remove_initial_gap"));
}

LawPtr make_compliant(const LawValues& values) {
  return std::make_shared<CompliantContact>(values.number("stiffness"), values.number("damping"),
                                            values.flag("remove_initial_gap"));
}

}  // namespace

std::vector<LawInfo> normal_laws() {
  const LawParameter tangential_restitution{"e_t", "-", "tangential restitution", 0, -1, 1, true};
  const LawParameter remove_initial_gap{
      "remove_initial_gap",    "-", "the gap of the first step counts as zero", 0, 0, 1, false,
      LawParameter::Kind::flag};
  return {
      {LawKind::normal,
       "newton",
       "Signorini's condition on velocities, restitution of the normal and tangential velocity",
       "Moreau (1988)",
       {{"e_n", "-", "normal restitution", 0, 0, 1}, tangential_restitution},
       make_newton},
      {LawKind::normal,
       "poisson",
       "compression without restitution, then expansion with at least e_n times its impulse",
       "Poisson (1838); Glocker, Pfeiffer (1995)",
       {{"e_n", "-", "restitution of the normal impulse", 0, 0, 1}},
       make_poisson},
      {LawKind::normal,
       "fremond",
       "impacts with percussions -k (u+ + u-)/2 against the mean velocity, beside Signorini's "
       "condition",
       "Fremond (1995)",
       {{"k_n", "kg", "coefficient of the normal percussion"},
        {"k_t", "kg", "coefficient of the tangential percussion", 0},
        tangential_restitution},
       make_fremond},
      {LawKind::normal,
       "velocity",
       "Signorini's condition on velocities, without restitution",
       "Moreau (1988)",
       {remove_initial_gap},
       make_rigid<RigidContact::Level::velocity>},
      {LawKind::normal,
       "position",
       "Signorini's condition on the gap at the end of the step",
       "Jean (1999)",
       {remove_initial_gap},
       make_rigid<RigidContact::Level::position>},
      {LawKind::normal,
       "quasi-shock",
       "on velocities where gaps are closed, on gaps where they are open: overlaps stay",
       "Jean (1999)",
       {remove_initial_gap},
       make_rigid<RigidContact::Level::quasi_shock>},
      {LawKind::normal,
       "compliant",
       "a spring and a dashpot that never pull, implicit in the complementarity",
       "Jean (1999)",
       {{"stiffness", "N/m", "of the spring", LawParameter::kRequired, 0, Law::kNever, true},
        {"damping", "N s/m", "of the dashpot, which acts while the contact is closed", 0},
        remove_initial_gap},
       make_compliant},
  };
}

}  // namespace clack
