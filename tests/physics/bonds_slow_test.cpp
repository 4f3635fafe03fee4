// The bonded column for seeds that were chosen before any of them was run: all that were run are
// here.
#include "tests/physics/bonds_support.hpp"

namespace clack {
namespace {

TEST(BondedColumnSeeds, each_fails_along_an_inclined_band) {
  for (const int seed : {11, 12, 13, 14, 15, 16}) {
    SCOPED_TRACE(seed);
    const test::Compression column =
        test::compress({test::parameter("seed", seed), test::parameter("n", 200),
                        test::set("simulation.end", 0.05)});
    std::printf(
        "seed %d: %.0f degrees, %.2f of the shear in %.2f, by chance %.2f; torn %.2f; %.0f kPa, "
        "then %.0f; missed %ld\n",
        seed, column.band.degrees, column.band.shear, column.band.grains, column.chance,
        column.torn, column.peak / 1e3, column.last / 1e3,
        static_cast<long>(column.outcome.failed_steps));
    std::fflush(stdout);
    test::expect_inclined_band(column);
  }
}

}  // namespace
}  // namespace clack
