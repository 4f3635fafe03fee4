"""The woodpecker toy: a scene file, results on disk, a limit cycle of impacts and friction.

Shows: clack.run and what it returns, phase portrait and contact status side by side.
Known: the bird walks down the pole with a steady stride; each stride has impacts of the sleeve's
       edges and of the beak.
"""

from pathlib import Path

import numpy as np
from common import check, picture_path

import clack

clack.plot.use()

examples = Path(__file__).resolve().parents[2] / "examples"
run = clack.run(examples / "woodpecker.yaml", out="out/tutorials/woodpecker", every=1, end=1.5)

stride = run.summary["measures"]["time of one stride"]
fall = run["y"][-1] - np.interp(run.t[-1] - stride, run.t, run["y"])
print(f"one stride takes {stride:.4f} s and {-1e3 * fall:.2f} mm")
speed = (run["y"][-1] - np.interp(run.t[-1] - 5 * stride, run.t, run["y"])) / 5
check("height lost in the last stride over the mean of five [-]", fall / speed, 1.0, 5e-3)

fig, ((a, b), (c, d)) = clack.plot.figure(2, 2, figsize=(11, 7))
clack.plot.phase(run, "phi_S", ax=a, after=0.5)
a.set_title("limit cycle of the bird")
b.plot(run.t, 1e3 * run["y"])
b.set(xlabel="time t [s]", ylabel="height of the sleeve [mm]")
b.set_title("the way down")
clack.plot.contact_status(run, ax=c)
c.set_xlim(1.0, 1.0 + 2 * stride)
c.set_title("contacts in two strides", pad=24)
clack.plot.energy(run, ax=d)
d.set_title("where the energy goes")
clack.plot.finish(a, picture_path(__file__))
