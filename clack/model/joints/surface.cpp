#include <array>

#include "clack/core/formula/parser.hpp"
#include "clack/core/formula/scratch.hpp"
#include "clack/model/joints/joint_types.hpp"

namespace clack {
namespace {

constexpr std::array<const char*, 3> kNames = {"x", "y", "z"};
constexpr std::size_t kValues = 13;  // F, its gradient, its second derivatives by rows

std::array<formula::Expr, 3> inputs_of(formula::Graph& graph) {
  return {graph.variable(kNames[0]), graph.variable(kNames[1]), graph.variable(kNames[2])};
}

}  // namespace

JointSurface::JointSurface(const std::string& formula) {
  formula::Graph graph;
  const auto inputs = inputs_of(graph);
  *this = JointSurface(
      graph,
      formula::parse(graph, formula, {{"x", inputs[0]}, {"y", inputs[1]}, {"z", inputs[2]}}));
}

JointSurface::JointSurface(formula::Graph& graph, formula::Expr value) {
  const auto inputs = inputs_of(graph);
  std::vector<formula::Expr> outputs = {value};
  for (const formula::Expr x : inputs) outputs.push_back(graph.derivative(value, x));
  for (std::size_t i = 0; i < 3; ++i) {
    for (const formula::Expr x : inputs) outputs.push_back(graph.derivative(outputs[1 + i], x));
  }
  tape_ = std::make_shared<const formula::Tape>(graph, inputs, outputs);
}

JointSurface::Values JointSurface::at(const Vector3& point) const {
  std::array<double, kValues> x{};
  double* registers = formula::scratch(tape_->register_count());
  tape_->prepare(registers);
  tape_->evaluate(point.data(), x.data(), registers);
  Values values;
  values.value = x[0];
  values.gradient = Vector3(x[1], x[2], x[3]);
  values.hessian = Eigen::Map<const Matrix3>(x.data() + 4);
  return values;
}

// F(a_1 . d, a_2 . d, a_3 . d) = 0 for each surface: a point of B on it.
JointType surface_joint() {
  return {JointKind::surface,
          "surface",
          "a point stays on a surface F(x, y, z) = 0, with two formulas on a curve",
          true,
          [](const Joint& joint, bool) {
            std::vector<JointRow> rows;
            for (int i = 0; i < static_cast<int>(joint.surfaces.size()); ++i)
              rows.push_back({{{JointBlock::surface, i}}});
            return rows;
          },
          [](const Joint&, bool planar) {
            std::vector<JointCoordinate> all = {slide_coordinate(0, "x"), slide_coordinate(1, "y")};
            if (!planar) all.push_back(slide_coordinate(2, "z"));
            return all;
          }};
}

}  // namespace clack
