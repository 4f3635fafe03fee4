"""Solvers compared: the one-step problems of a run, solved again by many.

Shows: sim.problem(), clack.solve on matrices, histories of convergence, a performance profile. Every
       solution is judged by the same residual, recomputed after the solve.
Known: sweeps (nsgs) take cheap steps that converge linearly; Newton's methods few that are dear.
"""

import numpy as np
from common import picture_path

import clack

clack.plot.use()

scene = clack.Scene("Block of spheres", gravity=[0, 0, -9.81])
scene.material("steel", density=7800, mu=0.4)
scene.body("floor", clack.plane(), fixed=True)
scene.body("ball", sample=clack.lattice(kind="fcc", count=[3, 3, 4], spacing=0.02, sizes=0.02,
                                        origin=[0, 0, 0.01]))
scene.simulation(step=1e-3, end=1)
sim = clack.Simulation(scene)

problems = []
for k in range(8):
    for _ in range(4):
        sim.step()
    problems.append(sim.problem())
last = problems[-1]
print(f"{len(problems)} problems of up to {max(p.contacts for p in problems)} contacts; the last: {last}")
W, u_free, mu = last.W, last.u_free, last.mu  # SciPy and NumPy; another program could take them

solvers = ["auto", "nsgs", "prox-newton", "ipm", "admm"]
tolerance = 1e-8
solutions = {name: clack.solve(W, u_free, mu, solver=name, tol=tolerance, time_limit=0.5)
             for name in solvers}
for name, solution in solutions.items():
    print(f"{name:14} {solution.status:16} residual {solution.residual:.1e} after "
          f"{solution.iterations} iterations in {1e3 * solution.seconds:.2f} ms")
    *measures, _ = clack.residual(W, u_free, mu, r=solution.r)
    assert measures == [solution.residual, solution.residual_scaled,
                        solution.velocity_error], "the yardstick is one"
assert solutions["auto"].converged and solutions["nsgs"].converged

times = {name: [] for name in solvers}
for problem in problems:
    for name in solvers:
        tries = [problem.solve(solver=name, tol=tolerance, time_limit=0.2)]
        good = [s.seconds for s in tries if s.converged]
        times[name].append(min(good) if good else np.inf)

fig, (a, b) = clack.plot.figure(1, 2, figsize=(11.5, 4.4))
clack.plot.history(solutions, ax=a, title="one problem")
a.set_xscale("log")
clack.plot.performance_profile(times, ax=b, title=f"{len(problems)} problems to {tolerance:.0e}")
clack.plot.finish(a, picture_path(__file__))
