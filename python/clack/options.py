"""The options of schemes and solvers, as the library describes them."""

from . import _clack

_TABLES = _clack._options()


def scheme_options(scheme=None):
    """The options of `simulation`: all, or those that a scheme reads; by name the kind, default
    (None: see `otherwise`), unit, what is allowed, the meaning and the schemes that read it."""
    if scheme is not None and scheme not in _clack.schemes():
        raise _clack.InputError(f"scheme '{scheme}' is not known; see clack.schemes()")
    return {name: option for name, option in _TABLES["simulation"].items()
            if scheme is None or not option["schemes"] or scheme in option["schemes"]}


def adaptive_options():
    """The options of `simulation.adaptive`, steps that adapt themselves, as of `scheme_options`."""
    return dict(_TABLES["adaptive"])


def solver_options(solver=None):
    """The options of `solver`: of all solvers, and of one also its own, as of `scheme_options`."""
    if solver is None:
        return dict(_TABLES["solver"])
    if solver not in _TABLES["own"]:
        raise _clack.InputError(f"solver '{solver}' is not known; see clack.solvers()")
    return {**_TABLES["solver"], **_TABLES["own"][solver]}


def own_names():
    """The options that are some solver's own, in the order of the tables."""
    return list(dict.fromkeys(name for own in _TABLES["own"].values() for name in own))


_PATHS = {
    "solver": "solver.name", "every": "output.every", "region": "output.region",
    "q": "initial.q", "v": "initial.v", "t": "initial.t",
}


def path_of(key):
    """Where a keyword argument stands in a scene: `simulation` comes before `solver`."""
    simulation = {"scheme", "step", "end", "adaptive", "recovery", *_TABLES["simulation"]}
    if key not in simulation and (key in _TABLES["solver"] or key in own_names()):
        return f"solver.{key}"
    return _PATHS.get(key, f"simulation.{key}")


def describe(options):
    """One line for each option, for docstrings."""
    lines = []
    for name, option in options.items():
        default = option["otherwise"] or option["default"]
        lines.append(f"        {name}: {option['meaning']} [{option['unit']}]; {option['allowed']}; "
                     f"default {default}")
    return "\n".join(lines)
