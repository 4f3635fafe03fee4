#!/usr/bin/env python3
"""What regularisation costs: the block on a belt with set-valued and smoothed friction, as the table of
docs/verification.md.

For each example and scheme: the largest step of the list from which on all smaller ones are within 1 % of the
exact limit cycle, the steps and the time that 25 s take with it, and failed steps. The time of a step is the best of
ten runs of at most 20000 steps.

Sample run:   bench/belt_table.py build/clack
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PERIOD, AMPLITUDE = 6.653471, 4.093215  # of the set-valued law, tests/physics/belt_test.cpp
EXAMPLES = [("set-valued, coefficient of the start of the step", "belt_stribeck", 1e-3),
            ("set-valued, coefficient of its end", "belt_implicit", 1e-3),
            ("arctangent, sharpness 1e4", "belt_arctan", 1e-4),
            ("LuGre, bristle stiffness 1e5", "belt_lugre", 2e-6)]
SCHEMES = ["moreau-jean", "moreau-midpoint"]
STEPS = [s * 10.0**e for e in range(-2, -7, -1) for s in (8, 7, 6, 5, 4, 3, 2, 1.5, 1)]


def run(program, name, scheme, h, end=25):
    with tempfile.TemporaryDirectory() as folder:
        sets = [f"simulation.step={h:.12g}", f"simulation.scheme={scheme}", f"simulation.end={end:.12g}",
                "output.every=1000000"]
        command = [program, "run", str(ROOT / "examples" / f"{name}.yaml"), "-o", folder, "--json"]
        done = subprocess.run(command + [w for s in sets for w in ("--set", s)], capture_output=True, text=True)
        return json.loads(done.stdout) if done.stdout else None


def error_of(summary):
    """The larger relative error of amplitude and period, infinite where there is no cycle."""
    if summary is None:
        return math.inf
    m = summary["measures"]
    low, high, period = m["smallest displacement"], m["largest displacement"], m["period"]
    if None in (low, high, period):
        return math.inf
    return max(abs(0.5 * (high - low) / AMPLITUDE - 1), abs(period / PERIOD - 1))


def largest_step(program, name, scheme, smallest):
    """From the small steps up: the last one that is good."""
    best = None
    for h in sorted(s for s in STEPS if s >= smallest):
        summary = run(program, name, scheme, h)
        if not error_of(summary) < 0.01:
            if best:
                break
            continue
        best = h, summary
    return best


def main():
    program = sys.argv[1]
    print("| friction | scheme | largest step | steps | failed | time | time a step |\n|---|---|---|---|---|---|---|")
    for words, name, smallest in EXAMPLES:
        for scheme in SCHEMES:
            coarse = name == "belt_lugre" and scheme == "moreau-jean"
            best = largest_step(program, name, scheme, 1e-3 if coarse else smallest)
            if not best:
                print(f"| {words} | `{scheme}` | none | | | | |")
                continue
            h, summary = best
            runs = [run(program, name, scheme, h, min(25, 20000 * h)) for _ in range(10)]
            seconds = summary["steps"] * min(r["seconds"] / r["steps"] for r in runs)
            print(f"| {words} | `{scheme}` | {h:.3g} s | {summary['steps']} | {summary['failed_steps']} | "
                  f"{1e3 * seconds:.3g} ms | {1e6 * seconds / summary['steps']:.2g} µs |", flush=True)


if __name__ == "__main__":
    main()
