# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the user on frames, against numpy and awkward."""

import ctypes
import ctypes.util
import json

import awkward as ak
import numpy as np
import pandas as pd
import pytest
import skimline as sk
import uproot


@pytest.fixture
def events(dimuon):
    return sk.open(dimuon)


@pytest.fixture(scope="module")
def arrays(dimuon):
    with uproot.open(dimuon) as file:
        return file["Events"].arrays()


def cbrt():
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    libm.cbrt.argtypes, libm.cbrt.restype = [ctypes.c_double], ctypes.c_double
    return libm.cbrt


def filled(frame, expression):
    h = frame.hist(expression, bins=200, range=(0, 50), name="h")
    sk.run(h, threads=2)
    return h.values(flow=True)


def expected(values):
    return np.histogram(values, bins=np.concatenate([[-np.inf], np.linspace(0, 50, 201), [np.inf]]))[0]


def test_expressions_compiled_and_python_functions_agree(events, arrays):
    lists = (
        events.function("root(x)", "pow(x, 1.0 / 3)")
        .function("cbrt_of_libm", cbrt())
        .define("one", "root(Muon_pt * MET_pt)")
        .define("two", "cbrt_of_libm(Muon_pt * MET_pt)")
        .define(
            "three",
            lambda pt, met: (pt * met[:, np.newaxis]) ** (1 / 3),
            columns=["Muon_pt", "MET_pt"],
            returns="list of double",
        )
    )
    assert [lists.types[name] for name in ("one", "two", "three")] == ["list of double"] * 3
    wanted = expected(np.cbrt(ak.to_numpy(ak.flatten(arrays.Muon_pt * arrays.MET_pt)).astype(float)))
    for name in ("one", "two", "three"):
        assert np.abs(filled(lists, name) - wanted).sum() <= 6  # values at the edges of bins


def test_functions_see_only_events_that_pass(events, arrays):
    seen = []

    def first(pt):
        seen.append(len(pt))
        return pt[:, 0]

    h = (
        events.filter("nMuon > 0")
        .define("first", first, columns=["Muon_pt"], returns="float")
        .hist("first", bins=200, range=(0, 50))
    )
    sk.run(h)
    assert sum(seen) == h.result.entries == int((arrays.nMuon > 0).to_numpy().sum())


def test_what_a_function_raises_comes_out(events, tmp_path):
    def fail(met):
        raise LookupError("no calibration for this")

    frame = events.define("x", fail, columns="MET_pt", returns="float")
    with pytest.raises(LookupError, match="no calibration"):
        sk.run(frame.skim(tmp_path / "x.root", keep=["x"]))
    assert list(tmp_path.iterdir()) == []


def test_they_are_in_no_config(events):
    compiled = events.function("cbrt_of_libm", cbrt())
    with pytest.raises(sk.ConfigError, match=r"no config can hold .*cbrt_of_libm"):
        compiled.define("y", "cbrt_of_libm(MET_pt)").to_config()
    assert "functions" not in compiled.to_config()  # which nothing calls
    with pytest.raises(sk.ConfigError, match=r'no config can hold .*: the function of "x"$'):
        events.define("x", len, columns=["MET_pt"]).hist("x", bins=1, range=(0, 1)).to_config()


def test_names_that_are_taken(events):
    with pytest.raises(sk.Error, match="Sum"):
        events.function("Sum", cbrt())
    once = events.function("f", cbrt())
    with pytest.raises(sk.Error, match='"f"'):
        once.function("f", cbrt())


def test_arrays_use_them(events, arrays):
    made = events.function("cbrt_of_libm", cbrt()).arrays({"root": "cbrt_of_libm(MET_pt)"}, library="np")
    np.testing.assert_allclose(made["root"], np.cbrt(arrays.MET_pt.to_numpy().astype(float)), rtol=1e-15)


def test_what_python_functions_cannot_take(events):
    numba = pytest.importorskip("numba")
    compiled = numba.njit(lambda x: x * 2)
    with pytest.raises(sk.ConfigError, match=r"numba.njit and numba.vectorize are for define\("):
        events.function("twice", compiled)
    assert events.define("twice", compiled, columns=["MET_pt"]).count() == 10000
    with pytest.raises(sk.SchemaError, match=r'"s" cannot be called with text, .* types \(string\)'):
        events.define("text", '"a"').define("s", len, columns=["text"])


def test_messages_name_what_was_written(events):
    """The call has a name too, which nobody has given."""
    for function, problem in (
        (lambda met: met[:-1], 'the function of "d" must return one float for each event, not'),
        (lambda met: pd.Series(met).sort_values(), "a Series in another order than the events"),
        (lambda met: ["a"] * len(met), 'the function of "d" must return one float for each event, not'),
    ):
        with pytest.raises(sk.Error) as caught:
            events.define("d", function, columns="MET_pt", returns="float").arrays(["d"])
        assert problem in str(caught.value) and "d_of" not in str(caught.value)


def test_a_function_of_the_user_may_have_the_name_of_the_call(events, arrays):
    both = events.function("d_of", cbrt()).define("d", lambda met: 2 * met, columns="MET_pt")
    made = both.arrays({"d": "d", "root": "d_of(MET_pt)"}, library="np")
    np.testing.assert_array_equal(made["d"], 2 * arrays.MET_pt.to_numpy())
    np.testing.assert_allclose(made["root"], np.cbrt(arrays.MET_pt.to_numpy().astype(float)), rtol=1e-15)


@pytest.mark.parametrize("of_language", [False, True])
def test_a_name_that_something_else_has_is_no_function(events, of_language):
    def give(frame, name):
        return frame.function(f"{name}(x)", "x + 1") if of_language else frame.function(name, cbrt())

    for frame, name, has in (
        (events.define("d", "MET_pt"), "d", 'there is a definition "d"'),
        (events.weight("w", "2."), "w", 'there is a definition "w"'),
        (events, "MET_pt", 'there is a column "MET_pt"'),
        (events.redefine("MET_pt", "MET_pt * 2"), "MET_pt", 'there is a column "MET_pt"'),
        (events.function("g(x)", "x"), "g", 'there is a function "g"'),
    ):
        with pytest.raises(sk.SchemaError, match=f"{has} already"):
            give(frame, name)
    for name in ("entry_", "true", "weight_", "normalisation_"):
        with pytest.raises(sk.ConfigError, match=f'"{name}" cannot name a function'):
            give(events, name)


def test_a_function_has_its_name_for_itself(events):
    frame = events.function("g(x)", "x + 1")
    for name in (frame.define, frame.weight, frame.alias):
        with pytest.raises(sk.SchemaError, match='there is a function "g" already'):
            name("g", "1.")


def test_names_made_for_functions_of_python_are_free(events):
    frame = events.define("twice", lambda met: 2 * met, columns="MET_pt")
    assert (
        frame.define("twice_of", "twice").arrays("twice_of", library="np")["twice_of"].sum()
        == (2 * events.arrays("MET_pt", library="np")["MET_pt"].astype(float)).sum()
    )


def test_a_function_that_runs_a_job_that_calls_it_is_told(events):
    def count(met):
        return np.full(len(met), frame.filter("again > 0").count())

    frame = events.define("again", count, columns="MET_pt")
    for threads in (1, 2):
        with pytest.raises(sk.ConfigError, match='the function of "again" runs a job that calls it'):
            frame.arrays("again", threads=threads)


def test_a_function_may_run_a_job_that_does_not_call_it(events, arrays):
    def count(met):
        return np.full(len(met), events.filter("MET_pt > 30").count())

    values = (
        events.range(10).define("number", count, columns="MET_pt").arrays("number", library="np")["number"]
    )
    assert np.array_equal(values, np.full(10, (arrays.MET_pt.to_numpy() > 30).sum()))


def scale_factors(path):
    path.write_text(
        json.dumps(
            {
                "schema_version": 2,
                "corrections": [
                    {
                        "name": "twice",
                        "version": 1,
                        "inputs": [{"name": "x", "type": "real"}],
                        "output": {"name": "y", "type": "real"},
                        "data": {
                            "nodetype": "formula",
                            "expression": "x*2",
                            "parser": "TFormula",
                            "variables": ["x"],
                        },
                    }
                ],
            }
        )
    )
    return str(path)


def compiled_twice():
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda value: value * 2)


@pytest.mark.parametrize(
    "with_twice",
    [
        lambda frame, folder: frame.function("twice(x)", "x * 2").define("y", "twice(MET_pt)"),
        # A parameter that is called like objects of the files is none of these.
        lambda frame, folder: frame.function("twice(Muon)", "Muon * 2").define("y", "twice(MET_pt)"),
        lambda frame, folder: frame.function("twice", compiled_twice()).define("y", "twice(MET_pt)"),
        lambda frame, folder: frame.define("y", lambda met: met * 2, columns=["MET_pt"], returns="float"),
        lambda frame, folder: frame.correction("twice", scale_factors(folder / "sf.json")).define(
            "y", "twice(MET_pt)"
        ),
        lambda frame, folder: frame.correction("twice", scale_factors(folder / "sf.json")).define(
            "y", "MET_pt * 2"
        ),
    ],
    ids=["expression", "parameter", "compiled", "python", "correction", "unused correction"],
)
def test_variations_that_not_all_have_follow_through_functions(events, arrays, tmp_path, with_twice):
    """Behind a filter, in one of two branches, and as the values of one variation."""
    frame = with_twice(events, tmp_path)
    columns = {"MET_pt": {"up": "MET_pt * 1.5f"}, "Muon_pt": {"up": "Muon_pt * 2"}}
    met, few = ak.to_numpy(arrays.MET_pt), ak.to_numpy(arrays.nMuon) < 2
    behind = (
        frame.filter("nMuon < 2").vary("scale", columns).hist("y", bins=200, range=(0, 50), name="behind")
    )
    nominal = frame.hist("y", bins=200, range=(0, 50), name="nominal")
    branch = frame.vary("scale", columns).hist("y", bins=200, range=(0, 50), name="branch")
    one = frame.vary("scale", columns).in_variation("scale_up").hist("y", bins=200, range=(0, 50), name="one")
    sk.run(behind, nominal, branch, one)
    for filled, values in (
        (behind, met[few] * 2),
        (behind.variations["scale_up"], met[few] * np.float32(1.5) * 2),
        (nominal, met * 2),
        (branch, met * 2),
        (branch.variations["scale_up"], met * np.float32(1.5) * 2),
        (one, met * np.float32(1.5) * 2),
    ):
        assert filled.values(flow=True).tolist() == expected(values).tolist()
