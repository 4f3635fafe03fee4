"""Contacts: who touches whom, with which force, and the chains that carry a packing.

Shows: the structured array sim.contacts, sums over contacts with NumPy, force chains.
Known: at rest the floor and the walls carry the weight; few contacts carry far more than the mean.
"""

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

g = 9.81
scene = clack.Scene("Discs in a box", space="2d", gravity=[0, -g])
scene.material("glass", density=2500, mu=0.4)
scene.body("grain", sample=clack.deposit(width=0.3, sizes={"uniform": [0.01, 0.02]}, count=400,
                                         walls=True, seed=3))
scene.simulation(step=5e-4, end=1)
sim = clack.Simulation(scene, tolerance=1e-6, max_iterations=3000)
sim.run(until=0.6)

contacts = sim.contacts
print(f"{len(sim.bodies)} bodies, {len(contacts)} contacts, fields {contacts.dtype.names}")
free = np.array([body.kind == "free" for body in sim.bodies])
weight = g * np.array(sim.bodies.mass)[free].sum()
# r acts on body_b: what the fixed bodies give to the grains
sign = np.where(free[contacts["body_b"]], 1.0, 0.0) - np.where(free[contacts["body_a"]], 1.0, 0.0)
carried = (sign[:, None] * sim.impulses).sum(axis=0) / sim.h
check("upward force of floor and walls over the weight [-]", carried[1] / weight, 1, 2e-2)

forces = contacts["r"][:, 0] / sim.h
loaded = forces > 0
names = [name for k, name in enumerate(sim.bodies.names) if free[k]]
busiest = max(names[:40], key=lambda name: len(sim.touching(name)))
print(f"{busiest} touches {', '.join(sim.touching(busiest))}")
counts = {s.name: int((contacts["status"] == s).sum()) for s in clack.ContactStatus}
print("contacts by status:", counts)

fig, (a, b) = clack.plot.figure(1, 2, figsize=(11, 5), width_ratios=[3, 2])
clack.plot.force_chains(sim, ax=a, widest=7)
bins = np.linspace(0, 6, 25)
b.hist(forces[loaded] / forces[loaded].mean(), bins=bins, density=True, color=clack.plot.SKY,
       edgecolor="white", log=True)
b.axvline(1, color=clack.plot.RED, label="the mean")
b.set(xlabel="normal force over its mean [-]", ylabel="probability density [-]")
b.legend()
b.set_title("weak and strong forces", pad=24)
clack.plot.finish(a, picture_path(__file__))
