#include "clack/io/scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "clack/io/robots/robot_file.hpp"
#include "clack/io/robots/robot_writer.hpp"
#include "clack/io/scene/assembly_reader.hpp"
#include "clack/io/scene/body_system.hpp"
#include "clack/io/scene/exact_reader.hpp"
#include "clack/io/scene/option_reader.hpp"
#include "clack/io/scene/quantity_reader.hpp"
#include "clack/io/scene/start_check.hpp"
#include "clack/io/scene/system_reader.hpp"

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
        const std::string type = type_of(*system);
        if (type == "rigid-bodies") {
          read_bodies(*system);
        } else if (type == "assembly") {
          read_parts(*system);
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
      if (world_.world) name_bodies();
      if (exact) read_closed_form(*exact);
    }
    document_.throw_if_bad();
    finish();
    return std::move(scene_);
  }

 private:
  static std::string type_of(const Field& system) {
    const auto type = system.is_map() ? system.find("type") : std::nullopt;
    return type && type->is_scalar() ? type->text().value_or("") : "";
  }

  std::string folder() const {
    const std::string folder = std::filesystem::path(document_.path()).parent_path().string();
    return folder.empty() ? "." : folder;
  }

  // Rigid bodies alone have a scheme and a solver of their own by default.
  void read_bodies(const Field& system) {
    only_bodies_ = has_bodies_ = true;
    scene_.options = body_options();
    world_ = read_world(system, vocabulary_, folder());
    joint_coordinates_ = takes_joint_coordinates(world_);
    if (joint_coordinates_) scene_.options.scheme = "moreau-jean";
  }

  void read_parts(const Field& system) {
    assembly_ = read_assembly(system, vocabulary_, folder());
    named_ = assembly_->coordinates;
    has_bodies_ = assembly_->has_bodies;
    world_ = assembly_->world;
    joint_coordinates_ = takes_joint_coordinates(world_);
    if (has_bodies_) scene_.options.solver_options = body_options().solver_options;
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
    if (only_bodies_ ? !initial->expect_map({"t"}) : !initial->expect_map({"t", "q", "v"})) return;
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
    std::vector<std::string_view> keys = {"scheme", "step", "end"};
    add_keys(SchemeOptions::table(), keys);
    keys.emplace_back("recovery");
    keys.emplace_back("adaptive");
    if (!field || !field->expect_map(keys)) return;
    std::vector<std::string> schemes;
    if (only_bodies_) schemes.emplace_back(kWorldScheme);
    for (const SchemeInfo& info : scheme_list()) schemes.emplace_back(info.name);
    if (const auto scheme = field->find("scheme")) {
      scene_.options.scheme = scheme->choice(schemes).value_or(scene_.options.scheme);
      if (scene_.options.scheme == kWorldScheme && world_.coordinates == BodyCoordinates::automatic)
        joint_coordinates_ = false;  // its step has the velocities of bodies
    }
    read_times(*field);
    read_options(*field, SchemeOptions::table(), vocabulary_, scene_.options.scheme_options);
    if (const auto recovery = field->find("recovery")) read_recovery(*recovery);
    if (const auto x = field->find("adaptive")) read_adaptive(*x);
  }

  void read_recovery(const Field& field) {
    if (!field.expect_map({"speed"})) return;
    const auto speed = field.require("speed", "the largest speed of recovery, > 0 [m/s]");
    if (speed)
      scene_.options.scheme_options.recovery = vocabulary_.number(*speed, kPositive).value_or(0);
    const SimulationOptions& options = scene_.options;
    const std::string fault = scheme_fault(options);
    if (fault.empty()) return;
    field.complain(fmt::format("scheme '{}' takes no overlap back with a given speed: {}",
                               options.scheme, fault));
  }

  // Why a scheme cannot give contacts a velocity; empty also where its own options are wrong.
  static std::string scheme_fault(const SimulationOptions& options) {
    try {
      return make_scheme(options.scheme, options.scheme_options)->law_fault();
    } catch (const InputError&) {
      return {};
    }
  }

  void read_adaptive(const Field& field) {
    std::vector<std::string_view> keys;
    add_keys(AdaptiveOptions::table(), keys);
    if (!field.expect_map(keys)) return;
    AdaptiveOptions& options = scene_.options.adaptive.emplace();
    read_options(field, AdaptiveOptions::table(), vocabulary_, options);
    if (options.h_min && options.h_max && *options.h_min > *options.h_max) {
      field.find("h_min")->complain(
          fmt::format("{} s is larger than h_max, {} s", *options.h_min, *options.h_max));
    }
    const auto scale = field.find("scale");
    if (scale && has_bodies_)
      scale->complain("is for coordinates with names of their own; of bodies every scale is 1");
    else if (scale && !named_.q_names.empty())
      read_scale(*scale, options.scale);
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
    const bool sweeps = only_bodies_ && scene_.options.scheme == kWorldScheme;
    if (has_bodies_ && !sweeps) scene_.options.solver = "auto";
    const auto field = root_.find("solver");
    if (!field) return;
    std::vector<std::string_view> keys = {"name"};
    add_keys(SolverOptions::table(), keys);
    if (!field->is_map()) {
      (void)field->expect_map(keys);
      return;
    }
    std::vector<std::string> solvers;
    if (sweeps) solvers.emplace_back(kBodySolver);
    for (const SolverEntry& info : solver_list()) solvers.emplace_back(info.name);
    SimulationOptions& options = scene_.options;
    read_options(*field, SolverOptions::table(), vocabulary_, options.solver_options);
    (void)field->expect_free_map();  // keys that are given twice
    const auto name = field->find("name");
    const auto word = name ? name->choice(solvers) : options.solver;
    options.solver_own = read_own_options(*field, word.value_or(""), keys, vocabulary_);
    options.solver = word.value_or(solvers[0]);
    check_solver(*field);
  }

  // Values may be good each by itself and not together.
  void check_solver(const Field& field) {
    if (!document_.good() || scene_.options.solver == kBodySolver) return;
    try {
      (void)make_solver(scene_.options.solver, scene_.options.solver_options,
                        scene_.options.solver_own);
    } catch (const InputError& error) {
      field.complain(error.what());
    }
  }

  void read_output(const Field& field) {
    if (has_bodies_ ? !field.expect_map({"every", "events", "region"})
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
    if (!has_bodies_) {
      for (std::size_t i = 0; i < items.size(); ++i) read_measure(items[i], i);
    } else if (world_.world) {
      read_world_measures(items);
    }
  }

  // All of them read the same inputs: t and the quantities that any of them names.
  void read_world_measures(const std::vector<Field>& items) {
    QuantityReader reader(vocabulary_, world_);
    if (assembly_) reader.add_known(vocabulary_.names);
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
    if (assembly_) {
      const NamedSystem& named = assembly_->named;
      inputs.insert(inputs.end(), named.q.begin(), named.q.end());
      inputs.insert(inputs.end(), named.v.begin(), named.v.end());
      scene_.measured_places = assembly_->places;
    }
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
    if (only_bodies_) {
      finish_world();
      return;
    }
    if (assembly_) {
      finish_assembly();
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

  // Bodies first, then the other parts.
  void finish_assembly() {
    std::vector<AssemblyPart> parts = assembly_->parts;
    const State others = scene_.initial;
    State bodies{others.t, Vector(), Vector()};
    if (has_bodies_) {
      BodySystem made = make_bodies();
      bodies = made.initial;
      parts.insert(parts.begin(), {"bodies", made.system});
    }
    scene_.initial.q.resize(bodies.q.size() + others.q.size());
    scene_.initial.v.resize(bodies.v.size() + others.v.size());
    scene_.initial.q << bodies.q, others.q;
    scene_.initial.v << bodies.v, others.v;
    scene_.q_names.insert(scene_.q_names.end(), named_.q_names.begin(), named_.q_names.end());
    scene_.v_names.insert(scene_.v_names.end(), named_.v_names.begin(), named_.v_names.end());
    scene_.system = std::make_shared<Assembly>(parts, assembly_->coupling);
    if (vocabulary_.objects.force)
      scene_.system = std::make_shared<ForcedSystem>(scene_.system, vocabulary_.objects.force);
    if (has_bodies_) settle_joints(scene_, constraints_told());
    check_start(root_, document_, scene_);
    document_.throw_if_bad();
  }

  // Of bodies, then those of the other parts.
  void read_closed_form(const Field& exact) {
    NamedSystem all;
    all.t = vocabulary_.graph.variable("t");
    all.q_names = scene_.q_names;
    all.v_names = scene_.v_names;
    all.q_names.insert(all.q_names.end(), named_.q_names.begin(), named_.q_names.end());
    all.v_names.insert(all.v_names.end(), named_.v_names.begin(), named_.v_names.end());
    if (!all.q_names.empty()) scene_.exact = read_exact(exact, vocabulary_, all);
  }

  // Few enough that names are of use.
  void name_bodies() {
    constexpr std::size_t kNamed = 2000;
    if (only_bodies_ && world_.world->bodies.size() > kNamed) return;
    for (const Body& body : world_.world->bodies) {
      for (const char* x : {"x", "y", "z", "qw", "qx", "qy", "qz"})
        scene_.q_names.push_back(body.name + "_" + x);
      for (const char* x : {"vx", "vy", "vz", "w1", "w2", "w3"})
        scene_.v_names.push_back(body.name + "_" + x);
    }
    for (const Joint& joint : world_.world->joints) {
      for (const JointCoordinate& x :
           joint_type(joint.kind).coordinates(joint, world_.world->planar))
        scene_.q_names.push_back(joint.name + "_" + x.name);
    }
  }

  // Null after a complaint, which has been thrown.
  BodySystem make_bodies() {
    scene_.remarks.insert(scene_.remarks.end(), world_.remarks.begin(), world_.remarks.end());
    world_.initial.t = scene_.initial.t;
    const Field system = *root_.find("system");
    try {
      world_.world->validate(world_.initial);
    } catch (const InputError& error) {
      system.complain(error.what());
    }
    document_.throw_if_bad();
    world_.world->load = vocabulary_.objects.load;
    scene_.world = world_.world;
    scene_.world_initial = std::move(world_.initial);
    BodySystem made =
        make_body_system(scene_.world, joint_coordinates_, scene_.options.h, scene_.world_initial);
    if (!made.fault.empty()) system.find(made.where).value_or(system).complain(made.fault);
    document_.throw_if_bad();
    scene_.remarks.insert(scene_.remarks.end(), made.remarks.begin(), made.remarks.end());
    scene_.shared_loads = made.shared_loads;
    return made;
  }

  void finish_world() {
    const BodySystem bodies = make_bodies();
    scene_.initial = bodies.initial;
    scene_.system = bodies.system;
    check_exact(root_, scene_);
    document_.throw_if_bad();
    const bool own_step = scene_.options.scheme == kWorldScheme && !bodies.system->articulated();
    if (own_step && !scene_.options.adaptive) return;
    settle_joints(scene_, constraints_told());
    try {
      if (scene_.options.adaptive)
        refuse_constant_step(*make_scheme(scene_.options.scheme, scene_.options.scheme_options));
      const Simulation trial(scene_.system, scene_.initial, scene_.options);
    } catch (const InputError& error) {
      const Field simulation = *root_.find("simulation");
      simulation.find("scheme").value_or(simulation).complain(error.what());
    }
    document_.throw_if_bad();
  }

  bool constraints_told() const {
    return root_.find("simulation")->find("constraints").has_value();
  }

  Field root_;
  Document& document_;
  Vocabulary vocabulary_;
  NamedSystem named_;
  NamedWorld world_;
  std::optional<NamedAssembly> assembly_;
  bool has_bodies_ = false, only_bodies_ = false;
  bool joint_coordinates_ = false;  // of trees of bodies
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

// The robot alone.
Scene read_robot_scene(const std::string& path, const std::vector<std::string>& overrides,
                       const SceneObjects& objects) {
  const Robot robot = load_robot(path);
  Scene scene = read_scene(Document::parse(path, write_robot_scene(robot, {})), overrides, objects);
  scene.remarks.insert(scene.remarks.end(), robot.remarks.begin(), robot.remarks.end());
  return scene;
}

}  // namespace

Scene load_scene(const std::string& path, const std::vector<std::string>& overrides,
                 const SceneObjects& objects) {
  if (is_robot_file(path)) return read_robot_scene(path, overrides, objects);
  return read_scene(Document::load(path), overrides, objects);
}

Scene parse_scene(const std::string& name, const std::string& text,
                  const std::vector<std::string>& overrides, const SceneObjects& objects) {
  return read_scene(Document::parse(name, text), overrides, objects);
}

}  // namespace clack
