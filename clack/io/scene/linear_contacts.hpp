// The contacts and constraints of a linear system in a scene.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clack/io/scene/system_reader.hpp"

namespace clack {

// A row of G or T by its entries: coordinate and value.
using SparseRow = std::vector<std::pair<int, double>>;

struct LinearRows {
  Contact contact;
  SparseRow normal;
  std::vector<SparseRow> tangents;
};

class LinearContactReader {
 public:
  // `named` has the coordinates; `time_names` what formulas of t may use. Both must outlive it.
  LinearContactReader(Vocabulary& vocabulary, const NamedSystem& named,
                      const formula::Names& time_names);

  void read(const Field& list, bool bilateral);
  bool good() const { return good_; }
  // The place of a coordinate; complains at `entry` and returns -1 where there is none.
  int place(const Entry& entry) const;
  // Whether a map is `{file: NAME}` and not a row of a coordinate with that name.
  bool is_file(const Field& field) const;

  std::vector<LinearRows> contacts;
  std::vector<formula::Expr> outputs;  // per contact: g0, dg0/dt, drive of each further row

 private:
  void read_one(const Field& field, bool bilateral, std::size_t index);
  void read_group(const Field& field, bool bilateral, std::size_t index);
  std::vector<SparseRow> file_rows(const Field& field, int count, const char* zero);
  std::vector<formula::Expr> group_offsets(const Field& field, std::size_t count);
  void add(LinearRows rows, formula::Expr g0, const std::vector<formula::Expr>& speeds);
  std::optional<SparseRow> read_row(const Field& field);
  std::optional<std::vector<SparseRow>> read_rows(const Field& field);
  std::vector<SparseRow> read_tangents(const Field& field);
  std::vector<SparseRow> read_turns(const Field& turn, int tangents);
  std::vector<formula::Expr> read_drive(const Field& field, int tangents);
  formula::Expr time_formula(const Field& field);

  Vocabulary& vocabulary_;
  const NamedSystem& named_;
  const formula::Names& time_names_;
  int n_;
  std::unordered_map<std::string_view, int> places_;
  bool good_ = true;
};

}  // namespace clack
