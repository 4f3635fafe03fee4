#!/usr/bin/env python3
"""A collection of one-step problems for `auto`: from the examples and from scenes made here.

    bench/auto_collection.py                         all of it, some minutes, into out/collection
    bench/auto_collection.py --only 'rocks|vault'    some
    build/clack bench out/collection/tune --solvers auto --tol 1e-8,1e-12 --repeat 1 -o out/collection/bench_tune

Each run goes to `tune` or to `held` by a hash of its name, with all its problems: parameters are chosen on
the first, and the second is not looked at before they are. Only the script is kept; the same program makes
the same problems again.
"""
import argparse
import concurrent.futures
import hashlib
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GRAVITY = {2: "[0, -9.81]", 3: "[0, 0, -9.81]"}
TIME_LIMIT = 15  # processor time of a run [s]; what it has dumped by then counts
SOLVER = "{name: nsgs, tolerance: 1.0e-4, max_iterations: 200}"  # not `auto`: the problems stay when it changes


class Run:
    """A scene, the settings put on top of it, and how many steps lie between two problems."""

    def __init__(self, name, scene, every, settings=()):
        self.name, self.scene, self.every, self.settings = name, scene, every, list(settings)

    def half(self):
        return "held" if hashlib.sha256(self.name.encode()).digest()[0] % 2 else "tune"


def scene(bodies, *, space=3, mu=0.5, e_n=0.0, step=2e-3, end=0.4, pairs="", links="", gravity=None):
    return f"""clack: 1
system:
  type: rigid-bodies
  space: {space}d
  gravity: {gravity or GRAVITY[space]}
  materials: {{rock: {{density: 2600, mu: {mu}, e_n: {e_n}}}}}
{pairs}{links}  bodies:
{bodies}simulation: {{step: {step}, end: {end}}}
solver: {SOLVER}
output: {{every: 100}}
"""


def body(text):
    return f"    - {text}\n"


def box_walls(width, removed=None):
    """Floor and four walls of a box of that width; one wall may be taken away."""
    gone = f", removed: {removed}" if removed is not None else ""
    return (
        body("{name: floor, shape: plane, fixed: true}")
        + body("{name: west, shape: {plane: {normal: [1, 0, 0]}}, fixed: true}")
        + body(f"{{name: east, shape: {{plane: {{normal: [-1, 0, 0], offset: {-width}}}}}, fixed: true{gone}}}")
        + body("{name: south, shape: {plane: {normal: [0, 1, 0]}}, fixed: true}")
        + body(f"{{name: north, shape: {{plane: {{normal: [0, -1, 0], offset: {-width}}}}}, fixed: true}}")
    )


def rock_shape(dice, size):
    """A hull of points near an ellipsoid."""
    axes = [size * dice.uniform(0.6, 1.0) for _ in range(3)]
    points = []
    for _ in range(dice.randint(8, 14)):
        x = [dice.gauss(0, 1) for _ in range(3)]
        length = sum(c * c for c in x) ** 0.5
        points.append([round(a * c / length, 6) for a, c in zip(axes, x)])
    return f"{{polyhedron: {{points: {points}}}}}"


def rock_layers(dice, layers, side, size):
    """Layers of side x side rocks, each layer of one shape, turned at random."""
    text, pitch = "", 2.05 * size
    for layer in range(layers):
        origin = [pitch * 0.55, pitch * 0.55, pitch * (layer + 0.6)]
        text += body(
            f"{{name: rock{layer}, shape: {rock_shape(dice, size)}, sample: {{lattice: {{count: [{side}, {side}, 1], "
            f"spacing: {pitch}, origin: {origin}, random_rotation: true, jitter: {0.02 * size}, seed: {layer + 1}}}}}}}"
        )
    return text


def rocks():
    """Hulls that fall into a box and come to rest, that lie free, or whose box loses a wall."""
    for seed, (mu, side, layers, kind) in enumerate(
        (mu, side, layers, kind)
        for mu in (0.7, 1.0)
        for side, layers in ((3, 3), (4, 3), (4, 5))
        for kind in ("box", "free", "gate")
    ):
        dice = random.Random(seed)
        width = 2.05 * side * 0.1 + 0.02
        walls = body("{name: floor, shape: plane, fixed: true}") if kind == "free" else box_walls(
            width, 0.7 if kind == "gate" else None)
        text = scene(walls + rock_layers(dice, layers, side, 0.1), mu=mu, end=1.0)
        yield Run(f"rocks_{kind}_{side}x{layers}_mu{mu}", text, 83)


def cells():
    """Voronoi cells in space: a block that falls apart, or stands between walls and loses one."""
    for mu in (0.3, 0.7, 1.0):
        for count in (12, 25, 40):
            for kind in ("free", "box", "gate"):
                width = 0.4
                walls = body("{name: floor, shape: plane, fixed: true}") if kind == "free" else box_walls(
                    width, 0.06 if kind == "gate" else None)
                cells = body(
                    f"{{name: cell, sample: {{voronoi: {{box: [[0, 0, 0], [{width}, {width}, 0.6]], count: {count}, "
                    f"gap: 1.0e-4, seed: {count}}}}}}}")
                yield Run(f"cells_{kind}_{count}_mu{mu}", scene(walls + cells, mu=mu, end=0.3), 37)


def cells_in_the_plane():
    for mu in (0.3, 0.7, 1.0):
        for count in (60, 150):
            for cohesion in ("", "wet", "mohr-coulomb"):
                pairs = ""
                if cohesion == "wet":
                    pairs = (f"  pairs: [{{materials: [rock, rock], friction: {{law: coulomb, mu: {mu}}}, "
                             "cohesion: {law: wet, c_n: 20, thickness: 1.0e-4}}]\n")
                if cohesion == "mohr-coulomb":
                    pairs = (f"  pairs: [{{materials: [rock, rock], mu: {mu}, "
                             "cohesion: {law: mohr-coulomb, c_n: 2.0e3, c_t: 2.0e3}}]\n")
                bodies = body("{name: floor, shape: line, fixed: true}") + body(
                    f"{{name: cell, sample: {{voronoi: {{box: [[0, 0], [0.3, 0.8]], count: {count}, iterations: 1, "
                    f"seed: {count}}}}}}}")
                name = f"cells2d_{count}_mu{mu}" + (f"_{cohesion}" if cohesion else "")
                yield Run(name, scene(bodies, space=2, mu=mu, end=0.3, pairs=pairs, step=1e-3), 73)
                if count > 100:
                    continue
                yield Run(name + "_tilted", scene(bodies, space=2, mu=mu, end=0.3, pairs=pairs, step=1e-3,
                                                  gravity="[5, -8.4]"), 73)


def planks():
    for kind, levels, planks_per_level in (("log-cabin", 12, 2), ("log-cabin", 24, 2), ("square", 8, 3), ("square", 14, 4)):
        for mu in (0.3, 0.8):
            for hit in (False, True):
                bodies = body("{name: floor, shape: plane, fixed: true}") + body(
                    f"{{name: tower, sample: {{tower: {{kind: {kind}, levels: {levels}, planks: {planks_per_level}}}}}}}")
                if hit:
                    bodies += body("{name: ball, shape: {sphere: {radius: 0.03}}, position: [-0.12, 0.02, 0.05], "
                                   "velocity: [5, 0.3, 0.2]}")
                name = f"planks_{kind}_{levels}x{planks_per_level}_mu{mu}_{'hit' if hit else 'rest'}"
                yield Run(name, scene(bodies, mu=mu, step=1e-3, end=0.25 if hit else 0.04), 61 if hit else 19)


def masonry():
    for mu in (0.4, 0.8):
        for rows in (1, 3):
            for voussoirs, thickness in ((21, 0.25), (41, 0.12)):
                vault = body(f"{{name: vault, sample: {{vault: {{line: mean, span: 4, rise: 1.5, thickness: {thickness}, "
                             f"depth: 0.5, voussoirs: {voussoirs}, rows: {rows}}}}}}}")
                yield Run(f"vault_{voussoirs}x{rows}_mu{mu}", scene(vault, mu=mu, end=0.5), 83)
        for courses in (4, 8):
            wall = body("{name: floor, shape: plane, fixed: true}") + body(
                f"{{name: wall, sample: {{wall: {{bricks: 6, courses: {courses}}}}}}}") + body(
                "{name: stone, shape: {sphere: {radius: 0.1}}, position: [0.6, -0.4, 0.3], velocity: [0, 8, 0]}")
            yield Run(f"wall_6x{courses}_mu{mu}", scene(wall, mu=mu, end=0.4), 66)
        arch = body("{name: ground, shape: {line: {offset: -0.1}}, fixed: true}") + body(
            "{name: arch, sample: {arch: {line: mean, span: 2, rise: 1, thickness: 0.1, voussoirs: 31}}}")
        yield Run(f"arch_31_mu{mu}", scene(arch, space=2, mu=mu, end=0.8), 133)


def slopes():
    """Jointed rock in space and in the plane, above a plane of bedding."""
    for mu in (0.4, 0.7):
        for dip in (20, 35):
            sine, cosine = f"sin({dip}*pi/180)", f"cos({dip}*pi/180)"
            joints = body(f"{{name: bedrock, shape: {{plane: {{normal: [{sine}, 0, {cosine}]}}}}, fixed: true}}") + body(
                "{name: rock, sample: {joints: {box: [[-6, 0, 0], [0, 3, 5]], sets: ["
                f"{{dip: {dip}*pi/180, dip_direction: pi/2, spacing: 1.2, jitter: 0.2}}, "
                "{dip: pi/2.1, dip_direction: 0.2, spacing: 1.7, jitter: 0.2}], "
                f"keep: [{{normal: [-{sine}, 0, -{cosine}]}}], least_volume: 0.05, seed: 5}}}}}}")
            yield Run(f"slope_{dip}_mu{mu}", scene(joints, mu=mu, end=0.8, step=4e-3), 49)


def grains():
    """Spheres and capsules that rest, flow and collapse."""
    for mu in (0.3, 0.8):
        for count in (60, 150, 300):
            for removed in (None, 0.35):
                width = 0.1
                balls = box_walls(width, removed) + body(
                    f"{{name: ball, sample: {{random-packing: {{box: [[0, 0, 0], [{width}, {width}, {0.0012 * count + 0.05}]], "
                    f"sizes: {{uniform: [0.014, 0.022]}}, count: {count}}}}}}}")
                name = f"spheres_{count}_mu{mu}_{'gate' if removed else 'box'}"
                yield Run(name, scene(balls, mu=mu, end=0.5, step=1e-3), 83)
        for shape, name in (("{capsule: {radius: 0.01, length: 0.03}}", "capsules"),
                            ("{cylinder: {radius: 0.012, length: 0.03}}", "cylinders"),
                            ("{box: {size: [0.03, 0.02, 0.015]}}", "boxes")):
            for removed in (None, 0.35):
                pieces = box_walls(0.18, removed) + body(
                    f"{{name: piece, shape: {shape}, sample: {{lattice: {{count: [3, 3, 6], spacing: 0.055, "
                    "origin: [0.035, 0.035, 0.04], random_rotation: true}}}")
                yield Run(f"{name}_mu{mu}_{'gate' if removed else 'box'}", scene(pieces, mu=mu, end=0.6), 59)


def rolling():
    for mu_r in (1e-4, 1e-3):
        for space in (2, 3):
            pairs = ("  pairs: [{materials: [rock, rock], "
                     f"friction: {{law: rolling, mu: 0.5, mu_r: {mu_r}}}}}]\n")
            if space == 2:
                bodies = body("{name: floor, shape: line, fixed: true}") + body(
                    "{name: disc, sample: {lattice: {kind: hexagonal, count: [6, 12], spacing: 0.0105, origin: [0, 0.006], "
                    "sizes: {uniform: [0.008, 0.01]}}}}")
            else:
                bodies = body("{name: floor, shape: plane, fixed: true}") + body(
                    "{name: ball, sample: {lattice: {count: [3, 3, 6], spacing: 0.0105, origin: [0, 0, 0.006], "
                    "jitter: 1.0e-4, sizes: {uniform: [0.009, 0.01]}}}}")
            yield Run(f"rolling{space}d_{mu_r}", scene(bodies, space=space, pairs=pairs, end=0.4, step=1e-3), 57)


def chains():
    """Bodies tied by hinges and glue that fall on the floor."""
    for kind in ("hinge", "glue"):
        for count in (6, 15):
            bodies = body("{name: floor, shape: plane, fixed: true}")
            for i in range(count):
                bodies += body(f"{{name: link{i}, shape: {{box: {{size: [0.1, 0.04, 0.03]}}}}, "
                               f"position: [{0.11 * i:.3f}, 0, {0.02 + 0.01 * (i % 3):.3f}], spin: [0, {i % 2}, 0.5]}}")
            ties = ", ".join(
                f"{{bodies: [link{i}, link{i + 1}], point: [{0.11 * i + 0.055:.3f}, 0, {0.03:.3f}], link: {kind}}}"
                for i in range(count - 1))
            yield Run(f"chain_{kind}_{count}", scene(bodies, links=f"  links: [{ties}]\n", end=0.5), 61)


# Examples of rigid bodies: steps between problems, and settings that make the run short.
EXAMPLES = {
    "barrel_vault": (33, ["system.bodies.0.sample.vault.voussoirs=45"]),
    "bonded_column": (7, ["parameters.n=60"]),
    "bonded_strip": (14, ["simulation.end=0.03"]),
    "box_on_slope": (50, []),
    "chute_flow": (167, ["simulation.end=0.7", "parameters.layers=4"]),
    "domino_run": (167, ["simulation.end=0.8"]),
    "hopper_2d": (167, ["parameters.count=300", "simulation.end=0.8"]),
    "hopper_3d": (167, ["parameters.count=300", "simulation.end=0.6"]),
    "kapla_collapse": (83, ["simulation.end=0.5"]),
    "kapla_tower": (20, ["simulation.end=0.1"]),
    "masonry_arch": (133, ["simulation.end=0.8"]),
    "rock_slope": (66, ["simulation.end=1"]),
    "rock_wedge": (66, []),
    "rockfall": (999, ["simulation.end=10"]),
    "rolling_pile": (83, ["simulation.end=0.5", "parameters.count=80"]),
    "rotating_drum": (167, ["simulation.end=1"]),
    "sandbox": (83, ["simulation.end=0.6", "parameters.columns=40", "parameters.rows=8"]),
    "shear_cell": (167, ["simulation.end=0.5"]),
    "sphere_pile": (167, ["simulation.end=0.7", "parameters.count=150"]),
}


def examples():
    for name, (every, settings) in EXAMPLES.items():
        yield Run(f"example_{name}", ROOT / "examples" / f"{name}.yaml", every, settings)


FAMILIES = (rocks, cells, cells_in_the_plane, planks, masonry, slopes, grains, rolling, chains, examples)


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT, TIME_LIMIT))


def simulate(run, clack, folder):
    """Runs a scene and files its problems; returns one line about it."""
    work = folder / "runs" / run.name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    scene_file = run.scene
    if isinstance(run.scene, str):
        scene_file = work / "scene.yaml"
        scene_file.write_text(run.scene)
    command = [clack, "run", scene_file, "-o", work / "out", "--dump-problems", f"every={run.every}", "--threads", "1"]
    for setting in run.settings:
        command += ["--set", setting]
    with open(work / "log", "w") as log:
        code = subprocess.run(command, stdout=log, stderr=log, preexec_fn=limit_time).returncode
    problems = sorted((work / "out" / "problems").glob("*.hdf5"))
    half = folder / run.half()
    half.mkdir(exist_ok=True)
    for problem in problems:
        shutil.move(problem, half / f"{run.name}_{problem.name}")
    shutil.rmtree(work / "out", ignore_errors=True)
    return f"{run.name}: {len(problems)} problems to {run.half()}, exit {code}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "out" / "collection")
    parser.add_argument("--clack", default=ROOT / "build" / "clack")
    parser.add_argument("--only", default="", help="runs whose name contains this regular expression")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="names and halves, no runs")
    arguments = parser.parse_args()
    runs = [run for family in FAMILIES for run in family() if re.search(arguments.only, run.name)]
    if arguments.list:
        print("\n".join(f"{run.half()} {run.name}" for run in runs))
        return 0
    arguments.output.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        started = [pool.submit(simulate, run, arguments.clack, arguments.output) for run in runs]
        for done in concurrent.futures.as_completed(started):
            print(done.result(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
