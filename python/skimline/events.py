# SPDX-License-Identifier: BSD-3-Clause
"""Events by how they were made, and what is asked of them: what frames, bookings and configs are about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Callable

from skimline import _core
from skimline.config import core_config
from skimline.errors import Error, FileError
from skimline.kept import Kept
from skimline.own_words import in_own_words
from skimline.scope import Scope, plain_name
from skimline.spellings import Spellings
from skimline.steps import Filter, Step, Vary

__all__ = ["Events", "Request", "Samples", "scope_of"]

_OVERRIDES = ("define", "weights")


_Files = list[tuple[str, str, int, str, int]]
"""Path, name, entries, UUID and size of each."""

_Choices = dict[str, dict[tuple[str, str], str]]
"""By sample, the digests of masks, of lists of entries and of what lists of samples say, by path and the file that they are of."""


class Samples(Kept):
    """The samples that were opened together.

    What is made of them reads the same files, or throws FileError. A pickle opens them where they are first needed.
    """

    def __init__(self, described: dict[str, Any], entries: tuple[int, int] | None = None) -> None:
        self.described = described
        """The keys of a config that say what is read."""
        self.entries = entries
        """The first entry and the one behind the last, if it is a part of each sample."""
        self._made_in = _folder()
        self._known_files: list[_Files] | None = None
        self._choices: _Choices | None = None
        self._opened: tuple[list[str], list[_core.SampleColumns]] | None = self._open()
        self._names = self._opened[0]
        self._scope: Scope | None = None

    @property
    def names(self) -> list[str]:
        """Their names, in order."""
        return self._names

    @property
    def columns(self) -> list[_core.SampleColumns]:
        """What the files of each offer. Throws FileError for files that are not those of the pickle."""
        if self._opened is None:
            self._opened = self._open()
        return self._opened[1]

    @property
    def known_files(self) -> dict[str, _Files]:
        """By sample its files as they were when it was opened."""
        if self._known_files is None:
            self._known_files = [each.known_files for each in self.columns]
        return dict(zip(self._names, self._known_files))

    def _open(self) -> tuple[list[str], list[_core.SampleColumns]]:
        known = self.known_files if self._known_files is not None else {}
        try:
            described = {"schema_version": 1, **self._without_overrides(), "select": []}
            with in_own_words():
                config = core_config(described, is_plain=True, entries=self.entries, known_files=known)
                names: list[str] = config.sample_names
                self.check_choices(config)
                columns = [_core.SampleColumns(config, number) for number in range(len(names))]
        except Error as error:
            if self._known_files is not None and _folder() != self._made_in:
                error.args = (f"{error} (the frame was made in {self._made_in}, and is used in {_folder()})",)
            raise
        return names, columns

    def check_choices(self, config: _core.Config) -> None:
        """Throws FileError where masks, lists of entries and lists of samples say something else in a config than when the
        samples were opened; what is said first holds."""
        now = {
            sample: {(path, file): digest for path, file, digest in each}
            for sample, each in config.entry_choices.items()
        }
        if self._choices is None:
            self._choices = now
        for sample, choices in now.items():
            for key, digest in choices.items():
                if self._choices.get(sample, {}).get(key) != digest:
                    error = FileError(f"{key[0]}: has changed since it was opened: open it again")
                    error.path, error.fault = key[0], "changed"
                    raise error

    def _recipe(self) -> tuple[Any, ...]:
        known = [*self.known_files.values()]
        return self.described, self.entries, self._names, known, self._made_in, self._choices

    @classmethod
    def _of_recipe(cls, *recipe: Any) -> Samples:
        made = cls.__new__(cls)
        made.described, made.entries, made._names, made._known_files, made._made_in, *choices = recipe
        made._choices = choices[0] if choices else None  # older pickles have none
        made._opened = made._scope = None
        return made

    @property
    def overrides(self) -> dict[str, dict[str, dict[str, str]]]:
        """By sample, "define" or "weights", and name: expressions that stand there for those of frames."""
        found = {
            name: {key: each[key] for key in _OVERRIDES if key in each}
            for name, each in self.described.get("samples", {}).items()
        }
        return {name: each for name, each in found.items() if each}

    @property
    def scope(self) -> Scope:
        """What names mean before any step."""
        if self._scope is None:
            names = {plain_name(name) for each in self.columns for name, _, _ in each.columns}
            aliases = {(name, plain_name(own)) for each in self.columns for name, own in each.aliases}
            fields = {tuple(each) for columns in self.columns for each in columns.names_of_one_field}
            collections: dict[str, set[str]] = {}
            for columns in self.columns:
                for name, members in columns.collection_columns.items():
                    collections.setdefault(name, set()).update(members)
            others: dict[str, set[str]] = {}
            for columns in self.columns:
                for name, made_of in columns.other_names.items():
                    others.setdefault(name, set()).update(made_of)
            self._scope = Scope(
                Spellings(names, fields, aliases, collections),
                self.overrides,
                objects=self.described.get("objects"),
                collections=self.described.get("collections"),
                others=others,
            )
        return self._scope

    @property
    def are_chosen(self) -> bool:
        """Whether a mask or list leaves events out before any step."""
        samples = self.described.get("samples", {}).values()
        return any("lumi_mask" in each or "entry_list" in each for each in samples)

    def definitions(self, scope: Scope, number: int) -> list[tuple[str, str]]:
        """Name and expression of what a sample has defined, for checks of types."""
        made = [("normalisation_", "1.")] if "luminosity_pb" in self.described else []
        return [*made, *scope.definitions_in(self._names[number], is_data=self.columns[number].is_data)]

    def may_vary(self, sample: str) -> bool:
        """Whether variations are for a sample: as the engine says it."""
        return self.columns[self.names.index(sample)].may_vary

    def data(self) -> list[str]:
        """The samples that are data, whose factors of the weight are 1 unless they have their own."""
        return [name for name, each in zip(self.names, self.columns) if each.is_data]

    def _without_overrides(self) -> dict[str, Any]:
        """What was opened; definitions, of which samples may have their own, come later."""
        if not self.overrides:
            return self.described
        samples = {
            name: {key: value for key, value in each.items() if key not in _OVERRIDES}
            for name, each in self.described["samples"].items()
        }
        return {**self.described, "samples": samples}


def _folder() -> str:
    """Where relative paths begin. Throws FileError in a folder that was removed."""
    try:
        return os.getcwd()  # noqa: PTH109  pathlib takes long to import
    except OSError as error:
        raise FileError(f"the working folder cannot be found: {error.strerror}") from None


class Events:
    """The events of samples that pass some steps."""

    def __init__(self, samples: Samples, steps: tuple[Step, ...]) -> None:
        self._samples = samples
        self._steps = steps
        self._scope: Scope | None = None

    def __getstate__(self) -> tuple[Samples, tuple[Step, ...]]:
        return self._samples, self._steps

    def __setstate__(self, state: tuple[Samples, tuple[Step, ...]]) -> None:
        self._samples, self._steps = state
        self._scope = None

    @property
    def samples(self) -> Samples:
        """What was opened."""
        return self._samples

    @property
    def steps(self) -> tuple[Step, ...]:
        """How it was made, in order."""
        return self._steps

    @property
    def scope(self) -> Scope:
        """What names mean in it, where variations before all filters vary names as they stand."""
        if self._scope is None:
            self._scope = scope_of(self, lambda _: True, {})
        return self._scope

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The filters that its events pass, in order."""
        return tuple(step for step in self._steps if isinstance(step, Filter))

    @property
    def variations(self) -> list[str]:
        """The names of its variations: "pt_scale_up", "pt_scale_down"."""
        return [name for step in self._varied() for name in step.replacements]

    def _varied(self) -> Iterator[Vary]:
        return (step for step in self._steps if isinstance(step, Vary))


def scope_of(
    events: Events, is_common: Callable[[Vary], bool], known: dict[tuple[Scope, Step], Scope]
) -> Scope:
    """What names mean in events, where common variations vary names as they stand.

    `known` is what is known behind each step already.
    """
    scope = events.samples.scope
    for step in events.steps:
        key = (scope, step)
        if key not in known:
            known[key] = scope.behind(step, is_common)
        scope = known[key]
    return scope


class Request:
    """Something that a run is to make of events."""

    _section = ""
    """Where it stands in a config: "histograms" or "skims"."""

    def __init__(self, frame: Events, name: str, described: dict[str, Any]) -> None:
        self._frame = frame
        self._name = name
        self._described = described
        self._may_be_renamed = False
        """Whether it may get another name where another one has it."""

    @property
    def frame(self) -> Events:
        """The events that it is made of."""
        return self._frame

    @property
    def name(self) -> str:
        """Its name in the config."""
        return self._name
