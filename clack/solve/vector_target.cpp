#include "clack/solve/vector_target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstdlib>

#include "clack/core/error.hpp"
#include "clack/solve/compiled_targets.hpp"
// compiled_targets must come first
#include <hwy/targets.h>

namespace clack {
namespace {

constexpr const char* kVariable = "CLACK_VECTOR_TARGET";
constexpr std::int64_t kNotFused = HWY_SSSE3 | HWY_SSE4 | HWY_EMU128 | HWY_SCALAR;

std::string names() {
  std::vector<std::string> list;
  for (const VectorTarget& target : vector_targets()) list.push_back(target.name);
  return fmt::format("{}", fmt::join(list, ", "));
}

void use(const std::string& name, const char* who) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::GetChosenTarget().Update(target);
    return;
  }
  throw InputError(
      fmt::format("{}: there is no vector target '{}' here; allowed: {}", who, name, names()));
}

void use_first_choice() {
  const char* name = std::getenv(kVariable);
  if (name != nullptr && *name != '\0')
    use(name, kVariable);
  else
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<VectorTarget> vector_targets() {
  std::vector<VectorTarget> list;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    list.push_back({hwy::TargetName(target), (target & kNotFused) == 0});
  return list;
}

void choose_vector_target() {
  static const bool chosen = (use_first_choice(), true);
  (void)chosen;
}

void use_vector_target(const std::string& name) {
  choose_vector_target();
  if (name.empty())
    use_first_choice();
  else
    use(name, "use_vector_target");
}

}  // namespace clack
