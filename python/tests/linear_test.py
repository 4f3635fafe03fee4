"""Linear systems with sparse matrices of SciPy move as those with arrays."""

import unittest

from support import Case, clack, np

import scipy.sparse as sp

N = 120


def chain():
    """Masses on springs: M, C, K as sparse matrices."""
    M = sp.diags([np.linspace(1, 2, N)], [0]).tocsr()
    K = sp.diags([np.full(N, 200.0), np.full(N - 1, -100.0), np.full(N - 1, -100.0)], [0, 1, -1])
    return M, (0.1 * M + 1e-4 * K).tocsc(), K.tocoo()


def stops(where):
    return sp.coo_matrix((np.ones(len(where)), (range(len(where)), where)), shape=(len(where), N))


def moved(system):
    scene = clack.Scene("Chain", system).initial(v=1).simulation(step=1e-3, end=0.3)
    sim = clack.Simulation(scene.solver(name="auto", tolerance=1e-14))
    assert sim.run() == "converged"
    return sim


class Sparse(Case):
    def test_sparse_matrices_move_as_arrays(self):
        where, g0 = [3, 50, 110], np.array([-0.01, -0.02, -0.03])
        M, C, K = chain()
        f = np.linspace(-30, 30, N)
        G = stops(where).tocsr()
        sparse = moved(clack.linear(M=M, C=C, K=K, f=f, contacts=[
            {"name": "stop", "G": -G, "g0": -g0, "T": sp.csr_matrix(np.roll(G.toarray(), 1, axis=1)),
             "mu": 0.3}]))
        dense = moved(clack.linear(M=M.toarray(), C=C.toarray(), K=K.toarray(), f=f, contacts=[
            {"name": f"stop {i + 1}", "G": -G.toarray()[i], "g0": -g0[i],
             "T": [np.roll(G.toarray()[i], 1)], "mu": 0.3} for i in range(3)]))
        self.assertEqual(list(sparse.impacts), list(dense.impacts))
        self.assertGreater(sum(sparse.impacts.values()), 0)
        self.assert_close(sparse.q, dense.q, 1e-12)
        self.assert_close(sparse.v, dense.v, 1e-12)

    def test_entries_that_are_given_twice_add_up(self):
        M = sp.coo_matrix(([1.0, 1.0], ([0, 0], [0, 0])), shape=(1, 1))
        scene = clack.Scene("Mass", clack.linear(M=M, f=[-2])).simulation(step=1, end=1)
        sim = clack.Simulation(scene)
        sim.step()
        self.assert_close(sim.v, [-1], 1e-15)

    def test_a_function_as_force_is_for_small_systems(self):
        n = 4000
        system = clack.linear(M=sp.eye(n), f=lambda t, q, v: np.zeros(n))
        with self.assertRaisesRegex(clack.InputError, "4000 unknowns"):
            clack.Simulation(clack.Scene("s", system).simulation(step=1, end=1))

    def test_a_scene_keeps_its_matrices_when_copied_and_is_not_written(self):
        scene = clack.Scene("Mass", clack.linear(M=sp.eye(2))).simulation(step=1, end=1)
        self.assertEqual(len(clack.Simulation(scene.copy()).q), 2)
        with self.assertRaisesRegex(clack.InputError, "cannot hold"):
            scene.write(self.folder() + "/x.yaml")

    def test_wrong_matrices_are_refused(self):
        def refused(error, words, **keys):
            with self.assertRaisesRegex(error, words):
                clack.Simulation(clack.Scene("s", clack.linear(**keys)).simulation(step=1, end=1))
        M = sp.eye(3)
        refused(clack.InputError, "system.M.file.*is 2 x 3|a mass matrix must be square", M=sp.eye(2, 3))
        refused(clack.InputError, "'K' is 2 x 2; expected 3 rows", M=M, K=sp.eye(2))
        refused(clack.InputError, r"M\[0, 0\] is nan; it must be finite", M=M * np.nan)
        refused(clack.InputError, "row 2 is zero", M=M, contacts=[{"G": sp.csr_matrix((2, 3))
                                                                 + sp.eye(2, 3).multiply([[1], [0]])}])
        refused(TypeError, "real numbers", M=M * 1j)

    def test_many_unknowns_are_no_dense_matrices(self):
        n = 50_000
        K = sp.diags([np.full(n, 2e3), np.full(n - 1, -1e3), np.full(n - 1, -1e3)], [0, 1, -1])
        G = sp.coo_matrix((np.ones(20), (range(20), np.arange(20) * 2500 + 7)), shape=(20, n))
        scene = clack.Scene("String", clack.linear(M=1e-3 * sp.eye(n), K=K, f=-9.81e-3, contacts=[
            {"name": "stop", "G": G, "g0": 1e-6}])).simulation(step=1e-3, end=5e-3, theta=1)
        sim = clack.Simulation(scene.solver(name="auto"))
        self.assertEqual(sim.run(), "converged")
        self.assertEqual(len(sim.contacts), 20)


if __name__ == "__main__":
    unittest.main()
