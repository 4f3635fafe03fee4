"""Energy of schemes: the same elastic motion by different schemes and weights.

Shows: keyword arguments replace values of a scene; the energies of the results, and their balance.
Known: with e = 1 nothing is lost. moreau-jean with theta = 1/2 keeps the energy, theta = 1 removes it
       in every step.
"""

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

scene = clack.Scene("Elastic oscillator against a wall", clack.linear(
    M=[[1]], K=[[100]], coordinates=["x"], contacts=[{"name": "wall", "G": [1], "g0": 0.3, "e_n": 1}]))
scene.initial(q=[1]).simulation(step=5e-3, end=10).output(every=2)

runs = {
    "moreau-jean, theta = 1/2": {},
    "moreau-jean, theta = 0.55": {"theta": 0.55},
    "moreau-jean, theta = 1": {"theta": 1},
    "generalized-alpha, rho = 0.8": {"scheme": "generalized-alpha", "rho_inf": 0.8},
    "event-driven": {"scheme": "event-driven"},
}
fig, (upper, lower) = clack.plot.figure(2, 1, sharex=True, figsize=(7.6, 6))
for name, options in runs.items():
    run = clack.run(scene, out="out/tutorials/energy", **options)
    energy = run.energy["kinetic"] + run.energy["potential"]
    upper.plot(run.t, energy / energy[0], label=name)
    lower.semilogy(run.t[1:], np.abs(energy[1:] / energy[0] - 1) + 1e-17)
    if name.endswith("1/2"):
        check("energy kept by theta = 1/2 [-]", energy[-1] / energy[0], 1, 2e-2)
    if name == "event-driven":
        check("energy kept by event-driven [-]", energy[-1] / energy[0], 1, 1e-8)
    if name.endswith("theta = 1"):
        assert energy[-1] < 0.9 * energy[0], "theta = 1 must dissipate"
    closed = run.summary["energy_error"]
    assert closed < 1e-8, f"the balance of {name} must close, {closed}"
upper.set(ylabel="energy over that of the start [-]")
upper.legend(loc="center right")
lower.set(xlabel="time t [s]", ylabel="relative error of the energy [-]", ylim=(1e-17, 3))
upper.set_title(scene.tree["title"])
clack.plot.finish(upper, picture_path(__file__))
