#include "clack/io/exports/csv_export.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "clack/io/exports/output_file.hpp"
#include "clack/io/results/results_reader.hpp"

namespace clack {
namespace {

constexpr std::int64_t kRowsAtOnce = 1000;
constexpr Eigen::Index kQ = 7, kV = 6;  // numbers of a body in /q and /v

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void append(std::string& line, double value) {
  fmt::format_to(std::back_inserter(line), "{}{:.17g}",
                 line.empty() || line.back() == '\n' ? "" : ",", value);
}

struct Source {
  std::string dataset;
  std::vector<std::string> names;  // of its columns
};

std::vector<Source> row_sources(const ResultsReader& reader, bool world) {
  std::vector<Source> sources = {{"/time", {"time"}}};
  if (!world) {
    sources.push_back({"/q", reader.q_names()});
    sources.push_back({"/v", reader.v_names()});
  }
  for (const char* group : {"energy", "solver", "measures", "sample"})
    for (const std::string& name : reader.members(std::string("/") + group))
      sources.push_back({fmt::format("/{}/{}", group, name), {fmt::format("{}/{}", group, name)}});
  return sources;
}

void write_rows(const ResultsReader& reader, const std::string& path, bool world,
                std::int64_t every) {
  OutputFile file(path);
  const std::vector<Source> sources = row_sources(reader, world);
  std::string text;
  for (const Source& source : sources)
    for (const std::string& name : source.names) {
      if (!text.empty()) text += ',';
      text += quoted(name);
    }
  file.write(text + "\n");
  for (std::int64_t first = 0; first < reader.rows(); first += kRowsAtOnce * every) {
    const std::int64_t count = std::min(kRowsAtOnce * every, reader.rows() - first);
    std::vector<RowMatrix> values;
    for (const Source& source : sources)
      values.push_back(reader.slice(source.dataset, first, count));
    text.clear();
    for (std::int64_t k = 0; k < count; k += every) {
      for (const RowMatrix& column : values)
        for (Eigen::Index j = 0; j < column.cols(); ++j) append(text, column(k, j));
      text += '\n';
    }
    file.write(text);
  }
  file.finish();
}

void write_bodies(const ResultsReader& reader, const std::string& path, std::int64_t every) {
  OutputFile file(path);
  const std::vector<std::string> names = reader.strings("/bodies/name");
  const std::vector<double> time = reader.time();
  file.write("time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
  for (std::int64_t row = 0; row < reader.rows(); row += every) {
    const RowMatrix q = reader.slice("/q", row, 1), v = reader.slice("/v", row, 1);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      append(text, time[static_cast<std::size_t>(row)]);
      text += fmt::format(",{},{}", i, quoted(names[i]));
      const auto at = static_cast<Eigen::Index>(i);
      for (Eigen::Index j = 0; j < kQ; ++j) append(text, q(0, kQ * at + j));
      for (Eigen::Index j = 0; j < kV; ++j) append(text, v(0, kV * at + j));
      text += '\n';
    }
    file.write(text);
  }
  file.finish();
}

void write_contacts(const ResultsReader& reader, const std::string& path, bool world,
                    std::int64_t every) {
  OutputFile file(path);
  std::vector<Source> sources = {{"id", {"id"}},
                                 {"body_a", {"body_a"}},
                                 {"body_b", {"body_b"}},
                                 {"status", {"status"}},
                                 {"gap", {"gap"}},
                                 {"point", {"x", "y", "z"}},
                                 {"normal", {"nx", "ny", "nz"}},
                                 {"r", {"r_n", "r_t1", "r_t2"}},
                                 {"u", {"u_n", "u_t1", "u_t2"}}};
  if (reader.has("/contacts/impulse"))
    sources.push_back({"impulse", {"impulse_n", "impulse_t1", "impulse_t2"}});
  for (const std::string& law : reader.members("/contacts/law"))
    sources.push_back({"law/" + law, {law}});
  const std::vector<std::string> names =
      world ? std::vector<std::string>() : reader.contact_names();
  const std::vector<double> time = reader.time();
  const std::vector<std::int64_t> offset = reader.contact_offset();
  std::string text = world ? "time" : "time,name";
  for (const Source& source : sources)
    for (const std::string& name : source.names) text.append(",").append(quoted(name));
  file.write(text + "\n");
  for (std::int64_t row = 0; row < reader.rows(); row += every) {
    const auto k = static_cast<std::size_t>(row);
    const std::int64_t count = offset[k + 1] - offset[k];
    if (count == 0) continue;
    std::vector<RowMatrix> values;
    for (const Source& source : sources)
      values.push_back(reader.slice("/contacts/" + source.dataset, offset[k], count));
    text.clear();
    for (std::int64_t c = 0; c < count; ++c) {
      append(text, time[k]);
      const auto id = static_cast<std::size_t>(values[0](c, 0));
      if (!world) text += ',';
      if (!world && id < names.size()) text += quoted(names[id]);
      for (const RowMatrix& column : values)
        for (Eigen::Index j = 0; j < column.cols(); ++j) append(text, column(c, j));
      text += '\n';
    }
    file.write(text);
  }
  file.finish();
}

// All of them, whatever rows are taken; bodies by name.
void write_events(const ResultsReader& reader, const std::string& path) {
  const EventColumns events = reader.events();
  if (events.offset.empty()) return;  // a file of an older version
  OutputFile file(path);
  const std::vector<std::string> names = reader.contact_names(),
                                 bodies = reader.strings("/bodies/name");
  std::string text;
  const auto add_name = [&](const std::vector<std::string>& list, std::int32_t at) {
    text += ',';
    if (at >= 0 && static_cast<std::size_t>(at) < list.size())
      text += quoted(list[static_cast<std::size_t>(at)]);
  };
  file.write(
      "time,kind,name,body_a,body_b,u_n_before,u_t1_before,u_t2_before,u_n_after,u_t1_after,"
      "u_t2_after,impulse_n,impulse_t1,impulse_t2\n");
  for (std::size_t i = 0; i < events.time.size(); ++i) {
    append(text, events.time[i]);
    text.append(",").append(event_name(events.kind[i]));
    add_name(names, events.id[i]);
    add_name(bodies, events.body_a[i]);
    add_name(bodies, events.body_b[i]);
    for (const RowMatrix* values : {&events.u_before, &events.u_after, &events.impulse})
      for (Eigen::Index j = 0; j < 3; ++j) append(text, (*values)(static_cast<Eigen::Index>(i), j));
    text += '\n';
  }
  file.write(text);
  file.finish();
}

}  // namespace

std::int64_t export_csv(const std::string& results, const std::string& csv, std::int64_t every) {
  const ResultsReader reader(results);
  const bool world = reader.has("/bodies/shape_index");
  const std::string stem = std::filesystem::path(csv).replace_extension().string();
  write_rows(reader, csv, world, every);
  if (world) write_bodies(reader, stem + "_bodies.csv", every);
  write_contacts(reader, stem + "_contacts.csv", world, every);
  write_events(reader, stem + "_events.csv");
  return (reader.rows() + every - 1) / every;
}

}  // namespace clack
