# SPDX-License-Identifier: BSD-3-Clause
"""Corrections of correctionlib in expressions give what correctionlib's Python gives, and their mistakes are located."""

import copy
import gzip
import json
import os
import subprocess
import zlib

import awkward as ak
import correctionlib
import numpy as np
import pytest
import uproot
from correction_files import (
    COMPOUNDS,
    CORRECTIONS,
    REAL,
    TEXT,
    binning,
    category,
    correction,
    correction_set,
    formula,
    make_events,
    multibinning,
)
from exit_codes import DONE, FAILED, WRONG_USAGE


def abseta(events):
    return abs(events["Muon_eta"])


def muons(name):
    return lambda events: events[name]


# What a function of the config is called with, and what that is for the oracle. A text is an input that is
# fixed in the config.
CALLS = {
    "muon_id": ("abs(Muon_eta), Muon_pt, \"systup\"", [abseta, muons("Muon_pt"), "systup"]),
    "by_default": ("abs(Muon_eta), Muon_pt", [abseta, muons("Muon_pt")]),
    "mixed_axes": ("abs(Muon_eta), Muon_pt", [abseta, muons("Muon_pt")]),
    "polynomial": ("Muon_pt, abs(Muon_eta)", [muons("Muon_pt"), abseta]),
    "by_flavour": ("Muon_flavour, Muon_pt", [muons("Muon_flavour"), muons("Muon_pt")]),
    "by_charge": ("charge", [muons("charge")]),
    "by_charge_bin": ("charge", [muons("charge")]),
    "by_channel": ("channel, inside", [muons("channel"), muons("inside")]),
    "failing": ("inside", [muons("inside")]),
    "uniform_failing": ("inside", [muons("inside")]),
    "flat": ("Muon_pt, run", [muons("Muon_pt"), muons("run")]),
    "normal": ("Muon_pt, run", [muons("Muon_pt"), muons("run")]),
    "fast_normal": ("met, run", [muons("met"), muons("run")]),
    "all_levels": ("Muon_pt, abs(Muon_eta)", [muons("Muon_pt"), abseta]),
    "constant": ("", []),
} | {
    name: ("Muon_pt", [muons("Muon_pt")])
    for name in ("clamped", "outside_is_one", "outside_is_formula", "infinite", "uniform_clamped", "uniform_outside",
                 "referring", "transformed")
} | {name: ("0.37 * event - 200", [lambda events: 0.37 * events["event"] - 200])
     for name in ("wrapped", "uniform_wrapped")}  # fmt: skip


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    path = tmp_path_factory.mktemp("events") / "events.root"
    return path, make_events(path)


@pytest.fixture(scope="module")
def corrections(tmp_path_factory):
    path = tmp_path_factory.mktemp("corrections") / "corrections.json"
    path.write_text(json.dumps(correction_set(compound_corrections=COMPOUNDS)))
    return path


@pytest.fixture(scope="module")
def oracle(corrections):
    return correctionlib.CorrectionSet.from_file(str(corrections))


def evaluated(oracle, name, arguments, num_events):
    """What correctionlib says, value by value: for events with lists, a list of lists."""
    function = oracle.compound[name] if name in oracle.compound else oracle[name]
    arrays = [each for each in arguments if not isinstance(each, str)]
    if not arrays:
        return np.full(num_events, function.evaluate(*arguments))
    shaped = ak.broadcast_arrays(*arrays)
    deep = any(each.ndim > 1 and "string" not in str(each.type) for each in map(ak.Array, shaped))
    columns = iter([(ak.flatten(each) if deep else ak.Array(each)).to_list() for each in shaped])
    columns = [None if isinstance(each, str) else next(columns) for each in arguments]
    kinds = {"int": int, "real": float, "string": str}
    kinds = [kinds[each.type] for each in function.inputs]
    size = len(next(column for column in columns if column is not None))
    values = [
        function.evaluate(*(kind(fixed if column is None else column[i])
                            for fixed, column, kind in zip(arguments, columns, kinds, strict=True)))
        for i in range(size)
    ]  # fmt: skip
    counts = ak.num(next(each for each in shaped if each.ndim > 1)) if deep else None
    return ak.unflatten(np.array(values), counts) if deep else np.array(values)


def config_of(events, corrections, define, **more):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{events}:Events"]}},
        "corrections": corrections,
        "define": define,
        "skims": {"out": {"file": "out.root", "keep": list(define)}},
    } | more


@pytest.fixture
def run(job, events):
    """Runs a config with these corrections and definitions in an own folder; returns the process."""

    def run(corrections, define, **more) -> subprocess.CompletedProcess:
        return job(config_of(events[0], corrections, define, **more))

    return run


def results(folder):
    return uproot.open(folder / "out.root")["Events"].arrays()


def same(values, expected):
    """Whether these are the same bits, in lists of the same sizes."""
    values, expected = ak.Array(values), ak.Array(expected)
    if values.ndim != expected.ndim or len(values) != len(expected):
        return False
    if values.ndim > 1 and not ak.all(ak.num(values) == ak.num(expected)):
        return False
    flat = [np.asarray(ak.flatten(each, axis=None), float) for each in (values, expected)]
    return len(flat[0]) > 0 and flat[0].tobytes() == flat[1].tobytes()


@pytest.fixture(scope="module")
def computed(run_in, events, corrections, tmp_path_factory):
    """All of CALLS, computed at once."""
    folder = tmp_path_factory.mktemp("computed")
    config = config_of(
        events[0],
        {f"f_{name}": {"file": str(corrections), "correction": name} for name in CALLS},
        {name: f"f_{name}({arguments})" for name, (arguments, _) in CALLS.items()},
    )
    done = run_in(folder, config)
    assert done.returncode == DONE, done.stderr
    return results(folder)


@pytest.mark.parametrize("name", CALLS)
def test_values_are_those_of_correctionlib(computed, events, oracle, name):
    arguments = [each if isinstance(each, str) else each(events[1]) for each in CALLS[name][1]]
    assert same(computed[name], evaluated(oracle, name, arguments, len(events[1])))


def test_all_corrections_are_tried():
    names = {each["name"] for each in (*CORRECTIONS, *COMPOUNDS)}
    assert names - set(CALLS) == {"strict", "level1", "level2"}


# Inputs


def test_inputs_may_be_fixed(run, events, corrections, oracle, tmp_path):
    file = {"file": str(corrections)}
    done = run(
        {
            "up": file | {"correction": "muon_id", "inputs": {"scale_factors": "systup"}},
            "at_one": file | {"correction": "muon_id", "inputs": {"abseta": 1, "scale_factors": "nominal"}},
            "plus": file | {"correction": "by_charge", "inputs": {"charge": 1}},
        },
        {"a": "up(abs(Muon_eta), Muon_pt)", "b": "at_one(Muon_pt)", "c": "plus()"},
    )
    assert done.returncode == DONE, done.stderr
    values, muons = results(tmp_path), events[1]
    up = [abs(muons["Muon_eta"]), muons["Muon_pt"], "systup"]
    assert same(values["a"], evaluated(oracle, "muon_id", up, len(muons)))
    at_one = [ak.ones_like(muons["Muon_pt"]), muons["Muon_pt"], "nominal"]
    assert same(values["b"], evaluated(oracle, "muon_id", at_one, len(muons)))
    assert set(values["c"].to_list()) == {1.1}


def test_texts_may_be_definitions_and_columns(run, events, corrections, oracle, tmp_path):
    sf = {"file": str(corrections), "correction": "muon_id"}
    call = "sf(abs(Muon_eta), Muon_pt, {})".format
    define = {
        "name": '"systdown"',
        "a": call("name"),
        "b": call("systematic"),
        "c": call('run % 2 == 0 ? "systup" : "nominal"'),
        "d": "sf(1.5, met, systematic)",
    }
    done = run({"sf": sf}, define, skims={"out": {"file": "out.root", "keep": list("abcd")}})
    assert done.returncode == DONE, done.stderr
    values, muons = results(tmp_path), events[1]
    eta, pt = abs(muons["Muon_eta"]), muons["Muon_pt"]
    by_name = {
        name: evaluated(oracle, "muon_id", [eta, pt, name], len(muons))
        for name in ("nominal", "systup", "systdown")
    }
    assert same(values["a"], by_name["systdown"])
    expected = [by_name[name][i] for i, name in enumerate(muons["systematic"].to_list())]
    assert same(values["b"], expected)
    even = muons["run"] % 2 == 0
    assert same(values["c"], [by_name["systup" if e else "nominal"][i] for i, e in enumerate(even.to_list())])
    one = [np.full(len(muons), 1.5), muons["met"], muons["systematic"]]
    assert same(values["d"], [
        oracle["muon_id"].evaluate(*each) for each in zip(*(ak.to_list(array) for array in one), strict=True)
    ])  # fmt: skip


def test_files_may_be_compressed_and_lie_beside_the_config(run, corrections, tmp_path):
    (tmp_path / "sf").mkdir()
    (tmp_path / "sf" / "c.json.gz").write_bytes(gzip.compress(corrections.read_bytes()))
    (tmp_path / "c.json").write_bytes(corrections.read_bytes())
    done = run(
        {
            "packed": {"file": "sf/c.json.gz", "correction": "clamped"},
            "plain": {"file": "c.json", "correction": "clamped"},
        },
        {"a": "packed(Muon_pt)", "b": "plain(Muon_pt)"},
    )
    assert done.returncode == DONE, done.stderr
    assert same(results(tmp_path)["a"], results(tmp_path)["b"])


def test_functions_of_the_config_may_call_them(run, corrections, tmp_path):
    sf = {"sf": {"file": str(corrections), "correction": "clamped"}}
    done = run(sf, {"a": "twice(Muon_pt)", "b": "2 * sf(Muon_pt)"}, functions={"twice(pt)": "2 * sf(pt)"})
    assert done.returncode == DONE, done.stderr
    assert same(results(tmp_path)["a"], results(tmp_path)["b"])


def test_unused_ones_are_said(run, corrections):
    sf = {"file": str(corrections), "correction": "clamped"}
    done = run({"used": sf, "unused": sf}, {"a": "used(Muon_pt)"})
    assert done.returncode == DONE
    assert 'warning: the correction "unused" is not used' in done.stderr
    assert done.stderr.count("warning") == 1


# Records


def test_included_configs_have_paths_of_their_own(run, corrections, tmp_path):
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "c.json").write_bytes(corrections.read_bytes())
    common = {"corrections": {"sf": {"file": "c.json", "correction": "clamped"}}}
    (tmp_path / "common" / "common.json").write_text(json.dumps(common))
    done = run(
        {"b": {"file": "common/c.json", "correction": "constant"}},
        {"a": "sf(met) + b()"},
        include="common/common.json",
    )
    assert done.returncode == DONE, done.stderr


def test_records_have_checksums_and_runs_of_them_need_the_same_file(run, call, corrections, tmp_path):
    file = tmp_path / "c.json"
    file.write_bytes(corrections.read_bytes())
    done = run({"sf": {"file": "c.json", "correction": "clamped"}}, {"a": "sf(met)"})
    assert done.returncode == DONE, done.stderr
    (config,) = json.loads(call("show", "--json", tmp_path / "out.root").stdout)["files"][0]["record"][
        "configs"
    ]
    assert config["corrections"]["sf"]["checksum"] == f"adler32:{zlib.adler32(file.read_bytes()):08x}"
    config["skims"]["out"]["file"] = "again.root"  # records have no paths of outputs
    (tmp_path / "again.json").write_text(json.dumps(config))
    assert call("run", "again.json", cwd=tmp_path).returncode == DONE
    file.write_text(file.read_text().replace("0.5625", "0.5626"))
    done = call("run", "again.json", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert f'"c.json" has the checksum "adler32:{zlib.adler32(file.read_bytes()):08x}"' in done.stderr


# Mistakes

MISTAKES = {
    "no such file": ({"file": "sf.jsn"}, {}, "sf.jsn: cannot be opened: no such file", "sf.jsn"),
    "a folder": ({"file": "."}, {}, "is a directory, not a file", '"."'),
    "no JSON": ({"file": "text.json"}, {}, "JSON parse error", "text.json"),
    "cut off": ({"file": "short.json.gz"}, {}, "cannot be decompressed", "short.json.gz"),
    "version 1": ({"file": "old.json"}, {}, "schema v2 and is not backward-compatible", "old.json"),
    "integers as edges": ({"file": "edges.json"}, {}, "(edges have a decimal point: 20.0, not 20)", "edges.json"),
    "a network": ({"file": "network.json"}, {}, "neural networks (lwtnn) are not evaluated", "network.json"),
    "no corrections": ({"file": "list.json"}, {}, "holds no corrections of schema version 2 of correctionlib", "list"),
    "unknown correction": ({"correction": "muon_ID2"}, {}, 'has no correction "muon_ID2" (did you mean "muon_id"?)',
                           '"muon_ID2"'),
    "unknown input": ({"inputs": {"scale_factor": "nominal"}}, {},
                      'the correction "muon_id" has no input "scale_factor" (did you mean "scale_factors"?)',
                      '"scale_factor"'),
    "far from any input": ({"inputs": {"x": 1}}, {}, 'no input "x": it has abseta, pt, scale_factors', '"x"'),
    "a number as text": ({"inputs": {"scale_factors": 1}}, {}, 'must be a text, got', "1"),
    "a text as number": ({"inputs": {"pt": "1"}}, {}, 'the input "pt" of the correction "muon_id" must be a number',
                         '"1"'),
    "a real as integer": ({"correction": "by_charge", "inputs": {"charge": 1.0}}, {}, "must be an integer", "1.0"),
    "an unknown key": ({"input": {}}, {}, 'unknown key "input" (did you mean "inputs"?)', ""),
    "too few arguments": ({}, {"a": "sf(met)"},
                          "sf(double abseta, double pt, string scale_factors) takes 3 arguments, not 1", "sf(met)"),
    "a number where a text is": ({}, {"a": "sf(1, met, 2)"}, '"scale_factors" must be a string, not a std::int32_t',
                                 "2"),
    "a text where a number is": ({}, {"a": 'sf("x", met, "nominal")'}, '"abseta" must be a number, not a string', "'x'"),
    "a real where an integer is": ({"correction": "by_charge"}, {"a": "sf(met)"},
                                   '"charge" must be an integer, not a double', "met"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_located(run, corrections, tmp_path, mistake):
    changes, define, message, _ = MISTAKES[mistake]
    (tmp_path / "text.json").write_text("no JSON")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "old.json").write_text(json.dumps({"schema_version": 1, "corrections": []}))
    network = {"nodetype": "lwtnn", "opaque": {}, "finalizer": 1.0}
    (tmp_path / "network.json").write_text(
        json.dumps(correction_set([correction("n", {"pt": REAL}, network)]))
    )
    bins = {"nodetype": "binning", "input": "pt", "edges": [0, 20], "content": [1.0], "flow": "clamp"}
    (tmp_path / "edges.json").write_text(json.dumps(correction_set([correction("n", {"pt": REAL}, bins)])))
    (tmp_path / "short.json.gz").write_bytes(gzip.compress(corrections.read_bytes())[:-50])
    sf = {"file": str(corrections), "correction": "muon_id"} | changes
    done = run({"sf": sf}, define or {"a": "1"})
    assert done.returncode == WRONG_USAGE, done.stderr
    assert message in done.stderr
    assert done.stderr.count(": error: ") == 1
    assert done.stderr.startswith("a.json:")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_devices_and_pipes_are_no_files_of_corrections(run, tmp_path, kind):
    """They may never end, or never begin."""
    os.mkfifo(tmp_path / "pipe")
    path = {"pipe": "pipe", "device": "/dev/zero"}[kind]
    done = run({"sf": {"file": path, "correction": "muon_id"}}, {"a": "1"})
    assert done.returncode == WRONG_USAGE
    assert f"{path}: is not a regular file" in done.stderr and done.stderr.startswith("a.json:")


@pytest.mark.parametrize(
    ("name", "problem"), [("sqrt", "is a function of the language"), ("2x", "cannot name")]
)
def test_names_must_be_free(run, corrections, name, problem):
    done = run({name: {"file": str(corrections), "correction": "clamped"}}, {"a": "1"})
    assert done.returncode == WRONG_USAGE
    assert problem in done.stderr


# What is rounded to the end of all bins, where correctionlib reads behind them or takes what stands there


@pytest.mark.parametrize("flow", ["clamp", "wrap", "error", 7.5])
def test_what_is_right_below_the_end_is_in_the_last_bin(run, tmp_path, flow):
    if flow == "wrap":
        spans = [({"n": 4, "low": 0.0, "high": 10.0}, -1e-20), ([0.0, 2.0, 4.0, 6.0, 10.0], -1e-20)]
    else:
        spans = [({"n": 4, "low": -end, "high": end}, float(np.nextafter(end, 0))) for end in (1.0, 3.3, 5.0)]
    made = []
    for edges, _ in spans:
        made.append(correction(f"c{len(made)}", {"x": REAL}, binning(edges, flow, "x")))
        both = multibinning(1.0, flow, ("y", "x"), ([0.0, 1.0, 2.0], edges))
        made.append(correction(f"c{len(made)}", {"y": REAL, "x": REAL}, both))
    (tmp_path / "c.json").write_text(json.dumps(correction_set(made)))
    values = [value for _, value in spans]
    calls = {f"c{2 * i}": f"f{2 * i}({value!r})" for i, value in enumerate(values)}
    calls |= {f"c{2 * i + 1}": f"f{2 * i + 1}(0.5, {value!r})" for i, value in enumerate(values)}
    done = run({f"f{i}": {"file": "c.json", "correction": f"c{i}"} for i in range(len(made))}, calls)
    assert done.returncode == DONE, done.stderr
    last = {name: set(results(tmp_path)[name].to_list()) for name in calls}
    assert last == {f"c{i}": {1.03 if i % 2 else 0.6875} for i in range(len(made))}


# Values without a result

FAULTS = [
    ("strict", "sf(9., met)", "sf(9., met)", "Index above bounds in MultiBinning for input argument 0 value: 9.0"),
    ("failing", "sf(event == 7 ? 3. : inside)", None, "Index below bounds in Binning for input argument 0 value: 3.0"),
    ("uniform_failing", "sf(event == 7 ? 500. : inside)", None, "Index above bounds in Binning"),
    ("muon_id", 'sf(1, inside, event == 7 ? "syst" : "nominal")', None,
     "Index not available in Category for input argument 2 val: syst"),
    ("by_flavour", "sf(event == 7 ? 3 : 4, inside)", None,
     "Index not available in Category for input argument 0 val: 3"),
    ("uniform_clamped", "sf(event == 7 ? sqrt(-1.) : inside)", None, 'the input "pt" is NaN'),
    ("polynomial", "sf(event == 7 ? sqrt(-1.) : inside, 1)", None, 'the input "pt" is NaN'),
    ("uniform_wrapped", "sf(event == 7 ? 1e308 * 10 : inside)", None, "No bin in Binning for value: inf"),
    ("wrapped", "sf(event == 7 ? 1e308 * 10 : inside)", None, "No bin in Binning for an infinite value"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "expression", "part", "message"), FAULTS)
def test_values_without_result_end_the_run(run, corrections, name, expression, part, message):
    done = run({"sf": {"file": str(corrections), "correction": name}}, {"a": f"1 + {expression}"})
    assert done.returncode == FAILED, done.stderr
    assert f'the correction "{name}": {message}' in done.stderr
    assert (part or expression) in done.stderr
    assert f"entry {0 if part else 7}" in done.stderr


def test_elements_without_result_name_their_entry(run, corrections, events):
    done = run({"sf": {"file": str(corrections), "correction": "failing"}}, {"a": "sf(Muon_pt)"})
    assert done.returncode == FAILED
    outside = ak.any((events[1]["Muon_pt"] < 15) | (events[1]["Muon_pt"] >= 120), axis=1)
    assert f"entry {int(np.argmax(outside))}" in done.stderr


def test_conditions_in_front_protect(run, corrections, tmp_path):
    sf = {"sf": {"file": str(corrections), "correction": "failing"}}
    done = run(sf, {"a": "met >= 15 && met < 120 ? sf(met) : 1."})
    assert done.returncode == DONE, done.stderr
    done = run(sf, {"a": "sf(Muon_pt[Muon_pt >= 15 && Muon_pt < 120])"})
    assert done.returncode == DONE, done.stderr


# Hostile files


def nested(levels, node):
    for _ in range(levels):
        node = {"nodetype": "transform", "input": "pt", "rule": 1.0, "content": node}
    return node


def hostile_files():
    one = {"pt": REAL}
    many = {
        "nodetype": "binning",
        "input": "pt",
        "edges": {"n": 1, "low": 5.0, "high": 5.0},
        "content": [1.0],
        "flow": "wrap",
    }
    empty = {
        "nodetype": "multibinning",
        "inputs": ["pt", "pt"],
        "edges": [[], []],
        "content": [1.0],
        "flow": "wrap",
    }
    reference = {"nodetype": "formularef", "index": 0, "parameters": []}
    yield "brackets", "[" * 1_000_000
    yield "objects", '{"a":' * 1_000_000
    yield "nodes", correction_set([correction("c", one, nested(20000, 1.0))])
    yield "parentheses", correction_set([correction("c", one, formula("(" * 2000 + "x" + ")" * 2000, "pt"))])
    yield "sum", correction_set([correction("c", one, formula("+".join(["x"] * 100_000), "pt"))])
    yield "hidden", json.dumps(correction_set([correction("c", one, formula("(" * 9000 + "x", "pt"))])).replace(
        '"expression"', '"\\u0065xpression"')  # fmt: skip
    yield "no width", correction_set([correction("c", one, many)])
    yield "no edges", correction_set([correction("c", one, empty)])
    yield (
        "no parameters",
        correction_set([correction("c", one, reference, generic_formulas=[formula("[99]", "pt")])]),
    )
    yield "entropy", correction_set([correction("c", one, {"nodetype": "hashprng", "inputs": ["pt"] * 2_000_000,
                                                          "distribution": "normal"})])  # fmt: skip
    yield "types", correction_set([correction("c", one, formula("x", 1))])
    yield "few inputs", correction_set([correction("c", one, empty | {"inputs": [], "edges": [[0.0, 1.0]]})])
    yield (
        "keys",
        correction_set([correction("c", {"pt": TEXT}, category("pt", {"a": 1.0}) | {"content": [[1]]})]),
    )
    yield "zero", json.dumps(correction_set([correction("c", one, 1.0)])) + "\0"
    yield "index", correction_set([correction("c", one, reference | {"index": -1})])


HOSTILE = dict(hostile_files())


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_errors(run, tmp_path, name):
    text = HOSTILE[name]
    (tmp_path / "c.json").write_text(text if isinstance(text, str) else json_of(text))
    done = run({"sf": {"file": "c.json", "correction": "c"}}, {"a": "sf(inside)"})
    assert done.returncode in (FAILED, WRONG_USAGE), done.stderr
    assert "error: " in done.stderr


def json_of(value) -> str:
    """JSON of any depth."""
    node, levels = value, 0
    node = copy.copy(value["corrections"][0]["data"])
    begin, end = "", ""
    while isinstance(node, dict) and node["nodetype"] == "transform":
        begin += '{"nodetype": "transform", "input": "pt", "rule": 1.0, "content": '
        end += "}"
        node, levels = node["content"], levels + 1
    outer = {**value, "corrections": [{**value["corrections"][0], "data": "DATA"}]}
    return json.dumps(outer).replace('"DATA"', begin + json.dumps(node) + end)


@pytest.mark.parametrize(
    "expression",
    [
        "x / 2 - (1 + x) / 3",
        "(" * 50 + "x" + ")" * 50,
        "+".join(["x"] * 2500),
        "^".join(["x"] * 2500),
        "*".join(["-x"] * 1600),
    ],
)
def test_formulas_as_long_as_can_be_are_evaluated(run, tmp_path, expression, unsanitized):
    file = correction_set([correction("c", {"pt": REAL}, formula(expression, "pt"))])
    # Some programs write a slash so.
    (tmp_path / "c.json").write_text(json.dumps(file).replace("/", "\\/"))
    done = run({"sf": {"file": "c.json", "correction": "c"}}, {"a": "sf(inside)"})
    assert done.returncode == DONE, done.stderr


# Variations


def test_texts_may_be_varied(run, events, corrections, oracle, tmp_path):
    sf = {"file": str(corrections), "correction": "muon_id"}
    texts = {"up": '"systup"', "down": '"systdown"'}
    done = run(
        {"sf": sf},
        {"systematic_of_id": '"nominal"', "bin": "1"},
        weights={"muon_id": "sf(1.5, met, systematic_of_id)"},
        variations={"muon_id": {"columns": {"systematic_of_id": texts}}},
        histograms={"h": {"x": {"value": "bin", "integers": [1, 1]}, "weight": "weight_"}},
        output={"histograms": "h.root", "report": False},
    )
    assert done.returncode == DONE, done.stderr
    file = uproot.open(tmp_path / "h.root")
    sums = {name.split(";")[0]: file[name].values().sum() for name in file.keys() if name.startswith("h")}
    met = np.asarray(events[1]["met"])
    expected = {
        f"h{suffix}": sum(oracle["muon_id"].evaluate(1.5, met, systematic))
        for suffix, systematic in {
            "__nominal": "nominal",
            "__muon_id_up": "systup",
            "__muon_id_down": "systdown",
        }.items()
    }
    assert sums == pytest.approx(expected, rel=1e-12)
