// The passes over batches of contacts, compiled for several instruction sets.
#pragma once

#include "clack/solve/bodies/contact_batches.hpp"

namespace clack {

// Squares and products of one block.
struct BatchSums {
  double natural = 0, natural_scaled = 0, r = 0, u = 0;  // measure
  double velocity = 0;                                   // measure: the largest (e_i / s_i)^2
  double change = 0, product = 0, answer = 0;            // s'Ds, s'y, y'D^-1 y of the steps
  double free_velocity = 0, free_scaled = 0;             // complete
};

// Of a sweep from y = r + beta (r - previous) to r+.
struct SweepSums {
  double turn = 0;    // sum (y - r+).(r+ - r): > 0 asks for a restart
  double change = 0;  // |r+ - y|^2
};

// Each pass goes through the batches of one block. Blocks of one colour may be done in any order,
// or at the same time, with the same result.
struct BatchKernels {
  const char* target;  // the name of the instruction set

  // Records of spheres that hold the arms along n and the part of u that the bodies do not give,
  // lines of free velocities: sets levers, u at r = 0 and the rows of (eq:velocity_error), returns
  // the sums of u. Nothing for others.
  BatchSums (*complete)(const BatchView& view, const BatchBlock& block);
  // One Gauss-Seidel sweep from the point r + beta (r - previous), on whose velocities the lines
  // are (eq:body_momentum); the new impulses take the place of the previous ones.
  SweepSums (*sweep)(const BatchView& view, const BatchBlock& block, double beta);
  // The yardstick's sums at r, on whose velocities the lines are; those of the published residual
  // only where they are asked for.
  BatchSums (*measure)(const BatchView& view, const BatchBlock& block, Verdict verdict);
  // lines += M^-1 H r, previous = r.
  void (*push)(const BatchView& view, const BatchBlock& block);
  // Stores u in view.velocity and returns the sums of a Barzilai-Borwein step with s = r - previous
  // and y = u - the velocity stored before.
  BatchSums (*observe)(const BatchView& view, const BatchBlock& block);
  // previous = local law with step `step` from r and the stored u, lines follow.
  void (*step)(const BatchView& view, const BatchBlock& block, double step);
  // lines = previous + beta (previous - lines) for first visits [begin, end): the current ones,
  // which have just become the previous, are carried on over those before.
  void (*extrapolate)(const BatchView& view, int begin, int end, double beta);
};

// For the best instruction set of this machine.
const BatchKernels& batch_kernels();

// The exact solution of one sliding contact by the scalar local solver; for lanes whose Newton
// iteration did not end. r_T and r_N from c, S, e, b_N / W_NN of (eq:body_local).
void slide_exactly(double mu, const double* c, const double* schur, const double* skew,
                   double normal, double* r);

}  // namespace clack
