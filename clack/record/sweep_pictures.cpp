#include "clack/record/sweep_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "clack/integrate/contact_motion.hpp"
#include "clack/io/plots/svg_map.hpp"
#include "clack/io/plots/svg_plot.hpp"

namespace clack {
namespace {

constexpr std::size_t kMostPlots = 6;  // in one picture
constexpr double kRoundOff = 1e-10;    // of the size of the motion

using Value = std::function<double(const SweepRow& row)>;

std::string file_name(const std::string& name) {
  std::string safe;
  for (const char letter : name)
    safe += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  return safe;
}

std::string with_unit(const Observable& measure) {
  return measure.unit.empty() ? measure.name : fmt::format("{} [{}]", measure.name, measure.unit);
}

std::string title_of(const Sweep& sweep) {
  return sweep.scene().title.empty() ? sweep.scene().path : sweep.scene().title;
}

double key_value(const Sweep& sweep, const SweepRow& row, std::size_t key) {
  const SweepRun& run = sweep.runs()[static_cast<std::size_t>(row.run)];
  return sweep.options().vary[key].values[static_cast<std::size_t>(run.at[key])];
}

bool goes_down(const Sweep& sweep, const SweepRow& row) {
  return sweep.runs()[static_cast<std::size_t>(row.run)].down;
}

// ---- one key

struct PointValue {
  std::string label;
  std::function<double(const SectionPoint& point)> value;
};

// What is drawn of a section: speeds of impacts first, positions there say little.
std::vector<PointValue> point_values(const Sweep& sweep) {
  std::vector<PointValue> values;
  const bool impacts = sweep.options().section == SweepSection::impact;
  if (impacts)
    values.push_back({"approach speed at impacts [m/s]",
                      [](const SectionPoint& point) { return -point.u_before; }});
  const Scene& scene = sweep.scene();
  for (std::size_t i = 0; i < scene.q_names.size(); ++i)
    values.push_back({scene.q_names[i], [i](const SectionPoint& point) {
                        return point.q[static_cast<Eigen::Index>(i)];
                      }});
  for (std::size_t i = 0; i < scene.v_names.size(); ++i)
    values.push_back(
        {scene.v_names[i] + (impacts ? " after impacts" : ""),
         [i](const SectionPoint& point) { return point.v[static_cast<Eigen::Index>(i)]; }});
  if (values.size() > kMostPlots) values.resize(kMostPlots);
  return values;
}

// Not what is the same in all points but for round-off, as the place of a wall.
bool varies(const SweepResult& result, const PointValue& what) {
  double low = HUGE_VAL, high = -HUGE_VAL, size = 0;
  for (const SweepRow& row : result.rows) {
    if (!row.section.empty()) size = std::max({size, row.size.q, row.size.v});
    for (const SectionPoint& point : row.section) {
      low = std::min(low, what.value(point));
      high = std::max(high, what.value(point));
    }
  }
  return high - low > kRoundOff * size;
}

std::string diagram(const Sweep& sweep, const SweepResult& result) {
  std::vector<SvgPlot> plots;
  const bool both = sweep.options().carry == SweepCarry::both;
  for (const PointValue& what : point_values(sweep)) {
    if (!varies(result, what)) continue;
    PlotSeries up{both ? "going up" : "", {}, {}, PlotStyle::dots};
    PlotSeries down{"going down", {}, {}, PlotStyle::dots};
    for (const SweepRow& row : result.rows) {
      PlotSeries& series = both && goes_down(sweep, row) ? down : up;
      for (const SectionPoint& point : row.section) {
        series.x.push_back(key_value(sweep, row, 0));
        series.y.push_back(what.value(point));
      }
    }
    SvgPlot plot{.title = title_of(sweep),
                 .x = {sweep.options().vary[0].key},
                 .y = {what.label},
                 .series = {std::move(up)}};
    if (!down.x.empty()) plot.series.push_back(std::move(down));
    plots.push_back(std::move(plot));
  }
  return format_svg(plots);
}

SvgPlot curve(const Sweep& sweep, const SweepResult& result, const std::string& label,
              const Value& value) {
  const bool both = sweep.options().carry == SweepCarry::both;
  PlotSeries up{both ? "going up" : "", {}, {}, PlotStyle::line_markers};
  PlotSeries down{"going down", {}, {}, PlotStyle::line_markers};
  for (const SweepRow& row : result.rows) {
    PlotSeries& series = both && goes_down(sweep, row) ? down : up;
    series.x.push_back(key_value(sweep, row, 0));
    series.y.push_back(row.good() ? value(row) : SweepRow::kNone);
  }
  SvgPlot plot{.title = title_of(sweep),
               .x = {sweep.options().vary[0].key},
               .y = {label},
               .series = {std::move(up)}};
  if (!down.x.empty()) plot.series.push_back(std::move(down));
  return plot;
}

// ---- two keys

// Rows of a chain that goes both ways: those that go up.
SvgMap make_map(const Sweep& sweep, const SweepResult& result, const std::string& label,
                const Value& value) {
  const std::vector<VariedKey>& vary = sweep.options().vary;
  SvgMap map{.title = title_of(sweep),
             .x_label = vary[0].key,
             .y_label = vary[1].key,
             .value_label = label,
             .x = vary[0].values,
             .y = vary[1].values,
             .values = std::vector<double>(vary[0].values.size() * vary[1].values.size(), NAN),
             .classes = {}};
  for (const SweepRow& row : result.rows) {
    const SweepRun& run = sweep.runs()[static_cast<std::size_t>(row.run)];
    if (sweep.options().carry == SweepCarry::both && run.down) continue;
    if (!row.good()) continue;
    const auto column = static_cast<std::size_t>(run.at[0]),
               line = static_cast<std::size_t>(run.at[1]);
    map.values[line * map.x.size() + column] = value(row);
  }
  return map;
}

SvgMap attractor_map(const Sweep& sweep, const SweepResult& result) {
  SvgMap map = make_map(sweep, result, "attractor", [](const SweepRow& row) {
    return row.attractor < 0 ? SweepRow::kNone : row.attractor;
  });
  for (const AttractorList::Attractor& x : result.attractors) map.classes.push_back(x.name);
  return map;
}

bool has_any_friction(const Scene& scene) {
  const std::vector<Contact>& contacts = scene.system->contacts();
  return scene.world || std::any_of(contacts.begin(), contacts.end(),
                                    [](const Contact& contact) { return has_friction(contact); });
}

}  // namespace

std::vector<SweepPicture> make_pictures(const Sweep& sweep, const SweepResult& result) {
  std::vector<SweepPicture> pictures;
  const SweepOptions& options = sweep.options();
  for (const VariedKey& key : options.vary)
    if (!key.numeric) return pictures;
  const bool section = options.section != SweepSection::none;
  const std::vector<Observable>& measures = sweep.scene().measures;
  const auto measure = [](std::size_t i) {
    return [i](const SweepRow& row) {
      return i < row.measures.size() ? row.measures[i] : SweepRow::kNone;
    };
  };
  const std::vector<std::pair<std::string, Value>> shares = {
      {"share of the time in stick", [](const SweepRow& row) { return row.sticking; }},
      {"share of the time in slip", [](const SweepRow& row) { return row.sliding; }}};
  if (options.vary.size() == 1) {
    const bool points = std::any_of(result.rows.begin(), result.rows.end(),
                                    [](const SweepRow& row) { return !row.section.empty(); });
    if (section && points) pictures.push_back({"diagram.svg", diagram(sweep, result)});
    std::vector<SvgPlot> plots;
    for (std::size_t i = 0; i < std::min(kMostPlots, measures.size()); ++i)
      plots.push_back(curve(sweep, result, with_unit(measures[i]), measure(i)));
    if (has_any_friction(sweep.scene()))
      for (const auto& [label, value] : shares) plots.push_back(curve(sweep, result, label, value));
    if (!plots.empty()) pictures.push_back({"measures.svg", format_svg(plots)});
    return pictures;
  }
  if (section && !result.attractors.empty())
    pictures.push_back({"attractors.svg", format_svg(attractor_map(sweep, result))});
  for (std::size_t i = 0; i < measures.size(); ++i) {
    pictures.push_back({"map_" + file_name(measures[i].name) + ".svg",
                        format_svg(make_map(sweep, result, with_unit(measures[i]), measure(i)))});
  }
  if (!has_any_friction(sweep.scene())) return pictures;
  const char* names[] = {"map_stick.svg", "map_slip.svg"};
  for (std::size_t i = 0; i < shares.size(); ++i)
    pictures.push_back(
        {names[i], format_svg(make_map(sweep, result, shares[i].first, shares[i].second))});
  return pictures;
}

}  // namespace clack
