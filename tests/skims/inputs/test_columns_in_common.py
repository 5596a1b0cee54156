# SPDX-License-Identifier: BSD-3-Clause
"""Skims and conversions of files whose columns differ: what is left out is said once, and the run is incomplete."""

import itertools
import json
import re

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE
from written_inputs import write

NUMBERS = numpy.arange(50, dtype=numpy.int32)
LISTS = awkward.unflatten(numpy.arange((NUMBERS % 4).sum(), dtype=numpy.float32), NUMBERS % 4)
FLAGS = [f"HLT_{letter}" for letter in "abcdefgh"]
OLD = {"x": NUMBERS, "Jet_pt": LISTS, "Jet_old": LISTS} | dict.fromkeys(FLAGS, NUMBERS % 2 == 0)
NEW = {"x": NUMBERS + 50, "Jet_pt": LISTS, "HLT_a": NUMBERS % 3 == 0, "Flag_new": NUMBERS % 5 == 0}
COMMON = sorted(set(OLD) & set(NEW))
DIFFERENT = sorted(set(OLD) ^ set(NEW))
INPUTS = ["tree", "rntuple"]
FORMATS = ["rntuple", "ttree"]


@pytest.fixture(params=INPUTS)
def versions(request, tmp_path):
    """Files of two versions."""
    write(tmp_path / "old.root", OLD, request.param)
    write(tmp_path / "new.root", NEW, request.param)
    return ["old.root", "new.root"]


def config_of(files, **skim):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": files}},
        "skims": {"s": {"file": "s.root"} | skim},
    }


def columns_of(path):
    """Names that are columns: collections of converted trees, and the sizes of their lists, left aside."""
    with uproot.open(path) as file:
        names = {name.split(".")[0] for name in file["Events"].keys()}
    return sorted(names - {"Jet", "nJet", "nJet_pt", "nJet_old"})


def left_out(tmp_path):
    report = json.loads((tmp_path / "a.report.json").read_text())
    (sample,) = report["samples"]
    return report["complete"], [column for skim in sample["left_out"] for column in skim["columns"]]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("keep", [{}, {"keep": ["*"]}])
def test_what_not_all_files_have_is_said_once(job, versions, tmp_path, order, file_format, keep):
    done = job(config_of(versions[::order], format=file_format, **keep))
    assert done.returncode == INCOMPLETE, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if "warning:" in line]
    # The sizes of lists are columns of trees.
    assert re.search(rf"without ({len(DIFFERENT)}|{len(DIFFERENT) + 1}) columns: HLT_\* \(7\)", warning)
    assert "it is missing in" in warning and "missing in some files" in warning
    assert "columns_in_common" in warning
    assert columns_of(tmp_path / "s.root") == COMMON
    complete, columns = left_out(tmp_path)
    assert not complete
    assert sorted(column["name"] for column in columns if not column["name"].startswith("n")) == DIFFERENT
    assert {column["kind"] for column in columns} == {"different"}
    with uproot.open(tmp_path / "s.root") as file:
        found = file["Events"]["x"].array().to_list()
    assert sorted(found) == list(range(100))


@pytest.mark.parametrize("allowed", [{"columns_in_common": True}, {"drop": ["HLT_*", "Flag_*", "*Jet_old"]}])
def test_what_is_allowed_is_not_said(job, versions, tmp_path, allowed):
    done = job(config_of(versions, **allowed))
    assert done.returncode == DONE, done.stderr
    assert "warning" not in done.stderr
    expected = COMMON if "columns_in_common" in allowed else [name for name in COMMON if name != "HLT_a"]
    assert columns_of(tmp_path / "s.root") == expected
    assert left_out(tmp_path) == (True, [])


def test_a_column_that_is_asked_for_by_its_name_must_be_there(job, versions):
    for common in (True, False):
        done = job(config_of(versions, keep=["x", "HLT_b"], columns_in_common=common))
        assert done.returncode == WRONG_USAGE
        assert '"HLT_b" cannot be kept: it is missing in' in done.stderr


def test_what_no_run_uses_may_differ(job, versions, tmp_path):
    config = config_of(versions, keep=["x"]) | {"select": [{"name": "a", "where": "HLT_a"}]}
    assert job(config).returncode == DONE
    with uproot.open(tmp_path / "s.root") as file:
        expected = numpy.concatenate([each["x"][each["HLT_a"]] for each in (OLD, NEW)])
        assert file["Events"]["x"].array().to_list() == expected.tolist()
    config["select"][0]["where"] = "HLT_b"
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert 'the field "HLT_b" cannot be used in expressions: it is missing in' in done.stderr


def test_nothing_in_common_is_an_error(job, tmp_path):
    write(tmp_path / "a.root", {"x": NUMBERS}, "tree")
    write(tmp_path / "b.root", {"y": NUMBERS}, "tree")
    done = job(config_of(["a.root", "b.root"]))
    assert done.returncode == WRONG_USAGE
    assert 'no column is left in the skim "s", without "x" (it is missing in' in done.stderr


def test_drop_may_match_in_some_samples_only(job, call, versions, tmp_path):
    config = config_of([], drop=["Flag_*"]) | {
        "samples": {"old": {"files": ["old.root"]}, "new": {"files": ["new.root"]}}
    }
    config["skims"]["s"]["file"] = "skim_{sample}.root"
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert columns_of(tmp_path / "skim_old.root") != [] and "Flag_new" not in columns_of(
        tmp_path / "skim_new.root"
    )
    config["skims"]["s"]["drop"] = ["Falg_*"]
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.count("error:") == 1
    assert re.search(
        r'a\.json:\d+:\d+: error: no column matches "Falg_\*" \(did you mean "Flag_\*"', done.stderr
    )
    # Others of its samples may have it.
    assert call("run", "a.json", "--samples", "old", cwd=tmp_path).returncode == DONE


# Conversions


def test_conversions_say_it_too(call, versions, tmp_path):
    inputs = [tmp_path / name for name in versions]
    done = call("convert", *inputs, "-o", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE
    (warning,) = done.stderr.splitlines()
    assert "HLT_* (7)" in warning and "missing in some files" in warning and "cannot be read" not in warning
    assert "warning" not in done.stdout
    assert columns_of(tmp_path / "out.root") == COMMON
    done = call("convert", *inputs, "-o", tmp_path / "out.root", "--columns-in-common")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert columns_of(tmp_path / "out.root") == COMMON


def test_conversions_of_chosen_columns(call, versions, tmp_path):
    out = tmp_path / "out.root"
    inputs = [tmp_path / name for name in versions]
    done = call("convert", *inputs, "-o", out, "--keep", "x", "Jet*", "--drop", "*Jet_old")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert columns_of(out) == ["Jet_pt", "x"]
    for option, name, problem in (
        ("--keep", "HLT_b", '"HLT_b" cannot be kept: it is missing in'),
        ("--keep", "Jat_pt", 'no column matches "Jat_pt" (did you mean "Jet_pt"?)'),
        ("--drop", "y", 'no column matches "y"'),
        ("--drop", "*", 'no column of "Events" is left'),
    ):
        done = call("convert", *inputs, "-o", tmp_path / "no.root", option, name)
        assert done.returncode == WRONG_USAGE
        assert problem in done.stderr
    done = call("convert", *inputs, "-o", tmp_path / "no.root", "--keep", "Jat_pt", "--drop", "y")
    assert done.returncode == WRONG_USAGE
    assert done.stderr.splitlines() == [
        "columns cannot be chosen like that:",
        '  no column matches "Jat_pt" (did you mean "Jet_pt"?)',
        '  no column matches "y" (did you mean "x"?)',
    ]
    assert not (tmp_path / "no.root").exists()


def test_standard_output_takes_no_file(call, versions, tmp_path):
    done = call("convert", "old.root", "-o", "-", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert '"-" cannot be the output' in done.stderr
    assert not (tmp_path / "-").exists()


def write_records(path, members, first):
    """A collection and a record with the same members, in this order."""
    numbers = {member: first + number for number, member in enumerate("abc")}
    jets = {each: awkward.values_astype(LISTS + numbers[each], numpy.float32) for each in members}
    met = {each: (NUMBERS + numbers[each]).astype(numpy.float32) for each in members}
    columns = {"Jet": awkward.zip(jets), "met": awkward.zip(met), "x": NUMBERS + first}
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", columns)
    return {f"Jet.{each}": jets[each] for each in members} | {f"met.{each}": met[each] for each in members}


@pytest.mark.parametrize(
    "members", [("ab", "ab"), ("ab", "bca"), ("cba", "ab"), ("ab", "ba", "acb")], ids=str
)
@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize(
    "skim", [{"columns_in_common": True}, {"keep": ["x", "Jet.a", "Jet.b", "met.?"]}, {}]
)
@pytest.mark.parametrize("options", [(), ("--store", "store")], ids=["whole", "parts"])
def test_records_of_which_some_files_have_more_members(job, tmp_path, members, file_format, skim, options):
    written = [
        write_records(tmp_path / f"{number}.root", names, 100 * number)
        for number, names in enumerate(members)
    ]
    files = [f"{number}.root" for number in range(len(members))]
    done = job(config_of(files, format=file_format, **skim), *options)
    is_left_out = any("c" in names for names in members) and not skim.get("columns_in_common")
    assert done.returncode == (INCOMPLETE if is_left_out else DONE), done.stderr
    if is_left_out:
        assert "it is missing in" in done.stderr and '"met.c"' in done.stderr
    with uproot.open(tmp_path / "s.root") as file:
        events = file["Events"]
        assert not [name for name in events.keys() if name.endswith("c")]
        for name in ("Jet.a", "Jet.b", "met.a", "met.b"):
            own = name if file_format == "rntuple" else name.replace(".", "_")
            expected = awkward.concatenate([each[name] for each in written])
            assert events[own].array().to_list() == expected.to_list(), name


@pytest.mark.parametrize("order", [1, -1], ids=["sizes first", "numbers first"])
@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("keep", [["nJet"], ["nJet", "Jet?a"], ["*"]], ids=str)
def test_sizes_of_a_collection_beside_numbers_of_the_same_name(call, job, tmp_path, order, file_format, keep):
    """One file has nJet as a projection of the collection, another one as a column of its own."""
    jets = awkward.zip({"a": LISTS, "b": LISTS + 1})
    with uproot.recreate(tmp_path / "tree.root") as file:
        file.mktree("Events", {"Jet": jets.type.content}).extend({"Jet": jets})
    done = call("convert", "tree.root", "-o", "sizes.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    sizes = NUMBERS % 4
    with uproot.recreate(tmp_path / "numbers.root") as file:
        file.mkrntuple("Events", {"Jet": jets[::-1], "nJet": sizes[::-1].astype(numpy.uint32)})
    skim = {"keep": keep, "columns_in_common": True, "format": file_format}
    done = job(config_of(["sizes.root", "numbers.root"][::order], **skim))
    assert done.returncode == DONE, done.stderr
    expected = numpy.concatenate([sizes, sizes[::-1]][::order])
    with uproot.open(tmp_path / "s.root") as file:
        assert file["Events"]["nJet"].array().to_list() == expected.tolist()
        if keep != ["nJet"]:
            own = "Jet.a" if file_format == "rntuple" else "Jet_a"
            values = awkward.concatenate([LISTS, LISTS[::-1]][::order])
            assert file["Events"][own].array().to_list() == values.to_list()


@pytest.fixture(scope="module")
def spelled_otherwise(call, tmp_path_factory):
    """The momenta of jets as a vector, as members of records, as both (one of them a projection), and as a branch of a tree."""
    folder = tmp_path_factory.mktemp("spelled")
    for number, kind in enumerate(("vector", "members", "tree")):
        momenta = LISTS + 100 * number
        columns = {"Jet_pt": momenta} if kind == "vector" else {"Jet": awkward.zip({"pt": momenta})}
        with uproot.recreate(folder / f"{kind}.root") as file:
            if kind == "tree":
                file.mktree("Events", {"Jet": columns["Jet"].type.content}).extend(columns)
            else:
                file.mkrntuple("Events", columns)
    done = call("convert", folder / "tree.root", "-o", folder / "both.root")
    assert done.returncode == DONE, done.stderr
    return folder


@pytest.mark.parametrize("name", ["Jet_pt", "Jet.pt"])
@pytest.mark.parametrize(
    ("first", "other"), [*itertools.permutations(["vector", "members", "both", "tree"], 2)]
)
def test_a_name_that_all_files_have_can_be_written(run_in, spelled_otherwise, first, other, name):
    """Where it cannot be kept, the message says how to write it, and it is what expressions have by this name."""
    files = [f"{each}.root" for each in (first, other)]
    momenta = {"vector": LISTS, "members": LISTS + 100, "tree": LISTS + 200, "both": LISTS + 200}
    expected = awkward.concatenate([momenta[first], momenta[other]]).to_list()
    config = config_of(files, keep=[name]) | {"allow_duplicates": True}
    done = run_in(spelled_otherwise, config, "--force")
    if done.returncode == WRONG_USAGE:
        told = re.search(
            r'all files have values of this name: "columns": (\{"Jet_pt": "Jet_pt"\}) writes them',
            done.stderr,
        )
        if {first, other} == {"vector", "members"}:
            assert told is None  # neither is anything to the other
            return
        assert told, done.stderr
        done = run_in(
            spelled_otherwise,
            config_of(files, columns=json.loads(told[1])) | {"allow_duplicates": True},
            "--force",
        )
    assert done.returncode == DONE, done.stderr
    with uproot.open(spelled_otherwise / "s.root") as file:
        fields = [each for each in ("Jet_pt", "Jet.pt") if each in file["Events"].keys()]
        assert fields
        for each in fields:  # records have projections of their members beside them
            assert file["Events"][each].array().to_list() == expected
