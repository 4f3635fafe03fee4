// Writes results.h5, a plain HDF5 file that any reader can open while the run goes on or after it
// was killed.
//
//   /time [n]   /q [n,nq]   /v [n,nv]
//   /energy/{kinetic,potential,work_external,work_damping,work_contact,work_impact,
//            work_friction,work_bond,numerical} [n]
//   /solver/{iterations,residual,residual_scaled,velocity_error,status,seconds} [n]
//   /contacts/{id,body_a,body_b,gap,point,normal,r,u,impulse,status,feature} [N], [N,3] or
//            [N,local_dim]
//   /contacts/law/NAME [N]: the header's law variables
//   /contacts/offset [n+1]: the contacts of row k are offset[k] to offset[k+1]
//   /events/{time,kind,id,body_a,body_b,feature,u_before,u_after,impulse} [E] or [E,3]
//   /events/offset [n+1]: those up to row k are 0 to offset[k]
//   /restart/value [S], /restart/offset [n+1]: what --resume needs of row k beside q and v
//   and the header's extra columns, [n] or [n,width]
//   /bodies/{name,shape,q_range,v_range}, /model/{q_name,v_name,contact_name}: static
//
// /time is published last. A reader of a live or killed run takes n = len(/time) first and cuts the
// other arrays to it; they are never shorter, but may be longer.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "clack/io/results/append_file.hpp"
#include "clack/io/results/rows.hpp"

namespace clack {

struct ResultsWriterOptions {
  // Longest wait of an appended row for the next one to publish both [s, wall clock]; what a killed
  // run can lose. Publishing takes some 50 us.
  double publish_interval = 0.05;

  void validate() const;  // throws InputError
};

class ResultsWriter {
 public:
  // Throws IoError if the file cannot be made and InputError on a header that contradicts itself.
  ResultsWriter(const std::string& path, const ResultsHeader& header,
                const ResultsWriterOptions& options = {});

  // Takes the place of the file at `target`, which stays whole until then.
  void move_to(const std::string& target);

  // Throws InputError if the row's sizes are not the header's, IoError if the disk fails. After an
  // IoError the rows published before are safe and further rows are refused.
  void append(const ResultRow& row);
  // Belongs to the next row: a file that ends before it does not show the event.
  void append_event(const EventRow& event);

  void publish();
  void finish();  // publishes and trims the file; call it at the end of a run

  std::int64_t rows() const;
  std::int64_t published_rows() const;
  const std::string& path() const { return file_.path(); }

 private:
  using Clock = std::chrono::steady_clock;

  void check(const ResultRow& row) const;
  void append_columns(const ResultRow& row);
  void append_contact(const ContactRow& contact);
  void append_law(std::span<const double> values);
  void publish_if_due();

  std::size_t column(std::size_t fixed) const { return law_count_ + extra_widths_.size() + fixed; }

  int nq_;
  int nv_;
  std::size_t law_count_;                  // the first columns
  std::vector<std::size_t> extra_widths_;  // of the columns between those and the fixed ones
  std::size_t extra_size_;                 // their sum
  Clock::duration publish_interval_;
  AppendFile file_;
  Clock::time_point last_publish_;
  std::int64_t contact_count_ = 0, event_count_ = 0, restart_count_ = 0;
  bool failed_ = false;
};

}  // namespace clack
