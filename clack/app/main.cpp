// The program `clack`: reads the command line, calls a command, turns exceptions into exit status.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>

#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/core/version.hpp"
#include "clack/integrate/scheme.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/bodies/world_quantity.hpp"
#include "clack/model/joints/joint.hpp"
#include "clack/model/laws/law_list.hpp"
#include "clack/model/samples/sample.hpp"
#include "clack/model/shapes/gear.hpp"
#include "clack/model/shapes/shape.hpp"
#include "clack/record/remarks.hpp"
#include "clack/solve/solver.hpp"
#include "clack/solve/vector_target.hpp"

namespace clack::app {

namespace {

// A scene may be well formed and yet start where nobody wants it.
int print_remarks(const Scene& scene) {
  for (const std::string& remark : start_remarks(scene))
    fmt::print("{}: remark: {}\n", scene.path, remark);
  return kDone;
}

}  // namespace

int check(const std::string& path, const std::vector<std::string>& set) {
  const Scene scene = load_scene(path, set);
  if (scene.world) {
    fmt::print("{}: good. {} bodies{}, {} steps of {:g} s by {}\n", path,
               scene.world->bodies.size(), scene.world->planar ? " of the plane" : "",
               scene.step_count(), scene.options.h, scene.options.scheme);
    return print_remarks(scene);
  }
  fmt::print("{}: good. {} coordinates, {} contacts, {} steps of {:g} s by {}\n", path,
             scene.system->nq(), scene.system->contacts().size(), scene.step_count(),
             scene.options.h, scene.options.scheme);
  return print_remarks(scene);
}

namespace {

std::string allowed_range(const LawParameter& parameter) {
  if (parameter.kind == LawParameter::Kind::flag) return "true or false";
  if (std::isinf(parameter.low)) return "any";
  if (std::isinf(parameter.high))
    return fmt::format("{} {:g}", parameter.low_open ? ">" : ">=", parameter.low);
  return fmt::format("{}{:g}, {:g}]", parameter.low_open ? '(' : '[', parameter.low,
                     parameter.high);
}

void print_laws() {
  for (const LawInfo& law : law_list()) {
    fmt::print("{:<20} {}: {}. {}\n", law.name,
               law_kind_names()[static_cast<std::size_t>(law.kind)], law.summary, law.reference);
    for (const LawParameter& parameter : law.parameters) {
      const bool flag = parameter.kind == LawParameter::Kind::flag;
      fmt::print("  {:<18}   [{}] {}; {}; {}\n", parameter.name, parameter.unit, parameter.meaning,
                 allowed_range(parameter),
                 parameter.is_required() ? std::string("to be given")
                 : flag                  ? fmt::format("default {}", parameter.fallback != 0)
                                         : fmt::format("default {:g}", parameter.fallback));
    }
  }
}

std::string default_words(const OptionState& option) {
  if (!option.info.otherwise.empty()) return std::string(option.info.otherwise);
  const auto* number = std::get_if<double>(&option.value);
  return number ? fmt::format("{:.3g}", *number) : option_text(option.value);
}

void print_options(const std::vector<OptionState>& options) {
  for (const OptionState& option : options) {
    const OptionInfo& info = option.info;
    fmt::print("  {:<24} [{}] {}; {}; default {}\n", info.name, info.unit, info.meaning,
               info.allowed(), default_words(option));
  }
}

void print_solvers() {
  for (const SolverEntry& entry : solver_list()) {
    fmt::print("{:<18} {}\n", entry.name, entry.summary);
    print_options(own_options(entry.name));
  }
  fmt::print("{:<18} {}\n", "bodies",
             "scenes of rigid bodies only: coloured sweeps on body velocities, matrix free");
  print_options(own_options("bodies"));
  fmt::print("  options of all, in `solver:` of a scene\n");
  print_options(option_states(SolverOptions::table(), SimulationOptions{}.solver_options));
}

std::string options_of_scheme(std::string_view scheme) {
  std::string names;
  for (const OptionInfo& option : SchemeOptions::table()) {
    if (option.is_read_by(scheme))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", option.name);
  }
  return names;
}

void print_schemes() {
  for (const SchemeInfo& info : scheme_list()) {
    fmt::print("{:<26} {}\n{:<26}   holds: {}\n{:<26}   options: {}; reference: {}\n", info.name,
               info.summary, "", info.guarantee, "", options_of_scheme(info.name), info.reference);
  }
  fmt::print("  options, in `simulation:` of a scene\n");
  print_options(option_states(SchemeOptions::table(), SchemeOptions{}));
  fmt::print("  options of steps that adapt themselves, in `simulation.adaptive:`\n");
  print_options(option_states(AdaptiveOptions::table(), AdaptiveOptions{}));
}

std::string row_counts(const JointType& type) {
  const Joint joint{.kind = type.kind};
  const std::size_t space = type.rows(joint, false).size();
  if (!type.in_plane) return fmt::format("{} rows; in space only", space);
  return fmt::format("{} rows, in the plane {}", space, type.rows(joint, true).size());
}

void print_joints() {
  for (const JointType& type : joint_list()) {
    fmt::print("{:<14} {}; {}\n", type.name, type.summary, row_counts(type));
    for (const JointCoordinate& x : type.coordinates(Joint{.kind = type.kind}, false))
      fmt::print("  coordinate {} [{}]\n", x.name, x.unit);
  }
  fmt::print(
      "  on coordinates: limits, spring, damping, motor, drive, servo, friction;\n"
      "  between coordinates: `couplers:` (gears, racks, belts)\n");
}

}  // namespace

int list(const std::string& what) {
  if (what == "solvers") {
    print_solvers();
  } else if (what == "schemes") {
    print_schemes();
  } else if (what == "shapes") {
    for (const ShapeInfo& info : shape_list()) fmt::print("{:<18} {}\n", info.name, info.summary);
    for (const ShapeInfo& info : made_shape_list())
      fmt::print("{:<18} {}\n", info.name, info.summary);
  } else if (what == "joints") {
    print_joints();
  } else if (what == "samples") {
    for (const SampleInfo& info : sample_list()) fmt::print("{:<18} {}\n", info.name, info.summary);
  } else if (what == "targets") {
    for (const VectorTarget& target : vector_targets())
      fmt::print("{:<18} {}\n", target.name,
                 target.fused
                     ? "instruction set with fused multiply-add: all of them give the same bits"
                     : "instruction set without fused multiply-add");
  } else if (what == "quantities") {
    for (const BodyQuantityInfo& info : body_quantity_list())
      fmt::print("NAME_{:<13} {:<8} {}\n", info.name, info.unit, info.summary);
    for (const JointQuantityInfo& info : joint_quantity_list())
      fmt::print("JOINT_{:<12} {:<8} {}\n", info.name, info.unit, info.summary);
    fmt::print("JOINT_{:<12} {:<8} {}\n", "COORDINATE", "m, rad",
               "value of a coordinate; JOINT_COORDINATE_rate its rate");
    for (const SampleQuantityInfo& info : sample_quantity_list())
      fmt::print("{:<18} {:<8} {}\n", info.name, info.unit, info.summary);
  } else if (what == "laws") {
    print_laws();
    fmt::print("{:<20} constraint: an equation that holds at all times (`constraints:`)\n",
               "bilateral");
  }
  return kDone;
}

namespace {

void add_set(CLI::App& command, std::vector<std::string>& set) {
  command.add_option("--set", set, "path=value: replace a value of the scene")
      ->allow_extra_args(false);
}

// Each command owns its arguments and leaves its exit status in `status`.
void add_run(CLI::App& app, int& status) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "simulate a scene");
  command->add_option("SCENE", arguments->scene, "scene file (YAML)")->required();
  command->add_option("-o,--output", arguments->folder,
                      "folder for the results (default out/NAME)");
  add_set(*command, arguments->set);
  command
      ->add_option("--threads", arguments->threads,
                   "for rigid bodies; 0: all of the machine. Any number gives the same bits")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_option("--dump-problems", arguments->dump_problems,
                      "every=N: the one-step problem of each Nth step as FCLIB and Siconos files");
  command->add_flag("--resume", arguments->resume,
                    "go on where the run in the folder was broken off");
  command->add_flag("--json", arguments->json, "print the summary as one JSON object");
  command->callback([arguments, &status] { status = run(*arguments); });
}

void add_check(CLI::App& app, int& status) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("check", "validate a scene and say every error");
  command->add_option("SCENE", arguments->scene, "scene file (YAML)")->required();
  add_set(*command, arguments->set);
  command->callback([arguments, &status] { status = check(arguments->scene, arguments->set); });
}

void add_solve(CLI::App& app, int& status) {
  auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command =
      app.add_subcommand("solve", "solve a problem file (FCLIB HDF5, Siconos .dat)");
  command->add_option("PROBLEM", arguments->problem, "problem file")->required();
  command->add_option("--solver", arguments->solver, "a name of `clack list solvers`")
      ->capture_default_str();
  command->add_option("--tol", arguments->tolerance, "for all measures of the yardstick")
      ->capture_default_str();
  command->add_option("--max-iterations", arguments->max_iterations, "")->capture_default_str();
  command->add_option("--time-limit", arguments->time_limit, "[s]")->check(CLI::PositiveNumber);
  command
      ->add_option("--option", arguments->options,
                   "key=value: an option of the solver's own, see `clack list solvers`")
      ->allow_extra_args(false);
  command->add_option("-o,--output", arguments->output,
                      "write an FCLIB file with solution/r and solution/u");
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->callback([arguments, &status] { status = solve(*arguments); });
}

void add_converge(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ConvergeArguments>();
  CLI::App* command =
      app.add_subcommand("converge", "measure the order of schemes: a scene with several steps");
  command->add_option("SCENE", arguments->scene, "scene file (YAML)")->required();
  command->add_option("--schemes", arguments->schemes, "names of `clack list schemes`, with commas")
      ->required();
  command
      ->add_option(
          "--steps", arguments->steps,
          "steps with commas, or LARGEST:SMALLEST:COUNT, which are rounded to divide the time [s]")
      ->required();
  command->add_option("--tolerances", arguments->tolerances,
                      "also runs with adaptive steps, one a tolerance, with commas");
  command->add_option("--reference", arguments->reference,
                      "exact (of the scene), self (a run with a step 16 times smaller than the "
                      "smallest) or a file (results.h5, or a table t,q..,v..)");
  command->add_option("--reference-scheme", arguments->reference_scheme,
                      "the scheme of --reference self (default: each its own)");
  command->add_option("--norm", arguments->norm, "L1, Lp:P, max, Hausdorff or Hausdorff:TIMESCALE")
      ->capture_default_str();
  command->add_option(
      "--observe", arguments->observe,
      "coordinates and velocities to compare, with commas (default: all that are known)");
  command->add_option("-o,--output", arguments->folder,
                      "folder for converge.csv and converge.svg (default out/NAME)");
  command->add_option("--jobs", arguments->jobs, "runs at a time (default: one a processor)")
      ->check(CLI::Range(1, 1024));
  add_set(*command, arguments->set);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->callback([arguments, &status] { status = converge(*arguments); });
}

void add_manifold(CLI::App& command, bool& wanted, std::vector<std::string>& axes) {
  command.add_flag("--manifold", wanted,
                   "write the states of all orbits of the family: manifold.csv, .svg, .h5");
  command
      .add_option("--manifold-axes", axes,
                  "three coordinates or velocities of the picture, with commas, as x,x',y")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_modes(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ModesArguments>();
  CLI::App* command = app.add_subcommand(
      "modes", "linear modes about the initial state, or modes with one impact per period");
  command->add_option("SCENE", arguments->scene, "scene file (YAML)");
  command->add_option("--number", arguments->number, "linear modes, the lowest ones")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--contacts", arguments->contacts,
                   "open; closed: contacts that touch hold as constraints; sliding: about the "
                   "equilibrium nearby, contacts on moving surfaces slide")
      ->check(CLI::IsMember({"open", "closed", "sliding"}))
      ->capture_default_str();
  command->add_option("--impacts", arguments->impacts,
                      "LOW:HIGH:COUNT, periods [s]: the family of one elastic impact per period of "
                      "a linear system, in closed form");
  command->add_option("--count", arguments->count, "impacts per period of --impacts")
      ->check(CLI::Range(1, 5))
      ->capture_default_str();
  command->add_option("--lasting", arguments->lasting,
                      "LOW:HIGH:COUNT, periods [s]: one contact of finite length per period, on a "
                      "coordinate without mass");
  command->add_option("--exact-rod", arguments->exact_rod,
                      "EA=1,c=1,length=1,g0=1: the first families of a clamped rod with a stop, "
                      "without a scene");
  add_manifold(*command, arguments->manifold, arguments->manifold_axes);
  command->add_option("-o,--output", arguments->folder,
                      "folder for modes.csv and modes.svg (default out/NAME)");
  add_set(*command, arguments->set);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->callback([arguments, &status] { status = modes(*arguments); });
}

void add_orbit_options(CLI::App& command, OrbitArguments& arguments) {
  command
      .add_option("SCENE", arguments.scene,
                  "scene file (YAML); shooting needs the scheme event-driven")
      ->required();
  command
      .add_option("--kind", arguments.kind,
                  "forced (the period is given), autonomous (it is sought) or conservative (one of "
                  "a family)")
      ->check(CLI::IsMember({"forced", "autonomous", "conservative"}))
      ->capture_default_str();
  command.add_option("--period", arguments.period,
                     "a formula [s], as 2*pi/1.6; may be left out for autonomous orbits");
  command.add_option("--settle", arguments.settle, "time to run before the orbit is closed [s]")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--start", arguments.from,
                  "scene: from the initial state; impact-mode: from the closed form of --period; "
                  "linear-mode: where a family begins (harmonic)")
      ->check(CLI::IsMember({"scene", "impact-mode", "linear-mode"}))
      ->capture_default_str();
  command.add_option("--mode", arguments.mode, "linear mode to start from, 1 is the first")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--harmonics", arguments.harmonics, "of harmonic balance")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--drift", arguments.drift, "coordinates that may drift, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_set(command, arguments.set);
  command.add_flag("--json", arguments.json, "print one JSON object");
}

void add_orbit(CLI::App& app, int& status) {
  auto arguments = std::make_shared<OrbitArguments>();
  CLI::App* command = app.add_subcommand("orbit", "a periodic orbit with its Floquet multipliers");
  add_orbit_options(*command, *arguments);
  command
      ->add_option("--method", arguments->method,
                   "single or multiple shooting, or harmonic balance")
      ->check(CLI::IsMember({"single", "multiple", "harmonic"}))
      ->capture_default_str();
  command
      ->add_option("--lyapunov", arguments->lyapunov,
                   "Lyapunov exponents of the motion over this time, after --settle, in place "
                   "of an orbit [s]")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--interval", arguments->interval,
                   "of --lyapunov, between two QR factorisations (default: the period, or 16 "
                   "steps) [s]")
      ->check(CLI::PositiveNumber);
  command->add_option("-o,--output", arguments->folder, "folder for orbit.csv (default out/NAME)");
  command->callback([arguments, &status] { status = orbit(*arguments); });
}

void add_continue(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ContinueArguments>();
  CLI::App* command = app.add_subcommand(
      "continue",
      "a branch of periodic orbits over a parameter, a period or an energy; or of equilibria");
  add_orbit_options(*command, arguments->orbit);
  command
      ->add_option("--over", arguments->over,
                   "parameters.NAME=LOW:HIGH; of conservative families period=LOW:HIGH or "
                   "energy=LOW:HIGH")
      ->required();
  command
      ->add_option("--method", arguments->method,
                   "shooting, harmonic (balance, linear systems), or both side by side")
      ->check(CLI::IsMember({"shooting", "harmonic", "both"}))
      ->capture_default_str();
  command->add_option("--at", arguments->at,
                      "the parameter of the first orbit (default: LOW, or HIGH with --down)");
  command->add_flag("--down", arguments->down, "begin towards LOW");
  command->add_flag("--equilibrium", arguments->equilibrium,
                    "equilibria with their contacts in place of orbits, from the initial state");
  command->add_flag("--double", arguments->doubling,
                    "follow the branches of twice the period as well");
  add_manifold(*command, arguments->manifold, arguments->manifold_axes);
  command
      ->add_option("--step", arguments->step, "first step of arclength, of the size of the motion")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--max-points", arguments->max_points, "of each branch")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->orbit.folder,
                      "folder for branch.csv and branch.svg (default out/NAME)");
  command->callback([arguments, &status] { status = continue_branch(*arguments); });
}

void add_sweep(CLI::App& app, int& status) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command = app.add_subcommand(
      "sweep", "one scene over one or two of its values: tables, bifurcation diagrams, basins");
  command->add_option("SCENE", arguments->scene, "scene file (YAML)")->required();
  command
      ->add_option("--vary", arguments->vary,
                   "KEY=LOW:HIGH:COUNT or KEY=a,b,c, KEY a path as of --set; once or twice")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--section", arguments->section,
                      "period=FORMULA: states at equal times, as period=2*pi/W; impact or "
                      "impact=CONTACT: states at impacts");
  command->add_option("--period", arguments->period,
                      "a formula [s], where the section has none: runs last whole periods");
  command->add_option("--skip", arguments->skip, "the transient [s]")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--skip-periods", arguments->skip_periods, "the same in periods")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--keep", arguments->keep, "points of the section")->capture_default_str();
  command
      ->add_option("--carry", arguments->carry,
                   "each run starts from the end of the one before, along the first key")
      ->check(CLI::IsMember({"none", "up", "down", "both"}))
      ->capture_default_str();
  command->add_option("--drift", arguments->drift, "coordinates that may drift, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", arguments->tolerance, "of a motion that repeats, over its size")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("-o,--output", arguments->folder,
                      "folder for tables and pictures (default out/NAME)");
  command->add_option("--jobs", arguments->jobs, "runs at a time (default: one a processor)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--time-limit", arguments->time_limit, "of a run [s]")
      ->check(CLI::PositiveNumber);
  command->add_flag("--resume", arguments->resume, "go on with a sweep that was broken off");
  command->add_flag("--run", arguments->run, "run here (the default), also with --emit");
  command->add_option("--emit", arguments->emit, "write jobs instead: slurm or parallel")
      ->check(CLI::IsMember({"slurm", "parallel"}));
  command->add_option("--parts", arguments->parts, "jobs to write")->check(CLI::PositiveNumber);
  command->add_option("--part", arguments->part, "K/N: runs one of N parts, without tables");
  command->add_flag("--collect", arguments->collect, "tables and pictures of what jobs have done");
  add_set(*command, arguments->set);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->callback([arguments, &status] { status = sweep(*arguments); });
}

void add_bench(CLI::App& app, int& status) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand(
      "bench", "compare solvers on problem files: table, CSV, performance profile");
  command->add_option("PROBLEM", arguments->problems, "problem files, and folders of them")
      ->required();
  command->add_option("--solvers", arguments->solvers, "names of `clack list solvers`, with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--tol", arguments->tolerances, "for all measures, with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--time-limit", arguments->time_limit, "for a solve [s]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "solves at the same time (default: one a core)")
      ->check(CLI::PositiveNumber);
  command->add_option("--repeat", arguments->repeat, "repeats of a solve, the best counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("-o,--output", arguments->folder, "folder for the results")
      ->capture_default_str();
  command
      ->add_option("--peer", arguments->peer,
                   "a program to compare with: siconos (Debian: python3-siconos)")
      ->check(CLI::IsMember({"siconos"}));
  command
      ->add_option("--peer-solvers", arguments->peer_solvers,
                   "some of the peer's solvers, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->callback([arguments, &status] { status = bench(*arguments); });
}

void add_report(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("report", "one HTML page with playback and plots of a run's results");
  command->add_option("DIR", arguments->folder, "folder of `clack run`, or its results.h5")
      ->required();
  command->add_option("-o,--output", arguments->output, "the page (default DIR/report.html)");
  command
      ->add_option("--max-size", arguments->max_size,
                   "of the page [MB]; rows are left out to keep to it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--coordinates", arguments->coordinates,
                   "coordinates and velocities to plot, with commas (default: all, 12 of many)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->callback([arguments, &status] { status = report(*arguments); });
}

void add_view(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ViewArguments>();
  CLI::App* command = app.add_subcommand(
      "view", "the same page of a run that is still going, at http://127.0.0.1:PORT");
  command->add_option("DIR", arguments->folder, "folder of `clack run`")->required();
  command->add_option("--port", arguments->port, "0: a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->callback([arguments, &status] { status = view(*arguments); });
}

void add_convert(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = app.add_subcommand(
      "convert",
      "problems (.hdf5, .dat), results to VTK (.pvd) and CSV (.csv), robots (URDF, MJCF) to scenes "
      "(.yaml); by the extensions of IN and OUT");
  command->add_option("IN", arguments->from, "problem file, folder with results, or robot")
      ->required();
  command
      ->add_option(
          "OUT", arguments->to,
          "file to write: .hdf5, .dat of a problem; .pvd, .csv of results; .yaml of a robot")
      ->required();
  command->add_option("--every", arguments->every, "results: each Nth row only")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--floating", arguments->floating, "URDF: nothing holds the root");
  command->add_flag("--keep-fixed", arguments->keep_fixed,
                    "robots: fixed joints stay joints; else they make one body of two");
  command->add_flag("--exact-meshes", arguments->exact_meshes,
                    "robots: meshes as they are; else their convex hulls");
  command->add_flag("--no-self-collision", arguments->no_self_collision,
                    "robots: links of the robot do not touch each other");
  command->add_option("--package", arguments->packages,
                      "robots: NAME=DIR, where package://NAME lies; repeatable");
  command->add_option("--start", arguments->start,
                      "robots: JOINT=VALUE [m, rad] at the start; repeatable");
  command->callback([arguments, &status] { status = convert(*arguments); });
}

void add_list(CLI::App& app, int& status) {
  auto what = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("list", "the names used in files");
  command
      ->add_option("WHAT", *what,
                   "solvers, schemes, laws, shapes, joints, samples, quantities or targets")
      ->required()
      ->check(CLI::IsMember(
          {"solvers", "schemes", "laws", "shapes", "joints", "samples", "quantities", "targets"}));
  command->callback([what, &status] { status = list(*what); });
}

int dispatch(int argc, char** argv) {
  CLI::App app{"clack: nonsmooth mechanics with contact, impact and Coulomb friction"};
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  int status = kDone;
  add_run(app, status);
  add_check(app, status);
  add_solve(app, status);
  add_converge(app, status);
  add_modes(app, status);
  add_orbit(app, status);
  add_continue(app, status);
  add_sweep(app, status);
  add_bench(app, status);
  add_report(app, status);
  add_view(app, status);
  add_convert(app, status);
  add_list(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  return status;
}

int fail(int status, const char* message) {
  fmt::print(stderr, "clack: {}\n", message);
  return status;
}

}  // namespace
}  // namespace clack::app

int main(int argc, char** argv) {
  using namespace clack;
  try {
    const int status = app::dispatch(argc, argv);
    if (std::fflush(stdout) != 0)
      throw IoError("the output cannot be written to the standard output");
    return status;
  } catch (const SceneError& error) {  // every line begins with its own place
    fmt::print(stderr, "{}\n", error.what());
    return app::kBadInput;
  } catch (const InputError& error) {
    return app::fail(app::kBadInput, error.what());
  } catch (const IoError& error) {
    return app::fail(app::kIoFailure, error.what());
  } catch (const std::bad_alloc&) {
    return app::fail(app::kBadInput, "not enough memory for this input");
  } catch (const std::exception& error) {
    return app::fail(app::kIoFailure, error.what());
  }
}
