// The keys of a map read into the members of an options struct; what is left out keeps its default.
// The keys that are read are those that are allowed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clack/io/scene/shape_reader.hpp"

namespace clack {

class OptionFields {
 public:
  OptionFields(const Field& field, ShapeReader& shapes, Vocabulary& vocabulary)
      : field_(field), shapes_(shapes), vocabulary_(vocabulary) {}

  const Field& field() const { return field_; }
  ShapeReader& shapes() const { return shapes_; }
  Vocabulary& vocabulary() const { return vocabulary_; }
  bool planar() const { return shapes_.planar(); }
  int dim() const { return planar() ? 2 : 3; }

  // The value of a key, where it is given.
  std::optional<Field> find(std::string_view key);
  // Pairs of keys and values.
  template <class Value, class... Rest>
  void read(std::string_view key, Value& value, Rest&&... rest) {
    if (const auto x = find(key)) read_value(*x, value);
    if constexpr (sizeof...(rest) > 0) read(std::forward<Rest>(rest)...);
  }
  template <class Enum>
  void read_word(std::string_view key, const std::vector<std::string>& words, Enum& value);
  void read_box(std::string_view key, BoundingBox& value);  // [lower corner, upper corner]
  void read_size(std::string_view key, Vector3& value);     // three numbers in the plane as well
  // After all keys are read: complains about others and returns false where this is no map.
  bool done() const { return field_.expect_map(keys_); }

 private:
  void read_value(const Field& field, double& value);
  void read_value(const Field& field, bool& value);
  void read_value(const Field& field, long& value);
  void read_value(const Field& field, int& value);
  void read_value(const Field& field, std::uint64_t& value);
  void read_value(const Field& field, std::vector<double>& value);
  void read_value(const Field& field, Vector3& value);  // in the plane two numbers
  void read_value(const Field& field, std::array<double, 2>& value);
  void read_value(const Field& field, std::array<int, 3>& value);  // in the plane two, then 1

  const Field& field_;
  ShapeReader& shapes_;
  Vocabulary& vocabulary_;
  std::vector<std::string_view> keys_;
};

template <class Enum>
void OptionFields::read_word(std::string_view key, const std::vector<std::string>& words,
                             Enum& value) {
  const auto x = find(key);
  const auto word = x ? x->choice(words) : std::nullopt;
  if (!word) return;
  value = static_cast<Enum>(std::find(words.begin(), words.end(), *word) - words.begin());
}

}  // namespace clack
