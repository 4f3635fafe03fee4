#include "tests/physics/painleve_support.hpp"

namespace clack {
namespace {

TEST(PainleveRod, survives_the_steps_1e_5_and_1e_6) {
  test::expect_rod_survives(1e-5);
  test::expect_rod_survives(1e-6);
}

}  // namespace
}  // namespace clack
