// A vector written out.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "clack/core/types.hpp"

namespace clack::test {

inline Vector values(std::initializer_list<double> numbers) {
  Vector x(static_cast<Eigen::Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), x.begin());
  return x;
}

}  // namespace clack::test
