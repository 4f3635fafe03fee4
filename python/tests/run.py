"""Runs the tests of a file with Debian's interpreter; skips with a message where packages are missing.

Sample run: CLACK_BUILD=build /usr/bin/python3 python/tests/run.py scene_test [test names]
"""

import importlib.util
import sys
import unittest
from pathlib import Path

SKIPPED = 77  # what ctest takes for a skipped test
PACKAGES = {"numpy": "python3-numpy", "scipy": "python3-scipy", "h5py": "python3-h5py",
            "matplotlib": "python3-matplotlib"}

missing = [debian for name, debian in PACKAGES.items() if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: the tests of the Python module need {' '.join(missing)}")
    sys.exit(SKIPPED)
sys.path.insert(0, str(Path(__file__).resolve().parent))
unittest.main(module=sys.argv[1], argv=sys.argv[1:2] + sys.argv[2:])
