#include "clack/integrate/adaptive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kSafety = 0.9, kLargestGrowth = 5, kSmallestCut = 0.1, kLargestCut = 0.7;
// Exponents of a PI controller for errors of the order h^2, the lowest that a scheme has in smooth
// motion.
constexpr double kIntegral = 0.7 / 2, kProportional = 0.4 / 2;
// A growth below this is not worth a new factorisation.
constexpr double kWorthwhile = 1.2;

SimulationOptions checked(const SimulationOptions& options) {
  options.validate();
  refuse_constant_step(*make_scheme(options.scheme, options.scheme_options));
  return options;
}

}  // namespace

AdaptiveSimulation::AdaptiveSimulation(std::shared_ptr<const System> system, const State& initial,
                                       const SimulationOptions& options, double end)
    : options_(options.adaptive.value_or(AdaptiveOptions{})),
      end_(end),
      h_min_(options_.h_min.value_or(1e-6 * options.h)),
      h_max_(std::max(h_min_, options_.h_max.value_or(100 * options.h))),
      coarse_(system, initial, checked(options)),
      first_(system, initial, options),
      second_(system, initial, options),
      state_(second_.checkpoint()),
      contacts_(*system),
      detection_(contacts_),
      a_N_(Vector::Zero(contacts_.size())),
      scale_q_(options_.scale.size() > 0 ? options_.scale : Vector::Ones(system->nq())),
      scale_v_(system->nq() == system->nv() ? scale_q_ : Vector::Ones(system->nv())),
      h_next_(std::clamp(options.h, h_min_, h_max_)) {
  if (scale_q_.size() != system->nq()) {
    throw InputError(fmt::format("adaptive.scale has {} values; the system has {} coordinates",
                                 scale_q_.size(), system->nq()));
  }
  u_before_ = Vector::Zero(contacts_.rows());
  look_for_contacts();
  u_before_ = detection_.u;
}

// Contacts that may close within the next pair, with their gaps and velocities at its start.
void AdaptiveSimulation::look_for_contacts() {
  const StatePoint& now = state_.end;
  const bool changed = contacts_.is_dynamic() && contacts_.find(now.t, now.q, now.v, 2 * h_next_);
  if (changed) {
    detection_.resize(contacts_);
    contacts_.change().carry_contacts(a_N_);
    contacts_.change().carry_rows(u_before_);
  }
  detection_.map_changed = true;
  update_contact_map(contacts_, now.t, now.q, detection_);
  update_velocities(now.v, detection_);
  gap_.resize(contacts_.size());
  contacts_.gaps(now.t, now.q, gap_);
  for (int c = 0; changed && c < contacts_.size(); ++c) {
    if (contacts_.change().source[static_cast<std::size_t>(c)] >= 0) continue;
    // A new one, which has not been seen to accelerate: with the velocities of the last pair.
    const int row = detection_.row_begin[static_cast<std::size_t>(c)];
    u_before_[row] = v_before_.size() > 0 ? detection_.H.dot(row, v_before_) + detection_.w[row]
                                          : detection_.u[row];
  }
}

void AdaptiveSimulation::step() {
  for (;;) {
    const double h = choose_step();
    try_pair(h);
    const double error = error_of_pair(h) / options_.tolerance;
    const bool good = error <= 1 && !too_deep() && solved();
    if (good || h <= h_min_ * (1 + 1e-12)) {
      if (!good) ++figures_.forced;
      return accept(h, error);
    }
    reject(h, error);
  }
}

// --- the length of a step ---------------------------------------------------------------------

double AdaptiveSimulation::choose_step() {
  const double h = std::max(h_min_, cut_before_contacts(h_next_));
  const double rest = end_ - state_.end.t;
  if (2 * h >= rest) return 0.5 * rest;
  return 4 * h > rest ? 0.25 * rest : h;  // no short last pair
}

// How long contact may be missed at the normal speed u: over the length that is tolerated anyway.
double AdaptiveSimulation::reach(double u) const {
  const double length = options_.max_penetration ? *options_.max_penetration : options_.tolerance;
  return length / std::abs(u);
}

double AdaptiveSimulation::cut_before_contacts(double h) {
  const std::vector<Contact>& contacts = contacts_.list();
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    if (contacts[c].bilateral) continue;
    const double tau = time_to_closing(c);
    if (!(tau < 2 * h)) continue;
    const double u = detection_.u[detection_.row_begin[c]];
    const double u_closing = u + tau * a_N_[c];
    // To end just before the closing: what it costs is then seen in a short pair.
    const double shortest = reach(u_closing);
    h = std::min(h, std::max(0.5 * tau - shortest, shortest));
  }
  return h;
}

// The first root of gap + tau u + tau^2/2 a; 0 for a closed contact that approaches.
double AdaptiveSimulation::time_to_closing(int contact) const {
  const double gap = gap_[contact], a = a_N_[contact];
  const double u = detection_.u[detection_.row_begin[contact]];
  if (gap <= 0 && u < 0) return 0;
  const double discriminant = u * u - 2 * a * std::max(gap, 0.0);
  if (discriminant < 0 || (u >= 0 && !(a < 0))) return HUGE_VAL;
  // In the form that does not cancel.
  if (u < 0) return 2 * gap / (-u + std::sqrt(discriminant));
  return (u + std::sqrt(discriminant)) / -a;
}

// --- a pair -----------------------------------------------------------------------------------

void AdaptiveSimulation::try_pair(double h) {
  const double t = state_.end.t, t_end = end_ - (t + 2 * h) <= 1e-9 * h ? end_ : t + 2 * h;
  coarse_.restore(state_);
  (void)coarse_.step_to(t_end, 2 * h);
  first_.restore(state_);
  first_status_ = first_.step_to(t + h, h);
  second_.restore(first_.checkpoint());
  second_status_ = second_.step_to(t_end, h);
}

namespace {

// Largest difference over the scales; infinite where it is no number.
double difference(const Vector& a, const Vector& b, const Vector& scale) {
  double worst = 0;
  for (int i = 0; i < a.size(); ++i) {
    const double error = std::abs(a[i] - b[i]) / scale[i];
    if (!(error <= worst)) worst = error;
  }
  return std::isfinite(worst) ? worst : HUGE_VAL;
}

}  // namespace

double AdaptiveSimulation::error_of_pair(double h) {
  return std::max({difference(coarse_.q(), second_.q(), scale_q_),
                   2 * h * difference(coarse_.v(), second_.v(), scale_v_),
                   bend_of_step(state_.end.q, state_.end.v, first_, h),
                   bend_of_step(first_.q(), first_.v(), second_, h)});
}

// How far a step's displacement is from that of its mean velocity.
double AdaptiveSimulation::bend_of_step(const Vector& q, const Vector& v, const Simulation& step,
                                        double h) {
  move_ = (0.5 * h) * (v + step.v());
  step.system().advance(q, move_, q_mean_);
  return difference(step.q(), q_mean_, scale_q_);
}

bool AdaptiveSimulation::too_deep() {
  if (!options_.max_penetration) return false;
  const std::vector<Contact>& contacts = contacts_.list();
  Vector gap(contacts_.size());
  for (const Simulation* step : {&first_, &second_}) {
    contacts_.gaps(step->time(), step->q(), gap);
    for (int c = 0; c < gap.size(); ++c) {
      if (contacts[static_cast<std::size_t>(c)].bilateral) continue;
      // What was deeper at the start is not this pair's doing.
      const double before = std::min(0.0, gap_[c]);
      if (gap[c] < std::min(-*options_.max_penetration, before)) return true;
    }
  }
  return false;
}

bool AdaptiveSimulation::solved() const {
  return first_status_ == Status::converged && second_status_ == Status::converged;
}

void AdaptiveSimulation::accept(double h, double error) {
  const bool cut = h < h_next_;
  const double now = std::max(error, 1e-4);
  double factor = kSafety * std::pow(now, -kIntegral) * std::pow(previous_error_, kProportional);
  factor = std::clamp(factor, kSmallestCut, after_rejection_ ? 1.0 : kLargestGrowth);
  if (factor > 1 && factor < kWorthwhile) factor = 1;
  // A pair that was cut says nothing against the length that was asked for.
  h_next_ = std::clamp(cut ? std::max(h_next_, factor * h) : factor * h, h_min_, h_max_);
  if (!cut) previous_error_ = now;
  after_rejection_ = false;
  v_before_ = state_.end.v;
  state_ = second_.checkpoint();
  estimate_accelerations(h);
  const bool begun = figures_.accepted > 0;
  figures_.accepted += 2;
  figures_.h_smallest = begun ? std::min(figures_.h_smallest, h) : h;
  figures_.h_largest = std::max(figures_.h_largest, h);
}

void AdaptiveSimulation::reject(double h, double error) {
  // Too deep, or not solved: half the length. Else as the error asks.
  const double factor = error <= 1 ? 0.5 : kSafety / std::sqrt(error);
  h_next_ = std::max(h_min_, h * std::clamp(factor, kSmallestCut, kLargestCut));
  after_rejection_ = true;
  ++figures_.rejected;
}

// An impulse on a contact that approached when the pair began; of contacts that come and go, which
// have other numbers in the steps, a velocity that has turned.
bool AdaptiveSimulation::had_impact(int contact) const {
  if (contacts_.list()[contact].bilateral) return false;
  const int row = detection_.row_begin[contact];
  const double slow = 1e-9 * (1 + state_.end.v.cwiseAbs().maxCoeff());
  if (!(u_before_[row] < -slow)) return false;
  if (contacts_.is_dynamic()) return detection_.u[row] > -slow;
  return first_.last_step().r[row] > 0 || second_.last_step().r[row] > 0;
}

// Of the gaps, from the change of u_N over a pair without impact.
void AdaptiveSimulation::estimate_accelerations(double h) {
  look_for_contacts();
  bool jumped = false;
  for (int c = 0; c < a_N_.size(); ++c) jumped = jumped || had_impact(c);
  for (int c = 0; c < a_N_.size() && !jumped; ++c) {
    const int row = detection_.row_begin[c];
    a_N_[c] = (detection_.u[row] - u_before_[row]) / (2 * h);
  }
  u_before_ = detection_.u;
}

std::array<double, 6> AdaptiveSimulation::seconds_by_stage() const {
  std::array<double, 6> sum{};
  for (const Simulation* simulation : {&coarse_, &first_, &second_}) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += simulation->seconds_by_stage()[i];
  }
  return sum;
}

}  // namespace clack
