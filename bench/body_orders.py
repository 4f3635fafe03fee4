#!/usr/bin/env python3
"""Orders and costs of all schemes on rigid bodies, as the tables of docs/verification.md.

Sample run:   bench/body_orders.py            prints the tables (needs ./do build; /usr/bin/python3 with h5py)
              bench/body_orders.py --docs     also puts them into docs/verification.md

The reference is `event-driven` with a flow tolerance of 1e-12; errors are those of positions [m] and of half
the angle of rotation at the end, whichever is larger, of the free bodies.
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- body orders: begin -->", "<!-- body orders: end -->"
HEAD = "clack: 1\nsystem:\n  type: rigid-bodies\n"
LEFT_OUT = {"statics", "naive-hht"}  # no motion; a counter-example
EXACT = 1e-12  # errors below it have no order


def scene(gravity, mu, bodies, links="", end=1.0):
    return (f"{HEAD}  gravity: [0, 0, {-gravity}]\n  materials: {{stuff: {{density: 1000, mu: {mu}}}}}\n  bodies:\n"
            + "".join(f"    - {body}\n" for body in bodies) + links
            + f"simulation: {{step: 1.0e-3, end: {end}}}\nsolver: {{tolerance: 1.0e-11}}\noutput: {{every: 1000000}}\n")


FLOOR = "{name: floor, shape: plane, fixed: true}"
PROBLEMS = [
    ("free top: a box about its middle axis, 1 s",
     scene(0, 0, ["{name: box, shape: {box: {size: [0.1, 0.2, 0.4]}}, spin: [0.05, 6, 0.02]}"])),
    ("rolling sphere: pushed on a rough floor, slides, then rolls, 0.48 s",
     scene(9.81, 0.4, [FLOOR, "{name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1], "
                              "velocity: [1, 0.3, 0], spin: [2, 0, 5]}"], end=0.48)),
    ("bouncing box: dropped on a corner, 0.24 s",
     scene(9.81, 0.3, [FLOOR, "{name: box, shape: {box: {size: [0.1, 0.2, 0.3]}}, position: [0, 0, 0.3], "
                              "rotation: [0.924, 0.3, 0.2, 0.1]}"], end=0.24)),
    ("spherical pendulum on a hinge, 1 s",
     scene(9.81, 0, ["{name: post, shape: {sphere: {radius: 0.01}}, fixed: true}",
                     "{name: bob, shape: {sphere: {radius: 0.05}}, position: [0.4, 0, 0], velocity: [0, 1, 0]}"],
           links="  links: [{name: pin, bodies: [post, bob], point: [0, 0, 0], link: {law: hinge}}]\n")),
]


def run(path, scheme, step, folder):
    """Final coordinates, a row per body, seconds of computing and whether every step was solved."""
    command = [ROOT / "build/clack", "run", path, "--set", f"simulation.scheme={scheme}", "--set",
               f"simulation.step={step}", "-o", folder, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode > 1:
        return None, done.stderr.strip(), False
    summary = json.loads(done.stdout.strip().splitlines()[-1])
    with h5py.File(pathlib.Path(folder) / "results.h5") as file:
        q = file["q"][-1].reshape(-1, 7)
    return q, summary["seconds"], summary["status"] == "converged"


def distance(a, b):
    worst = 0.0
    for x, y in zip(a, b):
        dot = min(1.0, abs(float(np.dot(x[3:], y[3:]))))
        worst = max(worst, float(np.abs(x[:3] - y[:3]).max()), math.acos(dot) if dot < 1 - 1e-15 else 0.0)
    return worst


def study(title, text, schemes, steps):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scene.yaml"
        path.write_text(text)
        reference, words, _ = run(path, "event-driven", steps[0], folder)
        if reference is None:
            raise SystemExit(words)
        for scheme in schemes:
            errors, seconds, solved, words = [], 0, True, ""
            for step in steps:
                q, seconds, good = run(path, scheme, step, folder)
                if q is None:
                    words = seconds
                    break
                errors.append(distance(q, reference))
                solved = solved and good
            if words:
                rows.append(f"| `{scheme}` | refused | | | |")
                continue
            exact = max(errors) < EXACT or min(errors) == 0
            order = "exact" if exact else f"{math.log(errors[0] / errors[-1], steps[0] / steps[-1]):.2f}"
            cells = " | ".join(f"{error:.1e}" for error in errors)
            rows.append(f"| `{scheme}` | {cells} | {order} | {1e3 * seconds:.0f}{'' if solved else ' (steps missed)'} |")
    head = f"| {title} | " + " | ".join(f"h = {step:g} s" for step in steps) + " | order | ms at the last |"
    return "\n".join([head, "|---|" + "---|" * (len(steps) + 2)] + rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", action="store_true")
    arguments = parser.parse_args()
    listed = subprocess.run([ROOT / "build/clack", "list", "schemes"], capture_output=True, text=True, check=True)
    schemes = ["stewart-trinkle"] + [line.split()[0] for line in listed.stdout.splitlines()
                                     if line and not line.startswith(" ")]
    schemes = [name for name in dict.fromkeys(schemes) if name not in LEFT_OUT]
    tables = "\n\n".join(study(title, text, schemes, [4e-3, 2e-3, 1e-3]) for title, text in PROBLEMS)
    print(tables)
    if arguments.docs:
        page = ROOT / "docs/verification.md"
        old = page.read_text()
        start, end = old.index(BEGIN) + len(BEGIN), old.index(END)
        page.write_text(old[:start] + "\n" + tables + "\n" + old[end:])


if __name__ == "__main__":
    main()
