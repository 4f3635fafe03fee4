"""The wheel of `pip install .` holds the whole package, and it can be imported from there."""

import base64
import csv
import hashlib
import os
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from support import BUILD, ROOT, Case, clack

sys.path.insert(0, str(ROOT / "python" / "packaging"))

import clack_backend  # noqa: E402


class Wheel(Case):
    def setUp(self):
        self.place = Path(self.folder())
        # The module is built already: this is a test of it.
        with mock.patch.object(clack_backend, "_compile"), mock.patch.object(clack_backend, "BUILD", BUILD):
            self.name = clack_backend.build_wheel(self.place)
        self.wheel = zipfile.ZipFile(self.place / self.name)
        self.addCleanup(self.wheel.close)

    def test_the_record_lists_every_file_with_its_hash(self):
        record = [name for name in self.wheel.namelist() if name.endswith("RECORD")][0]
        rows = {row[0]: row[1:] for row in csv.reader(self.wheel.read(record).decode().splitlines())}
        self.assertEqual(set(rows), set(self.wheel.namelist()))
        for name, (digest, size) in rows.items():
            if name == record:
                continue
            data = self.wheel.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, int(size)), (f"sha256={expected}", len(data)))

    def test_the_files_of_the_package_are_there(self):
        for path in (ROOT / "python" / "clack").glob("*.py*"):
            self.assertIn(f"clack/{path.name}", self.wheel.namelist())
        self.assertIn("clack/py.typed", self.wheel.namelist())
        self.assertIn(clack.__version__, self.name)

    def test_it_can_be_imported(self):
        self.wheel.extractall(self.place / "site")
        done = subprocess.run([sys.executable, "-c", "import clack; print(clack.__file__)"],
                              cwd=self.place,
                              env={"PYTHONPATH": str(self.place / "site"), "PATH": "/usr/bin",
                                   **{k: v for k, v in os.environ.items()
                                      if k in ("LD_PRELOAD", "ASAN_OPTIONS")}},
                              capture_output=True, text=True)
        self.assertIn(str(self.place), done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
