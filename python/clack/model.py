"""Models built in code: the same tree as a scene file, read by the same reader."""

import copy

import numpy as np

from . import _clack
from .options import describe, path_of, scheme_options, solver_options
from .scene_text import flow, plain, text


class Law:
    """A law of contact of your own: derive from it and give an instance where a law is named.

    class Wear(clack.Law):
        variables = [("way", "m", 0.0)]          # what it remembers: name, unit, first value

        def prepare(self, contact, statement):   # its part of the one-step problem
            statement.add_tangential_disc(0.2 + 0.4*np.exp(-contact.memory[0]/0.4))

        def update(self, contact, memory):       # the memory at the end of the step
            memory[0] += abs(contact.way(1))

    name      word in messages and results (the class's name)
    iterates  True where the statement depends on contact.u and contact.r of the pass before
    stages    2 for laws of compression and expansion
    fault(tangents, turns) -> text   what a contact lacks for it, None where nothing
    reach(contact) -> gap [m]        up to which it acts on an open contact
    """

    variables = ()
    iterates = False
    stages = 1
    fault = None
    reach = None
    update = None

    def prepare(self, contact, statement):
        raise NotImplementedError("a law must have prepare(contact, statement)")


class System:
    """A system of your own: M(t,q) dv = F(t,q,v) dt + H(t,q) dr, u = H'v + w.

    nv                  number of coordinates and velocities
    contacts            list of dicts with name, tangents, mu, e_n, e_t, bilateral
    mass(t, q)          M, nv x nv [kg]
    forces(t, q, v)     F, nv values [N], or a dict of the groups potential, inertial, damping,
                        external, by which their works are booked
    energies(t, q, v)   kinetic and potential energy [J]; without it v'Mv/2 and 0, and forces that
                        are given as one array count as external
    jacobians(t, q, v)  K = -dF/dq and C = -dF/dv; without it by differences
    gaps(t, q)          one gap a contact [m]
    contact_map(t, q)   H (nv x rows), or H and w; rows of each contact: normal, then tangential
    """

    nv = 0
    contacts = ()
    energies = None
    jacobians = None
    gaps = None
    contact_map = None

    def mass(self, t, q):
        raise NotImplementedError("a system must have mass(t, q)")

    def forces(self, t, q, v):
        raise NotImplementedError("a system must have forces(t, q, v)")


def _given(**keys):
    """The keys that are not None, in the order written."""
    return {key: value for key, value in keys.items() if value is not None}


# Shapes: maps with the kind as the only key, as in a scene file. Lengths in m.

def sphere(radius):
    """A sphere [m]."""
    return {"sphere": {"radius": radius}}


def disc(radius):
    """A disc of the plane [m]."""
    return {"disc": {"radius": radius}}


def capsule(radius, length):
    """A capsule: length without its caps, along z (in the plane along x) [m]."""
    return {"capsule": {"radius": radius, "length": length}}


def cylinder(radius, length, rounding=None):
    """A cylinder along z [m]."""
    return {"cylinder": _given(radius=radius, length=length, rounding=rounding)}


def cone(radius, height, rounding=None):
    """A cone along z; its origin is the centre of mass [m]."""
    return {"cone": _given(radius=radius, height=height, rounding=rounding)}


def box(size, rounding=None):
    """A box of three sides [m]."""
    return {"box": _given(size=size, rounding=rounding)}


def plane(normal=None, offset=None):
    """The half space normal . x <= offset; by default below z = 0."""
    return {"plane": _given(normal=normal, offset=offset)}


def line(normal=None, offset=None):
    """The half plane normal . x <= offset; by default below y = 0."""
    return {"line": _given(normal=normal, offset=offset)}


def polyhedron(points, rounding=None):
    """The convex hull of points [m]."""
    return {"polyhedron": _given(points=points, rounding=rounding)}


def polygon(points, rounding=None):
    """The convex hull of points of the plane [m]."""
    return {"polygon": _given(points=points, rounding=rounding)}


def segment(start, end, rounding=None):
    """A segment of the plane [m]."""
    return {"segment": _given(start=start, end=end, rounding=rounding)}


def mesh(file, **options):
    """Triangles of a file (OBJ, STL, PLY); scale, two_sided, convex, rounding."""
    return {"mesh": {"file": str(file), **options}}


def height_field(points, spacing, **options):
    """A terrain on a grid: height (formula of x and y) or file; rounding."""
    return {"height-field": {"points": points, "spacing": spacing, **options}}


def ring(inner, outer):
    """A disc of the plane with a hole, touched inside too [m]."""
    return {"ring": {"inner": inner, "outer": outer}}


def tube(inner, outer, length):
    """A hollow cylinder about z, touched inside too [m]."""
    return {"tube": {"inner": inner, "outer": outer, "length": length}}


def socket(inner, outer):
    """A hollow ball, touched inside too [m]."""
    return {"socket": {"inner": inner, "outer": outer}}


def gear(teeth, module, **options):
    """A spur gear of the plane: pressure_angle, addendum, dedendum, backlash, chords."""
    return {"gear": {"teeth": teeth, "module": module, **options}}


def compound(*parts):
    """Several shapes as one body; each a dict with shape, position, rotation."""
    return {"compound": list(parts)}


# Samples: generators of bodies, `sample=clack.lattice(...)` of Scene.body.

def _sample(kind):
    def make(**options):
        return {kind: options}
    make.__name__ = kind.replace("-", "_")
    make.__doc__ = (f"A sample of the kind '{kind}': {_clack.samples()[kind]}. Keys as in a scene "
                    "file (docs/scene-bodies.md#samples).")
    return make


lattice = _sample("lattice")
random_packing = _sample("random-packing")
deposit = _sample("deposit")
voronoi = _sample("voronoi")
joints = _sample("joints")
wall = _sample("wall")
arch = _sample("arch")
vault = _sample("vault")
tower = _sample("tower")
dominoes = _sample("dominoes")
chute = _sample("chute")
hopper = _sample("hopper")
drum = _sample("drum")


# Systems with coordinates.

def rod(length, area, young, density, elements, mass=None, left=None):
    """An elastic rod of finite elements, for linear(rod=...): m, m^2, Pa, kg/m^3."""
    return _given(length=length, area=area, young=young, density=density, elements=elements,
                  mass=mass, left=left)


def linear(M=None, C=None, K=None, f=None, coordinates=None, velocities=None, contacts=None,
           constraints=None, rod=None):
    """M dv + (C v + K q) dt = f(t) dt + H dr, gap = G q + g0(t) [SI].

    M, C, K: arrays, or sparse matrices of SciPy, which stay sparse. f: formulas of t, one for each
    coordinate or one for all, a map by coordinate, or one function f(t, q, v). contacts: dicts with
    G, g0, T, drive, mu, e_n, ...; with a sparse matrix as G one contact for each of its rows, named
    'NAME 1', 'NAME 2', ...; then T is sparse too and g0 a formula for all or an array.
    """
    force = f if callable(f) else None
    tables = {}
    M, C, K = (_filed(tables, name, x) for name, x in (("M", M), ("C", C), ("K", K)))
    if tables and isinstance(f, np.ndarray) and f.dtype != object:
        f = _filed_column(tables, "f", f)
    tree = _given(type="linear", M=M, C=C, K=K, f=None if force else f, rod=rod,
                  coordinates=coordinates, velocities=velocities,
                  contacts=_filed_rows(tables, "contacts", contacts),
                  constraints=_filed_rows(tables, "constraints", constraints))
    return _SystemTree(tree, force, tables)


def _filed(tables, name, matrix):
    """A sparse matrix goes into `tables` as a file with that name would hold it; others stay."""
    if not hasattr(matrix, "tocoo"):
        return matrix
    entries = matrix.tocoo(copy=True)
    entries.sum_duplicates()
    if np.iscomplexobj(entries.data):
        raise TypeError(f"{name}: expected a sparse matrix of real numbers; found {entries.dtype}")
    bad = np.flatnonzero(~np.isfinite(entries.data))
    if bad.size:
        raise _clack.InputError(f"{name}[{entries.row[bad[0]]}, {entries.col[bad[0]]}] is "
                                f"{entries.data[bad[0]]}; it must be finite")
    lines = np.column_stack([entries.row + 1, entries.col + 1, entries.data]).astype(float)
    head = [[entries.shape[0], entries.shape[1], entries.nnz]]
    tables[name] = (["row", "column", "value"], np.vstack([np.asarray(head, dtype=float), lines]))
    return {"file": name}


def _filed_column(tables, name, values):
    values = np.asarray(values, dtype=float).ravel()
    rows = np.arange(1, values.size + 1)
    lines = np.column_stack([rows, np.ones(values.size), values])
    tables[name] = (["row", "column", "value"],
                    np.vstack([[[float(values.size), 1.0, float(values.size)]], lines]))
    return {"file": name}


def _filed_rows(tables, what, contacts):
    if contacts is None:
        return None
    result = []
    for i, contact in enumerate(contacts):
        contact = dict(contact)
        sparse = hasattr(contact.get("G"), "tocoo")
        for key in ("G", "T", "turn"):
            if key in contact:
                contact[key] = _filed(tables, f"{what}.{i}.{key}", contact[key])
        g0 = contact.get("g0")
        if sparse and isinstance(g0, (list, tuple, np.ndarray)) and np.ndim(g0) > 0:
            contact["g0"] = _filed_column(tables, f"{what}.{i}.g0", g0)
        result.append(contact)
    return result


def lagrangian(coordinates, kinetic, potential=None, dissipation=None, forces=None, define=None,
               velocities=None, contacts=None, constraints=None):
    """A system by its energies, as formulas of the coordinates and their rates x'.

    forces: a map of coordinates to formulas or functions of (t, q, v), or one function of (t, q, v)
    for all. contacts: dicts with gap, tangent, mu, e_n, ...
    """
    coordinates = [coordinates] if isinstance(coordinates, str) else list(coordinates)
    force, formulas = None, forces
    if callable(forces):
        force, formulas = forces, None
    elif isinstance(forces, dict) and any(callable(x) for x in forces.values()):
        formulas = {name: x for name, x in forces.items() if not callable(x)} or None
        force = _by_coordinate(coordinates, {n: x for n, x in forces.items() if callable(x)})
    tree = _given(type="lagrangian", coordinates=coordinates, velocities=velocities, define=define,
                  kinetic=kinetic, potential=potential, dissipation=dissipation, forces=formulas,
                  contacts=contacts, constraints=constraints)
    return _SystemTree(tree, force)


def _by_coordinate(coordinates, functions):
    for name in functions:
        if name not in coordinates:
            raise _clack.InputError(f"system.forces.{name}: '{name}' is not a coordinate; allowed: "
                                    + ", ".join(coordinates))
    places = [(coordinates.index(name), function) for name, function in functions.items()]

    def force(t, q, v):
        values = np.zeros(len(coordinates))
        for place, function in places:
            values[place] = function(t, q, v)
        return values
    return force


class _SystemTree(dict):
    """The `system:` part of a scene, with a force of Python where there is one, and the sparse
    matrices that it names."""

    def __init__(self, tree, force=None, tables=None):
        super().__init__(tree)
        self.force = force
        self.tables = tables or {}


class Scene:
    """A scene built in code. Its methods are the keys of a scene file (docs/scene.md), and it is read
    by the same reader with the same messages; `print(scene)` shows the file.

        scene = clack.Scene("Ball on a floor", gravity=[0, 0, -9.81])
        scene.material("steel", density=7800, mu=0.3, e_n=0.8)
        scene.body("floor", clack.plane(), fixed=True)
        scene.body("ball", clack.sphere(0.1), position=[0, 0, 1])
        scene.simulation(step=1e-3, end=2)
        sim = clack.Simulation(scene)
    """

    def __init__(self, title=None, system=None, *, description=None, parameters=None, space=None,
                 gravity=None, coordinates=None):
        self.tree = {"clack": 1}
        if title is not None:
            self.tree["title"] = title
        if description is not None:
            self.tree["description"] = description
        if parameters is not None:
            self.tree["parameters"] = dict(parameters)
        self._force = None
        self._tables = {}
        self._matrices = {}
        self._own_system = None
        if system is not None:
            self.system(system)
        if space is not None:
            self._world()["space"] = space
        if gravity is not None:
            self._world()["gravity"] = gravity
        if coordinates is not None:
            self._world()["coordinates"] = coordinates

    # What is simulated.

    def system(self, system, coordinates=None, velocities=None):
        """linear(...), lagrangian(...), a map as in a scene file, or a System of your own."""
        if isinstance(system, dict):
            self.tree["system"] = dict(system)
            self._matrices = dict(getattr(system, "tables", {}))
            if getattr(system, "force", None) is not None:
                self.force(system.force)
            return self
        self._own_system = system
        self.tree["system"] = _given(type="own", object=type(system).__name__,
                                     coordinates=coordinates, velocities=velocities)
        return self

    def _world(self):
        return self.tree.setdefault("system", {"type": "rigid-bodies"})

    def material(self, name, density=None, mu=None, e_n=None):
        """A material: density [kg/m^3, in the plane kg/m^2], friction and restitution [-]."""
        materials = self._world().setdefault("materials", {})
        materials[name] = _given(density=density, mu=mu, e_n=e_n)
        return self

    def pair(self, a, b, mu=None, e_n=None, normal=None, friction=None, cohesion=None):
        """What two materials do where they meet, in place of the means of their numbers."""
        self._world().setdefault("pairs", []).append(
            _given(materials=[a, b], mu=mu, e_n=e_n, normal=normal, friction=friction,
                   cohesion=cohesion))
        return self

    def cell(self, period, shear_rate=None, shear_normal=None):
        """A periodic cell: its sides [m], 0 where it is open; rate of shear [1/s]."""
        self._world()["cell"] = _given(period=period, shear_rate=shear_rate,
                                       shear_normal=shear_normal)
        return self

    def body(self, name=None, shape=None, **keys):
        """One body, or those of a `sample`; keys as in a scene file: material, position, rotation,
        velocity, spin, fixed, driven, force, torque, mass, inertia, born, removed, group, ignores.
        `force` may be a function f(t, position, rotation, v, omega) -> 3 or 6 values [N, N m]."""
        force = keys.get("force")
        if callable(force):
            del keys["force"]
            if name is None:
                raise _clack.InputError("a body with a function as force needs a name")
            if self._force is not None and not isinstance(self._force, dict):
                raise _clack.InputError("there is a force on all bodies already")
            self._force = {**(self._force or {}), name: force}
        self._world().setdefault("bodies", []).append(_given(name=name, shape=shape, **keys))
        return self

    def bodies(self, name, positions, radii=None, shape=None, rotations=None, **keys):
        """Many bodies NAME_1, NAME_2, ... at positions (n, 3), in the plane (n, 2) [m]: balls of
        `radii` (n values or one number) or copies of `shape`; rotations (n, 3) as rotation vectors,
        in the plane n angles [rad]. Other keys as of `body`."""
        positions = np.asarray(positions, dtype=float)
        planar = self._world().get("space") == "2d"
        if positions.ndim != 2 or positions.shape[1] != (2 if planar else 3):
            raise _clack.InputError(f"positions of '{name}': expected the shape (n, "
                                    f"{2 if planar else 3}); found {positions.shape}")
        names, columns = ["x", "y"] if planar else ["x", "y", "z"], [positions]
        n = len(positions)
        if radii is not None:
            names.append("radius")
            columns.append(self._column(name, "radii", np.broadcast_to(radii, n) if
                                        np.ndim(radii) == 0 else radii, n, 1))
        if rotations is not None:
            names += ["angle"] if planar else ["rx", "ry", "rz"]
            columns.append(self._column(name, "rotations", rotations, n, 1 if planar else 3))
        table = f"{name}.table"
        if table in self._tables:
            raise _clack.InputError(f"the name '{name}' is taken already")
        self._tables[table] = (names, np.hstack(columns))
        return self.body(name, shape, sample={"table": {"file": table}}, **keys)

    @staticmethod
    def _column(name, what, values, n, width):
        values = np.asarray(values, dtype=float)
        if values.size != n * width or values.shape[0] != n:
            raise _clack.InputError(f"{what} of '{name}': expected {n} rows of {width}; found the "
                                    f"shape {values.shape}")
        return values.reshape(n, width)

    def shape(self, name, shape):
        """A shape with a name, for several bodies."""
        self._world().setdefault("shapes", {})[name] = shape
        return self

    def link(self, a, b, link, **keys):
        """A tie between two bodies: a law of the kind `link`, and point or points [m]."""
        self._world().setdefault("links", []).append(_given(bodies=[a, b], link=link, **keys))
        return self

    def joint(self, kind, bodies, name=None, **keys):
        """A joint between two bodies, the first of which may be 'ground': point or points, axis or
        axes, limits, spring, damping, motor, drive, servo, friction, control, ... as in a scene file
        (docs/scene-bodies.md#joints)."""
        self._world().setdefault("joints", []).append(
            _given(name=name, kind=kind, bodies=list(bodies), **keys))
        return self

    def coupler(self, of, name=None, constant=None):
        """The sum of factor times coordinate is constant, {"small": 2, "large": 3}: gears, racks."""
        self._world().setdefault("couplers", []).append(
            _given(name=name, of=dict(of), constant=constant))
        return self

    def force(self, force):
        """A force of your own. For a system with coordinates f(t, q, v) -> nv values [N]; for rigid
        bodies f(t, position, rotation, v, omega) -> (n, 3) or (n, 6) with all bodies at once, or a
        dict of names to functions of one body (vectors in place of arrays)."""
        self._force = force
        return self

    # How it is simulated.

    def initial(self, q=None, v=None, t=None):
        """The start: lists, maps by name, or one number for all."""
        self.tree["initial"] = _given(t=t, q=q, v=v)
        return self

    def simulation(self, step, end, scheme=None, **keys):
        """Time step and end [s], scheme and its options."""
        self.tree["simulation"] = _given(scheme=scheme, step=step, end=end, **keys)
        return self

    def solver(self, name=None, tolerance=None, max_iterations=None, time_limit=None, **own):
        """The solver of the one-step problems, and options of its own (clack.solver_options)."""
        self.tree["solver"] = _given(name=name, tolerance=tolerance, max_iterations=max_iterations,
                                     time_limit=time_limit, **own)
        return self

    def output(self, every=None, region=None):
        """Steps between two rows of the results; the region of the sample's measures [m]."""
        self.tree["output"] = _given(every=every, region=region)
        return self

    def measure(self, name, of, **keys):
        """A figure of the run: a formula, and take, after, level, unit."""
        self.tree.setdefault("measures", []).append(_given(name=name, of=of, **keys))
        return self

    def exact(self, **keys):
        """The motion in closed form, for convergence studies."""
        self.tree["exact"] = keys
        return self

    def set(self, path, value):
        """Any value by its path, as in 'simulation.step' or 'system.contacts.0.mu'."""
        node, parts = self.tree, str(path).split(".")
        for part in parts[:-1]:
            if isinstance(node, list):
                node = node[int(part)]
            else:
                node = node.setdefault(part, {})
        if isinstance(node, list):
            node[int(parts[-1])] = value
        else:
            node[parts[-1]] = value
        return self

    # What comes of it.

    def _resolved(self):
        """The tree with names in place of laws of Python, and these laws."""
        laws = {}

        def walk(value):
            if isinstance(value, dict):
                return {key: walk(item) for key, item in value.items()}
            if isinstance(value, (list, tuple)):
                return [walk(item) for item in value]
            if hasattr(value, "prepare"):
                return name_of(value)
            return value

        def name_of(law):
            name = str(getattr(law, "name", None) or type(law).__name__)
            while laws.get(name, law) is not law or name in _clack.laws():
                name += "'"
            laws[name] = law
            return name

        return walk(self.tree), laws

    def _loaded(self, overrides=()):
        tree, laws = self._resolved()
        systems = {}
        if self._own_system is not None:
            systems[tree["system"]["object"]] = self._own_system
        return _clack.LoadedScene(text=text(tree), overrides=list(overrides), laws=laws,
                                  systems=systems, tables={**self._tables, **self._matrices},
                                  force=self._force)

    def __str__(self):
        return text(self._resolved()[0])

    def __repr__(self):
        return f"<clack.Scene '{self.tree.get('title', '')}'>"

    def copy(self):
        """A scene of its own with the same content."""
        other = Scene()
        other.tree = _copy_tree(self.tree)
        other._force = dict(self._force) if isinstance(self._force, dict) else self._force
        other._tables = dict(self._tables)
        other._matrices = dict(self._matrices)
        other._own_system = self._own_system
        return other

    def check(self):
        """Raises InputError with every complaint."""
        self._loaded()
        return self

    def write(self, path):
        """Writes the scene file. Not for scenes with functions, laws or arrays of Python."""
        _, laws = self._resolved()
        if (laws or self._force is not None or self._tables or self._matrices
                or self._own_system is not None):
            raise _clack.InputError("a file cannot hold laws, functions and arrays of Python")
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(self))


Scene.simulation.__doc__ += "\n\n" + describe(scheme_options())
Scene.solver.__doc__ += "\n\n" + describe(solver_options())


def _copy_tree(value):
    if isinstance(value, dict):
        return {key: _copy_tree(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy_tree(item) for item in value]
    return copy.copy(value) if isinstance(value, np.ndarray) else value


def overrides(options, assignments=None):
    """Keyword arguments as path=value: those of `simulation`, of `solver` with its own options, of the
    output and of the start. `solver` is a name or a dict with `name` and options."""
    pairs = []
    for key, value in options.items():
        if key == "solver" and isinstance(value, dict):
            pairs += [(f"solver.{name}", item) for name, item in value.items()]
        else:
            pairs.append((path_of(key), value))
    pairs = [(path, value) for path, value in pairs if value is not None]
    pairs += list((assignments or {}).items())
    return [f"{path}={flow(plain(value))}" for path, value in pairs]


def read(scene, options=None, assignments=None, force=None):
    """A LoadedScene of a Scene, a path, or the text of a scene."""
    changes = overrides(options or {}, assignments)
    if isinstance(scene, _clack.LoadedScene):
        if changes or force is not None:
            raise TypeError("a scene that is read already takes no options")
        return scene
    if isinstance(scene, Scene):
        if force is not None:
            scene = scene.copy().force(force)
        return scene._loaded(changes)
    if isinstance(scene, str) and "\n" in scene:
        return _clack.LoadedScene(text=scene, overrides=changes, force=force)
    if not isinstance(scene, str) and not hasattr(scene, "__fspath__"):
        raise TypeError("expected a clack.Scene, the path of a scene file or the text of a scene; "
                        f"found {type(scene).__name__}")
    path = scene if isinstance(scene, str) else scene.__fspath__()
    if not path:
        raise _clack.IoError("the path of the scene is empty")
    return _clack.LoadedScene(path=path, overrides=changes, force=force)
