#include "clack/io/scene/linear_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/io/scene/linear_matrices.hpp"

namespace clack {

using formula::Expr;

namespace {

constexpr const char* kNoGap = "is zero: the gap depends on no coordinate";
constexpr const char* kNoVelocity = "is zero: a tangential velocity must depend on a velocity";

SparseRow to_row(const Vector& values) {
  SparseRow row;
  for (int i = 0; i < values.size(); ++i) {
    if (values[i] != 0) row.emplace_back(i, values[i]);
  }
  return row;
}

bool expect_keys(const Field& field, bool bilateral) {
  if (bilateral) return field.expect_map({"name", "G", "g0"});
  return field.expect_map({"name", "G", "g0", "T", "drive", "turn", "area", "mu", "e_n", "e_t",
                           "normal", "friction", "cohesion", "link"});
}

// Of row `at`, which is copied in turn to each contact of a group.
std::vector<SparseRow> take(const std::vector<SparseRow>& rows, std::size_t at, std::size_t count) {
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at * count);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

LinearContactReader::LinearContactReader(Vocabulary& vocabulary, const NamedSystem& named,
                                         const formula::Names& time_names)
    : vocabulary_(vocabulary),
      named_(named),
      time_names_(time_names),
      n_(static_cast<int>(named.q_names.size())) {
  places_.reserve(named.q_names.size());
  for (int i = 0; i < n_; ++i) places_.emplace(named.q_names[static_cast<std::size_t>(i)], i);
}

int LinearContactReader::place(const Entry& entry) const {
  const auto found = places_.find(entry.key);
  if (found != places_.end()) return found->second;
  const std::vector<std::string>& names = named_.q_names;
  entry.name.complain("unknown name" + allowed_words(entry.key, {names.begin(), names.end()}));
  return -1;
}

bool LinearContactReader::is_file(const Field& field) const {
  return is_matrix_file(field) && !places_.contains("file");
}

Expr LinearContactReader::time_formula(const Field& field) {
  const std::optional<Expr> e = vocabulary_.formula(field, time_names_, "a formula of t");
  good_ = good_ && e.has_value();
  return e.value_or(vocabulary_.graph.constant(0));
}

void LinearContactReader::read(const Field& list, bool bilateral) {
  const std::vector<Field> items =
      list.items(bilateral ? "a list of constraints" : "a list of contacts");
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!expect_keys(items[i], bilateral)) {
      good_ = false;
      continue;
    }
    const auto G = items[i].find("G");
    if (G && is_file(*G))
      read_group(items[i], bilateral, i);
    else
      read_one(items[i], bilateral, i);
  }
}

void LinearContactReader::read_one(const Field& field, bool bilateral, std::size_t index) {
  LinearRows rows;
  rows.contact.name = read_name(field, vocabulary_, bilateral ? "constraint" : "contact", index);
  rows.contact.bilateral = bilateral;
  const auto G = field.require("G", fmt::format("the row of the gap, {} numbers", n_));
  const auto normal = G ? read_row(*G) : std::nullopt;
  good_ = good_ && normal.has_value();
  rows.normal = normal.value_or(SparseRow{});
  if (normal && normal->empty()) {
    G->complain(kNoGap);
    good_ = false;
  }
  const auto g0 = field.find("g0");
  const Expr offset = g0 ? time_formula(*g0) : vocabulary_.graph.constant(0);
  rows.tangents = read_tangents(field);
  rows.contact.tangents = static_cast<int>(rows.tangents.size());
  const std::vector<Expr> speeds = read_drive(field, rows.contact.tangents);
  if (const auto turn = field.find("turn")) {
    const std::vector<SparseRow> turns = read_turns(*turn, rows.contact.tangents);
    rows.contact.turns = static_cast<int>(turns.size());
    rows.tangents.insert(rows.tangents.end(), turns.begin(), turns.end());
  }
  if (!bilateral) rows.contact.law = read_law(field, vocabulary_, "T");
  rows.contact.area = read_area(field, vocabulary_);
  add(std::move(rows), offset, speeds);
}

void LinearContactReader::add(LinearRows rows, Expr g0, const std::vector<Expr>& speeds) {
  outputs.push_back(g0);
  outputs.push_back(vocabulary_.graph.derivative(g0, named_.t));
  outputs.insert(outputs.end(), speeds.begin(), speeds.end());
  outputs.resize(outputs.size() + static_cast<std::size_t>(rows.contact.turns),
                 vocabulary_.graph.constant(0));
  contacts.push_back(std::move(rows));
}

// One contact for each row of the file G; T and turn have one row or more for each of them.
void LinearContactReader::read_group(const Field& field, bool bilateral, std::size_t index) {
  const std::string name =
      read_name(field, vocabulary_, bilateral ? "constraint" : "contact", index);
  const std::vector<SparseRow> normals = file_rows(*field.find("G"), -1, kNoGap);
  const std::size_t count = normals.size();
  std::vector<SparseRow> tangents, turns;
  const auto T = field.find("T"), turn = field.find("turn");
  if (T) tangents = file_rows(*T, static_cast<int>(count), kNoVelocity);
  if (turn) turns = file_rows(*turn, static_cast<int>(count), nullptr);
  const std::vector<Expr> offsets = group_offsets(field, count);
  if (!good_ || count == 0) return;
  LinearRows all;
  all.contact.bilateral = bilateral;
  all.contact.tangents = static_cast<int>(tangents.size() / count);
  all.contact.turns = static_cast<int>(turns.size() / count);
  if (all.contact.tangents > 2) {
    T->complain(
        fmt::format("has {} rows for {} contacts; one (plane) or two (space) are allowed "
                    "for each",
                    tangents.size(), count));
    good_ = false;
  }
  if (turn) good_ = allowed_turns(*turn, all.contact.tangents, all.contact.turns) > 0 && good_;
  const std::vector<Expr> speeds = read_drive(field, all.contact.tangents);
  if (!bilateral) all.contact.law = read_law(field, vocabulary_, "T");
  all.contact.area = read_area(field, vocabulary_);
  for (std::size_t c = 0; c < count && good_; ++c) {
    LinearRows one = all;
    one.contact.name = fmt::format("{} {}", name, c + 1);
    if (!vocabulary_.labels.emplace(false, one.contact.name).second) {
      field.complain(fmt::format("the name '{}' is taken already", one.contact.name));
      good_ = false;
    }
    one.normal = normals[c];
    one.tangents = take(tangents, c, static_cast<std::size_t>(all.contact.tangents));
    for (SparseRow& row : take(turns, c, static_cast<std::size_t>(all.contact.turns)))
      one.tangents.push_back(std::move(row));
    add(std::move(one), offsets[c], speeds);
  }
}

// Rows of a file with n columns, `count` or a multiple of it; `zero` says what a row without
// entries lacks.
std::vector<SparseRow> LinearContactReader::file_rows(const Field& field, int count,
                                                      const char* zero) {
  std::vector<SparseRow> rows;
  if (!is_file(field)) {
    field.complain("expected {file: NAME}, as 'G' is given");
    good_ = false;
    return rows;
  }
  const std::optional<SparseMatrix> matrix = read_matrix_file(field, vocabulary_, -1, n_);
  good_ = good_ && matrix.has_value();
  if (!matrix) return rows;
  rows.resize(static_cast<std::size_t>(matrix->rows()));
  for (int j = 0; j < matrix->outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(*matrix, j); it; ++it) {
      if (it.value() != 0) rows[static_cast<std::size_t>(it.row())].emplace_back(j, it.value());
    }
  }
  const auto empty = std::find(rows.begin(), rows.end(), SparseRow{});
  if (zero && empty != rows.end()) {
    field.complain(fmt::format("row {} {}", empty - rows.begin() + 1, zero));
    good_ = false;
  }
  if (count > 0 && rows.size() % static_cast<std::size_t>(count) != 0) {
    field.complain(fmt::format("has {} rows; expected as many for each of the {} rows of 'G'",
                               rows.size(), count));
    good_ = false;
  }
  return rows;
}

// A formula for all contacts of a group, or a file with a number for each.
std::vector<Expr> LinearContactReader::group_offsets(const Field& field, std::size_t count) {
  const auto g0 = field.find("g0");
  if (!g0) return std::vector<Expr>(count, vocabulary_.graph.constant(0));
  if (!is_file(*g0)) return std::vector<Expr>(count, time_formula(*g0));
  std::vector<Expr> offsets;
  const auto values = read_matrix_file(*g0, vocabulary_, static_cast<int>(count), 1);
  good_ = good_ && values.has_value();
  for (std::size_t c = 0; values && c < count; ++c) {
    offsets.push_back(vocabulary_.graph.constant(values->coeff(static_cast<Eigen::Index>(c), 0)));
  }
  return offsets;
}

// A list of n numbers, or a map by the names of coordinates; what a map leaves out is zero.
std::optional<SparseRow> LinearContactReader::read_row(const Field& field) {
  if (!field.is_map()) {
    const std::optional<Vector> values = vocabulary_.row(field, n_);
    if (!values) return std::nullopt;
    return to_row(*values);
  }
  if (!field.expect_free_map()) return std::nullopt;
  SparseRow row;
  bool good = true;
  for (const Entry& entry : field.entries()) {
    const auto value = vocabulary_.number(entry.value);
    const int at = place(entry);
    good = good && value && at >= 0;
    if (value && at >= 0 && *value != 0) row.emplace_back(at, *value);
  }
  if (!good) return std::nullopt;
  std::sort(row.begin(), row.end());
  return row;
}

// A list of such rows.
std::optional<std::vector<SparseRow>> LinearContactReader::read_rows(const Field& field) {
  const std::vector<Field> items = field.is_list() ? field.items() : std::vector<Field>{};
  std::vector<SparseRow> rows;
  if (std::any_of(items.begin(), items.end(), [](const Field& x) { return x.is_map(); })) {
    for (const Field& item : items) {
      const std::optional<SparseRow> row = read_row(item);
      if (!row) return std::nullopt;
      rows.push_back(*row);
    }
    return rows;
  }
  const std::optional<Matrix> matrix = vocabulary_.matrix(field, -1, n_);
  if (!matrix) return std::nullopt;
  for (int k = 0; k < matrix->rows(); ++k) rows.push_back(to_row(matrix->row(k).transpose()));
  return rows;
}

std::vector<SparseRow> LinearContactReader::read_tangents(const Field& field) {
  const auto T = field.find("T");
  if (!T) return {};
  const std::optional<std::vector<SparseRow>> rows = read_rows(*T);
  good_ = good_ && rows.has_value();
  if (!rows) return {};
  if (rows->size() > 2) {
    T->complain(fmt::format("has {} tangential rows; one (plane) or two (space) are allowed",
                            rows->size()));
    good_ = false;
  }
  for (std::size_t k = 0; k < rows->size(); ++k) {
    if (!(*rows)[k].empty()) continue;
    T->items()[k].complain(kNoVelocity);
    good_ = false;
  }
  return *rows;
}

// Rows of relative rotation follow the tangential ones.
std::vector<SparseRow> LinearContactReader::read_turns(const Field& turn, int tangents) {
  const std::optional<std::vector<SparseRow>> rows = read_rows(turn);
  good_ = good_ && rows.has_value();
  if (!rows) return {};
  const bool allowed = allowed_turns(turn, tangents, static_cast<int>(rows->size())) > 0;
  good_ = good_ && allowed;
  return allowed ? *rows : std::vector<SparseRow>{};
}

std::vector<Expr> LinearContactReader::read_drive(const Field& field, int tangents) {
  std::vector<Expr> speeds(static_cast<std::size_t>(tangents), vocabulary_.graph.constant(0));
  const auto drive = field.find("drive");
  if (!drive) return speeds;
  if (!field.find("T")) {
    drive->complain("needs a tangential direction: give 'T' too");
    return speeds;
  }
  if (tangents == 0) return speeds;  // 'T' is wrong already
  const std::vector<Field> items =
      drive->items("a list of formulas of t, one a tangential row [m/s]");
  if (drive->is_list() && items.size() != speeds.size()) {
    drive->complain(fmt::format("expected one formula a tangential row, {} in all; found {}",
                                speeds.size(), items.size()));
    good_ = false;
    return speeds;
  }
  for (std::size_t k = 0; k < items.size(); ++k) speeds[k] = time_formula(items[k]);
  return speeds;
}

}  // namespace clack
