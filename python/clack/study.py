"""Convergence studies: errors over steps, and the orders of schemes."""

import os

from . import _clack, model


def converge(scene, schemes, steps, reference=None, *, reference_scheme=None, norm="L1",
             observe=None, tolerances=(), jobs=0, set=None, force=None, **options):
    """Runs a scene with each of the schemes and steps and compares the motions with a reference, as
    `clack converge` does. Returns a Convergence.

        study = clack.converge("examples/bouncing_ball.yaml", schemes=["moreau-jean"],
                               steps=[1e-2, 5e-3, 2.5e-3])
        study.errors["moreau-jean"], study.orders["moreau-jean"]

    schemes           names, of clack.schemes()
    steps             [s]; each must divide the time of the scene
    reference         "exact" (of the scene), "self" (a run with a step 16 times smaller than the
                      smallest) or a file; default: exact where the scene has it, else self
    reference_scheme  of "self"; default: each scheme its own
    norm              "L1", "Lp:P", "max", "Hausdorff" or "Hausdorff:TIMESCALE"
    observe           names of coordinates and velocities; default: all that the reference knows
    tolerances        also runs with adaptive steps
    jobs              runs at a time (0: one per processor); one where the scene has functions

    Other arguments as of Simulation. A run that fails is marked, its error is NaN; so is one in which a
    function of yours raises an exception."""
    loaded = model.read(scene, options, set, force)
    schemes = [schemes] if isinstance(schemes, str) else list(schemes)
    observe = [observe] if isinstance(observe, str) else list(observe or ())
    return Convergence(_clack._converge(
        loaded, schemes, [float(h) for h in steps], [float(x) for x in tolerances],
        "" if reference is None else os.fspath(reference), reference_scheme or "", norm, observe,
        jobs))


class Convergence:
    """What converge found. Dicts have the name of a scheme for a key, with ", adaptive" for its runs
    with adaptive steps; arrays go from the largest step to the smallest.

    steps            [s], of adaptive runs the mean ones
    errors           of q and v together, NaN where a run failed; errors_q, errors_v, and errors_l1
                     in the L1 norm whatever `norm` is
    orders           slope of log(error) over log(step) by least squares, one per scheme
    half_widths      of their 95 % confidence intervals
    pairwise_orders  between neighbouring steps
    cpu_seconds, iterations, failures   of each run; a failure is "" where every step was solved
    good             whether no run failed
    title, norm, reference, observed    in words
    """

    def __init__(self, study):
        for name in ["title", "norm", "reference", "observed", "good"]:
            setattr(self, name, study[name])
        for name in ["steps", "errors", "errors_q", "errors_v", "errors_l1", "orders", "half_widths",
                     "pairwise_orders", "cpu_seconds", "iterations", "failures"]:
            setattr(self, name, {scheme: data[name] for scheme, data in study["schemes"].items()})

    @property
    def schemes(self):
        """The keys of the dicts."""
        return list(self.steps)

    def __repr__(self):
        orders = ", ".join(f"{name}: {order:.2f}" for name, order in self.orders.items())
        return f"<clack.Convergence '{self.title}', orders {orders}>"
