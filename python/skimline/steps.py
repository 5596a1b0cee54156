# SPDX-License-Identifier: BSD-3-Clause
"""The steps by which a frame is made of its files. Two steps are the same only if they are one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

__all__ = ["Define", "Filter", "Function", "Step"]


@dataclass(frozen=True, eq=False)
class Function:
    """A function for expressions: an expression of its parameters, or a compiled one."""

    signature: str
    body: str = ""
    compiled: Any | None = None

    @property
    def name(self) -> str:
        """The name without parameters."""
        return self.signature.split("(")[0].strip()


@dataclass(frozen=True, eq=False)
class Define:
    """A name for an expression."""

    name: str
    expression: str


@dataclass(frozen=True, eq=False)
class Filter:
    """A condition on events, with its name in the cutflow."""

    name: str
    expression: str


Step = Union[Function, Define, Filter]
