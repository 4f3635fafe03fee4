// The curves of a report: one number a row of the results and a column.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/core/error.hpp"
#include "clack/io/report/run_data.hpp"

namespace clack {
namespace {

constexpr int kManyCoordinates = 12, kManyContacts = 16;
constexpr std::int64_t kContactsAtOnce = 500000;
constexpr int kStatuses = 5;  // docs/results.md
constexpr const char* kStatusNames[kStatuses] = {"open", "separating", "sticking", "sliding",
                                                 "bilateral"};
constexpr const char* kAccounts[] = {"kinetic",       "potential",    "work_external",
                                     "work_damping",  "work_contact", "work_impact",
                                     "work_friction", "work_bond",    "numerical"};
const double kNone = std::numeric_limits<double>::quiet_NaN();

// All where they are few, else evenly spaced, the last one with them.
std::vector<int> spread(const std::vector<int>& all) {
  const auto count = static_cast<int>(all.size());
  if (count <= kManyCoordinates) return all;
  std::vector<int> chosen;
  for (int i = 0; i < kManyCoordinates; ++i) {
    const auto at = std::lround(double(i) * (count - 1) / (kManyCoordinates - 1));
    chosen.push_back(all[static_cast<std::size_t>(at)]);
  }
  return chosen;
}

void pick(const std::vector<std::string>& names, const std::vector<std::string>& wanted,
          std::vector<int>& chosen) {
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) chosen.push_back(static_cast<int>(found - names.begin()));
  }
}

double merge_values(double a, double b, bool largest) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return largest ? std::max(a, b) : std::min(a, b);
}

}  // namespace

struct RunData::Rows {
  std::vector<std::vector<double>> column;  // by column, then by row
};

void RunData::choose_coordinates(const std::vector<std::string>& wanted) {
  const std::vector<std::string> q = reader_.q_names(), v = reader_.v_names();
  if (wanted.empty()) {
    std::vector<int> others_q, others_v;
    for (int i = first_q_; i < static_cast<int>(q.size()); ++i)
      if (!joints_.is_coordinate(i)) others_q.push_back(i);
    for (int i = first_v_; i < static_cast<int>(v.size()); ++i) others_v.push_back(i);
    chosen_q_ = spread(others_q);
    chosen_v_ = spread(others_v);
    return;
  }
  pick(q, wanted, chosen_q_);
  pick(v, wanted, chosen_v_);
  std::erase_if(chosen_q_, [&](int i) { return joints_.is_coordinate(i); });
  for (const std::string& name : wanted) {
    if (!joints_.has_coordinate(name, q) && std::find(q.begin(), q.end(), name) == q.end() &&
        std::find(v.begin(), v.end(), name) == v.end())
      throw InputError("--coordinates: there is no coordinate or velocity '" + name + "'");
  }
}

void RunData::make_columns() {
  const std::vector<std::string> q = reader_.q_names(), v = reader_.v_names();
  for (int i : chosen_q_) columns_.push_back({"q", q.at(static_cast<std::size_t>(i)), ""});
  for (int i : chosen_v_) columns_.push_back({"v", v.at(static_cast<std::size_t>(i)), ""});
  for (const JointData::Curve& x : joints_.curves())
    columns_.push_back(
        {x.group, x.name, x.unit, x.group.starts_with("reaction") ? Merge::largest : Merge::first});
  for (const char* account : kAccounts)
    if (reader_.has(std::string("/energy/") + account))
      columns_.push_back({"energy", account, "J"});
  columns_.push_back({"solver", "residual", "", Merge::largest});
  columns_.push_back({"solver", "residual_scaled", "", Merge::largest});
  if (reader_.has("/solver/velocity_error"))
    columns_.push_back({"solver", "velocity_error", "", Merge::largest});
  columns_.push_back({"solver", "iterations", "", Merge::largest});
  columns_.push_back({"solver", "status", "", Merge::largest});
  for (const std::string& name : reader_.members("/measures"))
    columns_.push_back({"measures", name, ""});
  for (const std::string& name : reader_.members("/sample"))
    columns_.push_back({"sample", name, ""});
  for (int k = 1; k < kStatuses; ++k) columns_.push_back({"contacts", kStatusNames[k], ""});
  columns_.push_back({"gap", "smallest gap", "m", Merge::smallest});
  columns_.push_back({"force", "largest normal impulse", "N s", Merge::largest});
  if (static_cast<int>(contact_names_.size()) > kManyContacts) {
    contact_ids_.clear();
    return;
  }
  for (const std::string& name : contact_names_) {
    columns_.push_back({"contact_gap", name, "m", Merge::smallest});
    columns_.push_back({"contact_r", name, "N s", Merge::largest});
    columns_.push_back({"contact_status", name, "", Merge::largest});
  }
}

RunData::Rows RunData::read_curves(std::int64_t first, std::int64_t count) const {
  Rows rows;
  const auto take = [&](const RowMatrix& values, Eigen::Index at) {
    const Eigen::VectorXd column = values.col(at);
    rows.column.emplace_back(column.begin(), column.end());
  };
  if (!chosen_q_.empty() || !chosen_v_.empty()) {
    const RowMatrix q = reader_.slice("/q", first, count), v = reader_.slice("/v", first, count);
    for (int i : chosen_q_) take(q, i);
    for (int i : chosen_v_) take(v, i);
  }
  for (std::vector<double>& curve : joints_.read(reader_, first, count))
    rows.column.push_back(std::move(curve));
  for (std::size_t c = rows.column.size(); c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (column.group == "contacts") break;  // from here on counted
    take(reader_.slice("/" + column.group + "/" + column.name, first, count), 0);
  }
  read_contact_curves(first, count, rows);
  return rows;
}

void RunData::read_contact_curves(std::int64_t first, std::int64_t count, Rows& rows) const {
  const std::size_t base = rows.column.size(), others = columns_.size() - base;
  const auto n = static_cast<std::size_t>(count);
  for (std::size_t k = 0; k < others; ++k) {
    const std::string& group = columns_[base + k].group;
    const bool counted = group == "contacts" || group == "contact_status" || group == "contact_r" ||
                         group == "force";
    rows.column.emplace_back(n, counted ? 0.0 : kNone);
  }
  const auto at = [&](std::size_t k) { return rows.column[base + k].data(); };
  constexpr std::size_t kGap = kStatuses - 1, kForce = kGap + 1, kNamed = kForce + 1;
  for (std::int64_t row = first; row < first + count;) {
    std::int64_t last = row + 1;  // as many rows as are read at once
    const auto offset = [&](std::int64_t k) {
      return contact_offset_[static_cast<std::size_t>(k)];
    };
    while (last < first + count && offset(last + 1) - offset(row) < kContactsAtOnce) ++last;
    const std::int64_t from = offset(row), total = offset(last) - from;
    const RowMatrix status = reader_.slice("/contacts/status", from, total),
                    gap = reader_.slice("/contacts/gap", from, total),
                    r = reader_.slice("/contacts/r", from, total),
                    id = reader_.slice("/contacts/id", from, total);
    for (; row < last; ++row) {
      const auto k = static_cast<std::size_t>(row - first);
      for (std::int64_t c = offset(row) - from; c < offset(row + 1) - from; ++c) {
        const int state = static_cast<int>(status(c, 0));
        if (state >= 1 && state < kStatuses) at(static_cast<std::size_t>(state) - 1)[k] += 1;
        if (state != kStatuses - 1) {  // a constraint has no gap to speak of
          at(kGap)[k] = merge_values(at(kGap)[k], gap(c, 0), false);
          at(kForce)[k] = std::max(at(kForce)[k], r(c, 0));
        }
        const auto own = std::find(contact_ids_.begin(), contact_ids_.end(), id(c, 0));
        const auto named = kNamed + 3 * static_cast<std::size_t>(own - contact_ids_.begin());
        if (named + 2 >= others) continue;
        at(named)[k] = gap(c, 0);
        at(named + 1)[k] = r(c, 0);
        at(named + 2)[k] = state;
      }
    }
  }
}

Block RunData::curves_block(std::int64_t merged, std::int64_t first, std::int64_t count) const {
  const std::int64_t row = first * merged, end = std::min(rows(), (first + count) * merged);
  const Rows read = read_curves(row, end - row);
  Block block;
  block.header = {{"first", first}, {"merged", merged}};
  std::vector<double> values;
  for (std::int64_t k = row; k < end; k += merged)
    values.push_back(time_[static_cast<std::size_t>(k)]);
  block.add("time", values);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::vector<double>& column = read.column[c];
    values.clear();
    for (std::size_t k = 0; k < column.size(); ++k) {
      if (k % static_cast<std::size_t>(merged) == 0) {
        values.push_back(column[k]);
      } else if (columns_[c].merge != Merge::first) {
        values.back() = merge_values(values.back(), column[k], columns_[c].merge == Merge::largest);
      }
    }
    // Small changes of large numbers would be lost in single precision.
    const std::string& group = columns_[c].group;
    if (group == "energy" || group == "q" || group == "joint") {
      block.add(std::to_string(c), values);
    } else {
      block.add_single(std::to_string(c), values);
    }
  }
  return block;
}

}  // namespace clack
