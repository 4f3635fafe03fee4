"""The solvers alone, on matrices or problem files."""

import os

import numpy as np

from . import _clack


def _coordinates(W, size):
    """Rows, columns and values of a dense array or a SciPy matrix."""
    if hasattr(W, "tocoo"):
        W = W.tocoo()
        if W.shape != (size, size):
            raise ValueError(f"W: expected the shape ({size}, {size}) of u_free; found {W.shape}")
        return W.row, W.col, W.data
    W = np.asarray(W)
    if W.dtype.kind not in "biuf":
        raise TypeError(f"W: expected numbers; found an array of type {W.dtype}")
    if W.shape != (size, size):
        raise ValueError(f"W: expected the shape ({size}, {size}) of u_free; found {W.shape}")
    row, column = np.indices(W.shape)
    return row.ravel(), column.ravel(), np.ascontiguousarray(W, dtype=float).ravel()


def _cones(size, mu, dim):
    mu = np.asarray(mu, dtype=float)
    if mu.ndim > 1:
        raise ValueError(f"mu: expected one number or one a contact; found the shape {mu.shape}")
    if dim is None:
        dim = 3 if mu.ndim == 0 else (size // mu.size if mu.size else 0)
    if dim not in (1, 2, 3) or size % dim or (mu.ndim == 1 and mu.size * dim != size):
        raise ValueError(f"u_free has {size} values and mu {mu.size}: a contact must have 1, 2 or 3 "
                         "rows; give dim where mu is one number")
    return [("coulomb", dim, float(x)) for x in np.broadcast_to(mu, size // dim)]


def problem(W, u_free, mu=None, *, dim=None, cones=None):
    """A Problem u = W r + u_free: W (m x m) dense or SciPy sparse [1/kg], u_free (m) [m/s], mu one
    number or one a contact; dim rows a contact (default m/len(mu), 3 where mu is one number). In
    place of mu, `cones` names any others: ("nonnegative",), ("coulomb", dim, mu),
    ("rolling", mu, mu_r), ("free", dim)."""
    u_free = np.asarray(u_free)
    if u_free.ndim != 1:
        raise ValueError(f"u_free: expected one dimension; found the shape {u_free.shape}")
    if (mu is None) == (cones is None):
        raise TypeError("either mu or cones is needed")
    if cones is None:
        cones = _cones(u_free.size, mu, dim)
    return _clack.Problem._make(*_coordinates(W, u_free.size), u_free, list(cones))


def read_problem(path):
    """A Problem of a file: FCLIB (HDF5) or Siconos text, by content."""
    return _clack.Problem._read(os.fspath(path))


def _problem_of(W, u_free, mu, dim, cones):
    if isinstance(W, _clack.Problem):
        return W
    if isinstance(W, (str, os.PathLike)):
        return read_problem(W)
    if u_free is None:
        raise TypeError("expected W, u_free and mu, a Problem, or the path of a problem file")
    return problem(W, u_free, mu, dim=dim, cones=cones)


def solve(W, u_free=None, mu=None, *, solver="auto", tol=1e-8, max_iterations=100000,
          time_limit=None, r=None, dim=None, cones=None, **options):
    """Solves u = W r + u_free with contact and Coulomb friction; W, u_free and mu as of `problem`, or
    a Problem, or the path of a problem file. r is a start, `options` are the solver's own
    (clack.solver_options). Returns a Solution with status, r, u, residual, residual_scaled,
    velocity_error, iterations, history, seconds.

        solution = clack.solve(W, u_free, mu=0.5)
        solution = clack.solve("problem.hdf5", solver="nsgs", tol=1e-6)
    """
    return _problem_of(W, u_free, mu, dim, cones)._solve(
        solver, float(tol), int(max_iterations), time_limit, r, options)


def residual(W, u_free=None, mu=None, r=None, *, dim=None, cones=None):
    """The yardstick: how far r is from a solution: (residual, residual_scaled, velocity_error, u)."""
    if r is None:
        raise TypeError("residual needs r")
    return _problem_of(W, u_free, mu, dim, cones)._residual(r)


def _matrix(self):
    """W as a scipy.sparse.csr_matrix, m x m [1/kg]."""
    import scipy.sparse
    values, rows, columns = self._coordinates()
    size = self.dimension
    return scipy.sparse.coo_matrix((values, (rows, columns)), shape=(size, size)).tocsr()


_clack.Problem.W = property(_matrix)
_clack.Problem.solve = solve
