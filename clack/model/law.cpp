#include "clack/model/law.hpp"

#include <utility>

#include "clack/core/formula/scratch.hpp"

namespace clack {

FrictionCoefficient::FrictionCoefficient(std::string text,
                                         std::shared_ptr<const formula::Tape> tape)
    : value_(0), text_(std::move(text)), tape_(std::move(tape)) {}

double FrictionCoefficient::at(double slip) const {
  if (!tape_) return value_;
  double* registers = formula::scratch(tape_->register_count());
  tape_->prepare(registers);
  double value = 0;
  tape_->evaluate(&slip, &value, registers);
  return value;
}

}  // namespace clack
