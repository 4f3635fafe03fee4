"""The collapse of a granular column: many bodies from NumPy arrays, a run on disk, pictures of it.

Shows: Scene.bodies with arrays, Results by name, snapshots coloured by speed.
Known: a column of height H0 and width L0 collapses to a runout that grows with H0/L0; the grains come
       to rest by friction, and the ledger accounts for all of the energy.
"""

import numpy as np
from common import picture_path

import clack

clack.plot.use()

rng = np.random.default_rng(7)
radius, columns, rows = 0.01, 16, 34
x, y = np.meshgrid(np.arange(columns), np.arange(rows))
positions = np.column_stack([(x + 0.5 * (y % 2) + 0.5).ravel(), (y * 0.88 + 0.5).ravel()]) * 2.06 * radius
radii = rng.uniform(0.9, 1.0, len(positions)) * radius

scene = clack.Scene("Collapse of a column", space="2d", gravity=[0, -9.81])
scene.material("sand", density=2600, mu=0.5)
scene.body("floor", clack.line(), fixed=True)
scene.body("wall", clack.line(normal=[1, 0]), fixed=True)
scene.bodies("grain", positions, radii=radii)
scene.simulation(step=1e-3, end=1.2).solver(tolerance=1e-3).output(every=20)

run = clack.run(scene, out="out/tutorials/column")
grains = slice(2, None)
q = run.q.reshape(len(run), -1, 7)[:, grains]
v = run.v.reshape(len(run), -1, 6)[:, grains]
width, height = positions[:, 0].max() + radius, positions[:, 1].max() + radius
runout = np.quantile(q[-1, :, 0], 0.9)  # some discs roll on and on
lost = run.energy["work_friction"][-1] + run.energy["work_impact"][-1]
print(f"{len(positions)} grains, H0/L0 = {height / width:.2f}: runout (L - L0)/L0 = "
      f"{runout / width - 1:.2f}")
print(f"energy: {run.energy['potential'][0] - run.energy['potential'][-1]:.1f} J of height, "
      f"{-lost:.1f} J lost in friction and impacts")
assert 0.8 < runout / width - 1 < 4, "the runout is not that of a column"
assert q[-1, :, 1].min() > 0.5 * radius, "grains have gone through the floor"
assert run.summary["energy_error"] < 1e-9, "the ledger does not close"
assert np.median(np.linalg.norm(v[-1, :, :2], axis=1)) < 0.1, "the heap should be nearly at rest"

title = f"Collapse of {len(positions)} grains"
fig, axes = clack.plot.figure(3, 1, figsize=(8, 8.4), sharex=True)
for ax, k in zip(axes, (0, len(run) // 4, -1)):
    speed = np.linalg.norm(run.v[k].reshape(-1, 6)[:, :2], axis=1)
    clack.plot.draw_bodies(run, k, ax=ax, values=speed, label="speed [m/s]", limits=(0, 2))
    ax.set(xlim=(-0.03, 1.6), ylim=(-0.02, 0.66))
    ax.set_title(f"t = {run.t[k]:.2f} s")
for ax in axes[:-1]:
    ax.set_xlabel("")
fig.suptitle(title, fontsize=12, fontweight="bold")
clack.plot.finish(axes, picture_path(__file__))
