#include <array>

#include "clack/core/formula/parser.hpp"
#include "clack/core/formula/scratch.hpp"
#include "clack/model/joints/joint.hpp"

namespace clack {

JointFunction::JointFunction(const std::string& formula) {
  formula::Graph graph;
  const std::array inputs = {graph.variable("t"), graph.variable("x"), graph.variable("v")};
  *this = JointFunction(
      graph,
      formula::parse(graph, formula, {{"t", inputs[0]}, {"x", inputs[1]}, {"v", inputs[2]}}));
}

JointFunction::JointFunction(formula::Graph& graph, formula::Expr value) {
  const std::array inputs = {graph.variable("t"), graph.variable("x"), graph.variable("v")};
  std::vector<formula::Expr> outputs = {value};
  for (const formula::Expr input : inputs) outputs.push_back(graph.derivative(value, input));
  outputs.push_back(graph.derivative(outputs[1], inputs[0]));
  tape_ = std::make_shared<const formula::Tape>(graph, inputs, outputs);
}

JointFunction::Values JointFunction::at(double t, double x, double v) const {
  if (!tape_) return {};
  const std::array inputs = {t, x, v};
  std::array<double, 5> values{};
  double* registers = formula::scratch(tape_->register_count());
  tape_->prepare(registers);
  tape_->evaluate(inputs.data(), values.data(), registers);
  return {values[0], values[1], values[2], values[3], values[4]};
}

}  // namespace clack
