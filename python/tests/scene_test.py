"""Scenes built in code are read by the reader of scene files, with its defaults and its messages."""

import unittest
from pathlib import Path

from support import EXAMPLES, Case, bouncing_ball, clack, np, sphere_on_floor


class Builder(Case):
    def test_a_built_scene_moves_as_its_file(self):
        scene = bouncing_ball()
        path = Path(self.folder()) / "ball.yaml"
        scene.write(path)
        built, read = clack.Simulation(scene), clack.Simulation(path)
        built.run()
        read.run()
        self.assertEqual((built.t, list(built.q), list(built.v)), (read.t, list(read.q), list(read.v)))

    def test_an_example_can_be_rebuilt_in_code(self):
        scene = clack.Scene("Pendulum", clack.lagrangian(
            ["phi"], "0.5*m*(x'^2 + y'^2)", potential="m*g*y",
            define={"x": "l*sin(phi)", "y": "-l*cos(phi)"},
            contacts=[{"name": "wall", "gap": "x", "e_n": "e"}]),
            parameters={"m": 1.25, "l": 1, "g": 10, "e": 0.5})
        scene.initial(q={"phi": "pi/2"}).simulation(step=1e-4, end=1)
        scene.measure("largest", of="phi", take="max", after=0.7)
        sim = clack.Simulation(scene)
        self.assertEqual(sim.run(), "converged")
        self.assert_close(sim.measures["largest"], 0.689949, 1e-6)  # docs/scene.md

    def test_a_robot_is_read_as_a_scene(self):
        sim = clack.Simulation(EXAMPLES / "robots" / "arm.urdf", end=0.01)
        self.assertEqual(sim.run(), "converged")
        self.assertIn("forearm", sim.bodies.names)

    def test_the_text_of_a_scene_will_do(self):
        sim = clack.Simulation(str(bouncing_ball()))
        self.assertEqual(sim.title, "Ball")

    def test_texts_keep_their_meaning(self):
        words = ["null", "yes", "a: b", "# no comment", "don't", 'say "x"', " padded ", "é", "1e-3", "-"]
        for title in words:
            scene = bouncing_ball()
            scene.tree["title"] = title
            self.assertEqual(clack.Simulation(scene).title, title)

    def test_numbers_keep_their_bits(self):
        for x in (0.1, 1 / 3, 1e-300, 12345678.90123, 5e-324, 7):
            sim = clack.Simulation(bouncing_ball(), q=[x])
            self.assertEqual(sim.q[0], x)

    def test_arrays_of_bodies(self):
        positions = np.random.default_rng(1).uniform(size=(50, 3)) * 100
        radii = np.linspace(0.1, 0.2, 50)
        scene = sphere_on_floor().bodies("grain", positions + [0, 0, 1], radii=radii, material="steel")
        sim = clack.Simulation(scene)
        self.assertEqual(sim.bodies.names[2], "grain_1")
        self.assert_close(sim.bodies.position[2:], positions + [0, 0, 1], 0)
        self.assert_close(sim.bodies.mass[2:], 7800 * 4 / 3 * np.pi * radii**3, 1e-9)

    def test_arrays_of_bodies_in_the_plane_with_rotations(self):
        scene = clack.Scene("s", space="2d").material("m")
        scene.bodies("brick", [[0, 0], [1, 1]], shape=clack.polygon([[0, 0], [2, 0], [2, 1], [0, 1]]),
                     rotations=[0, np.pi / 2])
        sim = clack.Simulation(scene.simulation(step=1, end=1))
        self.assert_close(sim.bodies.position, [[1, 0.5, 0], [0.5, 2, 0]], 1e-12)

    def test_wrong_arrays_are_refused(self):
        for keys, words in (({"positions": np.zeros((3, 2)), "radii": 1}, "positions of 'g'"),
                            ({"positions": np.zeros((3, 3)), "radii": [1, 2]}, "radii of 'g'"),
                            ({"positions": np.zeros((3, 3))}, "either radii of balls or a shape"),
                            ({"positions": np.zeros((3, 3)), "radii": -1}, "radius of body 1"),
                            ({"positions": np.full((3, 3), np.nan), "radii": 1}, "is nan")):
            with self.assertRaisesRegex(ValueError, words):
                clack.Simulation(sphere_on_floor().bodies("g", material="steel", **keys))

    def test_samples(self):
        scene = sphere_on_floor().body("grain", material="steel", sample=clack.lattice(
            kind="fcc", count=[2, 2, 2], spacing=0.2, sizes=0.1, origin=[0, 0, 1]))
        self.assertEqual(len(clack.Simulation(scene).bodies), 2 + 8)

    def test_a_scene_with_functions_is_not_written(self):
        with self.assertRaisesRegex(clack.InputError, "cannot hold"):
            sphere_on_floor(force=lambda *_: [0, 0, 0]).write(Path(self.folder()) / "x.yaml")


class Messages(Case):
    def assert_refused(self, scene, *words, **options):
        with self.assertRaises(clack.InputError) as caught:
            clack.Simulation(scene, **options)
        for word in words:
            self.assertIn(word, str(caught.exception))
        return caught.exception

    def test_a_wrong_value_is_named_with_its_path(self):
        error = self.assert_refused(sphere_on_floor(mu=-1), "<python>:", "system.materials.steel.mu",
                                    "-1 is not allowed; it must be a number >= 0")
        self.assertIsInstance(error, ValueError)
        self.assertEqual(len(error.messages), 1)

    def test_all_complaints_come_at_once(self):
        scene = sphere_on_floor(mu=-1, e_n=2)
        scene.body("x", clack.sphere(0), colour="red")
        self.assertEqual(len(self.assert_refused(scene).messages), 4)

    def test_unknown_options_get_the_readers_message(self):
        self.assert_refused(bouncing_ball(), "--set simulation.stpe=0.1", "did you mean 'step'?", stpe=0.1)
        self.assert_refused(bouncing_ball(), "solver.name", "'ngss' is not known", solver="ngss")
        self.assert_refused(bouncing_ball(), "--set a.b=1", "unknown key", set={"a.b": 1})

    def test_options_of_a_solver_are_keyword_arguments(self):
        self.assert_refused(bouncing_ball(), "solver.relaxation", "a number in (0, 2)", relaxation=3)
        self.assert_refused(bouncing_ball(), "solver.omega", "solver 'nsgs' does not read", "prox-sor",
                            solver="nsgs", omega=1)
        self.assert_refused(bouncing_ball().solver("nsgs", colour=1), "solver.colour", "unknown key")
        for own in ({"solver": "prox-sor", "omega": 0.5}, {"solver": {"name": "prox-sor", "omega": 0.5}}):
            run = clack.run(bouncing_ball(), out=self.folder(), **own)
            self.assertEqual(run.options["solver_options"]["omega"], 0.5)
        run = clack.run(bouncing_ball().solver("nsgs", relaxation=1.5, order="shuffle"), out=self.folder())
        self.assertEqual(run.options["solver_options"]["relaxation"], 1.5)
        self.assertEqual(run.options["solver_options"]["order"], "shuffle")

    def test_what_a_scheme_and_a_solver_share_by_name_is_the_schemes(self):
        sim = clack.Simulation(bouncing_ball(), solver="vi-hyperplane", gamma=0.3,
                               set={"solver.gamma": 1.5})
        self.assertEqual(sim.solver.status, "not_run")
        self.assert_refused(bouncing_ball(), "simulation.gamma", solver="vi-hyperplane", gamma=-1)

    def test_a_file_names_itself(self):
        error = self.assert_refused(EXAMPLES / "woodpecker.yaml", "--set simulation.step=-1", step=-1)
        self.assertIn("a number > 0", str(error))
        with self.assertRaisesRegex(clack.IoError, "no_such.yaml: cannot be read") as caught:
            clack.Simulation("no_such.yaml")
        self.assertIsInstance(caught.exception, OSError)

    def test_what_a_scene_cannot_hold_is_a_type_error(self):
        with self.assertRaisesRegex(TypeError, "found object"):
            clack.Simulation(bouncing_ball().set("title", object()))
        for scene in (None, 3, b"x", [1]):
            with self.assertRaisesRegex(TypeError, "expected a clack.Scene"):
                clack.Simulation(scene)


class Lists(Case):
    def test_options_say_what_they_are(self):
        theta = clack.scheme_options()["theta"]
        self.assertEqual((theta["default"], theta["allowed"]), (0.5, "a number in [0, 1]"))
        self.assertIn("moreau-jean", theta["schemes"])
        self.assertNotIn("theta", clack.scheme_options("rattle"))
        self.assertIn("relaxation", clack.solver_options("nsgs"))
        self.assertNotIn("relaxation", clack.solver_options())
        self.assertIn("max_momentum", clack.solver_options("bodies"))
        self.assertEqual(clack.adaptive_options()["tolerance"]["default"], 1e-4)
        self.assertIn("theta: weight of the end of the step", clack.Scene.simulation.__doc__)
        for wrong in (lambda: clack.scheme_options("x"), lambda: clack.solver_options("x")):
            with self.assertRaisesRegex(clack.InputError, "'x' is not known"):
                wrong()

    def test_names_of_the_library(self):
        self.assertIn("moreau-jean", clack.schemes())
        self.assertIn("nsgs", clack.solvers())
        self.assertIn("sphere", clack.shape_kinds())
        self.assertIn("lattice", clack.samples())
        self.assertEqual(clack.laws()["stribeck"]["kind"], "friction")


if __name__ == "__main__":
    unittest.main()
