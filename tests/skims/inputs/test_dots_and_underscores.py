# SPDX-License-Identifier: BSD-3-Clause
"""Samples of which some files have "Jet.pt" and "Jet_pt" as columns of their own, and others one of them: never the other one's values."""

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE
from written_inputs import write

NAMES = ["Jet.pt", "Jet_pt"]
KINDS = [("rntuple", "rntuple"), ("tree", "tree"), ("tree", "rntuple"), ("rntuple", "tree")]


def lists(seed):
    counts = numpy.random.default_rng(seed).integers(0, 4, 30)
    return awkward.unflatten(seed + numpy.arange(counts.sum(), dtype=numpy.float32) / 128, counts)


def columns_of(names, seed):
    return {"n": numpy.arange(30, dtype=numpy.int32)} | {
        name: lists(seed + 10 * NAMES.index(name)) for name in names
    }


def written(path, columns, kind):
    """A file in which, as RNTuple, "Jet.pt" is a member of records."""
    if kind == "rntuple" and "Jet.pt" in columns:
        columns = dict(columns)
        columns["Jet"] = awkward.zip({"pt": columns.pop("Jet.pt")})
    write(path, columns, kind)


@pytest.fixture(params=KINDS, ids="-".join)
def kinds(request):
    return request.param


@pytest.fixture(params=NAMES)
def common(request):
    return request.param


@pytest.fixture(params=[1, -1])
def files(request, kinds, common, tmp_path):
    """A file of both columns, and one of the other file's common one only."""
    written(tmp_path / "both.root", columns_of(NAMES, 100), kinds[0])
    written(tmp_path / "one.root", columns_of([common], 200), kinds[1])
    return ["both.root", "one.root"][:: request.param]


def expected_of(name, files):
    seeds = {"both.root": 100, "one.root": 200}
    return [values for file in files for values in lists(seeds[file] + 10 * NAMES.index(name)).to_list()]


def config_of(files, **skim):
    return {
        "schema_version": 1,
        "samples": {"s": {"files": files}},
        "skims": {"s": {"file": "s.root", "format": "ttree"} | skim},
    }


def values(path, name):
    with uproot.open(path) as file:
        return file["Events"][name].array().to_list()


def other_than(name):
    return NAMES[1 - NAMES.index(name)]


def assert_says_which(done, files, common):
    assert done.returncode == WRONG_USAGE, done.stderr
    text = " ".join(done.stderr.split())
    for word in [*files, *NAMES, f'"{common}" is another column']:
        assert word in text, done.stderr


def test_the_column_that_all_have_is_read_under_its_name(job, files, common, tmp_path):
    done = job(config_of(files, keep=["n"], columns={"x": common, "first": f"Sum({common})"}))
    assert done.returncode == DONE, done.stderr
    expected = expected_of(common, files)
    assert values(tmp_path / "s.root", "x") == expected
    sums = [numpy.sum(each, dtype=numpy.float64) for each in expected]
    assert values(tmp_path / "s.root", "first") == pytest.approx(sums)


def test_the_other_one_is_missing(job, files, common):
    other = other_than(common)
    assert_says_which(job(config_of(files, keep=["n"], columns={"x": other})), files, common)
    assert_says_which(job(config_of(files, keep=["n", other])), files, common)
    assert_says_which(job(config_of(files, keep=["n"]) | {"aliases": {"seen": other}}), files, common)


def test_what_is_kept_is_what_all_have(job, files, common, tmp_path):
    assert job(config_of(files, keep=["*"], columns_in_common=True)).returncode == DONE
    written_name = common.replace(".", "_")
    assert values(tmp_path / "s.root", written_name) == expected_of(common, files)


def test_a_default_is_all_that_stands_for_it(job, files, common, tmp_path):
    other = other_than(common)
    config = config_of(files, keep=["n"], columns={"x": other, "y": common})
    done = job(config | {"defaults": {other: []}})
    assert done.returncode == DONE, done.stderr
    empty = [[]] * 30
    there = lists(100 + 10 * NAMES.index(other)).to_list()
    assert values(tmp_path / "s.root", "x") == [
        each for file in files for each in (there if file == "both.root" else empty)
    ]
    assert values(tmp_path / "s.root", "y") == expected_of(common, files)


def test_friends_do_not_stand_in_either(job, files, common, tmp_path):
    write(tmp_path / "main.root", {"z": numpy.arange(60, dtype=numpy.int32)}, "tree")
    config = config_of(["main.root"], keep=["z"], columns={"x": f"cal.{common}"})
    config["samples"]["s"]["friends"] = {"cal": {"files": files}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert values(tmp_path / "s.root", "x") == expected_of(common, files)
    config["skims"]["s"]["columns"]["x"] = f"cal.{other_than(common)}"
    done = job(config)
    assert done.returncode == WRONG_USAGE, done.stderr
    assert "is missing in one.root" in " ".join(done.stderr.split())


def test_spellings_are_the_same_where_no_file_has_both(job, kinds, tmp_path):
    written(tmp_path / "both.root", columns_of(["Jet.pt"], 100), "tree")
    written(tmp_path / "one.root", columns_of(["Jet.pt"], 200), "rntuple")
    for name in NAMES:
        done = job(config_of(["both.root", "one.root"], keep=["n"], columns={"x": name}))
        assert done.returncode == DONE, done.stderr
        assert values(tmp_path / "s.root", "x") == expected_of("Jet.pt", ["both.root", "one.root"])


def test_two_names_of_one_field_stay_that(call, job, tmp_path):
    """A converted file has records and projections of their members."""
    write(tmp_path / "tree.root", columns_of(["Jet_pt"], 200), "tree")
    assert call("convert", "tree.root", "-o", "both.root", cwd=tmp_path).returncode == DONE
    for kind in ("tree", "rntuple"):
        write(tmp_path / "one.root", columns_of(["Jet_pt"], 200), kind)
        for name in NAMES:
            done = job(config_of(["both.root", "one.root"], keep=["n"], columns={"x": name}))
            assert done.returncode == DONE, done.stderr
            assert values(tmp_path / "s.root", "x") == lists(210).to_list() * 2


@pytest.mark.parametrize("order", [1, -1])
def test_a_default_does_not_stand_for_values_under_the_other_spelling(job, order, tmp_path):
    """RNTuples by themselves, whose columns are carried under their names: no file has both."""
    written(tmp_path / "record.root", columns_of(["Jet.pt"], 100), "rntuple")
    written(tmp_path / "list.root", columns_of(["Jet_pt"], 200), "rntuple")
    files = ["record.root", "list.root"][::order]
    for name in NAMES:
        for default in ("Jet_*", *NAMES):
            done = job(config_of(files, keep=["n"], columns={"x": name}) | {"defaults": {default: []}})
            assert done.returncode == WRONG_USAGE, done.stderr
            text = " ".join(done.stderr.split())
            assert 'it is called "Jet' in text, done.stderr
    write(tmp_path / "tree.root", columns_of(["Jet_pt"], 300), "tree")
    config = config_of(
        [*files, "tree.root"], keep=["n"], columns={name.replace(".", "0"): name for name in NAMES}
    )
    assert job(config | {"defaults": {"Jet_*": []}}).returncode == DONE
    seeds = [{"record.root": 100, "list.root": 210}[file] for file in files] + [310]
    for name in ("Jet0pt", "Jet_pt"):
        assert values(tmp_path / "s.root", name) == [each for seed in seeds for each in lists(seed).to_list()]


@pytest.mark.parametrize("default", ["Jet_*", *NAMES])
def test_a_default_of_two_names_of_one_field(call, job, default, tmp_path):
    """Of records with projections, of lists, and of a file that has neither."""
    jets = {"Jet": awkward.zip({"pt": lists(210), "eta": lists(210)})}
    write(tmp_path / "tree.root", columns_of([], 200) | jets, "tree")
    assert call("convert", "tree.root", "-o", "both.root", cwd=tmp_path).returncode == DONE
    write(tmp_path / "one.root", columns_of(["Jet_pt"], 300), "rntuple")
    write(tmp_path / "none.root", columns_of([], 400), "rntuple")
    for files in (["both.root", "one.root", "none.root"], ["none.root", "one.root", "both.root"]):
        expected = {
            "both.root": lists(210).to_list(),
            "one.root": lists(310).to_list(),
            "none.root": [[]] * 30,
        }
        for name in NAMES:
            done = job(config_of(files, keep=["n"], columns={"x": name}) | {"defaults": {default: []}})
            assert done.returncode == DONE, done.stderr
            assert values(tmp_path / "s.root", "x") == [each for file in files for each in expected[file]]


SEVERAL = ["Muon.corr_pt", "Muon_corr.pt"]


def write_several(path, kind):
    columns = {name: lists(seed) for name, seed in zip(SEVERAL, (100, 200), strict=True)}
    columns["n"] = numpy.arange(30)
    if kind == "rntuple":
        records = {name.split(".")[0]: awkward.zip({name.split(".")[1]: columns[name]}) for name in SEVERAL}
        write(path, records | {"n": columns["n"]}, kind)
    else:
        write(path, columns, kind)
    return columns


@pytest.mark.parametrize("kind", ["rntuple", "tree"])
def test_a_spelling_of_two_columns_is_none(job, kind, tmp_path):
    columns = write_several(tmp_path / "a.root", kind)
    for name in SEVERAL:
        done = job(config_of(["a.root"], keep=["n"], columns={"x": name}))
        assert done.returncode == DONE, done.stderr
        assert values(tmp_path / "s.root", "x") == columns[name].to_list()
    for name in ("Muon_corr_pt", "Muon.corr.pt"):
        done = job(config_of(["a.root"], keep=["n"], columns={"x": f"Sum({name})"}))
        assert done.returncode == WRONG_USAGE, done.stdout
        text = " ".join(done.stderr.split())
        assert f'unknown column "{name}" (write {" or ".join(SEVERAL)}, which are several columns)' in text


def test_a_name_of_its_own_is_no_other_spelling(job, tmp_path):
    columns = {name: numpy.full(5, number) for number, name in enumerate([*SEVERAL, "Muon_corr_pt", "n"])}
    write(tmp_path / "a.root", columns, "tree")
    done = job(config_of(["a.root"], keep=["n"], columns={"x": "Muon_corr_pt"}))
    assert done.returncode == DONE, done.stderr
    assert values(tmp_path / "s.root", "x") == [2] * 5
