# SPDX-License-Identifier: BSD-3-Clause
"""From what is booked on frames to one config.

Frames may mean different things by one name. In the config each meaning has a name of its own: the first one
keeps its name, others get a number behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from skimline import _core
from skimline.argument_types import checked, shown
from skimline.branches import Branches, ShownFilters
from skimline.config import ConfigSource, core_config, plain_config
from skimline.errors import ArgumentError, ConfigError, FileError
from skimline.events import Events, Request, Samples, scope_of
from skimline.kept_columns import is_kept, keeps_weight, kept_columns
from skimline.needed_meanings import needed_meanings, takes_weights
from skimline.origins import PythonFunction
from skimline.own_words import in_own_words
from skimline.rewriting import mentioned, quoted, rewritten
from skimline.scope import (
    EVENT_WEIGHT,
    Meaning,
    Scope,
    factors_among,
    free_name,
    new_names,
    plain_name,
)
from skimline.steps import Filter, Step, Vary, matches_column
from skimline.sum_weights import with_sum_weights

__all__ = ["Composed", "booked_frames", "common_samples", "compose", "to_config"]


class Composed(NamedTuple):
    """A config, and what it does not say itself."""

    config: dict[str, Any]
    external: list[Any]
    """Functions that no config can hold."""
    described: list[str]
    """What these are, for messages."""
    shown: ShownFilters
    """What cutflows call its filters."""
    expressions: tuple[str, ...]
    """Those that were given, in the names of the config."""
    names: dict[Request, str]
    """What bookings are called in the config."""
    samples: Samples
    """What is read."""
    contents: dict[str, str]
    """By name what its corrections and models were when the frames were made."""

    def core(self, *, entries: tuple[int, int] | None = None, **options: Any) -> _core.Config:
        """The config for the engine, of a part of the entries if some are given."""
        chosen = _common_part(self.samples.entries, entries)
        known = self.samples.known_files
        with in_own_words():
            made = core_config(
                self.config, self.external, is_plain=True, entries=chosen, known_files=known, **options
            )
        self.samples.check_choices(made)
        if self.contents:
            self._check_files(made)
        return made

    def _check_files(self, made: _core.Config) -> None:
        """Throws FileError for files of corrections and models that are others than when the frames were made."""
        now = {each.name: each.content for each in (*made.corrections, *made.models)}
        for section in ("corrections", "models"):
            for name, each in self.config.get(section, {}).items():
                if now[name] == self.contents[name]:
                    continue
                error = FileError(f"{each['file']}: has changed since the frame was made: make it again")
                error.path, error.fault = each["file"], "changed"
                raise error

    def source(self, **options: Any) -> ConfigSource:
        """The config for other processes; throws ConfigError for functions that they have not."""
        try:
            config = self.alone()
        except ConfigError as error:
            raise ConfigError(f"an executor computes what a config says, and {error}") from None
        return ConfigSource.made_here(config, **options)

    def alone(self) -> dict[str, Any]:
        """The config, if it needs nothing else; else throws ConfigError."""
        if self.external:
            raise ConfigError(
                "no config can hold functions that are compiled or written in Python: "
                + ", ".join(self.described)
            )
        if self.samples.entries:
            first, stop = self.samples.entries
            raise ConfigError(f"no config can hold the entries from {first} to {stop} alone")
        return plain_config(self.config)


def _common_part(whole: tuple[int, int] | None, part: tuple[int, int] | None) -> tuple[int, int] | None:
    if whole is None or part is None:
        return part if whole is None else whole
    first = max(whole[0], part[0])
    return first, max(first, min(whole[1], part[1]))


@checked
def to_config(
    *booked: Request,
    histograms: str | dict[str, Any] | None = None,
    cutflow: str | None = None,
    n_minus_1: bool = False,
    histogram_memory: int | str | None = None,
) -> dict[str, Any]:
    """Returns the config that makes all that is booked, in one pass, as `skimline run` takes it.

    `histograms` is the file for histograms ("histograms.root" unless given; UHI JSON if it ends with
    ".json"), `cutflow` a file for the cutflow. What is booked must come from one `open()`. The files that
    this config writes are the ones that `run()` writes with the same arguments, byte by byte.

    Where frames mean different things by one name, one of them has a number behind it in the config. Throws
    ConfigError if two histograms or skims have one name, or for functions that no config can hold.

    >>> events = sk.open("dimuon.root:Events")
    >>> met = events.filter("nMuon == 2", name="two muons").hist("MET_pt", bins=50, range=(0, 200))
    >>> config = to_config(met)
    >>> config["select"]
    [{'name': 'two muons', 'where': 'nMuon == 2'}]
    >>> config["histograms"]
    {'MET_pt': {'x': {'value': 'MET_pt', 'bins': 50, 'range': [0, 200]}}}
    """
    for booking in booked:
        if not isinstance(booking, Request):
            raise ArgumentError(f"to_config() takes what hist() and skim() have booked, not {shown(booking)}")
        if booking._section == "values":
            raise ConfigError(f"no config can hold values that are read: {booking.name}")
    output = {"cutflow": cutflow, "n_minus_1": n_minus_1 or None}
    composed = compose(booked, histograms=histograms, output=output, histogram_memory=histogram_memory)
    return composed.alone()


def booked_frames(booked: Iterable[Request]) -> list[Events]:
    """The frames of bookings, each once."""
    return list(dict.fromkeys(booking.frame for booking in booked))


def common_samples(frames: Sequence[Events]) -> Samples:
    """Returns the samples that all frames were opened with; throws ConfigError if there are several."""
    if not frames:
        raise ConfigError("nothing to do: give histograms or skims")
    samples = frames[0].samples
    if any(frame.samples is not samples for frame in frames):
        raise ConfigError(
            "these come from several open(): one config is for one of them. run() takes them together"
        )
    samples.columns  # noqa: B018  throws if a frame of another process does not fit its files
    return samples


def compose(
    booked: Sequence[Request],
    *,
    histograms: str | dict[str, Any] | None = None,
    output: Mapping[str, Any] | None = None,
    histogram_memory: int | str | None = None,
    frames: Sequence[Events] = (),
    expressions: Iterable[str] = (),
    has_variations: bool = True,
) -> Composed:
    """Makes a config of bookings, and of the filters of further frames.

    It has the definitions that these need, and `expressions` of the first frame. Variations need not change what is
    only counted.
    """
    return _Composition([*booked_frames(booked), *frames], booked, has_variations).made(
        histograms, output or {}, histogram_memory, tuple(expressions)
    )


class _Composition:
    """One config in the making."""

    def __init__(self, frames: Sequence[Events], booked: Sequence[Request], has_variations: bool) -> None:
        self._samples = common_samples(frames)
        self._booked = booked
        self._has_variations = has_variations
        self._frames = frames
        common = set.intersection(*({step for step, _ in frame.scope.varied} for frame in frames))
        rebuilt: dict[tuple[Scope, Step], Scope] = {}
        self._scopes = {
            frame: frame.scope
            if all(step in common for step, _ in frame.scope.varied)
            else scope_of(frame, common.__contains__, rebuilt)
            for frame in frames
        }
        self._varied = self._scopes[frames[0]].varied if has_variations else ()
        self._filters = {step: scope for each in self._scopes.values() for step, scope in each.filters}
        self._needed: set[Meaning] = set()
        self._names: dict[Meaning, str] = {}
        self._weights: tuple[Meaning, ...] = ()
        self._booked_names: dict[Request, str] = {}

    def made(
        self,
        histograms: str | dict[str, Any] | None,
        output: Mapping[str, Any],
        histogram_memory: int | str | None,
        expressions: tuple[str, ...],
    ) -> Composed:
        """The config."""
        self._needed = needed_meanings(
            self._scopes,
            self._booked,
            self._filters,
            self._varied,
            expressions,
            has_variations=self._has_variations,
        )
        self._give_names()
        branches = Branches(self._frames, self._filter_text)
        functions, of_files = self._functions()
        variations = self._variations()
        filled, skims = self._described("histograms", branches), self._described("skims", branches)
        if histograms is not None and not histograms:
            raise ConfigError("histograms names no file")
        if histograms and not filled:
            raise ConfigError(f'there are no histograms to write to "{histograms}"')
        outputs = {"histograms": (histograms or "histograms.root") if filled else None, **output}
        optional = {
            **of_files,
            "functions": functions,
            "define": self._texts("define"),
            "weights": self._texts("weight"),
            "variations": variations,
        }
        made = {
            **{"schema_version": 1, **self._opened()},
            **{key: value for key, value in optional.items() if value},
            "select": branches.select,
        }
        later = {
            "regions": branches.regions,
            "histogram_memory": histogram_memory if filled else None,
            "histograms": filled,
            "skims": skims,
            "output": {key: value for key, value in outputs.items() if value is not None},
        }
        made.update((key, value) for key, value in later.items() if value)
        first = self._scopes[self._frames[0]]
        texts = tuple(self._text(first, each) for each in expressions)
        described = [each.described_function for each in self._names if each.kind == "external"]
        return Composed(
            made,
            self._external(),
            described,
            branches.shown,
            texts,
            self._booked_names,
            self._samples,
            {
                name: each.compiled.content
                for each, name in self._names.items()
                if each.kind in ("correction", "model")
            },
        )

    def _give_names(self) -> None:
        first, taken = self._frames[0].scope, set[str]()
        for scope in self._scopes.values():
            for meaning in scope.all:
                if meaning in self._needed and meaning not in self._names:
                    name = first.free_definition(meaning.name, taken)
                    self._names[meaning] = name
                    taken.add(name)
        self._weights = tuple(each for each in self._names if each.kind == "weight")

    # Texts with the names of the config.

    def _renamed(self, text: str, means: Mapping[str, Meaning]) -> str:
        names, functions = new_names(means, self._names)
        factors = factors_among(means)
        if EVENT_WEIGHT in mentioned(text) and factors != self._weights:
            names[EVENT_WEIGHT] = f"({self._product(factors)})"
        return rewritten(text, names, functions)

    def _text(self, scope: Scope, expression: str) -> str:
        # Of a config it has not been checked, and names may mean something else beside other frames.
        scope.check_aliases_follow(expression)
        scope.check_follows(expression)
        return self._renamed(expression, scope.meanings_in(expression))

    def _filter_text(self, step: Filter) -> str:
        return self._text(self._filters[step], step.expression)

    def _product(self, factors: Sequence[Meaning]) -> str:
        """What `weight_` is made of them: of integers a `double`, as the program has it."""
        names = [self._names[each] for each in factors]
        if len(names) > 1 and all(self._is_whole(each) for each in factors[:2]):
            names[0] = f"double({names[0]})"
        return " * ".join(names) or "1"

    def _is_whole(self, factor: Meaning) -> bool:
        """Whether a factor is an integer in any sample."""
        scopes = (*self._scopes.values(), *self._filters.values(), *(each for _, each in self._varied))
        scope = next(each for each in scopes if factor in each.names)
        functions, external = list(scope.functions), list(scope.external)
        for number, columns in enumerate(self._samples.columns):
            definitions = self._samples.definitions(scope, number)
            kind = columns.type_of(functions, definitions, scope.names[factor], external=external)
            if "int" in kind or kind == "bool":
                return True
        return False

    def _texts(self, kind: str) -> dict[str, str]:
        return {
            name: self._renamed(each.text, each.means)
            for each, name in self._names.items()
            if each.kind == kind
        }

    def _functions(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Those that are expressions, and the sections of those in files."""
        functions: dict[str, str] = {}
        of_files: dict[str, Any] = {"corrections": {}, "models": {}}
        for each, name in self._names.items():
            if each.kind == "function":
                functions[each.signature_of(name)] = self._renamed(each.text, each.means)
            elif each.kind in ("correction", "model"):
                of_files[f"{each.kind}s"][name] = each.described
        return functions, of_files

    def _external(self) -> list[Any]:
        for each in self._names:
            if isinstance(each.origin, PythonFunction):
                each.origin.check_not_under_way()
        return [each.compiled_as(name) for each, name in self._names.items() if each.kind == "external"]

    # Sections.

    def _opened(self) -> dict[str, Any]:
        """What was opened, with the texts that stand for definitions in some samples."""
        sums = self._scopes[self._frames[0]].sum_weights
        described = with_sum_weights(
            self._samples.described, {name: self._renamed(*each) for name, each in sums.items()}
        )
        if not self._samples.overrides and not any(each.of_samples for each in self._names):
            return described
        # All, in their order: those of lists come behind those that stand here.
        samples = {name: dict(described.get("samples", {}).get(name, {})) for name in self._samples.names}
        for each in samples.values():
            each.pop("define", None)
            each.pop("weights", None)
        for meaning, name in self._names.items():
            section = "weights" if meaning.kind == "weight" else "define"
            for sample, (text, means) in meaning.of_samples.items():
                samples[sample].setdefault(section, {})[name] = self._renamed(text, means)
        return {**described, "samples": samples}

    def _variations(self) -> dict[str, Any]:
        described: dict[str, Any] = {}
        for step, scope in self._varied:
            used = [
                column
                for column in step.columns
                if scope.meaning_of(plain_name(column)) in (None, *self._needed)
            ]
            for column in used:
                meaning = scope.meaning_of(plain_name(column))
                name = self._names[meaning] if meaning else column
                self._add_variation(described, step, name, meaning, _given(step, column, scope, self._text))
            self._check_used(step, bool(used) or any(each.varied_by is step for each in self._names))
        if self._has_variations:
            for meaning, name in self._names.items():
                if meaning.varied_by:
                    texts = {key: self._renamed(*each) for key, each in meaning.replacements.items()}
                    given = _of_variations(meaning.varied_by, texts)
                    self._add_variation(described, meaning.varied_by, name, meaning, given)
            self._check_local()
        return described

    def _add_variation(
        self, described: dict[str, Any], step: Vary, name: str, meaning: Meaning | None, given: Any
    ) -> None:
        added = described.setdefault(step.name, {})
        section = "weights" if meaning and meaning.kind == "weight" else "columns"
        added.setdefault(section, {})[name] = given
        if step.samples:
            added["samples"] = list(step.samples)
        if step.allow_unchanged or not self._booked:
            added["allow_unchanged"] = True

    def _check_used(self, step: Vary, is_used: bool) -> None:
        if self._booked and not is_used and not step.allow_unchanged:
            raise ConfigError(
                f'the variation "{step.name}" changes nothing of what is run: nothing needs '
                + ", ".join(f'"{name}"' for name in step.columns)
                + ". Run it with what does, or give allow_unchanged=True"
            )

    def _check_local(self) -> None:
        """Variations that only some of what is run has must be of one make, and change something."""
        used = {meaning.varied_by for meaning in self._names}
        by_name: dict[str, Vary] = {}
        for frame in self._frames:
            for step in frame.steps:
                if not isinstance(step, Vary):
                    continue
                first = by_name.setdefault(step.name, step)
                if first.directions != step.directions or first.samples != step.samples:
                    raise ConfigError(
                        f'two variations are called "{step.name}", and have other directions or samples: give '
                        "one of them another name, or run them one after the other"
                    )
                if step not in {each for each, _ in self._varied}:
                    self._check_used(step, step in used)

    def _described(self, section: str, branches: Branches) -> dict[str, Any]:
        described: dict[str, Any] = {}
        booked = [each for each in self._booked if each._section == section]
        given = {each.name for each in booked if not each._may_be_renamed}
        for booking in booked:
            name = booking.name
            if booking._may_be_renamed:
                name = free_name(name, lambda text: text in described or text in given)
            if name in described:
                raise ConfigError(f'two {section} are called "{name}": give them a name')
            self._booked_names[booking] = name
            made = self._skim(booking) if section == "skims" else self._histogram(booking)
            described[name] = {**made, **branches.of(booking)}
        return described

    def _histogram(self, booking: Request) -> dict[str, Any]:
        scope, described = self._scopes[booking.frame], dict(booking._described)
        for key in ("x", "y", "z", "profile"):
            if key in described:
                described[key] = {**described[key], "value": self._text(scope, described[key]["value"])}
        if "axes" in described:
            described["axes"] = [
                {**each, "value": self._text(scope, each["value"])} for each in described["axes"]
            ]
        if "weight" in described:
            described["weight"] = self._text(scope, described["weight"])
        elif self._weights and scope.weights != self._weights and takes_weights(booking):
            described["weight"] = self._product(scope.weights)
        if "where" in described:
            described["where"] = self._text(scope, described["where"])
        if "weight_variations" in described:
            varied = described["weight_variations"]
            described["weight_variations"] = {name: self._text(scope, text) for name, text in varied.items()}
        return described

    def _skim(self, booking: Request) -> dict[str, Any]:
        """Columns by the names that they have in the frame, without the definitions of others."""
        scope, described = self._scopes[booking.frame], dict(booking._described)
        kept = kept_columns(described, scope)
        for key in ("keep", "drop"):
            if key in described:
                described[key] = self._of_what_is_needed(described[key], scope)
        if described.get("keep") == []:
            raise ConfigError(f'no column is left in the skim "{booking.name}"')
        if described.get("drop") == []:
            del described["drop"]
        renamed = {name: self._names[each] for name, each in kept.items() if self._names[each] != name}
        columns = {name: self._text(scope, text) for name, text in described.get("columns", {}).items()}
        if renamed and "keep" not in described:
            described["keep"] = ["*"]  # else what is renamed would be all that there is
        foreign = [
            name
            for each, name in self._names.items()
            if not each.is_function and kept.get(name) is not each and is_kept(described, name)
        ]
        keeps = keeps_weight(booking._described, scope)
        if self._weights and is_kept(described, EVENT_WEIGHT):
            if not keeps or scope.weights != self._weights:  # which is that of all factors of the config
                foreign.append(EVENT_WEIGHT)
            if keeps and scope.weights != self._weights:
                columns.setdefault(EVENT_WEIGHT, self._product(scope.weights))
        if foreign:
            described["drop"] = [*described.get("drop", []), *foreign]
        if "where" in described:
            described["where"] = self._text(scope, described["where"])
        if "thin" in described:
            described["thin"] = {name: self._mask(scope, mask) for name, mask in described["thin"].items()}
        if columns or renamed:
            described["columns"] = {**{quoted(name): made for name, made in renamed.items()}, **columns}
        return described

    def _of_what_is_needed(self, patterns: Sequence[str], scope: Scope) -> list[str]:
        """Leaves out patterns of definitions alone that nobody needs: the config does not have these."""

        def matches_one(pattern: str, names: Iterable[str]) -> bool:
            return any(matches_column(name, pattern) for name in names)

        left_out = [name for name, each in scope.means.items() if each not in self._names]
        present = [*scope.columns, *self._names.values()]
        return [each for each in patterns if matches_one(each, present) or not matches_one(each, left_out)]

    def _mask(self, scope: Scope, mask: Any) -> Any:
        """What keeps elements of a collection."""
        if isinstance(mask, Mapping):
            return {**mask, "where": self._text(scope, mask["where"])}
        return self._text(scope, mask)


def _given(step: Vary, column: str, scope: Scope, text: Any) -> Any:
    """What replaces a column, as a config has it."""
    given = step.columns[column]
    if isinstance(given, str):
        return text(scope, given)
    return {direction: text(scope, each) for direction, each in given.items()}


def _of_variations(step: Vary, replacements: Mapping[str, str]) -> Any:
    """The same from expressions by the name of the variation."""
    if step.name in replacements:
        return replacements[step.name]
    return {name[len(step.name) + 1 :]: text for name, text in replacements.items()}
