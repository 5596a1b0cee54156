# SPDX-License-Identifier: BSD-3-Clause
"""Names in the text of expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from skimline import _core
from skimline.hints import hinting

__all__ = ["mentioned", "quoted", "rewritten"]

# Texts, names in back-quotes, members and qualified names stay together; numbers may have letters in them.
_TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"'
    r"|`(?P<quoted>(?:[^`]|``)*)`"
    r"|(?P<member>(?:\.|::)\s*[A-Za-z_]\w*)"
    r"|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
    r"|\.?\d[\w.]*"
)


def quoted(name: str) -> str:
    """The name as it stands alone, in back-quotes unless it could name a definition."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else "`" + name.replace("`", "``") + "`"


@lru_cache(maxsize=1 << 16)
def mentioned(expression: str) -> tuple[str, ...]:
    """The names of columns, definitions and functions in an expression, without back-quotes."""
    with hinting(expression):
        return tuple(_core.mentioned_names(expression))


def rewritten(expression: str, names: Mapping[str, str]) -> str:
    """The expression with other names in it: for each of `names` what stands there instead."""
    if not names:
        return expression

    def replaced(match: re.Match[str]) -> str:
        quoted, name = match["quoted"], match["name"]
        if quoted is not None:
            return names.get(quoted.replace("``", "`"), match[0])
        if name is None:
            return match[0]
        parts = name.split(".")
        for number in range(len(parts), 0, -1):
            first = ".".join(parts[:number])
            if first in names:
                return ".".join([names[first], *parts[number:]])
        return match[0]

    return _TOKEN.sub(replaced, expression)
