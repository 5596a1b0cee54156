# SPDX-License-Identifier: BSD-3-Clause
"""What many functions check about their arguments."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from typing import Any

from skimline._core import did_you_mean
from skimline.argument_types import shown
from skimline.errors import ConfigError

__all__ = [
    "ARROW_ENDINGS",
    "checked_choice",
    "checked_compression",
    "checked_entry",
    "checked_limits",
    "checked_name",
    "checked_size",
    "checked_text",
    "checked_texts",
    "checked_threads",
    "checked_whole",
]

ARROW_ENDINGS = {"parquet": (".parquet",), "arrow": (".arrow", ".feather")}
"""What files of these formats may end with; the usual one comes first."""

_MOST_THREADS = 4096
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 10**3, "MB": 10**6, "GB": 10**9}


def checked_threads(threads: int) -> int:
    """Returns the number, which may be 0 for one thread per core; throws ConfigError if it is none."""
    number = checked_whole(threads, "threads")
    if not 0 <= number <= _MOST_THREADS:
        raise ConfigError(f"threads: {number} is not from 0 to {_MOST_THREADS}")
    return number


def checked_entry(number: Any) -> int:
    """Returns the number of an entry as an int; throws ConfigError if it is none."""
    plain = checked_whole(number, "the number of an entry")
    if not 0 <= plain < 2**64:
        raise ConfigError(f"entries are counted from 0: {plain}")
    return plain


def checked_limits(limit_events: Any, limit_files: Any, shard: Any) -> dict[str, Any]:
    """Returns what leaves a part of the events, as keywords; throws ConfigError for what cannot be."""
    limits: dict[str, Any] = {"limit_events": limit_events, "limit_files": limit_files}
    for key, limit in limits.items():
        if limit is not None:
            limits[key] = checked_whole(limit, key)
            if not 1 <= limits[key] < 2**64:
                raise ConfigError(
                    f"{key}: {limit} is no number of {key.partition('_')[2]}, which is 1 or more"
                )
    if shard is not None:
        try:
            part, parts = shard
        except (TypeError, ValueError):
            raise ConfigError(f"shard: {shard!r} is not the part i of N, (i, N)") from None
        shard = checked_whole(part, "the first of shard"), checked_whole(parts, "the second of shard")
        if not 1 <= shard[0] <= shard[1] < 2**64:
            raise ConfigError(f"shard: {shard} is not the part i of N, counted from 1")
    return {**limits, "shard": shard}


def checked_whole(number: Any, what: str) -> int:
    """Returns an integer, which may be one of numpy."""
    try:
        return operator.index(number)
    except TypeError:
        raise ConfigError(f"{what} is a whole number, not {shown(number)}") from None


def checked_text(value: Any, what: str) -> str:
    """Returns the text, or that of an expression of columns; throws TypeError, which says what should be one."""
    text = getattr(value, "_expression_text", value)
    if not isinstance(text, str):
        instead = (
            ": functions of columns are for define(name, function, columns=[...])" if callable(value) else ""
        )
        raise TypeError(f"{what} must be a text, not {shown(value)}{instead}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{what} has surrogates, which are no text: {shown(text)}") from None
    if "\0" in text:  # where texts of the system end
        raise ConfigError(f"{what} has the character NUL: {shown(text)}")
    return text


def checked_texts(values: Any, what: str) -> list[str]:
    """Returns one text, or several, as a list."""
    is_one = isinstance(values, (str, bytes)) or hasattr(values, "_expression_text")
    listed = values if isinstance(values, Iterable) and not is_one else [values]
    return [checked_text(each, what) for each in listed]


def checked_choice(key: str, value: Any, choices: Sequence[str]) -> str:
    """Returns the text, which is one of several."""
    if not isinstance(value, str) or value not in choices:
        meant = did_you_mean(value, choices) if isinstance(value, str) and value.isascii() else ""
        raise ConfigError(f"{key}={shown(value)} is none of {', '.join(map(repr, choices))}{meant}")
    return str(value)


def checked_name(name: str | None) -> str:
    """Returns the name of a histogram or skim, empty for None."""
    if name is None:
        return ""
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", checked_text(name, "a name")) or name in (".", ".."):
        raise ConfigError(f'"{name}" is no name: use letters, digits, "_", "-", "."')
    return name


def checked_compression(text: str) -> str:
    """Returns the text, such as "zstd:5"."""
    levels = {"auto": 0, "none": 0, "zstd": 19, "lz4": 12, "zlib": 9, "lzma": 9}
    kind, colon, level = checked_text(text, "compression").partition(":")
    if kind not in levels:
        raise ConfigError(
            f'compression="{text}" is none of {", ".join(levels)}' + did_you_mean(kind, list(levels))
        )
    if colon and not (level.isdecimal() and level == str(int(level)) and 1 <= int(level) <= levels[kind]):
        most = f"{kind}:1 to {kind}:{levels[kind]}" if levels[kind] else f"{kind} alone"
        raise ConfigError(f'compression="{text}" is not {most}')
    return text


def checked_size(key: str, size: int | str, least: int, most: int) -> int | str:
    """Returns a number of bytes, or a text such as "64 MiB"."""
    found = re.fullmatch(r"([1-9]\d*) ?([KMG]iB|[kMG]B)", size) if isinstance(size, str) else None
    bytes_ = int(found[1]) * _UNITS[found[2]] if found else size
    if not isinstance(bytes_, int) or isinstance(bytes_, bool):
        raise ConfigError(f'{key}={size!r} is no number of bytes, such as "64 MiB"')
    if not least <= bytes_ <= most:
        raise ConfigError(f"{key}={size!r} is not from {least} to {most} bytes")
    return size
