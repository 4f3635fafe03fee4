"""The type stubs name what the module has, and nothing else."""

import ast
import unittest

from support import ROOT, Case, bouncing_ball, clack, sphere_on_floor

STUB = ROOT / "python" / "clack" / "__init__.pyi"
HELPERS = {"Array", "Path", "Tree", "SystemForce", "BodyForce", "InputError", "IoError"}


def declared(body):
    """Names of functions, classes, properties and attributes."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)


class Stubs(Case):
    def setUp(self):
        self.tree = ast.parse(STUB.read_text(encoding="utf-8"))

    def test_every_public_name_is_in_the_stub(self):
        names = set(declared(self.tree.body)) | {"plot"}
        self.assertEqual(set(clack.__all__) - names, set())

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
