"""Joints in code: coordinates, reactions, controllers at a fixed rate."""

import math
import unittest

from support import Case, clack


def pendulum(coordinates=None, **keys):
    """A rod of 1 m and 1 kg on the ground, level at the start; its angle counts from there."""
    scene = clack.Scene("Pendulum", space="2d", gravity=[0, -10], coordinates=coordinates)
    scene.material("m", mu=0)
    scene.body("rod", clack.capsule(0.01, 0.5), mass=1, inertia=1/12, position=[0.5, 0])
    scene.joint("revolute", ["ground", "rod"], name="pin", point=[0, 0], **keys)
    return scene.simulation(step=1e-3, end=1)


class Joints(Case):
    def test_coordinates_follow_the_bodies(self):
        sim = clack.Simulation(pendulum())
        sim.run(0.3)
        pin, rod = sim.joints["pin"], sim.bodies["rod"]
        self.assertEqual(sim.joints.names, ["pin"])
        self.assertEqual(sim.joints.coordinates, ["pin.angle"])
        self.assertAlmostEqual(pin.value, math.atan2(rod.position[1], rod.position[0]), places=12)
        self.assertAlmostEqual(pin.rate, rod.omega[2], places=12)
        self.assertEqual(sim.joints["pin.angle"].value, pin.value)

    def test_joint_coordinates_show_bodies_as_before(self):
        sim = clack.Simulation(pendulum(coordinates="joints"))
        sim.run(0.3)
        pin, rod = sim.joints["pin"], sim.bodies["rod"]
        self.assertEqual(len(sim.v), 6)
        self.assertAlmostEqual(pin.value, math.atan2(rod.position[1], rod.position[0]), places=12)
        self.assertAlmostEqual(pin.rate, rod.omega[2], places=12)
        self.assertAlmostEqual(rod.v[1], 0.5*pin.rate*math.cos(pin.value), places=12)

    def test_in_joint_coordinates_bodies_stand_where_their_joints_say(self):
        sim = clack.Simulation(pendulum(coordinates="joints"))
        q = sim.q.copy()
        q[7] = -math.pi/2
        sim.set_state(q=q)
        self.assertAlmostEqual(sim.bodies["rod"].position[1], -0.5, places=12)
        with self.assertRaisesRegex(ValueError, "hangs on a joint and is in joint coordinates"):
            sim.bodies["rod"].position = [0, 1, 0]

    def test_the_reaction_of_a_released_rod_is_a_quarter_of_its_weight(self):
        for coordinates in ("bodies", "joints"):
            sim = clack.Simulation(pendulum(coordinates), step=1e-5)
            sim.step()
            self.assertAlmostEqual(sim.joints["pin"].force[1], 2.5, places=3)
            self.assertAlmostEqual(sim.joints["pin"].force[0], 0, places=3)

    def test_bodies_beside_coordinates_have_their_rotations(self):
        sim = clack.Simulation(pendulum())
        sim.run(0.2)
        self.assertAlmostEqual(2*math.atan2(*sim.bodies.rotation[0, [3, 0]]), sim.joints["pin"].value,
                               places=12)

    def test_a_controller_is_called_at_its_rate_and_holds_its_effort(self):
        for scheme in ("stewart-trinkle", "moreau-jean", "rattle"):
            calls = []
            sim = clack.Simulation(pendulum(control=True), scheme=scheme)

            def hold(simulation):
                calls.append(simulation.t)
                pin = simulation.joints["pin"]
                return {"pin": 5*math.cos(pin.value) - 20*(pin.value - 0.5) - 4*pin.rate}

            sim.controller(hold, rate=200)
            sim.run(3)
            self.assertEqual(len(calls), 600 + 1, scheme)
            self.assertAlmostEqual(calls[100], 0.5, places=9)
            self.assertAlmostEqual(sim.joints["pin"].value, 0.5, places=3)

    def test_steps_one_by_one_are_controlled_as_a_run_is(self):
        ends = []
        for by_steps in (True, False):
            sim = clack.Simulation(pendulum(control=True))
            sim.controller(lambda s: {"pin": 3*math.sin(20*s.t)}, rate=300)
            if by_steps:
                for _ in range(500):
                    sim.step()
            else:
                sim.run(0.5)
            ends.append(sim.joints["pin"].value)
        self.assertEqual(ends[0], ends[1])

    def test_efforts_are_external_work(self):
        sim = clack.Simulation(pendulum(control=True), scheme="moreau-jean")
        sim.joints["pin"].effort = 4.0
        sim.run(0.5)
        work = 4.0*sim.joints["pin"].value
        self.assertAlmostEqual(sim.energy.work_external, work, places=6)

    def test_gears_keep_their_ratio(self):
        scene = pendulum()
        scene.body("wheel", clack.disc(0.1), position=[3, 0])
        scene.joint("revolute", ["ground", "wheel"], name="axle", point=[3, 0])
        scene.coupler({"pin": 2, "axle": 3})
        sim = clack.Simulation(scene)
        sim.run(0.5)
        self.assertAlmostEqual(2*sim.joints["pin"].value + 3*sim.joints["axle"].value, 0, places=12)

    def test_messages(self):
        sim = clack.Simulation(pendulum())
        with self.assertRaisesRegex(KeyError, "no joint 'pni'; joints: pin"):
            sim.joints["pni"]
        with self.assertRaisesRegex(clack.InputError, "control: true"):
            sim.joints["pin"].effort = 1.0
        with self.assertRaisesRegex(clack.InputError, "kind"):
            clack.Simulation(pendulum(kind2=1))


if __name__ == "__main__":
    unittest.main()
