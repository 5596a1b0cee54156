# SPDX-License-Identifier: BSD-3-Clause
"""What names mean at a point of a frame.

Frames that branch, or that define a name anew, may mean different things by one name. Each thing is a
`Meaning`; equal ones are one object, whatever frames they come from, so that what is run together computes
them once. In a config, where a name means one thing, they get names of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from copy import copy
from typing import Any
from weakref import WeakValueDictionary

from skimline.errors import ConfigError
from skimline.rewriting import mentioned, patterns, rewritten
from skimline.spellings import Spellings
from skimline.steps import (
    Correction,
    Define,
    Filter,
    Function,
    Model,
    Replace,
    Step,
    SumWeights,
    Vary,
    Weight,
    matches_column,
)

__all__ = [
    "EVENT_WEIGHT",
    "Meaning",
    "Scope",
    "factors_among",
    "free_definition",
    "free_name",
    "new_names",
    "plain_name",
]

EVENT_WEIGHT = "weight_"

# Of factors that `weight_` is made of, beside the names in an expression: they need not be what these names mean.
_FACTOR = "factor of weight_: "


class Meaning:
    """A definition, a factor of the weight or a function, with what the names in it mean."""

    def __init__(self, kind: str, name: str, text: str, means: dict[str, Meaning]) -> None:
        self.kind = kind
        """ "define", "weight", "function", "correction", "model" or "external"."""
        self.name = name
        self.text = text
        self.means = means
        self.signature = ""
        """Of a function: name and parameters."""
        self.described: Any = None
        """Of a correction or a model: what the config says."""
        self.compiled: Any = None
        """Of an external function, a correction or a model: what the engine calls."""
        self.origin: Any = None
        """Of an external function: what makes it by another name."""
        self.of_samples: dict[str, tuple[str, dict[str, Meaning]]] = {}
        """Texts that stand for it in some samples, with what their names mean."""
        self.varied_by: Vary | None = None
        """The variation that is of this definition alone, which stands for what it varies."""
        self.replacements: dict[str, tuple[str, dict[str, Meaning]]] = {}
        """By variation what replaces it then."""

    @property
    def is_function(self) -> bool:
        """Whether expressions call it."""
        return self.kind in ("function", "correction", "model", "external")

    def signature_of(self, name: str) -> str:
        """The signature with another name."""
        front, parenthesis, parameters = self.signature.partition("(")
        return front[: front.rindex(self.name)] + name + parenthesis + parameters

    def compiled_as(self, name: str) -> Any:
        """What the engine calls, by another name."""
        return self.compiled if name == self.name or self.origin is None else self.origin.make(name)

    @property
    def described_function(self) -> str:
        """What the user would call it."""
        return f'"{self.name}"' if self.origin is None else self.origin.described

    def needs(self) -> Iterable[Meaning]:
        """What it is made of."""
        for _, means in self.texts():
            yield from means.values()

    def texts(self) -> Iterable[tuple[str, Mapping[str, Meaning]]]:
        """All its texts, with what their names mean."""
        yield self.text, self.means
        yield from self.of_samples.values()
        yield from self.replacements.values()


def factors_among(means: Mapping[str, Meaning]) -> tuple[Meaning, ...]:
    """The factors of `weight_`, in order, of an expression in which names mean this."""
    return tuple(each for name, each in means.items() if name.startswith(_FACTOR))


def new_names(
    means: Mapping[str, Meaning], names: Mapping[Meaning, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Of what names in an expression mean, and what that is called: the new names of definitions, and of functions."""
    new = {name: names[each] for name, each in means.items() if names[each] != name}
    functions = {name: new[name] for name in new if means[name].is_function}
    return {name: new[name] for name in new if name not in functions}, functions


_known: WeakValueDictionary[Any, Meaning] = WeakValueDictionary()


def _identity(means: Mapping[str, Meaning]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, id(meaning)) for name, meaning in means.items()))


def _one(meaning: Meaning, owner: object = None) -> Meaning:
    """Returns the known meaning that is the same."""
    key = (
        meaning.kind,
        meaning.name,
        meaning.signature,
        meaning.text,
        _identity(meaning.means),
        tuple((sample, text, _identity(means)) for sample, (text, means) in meaning.of_samples.items()),
        tuple((each, text, _identity(means)) for each, (text, means) in meaning.replacements.items()),
        id(meaning.varied_by),
        id(owner),
    )
    return _known.setdefault(key, meaning)


def free_name(name: str, taken: Callable[[str], bool]) -> str:
    """The name, or one like it that is not taken."""
    number, free = 1, name
    while taken(free):
        number += 1
        free = f"{name}_{number}"
    return free


def free_definition(name: str, taken: Callable[[str], bool]) -> str:
    """The same for what stands for a column, which may be called as no definition can."""
    return free_name(re.sub(r"^(?=[0-9])|[^A-Za-z0-9_]", "_", name), taken)


class Scope:
    """What names mean behind some steps, and a name of its own for each meaning. Never changes."""

    def __init__(
        self,
        spellings: Spellings,
        overrides: Mapping[str, Mapping[str, Mapping[str, str]]],
        *,
        objects: Mapping[str, Mapping[str, Any]] | None = None,
        collections: Mapping[str, str] | None = None,
        others: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.columns = spellings.columns
        """The columns of the files."""
        self._spellings = spellings
        self.objects = objects or {}
        """The objects of the files by name, as configs have them: they are made of what names mean before any step."""
        self.collections = collections or {}
        """The patterns of collections that are none by the names of their columns, as configs have them."""
        self._others = others or {}  # metadata, and aliases of trees with the names in these
        self._overrides = overrides  # by sample, "define" or "weights", and name
        self.means: dict[str, Meaning] = {}
        """What definitions, factors and functions mean, by name."""
        self.weights: tuple[Meaning, ...] = ()
        """The factors of the weight of an event, in order."""
        self.all: tuple[Meaning, ...] = ()
        """All meanings so far, each behind what it is made of."""
        self.names: dict[Meaning, str] = {}
        """What each is called."""
        self.functions: tuple[tuple[str, str], ...] = ()
        """Signature and body of those that are expressions, in these names."""
        self.definitions: tuple[tuple[str, str], ...] = ()
        """Name and expression of definitions and factors, in these names."""
        self.external: tuple[Any, ...] = ()
        """Functions that are no expressions."""
        self.varied: tuple[tuple[Vary, Scope], ...] = ()
        """Variations that are of names as they stand, with what names mean there."""
        self.filters: tuple[tuple[Filter, Scope], ...] = ()
        """The filters so far, each with what names mean in it."""
        self.sum_weights: dict[str, tuple[str, dict[str, Meaning]]] = {}
        """By sample, and "" for all others, the weight whose sum normalises it, if it is made of more than the files have."""
        self._taken: set[str] = set()
        self._renamed: dict[str, str] = {}

    def text(self, expression: str) -> str:
        """The expression with the names that meanings have; throws ConfigError for objects that have changed."""
        self.check_follows(expression)
        self.check_aliases_follow(expression)
        spelled = {name: self.own_name(name) for name in mentioned(expression)}
        changed = {name: own for name, own in spelled.items() if own in self._renamed}
        names, functions = new_names({name: self.means[own] for name, own in changed.items()}, self.names)
        return rewritten(expression, names, functions)

    def own_name(self, name: str) -> str:
        """The name under which `means` or `columns` have what is called so, in either spelling of members."""
        return name if name in self.means else self._spellings.own_name(name)

    def is_column(self, name: str) -> bool:
        """Whether expressions that name it mean a column of the files, in either spelling of members."""
        return self._spellings.own_name(name) in self.columns

    def free_definition(self, name: str, taken: Container[str]) -> str:
        """A name that no column has for what is called so; it has no number that is in a name of something else in the files."""
        return free_definition(
            name,
            lambda text: text in taken or self.is_column(text) or (text != name and text in self._others),
        )

    def names_of(self, name: str) -> tuple[str, ...]:
        """The names of what is called so in `means`, that first."""
        return name, *self._spellings.other_names(name)

    def meaning_of(self, name: str) -> Meaning | None:
        """What a name means other than a column."""
        return self.means.get(self.own_name(name))

    def meanings_in(self, expression: str) -> dict[str, Meaning]:
        """What names in an expression mean, other than columns, and the factors of `weight_` in it."""
        found: dict[str, Meaning] = {}
        for name in mentioned(expression):
            meaning = self.meaning_of(name)
            if meaning:
                found[name] = meaning
            elif name == EVENT_WEIGHT:
                found.update((f"{_FACTOR}{number}", each) for number, each in enumerate(self.weights))
        return found

    def _check_all_follows(self, expression: str, named: Container[str], changed: Iterable[str]) -> None:
        """Throws ConfigError for objects of a collection, and patterns of columns, which are those of the files, if columns that they
        may be made of mean something else. What is named is none of them."""
        columns = [each for each in changed if each in self.columns]
        for name in mentioned(expression) if columns else ():
            made_of = frozenset() if name in named else self._spellings.made_of(name)
            for column in made_of.intersection(columns):
                raise ConfigError(
                    f'"{name}" in "{expression}" are objects of the files, which do not follow what "{column}" means '
                    f"behind redefine(), vary() and in_variation(): choose elements of lists, {column}[...]"
                )
        for pattern in patterns(expression) if columns else ():
            for column in columns:
                if any(matches_column(each, pattern) for each in self.names_of(column)):
                    raise ConfigError(
                        f'the columns "{pattern}" in "{expression}" are those of the files, which do not follow what "{column}" '
                        f"means behind redefine(), vary() and in_variation(): write their names, {column} || ..."
                    )

    def check_follows(self, expression: str) -> None:
        """Throws ConfigError for objects and patterns of columns that mean something else here than in the files."""
        named = [name for name in mentioned(expression) if self.meaning_of(name)]
        self._check_all_follows(expression, named, self.means)

    def check_aliases_follow(self, expression: str) -> None:
        """Throws ConfigError for an alias of a column that means something else, if it is another column in each sample
        or an expression of a tree."""
        self._check_tree_aliases_follow(
            (name for name in mentioned(expression) if not self.meaning_of(name)), self.means
        )
        for name in mentioned(expression):
            for column in () if self.meaning_of(name) else self._spellings.columns_by_sample(name):
                if column in self.means:
                    raise ConfigError(
                        f'"{name}" in "{expression}" stands for "{column}" in some samples only, and does not follow what that '
                        "means behind redefine()"
                    )

    def _check_tree_aliases_follow(self, names: Iterable[str], changed: Container[str]) -> None:
        for alias in names:
            waiting, seen = [alias], {alias}
            while waiting:
                for name in self._others.get(waiting.pop(), ()):
                    if self.is_column(name) and self._spellings.own_name(name) in changed:
                        raise ConfigError(
                            f'"{alias}", an alias of the tree, is made of "{name}" and does not follow what that means behind '
                            "redefine() and vary(): define it with another name"
                        )
                    if name not in seen:
                        seen.add(name)
                        waiting.append(name)

    def behind(self, step: Step, is_common: Callable[[Vary], bool]) -> Scope:
        """What names mean behind a step. Variations that are common vary the names as they stand."""
        if isinstance(step, Filter):
            self.check_follows(step.expression)
            made = copy(self)
            made.filters = (*self.filters, (step, self))
            return made
        if isinstance(step, SumWeights):
            made = copy(self)
            made.sum_weights = {name: (text, self.meanings_in(text)) for name, text in step.texts.items()}
            return made
        made = self._copy()
        if isinstance(step, Define):
            if self.own_name(step.name) in self.columns or step.name in self.means:
                self._check_objects_follow()
            # What a sample has for a definition stands for the first of the name; those that follow are made of it.
            is_first = step.name not in self.means
            made._add(step.name, made._expression("define" if is_first else None, step.name, step.expression))
        elif isinstance(step, Weight):
            factor = made._expression("weights", step.name, step.expression)
            made._add(step.name, factor)
            made.weights = (*(each for each in made.weights if each.name != step.name), factor)
        elif isinstance(step, Vary):
            if not self.filters and is_common(step):
                made.varied = (*made.varied, (step, self))
            else:
                made._vary(step, self)
        elif isinstance(step, Replace):
            made._vary(step, self)
        else:
            made._add(step.name, _function(step, made))
        return made

    def _check_objects_follow(self) -> None:
        """Throws ConfigError if there are objects, for a step that changes what names mean behind it."""
        if self.objects:
            raise ConfigError(
                "frames that were opened with objects cannot be varied behind a filter, or have names defined anew: "
                "the objects would not follow"
            )

    def _copy(self) -> Scope:
        made = copy(self)
        for name in ("means", "names", "_taken", "_renamed"):
            setattr(made, name, getattr(self, name).copy())
        return made

    def _expression(self, section: str | None, name: str, text: str) -> Meaning:
        """What a text means here, in samples with another one for the name in the section what that means."""
        kind = "weight" if section == "weights" else "define"
        self.check_follows(text)
        meaning = Meaning(kind, name, text, self.meanings_in(text))
        for sample, overrides in self._overrides.items():
            if section and name in overrides.get(section, {}):
                other = overrides[section][name]
                self.check_follows(other)
                meaning.of_samples[sample] = (other, self.meanings_in(other))
        return _one(meaning)

    def _add(self, name: str, meaning: Meaning) -> None:
        """Makes the name mean this from here on."""
        self.means[name] = meaning
        self._name(meaning)
        self._renamed.pop(name, None)
        if self.names[meaning] != name:
            self._renamed[name] = self.names[meaning]

    def _name(self, meaning: Meaning) -> None:
        if meaning in self.names:
            return
        own = self.free_definition(meaning.name, self._taken)
        self.names[meaning] = own
        self._taken.add(own)
        self.all = (*self.all, meaning)
        text = self._named(meaning.text, meaning.means)
        if meaning.kind == "function":
            self.functions = (*self.functions, (meaning.signature_of(own), text))
        elif meaning.is_function:
            self.external = (*self.external, meaning.compiled_as(own))
        else:
            self.definitions = (*self.definitions, (own, text))

    def _named(self, text: str, means: Mapping[str, Meaning]) -> str:
        """An expression in these names. Factors that `weight_` is made of need not be those of the weight here."""
        names, functions = new_names(means, self.names)
        factors = factors_among(means)
        if factors:
            names[EVENT_WEIGHT] = f"({' * '.join(self.names[each] for each in factors)})"
        return rewritten(text, names, functions)

    def definitions_in(self, sample: str, *, is_data: bool) -> tuple[tuple[str, str], ...]:
        """`definitions` with the texts that a sample has for them. Factors of data are 1 unless they have such."""
        own = {self.names[each]: "1." for each in self.all if is_data and each.kind == "weight"}
        for each in self.all:
            if sample in each.of_samples:
                own[self.names[each]] = self._named(*each.of_samples[sample])
        return tuple((name, own.get(name, text)) for name, text in self.definitions)

    def _name_all(self, meanings: Iterable[Meaning]) -> None:
        for meaning in meanings:
            if meaning not in self.names:
                self._name_all(meaning.needs())
                self._name(meaning)

    def _varied_definitions(self) -> dict[Meaning, list[tuple[Vary, str, Scope]]]:
        """What variations replace that are of names as they stand, with the name and what names mean there."""
        found: dict[Meaning, list[tuple[Vary, str, Scope]]] = {}
        for step, scope in self.varied:
            for column in step.columns:
                meaning = scope.meaning_of(plain_name(column))
                if meaning:
                    found.setdefault(meaning, []).append((step, column, scope))
        return found

    def _vary(self, step: Vary | Replace, before: Scope) -> None:
        """Makes what varies, and all that is made of it, mean definitions that others do not see."""
        if self.objects and isinstance(step, Replace):
            raise ConfigError(
                "frames that were opened with objects have no values of one variation, as the objects would not follow: "
                "histograms and numbers of the frame itself have those of all"
            )
        self._check_objects_follow()
        of_columns: dict[str, Meaning] = {}
        of_definitions: dict[Meaning, str] = {}
        now: dict[Meaning, Meaning] = {}
        for column in step.columns if isinstance(step, Vary) else step.replaced:
            name = before.own_name(plain_name(column))
            old = before.means.get(name)
            if old and isinstance(step, Vary):
                of_definitions[old] = column
                continue
            alias_of_samples = None if old else self._spellings.alias_in_some_samples(name)
            if alias_of_samples:
                raise ConfigError(
                    f'frames cannot vary "{column}" behind a filter, or have its values of one variation: the alias '
                    f'"{alias_of_samples}" is another column in each sample, and would not follow'
                )
            if not old and name in self._others and not self.is_column(name):
                raise ConfigError(
                    f'frames cannot vary "{column}" behind a filter, or have its values of one variation: it is no column, but '
                    "metadata or an alias of the tree. Define it with another name"
                )
            alias = _one(_stand_in(step, column, name, old, before))
            self._name_all(alias.needs())
            self._add(name, alias)
            if old:
                now[old] = alias
            else:
                of_columns[name] = alias
        varied = before._varied_definitions()
        for meaning in before.all:
            # Functions see no columns, and what their parameters are called says nothing.
            for text, means in () if meaning.is_function else meaning.texts():
                self._check_tree_aliases_follow(
                    (name for name in mentioned(text) if name not in means), of_columns
                )
                self._check_all_follows(text, means, of_columns)
            again = (
                meaning
                if meaning in now or meaning.is_function
                else _moved(meaning, now, lambda name: of_columns.get(before.own_name(name)))
            )
            if again is not meaning:
                self._name(again)
                for each, column, scope in varied.get(meaning, ()):
                    # What varied before varies where it is made of something else, too.
                    again = _one(_stand_in_for(again, each, column, scope))
                    self._name_all(again.needs())
                    self._name(again)
            if isinstance(step, Vary) and meaning in of_definitions:
                # Of what it is made of now, which later variations may be of.
                again = _one(_stand_in_for(again, step, of_definitions[meaning], before))
                self._name_all(again.needs())
                self._name(again)
            if again is meaning:
                continue
            now[meaning] = again
            if before.means.get(meaning.name) is meaning:
                self._add(meaning.name, again)
        self.weights = tuple(now.get(each, each) for each in self.weights)


def _stand_in_for(meaning: Meaning, step: Vary, column: str, scope: Scope) -> Meaning:
    """What stands for a definition that a variation replaces, and that is made of something else than in its scope."""
    made = Meaning(meaning.kind, meaning.name, column, dict.fromkeys(scope.meanings_in(column), meaning))
    made.varied_by = step
    if meaning.kind == "weight":  # those of data are 1 unless a sample has its own
        made.of_samples = dict.fromkeys(meaning.of_samples, (column, made.means))
    for variation, replaced in step.replacements.items():
        if column in replaced:
            made.replacements[variation] = (replaced[column], scope.meanings_in(replaced[column]))
    return made


def _stand_in(step: Vary | Replace, column: str, name: str, old: Meaning | None, before: Scope) -> Meaning:
    """What stands for a column behind a step that varies or replaces it."""
    kind = old.kind if old else "define"
    if isinstance(step, Replace):
        text = step.replaced[column]
        means = before.meanings_in(text) if kind == "weight" else _defined(text, before, step.data)
        made = Meaning(kind, name, text, means)
        if old and kind == "weight":  # those of data are 1 unless a sample has its own
            made.of_samples = dict.fromkeys(old.of_samples, (text, means))
        made.of_samples |= {sample: (column, before.meanings_in(column)) for sample in step.nominal_in}
        return made
    made = Meaning(kind, name, column, before.meanings_in(column))
    made.varied_by = step
    for variation, replaced in step.replacements.items():
        if column in replaced:
            made.replacements[variation] = (replaced[column], before.meanings_in(replaced[column]))
    return made


def _defined(text: str, before: Scope, data: Iterable[str]) -> dict[str, Meaning]:
    """What the names in an expression mean as that of a definition, which is made of no factors of the weight."""
    return {name: _as_definition(each, data) for name, each in before.meanings_in(text).items()}


def _as_definition(meaning: Meaning, data: Iterable[str]) -> Meaning:
    """A definition that has the value of a factor of the weight; what is no factor as it is."""
    if meaning.kind != "weight":
        return meaning

    def defined(means: Mapping[str, Meaning]) -> dict[str, Meaning]:
        return {name: _as_definition(each, data) for name, each in means.items()}

    made = Meaning("define", meaning.name, meaning.text, defined(meaning.means))
    made.of_samples = {sample: ("1.", {}) for sample in data}
    made.of_samples.update((key, (text, defined(means))) for key, (text, means) in meaning.of_samples.items())
    return _one(made)


def _moved(
    meaning: Meaning, now: Mapping[Meaning, Meaning], of_column: Callable[[str], Meaning | None]
) -> Meaning:
    """Returns what a meaning is where others, and columns, mean something else."""

    def moved(text: str, means: Mapping[str, Meaning]) -> dict[str, Meaning]:
        found = {name: now.get(each, each) for name, each in means.items()}
        for name in mentioned(text):
            column = of_column(name)
            if column and name not in means:
                found[name] = column
        return found

    again = Meaning(meaning.kind, meaning.name, meaning.text, moved(meaning.text, meaning.means))
    again.varied_by = meaning.varied_by
    for theirs, mine in ((meaning.of_samples, again.of_samples), (meaning.replacements, again.replacements)):
        mine.update((key, (text, moved(text, means))) for key, (text, means) in theirs.items())
    before, after = list(meaning.needs()), list(again.needs())
    return meaning if before == after else _one(again)


def _function(step: Function | Correction | Model, scope: Scope) -> Meaning:
    if isinstance(step, (Correction, Model)):
        made = Meaning("model" if isinstance(step, Model) else "correction", step.name, "", {})
        made.described, made.compiled = step.described, step.compiled
        return _one(made, step)
    if step.compiled is not None:
        made = Meaning("external", step.name, "", {})
        made.compiled, made.origin = step.compiled, step.origin
        return _one(made, step)
    made = Meaning("function", step.name, step.body, scope.meanings_in(step.body))
    made.means = {name: each for name, each in made.means.items() if each.is_function}
    made.signature = step.signature.strip()
    return _one(made)


def plain_name(column: str) -> str:
    """The name in back-quotes, or the text."""
    return column[1:-1].replace("``", "`") if column.startswith("`") else column
