#include "clack/solve/nsgs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/families.hpp"

namespace clack {
namespace {

// Steele, Lea, Flood (2014): a full-period sequence from any state.
std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

const OptionTable<NsgsOptions>& NsgsOptions::table() {
  using Self = NsgsOptions;
  static const OptionTable<Self> table = {
      make_option<Self>(
          {"check_every", OptionRange::from(1), "-",
           "sweeps between two evaluations of the residual; the first is checked too"},
          &Self::check_every),
      make_option<Self>({"relaxation", OptionRange::inside(0, 2), "-",
                         "r = (1 - relaxation) r + relaxation r_local"},
                        &Self::relaxation),
      make_choice<Self>(
          {.name = "order",
           .unit = "-",
           .meaning = "in which a sweep visits the contacts; symmetric: forward and backward in "
                      "turn; shuffle: drawn anew for each"},
          {"forward", "backward", "symmetric", "shuffle"}, &Self::order),
      make_option<Self>({"seed", {-1e9, 1e9}, "-", "of the shuffle"}, &Self::seed),
      make_choice<Self>({.name = "local",
                         .unit = "-",
                         .meaning = "solver of one contact: exact, semismooth Newton on "
                                    "Alart-Curnier's or Fischer-Burmeister's map, one projection"},
                        {"exact", "ac", "fb", "projection"}, &Self::local),
      make_option<Self>({"freeze_after", OptionRange::from(0), "-",
                         "a contact that has not changed for so many sweeps is skipped; 0: never"},
                        &Self::freeze_after),
      make_option<Self>({"freeze_change",
                         {0, 1},
                         "-",
                         "the change that counts as none, over tolerance and largest impulse"},
                        &Self::freeze_change),
      make_option<Self>({"thaw_every", OptionRange::from(1), "-",
                         "of so many sweeps one visits all contacts again"},
                        &Self::thaw_every),
  };
  return table;
}

void NsgsOptions::validate() const {
  SolverOptions::validate();
  validate_options("nsgs", table(), *this);
}

Nsgs::Nsgs(const NsgsOptions& options) : Solver(options), options_(options) { options.validate(); }

void Nsgs::update_contact(const ReducedProblem& problem, int contact, double* r) const {
  std::array<double, Cone::kMaxDim> b, local;
  const auto c = static_cast<std::size_t>(contact);
  const Cone& cone = problem.cones[c];
  double* own = r + problem.offset[c];
  const int dim = cone.dim();
  rows_.off_diagonal(contact, r, b.data());
  if (!stick_.empty() && try_stick(cone, contact, b.data(), own)) return;
  std::copy_n(own, dim, local.data());
  const double* block = rows_.block(contact);
  const bool solved = options_.local == LocalKind::exact
                          ? solve_local(cone, block, b.data(), local.data())
                          : solve_local(options_.local, cone, block, b.data(), local.data());
  if (!solved) return;
  const double omega = options_.relaxation;
  if (omega == 1.0) {
    std::copy_n(local.data(), dim, own);
    return;
  }
  for (int i = 0; i < dim; ++i)
    own[i] = (1 - omega) * own[i] + omega * local[static_cast<std::size_t>(i)];
  if (omega > 1.0) cone.project(own, own);
}

void Nsgs::prepare_stick(const ReducedProblem& problem) {
  stick_.clear();
  if (rows_.uniform_dim() != 3 || options_.local != LocalKind::exact || options_.relaxation != 1.0)
    return;
  stick_.assign(9 * problem.cones.size(), 0.0);
  for (int c = 0; c < problem.contacts(); ++c) {
    if (problem.cones[static_cast<std::size_t>(c)].disc_count() != 1) continue;
    const Eigen::Map<const Eigen::Matrix3d> block(rows_.block(c));
    const double mean = block.trace() / 3;
    if (!(block.determinant() > 1e-6 * mean * mean * mean)) continue;
    double* inverse = stick_.data() + 9 * static_cast<std::ptrdiff_t>(c);
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> values(inverse);
    values = -block.inverse();
  }
}

// True where the contact is open or sticks; r is then its exact solution.
bool Nsgs::try_stick(const Cone& cone, int contact, const double* b, double* r) const {
  const double* inverse = stick_.data() + 9 * static_cast<std::ptrdiff_t>(contact);
  if (inverse[0] == 0) return false;
  if (b[0] >= 0) {
    r[0] = r[1] = r[2] = 0;
    return true;
  }
  double x[3];
  for (int i = 0; i < 3; ++i)
    x[i] = inverse[3 * i] * b[0] + inverse[3 * i + 1] * b[1] + inverse[3 * i + 2] * b[2];
  const double limit = cone.mu() * x[0];
  if (!(x[0] > 0 && x[1] * x[1] + x[2] * x[2] <= limit * limit)) return false;
  std::copy_n(x, 3, r);
  return true;
}

void Nsgs::start_freezing(int contacts) {
  if (options_.freeze_after == 0) return;
  quiet_.assign(static_cast<std::size_t>(contacts), 0);
  largest_before_ = 0;
}

// Updates a contact unless it is frozen, and counts its quiet sweeps.
void Nsgs::visit(const ReducedProblem& problem, int contact, double* r, bool all) {
  if (options_.freeze_after == 0) {
    update_contact(problem, contact, r);
    return;
  }
  const auto c = static_cast<std::size_t>(contact);
  if (!all && quiet_[c] >= options_.freeze_after) return;
  std::array<double, Cone::kMaxDim> before;
  const int dim = problem.cones[c].dim();
  const double* own = r + problem.offset[c];
  std::copy_n(own, dim, before.data());
  update_contact(problem, contact, r);
  double change = 0;
  for (int i = 0; i < dim; ++i) {
    change = std::max(change, std::abs(own[i] - before[static_cast<std::size_t>(i)]));
    largest_ = std::max(largest_, std::abs(own[i]));
  }
  const double limit = options_.freeze_change * options().tolerance * largest_before_;
  quiet_[c] = change <= limit ? quiet_[c] + 1 : 0;
}

// Fisher and Yates with a remainder: the library's distributions differ between systems.
void Nsgs::sweep_shuffled(const ReducedProblem& problem, double* r, bool all) {
  for (std::size_t k = permutation_.size(); k > 1; --k) {
    std::swap(permutation_[k - 1], permutation_[static_cast<std::size_t>(split_mix(random_) % k)]);
  }
  for (const int contact : permutation_) visit(problem, contact, r, all);
}

void Nsgs::sweep(const ReducedProblem& problem, double* r, int iteration) {
  const int n = problem.contacts();
  const bool all = iteration % options_.thaw_every == 0;
  largest_ = 0;
  if (options_.order == SweepOrder::shuffle) {
    sweep_shuffled(problem, r, all);
  } else if (options_.order == SweepOrder::forward ||
             (options_.order == SweepOrder::symmetric && iteration % 2 == 1)) {
    for (int k = 0; k < n; ++k) visit(problem, k, r, all);
  } else {
    for (int k = n - 1; k >= 0; --k) visit(problem, k, r, all);
  }
  largest_before_ = std::max(largest_, largest_before_);
}

void Nsgs::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  rows_.bind(problem);
  prepare_stick(problem);
  best_.clear(problem.size());
  start_freezing(problem.contacts());
  if (options_.order == SweepOrder::shuffle) {
    permutation_.resize(static_cast<std::size_t>(problem.contacts()));
    std::iota(permutation_.begin(), permutation_.end(), 0);
    random_ = static_cast<std::uint64_t>(options_.seed);
  }
  for (int iteration = 1;; ++iteration) {
    sweep(problem, r, iteration);
    if (!check_due(iteration, options_.check_every, options().max_iterations)) continue;
    const double residual = measure(r, u);
    if (stop_here(iteration, residual, report)) {
      if (!(residual <= best_.residual())) best_.restore(r);
      return;
    }
    best_.offer(residual, r, problem.size());
  }
}

namespace {

constexpr SolverEntry kEntries[] = {
    make_entry<Nsgs, NsgsOptions>(
        "nsgs", "nonsmooth Gauss-Seidel, contact by contact, with an exact local solve",
        "Jourdan, Alart, Jean (1998)"),
};

}  // namespace

std::span<const SolverEntry> gauss_seidel_family() { return kEntries; }

}  // namespace clack
