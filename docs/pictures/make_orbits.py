#!/usr/bin/env python3
"""Makes modes_chain.svg, modes_rod.svg and branch_doubling.svg beside it; from the root of the repository, after ./do build."""

import csv
import shutil
import subprocess

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

OUT, HERE = "out/orbit_pictures", "docs/pictures"
OSCILLATOR = "examples/vibro_impact.yaml"


def clack(*words):
    subprocess.run(["build/clack", *words], check=True, stdout=subprocess.DEVNULL)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def families():
    clack("modes", "examples/chain_stop.yaml", "--impacts", "3.4:10.2:400", "-o", f"{OUT}/chain")
    clack("modes", "--exact-rod", "g0=1", "-o", f"{OUT}/rod")
    for name in ("chain", "rod"):
        shutil.copy(f"{OUT}/{name}/modes.svg", f"{HERE}/modes_{name}.svg")


def doubling():
    """The branch of one impact per period, those of two and of four, over what sweeps find."""
    clack("continue", OSCILLATOR, "--over", "parameters.W=2.4:2.76", "--kind", "forced", "--period", "2*pi/W",
          "--settle", "300", "--at", "2.4", "--double", "-o", f"{OUT}/branch")
    clack("sweep", OSCILLATOR, "--vary", "parameters.W=2.4:2.76:145", "--section", "impact", "--period", "2*pi/W",
          "--skip-periods", "300", "--keep", "8", "-o", f"{OUT}/sweep")
    figure, axes = plt.subplots(figsize=(7, 4.2))
    varied = [float(row["parameters.W"]) for row in rows(f"{OUT}/sweep/sweep.csv")]
    points = rows(f"{OUT}/sweep/section.csv")
    axes.plot([varied[int(p["run"])] for p in points], [-float(p["u_before"]) for p in points], ".",
              color="0.55", markersize=2, label="impacts found by the sweep")
    branches = {}
    for row in rows(f"{OUT}/branch/branch.csv"):
        branches.setdefault(row["branch"], []).append(row)
    for number, branch in enumerate(branches.values()):
        for stable in ("1", "0"):
            line = [(float(r["parameter"]), float(r["slowest_impact"])) if r["stable"] == stable else (None, None)
                    for r in branch]
            axes.plot(*zip(*[(float("nan") if x is None else x, float("nan") if y is None else y) for x, y in line]),
                      "-" if stable == "1" else "--", color=f"C{number}",
                      label=f"branch, impacts per orbit: {branch[0]['impacts']}" if stable == "1" else None)
    axes.set_xlabel("W [rad/s]")
    axes.set_ylabel("speed of impacts, of branches the slowest [m/s]")
    axes.legend(frameon=False, loc="upper right")
    figure.tight_layout()
    figure.savefig(f"{HERE}/branch_doubling.svg", metadata={"Date": None})


if __name__ == "__main__":
    families()
    doubling()
