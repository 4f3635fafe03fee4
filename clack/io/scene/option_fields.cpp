#include "clack/io/scene/option_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace clack {

std::optional<Field> OptionFields::find(std::string_view key) {
  keys_.push_back(key);
  return field_.is_map() ? field_.find(key) : std::nullopt;
}

void OptionFields::read_value(const Field& field, double& value) {
  value = vocabulary_.number(field).value_or(value);
}

void OptionFields::read_value(const Field& field, bool& value) {
  value = field.choice({"true", "false"}).value_or("false") == "true";
}

void OptionFields::read_value(const Field& field, long& value) {
  value = vocabulary_.integer(field, 0).value_or(value);
}

void OptionFields::read_value(const Field& field, int& value) {
  long wide = value;
  read_value(field, wide);
  if (wide > std::numeric_limits<int>::max()) field.complain("is too large");
  value = static_cast<int>(wide);
}

void OptionFields::read_value(const Field& field, std::uint64_t& value) {
  long number = static_cast<long>(value);
  read_value(field, number);
  value = static_cast<std::uint64_t>(number);
}

void OptionFields::read_value(const Field& field, std::vector<double>& value) {
  const auto numbers = vocabulary_.row(field, -1);
  if (numbers) value.assign(numbers->begin(), numbers->end());
}

void OptionFields::read_value(const Field& field, Vector3& value) {
  value = shapes_.point(field).value_or(value);
}

void OptionFields::read_value(const Field& field, std::array<double, 2>& value) {
  if (const auto x = vocabulary_.row(field, 2)) value = {(*x)[0], (*x)[1]};
}

void OptionFields::read_value(const Field& field, std::array<int, 3>& value) {
  const auto x = vocabulary_.row(field, dim());
  if (!x) return;
  value = {1, 1, 1};
  for (int k = 0; k < dim(); ++k) {
    const double number = (*x)[k];
    constexpr double kMost = 1e9;
    if (number != std::floor(number) || number < 0 || number > kMost) {
      field.complain(fmt::format("{} is no whole number from 0 to {:g}", number, kMost));
      return;
    }
    value[static_cast<std::size_t>(k)] = static_cast<int>(number);
  }
}

void OptionFields::read_box(std::string_view key, BoundingBox& value) {
  const auto x = find(key);
  const auto corners = x ? vocabulary_.matrix(*x, 2, dim()) : std::nullopt;
  if (!corners) return;
  value.lower.head(dim()) = corners->row(0).transpose();
  value.upper.head(dim()) = corners->row(1).transpose();
}

void OptionFields::read_size(std::string_view key, Vector3& value) {
  const auto x = find(key);
  if (const auto sides = x ? vocabulary_.row(*x, 3) : std::nullopt) value = *sides;
}

}  // namespace clack
