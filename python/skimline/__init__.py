# SPDX-License-Identifier: BSD-3-Clause
"""Skims and histograms of collider data."""

from __future__ import annotations

from skimline._core import version as __version__
from skimline.errors import ConfigError, Error, EvaluationError, ExpressionError, FileError, SchemaError

__all__ = [
    "ConfigError",
    "Error",
    "EvaluationError",
    "ExpressionError",
    "FileError",
    "SchemaError",
    "__version__",
]
