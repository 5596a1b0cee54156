# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes in what frames say, without the config that was made of it and that nobody has written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from skimline.errors import Error

__all__ = ["in_own_words", "own_words"]

# "<python>:8:27: error: what is wrong", the line of the config, and a mark below it.
_PLACED = re.compile(
    r"^<python>:\d+:\d+: (?:error|warning): (?P<problem>.*)(?:\n(?P<line>.*)\n(?P<mark> *\^~*)$)?",
    re.MULTILINE,
)
_KEY = re.compile(r'\s*"(?P<key>(?:\\.|[^"\\])*)": ')
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
_SETTING = re.compile(
    r'"(allow_unchanged|allow_duplicates|bad_weight|nan|on_bad_file|require_checksums)": (true|"\w+")'
)


@contextmanager
def in_own_words() -> Iterator[None]:
    """Errors say what is wrong in the words of Python."""
    try:
        yield
    except Error as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (own_words(error.args[0]), *error.args[1:])
        raise


def own_words(text: str) -> str:
    """The text of an error or a warning without places in a config.

    >>> line, mark = '  "n": {"value": "s"}', "                 ^"
    >>> print(own_words(f"<python>:8:27: error: this is string\\n{line}\\n{mark}"))
    this is string: "s" in "n"
    """
    plain = _PLACED.sub(
        lambda found: _said(found["problem"], found["line"] or "", len(found["mark"] or "")), text
    )
    return _SETTING.sub(lambda found: f"{found[1]}={found[2].replace('true', 'True')}", plain)


def _said(problem: str, line: str, end: int) -> str:
    """The problem, with the text that is at fault and what it is part of, unless the problem names them."""
    marked = next((each[0] for each in _TEXT.finditer(line) if each.start() < end <= each.end()), "")
    key = _KEY.match(line)
    whole = f'"{key["key"]}"' if key and key["key"] != "select" else ""
    if marked == whole or (marked and re.search(rf"(?<!\w){re.escape(marked[1:-1])}(?!\w)", problem)):
        return problem
    place = " in ".join(each for each in (marked, whole) if each and each not in problem)
    return f"{problem}: {place}" if place else problem
