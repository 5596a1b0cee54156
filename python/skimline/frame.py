# SPDX-License-Identifier: BSD-3-Clause
"""Events of files as a lazy frame: columns are defined, events filtered, results booked; nothing is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Callable, Union

from skimline import _core
from skimline.arguments import checked_text
from skimline.booking import BookedHistogram, BookedSkim, axis
from skimline.composition import compose, external_functions
from skimline.config import core_config
from skimline.cutflow import Cutflow
from skimline.display import frame_as_html, frame_as_text
from skimline.errors import ConfigError
from skimline.events import Events, Samples
from skimline.origins import CompiledFunction, PythonFunction
from skimline.running import run_frame
from skimline.steps import Define, Filter, Function, Origin, Step
from skimline.variations import Replacements, check_samples, checked_variation

__all__ = ["Frame", "Samples", "open"]

Files = Union[str, "PathLike[str]", Sequence[Union[str, "PathLike[str]"]]]


def open(
    files: Files | Mapping[str, Files | Mapping[str, Any]],
    *,
    sample: str = "events",
    defaults: Mapping[str, bool | int | float | str | Sequence[bool | int | float | str]] | None = None,
    on_bad_file: str | None = None,
    max_bad_fraction: float | None = None,
    allow_duplicates: bool | None = None,
    require_checksums: bool | None = None,
    checksum_folder: str | PathLike[str] | None = None,
    memory_limit: int | str | None = None,
    **described: Any,
) -> Frame:
    """Opens files of RNTuples or TTrees as one sequence of events.

    `files` is a path, a pattern, "path:name" with the name of the RNTuple or TTree, or a list of these: one
    sample. Its further keys in a config can be given: `metadata`, `cross_section_pb`, `sum_weights`,
    `lumi_mask`, `friends`. A mapping from names to files, or to objects as in the `samples` of a config, is
    several samples. `defaults`, `on_bad_file`, `max_bad_fraction`, `allow_duplicates`, `require_checksums`,
    `checksum_folder` and `memory_limit` are those of the config.

    Only metadata are read. Throws ConfigError for a pattern that matches nothing and other mistakes,
    FileError for a file that cannot be read or trusted, SchemaError for files that do not go together.

    >>> events = sk.open("dimuon.root:Events")
    >>> events.num_entries
    10000
    >>> sk.open({"data": "dimuon.root", "mc": {"files": ["dimuon.root"], "metadata": {"is_data": False}}})
    <Frame of 2 samples: data, mc; 20 000 events, 25 columns>
    """
    samples: dict[str, Any] = {}
    if isinstance(files, Mapping):
        if described:
            raise ConfigError(f"give {', '.join(described)} to each of the samples")
        for name, each in files.items():
            samples[name] = _described_sample(each)
    else:
        samples[sample] = {"files": _list_of(files), **described}
    config: dict[str, Any] = {"samples": samples}
    for key, value in (
        ("defaults", dict(defaults) if defaults else None),
        ("on_bad_file", on_bad_file),
        ("max_bad_fraction", max_bad_fraction),
        ("allow_duplicates", allow_duplicates),
        ("require_checksums", require_checksums),
        ("checksum_folder", fspath(checksum_folder) if checksum_folder is not None else None),
        ("memory_limit", memory_limit),
    ):
        if value is not None:
            config[key] = value
    return Frame(Samples(config), ())


def _described_sample(files: Files | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(files, Mapping):
        described = dict(files)
        if "files" in described:
            described["files"] = _list_of(described["files"])
        return described
    return {"files": _list_of(files)}


def _list_of(files: Files) -> list[str]:
    if isinstance(files, (str, PathLike)):
        return [fspath(files)]
    if not isinstance(files, Iterable):
        raise TypeError(f"files must be a path or several, not {files!r}")
    return [fspath(each) for each in files]


class Frame(Events):
    """Events, lazily: each method returns a new frame or books a result, and reads no event.

    Names and expressions are checked at once: ExpressionError and SchemaError are thrown where the mistake is.
    A frame never changes and may be used from several threads.
    """

    @property
    def num_entries(self) -> int:
        """Events of all samples before any filter."""
        return sum(columns.num_entries for columns in self._samples.columns)

    @property
    def columns(self) -> list[str]:
        """What expressions may name, as they write it: columns of the files, then definitions.

        Names with other characters than letters, digits, "_" and "." stand in back-quotes.
        """
        return list(self.types)

    @property
    def types(self) -> dict[str, str]:
        """The type of each of `columns`: "float", "list of std::int32_t"."""
        return {name: type_name for name, type_name, _ in self._described_columns()}

    @property
    def unsupported(self) -> dict[str, str]:
        """Fields of the files that expressions cannot use, and why."""
        return {name: reason for each in self._samples.columns for name, _, reason in each.unsupported}

    def function(
        self, signature: str, function: Any, *, form: str | None = None, types: str | None = None
    ) -> Frame:
        """Returns a frame whose expressions may call a function.

        Either an expression of its parameters, `function("central(pt, eta)", "pt > 30 && abs(eta) < 2.4")`,
        which is typed for each call, or a compiled function by its name: `function("smear", f)` with a
        cfunc of numba, a function of ctypes, or an address (an int, with `types="double(double, float)"`).

        A compiled function is called for each element (`form="element"`), or for whole arrays
        (`form="batch"`: `void f(int64_t count, const void* const* arguments, void* results)`, of any `types`);
        what `form` is shows in functions of numba. Flat arguments are repeated beside lists. It is called from
        many threads at once, without Python's lock, and for the events that pass the filters before it only.
        `skimline.functions` says which types it may have.

        >>> events = sk.open("dimuon.root:Events")
        >>> tight = events.function("is_tight(pt, eta)", "pt > 30 && abs(eta) < 2.1")
        >>> tight.define("tight", "is_tight(Muon_pt, Muon_eta)").types["tight"]
        'list of std::int32_t'
        """
        if isinstance(function, str):
            for columns in self._samples.columns:
                columns.check_function(*self._definitions(), signature, function, **self._external())
            return self._with(Function(signature, function))
        return self._with_origin(signature, CompiledFunction(signature, function, types, form))

    def define(
        self,
        name: str,
        expression: str | Callable[..., Any],
        *,
        columns: Sequence[str] = (),
        returns: str = "double",
    ) -> Frame:
        """Returns a frame with one more column: an expression, or a Python function of columns.

        A function is called for batches of a few thousand events that pass the filters before it, with one
        array for each of `columns`, names or expressions: numpy arrays of columns with one value per event,
        awkward arrays of lists. It returns an array with a value or list for each event, of the type
        `returns`: "double", "float", "int32", "list of float". It holds Python's lock, so that threads take turns: use it where an expression or a compiled function
        cannot do the work.

        Throws ExpressionError, and SchemaError for a name that a column has.

        >>> events = sk.open("dimuon.root:Events")
        >>> events.define("pt2", "Muon_pt * Muon_pt").types["pt2"]
        'list of float'
        >>> events.define("pt2", "Muon_ptt * 2")
        Traceback (most recent call last):
        skimline.errors.ExpressionError: unknown column "Muon_ptt" (did you mean "Muon_pt"?) in "Muon_ptt * 2" at character 1
        """
        checked_text(name, "the name of a definition")
        if callable(expression):
            return self._define_by_call(name, expression, columns, returns)
        if columns:
            raise ConfigError(f'the definition "{name}" is an expression: it names its columns itself')
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ConfigError(
                f'"{name}" cannot name a definition: use letters, digits and "_", and begin with no digit'
            )
        for opened in self._samples.columns:
            opened.check_name(*self._definitions(), name, **self._external())
        self._check(expression)
        return self._with(Define(name, expression))

    def filter(self, expression: str, name: str | None = None) -> Frame:
        """Returns a frame with the events for which a condition is true.

        `name` is shown in the cutflow, where it is unique; the expression itself unless given. Expressions
        behind it are computed for these events only: `Muon_pt[0]` is safe behind `nMuon > 0`.

        >>> events = sk.open("dimuon.root:Events")
        >>> events.filter("nMuon == 2", name="two muons").count()
        5234
        """
        checked_text(expression, "a condition")
        for columns in self._samples.columns:
            columns.check_condition(*self._definitions(), expression, **self._external())
        return self._with(Filter(name if name is not None else expression, expression))

    def vary(
        self,
        name: str,
        columns: Replacements,
        *,
        samples: str | Sequence[str] | None = None,
        allow_unchanged: bool = False,
    ) -> Frame:
        """Returns a frame with a systematic variation: all that is booked on it is made once more for it.

        `columns` has, by columns or definitions, the expressions that replace them: one for each direction, which
        make the variations `name_up` and `name_down`, or one alone, which makes the variation `name`. Columns that
        vary together stand in one call, with the same directions. A weight is varied as any other definition.

        Definitions follow, whether made before or after; replacements see nominal values only, and variations are
        never combined. Filters follow too, so that they come after: `vary` comes before `filter`, and what is run
        together has the same variations. `samples` are patterns of the samples that have it, all unless given.

        After a run `histogram.variations["pt_scale_up"]` is that of one, and `result.cutflow.variations` says what
        passes. A variation in which nothing of a run changes is an error unless `allow_unchanged`.

        Throws ExpressionError for a replacement of another shape, and for a definition that cannot follow.

        >>> events = sk.open("dimuon.root:Events")
        >>> varied = events.vary("pt_scale", {"Muon_pt": {"up": "Muon_pt * 1.03", "down": "Muon_pt * 0.97"}})
        >>> varied.variations
        ['pt_scale_up', 'pt_scale_down']
        >>> hard = varied.filter("Any(Muon_pt > 30)", name="hard").hist("Muon_eta", bins=10, range=(-2.4, 2.4))
        >>> sk.run(hard).cutflow.variations["pt_scale_up"]["hard"].events
        2561
        >>> hard.result.entries, hard.variations["pt_scale_up"].entries
        (4981, 5082)
        """
        if self.filters:
            raise ConfigError(
                f'the variation "{name}" comes after the filter "{self.filters[0].name}", which would follow it: '
                "call vary() before filter()"
            )
        step = checked_variation(name, columns, samples, allow_unchanged)
        check_samples(step, self._samples.names)
        taken = [each for each in step.replacements if each in self.variations]
        if taken or any(each.name == name for each in self._varied()):
            raise ConfigError(f'two variations are called "{taken[0] if taken else name}"')
        for sample, opened in zip(self._samples.names, self._samples.columns):
            if not self._samples.may_vary(sample) or not step.is_for(sample):
                continue
            for each, replaced in step.replacements.items():
                opened.check_variation(*self._definitions(), each, list(replaced.items()), **self._external())
        return self._with(step)

    def hist(
        self,
        *values: str | Mapping[str, Any],
        name: str | None = None,
        weight: str | None = None,
        weight_variations: Mapping[str, str] | None = None,
        profile: str | Mapping[str, str] | None = None,
        title: str | None = None,
        type: str | None = None,
        nan: str | None = None,
        bad_weight: str | None = None,
        **binning: Any,
    ) -> BookedHistogram:
        """Books a histogram of these events, to be filled by `skimline.run`.

        One expression with the bins as keywords (see `skimline.axis`), or one `skimline.axis` for each
        dimension. Lists are filled element by element. `weight` is an expression; `profile` one whose mean is
        taken in each bin; `weight_variations` gives further histograms of the same fills by name. The other
        keywords are those of histograms in a config. `name` is the value unless given.

        >>> events = sk.open("dimuon.root:Events")
        >>> pt = events.hist("Muon_pt", bins=50, range=(0, 100), unit="GeV", weight="genWeight")
        >>> sk.run(pt).is_complete
        True
        >>> pt.values().shape
        (50,)
        >>> plane = events.hist(
        ...     sk.axis("Muon_eta", bins=24, range=(-2.4, 2.4)), sk.axis("Muon_charge", categories=[-1, 1])
        ... )
        >>> plane
        <histogram 'Muon_eta_Muon_charge', not filled yet>
        """
        described = _described_axes(values, binning)
        expressions = [each["value"] for each in described["axes"]]
        if profile is not None:
            described["profile"] = {"value": profile} if isinstance(profile, str) else dict(profile)
            expressions.append(described["profile"]["value"])
        for key, value in (("weight", weight), ("title", title), ("type", type)):
            if value is not None:
                described[key] = value
        if weight_variations:
            described["weight_variations"] = dict(weight_variations)
        for key, value in (("nan", nan), ("bad_weight", bad_weight)):
            if value is not None:
                described[key] = value
        expressions += [weight] if weight is not None else []
        expressions += list((weight_variations or {}).values())
        for expression in expressions:
            self._check(expression)
        return BookedHistogram(self, name or _plain_name(described["axes"]), _as_in_config(described))

    def skim(
        self,
        file: str | PathLike[str],
        *,
        keep: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        name: str | None = None,
        **described: Any,
    ) -> BookedSkim:
        """Books a file with these events, to be written by `skimline.run`.

        `file` may end with ":name", the name of the RNTuple or TTree, `Events` unless given. With several
        samples it must hold `{sample}`: each has a file. `keep` and `drop` are patterns of columns and
        definitions; all columns of the files are kept unless `keep` is given. Further keywords are those of
        skims in a config: `format`, `compression`, `cluster_size`, `page_size`, `columns_in_common`. `name` is that of the skim, by
        which the config and the report call it; the stem of the file unless given.

        >>> events = sk.open("dimuon.root:Events")
        >>> events.filter("nMuon == 2").skim("pairs.root", keep=["Muon_*"], compression="zstd:7")
        <skim 'pairs' to 'pairs.root'>
        """
        path, ntuple = _split_location(fspath(file))
        values: dict[str, Any] = {"file": path}
        if ntuple:
            values["name"] = ntuple
        if keep is not None:
            values["keep"] = [keep] if isinstance(keep, str) else list(keep)
        if drop is not None:
            values["drop"] = [drop] if isinstance(drop, str) else list(drop)
        values.update(described)
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", path.rpartition("/")[2].partition(".")[0]).strip("_")
        return BookedSkim(self, name or stem or "skim", values)

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
        config, number = self._reading(sample, outputs.values())
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
        config, number = self._reading(sample, outputs.values())
        from skimline.arrays import iterate

        return iterate(config, outputs, sample=number, step=step, library=library, threads=threads)

    def to_config(self) -> dict[str, Any]:
        """Returns the config that counts the events after each filter: samples, definitions, filters.

        >>> sk.open("dimuon.root:Events").filter("nMuon == 2", name="two muons").to_config()["select"]
        [{'name': 'two muons', 'where': 'nMuon == 2'}]
        """
        external = external_functions([self])
        if external:
            raise ConfigError(
                "no config can hold functions that are compiled or written in Python: " + ", ".join(external)
            )
        return compose((), frames=(self,), expressions=self.columns)

    def __repr__(self) -> str:
        names = self._samples.names
        which = f"{len(names)} samples: {', '.join(names)}; " if len(names) > 1 else ""
        filters = f", {len(self.filters)} filters" if self.filters else ""
        entries = f"{self.num_entries:,}".replace(",", " ")
        return f"<Frame of {which}{entries} events, {len(self.columns)} columns{filters}>"

    def __str__(self) -> str:
        return frame_as_text(self, self._described_columns())

    def _repr_html_(self) -> str:
        return frame_as_html(self, self._described_columns())

    def _described_columns(self) -> list[tuple[str, str, str]]:
        """Name, type and description of columns that all samples have, and of definitions."""
        first, *others = self._samples.columns
        common = [{name for name, _, _ in each.columns} for each in others]
        columns = [column for column in first.columns if all(column[0] in names for names in common)]
        return columns + list(first.definitions(*self._definitions(), **self._external()))

    def _definitions(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Functions and definitions so far, as pairs."""
        functions = [
            (step.signature, step.body)
            for step in self._steps
            if isinstance(step, Function) and step.compiled is None
        ]
        return functions, [(step.name, step.expression) for step in self._steps if isinstance(step, Define)]

    def _external(self) -> dict[str, Any]:
        """Compiled functions, as a keyword of those who check expressions."""
        return {"external": list(external_functions([self]).values())}

    def _check(self, expression: str) -> None:
        checked_text(expression, "an expression")
        for columns in self._samples.columns:
            columns.type_of(*self._definitions(), expression, **self._external())

    def _with(self, step: Step) -> Frame:
        return Frame(self._samples, (*self._steps, step))

    def _with_origin(self, name: str, origin: Origin) -> Frame:
        made = self._with(Function(name, origin=origin))
        made._check("true")  # the name may be taken
        return made

    def _define_by_call(
        self, name: str, function: Callable[..., Any], columns: Iterable[str], returns: str
    ) -> Frame:
        arguments = [columns] if isinstance(columns, str) else list(columns)
        if not arguments:
            raise ConfigError(
                f'the definition "{name}" is a function: say what it is called with, columns=[...]'
            )
        called = f"{name}_of"
        made = self._with_origin(called, PythonFunction(called, function, len(arguments), returns))
        return made.define(name, f"{called}({', '.join(arguments)})")

    def _outputs(self, columns: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
        if columns is None:
            return {_core.plain_name(name): name for name in self.columns}
        if isinstance(columns, Mapping):
            outputs = dict(columns)
        else:
            listed = [columns] if isinstance(columns, str) else columns
            outputs = {_core.plain_name(each): each for each in listed}
        for expression in outputs.values():
            self._check(expression)
        return outputs

    def _reading(self, sample: str | None, expressions: Iterable[str]) -> tuple[_core.Config, int]:
        names = self._samples.names
        if sample is None and len(names) > 1:
            raise ConfigError(f"say which sample is to be read: {', '.join(names)}")
        if sample is not None and sample not in names:
            raise ConfigError(f'there is no sample "{sample}"' + _core.did_you_mean(sample, names))
        described = compose((), frames=(self,), expressions=expressions, has_variations=False)
        config = core_config(described, external_functions([self]))
        return config, names.index(sample) if sample is not None else 0


def _described_axes(values: Sequence[str | Mapping[str, Any]], binning: dict[str, Any]) -> dict[str, Any]:
    if not values:
        raise ConfigError(
            "say what is to be filled: an expression with its bins, or skimline.axis for each axis"
        )
    if len(values) == 1 and isinstance(values[0], str):
        try:
            return {"axes": [axis(values[0], **binning)]}
        except TypeError as error:
            raise ConfigError(str(error).replace("axis()", "hist()")) from None
    if binning:
        raise ConfigError(f"give {', '.join(binning)} to each skimline.axis")
    texts = [each for each in values if isinstance(each, str)]
    if texts:
        raise ConfigError(f'the bins of "{texts[0]}" are missing: use skimline.axis("{texts[0]}", ...)')
    return {"axes": [dict(each) for each in values if not isinstance(each, str)]}


def _as_in_config(described: dict[str, Any]) -> dict[str, Any]:
    """Up to three axes are called x, y and z."""
    axes = described.pop("axes")
    if len(axes) > 3:
        return {"axes": axes, **described}
    return {**dict(zip("xyz", axes)), **described}


def _plain_name(axes: Sequence[Mapping[str, Any]]) -> str:
    """The values, in letters that names may have."""
    text = "_".join(str(each["value"]) for each in axes)
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("_") or "histogram"


def _split_location(location: str) -> tuple[str, str]:
    """Path and name of "path.root:name"."""
    head, colon, tail = location.rpartition(":")
    return (head, tail) if colon and head and "/" not in tail[:1] else (location, "")
