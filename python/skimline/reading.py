# SPDX-License-Identifier: BSD-3-Clause
"""What is read of events at once: how many there are, and their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from skimline import _core
from skimline.checked_events import CheckedEvents
from skimline.composition import compose
from skimline.cutflow import Cutflow
from skimline.errors import ConfigError
from skimline.running import run_frame

__all__ = ["ReadableEvents"]


class ReadableEvents(CheckedEvents):
    """Events whose values can be read. Frames are such."""

    def cutflow(self, *, threads: int = 0) -> Cutflow:
        """Counts the events after each filter, in a run of its own: to count and fill in one pass, use `run`.

        >>> events = sk.open("dimuon.root:Events").filter("nMuon == 2", name="two muons")
        >>> [(step.name, step.events) for step in events.cutflow()]
        [('all events', 10000), ('two muons', 5234)]
        """
        return run_frame(self, threads=threads).cutflow

    def count(self, *, threads: int = 0) -> int:
        """Counts the events of all samples that pass the filters, in a run of its own."""
        flow = self.cutflow(threads=threads)
        return sum(flow.of(sample)[-1].events for sample in flow.samples)

    def arrays(
        self,
        columns: str | Sequence[str] | Mapping[str, str] | None = None,
        *,
        library: str = "ak",
        sample: str | None = None,
        threads: int = 0,
    ) -> Any:
        """Returns the values of columns or expressions for the events that pass the filters, in order.

        `columns` are names or expressions, a mapping from names to expressions, or all columns. `library`:

        - "ak": an awkward record array with a field for each, which shares its memory with the reader;
        - "np": a dictionary of numpy arrays, for columns with one value per event;
        - "pa": a pyarrow.Table;
        - "pd": a pandas.DataFrame, with lists as Arrow columns.

        Throws what `run` throws, and SchemaError for columns that the library cannot hold.

        >>> events = sk.open("dimuon.root:Events").filter("nMuon == 2")
        >>> arrays = events.arrays({"pt": "Muon_pt", "leading": "Max(Muon_pt)"})
        >>> len(arrays), arrays.fields
        (5234, ['pt', 'leading'])
        """
        outputs = self._outputs(columns)
        config, number, outputs = self._reading(sample, outputs)
        from skimline.arrays import read

        return read(config, outputs, sample=number, library=library, threads=threads)

    def iterate(
        self,
        columns: str | Sequence[str] | Mapping[str, str] | None = None,
        *,
        step: int | str = "100 MB",
        library: str = "ak",
        sample: str | None = None,
        threads: int = 0,
    ) -> Iterator[Any]:
        """Yields the same as `arrays`, in order, in parts of `step` events, or of bytes as "100 MB".

        Memory is that of a part, however long the files are.

        >>> events = sk.open("dimuon.root:Events")
        >>> [len(part) for part in events.iterate(["MET_pt"], step=4000)]
        [4000, 4000, 2000]
        """
        outputs = self._outputs(columns)
        config, number, outputs = self._reading(sample, outputs)
        from skimline.arrays import iterate

        return iterate(config, outputs, sample=number, step=step, library=library, threads=threads)

    def _outputs(self, columns: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
        if columns is None:
            return {_core.plain_name(name): name for name in self.columns}
        if isinstance(columns, Mapping):
            return {name: self._check(expression) for name, expression in columns.items()}
        listed = [columns] if isinstance(columns, str) or not isinstance(columns, Iterable) else columns
        return {_core.plain_name(text): text for text in map(self._check, listed)}

    def _reading(
        self, sample: str | None, outputs: Mapping[str, str]
    ) -> tuple[_core.Config, int, dict[str, str]]:
        names = self._samples.names
        if sample is None and len(names) > 1:
            raise ConfigError(f"say which sample is to be read: {', '.join(names)}")
        if sample is not None and sample not in names:
            raise ConfigError(f'there is no sample "{sample}"' + _core.did_you_mean(sample, names))
        composed = compose((), frames=(self,), expressions=outputs.values(), has_variations=False)
        number = names.index(sample) if sample is not None else 0
        return composed.core(), number, dict(zip(outputs, composed.expressions))
