// Clack against Siconos in a few figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "clack/analyse/performance_profile.hpp"
#include "clack/app/bench_report.hpp"

namespace clack::app {
namespace {

constexpr int kSmall = 20;      // contacts; on fewer a call through Python weighs too much
constexpr int kFewSweeps = 10;  // where there are fewer, setting up weighs more than sweeping
constexpr double kGoal = 0.5;   // auto is to take at most half the time of the peer's best

std::optional<std::size_t> find_solver(const BenchTable& table, const std::string& label) {
  const auto found = std::ranges::find(table.solvers, label, &BenchSolver::label);
  if (found == table.solvers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.solvers.begin());
}

struct Best {
  double seconds = std::numeric_limits<double>::infinity();
  std::string name;    // empty: none solved it
  bool tried = false;  // by any
};

Best best_of_peer(const BenchTable& table, std::size_t problem, std::size_t tolerance) {
  Best best;
  for (std::size_t s = 0; s < table.solvers.size(); ++s) {
    const CaseResult& result = table.at(problem, tolerance, s);
    if (!table.solvers[s].peer || result.status == "not_run") continue;
    best.tried = true;
    if (result.solved && result.seconds < best.seconds) {
      best.seconds = result.seconds;
      best.name = table.solvers[s].name;
    }
  }
  return best;
}

void print_against_prox(const BenchTable& table, std::size_t tolerance, std::size_t own) {
  const auto prox = find_solver(table, "siconos:PROX");
  if (!prox) return;
  std::vector<double> ratios;
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    const CaseResult &ours = table.at(p, tolerance, own), &theirs = table.at(p, tolerance, *prox);
    if (table.problems[p].contacts <= kSmall || !ours.solved || !theirs.solved) continue;
    ratios.push_back(ours.seconds / theirs.seconds);
  }
  if (ratios.empty()) {
    fmt::print("  auto / siconos PROX: no problem of more than {} contacts that both solved\n",
               kSmall);
  } else {
    fmt::print(
        "  auto / siconos PROX: {:.3g}, geometric mean of the times over {} problems of more than "
        "{} contacts\n",
        geometric_mean(ratios), ratios.size(), kSmall);
  }
}

void print_against_best(const BenchTable& table, std::size_t tolerance, std::size_t own) {
  fmt::print(
      "  auto / best of siconos, problem by problem (picked afterwards), `!` where above {}:\n",
      kGoal);
  std::vector<double> ratios;
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    const CaseResult& ours = table.at(p, tolerance, own);
    const Best best = best_of_peer(table, p, tolerance);
    if (!best.tried) continue;
    const std::string place =
        fmt::format("    {:<40} {:>6}", table.problems[p].name, table.problems[p].contacts);
    if (!ours.solved || best.name.empty()) {
      fmt::print("{}  {}\n", place,
                 ours.solved ? "auto alone solves it" : "auto does not solve it");
      continue;
    }
    const double ratio = ours.seconds / best.seconds;
    if (table.problems[p].contacts > kSmall) ratios.push_back(ratio);
    fmt::print("{}  {:>8.3f} {} {:.3g} ms against {:.3g} ms of {}\n", place, ratio,
               ratio > kGoal ? '!' : ' ', 1e3 * ours.seconds, 1e3 * best.seconds, best.name);
  }
  const auto slow = std::ranges::count_if(ratios, [](double ratio) { return ratio > kGoal; });
  if (ratios.empty()) return;
  fmt::print("    of more than {} contacts: geometric mean {:.3g}, above {} on {} of {}\n", kSmall,
             geometric_mean(ratios), kGoal, slow, ratios.size());
}

// Of every case that came back, solved or not: a sweep costs the same.
void print_sweeps(const BenchTable& table, std::size_t tolerance, const char* peer_name) {
  const auto own = find_solver(table, "nsgs"), peer = find_solver(table, peer_name);
  if (!own || !peer) return;
  std::vector<double> ratios;
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    const CaseResult &ours = table.at(p, tolerance, *own), &theirs = table.at(p, tolerance, *peer);
    const bool known = std::isfinite(ours.seconds) && std::isfinite(theirs.seconds);
    const bool many = std::min(ours.iterations, theirs.iterations) >= kFewSweeps;
    if (!known || !many || table.problems[p].contacts <= kSmall) continue;
    ratios.push_back(ours.seconds / ours.iterations / (theirs.seconds / theirs.iterations));
  }
  if (ratios.empty()) return;
  const auto [low, high] = std::ranges::minmax(ratios);
  fmt::print(
      "  nsgs / {}, seconds an iteration: {:.3g} (from {:.3g} to {:.3g} over {} problems of more "
      "than {} "
      "contacts and {} iterations)\n",
      peer_name, geometric_mean(ratios), low, high, ratios.size(), kSmall, kFewSweeps);
}

}  // namespace

void print_peer_summary(const BenchTable& table) {
  for (std::size_t t = 0; t < table.tolerances.size(); ++t) {
    fmt::print("\nagainst siconos at {}\n", tolerance_text(table.tolerances[t]));
    if (const auto own = find_solver(table, "auto")) {
      print_against_prox(table, t, *own);
      print_against_best(table, t, *own);
    }
    print_sweeps(table, t, "siconos:NSGS");
    print_sweeps(table, t, "siconos:NSGS-F");
  }
}

}  // namespace clack::app
