// Which instruction set the kernels use.
//
// Lanes do not mix and sums have a fixed order, so all sets with fused multiply-add give the same
// bits.
#pragma once

#include <string>
#include <vector>

namespace clack {

struct VectorTarget {
  std::string name;   // as Highway calls it
  bool fused = true;  // multiplies and adds with one rounding
};

// Those that the kernels were compiled for and that this machine has, the best first.
std::vector<VectorTarget> vector_targets();

// From now on, in all threads, the target of that name; "" goes back to the first choice. Throws
// InputError for a name that vector_targets() does not have.
void use_vector_target(const std::string& name);

// The first choice, at the first call: CLACK_VECTOR_TARGET in the environment, else the best target
// of the machine. To be called before kernels are chosen. Throws InputError.
void choose_vector_target();

}  // namespace clack
