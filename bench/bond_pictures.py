#!/usr/bin/env python3
"""Pictures of the examples of bonded bodies: the force that peels a strip, the band of a column.

    clack run examples/bonded_strip.yaml -o out/bonded_strip
    clack run examples/bonded_column.yaml -o out/bonded_column
    clack run examples/bonded_column.yaml -o out/loose_column --set 'system.pairs=[]' --set parameters.away=0 \\
        --set simulation.step=1.0e-3 --set simulation.end=1 --set solver.tolerance=1.0e-3
    ./do python bench/bond_pictures.py out docs/pictures/examples
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


def local_shear(start, end, reach):
    """Half the difference of the principal strains about each point, by least squares over neighbours."""
    shear = np.zeros(len(start))
    for i, x in enumerate(start):
        near = np.linalg.norm(start - x, axis=1) <= reach
        arms = start[near] - x
        gradient = np.linalg.lstsq(arms, end[near] - end[i] - arms, rcond=None)[0].T
        shear[i] = np.hypot(gradient[0, 0] - gradient[1, 1], gradient[0, 1] + gradient[1, 0]) / 2
    return shear


def grains(axes, results, row, values, **look):
    """Polygons of the grains at that row, one value each."""
    faces = [face for _, face in results.faces(row, lambda name: name.startswith("grain"))]
    shown = PolyCollection([face[:, :2] for face in faces], array=values, edgecolors="#555555", linewidths=0.3, **look)
    axes.add_collection(shown)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set(xlabel="x [m]", ylabel="y [m]")
    return shown


def column(folder, loose, picture):
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", width_ratios=[1.1, 1.2, 2])
    results = Results(folder / "results.h5")
    with h5py.File(folder / "results.h5") as f:
        stress, strain = f["measures/stress under the press"][:], f["measures/strain"][:]
    first, last = results.names.index("grain_1"), len(results.t) - 1
    ways = results.q[:, first:, :2]
    shear = local_shear(ways[0], ways[last], 1.6 * np.sqrt(0.2 * 0.4 / ways.shape[1]))
    shown = grains(axes[0], results, last, shear, cmap="YlOrRd")
    figure.colorbar(shown, ax=axes[0], label="local shear strain")
    axes[0].set_title(f"pressed by {100 * strain[last]:.1f} %")
    axes[1].plot(100 * strain, stress / 1e3, lw=1)
    axes[1].set(xlabel="strain [%]", ylabel="stress under the press [kPa]", ylim=(0, None), xlim=(0, None))
    results = Results(loose / "results.h5")
    last = len(results.t) - 1
    heights = results.q[0, results.names.index("grain_1"):, 1]
    shown = grains(axes[2], results, last, heights, cmap="viridis")
    figure.colorbar(shown, ax=axes[2], label="height at the start [m]", shrink=0.35)
    axes[2].set_title(f"without bonds and press, after {results.t[last]:.1f} s")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    runs, pictures = Path(sys.argv[1]), Path(sys.argv[2])
    strip(runs / "bonded_strip", pictures / "bonded_strip.png")
    column(runs / "bonded_column", runs / "loose_column", pictures / "bonded_column.png")
