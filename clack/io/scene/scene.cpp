#include "clack/io/scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/io/scene/system_reader.hpp"

namespace clack {
namespace {

class SceneReader {
 public:
  explicit SceneReader(Document& document) : root_(document.root()), document_(document) {}

  Scene read() {
    if (root_.expect_map({"clack", "title", "description", "parameters", "system", "initial",
                          "simulation", "solver", "output", "measures"})) {
      read_version();
      read_texts();
      if (const auto parameters = root_.find("parameters")) vocabulary_.read_parameters(*parameters);
      if (const auto system = root_.require("system", "what is simulated")) {
        named_ = read_system(*system, vocabulary_);
      }
      read_initial();
      read_simulation();
      read_solver();
      if (const auto output = root_.find("output")) read_output(*output);
      if (const auto measures = root_.find("measures")) read_measures(*measures);
    }
    document_.throw_if_bad();
    finish();
    return std::move(scene_);
  }

 private:
  void read_version() {
    const auto version = root_.require("clack", "the version of the format, 1");
    if (version && version->text().value_or("") != "1") {
      version->complain(fmt::format("version {} is not known; this program reads version 1", version->describe()));
    }
  }

  void read_texts() {
    if (const auto title = root_.find("title")) scene_.title = title->text().value_or("");
    if (const auto about = root_.find("description")) scene_.description = about->text().value_or("");
  }

  // A list in the order of the coordinates, or a map by name; what is left out is zero.
  Vector read_state(const Field& field, const std::vector<std::string>& names) {
    Vector values = Vector::Zero(static_cast<int>(names.size()));
    if (field.is_list()) return vocabulary_.row(field, static_cast<int>(names.size())).value_or(values);
    if (!field.expect_free_map()) return values;
    for (const std::string& key : field.keys()) {
      const Field value = *field.find(key);
      const auto it = std::find(names.begin(), names.end(), key);
      if (it == names.end()) {
        std::string known;
        for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
        value.complain(fmt::format("'{}' is not one of: {}", key, known));
        continue;
      }
      values[it - names.begin()] = vocabulary_.number(value).value_or(0);
    }
    return values;
  }

  void read_initial() {
    const std::size_t n = named_.q_names.size();
    scene_.initial.q = Vector::Zero(static_cast<int>(n));
    scene_.initial.v = Vector::Zero(static_cast<int>(n));
    const auto initial = root_.find("initial");
    if (!initial || !initial->expect_map({"t", "q", "v"})) return;
    if (const auto t = initial->find("t")) scene_.initial.t = vocabulary_.number(*t).value_or(0);
    if (n == 0) return;  // the system is wrong already
    if (const auto q = initial->find("q")) scene_.initial.q = read_state(*q, named_.q_names);
    if (const auto v = initial->find("v")) scene_.initial.v = read_state(*v, named_.v_names);
  }

  void read_simulation() {
    const auto field = root_.require("simulation", "scheme, step and end");
    if (!field || !field->expect_map({"scheme", "step", "end", "theta", "gamma", "activation_tolerance",
                                      "newton_tolerance", "newton_max_iterations"})) {
      return;
    }
    std::vector<std::string> schemes;
    for (const SchemeInfo& info : scheme_list()) schemes.emplace_back(info.name);
    if (const auto scheme = field->find("scheme")) {
      scene_.options.scheme = scheme->choice(schemes).value_or("moreau-jean");
    }
    SchemeOptions& options = scene_.options.scheme_options;
    const auto step = field->require("step", "the time step [s]");
    const auto end = field->require("end", "the time to stop at [s]");
    if (step) scene_.options.h = vocabulary_.number(*step, kPositive).value_or(1);
    if (end) {
      scene_.end = vocabulary_.number(*end).value_or(scene_.initial.t);
      if (scene_.end < scene_.initial.t) {
        end->complain(fmt::format("{} s lies before the start at {} s", scene_.end, scene_.initial.t));
      } else if (scene_.options.h > 0 && (scene_.end - scene_.initial.t) / scene_.options.h > 1e12) {
        end->complain("needs more than 1e12 steps; take a larger step or an earlier end");
      }
    }
    if (const auto x = field->find("theta")) options.theta = vocabulary_.number(*x, kUnit).value_or(0.5);
    if (const auto x = field->find("gamma")) options.gamma = vocabulary_.number(*x, kNonNegative).value_or(0.5);
    if (const auto x = field->find("activation_tolerance")) {
      options.activation_tolerance = vocabulary_.number(*x, kNonNegative).value_or(0);
    }
    if (const auto x = field->find("newton_tolerance")) {
      constexpr Range kTolerance{0, 0.1, true, "a number in (0, 0.1]"};
      options.newton_tolerance = vocabulary_.number(*x, kTolerance).value_or(1e-12);
    }
    if (const auto x = field->find("newton_max_iterations")) {
      options.newton_max_iterations = static_cast<int>(std::min(vocabulary_.integer(*x, 1).value_or(1), 1000000L));
    }
  }

  void read_solver() {
    const auto field = root_.find("solver");
    if (!field || !field->expect_map({"name", "tolerance", "max_iterations", "time_limit"})) return;
    std::vector<std::string> solvers;
    for (const SolverInfo& info : solver_list()) solvers.emplace_back(info.name);
    SolverOptions& options = scene_.options.solver_options;
    if (const auto name = field->find("name")) scene_.options.solver = name->choice(solvers).value_or("nsgs");
    if (const auto x = field->find("tolerance")) options.tolerance = vocabulary_.number(*x, kPositive).value_or(1);
    if (const auto x = field->find("max_iterations")) {
      options.max_iterations = static_cast<int>(std::min(vocabulary_.integer(*x, 1).value_or(1), 1000000000L));
    }
    if (const auto x = field->find("time_limit")) options.time_limit = vocabulary_.number(*x, kPositive).value_or(1);
  }

  void read_output(const Field& field) {
    if (!field.expect_map({"every"})) return;
    if (const auto every = field.find("every")) scene_.output_every = vocabulary_.integer(*every, 1).value_or(1);
  }

  void read_measures(const Field& list) {
    for (const Field& field : list.items()) read_measure(field);
  }

  void read_measure(const Field& field) {
    if (!field.expect_map({"name", "unit", "of", "take", "after", "level"})) return;
    static const std::vector<std::string> words = {"final", "min", "max", "mean", "period", "crossings"};
    Observable result;
    result.name = read_contact_name(field, "measure", scene_.measures.size());
    if (const auto unit = field.find("unit")) result.unit = unit->text().value_or("");
    if (const auto take = field.find("take")) {
      const std::string word = take->choice(words).value_or("final");
      result.take = static_cast<Take>(std::find(words.begin(), words.end(), word) - words.begin());
    }
    if (const auto after = field.find("after")) result.after = vocabulary_.number(*after).value_or(0);
    if (const auto level = field.find("level")) result.level = vocabulary_.number(*level).value_or(0);
    const auto of = field.require("of", "a formula of t, coordinates and velocities");
    const auto e = of ? vocabulary_.formula(*of, vocabulary_.names) : std::nullopt;
    if (!e) return;
    result.text = *of->text();
    std::vector<formula::Expr> inputs = {named_.t};
    inputs.insert(inputs.end(), named_.q.begin(), named_.q.end());
    inputs.insert(inputs.end(), named_.v.begin(), named_.v.end());
    const formula::Expr outputs[] = {*e};
    result.tape = std::make_shared<formula::Tape>(vocabulary_.graph, inputs, outputs);
    scene_.measures.push_back(std::move(result));
  }

  // What only the assembled whole can tell: a start that fits, a regular mass matrix.
  void finish() {
    scene_.path = document_.path();
    scene_.text = document_.text();
    scene_.overrides = document_.overrides();
    scene_.system = named_.system;
    scene_.q_names = named_.q_names;
    scene_.v_names = named_.v_names;
    try {
      const Simulation trial(scene_.system, scene_.initial, scene_.options);
    } catch (const InputError& error) {
      root_.find("system")->complain(error.what());
    }
    document_.throw_if_bad();
  }

  Field root_;
  Document& document_;
  Vocabulary vocabulary_;
  NamedSystem named_;
  Scene scene_;
};

}  // namespace

long Scene::step_count() const {
  const double steps = (end - initial.t) / options.h;
  const double nearest = std::round(steps);
  // A grid point within round-off of the end is the end.
  if (std::abs(steps - nearest) <= 1e-9 * std::max(1.0, nearest)) return static_cast<long>(nearest);
  return static_cast<long>(std::ceil(steps));
}

Scene load_scene(const std::string& path, const std::vector<std::string>& overrides) {
  Document document = Document::load(path);
  for (const std::string& assignment : overrides) document.set(assignment);
  return SceneReader(document).read();
}

}  // namespace clack
