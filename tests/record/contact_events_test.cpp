// What a contact does between two steps, in words.
#include "clack/record/contact_events.hpp"

#include <gtest/gtest.h>

#include "tests/record/record_support.hpp"

namespace clack::test {
namespace {

TEST(EventBetween, IsTheChangeOfLoadOrOfSlip) {
  constexpr ContactStatus open = ContactStatus::open, separating = ContactStatus::separating,
                          sticking = ContactStatus::sticking, sliding = ContactStatus::sliding;
  for (const ContactStatus free : {open, separating}) {
    for (const ContactStatus loaded : {sticking, sliding}) {
      EXPECT_EQ(event_between(free, loaded, -1e-9), EventKind::impact);
      EXPECT_EQ(event_between(free, loaded, 0), EventKind::close);
      EXPECT_EQ(event_between(free, loaded, 1), EventKind::close);
      EXPECT_EQ(event_between(loaded, free, -1), EventKind::open);
    }
    EXPECT_EQ(event_between(free, open, -1), std::nullopt);
    EXPECT_EQ(event_between(free, separating, -1), std::nullopt);
  }
  EXPECT_EQ(event_between(sliding, sticking, -1), EventKind::stick);
  EXPECT_EQ(event_between(sticking, sliding, -1), EventKind::slip);
  EXPECT_EQ(event_between(sticking, sticking, -1), std::nullopt);
  EXPECT_EQ(event_between(sliding, sliding, -1), std::nullopt);
}

std::vector<EventKind> events_of(const Scene& scene) {
  std::vector<EventKind> kinds;
  const auto run = make_run(scene, 1);
  while (!run->done()) {
    EXPECT_EQ(run->step(), Status::converged);
    for (const EventRow& event : run->events()) kinds.push_back(event.kind);
  }
  return kinds;
}

// Lies on the floor with a speed, comes to rest, is pulled, and lifted at the end.
std::string dragged(const std::string& system) {
  return "clack: 1\n" + system + "simulation: {step: 1.0e-3, end: 1}\n";
}

const std::vector<EventKind> kDragged = {EventKind::close, EventKind::stick, EventKind::slip,
                                         EventKind::open};

TEST(Events, OfADraggedMassAreCloseStickSlipAndOpen) {
  EXPECT_EQ(events_of(parse_scene("scene", dragged(R"scene(
system:
  type: linear
  coordinates: [x, y]
  M: [[1, 0], [0, 1]]
  f: ["if(t < 0.5, 0, 8)", "if(t < 0.8, -10, 10)"]
  contacts: [{name: floor, G: [0, 1], T: [[1, 0]], mu: 0.5}]
initial: {v: [1, 0]}
)scene"))),
            kDragged);
}

TEST(Events, OfADraggedBodyAreTheSameUnderEveryKindOfScheme) {
  const std::string text = dragged(R"scene(
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -10]
  materials: {stone: {density: 1000, mu: 0.5}}
  bodies:
    - {name: floor, shape: line, fixed: true}
    - {name: ball, shape: {disc: {radius: 0.1}}, mass: 1, inertia: 1.0e9, position: [0, 0.1],
       velocity: [1, 0], force: ["if(t < 0.5, 0, 8)", "if(t < 0.8, 0, 20)"]}
)scene");
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"})
    EXPECT_EQ(events_of(parse_scene("scene", text, {std::string("simulation.scheme=") + scheme})),
              kDragged)
        << scheme;
}

// The second ball of a row of three takes up load and gives it on.
TEST(Events, NameTheBodiesAndHoldVelocitiesAndImpulses) {
  const Scene scene = parse_scene("scene", R"(clack: 1
system:
  type: rigid-bodies
  materials: {steel: {density: 1000, mu: 0, e_n: 1}}
  bodies:
    - {name: still, shape: {sphere: {radius: 0.1}}, mass: 2, position: [0.3, 0, 0]}
    - {name: fast, shape: {sphere: {radius: 0.1}}, mass: 2, position: [0, 0, 0], velocity: [1.5, 0, 0]}
simulation: {step: 1.0e-3, end: 0.2}
)");
  const auto run = make_run(scene, 1);
  std::vector<EventRow> events;
  while (!run->done()) {
    ASSERT_EQ(run->step(), Status::converged);
    events.insert(events.end(), run->events().begin(), run->events().end());
  }
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, EventKind::impact);
  EXPECT_EQ(events[0].body_a, 0);
  EXPECT_EQ(events[0].body_b, 1);
  EXPECT_NEAR(events[0].time, 0.1 / 1.5, 2e-3);
  EXPECT_NEAR(events[0].u_before[0], -1.5, 1e-9);
  EXPECT_NEAR(events[0].u_after[0], 1.5, 1e-6);
  EXPECT_NEAR(events[0].impulse[0], 3, 1e-6);
  EXPECT_EQ(events[1].kind, EventKind::open);
}

}  // namespace
}  // namespace clack::test
