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

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

try:
    from skimline._core import set_arrow_library as _set_arrow_library
except ImportError as error:
    from skimline.loaded_before import explained as _explained

    raise _explained(error) from None
from skimline._core import version as __version__
from skimline.axes import axis
from skimline.booking import BookedHistogram, BookedSkim
from skimline.composition import to_config
from skimline.cutflow import Cutflow, CutflowStep
from skimline.errors import (
    ConfigError,
    Error,
    EvaluationError,
    ExpressionError,
    FileError,
    InternalError,
    LostPartsError,
    SchemaError,
)
from skimline.frame import Frame
from skimline.histogram import Axis, Histogram
from skimline.numbers_of_events import BookedNumber, BookedValues
from skimline.opening import hist, open
from skimline.running import IncompleteWarning, Plan, RunResult, RunWarning, plan, run, run_config, validate

if TYPE_CHECKING:
    from skimline.configured import Booked, book
    from skimline.event_batches import Loader, loader
    from skimline.files import (
        convert,
        generate,
        inspect,
        read_histogram,
        read_histograms,
        show,
        verify,
    )
    from skimline.merging import merge
    from skimline.plotting import plot
    from skimline.writing import Writer, create, write

__all__ = [
    "Axis",
    "Booked",
    "BookedHistogram",
    "BookedNumber",
    "BookedSkim",
    "BookedValues",
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
    "Loader",
    "LostPartsError",
    "Plan",
    "RunResult",
    "RunWarning",
    "SchemaError",
    "Writer",
    "__version__",
    "axis",
    "book",
    "convert",
    "create",
    "generate",
    "hist",
    "inspect",
    "loader",
    "merge",
    "open",
    "plan",
    "plot",
    "read_histogram",
    "read_histograms",
    "run",
    "run_config",
    "show",
    "to_config",
    "validate",
    "verify",
    "write",
]

# Imported when they are used first: most scripts need none of them.
_MODULES = {
    "skimline.configured": ("Booked", "book"),
    "skimline.files": (
        "convert",
        "generate",
        "inspect",
        "read_histogram",
        "read_histograms",
        "show",
        "verify",
    ),
    "skimline.event_batches": ("Loader", "loader"),
    "skimline.merging": ("merge",),
    "skimline.plotting": ("plot",),
    "skimline.writing": ("Writer", "create", "write"),
}


if not TYPE_CHECKING:  # which would believe that there is a name for everything

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        for module, names in _MODULES.items():
            if name in names:
                return getattr(import_module(module), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _arrow(request: dict[str, Any], is_stopped: Callable[[], bool]) -> tuple[bool, str]:
    from skimline.arrow_files import answer

    return answer(request, is_stopped)


_set_arrow_library(_arrow)


def __dir__() -> list[str]:
    return sorted(__all__)
