// Periodic orbits of linear systems with contact and friction by harmonic balance, and their
// branches. For contacts without mass behind them or with constant closing; a contact that carries
// mass is met with impacts, whose law the series knows in the elastic limit only (error O(1/H)).
#pragma once

#include <optional>

#include "clack/analyse/harmonic/harmonic_equations.hpp"
#include "clack/analyse/orbits/continuation.hpp"

namespace clack {

// Newton's method on (eq:harmonic_balance) from the linear response, or from `guess`. Forced and
// autonomous orbits; of these the guess must have a period.
Orbit harmonic_orbit(const HarmonicProblem& problem, const Orbit* guess = nullptr);

// The linear mode `mode` (0: first) of a conservative system with the energy `energy`, which must
// be below that at which a contact is touched: the orbit from which its family starts. Where the
// energy is left out, half of that.
Orbit harmonic_linear_mode(const HarmonicProblem& problem, int mode,
                           std::optional<double> energy = {});

// From an orbit that one of the above has found.
Branch continue_harmonic(const HarmonicProblem& problem, const Orbit& start,
                         const ContinuationOptions& options);

// q and v of an orbit by harmonic balance at time t.
State harmonic_state(const Orbit& orbit, double t);
// Forces of the contacts by row of H, and gaps, at time t.
Vector harmonic_force(const Orbit& orbit, double t);

}  // namespace clack
