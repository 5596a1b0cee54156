# SPDX-License-Identifier: BSD-3-Clause
"""Compiled functions and functions of Python in expressions, against numpy on what uproot reads."""

import ctypes
import ctypes.util
import gc
import json
import sys
import threading
import time
import traceback
import weakref

import awkward as ak
import numba
import numpy as np
import pytest
import uproot
from skimline import _core
from skimline.errors import ConfigError, Error, ExpressionError, SchemaError
from skimline.functions import batch_function, compiled_function

ARRAYS = "void(int64, CPointer(voidptr), voidptr)"
OF_NOTHING = ctypes.CFUNCTYPE(None, ctypes.c_double)(1234)
NUM_PARTS, PART = 5, 20_000


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    """A tree of several clusters, and its arrays as uproot reads them."""
    path = tmp_path_factory.mktemp("functions") / "events.root"
    random = np.random.default_rng(1)
    with uproot.recreate(path) as file:
        for part in range(NUM_PARTS):
            counts = random.integers(0, 5, PART)
            values = random.exponential(30, counts.sum()).astype(np.float32)
            data = {
                "met": random.exponential(20, PART).astype(np.float32),
                "x": random.normal(0, 1, PART),
                "number": np.arange(part * PART, (part + 1) * PART, dtype=np.int32),
                "pt": ak.unflatten(values, counts),
                "charge": ak.unflatten(random.choice([-1, 1], counts.sum()).astype(np.int32), counts),
            }
            if part == 0:
                file["Events"] = data
            else:
                file["Events"].extend(data)
    with uproot.open(path) as file:
        return path, file["Events"].arrays()


def are_equal(a, b):
    """Whether flat arrays have equal values, of whatever types."""
    return np.array_equal(np.asarray(a), np.asarray(b))


class Job:
    """Runs expressions and reads what they give."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def config(self, define, external, select=None, **more):
        config = {
            "schema_version": 1,
            "samples": {"events": {"files": [str(self.path)]}},
            "define": define,
            "skims": {"kept": {"file": str(self.folder / "kept.root"), "keep": list(define)}},
        } | more
        if select:
            config["select"] = [{"name": "selected", "where": select}]
        return _core.Config("x.json", json.dumps(config), functions=external)

    def run(self, define, functions, select=None, threads=1):
        _core.run(self.config(define, functions, select), threads=threads)
        with uproot.open(self.folder / "kept.root") as file:
            return file["Events"].arrays()

    def value(self, expression, function, select=None, threads=1):
        return self.run({"value": expression}, [function], select, threads)["value"]


@pytest.fixture
def job(events, tmp_path):
    return Job(events[0], tmp_path)


@pytest.fixture
def arrays(events):
    return events[1]


@pytest.fixture(scope="module")
def libm():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.hypot.argtypes, library.hypot.restype = [ctypes.c_double] * 2, ctypes.c_double
    library.cbrtf.argtypes, library.cbrtf.restype = [ctypes.c_float], ctypes.c_float
    return library


# Compiled functions


def test_functions_of_numba_are_called_for_each_value(job, arrays):
    @numba.cfunc("float64(float64, float64)")
    def scaled(value, by):
        return value * by + 1

    function = compiled_function("scaled", scaled)
    assert function.signature == "scaled(double, double)"
    assert repr(function) == "<ExternalFunction scaled(double, double)>"
    found = job.run({"a": "scaled(met, x)", "b": "scaled(pt, x)"}, [function])
    expected = ak.values_astype(arrays.met, float) * arrays.x + 1
    assert are_equal(found["a"], expected)
    assert ak.array_equal(found["b"], ak.values_astype(arrays.pt, float) * arrays.x + 1)


def test_functions_of_numba_may_have_any_numbers(job, arrays):
    @numba.cfunc("boolean(float32, int32, float64)")
    def passes(pt, charge, x):
        return pt > 20 and charge > 0 and x < 1

    found = job.value("passes(pt, charge, x)", compiled_function("passes", passes))
    assert found.tolist() == ((arrays.pt > 20) & (arrays.charge > 0) & (arrays.x < 1)).tolist()
    kept = job.run({"n": "number"}, [compiled_function("passes", passes)], "passes(met, 1, x)", 2)
    assert kept["n"].tolist() == arrays.number[(arrays.met > 20) & (arrays.x < 1)].tolist()


@pytest.mark.parametrize("types", ["float64(float64, float64)", "float64(float64, float32)"])
def test_functions_of_numba_are_called_as_they_were_compiled(job, arrays, types):
    factor = 2.0

    @numba.cfunc(types, error_model="numpy")
    def ratio(number, by):
        return factor * by / number

    factor = 3.0
    found = job.value("ratio(number % 3, met)", compiled_function("ratio", ratio))
    with np.errstate(divide="ignore"):
        expected = 2 * ak.to_numpy(arrays.met).astype(float) / (ak.to_numpy(arrays.number) % 3)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("types", ["float64(float64, float64)", "float64(float64, float32)"])
def test_what_a_function_of_numba_raises_is_lost_for_that_event_alone(job, arrays, types, monkeypatch):
    raised = []
    monkeypatch.setattr(sys, "unraisablehook", lambda fault: raised.append(fault.exc_type))

    @numba.cfunc(types)
    def ratio(number, by):
        return by / number

    found = job.value("ratio(number % 10007, met)", compiled_function("ratio", ratio))
    divisors = ak.to_numpy(arrays.number) % 10007
    is_defined = divisors > 0
    assert raised == [ZeroDivisionError] * np.count_nonzero(~is_defined)
    expected = ak.to_numpy(arrays.met).astype(float)[is_defined] / divisors[is_defined]
    assert np.array_equal(ak.to_numpy(found)[is_defined], expected)


@pytest.mark.parametrize("numbers", ["float64", "float32", "int32", "int64"])
def test_functions_of_eight_numbers_are_called_directly(job, arrays, numbers):
    @numba.cfunc(f"{numbers}({', '.join([numbers] * 8)})")
    def combined(a, b, c, d, e, f, g, h):
        return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h

    found = job.value("combined(number % 100, 1, 2, 3, 4, 5, 6, 7)", compiled_function("combined", combined))
    assert are_equal(found, arrays.number % 100 + 2 + 6 + 12 + 20 + 30 + 42 + 56)


def test_functions_of_numba_may_take_arrays(job, arrays):
    @numba.cfunc(ARRAYS)
    def total(count, arguments, results):
        numbers = numba.carray(arguments[0], count, np.int32)
        weights = numba.carray(arguments[1], count, np.float32)
        values = numba.carray(results, count, np.float64)
        for i in range(count):
            values[i] = numbers[i] * np.float64(weights[i])

    function = compiled_function("total", total, "double(int, float)")
    assert function.signature == "total(std::int32_t, float)"
    found = job.value("total(charge, pt)", function, "x > 0", threads=2)
    selected = arrays[arrays.x > 0]
    assert ak.array_equal(found, selected.charge * ak.values_astype(selected.pt, float))


def test_functions_of_libraries_are_called(job, arrays, libm):
    functions = [compiled_function("my_hypot", libm.hypot), compiled_function("my_cbrt", libm.cbrtf)]
    found = job.run({"a": "my_hypot(met, x)", "b": "my_cbrt(pt)"}, functions)
    expected = np.hypot(arrays.met.to_numpy().astype(float), arrays.x.to_numpy())
    assert np.allclose(found["a"], expected, rtol=1e-15)
    assert np.allclose(ak.flatten(found["b"]), np.cbrt(ak.flatten(arrays.pt).to_numpy()), rtol=1e-6)


def test_functions_of_addresses_are_called(job, arrays, libm):
    address = ctypes.cast(libm.hypot, ctypes.c_void_p).value
    function = compiled_function("hypot_at", address, "double(double, double)")
    # As Python's own function: numpy's may differ by a bit.
    found = job.value("hypot_at(met, 3)", function)
    assert found.tolist() == [libm.hypot(met, 3) for met in arrays.met.tolist()]


def test_the_same_expression_gives_the_same_as_the_language(job, libm):
    found = job.run(
        {"a": "my_hypot(met, x)", "b": "hypot(met, x)"}, [compiled_function("my_hypot", libm.hypot)]
    )
    # But for last bits, which the C library rounds otherwise in one of 200.
    np.testing.assert_allclose(found["a"], found["b"], rtol=2.3e-16)


def test_compiled_functions_live_as_long_as_they_are_needed(job, arrays):
    @numba.cfunc("float64(float64)")
    def twice(value):
        return 2 * value

    alive = weakref.ref(twice)
    function = compiled_function("twice", twice)
    config = job.config({"value": "twice(x)"}, [function])
    del twice, function
    gc.collect()
    assert alive() is not None
    _core.run(config)
    with uproot.open(job.folder / "kept.root") as file:
        assert are_equal(file["Events"]["value"].array(), 2 * arrays.x)


@numba.cfunc("float64(float64)")
def of_one(value):
    return value


@numba.cfunc(ARRAYS)
def of_arrays(count, arguments, results):
    pass


@numba.cfunc("void(int64, CPointer(float64), CPointer(float64))")
def of_pointers(count, arguments, results):
    pass


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (of_one, {"form": "elements"}, 'form must be "element" or "batch"'),
        (of_one, {"signature": "float(float)"}, r'the function "f" is double\(double\), not float\(float\)'),
        (of_one, {"form": "batch"}, "takes single values"),
        (of_arrays, {}, "needs a signature"),
        (of_arrays, {"signature": "double(double)", "form": "element"}, "takes arrays"),
        (of_pointers, {"signature": "double(double)"}, r"void\(int64, float64\*, float64\*\): .* CPointer"),
        (OF_NOTHING, {"signature": "double(double)"}, r"void\(float64\): one that returns nothing must"),
        (1234, {}, "needs a signature"),
        (1234, {"signature": "double"}, '"double" is no signature'),
        (1234, {"signature": "double(text)"}, '"text" is no type of numbers'),
        (1234, {"signature": "void(double)"}, '"void" is no type of numbers'),
        (lambda x: x, {}, r"functions of Python, .* are for define"),
        ("text", {}, "is no compiled function"),
        (ctypes.CDLL(None).strtod, {}, "needs argtypes and restype"),
    ],
)
def test_mistakes_in_compiled_functions_are_told(function, options, message):
    with pytest.raises(ConfigError, match=message):
        compiled_function("f", function, **options)


def test_signatures_that_cannot_be_called_are_refused(libm):
    with pytest.raises(Error, match=r"double\(double, float\) cannot be called value by value"):
        compiled_function("f", 1234, "double(double, float)")
    with pytest.raises(Error, match="at address 0"):
        compiled_function("f", 0, "double(double)")
    with pytest.raises(SchemaError, match='"a b" is no name'):
        compiled_function("a b", of_one)
    library = ctypes.CDLL(None)
    library.strtol.argtypes, library.strtol.restype = [ctypes.c_char_p], ctypes.c_long
    with pytest.raises(ConfigError, match="c_char_p in its signature, which is no number"):
        compiled_function("f", library.strtol)


# Functions of Python


def test_functions_of_numpy_arrays(job, arrays):
    def score(met, x):
        assert met.dtype == np.float32
        assert x.dtype == np.float64
        return np.where(x > 0, met, -met)

    found = job.value("score(met, x)", batch_function("score", score, 2, "float"))
    assert are_equal(found, np.where(arrays.x > 0, arrays.met, -arrays.met))


@pytest.mark.parametrize("returns", ["double", "float", "int32", "std::int64_t", "uint8", "bool", "short"])
def test_results_have_the_declared_type(job, arrays, returns):
    expected = arrays.number.to_numpy() % 2
    kind = {"bool": "bool", "uint8": "uint8"}.get(returns)
    function = batch_function("f", lambda number: (number % 2).astype(kind or number.dtype), 1, returns)
    found = job.value("f(number)", function)
    assert are_equal(found, expected)
    wanted = {"double": "float64", "float": "float32", "std::int64_t": "int64", "short": "int16"}
    assert found.to_numpy().dtype == wanted.get(returns, returns)


def test_functions_of_lists(job, arrays):
    function = batch_function("leading", lambda pt: ak.fill_none(ak.max(pt, axis=1), 0), 1, "float")
    found = job.value("leading(pt)", function, "x > 0", threads=2)
    assert are_equal(found, ak.fill_none(ak.max(arrays.pt[arrays.x > 0], axis=1), 0))


@pytest.mark.parametrize(
    "returns", ["list of float", "RVec<float>", "std::vector<float>", "ROOT::VecOps::RVec<float>"]
)
def test_functions_that_return_lists(job, arrays, returns):
    function = batch_function("high", lambda pt, met: pt[pt > met], 2, returns)
    found = job.run({"high": "high(pt, met)", "n": "size(high)"}, [function])
    assert ak.array_equal(found["high"], arrays.pt[arrays.pt > arrays.met])
    assert are_equal(found["n"], ak.num(arrays.pt[arrays.pt > arrays.met]))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.stack([x, 2 * x], axis=1),
        lambda x: ak.Array(np.stack([x, 2 * x], axis=1)),
        lambda x: [[value, 2 * value] for value in x.tolist()],
        lambda x: ak.mask(ak.unflatten(np.repeat(x, 2) * np.tile([1, 2], len(x)), 2), np.full(len(x), True)),
        lambda x: ak.concatenate([x[::-1, np.newaxis], 2 * x[::-1, np.newaxis]], axis=1)[::-1],
    ],
)
def test_lists_may_be_made_in_any_way(job, arrays, make):
    found = job.value("f(x)", batch_function("f", make, 1, "list of double"))
    assert are_equal(found.to_numpy(), np.stack([arrays.x, 2 * arrays.x], axis=1))


def test_empty_lists_are_lists(job):
    function = batch_function("f", lambda x: ak.Array([[] for _ in x]), 1, "list of double")
    assert ak.all(ak.num(job.value("f(x)", function)) == 0)


def test_lists_of_lists_go_in_and_out(job, arrays):
    pairs = batch_function(
        "pairs", lambda pt: ak.concatenate([pt[:, :, np.newaxis]] * 2, axis=2), 1, "list of list of float"
    )
    sums = batch_function("sums", lambda lists: ak.sum(lists, axis=2), 1, "list of float")
    found = job.run({"value": "sums(pairs(pt))"}, [pairs, sums])["value"]
    assert ak.array_equal(found, 2 * arrays.pt)


def test_constants_are_arrays(job, arrays):
    def times(x, factor):
        assert factor.shape == x.shape
        assert factor.dtype == np.int32
        return x * factor

    assert are_equal(job.value("times(x, 3)", batch_function("times", times, 2, "double")), arrays.x * 3)


def test_functions_see_what_survives_only(job, arrays):
    seen = []

    def look(number):
        seen.append(number)
        return number

    kept = job.value("look(number)", batch_function("look", look, 1, "int"), "x > 1", threads=2)
    expected = arrays.number[arrays.x > 1].tolist()
    assert kept.tolist() == expected
    # The arrays are the function's own: they stay what they were.
    assert sorted(np.concatenate(seen).tolist()) == expected


def test_conditions_in_front_come_first(job, arrays):
    def sure(x):
        assert (x > 0).all()
        return x > 1

    kept = job.run({"n": "number"}, [batch_function("sure", sure, 1, "bool")], "x > 0 && sure(x)")
    assert kept["n"].tolist() == arrays.number[arrays.x > 1].tolist()


class UnluckyError(Exception):
    """An exception that nobody else raises."""


@pytest.mark.parametrize("threads", [1, 2])
def test_exceptions_reach_the_user(job, threads):
    def unlucky(number):
        if number[-1] > 50_000:
            raise UnluckyError(int(number[number > 50_000][0]))
        return number

    with pytest.raises(UnluckyError) as caught:
        job.value("f(number)", batch_function("f", unlucky, 1, "int"), threads=threads)
    assert caught.value.args == (50_001,)
    assert "unlucky" in [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert not (job.folder / "kept.root").exists()
    assert job.value("number", batch_function("f", unlucky, 1, "int"))[0] == 0


@pytest.mark.parametrize(
    ("returns", "make", "message"),
    [
        ("float", lambda x: x[1:], "one float for each event, not [0-9]+ values for [0-9]+ events"),
        ("float", lambda x: 1.0, "an array of 0 dimensions"),
        ("float", lambda x: None, "an array of 0 dimensions"),
        ("float", lambda x: np.stack([x, x], axis=1), "an array of 2 dimensions"),
        ("float", lambda x: [[1]] + [[1, 2]] * (len(x) - 1), "what is no array"),
        ("float", lambda x: ak.unflatten(x, [len(x) - 1, 1]), "what is no array"),
        ("int", lambda x: x, "values of type float64"),
        ("bool", lambda x: x.astype(int), "values of type int64"),
        ("uint8", lambda x: np.full(len(x), 1, np.int32), "values of type int32"),
        ("int8", lambda x: np.full(len(x), 128), "128, which does not fit"),
        ("int64", lambda x: np.full(len(x), 2**63, np.uint64), "9223372036854775808, which does not fit"),
        ("float", lambda x: np.full(len(x), "1"), "values of type <U1"),
        ("float", lambda x: [None] * len(x), "values of type object"),
        ("float", lambda x: np.ma.masked_less(x, 0), "masked values"),
        ("float", lambda x: ak.Array([None] + [1.0] * (len(x) - 1)), "what is no array"),
        ("list of float", lambda x: x, "an array of"),
        ("list of float", lambda x: [[1.0]], "1 values for [0-9]+ events"),
        ("list of float", lambda x: [[None]] * len(x), "missing values"),
        ("list of float", lambda x: [None] * len(x), "missing values"),
        ("list of float", lambda x: ["text"] * len(x), "an array of"),
        ("list of float", lambda x: [[[1.0]]] * len(x), "an array of"),
        ("list of float", lambda x: [[{"a": 1.0}]] * len(x), "an array of"),
        ("list of int", lambda x: [[1.5]] * len(x), "values of type float64"),
        ("list of float", lambda x: 1.0, "what is no array"),
    ],
)
def test_wrong_results_are_refused(job, returns, make, message):
    with pytest.raises(Error, match=message):
        job.value("f(x)", batch_function("f", make, 1, returns))


@pytest.mark.parametrize("returns", ["string", "list of string", "", "list", "RVec<RVec<RVec<RVec<float>>>>"])
def test_types_that_cannot_be_returned_are_refused(returns):
    with pytest.raises(ConfigError):
        batch_function("f", lambda x: x, 1, returns)


# Names, places and threads


def test_mistakes_in_calls_are_located(job):
    function = batch_function("f", lambda x: x, 1, "float")
    for expression, message in {
        "f(x, met)": r"f\(x1\) takes 1 argument, not 2",
        "f('text')": r"f\(x1\) does not take \(string\)",
        "ff(x)": r'unknown function "ff" \(did you mean "f"\?\)',
    }.items():
        with pytest.raises(ConfigError, match=f"(?s)x.json:1:.*{message}"):
            job.value(expression, function)


def test_names_that_are_taken_are_refused(job):
    with pytest.raises(ConfigError, match='function "hypot": "hypot" is a function of the language'):
        job.value("x", batch_function("hypot", lambda x: x, 1, "float"))
    twice = [batch_function("f", lambda x: x, 1, "float")] * 2
    with pytest.raises(ConfigError, match='function "f": the function "f" is defined twice'):
        job.run({"value": "x"}, twice)
    config = job.config({"value": "f(x)"}, twice[:1], functions={"f(x)": "x"})
    with pytest.raises(ConfigError, match='the function "f" is defined twice'):
        _core.run(config)


def test_functions_of_the_config_may_call_them(job, arrays):
    config = job.config(
        {"value": "g(x)"}, [batch_function("f", lambda x: 2 * x, 1, "double")], functions={"g(x)": "f(x) + 1"}
    )
    _core.run(config)
    with uproot.open(job.folder / "kept.root") as file:
        assert are_equal(file["Events"]["value"].array(), 2 * arrays.x + 1)


def test_samples_know_them(job):
    config = job.config({"value": "x"}, [])
    columns = _core.SampleColumns(config)
    external = [batch_function("f", lambda x: x, 1, "list of float"), compiled_function("g", of_one)]
    assert columns.type_of([], [], "f(x)", external=external) == "list of float"
    assert columns.type_of([("h(x)", "g(x)")], [("y", "h(pt)")], "y", external=external) == "list of double"
    assert columns.definitions([], [("y", "g(x)")], external=external) == [("y", "double", "g(x)")]
    columns.check_condition([], [], "g(x) > 0", external=external)
    columns.check_function([], [], "k(x)", "g(x)", external=external)
    columns.check_name([], [], "k", external=external)
    with pytest.raises(ExpressionError, match='unknown function "f"'):
        columns.type_of([], [], "f(x)")


def test_any_number_of_threads_gives_the_same(job, libm):
    functions = [
        compiled_function("my_hypot", libm.hypot),
        batch_function("wave", lambda x: np.sin(x), 1, "double"),
        batch_function("sorted", lambda pt: ak.sort(pt), 1, "list of float"),
    ]
    define = {"a": "my_hypot(met, x)", "b": "wave(x)", "c": "sorted(pt)", "d": "Sum(c) + b"}
    first, *others = [job.run(define, functions, "x > -1", threads) for threads in (1, 2, 4)]
    for other in others:
        assert ak.array_equal(first, other)


class Busy:
    """Keeps one buffer for all calls, and is slow to fill it."""

    def __init__(self):
        self.buffer, self.inside, self.most_inside = np.empty(1_000_000, np.float32), 0, 0

    def flat(self, x):
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        room = self.buffer[: len(x)]
        room[:] = x
        time.sleep(0.0005)
        self.inside -= 1
        return room

    def lists(self, pt):
        return ak.unflatten(self.flat(np.asarray(ak.flatten(pt))), ak.num(pt))


@pytest.mark.parametrize("kind", ["lists", "flat", "two names", "no key"])
def test_functions_have_one_thread_at_a_time(job, arrays, kind):
    """Python's lock does not see to that: it changes hands within a call."""
    busy = Busy()

    class NoKey:
        __hash__ = None

        def __call__(self, x):
            return busy.flat(x)

    column = "pt" if kind == "lists" else "met"
    names = ["f", "g"] if kind == "two names" else ["f"]
    functions = [
        batch_function(
            name, *((busy.lists, 1, "list of float") if kind == "lists" else (busy.flat, 1, "float"))
        )
        for name in names
    ]
    if kind == "no key":
        functions = [batch_function("f", NoKey(), 1, "float")]
    result = job.run({name.upper(): f"{name}({column})" for name in names}, functions, threads=4)
    assert busy.most_inside == 1
    for name in names:
        assert ak.array_equal(result[name.upper()], arrays[column])


def test_other_threads_of_python_go_on(job):
    """Functions that give Python's lock away, and ones that want it at the same time, end all the same."""
    turn = threading.Event()
    ended = threading.Event()
    counted = []

    def count():
        while not ended.is_set():
            counted.append(1)
            turn.set()
            ended.wait(0.001)

    def waiting(x):
        turn.clear()
        assert turn.wait(10)  # for the other thread, which needs the lock
        return x

    other = threading.Thread(target=count)
    other.start()
    try:
        functions = [batch_function("f", waiting, 1, "double"), batch_function("g", np.sqrt, 1, "double")]
        job.run({"a": "f(x)", "b": "g(abs(x)) + f(x + 1)"}, functions, threads=4)
    finally:
        ended.set()
        other.join()
    assert counted


def test_functions_may_run_jobs_themselves(job, arrays, tmp_path):
    (tmp_path / "inner").mkdir()
    inner = Job(job.path, tmp_path / "inner")
    totals = []

    def nested(x):
        if not totals:
            totals.append(float(np.sum(inner.value("x", batch_function("g", lambda y: y, 1, "double")))))
        return x

    job.value("f(x)", batch_function("f", nested, 1, "double"))
    assert totals == [float(np.sum(arrays.x))]


def test_functions_of_dropped_configs_are_dropped(job):
    class Callable:
        def __call__(self, x):
            return x

    function = Callable()
    alive = weakref.ref(function)
    job.value("f(x)", batch_function("f", function, 1, "double"), threads=2)
    del function
    gc.collect()
    assert alive() is None
