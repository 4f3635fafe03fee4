// Large and timed cases, which under sanitizers would take minutes and show nothing that smaller
// ones do not: they open with SKIP_UNDER_SANITIZERS().
#pragma once

#include <gtest/gtest.h>

#ifdef __SANITIZE_ADDRESS__
#define SKIP_UNDER_SANITIZERS() GTEST_SKIP() << "large: runs without sanitizers"
#else
#define SKIP_UNDER_SANITIZERS() static_assert(true)
#endif
