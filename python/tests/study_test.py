"""Convergence studies: the figures of the program, references, messages."""

import json
import subprocess
import unittest

from support import BUILD, Case, bouncing_ball, clack, np


def oscillator(**keys):
    """x'' = -4 x from x = 1, with its closed form."""
    scene = clack.Scene("Oscillator", clack.linear(M=[[1]], K=[[4]], coordinates=["x"], **keys))
    scene.initial(q=[1]).simulation(step=0.1, end=3)
    return scene.exact(q={"x": "cos(2*t)"})


class Orders(Case):
    def test_the_orders_of_the_oscillator_are_those_of_the_schemes(self):
        steps = [0.1, 0.05, 0.025]
        study = clack.converge(oscillator(), ["moreau-jean", "moreau-midpoint"], steps)
        self.assertTrue(study.good)
        self.assertEqual(study.schemes, ["moreau-jean", "moreau-midpoint"])
        self.assertEqual(study.reference, "the closed form of the scene")
        self.assertEqual(study.observed, ["x", "x'"])
        for scheme in study.schemes:
            np.testing.assert_allclose(study.steps[scheme], steps)
            self.assert_close(study.orders[scheme], 2, 0.1)
            self.assert_close(study.pairwise_orders[scheme][1:], 2, 0.1)
            np.testing.assert_array_equal(study.errors[scheme],
                                          study.errors_q[scheme] + study.errors_v[scheme])
            self.assertEqual(study.failures[scheme], ["", "", ""])
            self.assertGreater(study.iterations[scheme].size, 0)
        self.assertIn("moreau-midpoint: 2.0", repr(study))

    def test_the_errors_are_those_of_the_program(self):
        path = f"{self.folder()}/oscillator.yaml"
        oscillator().write(path)
        study = clack.converge(path, "moreau-jean", [0.1, 0.05], norm="max", observe="x", theta=1)
        output = subprocess.run(
            [BUILD / "clack", "converge", path, "--schemes", "moreau-jean", "--steps", "0.1,0.05",
             "--norm", "max", "--observe", "x", "--set", "simulation.theta=1", "--json", "-o",
             self.folder()], capture_output=True, text=True, check=True).stdout
        scheme, = json.loads(output.splitlines()[-1])["schemes"]
        self.assertEqual(list(study.errors["moreau-jean"]), [run["error"] for run in scheme["runs"]])
        self.assertEqual(study.orders["moreau-jean"], scheme["order"])

    def test_a_scene_without_a_closed_form_is_its_own_reference(self):
        study = clack.converge(bouncing_ball(), ["moreau-jean"], [1e-2, 5e-3, 2.5e-3, 1.25e-3],
                               tolerances=[1e-4])
        self.assertIn("each scheme itself", study.reference)
        self.assertEqual(study.schemes, ["moreau-jean", "moreau-jean, adaptive"])
        self.assert_close(study.orders["moreau-jean"], 1, 0.4)
        other = clack.converge(bouncing_ball(), ["moreau-jean"], [1e-2], "self",
                               reference_scheme="event-driven")
        self.assertIn("event-driven", other.reference)

    def test_a_run_is_a_reference(self):
        run = clack.run(oscillator(), out=self.folder(), step=1e-3)
        study = clack.converge(oscillator(), ["moreau-jean"], [0.1, 0.05], run.path)
        exact = clack.converge(oscillator(), ["moreau-jean"], [0.1, 0.05], "exact")
        np.testing.assert_allclose(study.errors["moreau-jean"], exact.errors["moreau-jean"], rtol=1e-2)

    def test_functions_of_python_take_part(self):
        def force(t, q, v):
            return [-4 * q[0]]

        scene = clack.Scene("Oscillator", clack.linear(M=[[1]], f=force, coordinates=["x"]))
        scene.initial(q=[1]).simulation(step=0.1, end=3).exact(q={"x": "cos(2*t)"})
        study = clack.converge(scene, ["moreau-jean"], [0.1, 0.05])
        same = clack.converge(oscillator(), ["moreau-jean"], [0.1, 0.05])
        np.testing.assert_allclose(study.errors["moreau-jean"], same.errors["moreau-jean"], rtol=1e-4)


class Messages(Case):
    def test_bad_input_is_named(self):
        def message(schemes="moreau-jean", steps=(0.1,), **keys):
            with self.assertRaises(clack.InputError) as caught:
                clack.converge(oscillator(), schemes, steps, **keys)
            return str(caught.exception)

        self.assertIn("schemes: unknown scheme 'euler'; known: moreau-jean", message("euler"))
        self.assertIn("schemes: names no scheme", message([]))
        self.assertIn("steps: 0.07 s does not divide the 3 s", message(steps=[0.07]))
        self.assertIn("steps: -1 s is no step", message(steps=[-1]))
        self.assertIn("steps: names no step", message(steps=[]))
        self.assertIn("norm: 'L0' is not known", message(norm="L0"))
        self.assertIn("observe: 'y' is no coordinate", message(observe=["y"]))
        self.assertIn("tolerances: 0 is no tolerance", message(tolerances=[0]))
        self.assertIn("reference_scheme: only goes with", message(reference_scheme="statics"))
        with self.assertRaises(clack.IoError):
            clack.converge(oscillator(), ["moreau-jean"], [0.1], "absent.csv")


if __name__ == "__main__":
    unittest.main()
