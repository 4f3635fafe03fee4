"""Contacts as structured arrays: signs, forces, who touches whom, a million of them."""

import unittest

from support import EXAMPLES, Case, bouncing_ball, clack, np, sphere_on_floor


class Arrays(Case):
    def test_a_sphere_at_rest_is_carried_by_the_floor(self):
        sim = clack.Simulation(sphere_on_floor())
        self.assertEqual(len(sim.contacts), 0)
        sim.run(until=0.1)
        contacts = sim.contacts
        self.assertEqual(len(contacts), 1)
        row = contacts[0]
        self.assertEqual((row["body_a"], row["body_b"]), (0, 1))
        self.assert_close(row["normal"], [0, 0, 1], 1e-12)  # from a, the floor, to b
        self.assert_close(row["point"], [0, 0, 0], 1e-9)
        self.assert_close(row["r"], [sim.bodies["ball"].mass * 10 * sim.h, 0, 0], 1e-9)
        self.assert_close(row["gap"], 0, 1e-12)
        self.assertEqual(clack.ContactStatus(row["status"]).name, "sticking")
        self.assert_close(sim.impulses, [[0, 0, row["r"][0]]], 1e-12)

    def test_a_sliding_sphere_is_braked_against_its_motion(self):
        sim = clack.Simulation(sphere_on_floor(mu=0.2, velocity=[3, 4, 0]))
        sim.run(until=0.01)
        row = sim.contacts[0]
        self.assertEqual(row["status"], clack.ContactStatus.sliding)
        self.assert_close(np.hypot(*row["r"][1:]), 0.2 * row["r"][0], 1e-9)
        self.assert_close(sim.impulses[0, :2] / np.linalg.norm(sim.impulses[0, :2]), [-0.6, -0.8], 1e-6)

    def test_of_a_system_the_names_of_contacts(self):
        sim = clack.Simulation(bouncing_ball(e_n=0))
        self.assertEqual(sim.touching(), [])
        sim.run()
        self.assertEqual(sim.touching(), ["floor"])
        self.assertEqual(sim.contact_names, ["floor"])

    def test_who_touches_whom(self):
        scene = sphere_on_floor(height=0.1)
        scene.body("upper", clack.sphere(0.1), position=[0, 0, 0.3])
        scene.body("far", clack.sphere(0.1), position=[5, 0, 3])
        sim = clack.Simulation(scene)
        sim.run(until=0.05)
        self.assertEqual(sim.touching("ball"), ["floor", "upper"])
        self.assertEqual(sim.touching("upper"), ["ball"])
        self.assertEqual(sim.touching(sim.bodies["far"]), [])

    def test_near_is_not_touching(self):
        scene = sphere_on_floor(height=0.1)
        scene.body("near", clack.sphere(0.1), position=[0.2001, 0, 0.1], velocity=[0.01, 0, 0])
        sim = clack.Simulation(scene)
        sim.step()
        self.assertEqual(sim.touching("ball"), ["floor"])
        self.assertEqual(sim.touching("ball", loaded=False), ["floor", "near"])

    def test_an_array_stays_as_it_is_when_the_simulation_goes_on(self):
        sim = clack.Simulation(EXAMPLES / "sphere_pile.yaml")
        sim.run(until=5 * sim.h)
        kept = sim.contacts
        copy = kept.copy()
        sim.run(until=30 * sim.h)
        for name in kept.dtype.names:
            np.testing.assert_array_equal(kept[name], copy[name])
        self.assertFalse(np.array_equal(sim.contacts["gap"], copy["gap"]))
        with self.assertRaises(ValueError):
            kept["gap"][0] = 1

    def test_memory_is_taken_again_only_when_no_array_shows_it(self):
        sim = clack.Simulation(EXAMPLES / "sphere_pile.yaml")
        sim.run(until=5 * sim.h)
        first = sim.contacts
        part = first["r"][:, 0]
        values = part.copy()
        del first
        for _ in range(5):
            sim.step()
            sim.contacts
        self.assertTrue((part == values).all())

    def test_the_problem_of_the_step_can_be_solved_again(self):
        sim = clack.Simulation(EXAMPLES / "sphere_pile.yaml")
        sim.run(until=40 * sim.h)
        problem = sim.problem()
        self.assertEqual(problem.dimension, 3 * len(sim.contacts))
        residual, scaled, velocity, u = clack.residual(problem, r=sim.contacts["r"].ravel())
        self.assert_close([residual, scaled, velocity],
                          [sim.solver.residual, sim.solver.residual_scaled,
                           sim.solver.velocity_error], 1e-9)
        self.assert_close(u[::3][:5], u.reshape(-1, 3)[:5, 0], 0)
        self.assertTrue(problem.solve(tol=1e-6).converged)


class Million(Case):
    def test_a_million_contacts_without_a_copy(self):
        n = 70
        grid = np.indices((n, n, n)).reshape(3, -1).T * 0.01 + [0, 0, 0.005]
        scene = clack.Scene("Block", gravity=[0, 0, -10]).material("m")
        scene.body("floor", clack.plane(), fixed=True).bodies("ball", grid, radii=0.005)
        sim = clack.Simulation(scene.simulation(step=1e-3, end=1).solver(max_iterations=1))
        sim.step()
        contacts = sim.contacts  # gathered once a step
        again = sim.contacts
        self.assertGreater(len(again), 1_000_000)
        self.assertTrue(np.shares_memory(contacts, again))
        self.assertIsNotNone(again.base)
        address = contacts.__array_interface__["data"][0]
        del contacts, again
        sim.step()  # gathered anew, into the memory that is there
        self.assertGreater(len(sim.contacts), 1_000_000)
        self.assertEqual(sim.contacts.__array_interface__["data"][0], address)


if __name__ == "__main__":
    unittest.main()
