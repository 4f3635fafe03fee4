"""The solvers alone: dense, sparse and files, judged by the yardstick."""

import math
import unittest
from pathlib import Path

import scipy.sparse

from support import Case, clack, np


def random_problem(contacts=8, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(dim * contacts + 4, dim * contacts))
    return H.T @ H, rng.normal(size=dim * contacts), rng.uniform(0.1, 0.9, contacts)


class Solvers(Case):
    def test_one_contact_has_the_known_answer(self):
        stick = clack.solve(np.eye(3), [-1, 0.2, 0.1], mu=0.5)
        self.assert_close(stick.r, [1, -0.2, -0.1], 1e-10)
        self.assert_close(stick.u, 0, 1e-10)
        slide = clack.solve(np.eye(3), [-1, 3, 4], mu=0.5)
        self.assert_close(slide.r, [1, -0.3, -0.4], 1e-8)
        self.assert_close(slide.u, [0, 2.7, 3.6], 1e-8)
        self.assert_close(clack.solve(np.eye(3), [1, 3, 4], mu=0.5).r, 0, 0)

    def test_dense_and_sparse_agree(self):
        W, u_free, mu = random_problem()
        dense = clack.solve(W, u_free, mu, tol=1e-10)
        self.assertTrue(dense.converged)
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
            self.assert_close(clack.solve(kind(W), u_free, mu, tol=1e-10).r, dense.r, 1e-8)

    def test_the_law_holds_in_one_two_and_three_dimensions(self):
        for dim in (1, 2, 3):
            W, u_free, mu = random_problem(dim=dim, seed=dim)
            solution = clack.solve(W, u_free, mu, tol=1e-10)
            self.assertEqual(solution.status, "converged")
            r, u = solution.r.reshape(-1, dim), solution.u.reshape(-1, dim)
            self.assert_close(u.ravel(), W @ solution.r + u_free, 1e-9)
            self.assertTrue((r[:, 0] >= -1e-9).all() and (u[:, 0] >= -1e-7).all())
            self.assert_close(r[:, 0] * u[:, 0], 0, 1e-6)
            self.assertTrue((np.linalg.norm(r[:, 1:], axis=1) <= mu * r[:, 0] + 1e-8).all())

    def test_the_residual_is_that_of_the_yardstick(self):
        W, u_free, mu = random_problem()
        solution = clack.solve(W, u_free, mu, solver="nsgs", tol=1e-4)
        *measures, u = clack.residual(W, u_free, mu, r=solution.r)
        self.assertEqual(measures, [solution.residual, solution.residual_scaled,
                                    solution.velocity_error])
        wrong, *_ = clack.residual(W, u_free, mu, r=solution.r + 1)
        self.assertGreater(wrong, 0.01)

    def test_history_falls_and_limits_hold(self):
        W, u_free, mu = random_problem(contacts=30)
        full = clack.solve(W, u_free, mu, solver="nsgs", tol=1e-10)
        self.assertEqual(full.history["iteration"][-1], full.iterations)
        self.assertLess(full.history["residual"][-1], full.history["residual"][0])
        short = clack.solve(W, u_free, mu, solver="nsgs", tol=1e-10, max_iterations=3)
        self.assertEqual((short.status, short.iterations), ("iteration_limit", 3))
        warm = clack.solve(W, u_free, mu, solver="nsgs", tol=1e-8, r=full.r)
        self.assertLess(warm.iterations, full.iterations)

    def test_files_are_read_and_written(self):
        W, u_free, mu = random_problem()
        problem = clack.problem(W, u_free, mu)
        path = Path(self.folder()) / "p.hdf5"
        solution = problem.solve()
        problem.write(str(path), solution.r, solution.u)
        again = clack.read_problem(path)
        self.assert_close(again.W.toarray(), W, 1e-12)
        self.assert_close(again.u_free, u_free, 0)
        self.assert_close(again.mu, mu, 0)
        self.assert_close(clack.solve(str(path)).r, solution.r, 1e-7)
        self.assertTrue(np.shares_memory(again.u_free, again.u_free))

    def test_other_cones(self):
        W = np.diag([1.0, 2.0, 4.0])
        solution = clack.solve(W, [-1, -2, 3], cones=[("nonnegative",), ("free", 2)])
        self.assert_close(solution.r, [1, 1, -0.75], 1e-9)

    def test_every_solver_takes_a_small_problem(self):
        W, u_free, mu = random_problem(contacts=3)
        for name in clack.solvers():
            try:
                solution = clack.solve(W, u_free, mu, solver=name, tol=1e-6, time_limit=2)
            except clack.InputError as error:  # of those for other problems
                self.assertIn("has friction", str(error))
                continue
            if solution.converged:
                self.assertLess(solution.residual, 1e-6)
        for name in ("auto", "nsgs"):
            self.assertTrue(clack.solve(W, u_free, mu, solver=name, tol=1e-6).converged)

    def test_no_problem_at_all(self):
        solution = clack.solve(np.zeros((0, 0)), [], mu=[], dim=3)
        self.assertEqual((solution.status, len(solution.r)), ("converged", 0))


class Misuse(Case):
    def test_wrong_input_is_refused(self):
        W, u_free, mu = random_problem()
        bad = W.copy()
        bad[2, 3] = math.nan
        cases = [((W[:5], u_free, mu), ValueError, "W: expected the shape"),
                 ((scipy.sparse.eye(4), u_free, mu), ValueError, "W: expected the shape"),
                 ((bad, u_free, mu), ValueError, "W: value .* is nan"),
                 ((W, u_free[:-3], mu[:-1]), ValueError, "W: expected"),
                 ((W, u_free, mu[:-1]), ValueError, "u_free has 24 values and mu 7"),
                 ((W, u_free, -mu), ValueError, "mu is -"),
                 ((W, u_free, mu * math.nan), ValueError, "mu is nan"),
                 ((W, u_free * math.inf, mu), ValueError, "u_free: value"),
                 ((W.astype(complex), u_free, mu), TypeError, "W: expected numbers"),
                 ((W, ["a"] * 24, mu), TypeError, "u_free: expected numbers"),
                 ((W,), TypeError, "expected W, u_free and mu"),
                 ((W, u_free), TypeError, "either mu or cones")]
        for arguments, error, words in cases:
            with self.assertRaisesRegex(error, words):
                clack.solve(*arguments)

    def test_cones_that_are_none_are_refused(self):
        for cone, error, words in (("nonnegative", TypeError, "'nonnegative': expected a tuple"),
                                   ((), TypeError, "expected a tuple"),
                                   (("free",), ValueError, "too few numbers"),
                                   (("free", "three"), TypeError, "real number"),
                                   (("cone", 3), ValueError, "'cone', 3.*allowed: .'nonnegative'")):
            with self.assertRaisesRegex(error, words):
                clack.problem(np.eye(3), np.zeros(3), cones=[cone])

    def test_wrong_options_are_refused_as_the_program_does(self):
        W, u_free, mu = random_problem()
        for options, words in (({"solver": "ngss"}, "ngss"), ({"tol": -1}, "tolerance"),
                               ({"max_iterations": 0}, "iterations"), ({"colour": 3}, "colour"),
                               ({"r": [1, 2]}, "r: expected 24 values")):
            with self.assertRaisesRegex(ValueError, words):
                clack.solve(W, u_free, mu, **options)
        with self.assertRaises(clack.IoError):
            clack.solve("no/such/file.hdf5")


if __name__ == "__main__":
    unittest.main()
