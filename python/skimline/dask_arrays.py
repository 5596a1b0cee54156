# SPDX-License-Identifier: BSD-3-Clause
"""Frames as collections of dask-awkward."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from skimline.arguments import checked_whole
from skimline.arrays import check_exact, numbers_of_awkward
from skimline.errors import ConfigError
from skimline.optional import require

if TYPE_CHECKING:
    from skimline.events import Samples

__all__ = ["lazy_arrays"]

_dak = require("dask_awkward", "dask_awkward()")
_Projection = importlib.import_module("dask_awkward.lib.io.columnar").ColumnProjectionMixin
_unprojected = importlib.import_module("dask_awkward.lib.unproject_layout").unproject_layout

Part = tuple[str, int, int]
"""A sample, its first entry and the one behind the last."""


def lazy_arrays(
    frame: Any,
    outputs: Mapping[str, str],
    chosen: list[str],
    step: int,
    options: Mapping[str, Any],
) -> Any:
    """Returns a dask_awkward.Array of the outputs of the chosen samples of a Frame, with a partition for each part.

    `options` are further keywords of `Frame.arrays`.
    """
    entries = checked_whole(step, "step")
    if entries < 1:
        raise ConfigError(f"step: {entries} is no number of entries, which is 1 or more")
    parts = list(_parts(frame.samples, chosen, entries))
    ak: Any = importlib.import_module("awkward")
    of_samples = [frame.arrays(outputs, sample=each, entry_stop=0, **options) for each in chosen]
    nothing = ak.concatenate(of_samples) if len(of_samples) > 1 else of_samples[0]
    reader = _Reader(frame, outputs, options, nothing)
    return _dak.from_map(reader, parts, label="skimline", divisions=_divisions(frame, parts))


def _parts(samples: Samples, chosen: list[str], step: int) -> Iterator[Part]:
    """Whole clusters, as many as are needed for `step` entries."""
    for name, opened in zip(samples.names, samples.columns):
        if name in chosen:
            starts = opened.clusters or [0]
            first = starts[0]
            for start in starts[1:]:
                if start - first >= step:
                    yield name, first, start
                    first = start
            yield name, first, starts[0] + opened.num_entries


def _divisions(frame: Any, parts: list[Part]) -> tuple[int, ...] | None:
    """Where the partitions begin, if that is known before events are read."""
    samples = frame.samples
    if frame.filters or samples.are_chosen or "samples_from" in samples.described:
        return None
    starts = [0]
    for _, first, stop in parts:
        starts.append(starts[-1] + stop - first)
    return tuple(starts)


class _Reader(_Projection):  # type: ignore[misc, valid-type]
    """Reads a partition: only those fields that are needed of it, where dask-awkward has found out which."""

    use_optimization = True
    behavior = attrs = None

    def __init__(
        self,
        frame: Any,
        outputs: Mapping[str, str],
        options: Mapping[str, Any],
        nothing: Any,
        needed: frozenset[str] | None = None,
    ) -> None:
        self._frame = frame
        self._outputs = outputs
        self._options = options
        self._nothing = nothing
        self.form = nothing.layout.form
        self._needed = needed

    def project_columns(self, columns: frozenset[str]) -> _Reader:
        """The same with less to read: "Muon_pt" or, of a field that is a record, "p4.pt"."""
        needed = {name for name in self._outputs for path in columns if f"{path}.".startswith(f"{name}.")}
        return _Reader(self._frame, self._outputs, self._options, self._nothing, frozenset(needed))

    def __call__(self, part: Part) -> Any:
        sample, first, stop = part
        names = [name for name in self._outputs if self._needed is None or name in self._needed]
        # Of nothing but the number of events something is read, too.
        chosen = {name: self._outputs[name] for name in names or list(self._outputs)[:1]}
        events = self._frame.arrays(
            chosen, sample=sample, entry_start=first, entry_stop=stop, **self._options
        )
        for name in chosen:  # which dask-awkward puts together with those of other samples
            check_exact(name, [numbers_of_awkward(each, name) for each in (events, self._nothing)])
        ak: Any = importlib.import_module("awkward")
        return ak.Array(_unprojected(self.form, events.layout))
