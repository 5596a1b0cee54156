# SPDX-License-Identifier: BSD-3-Clause
"""What others have loaded into the process, where it keeps our module from being loaded."""

from __future__ import annotations

from pathlib import Path

# Functions that the module needs and an older one lacks; and what the module says itself.
_SIGNS_OF_ANOTHER_TBB = ("undefined symbol: _ZN3tbb", "oneTBB")


def explained(error: ImportError) -> ImportError:
    """The error of importing the module, with its reason where that is an older oneTBB."""
    if not any(sign in str(error) for sign in _SIGNS_OF_ANOTHER_TBB):
        return error
    text = (
        f"this process has {_other_tbb()}, an older oneTBB than the one that skimline was built with: "
        f"import skimline before what loads it, such as ROOT ({error})"
    )
    return ImportError(text, name=error.name, path=error.path)


def _other_tbb() -> str:
    try:
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "libtbb.so"
    # Ours has a number in its name where a wheel brings it.
    return next(
        (line[line.index("/") :] for line in mapped.splitlines() if "/libtbb.so" in line), "libtbb.so"
    )
