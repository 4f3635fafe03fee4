"""Forces, laws and systems of Python: they act as formulas do, and their exceptions come out."""

import gc
import math
import threading
import unittest

from support import Case, bouncing_ball, clack, np, sphere_on_floor


class Boom(Exception):
    pass


class OwnForces(Case):
    def test_a_function_moves_a_system_as_its_formula_does(self):
        formula = clack.Scene("a", clack.lagrangian("x", "0.5*x'^2", potential="2*x^2",
                                                    forces={"x": "-0.3*x' + cos(t)"}))
        function = clack.Scene("b", clack.lagrangian("x", "0.5*x'^2", potential="2*x^2", forces={
            "x": lambda t, q, v: -0.3 * v[0] + math.cos(t)}))
        ends = []
        for scene in (formula, function):
            sim = clack.Simulation(scene.initial(q=[1]).simulation(step=1e-2, end=2))
            self.assertEqual(sim.run(), "converged")
            ends.append(np.r_[sim.q, sim.v])
        self.assert_close(ends[0], ends[1], 1e-11)

    def test_functions_by_coordinate_act_on_theirs(self):
        scene = clack.Scene("two", clack.lagrangian(["x", "y"], "0.5*(x'^2 + y'^2)", forces={
            "x": "2", "y": lambda t, q, v: 3.0})).simulation(step=0.1, end=1)
        sim = clack.Simulation(scene)
        sim.run()
        self.assert_close(sim.v, [2, 3], 1e-12)
        scene = clack.Scene("two", clack.lagrangian(["x", "y"], "0.5*(x'^2 + y'^2)", forces={
            "x": lambda t, q, v: 3.0})).simulation(step=0.1, end=1)
        sim = clack.Simulation(scene)
        sim.run()
        self.assert_close(sim.v, [3, 0], 1e-12)
        with self.assertRaisesRegex(clack.InputError, "'z' is not a coordinate"):
            clack.lagrangian(["x"], "x'^2", forces={"z": lambda t, q, v: 0})

    def test_a_stiff_function_converges_at_large_steps(self):
        sim = clack.Simulation(clack.Scene("stiff", clack.linear(
            M=[[1]], f=lambda t, q, v: [-1e6 * q[0]])).initial(q=[1]).simulation(step=0.1, end=1))
        self.assertEqual(sim.run(), "converged")
        self.assertLess(abs(sim.q[0]), 1.001)

    def test_a_force_on_a_body_by_name_lifts_it(self):
        weight = 7800 * 4 / 3 * math.pi * 0.1**3 * 10
        scene = sphere_on_floor(force=lambda t, x, rotation, v, omega: [0, 0, weight + 1.0 * (x[2] < 9)])
        sim = clack.Simulation(scene)
        sim.run()
        mass = sim.bodies["ball"].mass
        self.assert_close(sim.bodies["ball"].v[2], 1.0 / mass, 1e-12)
        gained = sim.energy.total - 10 * mass * 0.1
        self.assert_close(sim.energy.work_external + sim.energy.numerical, gained, 1e-9)

    def test_one_function_of_all_bodies_gets_arrays(self):
        seen = []

        def force(t, position, rotation, v, omega):
            seen.append((position.shape, rotation.shape, v.shape, omega.shape))
            return np.zeros((2, 6))
        clack.Simulation(sphere_on_floor(), force=force).step()
        self.assertEqual(seen, [((2, 3), (2, 4), (2, 3), (2, 3))])

    def test_torque_is_the_second_half(self):
        scene = sphere_on_floor(height=2)
        sim = clack.Simulation(scene, force={"ball": lambda *_: [0, 0, 0, 0, 0, 0.5]})
        sim.run(until=0.1)
        ball = sim.bodies["ball"]
        self.assert_close(ball.omega[2], 0.5 * 0.1 / ball.moments[2], 1e-12)

    def test_a_force_on_an_unknown_or_fixed_body_is_refused(self):
        for name, words in (("bal", "no body 'bal'"), ("floor", "not free")):
            with self.assertRaisesRegex(clack.InputError, words):
                clack.Simulation(sphere_on_floor(), force={name: lambda *_: [0, 0, 0]})

    def test_an_exception_stops_at_its_step_and_comes_out(self):
        def force(t, q, v):
            if t > 0.1005:
                raise Boom("too late")
            return [0.0]
        sim = clack.Simulation(bouncing_ball(), force=force)
        with self.assertRaisesRegex(Boom, "too late"):
            sim.run()
        free = clack.Simulation(bouncing_ball())
        free.run(until=0.1)
        self.assertEqual(sim.steps, 100)
        self.assert_close(sim.t, 0.1, 1e-15)
        self.assert_close(np.r_[sim.q, sim.v], np.r_[free.q, free.v], 1e-13)
        with self.assertRaises(Boom):  # it stands where it stood and can be tried again
            sim.step()
        self.assertEqual(sim.steps, 100)

    def test_an_exception_comes_out_of_every_scheme_and_the_run_goes_on_after_it(self):
        for scheme in clack.schemes():
            broken = [True]

            def force(t, q, v):
                if t > 0.05 and broken[0]:
                    raise Boom(scheme)
                return [0.0]
            try:
                sim = clack.Simulation(bouncing_ball(e_n=0), scheme=scheme, force=force)
            except clack.InputError as error:  # schemes for systems without such contacts
                self.assertIn("cannot", str(error))
                continue
            if scheme == "statics":
                continue
            with self.assertRaisesRegex(Boom, scheme):
                sim.run()
            self.assertIn(sim.steps, (49, 50))
            broken[0] = False
            sim.run(until=0.4)
            self.assert_close(sim.q[0], 1 - 5 * 0.16, 1e-2)

    def test_an_exception_in_a_world_leaves_the_last_state(self):
        def force(t, *_):
            if t > 0.05:
                raise Boom
            return [0, 0, 0]
        sim = clack.Simulation(sphere_on_floor(height=1), force={"ball": force})
        with self.assertRaises(Boom):
            sim.run()
        free = clack.Simulation(sphere_on_floor(height=1))
        free.run(until=sim.t)
        self.assert_close(sim.q, free.q, 1e-13)
        self.assertEqual(len(sim.contacts), 0)

    def test_wrong_values_are_refused_with_their_shape(self):
        for value, error, words in (([0, 1], ValueError, r"force: expected 1 values.*\(2,\)"),
                                    ("x", TypeError, "force: expected numbers"),
                                    ([float("nan")], ValueError, "force: value 0 is nan"),
                                    (None, TypeError, "force: expected numbers")):
            with self.assertRaisesRegex(error, words):
                clack.Simulation(bouncing_ball(), force=lambda *_: value)

    def test_stepping_from_within_a_step_is_refused(self):
        box = []

        def force(t, q, v):
            if box:
                box[0].step()
            return [0.0]
        box.append(clack.Simulation(bouncing_ball(), force=lambda t, q, v: force(t, q, v)))
        with self.assertRaisesRegex(RuntimeError, "middle of a step"):
            box[0].step()


class PolishedTrack(clack.Law):
    """mu(s) = 0.2 + 0.4 exp(-s/0.4) of the way s."""

    variables = [("slip_way", "m", 0.0)]

    def fault(self, tangents, turns):
        return None if tangents else "needs a tangential direction"

    def prepare(self, contact, statement):
        statement.add_tangential_disc(0.2 + 0.4 * math.exp(-contact.memory[0] / 0.4))

    def update(self, contact, memory):
        memory[0] += abs(contact.way(1))


def block(friction=None, step=1e-3, **keys):
    scene = clack.Scene("Block", clack.linear(
        M=np.eye(2), f=["0", "-9.81"], coordinates=["x", "y"],
        contacts=[{"name": "floor", "G": [0, 1], "T": [[1, 0]], "friction": friction, **keys}]))
    return scene.initial(v=[3, 0]).simulation(step=step, end=2)


class OwnLaws(Case):
    def test_the_polished_track_stops_the_block_where_theory_says(self):
        sim = clack.Simulation(block(PolishedTrack()))
        self.assertEqual(sim.run(), "converged")
        self.assert_close(sim.q[0], 1.511843, 4e-3)
        self.assert_close(sim.law_memory["slip_way"], sim.q[0], 4e-3)

    def test_coulomb_in_python_gives_the_bits_of_coulomb(self):
        class Plain(clack.Law):
            name = "plain"

            def prepare(self, contact, statement):
                statement.add_tangential_disc(0.3)
        own, known = clack.Simulation(block(Plain())), clack.Simulation(
            block({"law": "coulomb", "mu": 0.3}))
        own.run()
        known.run()
        self.assertEqual(list(own.q), list(known.q))

    def test_blocks_can_be_stated_row_by_row(self):
        class Rows(clack.Law):
            def prepare(self, contact, statement):
                if contact.closed:
                    block = statement.add_block()
                    block.add_row(0)
                    block.add_disc(1, 0.25)
                    block.add_row(1)
        scene = block("coulomb")
        scene.tree["system"]["contacts"][0]["normal"] = Rows()
        own, known = clack.Simulation(scene), clack.Simulation(
            block({"law": "coulomb", "mu": 0.25}))
        own.run(until=0.5)
        known.run(until=0.5)
        self.assert_close(own.q, known.q, 1e-12)

    def test_a_law_between_bodies(self):
        class Ice(clack.Law):
            def prepare(self, contact, statement):
                statement.add_tangential_disc(0.0)
        scene = sphere_on_floor(velocity=[1, 0, 0]).pair("steel", "steel", friction=Ice())
        sim = clack.Simulation(scene)
        sim.run()
        self.assert_close(sim.bodies["ball"].v, [1, 0, 0], 1e-9)
        self.assert_close(sim.bodies["ball"].omega, [0, 0, 0], 1e-9)

    def test_an_exception_in_a_law_comes_out(self):
        class Broken(clack.Law):
            def prepare(self, contact, statement):
                raise Boom("in prepare")
        sim = clack.Simulation(block(Broken()))
        with self.assertRaisesRegex(Boom, "in prepare"):
            sim.run()
        self.assertEqual((sim.steps, list(sim.q)), (0, [0, 0]))

        class Forgetful(PolishedTrack):
            def update(self, contact, memory):
                memory[0] = math.nan
        with self.assertRaisesRegex(ValueError, "left nan in its memory"):
            clack.Simulation(block(Forgetful())).run()

    def test_a_statement_is_closed_after_the_call(self):
        kept = []

        class Keeper(clack.Law):
            def prepare(self, contact, statement):
                kept.append((contact, statement, statement.add_block()))
                kept[-1][2].add_row(0)
        clack.Simulation(block(Keeper())).step()
        gc.collect()
        contact, statement, handle = kept[0]
        self.assertEqual(len(contact.u), 2)
        for use in (lambda: statement.add_tangential_disc(0.1), lambda: handle.add_row(0)):
            with self.assertRaisesRegex(RuntimeError, "only within the call"):
                use()

    def test_wrong_statements_are_refused(self):
        cases = [(lambda s: s.add_tangential_disc(-1), "mu is -1"),
                 (lambda s: s.add_tangential_disc(math.nan), "mu is nan"),
                 (lambda s: [s.add_block() for _ in range(20)], "at most 6 blocks"),
                 (lambda s: s.add_block().add_row(7), "rows 0 to 1"),
                 (lambda s: s.add_block().add_disc(9, 1), "does not fit")]
        for use, words in cases:
            class Wrong(clack.Law):
                def prepare(self, contact, statement):
                    use(statement)
            with self.assertRaisesRegex(ValueError, words):
                clack.Simulation(block(Wrong())).step()

    def test_the_reader_knows_the_law_by_name_and_asks_for_its_fault(self):
        scene = clack.Scene("s", clack.linear(M=[[1]], contacts=[
            {"name": "floor", "G": [1], "cohesion": PolishedTrack()}])).simulation(step=1, end=1)
        with self.assertRaisesRegex(clack.InputError, "PolishedTrack.*needs a tangential"):
            clack.Simulation(scene)
        with self.assertRaisesRegex(TypeError, "no method prepare"):
            clack._clack.LoadedScene(text="clack: 1\n", laws={"x": object()})


class Pendulum(clack.System):
    """A mass on a rod against a wall at phi = 0."""

    nv = 1
    contacts = [{"name": "wall", "e_n": 0.5}]

    def mass(self, t, q):
        return [[1.0]]

    def forces(self, t, q, v):
        return [-10 * math.sin(q[0])]

    def energies(self, t, q, v):
        return 0.5 * v[0]**2, -10 * math.cos(q[0])

    def gaps(self, t, q):
        return [math.sin(q[0])]

    def contact_map(self, t, q):
        return [[math.cos(q[0])]]


class OwnSystems(Case):
    def test_a_system_of_python_moves_as_its_formulas(self):
        own = clack.Scene("own", Pendulum()).initial(q=[1]).simulation(step=1e-3, end=2)
        known = clack.Scene("known", clack.lagrangian(
            "phi", "0.5*phi'^2", potential="-10*cos(phi)",
            contacts=[{"name": "wall", "gap": "sin(phi)", "e_n": 0.5}])).initial(q=[1]).simulation(
                step=1e-3, end=2)
        own, known = clack.Simulation(own), clack.Simulation(known)
        self.assertEqual((own.run(), known.run()), ("converged", "converged"))
        self.assert_close(np.r_[own.q, own.v], np.r_[known.q, known.v], 1e-10)
        self.assert_close(own.energy.total, known.energy.total, 1e-9)
        self.assertEqual(own.impacts, known.impacts)

    def test_wrong_systems_are_refused(self):
        class NoMass(Pendulum):
            def mass(self, t, q):
                return [[0.0]]

        class BadShape(Pendulum):
            def contact_map(self, t, q):
                return [[1, 2]]

        class BadContact(Pendulum):
            contacts = [{"name": "wall", "mu": -1}]
        for kind, words in ((NoMass, "mass matrix"), (BadShape, r"expected the shape \(1, 1\)"),
                            (BadContact, "mu is -1")):
            with self.assertRaisesRegex(ValueError, words):
                clack.Simulation(clack.Scene("s", kind()).initial(q=[1]).simulation(step=1, end=1)).step()

    def test_an_exception_at_any_call_comes_out(self):
        for method in ("mass", "forces", "energies", "gaps", "contact_map"):
            for count in (0, 3, 20):
                pendulum = Pendulum()
                left = [count]
                original = getattr(pendulum, method)

                def call(*arguments):
                    left[0] -= 1
                    if left[0] < 0:
                        raise Boom(method)
                    return original(*arguments)
                setattr(pendulum, method, call)
                scene = clack.Scene("s", pendulum).initial(q=[0.2]).simulation(step=1e-2, end=2)
                with self.assertRaisesRegex(Boom, method):
                    clack.Simulation(scene).run()


class Threads(Case):
    def test_the_interpreter_runs_on_while_a_run_is_under_way(self):
        sim = clack.Simulation(bouncing_ball(step=1e-6, end=1))
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
        thread = threading.Thread(target=count)
        thread.start()
        sim.run(until=0.3)
        done.set()
        thread.join()
        self.assertGreater(counted[0], 1000)

    def test_two_threads_cannot_step_the_same_simulation(self):
        sim = clack.Simulation(bouncing_ball(step=1e-6, end=1))
        thread = threading.Thread(target=lambda: sim.run(until=0.5))
        thread.start()
        refused = 0
        while thread.is_alive():
            try:
                sim.step()
            except RuntimeError:
                refused += 1
        thread.join()
        self.assertGreater(refused, 0)
        self.assertTrue(math.isfinite(sim.q[0]))


if __name__ == "__main__":
    unittest.main()
