// `couplers:` of a scene of rigid bodies.
#include <fmt/format.h>

#include "clack/io/scene/joint_reader.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

// "shaft" where its joint has one coordinate, else "shaft.angle".
std::optional<Coupler::Term> find_coordinate(const RigidWorld& world, const std::string& name) {
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const Joint& joint = world.joints[j];
    const std::vector<JointCoordinate> own =
        joint_type(joint.kind).coordinates(joint, world.planar);
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (name == joint.name + "." + own[k].name || (name == joint.name && own.size() == 1))
        return Coupler::Term{static_cast<int>(j), static_cast<int>(k), 1};
    }
  }
  return std::nullopt;
}

}  // namespace

void read_couplers(const Field& list, Vocabulary& vocabulary, RigidWorld& world) {
  const std::vector<Field> items = list.items("a list of couplers");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Field& item = items[i];
    if (!item.expect_map({"name", "of", "constant"})) continue;
    Coupler coupler;
    const auto name = item.find("name");
    coupler.name = name ? name->text("a name").value_or("") : fmt::format("coupler{}", i + 1);
    if (const auto x = item.find("constant")) coupler.constant = vocabulary.number(*x).value_or(0);
    const auto of = item.require("of", "factors of joints by their names");
    if (!of || !of->expect_free_map()) continue;
    for (const Entry& entry : of->entries()) {
      auto term = find_coordinate(world, entry.key);
      if (!term) {
        entry.name.complain(fmt::format(
            "there is no joint '{}' with a single coordinate; of one with several write "
            "JOINT.COORDINATE",
            shorten(entry.key)));
        continue;
      }
      term->factor = vocabulary.number(entry.value).value_or(1);
      coupler.terms.push_back(*term);
    }
    if (coupler.terms.size() < 2 && of->is_map() && of->entries().size() < 2)
      of->complain("couples one joint; it takes two at least");
    world.couplers.push_back(std::move(coupler));
  }
}

}  // namespace clack
