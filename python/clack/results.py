"""Runs that are written down, and what was written: results.h5 as arrays by name."""

import json
import os
import re

import numpy as np

from . import _clack, model

_ENERGIES = ["kinetic", "potential", "work_external", "work_damping", "work_contact", "work_impact",
             "work_friction", "work_bond", "numerical"]
_EVENT_KINDS = ["impact", "close", "open", "stick", "slip", "break"]


def run(scene, out=None, *, threads=1, resume=False, dump_problems=0, callback=None, set=None,
        force=None, **options):
    """Runs a scene to its end as `clack run` does and returns its Results. The folder `out` (default
    out/NAME) gets results.h5 and summary.json; with dump_problems=N also the one-step problem of
    each Nth step. The callback is called with (t, steps) after each step; False ends the run. Ctrl-C
    ends it between two steps and keeps what was computed. Other arguments as of Simulation."""
    loaded = model.read(scene, options, set, force)
    if out is None:
        out = os.path.join("out", _name(loaded))
    _clack._record(loaded, os.fspath(out), threads, resume, dump_problems, callback)
    return load(out)


def _name(loaded):
    if loaded.path:
        return os.path.splitext(os.path.basename(loaded.path))[0]
    return re.sub(r"[^a-z0-9]+", "_", loaded.title.lower()).strip("_") or "scene"


def load(folder):
    """The Results of a folder, or of a results.h5."""
    return Results(folder)


class Results:
    """What a run left in its folder. Arrays are read when they are asked for.

    t, q, v            (n), (n, nq), (n, nv) [SI]
    energy["kinetic"]  and potential, work_external, ... [J]
    solver["residual"] and residual_scaled, iterations, status, seconds
    measures, sample   by name
    contacts(row)      structured array of the contacts of a row
    events             structured array: impacts, stick and slip, breaks, whatever rows are kept
    results["x"]       a coordinate, velocity, measure or sample number by name; "ball.x", "ball.vx"
    summary            what summary.json holds
    """

    def __init__(self, folder):
        folder = os.fspath(folder)
        self.path = folder if os.path.isfile(folder) else os.path.join(folder, "results.h5")
        if not os.path.isfile(self.path):
            raise _clack.IoError(f"{self.path}: there is no such file")
        self.folder = os.path.dirname(self.path) or "."
        self._rows = self.dataset("time").shape[0]  # first: others may be longer in a running file
        self._attributes = self._read(lambda file: {k: str(v) for k, v in file.attrs.items()})
        self._lists = {}
        self.energy = _Group(self, "energy")
        self.solver = _Group(self, "solver")
        self.measures = _Group(self, "measures")
        self.sample = _Group(self, "sample")

    def __len__(self):
        return self._rows

    def __repr__(self):
        return f"<clack.Results '{self.title}': {self._rows} rows in {self.path}>"

    def _read(self, take):
        """What `take` makes of the open file. It is open only meanwhile: a run may be writing it."""
        try:
            import h5py
        except ImportError as error:
            raise ImportError("results are read with h5py (Debian: python3-h5py)") from error
        try:
            with h5py.File(self.path, "r") as file:
                return take(file)
        except OSError as error:
            raise _clack.IoError(f"{self.path}: cannot be read: {error}") from None

    def dataset(self, name):
        """A dataset of which parts are read when they are asked for: dataset("q")[-1]."""
        return _Dataset(self, name)

    def _column(self, name):
        return self.dataset(name)[:self._rows]

    @property
    def t(self):
        """Times of the rows [s]."""
        return self._column("time")

    @property
    def q(self):
        """Configurations [m, rad], (n, nq)."""
        return self._column("q")

    @property
    def v(self):
        """Velocities [m/s, rad/s], (n, nv)."""
        return self._column("v")

    @property
    def title(self):
        return self._attributes.get("title", "")

    @property
    def scene(self):
        """The text of the scene."""
        return self._attributes["scene"]

    @property
    def options(self):
        """The options of the run."""
        return json.loads(self._attributes["options"])

    @property
    def summary(self):
        """summary.json; None while the run goes on."""
        file = os.path.join(self.folder, "summary.json")
        if not os.path.isfile(file):
            return None
        with open(file, encoding="utf-8") as stream:
            return json.load(stream)

    @property
    def status(self):
        """'converged', or the status of the first step that failed."""
        summary = self.summary
        return summary["status"] if summary else None

    def _names(self, path):
        if path not in self._lists:
            self._lists[path] = self._read(
                lambda file: [_text(x) for x in file[path][:]] if path in file else [])
        return list(self._lists[path])

    @property
    def q_names(self):
        """Names of the coordinates; of rigid bodies NAME.x and so on."""
        names = self._names("model/q_name")
        if names:
            return names
        return [f"{body}.{part}" for body in self.body_names
                for part in ("x", "y", "z", "qw", "qx", "qy", "qz")]

    @property
    def v_names(self):
        """Names of the velocities; of rigid bodies NAME.vx and so on."""
        names = self._names("model/v_name")
        if names:
            return names
        return [f"{body}.{part}" for body in self.body_names
                for part in ("vx", "vy", "vz", "wx", "wy", "wz")]

    @property
    def contact_names(self):
        return self._names("model/contact_name")

    @property
    def body_names(self):
        return self._names("bodies/name")

    @property
    def is_world(self):
        """Whether it is a run of rigid bodies."""
        return bool(self._names("shapes/kind"))

    def __getitem__(self, name):
        for dataset, names in (("q", self.q_names), ("v", self.v_names)):
            if name in names:
                return self.dataset(dataset)[:self._rows, names.index(name)]
        for group in (self.measures, self.sample, self.energy, self.solver):
            if name in group:
                return group[name]
        if name in ("t", "time"):
            return self.t
        raise KeyError(f"there is no '{name}'; names: {', '.join(self.names()[:40])}")

    def names(self):
        """What can be had by name."""
        return (self.q_names + self.v_names + list(self.measures) + list(self.sample)
                + list(self.energy) + list(self.solver))

    def contacts(self, row):
        """The contacts of a row, a structured array: id, body_a, body_b, status, gap, point, normal,
        r, u, impulse (r summed since the row before) and what laws remember."""
        if not -self._rows <= row < self._rows:
            raise IndexError(f"row {row} of {self._rows}")
        row %= self._rows

        def take(file):
            group = file["contacts"]
            begin, end = (int(x) for x in group["offset"][row:row + 2])
            columns = {name: group[name][begin:end] for name in
                       ("id", "body_a", "body_b", "status", "gap", "point", "normal", "r", "u",
                        "impulse") if name in group}
            for name in group.get("law", {}):
                columns[name] = group["law"][name][begin:end]
            return columns

        return _structured(self._read(take))

    @property
    def events(self):
        """What happened at contacts and links, whatever rows are kept, a structured array: time [s],
        kind ('impact', 'close', 'open', 'stick', 'slip', 'break'), name of the contact or link, empty
        between rigid bodies, body_a, body_b, u_before, u_after [m/s], impulse [N s], each N, T1, T2."""
        def take(file):
            if "events" not in file:
                return {}
            group = file["events"]
            count = int(group["offset"][self._rows])
            return {name: group[name][:count] for name in
                    ("time", "kind", "id", "body_a", "body_b", "u_before", "u_after", "impulse")}

        columns = self._read(take)
        if not columns:
            raise KeyError("the file has no events: it is of an older version")
        kinds = np.array(_EVENT_KINDS)
        columns["kind"] = kinds[columns["kind"]]
        names = np.array(self.contact_names + [""])  # -1: no name
        columns["name"] = names[columns.pop("id")]
        return _structured(columns)

    def body(self, name):
        """Number of a body by its name."""
        names = self.body_names
        if name not in names:
            raise KeyError(f"there is no body '{name}'")
        return names.index(name)

    def position(self, name):
        """Positions of a body [m], (n, 3)."""
        i = 7 * self.body(name)
        return self.dataset("q")[:self._rows, i:i + 3]

    def to_pandas(self):
        """A DataFrame with a row for each time: coordinates, velocities, energies, measures."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas (Debian: python3-pandas)") from error
        columns = dict(zip(self.q_names, self.q.T))
        columns.update(zip(self.v_names, self.v.T))
        for group in (self.energy, self.measures, self.sample):
            columns.update({name: group[name] for name in group})
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    # Pictures: clack.plot has more.

    def plot(self, *what, save=None, **options):
        """Time histories: "q", "v", "energy", "contacts", "forces", or names of coordinates,
        velocities, measures. The picture goes to `save`, by default into the run's folder; returns
        the axes."""
        from . import plot
        return plot.results(self, what or ("q",), save, **options)


def _structured(columns):
    types = [(name, x.dtype, x.shape[1:]) for name, x in columns.items()]
    table = np.empty(len(next(iter(columns.values()))), dtype=types)
    for name, x in columns.items():
        table[name] = x
    return table


class _Dataset:
    """A dataset of a file that is opened for each reading."""

    def __init__(self, results, name):
        self._results, self.name = results, name
        self.shape, self.dtype = results._read(self._describe)

    def _describe(self, file):
        if self.name not in file:
            raise KeyError(f"there is no dataset '{self.name}'")
        return file[self.name].shape, file[self.name].dtype

    def __getitem__(self, key):
        return self._results._read(lambda file: file[self.name][key])

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None):
        return np.asarray(self[...], dtype=dtype)

    def __repr__(self):
        return f"<dataset {self.name} {self.shape} {self.dtype}>"


class _Group:
    """Columns of a group of the file, by name."""

    def __init__(self, results, group):
        self._results, self._group = results, group
        self._names = results._read(lambda file: list(file.get(group, {})))

    def __iter__(self):
        return iter(self._names)

    def __contains__(self, name):
        return name in self._names

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(f"there is no '{name}' in {self._group}: {', '.join(self)}")
        return self._results._column(f"{self._group}/{name}")

    def keys(self):
        return list(self)

    def __repr__(self):
        return f"<{self._group}: {', '.join(self)}>"


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)
