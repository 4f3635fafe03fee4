"""check_names.py accepts a sound tree and finds each planted fault."""

from planted import PlantedTree


class Names(PlantedTree):
    script = "check_names.py"

    def setUp(self):
        super().setUp()
        self.write("clack/core/rows.hpp",
                   "#pragma once\nnamespace clack {\n\nstruct Later;\n\nclass Rows {\n public:\n"
                   "  struct Entry {\n    int i = 0;\n  };\n};\n\n"
                   "template <class Row>\nstruct Size {};\ntemplate <>\nstruct Size<int> {};\n\n"
                   "enum class [[nodiscard]] Kind : int { kOne, kTwo };\n\n}  // namespace clack\n")

    def write_in_clack(self, name, text):
        self.write(name, f"namespace clack {{\n{text}\n}}  // namespace clack\n")

    def test_a_sound_tree_is_accepted(self):
        self.assert_accepted()

    def test_a_class_defined_in_two_headers_is_refused(self):
        self.write_in_clack("clack/solve/rows.hpp", "\nstruct Rows final : Base<int> {};")
        self.assert_refused("clack/solve/rows.hpp:3: clack::Rows is defined at "
                            "clack/core/rows.hpp:6 already")

    def test_a_class_of_a_source_file_outside_an_anonymous_namespace_is_refused(self):
        self.write_in_clack("clack/solve/rows.cpp", "class alignas(64) Rows\n    : Base {};")
        self.assert_refused("clack/solve/rows.cpp:3: clack::Rows")

    def test_enums_and_templates_count(self):
        self.write_in_clack("clack/solve/rows.hpp",
                            "enum Kind { kA };\ntemplate <class A, class B = C<A>>\nclass Size {};")
        self.assert_refused("clack/solve/rows.hpp:2: clack::Kind",
                            "clack/solve/rows.hpp:4: clack::Size")

    def test_an_anonymous_namespace_of_a_source_file_may_hide_a_name(self):
        for name in ["one", "two"]:
            self.write_in_clack(f"clack/solve/{name}.cpp",
                                "namespace {\nstruct Rows {};\nstruct Own {};\n}")
        self.assert_accepted()

    def test_an_anonymous_namespace_of_a_header_hides_nothing(self):
        self.write_in_clack("clack/solve/rows.hpp", "namespace {\nstruct Rows {};\n}")
        self.assert_refused("clack/solve/rows.hpp:3: clack::Rows")

    def test_namespaces_keep_names_apart(self):
        self.write("clack/solve/rows.hpp", "namespace clack::app {\nstruct Rows {};\n}\n")
        self.assert_accepted()
        self.write("clack/app/rows.hpp",
                   "namespace clack {\nnamespace app {\nclass Rows {};\n}\n}\n")
        self.assert_refused("clack/solve/rows.hpp:2: clack::app::Rows")

    def test_nested_and_declared_names_and_text_do_not_count(self):
        self.write_in_clack("clack/solve/other.hpp",
                            "class Rows;\nstruct Other {\n  struct Rows {};\n};\n"
                            "// class Rows {\n/* { class Rows { */\n"
                            'inline const char* text = R"(}} class Rows {)";\n'
                            "inline const int n = 1'000, m = '{';\n"
                            "inline void f(const class Rows& rows) { struct Size {} here; }")
        self.assert_accepted()

    def test_programs_are_compared_with_the_library_and_not_with_each_other(self):
        self.write_in_clack("tests/solve/own_test.cpp", "struct Own {};")
        self.write_in_clack("tests/model/own_test.cpp", "struct Own {};")
        self.assert_accepted()
        self.write_in_clack("tests/model/rows_test.cpp", "struct Own {};\nstruct Rows {};")
        self.assert_refused("tests/model/rows_test.cpp:2: clack::Own",
                            "tests/model/rows_test.cpp:3: clack::Rows")
