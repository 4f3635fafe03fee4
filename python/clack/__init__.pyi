"""Types of the public interface; docstrings are in the module itself."""

import enum
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import plot as plot

__version__: str

Array = NDArray[np.float64]
Path = str | os.PathLike[str]
Tree = dict[str, Any]
SparseMatrix = Any  # of scipy.sparse: whatever has tocoo()
SystemForce = Callable[[float, Array, Array], ArrayLike]
BodyForce = Callable[[float, Array, Array, Array, Array], ArrayLike]

# options: run (written by python/tests/stubs_test.py)
class RunOptions(TypedDict, total=False):
    scheme: str
    step: float | str
    end: float | str
    adaptive: Tree
    recovery: Tree
    solver: str | Tree
    every: int
    region: ArrayLike
    q: Any
    v: Any
    t: float | str
    theta: float | str
    gamma: float | str
    xi: float | str
    rho_inf: float | str
    alpha_m: float | str
    alpha_f: float | str
    beta: float | str
    newmark_gamma: float | str
    constraints: str
    activation_tolerance: float | str
    flow_tolerance: float | str
    capture_time: float | str
    max_events: int | str
    newton_tolerance: float | str
    newton_max_iterations: int | str
    tolerance: float | str
    max_iterations: int | str
    time_limit: float | str
    max_flops: float | str
    max_sweeps: int | str
    check_every: int | str
    relaxation: float | str
    order: str
    seed: int | str
    local: str
    freeze_after: int | str
    freeze_change: float | str
    thaw_every: int | str
    omega: float | str
    reduction: float | str
    patience: int | str
    shrink: float | str
    upper: float | str
    lower: float | str
    inner_steps: int | str
    alpha_min: float | str
    start_sweeps: int | str
    line_search: str
    factorisation: str
    alpha_start: float | str
    variant: str
    memory: int | str
    accuracy: float | str
    core_iterations: int | str
    outer: str
    core: str
    rho: float | str
    adapt_every: int | str
    steps_each_start: int | str
    starts: int | str
    paths: int | str
    map: str
    stored_leaves: int | str
    max_momentum: float | str
    late_momentum: float | str
    polish_contacts: int | str
    island_contacts: int | str
    planar_island_contacts: int | str
# options: end

class InputError(ValueError):
    messages: list[str]

class IoError(OSError):
    messages: list[str]

# Models.

class ContactSituation:
    tangents: int
    turns: int
    t: float
    h: float
    end_weight: float
    gap: float
    forecast_gap: float
    closed: bool
    speculative: bool
    area: float
    stage: int
    pass_number: int
    u_start: Array
    u: Array
    r: Array
    memory: Array
    rows: int
    slip: float
    def way(self, row: int) -> float: ...

class LawBlock:
    def add_row(self, row: int | ArrayLike, scale: float = 1, offset: float = 0,
                compliance: float = 0) -> int: ...
    def add_disc(self, rows: int, radius: float) -> None: ...

class LawStatement:
    shift: Array
    e_t: float
    def add_unilateral(self, offset: float = 0) -> bool: ...
    def add_tangential_disc(self, mu: float) -> None: ...
    def add_block(self, free: bool = False) -> LawBlock: ...

class Law:
    name: str
    variables: Sequence[str | tuple[str, str, float]]
    iterates: bool
    stages: int
    def prepare(self, contact: ContactSituation, statement: LawStatement) -> None: ...
    update: Callable[[ContactSituation, Array], None] | None
    fault: Callable[[int, int], str | None] | None
    reach: Callable[[ContactSituation], float] | None

class System:
    nv: int
    contacts: Sequence[Mapping[str, Any]]
    def mass(self, t: float, q: Array) -> ArrayLike: ...
    def forces(self, t: float, q: Array, v: Array) -> ArrayLike | Mapping[str, ArrayLike]: ...
    energies: Callable[[float, Array, Array], tuple[float, float]] | None
    jacobians: Callable[[float, Array, Array], tuple[ArrayLike, ArrayLike]] | None
    gaps: Callable[[float, Array], ArrayLike] | None
    contact_map: Callable[[float, Array], ArrayLike | tuple[ArrayLike, ArrayLike]] | None

def sphere(radius: float | str) -> Tree: ...
def disc(radius: float | str) -> Tree: ...
def capsule(radius: float | str, length: float | str) -> Tree: ...
def cylinder(radius: float | str, length: float | str, rounding: float | str | None = None) -> Tree: ...
def cone(radius: float | str, height: float | str, rounding: float | str | None = None) -> Tree: ...
def box(size: ArrayLike, rounding: float | str | None = None) -> Tree: ...
def plane(normal: ArrayLike | None = None, offset: float | str | None = None) -> Tree: ...
def line(normal: ArrayLike | None = None, offset: float | str | None = None) -> Tree: ...
def polyhedron(points: ArrayLike, rounding: float | str | None = None) -> Tree: ...
def polygon(points: ArrayLike, rounding: float | str | None = None) -> Tree: ...
def segment(start: ArrayLike, end: ArrayLike, rounding: float | str | None = None) -> Tree: ...
def mesh(file: Path, **options: Any) -> Tree: ...
def height_field(points: ArrayLike, spacing: ArrayLike, **options: Any) -> Tree: ...
def ring(inner: float | str, outer: float | str) -> Tree: ...
def tube(inner: float | str, outer: float | str, length: float | str) -> Tree: ...
def socket(inner: float | str, outer: float | str) -> Tree: ...
def gear(teeth: int | str, module: float | str, **options: Any) -> Tree: ...
def compound(*parts: Tree) -> Tree: ...
def lattice(**options: Any) -> Tree: ...
def random_packing(**options: Any) -> Tree: ...
def deposit(**options: Any) -> Tree: ...
def voronoi(**options: Any) -> Tree: ...
def joints(**options: Any) -> Tree: ...
def wall(**options: Any) -> Tree: ...
def arch(**options: Any) -> Tree: ...
def vault(**options: Any) -> Tree: ...
def tower(**options: Any) -> Tree: ...
def dominoes(**options: Any) -> Tree: ...
def chute(**options: Any) -> Tree: ...
def hopper(**options: Any) -> Tree: ...
def drum(**options: Any) -> Tree: ...
def rod(length: float, area: float, young: float, density: float, elements: int,
        mass: str | None = None, left: str | None = None) -> Tree: ...
def linear(M: ArrayLike | SparseMatrix | None = None, C: ArrayLike | SparseMatrix | None = None,
           K: ArrayLike | SparseMatrix | None = None,
           f: (float | str | Sequence[float | str] | Array | Mapping[str, float | str] | SystemForce
               | None) = None,
           coordinates: Sequence[str] | None = None, velocities: Sequence[str] | None = None,
           contacts: Sequence[Tree] | None = None, constraints: Sequence[Tree] | None = None,
           rod: Tree | None = None) -> Tree: ...
def lagrangian(coordinates: str | Sequence[str], kinetic: str, potential: str | None = None,
               dissipation: str | None = None,
               forces: Mapping[str, str | SystemForce] | SystemForce | None = None,
               define: Mapping[str, str] | None = None, velocities: Sequence[str] | None = None,
               contacts: Sequence[Tree] | None = None,
               constraints: Sequence[Tree] | None = None) -> Tree: ...

class Scene:
    tree: Tree
    def __init__(self, title: str | None = None, system: Tree | System | None = None, *,
                 description: str | None = None, parameters: Mapping[str, float | str] | None = None,
                 space: str | None = None, gravity: ArrayLike | None = None,
                 coordinates: str | None = None) -> None: ...
    def system(self, system: Tree | System, coordinates: Sequence[str] | None = None,
               velocities: Sequence[str] | None = None) -> Scene: ...
    def material(self, name: str, density: float | None = None, mu: float | None = None,
                 e_n: float | None = None) -> Scene: ...
    def pair(self, a: str, b: str, mu: float | None = None, e_n: float | None = None,
             normal: str | Tree | Law | None = None, friction: str | Tree | Law | None = None,
             cohesion: str | Tree | Law | None = None) -> Scene: ...
    def cell(self, period: ArrayLike, shear_rate: float | None = None,
             shear_normal: str | None = None) -> Scene: ...
    def body(self, name: str | None = None, shape: str | Tree | None = None, **keys: Any) -> Scene: ...
    def bodies(self, name: str, positions: ArrayLike, radii: ArrayLike | None = None,
               shape: str | Tree | None = None, rotations: ArrayLike | None = None,
               **keys: Any) -> Scene: ...
    def shape(self, name: str, shape: Tree) -> Scene: ...
    def joint(self, kind: str, bodies: Sequence[str], name: str | None = None,
              **keys: Any) -> Scene: ...
    def coupler(self, of: Mapping[str, float | str], name: str | None = None,
                constant: float | str | None = None) -> Scene: ...
    def link(self, a: str, b: str, link: str | Tree | Law, **keys: Any) -> Scene: ...
    def force(self, force: SystemForce | BodyForce | Mapping[str, BodyForce]) -> Scene: ...
    def initial(self, q: Any = None, v: Any = None, t: float | None = None) -> Scene: ...
    # options: scene (written by python/tests/stubs_test.py)
    def simulation(self, step: float | str, end: float | str, scheme: str | None = None, *,
            theta: float | str | None = None,
            gamma: float | str | None = None,
            xi: float | str | None = None,
            rho_inf: float | str | None = None,
            alpha_m: float | str | None = None,
            alpha_f: float | str | None = None,
            beta: float | str | None = None,
            newmark_gamma: float | str | None = None,
            constraints: str | None = None,
            activation_tolerance: float | str | None = None,
            flow_tolerance: float | str | None = None,
            capture_time: float | str | None = None,
            max_events: int | str | None = None,
            newton_tolerance: float | str | None = None,
            newton_max_iterations: int | str | None = None,
            adaptive: Any | None = None,
            recovery: Any | None = None,
            ) -> Scene: ...
    def solver(self, name: str | None = None, tolerance: float | str | None = None,
            max_iterations: int | str | None = None, time_limit: float | str | None = None, *,
            max_flops: float | str | None = None,
            max_sweeps: int | str | None = None,
            check_every: int | str | None = None,
            relaxation: float | str | None = None,
            order: str | None = None,
            seed: int | str | None = None,
            local: str | None = None,
            freeze_after: int | str | None = None,
            freeze_change: float | str | None = None,
            thaw_every: int | str | None = None,
            omega: float | str | None = None,
            reduction: float | str | None = None,
            patience: int | str | None = None,
            step: float | str | None = None,
            shrink: float | str | None = None,
            upper: float | str | None = None,
            lower: float | str | None = None,
            gamma: float | str | None = None,
            inner_steps: int | str | None = None,
            alpha_min: float | str | None = None,
            start_sweeps: int | str | None = None,
            line_search: str | None = None,
            factorisation: str | None = None,
            alpha_start: float | str | None = None,
            variant: str | None = None,
            memory: int | str | None = None,
            accuracy: float | str | None = None,
            core_iterations: int | str | None = None,
            outer: str | None = None,
            core: str | None = None,
            rho: float | str | None = None,
            adapt_every: int | str | None = None,
            steps_each_start: int | str | None = None,
            starts: int | str | None = None,
            paths: int | str | None = None,
            map: str | None = None,
            stored_leaves: int | str | None = None,
            max_momentum: float | str | None = None,
            late_momentum: float | str | None = None,
            polish_contacts: int | str | None = None,
            island_contacts: int | str | None = None,
            planar_island_contacts: int | str | None = None,
            ) -> Scene: ...
    # options: end
    def output(self, every: int | None = None, region: ArrayLike | None = None) -> Scene: ...
    def measure(self, name: str, of: str, **keys: Any) -> Scene: ...
    def exact(self, **keys: Any) -> Scene: ...
    def set(self, path: str, value: Any) -> Scene: ...
    def copy(self) -> Scene: ...
    def check(self) -> Scene: ...
    def write(self, path: Path) -> None: ...

def schemes() -> dict[str, str]: ...
def scheme_options(scheme: str | None = None) -> dict[str, dict[str, Any]]: ...
def adaptive_options() -> dict[str, dict[str, Any]]: ...
def solver_options(solver: str | None = None) -> dict[str, dict[str, Any]]: ...
def solvers() -> dict[str, str]: ...
def samples() -> dict[str, str]: ...
def shape_kinds() -> dict[str, str]: ...
def laws() -> dict[str, dict[str, Any]]: ...

# Simulations.

class ContactStatus(enum.IntEnum):
    open = 0
    separating = 1
    sticking = 2
    sliding = 3
    bilateral = 4

class Energy:
    kinetic: float
    potential: float
    work_external: float
    work_damping: float
    work_contact: float
    work_impact: float
    work_friction: float
    work_bond: float
    numerical: float
    total: float
    def __getitem__(self, name: str) -> float: ...
    def as_dict(self) -> dict[str, float]: ...

class SolveReport:
    status: str
    iterations: int
    residual: float
    residual_scaled: float
    velocity_error: float
    seconds: float
    note: str

class Body:
    name: str
    index: int
    mass: float
    moments: Array
    kind: str
    material: str
    shape: str
    @property
    def position(self) -> Array: ...
    @position.setter
    def position(self, value: ArrayLike) -> None: ...
    @property
    def rotation(self) -> Array: ...
    @rotation.setter
    def rotation(self, value: ArrayLike) -> None: ...
    @property
    def v(self) -> Array: ...
    @v.setter
    def v(self, value: ArrayLike) -> None: ...
    @property
    def omega(self) -> Array: ...
    @omega.setter
    def omega(self, value: ArrayLike) -> None: ...

class Joint:
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def rate(self) -> float: ...
    @property
    def effort(self) -> float: ...
    @effort.setter
    def effort(self, value: float) -> None: ...
    @property
    def force(self) -> Array: ...
    @property
    def moment(self) -> Array: ...
    @property
    def power(self) -> float: ...
    @property
    def work(self) -> float: ...

class Joints:
    @property
    def names(self) -> list[str]: ...
    @property
    def coordinates(self) -> list[str]: ...
    def __getitem__(self, name: str) -> Joint: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Joint]: ...
    def __contains__(self, name: object) -> bool: ...

class Bodies:
    names: list[str]
    mass: Array
    rotation: Array
    def __getitem__(self, key: str | int | Body) -> Body: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Body]: ...
    def __contains__(self, name: str) -> bool: ...
    @property
    def position(self) -> Array: ...
    @position.setter
    def position(self, values: ArrayLike) -> None: ...
    @property
    def v(self) -> Array: ...
    @v.setter
    def v(self, values: ArrayLike) -> None: ...
    @property
    def omega(self) -> Array: ...
    @omega.setter
    def omega(self, values: ArrayLike) -> None: ...

class Simulation:
    def __init__(self, scene: Scene | Path, *, threads: int = 1, set: Mapping[str, Any] | None = None,
                 force: SystemForce | BodyForce | Mapping[str, BodyForce] | None = None,
                 **options: Unpack[RunOptions]) -> None: ...
    def step(self) -> str: ...
    def run(self, until: float | None = None,
            callback: Callable[[Simulation], object] | None = None) -> str: ...
    def set(self, changes: Mapping[str, Any] | None = None, **options: Unpack[RunOptions]) -> None: ...
    def set_state(self, q: ArrayLike | None = None, v: ArrayLike | None = None,
                  t: float | None = None) -> None: ...
    def touching(self, body: str | int | Body | None = None, loaded: bool = True) -> list[str]: ...
    def problem(self) -> Problem | None: ...
    @property
    def t(self) -> float: ...
    @property
    def h(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def status(self) -> str: ...
    @property
    def q(self) -> Array: ...
    @q.setter
    def q(self, value: ArrayLike) -> None: ...
    @property
    def v(self) -> Array: ...
    @v.setter
    def v(self, value: ArrayLike) -> None: ...
    @property
    def bodies(self) -> Bodies: ...
    @property
    def joints(self) -> Joints: ...
    def controller(self, function: Callable[[Simulation], Mapping[str, float] | None],
                   rate: float) -> Simulation: ...
    @property
    def contacts(self) -> NDArray[np.void]: ...
    @property
    def impulses(self) -> Array: ...
    @property
    def energy(self) -> Energy: ...
    @property
    def energy_error(self) -> float: ...
    @property
    def solver(self) -> SolveReport: ...
    @property
    def measures(self) -> dict[str, float]: ...
    @property
    def impacts(self) -> dict[str, int]: ...
    @property
    def sample(self) -> dict[str, float]: ...
    @property
    def law_memory(self) -> dict[str, Array]: ...
    @property
    def seconds_by_stage(self) -> dict[str, float]: ...
    @property
    def is_world(self) -> bool: ...
    @property
    def title(self) -> str: ...
    @property
    def scheme(self) -> str: ...
    @property
    def scene_text(self) -> str: ...
    @property
    def q_names(self) -> list[str]: ...
    @property
    def v_names(self) -> list[str]: ...
    @property
    def contact_names(self) -> list[str]: ...

# Results.

class Results:
    path: str
    folder: str
    energy: Mapping[str, Array]
    solver: Mapping[str, NDArray[Any]]
    measures: Mapping[str, Array]
    sample: Mapping[str, Array]
    def __init__(self, folder: Path) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> Array: ...
    def names(self) -> list[str]: ...
    def dataset(self, name: str) -> Any: ...
    def contacts(self, row: int) -> NDArray[np.void]: ...
    @property
    def events(self) -> NDArray[np.void]: ...
    def body(self, name: str) -> int: ...
    def position(self, name: str) -> Array: ...
    def to_pandas(self) -> Any: ...
    def plot(self, *what: str, save: Path | None = None, **options: Any) -> Any: ...
    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def title(self) -> str: ...
    @property
    def scene(self) -> str: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def summary(self) -> dict[str, Any] | None: ...
    @property
    def status(self) -> str | None: ...
    @property
    def q_names(self) -> list[str]: ...
    @property
    def v_names(self) -> list[str]: ...
    @property
    def contact_names(self) -> list[str]: ...
    @property
    def body_names(self) -> list[str]: ...
    @property
    def is_world(self) -> bool: ...

def run(scene: Scene | Path, out: Path | None = None, *, threads: int = 1, resume: bool = False,
        dump_problems: int = 0, callback: Callable[[float, int], object] | None = None,
        set: Mapping[str, Any] | None = None,
        force: SystemForce | BodyForce | Mapping[str, BodyForce] | None = None,
        **options: Unpack[RunOptions]) -> Results: ...
def load(folder: Path) -> Results: ...

# Convergence studies.

class Convergence:
    schemes: list[str]
    steps: dict[str, Array]
    errors: dict[str, Array]
    errors_q: dict[str, Array]
    errors_v: dict[str, Array]
    errors_l1: dict[str, Array]
    orders: dict[str, float]
    half_widths: dict[str, float]
    pairwise_orders: dict[str, Array]
    cpu_seconds: dict[str, Array]
    iterations: dict[str, Array]
    failures: dict[str, list[str]]
    good: bool
    title: str
    norm: str
    reference: str
    observed: list[str]

def converge(scene: Scene | Path, schemes: str | Sequence[str], steps: Sequence[float] | Array,
             reference: Path | None = None, *, reference_scheme: str | None = None,
             norm: str = "L1", observe: str | Sequence[str] | None = None,
             tolerances: Sequence[float] = (), jobs: int = 0,
             set: Mapping[str, Any] | None = None,
             force: SystemForce | None = None, **options: Unpack[RunOptions]) -> Convergence: ...

# Orbits, modes, equilibria and sweeps.

class Orbit:
    status: str
    note: str
    good: bool
    period: float
    t: float
    q: Array
    v: Array
    energy: float
    closing: float
    impacts: int
    slowest_impact: float
    admissible: bool
    inadmissible: str
    stable: bool
    multipliers: NDArray[np.complex128]
    q_max: Array
    q_min: Array
    motion_t: Array
    motion_q: Array
    motion_v: Array

class Branch:
    status: str
    stop: str
    good: bool
    parameter: Array
    period: Array
    energy: Array
    stable: NDArray[np.bool_]
    impacts: NDArray[np.int64]
    slowest_impact: Array
    kind: list[str]
    t: Array
    q: Array
    v: Array
    q_max: Array
    q_min: Array
    multipliers: list[NDArray[np.complex128]]
    def at(self, kind: str) -> NDArray[np.int64]: ...

class Exponents:
    status: str
    note: str
    good: bool
    exponents: Array
    error: float
    time: float
    history: Array

class Modes:
    omega: Array
    omega_squared: Array
    shapes: Array
    eigenvalues: NDArray[np.complex128]
    closed: list[int]
    symmetric: bool

class Equilibria:
    status: str
    stop: str
    good: bool
    parameter: Array
    q: Array
    gap: Array
    force: Array
    stable: NDArray[np.bool_]
    growth: Array
    kind: list[str]
    contact: list[str]
    eigenvalues: list[NDArray[np.complex128]]
    def at(self, kind: str) -> NDArray[np.int64]: ...

class Sweep:
    title: str
    keys: list[str]
    values: dict[str, Any]
    down: NDArray[np.bool_]
    status: list[str]
    reason: list[str]
    good: bool
    measures: dict[str, Array]
    impacts: NDArray[np.int64]
    sticks: NDArray[np.int64]
    sticking: Array
    sliding: Array
    repeats_after: NDArray[np.int64]
    periods: NDArray[np.int64]
    impacts_per_repeat: NDArray[np.int64]
    attractor: NDArray[np.int64]
    attractors: list[str]
    end_q: Array
    end_v: Array
    sections: list[dict[str, Array]]
    files: list[str]
    def grid(self, values: ArrayLike) -> Array: ...

def orbit(scene: Scene | Path, period: float | str | None = None, *, kind: str = "forced",
          settle: float = 0, method: str = "multiple", drift: str | Sequence[str] = (),
          start: str = "scene", set: Mapping[str, Any] | None = None,
          force: SystemForce | None = None, **options: Unpack[RunOptions]) -> Orbit: ...
def branch(scene: Scene | Path, over: str, low: float, high: float,
           period: float | str | None = None, *, at: float | None = None, down: bool = False,
           kind: str = "forced", settle: float = 0, method: str = "multiple",
           drift: str | Sequence[str] = (), start: str = "scene", step: float = 0.02,
           max_points: int = 400, set: Mapping[str, Any] | None = None,
           force: SystemForce | None = None, **options: Unpack[RunOptions]) -> Branch: ...
def lyapunov(scene: Scene | Path, time: float, *, interval: float = 0, settle: float = 0,
             set: Mapping[str, Any] | None = None, force: SystemForce | None = None,
             **options: Unpack[RunOptions]) -> Exponents: ...
def modes(scene: Scene | Path, contacts: str = "open", *, set: Mapping[str, Any] | None = None,
          force: SystemForce | None = None, **options: Unpack[RunOptions]) -> Modes: ...
def equilibria(scene: Scene | Path, over: str | None = None, low: float = 0, high: float = 0, *,
               at: float | None = None, down: bool = False, step: float = 0.02,
               max_points: int = 2000, set: Mapping[str, Any] | None = None,
               force: SystemForce | None = None, **options: Unpack[RunOptions]) -> Equilibria: ...
def sweep(scene: Scene | Path, vary: Mapping[str, Any], *, section: str | None = None,
          period: float | str | None = None, contact: str | None = None, skip: float = 0,
          skip_periods: int = 0, keep: int = 100, carry: str = "none",
          drift: str | Sequence[str] = (), tolerance: float = 1e-6, jobs: int = 0,
          out: Path | None = None, set: Mapping[str, Any] | None = None,
          force: SystemForce | None = None, **options: Unpack[RunOptions]) -> Sweep: ...

# Solvers.

class Solution:
    status: str
    converged: bool
    iterations: int
    residual: float
    residual_scaled: float
    velocity_error: float
    seconds: float
    note: str
    r: Array
    u: Array
    history: NDArray[np.void]

class Problem:
    name: str
    title: str
    form: str
    contacts: int
    dimension: int
    u_free: Array
    mu: Array
    offset: NDArray[np.int32]
    W: Any
    def solve(self, *, solver: str = "auto", tol: float = 1e-8, max_iterations: int = 100000,
              time_limit: float | None = None, r: ArrayLike | None = None,
              **options: Any) -> Solution: ...
    def write(self, path: str, r: ArrayLike | None = None, u: ArrayLike | None = None) -> None: ...

def problem(W: Any, u_free: ArrayLike, mu: ArrayLike | None = None, *, dim: int | None = None,
            cones: Sequence[tuple[Any, ...]] | None = None) -> Problem: ...
def read_problem(path: Path) -> Problem: ...
def solve(W: Any, u_free: ArrayLike | None = None, mu: ArrayLike | None = None, *,
          solver: str = "auto", tol: float = 1e-8, max_iterations: int = 100000,
          time_limit: float | None = None, r: ArrayLike | None = None, dim: int | None = None,
          cones: Sequence[tuple[Any, ...]] | None = None, **options: Any) -> Solution: ...
def residual(W: Any, u_free: ArrayLike | None = None, mu: ArrayLike | None = None,
             r: ArrayLike | None = None, *, dim: int | None = None,
             cones: Sequence[tuple[Any, ...]] | None = None) -> tuple[float, float, float, Array]: ...
