// A quantity of the state that a user wants to see: a formula of (t, q, v) and what to take of it.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "clack/core/formula/tape.hpp"

namespace clack {

enum class Take { final, minimum, maximum, mean, period, crossings };

struct Observable {
  std::string name;
  std::string unit;
  std::string text;  // the formula as written
  Take take = Take::final;
  double after = -std::numeric_limits<double>::infinity();  // earlier times are left out [s]
  double level = 0;  // of the upward crossings that `period` and `crossings` look at
  std::shared_ptr<const formula::Tape> tape;  // inputs t, q, v
};

}  // namespace clack
