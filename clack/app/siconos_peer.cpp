#include "clack/app/siconos_peer.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clack/app/child_processes.hpp"
#include "clack/app/siconos_script.hpp"  // made by CMake from bench/siconos_peer.py
#include "clack/core/error.hpp"
#include "clack/io/problems/dat_writer.hpp"
#include "clack/problem/residual.hpp"

namespace clack::app {
namespace {

constexpr int kDeclined = 3;  // the script's exit status for a solver that is not for this problem
constexpr int kMostDenseRows = 3000;

Vector read_impulses(const std::string& path, int size) {
  Vector r = Vector::Zero(size);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(r.data()), static_cast<std::streamsize>(sizeof(double)) * size);
  if (!in) throw IoError("the peer left no impulses");
  return r;
}

// Its own measure is the plain residual, which depends on units: what misses the scaled one by far
// is no solution all the same.
void judge(const ProblemData& problem, const Vector& r, const CaseLimits& limits,
           CaseResult& result) {
  Vector u(problem.dimension());
  const Residual residual = compute_residual(problem.view(), r.data(), u.data());
  result.residual = residual.plain;
  result.residual_scaled = residual.scaled;
  result.velocity_error = residual.velocity;
  if (result.seconds > limits.time_limit) {
    result.status = "time_limit";
  } else {
    result.solved = residual.plain <= limits.tolerance &&
                    residual.unit_free() <= std::max(1e-4, limits.tolerance);
    result.status = result.solved ? "converged" : "missed_tolerance";
  }
}

}  // namespace

SiconosPeer::SiconosPeer(const std::string& folder) : script_(folder + "/siconos_peer.py") {
  std::ofstream(script_) << kSiconosScript;
  const std::string list = folder + "/siconos_solvers";
  // Debian's package belongs to Debian's Python, which need not be the first on the path.
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    if (!run_program({python, script_, "list", list}, Errors::discard).good()) continue;
    python_ = python;
    std::ifstream in(list);
    std::string name;
    for (int dim = 0; in >> dim >> name;) solvers_[dim].push_back(name);
    return;
  }
  throw InputError(
      "--peer siconos: no Python here has the module siconos.numerics; install Debian's package "
      "python3-siconos (apt-get install python3-siconos)");
}

const std::vector<std::string>& SiconosPeer::solvers(int dim) const {
  static const std::vector<std::string> none;
  const auto found = solvers_.find(dim);
  return found == solvers_.end() ? none : found->second;
}

bool SiconosPeer::has(const std::string& name, int dim) const {
  return std::ranges::count(solvers(dim), name) > 0;
}

std::vector<std::string> SiconosPeer::choose(const std::vector<std::string>& names) const {
  std::vector<std::string> all;
  for (const int dim : {3, 2, 5}) {
    for (const std::string& name : solvers(dim)) {
      if (std::ranges::count(all, name) == 0) all.push_back(name);
    }
  }
  for (const std::string& name : names) {
    if (std::ranges::count(all, name) > 0) continue;
    throw InputError(
        fmt::format("--peer-solvers: unknown '{}'; known: {}", name, fmt::join(all, " ")));
  }
  return names.empty() ? all : names;
}

void SiconosPeer::write(const ProblemData& problem, const std::string& path) const {
  // Its rolling solvers abort on block-sparse storage.
  const bool dense = problem.cones.front().dim() == 5 && problem.dimension() <= kMostDenseRows;
  std::ofstream file(path, std::ios::binary);
  file << format_dat(problem, dense ? DatStorage::dense : DatStorage::blocks);
  if (!file.flush()) throw IoError(path + ": cannot be written");
}

CaseResult SiconosPeer::solve(const ProblemData& problem, const std::string& dat,
                              const std::string& solver, const CaseLimits& limits,
                              const std::string& out) const {
  CaseResult result;
  const ChildEnd end =
      run_program({python_, script_, "solve", dat, solver, fmt::format("{}", limits.tolerance),
                   fmt::format("{}", limits.time_limit), fmt::format("{}", limits.repeat), out},
                  Errors::keep);
  if (end.code == kDeclined) return result;
  if (!end.good()) {
    result.status = end.signal == SIGPROF ? "time_limit" : "crashed";
    result.note = end.words();
    return result;
  }
  const nlohmann::json answer = nlohmann::json::parse(std::ifstream(out + ".json"));
  result.seconds = answer.at("seconds");
  result.iterations = answer.at("iterations");
  result.note = fmt::format("info {}", answer.at("info").get<int>());
  judge(problem, read_impulses(out + ".r", problem.dimension()), limits, result);
  return result;
}

}  // namespace clack::app
