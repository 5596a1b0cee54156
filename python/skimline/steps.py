# SPDX-License-Identifier: BSD-3-Clause
"""The steps by which a frame is made of its files. Two steps are the same only if they are one object."""

from __future__ import annotations

from typing import Any, Union

__all__ = ["Define", "Filter", "Function", "Step"]

# Plain classes: dataclasses would make up a third of the time that importing the package takes.


class Function:
    """A function for expressions: an expression of its parameters, or a compiled one."""

    def __init__(self, signature: str, body: str = "", compiled: Any = None) -> None:
        self.signature = signature
        self.body = body
        self.compiled = compiled

    @property
    def name(self) -> str:
        """The name without parameters."""
        return self.signature.split("(")[0].strip()


class Define:
    """A name for an expression."""

    def __init__(self, name: str, expression: str) -> None:
        self.name = name
        self.expression = expression


class Filter:
    """A condition on events, with its name in the cutflow."""

    def __init__(self, name: str, expression: str) -> None:
        self.name = name
        self.expression = expression


Step = Union[Function, Define, Filter]
