// clack modes --contacts sliding and clack continue --equilibrium.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/app/commands.hpp"
#include "clack/record/equilibrium_study.hpp"
#include "clack/record/files.hpp"

namespace clack::app {
namespace {

using Json = nlohmann::ordered_json;

SceneWith loader(const std::string& path, const std::vector<std::string>& set) {
  return [path, set](const std::vector<std::string>& more) {
    std::vector<std::string> all = set;
    all.insert(all.end(), more.begin(), more.end());
    return load_scene(path, all);
  };
}

void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json equilibrium_json(const Equilibrium& found) {
  Json eigenvalues = Json::array();
  for (const auto& s : found.eigenvalues) eigenvalues.push_back({s.real(), s.imag()});
  return {{"status", to_string(found.status)},
          {"note", found.note},
          {"parameter", found.parameter},
          {"q", std::vector<double>(found.q.begin(), found.q.end())},
          {"force", std::vector<double>(found.force.begin(), found.force.end())},
          {"stable", found.stable},
          {"growth", found.growth},
          {"frequency", found.frequency},
          {"eigenvalues", eigenvalues}};
}

void print_equilibrium(const Equilibrium& found, const SceneEquilibria& equilibria) {
  const Scene& scene = equilibria.scene();
  fmt::print("{}\n  equilibrium, {}\n", scene.title, found.stable ? "stable" : "unstable");
  for (std::size_t i = 0; i < scene.q_names.size(); ++i)
    fmt::print("    {} = {:.10g}\n", scene.q_names[i], found.q[static_cast<Eigen::Index>(i)]);
  for (int c = 0; c < found.force.size(); ++c)
    if (found.closed[static_cast<std::size_t>(c)])
      fmt::print("    force of '{}': {:.10g} N\n", equilibria.contact_name(c), found.force[c]);
  fmt::print("  eigenvalues of small motions [1/s]:\n");
  for (const auto& s : found.eigenvalues)
    fmt::print("    {:+.10f} {:+.10f}i\n", s.real(), s.imag());
}

}  // namespace

int sliding_modes(const ModesArguments& arguments) {
  const SceneEquilibria equilibria(loader(arguments.scene, arguments.set), "");
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  const Equilibrium found = equilibria.find(0);
  if (found.good()) write_file(folder / "modes.csv", make_eigenvalue_csv(found));
  if (arguments.json) {
    Json json = equilibrium_json(found);
    json["scene"] = equilibria.scene().path;
    print_json(json);
  } else if (found.good()) {
    print_equilibrium(found, equilibria);
    fmt::print("\n  file: {}\n", (folder / "modes.csv").string());
  } else {
    fmt::print("no equilibrium was found: {}\n", found.note);
  }
  return found.good() ? kDone : kNumericalFailure;
}

int continue_equilibria(const ContinueArguments& arguments, const std::string& key, double low,
                        double high, double at) {
  EquilibriumBranchOptions options{.low = low,
                                   .high = high,
                                   .direction = arguments.down ? -1 : 1,
                                   .step = arguments.step,
                                   .max_step = std::max(0.05, arguments.step),
                                   .max_points = arguments.max_points};
  options.validate();
  const SceneEquilibria equilibria(loader(arguments.orbit.scene, arguments.orbit.set), key);
  const std::filesystem::path folder = make_folder(arguments.orbit.folder, arguments.orbit.scene);
  const Equilibrium first = equilibria.find(at);
  if (!first.good()) {
    fmt::print("no equilibrium to start from was found: {}\n", first.note);
    return kNumericalFailure;
  }
  const EquilibriumBranch branch = continue_equilibrium(equilibria.problem(), first, options);
  write_file(folder / "equilibria.csv", make_equilibrium_csv(branch, equilibria.scene()));
  write_file(folder / "equilibria.svg", make_equilibrium_svg(branch, equilibria.scene(), key));
  Json special = Json::array();
  if (!arguments.orbit.json)
    fmt::print("{}\n  {} equilibria; {}\n", equilibria.scene().title, branch.points.size(),
               branch.stop);
  for (const EquilibriumPoint& point : branch.points) {
    if (point.kind == EquilibriumKind::regular) continue;
    const std::string& kind = equilibrium_kind_names()[static_cast<std::size_t>(point.kind)];
    const std::string contact = equilibria.contact_name(point.contact);
    Json json = equilibrium_json(point.equilibrium);
    json["kind"] = kind;
    json["contact"] = contact;
    special.push_back(json);
    if (!arguments.orbit.json)
      fmt::print("    {}{} at {} = {:.10g}\n", contact.empty() ? "" : "'" + contact + "' ", kind,
                 key, point.equilibrium.parameter);
  }
  if (arguments.orbit.json) {
    print_json({{"scene", equilibria.scene().path},
                {"status", to_string(branch.status)},
                {"stop", branch.stop},
                {"points", branch.points.size()},
                {"special", special}});
  } else {
    fmt::print("\n  files: {} and {}\n", (folder / "equilibria.csv").string(),
               (folder / "equilibria.svg").string());
  }
  return branch.status == Status::converged ? kDone : kNumericalFailure;
}

}  // namespace clack::app
