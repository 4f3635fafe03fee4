"""Orders of convergence: how the error falls with the step, with impacts and without.

Shows: many runs in a loop, errors in a norm for motions with jumps, a picture with fitted orders.
Known: between impacts theta = 1/2 is of order 2; over an impact whose time is not resolved no scheme
       of this kind is better than order 1; event-driven finds the impacts.
"""

import numpy as np
from common import picture_path

import clack

clack.plot.use()

m, k, e = 2.0, 8.0, 0.8
w = np.sqrt(k / m)


def scene(contacts):
    system = clack.linear(M=[[m]], K=[[k]], coordinates=["x"], contacts=contacts)
    return clack.Scene("Oscillator", system).initial(q=[1]).simulation(step=1e-2, end=3)


def motion(model, step, **options):
    sim = clack.Simulation(model, step=step, **options)
    rows = []
    sim.run(callback=lambda s: rows.append((s.t, s.q[0])))
    return np.array(rows).T


def free(t):
    return np.cos(w * t)


def impacting(t):
    n = np.floor(w * t / np.pi + 0.5)
    return e**n * np.cos(w * t - n * np.pi)


wall = [{"name": "wall", "G": [1], "e_n": e}]
steps = 0.02 / 2.0 ** np.arange(6)
studies = {
    "without contact, theta = 1/2": (None, free, {}),
    "without contact, theta = 1": (None, free, {"theta": 1}),
    "with impacts, moreau-jean": (wall, impacting, {}),
    "with impacts, event-driven": (wall, impacting, {"scheme": "event-driven"}),
}
errors = {}
for name, (contacts, exact, options) in studies.items():
    model = scene(contacts)
    errors[name] = []
    for h in steps:
        t, x = motion(model, h, **options)
        errors[name].append(h * np.abs(x - exact(t)).sum())
    order = np.polyfit(np.log(steps), np.log(errors[name]), 1)[0]
    print(f"{name}: order {order:.2f}, smallest error {errors[name][-1]:.1e} m s")

orders = {name: np.polyfit(np.log(steps), np.log(x), 1)[0] for name, x in errors.items()}
assert 1.9 < orders["without contact, theta = 1/2"] < 2.1
assert 0.9 < orders["without contact, theta = 1"] < 1.1
assert 0.7 < orders["with impacts, moreau-jean"] < 1.5
assert max(errors["with impacts, event-driven"]) < 1e-9

shown = {name: x for name, x in errors.items() if "event" not in name}
fig, ax = clack.plot.figure()
clack.plot.convergence(steps, shown, ax=ax, ylabel="error of x over 3 s, L1 norm [m s]",
                       title="Orders of convergence")
ax.axhline(max(errors["with impacts, event-driven"]), color=clack.plot.PURPLE, linestyle=":",
           label="with impacts, event-driven: its flow tolerance")
ax.legend()
clack.plot.finish(ax, picture_path(__file__))
