# SPDX-License-Identifier: BSD-3-Clause
"""How functions that are no expressions come to be, here and in other processes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Callable

from skimline.errors import ConfigError

__all__ = ["CompiledFunction", "PythonFunction"]


class PythonFunction:
    """A function of Python for batches of events, of which messages say what it is. Its pickle is that of the function."""

    def __init__(
        self, name: str, described: str, function: Callable[..., Any], num_parameters: int, returns: str
    ) -> None:
        self.described = described
        self._values: tuple[Any, ...] = (name, described, function, num_parameters, returns)

    def make(self, name: str | None = None) -> Any:
        """Returns what the engine calls, by another name if one is given."""
        from skimline.functions import described_function

        own, *values = self._values
        return described_function(name or own, *values)

    def check_not_under_way(self) -> None:
        """Throws ConfigError if this thread is in a call of the function, for which a job would wait."""
        from skimline.functions import check_not_under_way

        check_not_under_way(self.described, self._values[2])


class CompiledFunction:
    """A compiled function. Its pickle says in which module it is, as that of a plain function does."""

    def __init__(self, name: str, function: Any, types: str | None, form: str | None) -> None:
        self.described = f'"{name}"'
        self._name = name
        self._function = function
        self._types = types
        self._form = form

    def make(self, name: str | None = None) -> Any:
        """Returns what the engine calls, by another name if one is given."""
        from skimline.functions import compiled_function

        return compiled_function(name or self._name, self._function, self._types, self._form)

    def __reduce__(self) -> tuple[Any, ...]:
        place = _place_of(self._function)
        if place is None:
            raise ConfigError(
                f'the compiled function "{self._name}" cannot be sent to another process: it is no global name of '
                "a module, from which that process could take it. Make the frame there"
            )
        return _of_place, (self._name, *place, self._types, self._form)


def _of_place(
    name: str, module: str, attribute: str, types: str | None, form: str | None
) -> CompiledFunction:
    try:
        function = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f'the compiled function "{name}" is not here: {module}.{attribute} ({error})'
        ) from None
    return CompiledFunction(name, function, types, form)


def _place_of(function: Any) -> tuple[str, str] | None:
    """Module and global name of a function."""
    if isinstance(function, int):
        return None
    names = [getattr(function, "__module__", None), "__main__"]
    for module in dict.fromkeys(name for name in names if isinstance(name, str)):
        for attribute, value in vars(sys.modules.get(module, ConfigError)).items():
            if value is function:
                return module, attribute
    return None
