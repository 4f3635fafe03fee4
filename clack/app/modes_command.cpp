// clack modes: linear modes, modes of impacts and of lasting contacts, modes of the exact rod.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/analyse/modes/exact_rod.hpp"
#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/analyse/modes/lasting_contact.hpp"
#include "clack/app/commands.hpp"
#include "clack/app/page_template.hpp"
#include "clack/core/error.hpp"
#include "clack/io/plots/svg_plot.hpp"
#include "clack/record/files.hpp"
#include "clack/record/orbit_page.hpp"
#include "clack/record/orbit_states.hpp"

namespace clack::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTwoPi = 6.283185307179586;
constexpr int kShapesShown = 8;  // coordinates
constexpr int kShapesDrawn = 6;

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

double read_number(const std::string& option, const std::string& word) {
  try {
    std::size_t used = 0;
    const double value = std::stod(word, &used);
    if (used == word.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  throw InputError(fmt::format("{}: '{}' is no number", option, word));
}

std::string linear_csv(const LinearModes& modes, const Scene& scene) {
  std::string text = "mode,omega_squared,omega,frequency";
  for (const std::string& name : scene.v_names) text += "," + name;
  text += '\n';
  for (int j = 0; j < modes.omega.size(); ++j) {
    text += fmt::format("{},{},{},{},{}\n", j + 1, modes.omega_squared[j], modes.omega[j],
                        modes.omega[j] / kTwoPi, fmt::join(modes.shapes.col(j), ","));
  }
  return text;
}

void print_linear(const LinearModes& modes, const Scene& scene) {
  fmt::print("{}\n  linear modes about the initial state, {} contacts closed\n\n", scene.title,
             modes.closed.size());
  fmt::print("  {:>4}  {:>16}  {:>14}  shape\n", "mode", "omega [rad/s]", "f [Hz]");
  for (int j = 0; j < modes.omega.size(); ++j) {
    std::string shape;
    for (int i = 0; i < std::min<int>(kShapesShown, static_cast<int>(modes.shapes.rows())); ++i)
      shape += fmt::format(" {:9.4f}", modes.shapes(i, j));
    if (std::isnan(modes.omega[j])) {
      fmt::print("  {:>4}  {:>16}  {:>14} {}\n", j + 1, "unstable",
                 fmt::format("s = {:.6g}", std::sqrt(-modes.omega_squared[j])), shape);
    } else {
      fmt::print("  {:>4}  {:>16.10g}  {:>14.8g} {}\n", j + 1, modes.omega[j],
                 modes.omega[j] / kTwoPi, shape);
    }
  }
  if (!modes.symmetric) fmt::print("\n  the stiffness is not symmetric: see the eigenvalues\n");
  if (modes.eigenvalues.empty()) return;
  fmt::print("\n  largest real part of the eigenvalues: {:.6g} 1/s\n",
             modes.eigenvalues.front().real());
}

Json linear_json(const LinearModes& modes) {
  Json omega = Json::array(), eigenvalues = Json::array();
  for (double x : modes.omega) omega.push_back(json_number(x));
  for (const auto& s : modes.eigenvalues) eigenvalues.push_back({s.real(), s.imag()});
  return {{"omega", omega},
          {"omega_squared",
           std::vector<double>(modes.omega_squared.begin(), modes.omega_squared.end())},
          {"eigenvalues", eigenvalues},
          {"closed_contacts", modes.closed}};
}

// Shapes over the number of the coordinate, each over its largest value.
std::string linear_svg(const LinearModes& modes, const Scene& scene) {
  SvgPlot plot{.title = scene.title + ": linear modes",
               .x = {"coordinate (number)"},
               .y = {"shape over its largest value"},
               .series = {}};
  for (int j = 0; j < std::min<int>(kShapesDrawn, static_cast<int>(modes.omega.size())); ++j) {
    PlotSeries series{fmt::format("{}: {:.5g} rad/s", j + 1, modes.omega[j]), {}, {}};
    if (modes.shapes.rows() <= 30) series.style = PlotStyle::line_markers;
    const Vector shape = modes.shapes.col(j) / modes.shapes.col(j).cwiseAbs().maxCoeff();
    for (int i = 0; i < shape.size(); ++i) {
      series.x.push_back(i + 1);
      series.y.push_back(shape[i]);
    }
    plot.series.push_back(std::move(series));
  }
  return format_svg(plot);
}

// ---- families over their period

struct PeriodRange {
  double low, high;
  int count;

  double at(int k) const { return low + (high - low) * k / (count - 1); }
};

// LOW:HIGH:COUNT.
PeriodRange read_periods(const std::string& option, const std::string& text) {
  const auto first = text.find(':'), second = text.rfind(':');
  if (first == std::string::npos || first == second)
    throw InputError(fmt::format("{}: '{}'; give periods LOW:HIGH:COUNT [s]", option, text));
  const double low = read_number(option, text.substr(0, first));
  const double high = read_number(option, text.substr(first + 1, second - first - 1));
  const double count = read_number(option, text.substr(second + 1));
  if (!(low > 0 && high > low && count >= 2 && count <= 1e6)) {
    throw InputError(
        fmt::format("{}: periods must rise from above zero, in 2 to 1000000 of them", option));
  }
  return {low, high, static_cast<int>(count)};
}

std::string quoted(const std::string& text) { return text.empty() ? "" : '"' + text + '"'; }

// Energy over frequency: modes as points of a curve; what is no mode is never among them.
class EnergyPlot {
 public:
  explicit EnergyPlot(const std::string& title)
      : plot_{.title = title + ": energy and frequency",
              .x = {"frequency [Hz]"},
              .y = {"energy [J]", AxisScale::log10},
              .series = {}} {}

  PlotSeries& curve(const std::string& name, PlotStyle style) {
    plot_.series.push_back({name, {}, {}, style});
    return plot_.series.back();
  }
  static void add(PlotSeries& series, double period, double energy, bool admissible) {
    series.x.push_back(1 / period);
    series.y.push_back(admissible ? energy : NAN);
  }
  std::string svg() const { return format_svg(plot_); }

 private:
  SvgPlot plot_;
};

void print_files(const std::filesystem::path& folder, bool manifold, bool page = false) {
  fmt::print("\n  files: modes.csv{}{} and modes.svg in {}\n", page ? ", report.html" : "",
             manifold ? ", manifold.csv, manifold.svg, manifold.h5" : "", folder.string());
}

// True where there was something to show.
bool keep_page(const FamilyPage& family, const std::filesystem::path& folder) {
  if (!has_page_template() || family.page().points.empty()) return false;
  write_file(folder / "report.html", format_orbit_page(family.page(), page_template()));
  return true;
}

void keep_manifold(const ModesArguments& arguments, const Scene& scene,
                   const std::vector<OrbitStates>& states, const std::filesystem::path& folder) {
  if (!arguments.manifold) return;
  write_manifold_files(folder, states, scene, manifold_axes(scene, arguments.manifold_axes));
}

std::string impact_row(const ImpactMode& mode) {
  return fmt::format("{},{},{},{},{},{},{},{}\n", mode.period, 1 / mode.period, mode.energy,
                     fmt::join(mode.times, " "), fmt::join(mode.impulses, " "),
                     std::isfinite(mode.lowest_gap) ? fmt::format("{}", mode.lowest_gap) : "",
                     mode.admissible ? 1 : 0, quoted(mode.inadmissible));
}

// The family of k impacts per period over its periods.
int impact_family(const ModesArguments& arguments, const Scene& scene,
                  const std::filesystem::path& folder) {
  const PeriodRange range = read_periods("--impacts", arguments.impacts);
  const ImpactModes modes(*scene.system);
  const bool one = arguments.count == 1;
  std::string csv = "period,frequency,energy,times,impulses,lowest_gap,admissible,why_not\n";
  EnergyPlot plot(scene.title);
  const std::string name =
      one ? "one impact per period" : fmt::format("{} impacts per period", arguments.count);
  PlotSeries& curve = plot.curve(name, one ? PlotStyle::line : PlotStyle::markers);
  FamilyPage family(scene, name, one);
  std::vector<OrbitStates> states;
  int found = 0, admissible = 0;
  for (int k = 0; k < range.count; ++k) {
    for (const ImpactMode& mode : modes.impacts(range.at(k), arguments.count)) {
      ++found;
      admissible += mode.admissible;
      EnergyPlot::add(curve, mode.period, mode.energy, mode.admissible);
      csv += impact_row(mode);
      family.add(modes, mode);
      if (arguments.manifold && mode.admissible) states.push_back(sample_orbit(modes, mode));
    }
  }
  write_file(folder / "modes.csv", csv);
  write_file(folder / "modes.svg", plot.svg());
  keep_manifold(arguments, scene, states, folder);
  const bool page = keep_page(family, folder);
  std::vector<PeriodWindow> windows;
  if (one) windows = modes.one_impact_windows(range.low, range.high, range.count);
  if (arguments.json) {
    Json list = Json::array();
    for (const PeriodWindow& window : windows) list.push_back({window.begin, window.end});
    print_json(
        {{"scene", scene.path}, {"orbits", found}, {"admissible", admissible}, {"windows", list}});
    return kDone;
  }
  fmt::print("{}\n  {} impacts per period: {} solutions at {} periods, {} are admissible\n",
             scene.title, arguments.count, found, range.count, admissible);
  for (const PeriodWindow& window : windows)
    fmt::print("  from {:.9g} to {:.9g} s\n", window.begin, window.end);
  print_files(folder, arguments.manifold, page);
  return kDone;
}

// One lasting contact per period, on a coordinate without mass.
int lasting_family(const ModesArguments& arguments, const Scene& scene,
                   const std::filesystem::path& folder) {
  const PeriodRange range = read_periods("--lasting", arguments.lasting);
  const LastingContactModes modes(*scene.system);
  std::string csv = "period,frequency,energy,contact,force,admissible,why_not";
  for (const std::string& name : scene.q_names) csv += "," + name;
  csv += '\n';
  EnergyPlot plot(scene.title);
  PlotSeries& curve = plot.curve("one contact per period", PlotStyle::markers);
  FamilyPage family(scene, "one contact per period", false);
  std::vector<OrbitStates> states;
  int found = 0, admissible = 0;
  for (int k = 0; k < range.count; ++k) {
    for (const LastingContactMode& mode : modes.modes(range.at(k))) {
      ++found;
      admissible += mode.admissible;
      EnergyPlot::add(curve, mode.period, mode.energy, mode.admissible);
      csv += fmt::format("{},{},{},{},{},{},{},{}\n", mode.period, 1 / mode.period, mode.energy,
                         mode.contact, mode.force, mode.admissible ? 1 : 0,
                         quoted(mode.inadmissible), fmt::join(mode.middle, ","));
      family.add(modes, mode);
      if (arguments.manifold && mode.admissible) states.push_back(sample_orbit(modes, mode));
    }
  }
  write_file(folder / "modes.csv", csv);
  write_file(folder / "modes.svg", plot.svg());
  keep_manifold(arguments, scene, states, folder);
  const bool page = keep_page(family, folder);
  if (arguments.json) {
    print_json({{"scene", scene.path}, {"orbits", found}, {"admissible", admissible}});
    return kDone;
  }
  fmt::print(
      "{}\n  one lasting contact per period: {} solutions at {} periods, {} are admissible\n",
      scene.title, found, range.count, admissible);
  print_files(folder, arguments.manifold, page);
  return kDone;
}

// NAME=VALUE, with commas.
ExactRodData read_rod(const std::string& text) {
  ExactRodData rod;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equal = part.find('=');
    const std::string name = part.substr(0, equal);
    double* field = name == "EA"       ? &rod.EA
                    : name == "c"      ? &rod.c
                    : name == "length" ? &rod.length
                    : name == "g0"     ? &rod.g0
                                       : nullptr;
    if (!field || equal == std::string::npos) {
      throw InputError(fmt::format(
          "--exact-rod: '{}'; give EA=, c=, length= and g0=, those other than 1, with commas",
          part));
    }
    *field = read_number("--exact-rod", part.substr(equal + 1));
    begin = end + 1;
  }
  rod.validate();
  return rod;
}

// The first three families of a clamped rod with a stop, as waves.
int rod_families(const ModesArguments& arguments) {
  constexpr int kOrders = 3, kPeriods = 200;
  const ExactRodData rod = read_rod(arguments.exact_rod);
  if (rod.g0 == 0)
    throw InputError("--exact-rod: with g0 = 0 each family has one period and all energies");
  const std::filesystem::path folder = make_folder(arguments.folder, "exact_rod.yaml");
  std::string csv = "order,period,frequency,energy,contact,speed,force,closing\n";
  EnergyPlot plot("Clamped rod with a stop");
  for (int order = 0; order < kOrders; ++order) {
    const RodPeriods range = rod_mode_periods(rod, order);
    PlotSeries& curve = plot.curve(fmt::format("family {}", order + 1), PlotStyle::line);
    for (int k = 1; k < kPeriods; ++k) {
      const double T = range.low + (range.high - range.low) * k / kPeriods;
      const RodMode mode = rod_mode(rod, order, T);
      ExactRod motion(rod, mode);
      const double tip = motion.tip();
      motion.advance(T);
      csv += fmt::format("{},{},{},{},{},{},{},{}\n", order, T, 1 / T, mode.energy, mode.contact,
                         2 * mode.alpha, mode.force, std::abs(motion.tip() - tip));
      EnergyPlot::add(curve, T, mode.energy, true);
    }
    if (!arguments.json)
      fmt::print("  family {}: periods from {:.9g} to {:.9g} s\n", order + 1, range.low,
                 range.high);
  }
  write_file(folder / "modes.csv", csv);
  write_file(folder / "modes.svg", plot.svg());
  if (arguments.json) {
    print_json({{"families", kOrders}, {"periods", kPeriods - 1}});
  } else {
    print_files(folder, false);
  }
  return kDone;
}

}  // namespace

int modes(const ModesArguments& arguments) {
  if (!arguments.exact_rod.empty()) return rod_families(arguments);
  if (arguments.scene.empty()) throw InputError("modes: give a scene, or --exact-rod");
  if (!arguments.impacts.empty() && !arguments.lasting.empty())
    throw InputError("modes: give --impacts or --lasting, not both");
  if (arguments.contacts == "sliding" && arguments.impacts.empty() && arguments.lasting.empty())
    return sliding_modes(arguments);
  const Scene scene = load_scene(arguments.scene, arguments.set);
  if (arguments.manifold) (void)manifold_axes(scene, arguments.manifold_axes);
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  if (!arguments.impacts.empty()) return impact_family(arguments, scene, folder);
  if (!arguments.lasting.empty()) return lasting_family(arguments, scene, folder);
  LinearModeOptions options;
  options.contacts = arguments.contacts == "closed" ? ModeContacts::closed : ModeContacts::open;
  options.count = arguments.number;
  const LinearModes found = compute_linear_modes(*scene.system, scene.initial, options);
  write_file(folder / "modes.csv", linear_csv(found, scene));
  write_file(folder / "modes.svg", linear_svg(found, scene));
  if (arguments.json) {
    Json json = linear_json(found);
    json["scene"] = scene.path;
    print_json(json);
  } else {
    print_linear(found, scene);
    print_files(folder, false);
  }
  return found.converged ? kDone : kNumericalFailure;
}

}  // namespace clack::app
