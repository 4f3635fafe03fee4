#include "clack/model/laws/law_list.hpp"

#include <fmt/format.h>

#include <utility>

#include "clack/core/error.hpp"

namespace clack {

const std::vector<std::string_view>& law_kind_names() {
  static const std::vector<std::string_view> names = {"normal", "friction", "cohesion", "link"};
  return names;
}

void LawValues::set(std::string_view name, FrictionCoefficient value) {
  values_.insert_or_assign(std::string(name), std::move(value));
}

const FrictionCoefficient& LawValues::coefficient(std::string_view name) const {
  const auto it = values_.find(name);
  if (it == values_.end()) throw InputError(fmt::format("the law has no parameter '{}'", name));
  return it->second;
}

const std::vector<LawInfo>& law_list() {
  static const std::vector<LawInfo> list = [] {
    std::vector<LawInfo> all;
    for (auto family : {normal_laws, friction_laws, cohesion_laws, link_laws}) {
      for (LawInfo& info : family()) all.push_back(std::move(info));
    }
    return all;
  }();
  return list;
}

const LawInfo* find_law(LawKind kind, std::string_view name) {
  for (const LawInfo& info : law_list()) {
    if (info.kind == kind && info.name == name) return &info;
  }
  return nullptr;
}

namespace {

void check_number(const LawInfo& law, const LawParameter& parameter, double value) {
  const bool above = parameter.low_open ? value > parameter.low : value >= parameter.low;
  if (above && value <= parameter.high) return;
  throw InputError(fmt::format("law '{}': {} is {}; it must be in {}{}, {}]", law.name,
                               parameter.name, value, parameter.low_open ? '(' : '[', parameter.low,
                               parameter.high));
}

}  // namespace

LawPtr make_law(LawKind kind, std::string_view name, const std::map<std::string, double>& numbers) {
  const LawInfo* law = find_law(kind, name);
  if (!law) {
    throw InputError(fmt::format("there is no {} law '{}'",
                                 law_kind_names()[static_cast<std::size_t>(kind)], name));
  }
  LawValues values;
  std::size_t used = 0;
  for (const LawParameter& parameter : law->parameters) {
    const auto it = numbers.find(std::string(parameter.name));
    if (it == numbers.end() && parameter.is_required())
      throw InputError(fmt::format("law '{}' needs {}", name, parameter.name));
    if (it != numbers.end()) ++used;
    const double value = it == numbers.end() ? parameter.fallback : it->second;
    check_number(*law, parameter, value);
    values.set(parameter.name, value);
  }
  if (used != numbers.size()) {
    for (const auto& [key, value] : numbers) {
      bool known = false;
      for (const LawParameter& parameter : law->parameters) known = known || parameter.name == key;
      if (!known) throw InputError(fmt::format("law '{}' has no parameter '{}'", name, key));
    }
  }
  return law->make(values);
}

LawPtr combine_laws(LawPtr normal, LawPtr friction, LawPtr cohesion) {
  std::vector<LawPtr> parts;
  for (LawPtr* part : {&cohesion, &normal, &friction}) {
    if (*part) parts.push_back(std::move(*part));
  }
  return std::make_shared<CompositeLaw>(std::move(parts));
}

}  // namespace clack
