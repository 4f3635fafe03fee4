// The laws of cohesion: attraction and bonds that break.
#include <algorithm>
#include <cmath>

#include "clack/model/laws/law_list.hpp"
#include "clack/model/laws/softening.hpp"

namespace clack {
namespace {

// A constant attraction while the gap is within the thickness of a film: potential c_n min(gap,
// thickness), rupture energy c_n * thickness.                                            (eq:wet)
class WetCohesion final : public Law {
 public:
  WetCohesion(double c_n, double thickness, bool irreversible)
      : c_n_(c_n), thickness_(thickness), irreversible_(irreversible) {}
  std::string_view name() const override { return "wet"; }
  std::vector<LawVariable> variables(int, int) const override { return {{"intact", "-", 1}}; }
  bool iterates() const override { return true; }

  double reach(const ContactSituation& contact) const override {
    return contact.memory[0] > 0 ? thickness_ : -kNever;
  }

  void prepare(const ContactSituation& contact, LawStatement& statement) const override {
    if (c_n_ == 0 || contact.memory[0] <= 0 || contact.gap > thickness_) return;
    const double way = contact.way(0), inside = thickness_ - contact.gap;
    if (way <= inside) {
      statement.shift[0] -= contact.h * c_n_;
      return;
    }
    // The film tears within the step: the impulse is that of its part of the way.
    const double impulse = -contact.h * c_n_ * inside / way;
    LawBlock& block = statement.add_block(true);
    block.bond = true;
    block.add_tangent(contact, 0, 1, impulse, 0.1 * contact.h * c_n_ / way);
  }

  void update(const ContactSituation& contact, std::span<double> memory) const override {
    if (irreversible_ && contact.gap + contact.way(0) > thickness_) memory[0] = 0;
  }

 private:
  double c_n_, thickness_;
  bool irreversible_;
};

// |r_T| <= h area c_t/c_n (r_N/(h area) + c_n) until the cone is reached, from then on the other
// laws alone. (eq:mohr_coulomb)
class MohrCoulombBond final : public Law {
 public:
  MohrCoulombBond(double c_n, double c_t) : c_n_(c_n), c_t_(c_t) {}
  std::string_view name() const override { return "mohr-coulomb"; }
  std::vector<LawVariable> variables(int, int) const override { return {{"intact", "-", 1}}; }

  double reach(const ContactSituation& contact) const override {
    return contact.memory[0] > 0 ? kNever : -kNever;
  }
  bool is_bond() const override { return true; }

  void prepare(const ContactSituation& contact, LawStatement& statement) const override {
    if (contact.memory[0] <= 0) return;
    statement.complete = true;
    statement.shift[0] -= contact.h * contact.area * c_n_;
    statement.unilateral = statement.count;
    LawBlock& block = statement.add_block(false);
    block.add_row(0);
    if (contact.tangents == 0) return;
    block.add_disc(contact.tangents, c_t_ / c_n_);
    for (int k = 1; k <= contact.tangents; ++k) block.add_row(k);
  }

  void update(const ContactSituation& contact, std::span<double> memory) const override {
    if (memory[0] <= 0) return;
    constexpr double kInside = 1e-9;  // what counts as the boundary, by impulses
    const double strength = contact.h * contact.area * c_n_, normal = contact.r[0] + strength;
    const double shear = contact.tangents == 0
                             ? 0
                             : std::hypot(contact.r[1], contact.tangents > 1 ? contact.r[2] : 0);
    const bool opens = normal <= kInside * strength;
    const bool slips = contact.tangents > 0 && shear >= c_t_ / c_n_ * normal * (1 - kInside);
    if (opens || slips) memory[0] = 0;
  }

 private:
  double c_n_, c_t_;
};

LawPtr make_wet(const LawValues& v) {
  return std::make_shared<WetCohesion>(v.number("c_n"), v.number("thickness"),
                                       v.flag("irreversible"));
}

LawPtr make_mohr_coulomb(const LawValues& v) {
  return std::make_shared<MohrCoulombBond>(v.number("c_n"), v.number("c_t"));
}

CohesiveZone::Stiffness stiffness_of(const LawValues& v) {
  return {v.number("c_n"), v.number("c_t")};
}

LawPtr make_adhesive(const LawValues& v) {
  return std::make_shared<AdhesiveZone>(stiffness_of(v), v.number("w"), v.number("b"),
                                        v.number("friction_exponent"));
}

LawPtr make_softening(std::string_view name, const LawValues& v,
                      std::unique_ptr<const Softening> curve) {
  return std::make_shared<SofteningZone>(name, stiffness_of(v),
                                         SofteningZone::Mode{v.number("s_1"), v.number("G_1")},
                                         SofteningZone::Mode{v.number("s_2"), v.number("G_2")},
                                         std::move(curve), v.number("friction_exponent"));
}

LawPtr make_exponential(const LawValues& v) {
  return make_softening("exponential", v, std::make_unique<ExponentialSoftening>());
}

LawPtr make_trapezoidal(const LawValues& v) {
  return make_softening("trapezoidal", v,
                        std::make_unique<TrapezoidalSoftening>(v.number("plateau")));
}

LawPtr make_bilinear(const LawValues& v) {
  return make_softening(
      "bilinear", v,
      std::make_unique<BilinearSoftening>(v.number("knee_traction"), v.number("knee_energy")));
}

LawParameter positive(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {name, unit, meaning, LawParameter::kRequired, 0, Law::kNever, true};
}

const LawParameter kFrictionExponent = {
    "friction_exponent", "-",
    "p in the share (1 - intact)^p of friction that acts while the bond holds; 0: all of it", 1};

std::vector<LawParameter> zone_parameters(std::vector<LawParameter> own) {
  std::vector<LawParameter> all = {positive("c_n", "Pa/m", "normal stiffness"),
                                   positive("c_t", "Pa/m", "tangential stiffness")};
  all.insert(all.end(), own.begin(), own.end());
  all.push_back(kFrictionExponent);
  return all;
}

std::vector<LawParameter> mode_parameters(std::vector<LawParameter> own) {
  std::vector<LawParameter> all = {positive("s_1", "Pa", "strength in opening"),
                                   positive("s_2", "Pa", "strength in sliding"),
                                   positive("G_1", "J/m^2", "fracture energy in opening"),
                                   positive("G_2", "J/m^2", "fracture energy in sliding")};
  all.insert(all.end(), own.begin(), own.end());
  return zone_parameters(std::move(all));
}

}  // namespace

std::vector<LawInfo> cohesion_laws() {
  return {
      {LawKind::cohesion,
       "wet",
       "constant attraction within the thickness of a liquid film",
       "Radjai, Richefeu (2009)",
       {{"c_n", "N", "attraction", LawParameter::kRequired},
        {"thickness", "m", "largest gap at which it acts", 0},
        {"irreversible", "-", "a film that has torn does not come back", 0, 0, 1, false,
         LawParameter::Kind::flag}},
       make_wet},
      {LawKind::cohesion,
       "mohr-coulomb",
       "rigid bond with a shifted cone of friction, gone at the first slip or opening",
       "Coulomb (1773), Mohr (1900)",
       {positive("c_n", "Pa", "tensile strength"),
        positive("c_t", "Pa",
                 "shear strength without pressure; c_t/c_n is the friction of the bond")},
       make_mohr_coulomb},
      {LawKind::cohesion, "raous-cangemi-cocou",
       "adhesion whose intensity falls with the energy it holds, with viscosity",
       "Raous, Cangemi, Cocou (1999); Monerie, Acary (2001)",
       zone_parameters({positive("w", "J/m^2", "energy of decohesion"),
                        {"b", "J s/m^2", "viscosity; 0: independent of the rate", 0}}),
       make_adhesive},
      {LawKind::cohesion, "exponential", "cohesive zone, elastic, then exponential softening",
       "Hillerborg, Modeer, Petersson (1976)", mode_parameters({}), make_exponential},
      {LawKind::cohesion, "trapezoidal",
       "cohesive zone, elastic, then a plateau and linear softening",
       "Tvergaard, Hutchinson (1992)",
       mode_parameters(
           {{"plateau", "-", "0: none, 1: a rectangle behind the elastic branch", 0.5, 0, 1}}),
       make_trapezoidal},
      {LawKind::cohesion, "bilinear",
       "cohesive zone, elastic, then linear softening in one line or two",
       "Petersson (1981); Camacho, Ortiz (1996)",
       mode_parameters(
           {{"knee_traction", "-", "traction at the knee of two lines, over the strength", 1, 0, 1,
             true},
            {"knee_energy", "-", "share of the fracture energy spent up to the knee", 0, 0, 1}}),
       make_bilinear},
  };
}

}  // namespace clack
