// Lyapunov exponents: how fast neighbours of a motion part or meet in the mean, through impacts,
// stick and slip. Along intervals of the motion, with its derivative (eq:monodromy),
//
//     dP_k Q_k-1 = Q_k R_k,     lambda_i = 1/T sum_k ln |R_k,ii|                  (eq:lyapunov)
//
// Where a contact closes for a while or slip ends, directions are lost for good: their exponents
// are minus infinity, and Q has as many columns less. Of a periodic orbit lambda = ln|mu|/T.
// Reference: Benettin et al. (1980); Mueller (1995) for saltation.
#pragma once

#include <vector>

#include "clack/analyse/orbits/flow_map.hpp"

namespace clack {

struct LyapunovOptions {
  double time = 0;      // over which the mean is taken [s]
  double interval = 0;  // between two QR factorisations [s]
  double align = 0;     // time before, in which Q takes its directions [s]

  void validate() const;  // throws InputError
};

struct LyapunovExponents {
  Status status = Status::not_run;
  std::string note;             // why there are none, in words
  Vector exponents;             // 2 nv, largest first, minus infinity for lost directions [1/s]
  double error = 0;             // standard error of the largest one, from tenths of the time [1/s]
  double time = 0;              // that was gone through [s]
  std::vector<double> history;  // the largest one after each interval [1/s]
  State end;

  bool good() const { return status == Status::converged; }
};

LyapunovExponents compute_lyapunov(const FlowMap& map, const State& start,
                                   const LyapunovOptions& options);

}  // namespace clack
