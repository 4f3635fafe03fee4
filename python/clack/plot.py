"""Pictures with matplotlib: time histories, phase portraits, energies, contacts, force chains,
convergence, performance profiles. Every function draws into `ax` (default: a new figure), returns the
axes, and writes the figure to `save` where it is given."""

import os

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import EllipseCollection, LineCollection, PatchCollection, PolyCollection
from matplotlib.patches import Polygon

# Okabe and Ito (2008): told apart by readers who do not see all colours.
BLUE, ORANGE, GREEN, RED, SKY, PURPLE, YELLOW, BLACK = COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#000000")
GREY = "#8C8C8C"
_CYCLE = mpl.cycler(color=[BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK])
STYLE = {
    "figure.figsize": (7.2, 4.2), "figure.dpi": 100, "savefig.dpi": 160,
    "figure.constrained_layout.use": True, "axes.prop_cycle": _CYCLE, "axes.grid": True,
    "grid.color": "#E6E6E6", "grid.linewidth": 0.8, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#4D4D4D",
    "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.labelsize": 10, "xtick.labelsize": 9, "ytick.labelsize": 9, "legend.fontsize": 9,
    "legend.framealpha": 0.85, "legend.edgecolor": "none", "legend.borderpad": 0.3, "lines.linewidth": 1.4, "font.family": "sans-serif",
}
STATUS_WORDS = {1: "separating", 2: "sticking", 3: "sliding", 4: "bilateral"}
STATUS_COLOURS = {1: "#C8C8C8", 2: BLUE, 3: ORANGE, 4: PURPLE}


def style():
    """The look of these pictures, as a context: `with clack.plot.style(): ...`."""
    return mpl.rc_context(STYLE)


def use():
    """The look of these pictures for all figures of the session."""
    mpl.rcParams.update(STYLE)


def figure(rows=1, columns=1, **options):
    """A figure and its axes in this style; sizes grow with the number of rows."""
    with style():
        width, height = STYLE["figure.figsize"]
        size = options.pop("figsize", (width, height if rows == 1 else 2.6 * rows))
        return plt.subplots(rows, columns, figsize=size, **options)


def _axes(ax):
    return ax if ax is not None else figure()[1]


def finish(ax, save=None):
    """Writes the figure of the axes where a path is given; makes the folder."""
    if save is not None:
        save = os.fspath(save)
        os.makedirs(os.path.dirname(save) or ".", exist_ok=True)
        with style():
            np.ravel(ax)[0].figure.savefig(save)
    return ax


def _title(ax, text, pad=None):
    with style():
        ax.set_title(text, pad=pad)


def _label(name, unit):
    return f"{name} [{unit}]" if unit else name


def _lines(ax, t, columns, labels, limit=12):
    """Curves with a legend where there are few, else a bundle in one colour."""
    with style():
        if len(columns) <= limit:
            for x, label, entry in zip(columns, labels, _cycle(len(columns))):
                ax.plot(t, x, label=label, **entry)
            if len(columns) > 1:
                ax.legend(ncol=1 + (len(columns) > 6))
        else:
            segments = [np.column_stack([t, x]) for x in columns]
            ax.add_collection(LineCollection(segments, colors=BLUE, linewidths=0.6, alpha=0.4))
            ax.autoscale()
    return ax


def _cycle(count):
    colours = _CYCLE.by_key()["color"]
    for i in range(count):
        yield {"color": colours[i % len(colours)], "linestyle": ["-", "--", ":"][i // len(colours) % 3]}


def _unit_of(name):
    """A guess at the unit of a coordinate by its name: angles are mostly Greek letters."""
    stem = name.split(".")[-1].split("_")[0].rstrip("'")
    angle = stem in {"phi", "theta", "psi", "alpha", "beta", "gamma", "angle"}
    rate = name.endswith("'")
    return ("rad" if angle else "m") + ("/s" if rate else "")


def results(run, what, save=None, ax=None, **options):
    """Any of the pictures of a run by its name; see Results.plot."""
    special = {"energy": energy, "contacts": contact_status, "forces": force_chains}
    if len(what) == 1 and what[0] in special:
        axes = special[what[0]](run, ax=ax, **options)
        name = what[0]
    else:
        axes = time_history(run, what, ax=ax, **options)
        name = "_".join(what).replace("'", "_rate").replace("/", "_").replace(" ", "_")
    finish(axes, save if save is not None else os.path.join(run.folder, f"{name}.png"))
    return axes


def _expand(run, what):
    """Groups of names that share axes: coordinates and velocities by their units."""
    names = []
    for name in [what] if isinstance(what, str) else what:
        if name in ("q", "v") and not run.is_world:
            names += run.q_names if name == "q" else run.v_names
        elif name in ("q", "v"):
            parts = "xyz" if name == "q" else ("vx", "vy", "vz")
            names += [f"{body}.{part}" for part in parts for body in run.body_names]
        else:
            names.append(name)
    groups = {}
    for name in names:
        part = name.split(".")[-1] if run.is_world and "." in name else ""
        unit = {"x": "m", "y": "m", "z": "m", "vx": "m/s", "vy": "m/s", "vz": "m/s", "wx": "rad/s",
                "wy": "rad/s", "wz": "rad/s"}.get(part)
        if unit is None:
            known = name in run.q_names or name in run.v_names
            unit = _unit_of(name) if known else ""
        groups.setdefault((part, unit), []).append(name)
    return groups


def time_history(run, what="q", ax=None, save=None):
    """Curves over time, below each other where their units differ."""
    groups = _expand(run, what)
    if ax is None:
        ax = figure(len(groups), 1, sharex=True, squeeze=False)[1][:, 0]
    axes = np.ravel(ax)
    t = run.t
    for place, ((part, unit), names) in enumerate(groups.items()):
        current = axes[min(place, len(axes) - 1)]
        _lines(current, t, [run[name] for name in names], names)
        quantity = part or (names[0] if len(names) == 1 else "")
        current.set_ylabel(_label(quantity, unit) if quantity else f"[{unit}]" if unit else "value")
    axes[-1].set_xlabel("time t [s]")
    _title(axes[0], run.title)
    return finish(ax, save)


def phase(run, name, rate=None, ax=None, save=None, after=0.0):
    """A phase portrait: a coordinate by name and its velocity, from time `after` on [s]."""
    rate = rate if rate is not None else run.v_names[run.q_names.index(name)]
    ax = _axes(ax)
    late = run.t >= after
    with style():
        ax.plot(run[name][late], run[rate][late], color=BLUE, linewidth=0.9)
    ax.set_xlabel(_label(name, _unit_of(name)))
    ax.set_ylabel(_label(rate, _unit_of(rate if rate.endswith("'") else rate + "'")))
    _title(ax, run.title)
    return finish(ax, save)


_LEDGER = [("kinetic", "kinetic energy", BLUE, "-"), ("potential", "potential energy", SKY, "-"),
           ("work_external", "work of loads", GREEN, "--"), ("work_damping", "damping", PURPLE, "--"),
           ("work_contact", "moving contacts", BLACK, "--"), ("work_impact", "impacts", RED, "--"),
           ("work_friction", "friction", ORANGE, "--"), ("work_bond", "bonds", GREY, "--"),
           ("numerical", "added by the scheme", GREY, ":")]


def energy(run, ax=None, save=None):
    """The ledger: energies, and works since the start; accounts without entries are left out."""
    ax = _axes(ax)
    t = run.t
    columns = {name: run.energy[name] for name, *_ in _LEDGER}
    scale = max(np.ptp(columns["kinetic"]), np.ptp(columns["potential"]), 1e-300)
    with style():
        for name, label, colour, dash in _LEDGER:
            if np.abs(columns[name]).max(initial=0) > 1e-9 * scale or name == "kinetic":
                ax.plot(t, columns[name], label=label, color=colour, linestyle=dash)
        works = sum(columns[name] for name, *_ in _LEDGER[2:])
        total = columns["kinetic"] + columns["potential"] - works
        ax.plot(t, total, color=BLACK, linewidth=0.9, label="energy minus all works")
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.set_xlabel("time t [s]")
    ax.set_ylabel("energy, work [J]")
    _title(ax, run.title)
    return finish(ax, save)


def contact_status(run, ax=None, save=None):
    """A bar for each contact over time, coloured by status; for rigid bodies counts by status."""
    ax = _axes(ax)
    t = run.t
    offset = run.dataset("contacts/offset")[:len(t) + 1]
    status = run.dataset("contacts/status")[:offset[-1]]
    row = np.repeat(np.arange(len(t)), np.diff(offset))
    edges = np.append(t, t[-1] + (t[-1] - t[-2] if len(t) > 1 else 1))
    with style():
        if run.is_world:
            for code in (2, 3, 1):
                count = np.bincount(row[status == code], minlength=len(t))
                ax.plot(t, count, color=STATUS_COLOURS[code], label=STATUS_WORDS[code])
            ax.set_ylabel("contacts [-]")
        else:
            ids = run.dataset("contacts/id")[:offset[-1]]
            names = run.contact_names
            for code, colour in STATUS_COLOURS.items():
                bars = []
                for i in range(len(names)):
                    rows = row[(status == code) & (ids == i)]
                    bars += [(a, b, i) for a, b in _spans(rows, edges)]
                polygons = [[(a, i - 0.36), (b, i - 0.36), (b, i + 0.36), (a, i + 0.36)]
                            for a, b, i in bars]
                if polygons:
                    ax.add_collection(PolyCollection(polygons, facecolors=colour, edgecolors=colour,
                                                     linewidths=0.4))
                    ax.plot([], [], color=colour, linewidth=6, label=STATUS_WORDS[code])
            ax.set_yticks(range(len(names)), names)
            ax.set_ylim(len(names) - 0.4, -0.6)
            ax.set_xlim(t[0], edges[-1])
            ax.grid(False, axis="y")
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncol=4, borderaxespad=0.2)
    ax.set_xlabel("time t [s]")
    _title(ax, run.title, pad=24)
    return finish(ax, save)


def _spans(rows, edges):
    """Begin and end of each stretch of neighbouring rows."""
    if len(rows) == 0:
        return
    breaks = np.flatnonzero(np.diff(rows) > 1)
    for a, b in zip(np.append(0, breaks + 1), np.append(breaks, len(rows) - 1)):
        yield edges[rows[a]], edges[rows[b] + 1]


class Snapshot:
    """Bodies and contacts at one time, of a simulation or of a row of results."""

    def __init__(self, source, row):
        if not source.is_world:
            raise TypeError("only rigid bodies can be drawn: this is a system with coordinates")
        if hasattr(source, "dataset"):
            self.contacts = source.contacts(row)
            self.index = source.dataset("bodies/shape_index")[:]
            # coordinates of joints stand behind those of the bodies
            self.q = source.dataset("q")[row][:7 * len(self.index)].reshape(-1, 7)
            self.kinds = [x.decode() if isinstance(x, bytes) else x
                          for x in source.dataset("shapes/kind")[:]]
            self.offset = source.dataset("shapes/offset")[:]
            self.numbers = source.dataset("shapes/number")[:]
            self.free = source.dataset("bodies/kind")[:] == 0
            self.t = source.t[row]
            # r is that of one step, not of the rows in between
            self.h = source.options["step"]
        else:
            table = source._shape_table()
            self.q = np.array(source.q)[:7 * len(source.bodies)].reshape(-1, 7)
            self.contacts = source.contacts
            self.index, self.kinds = table["shape_index"], table["kind"]
            self.offset, self.numbers = table["offset"], np.asarray(table["number"])
            self.free = np.array([body.kind == "free" for body in source.bodies])
            self.t, self.h = source.t, source.h
        self.planar = all(kind in ("disc", "planar-capsule", "polygon", "segment", "line",
                                   "ring", "compound") for kind in self.kinds)

    def shape(self, k):
        """Kind and numbers of a shape."""
        return self.kinds[k], self.numbers[self.offset[k]:self.offset[k + 1]]

    def outlines(self, body, axes):
        """Circles (x, y, diameter) and polygons of a body, seen along the axis that is not of `axes`;
        none of an unbounded one."""
        q = self.q[body]
        return _outlines(self, self.index[body], q[:3], rotation(q[3:]), axes)


def rotation(quaternion):
    """Matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _hull(points):
    """Corners of the convex hull of points of the plane, in order."""
    points = sorted(map(tuple, points))
    if len(points) < 3:
        return np.array(points)

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return np.array(half(points) + half(points[::-1]))


def _corners(kind, numbers):
    """Corners of a shape whose outline is their hull, in its own frame; None for others."""
    if kind == "box":
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return signs * numbers[:3]
    if kind in ("polyhedron", "mesh"):
        return numbers[2:2 + 3 * int(numbers[1])].reshape(-1, 3)
    if kind in ("polygon", "segment"):
        corners = numbers[2:2 + 2 * int(numbers[1])].reshape(-1, 2)
        return np.column_stack([corners, np.zeros(len(corners))])
    if kind == "tube":
        return _corners("cylinder", numbers[1:])
    if kind in ("cylinder", "cone"):
        angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(24)]) * numbers[0]
        if kind == "cylinder":
            return np.vstack([ring + [0, 0, z] for z in (-numbers[1], numbers[1])])
        return np.vstack([ring - [0, 0, numbers[1] / 4], [[0, 0, 0.75 * numbers[1]]]])
    return None


def _outlines(snapshot, shape, position, R, axes):
    """Circles (x, y, diameter) and polygons of a shape, seen along the third axis."""
    kind, numbers = snapshot.shape(shape)
    if kind in ("disc", "sphere"):
        yield "circle", (*position[axes], 2 * numbers[0])
    elif kind in ("ring", "socket"):  # the hole is drawn on the body
        for radius in numbers[1::-1]:
            yield "circle", (*position[axes], 2 * radius)
    elif kind in ("capsule", "planar-capsule"):
        along = R @ ([numbers[1], 0, 0] if kind == "planar-capsule" else [0, 0, numbers[1]])
        ends = [(position + sign * along)[axes] for sign in (-1, 1)]
        across = np.array([ends[0][1] - ends[1][1], ends[1][0] - ends[0][0]])
        across *= numbers[0] / max(np.linalg.norm(across), 1e-300)
        yield "polygon", np.array([ends[0] - across, ends[1] - across, ends[1] + across,
                                   ends[0] + across])
        for end in ends:
            yield "circle", (*end, 2 * numbers[0])
    elif kind == "compound":
        for part in numbers.reshape(-1, 8):
            yield from _outlines(snapshot, int(part[0]), position + R @ part[1:4],
                                 R @ rotation(part[4:]), axes)
    elif _corners(kind, numbers) is not None:
        yield "polygon", _hull((_corners(kind, numbers) @ R.T + position)[:, axes])


def draw_bodies(source, row=-1, ax=None, save=None, plane=None, values=None, label=None,
                limits=None, colour="#EDEDED", edge="#9A9A9A"):
    """The bodies of a simulation or of a row of results, seen along y in space ('xz') and along z in
    the plane ('xy'), by their outlines; the picture shows
    all that is free, and walls and floors around it; terrain is left out. `values` (one a body) colour them within
    `limits`, with `label` at the colour bar."""
    ax = _axes(ax)
    snapshot = source if isinstance(source, Snapshot) else Snapshot(source, row)
    i, j = (0, 1) if (plane or ("xy" if snapshot.planar else "xz")) == "xy" else (0, 2)
    circles, patches, patch_bodies, circle_bodies = [], [], [], []
    for body in range(len(snapshot.q)):
        for outline, numbers in snapshot.outlines(body, [i, j]):
            if outline == "circle":
                circles.append(numbers)
                circle_bodies.append(body)
            else:
                patches.append(Polygon(numbers, closed=True))
                patch_bodies.append(body)
    with style():
        bar = None
        if circles:
            x, y, d = np.transpose(circles)
            collection = EllipseCollection(d, d, np.zeros_like(d), units="xy",
                                           offsets=np.column_stack([x, y]), transOffset=ax.transData,
                                           facecolors=colour, edgecolors=edge, linewidths=0.4)
            if values is not None:
                collection.set_array(np.asarray(values)[circle_bodies])
                collection.set(cmap="cividis", clim=limits)
                bar = collection
            ax.add_collection(collection, autolim=False)
            shown = snapshot.free[circle_bodies]
            x, y, d = x[shown], y[shown], d[shown]
            ax.update_datalim(np.column_stack([np.r_[x - d / 2, x + d / 2],
                                               np.r_[y - d / 2, y + d / 2]]))
        if patches:
            collection = PatchCollection(patches, facecolors=colour, edgecolors=edge, linewidths=0.5)
            if values is not None:
                collection.set_array(np.asarray(values)[patch_bodies])
                collection.set(cmap="cividis", clim=limits)
                bar = bar or collection
            ax.add_collection(collection, autolim=False)
            for patch, body in zip(patches, patch_bodies):
                if snapshot.free[body]:
                    ax.update_datalim(patch.get_xy())
        if bar is not None and label:
            ax.figure.colorbar(bar, ax=ax, label=label, shrink=0.85)
        ax.autoscale_view()
        _draw_floors(ax, snapshot, (i, j))
    ax.set_aspect("equal")
    ax.grid(False)
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]" if j == 1 else "z [m]")
    return finish(ax, save)


def _draw_floors(ax, snapshot, axes):
    """Half planes as a line over the width of the picture."""
    xlim, ylim = ax.get_xlim(), ax.get_ylim()
    for body, q in enumerate(snapshot.q):
        kind, numbers = snapshot.shape(snapshot.index[body])
        if kind not in ("line", "plane"):
            continue
        normal = np.array([numbers[k] for k in ((0, 1) if kind == "line" else axes)])
        if np.linalg.norm(normal) < 0.5:
            continue
        point = normal * numbers[-1] + q[list(axes)]
        along = np.array([-normal[1], normal[0]]) * 2 * max(np.ptp(xlim), np.ptp(ylim))
        ax.plot(*zip(point - along, point + along), color="#6E6E6E", linewidth=1.0)
    ax.set_xlim(xlim)
    ax.set_ylim(ylim)


def force_chains(source, row=-1, ax=None, save=None, plane=None, widest=None, title=None):
    """Normal forces between bodies as lines from centre to centre, as wide as the force is large, at
    one time; dark where it is above the mean. The force is the impulse over the step."""
    ax = _axes(ax)
    snapshot = Snapshot(source, row)
    draw_bodies(snapshot, ax=ax, plane=plane)
    j = 1 if (plane or ("xy" if snapshot.planar else "xz")) == "xy" else 2
    contacts = snapshot.contacts
    force = contacts["r"][:, 0] / snapshot.h
    loaded = force > 0
    contacts, force = contacts[loaded], force[loaded]
    if len(force):
        centre = snapshot.q[:, [0, j]]
        point = contacts["point"][:, [0, j]]
        ends = [np.where(snapshot.free[contacts[side], None], centre[contacts[side]], point)
                for side in ("body_a", "body_b")]
        mean = force.mean()
        widest = widest or 6.0
        widths = np.clip(widest * force / force.max(), 0.25, None)
        order = np.argsort(force)
        strong = force >= mean
        with style():
            ax.add_collection(LineCollection(
                np.stack([ends[0], point, ends[1]], axis=1)[order], linewidths=widths[order],
                colors=np.where(strong, RED, SKY)[order], capstyle="round", joinstyle="round"))
            ax.plot([], [], color=RED, linewidth=3, label=f"above the mean of {mean:.3g} N")
            ax.plot([], [], color=SKY, linewidth=2, label="below")
            ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncol=2, borderaxespad=0.2)
    _title(ax, title if title is not None else f"normal forces at t = {snapshot.t:.4g} s", pad=24)
    return finish(ax, save)


def convergence(steps, errors, ax=None, save=None, orders=True, ylabel="error", title=""):
    """Errors over step lengths [s] on logarithmic axes: one curve for each name of the dict `errors`,
    with the order fitted to each."""
    ax = _axes(ax)
    markers = "os^Dv<>p"
    with style():
        for (name, values), entry, marker in zip(errors.items(), _cycle(len(errors)),
                                                 markers * len(errors)):
            h, e = np.asarray(steps, float), np.asarray(values, float)
            good = e > 0
            label = name
            if orders and good.sum() > 1:
                label += f": order {np.polyfit(np.log(h[good]), np.log(e[good]), 1)[0]:.2f}"
            ax.loglog(h[good], e[good], marker=marker, markersize=5, label=label, **entry)
        ax.legend()
    ax.set_xlabel("time step h [s]")
    ax.set_ylabel(ylabel)
    _title(ax, title)
    return finish(ax, save)


def performance_profile(times, ax=None, save=None, title="", largest=None):
    """The share of problems that a solver solves within a multiple of the best time. `times`: for
    each solver one time a problem [s], infinite or NaN where it failed."""
    ax = _axes(ax)
    table = np.array([np.asarray(x, dtype=float) for x in times.values()])
    table = np.where(np.isfinite(table), table, np.inf)
    best = table.min(axis=0)
    if np.isinf(best).all():
        raise ValueError("no solver has solved any of the problems")
    solved = np.isfinite(best)
    ratios = table[:, solved] / best[solved]
    largest = largest or 1.6 * np.max(ratios[np.isfinite(ratios)], initial=2.0)
    with style():
        for name, ratio, entry in zip(times, ratios, _cycle(len(times))):
            x = np.sort(ratio[np.isfinite(ratio)])
            y = np.arange(1, len(x) + 1) / table.shape[1]
            ax.step(np.r_[1, x, largest], np.r_[0, y, y[-1] if len(y) else 0], where="post",
                    label=name, **entry)
        ax.legend(loc="lower right")
    ax.set_xscale("log")
    ax.set_xlim(1, largest)
    ax.set_ylim(-0.02, 1.04)
    ax.set_xlabel("time over that of the fastest solver [-]")
    ax.set_ylabel("share of problems solved [-]")
    _title(ax, title)
    return finish(ax, save)


def history(solutions, ax=None, save=None, over="iteration", title=""):
    """Convergence of solvers: the own measure of each over iterations or seconds; a dict of names to
    Solutions."""
    ax = _axes(ax)
    with style():
        for (name, solution), entry in zip(solutions.items(), _cycle(len(solutions))):
            x, y = solution.history[over], solution.history["residual"]
            good = np.isfinite(y) & (y > 0)
            ax.semilogy(x[good], y[good], label=f"{name} ({solution.residual:.0e})",
                        marker="o" if good.sum() < 30 else None, markersize=4, **entry)
        ax.legend(title="solver (residual reached)")
    ax.set_xlabel("iteration [-]" if over == "iteration" else "time [s]")
    ax.set_ylabel("the solver's own measure [-]")
    _title(ax, title)
    return finish(ax, save)
