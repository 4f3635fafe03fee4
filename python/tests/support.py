"""What the tests share: the module on the path, scenes, comparisons."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CLACK_BUILD", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))
os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np  # noqa: E402

import clack  # noqa: E402

EXAMPLES = ROOT / "examples"


def forced_stop(W=1.6, **options):
    """x'' + 0.1 x' + x = cos(W t) against a stop at 0 with e = 0.8."""
    system = clack.linear(M=[[1]], C=[[0.1]], K=[[1]], f=["cos(W*t)"], coordinates=["x"],
                          contacts=[{"name": "stop", "G": [-1], "e_n": "e"}])
    scene = clack.Scene("Oscillator with a stop", system, parameters={"W": W, "e": 0.8})
    return scene.initial(q=[-0.5]).simulation(step=0.25, end=10, scheme="event-driven", **options)


def bouncing_ball(e_n=0.5, step=1e-3, end=1.0):
    """A mass point above the floor q = 0, dropped from 1 m."""
    scene = clack.Scene("Ball", clack.linear(M=[[1]], f=[-10], contacts=[
        {"name": "floor", "G": [1], "e_n": e_n}]))
    return scene.initial(q=[1]).simulation(step=step, end=end)


def sphere_on_floor(mu=0.3, e_n=0.0, height=0.1, step=1e-3, end=1.0, **keys):
    """A sphere of radius 0.1 m and a floor, in space."""
    scene = clack.Scene("Sphere", gravity=[0, 0, -10])
    scene.material("steel", density=7800, mu=mu, e_n=e_n)
    scene.body("floor", clack.plane(), fixed=True)
    scene.body("ball", clack.sphere(0.1), position=[0, 0, height], **keys)
    return scene.simulation(step=step, end=end)


class Case(unittest.TestCase):
    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def assert_close(self, value, expected, tolerance):
        np.testing.assert_allclose(value, expected, rtol=0, atol=tolerance)
