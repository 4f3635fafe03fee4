// This file is compiled once for each instruction set; the best one is chosen at run time.
#include "clack/solve/bodies/batch_kernels.hpp"

#include <algorithm>

#include "clack/solve/compiled_targets.hpp"
#include "clack/solve/local_solver.hpp"
#include "clack/solve/vector_target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clack/solve/bodies/batch_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come first
#include <hwy/highway.h>

#include "clack/solve/bodies/batch_passes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

// Calls the pass for the kind of the block.
#define CLACK_FOR_KIND(pass, ...)                      \
  switch (block.kind) {                                \
    case BatchKind::sphere_pair:                       \
      return pass<SphereContacts<true>>(__VA_ARGS__);  \
    case BatchKind::sphere_wall:                       \
      return pass<SphereContacts<false>>(__VA_ARGS__); \
    case BatchKind::general_pair:                      \
      return pass<GeneralContacts<true>>(__VA_ARGS__); \
    case BatchKind::general_wall:                      \
      break;                                           \
  }                                                    \
  return pass<GeneralContacts<false>>(__VA_ARGS__)

BatchSums Complete(const BatchView& view, const BatchBlock& block) {
  CLACK_FOR_KIND(complete_block, view, block);
}
SweepSums Sweep(const BatchView& view, const BatchBlock& block, double beta) {
  CLACK_FOR_KIND(sweep_block, view, block, beta);
}
BatchSums Measure(const BatchView& view, const BatchBlock& block, Verdict verdict) {
  CLACK_FOR_KIND(measure_block, view, block, verdict);
}
void Push(const BatchView& view, const BatchBlock& block) {
  CLACK_FOR_KIND(push_block, view, block);
}
BatchSums Observe(const BatchView& view, const BatchBlock& block) {
  CLACK_FOR_KIND(observe_block, view, block);
}
void Step(const BatchView& view, const BatchBlock& block, double step) {
  CLACK_FOR_KIND(step_block, view, block, step);
}
#undef CLACK_FOR_KIND

const BatchKernels* Kernels() {
  static const BatchKernels kernels{hwy::TargetName(HWY_TARGET),
                                    Complete,
                                    Sweep,
                                    Measure,
                                    Push,
                                    Observe,
                                    Step,
                                    extrapolate_lines};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clack {

HWY_EXPORT(Kernels);

const BatchKernels& batch_kernels() {
  choose_vector_target();
  return *HWY_DYNAMIC_DISPATCH(Kernels)();
}

void slide_exactly(double mu, const double* c, const double* schur, const double* skew,
                   double normal, double* r) {
  double W[9] = {1, skew[0], skew[1], skew[0], 0, 0, skew[1], 0, 0};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j)
      W[3 * (1 + j) + 1 + i] = skew[i] * skew[j] + (i == j ? schur[i] : 0);
  }
  const double b[3] = {normal, c[0] + skew[0] * normal, c[1] + skew[1] * normal};
  const double start[3] = {r[0], r[1], r[2]};
  if (!solve_local(Cone::coulomb(3, mu), W, b, r)) std::copy_n(start, 3, r);
}

}  // namespace clack
#endif
