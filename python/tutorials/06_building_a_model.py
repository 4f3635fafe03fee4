"""Building a model: shapes, materials, pairs, samples and a link, in code.

Shows: the builder writes the same scene that a file holds (print(scene)); bodies by name; a wrecking
       ball on a wire against a wall of bricks in the plane.
Known: no body passes through another, and the energy ledger closes.
"""

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

scene = clack.Scene("Wrecking ball", space="2d", gravity=[0, -9.81])
scene.material("brick", density=2000, mu=0.6)
scene.material("steel", density=7800, mu=0.3, e_n=0.2)
scene.pair("brick", "steel", mu=0.4, e_n=0.1)
scene.body("ground", clack.line(), fixed=True, material="brick")
scene.body("wall", material="brick", position=[0, 0], sample=clack.wall(
    brick=[0.3, 0.15, 0.15], bricks=3, courses=7, half_bricks=True, gap=0))
scene.body("crane", clack.disc(0.03), fixed=True, material="steel", position=[-0.55, 2.1],
           group="crane", ignores="crane")
scene.body("ball", clack.disc(0.18), material="steel", position=[-2.0, 1.75], group="crane",
           ignores="crane")
scene.link("crane", "ball", "wire", points=[[-0.55, 2.1], [-2.0, 1.75]])
scene.simulation(step=2e-3, end=1.4).solver(tolerance=1e-3).output(every=25)
print(str(scene)[:400], "...")

run = clack.run(scene, out="out/tutorials/wrecking_ball")
summary = run.summary
print(f"{summary['bodies']} bodies, up to {summary['contacts_max']} contacts")
wire = np.linalg.norm(run.position("ball") - run.position("crane"), axis=1)
check("longest the wire has been [m]", wire.max(), wire[0], 1e-2)
check("energy that no account explains, over the largest [-]", summary["energy_error"], 0, 1e-9)
assert summary["min_gap"] > -5e-3, "bodies overlap"
moved = np.linalg.norm(run.q[-1] - run.q[0])
assert moved > 1, "the wall should have fallen"

fig, axes = clack.plot.figure(1, 3, figsize=(13, 4.2), sharey=True)
for ax, row in zip(axes, (0, 17, -1)):
    clack.plot.draw_bodies(run, row, ax=ax, colour="#E8C9B5", edge="#7A4A33")
    ball, crane = run.position("ball")[row], run.position("crane")[row]
    ax.plot([crane[0], ball[0]], [crane[1], ball[1]], color="#444444", linewidth=1.5)
    ax.add_patch(clack.plot.plt.Circle(ball[:2], 0.18, color="#555555"))
    ax.set(xlim=(-2.3, 2.3), ylim=(-0.1, 2.3))
    ax.set_title(f"t = {run.t[row]:.2f} s")
for ax in axes[1:]:
    ax.set_ylabel("")
fig.suptitle("Wrecking ball on a wire", fontsize=12, fontweight="bold")
clack.plot.finish(axes, picture_path(__file__))
