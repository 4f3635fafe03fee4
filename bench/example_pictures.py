#!/usr/bin/env python3
"""Pictures of examples of rigid bodies from their results: shapes in a side view, coloured by speed.

    clack run examples/NAME.yaml -o out/NAME
    ./do python bench/example_pictures.py out/NAME docs/pictures/examples/NAME.png [--time T] [--view x0 x1 y0 y1]
    ./do python bench/example_pictures.py out/A out/B ... docs/pictures/examples/NAME.png --layers H --titles A B ...

Outlines are those of clack.plot; fixed and driven bodies are grey. In space the view is along y, the nearest on
top; --cut leaves out what lies before the plane y = 0.
Positions in a periodic cell are moved back into it. --turn inclines the picture, in degrees.
--layers colours bodies by their height at the start, in layers of that thickness. Several folders make panels.
"""
import argparse

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import PatchCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import Circle, Polygon
from matplotlib.transforms import Affine2D

import clack
from clack import plot

LAYERS = ListedColormap(["#8c6d46", "#f0dfae", "#c0492f", "#e9b872"])


class Picture:
    def __init__(self, folder, time, planar, period, layers=None):
        results = clack.load(folder)
        row = len(results.t) - 1 if time is None else int(np.argmin(abs(results.t - time)))
        self.snapshot = plot.Snapshot(results, row)
        self.q, self.free, self.names = self.snapshot.q, self.snapshot.free, results.body_names
        self.speed = np.linalg.norm(results.dataset("v")[row].reshape(-1, 6)[:, :3], axis=1)
        self.axes = [0, 1] if planar else [0, 2]
        self.layer = None
        if layers:
            self.layer = results.dataset("q")[0].reshape(-1, 7)[:, self.axes[1]] // layers
        for k, side in enumerate(period):
            if side > 0:
                self.q[self.free, k] %= side

    def patches(self, body):
        for kind, numbers in self.snapshot.outlines(body, self.axes):
            yield Circle(numbers[:2], numbers[2] / 2) if kind == "circle" else Polygon(numbers)

    def draw(self, axes, transform, hidden, largest):
        order = np.argsort(-self.q[:, 1]) if self.axes == [0, 2] else range(len(self.q))
        still, moving, speeds = [], [], []
        for i in order:
            if i in hidden:
                continue
            for patch in self.patches(i):
                if self.free[i]:
                    moving.append(patch)
                    speeds.append(self.speed[i] if self.layer is None else self.layer[i] % 4)
                else:
                    still.append(patch)
        axes.add_collection(PatchCollection(still, facecolor="0.78", edgecolor="0.55", linewidth=0.3,
                                            transform=transform, zorder=1))
        by_speed = self.layer is None
        colours = PatchCollection(moving, cmap="YlOrRd" if by_speed else LAYERS, edgecolor="black",
                                  linewidth=0.25 if by_speed else 0.1, transform=transform, zorder=2)
        colours.set_array(np.array(speeds))
        colours.set_clim(0, (largest or max(speeds)) if by_speed else 4)
        return axes.add_collection(colours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="folder")
    parser.add_argument("picture")
    parser.add_argument("--time", type=float)
    parser.add_argument("--view", type=float, nargs=4, required=True)
    parser.add_argument("--planar", action="store_true")
    parser.add_argument("--cut", action="store_true")
    parser.add_argument("--hide", nargs="*", default=[], help="bodies by name")
    parser.add_argument("--period", type=float, nargs="*", default=[])
    parser.add_argument("--turn", type=float, default=0)
    parser.add_argument("--largest", type=float, help="speed at the end of the scale [m/s]")
    parser.add_argument("--layers", type=float, help="thickness of layers at the start [m]")
    parser.add_argument("--titles", nargs="*", default=[], help="of the panels")
    options = parser.parse_args()

    x0, x1, y0, y1 = options.view
    panels = len(options.folders)
    width = 4.2 if panels == 1 else 8
    height = width * (y1 - y0) / (x1 - x0) * (0.82 if options.layers is None else 1) + 0.2
    figure, rows = plt.subplots(panels, 1, figsize=(width, height * panels), squeeze=False)
    for k, (folder, axes) in enumerate(zip(options.folders, rows[:, 0])):
        picture = Picture(folder, options.time, options.planar, options.period, options.layers)
        hidden = {i for i, name in enumerate(picture.names) if name in options.hide}
        if options.cut:
            hidden |= {i for i in range(len(picture.q)) if picture.free[i] and picture.q[i, 1] < 0}
        transform = Affine2D().rotate_deg(-options.turn) + axes.transData
        colours = picture.draw(axes, transform, hidden, options.largest)
        axes.set_xlim(x0, x1)
        axes.set_ylim(y0, y1)
        axes.set_aspect("equal")
        axes.axis("off")
        if k < len(options.titles):
            axes.text(x1, y1, options.titles[k], ha="right", va="top")
        if options.layers is None:
            figure.colorbar(colours, ax=axes, label="speed [m/s]", shrink=0.8, pad=0.02)
    figure.subplots_adjust(hspace=0.02)
    figure.savefig(options.picture, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main()
