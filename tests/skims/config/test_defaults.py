# SPDX-License-Identifier: BSD-3-Clause
"""Defaults in configs: values of columns in files that lack them, against uproot and numpy."""

import re

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE
from written_inputs import write

NUM_EVENTS = 3000
NUMBERS = numpy.arange(NUM_EVENTS)
COLUMNS = {
    "MET_pt": (NUMBERS % 100).astype(numpy.float32),
    "HLT_Mu24": NUMBERS % 3 == 0,
    "HLT_Mu27": NUMBERS % 5 == 0,
    "year": numpy.full(NUM_EVENTS, 2016, numpy.int16),
    "era": awkward.Array(["A"] * NUM_EVENTS),
}
RUNS = ["run1.root", "run2.root"]


@pytest.fixture(autouse=True)
def files(tmp_path):
    """Files of two runs, of which the second lacks most columns."""
    with uproot.recreate(tmp_path / RUNS[0]) as file:
        file.mkrntuple("Events", COLUMNS)
    with uproot.recreate(tmp_path / RUNS[1]) as file:
        file.mkrntuple("Events", {name: COLUMNS[name] for name in ("MET_pt", "HLT_Mu24")})


def config_for(files, defaults, **more):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": files}},
        "defaults": defaults,
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 100, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    } | more


DEFAULTS = {"HLT_Mu27": True, "year": 2018, "era": "B"}


@pytest.mark.parametrize("order", [[0, 1], [1, 0], [1, 0, 1]])
def test_files_that_lack_a_column_have_its_default(job, tmp_path, order):
    copies = []
    for number, index in enumerate(order):
        copies.append(f"copy{number}.root")
        (tmp_path / copies[-1]).write_bytes((tmp_path / RUNS[index]).read_bytes())
    select = [{"name": "trigger", "where": "AnyOf('HLT_Mu*')"}]
    skims = {"s": {"file": "s.root", "keep": ["MET_pt", "HLT_*", "year", "era"]}}
    config = config_for(copies, DEFAULTS, select=select, skims=skims, allow_duplicates=True)
    done = job(config, "-j", 1)
    assert done.returncode == DONE, done.stderr
    assert "warning" not in done.stderr

    mu27 = numpy.concatenate([COLUMNS["HLT_Mu27"] if i == 0 else numpy.ones(NUM_EVENTS, bool) for i in order])
    mu24 = numpy.tile(COLUMNS["HLT_Mu24"], len(order))
    met = numpy.tile(NUMBERS % 100, len(order))
    is_first_run = numpy.repeat([i == 0 for i in order], NUM_EVENTS)
    kept = mu24 | mu27
    with uproot.open(tmp_path / "h.root") as file:
        assert file["met"].values().tolist() == numpy.bincount(met[kept], minlength=100).tolist()
    skim = uproot.open(tmp_path / "s.root")["Events"].arrays()
    assert skim["MET_pt"].tolist() == met[kept].tolist()
    assert skim["HLT_Mu24"].tolist() == mu24[kept].tolist()
    assert skim["HLT_Mu27"].tolist() == mu27[kept].tolist()
    assert skim["year"].tolist() == numpy.where(is_first_run, 2016, 2018)[kept].tolist()
    assert skim["era"].tolist() == numpy.where(is_first_run, "A", "B")[kept].tolist()

    written = [(tmp_path / name).read_bytes() for name in ("h.root", "s.root")]
    assert job(config, "-j", 3).returncode == DONE
    assert [(tmp_path / name).read_bytes() for name in ("h.root", "s.root")] == written


def test_without_a_default_a_column_must_be_in_all_files(job):
    defaults = {"HLT_Mu27": False, "era": "B"}
    done = job(config_for(RUNS, defaults, define={"y": "year"}, select=[{"name": "y", "where": "y > 0"}]))
    assert done.returncode == WRONG_USAGE
    assert 'the field "year" cannot be used in expressions: it is missing in ' in done.stderr
    assert job(config_for(RUNS, defaults)).returncode == DONE


@pytest.mark.parametrize("kind", ["tree", "rntuple"])
@pytest.mark.parametrize("file_format", ["rntuple", "ttree"])
def test_patterns_and_lists(job, tmp_path, kind, file_format):
    """Values in expressions and in skims, of columns that only some files have."""
    lists = awkward.unflatten(numpy.arange(60, dtype=numpy.float32), numpy.arange(40) % 4)
    flags = {f"HLT_{letter}": numpy.arange(40) % (i + 2) == 0 for i, letter in enumerate("abc")}
    old = {"n": numpy.arange(40), "HLT_count": numpy.arange(40), "Jet_x": lists, "Jet_y": lists} | flags
    new = {"n": numpy.arange(40) + 40, "HLT_a": flags["HLT_a"]}
    for name, columns in (("old.root", old), ("new.root", new)):
        write(tmp_path / name, columns, kind)
    defaults = {"HLT_*": True, "HLT_count": -1, "Jet_x": [], "Jet_?": [0.5, 2]}
    if kind == "tree":
        defaults |= {"nJet_x": 0, "nJet_?": 2}
    config = config_for(
        ["new.root", "old.root"],
        defaults,
        define={"total": "Sum(Jet_y) + HLT_count"},
        histograms={"h": {"x": {"value": "total", "bins": 1000, "range": [-10, 990]}}},
        skims={"s": {"file": "s.root", "format": file_format}},
    )
    config["define"]["trigger"] = "AnyOf('HLT_?')"
    config["select"] = [{"name": "trigger", "where": "trigger"}]
    done = job(config)
    assert done.returncode == DONE, done.stderr
    is_kept = numpy.concatenate([numpy.ones(40, bool), flags["HLT_a"] | flags["HLT_b"] | flags["HLT_c"]])
    filled = [[] for _ in range(40)]
    expected = {
        "n": [*range(40, 80), *range(40)],
        "HLT_b": [True] * 40 + flags["HLT_b"].tolist(),
        "HLT_count": [-1] * 40 + list(range(40)),
        "Jet_x": filled + lists.to_list(),
        "Jet_y": [[0.5, 2]] * 40 + lists.to_list(),
    }
    with uproot.open(tmp_path / "s.root") as file:
        for name, values in expected.items():
            kept = [value for value, keep in zip(values, is_kept, strict=True) if keep]
            assert file["Events"][name].array().to_list() == kept, name
    totals = [sum(each) + count for each, count in zip(expected["Jet_y"], expected["HLT_count"], strict=True)]
    with uproot.open(tmp_path / "h.root") as file:
        wanted = numpy.histogram(numpy.array(totals)[is_kept], 1000, (-10, 990))[0]
        assert file["h"].values().tolist() == wanted.tolist()


@pytest.mark.parametrize("kind", ["tree", "rntuple"])
@pytest.mark.parametrize("pattern", ["HLT_*", "HLT_Mu2?", "HLT_Mu27", "HLT.Mu27", "trigger_*"])
def test_a_pattern_leaves_no_flag_out(job, tmp_path, kind, pattern):
    """A flag that some files lack was false in all of them."""
    for name in RUNS:
        columns = ("HLT_Mu24",) if name == RUNS[1] else ("HLT_Mu24", "HLT_Mu27")
        write(tmp_path / name, {column: COLUMNS[column] for column in columns}, kind)
    select = [{"name": "trigger", "where": f'AnyOf("{pattern}")'}]
    config = config_for(RUNS, {"HLT_Mu27": True}, aliases={"trigger_*": "HLT_*"}, select=select)
    config["histograms"] = {"h": {"x": {"value": "1", "edges": [0, 2]}}}
    assert job(config).returncode == DONE
    del config["defaults"]
    done = job(config)
    assert done.returncode == WRONG_USAGE
    name = "trigger_Mu27" if pattern.startswith("trigger") else "HLT_Mu27"
    assert (
        f'error: the pattern matches "{name}", which cannot be used in expressions: it is missing in '
        in done.stderr
    )
    assert f"{RUNS[1]}, and has no default" in done.stderr


@pytest.mark.parametrize(
    ("defaults", "line", "message"),
    [
        ({"HLT_Mu2?": False, "HTL_*": True}, 13, 'no column matches "HTL_*" (did you mean "HLT_*"?)'),
        ({"HLT_*": False, "*_Mu27": True}, 12, 'column "HLT_Mu27" matches "*_Mu27" and "HLT_*", which have'),
        ({"y*": False}, 12, 'column "year" is std::int16_t in'),
        ({"year": [1]}, 12, "[1] cannot be its default, which is one value per entry"),
    ],
)
def test_mistakes_in_patterns_are_pointed_at(job, defaults, line, message):
    done = job(config_for(RUNS, defaults))
    assert done.returncode == WRONG_USAGE
    errors = re.findall(r"^a\.json:(\d+):3: error: (.*)$", done.stderr, re.MULTILINE)
    assert [int(where) for where, _ in errors] == [line]
    assert message in errors[0][1]


def test_values_of_a_list_are_of_one_kind(job):
    done = job(config_for(RUNS, {"nowhere": [0.5, "x", 1, True], "tracks": [1, 2.5]}))
    assert done.returncode == WRONG_USAGE
    errors = re.findall(r"^a\.json:\d+:\d+: error: (.*)$", done.stderr, re.MULTILINE)
    what = "the values of a default are of one kind: this is {}, the first is a number"
    assert errors == [what.format("a string"), what.format("a boolean")]


def test_friends_have_defaults_by_pattern(job, tmp_path):
    scores = {"n": numpy.arange(0, NUM_EVENTS, 2), "dnn_a": numpy.full(NUM_EVENTS // 2, 0.5)}
    write(tmp_path / "scores.root", scores, "tree")
    write(tmp_path / "main.root", {"n": NUMBERS}, "rntuple")
    config = config_for(["main.root"], {"scores.dnn_*": -1.0, "scores.n": -1})
    config["samples"]["data"]["friends"] = {"scores": {"files": ["scores.root"], "match": ["n"]}}
    config["histograms"] = {"h": {"x": {"value": "scores.dnn_a", "edges": [-2, 0, 2]}}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "h.root") as file:
        assert file["h"].values().tolist() == [NUM_EVENTS / 2, NUM_EVENTS / 2]


def test_a_default_for_a_column_of_no_file_is_pointed_at(job):
    defaults = {"HLT_Mu24": True, "HTL_Mu27": False, "weight_up": 1.5}
    define = {"w": "HTL_Mu27 ? 2 * weight_up : weight_up"}
    histograms = {"h": {"x": {"value": "w", "edges": [1, 2, 4]}}}
    done = job(config_for(RUNS[:1], defaults, define=define, histograms=histograms))
    assert done.returncode == DONE, done.stderr
    warnings = [line for line in done.stderr.splitlines() if "warning:" in line]
    assert warnings == [
        'a.json:12:3: warning: no file has a column "HTL_Mu27" (did you mean "HLT_Mu27"?): '
        "all its values are the default",
        'a.json:13:3: warning: no file has a column "weight_up": all its values are the default',
    ]


def test_a_column_of_no_file_has_the_type_of_its_value(job, tmp_path):
    defaults = {"flag": True, "small": -1, "large": 2**40, "real": 0.5, "text": "x"}
    skims = {"s": {"file": "s.root", "keep": list(defaults)}}
    done = job(config_for(RUNS[:1], defaults, skims=skims))
    assert done.returncode == DONE, done.stderr
    skim = uproot.open(tmp_path / "s.root")["Events"]
    types = ["bool", "std::int32_t", "std::int64_t", "double", "std::string"]
    assert skim.typenames() == dict(zip(defaults, types, strict=True))
    assert skim.arrays()[-1].tolist() == defaults


def test_values_that_do_not_fit_are_listed_with_their_places(job, tmp_path):
    defaults = {
        "HLT_Mu24": 0,
        "HLT_Mu27": "no",
        "MET_pt": True,
        "year": 2016.5,
        "era": 1,
        "tracks": 1,
        "a.b": 1,
        "a_b": 2,
    }
    with uproot.recreate(tmp_path / "lists.root") as file:
        file.mkrntuple("Events", COLUMNS | {"tracks": awkward.Array([[1.0, 2.0]] * NUM_EVENTS)})
    done = job(config_for(["lists.root", *RUNS], defaults))
    assert done.returncode == WRONG_USAGE
    errors = re.findall(r"^a\.json:(\d+):3: error: (.*)$", done.stderr, re.MULTILINE)
    assert [int(line) for line, _ in errors] == [13, 14, 15, 16, 17, 18, 20]
    messages = [re.sub(r" in (\S*/)?lists\.root:", ":", message) for _, message in errors]
    assert messages == [
        'column "HLT_Mu24" is bool: 0 cannot be its default',
        'column "HLT_Mu27" is bool: "no" cannot be its default',
        'column "MET_pt" is float: true cannot be its default',
        'column "year" is std::int16_t: 2016.5 cannot be its default',
        'column "era" is string: 1 cannot be its default',
        'column "tracks" is list of double: 1 cannot be its default: give a list, such as []',
        'column "a.b" has two defaults',
    ]
    assert not (tmp_path / "h.root").exists()


def test_a_default_is_no_definition(job):
    done = job(config_for(RUNS[:1], {"year": 2016}, define={"year": "2017"}))
    assert done.returncode == WRONG_USAGE
    assert '"year" is already a column of the input' in done.stderr


@pytest.mark.parametrize(
    ("defaults", "messages"),
    [
        ({}, ['"defaults" must not be empty']),
        (["HLT_Mu27"], ['"defaults" must be an object, got a list']),
        (
            {"a": None, "c": {"d": 1}, "e": 2**53 + 2},
            ["a default must be true, false, a number"] * 3,
        ),
        (
            {"a": [1, None], "b": [[1]], "c": [0] * 1025},
            ["a value of a default must be true"] * 2 + ["a default has 1024 values at most"],
        ),
        (
            {"": 1, "HLT *": 1, "2j": 1},
            [
                '"" is no name of a column',
                '"HLT *" cannot be a column: use letters',
                '"2j" is no name of a column',
            ],
        ),
    ],
)
def test_what_is_no_default_is_listed(job, defaults, messages):
    done = job(config_for(RUNS, defaults))
    assert done.returncode == WRONG_USAGE
    errors = re.findall(r"^a\.json:\d+:\d+: error: (.*)$", done.stderr, re.MULTILINE)
    assert len(errors) == len(messages)
    assert all(error.startswith(message) for error, message in zip(errors, messages, strict=True))
