#include "clack/record/sweep_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "clack/core/version.hpp"
#include "clack/io/results/container.hpp"
#include "clack/record/files.hpp"
#include "clack/record/sweep_pictures.hpp"

namespace clack {
namespace {

// A text that a comma, a quote or a line break must not tear apart.
std::string csv_text(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

void add_cell(std::string& text, const std::string& value) {
  text += ',';
  text += value;
}

std::string value_text(const Sweep& sweep, const SweepRun& run, std::size_t key) {
  return sweep.options().vary[key].texts[static_cast<std::size_t>(run.at[key])];
}

// run, direction and the values: the first columns of both tables.
std::string head_names(const Sweep& sweep) {
  std::string text = "run,direction";
  for (const VariedKey& key : sweep.options().vary) add_cell(text, csv_text(key.key));
  return text;
}

std::string head(const Sweep& sweep, int index) {
  const SweepRun& run = sweep.runs()[static_cast<std::size_t>(index)];
  std::string text = fmt::format("{},{}", index, run.down ? "down" : "up");
  for (std::size_t k = 0; k < run.at.size(); ++k)
    add_cell(text, csv_text(value_text(sweep, run, k)));
  return text;
}

// A named column of the table of runs.
struct Column {
  const char* name;
  double (*value)(const SweepRow& row);
};

double attractor_of(const SweepRow& row) {
  return row.attractor < 0 ? SweepRow::kNone : row.attractor + 1;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> list = {
      {"steps", [](const SweepRow& row) { return static_cast<double>(row.steps); }},
      {"time", [](const SweepRow& row) { return row.time; }},
      {"kinetic", [](const SweepRow& row) { return row.kinetic; }},
      {"potential", [](const SweepRow& row) { return row.potential; }},
      {"energy_error", [](const SweepRow& row) { return row.energy_error; }},
      {"max_residual", [](const SweepRow& row) { return row.max_residual; }},
      {"min_gap", [](const SweepRow& row) { return row.min_gap; }},
      {"contacts_max", [](const SweepRow& row) { return static_cast<double>(row.contacts_max); }},
      {"impacts", [](const SweepRow& row) { return static_cast<double>(row.impacts); }},
      {"sticks", [](const SweepRow& row) { return static_cast<double>(row.sticks); }},
      {"closed", [](const SweepRow& row) { return row.closed; }},
      {"sticking", [](const SweepRow& row) { return row.sticking; }},
      {"sliding", [](const SweepRow& row) { return row.sliding; }},
      {"period", [](const SweepRow& row) { return row.period; }},
      {"section_points",
       [](const SweepRow& row) { return static_cast<double>(row.section.size()); }},
      {"repeats_after", [](const SweepRow& row) { return static_cast<double>(row.label.points); }},
      {"periods", [](const SweepRow& row) { return static_cast<double>(row.label.periods); }},
      {"impacts_per_repeat",
       [](const SweepRow& row) { return static_cast<double>(row.label.impacts); }},
      {"sticks_per_repeat",
       [](const SweepRow& row) { return static_cast<double>(row.label.sticks); }},
      {"attractor", attractor_of}};
  return list;
}

std::string runs_csv(const Sweep& sweep, const SweepResult& result) {
  std::string text = head_names(sweep) + ",status";
  for (const Column& column : columns()) text += fmt::format(",{}", column.name);
  for (const Observable& measure : sweep.scene().measures) add_cell(text, csv_text(measure.name));
  text += ",reason\n";
  for (const SweepRow& row : result.rows) {
    text += head(sweep, row.run);
    add_cell(text, row.status);
    for (const Column& column : columns()) add_cell(text, csv_number(column.value(row)));
    for (std::size_t i = 0; i < sweep.scene().measures.size(); ++i)
      add_cell(text, i < row.measures.size() ? csv_number(row.measures[i]) : "");
    add_cell(text, csv_text(row.reason));
    text += '\n';
  }
  return text;
}

std::string section_csv(const Sweep& sweep, const SweepResult& result) {
  std::string text = head_names(sweep) + ",point,t,contact,u_before,u_after,impacts,sticks";
  for (const std::string& name : sweep.scene().q_names) add_cell(text, csv_text(name));
  for (const std::string& name : sweep.scene().v_names) add_cell(text, csv_text(name));
  text += '\n';
  const std::vector<Contact>& contacts = sweep.scene().system->contacts();
  for (const SweepRow& row : result.rows) {
    const std::string first = head(sweep, row.run);
    for (std::size_t k = 0; k < row.section.size(); ++k) {
      const SectionPoint& point = row.section[k];
      const auto c = static_cast<std::size_t>(point.contact);
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", first, k, point.t,
                          c < contacts.size() ? csv_text(contacts[c].name) : "",
                          csv_number(point.u_before), csv_number(point.u_after), point.impacts,
                          point.sticks, fmt::join(point.q, ","), fmt::join(point.v, ","));
    }
  }
  return text;
}

std::string attractors_csv(const Sweep& sweep, const SweepResult& result) {
  std::string text = "attractor,name,runs,repeats_after,periods,impacts,sticks";
  for (const std::string& name : sweep.scene().q_names) add_cell(text, csv_text(name));
  for (const std::string& name : sweep.scene().v_names) add_cell(text, csv_text(name));
  text += '\n';
  for (std::size_t k = 0; k < result.attractors.size(); ++k) {
    const AttractorList::Attractor& x = result.attractors[k];
    text += fmt::format("{},{},{},{},{},{},{}", k + 1, csv_text(x.name), x.runs, x.label.points,
                        x.label.periods, x.label.impacts, x.label.sticks);
    if (!x.points.empty())
      text += fmt::format(",{},{}", fmt::join(x.points.front().q, ","),
                          fmt::join(x.points.front().v, ","));
    text += '\n';
  }
  return text;
}

// HDF5 takes a slash for a folder.
std::string dataset_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

template <class Value>
std::vector<double> collect(const SweepResult& result, Value value) {
  std::vector<double> values;
  for (const SweepRow& row : result.rows) values.push_back(value(row));
  return values;
}

class H5Content {
 public:
  void numbers(const std::string& path, std::vector<double> values, std::vector<int> shape = {}) {
    if (!values.empty()) content.datasets.push_back({path, std::move(values), std::move(shape)});
  }
  void texts(const std::string& path, std::vector<std::string> values) {
    const bool blank = std::all_of(values.begin(), values.end(),
                                   [](const std::string& text) { return text.empty(); });
    if (blank) return;  // no width
    content.datasets.push_back({path, std::move(values)});
  }

  StaticContent content;
};

void add_runs(const Sweep& sweep, const SweepResult& result, H5Content& h5) {
  for (std::size_t k = 0; k < sweep.options().vary.size(); ++k) {
    const VariedKey& key = sweep.options().vary[k];
    const auto place = [&](const SweepRow& row) {
      return static_cast<std::size_t>(sweep.runs()[static_cast<std::size_t>(row.run)].at[k]);
    };
    if (key.numeric) {
      h5.numbers("/vary/" + dataset_name(key.key),
                 collect(result, [&](const SweepRow& row) { return key.values[place(row)]; }));
      continue;
    }
    std::vector<std::string> texts;
    for (const SweepRow& row : result.rows) texts.push_back(key.texts[place(row)]);
    h5.texts("/vary/" + dataset_name(key.key), std::move(texts));
  }
  h5.numbers("/run/down", collect(result, [&](const SweepRow& row) {
               return sweep.runs()[static_cast<std::size_t>(row.run)].down ? 1.0 : 0.0;
             }));
  std::vector<std::string> statuses, reasons;
  for (const SweepRow& row : result.rows) {
    statuses.push_back(row.status);
    reasons.push_back(row.reason);
  }
  h5.texts("/run/status", statuses);
  h5.texts("/run/reason", reasons);
  for (const Column& column : columns())
    h5.numbers(fmt::format("/run/{}", column.name), collect(result, column.value));
  for (std::size_t i = 0; i < sweep.scene().measures.size(); ++i) {
    h5.numbers("/measures/" + dataset_name(sweep.scene().measures[i].name),
               collect(result, [&](const SweepRow& row) {
                 return i < row.measures.size() ? row.measures[i] : SweepRow::kNone;
               }));
  }
}

void add_points(const Sweep& sweep, const SweepResult& result, H5Content& h5) {
  std::vector<double> offset = {0}, t, contact, u_before, u_after, q, v;
  for (const SweepRow& row : result.rows) {
    for (const SectionPoint& point : row.section) {
      t.push_back(point.t);
      contact.push_back(point.contact);
      u_before.push_back(point.u_before);
      u_after.push_back(point.u_after);
      q.insert(q.end(), point.q.begin(), point.q.end());
      v.insert(v.end(), point.v.begin(), point.v.end());
    }
    offset.push_back(static_cast<double>(t.size()));
  }
  if (t.empty()) return;
  const int count = static_cast<int>(t.size());
  h5.numbers("/section/offset", std::move(offset));
  h5.numbers("/section/t", std::move(t));
  h5.numbers("/section/contact", std::move(contact));
  h5.numbers("/section/u_before", std::move(u_before));
  h5.numbers("/section/u_after", std::move(u_after));
  h5.numbers("/section/q", std::move(q), {count, static_cast<int>(sweep.scene().q_names.size())});
  h5.numbers("/section/v", std::move(v), {count, static_cast<int>(sweep.scene().v_names.size())});
}

void write_h5(const std::filesystem::path& file, const Sweep& sweep, const SweepResult& result) {
  H5Content h5;
  h5.content.attributes = {{"version", kVersion},
                           {"title", sweep.scene().title},
                           {"sweep", sweep.fingerprint()},
                           {"units", "SI: m, kg, s, rad; energies in J"}};
  add_runs(sweep, result, h5);
  add_points(sweep, result, h5);
  std::vector<std::string> names;
  for (const auto& x : result.attractors) names.push_back(x.name);
  h5.texts("/attractors/name", names);
  h5.texts("/model/q_name", sweep.scene().q_names);
  h5.texts("/model/v_name", sweep.scene().v_names);
  (void)make_container(file.string(), {}, h5.content);
}

}  // namespace

SweepResult gather_sweep(const Sweep& sweep, std::map<int, SweepRow> rows) {
  SweepResult result;
  AttractorList attractors(sweep.drifting(), sweep.same_system()
                                                 ? sweep.options().attractor_tolerance
                                                 : std::numeric_limits<double>::infinity());
  for (const SweepRun& run : sweep.runs()) {
    SweepRow& row = rows[run.index];
    row.run = run.index;
    if (row.status == "not_run") {
      ++result.missing;
    } else if (!row.good()) {
      ++result.failed;
    } else if (row.section.size() > 1) {
      row.attractor = attractors.add(row.label, row.section, row.size);
    }
    result.rows.push_back(std::move(row));
  }
  result.attractors = attractors.list();
  return result;
}

void write_sweep(const std::filesystem::path& folder, const Sweep& sweep, SweepResult& result) {
  const auto write = [&](const std::string& name, const std::string& text) {
    write_file(folder / name, text);
    result.files.push_back(name);
  };
  result.files.clear();
  result.pictures.clear();
  write("sweep.csv", runs_csv(sweep, result));
  write_h5(folder / "sweep.h5", sweep, result);
  result.files.emplace_back("sweep.h5");
  if (sweep.options().section != SweepSection::none) {
    write("section.csv", section_csv(sweep, result));
    write("attractors.csv", attractors_csv(sweep, result));
  }
  for (const SweepPicture& picture : make_pictures(sweep, result)) {
    write(picture.name, picture.svg);
    result.pictures.push_back(picture.name);
  }
}

}  // namespace clack
