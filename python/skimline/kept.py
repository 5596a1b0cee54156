# SPDX-License-Identifier: BSD-3-Clause
"""Objects that stay themselves when they are pickled and copied: what is compared by identity."""

from __future__ import annotations

import os
from _thread import allocate_lock
from typing import Any, TypeVar
from weakref import WeakValueDictionary

__all__ = ["Kept"]

_Kind = TypeVar("_Kind", bound="Kept")


class Kept:
    """An immutable object of which a process has no copies.

    Its pickle, loaded where it lives, is the object itself; loaded elsewhere, it is one object however often.
    """

    _mark: str = ""

    def _recipe(self) -> tuple[Any, ...]:
        """What `_of_recipe` makes it of in another process."""
        raise NotImplementedError

    @classmethod
    def _of_recipe(cls: type[_Kind], *recipe: Any) -> _Kind:
        return cls(*recipe)

    def __reduce__(self) -> tuple[Any, ...]:
        with _lock:
            if not self._mark:
                self._mark = os.urandom(16).hex()
                _living[self._mark] = self
        return _restored, (type(self), self._mark, self._recipe())


_living: WeakValueDictionary[str, Kept] = WeakValueDictionary()
_lock = allocate_lock()


def _restored(kind: type[_Kind], mark: str, recipe: tuple[Any, ...]) -> Kept:
    with _lock:
        living = _living.get(mark)
    if living is not None:
        return living
    made = kind._of_recipe(*recipe)
    made._mark = mark
    with _lock:
        return _living.setdefault(mark, made)
