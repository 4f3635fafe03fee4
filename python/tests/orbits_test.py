"""Orbits, branches, exponents, modes, equilibria and sweeps: known answers, the program, messages."""

import csv
import subprocess
import unittest

from support import BUILD, ROOT, Case, clack, forced_stop, np


class Orbits(Case):
    def test_the_orbit_of_one_impact_per_period_is_the_known_one(self):
        T = 2 * np.pi / 1.6
        found = clack.orbit(forced_stop(), "2*pi/1.6", settle=12 * T)
        self.assertTrue(found.good and found.admissible and found.stable)
        self.assert_close(found.slowest_impact, 1.6279077957, 1e-9)
        self.assert_close(found.multipliers[0].real, 0.15768567, 5e-8)
        self.assertEqual(found.impacts, 1)
        self.assert_close(found.motion_t[-1] - found.motion_t[0], T, 1e-9)
        self.assert_close(found.motion_q[-1], found.motion_q[0], 1e-9)
        self.assert_close(found.q_max, 0, 1e-9)

    def test_the_branch_doubles_its_period_where_the_sweep_does(self):
        curve = clack.branch(forced_stop(W=2.4), "parameters.W", 2.4, 2.7, "2*pi/W", settle=200)
        self.assertTrue(curve.good, curve.stop)
        doubling = curve.parameter[curve.at("period-doubling")[0]]
        self.assertEqual(curve.q.shape, (len(curve.parameter), 1))
        W = np.array([2.5, 2.6, 2.69])
        found = clack.sweep(forced_stop(), {"parameters.W": W}, section="period", period="2*pi/W",
                            skip_periods=300, keep=12, jobs=2)
        self.assertTrue(found.good)
        np.testing.assert_array_equal(found.periods, np.where(W < doubling, 1, 2))
        np.testing.assert_array_equal(found.values["parameters.W"], W)
        self.assertEqual(found.sections[0]["q"].shape, (12, 1))

    def test_exponents_add_up_to_what_impacts_and_damping_take(self):
        found = clack.lyapunov(forced_stop(), 400, interval=2 * np.pi / 1.6, settle=120)
        self.assertTrue(found.good, found.note)
        self.assert_close(found.exponents.sum() / 2, -0.10682304, 1e-7)

    def test_no_orbit_is_an_answer_and_no_exception(self):
        found = clack.orbit(forced_stop(), 3.0, settle=0)
        self.assertIsInstance(found.good, bool)


class ModesAndEquilibria(Case):
    def test_modes_are_those_of_the_oscillator(self):
        self.assert_close(clack.modes(forced_stop()).omega, 1, 1e-12)

    def test_a_branch_of_equilibria_goes_through_its_limits_onto_the_stop(self):
        found = clack.equilibria(ROOT / "examples/von_mises_truss.yaml", "parameters.F", -15, 15, at=0)
        self.assertTrue(found.good, found.stop)
        self.assertEqual([k for k in found.kind if k != "regular"], ["fold", "fold", "closes", "end"])
        y = -0.2
        load = 2000 * y * (np.hypot(1, 0.3) / np.hypot(1, y) - 1)
        self.assert_close(found.parameter[found.at("closes")[0]], load, 1e-9)
        self.assert_close(found.force[-1, 0], 15 - load, 1e-9)

    def test_one_equilibrium_of_steady_sliding(self):
        found = clack.equilibria(ROOT / "examples/mode_coupling.yaml", set={"parameters.mu": 0.8})
        self.assertFalse(found.stable[0])
        self.assertEqual(len(found.eigenvalues[0]), 4)


class Sweeps(Case):
    def test_the_table_is_that_of_the_program_whatever_the_number_of_jobs(self):
        scene = ROOT / "examples/table_sweep.yaml"
        here, there = self.folder(), self.folder()
        keys = {"section": "impact", "period": "2*pi/Omega", "skip_periods": 60, "keep": 10}
        gammas = [1.1, 1.2, 1.3]
        found = clack.sweep(scene, {"parameters.Gamma": gammas}, jobs=3, out=here, **keys)
        subprocess.run([BUILD / "clack", "sweep", scene, "--vary", "parameters.Gamma=1.1,1.2,1.3",
                        "--section", "impact", "--period", "2*pi/Omega", "--skip-periods", "60",
                        "--keep", "10", "-o", there], check=True, capture_output=True)
        for name in ["sweep.csv", "section.csv"]:
            with open(f"{here}/{name}") as a, open(f"{there}/{name}") as b:
                self.assertEqual(list(csv.reader(a)), list(csv.reader(b)), name)
        self.assertIn("diagram.svg", found.files)
        self.assertEqual(len(found.measures["take-off speed"]), 3)

    def test_two_keys_make_a_grid_and_words_are_values(self):
        found = clack.sweep(forced_stop(), {"initial.q": ["[-0.5]", "[-1]", "[-2]"],
                                            "parameters.e": [0.8, 1.2]})
        self.assertFalse(found.good)
        self.assertEqual(found.status[:3], ["converged"] * 3)
        self.assertEqual(found.status[3:], ["bad_input"] * 3)
        self.assertEqual(found.grid(found.end_q[:, 0]).shape, (2, 3))
        self.assertIn("e_n", found.reason[4])

    def test_bad_input_is_named(self):
        def message(vary, **keys):
            with self.assertRaises(clack.InputError) as caught:
                clack.sweep(forced_stop(), vary, **keys)
            return str(caught.exception)

        self.assertIn("takes one or two", message({}))
        self.assertIn("section: 'time'", message({"parameters.W": [1]}, section="time"))
        self.assertIn("needs its period", message({"parameters.W": [1]}, section="period"))
        self.assertIn("carry: 'sideways'", message({"parameters.W": [1]}, carry="sideways"))
        self.assertIn("U", message({"parameters.U": [1]}))


if __name__ == "__main__":
    unittest.main()
