# SPDX-License-Identifier: BSD-3-Clause
"""Names in the text of expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from skimline import _core
from skimline.hints import hinting

__all__ = ["mentioned", "patterns", "quoted", "rewritten"]


def quoted(name: str) -> str:
    """The name as it stands alone, in back-quotes unless it could name a definition."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else "`" + name.replace("`", "``") + "`"


@lru_cache(maxsize=1 << 16)
def mentioned(expression: str) -> tuple[str, ...]:
    """The names of columns, definitions and functions in an expression, without back-quotes."""
    with hinting(expression):
        return tuple(_core.mentioned_names(expression))


@lru_cache(maxsize=1 << 16)
def patterns(expression: str) -> tuple[str, ...]:
    """The patterns of columns in an expression, those of AnyOf and AllOf."""
    return tuple(_core.mentioned_patterns(expression))


def rewritten(expression: str, names: Mapping[str, str], functions: Mapping[str, str]) -> str:
    """The expression with other names in it: for each of `names`, and each of `functions` that is called, what stands there instead."""
    return _core.with_other_names(expression, names, functions) if names or functions else expression
