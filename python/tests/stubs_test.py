"""The type stubs name what the module has, and nothing else. Options are written from their tables:

    CLACK_WRITE_TABLE=1 CLACK_BUILD=build /usr/bin/python3 python/tests/run.py stubs_test Stubs
"""

import ast
import os
import unittest

from support import ROOT, Case, bouncing_ball, clack, forced_stop, sphere_on_floor

STUB = ROOT / "python" / "clack" / "__init__.pyi"
HELPERS = {"Array", "Path", "Tree", "SparseMatrix", "SystemForce", "BodyForce", "InputError",
           "IoError", "RunOptions"}
TYPES = {"number": "float | str", "whole": "int | str", "flag": "bool", "word": "str", "list": "Any"}


def declared(body):
    """Names of functions, classes, properties and attributes."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)


def solver_tables():
    """What any solver takes: common options, then own ones."""
    tables = dict(clack.solver_options())
    for solver in [*clack.solvers(), "bodies"]:
        for name, option in clack.solver_options(solver).items():
            tables.setdefault(name, option)
    return tables


def run_options():
    types = {"scheme": "str", "step": "float | str", "end": "float | str", "adaptive": "Tree",
             "recovery": "Tree", "solver": "str | Tree", "every": "int", "region": "ArrayLike",
             "q": "Any", "v": "Any", "t": "float | str"}
    for name, option in {**clack.scheme_options(), **solver_tables()}.items():
        types.setdefault(name, TYPES[option["kind"]])
    return ["class RunOptions(TypedDict, total=False):",
            *(f"    {name}: {kind}" for name, kind in types.items())]


def method(head, options):
    """A method of Scene with keyword arguments."""
    return [f"    def {head},", *(f"            {name}: {TYPES[option['kind']]} | None = None,"
                                  for name, option in options.items()), "            ) -> Scene: ..."]


def scene_options():
    adaptive = {"adaptive": {"kind": "list"}, "recovery": {"kind": "list"}}
    own = {name: option for name, option in solver_tables().items()
           if name not in clack.solver_options()}
    return [*method("simulation(self, step: float | str, end: float | str, scheme: str | None = None, *",
                    {**clack.scheme_options(), **adaptive}),
            *method("solver(self, name: str | None = None, tolerance: float | str | None = None,\n"
                    "            max_iterations: int | str | None = None, "
                    "time_limit: float | str | None = None, *", own)]


def with_block(text, name, lines):
    """The text with the lines between `options: name` and `options: end`."""
    before, rest = text.split(f"# options: {name} (written by python/tests/stubs_test.py)\n")
    after = rest[rest.index("# options: end"):]
    indent = before[before.rindex("\n") + 1:]
    head = f"{before}# options: {name} (written by python/tests/stubs_test.py)\n"
    return head + "".join(line + "\n" for line in lines) + indent + after


class Stubs(Case):
    def setUp(self):
        self.tree = ast.parse(STUB.read_text(encoding="utf-8"))

    def test_every_public_name_is_in_the_stub(self):
        names = set(declared(self.tree.body)) | {"plot"}
        self.assertEqual(set(clack.__all__) - names, set())

    def test_options_are_those_of_the_tables(self):
        text = STUB.read_text(encoding="utf-8")
        new = with_block(with_block(text, "run", run_options()), "scene", scene_options())
        if os.environ.get("CLACK_WRITE_TABLE"):
            STUB.write_text(new, encoding="utf-8")
        else:
            self.assertTrue(text == new, f"{STUB} is stale; write it anew: CLACK_WRITE_TABLE=1")
        ast.parse(new)

    def test_every_name_of_the_stub_exists(self):
        for name in set(declared(self.tree.body)) - HELPERS:
            self.assertTrue(hasattr(clack, name), name)

    def test_members_of_classes_exist(self):
        sim = clack.Simulation(sphere_on_floor())
        run = clack.run(bouncing_ball(), out=self.folder())
        solution = clack.solve([[1.0]], [-1.0], mu=[0.0])
        problem = clack.problem([[1.0]], [-1.0], mu=[0.0])
        objects = {"Simulation": sim, "Bodies": sim.bodies, "Body": sim.bodies[1], "Energy": sim.energy,
                   "SolveReport": sim.solver, "Results": run, "Solution": solution, "Problem": problem,
                   "Scene": bouncing_ball(), "ContactStatus": clack.ContactStatus,
                   "Modes": clack.modes(forced_stop()),
                   "Orbit": clack.orbit(forced_stop(), "2*pi/1.6", settle=47),
                   "Branch": clack.branch(forced_stop(), "parameters.W", 1.6, 1.7, "2*pi/W",
                                          settle=47, max_points=2),
                   "Exponents": clack.lyapunov(forced_stop(), 4, interval=2),
                   "Equilibria": clack.equilibria(forced_stop()),
                   "Sweep": clack.sweep(forced_stop(), {"parameters.W": [1.6]}),
                   "Convergence": clack.converge(bouncing_ball(end=0.1), "moreau-jean", [1e-2])}
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and node.name in objects:
                for name in declared(node.body):
                    self.assertTrue(hasattr(objects[node.name], name), f"{node.name}.{name}")

    def test_everything_public_has_a_docstring(self):
        for name in set(declared(self.tree.body)) - HELPERS - {"__version__"}:
            self.assertTrue(getattr(clack, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
