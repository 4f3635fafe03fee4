"""Simulations: the bits of the program, views without copies, state that can be changed."""

import gc
import math
import os
import signal
import subprocess
import threading
import unittest
import weakref

from support import BUILD, EXAMPLES, Case, bouncing_ball, clack, np, sphere_on_floor


class Steps(Case):
    def test_the_ball_falls_and_rebounds_as_it_should(self):
        sim = clack.Simulation(bouncing_ball(e_n=0.5, step=1e-4))
        sim.run(until=0.44)
        self.assert_close([sim.q[0], sim.v[0]], [1 - 5 * 0.44**2, -4.4], 1e-9)
        sim.run(until=math.sqrt(0.2) + 0.01)
        self.assert_close(sim.v[0], 0.5 * math.sqrt(20) - 0.1, 3e-3)

    def test_steps_and_run_give_the_same_bits(self):
        one, other = (clack.Simulation(EXAMPLES / "woodpecker.yaml") for _ in range(2))
        for _ in range(2000):
            self.assertEqual(one.step(), "converged")
        other.run(until=one.t)
        self.assertEqual(one.steps, other.steps)
        self.assertEqual((list(one.q), list(one.v)), (list(other.q), list(other.v)))

    def test_until_is_reached_on_the_grid(self):
        sim = clack.Simulation(bouncing_ball(step=0.1, end=1))
        sim.run(until=0.3)
        self.assertEqual(sim.steps, 3)
        sim.run(until=0.3)
        self.assertEqual(sim.steps, 3)
        sim.run()
        self.assertEqual(sim.steps, 10)

    def test_the_callback_ends_the_run(self):
        sim = clack.Simulation(bouncing_ball())
        times = []
        sim.run(callback=lambda s: times.append(s.t) or len(times) < 5)
        self.assert_close(times, [1e-3 * k for k in range(1, 6)], 1e-15)
        sim.run(callback=lambda s: s.q[0] > 0.5)  # False of NumPy
        self.assert_close(sim.q[0], 0.5, 5e-3)

    def test_an_exception_in_the_callback_comes_out_and_the_run_can_go_on(self):
        sim = clack.Simulation(bouncing_ball())

        def callback(s):
            if s.steps == 7:
                raise KeyError("seven")
        with self.assertRaisesRegex(KeyError, "seven"):
            sim.run(callback=callback)
        self.assertEqual(sim.steps, 7)
        sim.run(until=0.5)
        other = clack.Simulation(bouncing_ball())
        other.run(until=0.5)
        self.assertEqual(list(sim.q), list(other.q))

    def test_control_c_stops_between_two_steps(self):
        sim = clack.Simulation(bouncing_ball(step=1e-7, end=10))
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            sim.run()
        timer.join()
        self.assertGreater(sim.steps, 1000)
        self.assert_close(sim.t, sim.steps * 1e-7, 1e-12)
        self.assertEqual(sim.step(), "converged")

    def test_adaptive_steps(self):
        sim = clack.Simulation(bouncing_ball(), adaptive={"tolerance": 1e-4})
        self.assertEqual(sim.run(), "converged")
        self.assertGreaterEqual(sim.t, 1.0)
        with self.assertRaisesRegex(TypeError, "adapts itself"):
            sim.v = [0]

    def test_threads_give_the_same_bits(self):
        ends = []
        for threads in (1, 2):
            sim = clack.Simulation(EXAMPLES / "sphere_pile.yaml", threads=threads)
            sim.run(until=20 * sim.h)
            ends.append(np.array(sim.q))
        self.assertTrue((ends[0] == ends[1]).all())

    def test_a_step_that_fails_is_a_status(self):
        sim = clack.Simulation(EXAMPLES / "box_3d.yaml", max_iterations=1, tolerance=1e-15)
        self.assertIn(sim.run(until=50 * sim.h), ("iteration_limit", "stagnated", "converged"))
        sim = clack.Simulation(clack.Scene("s", clack.lagrangian(
            "x", "0.5*x'^2", forces={"x": "1/(0.05 - t)^4"})).simulation(step=0.05, end=1))
        self.assertEqual(sim.run(), "numerical_failure")
        self.assertLess(sim.steps, 3)


class Views(Case):
    def test_state_is_a_read_only_view_that_follows(self):
        sim = clack.Simulation(bouncing_ball())
        q, v = sim.q, sim.v
        self.assertTrue(np.shares_memory(q, sim.q))
        self.assertIs(q.base, sim)
        before = q[0]
        sim.run(until=0.1)
        self.assertLess(q[0], before)
        self.assertEqual(v[0], sim.v[0])
        with self.assertRaisesRegex(ValueError, "read-only"):
            q[0] = 3

    def test_positions_of_bodies_are_the_state_itself(self):
        sim = clack.Simulation(sphere_on_floor(height=1))
        position, ball = sim.bodies.position, sim.bodies["ball"].position
        sim.run(until=0.1)
        self.assertTrue(np.shares_memory(position, ball))
        self.assertEqual(position[1, 2], ball[2])
        self.assertLess(ball[2], 0.96)
        with self.assertRaises(ValueError):
            ball[0] = 1

    def test_views_outlive_the_simulation(self):
        sim = clack.Simulation(sphere_on_floor(height=1))
        sim.run(until=0.1)
        kept = [sim.q, sim.v, sim.bodies.position, sim.bodies["ball"].v, sim.contacts, sim.bodies["ball"],
                sim.energy, sim.solver]
        values = [np.array(x) for x in kept[:4]]
        del sim
        gc.collect()
        for x, y in zip(kept, values):
            self.assertTrue((x == y).all())
        self.assertEqual(kept[5].name, "ball")
        self.assertGreater(kept[6].kinetic, 0)

    def test_views_outlive_a_change_of_the_model(self):
        sim = clack.Simulation(sphere_on_floor(height=1))
        position = sim.bodies.position
        sim.set({"system.gravity": [0, 0, 0]})
        sim.run(until=0.5)
        gc.collect()
        self.assert_close(position[1], [0, 0, 1], 0)  # of the state before

    def test_nothing_is_leaked(self):
        sim = clack.Simulation(bouncing_ball())
        mark = weakref.ref(sim)
        _ = sim.q, sim.contacts
        del sim, _
        gc.collect()
        self.assertIsNone(mark())


class Changes(Case):
    def test_velocity_of_a_system(self):
        sim = clack.Simulation(bouncing_ball(e_n=0))
        sim.run(until=0.1)
        before = sim.energy
        sim.v = [3.0]
        after = sim.energy
        self.assert_close(after.work_external - before.work_external, after.total - before.total, 1e-12)
        self.assert_close(after.total - before.total, 0.5 * (9 - 1), 1e-9)
        start = sim.q[0]
        sim.run(until=0.2)
        self.assert_close(sim.q[0], start + 3 * 0.1 - 5 * 0.01, 1e-9)
        self.assertLess(sim.energy_error, 1e-12)

    def test_setting_the_state_where_it_is_changes_nothing(self):
        one, other = (clack.Simulation(EXAMPLES / "woodpecker.yaml") for _ in range(2))
        for k in range(200):
            one.step()
            other.step()
            if k % 10 == 0:
                one.set_state(q=np.array(one.q), v=np.array(one.v))
        self.assertEqual(list(one.q), list(other.q))

    def test_a_body_is_thrown_again(self):
        sim = clack.Simulation(sphere_on_floor(height=0.1))
        sim.run(until=0.1)
        ball = sim.bodies["ball"]
        ball.v = [0, 0, 2]
        sim.run(until=0.2)
        self.assert_close(ball.position[2], 0.1 + 0.2 - 0.05, 2e-3)
        ball.position = [1, 2, 3]
        ball.rotation = [0, 0, 0, 1]
        ball.omega = [0, 0, 7]
        self.assert_close(np.r_[ball.position, ball.rotation, ball.omega],
                          [1, 2, 3, 0, 0, 0, 1, 0, 0, 7], 0)

    def test_all_bodies_at_once(self):
        scene = sphere_on_floor(height=2).body("other", clack.sphere(0.1), position=[1, 0, 5])
        sim = clack.Simulation(scene)
        sim.bodies.v = [[9, 9, 9], [1, 0, 0], [0, 1, 0]]
        self.assert_close(sim.bodies.v, [[0, 0, 0], [1, 0, 0], [0, 1, 0]], 0)  # the floor is fixed
        q = np.array(sim.q).reshape(-1, 7)
        q[2, 2] = 6
        sim.q = q.ravel()
        self.assert_close(sim.bodies["other"].position[2], 6, 0)

    def test_parameters_change_and_the_motion_goes_on(self):
        scene = clack.Scene("o", clack.lagrangian("x", "0.5*x'^2", potential="0.5*k*x^2"),
                            parameters={"k": 100}).initial(q=[1]).simulation(step=1e-3, end=2)
        sim = clack.Simulation(scene)
        sim.run(until=0.5)
        x, v, t = sim.q[0], sim.v[0], sim.t
        sim.set({"parameters.k": 25}, step=5e-4)
        self.assertEqual((sim.t, sim.q[0], sim.v[0], sim.h), (t, x, v, 5e-4))
        sim.run(until=1.0)
        s = sim.t - t
        self.assert_close(sim.q[0], x * math.cos(5 * s) + v / 5 * math.sin(5 * s), 1e-4)
        self.assertEqual(sim.steps, 500 + 1000)
        with self.assertRaisesRegex(clack.InputError, "parameters.kk"):
            sim.set({"simulation.step": "parameters.kk"})
        self.assert_close(sim.t, 1.0, 1e-9)  # a refused change leaves it where it was

    def test_materials_change_between_bodies(self):
        sim = clack.Simulation(sphere_on_floor(mu=0.0, velocity=[1, 0, 0]))
        sim.run(until=0.2)
        self.assert_close(sim.bodies["ball"].v[0], 1, 1e-9)
        sim.set({"system.materials.steel.mu": 0.5})
        sim.run(until=1.0)
        self.assert_close(sim.bodies["ball"].v[0], 5 / 7, 1e-6)  # rolling

    def test_wrong_states_are_refused(self):
        sim = clack.Simulation(sphere_on_floor())
        ball = sim.bodies["ball"]
        cases = [(lambda: setattr(sim, "q", [1]), ValueError, "q: expected 14 values"),
                 (lambda: setattr(sim, "v", np.full(12, np.nan)), ValueError, "v: value 0 is nan"),
                 (lambda: setattr(sim, "v", ["a"] * 12), TypeError, "v: expected numbers"),
                 (lambda: setattr(sim, "v", np.zeros(12, complex)), TypeError, "complex"),
                 (lambda: setattr(sim, "q", np.zeros(14)), ValueError, "quaternion"),
                 (lambda: setattr(ball, "v", [1, 2]), ValueError, "v: expected 3 values"),
                 (lambda: setattr(ball, "position", [1, 2, np.inf]), ValueError, "is inf"),
                 (lambda: setattr(ball, "rotation", [0, 0, 0, 0]), ValueError, "unit quaternion"),
                 (lambda: setattr(sim.bodies["floor"], "v", [1, 0, 0]), ValueError, "'floor' is fixed"),
                 (lambda: setattr(sim.bodies, "v", np.zeros((3, 3))), ValueError, "expected the shape")]
        for use, error, words in cases:
            with self.assertRaisesRegex(error, words):
                use()
        self.assert_close(sim.q[7:10], [0, 0, 0.1], 0)


    def test_bodies_of_the_plane_stay_in_it(self):
        scene = clack.Scene("s", space="2d").material("m").body("d", clack.disc(1))
        sim = clack.Simulation(scene.simulation(step=0.1, end=1))
        disc = sim.bodies["d"]
        for name, value in (("position", [0, 0, 1]), ("v", [0, 0, 1]), ("omega", [1, 0, 0]),
                            ("rotation", [0, 1, 0, 0])):
            with self.assertRaisesRegex(ValueError, "in the plane"):
                setattr(disc, name, value)
        with self.assertRaisesRegex(ValueError, "in the plane"):
            sim.v = [0, 0, 1, 0, 0, 0]
        disc.v = [1, 2, 0]
        disc.omega = [0, 0, 3]
        sim.step()
        self.assert_close(sim.v, [1, 2, 0, 0, 0, 3], 0)


class Misuse(Case):
    def test_wrong_arguments(self):
        sim = clack.Simulation(bouncing_ball())
        for use, error in ((lambda: sim.run(until=math.nan), ValueError),
                           (lambda: sim.run(until="x"), ValueError),
                           (lambda: sim.run(until=0.1, callback=3), TypeError),
                           (lambda: sim.bodies, TypeError), (lambda: sim.touching("x"), TypeError),
                           (lambda: clack.Simulation(bouncing_ball(), threads=-1), ValueError),
                           (lambda: sim.set_state(t=3), ValueError),
                           (lambda: clack.Simulation(), TypeError)):
            with self.assertRaises(error):
                use()

    def test_a_body_of_another_simulation_is_refused(self):
        one, other = clack.Simulation(sphere_on_floor()), clack.Simulation(sphere_on_floor())
        with self.assertRaisesRegex(ValueError, "belongs to another simulation"):
            one.touching(other.bodies["ball"])
        for key, error in (("nobody", KeyError), (7, IndexError), (-3, IndexError)):
            with self.assertRaises(error):
                one.bodies[key]

    def test_a_subclass_without_its_base_is_refused(self):
        class Lazy(clack.Simulation):
            def __init__(self):
                pass
        with self.assertRaises(TypeError):
            Lazy().step()


class Program(Case):
    def test_the_program_gives_the_same_state(self):
        program, folder = BUILD / "clack", self.folder()
        if not program.is_file():
            self.skipTest("the program is not built")
        subprocess.run([program, "run", EXAMPLES / "bouncing_ball.yaml", "-o", folder], check=True,
                       stdout=subprocess.DEVNULL)
        sim = clack.Simulation(EXAMPLES / "bouncing_ball.yaml")
        sim.run()
        results = clack.load(folder)
        self.assertEqual(list(results.q[-1]), list(sim.q))
        self.assertEqual(results.summary["steps"], sim.steps)
        self.assert_close(results.energy["work_impact"][-1], sim.energy.work_impact, 0)


if __name__ == "__main__":
    unittest.main()
