# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong. Texts are those of the program: complete, with place, expectation and nearest name."""

from __future__ import annotations

import sys
import warnings

__all__ = [
    "ConfigError",
    "Error",
    "EvaluationError",
    "ExpressionError",
    "FileError",
    "InternalError",
    "LostPartsError",
    "SchemaError",
    "warn",
]


class Error(Exception):
    """A fault that the user can understand and mend; the base of all others but InternalError."""


class ConfigError(Error):
    """A mistake in a config or an argument; of a config all mistakes, each with line and column."""


class ArgumentError(ConfigError, TypeError):
    """An argument that is not what a function takes."""


class ExpressionError(Error):
    """A mistake in an expression."""

    text: str = ""
    """The expression."""
    offset: int = 0
    """Where the mistake begins in it, in bytes."""
    length: int = 0
    """How many bytes are at fault."""
    problem: str = ""
    """What is wrong with them."""


class EvaluationError(Error):
    """A value for which an operation has no answer, such as an index out of range."""

    entry: int = 0
    """The entry in which it was met, counted over all files."""
    expression: str = ""
    """The part of an expression that has no answer."""


class SchemaError(Error):
    """A column that is missing, or has a type that cannot be used."""


class FileError(Error):
    """A file that cannot be opened, read, trusted or written."""

    path: str = ""
    """The file."""
    fault: str = "damaged"
    """"damaged", "unavailable", "unverified" (it has no checksum where one is required), "storage",
    "unwritable", or "changed" (it is not the one that a frame was made of)."""


class LostPartsError(Error):
    """Parts of a run that those who compute lost again and again; the program ends with exit code 3."""

    parts: tuple[tuple[str, int, int], ...] = ()
    """Of each its file, the number of its first entry in it, and how many entries it has."""


class InternalError(RuntimeError):
    """A fault of Skimline itself."""


class RunWarning(UserWarning):
    """Something in a run that is allowed but seldom meant."""


class IncompleteWarning(RunWarning):
    """A run or merge without all that its inputs promised or its skims should have; the program ends with exit code 3."""


def warn(text: str, category: type[Warning]) -> None:
    """Warns at the line that called the package, which is where Python looks whether it was told before."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in (
        "skimline",
        "contextlib",
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(text.removeprefix("warning: "), category, stacklevel=level)
