# SPDX-License-Identifier: BSD-3-Clause
"""Libraries that only some functions need."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["require"]

_PACKAGES = {"boost_histogram": "boost-histogram"}


def require(module: str, purpose: str) -> Any:
    """Imports and returns a module; ImportError says what needs it and how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = _PACKAGES.get(module, module)
        raise ImportError(f"{purpose} needs {package}: pip install {package}") from error
