# SPDX-License-Identifier: BSD-3-Clause
"""What many functions check about their arguments."""

from __future__ import annotations

from typing import Any

from skimline.errors import ConfigError

__all__ = ["checked_text", "checked_threads"]

_MOST_THREADS = 4096


def checked_threads(threads: int) -> int:
    """Returns the number, which may be 0 for one thread per core; throws ConfigError if it is none."""
    if not isinstance(threads, int) or not 0 <= threads <= _MOST_THREADS:
        raise ConfigError(f"threads: {threads!r} is not from 0 to {_MOST_THREADS}")
    return threads


def checked_text(value: Any, what: str) -> str:
    """Returns the text; throws TypeError, which says what should be one."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a text, not {value!r}")
    return value
