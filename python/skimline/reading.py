# SPDX-License-Identifier: BSD-3-Clause
"""What is read of events at once: how many there are, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Callable, Literal, Union, overload

from skimline import _core
from skimline.argument_types import checked, shown
from skimline.arguments import checked_entry, checked_text
from skimline.checked_events import CheckedEvents
from skimline.columns import Column
from skimline.composition import compose
from skimline.cutflow import Cutflow
from skimline.display import Table
from skimline.errors import ArgumentError, ConfigError, ExpressionError, RunWarning, warn
from skimline.events import Events
from skimline.hints import first_few
from skimline.progress import Bar, Listener, Progress, listener_of, listening
from skimline.running import run_frame
from skimline.steps import Filter, Replace, Step, Vary, matches

if TYPE_CHECKING:
    from skimline.chosen_entries import ChosenEntries

__all__ = ["ReadableEvents"]

_NO_END = 2**64 - 1
_MOST_EVENTS = 2**63 - 1

Columns = Union[str, Column, Sequence[Union[str, Column]], Mapping[str, Union[str, Column]], None]
"""What is read: names, patterns or expressions; None is all columns."""


class ReadableEvents(CheckedEvents):
    """Events whose values can be read. Frames are such."""

    @checked
    def cutflow(self, *, threads: int = 0) -> Cutflow:
        """Counts the events after each filter, in a run of its own: to count and fill in one pass, use `run`.

        >>> events = sk.open("dimuon.root:Events").filter("nMuon == 2", name="two muons")
        >>> [(step.name, step.events) for step in events.cutflow()]
        [('all events', 10000), ('two muons', 5234)]
        """
        return run_frame(self, threads=threads).cutflow

    @checked
    def count(self, *, threads: int = 0) -> int:
        """Counts the events of all samples that pass the filters, in a run of its own."""
        flow = self.cutflow(threads=threads)
        return sum(flow.of(sample)[-1].events for sample in flow.samples)

    def __len__(self) -> int:
        """The number of events that pass the filters, of all samples; without filters, masks and lists it reads no event."""
        are_chosen = bool(self.filters) or self._samples.are_chosen
        return self.count() if are_chosen else sum(each.num_entries for each in self._samples.columns)

    def __bool__(self) -> bool:
        return True  # whether there are events is not looked up unasked

    @overload
    def arrays(
        self,
        columns: Columns = None,
        *,
        library: Literal["np"],
        sample: str | None = None,
        variation: str | None = None,
        entry_start: int = 0,
        entry_stop: int | None = None,
        entries: Sequence[int] | Any = None,
        threads: int = 0,
        progress: Progress = False,
    ) -> dict[str, Any]: ...
    @overload
    def arrays(
        self,
        columns: Columns = None,
        *,
        library: str = "ak",
        sample: str | None = None,
        variation: str | None = None,
        entry_start: int = 0,
        entry_stop: int | None = None,
        entries: Sequence[int] | Any = None,
        threads: int = 0,
        progress: Progress = False,
    ) -> Any: ...
    @checked
    def arrays(
        self,
        columns: Columns = None,
        *,
        library: str = "ak",
        sample: str | None = None,
        variation: str | None = None,
        entry_start: int = 0,
        entry_stop: int | None = None,
        entries: Sequence[int] | Any = None,
        threads: int = 0,
        progress: Progress = False,
    ) -> Any:
        """Returns the values of columns or expressions for the events that pass the filters, in order.

        `columns` are names, patterns ("Muon_*") or expressions, a mapping from names to expressions, or all
        columns. `library`:

        - "ak": an awkward record array with a field for each, which shares its memory with the reader;
        - "np": a dictionary of numpy arrays, for columns with one value per event, and with lists of one length;
        - "pa": a pyarrow.Table;
        - "pd": a pandas.DataFrame, with lists as Arrow columns;
        - "pl": a polars.DataFrame.

        `sample` is one of several, or a pattern: those of "*" follow one another. `variation` is one of
        `variations`; values are nominal without, and of samples that do not have it. `entry_start` and `entry_stop` leave a part of the entries of each sample,
        before any filter. `entries` are the numbers of those of one sample that alone are read, which come in the order
        in which they are asked for, those that pass the filters: little more is read and decoded than the pages that hold
        them. `progress` is as that of `run`; functions are told `sample`, `events` and `all_events`.

        Throws what `run` throws, ConfigError for entries that do not exist, and SchemaError for columns that the library cannot hold.

        >>> events = sk.open("dimuon.root:Events").filter("nMuon == 2")
        >>> arrays = events.arrays({"pt": "Muon_pt", "leading": "Max(Muon_pt)"})
        >>> len(arrays), arrays.fields
        (5234, ['pt', 'leading'])
        >>> events.arrays("Muon_c*", entry_stop=100).fields
        ['Muon_charge']
        >>> events.arrays("entry_", library="np", entries=[4, 2, 3])  # the one of entry 2 does not pass
        {'entry_': array([4, 3], dtype=uint64)}
        """
        from skimline import arrays

        columns = _listed(columns)
        if len(chosen := self._chosen(sample)) > 1:
            self._check_one_type(self._outputs(columns), chosen)
        asked = None if entries is None else self._chosen_entries(entries, sample, entry_start, entry_stop)
        numbers = asked.numbers if asked else None
        reading = self._reading(columns, sample, variation, (entry_start, entry_stop), chosen_entries=numbers)
        with listening(progress) as listener:
            made = [
                arrays.read(
                    config,
                    outputs,
                    sample=number,
                    library=library,
                    threads=threads,
                    progress=self._told(listener, number),
                    entries=asked,
                )
                for config, number, outputs in reading
            ]
        return made[0] if len(made) == 1 else arrays.joined(made, library)

    @checked
    def iterate(
        self,
        columns: Columns = None,
        *,
        step: int | str | None = None,
        step_size: int | str = "100 MB",
        library: str = "ak",
        sample: str | None = None,
        variation: str | None = None,
        entry_start: int = 0,
        entry_stop: int | None = None,
        threads: int = 0,
        progress: Progress = False,
    ) -> Iterator[Any]:
        """Yields the same as `arrays`, in order, in parts of `step` events, or of bytes as "100 MB".

        Memory is that of a part, however long the files are. `step_size` is another name of `step`, as uproot has it;
        all else is as for `arrays`.

        >>> events = sk.open("dimuon.root:Events")
        >>> [len(part) for part in events.iterate(["MET_pt"], step=4000)]
        [4000, 4000, 2000]
        """
        from skimline import arrays

        size = step if step is not None else step_size
        listener = listener_of(progress)
        parts = [
            arrays.iterate(
                config,
                outputs,
                sample=number,
                step=size,
                library=library,
                threads=threads,
                progress=self._told(listener, number),
            )
            for config, number, outputs in self._reading(
                columns, sample, variation, (entry_start, entry_stop)
            )
        ]
        if isinstance(listener, Bar):
            return _parts_shown(parts, listener)
        return parts[0] if len(parts) == 1 else chain.from_iterable(parts)

    def _told(self, listener: Listener | None, number: int) -> Callable[[int, int], None] | None:
        """What passes on how much of a sample is read."""
        if listener is None:
            return None
        sample = self._samples.names[number]
        return lambda done, every: listener({"sample": sample, "events": done, "all_events": every})

    @checked
    def dask_awkward(
        self,
        columns: Columns = None,
        *,
        step: int = 1,
        sample: str | None = None,
        variation: str | None = None,
        threads: int = 1,
    ) -> Any:
        """Returns the same as `arrays`, lazily: a dask_awkward.Array, of which workers read the columns that are needed.

        A partition is one cluster of a file, or as many as have `step` entries together; each is read by `threads`.
        The files are opened where partitions are read, and must be those of the frame. Needs dask-awkward.

        >>> lazy = sk.open("dimuon.root:Events").filter("nMuon == 2").dask_awkward()
        >>> len(lazy.MET_pt.compute())
        5234
        """
        from skimline.dask_arrays import lazy_arrays

        numbers, outputs = self._chosen(sample), self._outputs(columns)
        if len(numbers) > 1:
            self._check_one_type(outputs, numbers)
        chosen = [self._samples.names[number] for number in numbers]
        options = {"variation": variation, "threads": threads}
        return lazy_arrays(self, outputs, chosen, step, options)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """All columns in parts, as Arrow's stream: `pyarrow.table(frame)`, `polars.DataFrame(frame)`, and "from frame" in duckdb."""
        from skimline import arrays

        empty = self.arrays(library="pa", entry_stop=0)
        return arrays.stream(empty.schema, self.iterate(library="pa")).__arrow_c_stream__(requested_schema)

    @checked
    def head(self, events: int = 5, columns: Columns = None, *, sample: str | None = None) -> Table:
        """Returns the first events that pass as a table to be shown, of the first eight columns unless some are named.

        >>> print(sk.open("dimuon.root:Events").head(2, ["nMuon", "MET_pt", "Muon_charge"]))
        nMuon   MET_pt  Muon_charge
            2  20.5469  [-1, 1]
            2  17.6094  [-1, 1]
        """
        if events < 1:
            raise ConfigError(f"head(): {events} is no number of events to be shown")
        outputs = self._outputs(columns)
        chosen = list(outputs)[: None if columns is not None else 8]
        named = {name: outputs[name] for name in chosen}
        parts = self.iterate(named, step=events, sample=sample or self._samples.names[0], threads=1)
        rows = islice((row for part in parts for row in part.to_list()), min(events, _MOST_EVENTS))
        values = [[_shown(row[name]) for name in chosen] for row in rows]
        right = [number for number in range(len(chosen)) if values and not values[0][number].startswith("[")]
        return Table(chosen, values, right)

    @checked
    def describe(self, columns: Columns = None, *, sample: str | None = None, threads: int = 0) -> Table:
        """Returns a table with number, mean, standard deviation, least and greatest of all values of columns of numbers.

        Elements of lists count one by one. It reads the columns once, all unless some are named.

        >>> print(sk.open("dimuon.root:Events").describe(["nMuon", "MET_pt"]))
        column  values  mean    std       min     max
        nMuon    10000  1.75  0.782         0       5
        MET_pt   10000  15.6   10.1  0.189941  80.375
        """
        from skimline.summary import summary

        types = self.types
        named = {
            name: text if columns is None else self._check_numbers(text, "describe")
            for name, text in self._outputs(columns).items()
            if columns is not None or not any(kind in types[text] for kind in ("string", "bool", "Lorentz"))
        }
        parts = self.iterate(named, library="flat", sample=sample, threads=threads)
        return Table(["column", "values", "mean", "std", "min", "max"], summary(named, parts), range(1, 6))

    def _outputs(self, columns: Columns) -> dict[str, str]:
        if columns is None:
            return {_core.plain_name(name): name for name in self.columns}
        if isinstance(columns, Mapping):
            return {
                checked_text(name, "the name of what is read"): self._check(expression)
                for name, expression in columns.items()
            }
        listed = [columns] if isinstance(columns, (str, bytes, Column)) else columns
        if not isinstance(listed, Iterable):
            raise ArgumentError(f"columns must be names or expressions, not {shown(columns)}")
        names: list[str] = []
        for each in listed:
            names += self._matching(each) or [self._checked_column(each)]
        return {_core.plain_name(text): text for text in names}

    def _checked_column(self, expression: Any) -> str:
        try:
            return self._check(expression)
        except ExpressionError:
            if not _may_be_pattern(expression):
                raise
            known = [_core.plain_name(name) for name in self.columns]
            raise ConfigError(
                f'no column matches "{expression}"' + _core.did_you_mean(expression, known)
            ) from None

    @property
    def unsupported(self) -> dict[str, str]:
        """Fields of the files that expressions cannot use, and why."""
        return {name: reason for each in self._samples.columns for name, _, reason in each.unsupported}

    def _matching(self, pattern: Any) -> list[str]:
        """The columns that a pattern is for; none if it is an expression."""
        if not _may_be_pattern(pattern):
            return []
        found = [name for name in self.columns if matches(_core.plain_name(name), pattern)]
        if found:
            self._warn_of_left_out(pattern, {_core.plain_name(name).replace(".", "_") for name in found})
        return found

    def _warn_of_left_out(self, pattern: str, found: set[str]) -> None:
        left_out = [
            f'"{name}" ({reason})'
            for name, reason in self.unsupported.items()
            if matches(name, pattern) and name.replace(".", "_") not in found
        ]
        if left_out:
            warn(f'"{pattern}" leaves out {first_few(left_out)}', RunWarning)

    def _reading(
        self,
        columns: Columns,
        sample: str | None,
        variation: str | None,
        between: tuple[int, int | None],
        **options: Any,
    ) -> list[tuple[_core.Config, int, dict[str, str]]]:
        """For each sample that is read its config, made with the options, number and outputs."""
        chosen = self._chosen(sample)
        outputs = self._outputs(columns)
        frame = self._of_variation(variation)
        composed = compose((), frames=(frame,), expressions=outputs.values(), has_variations=False)
        config = composed.core(entries=_part_of(*between), **options)
        texts = dict(zip(outputs, composed.expressions))
        return [(config, number, texts) for number in chosen]

    def _chosen_entries(
        self, entries: Any, sample: str | None, entry_start: int, entry_stop: int | None
    ) -> ChosenEntries:
        """Those that are asked for by number; throws ConfigError where that is not clear."""
        from skimline.chosen_entries import ChosenEntries

        if (entry_start, entry_stop) != (0, None):
            raise ConfigError("entries are asked for by their numbers, or between two of them, not both")
        if len(self._chosen(sample)) > 1:
            raise ConfigError(f'entries are those of one sample, not of all that match "{sample}"')
        return ChosenEntries(entries)

    def _chosen(self, sample: str | None) -> list[int]:
        """The numbers of the samples that a name or pattern is for."""
        names = self._samples.names
        if sample is None and len(names) > 1:
            raise ConfigError(f'say which sample is to be read, or "*" for all: {first_few(names)}')
        chosen = [number for number, name in enumerate(names) if sample is None or matches(name, sample)]
        if not chosen:
            raise ConfigError(f'there is no sample "{sample}"' + _core.did_you_mean(sample or "", names))
        return chosen

    def _of_variation(self, variation: str | None) -> Events:
        """The same events in a variation."""
        if variation is None:
            return self
        if variation not in self.variations:
            raise ConfigError(
                f'there is no variation "{variation}"' + _core.did_you_mean(variation, self.variations)
            )
        steps: list[Step] = []
        varies = False
        for step in self._steps:
            if isinstance(step, Vary):
                varies = True
                if variation in step.replacements:
                    steps.append(self._replacing(step, variation))
            elif isinstance(step, Filter) and varies:
                # Another step: the same one would be that of the varied frame in what is run together.
                steps.append(step.in_variation(variation))
            else:
                steps.append(step)
        return Events(self._samples, tuple(steps))

    def _replacing(self, step: Vary, variation: str) -> Replace:
        """What a variation does, in the samples that have it."""
        samples = self._samples
        lacking = [name for name in samples.names if not (samples.may_vary(name) and step.is_for(name))]
        return Replace(step.replacements[variation], lacking, samples.data())


def _listed(columns: Any) -> Any:
    """What is read once only, for those who read it again."""
    return list(columns) if isinstance(columns, Iterator) else columns


def _may_be_pattern(text: Any) -> bool:
    return isinstance(text, str) and bool(re.fullmatch(r"[\w.:*?]*[*?][\w.:*?]*", text))


def _parts_shown(parts: list[Iterator[Any]], bar: Bar) -> Iterator[Any]:
    """All parts, and how many there are."""
    try:
        for each in parts:
            yield from each
    finally:
        bar.close()


def _part_of(start: int, stop: int | None) -> tuple[int, int] | None:
    """The entries from one number to another, None for all; throws ConfigError for what are no numbers."""
    first, last = checked_entry(start), None if stop is None else checked_entry(stop)
    return None if (first, last) == (0, None) else (first, last if last is not None else _NO_END)


def _shown(value: Any) -> str:
    """A value in a table."""
    if isinstance(value, list):
        return "[" + ", ".join(_shown(each) for each in value[:4]) + (", ...]" if len(value) > 4 else "]")
    if isinstance(value, dict):
        return "(" + ", ".join(f"{name}={_shown(each)}" for name, each in value.items()) + ")"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
