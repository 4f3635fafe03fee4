#!/usr/bin/env python3
"""Pictures of the examples of blocks, tops, masonry and rock, from their results.

    ./do python bench/block_pictures.py [--program build/clack] [--out docs/pictures/examples] [NAME...]
"""
import argparse
import subprocess
import tempfile
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

from clack.plot import rotation

ROOT = Path(__file__).resolve().parent.parent
CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
CUBE_FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
STONE, WOOD, STEEL = "#c9b79c", "#d9a860", "#8fa3b5"


def lathe(profile, sides=32):
    """Faces of a body of revolution about z: a list of (radius, z)."""
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = [np.array([[r * np.cos(a), r * np.sin(a), z] for a in angles]) for r, z in profile]
    faces = [ring[0][::-1], ring[-1]]
    for low, high in zip(ring, ring[1:]):
        for k in range(sides):
            n = (k + 1) % sides
            faces.append(np.array([low[k], low[n], high[n], high[k]]))
    return [f for f in faces if np.ptp(f, axis=0).max() > 1e-9]


class Results:
    """One results.h5: times, states and the faces of each body's shape."""

    def __init__(self, path):
        with h5py.File(path) as f:
            self.t = f["time"][:]
            self.q = f["q"][:].reshape(len(self.t), -1, 7)
            self.v = f["v"][:].reshape(len(self.t), -1, 6)
            self.names = [n.decode() for n in f["bodies/name"][:]]
            self.shape_of = f["bodies/shape_index"][:]
            self.kinds = [k.decode() for k in f["shapes/kind"][:]]
            offset, number = f["shapes/offset"][:], f["shapes/number"][:]
            self.numbers = [number[a:b] for a, b in zip(offset, offset[1:])]
            self.energy = f["energy/kinetic"][:] + f["energy/potential"][:]

    def at(self, t):
        return int(np.argmin(np.abs(self.t - t)))

    def axis(self, body):
        """The body's z axis over time."""
        return np.array([rotation(q)[:, 2] for q in self.q[:, body, 3:]])

    def local_faces(self, shape):
        kind, n = self.kinds[shape], self.numbers[shape]
        if kind == "box":
            return [CUBE[f] * n[:3] for f in CUBE_FACES]
        if kind == "polyhedron":
            count = int(n[1])
            corners, rest, faces = n[2:2 + 3 * count].reshape(-1, 3), n[2 + 3 * count:], []
            while len(rest):
                k = int(rest[0])
                faces.append(corners[rest[1:k + 1].astype(int)])
                rest = rest[k + 1:]
            return faces
        if kind == "polygon":
            corners = n[2:].reshape(-1, 2)
            return [np.column_stack([corners, np.zeros(len(corners))])]
        if kind == "cylinder":
            return lathe([(n[0], -n[1]), (n[0], n[1])])
        if kind == "cone":
            return lathe([(n[0], -n[1] / 4), (1e-6, 0.75 * n[1])])
        if kind == "sphere":
            a = np.linspace(-np.pi / 2, np.pi / 2, 17)
            return lathe([(max(n[0] * np.cos(x), 1e-6), n[0] * np.sin(x)) for x in a])
        return []

    def faces(self, frame, only=None):
        for body, name in enumerate(self.names):
            if only is not None and not only(name):
                continue
            q = self.q[frame, body]
            R = rotation(q[3:])
            for face in self.local_faces(self.shape_of[body]):
                yield name, face @ R.T + q[:3]


def view(azimuth, elevation):
    """Rows: right, up and towards the eye."""
    a, e = np.radians(azimuth), np.radians(elevation)
    eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0])
    return np.array([right, np.cross(eye, right), eye])


FRONT = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1.0]])  # the plane x, y
SIDE = np.array([[1, 0, 0], [0, 0, 1], [0, -1.0, 0]])  # x, z from -y


def draw(ax, results, frame, eye, colour, only=None, edge=0.4):
    """Faces that look at the eye, far ones first, brighter the more they do."""
    drawn = []
    for name, face in results.faces(frame, only):
        middle = face.mean(axis=0)
        normal = np.cross(face[1] - face[0], face[2] - face[0])
        shown = face @ eye.T
        turn = np.dot(normal, eye[2]) / (np.linalg.norm(normal) + 1e-300)
        flat = np.ptp(face @ eye[2]) < 1e-12 and eye is FRONT
        if turn <= 1e-6 and not flat:
            continue
        base = np.array(matplotlib.colors.to_rgb(colour(name) if callable(colour) else colour))
        drawn.append((middle @ eye[2], shown[:, :2], np.clip(base * (0.6 + 0.4 * abs(turn)), 0, 1)))
    drawn.sort(key=lambda item: item[0])
    ax.add_collection(PolyCollection([d[1] for d in drawn], facecolors=[d[2] for d in drawn],
                                     edgecolors="#333333", linewidths=edge))
    ax.set_aspect("equal")
    ax.autoscale_view()


def panels(count, width=3.0, height=2.6):
    figure, axes = plt.subplots(1, count, figsize=(width * count, height), layout="constrained")
    return figure, np.atleast_1d(axes)


def bare(ax, title=""):
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_title(title, fontsize=9)


def curve(ax, x, y, xlabel, ylabel, **style):
    ax.plot(x, y, lw=1, **style)
    ax.set_xlabel(xlabel, fontsize=8)
    ax.set_ylabel(ylabel, fontsize=8)
    ax.tick_params(labelsize=7)


def floor_line(ax, level=0.0):
    ax.axhline(level, color="#555555", lw=0.8, zorder=0)


def frames(results, times, eye, colour, floor=None, size=(3.0, 2.6), limits=None, only=None):
    figure, axes = panels(len(times), *size)
    for ax, t in zip(axes, times):
        frame = results.at(t)
        draw(ax, results, frame, eye, colour, only)
        if floor is not None:
            floor_line(ax, floor)
        if limits:
            ax.set(xlim=limits[0], ylim=limits[1])
        bare(ax, f"t = {results.t[frame]:.2f} s")
    return figure


def box_on_slope(r):
    figure, (a, b) = panels(2)
    eye = view(-60, 15)
    for body, colour in ((1, "#b5523b"), (2, "#3b6ab5")):
        for frame in np.linspace(0, len(r.t) - 1, 5).astype(int):
            draw(a, r, frame, eye, colour, lambda name, keep=r.names[body]: name == keep)
    bare(a, "slider (red) and holder, every 0.5 s")
    speed = np.linalg.norm(r.v[:, 1, :3], axis=1)
    curve(b, r.t, speed, "t [s]", "speed [m/s]", color="#b5523b", label="slider")
    curve(b, r.t, 9.81 * (np.sin(np.pi / 6) - 0.3 * np.cos(np.pi / 6)) * r.t, "t [s]",
          "speed [m/s]", color="k", ls=":", label=r"$g(\sin\alpha - \mu\cos\alpha)\,t$")
    curve(b, r.t, np.linalg.norm(r.v[:, 2, :3], axis=1), "t [s]", "speed [m/s]", color="#3b6ab5",
          label="holder")
    b.legend(fontsize=7)
    return figure


def rolling_sphere(r):
    figure, (a, b) = panels(2)
    slope = 0.5
    for ax, body, name in ((a, 1, "roller"), (b, 2, "slipper")):
        curve(ax, r.t, r.v[:, body, 0], "t [s]", "[m/s]", color="#b5523b", label="speed")
        spin = np.array([(rotation(q[3:]) @ v[3:])[1] for q, v in zip(r.q[:, body], r.v[:, body])])
        curve(ax, r.t, 0.1 * spin, "t [s]", "[m/s]", color="#3b6ab5", ls="--", label="spin times R")
        rolls, slips = 5 / 7 * np.sin(slope), np.sin(slope) - 0.1 * np.cos(slope)
        rate = 9.81 * (rolls if body == 1 else slips)
        curve(ax, r.t, rate * r.t, "t [s]", "[m/s]", color="k", ls=":", label="closed form")
        ax.set_title(name, fontsize=9)
        ax.legend(fontsize=7)
    return figure


def dzhanibekov(r):
    figure, (a, b) = panels(2, 3.6)
    omega = r.v[:, 0, 3:]
    for k, name in enumerate("123"):
        curve(a, r.t, omega[:, k], "t [s]", "angular velocity, own axes [rad/s]", label=name)
    a.legend(fontsize=7, title="axis", title_fontsize=7)
    energy = 0.5 * (omega**2 @ np.array([1, 2, 2.5]))
    curve(b, r.t, np.abs(energy / energy[0] - 1) + 1e-17, "t [s]", "relative change of the energy")
    b.set_yscale("log")
    return figure


def spinning_top(r):
    figure, (*tops, b) = panels(4, 2.2)
    for ax, t in zip(tops, (0, 0.75, 1.5)):
        draw(ax, r, r.at(t), view(-60, 10), WOOD)
        floor_line(ax)
        ax.set(xlim=(-0.045, 0.045), ylim=(-0.005, 0.06))
        bare(ax, f"t = {t} s")
    curve(b, r.q[:, 1, 0] * 1e3, r.q[:, 1, 1] * 1e3, "x [mm]", "y [mm]")
    b.set_aspect("equal")
    b.set_title("way of the centre of mass", fontsize=9)
    return figure


def tippe_top(r):
    figure, (a, b) = panels(2, 3.4)
    inclination = np.degrees(np.arccos(np.clip(r.axis(1)[:, 2], -1, 1)))
    curve(a, r.t, inclination, "t [s]", "inclination of the axis [deg]")
    curve(b, r.t, r.q[:, 1, 2] * 1e3, "t [s]", "height of the centre of mass [mm]")
    for level in (16, 24):
        b.axhline(level, color="#999999", lw=0.6, ls=":")
    return figure


def euler_disc(r):
    figure, (a, b, c) = panels(3)
    draw(a, r, 0, view(-60, 20), STEEL)
    bare(a, "start")
    axis = r.axis(1)
    inclination = np.arctan2(np.hypot(axis[:, 0], axis[:, 1]), axis[:, 2])
    keep = inclination > 0.008
    curve(b, r.t[keep], np.degrees(inclination[keep]), "t [s]", "inclination [deg]")
    omega = np.array([rotation(q[3:]) @ v[3:] for q, v in zip(r.q[:, 1], r.v[:, 1])])
    rate = np.cross(omega, axis)
    P = (axis[:, 0] * rate[:, 1] - axis[:, 1] * rate[:, 0]) / np.maximum(1 - axis[:, 2]**2, 1e-12)
    c.loglog(inclination[keep], np.abs(P[keep]), ".", ms=2)
    x = np.geomspace(0.008, 0.5, 50)
    c.loglog(x, np.sqrt(4 * 9.81 / (0.04 * np.sin(x))), "k:", lw=1,
             label=r"$\sqrt{4g/(r\sin\alpha)}$")
    c.set_xlabel("inclination [rad]", fontsize=8)
    c.set_ylabel("rate of precession [rad/s]", fontsize=8)
    c.tick_params(labelsize=7)
    c.legend(fontsize=7)
    return figure


def domino_run(r):
    figure, axes = plt.subplots(3, 1, figsize=(8, 2.4), layout="constrained")
    for ax, t in zip(axes, (0.1, 0.6, 2)):
        draw(ax, r, r.at(t), SIDE, lambda name: "#d86f4f" if name == "first" else "#e8e0d0")
        floor_line(ax)
        ax.set(xlim=(-0.06, 1.02), ylim=(-0.003, 0.055))
        bare(ax)
        ax.set_ylabel(f"t = {t} s", fontsize=8)
    return figure


def kapla_tower(r):
    figure, (a, b) = panels(2, 2.8, 3.0)
    draw(a, r, len(r.t) - 1, view(-55, 15), WOOD)
    bare(a, f"t = {r.t[-1]:.0f} s")
    way = np.linalg.norm(r.q[:, 1:, :3] - r.q[0, 1:, :3], axis=2).max(axis=1)
    curve(b, r.t[1:], way[1:] * 1e9, "t [s]", "largest way of any plank [nm]")
    return figure


def kapla_collapse(r):
    colour = lambda name: "#777777" if name == "ball" else WOOD
    return frames(r, (0, 0.06, 0.2, 1.5), view(-60, 15), colour, size=(2.4, 2.4),
                  limits=((-0.2, 0.3), (-0.12, 0.24)))


def masonry_arch(r, fallen):
    figure, axes = panels(4, 2.6, 1.7)
    shown = [(r, 2.0, "t/R = 0.112"), *((fallen, t, "t/R = 0.103") for t in (0.3, 0.5, 0.7))]
    for ax, (results, t, name) in zip(axes, shown):
        draw(ax, results, results.at(t), FRONT, STONE)
        ax.set(xlim=(-1.4, 1.4), ylim=(-0.15, 1.15))
        bare(ax, f"{name}, t = {t} s")
    return figure


def barrel_vault(r):
    figure, axes = panels(1, 7, 3)
    draw(axes[0], r, len(r.t) - 1, view(-75, 18), STONE, edge=0.25)
    bare(axes[0])
    return figure


def rock_slope(r):
    figure = frames(r, (0, 2), FRONT, STONE, size=(3.8, 1.9), limits=((-26, 4), (-1.5, 12.5)))
    for ax in figure.axes:
        ax.axline((0, 0), slope=-np.tan(np.pi / 6), color="#555555", lw=1, zorder=0)
    return figure


def rock_wedge(r):
    figure, (a, b) = panels(2)
    draw(a, r, 0, view(-60, 25), STONE)
    draw(a, r, len(r.t) - 1, view(-60, 25), "#b5523b")
    bare(a, "at the start and after 1 s")
    curve(b, r.t, r.v[:, 2, 0], "t [s]", "speed [m/s]")
    a0 = 9.81 * (0.5 - 0.35 * np.cos(np.pi / 6) / np.sin(np.pi / 4))
    curve(b, r.t, 0.1 + a0 * r.t, "t [s]", "speed [m/s]", color="k", ls=":")
    return figure


def rockfall(r):
    figure, (a, b) = plt.subplots(2, 1, figsize=(7, 4.4), layout="constrained",
                                  height_ratios=(2, 1.2))
    n = r.numbers[r.shape_of[0]]
    nx, ny = int(n[0]), int(n[1])
    ground = n[5:].reshape(ny, nx)
    for j in range(8, 34, 4):
        a.plot(np.arange(nx) * n[2], ground[j], color="#b9b2a5", lw=0.5)
    for body in range(1, len(r.names)):
        a.plot(r.q[:, body, 0], r.q[:, body, 2], lw=0.8, label=r.names[body])
    a.set_aspect("equal")
    a.set(xlim=(0, 120), ylim=(-3, 46))
    a.set_xlabel("x [m]", fontsize=8)
    a.set_ylabel("z [m]", fontsize=8)
    a.tick_params(labelsize=7)
    a.legend(fontsize=7)
    curve(b, r.t, r.energy / 1e6, "t [s]", "kinetic and potential\nenergy [MJ]")
    return figure


DRAWINGS = [box_on_slope, rolling_sphere, dzhanibekov, spinning_top, tippe_top, euler_disc,
            domino_run, kapla_tower, kapla_collapse, masonry_arch, barrel_vault, rock_slope,
            rock_wedge, rockfall]
VARIANTS = {"masonry_arch": ["parameters.ratio=0.103"]}


def run(program, name, settings, folder):
    arguments = [program, "run", ROOT / f"examples/{name}.yaml", "-o", folder]
    for setting in settings:
        arguments += ["--set", setting]
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    return Results(Path(folder) / "results.h5")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/clack")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/pictures/examples")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for drawing in DRAWINGS:
        name = drawing.__name__
        if options.names and name not in options.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            results = [run(options.program, name, [], folder + "/0")]
            if name in VARIANTS:
                results.append(run(options.program, name, VARIANTS[name], folder + "/1"))
        figure = drawing(*results)
        figure.savefig(options.out / f"{name}.png", dpi=110)
        plt.close(figure)


if __name__ == "__main__":
    main()
