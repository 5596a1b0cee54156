# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose last bits, or signs of 0, the C library leaves open are called in one room only."""

import re
from pathlib import Path, PurePosixPath

import pytest
import source_tree

ROOT = Path(__file__).resolve().parents[2]
ROOM = PurePosixPath("framework/src/maths")

NAMES = (
    "exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh"
    "|cbrt|hypot|pow|erf|erfc|lgamma|tgamma|fmin|fmax"
)
# Of namespaces that have them, of C by the names of other types, and those that C has besides.
FROM_THE_LIBRARY = re.compile(
    rf"\bstd::(?:{NAMES})[fl]?\b|(?<![\w:])::(?:{NAMES})[fl]?\s*\(|(?<![\w:.>])(?:{NAMES})[fl]\s*\("
    r"|\b(?:lgammaf?_r|sincosf?|exp10f?|__builtin_(?:" + NAMES + r")[fl]?)\s*\("
)


def calls_of_the_library(files):
    return [
        f"{file.path}: {match.group(0)}"
        for file in files
        if file.is_product and not file.path.is_relative_to(ROOM)
        for match in FROM_THE_LIBRARY.finditer(file.code)
    ]


def test_mathematics_has_one_definition():
    assert calls_of_the_library(source_tree.cxx_files(ROOT)) == []


def source(path, text):
    return source_tree.SourceFile(PurePosixPath(path), text)


@pytest.mark.parametrize(
    "call",
    [
        "std::sin(x)",
        "choose<std::exp, 1>",
        "::pow(x, 2)",
        "sinhf(x)",
        "lgamma_r(x, &sign)",
        "__builtin_cos(x)",
    ],
)
def test_calls_of_the_library_are_caught(call):
    (fault,) = calls_of_the_library([source("io/src/root/a.cc", f"double y = {call};")])
    assert fault.startswith("io/src/root/a.cc: ")


@pytest.mark.parametrize(
    "text",
    [
        "maths::sin(x)",
        "std::sqrt(x)",
        "// std::sin(x)",
        '"std::sin(x)"',
        "logger->log(x)",
        "std::exponential(x)",
    ],
)
def test_others_are_not(text):
    assert calls_of_the_library([source("io/src/root/a.cc", text)]) == []
    assert calls_of_the_library([source("framework/src/maths/a.cc", "std::sin(x)")]) == []
