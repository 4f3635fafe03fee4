// Memory for evaluating a tape: one buffer a thread, so that a const model is shared by threads and
// an evaluation does not allocate after the first.
#pragma once

#include <vector>

namespace clack::formula {

// At least `count` doubles, valid until the next call on the same thread.
inline double* scratch(int count) {
  thread_local std::vector<double> buffer;
  if (static_cast<int>(buffer.size()) < count) buffer.resize(count);
  return buffer.data();
}

}  // namespace clack::formula
