// Six functions of time, for the loads and the motions of bodies.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "clack/core/formula/tape.hpp"

namespace clack {

// Values at increasing times, linear in between, constant before the first and after the last.
class TimeTable {
 public:
  // Throws InputError where t is not later than the row before, or a number is not finite.
  void add(double t, const std::array<double, 6>& values);
  bool is_empty() const { return times_.empty(); }
  std::array<double, 6> at(double t) const;  // of a table that is not empty

 private:
  std::vector<double> times_;  // [s]
  std::vector<std::array<double, 6>> values_;
};

// A load (force, torque), a motion (velocity, angular velocity) or a path (position, rotation
// vector), all in the frame of the surroundings. In the plane the first two and the last are read.
class BodyFunctions {
 public:
  BodyFunctions() = default;
  // Formulas of t. Throws formula::ParseError.
  explicit BodyFunctions(const std::array<std::string, 6>& formulas);
  // A tape with the single input t and six outputs.
  explicit BodyFunctions(std::shared_ptr<const formula::Tape> tape) : tape_(std::move(tape)) {}
  explicit BodyFunctions(std::shared_ptr<const TimeTable> table) : table_(std::move(table)) {}
  explicit operator bool() const { return tape_ || table_; }
  std::array<double, 6> at(double t) const;  // zeros where there are no functions

 private:
  std::shared_ptr<const formula::Tape> tape_;
  std::shared_ptr<const TimeTable> table_;
};

}  // namespace clack
