"""Writes a scene of a long rod on stops, with its contacts as a Matrix Market file: what a user's own large system looks like.

Sample run: bench/long_rod.py out/long_rod && build/clack run out/long_rod/scene.yaml -o out/long_rod/run
"""

import argparse
from pathlib import Path

SCENE = """clack: 1
title: A rod of {n} elements on {stops} stops
parameters: {{length: 100, area: 1.0e-4, density: 7800}}
system:
  type: linear
  rod: {{length: length, area: area, young: 210.0e9, density: density, elements: {n}, mass: lumped}}
  f: -9.81*density*area*length/{n}
  contacts:
    - {{name: stop, G: {{file: stops.mtx}}}}
simulation: {{step: {step}, end: {end}, theta: 1}}
solver: {{name: {solver}, tolerance: 1.0e-8}}
output: {{every: {every}}}
measures:
  - {{name: lowest of the middle, unit: m, of: u{middle}, take: min}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--elements", type=int, default=100_000)
    parser.add_argument("--stops", type=int, default=1_000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--step", type=float, default=1e-5, help="[s]")
    parser.add_argument("--every", type=int, default=100, help="steps between two rows of the results")
    parser.add_argument("--solver", default="nsgs")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    n, stops = options.elements, options.stops
    nodes = [(2 * c + 1) * n // (2 * stops) + 1 for c in range(stops)]  # counted from 1
    lines = [f"{c + 1} {node} 1" for c, node in enumerate(nodes)]
    (options.folder / "stops.mtx").write_text("\n".join(
        ["%%MatrixMarket matrix coordinate real general", f"{stops} {n + 1} {stops}", *lines, ""]))
    (options.folder / "scene.yaml").write_text(SCENE.format(
        n=n, stops=stops, middle=n // 2, step=options.step, end=options.step * options.steps,
        every=options.every, solver=options.solver))


if __name__ == "__main__":
    main()
