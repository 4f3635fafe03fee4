"""Orbits, stability and bifurcations of a driven oscillator with a stop.

Shows: a periodic orbit with its multipliers, its branch, a sweep beside it, Lyapunov exponents.
Known: one impact per period at 1.6279077957 m/s for W = 1.6, with the multipliers
       0.15768567 +- 0.63818779i; their product is e^2 exp(-2 z T). Two impacts in two periods
       from the period doubling of the branch on. An exponent is ln|mu|/T.
"""

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

z, e = 0.05, 0.8


def oscillator(W=1.6):
    system = clack.linear(M=[[1]], C=[[2 * z]], K=[[1]], f=["cos(W*t)"], coordinates=["x"],
                          contacts=[{"name": "stop", "G": [-1], "e_n": e}])
    scene = clack.Scene("Oscillator with a stop", system, parameters={"W": W})
    return scene.initial(q=[-0.5]).simulation(step=0.25, end=100, scheme="event-driven")


# An orbit and its stability.
T = 2 * np.pi / 1.6
orbit = clack.orbit(oscillator(), T, settle=30 * T)
check("speed of the impact [m/s]", orbit.slowest_impact, 1.6279077957, 1e-9)
check("real part of the multipliers", orbit.multipliers[0].real, 0.15768567, 1e-7)
check("imaginary part", abs(orbit.multipliers[0].imag), 0.63818779, 1e-7)
check("their product", np.prod(orbit.multipliers).real, e**2 * np.exp(-2 * z * T), 1e-9)

# Its neighbours, through the first period doubling.
curve = clack.branch(oscillator(2.4), "parameters.W", 2.4, 2.7, "2*pi/W", settle=200)
doubling = curve.parameter[curve.at("period-doubling")[0]]
print(f"period doubling at W = {doubling:.6f} rad/s")

# What simulations settle on, across it.
W = np.linspace(2.4, 2.74, 18)
found = clack.sweep(oscillator(), {"parameters.W": W}, section="period", period="2*pi/W",
                    skip_periods=200, keep=16, jobs=2)
assert found.good
assert np.array_equal(found.periods[W < 2.7], np.where(W[W < 2.7] < doubling, 1, 2))

# How fast neighbours meet, and part in chaos.
calm = clack.lyapunov(oscillator(), 100 * T, interval=T, settle=30 * T)
check("mean of both exponents [1/s]", calm.exponents.mean(), np.log(abs(orbit.multipliers[0])) / T,
      1e-7)
wild = clack.lyapunov(oscillator(2.8), 300, interval=2.2, settle=100)
print(f"largest exponent at W = 2.8: {wild.exponents[0]:.3f} +- {wild.error:.3f} 1/s")
assert wild.exponents[0] > 3 * wild.error

# Small motions: two modes of sliding on a belt merge, and grow, at a known friction.
belt = clack.linear(M=np.diag([1, 1, 0.1]).tolist(), coordinates=["x", "y", "n"], f=[0, 0, -1],
                    K=[[2, -0.5, 0], [-0.5, 2.4, -1], [0, -1, 1]],
                    contacts=[{"name": "belt", "G": [0, 0, 1], "T": [[1, 0, 0]], "drive": [-100],
                               "mu": "mu"}])
squeal = clack.Scene("Mode coupling", belt, parameters={"mu": 0.2}).simulation(step=0.1, end=10)
modes = clack.equilibria(squeal, "parameters.mu", 0.1, 1)
check("friction at which it squeals", modes.parameter[modes.at("flutter")[0]], 0.58, 1e-9)

fig, (left, right) = clack.plot.figure(1, 2, figsize=(10, 4.2))
for w, section in zip(W, found.sections):
    left.plot(np.full(len(section["t"]), w), section["q"][:, 0], ".", color=clack.plot.BLUE, ms=3)
left.axvline(doubling, color=clack.plot.RED, linestyle="--", label="period doubling of the branch")
left.set(xlabel="W [rad/s]", ylabel="x at the times n T [m]")
left.legend()
left.set_title("Sweep and branch")
right.plot(modes.parameter, modes.growth, color=clack.plot.RED, label="growth [1/s]")
right.axvline(0.58, color=clack.plot.GREY, linestyle=":", label="closed form")
right.set(xlabel="friction mu", ylabel="largest real part [1/s]")
right.legend()
right.set_title("Mode coupling")
clack.plot.finish(left, picture_path(__file__))
