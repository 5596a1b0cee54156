# SPDX-License-Identifier: BSD-3-Clause
"""The weights whose sums normalise samples, where a config has them: as texts by sample, and "" for all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["sum_weights_of", "with_sum_weights"]


def sum_weights_of(described: Mapping[str, Any]) -> dict[str, str]:
    """Returns those that are expressions."""
    found: dict[str, str] = {}
    _changed(described, found.setdefault)
    return found


def with_sum_weights(described: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Returns the same with these texts in the place of what stands there."""
    return _changed(described, texts.get)


def _changed(described: Mapping[str, Any], text_for: Callable[[str, str], str | None]) -> dict[str, Any]:
    """The same with what `text_for` makes of names and texts."""

    def changed(name: str, sample: Mapping[str, Any]) -> Mapping[str, Any]:
        given = sample.get("sum_weights")
        if isinstance(given, str):
            return {**sample, "sum_weights": text_for(name, given)}
        if isinstance(given, Mapping) and "weight" in given:
            return {**sample, "sum_weights": {**given, "weight": text_for(name, given["weight"])}}
        return sample

    made = dict(described)
    if "samples" in described:
        made["samples"] = {name: changed(name, each) for name, each in described["samples"].items()}
    if "sample_defaults" in described:
        made["sample_defaults"] = changed("", described["sample_defaults"])
    return made
