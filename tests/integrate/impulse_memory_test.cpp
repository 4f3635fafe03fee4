// Which contact of the last step goes on in this one.
#include "clack/integrate/impulse_memory.hpp"

#include <gtest/gtest.h>

namespace clack {
namespace {

WorldContact contact(int a, int b, std::uint64_t feature, const Vector3& position = {0, 0, 0}) {
  return {a, b, position, Vector3::UnitZ(), Vector3::Zero(), 0, feature};
}

// The normal impulses that the second step starts with, after those of the first.
std::vector<double> carried(const std::vector<WorldContact>& first,
                            const std::vector<double>& normal,
                            const std::vector<WorldContact>& second) {
  ImpulseMemory memory;
  std::vector<double> r;
  for (double x : normal) r.insert(r.end(), {x, 0, 0});
  memory.keep(first, 3, r.data());
  std::vector<double> start(3 * second.size(), -1.0), result;
  memory.start(second, std::vector<double>(10, 1.0), 3, start.data());
  for (std::size_t c = 0; c < second.size(); ++c) result.push_back(start[3 * c]);
  return result;
}

using List = std::vector<double>;

TEST(ImpulseMemory, GoesByFeaturesOfTheSameBodiesWhateverTheOrder) {
  EXPECT_EQ(carried({contact(0, 1, 7), contact(0, 1, 8), contact(2, 3, 7)}, {1, 2, 3},
                    {contact(0, 1, 8), contact(0, 1, 7), contact(0, 3, 7), contact(2, 3, 7)}),
            (List{2, 1, 0, 3}));
}

TEST(ImpulseMemory, GivesAnImpulseOnceWhereFeaturesRepeat) {
  EXPECT_EQ(carried({contact(0, 1, 7), contact(0, 1, 7)}, {1, 2},
                    {contact(0, 1, 7), contact(0, 1, 7), contact(0, 1, 7)}),
            (List{1, 2, 0}));
}

TEST(ImpulseMemory, GoesByPlaceWhereFeaturesHaveChanged) {
  const Vector3 left(0, 0, 0), right(0.5, 0, 0), near_right(0.5 + 1e-6, 0, 0);
  EXPECT_EQ(carried({contact(0, 1, 7, left), contact(0, 1, 8, right)}, {1, 2},
                    {contact(0, 1, 9, near_right), contact(0, 1, 7, left)}),
            (List{2, 1}));
}

TEST(ImpulseMemory, DoesNotTakeAPlaceThatIsFar) {
  EXPECT_EQ(carried({contact(0, 1, 7, {0, 0, 0})}, {1}, {contact(0, 1, 9, {0.01, 0, 0})}),
            (List{0}));
}

TEST(ImpulseMemory, TurnsTheImpulseIntoTheNewFrame) {
  ImpulseMemory memory;
  WorldContact turned = contact(0, 1, 7);
  const double r[] = {1, 0, 0};
  memory.keep({turned}, 3, r);
  turned.normal = Vector3(0, 0.6, 0.8);
  double start[3];
  memory.start({turned}, {1, 1}, 3, start);
  EXPECT_NEAR(start[0], 0.8, 1e-15);
  EXPECT_NEAR(std::hypot(start[1], start[2]), 0.6, 1e-15);
}

}  // namespace
}  // namespace clack
