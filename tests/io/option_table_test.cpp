// Options are described once: what scenes take, what the structs accept, what the documents say.
//
//     CLACK_WRITE_TABLE=1 build/tests/io_test --gtest_filter='OptionTables*'    writes docs/scene.md anew
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "clack/core/error.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/solve/bodies/body_solver.hpp"

namespace clack {
namespace {

const char* const kBall = R"(clack: 1
system:
  type: linear
  M: [[1]]
  f: [-10]
  contacts: [{name: floor, G: [1], e_n: 0.5}]
initial: {q: [1]}
simulation: {step: 0.1, end: 1}
)";

const char* const kBodies = R"(clack: 1
system:
  type: rigid-bodies
  materials: {stuff: {density: 1000}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}
simulation: {step: 0.1, end: 1}
)";

std::string complaint(const std::string& text, const std::vector<std::string>& set) {
  try {
    (void)parse_scene("<test>", text, set);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : solver_list()) names.emplace_back(entry.name);
  names.emplace_back("bodies");
  return names;
}

std::string scene_of(const std::string& solver) { return solver == "bodies" ? kBodies : kBall; }

// --- the documents ---

std::string type_words(const OptionInfo& info) {
  static const char* const kWords[] = {"number", "whole number", "flag", "word", "list"};
  return kWords[static_cast<std::size_t>(info.kind)];
}

std::string range_words(const OptionInfo& info) {
  const OptionRange& x = info.range;
  if (info.kind == OptionKind::flag) return "`true`, `false`";
  if (info.kind == OptionKind::word) {
    std::string text;
    for (const std::string_view word : info.words)
      text += fmt::format("{}`{}`", text.empty() ? "" : ", ", word);
    return text;
  }
  const bool no_limit = info.kind == OptionKind::whole && x.high > 2e9;
  if (std::isfinite(x.high) && !no_limit)
    return fmt::format("in {}{:g}, {:g}{}", x.low_open ? '(' : '[', x.low, x.high,
                       x.high_open ? ')' : ']');
  return fmt::format("{} {:g}", x.low_open ? ">" : "≥", x.low);
}

std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string default_words(const OptionState& option) {
  if (!option.info.otherwise.empty()) return std::string(option.info.otherwise);
  if (const auto* number = std::get_if<double>(&option.value))
    return fmt::format("{:.3g}", *number);
  const std::string text = option_text(option.value);
  return option.info.kind == OptionKind::word ? "`" + text + "`" : text;
}

std::string unit_words(const OptionInfo& info) {
  return info.unit == "-" ? "–" : std::string(info.unit);
}

std::string row(const OptionState& option) {
  const OptionInfo& info = option.info;
  return fmt::format("`{}` | {} | {} | {} | {} | {} |", info.name, type_words(info),
                     default_words(option), unit_words(info), range_words(info),
                     cell(info.meaning));
}

std::string readers_words(const OptionInfo& info) {
  if (info.readers.empty()) return "all";
  std::string text;
  for (const std::string_view name : info.readers)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

std::string scheme_table() {
  std::string text =
      "| key | type | default | unit | allowed | meaning | read by "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const OptionState& option : option_states(SchemeOptions::table(), SchemeOptions{}))
    text += fmt::format("| {} {} |\n", row(option), readers_words(option.info));
  return text;
}

std::string plain_table(const std::vector<OptionState>& options) {
  std::string text =
      "| key | type | default | unit | allowed | meaning |\n|---|---|---|---|---|---|\n";
  for (const OptionState& option : options) text += "| " + row(option) + "\n";
  return text;
}

// Solvers with the same options share their rows.
std::string own_table() {
  std::vector<std::pair<std::string, std::string>> groups;  // rows, names
  for (const std::string& name : solver_names()) {
    std::string rows;
    for (const OptionState& option : own_options(name)) rows += row(option) + "\n";
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const auto& group) { return group.first == rows; });
    if (at == groups.end()) at = groups.insert(groups.end(), {rows, ""});
    at->second += fmt::format("{}`{}`", at->second.empty() ? "" : ", ", name);
  }
  std::string text =
      "| solver | key | type | default | unit | allowed | meaning "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const auto& [rows, names] : groups) {
    std::istringstream lines(rows);
    std::string line, first = names;
    while (std::getline(lines, line)) {
      text += fmt::format("| {} | {}\n", first, line);
      first.clear();
    }
  }
  return text;
}

// The text between `<!-- options: NAME -->` and `<!-- end -->` replaced.
void replace_block(std::string& text, const std::string& name, const std::string& table) {
  const std::string begin = "<!-- options: " + name + " -->\n", end = "<!-- end -->";
  const auto at = text.find(begin);
  ASSERT_NE(at, std::string::npos) << name;
  const auto from = at + begin.size(), to = text.find(end, from);
  ASSERT_NE(to, std::string::npos) << name;
  text.replace(from, to - from, table);
}

TEST(OptionTables, the_documents_have_them) {
  const std::string path = std::string(CLACK_SOURCE_DIR) + "/docs/scene.md";
  std::ostringstream file;
  file << std::ifstream(path).rdbuf();
  std::string text = file.str();
  replace_block(text, "simulation", scheme_table());
  replace_block(text, "adaptive",
                plain_table(option_states(AdaptiveOptions::table(), AdaptiveOptions{})));
  replace_block(
      text, "solver",
      plain_table(option_states(SolverOptions::table(), SimulationOptions{}.solver_options)));
  replace_block(text, "own", own_table());
  if (std::getenv("CLACK_WRITE_TABLE")) {
    std::ofstream(path) << text;
    return;
  }
  EXPECT_TRUE(file.str() == text) << path << " is stale; write it anew: CLACK_WRITE_TABLE=1";
}

// --- each option ---

// Values just outside the range, as a scene has them.
std::vector<std::string> bad_values(const OptionInfo& info) {
  const OptionRange& x = info.range;
  switch (info.kind) {
    case OptionKind::flag:
      return {"2", "maybe"};
    case OptionKind::word:
      return {"no-such-word", "1"};
    case OptionKind::whole:
      return {"2.5", "fast", fmt::format("{}", x.low - 1), fmt::format("{}", x.high + 1)};
    default:
      break;
  }
  std::vector<std::string> values = {"fast", "0/0", "1/0"};
  if (std::isfinite(x.low)) values.push_back(fmt::format("{}", x.low_open ? x.low : x.low - 1e-3));
  if (std::isfinite(x.high))
    values.push_back(fmt::format("{}", x.high_open ? x.high : x.high + 1e-3));
  return values;
}

void expect_refused(const std::string& scene, const std::string& path, const OptionInfo& info,
                    const std::vector<std::string>& others = {}) {
  for (const std::string& value : bad_values(info)) {
    std::vector<std::string> set = others;
    set.push_back(path + "." + std::string(info.name) + "=" + value);
    const std::string words = complaint(scene, set);
    EXPECT_TRUE(has(words, fmt::format("{}.{}: ", path, info.name))) << set.back() << ": " << words;
    const bool says = info.kind == OptionKind::word || info.kind == OptionKind::flag
                          ? has(words, "allowed: ")
                          : has(words, info.allowed());
    EXPECT_TRUE(says || value == "fast") << set.back() << ": " << words;
  }
}

TEST(OptionTables, names_are_unique_and_every_option_says_what_it_is) {
  const auto check = [](const std::vector<OptionState>& options, const std::string& of) {
    std::set<std::string_view> names;
    for (const auto& [info, value] : options) {
      EXPECT_TRUE(names.insert(info.name).second) << of << ": " << info.name;
      EXPECT_GT(info.meaning.size(), 5u) << of << ": " << info.name;
      EXPECT_FALSE(info.unit.empty()) << of << ": " << info.name;
      EXPECT_TRUE(info.allows(value)) << of << ": default of " << info.name;
      const bool given = !std::holds_alternative<std::monostate>(value);
      EXPECT_TRUE(given || !info.otherwise.empty()) << of << ": " << info.name;
    }
  };
  check(option_states(SchemeOptions::table(), SchemeOptions{}), "simulation");
  check(option_states(AdaptiveOptions::table(), AdaptiveOptions{}), "adaptive");
  check(option_states(SolverOptions::table(), SolverOptions{}), "solver");
  for (const std::string& name : solver_names()) check(own_options(name), name);
}

TEST(OptionTables, schemes_that_read_an_option_exist) {
  std::set<std::string_view> known;
  for (const SchemeInfo& info : scheme_list()) known.insert(info.name);
  for (const OptionInfo& option : SchemeOptions::table())
    for (const std::string_view name : option.readers) EXPECT_TRUE(known.contains(name)) << name;
}

TEST(OptionTables, scenes_refuse_what_is_out_of_range_with_place_and_remedy) {
  for (const OptionInfo& info : SchemeOptions::table()) expect_refused(kBall, "simulation", info);
  for (const OptionInfo& info : AdaptiveOptions::table()) {
    if (info.kind != OptionKind::list) expect_refused(kBall, "simulation.adaptive", info);
  }
  for (const OptionInfo& info : SolverOptions::table()) expect_refused(kBall, "solver", info);
  for (const std::string& name : solver_names()) {
    for (const OptionState& option : own_options(name))
      expect_refused(scene_of(name), "solver", option.info, {"solver.name=" + name});
  }
}

TEST(OptionTables, structs_refuse_in_cxx_what_scenes_refuse) {
  SchemeOptions scheme;
  scheme.alpha_f = 0.6;
  EXPECT_THROW(scheme.validate(), InputError);
  scheme = {};
  scheme.constraints = static_cast<ConstraintLevel>(17);
  EXPECT_THROW(scheme.validate(), InputError);
  scheme = {};
  scheme.gamma = std::nan("");
  EXPECT_THROW(scheme.validate(), InputError);
  AdaptiveOptions adaptive;
  adaptive.scale = Vector::Constant(2, -1);
  EXPECT_THROW(adaptive.validate(), InputError);
  adaptive = {.h_min = 2, .h_max = 1};
  EXPECT_THROW(adaptive.validate(), InputError);
  SolverOptions solver;
  EXPECT_NO_THROW(solver.validate());  // no limit of time
  solver.time_limit = -solver.time_limit;
  EXPECT_THROW(solver.validate(), InputError);
  BodySolverOptions bodies;
  bodies.max_momentum = 1;
  EXPECT_THROW(bodies.validate(), InputError);
}

// --- own options of solvers ---

// Another value than the default.
std::string other_value(const OptionState& option) {
  const OptionInfo& info = option.info;
  const std::string before = option_text(option.value);
  if (info.kind == OptionKind::flag) return before == "true" ? "false" : "true";
  if (info.kind == OptionKind::word)
    return std::string(info.words[before == info.words[0] ? 1 : 0]);
  if (info.kind == OptionKind::whole)
    return info.allows(std::get<long>(option.value) + 1)
               ? fmt::format("{}", std::get<long>(option.value) + 1)
               : fmt::format("{}", info.range.low);
  return fmt::format("{}", 0.75 * std::get<double>(option.value));
}

TEST(SolverOwnOptions, of_a_scene_reach_the_solver) {
  for (const std::string& name : solver_names()) {
    for (const OptionState& option : own_options(name)) {
      const std::string key(option.info.name), value = other_value(option);
      const Scene scene = parse_scene("<test>", scene_of(name),
                                      {"solver.name=" + name, "solver." + key + "=" + value});
      const OptionSet expected = {{key, value}};
      EXPECT_EQ(scene.options.solver_own, expected) << name;
      for (const OptionState& now : own_options(name, scene.options.solver_own)) {
        if (now.info.name != key) continue;
        EXPECT_EQ(option_text(now.value), value) << name << ' ' << key;
      }
    }
  }
}

TEST(SolverOwnOptions, take_formulas_of_the_parameters) {
  const Scene scene = parse_scene("<test>", kBall,
                                  {"parameters={a: 0.5}", "solver={relaxation: 2*a, seed: 3 + 4}"});
  EXPECT_EQ(scene.options.solver, "nsgs");
  EXPECT_EQ(scene.options.solver_own.at("relaxation"), "1");
  EXPECT_EQ(scene.options.solver_own.at("seed"), "7");
}

TEST(SolverOwnOptions, change_what_the_solver_does) {
  const auto run = [](const std::string& text, const std::vector<std::string>& set) {
    const Scene scene = parse_scene("<test>", text, set);
    Simulation simulation(scene.system, scene.initial, scene.options);
    int iterations = 0;
    for (int k = 0; k < 10; ++k) {
      (void)simulation.step();
      iterations += simulation.last_step().solve.iterations;
    }
    return iterations;
  };
  const std::string slow = "solver={name: prox-sor, check_every: 1, omega: 0.1}";
  EXPECT_GT(run(kBall, {slow}), run(kBall, {"solver={name: prox-sor, check_every: 1}"}));
}

TEST(SolverOwnOptions, of_bodies_reach_its_solver) {
  const auto steps = [](const std::vector<std::string>& set) {
    const Scene scene = parse_scene("<test>", kBodies, set);
    return Simulation(scene.system, scene.initial, scene.options);
  };
  EXPECT_NO_THROW(steps({"solver.max_momentum=0"}));
  const Scene scene = parse_scene("<test>", kBodies);
  SimulationOptions options = scene.options;
  options.solver_own = {{"max_momentum", "1"}};
  EXPECT_THROW(Simulation(scene.system, scene.initial, options), InputError);
  options.solver_own = {{"omega", "1"}};
  EXPECT_THROW(Simulation(scene.system, scene.initial, options), InputError);
}

TEST(SolverOwnOptions, of_another_solver_are_refused_with_its_name) {
  const std::string words = complaint(kBall, {"solver={name: nsgs, omega: 1}"});
  EXPECT_TRUE(has(words,
                  "solver.omega: solver 'nsgs' does not read this option; read by: jacobi, "
                  "prox-sor"))
      << words;
  EXPECT_TRUE(has(complaint(kBall, {"solver={max_momentum: 0.5}"}), "read by: bodies"));
  EXPECT_TRUE(has(complaint(kBodies, {"solver={relaxation: 1.2}"}), "solver 'bodies' does not"));
}

TEST(SolverOwnOptions, that_no_solver_has_are_unknown_keys) {
  const std::string words = complaint(kBall, {"solver={name: nsgs, relaxatoin: 1}"});
  EXPECT_TRUE(has(words, "solver.relaxatoin: unknown key (did you mean 'relaxation'?)")) << words;
  EXPECT_TRUE(has(words, "time_limit")) << words;
  // The name is wrong as well: both are said, and options of any solver are let pass.
  const std::string both = complaint(kBall, {"solver={name: nsgss, colour: 1, omega: 1}"});
  EXPECT_TRUE(has(both, "solver.name") && has(both, "solver.colour")) << both;
  EXPECT_FALSE(has(both, "solver.omega")) << both;
}

TEST(SolverOwnOptions, that_do_not_go_together_are_refused_at_the_solver) {
  const std::string words =
      complaint(kBall, {"solver={name: vi-hyperplane, lower: 0.9, upper: 0.5}"});
  EXPECT_TRUE(has(words, "solver: vi: lower is 0.9; it must be < upper, 0.5")) << words;
}

TEST(SolverOwnOptions, given_as_text_are_refused_with_value_and_remedy) {
  const auto message = [](const OptionSet& own) -> std::string {
    try {
      (void)make_solver("nsgs", {}, own);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({{"relaxation", "2"}}),
            "nsgs: option relaxation = '2' is not allowed; it must be a number in (0, 2)");
  EXPECT_EQ(message({{"order", "up"}}),
            "nsgs: option order = 'up' is not allowed; it must be one "
            "of: forward, backward, symmetric, shuffle");
  EXPECT_TRUE(has(message({{"colour", "1"}}), "nsgs: unknown option 'colour'; known: check_every"));
  EXPECT_TRUE(
      has(message({{"omega", "1"}}),
          "nsgs: does not read option 'omega', which is of: jacobi, prox-sor; known: check"));
}

}  // namespace
}  // namespace clack
