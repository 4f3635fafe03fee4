"""check_arrows.py accepts a sound tree and finds each planted fault."""

from planted import PlantedTree


class Arrows(PlantedTree):
    script = "check_arrows.py"

    def setUp(self):
        super().setUp()
        self.write("clack/CMakeLists.txt",
                   "clack_module(core LINKS fmt::fmt)\n"
                   "clack_module(model DEPENDS core)\n"
                   "clack_module(problem DEPENDS core)\n"
                   "clack_module(solve DEPENDS core problem LINKS tbb)\n"
                   "add_executable(clack_program app/main.cpp)\n")
        self.write("clack/core/types.hpp", "#include <Eigen/Core>\n")
        self.write("clack/model/body.hpp", '#include "clack/core/types.hpp"\n')
        self.write("clack/solve/nsgs.cpp",
                   '#include "clack/solve/nsgs.hpp"\n\n#include "clack/problem/problem.hpp"\n')
        self.write("clack/app/main.cpp", '#include "clack/model/body.hpp"\n')

    def test_a_sound_tree_is_accepted(self):
        self.assert_accepted()

    def test_solve_must_not_see_model(self):
        self.write("clack/solve/wrong.hpp", '#pragma once\n#include "clack/model/body.hpp"\n')
        self.assert_refused("clack/solve/wrong.hpp:2: solve must not include model")

    def test_core_includes_no_other_room(self):
        self.write("clack/core/wrong.cpp", "#  include <clack/problem/problem.hpp>\n")
        self.assert_refused("clack/core/wrong.cpp:1: core must not include problem")

    def test_nothing_includes_app(self):
        self.write("clack/model/wrong.cpp", '#include "clack/app/options.hpp"\n')
        self.assert_refused("clack/model/wrong.cpp:1: model must not include app")

    def test_no_room_includes_what_belongs_to_tests(self):
        self.write("clack/problem/wrong.cpp", '#include "tests/support/generate.hpp"\n')
        self.assert_refused("clack/problem/wrong.cpp:1: problem must not include tests")

    def test_python_sees_the_rooms_but_not_app(self):
        self.write("python/bindings/scene.cpp",
                   '#include "python/bindings/scene.hpp"\n#include "clack/model/body.hpp"\n')
        self.assert_accepted()
        self.write("python/bindings/wrong.cpp", '#include "clack/app/options.hpp"\n')
        self.assert_refused("python/bindings/wrong.cpp:1: python must not include app")

    def test_a_relative_path_is_refused(self):
        self.write("clack/model/wrong.cpp", '#include "../core/types.hpp"\n#include "body.hpp"\n')
        self.assert_refused("clack/model/wrong.cpp:1:", "clack/model/wrong.cpp:2:")

    def test_a_path_that_climbs_out_of_its_room_is_refused(self):
        self.write("clack/solve/wrong.cpp", '#include "clack/solve/../model/body.hpp"\n')
        self.assert_refused("clack/solve/wrong.cpp:1:")

    def test_an_unknown_room_is_refused(self):
        self.write("clack/model/wrong.cpp", '#include "clack/utils/misc.hpp"\n')
        self.assert_refused("clack/model/wrong.cpp:1: there is no room 'utils'")

    def test_a_room_without_target_is_refused(self):
        self.write("clack/app/other.cpp", '#include "clack/io/scene.hpp"\n')
        self.assert_refused("clack/app/other.cpp:1: room 'io' has no target")

    def test_a_wrong_dependency_in_cmake_is_refused(self):
        self.write("clack/CMakeLists.txt",
                   "clack_module(core)\nclack_module(problem DEPENDS core)\n"
                   "clack_module(model DEPENDS core)\n"
                   "# comment\nclack_module(solve DEPENDS core problem\n  model)\n"
                   "add_executable(clack_program app/main.cpp)\n")
        self.assert_refused("clack/CMakeLists.txt:5: solve must not depend on model")

    def test_a_file_of_more_than_1000_lines_is_refused(self):
        self.write("clack/model/long.cpp", "\n" * 1000)
        self.assert_accepted()
        self.write("clack/model/long.cpp", "\n" * 1001)
        self.assert_refused("clack/model/long.cpp:1001: 1001 lines")
