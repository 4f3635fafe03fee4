// The families of solvers, for the registry. A family is a list of entries beside its sources.
#pragma once

#include <span>

#include "clack/solve/solver.hpp"

namespace clack {

std::span<const SolverEntry> auto_family();
std::span<const SolverEntry> gauss_seidel_family();
std::span<const SolverEntry> first_order_family();
std::span<const SolverEntry> newton_family();
std::span<const SolverEntry> semismooth_newton_family();
std::span<const SolverEntry> convex_family();
std::span<const SolverEntry> lcp_family();

}  // namespace clack
