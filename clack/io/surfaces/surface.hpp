// The surfaces of a run's shapes as triangles, for pictures. Read from the numbers that results
// hold (clack/io/results/shape_table.hpp), so that a reader needs no scene.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "clack/io/results/results_reader.hpp"
#include "clack/model/pose.hpp"

namespace clack {

struct Surface {
  std::vector<Vector3> vertices;              // [m], in the body's frame
  std::vector<std::array<int, 3>> triangles;  // anticlockwise from outside
  std::vector<std::array<int, 2>> lines;      // of what has no thickness: segments
};

// The shapes of a results file.
class RecordedShapes {
 public:
  explicit RecordedShapes(const ResultsReader& results);

  int count() const { return static_cast<int>(kinds_.size()); }
  const std::string& kind(int shape) const { return kinds_.at(static_cast<std::size_t>(shape)); }
  std::vector<double> numbers(int shape) const;
  bool is_unbounded(int shape) const;  // plane and line
  // Round parts have `segments` chords a turn; meshes and terrain are drawn without their rounding.
  // Empty for an unbounded shape. Throws InputError where the numbers do not fit the kind.
  Surface surface(int shape, int segments = 32) const;

 private:
  std::vector<std::string> kinds_;
  std::vector<std::int64_t> offset_;
  std::vector<double> numbers_;
};

}  // namespace clack
