"""Periodic orbits, branches, Lyapunov exponents, modes, equilibria and sweeps of scenes."""

import os

import numpy as np

from . import _clack, model


def _names(names):
    return [names] if isinstance(names, str) else list(names)


def _formula(value):
    return "" if value is None else value if isinstance(value, str) else repr(float(value))


def _given(kind, method, period, settle, drift, start, orbit=True):
    return {"orbit": orbit, "kind": kind, "method": method, "period": _formula(period),
            "settle": float(settle), "drift": _names(drift), "start": start}


class _Answer:
    """Attributes from a dict of the library."""

    def __init__(self, values, flags=(), counts=()):
        for name, value in values.items():
            if name in flags:
                value = value.astype(bool)
            elif name in counts:
                value = value.astype(int)
            setattr(self, name, value)

    @property
    def good(self):
        """Whether it was found."""
        return self.status == "converged"


class _Points(_Answer):
    def at(self, kind):
        """Indices of the points of a kind, as "fold"."""
        return np.array([i for i, name in enumerate(self.kind) if name == kind], dtype=int)


class Orbit(_Answer):
    """A periodic orbit.

    status, note     "converged", or why there is none
    period           [s]
    t, q, v          its start; energy there [J]
    multipliers      Floquet multipliers, complex, largest modulus first; stable: by them
    impacts, slowest_impact   in a period; [m/s]
    admissible       whether a simulation from its start follows it; inadmissible: why not
    closing          |z(T) - z(0)| over the size of the motion
    q_max, q_min     extremes of the coordinates over the period
    motion_t, motion_q, motion_v   a period as arrays, one row per time
    """


class Branch(_Points):
    """Orbits over a parameter, a period or an energy: arrays with one entry, or row, per point.

    status, stop     "converged", and where and why it ended
    parameter, period, energy, stable, impacts, slowest_impact
    kind             "regular", "fold", "period-doubling", "neimark-sacker", "end"
    t, q, v          starts; q_max, q_min: extremes over the period
    multipliers      a complex array per point
    """


class Exponents(_Answer):
    """Lyapunov exponents [1/s], largest first, minus infinity where contacts take directions away.

    status, note     "converged", or why there are none
    exponents, error     error: standard error of the largest one
    time, history    [s] gone through; the largest one after each interval
    """


class Modes(_Answer):
    """Linear modes: omega [rad/s] (NaN: unstable), omega_squared, shapes (a column each,
    mass-normalised), eigenvalues of the damped motion [1/s], closed contacts, symmetric."""


class Equilibria(_Points):
    """Equilibria, one or a branch: arrays with one entry, or row, per point.

    status, stop     "converged", and where and why the branch ended
    parameter, q, gap, force   gap and normal force by contact [m, N]
    stable, growth   growth: largest real part of the eigenvalues [1/s]
    kind             "regular", "fold", "closes", "opens", "divergence", "flutter", "end"
    contact          that closes or opens there
    eigenvalues      of small motions, a complex array per point [1/s]
    """


class Sweep(_Answer):
    """Runs of one scene: arrays with one entry, or row, per run; the first key changes fastest.

    keys, values     values: a dict from key to its value in each run; down: in a chain that goes down
    status, reason   "converged", or why not; good: whether all are
    measures         a dict from the measures of the scene to arrays
    impacts, sticks, sticking, sliding   after the transient; shares of the time
    repeats_after    points of the section after which the motion repeats, 0: it does not;
                     periods, impacts_per_repeat: in that time
    attractor        index into attractors (names), -1: none
    end_q, end_v     states at the end
    sections         a dict of arrays t, q, v, u_before, u_after per run
    files            that were written to `out`
    """

    @property
    def good(self):
        """Whether every run converged."""
        return all(status == "converged" for status in self.status)

    def grid(self, values):
        """The values of all runs of two keys as a table: rows are those of the second key."""
        first = len(dict.fromkeys(np.asarray(self.values[self.keys[0]]).tolist()))
        return np.asarray(values).reshape(-1, first)


def orbit(scene, period=None, *, kind="forced", settle=0, method="multiple", drift=(),
          start="scene", set=None, force=None, **options):
    """Finds a periodic orbit, as `clack orbit` does, and returns an Orbit.

        found = clack.orbit("scene.yaml", "2*pi/1.6", settle=50)
        found.multipliers, found.stable

    period   a number or a formula [s]; may be left out for kind="autonomous"
    kind     "forced", "autonomous" or "conservative"
    settle   time to run before the orbit is closed [s]
    method   "multiple" or "single" shooting
    drift    names of coordinates that may drift
    start    "scene", or "impact-mode": from the closed form of one impact per period

    The scheme is event-driven. Other arguments as of Simulation."""
    loaded = model.read(scene, {"scheme": "event-driven", **options}, set, force)
    return Orbit(_clack._orbit(loaded, _given(kind, method, period, settle, drift, start)))


def branch(scene, over, low, high, period=None, *, at=None, down=False, kind="forced", settle=0,
           method="multiple", drift=(), start="scene", step=0.02, max_points=400, set=None,
           force=None, **options):
    """Continues an orbit, as `clack continue` does, and returns a Branch.

        curve = clack.branch("scene.yaml", "parameters.W", 1.6, 1.8, "2*pi/W", settle=50)

    over, low, high   "parameters.NAME", "period" or "energy", and its range
    at                the parameter of the first orbit; default: low, or high with down=True
    step, max_points  first step of arclength; points at most

    Other arguments as of orbit."""
    loaded = model.read(scene, {"scheme": "event-driven", **options}, set, force)
    first = at if at is not None else high if down else low
    return Branch(_clack._branch(loaded, _given(kind, method, period, settle, drift, start), over,
                                 float(low), float(high), float(first), down, step, max_points),
                  flags=["stable"], counts=["impacts"])


def lyapunov(scene, time, *, interval=0, settle=0, set=None, force=None, **options):
    """Lyapunov exponents of the motion over `time` [s] after `settle`, as `clack orbit --lyapunov`;
    returns Exponents. interval: between two QR factorisations (0: 16 steps)."""
    loaded = model.read(scene, {"scheme": "event-driven", **options}, set, force)
    given = _given("forced", "multiple", None, settle, (), "scene", orbit=False)
    return Exponents(_clack._lyapunov(loaded, given, float(time), float(interval)))


def modes(scene, contacts="open", *, set=None, force=None, **options):
    """Linear modes about the initial state, as `clack modes`; returns Modes. contacts: "open", or
    "closed": those that touch hold. Of sliding contacts see equilibria."""
    if contacts not in ("open", "closed"):
        raise _clack.InputError(f"contacts: '{contacts}'; allowed: open, closed")
    found = Modes(_clack._modes(model.read(scene, options, set, force), contacts))
    return found


def equilibria(scene, over=None, low=0, high=0, *, at=None, down=False, step=0.02,
               max_points=2000, set=None, force=None, **options):
    """The equilibrium near the initial state with its contacts, those on moving surfaces sliding;
    with `over` ("parameters.NAME") the branch of it from low to high, as `clack continue
    --equilibrium`. Returns Equilibria.

        one = clack.equilibria("examples/mode_coupling.yaml")
        curve = clack.equilibria("examples/von_mises_truss.yaml", "parameters.F", -15, 15, at=0)
    """
    loaded = model.read(scene, options, set, force)
    first = at if at is not None else high if down else low
    return Equilibria(_clack._equilibria(loaded, over or "", float(low), float(high), float(first),
                                         down, step, max_points), flags=["stable"])


def _varied(key, values):
    """Texts and numbers of a key's values."""
    values = [values] if isinstance(values, (str, int, float)) else list(values)
    texts, numbers, numeric = [], [], True
    for k, value in enumerate(values):
        if isinstance(value, str):
            numeric = False
        texts.append(value if isinstance(value, str) else repr(float(value)))
        numbers.append(float(k) if isinstance(value, str) else float(value))
    if not numeric:
        numbers = [float(k) for k in range(len(values))]
    return values, (key, texts, numbers, numeric)


def sweep(scene, vary, *, section=None, period=None, contact=None, skip=0, skip_periods=0,
          keep=100, carry="none", drift=(), tolerance=1e-6, jobs=0, out=None, set=None, force=None,
          **options):
    """Runs a scene over one or two of its values, as `clack sweep` does, and returns a Sweep.

        W = np.linspace(2.4, 3, 61)
        found = clack.sweep("examples/vibro_impact.yaml", {"parameters.W": W}, section="period",
                            period="2*pi/W", skip_periods=300)

    vary       a dict from a path of the scene to its values: numbers or texts
    section    "period" (states at equal times) or "impact" (at impacts, of `contact` or of any)
    period     a number or a formula of the scene's parameters [s]
    skip, skip_periods   the transient [s], or in periods; keep: points of the section
    carry      "up", "down" or "both": each run starts from the end of the one before
    drift      coordinates that do not count where motions are compared
    tolerance  of a motion that repeats, over its size
    jobs       threads (0: one per processor); one where the scene has functions
    out        a folder for tables and pictures

    Other arguments as of Simulation. A run that fails is marked."""
    loaded = model.read(scene, options, set, force)
    if section not in (None, "period", "impact"):
        raise _clack.InputError(f"section: '{section}'; allowed: period, impact")
    lists, varied = {}, []
    for key, values in dict(vary).items():
        lists[key], one = _varied(key, values)
        varied.append(one)
    folder = ""
    if out is not None:
        folder = os.fspath(out)
        os.makedirs(folder, exist_ok=True)
    given = {"vary": varied, "section": section or "", "period": _formula(period),
             "contact": contact or "", "skip": float(skip), "skip_periods": int(skip_periods),
             "keep": int(keep), "carry": carry, "drift": _names(drift),
             "tolerance": float(tolerance)}
    answer = _clack._sweep(loaded, given, jobs, folder)
    places = answer.pop("places")
    answer["keys"] = list(lists)
    answer["values"] = {key: np.asarray([lists[key][int(i)] for i in place])
                        for key, place in zip(lists, places)}
    return Sweep(answer, flags=["down"],
                 counts=["impacts", "sticks", "repeats_after", "periods", "impacts_per_repeat",
                         "attractor"])
