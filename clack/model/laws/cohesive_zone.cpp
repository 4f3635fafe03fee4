#include "clack/model/laws/cohesive_zone.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace clack {
namespace {

constexpr int kRows = 3;  // N, T1, T2
// The law states a stiffness of at least this share of the elastic one; which one it states decides
// how fast the passes settle, not where.
constexpr double kSoftest = 1e-3;
// A bond with less left than this has failed.
constexpr double kFailed = 1e-6;

using Direction = std::array<double, kRows>;

// Orthonormal directions in the space of N, T1, T2, the first one along e.
std::array<Direction, kRows> directions(const Direction& e) {
  const double shear = std::hypot(e[1], e[2]);
  const double normal = e[0] == 0 && shear == 0 ? 1 : e[0];
  const double c = shear > 0 ? e[1] / shear : 1, s = shear > 0 ? e[2] / shear : 0;
  return {{{normal, shear * c, shear * s}, {-shear, normal * c, normal * s}, {0, -s, c}}};
}

}  // namespace

struct CohesiveZone::Stretch {
  int rows = 1;
  std::array<double, kRows> c{}, end{}, way{};
  std::array<double, kRows> mean{};   // (p_1^2 - p_0^2)/(2 way): work = s_bar C mean . way
  std::array<double, kRows> slope{};  // of `mean` with the jump at the end
  BondPath path;
};

std::vector<LawVariable> CohesiveZone::variables(int tangents, int /*turns*/) const {
  std::vector<LawVariable> all = {{"intact", "-", 1},
                                  {"bond_work", "J", 0},
                                  {"bond_stored", "J", 0},
                                  {"bond_dissipated", "J", 0},
                                  {"jump_n", "m", 0}};
  for (int k = 1; k <= tangents; ++k) all.push_back({"jump_t" + std::to_string(k), "m", 0});
  return all;
}

double CohesiveZone::reach(const ContactSituation& contact) const {
  return contact.memory[kIntact] > 0 ? kNever : -kNever;
}

CohesiveZone::Stretch CohesiveZone::stretch(const ContactSituation& contact) const {
  Stretch s;
  s.rows = 1 + contact.tangents;
  s.path.h = contact.h;
  double shear = 0;
  for (int k = 0; k < s.rows; ++k) {
    s.c[k] = k == 0 ? stiffness_.c_n : stiffness_.c_t;
    const double start = contact.memory[kJump + k], way = contact.way(k), end = start + way;
    s.end[k] = end;
    s.way[k] = way;
    // A face that is pressed stretches nothing.
    const double p0 = k == 0 ? std::max(start, 0.0) : start, p1 = k == 0 ? std::max(end, 0.0) : end;
    const double part =
        way != 0 && (p0 != start || p1 != end) ? (p1 - p0) / way : (p0 != start ? 0 : 1);
    s.mean[k] = 0.5 * (p0 + p1) * part;
    s.slope[k] = part == 1 ? 0.5 : way == 0 ? 0 : (p1 - s.mean[k]) / way;
    s.path.D_start += s.c[k] * p0 * p0;
    s.path.D_end += s.c[k] * p1 * p1;
    if (k > 0) shear += s.c[k] * p1 * p1;
  }
  s.path.shear = s.path.D_end > 0 ? shear / s.path.D_end : 0;
  return s;
}

void CohesiveZone::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const double intact = contact.memory[kIntact];
  if (intact <= 0) return;
  statement.friction_share *= std::pow(1 - intact, friction_exponent_);
  const Stretch s = stretch(contact);
  // The first pass takes the bond as elastic: from there the passes climb to the first state of
  // balance.
  const bool first = contact.pass == 0;
  add_rows(contact, s, first ? BondChange{.secant = secant(intact)} : change(s.path, intact),
           statement);
}

// The impulses of the law are taken at the last pass and extended linearly from there, along the
// direction of loading with the stiffness of the law where it stiffens, with little where it
// softens. The statement holds exactly where the passes have settled, whatever the stiffness.
void CohesiveZone::add_rows(const ContactSituation& contact, const Stretch& s,
                            const BondChange& change, LawStatement& statement) const {
  if (change.secant <= 0) return;  // beyond failure since the mode has changed
  const double c_unit = std::max(stiffness_.c_n, stiffness_.c_t);
  const double length = std::sqrt(s.path.D_end / c_unit);
  Direction root{}, e{};
  for (int k = 0; k < s.rows; ++k) {
    root[k] = std::sqrt(s.c[k] / c_unit);
    if (length > 0) e[k] = root[k] * (k == 0 ? std::max(s.end[0], 0.0) : s.end[k]) / length;
  }
  const std::array<Direction, kRows> basis = directions(e);
  const double h_area = contact.h * contact.area, elastic = 0.5 * change.secant;
  LawBlock& block = statement.add_block(true);
  block.bond = true;
  for (int i = 0; i < s.rows; ++i) {
    double stiffness = 0, impulse = 0, velocity = 0, along = 0;
    ContactValues map{};
    for (int k = 0; k < s.rows; ++k) {
      const double a = basis[i][k];
      map[k] = a * root[k];
      stiffness += change.secant * a * a * s.slope[k];
      along += a * root[k] * s.mean[k];
      velocity += map[k] * contact.u[k];
    }
    impulse = -h_area * c_unit * change.secant * along;
    if (i == 0) stiffness += 2 * change.slope * c_unit * length * along;
    stiffness = h_area * c_unit * std::clamp(stiffness, kSoftest * elastic, elastic);
    const double compliance = 1 / (stiffness * contact.h * contact.end_weight);
    const int row = block.add_row(-1, 0, -velocity - compliance * impulse, compliance);
    block.map[row] = map;
  }
}

void CohesiveZone::update(const ContactSituation& contact, std::span<double> memory) const {
  const double intact = contact.memory[kIntact];
  if (intact <= 0) return;
  const Stretch s = stretch(contact);
  const BondChange c = change(s.path, intact);
  double work = 0;
  for (int k = 0; k < s.rows; ++k) {
    work += contact.area * c.secant * s.c[k] * s.mean[k] * s.way[k];
    memory[kJump + k] = s.end[k];
  }
  const double stored = 0.5 * contact.area * secant(c.intact) * s.path.D_end;
  memory[kIntact] = c.intact;
  memory[kWork] += work;
  // Not negative but for round-off (eq:bond_dissipation).
  memory[kDissipated] += std::max(work - (stored - memory[kStored]), 0.0);
  memory[kStored] = stored;
}

// Up to the threshold beta D = w the bond is elastic; from there the mean secant is beta_0 beta_1,
// which is exact for b = 0, and the rate equation is taken between the two ends (eq:adhesion_step).
BondChange AdhesiveZone::change(const BondPath& path, double intact) const {
  BondChange out;
  const double threshold = w_ / intact, all = path.D_end - path.D_start;
  out.intact = intact;
  out.secant = intact * intact;
  if (std::max(path.D_start, path.D_end) <= threshold) return out;
  const double begin = std::max(path.D_start, std::min(threshold, path.D_end));
  const double part = begin > path.D_start ? (path.D_end - begin) / all : 1.0;  // of the time
  const double viscous = b_ / (part * path.h), below = viscous + 0.5 * path.D_end;
  const double rest = (viscous * intact + w_ - 0.5 * intact * begin) / below;
  const double least = std::min(intact, w_ / path.D_end);
  const double beta = std::clamp(rest, least, intact);
  out.intact = beta < kFailed ? 0 : beta;
  const double damaged = intact * beta;
  out.secant =
      begin > path.D_start ? (begin - path.D_start) / all * out.secant + part * damaged : damaged;
  if (all > 0) {
    const double fall = rest > 0.999999 * least ? -0.5 * intact * beta / below : 0.0;
    out.slope = std::min(0.0, (damaged + fall * (path.D_end - begin) - out.secant) / all);
  }
  return out;
}

}  // namespace clack
