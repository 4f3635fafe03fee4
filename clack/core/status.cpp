#include "clack/core/status.hpp"

namespace clack {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::iteration_limit:
      return "iteration_limit";
    case Status::time_limit:
      return "time_limit";
    case Status::stagnated:
      return "stagnated";
    case Status::infeasible:
      return "infeasible";
    case Status::numerical_failure:
      return "numerical_failure";
    case Status::not_run:
      return "not_run";
  }
  return "unknown";
}

}  // namespace clack
