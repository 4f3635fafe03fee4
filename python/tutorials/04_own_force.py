"""A force of your own: balls that fall through air, and a controller.

Shows: a Python function as the force on rigid bodies, on all at once with arrays; a run that is
       stopped, changed and goes on.
Known: with drag c v^2 a body that starts at rest falls with v = v_inf tanh(g t/v_inf),
       v_inf = sqrt(m g/c).
"""

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

g, density_air, drag = 9.81, 1.2, 0.47
radii = np.array([0.01, 0.02, 0.04])

scene = clack.Scene("Foam balls fall through air", gravity=[0, 0, -g])
scene.material("foam", density=30)
scene.bodies("ball", [[0.3 * k, 0, 60] for k in range(3)], radii=radii)
scene.simulation(step=1e-3, end=4)
c = 0.5 * density_air * drag * np.pi * radii**2  # [kg/m]


def air(t, position, rotation, v, omega):
    """Drag on each ball, (n, 3) [N]."""
    return -c[:, None] * np.linalg.norm(v, axis=1)[:, None] * v


sim = clack.Simulation(scene, force=air)
mass = np.array(sim.bodies.mass)
t, speed = [], []
sim.run(until=3, callback=lambda s: (t.append(s.t), speed.append(-s.bodies.v[:, 2].copy())) and None)
limit = np.sqrt(mass * g / c)
exact = limit * np.tanh(g * np.array(t)[:, None] / limit)
check("largest error of the speed [m/s]", np.abs(np.array(speed) - exact).max(), 0, 1e-2)

sim.bodies["ball_3"].v = [0, 0, 15]  # thrown upwards again
sim.run(until=4, callback=lambda s: (t.append(s.t), speed.append(-s.bodies.v[:, 2].copy())) and None)

fig, ax = clack.plot.figure()
for k in range(3):
    line, = ax.plot(t, np.array(speed)[:, k], label=f"radius {1e3 * radii[k]:.0f} mm")
    ax.plot(np.array(t)[:len(exact):150], exact[::150, k], ".", color="black", markersize=4,
            label="exact" if k == 2 else None)
    ax.axhline(limit[k], color=line.get_color(), linewidth=0.8, linestyle=":")
ax.annotate("thrown upwards", (3, -15), xytext=(2.1, -13), arrowprops={"arrowstyle": "->"}, fontsize=9)
ax.set(xlabel="time t [s]", ylabel="downward speed [m/s]")
ax.legend()
ax.set_title(scene.tree["title"])
clack.plot.finish(ax, picture_path(__file__))
