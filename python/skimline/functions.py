# SPDX-License-Identifier: BSD-3-Clause
"""Functions of expressions that are compiled elsewhere, or written in Python."""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from skimline import _core
from skimline.errors import ConfigError, Error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy
    import numpy.typing

    Array = numpy.typing.NDArray[Any]

__all__ = ["batch_function", "compiled_function"]

_SPELLINGS = {
    "bool": ("bool", "boolean", "Bool_t"),
    "std::int8_t": ("int8_t", "int8", "signed char"),
    "std::uint8_t": ("uint8_t", "uint8", "unsigned char"),
    "std::int16_t": ("int16_t", "int16", "short", "Short_t"),
    "std::uint16_t": ("uint16_t", "uint16", "unsigned short", "UShort_t"),
    "std::int32_t": ("int32_t", "int32", "int", "Int_t"),
    "std::uint32_t": ("uint32_t", "uint32", "unsigned int", "unsigned", "UInt_t"),
    "std::int64_t": ("int64_t", "int64", "long", "long long", "Long64_t"),
    "std::uint64_t": ("uint64_t", "uint64", "unsigned long", "unsigned long long", "size_t", "ULong64_t"),
    "float": ("float", "float32", "Float_t"),
    "double": ("double", "float64", "Double_t"),
}
_SCALARS = {spelling: scalar for scalar, spellings in _SPELLINGS.items() for spelling in spellings}
_DTYPES = {
    "bool": "bool",
    "float": "float32",
    "double": "float64",
    **{f"std::{kind}{bits}_t": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
}
_LIST = re.compile(r"(?:(?:ROOT::)?(?:VecOps::)?RVec|(?:std::)?vector)\s*<(.*)>|lists? of (.*)")
_SIGNATURE = re.compile(r"([^()]+)\(([^()]*)\)")
_FunctionOfCtypes: Any = ctypes.CFUNCTYPE(None).__bases__[0]
_MAX_DEPTH = 3
_MAX_OFFSET = 2**32 - 1


class _Signature(NamedTuple):
    parameters: tuple[str, ...]
    result: str


class _Code(NamedTuple):
    """Where a compiled function is, and what is known about it."""

    address: int
    signature: _Signature | None
    takes_arrays: bool
    owner: object
    of_nothing: tuple[str, ...] | None = None
    """The parameters of a function that returns nothing, as Numba spells types; empty where it does not tell them."""


class _Compiled(Protocol):
    """What a function compiled by Numba's cfunc offers."""

    @property
    def address(self) -> int: ...


def compiled_function(
    name: str,
    function: _Compiled | Callable[..., Any] | int,
    signature: str | None = None,
    form: str | None = None,
) -> _core.ExternalFunction:
    """Make a function of expressions from compiled code, which is called without Python's lock.

    Args:
        name: What expressions call it.
        function: A function compiled by ``numba.cfunc``, a function of ``ctypes`` with ``argtypes`` and
            ``restype``, or the address of a C function. It must be safe to call from many threads at once.
        signature: Result and parameters, such as ``"double(double, float)"``, where the function does not
            tell them: with an address, and with ``form="batch"``.
        form: ``"element"`` for a function of single values; ``"batch"`` for a C function
            ``void f(int64_t count, const void* const* arguments, void* results)`` of arrays of `count`
            values each, as `signature` says. Left out, it is what a function of Numba shows, else
            ``"element"``.

    Either form is applied to each event or, given lists, to each of their elements; arguments are converted
    as C++ converts them. Functions of single values have up to 8 parameters, all double, all float, all int32
    or all int64, and a result of the same type or bool; those of Numba may have any numbers.

    Raises:
        ConfigError: The signature is missing, cannot be read, or is not that of the function.
        Error: A function of that signature cannot be called, or `name` is no name.

    Examples:
        >>> import ctypes
        >>> hypot = ctypes.CDLL(None).hypot
        >>> hypot.argtypes, hypot.restype = [ctypes.c_double, ctypes.c_double], ctypes.c_double
        >>> compiled_function("my_hypot", hypot).signature
        'my_hypot(double, double)'
    """
    if form not in (None, "element", "batch"):
        raise ConfigError(f'form must be "element" or "batch", not {form!r}')
    code = _code_of(name, function)
    takes_arrays = code.takes_arrays if form is None else form == "batch"
    if code.takes_arrays and not takes_arrays:
        raise ConfigError(f'the function "{name}" takes arrays: form must be "batch"')
    if code.signature is not None and takes_arrays:
        raise ConfigError(f'the function "{name}" takes single values: form must be "element"')
    wanted = None if signature is None else _parsed_signature(signature)
    if wanted and code.signature and wanted != code.signature:
        raise ConfigError(f'the function "{name}" is {_shown(code.signature)}, not {_shown(wanted)}')
    known = wanted or code.signature
    if known is None:
        raise ConfigError(f'the function "{name}" needs a signature, such as "double(double, float)"')
    if code.of_nothing is not None:
        _check_arrays(name, code.of_nothing, known.result, takes_arrays)
    if not takes_arrays and hasattr(function, "_pyfunc") and not _is_direct(known):
        code = _code_of(name, _over_arrays(function, known))
        takes_arrays = True
    return _core.ExternalFunction.compiled(
        name, code.address, list(known.parameters), known.result, takes_arrays=takes_arrays, owner=code.owner
    )


def batch_function(
    name: str, function: Callable[..., Any], num_parameters: int, returns: str
) -> _core.ExternalFunction:
    """Make a function of expressions from a Python function of arrays.

    Args:
        name: What expressions call it.
        function: Is called with `num_parameters` arrays of equal length, one or more, that hold the events
            which reach the call: NumPy arrays of numbers, or Awkward Arrays for lists. They are its own, to
            keep or change. It returns one value or list for each event: an array of NumPy or Awkward Array,
            or what they make one of.
        num_parameters: How many arguments a call has.
        returns: The type of the values: ``"float"``, ``"int32"``, ``"list of float"``; also as C++ spells it,
            ``"std::int32_t"``, ``"RVec<float>"``.

    The function is called by many threads, one after the other, so that it may keep what it works with; of
    several functions more than one may be under way. A method has one turn for each object. A job that it runs
    cannot call it, which would wait for its turn: that is a ConfigError, but not where a thread of its own runs it. How many events it gets at a time is not defined, so that values must
    depend on their own event only. What it raises ends the run, and is raised there. Results are converted as NumPy's "same_kind" does,
    integers only if they fit; strings are not supported.

    Raises:
        ConfigError: `returns` is no type that a function can have.
        Error: `name` is no name; while running, also for a result of another type or length.

    Examples:
        >>> batch_function("twice", lambda x: 2 * x, 1, "float").signature
        'twice(x1)'
    """
    return described_function(name, f'the function "{name}"', function, num_parameters, returns)


def described_function(
    name: str, described: str, function: Callable[..., Any], num_parameters: int, returns: str
) -> _core.ExternalFunction:
    """The same, of which messages say what it is, where `name` is nobody's."""
    scalar, depth = _parsed_type(returns)
    if depth > _MAX_DEPTH:
        raise ConfigError(f'"{returns}": lists cannot be nested more than three deep')
    call = _Batch(described, function, returns.strip(), _DTYPES[scalar], depth)
    return _core.ExternalFunction.batch(name, call, num_parameters, scalar, depth)


def _shown(signature: _Signature) -> str:
    return f"{signature.result}({', '.join(signature.parameters)})"


def _parsed_scalar(text: str) -> str:
    spelling = " ".join(text.removeprefix("std::").split())
    if spelling not in _SCALARS:
        known = ", ".join(f'"{names[0]}"' for names in _SPELLINGS.values())
        raise ConfigError(f'"{text}" is no type of numbers, which are {known}')
    return _SCALARS[spelling]


def _parsed_type(text: str) -> tuple[str, int]:
    """The type of the values, and how deep the lists around them are."""
    found = _LIST.fullmatch(text.strip())
    if not found:
        return _parsed_scalar(text.strip()), 0
    scalar, depth = _parsed_type(found[1] or found[2] or "")
    return scalar, depth + 1


def _parsed_signature(text: str) -> _Signature:
    found = _SIGNATURE.fullmatch(text.strip())
    if not found:
        raise ConfigError(f'"{text}" is no signature, such as "double(double, float)"')
    listed = found[2].strip()
    names = [] if listed in ("", "void") else listed.split(",")
    return _Signature(tuple(_parsed_scalar(name.strip()) for name in names), _parsed_scalar(found[1].strip()))


def _check_arrays(name: str, parameters: Sequence[str], result: str, takes_arrays: bool) -> None:
    """Throws ConfigError unless a function that returns nothing has the parameters of one of arrays, where it tells them."""
    if takes_arrays and not parameters:
        return
    if takes_arrays and len(parameters) == 3:
        count, arguments, results = parameters
        is_of_arguments = arguments in ("void*", "none*") or arguments.endswith("**")
        is_of_results = results.endswith("*") and _SCALARS.get(results[:-1], result) == result
        if "int" in count and "*" not in count and is_of_arguments and is_of_results:
            return
    raise ConfigError(
        f'the function "{name}" is void({", ".join(parameters)}): one that returns nothing must have form="batch", and be '
        "void(int64_t count, const void* const* arguments, void* results), of Numba void(int64, CPointer(voidptr), voidptr)"
    )


def _is_direct(signature: _Signature) -> bool:
    """Whether `_core` can call a function of single values that has the signature."""
    types = set(signature.parameters) or {signature.result}
    callable_types = {"double", "float", "std::int32_t", "std::int64_t"}
    return len(types) == 1 and types <= callable_types and signature.result in (*types, "bool")


def _code_of(name: str, function: Any) -> _Code:
    if isinstance(function, int) and not isinstance(function, bool):
        return _Code(function, None, False, None)
    if isinstance(function, _FunctionOfCtypes):
        address = ctypes.cast(function, ctypes.c_void_p).value
        of_nothing = None
        if function.restype is None:
            of_nothing = tuple(_spelled(each) for each in function.argtypes or ())
        return _Code(address or 0, _signature_of_ctypes(name, function), False, function, of_nothing)
    address = getattr(function, "address", None)
    if isinstance(address, int):
        return _code_of_numba(function, address)
    raise ConfigError(
        f'"{name}" is no compiled function: neither one of numba.cfunc or ctypes, nor an address'
        + (
            ": functions of Python, numba.njit and numba.vectorize are for define(name, function, columns=[...])"
            if callable(function)
            else ""
        )
    )


def _code_of_numba(function: Any, address: int) -> _Code:
    types = getattr(function, "_sig", None)
    if types is None:
        return _Code(address, None, False, function)
    parameters, result = [str(each) for each in types.args], str(types.return_type)
    if result in ("none", "void"):
        takes_arrays = len(parameters) == 3 and parameters[0] == "int64"
        return _Code(address, None, takes_arrays, function, tuple(parameters))
    signature = _Signature(tuple(_parsed_scalar(each) for each in parameters), _parsed_scalar(result))
    return _Code(address, signature, False, function)


def _spelled(kind: Any) -> str:
    """A type of ctypes as Numba spells it."""
    inner = getattr(kind, "_type_", None)
    if isinstance(inner, type):
        return f"{_spelled(inner)}*"
    return "void*" if kind is ctypes.c_void_p else _numbers_of_ctypes().get(kind, kind.__name__)


def _numbers_of_ctypes() -> dict[Any, str]:
    numbers = {getattr(ctypes, f"c_{dtype}"): dtype for dtype in _DTYPES.values() if "float" not in dtype}
    return {**numbers, ctypes.c_float: "float32", ctypes.c_double: "float64"}


def _signature_of_ctypes(name: str, function: Any) -> _Signature | None:
    if function.restype is None:
        return None  # of arrays, or not to be called at all
    if function.argtypes is None:
        raise ConfigError(f'the function "{name}" needs argtypes and restype, which tell its signature')
    scalars = {kind: _SCALARS[dtype] for kind, dtype in _numbers_of_ctypes().items()}
    for each in (*function.argtypes, function.restype):
        if each not in scalars:
            raise ConfigError(
                f'the function "{name}" has {each.__name__} in its signature, which is no number'
            )
    return _Signature(tuple(scalars[each] for each in function.argtypes), scalars[function.restype])


def _over_arrays(function: Any, signature: _Signature) -> Any:
    """A function of Numba that calls another one for each element of arrays: as it was compiled, so that it has the options
    and globals of then, and that what it raises is no end of the loop, which would leave all further values unset."""
    numba = importlib.import_module("numba")
    numpy = importlib.import_module("numpy")
    arrays = {f"a{i}": numpy.dtype(_DTYPES[scalar]).type for i, scalar in enumerate(signature.parameters)}
    lines = ["def loop(count, arguments, results):"]
    lines += [f"    {array} = carray(arguments[{i}], count, type_{array})" for i, array in enumerate(arrays)]
    lines += ["    values = carray(results, count, type_values)", "    for i in range(count):"]
    lines += [f"        values[i] = function({', '.join(f'{array}[i]' for array in arrays)})"]
    names: dict[str, Any] = {f"type_{array}": dtype for array, dtype in arrays.items()}
    names["type_values"] = numpy.dtype(_DTYPES[signature.result]).type
    names.update(carray=numba.carray, function=function.ctypes, owner=function)
    exec("\n".join(lines), names)
    types = numba.types
    return numba.cfunc(types.void(types.int64, types.CPointer(types.voidptr), types.voidptr))(names["loop"])


def _awkward() -> Any:
    try:
        return importlib.import_module("awkward")
    except ImportError as error:
        raise ImportError("functions of lists need Awkward Array: pip install awkward") from error


class _Turn:
    """A lock that knows which thread has it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None

    def is_mine(self) -> bool:
        """Whether this thread has it, which would wait for itself."""
        return self._owner == threading.get_ident()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._owner = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        self._owner = None
        self._lock.release()


class _Turns:
    """A turn for each function, whoever defines columns by it. Python's own lock changes hands within a call."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """What other threads have, which are not in the child of a fork."""
        self._guard = threading.Lock()
        self._locks: weakref.WeakKeyDictionary[Any, dict[Any, _Turn]] = weakref.WeakKeyDictionary()

    def of(self, function: Callable[..., Any]) -> _Turn | None:
        """None for what can be no key."""
        owner, method = getattr(function, "__self__", function), getattr(function, "__func__", None)
        try:
            with self._guard:
                return self._locks.setdefault(owner, {}).setdefault(method, _Turn())
        except TypeError:
            return None


_turns = _Turns()
os.register_at_fork(after_in_child=_turns.forget)


def check_not_under_way(described: str, function: Callable[..., Any]) -> None:
    """Throws ConfigError in a call of a function by this thread: a job that calls it again would wait for its end."""
    turn = _turns.of(function)
    if turn and turn.is_mine():
        raise ConfigError(
            f"{described} runs a job that calls it, which would wait for this call to end for ever"
        )


class _Batch:
    """What `_core` calls: with columns as plain arrays, values and offsets, and the same wanted back."""

    def __init__(
        self, described: str, function: Callable[..., Any], returns: str, dtype: str, depth: int
    ) -> None:
        self._described = described
        self._function = function
        self._returns = returns
        self._dtype = dtype
        self._depth = depth
        self._own_turn = _Turn()

    def __call__(self, num_entries: int, columns: Sequence[tuple[Array, ...]]) -> tuple[Array, ...]:
        arguments = [_argument(parts) for parts in columns]
        with _turns.of(self._function) or self._own_turn:
            result = self._function(*arguments)
            self._check_order(result)
            return self._lists(result, num_entries) if self._depth else (self._numbers(result, num_entries),)

    def _fail(self, problem: str) -> Error:
        return Error(f"{self._described} must return one {self._returns} for each event, not {problem}")

    def _check_length(self, length: int, num_entries: int) -> None:
        if length != num_entries:
            raise self._fail(f"{length} values for {num_entries} events")

    def _check_order(self, result: Any) -> None:
        """Throws Error for a Series of pandas whose index says that its values are those of other events."""
        pandas = sys.modules.get("pandas")
        if pandas is None or not isinstance(result, pandas.Series):
            return
        events = pandas.RangeIndex(len(result))
        if not result.index.equals(events) and not len(result.index.symmetric_difference(events, sort=False)):
            raise self._fail("a Series in another order than the events: sort_index() brings it into theirs")

    def _numbers(self, result: Any, num_entries: int) -> Array:
        import numpy as np

        if np.ma.is_masked(result):
            raise self._fail("masked values")
        try:
            array = np.asarray(result)
        except (TypeError, ValueError) as error:
            raise self._fail(f"what is no array: {error}") from error
        if array.ndim != 1:
            raise self._fail(f"an array of {array.ndim} dimensions")
        self._check_length(len(array), num_entries)
        return self._converted(array)

    def _converted(self, array: Array) -> Array:
        import numpy as np

        dtype = np.dtype(self._dtype)
        if not np.can_cast(array.dtype, dtype, "same_kind"):
            raise self._fail(f"values of type {array.dtype}")
        # A copy: the next call may write into what this one has returned.
        converted = np.array(array, dtype=dtype, order="C")
        if not np.can_cast(array.dtype, dtype) and array.dtype.kind in "iu":
            fits = (converted.astype(array.dtype) == array) & ((converted < 0) == (array < 0))
            if not fits.all():
                raise self._fail(f"{array[~fits][0]}, which does not fit")
        return converted

    def _lists(self, result: Any, num_entries: int) -> tuple[Array, ...]:
        ak = _awkward()
        try:
            array = ak.Array(result)
        except Exception as error:
            raise self._fail(f"what is no array: {error}") from error
        self._check_length(len(array), num_entries)
        layout = array.layout
        if not _is_plain(layout, self._depth):
            layout = self._complete(ak.to_packed(ak.from_regular(array, axis=None)).layout)
        offsets = []
        for _ in range(self._depth):
            if not layout.is_list or layout.parameter("__array__") is not None:
                raise self._fail(f"an array of {array.type}")
            offsets.append(self._offsets(layout))
            layout = self._complete(layout.content[: int(offsets[-1][-1])])
        return (self._values(layout, f"an array of {array.type}"), *offsets)

    def _complete(self, layout: Any) -> Any:
        """The layout without its mask, behind which nothing may be missing."""
        if not layout.is_option:
            return layout
        if layout.mask_as_bool(valid_when=False).any():
            raise self._fail("missing values")
        return _awkward().to_packed(layout.project(), highlevel=False)

    def _offsets(self, layout: Any) -> Array:
        import numpy as np

        offsets = np.asarray(layout.offsets.data)
        if offsets[-1] > _MAX_OFFSET:
            raise self._fail(f"{offsets[-1]} values at once")
        return offsets.astype(np.uint32)

    def _values(self, layout: Any, problem: str) -> Array:
        import numpy as np

        if layout.is_unknown:
            return np.empty(0, self._dtype)
        if not layout.is_numpy or layout.parameter("__array__") is not None:
            raise self._fail(problem)
        values = np.asarray(layout.data)
        if values.ndim != 1:
            raise self._fail(problem)
        return self._converted(values)


def _is_plain(layout: Any, depth: int) -> bool:
    """Whether an array is lists of numbers, one behind the other, as most results are."""
    contents = _awkward().contents
    for _ in range(depth):
        if not isinstance(layout, contents.ListOffsetArray) or layout.offsets[0] != 0:
            return False
        layout = layout.content
    return isinstance(layout, contents.NumpyArray)


def _argument(parts: tuple[Array, ...]) -> Any:
    """A column as NumPy or Awkward Array, from its values and offsets."""
    if len(parts) == 1:
        return parts[0]
    ak = _awkward()
    layout = ak.contents.NumpyArray(parts[0])
    for offsets in reversed(parts[1:]):
        layout = ak.contents.ListOffsetArray(ak.index.Index64(offsets.astype("int64")), layout)
    return ak.Array(layout)
