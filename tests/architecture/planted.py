"""A small tree with planted faults, for the tests of the checks."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class PlantedTree(unittest.TestCase):
    """A temporary tree; `script` is the check that is run on it, as ctest runs it."""

    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_check(self):
        return subprocess.run([sys.executable, HERE / self.script, self.root],
                              capture_output=True, text=True, check=False)

    def assert_accepted(self):
        result = self.run_check()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_refused(self, *expected):
        """The check fails, names each expected place, and finds nothing else."""
        result = self.run_check()
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for text in expected:
            self.assertIn(text, result.stdout)
        self.assertEqual(len(result.stdout.splitlines()), len(expected), result.stdout)
