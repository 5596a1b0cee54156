# SPDX-License-Identifier: BSD-3-Clause
"""Which meanings of names a config must have for what is booked on frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skimline.events import Events, Request, Samples
from skimline.kept_columns import keeps_weight, kept_columns
from skimline.scope import Meaning, Scope, plain_name
from skimline.steps import Filter, Vary

__all__ = ["needed_meanings", "takes_weights"]


def needed_meanings(
    scopes: Mapping[Events, Scope],
    booked: Sequence[Request],
    filters: Mapping[Filter, Scope],
    varied: Sequence[tuple[Vary, Scope]],
    expressions: Sequence[str] = (),
    *,
    has_variations: bool = True,
) -> set[Meaning]:
    """Returns those that bookings, filters, variations and expressions of the first frame need, and what these need."""
    return _Need(scopes, booked, filters, varied).found(expressions, has_variations)


class _Need:
    """The meanings that are known to be needed."""

    def __init__(
        self,
        scopes: Mapping[Events, Scope],
        booked: Sequence[Request],
        filters: Mapping[Filter, Scope],
        varied: Sequence[tuple[Vary, Scope]],
    ) -> None:
        self._scopes, self._booked, self._filters, self._varied = scopes, booked, filters, varied
        self._needed: set[Meaning] = set()

    def found(self, expressions: Sequence[str], has_variations: bool) -> set[Meaning]:
        """All of them."""
        frame, first = next(iter(self._scopes.items()))
        for text in (*_texts_of_objects(frame.samples), *expressions):
            self._need(first.meanings_in(text).values())
        for _, means in first.sum_weights.values():
            self._need(means.values())
        for condition, scope in self._filters.items():
            self._need(scope.meanings_in(condition.expression).values())
        for booking in self._booked:
            scope = self._scopes[booking.frame]
            if booking._section == "skims":
                self._need(kept_columns(booking._described, scope).values())
                if keeps_weight(booking._described, scope):
                    self._need(scope.weights)
            for expression in _filled_expressions(booking._described):
                self._need(scope.meanings_in(expression).values())
            if takes_weights(booking):
                self._need(scope.weights)
        for step, scope in self._varied:
            for column in step.columns:
                meaning = scope.meaning_of(plain_name(column))
                # Columns vary whether they are named or not, definitions if something needs them.
                if meaning is None or (self._booked and step.allow_unchanged):
                    self._need([meaning] if meaning else [])
                    self._need_replacements(step, scope, column)
        if self._booked and has_variations:
            self._need(self._allowed_stand_ins())
        while self._add_replacements():
            pass
        return self._needed

    def _allowed_stand_ins(self) -> Iterable[Meaning]:
        """What only some of what is run has varied, and may need or not: that has the variation all the same."""
        for scope in self._scopes.values():
            for meaning in scope.all:
                if meaning.varied_by and meaning.varied_by.allow_unchanged:
                    yield meaning

    def _need(self, meanings: Iterable[Meaning]) -> None:
        waiting = list(meanings)
        while waiting:
            meaning = waiting.pop()
            if meaning not in self._needed:
                self._needed.add(meaning)
                waiting += meaning.needs()

    def _need_replacements(self, step: Vary, scope: Scope, column: str) -> None:
        for expression in step.expressions_for(column):
            self._need(scope.meanings_in(expression).values())

    def _add_replacements(self) -> bool:
        """Adds what replaces needed definitions needs itself; returns whether that was new."""
        before = len(self._needed)
        for step, scope in self._varied:
            for column in step.columns:
                if scope.meaning_of(plain_name(column)) in self._needed:
                    self._need_replacements(step, scope, column)
        return len(self._needed) > before


def _texts_of_objects(samples: Samples) -> Iterable[str]:
    for each in samples.described.get("objects", {}).values():
        yield from (each[key] for key in ("where", "sort") if key in each)


def _filled_expressions(described: Mapping[str, Any]) -> list[str]:
    """The expressions in what a config says of a histogram or a skim."""
    axes = [described[key] for key in ("x", "y", "z", "profile") if key in described]
    axes += described.get("axes", [])
    weights = [described["weight"]] if "weight" in described else []
    further = [*described.get("weight_variations", {}).values(), *described.get("columns", {}).values()]
    further += [described["where"]] if "where" in described else []
    masks = described.get("thin", {}).values()
    further += [mask["where"] if isinstance(mask, Mapping) else mask for mask in masks]
    return [each["value"] for each in axes] + weights + further


def takes_weights(booking: Request) -> bool:
    """Whether a histogram is filled with the weight of the event, as it says nothing else."""
    described = booking._described
    return booking._section == "histograms" and "weight" not in described and described.get("type") != "int"
