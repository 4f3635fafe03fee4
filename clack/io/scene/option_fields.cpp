#include "clack/io/scene/option_fields.hpp"

#include <limits>

namespace clack {

void OptionFields::read(const char* key, double& value) const {
  if (const auto x = field_.find(key)) value = vocabulary_.number(*x).value_or(value);
}

void OptionFields::read(const char* key, bool& value) const {
  if (const auto x = field_.find(key))
    value = x->choice({"true", "false"}).value_or("false") == "true";
}

void OptionFields::read(const char* key, long& value) const {
  if (const auto x = field_.find(key)) value = vocabulary_.integer(*x, 0).value_or(value);
}

void OptionFields::read(const char* key, int& value) const {
  long wide = value;
  read(key, wide);
  if (wide > std::numeric_limits<int>::max()) field_.find(key)->complain("is too large");
  value = static_cast<int>(wide);
}

void OptionFields::read(const char* key, std::uint64_t& value) const {
  long signed_value = static_cast<long>(value);
  read(key, signed_value);
  value = static_cast<std::uint64_t>(signed_value);
}

void OptionFields::read(const char* key, std::vector<double>& value) const {
  const auto x = field_.find(key);
  const auto numbers = x ? vocabulary_.row(*x, -1) : std::nullopt;
  if (numbers) value.assign(numbers->begin(), numbers->end());
}

void OptionFields::read(const char* key, Vector3& value) const {
  if (const auto x = field_.find(key)) value = shapes_.point(*x).value_or(value);
}

void OptionFields::read_size(const char* key, Vector3& value) const {
  if (const auto x = row(key, 3)) value = *x;
}

void OptionFields::read_box(const char* key, BoundingBox& value) const {
  const auto x = field_.find(key);
  const auto corners = x ? vocabulary_.matrix(*x, 2, dim()) : std::nullopt;
  if (!corners) return;
  value.lower.head(dim()) = corners->row(0).transpose();
  value.upper.head(dim()) = corners->row(1).transpose();
}

std::optional<Vector> OptionFields::row(const char* key, std::size_t n) const {
  const auto x = field_.find(key);
  return x ? vocabulary_.row(*x, static_cast<int>(n)) : std::nullopt;
}

}  // namespace clack
