#include "clack/model/laws/law.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

namespace clack {

double ContactSituation::slip() const {
  if (tangents == 0) return 0;
  return tangents == 1 ? std::abs(u[1]) : std::hypot(u[1], u[2]);
}

Cone LawBlock::cone() const {
  if (free) return Cone::free(dim);
  std::array<Cone::DiscShape, Cone::kMaxDiscs> shapes;
  for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = {disc_dim[i], radius[i]};
  return Cone::discs(std::span(shapes).first(static_cast<std::size_t>(disc_count)));
}

int LawBlock::add_row(int row, double scale, double row_offset, double row_compliance) {
  ContactValues combination{};
  if (row >= 0) combination[static_cast<std::size_t>(row)] = scale;
  return add_row(combination, row_offset, row_compliance);
}

int LawBlock::add_row(const ContactValues& combination, double row_offset, double row_compliance) {
  const auto k = static_cast<std::size_t>(dim);
  map[k] = combination;
  offset[k] = row_offset;
  compliance[k] = row_compliance;
  return dim++;
}

int LawBlock::add_tangent(const ContactSituation& contact, int row, double scale, double impulse,
                          double stiffness) {
  const double row_compliance = 1 / (stiffness * contact.h * contact.end_weight);
  const double velocity = scale * contact.u[static_cast<std::size_t>(row)];
  return add_row(row, scale, -velocity - row_compliance * impulse, row_compliance);
}

void LawBlock::add_disc(int rows, double disc_radius) {
  disc_dim[static_cast<std::size_t>(disc_count)] = rows;
  radius[static_cast<std::size_t>(disc_count)] = disc_radius;
  ++disc_count;
}

LawBlock& LawStatement::add_block(bool free) {
  LawBlock& block = blocks[static_cast<std::size_t>(count++)];
  block = {};
  block.free = free;
  return block;
}

void LawStatement::share_friction() {
  const LawBlock* contact = unilateral_block();
  if (!contact) return;
  for (int b = 0; b < count; ++b) {
    if (!blocks[b].rubs || b == unilateral) continue;
    LawBlock shared = *contact;  // of which only the normal row is the block's own
    shared.map[0] = blocks[b].map[0];
    shared.offset[0] = blocks[b].offset[0];
    shared.compliance[0] = blocks[b].compliance[0];
    blocks[b] = shared;
  }
}

void LawStatement::guess(const ContactValues& impulse, std::vector<double>& y) const {
  int taker = unilateral < 0 ? 0 : unilateral;
  for (int b = 0; b < count; ++b) {
    if (blocks[b].bond) taker = b;
  }
  y.clear();
  for (int b = 0; b < count; ++b) {
    for (int i = 0; i < blocks[b].dim; ++i) {
      double along = 0, square = 0;
      for (std::size_t k = 0; k < kContactRows; ++k) {
        const double a = blocks[b].map[i][k];
        along += a * (impulse[k] - shift[k] - carried[k]);
        square += a * a;
      }
      y.push_back(b == taker && square > 0 ? along / square : 0.0);
    }
  }
}

void LawStatement::take_over(const LawStatement& solved, std::vector<double>& multipliers) const {
  if (solved.count != count) return;
  double* y = multipliers.data();
  for (int b = 0; b < count; ++b) {
    const LawBlock &now = blocks[b], &before = solved.blocks[b];
    if (now.dim != before.dim) return;
    if (now.map != before.map) {
      ContactValues r{};
      for (int i = 0; i < now.dim; ++i) {
        for (int k = 0; k < kContactRows; ++k) r[k] += before.map[i][k] * y[i];
      }
      using AsVector = Eigen::Map<const Eigen::Matrix<double, kContactRows, 1>>;
      // Rows need not be orthogonal: y is what makes this r, rows without motion stand.
      Eigen::Matrix<double, kContactRows, Eigen::Dynamic, 0, kContactRows, Cone::kMaxDim> columns(
          kContactRows, now.dim);
      for (int i = 0; i < now.dim; ++i) columns.col(i) = AsVector(now.map[i].data());
      const Eigen::VectorXd made =
          columns.completeOrthogonalDecomposition().solve(AsVector(r.data()));
      for (int i = 0; i < now.dim; ++i) {
        if (!columns.col(i).isZero(0)) y[i] = made[i];
      }
    }
    y += now.dim;
  }
}

CompositeLaw::CompositeLaw(std::vector<LawPtr> parts) : parts_(std::move(parts)) {
  for (const LawPtr& part : parts_) {
    name_ += (name_.empty() ? "" : " + ") + std::string(part->name());
    stages_ = std::max(stages_, part->stages());
    iterates_ = iterates_ || part->iterates();
  }
  for (int tangents = 0; tangents < 3; ++tangents) {
    for (int turns = 0; turns < 4; ++turns) {
      for (const LawPtr& part : parts_)
        sizes_[tangents][turns].push_back(part->variables(tangents, turns).size());
    }
  }
}

template <class Visit>
void CompositeLaw::for_parts(const ContactSituation& contact, Visit&& visit) const {
  const std::vector<std::size_t>& sizes =
      sizes_[static_cast<std::size_t>(contact.tangents)][static_cast<std::size_t>(contact.turns)];
  ContactSituation own = contact;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    own.memory = contact.memory.subspan(begin, sizes[i]);
    visit(*parts_[i], own, begin);
    begin += sizes[i];
  }
}

std::vector<LawVariable> CompositeLaw::variables(int tangents, int turns) const {
  std::vector<LawVariable> all;
  for (const LawPtr& part : parts_) {
    for (LawVariable& variable : part->variables(tangents, turns))
      all.push_back(std::move(variable));
  }
  return all;
}

std::string CompositeLaw::fault(int tangents, int turns) const {
  for (const LawPtr& part : parts_) {
    std::string fault = part->fault(tangents, turns);
    if (!fault.empty()) return fault;
  }
  return {};
}

double CompositeLaw::reach(const ContactSituation& contact) const {
  double reach = -kNever;
  for_parts(contact, [&](const Law& part, const ContactSituation& own, std::size_t) {
    reach = std::max(reach, part.reach(own));
  });
  return reach;
}

bool CompositeLaw::is_bond() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const LawPtr& part) { return part->is_bond(); });
}

LawPtr CompositeLaw::unbonded() const {
  std::vector<LawPtr> rest;
  for (const LawPtr& part : parts_) {
    if (!part->is_bond()) rest.push_back(part);
  }
  return std::make_shared<CompositeLaw>(std::move(rest));
}

void CompositeLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  for_parts(contact, [&](const Law& part, const ContactSituation& own, std::size_t) {
    if (!statement.complete) part.prepare(own, statement);
  });
  statement.share_friction();
}

void CompositeLaw::update(const ContactSituation& contact, std::span<double> memory) const {
  for_parts(contact, [&](const Law& part, const ContactSituation& own, std::size_t begin) {
    part.update(own, memory.subspan(begin, own.memory.size()));
  });
}

}  // namespace clack
