// A one-step problem that Python holds.
#pragma once

#include <optional>

#include "clack/problem/problem_data.hpp"
#include "python/bindings/common.hpp"

namespace clack::python {

class PyProblem {
 public:
  explicit PyProblem(ProblemData data) : data_(std::move(data)) {}

  const ProblemData& data() const { return data_; }
  // In reduced form, which is made of a global one when it is first asked for.
  const ProblemData& reduced() const;

 private:
  ProblemData data_;
  mutable std::optional<ProblemData> reduced_;
};

}  // namespace clack::python
