# SPDX-License-Identifier: BSD-3-Clause
"""Columns as objects of Python. What is computed of them is the text of an expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from skimline._core import did_you_mean, in_expression
from skimline.argument_types import is_masked
from skimline.errors import ConfigError
from skimline.hints import hint_for_function
from skimline.scope import Scope

__all__ = ["Collection", "Column", "Objects", "column_named", "column_of", "names_to_complete"]

# How tightly operators bind, as in C++.
_OR, _AND, _EQUAL, _ORDER, _SUM, _PRODUCT, _UNARY, _POSTFIX = range(8)

# Functions of numpy that are called otherwise here; others of the same name are given on as they are.
_FUNCTIONS = {
    "absolute": "abs",
    "fabs": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "power": "pow",
    "float_power": "pow",
    "minimum": "min",
    "maximum": "max",
}
_SAME = [
    "sqrt",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "hypot",
    "fmod",
    "fmin",
    "fmax",
    "isnan",
    "isinf",
    "isfinite",
    "copysign",
]
# What stands between a collection and its members in PHYSLITE.
_MARKS = ("AuxDyn:", "AuxDyn.", "Aux:", "Aux.")
_OPERATORS = {
    "add": "__add__",
    "subtract": "__sub__",
    "multiply": "__mul__",
    "divide": "__truediv__",
    "true_divide": "__truediv__",
    "less": "__lt__",
    "less_equal": "__le__",
    "greater": "__gt__",
    "greater_equal": "__ge__",
    "equal": "__eq__",
    "not_equal": "__ne__",
    "logical_and": "__and__",
    "bitwise_and": "__and__",
    "logical_or": "__or__",
    "bitwise_or": "__or__",
    "logical_not": "__invert__",
    "negative": "__neg__",
}


def _binary(sign: str, level: int) -> Callable[[Any, Any], Any]:
    def operator(self: Column, other: object) -> Any:
        return Column(f"{self._at(level)} {sign} {_operand(other, level + 1)}", level)

    return operator


def _reflected(sign: str, level: int) -> Callable[[Any, Any], Any]:
    def operator(self: Column, other: object) -> Any:
        return Column(f"{_operand(other, level)} {sign} {self._at(level + 1)}", level)

    return operator


def _comparison(sign: str, level: int) -> Callable[[Any, Any], Any]:
    def operator(self: Column, other: object) -> Any:
        return Column(f"{_compared(self, level)} {sign} {_compared(other, level + 1)}", level)

    return operator


def _compared(value: object, level: int) -> str:
    """The text of what is compared. Results of comparisons and of ! keep the parentheses that they had in Python."""
    text = _operand(value, level)
    is_bare = isinstance(value, Column) and value._level >= level
    is_condition = isinstance(value, Column) and (value._level in (_EQUAL, _ORDER) or text.startswith("!"))
    return f"({text})" if is_bare and is_condition else text


def _condition(sign: str, level: int, *, reflected: bool = False) -> Callable[[Any, Any], Any]:
    join = (_reflected if reflected else _binary)(sign, level)

    def operator(self: Column, other: object) -> Any:
        _refuse_bits(self, sign[0], other)
        return join(self, other)

    return operator


def _refuse_bits(column: object, sign: str, other: object) -> None:
    """Throws TypeError for a number beside & or |, which would be true whatever bits are asked for."""
    if _is_integer(other):
        raise TypeError(
            f'"{column}" and {other}: & and | join conditions; bits are those of a text, '
            f'events["{column} {sign} {other}"]'
        )


def _is_of_bits(function: str, inputs: Sequence[object]) -> bool:
    """Whether a function of numpy is called that operators of Python do not call: & and | join conditions here, and bits there."""
    return function.startswith("bitwise_") and all(isinstance(each, Column) for each in inputs)


class Column:
    """A column or an expression of columns: `events.Muon.pt > 20` is the text "Muon_pt > 20".

    Operators and functions of numpy make expressions of it, with `&`, `|` and `~` as logical and, or and not, and `x[mask]`, `x[0]`
    and `x[:2]` as choices of elements. Values are those of the expression, in the types of C++. str() is the text.
    """

    __slots__ = ("_level", "_text")
    __hash__ = object.__hash__

    def __init__(self, text: str, level: int = _POSTFIX) -> None:
        self._text = text
        self._level = level

    @property
    def _expression_text(self) -> str:
        return self._text

    def __str__(self) -> str:
        return self._expression_text

    __repr__ = __str__

    __add__, __radd__ = _binary("+", _SUM), _reflected("+", _SUM)
    __sub__, __rsub__ = _binary("-", _SUM), _reflected("-", _SUM)
    __mul__, __rmul__ = _binary("*", _PRODUCT), _reflected("*", _PRODUCT)
    __truediv__, __rtruediv__ = _binary("/", _PRODUCT), _reflected("/", _PRODUCT)
    __mod__, __rmod__ = _binary("%", _PRODUCT), _reflected("%", _PRODUCT)
    __lt__, __le__ = _comparison("<", _ORDER), _comparison("<=", _ORDER)
    __gt__, __ge__ = _comparison(">", _ORDER), _comparison(">=", _ORDER)
    __and__, __rand__ = _condition("&&", _AND), _condition("&&", _AND, reflected=True)
    __or__, __ror__ = _condition("||", _OR), _condition("||", _OR, reflected=True)

    def __eq__(self, other: object) -> Any:
        return _comparison("==", _EQUAL)(self, other)

    def __ne__(self, other: object) -> Any:
        return _comparison("!=", _EQUAL)(self, other)

    def __neg__(self) -> Column:
        return Column(f"-{self._at(_POSTFIX)}", _UNARY)

    def __invert__(self) -> Column:
        return Column(f"!{self._at(_POSTFIX)}", _UNARY)

    def __abs__(self) -> Column:
        return Column(f"abs({self})")

    def __pow__(self, other: object) -> Column:
        return Column(f"pow({self}, {_operand(other, _OR)})")

    def __rpow__(self, other: object) -> Column:
        return Column(f"pow({_operand(other, _OR)}, {self})")

    def __getitem__(self, index: Any) -> Column:
        if isinstance(index, slice):
            return self._taken(index)
        if isinstance(index, (bool, float, str)) or type(index).__name__ in ("bool_", "bool"):  # numpy's too
            raise TypeError(f"{self}: elements are taken by an integer, a mask or a slice, not by {index!r}")
        if _is_integer(index) and index < 0:
            return Column(f"back({self})" if index == -1 else f"Take({self}, {index})[0]")
        return Column(f"{self._at(_POSTFIX)}[{_operand(index, _OR)}]")

    def _taken(self, index: slice) -> Column:
        """A part of each list, which ends where that does, as slices of Python do."""
        start, stop, step = index.start, index.stop, index.step
        if step == -1 and start is None and stop is None:
            return Column(f"Reverse({self})")
        if step not in (None, 1) or not all(each is None or _is_integer(each) for each in (start, stop)):
            raise ConfigError(f"{self}: elements are taken by [a:b], [::-1], an index or a mask")
        places, size = f"Range(size({self}))", f"size({self})"
        conditions = []
        if start:
            conditions.append(f"{places} >= {start}" if start > 0 else f"{places} + {-start} >= {size}")
        if stop is not None:
            conditions.append(f"{places} < {stop}" if stop >= 0 else f"{places} + {-stop} < {size}")
        if not conditions:
            return self
        return Column(f"{self._at(_POSTFIX)}[{' && '.join(conditions)}]")

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("pt", "eta", "phi", "mass", "px", "py", "pz", "e", "x", "y", "z"):
            return Column(f"{self._at(_POSTFIX)}.{name}()")
        hint = hint_for_function(name, str(self))
        raise AttributeError(f'"{self}" has no "{name}"' + (f": {hint}" if hint else ""))

    def sum(self) -> Column:
        """The sum of each list."""
        return Column(f"Sum({self})")

    def mean(self) -> Column:
        """The mean of each list."""
        return Column(f"Mean({self})")

    def min(self) -> Column:
        """The least element of each list."""
        return Column(f"Min({self})")

    def max(self) -> Column:
        """The greatest element of each list."""
        return Column(f"Max({self})")

    def any(self) -> Column:
        """Whether any element is true."""
        return Column(f"Any({self})")

    def all(self) -> Column:
        """Whether all elements are true."""
        return Column(f"All({self})")

    def size(self) -> Column:
        """The number of elements of each list."""
        return Column(f"size({self})")

    def __bool__(self) -> bool:
        raise TypeError(f'"{self}" has a value for each event: join conditions by & | ~, not by and, or, not')

    def __len__(self) -> int:
        raise TypeError(f'"{self}" has a value for each event: the length of its lists is size()')

    def __iter__(self) -> Any:
        raise TypeError(f'"{self}" is an expression: arrays and take give its values')

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = ufunc.__name__
        if options:
            raise TypeError(f"numpy.{name} of an expression has no {', '.join(options)}=")
        if method == "__call__" and not _is_of_bits(name, inputs):
            if name in _OPERATORS:
                first, *others = inputs
                if _OPERATORS[name] in ("__and__", "__or__"):
                    _refuse_bits(others[0], "&" if _OPERATORS[name] == "__and__" else "|", first)
                return getattr(column_of(first), _OPERATORS[name])(*others)
            if name in ("minimum", "maximum") and not isinstance(inputs[0], Column):
                inputs = inputs[::-1]  # so that NaN stays, as in numpy
            if name in _FUNCTIONS or name in _SAME:
                return Column(
                    f"{_FUNCTIONS.get(name, name)}({', '.join(_operand(each, _OR) for each in inputs)})"
                )
        raise self._no_function(f"numpy.{name}", inputs)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        raise self._no_function(f"numpy.{function.__name__}", arguments)

    def __awkward_function__(self, function: Any, arrays: Any, arguments: Any, options: Any) -> Any:
        raise self._no_function(f"awkward.{function.__name__}", arguments)

    def _no_function(self, name: str, arguments: Any) -> TypeError:
        first = next((each for each in arguments if isinstance(each, Column)), self)
        hint = hint_for_function(name.partition(".")[2], str(first) if type(first) is Column else "x")
        return TypeError(
            f"expressions have no {name}: "
            + (hint or "define(name, function, columns=[...]) takes functions of arrays")
        )

    def _at(self, level: int) -> str:
        """The text as an operand of an operator that binds so tightly."""
        return self._expression_text if self._level >= level else f"({self._expression_text})"


class Collection(Column):
    """Columns that begin with the same name: `events.Muon.pt` is Muon_pt, `events.Muon[mask].pt` is Muon_pt[mask]."""

    __slots__ = ("_choices", "_names", "_prefix")

    def __init__(self, prefix: str, names: dict[str, str], choices: tuple[Any, ...] = ()) -> None:
        super().__init__(prefix)
        self._prefix = prefix
        self._names = names
        self._choices = choices

    @property
    def _expression_text(self) -> str:
        raise ConfigError(
            f'"{self._prefix}" is several columns: {", ".join(map(str, list(self._names)[:5]))}'
        )

    def __str__(self) -> str:
        return f"<{self._prefix}: {', '.join(self._names)}>"

    __repr__ = __str__

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._names:
            raise AttributeError(f'{self._prefix} has no "{name}"' + did_you_mean(name, list(self._names)))
        column = Column(self._names[name])
        for choice in self._choices:
            column = column[choice]
        return column

    def __getitem__(self, index: Any) -> Column:
        if isinstance(index, str):
            return self.__getattr__(index)
        return Collection(self._prefix, self._names, (*self._choices, index))

    def __dir__(self) -> list[str]:
        return list(self._names)


class Objects(Column):
    """Objects that a frame was opened with, some of them, or their members: `events.good[events.good.pt > 60].eta`.

    Names behind the dot are members, as the expression has them; `["max"]` is that of a name which columns have a method of.
    """

    __slots__ = ("_members",)

    def __init__(self, text: str, members: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self._members = members

    def __getattr__(self, name: str) -> Objects:
        if name.startswith("_"):
            raise AttributeError(name)
        inner = tuple(each[len(name) + 1 :] for each in self._members if each.startswith(name + "."))
        return Objects(f"{self}.{name}", inner)

    def __getitem__(self, index: Any) -> Objects:
        if isinstance(index, str):
            return self.__getattr__(index)
        return Objects(str(super().__getitem__(index)), self._members)

    def p4(self) -> Column:
        """The Lorentz vectors of objects."""
        return Column(f"{self}.p4()")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(each.partition(".")[0] for each in self._members)})


def column_of(value: Any) -> Column:
    """The value as an expression."""
    return value if isinstance(value, Column) else Column(_operand(value, _POSTFIX))


def column_named(name: str, scope: Scope) -> Column | None:
    """The column, collection or objects of that name; None if there is none."""
    if name in scope.columns or (name in scope.means and not scope.means[name].is_function):
        return Column(in_expression(name))
    if name in scope.objects:
        return Objects(name, _members_of_objects(name, scope))
    members = _members(name, scope)
    return Collection(name, members) if members else None


def _members(name: str, scope: Scope) -> dict[str, str]:
    """The columns that begin with a name, by what follows it."""
    for mark in "_.":
        members = {
            each[len(name) + 1 :]: each
            for each in (*sorted(scope.columns), *scope.means)
            if each.startswith(name + mark) and each[len(name) + 1 :].isidentifier()
        }
        if members:
            return members
    begins = [scope.collections[name].partition("*")[0]] if name in scope.collections else []
    begins += [name + mark for mark in _MARKS]
    # Expressions know these members by the name of the collection.
    return {
        each[len(begin) :]: f"{name}.{each[len(begin) :]}"
        for begin in begins
        for each in sorted(scope.columns)
        if each.startswith(begin) and each[len(begin) :].isidentifier()
    }


def _members_of_objects(name: str, scope: Scope) -> tuple[str, ...]:
    """What can follow the name of objects, for completion."""
    described = scope.objects[name]
    source = described["from"]
    if "(" not in source:
        return (
            _members_of_objects(source, scope) if source in scope.objects else tuple(_members(source, scope))
        )
    return ("mass", "pt", "eta", "phi", *described.get("fields", ()))


def names_to_complete(scope: Scope) -> list[str]:
    """What stands behind the dot of a frame: columns, collections and objects."""
    names = [*scope.columns, *(name for name, each in scope.means.items() if not each.is_function)]
    collections = {name.partition("_")[0] for name in names if "_" in name}
    collections.update(name.partition(mark)[0] for name in names for mark in _MARKS if mark in name)
    known = {*names, *collections, *scope.objects, *scope.collections}
    return sorted(name for name in known if name.isidentifier())


def _is_integer(value: Any) -> bool:
    """Whether it is one of Python or numpy."""
    if hasattr(value, "dtype"):
        return value.dtype.kind in "iu" and value.shape == ()
    return isinstance(value, int) and not isinstance(value, bool)


def _operand(value: Any, level: int) -> str:
    """The text of what an operator is applied to."""
    if isinstance(value, Column):
        return value._at(level)
    if is_masked(value):
        raise TypeError("a masked value cannot be in an expression")
    if hasattr(value, "item") and getattr(value, "shape", ()) == ():
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and not -(2**63) < value < 2**63:
        if value == -(2**63):  # C++ has no literal of it
            return "(-9223372036854775807 - 1)"
        if not 0 < value < 2**64:
            raise ConfigError(f"expressions have no integers of more than 64 bits, such as {value}")
        return f"{value}u"
    if isinstance(value, (int, float)):
        text = repr(value)
        if "n" in text:
            raise ConfigError(f"expressions have no {text}")
        return f"({text})" if text.startswith("-") and level > _OR else text
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if hasattr(value, "__len__"):
        raise TypeError(
            f"a {type(value).__name__} cannot be in an expression: define(name, function, columns=[...]) takes functions of arrays"
        )
    raise TypeError(f"{value!r} cannot be in an expression")
