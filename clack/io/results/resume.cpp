#include "clack/io/results/resume.hpp"

#include <algorithm>

namespace clack {
namespace {

// The columns of a file in memory, given out row by row.
class OldRows {
 public:
  OldRows(const ResultsReader& file, const ResultsHeader& header)
      : file_(&file),
        time_(file.time()),
        q_(file.q()),
        v_(file.v()),
        energy_(file.energy()),
        solver_(file.solver()),
        contacts_(file.contacts()),
        events_(file.events()) {
    for (const ExtraColumn& column : header.extra_columns)
      extra_.push_back(file.column(column.path));
    for (const std::string& name : header.law_variables)
      law_.push_back(file.matrix("/contacts/law/" + name));
  }

  std::size_t count() const { return time_.size(); }

  const ResultRow& row(std::size_t k) {
    row_.time = time_[k];
    const auto i = static_cast<Eigen::Index>(k);
    row_.q = {q_.data() + i * q_.cols(), static_cast<std::size_t>(q_.cols())};
    row_.v = {v_.data() + i * v_.cols(), static_cast<std::size_t>(v_.cols())};
    row_.energy = {energy_.kinetic[k],       energy_.potential[k],    energy_.work_external[k],
                   energy_.work_damping[k],  energy_.work_contact[k], energy_.work_impact[k],
                   energy_.work_friction[k], energy_.work_bond[k],    energy_.numerical[k]};
    restart_ = file_->restart(i);
    row_.restart = restart_;
    row_.solver = {solver_.iterations[k],     solver_.residual[k], solver_.residual_scaled[k],
                   solver_.velocity_error[k], solver_.status[k],   solver_.seconds[k]};
    set_extra(i);
    set_contacts(k);
    return row_;
  }

  // The events between row k and the one before, to the writer.
  void append_events(std::size_t k, ResultsWriter& writer) const {
    if (events_.offset.empty()) return;  // a file of an older version
    const auto begin = k == 0 ? 0 : static_cast<std::size_t>(events_.offset[k]);
    for (std::size_t i = begin; i < static_cast<std::size_t>(events_.offset[k + 1]); ++i)
      writer.append_event(event(i));
  }

 private:
  EventRow event(std::size_t i) const {
    EventRow row;
    row.time = events_.time[i];
    row.kind = static_cast<EventKind>(events_.kind[i]);
    row.id = events_.id[i];
    row.body_a = events_.body_a[i];
    row.body_b = events_.body_b[i];
    row.feature = events_.feature[i];
    std::copy_n(events_.u_before.data() + 3 * i, 3, row.u_before.data());
    std::copy_n(events_.u_after.data() + 3 * i, 3, row.u_after.data());
    std::copy_n(events_.impulse.data() + 3 * i, 3, row.impulse.data());
    return row;
  }

  void set_extra(Eigen::Index i) {
    values_.clear();
    for (const RowMatrix& column : extra_) {
      const double* row = column.data() + i * column.cols();
      values_.insert(values_.end(), row, row + column.cols());
    }
    row_.extra = values_;
  }

  void set_contacts(std::size_t k) {
    rows_.clear();
    law_values_.clear();
    for (std::int64_t c = contacts_.offset[k]; c < contacts_.offset[k + 1]; ++c) {
      const auto j = static_cast<std::size_t>(c);
      ContactRow row;
      row.id = contacts_.id[j];
      row.body_a = contacts_.body_a[j];
      row.body_b = contacts_.body_b[j];
      row.gap = contacts_.gap[j];
      std::copy_n(contacts_.point.data() + 3 * c, 3, row.point.data());
      std::copy_n(contacts_.normal.data() + 3 * c, 3, row.normal.data());
      const Eigen::Index dim = contacts_.r.cols();
      std::copy_n(contacts_.r.data() + dim * c, dim, row.r.data());
      std::copy_n(contacts_.u.data() + dim * c, dim, row.u.data());
      std::copy_n(contacts_.impulse.data() + dim * c, dim, row.impulse.data());
      row.status = contacts_.status[j];
      row.feature = contacts_.feature[j];
      rows_.push_back(row);
      for (const RowMatrix& column : law_) law_values_.push_back(column(c, 0));
    }
    row_.law = law_values_;
    row_.contacts = rows_;
  }

  const ResultsReader* file_;
  std::vector<double> time_, restart_;
  RowMatrix q_, v_;
  EnergyColumns energy_;
  SolverColumns solver_;
  ContactColumns contacts_;
  EventColumns events_;
  std::vector<RowMatrix> extra_, law_;
  ResultRow row_;
  std::vector<double> values_, law_values_;
  std::vector<ContactRow> rows_;
};

}  // namespace

std::unique_ptr<ResultsWriter> resume_results(const std::string& path, const ResultsHeader& header,
                                              const ResultsReader& old) {
  auto writer = std::make_unique<ResultsWriter>(path + ".resumed", header);
  OldRows rows(old, header);
  for (std::size_t k = 0; k < rows.count(); ++k) {
    rows.append_events(k, *writer);
    writer->append(rows.row(k));
  }
  writer->move_to(path);
  return writer;
}

}  // namespace clack
