// The program `clack`: reads the command line, calls a command, turns exceptions into exit status.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/core/version.hpp"
#include "clack/integrate/scheme.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/solve/solver.hpp"

namespace clack::app {

int check(const std::string& path, const std::vector<std::string>& set) {
  const Scene scene = load_scene(path, set);
  fmt::print("{}: good. {} coordinates, {} contacts, {} steps of {:g} s by {}\n", path,
             scene.system->nq(), scene.system->contacts().size(), scene.step_count(), scene.options.h,
             scene.options.scheme);
  return kDone;
}

int list(const std::string& what) {
  if (what == "solvers") {
    for (const SolverInfo& info : solver_list()) fmt::print("{:<18} {}\n", info.name, info.summary);
  } else if (what == "schemes") {
    for (const SchemeInfo& info : scheme_list()) fmt::print("{:<18} {}\n", info.name, info.summary);
  } else if (what == "laws") {
    fmt::print("{:<18} {}\n", "signorini", "unilateral contact on velocities with Newton's restitution e_n");
    fmt::print("{:<18} {}\n", "coulomb", "dry friction in the plane (one tangent) or in space (two): mu, e_t; mu may be a formula of `slip`");
    fmt::print("{:<18} {}\n", "bilateral", "a constraint that holds at all times (`constraints:`)");
  }
  return kDone;
}

namespace {

int dispatch(int argc, char** argv) {
  CLI::App app{"clack: nonsmooth mechanics with contact, impact and Coulomb friction"};
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  int status = kDone;

  RunArguments run_arguments;
  CLI::App* run_command = app.add_subcommand("run", "simulate a scene");
  run_command->add_option("SCENE", run_arguments.scene, "scene file (YAML)")->required();
  run_command->add_option("-o,--output", run_arguments.folder, "folder for the results (default out/NAME)");
  run_command->add_option("--set", run_arguments.set, "path=value: replace a value of the scene")
      ->allow_extra_args(false);
  run_command->add_flag("--json", run_arguments.json, "print the summary as one JSON object");
  run_command->callback([&] { status = run(run_arguments); });

  std::string scene;
  std::vector<std::string> set;
  CLI::App* check_command = app.add_subcommand("check", "validate a scene and say every error");
  check_command->add_option("SCENE", scene, "scene file (YAML)")->required();
  check_command->add_option("--set", set, "path=value: replace a value of the scene")->allow_extra_args(false);
  check_command->callback([&] { status = check(scene, set); });

  std::string what;
  CLI::App* list_command = app.add_subcommand("list", "the names used in files");
  list_command->add_option("WHAT", what, "solvers, schemes or laws")
      ->required()
      ->check(CLI::IsMember({"solvers", "schemes", "laws"}));
  list_command->callback([&] { status = list(what); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  return status;
}

int report(int status, const char* message) {
  fmt::print(stderr, "clack: {}\n", message);
  return status;
}

}  // namespace
}  // namespace clack::app

int main(int argc, char** argv) {
  using namespace clack;
  try {
    return app::dispatch(argc, argv);
  } catch (const InputError& error) {
    return app::report(app::kBadInput, error.what());
  } catch (const IoError& error) {
    return app::report(app::kIoFailure, error.what());
  } catch (const std::bad_alloc&) {
    return app::report(app::kBadInput, "not enough memory for this input");
  } catch (const std::exception& error) {
    return app::report(app::kIoFailure, error.what());
  }
}
