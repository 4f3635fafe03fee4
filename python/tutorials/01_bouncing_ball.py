"""A bouncing ball: a scene in a few lines, a simulation step by step, the state as arrays.

Shows: how a system is written down, how it is stepped, and that infinitely many impacts in a finite
       time are no obstacle: the scheme steps over them.
Known: rebound k reaches e^(2k) of the height it fell from; rest after t1 (1 + e)/(1 - e).
"""

import math

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

g, e, height = 9.81, 0.8, 1.0

# M dv = f dt + H dr; the gap to the floor is G q.
scene = clack.Scene("A ball that comes to rest", clack.linear(
    M=[[1]], f=[-g], coordinates=["y"], contacts=[{"name": "floor", "G": [1], "e_n": e}]))
scene.initial(q=[height]).simulation(step=1e-3, end=5)

sim = clack.Simulation(scene)
t, y, loaded = [sim.t], [sim.q[0]], []
while sim.t < sim.end - 1e-9:
    sim.step()
    t.append(sim.t)
    y.append(sim.q[0])
    if sim.touching():
        loaded.append(sim.t)
t, y = np.array(t), np.array(y)

t1 = math.sqrt(2 * height / g)
rest = t1 * (1 + e) / (1 - e)
impacts = t1 * (1 + 2 * e * (1 - e**np.arange(12)) / (1 - e))  # the first twelve
for k in range(1, 4):
    between = (t > impacts[k - 1]) & (t < impacts[k])
    check(f"height of rebound {k} [m]", y[between].max(), e**(2 * k) * height, 5e-3)
check("time of rest [s]", min(x for x, z in zip(t, y) if x > t1 and abs(y[t >= x]).max() < 1e-3), rest,
      0.3)

fig, ax = clack.plot.figure()
ax.plot(t, y, label="simulation, h = 1 ms")
ax.plot((impacts[:-1] + impacts[1:]) / 2, height * e**(2 * np.arange(1, 12)), "o", markersize=5,
        color=clack.plot.RED, label="heights of the exact motion")
ax.axvline(rest, color=clack.plot.GREY, linestyle=":", label="rest after infinitely many impacts")
ax.set(xlabel="time t [s]", ylabel="height y [m]", ylim=(-0.03, 1.08))
ax.legend()
ax.set_title(scene.tree["title"])
clack.plot.finish(ax, picture_path(__file__))
