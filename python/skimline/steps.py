# SPDX-License-Identifier: BSD-3-Clause
"""The steps by which a frame is made of its files. Two steps are the same only if they are one object.

They stay so when frames are pickled.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Protocol, Union
from weakref import WeakValueDictionary

from skimline import _core
from skimline.config import core_config
from skimline.kept import Kept
from skimline.own_words import in_own_words

__all__ = [
    "Correction",
    "Define",
    "Filter",
    "Function",
    "Model",
    "Origin",
    "Replace",
    "Step",
    "SumWeights",
    "Vary",
    "Weight",
    "matches",
    "name_in",
]

# A config needs some file; what is in it is of no account until it is opened.
_NOTHING: dict[str, Any] = {"schema_version": 1, "samples": {"none": {"files": [os.devnull]}}, "select": []}

# Plain classes: dataclasses would make up a third of the time that importing the package takes.


def name_in(signature: str) -> str:
    """The name of a function: `f` in `float f(float x)`."""
    words = signature.partition("(")[0].split()
    return words[-1].lstrip("&") if words else ""


class Function(Kept):
    """A function for expressions: an expression of its parameters, or another one, which has an origin."""

    def __init__(self, signature: str, body: str = "", origin: Origin | None = None) -> None:
        self.signature = signature
        self.body = body
        self.origin = origin
        self.compiled: Any = origin.make() if origin else None
        """What the engine calls, if it is no expression."""

    @property
    def name(self) -> str:
        """The name without parameters and types."""
        return name_in(self.signature)

    def _recipe(self) -> tuple[Any, ...]:
        return self.signature, self.body, self.origin


class Origin(Protocol):
    """How a function is made that is no expression; made anew in each process that loads a pickle of it."""

    def make(self, name: str | None = None) -> Any:
        """Returns what the engine calls, by another name if one is given."""


class Define(Kept):
    """A name for an expression."""

    def __init__(self, name: str, expression: str) -> None:
        self.name = name
        self.expression = expression

    def _recipe(self) -> tuple[Any, ...]:
        return self.name, self.expression


class Weight(Kept):
    """A factor of the weight of an event."""

    def __init__(self, name: str, expression: str) -> None:
        self.name = name
        self.expression = expression

    def _recipe(self) -> tuple[Any, ...]:
        return self.name, self.expression


class SumWeights(Kept):
    """The weights whose sums normalise samples, made of what names mean here and not in the files."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        """By sample, and "" for all others."""

    def _recipe(self) -> tuple[Any, ...]:
        return (self.texts,)


class Correction(Kept):
    """A correction in a file of correctionlib, as a function."""

    def __init__(self, name: str, described: Mapping[str, Any]) -> None:
        self.name = name
        self.described = described
        """What the config says of it."""
        with in_own_words():
            config = core_config({**_NOTHING, "corrections": {name: described}}, is_plain=True)
        self.compiled = config.corrections[0]
        """What the engine calls."""
        self.checksum: str = json.loads(config.resolved)["corrections"][name]["checksum"]
        """Of the file as it is now."""

    def _recipe(self) -> tuple[Any, ...]:
        return self.name, {**self.described, "checksum": self.checksum}


class Model(Kept):
    """A trained model in a file, as a function."""

    def __init__(self, name: str, described: Mapping[str, Any]) -> None:
        self.name = name
        self.described = described
        """What the config says of it."""
        with in_own_words():
            config = core_config({**_NOTHING, "models": {name: described}}, is_plain=True)
        self.compiled = config.models[0]
        """What the engine calls."""
        self.checksum: str = json.loads(config.resolved)["models"][name]["checksum"]
        """Of the file as it is now."""

    def _recipe(self) -> tuple[Any, ...]:
        return self.name, {**self.described, "checksum": self.checksum}


class Filter(Kept):
    """A condition on events, with its name in the cutflow."""

    def __init__(self, name: str, expression: str) -> None:
        self.name = name
        self.expression = expression
        self.nominal: Filter | None = None
        """The filter that this one is in a variation."""

    def _recipe(self) -> tuple[Any, ...]:
        return self.name, self.expression

    def in_variation(self, variation: str) -> Filter:
        """The one that stands for it where names mean what they do in a variation."""
        made = Filter(self.name, self.expression)
        made.nominal = self  # which keeps it from being another object of the same number
        return _filters.setdefault((id(self), variation), made)


_filters: WeakValueDictionary[tuple[int, str], Filter] = WeakValueDictionary()


class Vary(Kept):
    """Values that are replaced, one variation for each direction."""

    def __init__(
        self,
        name: str,
        replacements: Mapping[str, Mapping[str, str]],
        columns: Mapping[str, str | Mapping[str, str]],
        samples: Sequence[str] | None,
        allow_unchanged: bool,
    ) -> None:
        self.name = name
        self.replacements = replacements
        """For each variation the expressions by the columns that they replace."""
        self.columns = columns
        """The same as written."""
        self.samples = samples
        self.allow_unchanged = allow_unchanged
        self.seen: tuple[Any, ...] = ()
        """What the names in it mean, and the variations before it, where it is one of equal ones."""

    def _recipe(self) -> tuple[Any, ...]:
        return self.name, self.replacements, self.columns, self.samples, self.allow_unchanged

    def one_of_equal(self, seen: tuple[Any, ...]) -> Vary:
        """The living one that says the same where all names mean the same."""
        key = (repr(self._recipe()), *(each if isinstance(each, str) else id(each) for each in seen))
        self.seen = seen  # which keeps these from being other objects of the same number
        return _variations.setdefault(key, self)

    def allowing_no_change(self) -> Vary:
        """The same, which may change nothing of what is run."""
        return Vary(self.name, self.replacements, self.columns, self.samples, True)

    @property
    def directions(self) -> list[str]:
        """The names of the variations that it makes."""
        return list(self.replacements)

    def is_for(self, sample: str) -> bool:
        """Whether a sample has it."""
        return not self.samples or any(matches(sample, pattern) for pattern in self.samples)

    def expressions_for(self, column: str) -> list[str]:
        """What replaces a column."""
        return [each[column] for each in self.replacements.values() if column in each]


_variations: WeakValueDictionary[Any, Vary] = WeakValueDictionary()


class Replace(Kept):
    """Values that are replaced as a variation does it, for good."""

    def __init__(
        self, replaced: Mapping[str, str], nominal_in: Sequence[str] = (), data: Sequence[str] = ()
    ) -> None:
        self.replaced = replaced
        self.nominal_in = nominal_in
        """The samples that do not have the variation."""
        self.data = data
        """The samples whose factors of the weight are 1 unless they have their own."""

    def _recipe(self) -> tuple[Any, ...]:
        return self.replaced, self.nominal_in, self.data


def matches(name: str, pattern: str) -> bool:
    """Whether a pattern of the config, with "*" and "?" only, is for a name."""
    return fnmatchcase(name, pattern.replace("[", "[[]"))


def matches_column(name: str, pattern: str) -> bool:
    """The same for columns, whose members have a dot or an underscore. In back-quotes it is a name."""
    plain = _core.plain_name(pattern)
    return name == plain if plain != pattern else matches(name.replace(".", "_"), pattern.replace(".", "_"))


Step = Union[Function, Correction, Model, Define, Weight, SumWeights, Filter, Vary, Replace]
