// The keys of a map read into the members of an options struct; what is left out keeps its default.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "clack/io/scene/shape_reader.hpp"

namespace clack {

class OptionFields {
 public:
  OptionFields(const Field& field, ShapeReader& shapes, Vocabulary& vocabulary)
      : field_(field), shapes_(shapes), vocabulary_(vocabulary) {}

  const Field& field() const { return field_; }
  ShapeReader& shapes() const { return shapes_; }
  bool planar() const { return shapes_.planar(); }
  int dim() const { return planar() ? 2 : 3; }

  void read(const char* key, double& value) const;
  void read(const char* key, bool& value) const;
  void read(const char* key, long& value) const;
  void read(const char* key, int& value) const;
  void read(const char* key, std::uint64_t& value) const;
  void read(const char* key, std::vector<double>& value) const;
  void read(const char* key, Vector3& value) const;       // in the plane two numbers
  void read_size(const char* key, Vector3& value) const;  // always three numbers
  template <std::size_t n>
  void read(const char* key, std::array<double, n>& value) const;
  template <std::size_t n>
  void read(const char* key, std::array<int, n>& value) const;
  // `box:` as [lower corner, upper corner].
  void read_box(const char* key, BoundingBox& value) const;
  template <class Enum>
  void read(const char* key, const std::vector<std::string>& words, Enum& value) const;

 private:
  std::optional<Vector> row(const char* key, std::size_t n) const;

  const Field& field_;
  ShapeReader& shapes_;
  Vocabulary& vocabulary_;
};

template <std::size_t n>
void OptionFields::read(const char* key, std::array<double, n>& value) const {
  if (const auto x = row(key, n)) std::copy_n(x->data(), n, value.begin());
}

template <std::size_t n>
void OptionFields::read(const char* key, std::array<int, n>& value) const {
  const auto x = row(key, n);
  for (std::size_t i = 0; x && i < n; ++i) {
    const double number = (*x)[static_cast<int>(i)];
    value[i] = static_cast<int>(number);
    if (value[i] != number) field_.find(key)->complain("is not a list of whole numbers");
  }
}

template <class Enum>
void OptionFields::read(const char* key, const std::vector<std::string>& words, Enum& value) const {
  const auto x = field_.find(key);
  const auto word = x ? x->choice(words) : std::nullopt;
  if (!word) return;
  value = static_cast<Enum>(std::find(words.begin(), words.end(), *word) - words.begin());
}

}  // namespace clack
