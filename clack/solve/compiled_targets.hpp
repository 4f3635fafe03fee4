// The instruction sets that kernels are compiled for. To be included before Highway.
//
// Vectors of 128 bits win little over plain code: two sets of instructions and the plain one.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
