// How a numerical procedure ended. Failure is a value, never an exception and never silence.
#pragma once

#include <string_view>

namespace clack {

// clang-format takes an enum with an attribute for an initialiser.
// clang-format off
enum class [[nodiscard]] Status {
  converged,          // the residual asked for was reached
  iteration_limit,    // stopped by the number of iterations
  time_limit,         // stopped by the clock
  stagnated,          // no more progress is possible with this method
  infeasible,         // the problem has no solution, with a certificate
  numerical_failure,  // a singular matrix, an overflow or a NaN
  not_run             // nothing was computed
};
// clang-format on

// The name used in files and on the command line.
std::string_view to_string(Status status);

}  // namespace clack
