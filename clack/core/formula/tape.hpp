// Formulas compiled to a flat list of instructions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clack/core/formula/graph.hpp"

namespace clack::formula {

// The operations of the graph, and those that only a tape has.
enum class Code : std::uint8_t {
  CLACK_OPERATIONS,
  kMultiplyAdd,       // a*b + c, the product rounded on its own
  kMultiplySubtract,  // a*b - c
  kSubtractMultiply,  // c - a*b
  kSinCos,            // sin(a) to the destination, cos(a) to register b
  kCount
};

struct Instruction {
  std::int32_t destination, a, b, c;  // registers
};

// Evaluates outputs(inputs), y = f(x), with every shared subexpression computed once.
//
// Registers: [inputs | constants | temporaries], temporaries used again once they are dead.
// Instructions are ordered so that equal codes lie next to each other: a run of them costs one
// dispatch. The order is a function of the graph alone, and no step changes the rounding of an
// operation (there is no fused multiply-add), so equal inputs give bitwise equal outputs.
//
// The caller owns the registers; one Tape serves any number of threads, each with its own array.
class Tape {
 public:
  Tape() = default;
  // inputs: distinct variables. std::logic_error if an output needs a variable that is no input.
  Tape(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs);

  [[nodiscard]] int input_count() const { return input_count_; }
  [[nodiscard]] int output_count() const { return static_cast<int>(outputs_.size()); }
  [[nodiscard]] int register_count() const { return register_count_; }
  [[nodiscard]] int instruction_count() const { return static_cast<int>(instructions_.size()); }
  [[nodiscard]] int run_count() const { return static_cast<int>(runs_.size()); }

  // Writes the constants into the registers: once, before the first evaluation with that array.
  void prepare(double* registers) const;
  // inputs[input_count], outputs[output_count], registers[register_count] prepared. No allocation.
  void evaluate(const double* inputs, double* outputs, double* registers) const;

 private:
  friend class TapeCompiler;

  struct Run {
    Code code;
    std::int32_t end;  // one past its last instruction
  };

  int input_count_ = 0;
  int register_count_ = 0;
  std::vector<double> constants_;
  std::vector<Run> runs_;
  std::vector<Instruction> instructions_;
  std::vector<std::int32_t> outputs_;  // registers
};

}  // namespace clack::formula
