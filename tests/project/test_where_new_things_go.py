# SPDX-License-Identifier: BSD-3-Clause
"""A new kind of axis, storage, format, command, function or key touches the files that docs/architecture.md names."""

from pathlib import Path

import mentions
import pytest

ROOT = Path(__file__).resolve().parents[2]

EXAMPLES = mentions.examples(ROOT)
THINGS = (
    "function",
    "key of the config",
    "command",
    "kind of axis",
    "storage",
    "format of events",
    "format of inputs",
    "format of outputs",
)


def test_the_table_has_a_row_for_each_thing():
    assert tuple(example.thing for example in EXAMPLES) == THINGS
    assert all(example.terms and example.known_in for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.thing.replace(" ", "_"))
def test_only_the_files_of_the_table_know_of_it(example):
    assert mentions.faults(ROOT, example) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.thing.replace(" ", "_"))
def test_the_files_of_the_table_exist(example):
    assert [path for path in example.known_in if not (ROOT / path).is_file()] == []
    assert [pattern for pattern in example.own if not list(ROOT.glob(pattern))] == []


TABLE = """\
### What knows of each

| a new | as there is | its own files | others that know of it |
| --- | --- | --- | --- |
| colour | red: `Colour::kRed` `"red"` | `io/src/red_*` | `io/src/colours.h` `python/skimline/colours.py` |
"""


@pytest.fixture
def small_tree(tmp_path):
    """A tree in which two files, and those of its own, know of the colour red."""
    write(tmp_path, "docs/architecture.md", TABLE)
    write(tmp_path, "io/src/colours.h", "enum class Colour { kBlue, kRed };\nenum class Other { kOrange };\n")
    write(tmp_path, "io/src/red_paint.cc", "auto colour = Colour::kRed;\n")
    write(tmp_path, "python/skimline/colours.py", 'NAMES = {"red"}\n')
    return tmp_path


def write(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def only_example(root):
    (example,) = mentions.examples(root)
    return example


def test_a_tree_may_mention_it_where_the_table_says(small_tree):
    example = only_example(small_tree)
    assert example.terms == ("Colour::kRed", '"red"')
    assert example.own == ("io/src/red_*",)
    assert mentions.faults(small_tree, example) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("io/src/switch.cc", "switch (colour) { case Colour::kRed: return 1; }\n"),
        ("skims/src/paint.cc", 'const char* name = "red";  // Colour::kRed\n'),
        ("python/skimline/paint.py", 'if name == "red": pass\n'),
        ("configs/schema/paint.json", '{"enum": ["red"]}\n'),
    ],
)
def test_a_switch_elsewhere_is_found(small_tree, path, text):
    write(small_tree, path, text)
    assert [fault.split()[1] for fault in mentions.faults(small_tree, only_example(small_tree))] == [path]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("io/src/paint.cc", '// Colour::kRed\nint count; /* "red" */ auto other = Colour::kRedder;\n'),
        ("io/src/paint.cc", 'const char* text = "// red";\n'),
        ("python/skimline/paint.py", '"""A docstring with "red"."""\n\ndef paint():\n    """As "red"."""\n'),
        ("tests/io/paint_test.cc", "auto colour = Colour::kRed;\n"),
    ],
)
def test_comments_strings_that_only_hold_it_and_tests_do_not_count(small_tree, path, text):
    write(small_tree, path, text)
    assert mentions.faults(small_tree, only_example(small_tree)) == []


def test_a_file_that_no_longer_knows_of_it_is_found(small_tree):
    write(small_tree, "python/skimline/colours.py", 'NAMES = {"blue"}\n')
    (fault,) = mentions.faults(small_tree, only_example(small_tree))
    assert fault.startswith('colour: python/skimline/colours.py mentions none of Colour::kRed, "red"')
