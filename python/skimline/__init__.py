# SPDX-License-Identifier: BSD-3-Clause
"""Skims and histograms of collider data: ROOT files in, histograms and skims out, in one pass, without ROOT.

>>> events = sk.open("dimuon.root:Events")
>>> pairs = events.filter("nMuon == 2", name="two muons")
>>> met = pairs.hist("MET_pt", bins=50, range=(0, 200))
>>> result = sk.run(met, pairs.skim("pairs.root"))
>>> met.values().sum(), result.files
(np.float64(5234.0), ['pairs.root'])
"""

from __future__ import annotations

from skimline._core import version as __version__
from skimline.booking import BookedHistogram, BookedSkim, axis
from skimline.composition import to_config
from skimline.cutflow import Cutflow, CutflowStep
from skimline.errors import (
    ConfigError,
    Error,
    EvaluationError,
    ExpressionError,
    FileError,
    InternalError,
    SchemaError,
)
from skimline.frame import Frame, open
from skimline.histogram import Axis, Histogram
from skimline.running import IncompleteWarning, RunResult, RunWarning, run, run_config

__all__ = [
    "Axis",
    "BookedHistogram",
    "BookedSkim",
    "ConfigError",
    "Cutflow",
    "CutflowStep",
    "Error",
    "EvaluationError",
    "ExpressionError",
    "FileError",
    "Frame",
    "Histogram",
    "IncompleteWarning",
    "InternalError",
    "RunResult",
    "RunWarning",
    "SchemaError",
    "__version__",
    "axis",
    "open",
    "run",
    "run_config",
    "to_config",
]
