#!/usr/bin/env python3
"""Orders and costs of all schemes, as the tables of docs/verification.md.

Sample run:   ./do bench orders              prints the tables, leaves out/bench/orders.md
              ./do bench orders --docs       also puts them into docs/verification.md
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- orders: begin -->", "<!-- orders: end -->"
EXACT = 1e-6  # errors below this at every step have no order (tables of reference have some 1e-7)
LEFT_OUT = {"statics", "naive-hht"}  # no motion; a counter-example
GGL = ["simulation.constraints=position-velocity"]
ACCELERATION = ["simulation.constraints=position-velocity-acceleration"]
# Further rows of a scheme: words for the table, assignments.
VARIANTS = {
    "generalized-alpha": [(", position-velocity", GGL),
                          (", position-velocity-acceleration", ACCELERATION)],
    "theta-xi": [(", theta = xi = 1", ["simulation.theta=1", "simulation.xi=1"])],
}
SKIP_PLAIN = {"theta-xi"}  # rigid impacts are consistent for theta = 1 only
SECOND = ["moreau-jean", "moreau-jean-dissipative", "moreau-midpoint", "newmark", "hht", "generalized-alpha",
          "rattle", "central-differences", "theta-xi", "event-driven"]


class Problem:
    def __init__(self, title, scene, end, inelastic, reference=None):
        self.title, self.scene, self.end = title, scene, end
        self.inelastic = inelastic  # assignments for schemes without an impact law, or None
        self.reference = reference  # function of e that writes a table; None: closed form of the scene


def pendulum_reference(e):
    """(t, theta, theta') of examples/pendulum_wall.yaml: theta'' = -10 sin(theta), wall at theta = 0."""
    def step(x, v, h):
        a = lambda y: -10 * math.sin(y)
        k1, x2, v2 = a(x), x + h / 2 * v, v + h / 2 * a(x)
        k2, x3, v3 = a(x2), x + h / 2 * v2, v + h / 2 * a(x2)
        k3, x4, v4 = a(x3), x + h * v3, v + h * a(x3)
        return x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + a(x4))

    rows, t, x, v, h = [(0.0, math.pi / 2, 0.0)], 0.0, math.pi / 2, 0.0, 2e-5
    while t < 1.2 + h:
        x_next, v_next = step(x, v, h)
        if x_next > 0 or (x == 0 and v == 0):
            if x == 0 and v == 0:
                x_next = v_next = 0.0
            t, x, v = t + h, x_next, v_next
            rows.append((t, x, v))
            continue
        low, high = 0.0, h
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if step(x, v, middle)[0] > 0 else (low, middle)
        v = step(x, v, high)[1]
        t, x = t + high, 0.0
        rows += [(t, 0.0, v), (t, 0.0, -e * v)]
        v = -e * v if e > 0 else 0.0
    return ["t", "theta", "theta'"], rows


def two_mass_reference(e):
    """(t, y1, y2, y1', y2') of examples/two_mass_oscillator.yaml: parabola and sine between impacts."""
    m1, m2, k, g = 2.0, 1.0, 200.0, 9.81
    m, w = m1 + m2, math.sqrt(k * (m1 + m2) / (m1 * m2))

    def flight(start, s):
        y1, y2, v1, v2 = start
        c = (m1 * y1 + m2 * y2) / m + (m1 * v1 + m2 * v2) / m * s - g * s * s / 2
        vc = (m1 * v1 + m2 * v2) / m - g * s
        d = (y1 - y2) * math.cos(w * s) + (v1 - v2) / w * math.sin(w * s)
        vd = -(y1 - y2) * w * math.sin(w * s) + (v1 - v2) * math.cos(w * s)
        return (c + m2 / m * d, c - m1 / m * d, vc + m2 / m * vd, vc - m1 / m * vd)

    rows, begin, start, s, h = [], 0.0, (0.5, 0.5, 0.0, 0.0), 0.0, 2e-5
    while begin + s < 1.3 + h:
        state = flight(start, s)
        if state[0] >= 0 or s == 0:
            rows.append((begin + s, *state))
            s += h
            continue
        low, high = s - h, s
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if flight(start, middle)[0] > 0 else (low, middle)
        y1, y2, v1, v2 = flight(start, high)
        begin += high
        rows.append((begin, 0.0, y2, v1, v2))
        start, s = (0.0, y2, -e * v1, v2), 0.0
    return ["t", "y1", "y2", "y1'", "y2'"], rows


PROBLEMS = [
    Problem("bouncing ball", "bouncing_ball", 2.5, ["parameters.e=0"]),
    Problem("impacting oscillator", "impacting_oscillator", 5, ["parameters.e=0"]),
    Problem("two masses", "two_mass_oscillator", 1.3, None, lambda _: two_mass_reference(1.0)),
    Problem("pendulum and wall", "pendulum_wall", 1.2, ["parameters.e=0"], pendulum_reference),
    Problem("planar ball, friction", "planar_ball_spin", 1.1, []),
]
SMOOTH = [Problem("oscillator before its impact", "impacting_oscillator", 0.7, ["parameters.e=0"]),
          Problem("pendulum before its impact", "pendulum_wall", 0.5, ["parameters.e=0"], pendulum_reference)]


class Study:
    """Calls `clack converge`; answers are those of its --json."""

    def __init__(self, program, folder, jobs):
        self.program, self.folder, self.jobs = program, folder, jobs

    def schemes(self):
        lines = subprocess.run([self.program, "list", "schemes"], capture_output=True, text=True, check=True)
        return [line.split()[0] for line in lines.stdout.splitlines() if line and not line.startswith(" ")]

    def reference(self, problem, e):
        if problem.reference is None:
            return "exact"
        file = self.folder / f"{problem.scene}_{e:g}.csv"
        if not file.exists():
            names, rows = problem.reference(e)
            text = "\n".join(",".join(repr(x) for x in row) for row in rows)
            file.write_text(",".join(names) + "\n" + text + "\n")
        return str(file)

    def converge(self, problem, scheme, assignments, steps, norm, elastic, tolerances=None):
        """The runs of each line, or None where the scheme refuses the scene."""
        e = (0.5 if problem.scene == "pendulum_wall" else 1.0) if elastic else 0.0
        command = [self.program, "converge", str(ROOT / "examples" / f"{problem.scene}.yaml"), "--schemes", scheme,
                   "--steps", steps, "--norm", norm, "--reference", self.reference(problem, e), "--json",
                   "-o", str(self.folder / "converge"), "--jobs", str(self.jobs),
                   "--set", f"simulation.end={problem.end}"]
        for assignment in assignments + ([] if elastic else problem.inelastic):
            command += ["--set", assignment]
        if tolerances:
            command += ["--tolerances", tolerances]
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.returncode == 2:
            return None
        return json.loads(answer.stdout.splitlines()[-1])["schemes"]


def slope(runs, key):
    """Median slope over all pairs of steps (Theil, Sen); NaN where a run failed."""
    points = []
    for run in runs:
        if run["failure"] or not run[key]:
            return math.nan
        points.append((math.log(run["step"]), math.log(run[key])))
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(points) for b in points[:i])


def order(runs, key):
    """The order as a cell; the largest error where the scheme is exact to its own tolerance at every step."""
    errors = [run[key] for run in runs if not run["failure"]]
    if len(errors) == len(runs) and max(errors) < EXACT:
        return f"≤ {max(errors):.0e}"
    return number(slope(runs, key))


def number(x):
    return "failed" if math.isnan(x) else f"{x:.2f}"


def two_digits(x):
    return f"{float(f'{x:.2g}'):g}"


def rows_of(schemes):
    for scheme in schemes:
        if scheme in LEFT_OUT:
            continue
        if scheme not in SKIP_PLAIN:
            yield scheme, scheme, []
        for words, assignments in VARIANTS.get(scheme, []):
            yield f"{scheme}|{words}", scheme, assignments


def name_cell(name):
    scheme, _, words = name.partition("|")
    return f"`{scheme}`{words}"


def impact_table(study, schemes):
    lines = ["| scheme | " + " | ".join(p.title for p in PROBLEMS) + " |", "|---" * (len(PROBLEMS) + 1) + "|"]
    for name, scheme, assignments in rows_of(schemes):
        cells, inelastic = [], False
        for problem in PROBLEMS:
            answer = study.converge(problem, scheme, assignments, "1e-2:2e-4:40", "Hausdorff", True)
            if answer is None and problem.inelastic is not None:
                inelastic = True
                answer = study.converge(problem, scheme, assignments, "1e-2:2e-4:40", "Hausdorff", False)
            runs = answer[0]["runs"] if answer else None
            cells.append(f"{order(runs, 'error_l1')}, {order(runs, 'error')}" if runs else "–")
        lines.append(f"| {name_cell(name)}{', e = 0' if inelastic else ''} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def smooth_table(study, schemes):
    lines = ["| scheme | " + " | ".join(p.title for p in SMOOTH) + " |", "|---" * (len(SMOOTH) + 1) + "|"]
    for scheme in (s for s in SECOND if s in schemes):
        rows = [("", [])] + [v for v in VARIANTS.get(scheme, []) if scheme != "theta-xi"]
        for words, assignments in rows:
            cells = []
            for problem in SMOOTH:
                answer = study.converge(problem, scheme, assignments, "1e-2:2e-4:20", "L1", True)
                if answer is None:
                    answer = study.converge(problem, scheme, assignments, "1e-2:2e-4:20", "L1", False)
                cells.append(order(answer[0]["runs"], "error_l1") if answer else "–")
            lines.append(f"| `{scheme}`{words} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return lines


def cost_table(study, schemes):
    problem = PROBLEMS[1]
    lines = ["| scheme | L1 error 1e-3 | 1e-4 | 1e-5 |", "|---|---|---|---|"]
    for name, scheme, assignments in rows_of(schemes):
        answer = study.converge(problem, scheme, assignments, "1e-2:1e-6:22", "L1", True,
                                "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10")
        for record in answer or []:
            adaptive = record["scheme"].endswith(", adaptive")
            coarsest = record["runs"][0]  # enough where the scheme is exact at every step
            exact = max(run["error"] or 1 for run in record["runs"]) < EXACT
            costs = [coarsest] * 3 if exact else record["costs"]
            cells = [f"{c['steps']:,.0f}, {two_digits(1e3 * c['cpu_seconds'])} ms" if c["steps"] else "–"
                     for c in costs]
            lines.append(f"| {name_cell(name)}{', adaptive' if adaptive else ''} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "clack"))
    parser.add_argument("-o", "--output", default=str(ROOT / "out" / "bench"))
    parser.add_argument("--schemes", help="some of them, with commas (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--docs", action="store_true", help="put the tables into docs/verification.md")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    study = Study(arguments.program, folder, arguments.jobs)
    schemes = arguments.schemes.split(",") if arguments.schemes else study.schemes()
    text = ["Orders through impacts, in L1 and in Hausdorff's distance:", ""] + impact_table(study, schemes)
    text += ["", "Orders in L1 of smooth motion:", ""] + smooth_table(study, schemes)
    text += ["", "Work to reach an L1 error on the impacting oscillator (5 s, three impacts): steps computed, CPU time:", ""]
    text += cost_table(study, schemes)
    (folder / "orders.md").write_text("\n".join(text) + "\n")
    if arguments.docs:
        file = ROOT / "docs" / "verification.md"
        before, rest = file.read_text().split(BEGIN)
        file.write_text(before + BEGIN + "\n" + "\n".join(text) + "\n" + END + rest.split(END)[1])
    print(f"\nTables in {folder / 'orders.md'}")


if __name__ == "__main__":
    sys.exit(main())
