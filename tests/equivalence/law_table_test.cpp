// Every law under every scheme on every kind of system: the table of docs/law-table.md. Each cell is
// a small scene that is run; a cell works, is refused with a reason, or misses its tolerance.
//
//     CLACK_WRITE_TABLE=1 build/tests/equivalence_test --gtest_filter='LawTable*'    writes it anew
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "clack/core/error.hpp"
#include "clack/model/laws/law_list.hpp"
#include "clack/record/run.hpp"
#include "tests/support/body_simulation.hpp"

namespace clack {
namespace {

// Parameters that must be given, of a law that then acts on a ball of 1 kg.
std::string parameters_of(const LawInfo& law) {
  static const std::map<std::string, std::string> kValues = {
      {"k_n", "1"},       {"stiffness", "1.0e4"}, {"mu_s", "0.4"},  {"mu_d", "0.3"},
      {"v_s", "0.1"},     {"mu_1", "0.3"},        {"mu_2", "0.2"},  {"mu", "0.3"},
      {"radius", "0.02"}, {"mu_r", "1.0e-3"},     {"s", "1"},       {"mu_0", "0.6"},
      {"a", "0.01"},      {"b", "0.005"},         {"V0", "1.0e-3"}, {"Dc", "1.0e-3"},
      {"c_n", "1.0e5"},   {"c_t", "1.0e5"},       {"w", "1"},       {"s_1", "1.0e3"},
      {"s_2", "1.0e3"},   {"G_1", "10"},          {"G_2", "10"}};
  std::string text = fmt::format("law: {}", law.name);
  for (const LawParameter& parameter : law.parameters) {
    if (!parameter.is_required()) continue;
    text += fmt::format(", {}: {}", parameter.name, kValues.at(std::string(parameter.name)));
  }
  return text;
}

std::string key_of(const LawInfo& law) {
  return std::string(law_kind_names()[static_cast<std::size_t>(law.kind)]);
}

enum Kind { kFormulas, kMatrices, kBodiesInPlane, kBodiesInSpace };
const std::vector<std::string> kKinds = {"formulas", "matrices", "bodies, plane", "bodies, space"};

// A ball that slides and turns on a floor, closed at the start.
std::string scene_of(Kind kind, const LawInfo& law) {
  const std::string words = fmt::format("{}: {{{}}}", key_of(law), parameters_of(law));
  const std::string friction = law.kind == LawKind::friction ? "" : ", mu: 0.3";
  const bool named = law.kind == LawKind::friction || law.kind == LawKind::normal;
  const std::string rest = named ? "" : friction;
  const std::string end = "simulation: {step: 1.0e-3, end: 0.02}\n";
  switch (kind) {
    case kFormulas:
      return "clack: 1\nsystem:\n  type: lagrangian\n  coordinates: [x, y, a]\n"
             "  kinetic: 0.5*(x'^2 + y'^2) + 0.002*a'^2\n  potential: 9.81*y\n  contacts:\n"
             "    - {name: floor, gap: y - 0.1, tangent: x' + 0.1*a', turn: a', area: 1.0e-3, " +
             words + rest + "}\ninitial: {q: [0, 0.1, 0], v: [0.2, 0, 0]}\n" + end;
    case kMatrices:
      return "clack: 1\nsystem:\n  type: linear\n  M: [[1, 0, 0], [0, 1, 0], [0, 0, 0.004]]\n"
             "  f: [0, -9.81, 0]\n  contacts:\n"
             "    - {name: floor, G: [0, 1, 0], g0: -0.1, T: [[1, 0, 0.1]], turn: [[0, 0, 1]], "
             "area: 1.0e-3, " +
             words + rest + "}\ninitial: {q: [0, 0.1, 0], v: [0.2, 0, 0]}\n" + end;
    case kBodiesInPlane:
      return "clack: 1\nsystem:\n  type: rigid-bodies\n  space: 2d\n  gravity: [0, -9.81]\n"
             "  materials: {stuff: {density: 1}}\n  pairs: [{materials: [stuff, stuff], " +
             words + rest +
             "}]\n  bodies:\n    - {name: floor, shape: line, fixed: true}\n"
             "    - {name: ball, shape: {disc: {radius: 0.1}}, mass: 1, position: [0, 0.1], "
             "velocity: [0.2, 0]}\n" +
             end;
    default:
      return "clack: 1\nsystem:\n  type: rigid-bodies\n  gravity: [0, 0, -9.81]\n"
             "  materials: {stuff: {density: 1}}\n  pairs: [{materials: [stuff, stuff], " +
             words + rest +
             "}]\n  bodies:\n    - {name: floor, shape: plane, fixed: true}\n"
             "    - {name: ball, shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.1], "
             "velocity: [0.2, 0, 0]}\n" +
             end;
  }
}

struct Cell {
  enum Outcome { works, refused, missed } outcome;
  std::string why;
};

// What a complaint says about the mechanics, without the place and the names.
std::string reason(const std::string& message) {
  std::string text = message.substr(0, message.find('\n'));
  if (const auto at = text.find(" needs "); at != std::string::npos) return text.substr(at + 1);
  if (text.find("knows no friction") != std::string::npos)
    return "it knows no friction, which depends on how a state was reached: contacts with mu = 0 "
           "only";
  const std::string head = "scheme '";
  const auto at = text.find(head);
  if (at != std::string::npos) {
    const auto colon = text.find(": ", at);
    if (colon != std::string::npos) text = text.substr(colon + 2);
  } else {
    const auto last = text.rfind(": ");
    if (last != std::string::npos) text = text.substr(last + 2);
  }
  const auto advice = text.find("; take ");
  return text.substr(0, advice);
}

Cell run_cell(Kind kind, const LawInfo& law, const std::string& scheme) {
  try {
    const Scene scene = parse_scene("cell", scene_of(kind, law), {"simulation.scheme=" + scheme});
    const std::unique_ptr<Run> run = make_run(scene, 1);
    while (!run->done()) {
      const Status status = run->step();
      if (status != Status::converged) return {Cell::missed, std::string(to_string(status))};
    }
    return {Cell::works, {}};
  } catch (const InputError& error) {
    return {Cell::refused, reason(error.what())};
  }
}

std::vector<std::string> schemes_of(Kind kind) {
  std::vector<std::string> names;
  if (kind >= kBodiesInPlane) names.emplace_back(kWorldScheme);
  for (const SchemeInfo& info : scheme_list()) names.emplace_back(info.name);
  return names;
}

bool is_on_velocities(const std::string& scheme) {
  for (const char* name : {"stewart-trinkle", "moreau-jean", "moreau-jean-dissipative",
                           "moreau-midpoint", "newmark", "hht", "generalized-alpha"})
    if (scheme == name) return true;
  return false;
}

struct Table {
  std::string text;
  int works = 0, refused = 0;
  std::vector<std::string> missed, on_velocities;  // cells
};

Table make_table() {
  Table table;
  std::vector<std::string> reasons;
  std::ostringstream body;
  for (int k = kFormulas; k <= kBodiesInSpace; ++k) {
    const auto kind = static_cast<Kind>(k);
    const std::vector<std::string> schemes = schemes_of(kind);
    body << "\n## " << kKinds[static_cast<std::size_t>(k)] << "\n\n| scheme |";
    std::vector<const LawInfo*> laws;
    for (const LawInfo& law : law_list())
      if (law.kind != LawKind::link) laws.push_back(&law);
    for (const LawInfo* law : laws) body << ' ' << law->name << " |";
    body << "\n|---|";
    for (std::size_t i = 0; i < laws.size(); ++i) body << "---|";
    body << '\n';
    for (const std::string& scheme : schemes) {
      body << "| `" << scheme << "` |";
      for (const LawInfo* law : laws) {
        const Cell cell = run_cell(kind, *law, scheme);
        const std::string name =
            fmt::format("{}, {}, {}", kKinds[static_cast<std::size_t>(k)], scheme, law->name);
        if (cell.outcome == Cell::works) {
          ++table.works;
          body << " + |";
          continue;
        }
        if (cell.outcome == Cell::missed) {
          table.missed.push_back(name + ": " + cell.why);
          body << " missed |";
          continue;
        }
        ++table.refused;
        if (is_on_velocities(scheme)) table.on_velocities.push_back(name + ": " + cell.why);
        auto at = std::find(reasons.begin(), reasons.end(), cell.why);
        if (at == reasons.end()) at = reasons.insert(reasons.end(), cell.why);
        body << ' ' << (at - reasons.begin() + 1) << " |";
      }
      body << '\n';
    }
  }
  table.text =
      "# Laws, schemes and kinds of systems\n\nMade by a test that runs every cell: a ball of 1 kg "
      "that "
      "slides on a floor for 20 steps of 1 ms. `+`: every step is solved to its\ntolerance. A "
      "number: "
      "refused before the run, for the reason below. `missed`: a step misses its tolerance.\n" +
      body.str() + "\n## Why a cell is refused\n\n";
  for (std::size_t i = 0; i < reasons.size(); ++i)
    table.text += fmt::format("{}. {}\n", i + 1, reasons[i]);
  return table;
}

std::string table_path() { return std::string(CLACK_SOURCE_DIR) + "/docs/law-table.md"; }

TEST(LawTable, EveryCellWorksOrSaysWhyNotAndTheDocsHaveIt) {
  const Table table = make_table();
  if (std::getenv("CLACK_WRITE_TABLE")) std::ofstream(table_path()) << table.text;
  std::ifstream file(table_path());
  std::ostringstream docs;
  docs << file.rdbuf();
  EXPECT_EQ(docs.str(), table.text) << "write it anew: CLACK_WRITE_TABLE=1";
  EXPECT_GT(table.works, 600);
  for (const std::string& cell : table.missed) ADD_FAILURE() << cell;
  // On velocities nothing but the law itself may ask for more than the contact has.
  for (const std::string& cell : table.on_velocities) {
    const bool needs_rows = cell.find("needs") != std::string::npos;
    EXPECT_TRUE(needs_rows) << cell;
  }
}

}  // namespace
}  // namespace clack
