// This file is compiled once for each instruction set; the best one is chosen at run time.
#include "clack/solve/auto/island_worker.hpp"

#include "clack/core/error.hpp"
#include "clack/solve/compiled_targets.hpp"
#include "clack/solve/vector_target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clack/solve/auto/island_worker.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come first
#include <hwy/highway.h>

#include "clack/solve/auto/island_newton-inl.hpp"
#include "clack/solve/auto/island_sweeps-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

IslandWorker* NewWorker(int dim) {
  if (dim <= 1) return new IslandSolver<1>;
  if (dim == 2) return new IslandSolver<2>;
  if (dim == 3) return new IslandSolver<3>;
  if (dim == 4) return new IslandSolver<4>;
  if (dim == 5) return new IslandSolver<5>;
  return new IslandSolver<6>;
}

const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clack {

HWY_EXPORT(NewWorker);
HWY_EXPORT(NameOfTarget);

std::unique_ptr<IslandWorker> make_island_worker(int dim) {
  choose_vector_target();
  return std::unique_ptr<IslandWorker>(HWY_DYNAMIC_DISPATCH(NewWorker)(dim));
}

const char* vector_target() {
  choose_vector_target();
  return HWY_DYNAMIC_DISPATCH(NameOfTarget)();
}

}  // namespace clack
#endif
