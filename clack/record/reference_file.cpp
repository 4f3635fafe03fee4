#include "clack/record/reference_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/io/results/results_reader.hpp"
#include "clack/io/tables/table_reader.hpp"

namespace clack {
namespace {

// The named columns of a results file, in a table of its own.
Table read_results(const std::string& path) {
  const ResultsReader reader(path);
  const std::vector<double> time = reader.time();
  const RowMatrix q = reader.q(), v = reader.v();
  Table table;
  table.names = {"t"};
  for (const std::string& name : reader.q_names()) table.names.push_back(name);
  for (const std::string& name : reader.v_names()) table.names.push_back(name);
  table.columns = table.names.size();
  if (static_cast<long>(table.columns) != 1 + q.cols() + v.cols()) {
    throw InputError(fmt::format("{}: has another number of names than of columns", path));
  }
  for (std::size_t k = 0; k < time.size(); ++k) {
    table.values.push_back(time[k]);
    table.values.insert(table.values.end(), q.row(k).begin(), q.row(k).end());
    table.values.insert(table.values.end(), v.row(k).begin(), v.row(k).end());
  }
  return table;
}

// Without a heading: t, the coordinates, the velocities in the scene's order; more is ignored.
void name_columns(const std::string& path, const Scene& scene, Table& table) {
  if (!table.names.empty()) return;
  table.names = {"t"};
  table.names.insert(table.names.end(), scene.q_names.begin(), scene.q_names.end());
  table.names.insert(table.names.end(), scene.v_names.begin(), scene.v_names.end());
  if (table.columns < table.names.size()) {
    throw InputError(fmt::format(
        "{}: has {} columns and no heading; expected {}: t, coordinates and velocities in the "
        "order of the scene, or a first line with names",
        path, table.columns, table.names.size()));
  }
}

std::vector<std::size_t> find_columns(const std::string& path, const Table& table,
                                      const std::vector<int>& which,
                                      const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (const int i : which) {
    const auto it = std::find(table.names.begin(), table.names.end(), names[i]);
    if (it == table.names.end()) {
      throw InputError(
          fmt::format("{}: has no column '{}'; leave it out of what is observed", path, names[i]));
    }
    columns.push_back(it - table.names.begin());
  }
  return columns;
}

Curve make_curve(const std::string& path, const Table& table, std::size_t time,
                 const std::vector<std::size_t>& columns) {
  Curve curve(static_cast<int>(columns.size()));
  curve.reserve(table.rows());
  std::vector<double> x(columns.size());
  for (std::size_t k = 0; k < table.rows(); ++k) {
    for (std::size_t j = 0; j < columns.size(); ++j) x[j] = table.at(k, columns[j]);
    try {
      curve.add(table.at(k, time), x.data());
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", path, error.what()));
    }
  }
  return curve;
}

void check_range(const std::string& path, const Curve& curve, const Scene& scene) {
  // A table may leave out the start, which the scene knows.
  const double slack = 1e-9 * (scene.end - scene.initial.t);
  const double first = curve.size() > 1 ? 1.001 * (curve.t(1) - curve.t(0)) : 0;
  if (curve.begin() <= scene.initial.t + std::max(slack, first) && curve.end() >= scene.end - slack)
    return;
  throw InputError(fmt::format("{}: goes from t = {:g} to {:g} s; the scene from {:g} to {:g} s",
                               path, curve.begin(), curve.end(), scene.initial.t, scene.end));
}

// The part of a curve from the scene's start to its end; Hausdorff's distance must see no more.
Curve cut(const Curve& curve, const Scene& scene, const std::vector<double>& initial) {
  Curve result(curve.dimension());
  const double begin = scene.initial.t, end = scene.end, slack = 1e-9 * (end - begin);
  if (curve.begin() > begin + slack) result.add(begin, initial.data());
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve.t(i) >= begin - slack && curve.t(i) <= end + slack)
      result.add(curve.t(i), curve.x(i));
  }
  std::vector<double> x(curve.dimension());
  if (result.size() == 0 || result.end() < end - slack) {
    curve.at(end, x.data());
    result.add(end, x.data());
  }
  return result;
}

bool is_results_file(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

}  // namespace

ObservedMotion read_reference(const std::string& path, const Scene& scene,
                              const ObservedCoordinates& observed) {
  Table table = is_results_file(path) ? read_results(path) : read_table(path);
  name_columns(path, scene, table);
  const auto time = std::find(table.names.begin(), table.names.end(), "t");
  if (time == table.names.end()) throw InputError(fmt::format("{}: has no column 't'", path));
  const std::size_t t = time - table.names.begin();
  const auto curve = [&](const std::vector<int>& which, const std::vector<std::string>& names,
                         const Vector& start) {
    const Curve whole = make_curve(path, table, t, find_columns(path, table, which, names));
    check_range(path, whole, scene);
    std::vector<double> initial;
    for (const int i : which) initial.push_back(start[i]);
    return cut(whole, scene, initial);
  };
  return {curve(observed.q, scene.q_names, scene.initial.q),
          curve(observed.v, scene.v_names, scene.initial.v)};
}

}  // namespace clack
