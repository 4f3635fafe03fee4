"""Rigid bodies under schemes other than their default: state, bodies, contacts, changes."""
import unittest

from support import Case, clack, np

SCENE = """
clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {steel: {density: 7800, mu: 0.3}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: post, shape: {sphere: {radius: 0.005}}, fixed: true, position: [0, 0, 1]}
    - {name: bob, shape: {sphere: {radius: 0.02}}, position: [0.1, 0, 1]}
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0.1], velocity: [1, 0, 0]}
  links: [{name: pin, bodies: [post, bob], point: [0, 0, 1], link: hinge}]
simulation: {step: 1.0e-3, end: 1}
"""


class BodySchemes(Case):
    def test_state_bodies_and_contacts_are_those_of_the_scheme(self):
        for scheme in ["stewart-trinkle", "rattle", "moreau-direct-projection"]:
            sim = clack.Simulation(SCENE, scheme=scheme)
            self.assertEqual(sim.run(until=0.2), "converged", scheme)
            bob = np.array(sim.bodies["bob"].position)
            np.testing.assert_allclose(np.linalg.norm(bob - [0, 0, 1]), 0.1, atol=1e-10)
            np.testing.assert_allclose(bob, sim.q[14:17])
            touching = sim.contacts[(sim.contacts["body_a"] == 0) & (sim.contacts["body_b"] == 3)]
            self.assertEqual(len(touching), 1, scheme)
            weight = 9.81 * sim.bodies["ball"].mass
            self.assertAlmostEqual(touching["r"][0, 0] / sim.h / weight, 1, places=6)

    def test_coordinates_of_joints_stand_behind_the_bodies(self):
        link = "links: [{name: pin, bodies: [post, bob], point: [0, 0, 1], link: hinge}]"
        joint = ("joints: [{name: pin, kind: revolute, bodies: [post, bob], point: [0, 0, 1], "
                 "axis: [0, 1, 0]}]")
        scene = SCENE.replace(link, joint)
        self.assertNotEqual(scene, SCENE)
        sim = clack.Simulation(scene)
        self.assertEqual(len(sim.q), 7 * 4 + 1)
        self.assertEqual(sim.bodies.rotation.shape, (4, 4))
        self.assertEqual(len(clack.plot.Snapshot(sim, -1).q), 4)

    def test_q_and_v_may_be_changed(self):
        sim = clack.Simulation(SCENE, scheme="rattle")
        sim.run(until=0.05)
        v = np.array(sim.v)
        v[18] = 0.25
        sim.set_state(v=v)
        self.assertEqual(sim.v[18], 0.25)
        self.assertEqual(sim.step(), "converged")

    def test_a_run_goes_on_by_another_scheme(self):
        for first, second in (("rattle", "stewart-trinkle"), ("stewart-trinkle", "moreau-jean")):
            sim = clack.Simulation(SCENE, scheme=first)
            sim.run(until=0.05)
            q, steps = np.array(sim.q), sim.steps
            sim.set(scheme=second)
            np.testing.assert_array_equal(np.array(sim.q), q)
            self.assertEqual(sim.step(), "converged")
            self.assertEqual(sim.steps, steps + 1)
            self.assertLess(np.abs(np.array(sim.q) - q).max(), 0.01)

    def test_a_body_may_be_moved_under_every_scheme(self):
        for scheme in ("stewart-trinkle", "rattle", "moreau-jean"):
            sim = clack.Simulation(SCENE, scheme=scheme)
            sim.step()
            sim.bodies["ball"].position = [0, 0, 2.0]
            self.assertEqual(sim.bodies["ball"].position[2], 2.0)
            self.assertEqual(sim.step(), "converged")
            self.assertLess(abs(sim.bodies["ball"].position[2] - 2), 0.01)


if __name__ == "__main__":
    unittest.main()
