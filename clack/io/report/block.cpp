#include "clack/io/report/block.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "clack/core/error.hpp"

namespace clack {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are little endian");

template <class Word>
void append_planes(std::string& data, std::span<const Word> words, int planes) {
  for (int plane = 0; plane < planes; ++plane)
    for (const Word word : words) data.push_back(static_cast<char>(word >> (8 * plane)));
}

std::uint32_t zigzag(std::int32_t value) {
  return (static_cast<std::uint32_t>(value) << 1) ^ static_cast<std::uint32_t>(value >> 31);
}

}  // namespace

nlohmann::json& Block::entry(const std::string& name, const char* type, std::size_t count,
                             int planes) {
  arrays_.push_back(
      {{"name", name}, {"type", type}, {"count", count}, {"at", data_.size()}, {"planes", planes}});
  return arrays_.back();
}

void Block::add(const std::string& name, std::span<const double> values) {
  entry(name, "f64", values.size(), 8);
  std::vector<std::uint64_t> words;
  for (double x : values) words.push_back(std::bit_cast<std::uint64_t>(x));
  append_planes<std::uint64_t>(data_, words, 8);
}

void Block::add_single(const std::string& name, std::span<const double> values) {
  entry(name, "f32", values.size(), 4);
  std::vector<std::uint32_t> words;
  for (double x : values) words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(x)));
  append_planes<std::uint32_t>(data_, words, 4);
}

void Block::add(const std::string& name, std::span<const std::int32_t> values) {
  std::vector<std::uint32_t> words;
  std::uint32_t all = 0;
  for (std::int32_t x : values) all |= words.emplace_back(zigzag(x));
  const int planes = (std::bit_width(all) + 7) / 8;
  entry(name, "i32", values.size(), planes);
  append_planes<std::uint32_t>(data_, words, planes);
}

std::string Block::compress() const {
  nlohmann::json whole = header;
  whole["arrays"] = arrays_;
  const std::string text = whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  return deflate(bytes + text + data_);
}

bool quantise(double value, double step, std::int32_t& units) {
  const double rounded = std::nearbyint(value / step);
  if (!(std::abs(rounded) < 0x1p30)) return false;
  units = static_cast<std::int32_t>(rounded);
  return true;
}

std::string deflate(const std::string& bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  const int code = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 6);
  if (code != Z_OK) throw InputError("zlib could not compress a block");
  out.resize(size);
  return out;
}

std::string inflate(const std::string& bytes) {
  std::string out(std::max<std::size_t>(64, 4 * bytes.size()), '\0');
  for (;;) {
    uLongf size = out.size();
    const int code = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    if (code == Z_OK) {
      out.resize(size);
      return out;
    }
    if (code != Z_BUF_ERROR || out.size() > 1100 * bytes.size() + 64)
      throw InputError("not a zlib stream");
    out.resize(4 * out.size());
  }
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out.push_back(k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=');
  }
  return out;
}

}  // namespace clack
