#include "clack/model/bodies/body_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/core/formula/parser.hpp"
#include "clack/core/formula/scratch.hpp"

namespace clack {

void TimeTable::add(double t, const std::array<double, 6>& values) {
  const bool finite = std::isfinite(t) && std::all_of(values.begin(), values.end(),
                                                      [](double x) { return std::isfinite(x); });
  if (!finite)
    throw InputError(fmt::format("row {} has a number that is not finite", times_.size() + 1));
  if (!times_.empty() && !(t > times_.back())) {
    throw InputError(fmt::format("row {}: the time {} s is not later than that before, {} s",
                                 times_.size() + 1, t, times_.back()));
  }
  times_.push_back(t);
  values_.push_back(values);
}

std::array<double, 6> TimeTable::at(double t) const {
  const auto it = std::upper_bound(times_.begin(), times_.end(), t);
  if (it == times_.begin()) return values_.front();
  if (it == times_.end()) return values_.back();
  const auto k = static_cast<std::size_t>(it - times_.begin());
  const double part = (t - times_[k - 1]) / (times_[k] - times_[k - 1]);
  std::array<double, 6> result;
  for (std::size_t i = 0; i < 6; ++i)
    result[i] = values_[k - 1][i] + part * (values_[k][i] - values_[k - 1][i]);
  return result;
}

BodyFunctions::BodyFunctions(const std::array<std::string, 6>& formulas) {
  formula::Graph graph;
  const formula::Expr t = graph.variable("t");
  std::vector<formula::Expr> outputs;
  for (const std::string& text : formulas)
    outputs.push_back(formula::parse(graph, text, {{"t", t}}));
  tape_ = std::make_shared<const formula::Tape>(graph, std::array{t}, outputs);
}

std::array<double, 6> BodyFunctions::at(double t) const {
  std::array<double, 6> values{};
  if (table_) return table_->at(t);
  if (!tape_) return values;
  double* registers = formula::scratch(tape_->register_count());
  tape_->prepare(registers);
  tape_->evaluate(&t, values.data(), registers);
  return values;
}

}  // namespace clack
