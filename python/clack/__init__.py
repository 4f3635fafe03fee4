"""Clack: nonsmooth mechanics, with contact, impact and Coulomb friction solved exactly.

    import clack
    run = clack.run("examples/woodpecker.yaml")
    run.plot("q")

Scenes:       Scene, shapes (sphere, box, ...), samples (lattice, deposit, ...), linear, lagrangian,
              System, Law
Simulations:  Simulation, run, load, converge
Orbits:       orbit, branch, lyapunov, modes, equilibria, sweep
Solvers:      solve, residual, Problem, read_problem
Pictures:     clack.plot

All units are SI. Names are those of the library and of scene files.
"""

from . import _clack
from ._clack import (Body, ContactSituation, Energy, InputError, IoError, LawBlock, LawStatement,
                     Problem, Solution, SolveReport, __version__, laws, samples, schemes, solvers)
from ._clack import shapes as shape_kinds
from .model import (Law, Scene, System, arch, box, capsule, chute, compound, cone, cylinder, deposit,
                    disc, dominoes, drum, gear, height_field, hopper, joints, lagrangian, lattice,
                    line, linear, mesh, plane, polygon, polyhedron, random_packing, ring, rod,
                    segment, socket, sphere, tower, tube, vault, voronoi, wall)
from .options import adaptive_options, scheme_options, solver_options
from .orbits import (Branch, Equilibria, Exponents, Modes, Orbit, Sweep, branch, equilibria, lyapunov,
                     modes, orbit, sweep)
from .problems import problem, read_problem, residual, solve
from .results import Results, load, run
from .simulation import Bodies, ContactStatus, Joint, Joints, Simulation
from .study import Convergence, converge

__all__ = [name for name, value in list(globals().items())
           if not name.startswith("_") and not hasattr(value, "__spec__")] + ["__version__"]


def __getattr__(name):
    """clack.plot is imported when it is first used: matplotlib is needed for pictures only."""
    if name == "plot":
        import importlib
        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module 'clack' has no attribute '{name}'")
