# SPDX-License-Identifier: BSD-3-Clause
"""Systematic variations: what is written of them, and results by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, Union

from skimline._core import did_you_mean
from skimline.arguments import checked_text
from skimline.columns import Column
from skimline.errors import ConfigError
from skimline.steps import Vary, matches

__all__ = ["ByVariation", "Replacements", "check_samples", "checked_variation"]

Replacements = Mapping[str, Union[str, Column, Mapping[str, Union[str, Column]]]]
"""Expressions by the name that they replace, or by that and a direction."""

_NOMINAL = "nominal"

Result = TypeVar("Result")


class ByVariation(dict[str, Result]):
    """Results by the name of the variation. The nominal ones are not among them."""

    def __missing__(self, name: str) -> Result:
        raise ConfigError(f'there is no variation "{name}"' + did_you_mean(name, list(self)))


def checked_variation(
    name: str, columns: Replacements, samples: str | Sequence[str] | None, allow_unchanged: bool
) -> Vary:
    """Returns what is written as a step. Throws ConfigError and TypeError for what cannot be one."""
    _check_name(name, "a variation")
    if not isinstance(columns, Mapping):
        raise TypeError(
            f'the variation "{name}" needs a mapping from what is replaced to expressions, such as '
            f'{{"Muon_pt": {{"up": "Muon_pt * 1.03"}}}}, not {columns!r}'
        )
    if not columns:
        raise ConfigError(f'the variation "{name}" replaces nothing: give it columns')
    columns = {
        checked_text(column, "the name of what a variation replaces"): given
        for column, given in columns.items()
    }
    by_direction: dict[str, dict[str, str]] = {}  # one is called "" if there are none
    written = {column: _by_direction(column, given) for column, given in columns.items()}
    for column, expressions in written.items():
        if not expressions or (by_direction and set(expressions) != set(by_direction)):
            raise ConfigError(
                f'all replacements of the variation "{name}" need the same directions: "{column}" has '
                f"{_listed(expressions)}" + (f", others {_listed(by_direction)}" if by_direction else "")
            )
        for direction, expression in expressions.items():
            by_direction.setdefault(direction, {})[column] = expression
    if samples is not None and not samples:
        raise ConfigError(f'the variation "{name}" is for no sample: leave samples out to mean all')
    made = Vary(
        name,
        {f"{name}_{direction}" if direction else name: each for direction, each in by_direction.items()},
        {
            column: texts if isinstance(columns[column], Mapping) else texts[""]
            for column, texts in written.items()
        },
        None if samples is None else [samples] if isinstance(samples, str) else list(samples),
        allow_unchanged,
    )
    if _NOMINAL in made.replacements:
        raise ConfigError('"nominal" is what is not varied: give the variation another name')
    return made


def check_samples(variation: Vary, names: Sequence[str]) -> None:
    """Throws ConfigError for patterns that match no sample."""
    for pattern in variation.samples or []:
        checked_text(pattern, "a pattern of samples")
        if not any(matches(name, pattern) for name in names):
            raise ConfigError(f'no sample matches "{pattern}"' + did_you_mean(pattern, names))


def _by_direction(column: str, given: str | Column | Mapping[str, str | Column]) -> dict[str, str]:
    if isinstance(given, (list, tuple)):
        raise TypeError(f'what replaces "{column}" has a name for each direction: {{"up": ..., "down": ...}}')
    if not isinstance(given, Mapping):
        return {"": checked_text(given, f'what replaces "{column}"')}
    for direction in given:
        _check_name(direction, "a direction of a variation")
    return {
        direction: checked_text(expression, f'what replaces "{column}"')
        for direction, expression in given.items()
    }


def _check_name(name: str, what: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", checked_text(name, f"the name of {what}")):
        raise ConfigError(f'"{name}" cannot name {what}: use letters, digits, "_", "-", "."')


def _listed(directions: Iterable[str]) -> str:
    return ", ".join(f'"{each}"' if each else "none" for each in directions) or "none"
