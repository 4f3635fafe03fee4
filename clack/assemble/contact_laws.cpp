#include "clack/assemble/contact_laws.hpp"

#include <algorithm>
#include <numeric>

#include "clack/model/laws/basic_laws.hpp"

namespace clack {

ContactLaws::ContactLaws(const ContactSet& contacts)
    : empty_(!contacts.has_laws()), sparse_(contacts.is_sparse()) {
  bind(contacts);
}

void ContactLaws::bind(const ContactSet& contacts) {
  if (empty_) return;
  const std::vector<ContactState> before = std::move(states_);
  const std::vector<double> known = std::move(memory_);
  const std::vector<int>& source = contacts.change().source;
  states_ = {};
  memory_ = {};
  int row = 0;
  for (std::size_t c = 0; c < contacts.list().size(); ++c) {
    const Contact& contact = contacts.list()[c];
    ContactState state;
    state.bilateral = contact.bilateral;
    state.law = contact.law.own;
    if (!state.law && !contact.bilateral) {
      state.law = std::make_shared<CompositeLaw>(
          std::vector<LawPtr>{std::make_shared<NewtonImpact>(contact.law.e_n, contact.law.e_t),
                              std::make_shared<CoulombFriction>(contact.law.mu)});
    }
    state.situation.tangents = contact.tangents;
    state.situation.turns = contact.turns;
    state.situation.area = contact.area;
    state.row_begin = row;
    row += contact.dim();
    state.memory_begin = memory_.size();
    if (state.law) {
      for (const LawVariable& variable : state.law->variables(contact.tangents, contact.turns))
        memory_.push_back(variable.initial);
      stages_ = std::max(stages_, state.law->stages());
      iterate_ = iterate_ || state.law->iterates();
    }
    state.memory_size = memory_.size() - state.memory_begin;
    if (c < source.size() && source[c] >= 0 && !before.empty()) {
      const ContactState& old = before[static_cast<std::size_t>(source[c])];
      if (old.memory_size == state.memory_size)
        std::copy_n(known.begin() + static_cast<std::ptrdiff_t>(old.memory_begin), old.memory_size,
                    memory_.begin() + static_cast<std::ptrdiff_t>(state.memory_begin));
    }
    states_.push_back(std::move(state));
  }
  bond_ = Vector::Zero(row);
}

std::span<double> ContactLaws::memory_of(const ContactState& state) {
  return std::span(memory_).subspan(state.memory_begin, state.memory_size);
}

std::span<const double> ContactLaws::memory(int contact) const {
  if (empty()) return {};
  const ContactState& state = states_[static_cast<std::size_t>(contact)];
  return std::span(memory_).subspan(state.memory_begin, state.memory_size);
}

std::vector<LawVariable> ContactLaws::variables(int contact) const {
  if (empty()) return {};
  const ContactState& state = states_[static_cast<std::size_t>(contact)];
  if (!state.law) return {};
  return state.law->variables(state.situation.tangents, state.situation.turns);
}

void ContactLaws::set_reach(Detection& detection) const {
  detection.reach.assign(states_.size(), -Law::kNever);
  detection.forecast.resize(states_.size());
  for (std::size_t c = 0; c < states_.size(); ++c) {
    if (states_[c].law) detection.reach[c] = reach(static_cast<int>(c));
  }
}

double ContactLaws::reach(int contact) const {
  if (empty()) return -Law::kNever;
  const ContactState& state = states_[static_cast<std::size_t>(contact)];
  if (!state.law) return -Law::kNever;
  ContactSituation situation = state.situation;
  situation.memory = memory(contact);
  return state.law->reach(situation);
}

void ContactLaws::begin_step(const ContactSet& contacts, const Detection& detection,
                             const Vector& gap, const Vector& impulses,
                             const StepInterval& interval) {
  for (int c : detection.active) {
    ContactState& state = states_[static_cast<std::size_t>(c)];
    ContactSituation& situation = state.situation;
    situation.t = interval.t;
    situation.h = interval.h;
    situation.end_weight = interval.end_weight;
    situation.material_angle = contacts.list()[static_cast<std::size_t>(c)].material_angle;
    situation.gap = gap[c];
    situation.forecast_gap = detection.forecast[static_cast<std::size_t>(c)];
    situation.closed = situation.forecast_gap <= 0;
    situation.memory = memory_of(state);
    for (int k = 0; k < situation.rows(); ++k)
      situation.u_start[static_cast<std::size_t>(k)] = detection.u[state.row_begin + k];
    state.before.fill(0);
    for (int k = 0; k < situation.rows(); ++k) state.before[k] = impulses[state.row_begin + k];
    situation.u = situation.u_start;
    situation.r.fill(0);
    situation.r_stage.fill(0);
  }
}

void ContactLaws::state(const ContactRowsView& rows, int stage, int pass) {
  active_.assign(rows.contacts.begin(), rows.contacts.end());
  for (int c : active_) {
    ContactState& state = states_[static_cast<std::size_t>(c)];
    state.situation.stage = stage;
    state.situation.pass = pass;
    state.statement.clear();
    if (state.bilateral)
      state.statement.add_block(true).add_row(0);
    else
      state.law->prepare(state.situation, state.statement);
    if (stage == 0 && pass == 0) state.statement.guess(state.before, state.y);
  }
  collect_blocks(rows);
  set_free_velocities(rows, stage);
  build_operator(rows);
}

void ContactLaws::collect_blocks(const ContactRowsView& rows) {
  block_rows_.clear();
  cones_.clear();
  offset_.clear();
  y_.clear();
  shift_.assign(static_cast<std::size_t>(rows.size()), 0.0);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    ContactState& state = states_[static_cast<std::size_t>(active_[i])];
    for (int k = 0; k < state.situation.rows(); ++k)
      shift_[static_cast<std::size_t>(rows.begin[i] + k)] =
          state.statement.shift[k] + state.statement.carried[k];
    const std::size_t first = block_rows_.size();
    for (int b = 0; b < state.statement.count; ++b) {
      const LawBlock& block = state.statement.blocks[b];
      offset_.push_back(static_cast<int>(block_rows_.size()));
      cones_.push_back(block.cone());
      for (int k = 0; k < block.dim; ++k) {
        block_rows_.push_back(
            {static_cast<int>(i), &block.map[k], block.offset[k], block.compliance[k], block.bond});
      }
    }
    const std::size_t count = block_rows_.size() - first;
    if (state.y.size() != count) state.y.assign(count, 0.0);
    state.statement.take_over(state.solved, state.y);
    y_.insert(y_.end(), state.y.begin(), state.y.end());
  }
  offset_.push_back(static_cast<int>(block_rows_.size()));
  x_.assign(y_.size(), 0.0);
}

// Stages before the last are of impacts alone: bodies keep their velocities but for impulses. A
// contact at rest has no impulse then, and is not set in motion by the restitution of its own
// weight.
void ContactLaws::set_free_velocities(const ContactRowsView& rows, int stage) {
  rows_free_.assign(rows.u_free, rows.u_free + rows.size());
  if (stage == stages_ - 1) return;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const ContactSituation& situation = states_[static_cast<std::size_t>(active_[i])].situation;
    std::copy_n(situation.u_start.begin(), situation.rows(), rows_free_.begin() + rows.begin[i]);
  }
}

// Impulses of earlier stages that stop all velocities leave round-off of them, which no impulse
// need answer: where W is singular none can.
static void drop_round_off(const ConstMatrixMap& W, const ConstVectorMap& shift,
                           const ConstVectorMap& free, std::vector<double>& sum) {
  constexpr double kRoundOff = 128 * 2.2e-16;
  if (shift.isZero(0)) return;
  const double terms =
      (free.cwiseAbs() + W.cwiseAbs() * shift.cwiseAbs()).lpNorm<Eigen::Infinity>();
  const auto lost = [&](double x) { return std::abs(x) <= kRoundOff * terms; };
  if (std::all_of(sum.begin(), sum.end(), lost)) std::fill(sum.begin(), sum.end(), 0.0);
}

// A W A' + C and A (u_free + W shift) + offset.
void ContactLaws::build_operator(const ContactRowsView& rows) {
  u_free_.resize(block_rows_.size());
  if (sparse_)
    build_sparse(rows);
  else
    build_dense(rows);
}

void ContactLaws::build_sparse(const ContactRowsView& rows) {
  const int m = rows.size(), n = static_cast<int>(block_rows_.size());
  const ConstVectorMap shift(shift_.data(), m);
  shifted_ = rows_free_;
  Eigen::Map<Vector>(shifted_.data(), m) += *rows.sparse_W * shift;
  MatrixEntries map, compliance;
  for (int i = 0; i < n; ++i) {
    const BlockRow& row = block_rows_[static_cast<std::size_t>(i)];
    u_free_[static_cast<std::size_t>(i)] = row.offset;
    for (int k = 0; k < rows.begin[row.contact + 1] - rows.begin[row.contact]; ++k) {
      const double a = (*row.map)[static_cast<std::size_t>(k)];
      if (a == 0) continue;
      const int at = rows.begin[row.contact] + k;
      map.emplace_back(i, at, a);
      u_free_[static_cast<std::size_t>(i)] += a * shifted_[static_cast<std::size_t>(at)];
    }
    compliance.emplace_back(i, i, row.compliance);
  }
  SparseMatrix A(n, m), C(n, n);
  A.setFromTriplets(map.begin(), map.end());
  C.setFromTriplets(compliance.begin(), compliance.end());
  const SparseMatrix half = *rows.sparse_W * SparseMatrix(A.transpose());
  SparseMatrix W = A * half;
  W += C;
  for (std::size_t b = 0; b < cones_.size(); ++b) {
    double others = 0;
    for (int i = offset_[b] + 1; i < offset_[b + 1]; ++i) others = std::max(others, W.coeff(i, i));
    const double scale = standing_scale(b, others, W.coeff(offset_[b], offset_[b]));
    if (scale == 1) continue;
    W.coeffRef(offset_[b], offset_[b]) *= scale;
    u_free_[static_cast<std::size_t>(offset_[b])] *= scale;
  }
  block_operator_ = BlockSparse(W, offset_);
}

void ContactLaws::build_dense(const ContactRowsView& rows) {
  const int m = rows.size(), n = static_cast<int>(block_rows_.size());
  const ConstMatrixMap W(rows.W, m, m);
  const ConstVectorMap shift(shift_.data(), m);
  shifted_ = rows_free_;
  Eigen::Map<Vector>(shifted_.data(), m).noalias() += W * shift;
  drop_round_off(W, shift, ConstVectorMap(rows_free_.data(), m), shifted_);
  half_.assign(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 0.0);  // W A', by columns
  W_.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const auto dim = [&](int contact) { return rows.begin[contact + 1] - rows.begin[contact]; };
  for (int j = 0; j < n; ++j) {
    const BlockRow& row = block_rows_[j];
    Eigen::Map<Vector> column(half_.data() + static_cast<std::size_t>(j) * m, m);
    for (int k = 0; k < dim(row.contact); ++k) {
      if ((*row.map)[k] != 0) column += (*row.map)[k] * W.col(rows.begin[row.contact] + k);
    }
  }
  for (int i = 0; i < n; ++i) {
    const BlockRow& row = block_rows_[i];
    u_free_[i] = row.offset;
    for (int j = 0; j < n; ++j)
      W_[i + static_cast<std::size_t>(j) * n] = i == j ? row.compliance : 0.0;
    for (int k = 0; k < dim(row.contact); ++k) {
      const double a = (*row.map)[k];
      if (a == 0) continue;
      const int at = rows.begin[row.contact] + k;
      u_free_[i] += a * shifted_[at];
      for (int j = 0; j < n; ++j)
        W_[i + static_cast<std::size_t>(j) * n] += a * half_[at + static_cast<std::size_t>(j) * m];
    }
  }
  scale_standing_rows();
  operator_ = DenseDelassus(W_.data(), n);
}

// A row that belongs to no motion says c (y - s) = 0 for whatever c > 0: that of its block's other
// rows makes it count as much as they do, for light bodies and heavy ones.
void ContactLaws::scale_standing_rows() {
  const std::size_t n = block_rows_.size();
  for (std::size_t b = 0; b < cones_.size(); ++b) {
    const auto begin = static_cast<std::size_t>(offset_[b]),
               end = static_cast<std::size_t>(offset_[b + 1]);
    double others = 0;
    for (std::size_t i = begin + 1; i < end; ++i) others = std::max(others, W_[i + i * n]);
    const double scale = standing_scale(b, others, W_[begin + begin * n]);
    if (scale == 1) continue;
    W_[begin + begin * n] *= scale;
    u_free_[begin] *= scale;
  }
}

double ContactLaws::standing_scale(std::size_t block, double others, double own) const {
  const ContactValues& map = *block_rows_[static_cast<std::size_t>(offset_[block])].map;
  const bool stands = std::all_of(map.begin(), map.end(), [](double a) { return a == 0; });
  return stands && others > 0 ? others / own : 1;
}

std::vector<BlockOwner> ContactLaws::owners() const {
  std::vector<BlockOwner> owners;
  for (std::size_t b = 0; b < cones_.size(); ++b) {
    const int c = active_[static_cast<std::size_t>(
        block_rows_[static_cast<std::size_t>(offset_[b])].contact)];
    owners.push_back({c, states_[static_cast<std::size_t>(c)].law.get()});
  }
  return owners;
}

void ContactLaws::velocities(std::vector<double>& values) const {
  values.clear();
  for (int c : active_) {
    const ContactState& state = states_[static_cast<std::size_t>(c)];
    if (!state.law || !state.law->iterates()) continue;
    const auto u = state.situation.u.begin();
    values.insert(values.end(), u, u + 1 + state.situation.tangents);
  }
}

ReducedProblem ContactLaws::view() const {
  const Delassus* W = sparse_ ? static_cast<const Delassus*>(&block_operator_) : &operator_;
  return {W, u_free_.data(), cones_, offset_};
}

void ContactLaws::take_solution(const ContactRowsView& rows, double* r, double* u) {
  const int m = rows.size();
  std::copy(shift_.begin(), shift_.end(), r);
  bond_.setZero();
  std::size_t next = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    ContactState& state = states_[static_cast<std::size_t>(active_[i])];
    for (double& y : state.y) y = y_[next++];
    state.solved = state.statement;
    for (int k = 0; k < state.situation.rows(); ++k)
      bond_[state.row_begin + k] = state.statement.shift[k];
  }
  for (std::size_t j = 0; j < block_rows_.size(); ++j) {
    const BlockRow& row = block_rows_[j];
    const ContactState& state = states_[static_cast<std::size_t>(active_[row.contact])];
    for (int k = 0; k < state.situation.rows(); ++k) {
      const double part = (*row.map)[k] * y_[j];
      r[rows.begin[row.contact] + k] += part;
      if (row.bond) bond_[state.row_begin + k] += part;
    }
  }
  if (sparse_)
    Eigen::Map<Vector>(u, m) = *rows.sparse_W * ConstVectorMap(r, m);
  else
    Eigen::Map<Vector>(u, m).noalias() = ConstMatrixMap(rows.W, m, m) * ConstVectorMap(r, m);
  for (int i = 0; i < m; ++i) u[i] += rows_free_[i];
  for (std::size_t i = 0; i < active_.size(); ++i) {
    ContactSituation& situation = states_[static_cast<std::size_t>(active_[i])].situation;
    std::copy_n(r + rows.begin[i], situation.rows(), situation.r.begin());
    std::copy_n(u + rows.begin[i], situation.rows(), situation.u.begin());
  }
}

void ContactLaws::end_stage() {
  for (int c : active_) {
    ContactState& state = states_[static_cast<std::size_t>(c)];
    ContactSituation& situation = state.situation;
    for (int k = 0; k < situation.rows(); ++k)
      situation.r_stage[k] = situation.r[k] - bond_[state.row_begin + k];
  }
}

void ContactLaws::update(const Detection& detection, const Vector& r, const Vector& u_end) {
  std::vector<double>& start = half_;  // the laws read what they replace
  for (int c : detection.active) {
    ContactState& state = states_[static_cast<std::size_t>(c)];
    if (!state.law) continue;
    for (int k = 0; k < state.situation.rows(); ++k) {
      state.situation.r[k] = r[state.row_begin + k];
      state.situation.u[k] = u_end[state.row_begin + k];
    }
    const std::span<double> memory = memory_of(state);
    start.assign(memory.begin(), memory.end());
    state.situation.memory = start;
    state.law->update(state.situation, memory);
  }
}

}  // namespace clack
