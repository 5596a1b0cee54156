# SPDX-License-Identifier: BSD-3-Clause
"""The types that columns of a file can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from skimline.errors import ConfigError, SchemaError

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "ListType",
    "RecordType",
    "ScalarType",
    "StringType",
    "Type",
    "checked_name",
    "is_known",
    "parse_type",
]

_NUMPY_NAMES = {
    "bool": "bool",
    "float": "float32",
    "double": "float64",
    **{f"std::{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""The types of single values, as C++ and as NumPy calls them."""
_NAMES = {numpy_name: name for name, numpy_name in _NUMPY_NAMES.items()}
_SPELLINGS = {
    **{name: name for name in _NUMPY_NAMES},
    **{name[5:]: name for name in _NUMPY_NAMES if name.startswith("std::")},
    **_NAMES,
}


@dataclass(frozen=True)
class ScalarType:
    """A number or bool: "float", "std::int32_t"."""

    name: str

    @classmethod
    def of(cls, dtype: np.dtype[Any]) -> ScalarType:
        """The type of the values of an array."""
        letters = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
        bits = "" if dtype.kind == "b" else str(8 * dtype.itemsize)
        return cls(_NAMES[letters[dtype.kind] + bits])

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type."""
        import numpy as np

        return np.dtype(_NUMPY_NAMES[self.name])

    def __str__(self) -> str:
        return self.name

    def specification(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        return ("scalar", self.name)


@dataclass(frozen=True)
class StringType:
    """A text."""

    def __str__(self) -> str:
        return "string"

    def specification(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        return ("string",)


@dataclass(frozen=True)
class ListType:
    """Any number of items."""

    item: Type

    def __str__(self) -> str:
        return f"list of {_plural(self.item)}"

    def specification(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        return ("list", _known(self.item).specification())


@dataclass(frozen=True)
class RecordType:
    """Members with names."""

    members: Mapping[str, Type]

    def __str__(self) -> str:
        return "record of " + ", ".join(f"{name}: {_name(member)}" for name, member in self.members.items())

    def specification(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        members = self.members.items()
        return ("record", [(checked_name(name), _known(member).specification()) for name, member in members])


Known = Union[ScalarType, StringType, ListType, RecordType]
Type = Union[ScalarType, StringType, ListType, RecordType, None]
"""None is what a column may be of which nothing is known, since it is empty."""


def is_known(kind: Type) -> bool:
    """Whether no part of the type is unknown."""
    if isinstance(kind, ListType):
        return is_known(kind.item)
    if isinstance(kind, RecordType):
        return all(is_known(member) for member in kind.members.values())
    return kind is not None


def checked_name(name: str) -> str:
    """The name if a file can hold it. Throws SchemaError for texts that are no UTF-8."""
    try:
        name.encode()
    except UnicodeError:
        raise SchemaError(f"{name!r} cannot be a name: it is no text in UTF-8") from None
    return name


def parse_type(text: Any, name: str) -> Known:
    """Reads the type of a column: "float", "std::int32_t" or "int32", "string", "list of float", "list of lists of
    float", {"pt": "float"} for a record, [{"pt": "float"}] for lists of records, or a type of NumPy. Throws
    ConfigError."""
    import numpy as np

    if isinstance(text, (ScalarType, StringType, ListType, RecordType)):
        return text
    if isinstance(text, Mapping):
        if not text:
            raise ConfigError(f'column "{name}": a record must have members')
        return RecordType({member: parse_type(kind, f"{name}.{member}") for member, kind in text.items()})
    if isinstance(text, list) and len(text) == 1:
        return ListType(parse_type(text[0], name))
    if isinstance(text, np.dtype) or (isinstance(text, type) and issubclass(text, np.generic)):
        text = np.dtype(text).name
    if isinstance(text, str):
        if text.startswith("list of "):
            rest = text[8:]
            return ListType(parse_type("list" + rest[5:] if rest.startswith("lists of ") else rest, name))
        if text in ("string", "std::string", "strings"):
            return StringType()
        if text in _SPELLINGS:
            return ScalarType(_SPELLINGS[text])
    raise ConfigError(
        f'column "{name}": {text!r} is no type: "bool", "int8" to "int64", "uint8" to "uint64", "float", "double" '
        'or "string" was expected, "list of float", "list of lists of float", {"member": type} for a record or '
        '[{"member": type}] for lists of records'
    )


def _known(kind: Type) -> Known:
    assert kind is not None
    return kind


def _name(kind: Type) -> str:
    return "nothing" if kind is None else str(kind)


def _plural(kind: Type) -> str:
    name = _name(kind)
    for word in ("list", "record"):
        if name.startswith(word + " of"):
            return word + "s" + name[len(word) :]
    return name
