// Which contact of the last step goes on in this one.
#include "clack/integrate/impulse_memory.hpp"

#include <gtest/gtest.h>

namespace clack {
namespace {

WorldContact contact(int a, int b, std::uint64_t feature, const Vector3& position = {0, 0, 0}) {
  return {a, b, position, Vector3::UnitZ(), Vector3::Zero(), 0, feature};
}

// The impulses, along z, that the second step starts with, after those of the first.
std::vector<double> carried(const LargeArray<WorldContact>& first,
                            const std::vector<double>& normal,
                            const LargeArray<WorldContact>& second) {
  ImpulseMemory memory;
  std::vector<Vector3> impulses, start(second.size(), Vector3::Constant(-1.0));
  for (double x : normal) impulses.emplace_back(0, 0, x);
  memory.keep(first, 3, impulses.data());
  memory.start(second, std::vector<double>(10, 1.0), start.data());
  std::vector<double> result;
  for (const Vector3& impulse : start) result.push_back(impulse.z());
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

TEST(ImpulseMemory, KeepsTheImpulseInSpaceWhereTheNormalTurns) {
  ImpulseMemory memory;
  WorldContact turned = contact(0, 1, 7);
  const Vector3 impulse(0.1, 0.2, 1);
  memory.keep({turned}, 3, &impulse);
  turned.normal = Vector3(0, 0.6, 0.8);
  Vector3 start;
  memory.start({turned}, {1, 1}, &start);
  EXPECT_EQ(start, impulse);
}

}  // namespace
}  // namespace clack
