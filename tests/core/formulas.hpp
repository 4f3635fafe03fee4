// Formulas of three variables, and the values of a tape.
#pragma once

#include <vector>

#include "clack/core/formula/graph.hpp"
#include "clack/core/formula/parser.hpp"
#include "clack/core/formula/tape.hpp"

namespace clack::formula {

using Exprs = std::vector<Expr>;

struct Formulas {
  Graph g;
  Expr x = g.variable("x"), y = g.variable("y"), z = g.variable("z");
  Exprs inputs{x, y, z};
  Names names{{"x", x}, {"y", y}, {"z", z}};
  Expr operator()(const char* text) { return parse(g, text, names); }
};

inline std::vector<double> run(const Tape& tape, const std::vector<double>& at) {
  std::vector<double> registers(static_cast<std::size_t>(tape.register_count()));
  std::vector<double> result(static_cast<std::size_t>(tape.output_count()));
  tape.prepare(registers.data());
  tape.evaluate(at.data(), result.data(), registers.data());
  return result;
}

}  // namespace clack::formula
