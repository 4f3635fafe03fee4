// A step allocates nothing once it is warm: every allocation of this program is counted.
#include <gtest/gtest.h>

#include <atomic>

#include "clack/io/scene/scene.hpp"
#include "tests/count_allocations.hpp"

// Eigen allocates through malloc; the hook below counts those too.
extern "C" void* __libc_malloc(std::size_t);
namespace {
std::atomic<long> mallocs{0};
}
#if !defined(__SANITIZE_ADDRESS__)
extern "C" void* malloc(std::size_t size) {
  ++mallocs;
  return __libc_malloc(size);
}
#endif

namespace clack {
namespace {

void expect_no_allocation(const std::string& example, long warm_up, long steps) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
  const Scene scene = load_scene(CLACK_SOURCE_DIR "/examples/" + example);
  Simulation simulation(scene.system, scene.initial, scene.options);
  // Warm is after the first contact: its problem is the first that the solver sees.
  bool contact = false;
  for (long k = 0; k < warm_up || !contact; ++k) {
    ASSERT_LT(k, scene.step_count()) << "no contact in " << example;
    (void)simulation.step();
    contact = contact || simulation.last_step().r.norm() > 0;
  }
  const long before = mallocs + allocations;
  for (long k = 0; k < steps; ++k) (void)simulation.step();
  EXPECT_EQ(mallocs + allocations - before, 0) << example;
}

TEST(Allocation, TheCounterSeesAllocations) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
  const long before = mallocs;
  const Vector x = Vector::Zero(1000);
  EXPECT_GT(mallocs, before);
  EXPECT_EQ(x.norm(), 0);
}

TEST(Allocation, AWarmStepOfALinearSystemAllocatesNothing) {
  expect_no_allocation("bouncing_ball.yaml", 200, 1500);
}

TEST(Allocation, AWarmStepOfTheWoodpeckerAllocatesNothing) {
  expect_no_allocation("woodpecker.yaml", 10000, 20000);
}

TEST(Allocation, AWarmStepOfTheFiveLinkPendulumAllocatesNothing) {
  expect_no_allocation("five_link_pendulum.yaml", 2000, 2000);
}

}  // namespace
}  // namespace clack
