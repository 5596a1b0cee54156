# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the tree hold, and a tree that breaks them is caught."""

from pathlib import Path, PurePosixPath

import pytest
import source_tree as tree

ROOT = Path(__file__).resolve().parents[2]
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"


@pytest.fixture(scope="module")
def files():
    found = tree.cxx_files(ROOT)
    assert {file.folder for file in found} >= {"framework", "io", "python"}
    return found


def test_includes_go_one_way(files):
    assert tree.include_faults(ROOT, files) == []


def test_only_the_program_writes_to_the_terminal(files):
    assert tree.terminal_faults(files) == []


def test_files_begin_with_licence_and_headers_with_pragma_once(files):
    assert tree.header_faults(files) == []


def test_names_are_snake_case_and_name_an_idea(files):
    assert tree.name_faults(files) == []


def test_every_source_is_built(files):
    assert tree.unlisted_sources(ROOT, files) == []


def test_the_python_package_keeps_the_rules():
    assert tree.python_faults(ROOT) == []


def test_scripts_and_build_files_are_short():
    assert tree.long_scripts(ROOT) == []


def test_scripts_and_build_files_carry_the_licence():
    assert tree.scripts_without_licence(ROOT) == []


@pytest.fixture
def small_tree(tmp_path):
    """A tree of one public and one internal header per folder, all rules kept."""
    for folder in tree.FOLDERS:
        header = tmp_path / folder / "include" / "skimline" / folder / "thing.h"
        header.parent.mkdir(parents=True)
        header.write_text(LICENCE + "#pragma once\n")
        write(tmp_path, f"{folder}/internal/skimline/{folder}/inner.h", "#pragma once\n")
        (tmp_path / folder / "CMakeLists.txt").write_text(f"skimline_library({folder} src/thing.cc)\n")
        write(tmp_path, f"{folder}/src/thing.cc", f'#include "skimline/{folder}/thing.h"\n')
    return tmp_path


def write(root, path, code):
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(LICENCE + code)


def all_faults(root):
    found = tree.cxx_files(root)
    return [
        *tree.include_faults(root, found),
        *tree.terminal_faults(found),
        *tree.header_faults(found),
        *tree.name_faults(found),
        *tree.unlisted_sources(root, found),
    ]


def test_a_tree_that_keeps_the_rules_has_no_faults(small_tree):
    assert all_faults(small_tree) == []


GOOD = [
    ("io/src/thing.cc", '#include "skimline/framework/thing.h"\n#include <zstd.h>\n'),
    ("skims/src/thing.cc", '#include "skimline/io/thing.h"\n#include <nlohmann/json.hpp>\n'),
    ("skims/src/thing.cc", '#include "skimline/io/inner.h"\n'),
    ("io/internal/skimline/io/inner.h", '#pragma once\n#include "skimline/framework/inner.h"\n'),
    ("skims/app/main.cc", 'int main() { std::cout << "hello"; }\n'),
    ("python/src/thing.cc", '#include "skimline/skims/thing.h"\n#include <pybind11/pybind11.h>\n'),
    (
        "io/src/thing.cc",
        '// std::cout is not used\nauto text = "abort()";\nint n = std::snprintf(b, 1, "x");\n',
    ),
]


@pytest.mark.parametrize(("path", "code"), GOOD)
def test_allowed_code_has_no_faults(small_tree, path, code):
    write(small_tree, path, code)
    (small_tree / "skims" / "CMakeLists.txt").write_text("a(src/thing.cc) b(app/main.cc)\n")
    assert all_faults(small_tree) == []


BAD = [
    (
        "framework/src/thing.cc",
        '#include "skimline/histograms/thing.h"\n',
        "framework must not include histograms",
    ),
    ("histograms/src/thing.cc", "#include <skimline/io/thing.h>\n", "histograms must not include io"),
    (
        "io/include/skimline/io/thing.h",
        '#pragma once\n#include "skimline/skims/thing.h"\n',
        "io must not include skims",
    ),
    ("io/src/thing.cc", '#include "skimline/framework/absent.h"\n', "no such header"),
    (
        "io/include/skimline/io/thing.h",
        '#pragma once\n#include "skimline/framework/inner.h"\n',
        "internal, and this header is installed",
    ),
    ("io/src/thing.cc", '#include "../../framework/src/thing.h"\n', "relative to another folder"),
    ("io/src/thing.cc", '#include "expression/token.h"\n', "neither shared nor in io/src"),
    ("io/src/thing.cc", "#include <nlohmann/json.hpp>\n", "only skims may include"),
    ("framework/src/thing.cc", "#include <zstd.h>\n", "only io may include"),
    ("skims/src/thing.cc", "#include <pybind11/numpy.h>\n", "only python may include"),
    ("skims/src/thing.cc", '#include "skimline/python/thing.h"\n', "skims must not include python"),
    ("python/src/thing.cc", '#include "program.h"\n', "neither shared nor in python/src"),
    ("python/src/thing.cc", 'void f() { std::cout << "x"; }\n', "std::cout"),
    ("skims/src/thing.cc", 'void f() { std::cerr << "x"; }\n', "std::cerr"),
    ("io/src/thing.cc", 'void f() { printf("x"); }\n', "printf("),
    ("framework/src/thing.cc", "void f(int n) { assert(n > 0); }\n", "assert("),
    ("framework/include/skimline/framework/thing.h", "struct A {};\n", "no #pragma once"),
    ("framework/src/thing.cc", "\n" * 601, "more than 600 lines"),
    ("io/src/other.cc", "int a;\n", "io/src/other.cc"),
    ("tests/io/other_test.cc", "int a;\n", "tests/io/other_test.cc"),
    ("io/src/file_utils.h", "#pragma once\n", "names no idea"),
    ("io/src/FileReader.h", "#pragma once\n", "not snake_case"),
]


@pytest.mark.parametrize(("path", "code", "fault"), BAD)
def test_broken_rules_are_caught(small_tree, path, code, fault):
    write(small_tree, path, code)
    faults = all_faults(small_tree)
    assert len(faults) == 1
    assert fault in faults[0]


def test_a_test_may_not_reach_into_another_folders_sources(small_tree):
    write(small_tree, "framework/src/inner.h", "#pragma once\n")
    write(small_tree, "tests/framework/inner_test.cc", '#include "inner.h"\n')
    write(small_tree, "tests/io/inner_test.cc", '#include "inner.h"\n')
    faults = tree.include_faults(small_tree, tree.cxx_files(small_tree))
    assert faults == ['tests/io/inner_test.cc: "inner.h": neither shared nor in io/src']


def test_a_missing_licence_line_is_caught(small_tree):
    (small_tree / "io" / "src" / "thing.cc").write_text("int a;\n")
    faults = tree.header_faults(tree.cxx_files(small_tree))
    assert faults == ["io/src/thing.cc: does not begin with the licence line"]


def test_the_module_may_include_the_program(small_tree):
    write(small_tree, "skims/app/program.h", "#pragma once\n")
    write(small_tree, "python/src/module.cc", '#include "program.h"\n')
    assert tree.include_faults(small_tree, tree.cxx_files(small_tree)) == []


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("Frame.py", "not snake_case"),
        ("_utils.py", "names no idea"),
    ],
)
def test_broken_rules_of_the_python_package_are_caught(small_tree, name, fault):
    package = small_tree / "python" / "skimline"
    package.mkdir()
    for good in ("__init__.py", "_core.pyi", "frame_steps.py"):
        (package / good).write_text("")
    assert tree.python_faults(small_tree) == []
    (package / name).write_text("")
    (found,) = tree.python_faults(small_tree)
    assert fault in found


@pytest.mark.parametrize(
    "path",
    [
        "python/skimline/frame.py",
        "tests/io/test_pages.py",
        "bench/pages/read.py",
        "tests/CMakeLists.txt",
        "scripts/check",
    ],
)
def test_scripts_that_are_too_long_are_caught(small_tree, path):
    (small_tree / path).parent.mkdir(parents=True, exist_ok=True)
    (small_tree / path).write_text("\n" * 600)
    assert tree.long_scripts(small_tree) == []
    (small_tree / path).write_text("\n" * 601)
    assert tree.long_scripts(small_tree) == [f"{path}: more than 600 lines"]


def test_folder_of_a_file():
    assert tree.SourceFile(PurePosixPath("tests/io/page_test.cc"), "").folder == "io"
    assert tree.SourceFile(PurePosixPath("io/src/page.cc"), "").folder == "io"
