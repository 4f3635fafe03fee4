#!/usr/bin/env python3
"""Traction against separation of all cohesive zones, from runs of one scene.

    bench/cohesion_curves.py build/clack docs/pictures/examples/peel_mode_1.png

Runs examples/peel_mode_1.yaml once for each law, with equal strength and fracture energy, a joint as stiff as
the law needs it, and draws the mean traction of every step at the middle of its opening.
Needs h5py, numpy and matplotlib.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SCENE = pathlib.Path(__file__).resolve().parent.parent / "examples" / "peel_mode_1.yaml"
AREA, STRENGTH, ENERGY, STEP = 1e-4, 1e6, 100, 1e-3
MODES = "c_n: c_n, c_t: c_n, s_1: s, s_2: s, G_1: G, G_2: G"
# The adhesion's strength is sqrt(w c_n): its stiffness follows.
LAWS = {
    "bilinear": "{law: bilinear, %s}" % MODES,
    "bilinear, with a knee": "{law: bilinear, %s, knee_traction: 0.3, knee_energy: 0.6}" % MODES,
    "trapezoidal": "{law: trapezoidal, %s, plateau: 0.5}" % MODES,
    "exponential": "{law: exponential, %s}" % MODES,
    "raous-cangemi-cocou": "{law: raous-cangemi-cocou, c_n: s^2/G, c_t: s^2/G, w: G}",
}
COLOURS = ["#0072b2", "#56b4e9", "#009e73", "#d55e00", "#000000"]


def curve(program, cohesion, folder):
    # A stiffer spring and more way than the example's, for the curves that end later.
    pull = "k*if(t < 1, 1.45e-4*t, if(t < 2, 1.45e-4*(2 - t), 7e-4*(t - 2)))"
    sets = ["parameters.k=1e7", "parameters.c=2e3", f"system.f.0={pull}",
            f"system.contacts.0.cohesion={cohesion}"]
    command = [program, "run", str(SCENE), "-o", folder, "--json"]
    for text in sets:
        command += ["--set", text]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with h5py.File(f"{folder}/results.h5") as file:
        rows = np.diff(file["contacts/offset"][()]) == 1
        traction = -file["contacts/r"][:, 0] / (STEP * AREA)
        opening = file["q"][()][:, 0]
        middle = 0.5 * (opening[1:] + opening[:-1])[rows[1:]]
        work = -file["energy/work_bond"][-1] / AREA
    return middle, traction, work


def main():
    program, picture = sys.argv[1:]
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    for (name, cohesion), colour in zip(LAWS.items(), COLOURS):
        with tempfile.TemporaryDirectory() as folder:
            opening, traction, work = curve(program, cohesion, folder)
        axes.plot(1e3 * opening, 1e-6 * traction, color=colour, linewidth=1.4,
                  label=f"{name}: {work:.1f} J/m²")
        print(f"{name}: work {work:.6f} J/m^2 of {ENERGY}, largest traction {traction.max():.4g} Pa")
    axes.set_xlabel("opening [mm]")
    axes.set_ylabel("traction [MPa]")
    axes.set_xlim(-0.01, 0.5)
    axes.set_ylim(-0.05, 1.1)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(picture, dpi=130)


if __name__ == "__main__":
    main()
