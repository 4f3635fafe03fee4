#!/usr/bin/python3
"""Draws docs/pictures/woodpecker.png from a run of examples/woodpecker.yaml.

    build/clack run examples/woodpecker.yaml -o out/picture --set output.every=1 --set simulation.end=1.2
    /usr/bin/python3 docs/pictures/make_woodpecker.py out/picture/results.h5 docs/pictures/woodpecker.png
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

source, target = sys.argv[1:3]
with h5py.File(source, "r") as f:
    t = f["time"][:]
    q = f["q"][:][: len(t)]
    offset = f["contacts/offset"][:]
    contact_id = f["contacts/id"][:]
    status = f["contacts/status"][:]
    names = [n.decode() if isinstance(n, bytes) else n for n in f["model/contact_name"][:]]
    energy = {k: f["energy/" + k][:][: len(t)] for k in f["energy"]}

window = (t >= 0.5) & (t <= 1.1)
fig, (a, b, c) = plt.subplots(3, 1, figsize=(8.5, 6.6), sharex=True, height_ratios=(3, 1.3, 2.4))
blue, orange, green, grey = "#0072B2", "#D55E00", "#009E73", "#888888"

a.plot(t[window], q[window, 2], color=blue, label=r"bird $\varphi_S$ [rad]")
a.plot(t[window], q[window, 1], color=orange, label=r"sleeve $\varphi_M$ [rad]")
a.plot(t[window], 10 * (q[window, 0] - q[window, 0][0]), color=grey, ls="--", label=r"height $y$ [dm]")
a.set_ylabel("state")
a.legend(loc="lower left", ncols=3, frameon=False)

row = np.repeat(np.arange(len(t)), np.diff(offset)[: len(t)])
for k in range(len(names)):
    for code, colour in ((2, green), (3, orange)):  # sticking, sliding
        mine = (contact_id[: len(row)] == k) & (status[: len(row)] == code)
        times = t[row[mine]]
        times = times[(times >= 0.5) & (times <= 1.1)]
        b.scatter(times, np.full(len(times), k), s=14, marker="|", color=colour, linewidths=1.2)
b.set_yticks(range(len(names)), names)
b.set_ylim(-0.6, len(names) - 0.4)
b.set_title("contacts: sticking green, sliding orange", fontsize=9, loc="left")

total = energy["kinetic"] + energy["potential"]
base = total[window][0]
c.plot(t[window], 1e3 * (total[window] - base), color="black", label="energy")
for key, colour, name in (("work_impact", blue, "impacts"), ("work_friction", orange, "friction")):
    c.plot(t[window], 1e3 * (energy[key][window] - energy[key][window][0]), color=colour, label=name)
c.set_ylabel("change [mJ]")
c.set_xlabel("time [s]")
c.legend(loc="lower left", ncols=3, frameon=False)
for axis in (a, b, c):
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="x", color="#dddddd")
fig.suptitle("Woodpecker toy: four strides of 0.146 s down the pole", x=0.02, ha="left", fontsize=12)
fig.tight_layout()
fig.savefig(target, dpi=120)
