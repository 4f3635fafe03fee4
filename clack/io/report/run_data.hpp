// A run's results as the browser gets them: a head in JSON, and blocks (block.hpp).
//
//   bodies    names, kinds, shapes with their surfaces
//   curves    one number a row of the results and a column of head.columns
//   frames    poses and velocities of the bodies at some rows, as differences in time, and the
//             reactions of joints
//   contacts  forces at some rows
//
// Bodies are drawn at multiples of `position_step`, the thousandth part of the smallest body's
// radius: the error is half of it. Quaternions have 16 bits a component; velocities 15 bits of the
// largest in the block; forces and reactions 15 bits of the largest in the row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clack/io/report/block.hpp"
#include "clack/io/report/joint_data.hpp"
#include "clack/io/results/results_reader.hpp"
#include "clack/io/surfaces/surface.hpp"

namespace clack {

// The results file of a folder, or the file itself. Throws InputError, IoError with what is wrong.
std::filesystem::path find_results(const std::string& folder_or_file);

struct RunDataOptions {
  std::int64_t max_points = 20000;       // of a curve; more rows are merged
  std::vector<std::string> coordinates;  // drawn as curves; empty: all, or 12 of many
};

class RunData {
 public:
  // Throws InputError for a file without a row.
  explicit RunData(const std::string& folder_or_file, const RunDataOptions& options = {});

  bool is_world() const { return world_; }
  std::int64_t rows() const { return reader_.rows(); }
  std::int64_t bodies() const { return static_cast<std::int64_t>(kinds_.size()); }
  const std::vector<double>& time() const { return time_; }

  nlohmann::json head() const;
  Block bodies_block() const;
  // Points first to first + count, each of `merged` rows: the value at the first of them, of
  // residuals, iterations and forces the largest, of gaps the smallest.
  Block curves_block(std::int64_t merged, std::int64_t first, std::int64_t count) const;
  std::int64_t points(std::int64_t merged) const { return (rows() + merged - 1) / merged; }
  Block frames_block(const std::vector<std::int64_t>& rows) const;
  Block contacts_block(const std::vector<std::int64_t>& rows) const;
  // How many rows a block should hold: few enough to be unpacked at once.
  std::int64_t rows_per_block() const;

 private:
  enum class Merge { first, largest, smallest };
  struct Column {
    std::string group, name, unit;
    Merge merge = Merge::first;
  };
  struct Rows;  // numbers of some rows, by column

  void choose_coordinates(const std::vector<std::string>& wanted);
  void name_contacts();
  void make_columns();
  void set_position_step();
  std::int64_t last_row(const std::vector<std::int64_t>& rows) const;
  Rows read_curves(std::int64_t first, std::int64_t count) const;
  void read_contact_curves(std::int64_t first, std::int64_t count, Rows& rows) const;

  std::filesystem::path folder_;
  ResultsReader reader_;
  bool world_ = false;
  int dimension_ = 3;
  std::vector<double> time_;
  std::vector<std::int64_t> contact_offset_;
  std::vector<int> kinds_, shape_of_;       // by body, of a world
  std::vector<std::string> contact_names_;  // that have strips of their own
  std::vector<int> contact_ids_;            // of these, in /model/contact_name
  bool has_coordinates_ = true;             // beside those of bodies, which stand first in q and v
  int first_q_ = 0, first_v_ = 0;           // of these
  std::vector<int> chosen_q_, chosen_v_;
  std::vector<Column> columns_;
  RecordedShapes shapes_;
  JointData joints_;
  double position_step_ = 0;  // [m]
};

}  // namespace clack
