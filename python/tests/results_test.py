"""Runs that are written down and read again, and their pictures."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path

from support import EXAMPLES, Case, bouncing_ball, clack, np, sphere_on_floor


FORGET = """
import json, sys, h5py
with h5py.File(sys.argv[1], "a") as file:
    options = json.loads(file.attrs["options"])
    del options["solver_options"], options["solver_time_limit"]
    file.attrs["options"] = json.dumps(options)
"""


class Runs(Case):
    def test_results_hold_what_a_simulation_shows(self):
        results = clack.run(EXAMPLES / "bouncing_ball.yaml", out=self.folder())
        sim = clack.Simulation(EXAMPLES / "bouncing_ball.yaml")
        sim.run()
        self.assertEqual(list(results.q[-1]), list(sim.q))
        self.assertEqual(results.status, "converged")
        self.assertEqual(len(results.t), len(results))
        self.assert_close(results.energy["kinetic"][-1], sim.energy.kinetic, 0)
        self.assert_close(results[results.q_names[0]], results.q[:, 0], 0)
        for name in ("t", "kinetic", "residual", results.v_names[0]):
            self.assertEqual(len(results[name]), len(results))
        with self.assertRaisesRegex(KeyError, "there is no 'foo'"):
            results["foo"]

    def test_options_are_those_of_the_command_line(self):
        results = clack.run(bouncing_ball(), out=self.folder(), step=1e-2, every=10)
        self.assertEqual(len(results), 11)
        self.assertEqual(results.options["step"], 1e-2)
        self.assertIn("Ball", results.scene)
        self.assertEqual(json.loads(Path(results.folder, "summary.json").read_text()), results.summary)

    def test_a_file_of_a_program_that_wrote_fewer_options_can_be_resumed(self):
        folder = self.folder()
        clack.run(bouncing_ball(), out=folder, end=0.5)
        # h5py brings an HDF5 of its own: not in the process of the module.
        subprocess.run([sys.executable, "-c", FORGET, Path(folder, "results.h5")], check=True)
        resumed = clack.run(bouncing_ball(), out=folder, end=1.0, resume=True)
        self.assertAlmostEqual(resumed.t[-1], 1.0)
        with self.assertRaisesRegex(clack.InputError, "other settings"):
            clack.run(bouncing_ball(), out=folder, end=1.5, resume=True, theta=0.75)

    def test_contacts_of_a_row(self):
        results = clack.run(sphere_on_floor(end=0.1, velocity=[0.1, 0.2, 0]), out=self.folder())
        contacts = results.contacts(-1)
        self.assertEqual((contacts["body_a"][0], contacts["body_b"][0]), (0, 1))
        self.assertGreater(contacts["r"][0, 0], 0)
        self.assertEqual(len(results.contacts(0)), 0)
        self.assert_close(results.position("ball")[-1, 2], 0.1, 1e-9)
        for k, name in enumerate(("ball.x", "ball.y", "ball.z")):
            self.assert_close(results[name], results.position("ball")[:, k], 0)
        self.assert_close(results["ball.qw"], results.q[:, 10], 0)
        with self.assertRaises(IndexError):
            results.contacts(1000)
        with self.assertRaises(KeyError):
            results.position("nobody")

    def test_events_are_there_whatever_rows_are_kept(self):
        few = clack.run(bouncing_ball(end=1.5), out=self.folder(), every=1000)
        many = clack.run(bouncing_ball(end=1.5), out=self.folder(), every=1)
        self.assertLess(len(few), 5)
        self.assertTrue((few.events == many.events).all())
        impacts = few.events[few.events["kind"] == "impact"]
        self.assertGreater(len(impacts), 2)
        self.assertTrue((impacts["u_before"][:, 0] < 0).all())
        self.assertTrue((impacts["impulse"][:, 0] > 0).all())
        closings = sum(few.summary["impacts"].values())
        self.assertEqual(closings, np.isin(few.events["kind"], ["impact", "close"]).sum())
        self.assertEqual(set(few.events["name"]), set(few.contact_names))

    def test_a_run_is_taken_up_again(self):
        folder = self.folder()
        clack.run(bouncing_ball(), out=folder, end=0.5)
        resumed = clack.run(bouncing_ball(), out=folder, end=1.0, resume=True)
        whole = clack.run(bouncing_ball(), out=self.folder())
        self.assertTrue((resumed.q == whole.q).all())

    def test_the_callback_ends_a_run_and_what_was_computed_is_kept(self):
        results = clack.run(bouncing_ball(), out=self.folder(), callback=lambda t, steps: steps < 10)
        self.assertEqual(results.summary["steps"], 10)
        self.assertEqual(len(results), 11)

    def test_an_exception_in_a_law_keeps_what_was_computed(self):
        folder = self.folder()

        def force(t, q, v):
            if t > 0.05:
                raise ZeroDivisionError("at last")
            return [0.0]
        with self.assertRaisesRegex(ZeroDivisionError, "at last"):
            clack.run(bouncing_ball(), out=folder, force=force)
        results = clack.load(folder)
        self.assertGreater(len(results), 40)

    def test_control_c_keeps_what_was_computed(self):
        folder = self.folder()
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            clack.run(bouncing_ball(step=1e-7, end=10), out=folder, every=1000)
        timer.join()
        self.assertGreater(len(clack.load(folder)), 2)

    def test_problems_are_dumped(self):
        folder = self.folder()
        clack.run(sphere_on_floor(end=0.02), out=folder, dump_problems=10)
        files = sorted(Path(folder, "problems").glob("*.hdf5"))
        self.assertGreater(len(files), 0)
        self.assertTrue(clack.solve(files[-1]).converged)

    def test_wrong_folders_are_refused(self):
        with self.assertRaises(clack.IoError):
            clack.load("/no/such/folder")
        with self.assertRaises(clack.IoError):
            clack.run(bouncing_ball(), out="/proc/nothing/here")

    def test_pandas_or_a_clear_message(self):
        results = clack.run(bouncing_ball(), out=self.folder())
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "needs pandas"):
                results.to_pandas()
            return
        self.assertEqual(len(results.to_pandas()), len(results))


class Pictures(Case):
    def assert_picture(self, path):
        data = Path(path).read_bytes()
        self.assertTrue(data.startswith(b"\x89PNG"))
        self.assertGreater(len(data), 5000)

    def test_three_lines_give_a_picture(self):
        run = clack.run(EXAMPLES / "woodpecker.yaml", out=self.folder(), end=0.5)
        axes = run.plot("q")
        self.assert_picture(Path(run.folder, "q.png"))
        self.assertIn("[s]", axes[-1].get_xlabel())
        self.assertEqual([len(ax.lines) for ax in axes], [1, 2])  # m above, rad below

    def test_the_other_pictures_of_a_run(self):
        run = clack.run(EXAMPLES / "woodpecker.yaml", out=self.folder(), end=0.5)
        for what in ("v", "energy", "contacts", "phi_S"):
            path = Path(run.folder, f"{what}_picture.png")
            run.plot(what, save=path)
            self.assert_picture(path)
        axes = clack.plot.phase(run, "phi_S", save=Path(run.folder, "phase.png"))
        self.assertEqual(axes.get_ylabel(), "phi_S' [rad/s]")
        with self.assertRaisesRegex(TypeError, "only rigid bodies can be drawn"):
            run.plot("forces")

    def test_outlines_have_the_size_and_the_turn_of_their_body(self):
        quarter = [math.sqrt(0.5), 0, math.sqrt(0.5), 0]  # about y: z to x
        for shape, low, high, areas in (
                (clack.box([1, 0.4, 0.2]), [2.9, 3.8, 4.5], [3.1, 4.2, 5.5], (0.2, 0.08)),
                (clack.cone(0.1, 0.4), [2.9, 3.9, 4.9], [3.3, 4.1, 5.1], (0.04, 0.04))):
            scene = clack.Scene("One", gravity=[0, 0, 0]).material("m")
            scene.body("one", shape, position=[3, 4, 5], rotation=quarter)
            scene.simulation(step=1e-3, end=1)
            snapshot = clack.plot.Snapshot(clack.Simulation(scene), -1)
            for axes, area in zip(([0, 2], [0, 1]), areas):
                [(kind, corners)] = snapshot.outlines(0, axes)
                self.assertEqual(kind, "polygon")
                np.testing.assert_allclose(corners.min(axis=0), np.take(low, axes), atol=1e-3)
                np.testing.assert_allclose(corners.max(axis=0), np.take(high, axes), atol=1e-3)
                x, y = corners.T
                self.assertAlmostEqual(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)), area, 3)

    def test_force_chains_of_a_simulation_and_of_results_agree(self):
        scene = clack.Scene("Stack", space="2d", gravity=[0, -10]).material("m")
        scene.body("floor", clack.line(), fixed=True)
        for k in range(3):
            scene.body(f"d{k}", clack.disc(0.1), position=[0, 0.1 + 0.2 * k])
        scene.simulation(step=1e-3, end=0.05)
        run = clack.run(scene, out=self.folder())
        sim = clack.Simulation(scene)
        sim.run()
        widths = []
        for source in (run, sim):
            axes = clack.plot.force_chains(source, save=Path(run.folder, "f.png"))
            lines = [c for c in axes.collections if hasattr(c, "get_segments")][-1]
            widths.append(sorted(lines.get_linewidths()))
        np.testing.assert_allclose(widths[0], widths[1])
        np.testing.assert_allclose(np.array(widths[0]) / widths[0][-1], [1 / 3, 2 / 3, 1], rtol=1e-6)

    def test_convergence_and_profile(self):
        h = np.array([0.1, 0.05, 0.025])
        axes = clack.plot.convergence(h, {"second": h**2, "first": 3 * h})
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(labels, ["second: order 2.00", "first: order 1.00"])
        axes = clack.plot.performance_profile({"a": [1, 2, 4], "b": [2, np.inf, 2]})
        heights = [line.get_ydata()[-1] for line in axes.lines]
        np.testing.assert_allclose(heights, [1, 2 / 3])
        places = [line.get_xdata()[1:-1] for line in axes.lines]
        np.testing.assert_allclose(places[0], [1, 1, 2])
        np.testing.assert_allclose(places[1], [1, 2])
        with self.assertRaises(ValueError):
            clack.plot.performance_profile({"a": [np.inf]})


if __name__ == "__main__":
    unittest.main()
