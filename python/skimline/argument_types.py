# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of public functions, checked by what their annotations say."""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import os
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import Any, Callable, NamedTuple, TypeVar, cast

from skimline import _core
from skimline.errors import ArgumentError

__all__ = ["checked", "checked_path", "is_masked", "shown", "without_secrets"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_LONGEST = 80


class _Kind(NamedTuple):
    """What an argument may be. `taken` returns it as a function wants it, or _WRONG."""

    name: str
    taken: Callable[[Any], Any]


_WRONG = object()
_ANYTHING = _Kind("", lambda value: value)


def checked(function: _Function, own: Sequence[str] = ()) -> _Function:
    """Makes a function throw ArgumentError for arguments that are not what its annotations say, and gives it the numbers of other
    libraries as those of Python. Those in `own`, and `*arguments`, it checks itself."""
    kinds: list[tuple[str, _Kind]] = []
    by_name: dict[str, _Kind] = {}

    def read_annotations() -> None:
        names = getattr(function, "__globals__", {})
        for parameter in inspect.signature(function).parameters.values():
            is_unchecked = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if is_unchecked or parameter.name in own:
                kind = _ANYTHING
            else:
                kind = _kind_of(parameter.annotation, names)
            by_name[parameter.name] = kind
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                kinds.append((parameter.name, kind))

    def taken(name: str, kind: _Kind, value: Any) -> Any:
        if kind is _ANYTHING:
            return value
        result = kind.taken(value)
        if result is _WRONG:
            raise ArgumentError(f"{function.__name__}(): {name} must be {kind.name}, not {shown(value)}")
        return result

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not by_name:
            read_annotations()
        given = list(arguments)
        for i, (name, kind) in enumerate(kinds[: len(given)]):
            given[i] = taken(name, kind, given[i])
        for name, value in named.items():
            named[name] = taken(name, by_name.get(name, _ANYTHING), value)
        return function(*given, **named)

    return cast(_Function, call)


def checked_path(function: str, value: Any) -> None:
    """Throws ArgumentError for what is no path."""
    if _path(value) is _WRONG:
        raise ArgumentError(f"{function}(): a path was expected, not {shown(value)}")


def shown(value: Any) -> str:
    """What an error says instead of a value: how Python writes it, or what it is where that is long or not to be had."""
    try:
        text = without_secrets(repr(value))
    except Exception:
        text = ""
    if isinstance(value, str) and len(text) > _LONGEST:
        return f"{text[:_LONGEST]}... ({len(value)} characters)"
    is_plain = text and len(text) <= _LONGEST and "\n" not in text and " at 0x" not in text
    return text if is_plain else _with_article(type(value).__name__)


def without_secrets(text: str) -> str:
    """The text with `***` for passwords, signatures and the like in the URLs in it."""
    encoding = ("utf-8", "surrogatepass")
    return _core.hide_secrets(text.encode(*encoding)).decode(*encoding)


# Kinds by annotations.


def _kind_of(annotation: Any, names: Mapping[str, Any]) -> _Kind:
    if isinstance(annotation, str):
        return _kind_of_tree(ast.parse(annotation, mode="eval").body, names)
    if isinstance(annotation, typing.ForwardRef):
        return _kind_of(annotation.__forward_arg__, names)
    origin = typing.get_origin(annotation)
    if annotation in (inspect.Parameter.empty, Any):
        return _ANYTHING
    if annotation is type(None):
        return _plain("None")
    if origin is None and isinstance(annotation, type):
        return _PLAIN.get(annotation.__name__) or _instance(annotation)
    if origin is None:
        return _ANYTHING
    parts = typing.get_args(annotation)
    if origin is typing.Union:
        return _union([_kind_of(each, names) for each in parts])
    if origin is typing.Literal:
        return _choice(parts)
    return _generic(origin.__name__, [_kind_of(each, names) for each in parts])


def _kind_of_tree(node: ast.AST, names: Mapping[str, Any]) -> _Kind:
    if isinstance(node, ast.BinOp):
        return _union([_kind_of_tree(node.left, names), _kind_of_tree(node.right, names)])
    if isinstance(node, ast.Constant):
        return _plain("None") if node.value is None else _ANYTHING
    if isinstance(node, ast.Name):
        known = names.get(node.id)
        return _plain(node.id) if known is None else _kind_of(known, names)
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        name = getattr(node.value, "id", getattr(node.value, "attr", ""))
        if name == "Literal":
            return _choice([each.value for each in inner if isinstance(each, ast.Constant)])
        return _generic(name, [_kind_of_tree(each, names) for each in inner])
    return _ANYTHING


def _plain(name: str) -> _Kind:
    return _PLAIN.get(name, _ANYTHING)


def _instance(type_: type) -> _Kind:
    if type_ is object or getattr(type_, "_is_protocol", False):
        return _ANYTHING
    return _Kind(_with_article(type_.__name__), lambda value: value if isinstance(value, type_) else _WRONG)


def _with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _choice(choices: Iterable[Any]) -> _Kind:
    known = list(choices)
    return _Kind(
        " or ".join(map(repr, known)),
        lambda value: value if isinstance(value, str) and value in known else _WRONG,
    )


def _union(kinds: list[_Kind]) -> _Kind:
    if any(kind.name == "" for kind in kinds):
        is_text = any(kind.name.startswith(_PLAIN["str"].name) for kind in kinds)
        return (
            _Kind("", lambda value: _text(value) if isinstance(value, str) else value)
            if is_text
            else _ANYTHING
        )

    # 0 and 1 are False and True only where no number is wanted.
    by_rank = sorted(kinds, key=lambda kind: kind is _PLAIN["bool"])

    def taken(value: Any) -> Any:
        for kind in by_rank:
            result = kind.taken(value)
            if result is not _WRONG:
                return result
        return _WRONG

    if any(kind is _PLAIN["PathLike"] for kind in kinds):  # whose names need not be UTF-8
        kinds = [kind for kind in kinds if kind is not _PLAIN["str"]]
    words = list(dict.fromkeys(word for kind in kinds for word in kind.name.split(" or ")))
    return _Kind(" or ".join(words), taken)


def _generic(name: str, inner: list[_Kind]) -> _Kind:
    if name == "PathLike":
        return _PLAIN["PathLike"]
    if name in ("Mapping", "dict") and len(inner) == 2:
        of_values = "" if " or " not in inner[1].name else f" with values that are {inner[1].name}"
        return _Kind(
            f"a mapping{_of(inner[1]) or of_values}", functools.partial(_mapping, inner[0], inner[1])
        )
    if name == "tuple" and all(kind is inner[0] for kind in inner):
        count = {2: "two ", 3: "three "}.get(len(inner), "")
        return _Kind(count + (_plural(inner[0]) or "values"), functools.partial(_several, inner[0]))
    if name in ("Sequence", "list") and len(inner) == 1:
        return _Kind("a list" + _of(inner[0]), functools.partial(_several, inner[0]))
    if name in ("Iterable", "set") and len(inner) == 1:
        return _Kind("a list" + _of(inner[0]), functools.partial(_iterable, inner[0]))
    return _ANYTHING


def _plural(kind: _Kind) -> str:
    words = {"a text": "texts", "a path": "paths", "a whole number": "whole numbers", "a number": "numbers"}
    return words.get(kind.name, "")


def _of(kind: _Kind) -> str:
    plural = _plural(kind)
    return f" of {plural}" if plural else ""


# What values are taken as.


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        return _WRONG
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ArgumentError(f"{shown(value)} is no text: UTF-8 has no surrogates") from None
    return value


def _path(value: Any) -> Any:
    if isinstance(value, (str, PathLike)):
        path = value if isinstance(value, str) else value.__fspath__()
        if not isinstance(path, str):
            return _WRONG
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise ArgumentError(f"{shown(path)} is no path: it has surrogates") from None
        return value
    return _WRONG


def is_masked(value: Any) -> bool:
    """Whether it is an entry of a masked array of numpy that has no value; as a number it would be 0."""
    return getattr(value, "shape", None) == () and bool(getattr(value, "mask", False))


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool") or is_masked(value):
        return False
    # An array of one number is one too, of numpy's.
    return getattr(value, "shape", ()) == () and not _is_column(value)


def _whole(value: Any) -> Any:
    if type(value) is int:
        return value
    return operator.index(value) if _is_number(value) and hasattr(type(value), "__index__") else _WRONG


def _real(value: Any) -> Any:
    if type(value) in (int, float):
        return value
    if not _is_number(value) or not hasattr(type(value), "__float__") or isinstance(value, complex):
        return _WRONG
    for convert in (operator.index, float):
        try:
            return convert(value)
        except (TypeError, ValueError):
            continue
    return _WRONG


def _truth(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    is_numpys = type(value).__name__ in ("bool_", "bool") or (isinstance(value, int) and value in (0, 1))
    return bool(value) if is_numpys else _WRONG


def _is_column(value: Any) -> bool:
    return hasattr(type(value), "_expression_text")


def _iterable(kind: _Kind, values: Any) -> Any:
    """What is read once only, is read by who wants it."""
    return values if isinstance(values, Iterator) else _several(kind, values)


def _several(kind: _Kind, values: Any) -> Any:
    is_one = isinstance(values, (str, bytes, bytearray, Mapping, PathLike)) or _is_column(values)
    if is_one or not isinstance(values, Iterable) or getattr(values, "shape", (0,)) == ():
        return _WRONG
    if isinstance(values, Iterator):
        values = list(values)
    # Arrays are of one type.
    if hasattr(values, "dtype"):
        return values if all(kind.taken(value) is not _WRONG for value in islice(values, 1)) else _WRONG
    taken = [kind.taken(value) for value in values]
    if any(value is _WRONG for value in taken):
        return _WRONG
    is_same = all(new is old for new, old in zip(taken, values))
    return values if is_same else tuple(taken) if isinstance(values, tuple) else taken


def _mapping(of_key: _Kind, of_value: _Kind, given: Any) -> Any:
    if not isinstance(given, Mapping) or any(of_key.taken(key) is _WRONG for key in given):
        return _WRONG
    taken = {key: of_value.taken(value) for key, value in given.items()}
    if any(value is _WRONG for value in taken.values()):
        return _WRONG
    return given if all(taken[key] is value for key, value in given.items()) else taken


_PLAIN = {
    "str": _Kind("a text", _text),
    "Column": _ANYTHING,  # whoever takes expressions knows what they are for
    "PathLike": _Kind("a path", _path),
    "int": _Kind("a whole number", _whole),
    "float": _Kind("a number", _real),
    "bool": _Kind("True or False", _truth),
    "None": _Kind("None", lambda value: value if value is None else _WRONG),
    "dict": _Kind("a dictionary", lambda value: value if isinstance(value, dict) else _WRONG),
}
