# SPDX-License-Identifier: BSD-3-Clause
"""Events of files as a lazy frame: columns are defined, events filtered, results booked; nothing is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from typing import Any, Callable, NoReturn, Union, overload

from skimline._core import did_you_mean, is_reserved, problem_of_new_name
from skimline.argument_types import checked
from skimline.arguments import checked_text
from skimline.bookable import BookableEvents
from skimline.columns import Column, column_named, names_to_complete
from skimline.composition import compose
from skimline.config import OPENED, resolved_config
from skimline.display import frame_as_html, frame_as_text
from skimline.entry_ranges import entries_between
from skimline.errors import ConfigError, ExpressionError, SchemaError
from skimline.events import Samples
from skimline.hints import first_few, hint_for_attribute, misused_as_key
from skimline.origins import CompiledFunction, PythonFunction
from skimline.rewriting import mentioned
from skimline.scope import EVENT_WEIGHT, Scope, free_name, plain_name
from skimline.steps import (
    Correction,
    Define,
    Filter,
    Function,
    Model,
    Origin,
    Step,
    SumWeights,
    Vary,
    Weight,
    name_in,
)
from skimline.sum_weights import sum_weights_of, with_sum_weights
from skimline.variations import Replacements, check_samples, checked_variation

__all__ = ["Frame"]

Text = Union[str, Column]
"""An expression."""

_NOT_GIVEN: Any = ...


class Frame(BookableEvents):
    """Events, lazily: each method returns a new frame or books a result, and reads no event.

    Names and expressions are checked at once: ExpressionError and SchemaError are thrown where the mistake is.
    A frame never changes and may be used from several threads.
    """

    @property
    def num_entries(self) -> int:
        """Events of all samples before any filter."""
        return sum(columns.num_entries for columns in self._samples.columns)

    @checked
    def function(
        self, signature: str, function: Any, *, form: str | None = None, types: str | None = None
    ) -> Frame:
        """Returns a frame whose expressions may call a function.

        Either an expression of its parameters, `function("central(pt, eta)", "pt > 30 && abs(eta) < 2.4")`,
        which is typed for each call or has C++'s types, `function("float ratio(float a, float b)", "a / b")`, or a compiled function by its name: `function("smear", f)` with a
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
            scope = self._check_new_function(name_in(signature))
            for number, columns in enumerate(self._samples.columns):
                columns.check_function(
                    *self._known(scope, number), signature, scope.text(function), **self._external(scope)
                )
            return self._with(Function(signature, function))
        self._check_new_function(signature)
        return self._with_origin(signature, CompiledFunction(signature, function, types, form))

    @checked
    def define(
        self,
        name: str,
        expression: Text | Callable[..., Any],
        *,
        columns: str | Sequence[str] = (),
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
        self._check_new_value(name, "a definition")
        if callable(expression) and not hasattr(expression, "_expression_text"):
            return self._define_by_call(name, expression, columns, returns)
        if columns:
            raise ConfigError(f'the definition "{name}" is an expression: it names its columns itself')
        self._check_weights_unused(expression, f'the definition "{name}"')
        return self._with(Define(name, self._check_definition(name, expression)))

    @checked
    def redefine(self, name: str, expression: Text) -> Frame:
        """Returns a frame in which a column or definition has other values: those of an expression, which may name it.

        What was made before keeps the values that it had; what is defined, filtered and booked on this frame has the new ones.

        >>> events = sk.open("dimuon.root:Events")
        >>> scaled = events.redefine("MET_pt", "MET_pt * 2")
        >>> scaled.filter("MET_pt > 100").count() == events.filter("MET_pt > 50").count()
        True
        """
        scope = self.scope
        plain = scope.own_name(plain_name(checked_text(name, "the name of what is defined anew")))
        if plain not in scope.columns and (plain not in scope.means or scope.means[plain].is_function):
            raise SchemaError(f'there is no "{plain}" to be defined anew' + did_you_mean(plain, self.columns))
        self._check_weights_unused(expression, f'the definition "{plain}"')
        return self._with(Define(plain, self._check(expression)))

    @checked
    def alias(self, name: str, column: Text) -> Frame:
        """Returns a frame with another name for a column: `define(name, column)`.

        >>> sk.open("dimuon.root:Events").alias("met", "MET_pt").types["met"]
        'float'
        """
        return self.define(name, column)

    @checked
    def weight(self, name: str, expression: Text) -> Frame:
        """Returns a frame with one more factor of the weight of events, `weight_`, which is the product of all.

        Histograms that have no `weight` take it. Factors are as the `weights` of a config: of samples with
        `is_data` they are 1 unless these have their own, filters and values may name them, definitions may not.
        `normalisation_`, for frames that were opened with `luminosity_pb`, is one.

        >>> events = sk.open("dimuon.root:Events").weight("generator", "genWeight")
        >>> met = events.hist("MET_pt", bins=50, range=(0, 200))
        >>> sk.run(met).is_complete, met.result.storage
        (True, 'weighted')
        """
        self._check_new_value(name, "a factor")
        if EVENT_WEIGHT in mentioned(checked_text(expression, f'the factor "{name}"')):
            raise ConfigError(
                f'the factor "{name}" cannot be made of {EVENT_WEIGHT}, which is the product of all'
            )
        text = self._check_definition(name, expression, is_factor=True)
        made = self._with(Weight(name, text))
        made._check_numbers(name, f'the factor "{name}"', text)
        for kind in made._types_of(name, made.scope):
            if "list" in kind:
                raise SchemaError(
                    f'the factor "{name}" must be one number per event: "{text}" is {kind} (use Product)'
                )
        return made

    @checked
    def correction(
        self,
        name: str,
        file: str | PathLike[str],
        correction: str | None = None,
        *,
        checksum: str | None = None,
        inputs: Mapping[str, str | float] | None = None,
    ) -> Frame:
        """Returns a frame whose expressions may call a correction in a file of correctionlib.

        Its arguments are the inputs of the correction, in its order, without those that `inputs` has values for.
        `correction` is its name in the file, `name` unless given; `checksum` is what the file must be, "adler32:" and 8 digits.
        """
        _check_name(name, "a correction")
        described: dict[str, Any] = {"file": fspath(file), "correction": correction or name}
        if checksum is not None:
            described["checksum"] = checksum
        if inputs:
            described["inputs"] = dict(inputs)
        self._check_new_function(name, "a correction")
        made = self._with(Correction(name, described))
        made._check("true")  # the name may be taken
        return made

    @checked
    def model(
        self,
        name: str,
        file: str | PathLike[str],
        inputs: Sequence[str] | None = None,
        *,
        output: str | int | None = None,
        element: int | None = None,
        checksum: str | None = None,
    ) -> Frame:
        """Returns a frame whose expressions may call a trained model in a file of ONNX, which onnxruntime evaluates.

        Its arguments are numbers, or lists of them, in the order of `inputs`: names of what the model takes for each
        object. `output` is which one of several outputs, `element` which number of it; `checksum` is what the file must be,
        "adler32:" and 8 digits. See `models` in the config.
        """
        _check_name(name, "a model")
        given = {
            "checksum": checksum,
            "inputs": None if inputs is None else list(inputs),
            "output": output,
            "element": element,
        }
        described = {"file": fspath(file), **{key: each for key, each in given.items() if each is not None}}
        self._check_new_function(name, "a model")
        made = self._with(Model(name, described))
        made._check("true")  # the name may be taken
        return made

    @checked
    def filter(self, expression: Text, name: str | None = None) -> Frame:
        """Returns a frame with the events for which a condition is true.

        `name` is shown in the cutflow, where it is unique; the expression itself unless given. Expressions
        behind it are computed for these events only: `Muon_pt[0]` is safe behind `nMuon > 0`.

        >>> events = sk.open("dimuon.root:Events")
        >>> events.filter("nMuon == 2", name="two muons").count()
        5234
        """
        text = self._check_condition(expression)
        return self._with(
            Filter(checked_text(name, "the name of a filter") if name is not None else text, text)
        )

    @checked
    def range(self, start: int, stop: int | None = _NOT_GIVEN) -> Frame:
        """Returns a frame with a part of the entries of each sample, by their number from 0: `range(stop)` or `range(start, stop)`,
        of which None is behind the last.

        It is a filter of the cutflow; columns of other entries are not read. `limit_events` of a run counts from the first
        entry of the sample all the same.

        >>> sk.open("dimuon.root:Events").range(100, 300).count()
        200
        """
        first, last = (0, start) if stop is _NOT_GIVEN else (start, stop)
        return self._with(entries_between(first, last))

    @checked
    def in_variation(self, name: str) -> Frame:
        """Returns the frame of one of its variations: what is made of it has the values of that, and varies no more.

        >>> events = sk.open("dimuon.root:Events").vary("scale", {"MET_pt": {"up": "MET_pt * 2"}})
        >>> events.in_variation("scale_up").filter("MET_pt > 100").count() == events.filter("MET_pt > 50").count()
        True
        """
        return Frame(self._samples, self._of_variation(name).steps)

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_"):
            raise AttributeError(name)
        column = column_named(name, self.scope)
        if column is None:
            hint = hint_for_attribute(name)
            known = [each for each in dir(self) if each[0] != "_"]
            raise AttributeError(
                f'a frame has no "{name}"' + (f" (that is {hint})" if hint else did_you_mean(name, known))
            )
        return column

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: slice | Column) -> Frame: ...
    def __getitem__(self, key: str | slice | Column) -> Column | Frame:
        """Returns a column or expression by its text, or a frame: of a part of the entries, or of those that pass a condition.

        >>> events = sk.open("dimuon.root:Events")
        >>> events["MET_pt"] * 2 > 50
        MET_pt * 2 > 50
        >>> events.Muon[events.Muon.pt > 20].eta
        Muon_eta[Muon_pt > 20]
        >>> events[events.nMuon == 2].count(), events[:300].count()
        (5234, 300)
        """
        if isinstance(key, str):
            column = column_named(key, self.scope)
            return Column(f"({self._check(key)})") if column is None else column
        if isinstance(key, slice):
            if key.step is not None:
                raise ConfigError("entries are taken without a step")
            return self.range(key.start or 0, key.stop)
        if not isinstance(key, Column):
            raise TypeError(misused_as_key(key))
        return self.filter(key)

    def __setitem__(self, key: object, value: object) -> None:
        raise TypeError(
            f"a frame never changes: frame = frame.define({key!r}, ...) is one with a column more"
        )

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(
                f"a frame never changes: frame = frame.define({name!r}, ...) is one with a column more"
            )
        super().__setattr__(name, value)

    def __contains__(self, name: object) -> bool:
        """Whether there are columns, a definition or objects of that name."""
        return isinstance(name, str) and column_named(name, self.scope) is not None

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "a frame is not read event by event: arrays(columns) has all, iterate(columns) part by part"
        )

    def __array__(self, *options: object, **more: object) -> NoReturn:
        raise TypeError(
            "a frame is no array: arrays(columns) reads it, as arrays of numpy or a table with library='np' or 'pd'"
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *names_to_complete(self.scope)]

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    @partial(checked, own=("columns",))
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
        never combined. Filters that come after follow too, those before do not. What is run together may
        have different variations. `samples` are patterns of the samples that have it, all unless given.

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
        step = checked_variation(name, columns, samples, allow_unchanged)
        check_samples(step, self._samples.names)
        taken = [each for each in step.replacements if each in self.variations]
        if taken or any(each.name == name for each in self._varied()):
            raise ConfigError(f'two variations are called "{taken[0] if taken else name}"')
        step = step.one_of_equal(self._seen_by(step))
        made = self._with(step)
        for number, sample in enumerate(self._samples.names):
            if self._samples.may_vary(sample) and step.is_for(sample):
                for each, replaced in step.replacements.items():
                    self._check_variation(number, made.scope, each, replaced)
        return made

    def _seen_by(self, step: Vary) -> tuple[Any, ...]:
        """What names of a variation mean, each behind its name, and the variations before it, which others may follow."""
        scope, seen = self.scope, list[Any](self._varied())
        for column in step.columns:
            seen += [column, scope.meaning_of(plain_name(column))]
            for text in step.expressions_for(column):
                for name, meaning in scope.meanings_in(text).items():
                    seen += [name, meaning]
        return tuple(seen)

    def _check_variation(self, number: int, scope: Scope, name: str, replaced: Mapping[str, str]) -> None:
        def own(column: str) -> str:
            meaning = scope.meaning_of(plain_name(column))
            return scope.names[meaning] if meaning else column

        pairs = [(own(column), self.scope.text(text)) for column, text in replaced.items()]
        opened = self._samples.columns[number]
        opened.check_variation(*self._known(scope, number), name, pairs, **self._external(scope))

    @classmethod
    @checked
    def from_config(
        cls, config: str | PathLike[str] | Mapping[str, Any], *, sets: Sequence[str] = ()
    ) -> Frame:
        """Returns the events that pass all of `select` of a config, with its definitions, weights and variations.

        `config` is a file, or an object whose paths are relative to the working folder; `sets` are settings,
        "path.to.key=value". `skimline.book` books the histograms and skims of a config, too.

        >>> frame = sk.Frame.from_config({
        ...     "schema_version": 1,
        ...     "samples": {"dimuon": {"files": ["dimuon.root"]}},
        ...     "define": {"double_met": "MET_pt * 2"},
        ...     "select": [{"name": "two muons", "where": "nMuon == 2"}],
        ... })
        >>> frame.count(), frame.types["double_met"]
        (5234, 'float')
        """
        return cls._at_steps(resolved_config(config, sets))[-1]

    @classmethod
    def _at_steps(cls, resolved: Mapping[str, Any]) -> list[Frame]:
        """The events of a config behind each step of `select`, first those before all."""
        opened = {key: resolved[key] for key in OPENED if key in resolved}
        sums = sum_weights_of(opened)
        frame = cls(Samples(with_sum_weights(opened, dict.fromkeys(sums, "1"))), ())
        for name, each in resolved.get("corrections", {}).items():
            frame = frame.correction(name, **each)
        for name, each in resolved.get("models", {}).items():
            frame = frame.model(name, **each)
        for signature, body in resolved.get("functions", {}).items():
            frame = frame.function(signature, body)
        if "redefine" in resolved and "objects" in resolved:
            raise ConfigError(
                'no frames can be made of a config with "redefine" beside "objects": these are made of what is redefined, '
                "and objects of frames of what the files have. run_config() runs it as it is"
            )
        for name, text in resolved.get("redefine", {}).items():
            original = Define(f"original_{plain_name(name)}".replace(".", "_"), name)
            frame = frame._with(original).redefine(name, text)
        for name, text in resolved.get("define", {}).items():
            frame = frame.define(name, text)
        for name, text in resolved.get("weights", {}).items():
            frame = frame.weight(name, text)
        frame._check_lumi_masks_follow()
        if sums:
            frame = frame._with(SumWeights(sums))
        for name, each in resolved.get("variations", {}).items():
            frame = frame.vary(
                name,
                {**each.get("columns", {}), **each.get("weights", {})},
                samples=each.get("samples"),
                allow_unchanged=each.get("allow_unchanged", False),
            )
        frames = [frame]
        for step in resolved.get("select", []):
            frames.append(frames[-1].filter(step["where"], name=step["name"]))
        return frames

    def to_config(self) -> dict[str, Any]:
        """Returns the config that counts the events after each filter: samples, definitions, filters.

        >>> sk.open("dimuon.root:Events").filter("nMuon == 2", name="two muons").to_config()["select"]
        [{'name': 'two muons', 'where': 'nMuon == 2'}]
        """
        return compose((), frames=(self,), expressions=self.columns).alone()

    def __repr__(self) -> str:
        names = self._samples.names
        which = f"{len(names)} samples: {first_few(names)}; " if len(names) > 1 else ""
        filters = f", {len(self.filters)} filters" if self.filters else ""
        entries = f"{self.num_entries:,}".replace(",", " ")
        return f"<Frame of {which}{entries} events, {len(self.columns)} columns{filters}>"

    def __str__(self) -> str:
        return frame_as_text(self, self._described_columns())

    def _repr_html_(self) -> str:
        return frame_as_html(self, self._described_columns())

    def _with(self, step: Step) -> Frame:
        made = Frame(self._samples, (*self._steps, step))
        made._scope = self.scope.behind(step, lambda _: True)
        return made

    def _check_lumi_masks_follow(self) -> None:
        """Throws ConfigError if a luminosity mask would have to look at other numbers than those of the files."""
        if not any("lumi_mask" in each for each in self._samples.described.get("samples", {}).values()):
            return
        for name in ("run", "luminosityBlock"):
            if self.scope.meaning_of(name):
                raise ConfigError(
                    f'frames have no luminosity mask of values of "{name}" that are defined anew: it takes those of the files'
                )

    def _without_function(self, name: str) -> Scope:
        """What names mean; throws SchemaError if there is a function of that name."""
        meaning = self.scope.means.get(name)
        if meaning and meaning.is_function:
            raise SchemaError(f'there is a function "{name}" already')
        return self.scope

    def _check_new_value(self, name: str, what: str) -> None:
        """Throws SchemaError and ConfigError for a name that no column can have."""
        _check_name(name, what)
        meaning = self.scope.means.get(name)
        # What Python functions of definitions are called, nobody has said.
        if meaning and not isinstance(meaning.origin, PythonFunction):
            self._without_function(name)

    def _check_new_function(self, name: str, what: str = "a function") -> Scope:
        """What names mean; throws SchemaError and ConfigError for a name that no function can have."""
        if is_reserved(name):
            _check_name(name, what)
        scope = self._without_function(name)
        meaning = scope.meaning_of(name)
        if (meaning and not meaning.is_function) or (meaning is None and scope.is_column(name)):
            is_column = meaning is None or scope.is_column(name)
            raise SchemaError(
                f'"{name}" cannot name {what}: there is a {"column" if is_column else "definition"} "{name}" already'
            )
        return scope

    def _with_origin(self, name: str, origin: Origin) -> Frame:
        made = self._with(Function(name, origin=origin))
        made._check("true")  # the name may be taken
        return made

    def _define_by_call(
        self, name: str, function: Callable[..., Any], columns: Iterable[str], returns: str
    ) -> Frame:
        arguments = (
            [columns] if isinstance(columns, str) else [checked_text(each, "a column") for each in columns]
        )
        if not arguments:
            raise ConfigError(
                f'the definition "{name}" is a function: say what it is called with, columns=[...]'
            )
        scope = self.scope
        called = free_name(f"{name}_of", lambda each: each in scope.means or scope.is_column(each))
        described = f'the function of "{name}"'
        made = self._with_origin(called, PythonFunction(called, described, function, len(arguments), returns))
        try:
            return made.define(name, f"{called}({', '.join(arguments)})")
        except ExpressionError as error:
            _, refusal, types = error.problem.partition(" does not take ")
            if not refusal:
                raise
            raise SchemaError(
                f'the function of "{name}" cannot be called with {", ".join(arguments)}, which are of the types {types}: '
                "it takes numbers, bools, and lists of them"
            ) from None

    def _check_weights_unused(self, expression: Any, what: str) -> None:
        """Definitions come before weights: a config has them in this order."""
        for meaning in self.scope.meanings_in(checked_text(expression, what)).values():
            if meaning.kind == "weight":
                raise ConfigError(
                    f'{what} cannot be made of the factor "{meaning.name}" of the weight: define what both need'
                )


def _check_name(name: str, what: str) -> None:
    problem = problem_of_new_name(checked_text(name, f"the name of {what}"), what)
    if problem:
        raise ConfigError(problem)
