// The laws of friction.
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/law_list.hpp"
#include "clack/model/laws/rate_state_friction.hpp"
#include "clack/model/laws/shaped_friction.hpp"
#include "clack/model/laws/slip_friction.hpp"

namespace clack {
namespace {

using Kind = LawParameter::Kind;
constexpr double kRequired = LawParameter::kRequired;
constexpr double kAny = Law::kNever;

LawPtr make_coulomb(const LawValues& values) {
  return std::make_shared<CoulombFriction>(values.coefficient("mu"));
}

LawPtr make_static_dynamic(const LawValues& values) {
  return std::make_shared<StaticDynamicFriction>(values.number("mu_s"), values.number("mu_d"));
}

LawPtr make_slip_dependent(const LawValues& values) {
  return std::make_shared<SlipDependentFriction>(values.coefficient("mu"));
}

LawPtr make_stribeck(const LawValues& values) {
  return std::make_shared<StribeckFriction>(values.number("mu_s"), values.number("mu_d"),
                                            values.number("v_s"), values.number("exponent"),
                                            values.number("viscous"));
}

LawPtr make_anisotropic(const LawValues& values) {
  const AnisotropicFriction::Axes mu = {values.number("mu_1"), values.number("mu_2")};
  const double angle = values.number("angle");
  if (values.flag("associated")) return std::make_shared<AnisotropicFriction>(mu, angle);
  return std::make_shared<AnisotropicFriction>(
      mu, AnisotropicFriction::Axes{values.number("nu_1"), values.number("nu_2")}, angle);
}

LawPtr make_contensou(const LawValues& values) {
  return std::make_shared<ContensouFriction>(values.number("mu"), values.number("radius"));
}

LawPtr make_rolling(const LawValues& values) {
  return std::make_shared<RollingFriction>(values.number("mu"), values.number("mu_r"),
                                           values.number("mu_s"));
}

LawPtr make_tresca(const LawValues& values) {
  return std::make_shared<TrescaFriction>(values.number("s"));
}

LawPtr make_rate_state(const LawValues& values) {
  return std::make_shared<RateStateFriction>(RateStateParameters{
      values.number("mu_0"), values.number("a"), values.number("b"), values.number("V0"),
      values.number("Dc"), values.number("theta_0"), values.flag("slip_law")});
}

}  // namespace

std::vector<LawInfo> friction_laws() {
  return {
      {LawKind::friction,
       "coulomb",
       "dry friction; the coefficient may be a formula of the slip at the start of the step",
       "Coulomb (1785)",
       {{"mu", "-", "coefficient of friction", 0, 0, kAny, false, Kind::coefficient}},
       make_coulomb},
      {LawKind::friction,
       "static-dynamic",
       "one coefficient where the contact stuck or was open in the step before, another where it "
       "slid",
       "Coulomb (1785); Jean (1999)",
       {{"mu_s", "-", "coefficient at rest", kRequired},
        {"mu_d", "-", "coefficient in slip", kRequired}},
       make_static_dynamic},
      {LawKind::friction,
       "slip-dependent",
       "a coefficient that is a formula of the slip at the end of the step",
       "Leine and van de Wouw (2008)",
       {{"mu", "-", "coefficient of friction", kRequired, 0, kAny, false, Kind::coefficient}},
       make_slip_dependent},
      {LawKind::friction,
       "stribeck",
       "mu_d + (mu_s - mu_d) exp(-(V/v_s)^exponent) + viscous V at the slip V of the end of the "
       "step",
       "Stribeck (1902)",
       {{"mu_s", "-", "coefficient at rest", kRequired},
        {"mu_d", "-", "coefficient in fast slip, <= mu_s", kRequired},
        {"v_s", "m/s", "slip by which most of the fall is over", kRequired, 0, kAny, true},
        {"exponent", "-", "of the fall", 2, 0, kAny, true},
        {"viscous", "s/m", "rise by slip", 0}},
       make_stribeck},
      {LawKind::friction,
       "anisotropic",
       "an ellipse in the axes of the material; slip along its normal or that of another ellipse",
       "Michalowski and Mroz (1978)",
       {{"mu_1", "-", "coefficient along axis 1", kRequired, 0, kAny, true},
        {"mu_2", "-", "coefficient along axis 2", kRequired, 0, kAny, true},
        {"angle", "rad", "from the first axis of the material to axis 1", 0, -kAny},
        {"associated", "-", "slip along the normal of the ellipse mu_1, mu_2", 1, 0, 1, false,
         Kind::flag},
        {"nu_1", "-", "axis 1 of the ellipse whose normal the slip has otherwise", 1, 0, kAny,
         true},
        {"nu_2", "-", "its axis 2; only nu_1/nu_2 matters", 1, 0, kAny, true}},
       make_anisotropic},
      {LawKind::friction,
       "contensou",
       "sliding and spin of a round contact under a parabolic pressure share one reservoir",
       "Contensou (1963); Leine and Glocker (2003)",
       {{"mu", "-", "coefficient of friction", kRequired},
        {"radius", "m", "of the contact disc", kRequired, 0, kAny, true}},
       make_contensou},
      {LawKind::friction,
       "rolling",
       "dry friction with a torque against rolling and one against drilling",
       "Coulomb (1785); Acary and Bourrier (2021)",
       {{"mu", "-", "coefficient of friction", kRequired},
        {"mu_r", "m", "arm of the rolling torque", kRequired},
        {"mu_s", "m", "arm of the drilling torque", 0}},
       make_rolling},
      {LawKind::friction,
       "tresca",
       "a limit of friction that does not depend on the normal force, while the contact is closed",
       "Tresca (1864); Duvaut and Lions (1972)",
       {{"s", "N", "largest friction force", kRequired}},
       make_tresca},
      {LawKind::friction,
       "rate-and-state",
       "rises with the logarithm of the slip at the end of the step, falls with renewal of the "
       "surface",
       "Dieterich (1979); Ruina (1983)",
       {{"mu_0", "-", "steady coefficient at V0", kRequired, 0, kAny, true},
        {"a", "-", "direct effect of the slip", kRequired, 0, kAny, true},
        {"b", "-", "effect of the state", kRequired},
        {"V0", "m/s", "reference slip", kRequired, 0, kAny, true},
        {"Dc", "m", "slip over which the surface renews", kRequired, 0, kAny, true},
        {"theta_0", "s", "first state; 0 for Dc/V0", 0},
        {"slip_law", "-", "the state evolves by the slip law, else by ageing", 0, 0, 1, false,
         Kind::flag}},
       make_rate_state},
  };
}

}  // namespace clack
