#include "clack/analyse/orbits/lyapunov.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kLost = 1e-12;  // of the longest column: a direction that is lost
constexpr int kBlocks = 10;
// An interval that ends with an event is made a little longer.
constexpr double kStretches[] = {1, 1.0371, 1.0823, 0.9517};

// One interval with a derivative; its length is what `flow` says.
MappedFlow compute_smooth(const FlowMap& map, const State& start, double interval) {
  MappedFlow flow;
  for (const double stretch : kStretches) {
    flow = map.compute(start, stretch * interval, true);
    if (!flow.good() || flow.not_smooth.empty()) return flow;
  }
  return flow;
}

Matrix allowed_changes(const FlowMap& map, const State& start, const MappedFlow& flow) {
  Vector z(start.q.size() + start.v.size());
  z << start.q, start.v;
  PhaseMotion motion(map.shared_system(), sequence_scale(flow.phases, z), map.tolerance());
  motion.enter(flow.phases.front());
  return motion.tangent_space(start.t, z);
}

class Factors {
 public:
  // `basis`: changes of the start that constraints and closed contacts allow.
  explicit Factors(const Matrix& basis) : Q_(basis), sums_(Vector::Zero(basis.rows())) {}

  // Logarithms of the lengths of one interval are added where `counts`.
  void add(const Matrix& Phi, bool counts) {
    const Matrix image = Phi * Q_;
    const Eigen::HouseholderQR<Matrix> qr(image);
    const Vector lengths = qr.matrixQR().diagonal().cwiseAbs();
    const double longest = lengths.size() > 0 ? lengths.maxCoeff() : 0;
    int kept = 0;
    while (kept < lengths.size() && lengths[kept] > kLost * longest) ++kept;
    Q_ = Matrix(qr.householderQ() * Matrix::Identity(image.rows(), kept));
    last_ = kept > 0 ? std::log(lengths[0]) : -std::numeric_limits<double>::infinity();
    if (!counts) return;
    for (int i = 0; i < kept; ++i) sums_[i] += std::log(lengths[i]);
  }

  Vector exponents(double time) const {
    Vector result = sums_ / time;
    result.tail(result.size() - Q_.cols()).setConstant(-std::numeric_limits<double>::infinity());
    std::sort(result.begin(), result.end(), std::greater<>());
    return result;
  }
  double last() const { return last_; }  // of the first direction in the last interval
  double largest_sum() const { return sums_.size() > 0 ? sums_[0] : 0; }

 private:
  Matrix Q_;
  Vector sums_;
  double last_ = 0;
};

// From the growth in each interval: the spread of the means over tenths of the time.
double standard_error(const std::vector<double>& growth, const std::vector<double>& lengths) {
  const std::size_t n = growth.size() / kBlocks;
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0, squares = 0;
  for (int block = 0; block < kBlocks; ++block) {
    double gain = 0, time = 0;
    for (std::size_t k = n * static_cast<std::size_t>(block);
         k < n * (static_cast<std::size_t>(block) + 1); ++k) {
      gain += growth[k];
      time += lengths[k];
    }
    sum += gain / time;
    squares += gain / time * (gain / time);
  }
  const double mean = sum / kBlocks;
  return std::sqrt(std::max(0.0, squares / kBlocks - mean * mean) / (kBlocks - 1));
}

}  // namespace

void LyapunovOptions::validate() const {
  if (!(time > 0) || !std::isfinite(time))
    throw InputError(fmt::format("time of Lyapunov exponents: {} s; it must be > 0", time));
  if (!(interval > 0) || !(interval <= time))
    throw InputError(fmt::format(
        "interval of Lyapunov exponents: {} s; it must be > 0 and not above the time", interval));
  if (!(align >= 0) || !std::isfinite(align))
    throw InputError(fmt::format("align of Lyapunov exponents: {} s; it must be >= 0", align));
}

LyapunovExponents compute_lyapunov(const FlowMap& map, const State& start,
                                   const LyapunovOptions& options) {
  options.validate();
  LyapunovExponents result;
  std::unique_ptr<Factors> factors;
  std::vector<double> growth, lengths;
  State now = start;
  double aligned = 0;
  while (result.time < options.time * (1 - 1e-12)) {
    const MappedFlow flow = compute_smooth(map, now, options.interval);
    if (!flow.good() || !flow.not_smooth.empty()) {
      result.status = flow.good() ? Status::infeasible : flow.status;
      result.note = flow.good() ? flow.not_smooth : flow.note;
      return result;
    }
    if (!factors) factors = std::make_unique<Factors>(allowed_changes(map, now, flow));
    const double length = flow.end.t - now.t;
    const bool counts = aligned >= options.align * (1 - 1e-12);
    factors->add(flow.Phi, counts);
    now = flow.end;
    if (!counts) {
      aligned += length;
      continue;
    }
    result.time += length;
    growth.push_back(factors->last());
    lengths.push_back(length);
    result.history.push_back(factors->largest_sum() / result.time);
  }
  result.exponents = factors->exponents(result.time);
  result.error = standard_error(growth, lengths);
  result.end = now;
  result.status = Status::converged;
  return result;
}

}  // namespace clack
