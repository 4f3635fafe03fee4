"""Every tutorial runs, its checks of the physics hold, and it leaves its picture."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

from support import BUILD, ROOT, Case

FOLDER = ROOT / "python" / "tutorials"


class Tutorials(Case):
    def run_tutorial(self, script):
        folder = Path(self.folder())
        picture = folder / "picture.png"
        path = os.pathsep.join([str(BUILD / "python"), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run([sys.executable, str(script), str(picture)], cwd=folder, timeout=250,
                              env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "Agg"},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))
        self.assertGreater(picture.stat().st_size, 20000)

    def test_there_are_eleven(self):
        self.assertEqual(len(list(FOLDER.glob("[0-9][0-9]_*.py"))), 11)


def add(script):
    setattr(Tutorials, f"test_{script.stem}", lambda self: self.run_tutorial(script))


for script in sorted(FOLDER.glob("[0-9][0-9]_*.py")):
    add(script)

if __name__ == "__main__":
    unittest.main()
