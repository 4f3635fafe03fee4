"""A law of your own: a track that is polished as a block slides over it.

Shows: what a law states (prepare) and what it remembers (update), and how its memory is read.
Known: mu(s) = mu_1 + (mu_0 - mu_1) exp(-s/L) of the way s; the block stops where
       v0^2/2 = g (mu_1 s + (mu_0 - mu_1) L (1 - exp(-s/L))), at 1.511843 m.
"""

import math

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

g, fresh, worn, length, speed = 9.81, 0.6, 0.2, 0.4, 3.0


class PolishedTrack(clack.Law):
    variables = [("slip_way", "m", 0.0)]

    def prepare(self, contact, statement):
        statement.add_tangential_disc(coefficient(contact.memory[0]))

    def update(self, contact, memory):
        memory[0] += abs(contact.way(1))


def coefficient(way):
    return worn + (fresh - worn) * np.exp(-way / length)


def block(friction):
    scene = clack.Scene("A block polishes its track", clack.linear(
        M=np.eye(2), f=[0, -g], coordinates=["x", "y"],
        contacts=[{"name": "track", "G": [0, 1], "T": [[1, 0]], "friction": friction}]))
    return scene.initial(v=[speed, 0]).simulation(step=5e-4, end=1.6)


curves = {}
for name, friction in (("polished as it slides", PolishedTrack()),
                       ("fresh all the way", {"law": "coulomb", "mu": fresh}),
                       ("worn all the way", {"law": "coulomb", "mu": worn})):
    sim = clack.Simulation(block(friction))
    rows = []
    sim.run(callback=lambda s: rows.append((s.t, s.q[0], s.v[0])))
    curves[name] = np.array(rows)
    if name.startswith("polished"):
        memory = sim.law_memory["slip_way"][0]

low, high = 0.0, 10.0
for _ in range(60):
    s = 0.5 * (low + high)
    lost = g * (worn * s + (fresh - worn) * length * (1 - math.exp(-s / length)))
    low, high = (s, high) if lost < 0.5 * speed**2 else (low, s)
stop = curves["polished as it slides"][-1, 1]
check("the block stops at [m]", stop, low, 2e-3)
check("the law remembers the way [m]", memory, stop, 1e-3)

fig, (a, b) = clack.plot.figure(1, 2, figsize=(10, 4))
for name, rows in curves.items():
    a.plot(rows[:, 0], rows[:, 1], label=name)
a.axhline(low, color=clack.plot.GREY, linestyle=":", label="stop of the polished track, exact")
a.set(xlabel="time t [s]", ylabel="way x [m]")
a.legend()
a.set_title("A block polishes its track")
way = np.linspace(0, stop, 200)
b.plot(way, coefficient(way))
b.set(xlabel="way x [m]", ylabel="friction coefficient [-]", ylim=(0, 0.65))
b.set_title("the law")
clack.plot.finish(a, picture_path(__file__))
