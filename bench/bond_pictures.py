#!/usr/bin/env python3
"""Pictures of the examples of bonded bodies: the force that peels a strip, the band in a column.

    clack run examples/bonded_strip.yaml -o out/bonded_strip
    clack run examples/bonded_column.yaml -o out/bonded_column
    clack run examples/bonded_column.yaml -o out/loose_column --set parameters.c_n=1.0e-3 --set parameters.F=0 \\
        --set simulation.end=0.5 --set solver.tolerance=1.0e-3
    bench/bond_pictures.py out docs/pictures/examples

Needs h5py and matplotlib.
"""
import sys
from pathlib import Path

import h5py
import matplotlib.pyplot as plt
import numpy as np
from block_pictures import FRONT, Results, draw
from matplotlib.collections import PolyCollection


def strip(folder, picture):
    results = Results(folder / "results.h5")
    with h5py.File(folder / "results.h5") as f:
        opening, force = f["measures/opening"][:], f["measures/force"][:]
    G, EI = 4, 50
    figure, (arms, axes) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    draw(arms, results, len(results.t) - 1, FRONT, lambda name: "#8fa3b5" if name[0] in "fu" else "#d9a860",
         only=lambda name: not name.startswith("pull"))
    arms.set(xlabel="x [m]", ylabel="y [m]", title="at the end")
    axes.plot(1e3 * opening, force, lw=1, label="blocks")
    shown = np.linspace(0.0022, opening[-1], 200)
    axes.plot(1e3 * shown, np.sqrt(2 / (3 * shown)) * G**0.75 * EI**0.25, "k--", lw=1, label="closed form")
    axes.set(xlabel="opening of the ends [mm]", ylabel="force [N/m]", ylim=(0, 1.4 * force.max()))
    axes.legend(frameon=False)
    figure.savefig(picture, dpi=110)


def broken(path, row):
    """Places, at the start, of bonds that hold no more at the row."""
    with h5py.File(path) as f:
        offset, point = f["contacts/offset"][:], f["contacts/point"][:]
        keys = np.column_stack([f["contacts/body_a"][:], f["contacts/body_b"][:], f["contacts/feature"][:]])
        intact = f["contacts/law/intact"][:] == 1

        def holding(k):
            return {tuple(keys[i]): point[i] for i in range(offset[k], offset[k + 1]) if intact[i]}

        first, last = holding(1), holding(row)
    return np.array([first[k] for k in first if k not in last])


def grains(axes, results, row):
    move = results.q[row, :, 0] - results.q[0, :, 0]
    faces = [(results.names.index(name), face) for name, face in
             results.faces(row, lambda name: name.startswith("grain"))]
    shown = PolyCollection([face[:, :2] for _, face in faces], array=np.array([1e3 * move[i] for i, _ in faces]),
                           cmap="coolwarm", edgecolors="#555555", linewidths=0.3)
    bound = max(abs(1e3 * move[i]) for i, _ in faces)
    shown.set_clim(-bound, bound)
    axes.add_collection(shown)
    axes.set_aspect("equal")
    axes.autoscale_view()
    return shown


def column(folder, loose, picture):
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", width_ratios=[1, 1, 2])
    results = Results(folder / "results.h5")
    last = len(results.t) - 1
    figure.colorbar(grains(axes[0], results, last), ax=axes[0], label="horizontal way [mm]")
    axes[0].set_title("150 kPa")
    places = broken(folder / "results.h5", last)
    axes[1].plot(places[:, 0], places[:, 1], "k.", ms=3)
    axes[1].set(xlim=axes[0].get_xlim(), ylim=axes[0].get_ylim(), aspect="equal", title=f"{len(places)} broken bonds")
    results = Results(loose / "results.h5")
    last = len(results.t) - 1
    figure.colorbar(grains(axes[2], results, last), ax=axes[2], label="horizontal way [mm]")
    axes[2].set_title(f"without cohesion, {results.t[last]:.1f} s")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    runs, pictures = Path(sys.argv[1]), Path(sys.argv[2])
    strip(runs / "bonded_strip", pictures / "bonded_strip.png")
    column(runs / "bonded_column", runs / "loose_column", pictures / "bonded_column.png")
