# SPDX-License-Identifier: BSD-3-Clause
"""Configs that are made here: their text, and what the engine makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from skimline import _core
from skimline.errors import ConfigError

__all__ = ["core_config"]

_NAME = "<python>"


def _text(config: dict[str, Any]) -> str:
    """The config as JSON, as messages show it. Throws ConfigError for what JSON cannot say."""
    try:
        return json.dumps(config, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        raise ConfigError("nan and infinity are no numbers that a config can hold") from None


def core_config(config: Mapping[str, Any], external: Sequence[Any] = (), **options: Any) -> _core.Config:
    """A config that was made here, for the engine."""
    text = _text(dict(config))
    return _core.Config(_NAME, text, functions=list(external), **options)


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, paths and sequences as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, (set, frozenset)) or not isinstance(value, Iterable):
        raise ConfigError(f"a config cannot hold {value!r}")
    return list(value)
