// Reads results.h5, also of a run that is going on or was killed: n is the length of /time when the
// file is opened, and every array is cut to it.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "clack/io/results/hdf5_handle.hpp"
#include "clack/io/results/rows.hpp"

namespace clack {

// As in the file: a row for each output time or contact.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct EnergyColumns {  // each n; see EnergyRow
  std::vector<double> kinetic;
  std::vector<double> potential;
  std::vector<double> work_external;
  std::vector<double> work_damping;
  std::vector<double> work_contact;
  std::vector<double> work_impact;
  std::vector<double> work_friction;
  std::vector<double> work_bond;  // zeros in files of older versions
  std::vector<double> numerical;
};

struct SolverColumns {  // each n; see SolverRow
  std::vector<std::int32_t> iterations;
  std::vector<double> residual;
  std::vector<double> residual_scaled;
  std::vector<double> velocity_error;
  std::vector<std::int32_t> status;
  std::vector<double> seconds;
};

struct ContactColumns {              // see ContactRow
  std::vector<std::int64_t> offset;  // n + 1; the contacts of row k are offset[k] to offset[k+1]
  std::vector<std::int32_t> id;      // N = offset[n], as all that follow
  std::vector<std::int32_t> body_a;
  std::vector<std::int32_t> body_b;
  std::vector<double> gap;
  RowMatrix point;    // N x 3
  RowMatrix normal;   // N x 3
  RowMatrix r;        // N x local_dim
  RowMatrix u;        // N x local_dim
  RowMatrix impulse;  // N x local_dim; r in files of older versions
  std::vector<std::int32_t> status;
  std::vector<std::int64_t> feature;  // zeros in files of older versions
};

struct EventColumns {                // see EventRow; all empty in files of older versions
  std::vector<std::int64_t> offset;  // n + 1; those up to row k are 0 to offset[k]
  std::vector<double> time;          // E = offset[n], as all that follow
  std::vector<std::int32_t> kind, id, body_a, body_b;
  std::vector<std::int64_t> feature;
  RowMatrix u_before, u_after, impulse;  // E x 3
};

class ResultsReader {
 public:
  // Throws IoError if the file cannot be read, InputError if it is not a results file. The getters
  // throw InputError on a dataset that is missing, shorter than /time or of another shape.
  explicit ResultsReader(const std::string& path);

  std::int64_t rows() const { return rows_; }  // n

  std::vector<double> time() const;
  RowMatrix q() const;  // n x nq
  RowMatrix v() const;  // n x nv
  EnergyColumns energy() const;
  SolverColumns solver() const;
  ContactColumns contacts() const;
  EventColumns events() const;

  std::map<std::string, std::string> attributes() const;  // of the root, those that are text
  std::vector<BodyEntry> bodies() const;
  std::vector<std::string> q_names() const;
  std::vector<std::string> v_names() const;
  std::vector<std::string> contact_names() const;

  // For the header's `extra` and for columns added later.
  bool has(const std::string& dataset) const;
  std::vector<std::string> strings(const std::string& dataset) const;
  RowMatrix matrix(const std::string& dataset) const;  // whole; one dimension gives one column
  RowMatrix column(const std::string& dataset) const;  // of each output time: n rows
  // Rows first to first + count, for files that are too large to be read at once.
  RowMatrix slice(const std::string& dataset, std::int64_t first, std::int64_t count) const;
  std::vector<std::int64_t> contact_offset() const;     // n + 1
  std::vector<double> restart(std::int64_t row) const;  // none in files of older versions
  std::vector<std::string> members(const std::string& group) const;  // none: there is no group

 private:
  std::string path_;
  Hdf5Handle file_;
  std::int64_t rows_ = 0;
};

}  // namespace clack
