#include "clack/record/equilibrium_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/io/plots/svg_plot.hpp"

namespace clack {
namespace {

constexpr std::size_t kMostPlots = 6;

const std::string& kind_name(const EquilibriumPoint& point) {
  return equilibrium_kind_names()[static_cast<std::size_t>(point.kind)];
}

}  // namespace

SceneEquilibria::SceneEquilibria(SceneWith load, const std::string& over) : scene_(load({})) {
  problem_.t = scene_.initial.t;
  problem_.system = [system = scene_.system](double) { return system; };
  if (over.empty()) return;
  if (!over.starts_with("parameters.")) {
    throw InputError(
        fmt::format("over: '{}'; a branch is continued over a number of the scene's parameters, as "
                    "in parameters.F",
                    over));
  }
  problem_.system = [load = std::move(load), over](double value) {
    return load({fmt::format("{}={:.17g}", over, value)}).system;
  };
}

Equilibrium SceneEquilibria::find(double parameter) const {
  return find_equilibrium(problem_, parameter, scene_.initial.q);
}

std::string SceneEquilibria::contact_name(int contact) const {
  return contact < 0 ? "" : scene_.system->contacts()[static_cast<std::size_t>(contact)].name;
}

std::string make_equilibrium_csv(const EquilibriumBranch& branch, const Scene& scene) {
  std::string text = "point,arclength,parameter,kind,contact,stable,growth,frequency";
  for (const std::string& name : scene.q_names) text += "," + name;
  const std::vector<Contact>& contacts = scene.system->contacts();
  for (const Contact& contact : contacts) text += fmt::format(",{0} gap,{0} force", contact.name);
  text += '\n';
  for (std::size_t k = 0; k < branch.points.size(); ++k) {
    const EquilibriumPoint& point = branch.points[k];
    const Equilibrium& e = point.equilibrium;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{}", k, point.arclength, e.parameter, kind_name(point),
                    point.contact < 0 ? "" : contacts[static_cast<std::size_t>(point.contact)].name,
                    e.stable ? 1 : 0, e.growth, e.frequency, fmt::join(e.q, ","));
    for (int c = 0; c < e.gap.size(); ++c) text += fmt::format(",{},{}", e.gap[c], e.force[c]);
    text += '\n';
  }
  return text;
}

std::string make_equilibrium_svg(const EquilibriumBranch& branch, const Scene& scene,
                                 const std::string& label) {
  std::vector<SvgPlot> plots;
  for (std::size_t i = 0; i < std::min(kMostPlots, scene.q_names.size()); ++i) {
    PlotSeries stable{"stable", {}, {}}, unstable{"unstable", {}, {}};
    std::vector<PlotSeries> marked;
    for (std::size_t kind = 1; kind < equilibrium_kind_names().size(); ++kind)
      marked.push_back({equilibrium_kind_names()[kind], {}, {}, PlotStyle::markers});
    const auto put = [](PlotSeries& series, double x, double y) {
      series.x.push_back(x);
      series.y.push_back(y);
    };
    for (std::size_t k = 0; k < branch.points.size(); ++k) {
      const Equilibrium& e = branch.points[k].equilibrium;
      const double x = e.parameter, y = e.q[static_cast<Eigen::Index>(i)];
      const bool last = k + 1 == branch.points.size();
      const bool next = !last && branch.points[k + 1].equilibrium.stable;
      put(e.stable ? stable : unstable, x, y);
      if (next != e.stable || last) {  // joined where they meet
        put(e.stable ? stable : unstable, NAN, NAN);
        if (!last) put(next ? stable : unstable, x, y);
      }
      const auto kind = static_cast<std::size_t>(branch.points[k].kind);
      if (kind > 0) put(marked[kind - 1], x, y);
    }
    SvgPlot plot{.title = scene.title + ": equilibria",
                 .x = {label},
                 .y = {scene.q_names[i]},
                 .series = {stable, unstable}};
    for (PlotSeries& series : marked)
      if (!series.x.empty()) plot.series.push_back(std::move(series));
    plots.push_back(std::move(plot));
  }
  return format_svg(plots);
}

std::string make_eigenvalue_csv(const Equilibrium& found) {
  std::string text = "eigenvalue,real,imaginary,frequency\n";
  for (std::size_t k = 0; k < found.eigenvalues.size(); ++k) {
    const auto& s = found.eigenvalues[k];
    text += fmt::format("{},{},{},{}\n", k + 1, s.real(), s.imag(),
                        std::abs(s.imag()) / 6.283185307179586);
  }
  return text;
}

}  // namespace clack
