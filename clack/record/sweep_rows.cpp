#include "clack/record/sweep_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clack/core/error.hpp"

namespace clack {
namespace {

using Json = nlohmann::ordered_json;

Json list(const Vector& x) { return std::vector<double>(x.begin(), x.end()); }

double number(const Json& json) { return json.is_null() ? SweepRow::kNone : json.get<double>(); }

Vector vector(const Json& json) {
  Vector x(static_cast<Eigen::Index>(json.size()));
  for (std::size_t i = 0; i < json.size(); ++i) x[static_cast<Eigen::Index>(i)] = number(json[i]);
  return x;
}

Json point_json(const SectionPoint& point) {
  return {point.t,        list(point.q), list(point.v), point.contact,
          point.u_before, point.u_after, point.impacts, point.sticks};
}

SectionPoint read_point(const Json& json) {
  return {number(json.at(0)), vector(json.at(1)), vector(json.at(2)),     json.at(3).get<int>(),
          number(json.at(4)), number(json.at(5)), json.at(6).get<long>(), json.at(7).get<long>()};
}

// One name and one place for each number of a row, for both directions.
template <class Row, class Visit>
void visit_numbers(Row& row, Visit visit) {
  visit("time", row.time);
  visit("kinetic", row.kinetic);
  visit("potential", row.potential);
  visit("energy_error", row.energy_error);
  visit("max_residual", row.max_residual);
  visit("min_gap", row.min_gap);
  visit("closed", row.closed);
  visit("sticking", row.sticking);
  visit("sliding", row.sliding);
  visit("period", row.period);
  visit("size_q", row.size.q);
  visit("size_v", row.size.v);
}

SweepRow to_row(const Json& json) {
  SweepRow row;
  row.run = json.at("run").get<int>();
  row.status = json.at("status").get<std::string>();
  row.reason = json.at("reason").get<std::string>();
  row.steps = json.at("steps").get<long>();
  row.contacts_max = json.at("contacts_max").get<int>();
  row.impacts = json.at("impacts").get<long>();
  row.sticks = json.at("sticks").get<long>();
  visit_numbers(row, [&](const char* name, double& value) { value = number(json.at(name)); });
  for (const Json& value : json.at("measures")) row.measures.push_back(number(value));
  row.end = {number(json.at("end")[0]), vector(json.at("end")[1]), vector(json.at("end")[2])};
  row.label = {json.at("label")[0].get<int>(), json.at("label")[1].get<long>(),
               json.at("label")[2].get<long>(), json.at("label")[3].get<long>()};
  for (const Json& point : json.at("section")) row.section.push_back(read_point(point));
  return row;
}

}  // namespace

std::string row_line(const SweepRow& row) {
  Json json = {
      {"run", row.run},
      {"status", row.status},
      {"reason", row.reason},
      {"steps", row.steps},
      {"contacts_max", row.contacts_max},
      {"impacts", row.impacts},
      {"sticks", row.sticks},
      {"measures", row.measures},
      {"end", {row.end.t, list(row.end.q), list(row.end.v)}},
      {"label", {row.label.points, row.label.periods, row.label.impacts, row.label.sticks}}};
  visit_numbers(row, [&](const char* name, double value) { json[name] = value; });
  json["section"] = Json::array();
  for (const SectionPoint& point : row.section) json["section"].push_back(point_json(point));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<SweepRow> read_row(const std::string& line) {
  try {
    return to_row(Json::parse(line));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

// The line end comes first: a line that was torn before stays apart.
void append_row(const std::filesystem::path& file, const SweepRow& row) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << '\n' << row_line(row) << '\n';
  if (!out.flush())
    throw IoError(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
}

std::map<int, SweepRow> read_rows(const std::filesystem::path& folder) {
  std::map<int, SweepRow> rows;
  if (!std::filesystem::exists(folder)) return rows;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      if (line.empty()) continue;
      if (std::optional<SweepRow> row = read_row(line)) rows.emplace(row->run, std::move(*row));
    }
  }
  return rows;
}

}  // namespace clack
