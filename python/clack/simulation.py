"""Simulations: one class for systems with coordinates and for worlds of rigid bodies."""

import enum

import numpy as np

from . import _clack, model


class ContactStatus(enum.IntEnum):
    """How a contact ended a step, the codes of `contacts["status"]`."""

    open = 0
    separating = 1
    sticking = 2
    sliding = 3
    bilateral = 4


class Simulation(_clack.SimulationBase):
    """A simulation of a scene: a path, a clack.Scene or the text of a scene.

    Keyword arguments replace values of the scene: those of `simulation` (step, end, scheme, theta,
    ...; clack.scheme_options), solver, its options (tolerance, relaxation, ...;
    clack.solver_options), every, q, v, t; any other by its path in `set`, as
    set={"parameters.k": 3}. `force` is a force of your own (Scene.force), `threads` are
    those of rigid bodies; any number gives the same bits.

        sim = clack.Simulation("examples/woodpecker.yaml", step=1e-4)
        sim.step()
        sim.run(until=1)
        sim.t, sim.q, sim.v, sim.contacts, sim.energy, sim.solver
    """

    def __init__(self, scene, *, threads=1, set=None, force=None, **options):
        super().__init__(model.read(scene, options, set, force), threads)
        self._controllers = []

    def step(self):
        """One step; returns its status, 'converged' where all tolerances are met."""
        self._control()
        return super().step()

    def controller(self, function, rate):
        """Calls function(simulation) before the step at t = 0, 1/rate, 2/rate, ... of this
        simulation (rate [1/s]); it returns efforts by joint, {"elbow": 2.5} or {"slide.x": 1}, of
        joints with `control` in the scene. They act until the next call [N, N m]."""
        if not rate > 0:
            raise ValueError(f"rate is {rate}; it must be > 0")
        self._controllers.append([function, float(rate), self.t, 0])
        return self

    def _control(self):
        for entry in self._controllers:
            function, rate, start, calls = entry
            if self.t < start + calls / rate - 1e-9 / rate:
                continue
            entry[3] = int((self.t - start) * rate + 1e-9) + 1
            for name, effort in (function(self) or {}).items():
                self.joints[name].effort = effort

    def run(self, until=None, callback=None):
        """Steps until t >= until [s], by default to the scene's end, and returns 'converged' or the
        status of the first step that missed a tolerance. The callback is called with the simulation
        after each step and may change it; False ends the run. Ctrl-C ends it between two steps."""
        until = self.end if until is None else float(until)
        if not self._controllers:
            return self._run(until, callback)

        def after_step(simulation):
            go_on = callback(simulation) if callback is not None else None
            self._control()
            return go_on
        self._control()
        return self._run(until, after_step)

    def set(self, changes=None, **options):
        """Goes on with other values of the scene, by paths in a dict or as keyword arguments of the
        constructor: sim.set({"parameters.k": 3}), sim.set(step=1e-4). State and time stay; energy
        that a change of parameters adds is booked as work_external."""
        self._change(model.overrides(options, changes))

    @property
    def bodies(self):
        """The rigid bodies, by name or number."""
        return Bodies(self)

    @property
    def joints(self):
        """The joints of rigid bodies, by name; of a joint with several coordinates each of them by
        JOINT.COORDINATE."""
        return Joints(self)

    def touching(self, body=None, loaded=True):
        """Names of what touches a body: of the bodies at the other side of contacts that carry an
        impulse, or with loaded=False of all contacts of the last step. Of a system with coordinates
        the names of its contacts, without `body`."""
        contacts = self.contacts
        if loaded:
            contacts = contacts[contacts["r"][:, 0] > 0]
        if not self.is_world:
            if body is not None:
                raise TypeError("a system with coordinates has no bodies: touching() names contacts")
            names = self.contact_names
            return [names[i] for i in contacts["id"]]
        index = self._body_index(body)
        others = np.concatenate([contacts["body_b"][contacts["body_a"] == index],
                                 contacts["body_a"][contacts["body_b"] == index]])
        names = self._body_names
        return [names[i] for i in np.unique(others)]

    def __repr__(self):
        return f"<clack.Simulation '{self.title}' at t = {self.t:.6g} s after {self.steps} steps>"


class Bodies:
    """The bodies of a simulation: bodies["ball"], bodies[3]; arrays of all of them are views, with a
    row for each body. Assign an array to change all free bodies at once."""

    __slots__ = ("_simulation",)

    def __init__(self, simulation):
        if not simulation.is_world:
            raise TypeError("this simulation has no rigid bodies: it is a system with coordinates")
        object.__setattr__(self, "_simulation", simulation)

    def __getitem__(self, key):
        return self._simulation._body(key)

    def __len__(self):
        return len(self._simulation._masses)

    def __iter__(self):
        return (self._simulation._body(i) for i in range(len(self)))

    def __contains__(self, name):
        return name in self.names

    @property
    def names(self):
        """Names in the order of the rows."""
        return self._simulation._body_names

    @property
    def mass(self):
        """Masses [kg], (n,); of no account unless a body is free."""
        return self._simulation._masses

    @property
    def position(self):
        """Positions of the centres of mass [m], (n, 3)."""
        return self._simulation._positions

    @position.setter
    def position(self, values):
        self._simulation._positions = values

    @property
    def rotation(self):
        """Unit quaternions (w, x, y, z), (n, 4); a view of q."""
        return self._simulation.q[:7 * len(self)].reshape(-1, 7)[:, 3:]

    @property
    def v(self):
        """Velocities of the centres of mass [m/s], (n, 3)."""
        return self._simulation._velocities

    @v.setter
    def v(self, values):
        self._simulation._velocities = values

    @property
    def omega(self):
        """Angular velocities in the bodies' frames [rad/s], (n, 3)."""
        return self._simulation._omegas

    @omega.setter
    def omega(self, values):
        self._simulation._omegas = values

    def __repr__(self):
        return f"<{len(self)} bodies>"


class Joints:
    """The joints of a simulation: joints["elbow"], joints["rail.slide"]."""

    __slots__ = ("_simulation",)

    def __init__(self, simulation):
        if not simulation.is_world:
            raise TypeError("this simulation has no rigid bodies: it is a system with coordinates")
        self._simulation = simulation

    @property
    def names(self):
        """Names of all joints, then of links that hold."""
        return self._simulation._joint_names

    @property
    def coordinates(self):
        """Names of all coordinates, JOINT.COORDINATE, in their order in q behind the bodies."""
        return [f"{joint}.{name}" for joint, name in self._simulation._joint_coordinates]

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return (self[name] for name in self.names)

    def __contains__(self, name):
        return name in self.names

    def __getitem__(self, name):
        places = [i for i, (joint, coordinate) in enumerate(self._simulation._joint_coordinates)
                  if name in (joint, f"{joint}.{coordinate}")]
        joint = name if name in self.names else name.rpartition(".")[0]
        if joint not in self.names or (joint != name and not places):
            raise KeyError(f"there is no joint '{name}'; joints: {', '.join(self.names)}")
        return Joint(self._simulation, joint, places)

    def __repr__(self):
        return f"<{len(self)} joints: {', '.join(self.names)}>"


class Joint:
    """A joint, or one of its coordinates: value and rate of the coordinate, an effort from outside,
    and what the joint carries."""

    __slots__ = ("_simulation", "name", "_places")

    def __init__(self, simulation, name, places):
        self._simulation, self.name, self._places = simulation, name, places

    def _only(self):
        if len(self._places) != 1:
            raise TypeError(f"joint '{self.name}' has {len(self._places)} coordinates; name one as "
                            f"'{self.name}.COORDINATE'")
        return self._places[0]

    @property
    def value(self):
        """The coordinate [m, rad]; angles with their full turns."""
        simulation = self._simulation
        return float(simulation.q[7 * len(simulation._masses) + self._only()])

    @property
    def rate(self):
        """Its rate [m/s, rad/s]."""
        return self._simulation._joint_rate(self._only())

    @property
    def effort(self):
        """Force or torque on the coordinate from outside; the scene must say `control` [N, N m]."""
        return self._simulation._joint_effort(self._only())

    @effort.setter
    def effort(self, value):
        self._simulation._set_joint_effort(self._only(), float(value))

    @property
    def force(self):
        """Mean force over the last step on the second body at the joint's point, in the joint's
        frame of the first one [N]."""
        return self._reaction()[:3]

    @property
    def moment(self):
        """Mean moment about that point [N m]."""
        return self._reaction()[3:]

    @property
    def power(self):
        """Mean power of its motors, drives and servos over the last step [W]."""
        return self._simulation._joint_drive(self._simulation._joint_names.index(self.name))[0]

    @property
    def work(self):
        """Work that they have done so far [J]."""
        return self._simulation._joint_drive(self._simulation._joint_names.index(self.name))[1]

    def _reaction(self):
        number = self._simulation._joint_names.index(self.name)
        return self._simulation._joint_reactions[number]

    def __repr__(self):
        return f"<joint '{self.name}'>"
