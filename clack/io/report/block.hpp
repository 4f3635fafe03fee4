// Arrays packed for the browser: a block is a zlib stream of
//
//   length of the header as uint32, little endian; the header as JSON; the bytes of its arrays
//
// The header lists for each array its name, type, count, the place of its first byte after the
// header, and the number of byte planes: byte 0 of all values, then byte 1, ... Equal high bytes
// come to lie together, which is what makes zlib shrink them. Integers are stored as zigzag codes
// (0, -1, 1, -2, ... become 0, 1, 2, 3, ...) in as many planes as the largest needs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace clack {

class Block {
 public:
  nlohmann::json header =
      nlohmann::json::object();  // what the reader has to know beside the arrays

  void add(const std::string& name, std::span<const double> values);         // float64
  void add_single(const std::string& name, std::span<const double> values);  // float32
  void add(const std::string& name, std::span<const std::int32_t> values);

  std::string compress() const;

 private:
  nlohmann::json& entry(const std::string& name, const char* type, std::size_t count, int planes);

  nlohmann::json arrays_ = nlohmann::json::array();
  std::string data_;
};

// value/step rounded; false, and `units` as it was, where that is not finite or beyond 30 bits.
bool quantise(double value, double step, std::int32_t& units);

std::string deflate(const std::string& bytes);
std::string inflate(const std::string& bytes);  // for tests; InputError where it is no zlib stream
std::string base64(const std::string& bytes);

}  // namespace clack
