# SPDX-License-Identifier: BSD-3-Clause
"""Events whose expressions are checked against the columns of all samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from skimline.arguments import checked_text
from skimline.errors import ExpressionError, SchemaError
from skimline.events import Events
from skimline.hints import first_few, hinting
from skimline.scope import EVENT_WEIGHT, Scope, plain_name

__all__ = ["CheckedEvents"]

Result = TypeVar("Result")

_SIGNED = {f"std::int{bits}_t" for bits in (8, 16, 32, 64)}
_LISTS = re.compile("(?:lists? of )*")


class CheckedEvents(Events):
    """Events that know the types of expressions. Frames are such."""

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

    def _described_columns(self) -> list[tuple[str, str, str]]:
        """Name, type and description of columns that all samples have, and of definitions."""
        first, *others = self._samples.columns
        common = [{name for name, _, _ in each.columns} for each in others]
        columns = {
            plain_name(column[0]): column
            for column in first.columns
            if all(column[0] in names for names in common)
        }
        scope = self.scope
        made = {
            name: each for name, *each in first.definitions(*self._known(scope, 0), **self._external(scope))
        }
        for name, meaning in scope.means.items():
            if not meaning.is_function and not (name in columns and meaning.varied_by):
                of_type, text = made[scope.names[meaning]]
                columns.pop(name, None)
                columns[name] = (columns[name][0] if name in columns else name, of_type, text)
        return list(columns.values())

    def _known(self, scope: Scope, number: int) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Functions and definitions so far, as pairs, as a sample has them."""
        definitions = self._samples.definitions(scope, number)
        if scope.weights:
            definitions.append((EVENT_WEIGHT, " * ".join(scope.names[each] for each in scope.weights)))
        return list(scope.functions), definitions

    def _external(self, scope: Scope) -> dict[str, Any]:
        """Functions that are no expressions, as a keyword of those who check expressions."""
        return {"external": list(scope.external)}

    def _check(self, expression: Any, what: str = "an expression") -> str:
        """Returns the text of an expression; throws ExpressionError for mistakes in it."""
        text, scope = checked_text(expression, what), self.scope
        self._types_of(text, scope)
        return text

    def _check_numbers(self, expression: Any, what: str, written: str = "") -> str:
        """The same of an expression that has to be of numbers; throws SchemaError for texts and Lorentz vectors."""
        text, scope = checked_text(expression, what), self.scope
        for kind in self._types_of(text, scope):
            if "string" in kind or "Lorentz" in kind:
                raise SchemaError(f'{what} needs numbers: "{written or text}" is {kind}')
        return text

    def _types_of(self, text: str, scope: Scope) -> list[str]:
        """The type of an expression for each sample."""
        with hinting(text):
            return self._for_samples(lambda number: self._type_in(number, scope, text))

    def _type_in(self, number: int, scope: Scope, text: str) -> str:
        """The type of an expression for one sample."""
        columns = self._samples.columns[number]
        return columns.type_of(*self._known(scope, number), scope.text(text), **self._external(scope))

    def _for_samples(self, check: Callable[[int], Result]) -> list[Result]:
        """What comes of a check of each sample by its number; a mistake that only some have names the first of them."""
        results, mistakes = [], {}
        for number, name in enumerate(self._samples.names):
            try:
                results.append(check(number))
            except ExpressionError as error:
                mistakes[name] = error
        for name, mistake in mistakes.items():
            if results:
                hint = self._default_for(mistake)
                mistake.args = (f'{mistake} for the sample "{name}"{hint}', *mistake.args[1:])
            raise mistake
        return results

    def _default_for(self, error: ExpressionError) -> str:
        """What to do about a column that files of other samples have."""
        missing = error.text.encode()[error.offset : error.offset + error.length].decode(errors="replace")
        for columns in self._samples.columns:
            if any(plain_name(name) == missing for name, _, _ in columns.columns):
                return f": open(..., defaults={{'{missing}': ...}}) says what it is where it is missing"
        return ""

    def _check_one_type(self, outputs: Mapping[str, str], samples: Sequence[int]) -> None:
        """Throws SchemaError for what has no common type in samples of which one array is made."""
        for name, text in outputs.items():
            kinds = [self._type_in(each, self.scope, text) for each in samples]
            plain = {kind.rpartition(" ")[2] for kind in kinds}
            if len({_shape(kind) for kind in kinds}) > 1 or ("std::uint64_t" in plain and plain & _SIGNED):
                types = first_few(
                    [f'{kind} in "{self._samples.names[each]}"' for each, kind in zip(samples, kinds)]
                )
                raise SchemaError(f'"{name}" has no type that holds the values of all samples: it is {types}')

    def _check_condition(self, expression: Any) -> str:
        text, scope = checked_text(expression, "a condition"), self.scope

        def check(number: int) -> None:
            columns, known = self._samples.columns[number], self._known(scope, number)
            columns.check_condition(*known, scope.text(text), **self._external(scope))

        with hinting(text):
            self._for_samples(check)
        return text

    def _check_definition(self, name: str, expression: Any, *, is_factor: bool = False) -> str:
        """The same of a definition of a name that is free, in the texts that samples have for it too."""
        text, scope = checked_text(expression, f'the definition "{name}"'), self.scope
        own = name if name not in scope.names.values() or name in scope.means else "checked_"
        texts = self._texts_of_samples(name, text, is_factor)

        def check(number: int) -> None:
            columns, known = self._samples.columns[number], self._known(scope, number)
            with hinting(texts[number]):
                columns.check_definition(*known, own, scope.text(texts[number]), **self._external(scope))

        self._for_samples(check)
        return text

    def _texts_of_samples(self, name: str, text: str, is_factor: bool) -> list[str]:
        """What stands for a definition in each sample. Factors of data are 1 unless they have their own."""
        own = {
            sample: {**each.get("weights", {}), **each.get("define", {})}
            for sample, each in self._samples.overrides.items()
        }
        data = self._samples.data() if is_factor else ()
        return [own.get(each, {}).get(name, "1." if each in data else text) for each in self._samples.names]


def _shape(kind: str) -> tuple[str, str]:
    """Lists around it, and whether they are of texts, numbers or vectors."""
    end = _LISTS.match(kind).end()  # type: ignore[union-attr]  # it matches nothing, too
    lists, plain = kind[:end], kind[end:]
    return lists, "number" if plain.startswith("std::") or plain in ("bool", "float", "double") else plain
