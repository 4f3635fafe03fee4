// Ties and links between two points: the whole law of their contact. The gap is the elongation, or
// the distance less a length; a link acts at any gap until it breaks.
#include <algorithm>
#include <cmath>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

// A broken link is left by all laws.
class Link : public Law {
 public:
  explicit Link(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }
  double reach(const ContactSituation& contact) const override {
    return contact.memory[kBroken] > 0 ? -kNever : kNever;
  }

 protected:
  enum Place { kBroken, kStored, kDissipated };
  static const LawVariable kBrokenFlag;

 private:
  std::string_view name_;
};

const LawVariable Link::kBrokenFlag = {"broken", "-", 0};

// Rows that do not move: N and T, and those that turn where `turns` says so.
class Tie final : public Link {
 public:
  struct Strength {
    double tension, shear;  // [N]
  };
  Tie(std::string_view name, bool turns, Strength strength)
      : Link(name), turns_(turns), strength_(strength) {}
  bool is_rigid() const { return std::isinf(strength_.tension) && std::isinf(strength_.shear); }
  bool turns() const { return turns_; }
  std::vector<LawVariable> variables(int, int) const override { return {kBrokenFlag}; }

  void prepare(const ContactSituation& contact, LawStatement& statement) const override {
    if (contact.memory[kBroken] > 0) return;
    LawBlock& block = statement.add_block(true);
    block.bond = true;
    const int rows = turns_ ? contact.rows() : 1 + contact.tangents;
    for (int k = 0; k < rows; ++k) block.add_row(k);
  }

  void update(const ContactSituation& contact, std::span<double> memory) const override {
    if (memory[kBroken] > 0) return;
    double shear = 0;
    for (int k = 1; k <= contact.tangents; ++k) shear = std::hypot(shear, contact.r[k]);
    if (-contact.r[0] >= contact.h * strength_.tension || shear >= contact.h * strength_.shear)
      memory[kBroken] = 1;
  }

 private:
  bool turns_;
  Strength strength_;
};

struct Spring {
  double k, damping;  // [N/m, N s/m]
  double rest;        // the gap without force [m]
  double strength;    // [N]
};

// r_N = -h k (e_0 + e_1)/2 - damping (e_1 - e_0) with e = gap - rest (eq:rod_link)
class RodLink final : public Link {
 public:
  RodLink(Spring spring, bool both_ways) : Link("rod"), spring_(spring), both_ways_(both_ways) {}
  std::vector<LawVariable> variables(int, int) const override {
    return {kBrokenFlag, {"bond_stored", "J", 0}, {"bond_dissipated", "J", 0}};
  }

  void prepare(const ContactSituation& contact, LawStatement& statement) const override {
    if (contact.memory[kBroken] > 0) return;
    const double stiffness = 0.5 * contact.h * spring_.k + spring_.damping;
    LawBlock& block = statement.add_block(true);
    block.bond = true;
    block.add_tangent(contact, 0, 1, impulse(contact), stiffness);
  }

  void update(const ContactSituation& contact, std::span<double> memory) const override {
    if (memory[kBroken] > 0) return;
    const double end = contact.gap - spring_.rest + contact.way(0);
    const double tension = -contact.r[0] / contact.h;
    memory[kStored] = 0.5 * spring_.k * end * end;
    memory[kDissipated] += spring_.damping * contact.way(0) * contact.way(0) / contact.h;
    if ((both_ways_ ? std::abs(tension) : tension) < spring_.strength) return;
    memory[kBroken] = 1;
    memory[kDissipated] += std::exchange(memory[kStored], 0.0);
  }

 private:
  double impulse(const ContactSituation& contact) const {
    const double start = contact.gap - spring_.rest, way = contact.way(0);
    return -contact.h * spring_.k * (start + 0.5 * way) - spring_.damping * way;
  }

  Spring spring_;
  bool both_ways_;
};

// Tension only. With p = <gap - rest>+ the spring takes the exact change of k p^2/2 in a step, and
// the tension y >= 0 is (eq:wire)
//     y = <h k (p_1^2 - p_0^2)/(2 way) + damping (p_1 - p_0)>+
// An infinite k makes a rigid wire: no lengthening once it is taut.
class WireLink final : public Link {
 public:
  explicit WireLink(Spring spring) : Link("wire"), spring_(spring) {}
  std::vector<LawVariable> variables(int, int) const override {
    return {kBrokenFlag, {"bond_stored", "J", 0}, {"bond_dissipated", "J", 0}};
  }
  bool iterates() const override { return std::isfinite(spring_.k); }
  bool is_rigid() const { return std::isinf(spring_.k) && std::isinf(spring_.strength); }
  double rest() const { return spring_.rest; }
  double excess(double gap) const {
    return std::isinf(spring_.k) ? std::max(gap - spring_.rest, 0.0) : 0.0;
  }

  void prepare(const ContactSituation& contact, LawStatement& statement) const override {
    if (contact.memory[kBroken] > 0) return;
    const double start = contact.gap - spring_.rest;
    if (std::isinf(spring_.k)) {
      if (!contact.speculative && start + 0.5 * contact.h * contact.u_start[0] < 0) return;
      LawBlock& block = statement.add_block(false);
      block.bond = true;
      block.add_row(0, -1, contact.speculative ? std::max(-start, 0.0) / contact.h : 0);
      return;
    }
    const Pull pull = pull_of(contact);
    LawBlock& block = statement.add_block(false);
    block.bond = true;
    block.add_tangent(contact, 0, -1, pull.impulse, pull.stiffness);
  }

  void update(const ContactSituation& contact, std::span<double> memory) const override {
    if (memory[kBroken] > 0) return;
    const double tension = -contact.r[0] / contact.h;
    if (std::isfinite(spring_.k)) {
      const double end = std::max(contact.gap - spring_.rest + contact.way(0), 0.0);
      const double stored = 0.5 * spring_.k * end * end;
      const double start = std::max(contact.gap - spring_.rest, 0.0);
      const double taken = stored - 0.5 * spring_.k * start * start;
      memory[kDissipated] += std::max(tension * contact.way(0) - taken, 0.0);
      memory[kStored] = stored;
    }
    if (tension < spring_.strength) return;
    memory[kBroken] = 1;
    memory[kDissipated] += std::exchange(memory[kStored], 0.0);
  }

 private:
  struct Pull {
    double impulse, stiffness;
  };
  Pull pull_of(const ContactSituation& contact) const {
    const double start = contact.gap - spring_.rest, way = contact.way(0), end = start + way;
    const double p0 = std::max(start, 0.0), p1 = std::max(end, 0.0);
    const double taut = start > 0 && end > 0 ? 1 : way != 0 ? (p1 - p0) / way : 0;
    const double mean = 0.5 * (p0 + p1) * taut;
    const double slope = taut == 1 ? 0.5 : way != 0 ? (p1 - mean) / way : 0;
    const double elastic = contact.h * spring_.k;
    return {elastic * mean + spring_.damping * (p1 - p0),
            // Slack or nearly so, a tenth of the stiffness lets the passes settle as well.
            std::max(elastic * slope, 0.05 * elastic) + (end > 0 ? spring_.damping : 0)};
  }

  Spring spring_;
};

LawPtr make_glue(const LawValues& v) {
  return std::make_shared<Tie>("glue", true,
                               Tie::Strength{v.number("strength_n"), v.number("strength_t")});
}

LawPtr make_hinge(const LawValues& v) {
  return std::make_shared<Tie>("hinge", false,
                               Tie::Strength{v.number("strength_n"), v.number("strength_t")});
}

Spring spring_of(const LawValues& v) {
  return {v.number("k"), v.number("damping"), v.number("rest"), v.number("strength")};
}

LawPtr make_rod(const LawValues& v) {
  const Spring spring = spring_of(v);
  if (!(spring.k > 0 || spring.damping > 0)) throw InputError("needs k > 0 or damping > 0");
  return std::make_shared<RodLink>(spring, v.flag("both_ways"));
}

LawPtr make_wire(const LawValues& v) { return std::make_shared<WireLink>(spring_of(v)); }

const std::vector<LawParameter> kTieParameters = {
    {"strength_n", "N", "tension at which it breaks; none: it does not", Law::kNever, 0,
     Law::kNever, true},
    {"strength_t", "N", "shear force at which it breaks; none: it does not", Law::kNever, 0,
     Law::kNever, true}};
const LawParameter kDamping = {"damping", "N s/m", "viscous damping", 0};
const LawParameter kRest = {"rest", "m", "gap without force", 0, -Law::kNever};
const LawParameter kStrength = {"strength",  "N", "tension at which it breaks; none: it does not",
                                Law::kNever, 0,   Law::kNever,
                                true};

}  // namespace

double link_error(const Law& law, double gap, double jump) {
  if (dynamic_cast<const Tie*>(&law)) return jump;
  const auto* wire = dynamic_cast<const WireLink*>(&law);
  return wire ? wire->excess(gap) : 0;
}

RigidLink rigid_link(const Law& law, double& length) {
  if (const auto* tie = dynamic_cast<const Tie*>(&law); tie && tie->is_rigid())
    return tie->turns() ? RigidLink::glue : RigidLink::hinge;
  const auto* wire = dynamic_cast<const WireLink*>(&law);
  if (!wire || !wire->is_rigid()) return RigidLink::none;
  length = wire->rest();
  return RigidLink::wire;
}

std::vector<LawInfo> link_laws() {
  return {
      {LawKind::link, "glue", "no relative motion, of rows that turn neither; may break", "a tie",
       kTieParameters, make_glue},
      {LawKind::link, "hinge", "no relative translation, free rotation; may break", "a tie",
       kTieParameters, make_hinge},
      {LawKind::link,
       "rod",
       "elastic and damped along the normal, both ways; may break",
       "Voigt",
       {{"k", "N/m", "stiffness", LawParameter::kRequired},
        kDamping,
        kRest,
        kStrength,
        {"both_ways", "-", "the strength holds for compression too", 0, 0, 1, false,
         LawParameter::Kind::flag}},
       make_rod},
      {LawKind::link,
       "wire",
       "as a rod in tension, without force in compression; may break",
       "Voigt",
       {{"k", "N/m", "stiffness; none: a rigid wire", Law::kNever, 0, Law::kNever, true},
        kDamping,
        kRest,
        kStrength},
       make_wire},
  };
}

}  // namespace clack
