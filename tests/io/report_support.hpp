// Reads blocks as the page does (web/src/data.js), and makes results of known bodies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "clack/io/report/block.hpp"
#include "clack/io/results/shape_table.hpp"
#include "tests/io/results_support.hpp"

namespace clack::test {

class Unpacked {
 public:
  explicit Unpacked(const std::string& compressed) : bytes_(inflate(compressed)) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data(), sizeof length);
    header = nlohmann::json::parse(bytes_.substr(4, length));
    data_ = 4 + length;
  }

  nlohmann::json header;

  const nlohmann::json& entry(const std::string& name) const {
    for (const auto& array : header["arrays"])
      if (array["name"] == name) return array;
    throw std::runtime_error("no array " + name);
  }
  std::vector<std::int32_t> integers(const std::string& name) const {
    std::vector<std::int32_t> out;
    for (const std::uint64_t code : words(name))
      out.push_back(static_cast<std::int32_t>(code >> 1) ^ -static_cast<std::int32_t>(code & 1));
    return out;
  }
  std::vector<double> doubles(const std::string& name) const {
    std::vector<double> out;
    for (const std::uint64_t word : words(name)) out.push_back(std::bit_cast<double>(word));
    return out;
  }
  std::vector<float> singles(const std::string& name) const {
    std::vector<float> out;
    for (const std::uint64_t word : words(name))
      out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(word)));
    return out;
  }

 private:
  std::vector<std::uint64_t> words(const std::string& name) const {
    const auto& array = entry(name);
    const auto count = array["count"].get<std::size_t>(), at = array["at"].get<std::size_t>();
    std::vector<std::uint64_t> out(count, 0);
    for (std::size_t plane = 0; plane < array["planes"].get<std::size_t>(); ++plane)
      for (std::size_t i = 0; i < count; ++i)
        out[i] |=
            std::uint64_t{static_cast<unsigned char>(bytes_.at(data_ + at + plane * count + i))}
            << (8 * plane);
    return out;
  }

  std::string bytes_;
  std::size_t data_ = 0;
};

// A floor, a ball that flies and turns, and a box with a contact on it, all functions of the row.
inline constexpr int kWorldBodies = 3;
inline constexpr double kBallRadius = 0.25;

inline std::vector<double> world_q(std::int64_t row) {
  const auto k = static_cast<double>(row);
  const double half = 0.05 * k;               // of the angle about z
  const double sign = row % 5 == 3 ? -1 : 1;  // q and -q are the same rotation
  return {0,
          0,
          0,
          1,
          0,
          0,
          0,
          0.1 * k,
          -1e3 * k,
          std::sin(k),
          sign * std::cos(half),
          0,
          0,
          sign * std::sin(half),
          std::numbers::pi,
          1,
          2,
          0.5,
          0.5,
          0.5,
          0.5};
}
inline std::vector<double> world_v(std::int64_t row) {
  std::vector<double> v(6 * kWorldBodies, 0);
  for (std::size_t i = 6; i < v.size(); ++i)
    v[i] = 0.01 * static_cast<double>(row) + static_cast<double>(i);
  return v;
}

inline void write_world(const std::string& path, std::int64_t rows, std::int64_t broken_row = -1) {
  ShapeTable shapes;
  ResultsHeader header;
  header.nq = 7 * kWorldBodies;
  header.nv = 6 * kWorldBodies;
  header.attributes = {{"version", "0.1.0"},
                       {"title", "T </script> <b>"},
                       {"scene", "x: </SCRIPT>\n"},
                       {"options", "{\"step\": 0.125, \"solver_tolerance\": 1e-8}"},
                       {"units", "SI"}};
  header.bodies = {{"floor", "plane", {0, 7}, {0, 6}},
                   {"ball, red", "sphere", {7, 14}, {6, 12}},
                   {"box", "box", {14, 21}, {12, 18}}};
  const std::vector<std::int32_t> index = {shapes.add(make_shape(Plane())),
                                           shapes.add(make_shape(Sphere(kBallRadius))),
                                           shapes.add(make_shape(Box({1, 2, 3})))};
  header.extra = shapes.datasets();
  header.extra.push_back({"/bodies/shape_index", index});
  header.extra.push_back({"/bodies/kind", std::vector<std::int32_t>{1, 0, 0}});
  header.extra.push_back({"/bodies/material", std::vector<std::int32_t>{0, 0, 1}});
  header.extra.push_back({"/bodies/mass", std::vector<double>{0, 1, 2}});
  header.extra_columns = {{"/measures/a b"}};
  ResultsWriter writer(path, header);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> q = world_q(row);
    const std::vector<double> v = world_v(row), extra = {static_cast<double>(row)};
    if (row == broken_row) std::fill_n(q.begin() + 7, 7, std::nan(""));
    ContactRow contact{0, 0, 2};
    contact.gap = -1e-6 * static_cast<double>(row);
    contact.point = {std::numbers::pi, 1, -1};
    contact.normal = {0, 0, 1};
    contact.r = {2.0 + static_cast<double>(row % 3), 0.5, 0};
    contact.status = row % 2 == 0 ? 2 : 3;
    const std::vector<ContactRow> contacts(row == 0 ? 0 : 1, contact);
    ResultRow result{time_of(row), q, v, {}, {}, contacts};
    result.solver.residual = row == 7 ? 0.5 : 1e-9;
    result.energy.potential = 1e6 + 1e-6 * static_cast<double>(row);
    result.extra = extra;
    writer.append(result);
  }
  writer.finish();
}

}  // namespace clack::test
