"""Solves one problem file with one solver of Siconos, for `clack bench --peer siconos`.

    siconos_peer.py list OUT
        writes one line `dimension name` for each solver
    siconos_peer.py solve PROBLEM.dat SOLVER TOLERANCE TIME_LIMIT REPEATS OUT
        writes OUT.r (r as doubles) and OUT.json (seconds, iterations, info)

A cold start each time: r = 0, and the problem is read anew, since Siconos keeps converted matrices
inside it. Time is the processor time of the driver alone, the best of the repeats. No solver of
Siconos looks at a clock, so a timer (SIGPROF) ends the process at the limit; while it runs, Linux
counts the time of a process in whole ticks, therefore the clock of the thread is read, which is the
only one here. Nothing here judges the result: clack does, from r.
"""

import json
import signal
import sys
import time

import numpy as np
import siconos.numerics as sn

ENOUGH_SECONDS = 1.0  # of solving, in all: no further repeat
MANY = 10_000_000  # iterations: the clock ends a solve, not their number
MOST_ENUMERATED = 20  # unknowns: the enumeration doubles with each
DECLINED = 3  # exit status: the solver is not for this problem


def full_error(options):
    """The error itself is tested after each sweep, not the change of r."""
    options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = \
        sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL


def balance_residuals(options):
    options.iparam[sn.SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = \
        sn.SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING


def as_is(_options):
    pass


# dimension -> name -> (Siconos' name, most iterations, what is changed in its default options)
SOLVERS = {
    3: {
        "NSGS": ("FRICTION_3D_NSGS", MANY, as_is),
        "NSGS-F": ("FRICTION_3D_NSGS", MANY, full_error),
        "PROX": ("FRICTION_3D_PROX", MANY, as_is),
        "NSN_AC": ("FRICTION_3D_NSN_AC", MANY, as_is),
        "NSN_FB": ("FRICTION_3D_NSN_FB", MANY, as_is),
        "ADMM": ("FRICTION_3D_ADMM", MANY, as_is),
        "ADMM-RB": ("FRICTION_3D_ADMM", MANY, balance_residuals),
        "VI_EG": ("FRICTION_3D_VI_EG", MANY, as_is),
        "EG": ("FRICTION_3D_EG", MANY, as_is),
        "ACLMFP": ("FRICTION_3D_ACLMFP", MANY, as_is),
    },
    2: {
        "NSGS": ("FRICTION_2D_NSGS", MANY, as_is),
        "CPG": ("FRICTION_2D_CPG", MANY, as_is),
        "LEMKE": ("FRICTION_2D_LEMKE", MANY, as_is),
        "ENUM": ("FRICTION_2D_ENUM", None, as_is),
    },
    5: {
        "NSGS": ("ROLLING_FRICTION_3D_NSGS", MANY, as_is),
        "ADMM": ("ROLLING_FRICTION_3D_ADMM", MANY, as_is),
    },
}


def driver_of(dimension):
    return {2: sn.fc2d_driver, 3: sn.fc3d_driver, 5: sn.rolling_fc3d_driver}[dimension]


def read_problem(path, dimension):
    if dimension == 5:
        return sn.rollingFrictionContact_new_from_filename(path)
    return sn.frictionContact_new_from_filename(path)


def make_options(dimension, solver, tolerance):
    name, most_iterations, change = SOLVERS[dimension][solver]
    options = sn.SolverOptions(getattr(sn, "SICONOS_" + name))
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    if most_iterations is not None:
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = most_iterations
    change(options)
    return options


def solve_once(path, dimension, solver, tolerance, time_limit):
    problem = read_problem(path, dimension)
    size = problem.numberOfContacts * dimension
    if solver == "ENUM" and size > MOST_ENUMERATED:
        sys.exit(DECLINED)
    options = make_options(dimension, solver, tolerance)
    driver = driver_of(dimension)
    r, u = np.zeros(size), np.zeros(size)
    signal.setitimer(signal.ITIMER_PROF, time_limit)
    begin = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
    info = driver(problem, r, u, options)
    end = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
    signal.setitimer(signal.ITIMER_PROF, 0)
    iterations = int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE])
    return r, {"seconds": (end - begin) * 1e-9, "iterations": iterations, "info": int(info)}


def solve(path, solver, tolerance, time_limit, repeats, out):
    with open(path, encoding="ascii") as file:
        dimension = int(file.read(16).split()[0])
    sn.numerics_set_verbose(0)
    best, spent = None, 0.0
    begin = time.monotonic()
    for _ in range(repeats):
        answer = solve_once(path, dimension, solver, tolerance, time_limit)
        spent += answer[1]["seconds"]
        if best is None or answer[1]["seconds"] < best[1]["seconds"]:
            best = answer
        if spent > ENOUGH_SECONDS or time.monotonic() - begin > time_limit:
            break
    best[0].tofile(out + ".r")
    with open(out + ".json", "w", encoding="ascii") as file:
        json.dump(best[1], file)


def main():
    if sys.argv[1] == "list":
        with open(sys.argv[2], "w", encoding="ascii") as file:
            file.writelines(f"{dim} {name}\n" for dim in SOLVERS for name in SOLVERS[dim])
        return
    path, solver, tolerance, time_limit, repeats, out = sys.argv[2:]
    solve(path, solver, float(tolerance), float(time_limit), int(repeats), out)


if __name__ == "__main__":
    main()
