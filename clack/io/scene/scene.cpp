#include "clack/io/scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "clack/collide/joint_contacts.hpp"
#include "clack/io/scene/exact_reader.hpp"
#include "clack/io/scene/quantity_reader.hpp"
#include "clack/io/scene/start_check.hpp"
#include "clack/io/scene/system_reader.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

constexpr const char* kWorldFormula =
    "a formula of t, of quantities of bodies such as ball_z, and of the sample";

class SceneReader {
 public:
  SceneReader(Document& document, const SceneObjects& objects)
      : root_(document.root()), document_(document) {
    vocabulary_.objects = objects;
  }

  Scene read() {
    if (root_.expect_map({"clack", "title", "description", "parameters", "system", "initial",
                          "simulation", "solver", "output", "measures", "exact"})) {
      read_version();
      read_texts();
      const auto parameters = root_.find("parameters");
      // Without parameters every formula would be wrong too.
      if (parameters && !vocabulary_.read_parameters(*parameters)) document_.throw_if_bad();
      if (const auto system = root_.require("system", "what is simulated")) {
        if (is_world(*system)) {
          read_bodies(*system);
        } else {
          named_ = read_system(*system, vocabulary_);
        }
      }
      read_initial();
      read_simulation();
      read_solver();
      if (const auto output = root_.find("output")) read_output(*output);
      if (const auto measures = root_.find("measures")) read_measures(*measures);
      const auto exact = root_.find("exact");
      if (exact && world_.world) exact->complain("rigid bodies have no closed form here");
      if (exact && !named_.q.empty()) scene_.exact = read_exact(*exact, vocabulary_, named_);
    }
    document_.throw_if_bad();
    finish();
    return std::move(scene_);
  }

 private:
  static bool is_world(const Field& system) {
    const auto type = system.is_map() ? system.find("type") : std::nullopt;
    return type && type->is_scalar() && type->text() == "rigid-bodies";
  }

  // Rigid bodies have a scheme and a solver of their own by default.
  void read_bodies(const Field& system) {
    world_type_ = true;
    scene_.options.scheme = kWorldScheme;
    scene_.options.solver = "bodies";
    scene_.options.solver_options = WorldOptions{}.solver_options;
    const std::string folder = std::filesystem::path(document_.path()).parent_path().string();
    world_ = read_world(system, vocabulary_, folder.empty() ? "." : folder);
  }

  void read_version() {
    const auto version = root_.require("clack", "the version of the format, 1");
    const auto text = version ? version->text("the version of the format, 1") : std::nullopt;
    if (text && *text != "1") {
      version->complain(fmt::format("version {} is not known; this program reads version 1",
                                    version->describe()));
    }
  }

  void read_texts() {
    if (const auto title = root_.find("title")) scene_.title = title->text("a text").value_or("");
    if (const auto about = root_.find("description"))
      scene_.description = about->text("a text").value_or("");
  }

  // A list in the order of the coordinates, a map by name, where what is left out is zero, or one
  // number for all.
  Vector read_state(const Field& field, const std::vector<std::string>& names) {
    Vector values = Vector::Zero(static_cast<int>(names.size()));
    const std::string words = fmt::format(
        "a list of {} numbers, a map of names to numbers, or one number for all", names.size());
    if (field.is_scalar()) {
      Range any;
      any.words = words.c_str();
      values.setConstant(vocabulary_.number(field, any).value_or(0));
      return values;
    }
    if (field.is_list())
      return vocabulary_.row(field, static_cast<int>(names.size())).value_or(values);
    if (!field.is_map()) {
      field.complain(fmt::format("expected {}; found {}", words, field.describe()));
      return values;
    }
    if (!field.expect_free_map()) return values;
    for (const Entry& entry : field.entries()) {
      const double value = vocabulary_.number(entry.value).value_or(0);
      const auto it = std::find(names.begin(), names.end(), entry.key);
      if (it == names.end()) {
        entry.name.complain("unknown name" +
                            allowed_words(entry.key, {names.begin(), names.end()}));
      } else {
        values[it - names.begin()] = value;
      }
    }
    return values;
  }

  void read_initial() {
    const std::size_t n = named_.q_names.size();
    scene_.initial.q = Vector::Zero(static_cast<int>(n));
    scene_.initial.v = Vector::Zero(static_cast<int>(n));
    const auto initial = root_.find("initial");
    if (!initial) return;
    if (world_type_ ? !initial->expect_map({"t"}) : !initial->expect_map({"t", "q", "v"})) return;
    if (const auto t = initial->find("t")) {
      const auto value = vocabulary_.number(*t);
      start_known_ = value.has_value();
      scene_.initial.t = value.value_or(0);
    }
    if (n == 0) return;  // the system is wrong already
    if (const auto q = initial->find("q")) scene_.initial.q = read_state(*q, named_.q_names);
    if (const auto v = initial->find("v")) scene_.initial.v = read_state(*v, named_.v_names);
  }

  void read_simulation() {
    const auto field = root_.require("simulation", "scheme, step and end");
    std::vector<std::string_view> keys = {"scheme",
                                          "step",
                                          "end",
                                          "theta",
                                          "gamma",
                                          "xi",
                                          "rho_inf",
                                          "alpha_m",
                                          "alpha_f",
                                          "beta",
                                          "newmark_gamma",
                                          "constraints",
                                          "activation_tolerance",
                                          "flow_tolerance",
                                          "capture_time",
                                          "max_events",
                                          "newton_tolerance",
                                          "newton_max_iterations"};
    if (world_type_)
      keys.emplace_back("recovery");
    else
      keys.emplace_back("adaptive");
    if (!field || !field->expect_map(keys)) return;
    std::vector<std::string> schemes;
    if (world_type_) schemes.emplace_back(kWorldScheme);
    for (const SchemeInfo& info : scheme_list()) schemes.emplace_back(info.name);
    if (const auto scheme = field->find("scheme")) {
      scene_.options.scheme = scheme->choice(schemes).value_or(scene_.options.scheme);
    }
    if (const auto recovery = field->find("recovery")) read_recovery(*recovery);
    SchemeOptions& options = scene_.options.scheme_options;
    read_times(*field);
    if (const auto x = field->find("theta"))
      options.theta = vocabulary_.number(*x, kUnit).value_or(0.5);
    if (const auto x = field->find("gamma"))
      options.gamma = vocabulary_.number(*x, kNonNegative).value_or(0.5);
    read_alpha(*field, options);
    if (const auto x = field->find("activation_tolerance")) {
      options.activation_tolerance = vocabulary_.number(*x, kNonNegative).value_or(0);
    }
    read_events(*field, options);
    if (const auto x = field->find("newton_tolerance")) {
      constexpr Range kTolerance{0, 0.1, true, "a number in (0, 0.1]"};
      options.newton_tolerance = vocabulary_.number(*x, kTolerance).value_or(1e-12);
    }
    if (const auto x = field->find("newton_max_iterations")) {
      options.newton_max_iterations =
          static_cast<int>(std::min(vocabulary_.integer(*x, 1).value_or(1), 1000000L));
    }
    if (const auto x = field->find("adaptive")) read_adaptive(*x);
  }

  void read_recovery(const Field& field) {
    if (!field.expect_map({"speed"})) return;
    const auto speed = field.require("speed", "the largest speed of recovery, > 0 [m/s]");
    if (speed) scene_.recovery = vocabulary_.number(*speed, kPositive).value_or(0);
    if (scene_.options.scheme != kWorldScheme) {
      field.complain(
          fmt::format("only scheme '{}' takes overlaps back with a given speed; '{}' has "
                      "none",
                      kWorldScheme, scene_.options.scheme));
    }
  }

  void read_adaptive(const Field& field) {
    if (!field.expect_map({"tolerance", "h_min", "h_max", "max_penetration", "scale"})) return;
    AdaptiveOptions& options = scene_.options.adaptive.emplace();
    auto read = [&](const char* key, std::optional<double>& value) {
      if (const auto x = field.find(key)) value = vocabulary_.number(*x, kPositive);
    };
    if (const auto x = field.find("tolerance")) {
      options.tolerance = vocabulary_.number(*x, kPositive).value_or(1);
    }
    read("h_min", options.h_min);
    read("h_max", options.h_max);
    read("max_penetration", options.max_penetration);
    if (options.h_min && options.h_max && *options.h_min > *options.h_max) {
      field.find("h_min")->complain(
          fmt::format("{} s is larger than h_max, {} s", *options.h_min, *options.h_max));
    }
    const auto scale = field.find("scale");
    if (scale && !named_.q_names.empty()) read_scale(*scale, options.scale);
  }

  // As a state is read, but what is left out is 1.
  void read_scale(const Field& field, Vector& scale) {
    scale = read_state(field, named_.q_names);
    if (field.is_map()) {
      for (int i = 0; i < scale.size(); ++i) {
        if (!field.find(named_.q_names[i])) scale[i] = 1;
      }
    }
    for (int i = 0; i < scale.size(); ++i) {
      if (scale[i] > 0) continue;
      field.complain(fmt::format("is {} for '{}'; it must be > 0", scale[i], named_.q_names[i]));
    }
  }

  void read_events(const Field& field, SchemeOptions& options) {
    if (const auto x = field.find("flow_tolerance")) {
      constexpr Range kFlow{1e-14, 1e-2, false, "a number in [1e-14, 1e-2]"};
      options.flow_tolerance = vocabulary_.number(*x, kFlow).value_or(1e-12);
    }
    if (const auto x = field.find("capture_time")) {
      options.capture_time = vocabulary_.number(*x, kNonNegative).value_or(0);
    }
    if (const auto x = field.find("max_events")) {
      options.max_events =
          static_cast<int>(std::min(vocabulary_.integer(*x, 1).value_or(1), 1000000000L));
    }
  }

  void read_alpha(const Field& field, SchemeOptions& options) {
    auto read = [&](const char* key, const Range& range, std::optional<double>& value) {
      if (const auto x = field.find(key)) value = vocabulary_.number(*x, range);
    };
    if (const auto x = field.find("xi")) options.xi = vocabulary_.number(*x, kUnit).value_or(0.5);
    read("rho_inf", kUnit, options.rho_inf);
    read("alpha_m", {-1, 0.5, false, "a number in [-1, 0.5]"}, options.alpha_m);
    read("alpha_f", {0, 0.5, false, "a number in [0, 0.5]"}, options.alpha_f);
    read("beta", kUnit, options.beta);
    read("newmark_gamma", {0, 2, false, "a number in [0, 2]"}, options.newmark_gamma);
    const auto level = field.find("constraints");
    if (!level) return;
    const std::vector<std::string_view>& names = constraint_level_names();
    const auto word = level->choice({names.begin(), names.end()});
    const auto it = std::find(names.begin(), names.end(), word.value_or("velocity"));
    options.constraints = static_cast<ConstraintLevel>(it - names.begin());
  }

  void read_times(const Field& field) {
    const auto step = field.require("step", "the time step, a number > 0 [s]");
    const auto end = field.require("end", "the time to stop at [s]");
    const auto h = step ? vocabulary_.number(*step, kPositive) : std::nullopt;
    const auto last = end ? vocabulary_.number(*end) : std::nullopt;
    scene_.options.h = h.value_or(1);
    scene_.end = last.value_or(scene_.initial.t);
    if (!last || !start_known_) return;
    constexpr double kMostSteps = 1e12;
    if (*last < scene_.initial.t) {
      end->complain(fmt::format("{} s lies before the start at {} s", *last, scene_.initial.t));
    } else if (h && (*last - scene_.initial.t) / *h > kMostSteps) {
      end->complain(
          fmt::format("needs more than {:g} steps of {} s; take a larger step or an earlier end",
                      kMostSteps, *h));
    }
  }

  void read_solver() {
    const bool sweeps = world_type_ && scene_.options.scheme == kWorldScheme;
    if (world_type_ && !sweeps) scene_.options.solver = "auto";
    const auto field = root_.find("solver");
    if (!field || !field->expect_map({"name", "tolerance", "max_iterations", "time_limit"})) return;
    std::vector<std::string> solvers;
    if (sweeps) solvers.emplace_back("bodies");
    for (const SolverEntry& info : solver_list()) solvers.emplace_back(info.name);
    SolverOptions& options = scene_.options.solver_options;
    if (const auto name = field->find("name"))
      scene_.options.solver = name->choice(solvers).value_or(solvers[0]);
    if (const auto x = field->find("tolerance"))
      options.tolerance = vocabulary_.number(*x, kPositive).value_or(1);
    if (const auto x = field->find("max_iterations")) {
      options.max_iterations =
          static_cast<int>(std::min(vocabulary_.integer(*x, 1).value_or(1), 1000000000L));
    }
    if (const auto x = field->find("time_limit"))
      options.time_limit = vocabulary_.number(*x, kPositive).value_or(1);
  }

  void read_output(const Field& field) {
    if (world_type_ ? !field.expect_map({"every", "events", "region"})
                    : !field.expect_map({"every", "events"}))
      return;
    if (const auto events = field.find("events")) {
      const std::vector<std::string>& names = event_output_names();
      const auto word = events->choice(names);
      const auto at = std::find(names.begin(), names.end(), word.value_or("all"));
      scene_.output_events = static_cast<EventOutput>(at - names.begin());
    }
    if (const auto region = field.find("region")) read_region(*region);
    if (const auto every = field.find("every"))
      scene_.output_every = vocabulary_.integer(*every, 1).value_or(1);
  }

  // [lower corner, upper corner]
  void read_region(const Field& field) {
    if (!world_.world) return;  // wrong already
    const int dim = world_.world->planar ? 2 : 3;
    const auto corners = vocabulary_.matrix(field, 2, dim);
    if (!corners) return;
    BoundingBox box{Vector3::Zero(), Vector3::Zero()};
    box.lower.head(dim) = corners->row(0).transpose();
    box.upper.head(dim) = corners->row(1).transpose();
    if (!((box.upper - box.lower).head(dim).minCoeff() > 0)) {
      field.complain("the upper corner must lie above the lower one in every direction");
    }
    scene_.region = box;
  }

  void read_measures(const Field& list) {
    const std::vector<Field> items = list.items("a list of measures");
    if (!world_type_) {
      for (std::size_t i = 0; i < items.size(); ++i) read_measure(items[i], i);
    } else if (world_.world) {
      read_world_measures(items);
    }
  }

  // All of them read the same inputs: t and the quantities that any of them names.
  void read_world_measures(const std::vector<Field>& items) {
    QuantityReader reader(vocabulary_, world_);
    std::vector<formula::Expr> formulas;
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::optional<Observable> measure = read_observable(items[i], i);
      const auto of = measure ? items[i].require("of", kWorldFormula) : std::nullopt;
      const auto e = of ? vocabulary_.formula(*of, reader.names(*of), kWorldFormula) : std::nullopt;
      if (!e) continue;
      measure->text = *of->text();
      formulas.push_back(*e);
      scene_.measures.push_back(std::move(*measure));
    }
    std::vector<formula::Expr> inputs = {reader.t()};
    inputs.insert(inputs.end(), reader.variables().begin(), reader.variables().end());
    for (std::size_t i = 0; i < formulas.size(); ++i) {
      const formula::Expr outputs[] = {formulas[i]};
      scene_.measures[i].tape = std::make_shared<formula::Tape>(vocabulary_.graph, inputs, outputs);
    }
    scene_.quantities = reader.quantities();
  }

  // All but the formula.
  std::optional<Observable> read_observable(const Field& field, std::size_t index) {
    if (!field.expect_map({"name", "unit", "of", "take", "after", "level"})) return std::nullopt;
    static const std::vector<std::string> words = {"final", "min",    "max",
                                                   "mean",  "period", "crossings"};
    Observable result;
    result.name = read_name(field, vocabulary_, "measure", index);
    if (const auto unit = field.find("unit")) result.unit = unit->text("a text").value_or("");
    if (const auto take = field.find("take")) {
      const std::string word = take->choice(words).value_or("final");
      result.take = static_cast<Take>(std::find(words.begin(), words.end(), word) - words.begin());
    }
    if (const auto after = field.find("after"))
      result.after = vocabulary_.number(*after).value_or(0);
    if (const auto level = field.find("level"))
      result.level = vocabulary_.number(*level).value_or(0);
    return result;
  }

  void read_measure(const Field& field, std::size_t index) {
    std::optional<Observable> result = read_observable(field, index);
    if (!result) return;
    const auto of = field.require("of", "a formula of t, coordinates and velocities");
    if (named_.q.empty()) return;  // the system is wrong already: its names are not known
    const auto e = of ? vocabulary_.formula(*of, vocabulary_.names) : std::nullopt;
    if (!e) return;
    result->text = *of->text();
    std::vector<formula::Expr> inputs = {named_.t};
    inputs.insert(inputs.end(), named_.q.begin(), named_.q.end());
    inputs.insert(inputs.end(), named_.v.begin(), named_.v.end());
    const formula::Expr outputs[] = {*e};
    result->tape = std::make_shared<formula::Tape>(vocabulary_.graph, inputs, outputs);
    scene_.measures.push_back(std::move(*result));
  }

  void finish() {
    scene_.path = document_.path();
    scene_.text = document_.text();
    scene_.overrides = document_.overrides();
    if (world_type_) {
      finish_world();
      return;
    }
    scene_.system = named_.system;
    if (vocabulary_.objects.force) {
      scene_.system = std::make_shared<ForcedSystem>(named_.system, vocabulary_.objects.force);
    }
    scene_.q_names = named_.q_names;
    scene_.v_names = named_.v_names;
    check_start(root_, document_, scene_);
    document_.throw_if_bad();
  }

  void finish_world() {
    world_.initial.t = scene_.initial.t;
    try {
      world_.world->validate(world_.initial);
    } catch (const InputError& error) {
      root_.find("system")->complain(error.what());
    }
    document_.throw_if_bad();
    world_.world->load = vocabulary_.objects.load;
    scene_.world = world_.world;
    scene_.world_initial = std::move(world_.initial);
    const auto bodies = std::make_shared<RigidBodies>(scene_.world, scene_.world_initial);
    scene_.initial = bodies->to_state(scene_.world_initial);
    scene_.system = bodies;
    if (scene_.options.scheme == kWorldScheme) return;
    for (const Body& body : scene_.world->bodies) {
      for (const char* x : {"x", "y", "z", "qw", "qx", "qy", "qz"})
        scene_.q_names.push_back(body.name + "_" + x);
      for (const char* x : {"vx", "vy", "vz", "w1", "w2", "w3"})
        scene_.v_names.push_back(body.name + "_" + x);
    }
    settle_joints();
    try {
      const Simulation trial(scene_.system, scene_.initial, scene_.options);
    } catch (const InputError& error) {
      const Field simulation = *root_.find("simulation");
      simulation.find("scheme").value_or(simulation).complain(error.what());
    }
    document_.throw_if_bad();
  }

  // Schemes of Newmark's family hold joints on their positions unless they are told otherwise; where
  // a scheme lets them drift that is said.
  void settle_joints() {
    if (!has_rigid_joints(*scene_.world)) return;
    static const std::vector<std::string> kFamily = {"newmark", "hht", "generalized-alpha"};
    static const std::vector<std::string> kDrifting = {"moreau-jean", "moreau-jean-dissipative",
                                                       "moreau-midpoint", "semi-implicit-2",
                                                       "naive-hht"};
    const auto is_one_of = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), scene_.options.scheme) != names.end();
    };
    SchemeOptions& options = scene_.options.scheme_options;
    const bool told = root_.find("simulation")->find("constraints").has_value();
    const bool laws = ContactSet(*scene_.system).has_laws();
    if (is_one_of(kFamily) && !told && !laws)
      options.constraints = ConstraintLevel::position_velocity;
    const bool on_velocities =
        is_one_of(kFamily) && options.constraints == ConstraintLevel::velocity;
    if (is_one_of(kDrifting) || on_velocities) {
      scene_.remarks.push_back(
          fmt::format("scheme '{}' states joints on velocities: they drift with the step; '{}', "
                      "'moreau-direct-projection' and 'rattle' hold them on positions",
                      scene_.options.scheme, kWorldScheme));
    }
  }

  Field root_;
  Document& document_;
  Vocabulary vocabulary_;
  NamedSystem named_;
  NamedWorld world_;
  bool world_type_ = false;
  Scene scene_;
  bool start_known_ = true;  // false after a complaint about initial.t
};

}  // namespace

namespace {

Scene read_scene(Document document, const std::vector<std::string>& overrides,
                 const SceneObjects& objects) {
  for (const std::string& assignment : overrides) document.set(assignment);
  return SceneReader(document, objects).read();
}

}  // namespace

Scene load_scene(const std::string& path, const std::vector<std::string>& overrides,
                 const SceneObjects& objects) {
  return read_scene(Document::load(path), overrides, objects);
}

Scene parse_scene(const std::string& name, const std::string& text,
                  const std::vector<std::string>& overrides, const SceneObjects& objects) {
  return read_scene(Document::parse(name, text), overrides, objects);
}

}  // namespace clack
