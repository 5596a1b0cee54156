# SPDX-License-Identifier: BSD-3-Clause
"""Which definitions of a frame a skim keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skimline.scope import EVENT_WEIGHT, Meaning, Scope
from skimline.steps import matches_column

__all__ = ["is_kept", "keeps_weight", "kept_columns"]


def is_kept(described: Mapping[str, Any], *names: str, unless_said: bool = False) -> bool:
    """Whether a skim keeps what has one name or several: what `keep` matches, or `unless_said` without it, and not `drop`."""
    keep, drop = described.get("keep"), described.get("drop", ())
    unless_said = unless_said and not described.get("columns")  # without `keep` these are all that there is
    is_wanted = (
        unless_said
        if keep is None
        else any(matches_column(name, pattern) for name in names for pattern in keep)
    )
    return is_wanted and not any(matches_column(name, pattern) for name in names for pattern in drop)


def kept_columns(described: Mapping[str, Any], scope: Scope) -> dict[str, Meaning]:
    """The definitions that a skim keeps, by their names in the frame.

    Those that stand for columns of the files are kept as these are. What varies keeps its nominal values: a
    column of the files stays one.
    """
    return {
        name: meaning
        for name, meaning in scope.means.items()
        if not meaning.is_function
        and is_kept(described, *scope.names_of(name), unless_said=name in scope.columns)
        and not (name in scope.columns and meaning.varied_by and not meaning.means)
    }


def keeps_weight(described: Mapping[str, Any], scope: Scope) -> bool:
    """Whether a skim keeps the weight of the event, which is there as definitions are."""
    return bool(scope.weights) and is_kept(described, EVENT_WEIGHT)
