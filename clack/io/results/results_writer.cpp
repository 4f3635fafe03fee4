#include "clack/io/results/results_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clack/core/error.hpp"

namespace clack {
namespace {

// Order of publication; kTime must be the last (append_file.hpp).
enum ResultColumn : std::size_t {
  kContactId,
  kContactBodyA,
  kContactBodyB,
  kContactGap,
  kContactPoint,
  kContactNormal,
  kContactR,
  kContactU,
  kContactImpulse,
  kContactStatus,
  kContactFeature,
  kContactOffset,
  kEventTime,
  kEventKind,
  kEventId,
  kEventBodyA,
  kEventBodyB,
  kEventFeature,
  kEventUBefore,
  kEventUAfter,
  kEventImpulse,
  kEventOffset,
  kRestartValue,
  kRestartOffset,
  kSolverIterations,
  kSolverResidual,
  kSolverResidualScaled,
  kSolverVelocityError,
  kSolverStatus,
  kSolverSeconds,
  kEnergyKinetic,
  kEnergyPotential,
  kEnergyWorkExternal,
  kEnergyWorkDamping,
  kEnergyWorkContact,
  kEnergyWorkImpact,
  kEnergyWorkFriction,
  kEnergyWorkBond,
  kEnergyNumerical,
  kQ,
  kV,
  kTime,
  kColumnCount
};

enum Group : int { kByContact, kByEvent, kByNumber, kByRow };

constexpr std::int64_t kDefaultCapacity = 1024;
// A wrong guess must not ask for a file larger than the file system allows; growth is cheap.
constexpr std::int64_t kMaxInitialSize = std::int64_t{1} << 30;  // [bytes], of one column

using Columns = std::vector<ColumnSpec>;

void set_contact_columns(Columns& columns, int local_dim) {
  const auto set = [&](ResultColumn column, const char* name, ColumnType type,
                       std::vector<int> row_shape) {
    columns[column] = {.path = std::string("/contacts/") + name,
                       .type = type,
                       .row_shape = std::move(row_shape),
                       .group = kByContact};
  };
  set(kContactId, "id", ColumnType::int32, {});
  set(kContactBodyA, "body_a", ColumnType::int32, {});
  set(kContactBodyB, "body_b", ColumnType::int32, {});
  set(kContactGap, "gap", ColumnType::float64, {});
  set(kContactPoint, "point", ColumnType::float64, {3});
  set(kContactNormal, "normal", ColumnType::float64, {3});
  set(kContactR, "r", ColumnType::float64, {local_dim});
  set(kContactU, "u", ColumnType::float64, {local_dim});
  set(kContactImpulse, "impulse", ColumnType::float64, {local_dim});
  set(kContactStatus, "status", ColumnType::int32, {});
  set(kContactFeature, "feature", ColumnType::int64, {});
}

void set_event_columns(Columns& columns) {
  const auto set = [&](ResultColumn column, const char* name, ColumnType type,
                       std::vector<int> row_shape) {
    columns[column] = {.path = std::string("/events/") + name,
                       .type = type,
                       .row_shape = std::move(row_shape),
                       .group = kByEvent};
  };
  set(kEventTime, "time", ColumnType::float64, {});
  set(kEventKind, "kind", ColumnType::int32, {});
  set(kEventId, "id", ColumnType::int32, {});
  set(kEventBodyA, "body_a", ColumnType::int32, {});
  set(kEventBodyB, "body_b", ColumnType::int32, {});
  set(kEventFeature, "feature", ColumnType::int64, {});
  set(kEventUBefore, "u_before", ColumnType::float64, {3});
  set(kEventUAfter, "u_after", ColumnType::float64, {3});
  set(kEventImpulse, "impulse", ColumnType::float64, {3});
}

void set_row_columns(Columns& columns, int nq, int nv) {
  const auto set = [&](ResultColumn column, const char* path, ColumnType type,
                       std::vector<int> row_shape) {
    columns[column] = {
        .path = path, .type = type, .row_shape = std::move(row_shape), .group = kByRow};
  };
  set(kContactOffset, "/contacts/offset", ColumnType::int64, {});
  set(kEventOffset, "/events/offset", ColumnType::int64, {});
  set(kRestartOffset, "/restart/offset", ColumnType::int64, {});
  set(kSolverIterations, "/solver/iterations", ColumnType::int32, {});
  set(kSolverResidual, "/solver/residual", ColumnType::float64, {});
  set(kSolverResidualScaled, "/solver/residual_scaled", ColumnType::float64, {});
  set(kSolverVelocityError, "/solver/velocity_error", ColumnType::float64, {});
  set(kSolverStatus, "/solver/status", ColumnType::int32, {});
  set(kSolverSeconds, "/solver/seconds", ColumnType::float64, {});
  set(kEnergyKinetic, "/energy/kinetic", ColumnType::float64, {});
  set(kEnergyPotential, "/energy/potential", ColumnType::float64, {});
  set(kEnergyWorkExternal, "/energy/work_external", ColumnType::float64, {});
  set(kEnergyWorkDamping, "/energy/work_damping", ColumnType::float64, {});
  set(kEnergyWorkContact, "/energy/work_contact", ColumnType::float64, {});
  set(kEnergyWorkImpact, "/energy/work_impact", ColumnType::float64, {});
  set(kEnergyWorkFriction, "/energy/work_friction", ColumnType::float64, {});
  set(kEnergyWorkBond, "/energy/work_bond", ColumnType::float64, {});
  set(kEnergyNumerical, "/energy/numerical", ColumnType::float64, {});
  set(kQ, "/q", ColumnType::float64, {nq});
  set(kV, "/v", ColumnType::float64, {nv});
  set(kTime, "/time", ColumnType::float64, {});
}

// One capacity for all columns of a group, so that they are exhausted at the same row.
void set_capacity(Columns& columns, int group, std::int64_t expected) {
  std::int64_t capacity = expected > 0 ? expected : kDefaultCapacity;
  for (const auto& column : columns) {
    if (column.group != group) continue;
    const auto size = std::max<std::int64_t>(1, static_cast<std::int64_t>(row_size(column)));
    capacity = std::min(capacity, std::max<std::int64_t>(1, kMaxInitialSize / size));
  }
  for (auto& column : columns) {
    if (column.group == group) column.capacity = capacity;
  }
}

Columns make_columns(const ResultsHeader& header) {
  Columns columns(kColumnCount);
  set_contact_columns(columns, header.local_dim);
  set_event_columns(columns);
  set_row_columns(columns, header.nq, header.nv);
  columns[kContactOffset].initial_rows = 1;  // offset[0] = 0
  columns[kEventOffset].initial_rows = 1;
  columns[kRestartOffset].initial_rows = 1;
  columns[kRestartValue] = {.path = "/restart/value", .row_shape = {}, .group = kByNumber};
  Columns extra;
  for (const ExtraColumn& column : header.extra_columns) {
    const std::vector<int> shape =
        column.width == 1 ? std::vector<int>{} : std::vector{column.width};
    extra.push_back({.path = column.path, .row_shape = shape, .group = kByRow});
  }
  columns.insert(columns.begin(), extra.begin(), extra.end());
  Columns law;
  for (const std::string& name : header.law_variables)
    law.push_back({.path = "/contacts/law/" + name, .row_shape = {}, .group = kByContact});
  columns.insert(columns.begin(), law.begin(), law.end());
  set_capacity(columns, kByEvent, 0);
  set_capacity(columns, kByNumber, 0);
  // +1: the offsets have one row more than the others.
  set_capacity(columns, kByRow, header.expected_rows > 0 ? header.expected_rows + 1 : 0);
  const bool known = header.expected_contacts > 0;
  set_capacity(columns, kByContact, known ? header.expected_contacts : header.expected_rows);
  return columns;
}

void add_bodies(const std::vector<BodyEntry>& bodies, std::vector<StaticDataset>& datasets) {
  std::vector<std::string> names;
  std::vector<std::string> shapes;
  std::vector<std::int32_t> q_ranges;
  std::vector<std::int32_t> v_ranges;
  for (const auto& body : bodies) {
    names.push_back(body.name);
    shapes.push_back(body.shape);
    q_ranges.insert(q_ranges.end(), body.q_range.begin(), body.q_range.end());
    v_ranges.insert(v_ranges.end(), body.v_range.begin(), body.v_range.end());
  }
  const int count = static_cast<int>(bodies.size());
  datasets.push_back({"/bodies/name", std::move(names)});
  datasets.push_back({"/bodies/shape", std::move(shapes)});
  datasets.push_back({"/bodies/q_range", std::move(q_ranges), {count, 2}});
  datasets.push_back({"/bodies/v_range", std::move(v_ranges), {count, 2}});
}

StaticContent make_content(const ResultsHeader& header) {
  StaticContent content;
  content.attributes = header.attributes;
  content.attributes["format"] = "clack results 1";
  add_bodies(header.bodies, content.datasets);
  content.datasets.push_back({"/model/q_name", header.q_names});
  content.datasets.push_back({"/model/v_name", header.v_names});
  content.datasets.push_back({"/model/contact_name", header.contact_names});
  content.datasets.insert(content.datasets.end(), header.extra.begin(), header.extra.end());
  return content;
}

void check_names(const char* what, const std::vector<std::string>& names, int count) {
  if (names.empty() || static_cast<int>(names.size()) == count) return;
  throw InputError(
      fmt::format("results header: {} {} for {} coordinates", names.size(), what, count));
}

const ResultsHeader& checked(const ResultsHeader& header) {
  if (header.nq < 0 || header.nv < 0) throw InputError("results header: negative nq or nv");
  if (header.local_dim < 1 || header.local_dim > kMaxLocalDim) {
    throw InputError(fmt::format("results header: local_dim = {}, allowed are 1 to {}",
                                 header.local_dim, kMaxLocalDim));
  }
  for (const ExtraColumn& column : header.extra_columns) {
    if (column.width < 1)
      throw InputError(fmt::format("results header: {} has width {}", column.path, column.width));
  }
  check_names("q_names", header.q_names, header.nq);
  check_names("v_names", header.v_names, header.nv);
  return header;
}

std::vector<std::size_t> widths(const ResultsHeader& header) {
  std::vector<std::size_t> result;
  for (const ExtraColumn& column : header.extra_columns) {
    result.push_back(static_cast<std::size_t>(column.width));
  }
  return result;
}

std::chrono::steady_clock::duration interval(const ResultsWriterOptions& options) {
  options.validate();
  using Duration = std::chrono::steady_clock::duration;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(options.publish_interval));
}

}  // namespace

void ResultsWriterOptions::validate() const {
  constexpr double kLongest = 3600;
  if (!(publish_interval >= 0 && publish_interval <= kLongest)) {
    throw InputError(
        fmt::format("publish_interval = {} s, allowed are 0 to {} s", publish_interval, kLongest));
  }
}

ResultsWriter::ResultsWriter(const std::string& path, const ResultsHeader& header,
                             const ResultsWriterOptions& options)
    : nq_(header.nq),
      nv_(header.nv),
      law_count_(header.law_variables.size()),
      extra_widths_(widths(header)),
      extra_size_(std::accumulate(extra_widths_.begin(), extra_widths_.end(), std::size_t{0})),
      publish_interval_(interval(options)),
      file_(path, make_columns(checked(header)), make_content(header)),
      last_publish_(Clock::now()) {}

std::int64_t ResultsWriter::rows() const { return file_.rows(column(kTime)); }

std::int64_t ResultsWriter::published_rows() const { return file_.published_rows(column(kTime)); }

void ResultsWriter::append(const ResultRow& row) {
  check(row);
  if (failed_)
    throw IoError("cannot append to " + path() + ": an earlier row could not be written");
  // Part of a row may be left behind by a failure: it stays behind the end of /time for good.
  failed_ = true;
  append_columns(row);
  publish_if_due();
  failed_ = false;
}

void ResultsWriter::append_event(const EventRow& event) {
  if (failed_)
    throw IoError("cannot append to " + path() + ": an earlier row could not be written");
  failed_ = true;
  file_.append(column(kEventTime), &event.time, 1);
  file_.append(column(kEventKind), &event.kind, 1);
  file_.append(column(kEventId), &event.id, 1);
  file_.append(column(kEventBodyA), &event.body_a, 1);
  file_.append(column(kEventBodyB), &event.body_b, 1);
  file_.append(column(kEventFeature), &event.feature, 1);
  file_.append(column(kEventUBefore), event.u_before.data(), 1);
  file_.append(column(kEventUAfter), event.u_after.data(), 1);
  file_.append(column(kEventImpulse), event.impulse.data(), 1);
  ++event_count_;
  failed_ = false;
}

void ResultsWriter::publish() {
  file_.publish();
  last_publish_ = Clock::now();
}

void ResultsWriter::move_to(const std::string& target) {
  publish();
  file_.move_to(target);
}

void ResultsWriter::finish() { file_.finish(); }

void ResultsWriter::check(const ResultRow& row) const {
  const auto nq = static_cast<std::size_t>(nq_);
  const auto nv = static_cast<std::size_t>(nv_);
  if (row.extra.size() != extra_size_) {
    throw InputError(fmt::format("result row at t = {}: {} numbers of extra columns, expected {}",
                                 row.time, row.extra.size(), extra_size_));
  }
  if (row.law.size() != law_count_ * row.contacts.size()) {
    throw InputError(
        fmt::format("result row at t = {}: {} law variables of {} contacts, expected {}", row.time,
                    row.law.size(), row.contacts.size(), law_count_ * row.contacts.size()));
  }
  if (row.q.size() == nq && row.v.size() == nv) return;
  throw InputError(fmt::format("result row at t = {}: sizes of q, v are {}, {}, expected {}, {}",
                               row.time, row.q.size(), row.v.size(), nq_, nv_));
}

void ResultsWriter::append_columns(const ResultRow& row) {
  for (const auto& contact : row.contacts) append_contact(contact);
  append_law(row.law);
  contact_count_ += static_cast<std::int64_t>(row.contacts.size());
  file_.append(column(kContactOffset), &contact_count_, 1);
  file_.append(column(kEventOffset), &event_count_, 1);
  for (const double value : row.restart) file_.append(column(kRestartValue), &value, 1);
  restart_count_ += static_cast<std::int64_t>(row.restart.size());
  file_.append(column(kRestartOffset), &restart_count_, 1);
  file_.append(column(kSolverIterations), &row.solver.iterations, 1);
  file_.append(column(kSolverResidual), &row.solver.residual, 1);
  file_.append(column(kSolverResidualScaled), &row.solver.residual_scaled, 1);
  file_.append(column(kSolverVelocityError), &row.solver.velocity_error, 1);
  file_.append(column(kSolverStatus), &row.solver.status, 1);
  file_.append(column(kSolverSeconds), &row.solver.seconds, 1);
  file_.append(column(kEnergyKinetic), &row.energy.kinetic, 1);
  file_.append(column(kEnergyPotential), &row.energy.potential, 1);
  file_.append(column(kEnergyWorkExternal), &row.energy.work_external, 1);
  file_.append(column(kEnergyWorkDamping), &row.energy.work_damping, 1);
  file_.append(column(kEnergyWorkContact), &row.energy.work_contact, 1);
  file_.append(column(kEnergyWorkImpact), &row.energy.work_impact, 1);
  file_.append(column(kEnergyWorkFriction), &row.energy.work_friction, 1);
  file_.append(column(kEnergyWorkBond), &row.energy.work_bond, 1);
  file_.append(column(kEnergyNumerical), &row.energy.numerical, 1);
  const double* extra = row.extra.data();
  for (std::size_t i = 0; i < extra_widths_.size(); extra += extra_widths_[i++]) {
    file_.append(law_count_ + i, extra, 1);
  }
  file_.append(column(kQ), row.q.data(), 1);
  file_.append(column(kV), row.v.data(), 1);
  file_.append(column(kTime), &row.time, 1);
}

void ResultsWriter::append_contact(const ContactRow& contact) {
  static_assert(sizeof(int) == 4, "/contacts/id and others are int32");
  file_.append(column(kContactId), &contact.id, 1);
  file_.append(column(kContactBodyA), &contact.body_a, 1);
  file_.append(column(kContactBodyB), &contact.body_b, 1);
  file_.append(column(kContactGap), &contact.gap, 1);
  file_.append(column(kContactPoint), contact.point.data(), 1);
  file_.append(column(kContactNormal), contact.normal.data(), 1);
  file_.append(column(kContactR), contact.r.data(), 1);
  file_.append(column(kContactU), contact.u.data(), 1);
  file_.append(column(kContactImpulse), contact.impulse.data(), 1);
  file_.append(column(kContactStatus), &contact.status, 1);
  file_.append(column(kContactFeature), &contact.feature, 1);
}

void ResultsWriter::append_law(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) file_.append(i % law_count_, &values[i], 1);
}

void ResultsWriter::publish_if_due() {
  // Asked for every row: it costs some 30 ns, and a row may be a second of work.
  if (Clock::now() - last_publish_ >= publish_interval_) publish();
}

}  // namespace clack
