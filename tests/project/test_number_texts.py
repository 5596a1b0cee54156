# SPDX-License-Identifier: BSD-3-Clause
"""Texts of real numbers never depend on the locale of the program around the library, as those of the C library do."""

import re
from pathlib import Path, PurePosixPath

import pytest
import source_tree

ROOT = Path(__file__).resolve().parents[2]

CALL = re.compile(r"\b(?:atof|strto(?:d|f|ld)|sto(?:d|f|ld)|setlocale|imbue)\s*\(|\bstd::locale\b")
FORMAT = re.compile(r"printf\s*\([^;]*\"(?:[^\"%]|%%|%[^%\"])*?%[-+ #0-9.*l]*[aefgAEFG]")


def uses_of_the_locale(files):
    return [
        f"{file.path}: {match.group(0)}"
        for file in files
        if file.is_product
        for pattern, text in ((CALL, file.code), (FORMAT, file.text))
        for match in pattern.finditer(text)
    ]


def test_numbers_have_a_point_everywhere():
    assert uses_of_the_locale(source_tree.cxx_files(ROOT)) == []


def source(text):
    return source_tree.SourceFile(PurePosixPath("io/src/root/a.cc"), text)


@pytest.mark.parametrize(
    "call",
    [
        'std::snprintf(text, sizeof text, "%.17g", value);',
        'std::snprintf(\n  text, sizeof text, "%d of %*.3f", 1, 8, value);',
        "std::atof(text)",
        "std::stod(text)",
        "strtof(text, &end)",
        "stream.imbue(std::locale(name))",
    ],
)
def test_what_depends_on_it_is_caught(call):
    assert uses_of_the_locale([source(call)])


@pytest.mark.parametrize(
    "text",
    [
        'std::snprintf(text, sizeof text, "%016llx, 3 %% gone", value);',
        "// std::stod(text)",
        "number_of(text)",
    ],
)
def test_others_are_not(text):
    assert uses_of_the_locale([source(text)]) == []
