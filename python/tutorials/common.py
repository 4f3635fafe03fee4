"""Where the tutorials put their pictures: the path given, or out/tutorials/NAME.png."""

import sys
from pathlib import Path


def picture_path(script):
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    return Path("out/tutorials") / (Path(script).stem + ".png")


def check(what, value, expected, tolerance):
    """Prints a figure beside what theory says, and stops where they differ."""
    print(f"{what}: {value:.6g}, expected {expected:.6g}")
    if not abs(value - expected) <= tolerance:
        raise SystemExit(f"{what} is off by {abs(value - expected):.3g}, more than {tolerance:.3g}")
