"""check_labels.py accepts a sound tree and finds each planted fault."""

from planted import PlantedTree


class Labels(PlantedTree):
    script = "check_labels.py"

    def setUp(self):
        super().setUp()
        self.write("docs/theory.md", "$$ u = W r + u_{free} $$ {#eq:reduced}\n\nSee (eq:cone).\n")
        self.write("docs/theory/cones.md",
                   "$$ K $$ {#eq:cone}\n\nWrite `{#eq:cone}`, cite `(eq:absent)`.\n"
                   "```\n{#eq:reduced} (eq:absent)\n```\n")
        self.write("clack/solve/nsgs.hpp", "// Solves (eq:reduced) on (eq:cone, eq:reduced).\n")

    def test_a_sound_tree_is_accepted(self):
        self.assert_accepted()

    def test_code_must_not_cite_an_undefined_equation(self):
        self.write("clack/solve/wrong.cpp", "// first\n// see (eq:absent)\n")
        self.assert_refused("clack/solve/wrong.cpp:2: eq:absent is not defined")

    def test_each_label_of_a_list_is_looked_up(self):
        self.write("clack/solve/wrong.cpp", "// see (eq:cone, eq:absent)\n")
        self.assert_refused("clack/solve/wrong.cpp:1: eq:absent is not defined")

    def test_a_page_must_not_cite_an_undefined_equation(self):
        self.write("docs/architecture.md", "As in (eq:absent).\n")
        self.assert_refused("docs/architecture.md:1: eq:absent is not defined")

    def test_a_label_must_not_be_defined_twice(self):
        self.write("docs/theory-impact.md", "\n$$ W $$ {#eq:reduced}\n")
        self.assert_refused("eq:reduced is defined at docs/theory")

    def test_other_pages_define_nothing(self):
        self.write("docs/tutorial.md", "$$ W $$ {#eq:tutorial}\n")
        self.write("clack/solve/wrong.cpp", "// (eq:tutorial)\n")
        self.assert_refused("clack/solve/wrong.cpp:1: eq:tutorial is not defined")
