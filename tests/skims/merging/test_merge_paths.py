# SPDX-License-Identifier: BSD-3-Clause
"""Files that use one path for several things: nothing may take the place of something else."""

import array
import json

import pytest
import ROOT
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE


def histogram(content):
    made = ROOT.TH1D("h", "h", 2, 0, 2)
    made.SetBinContent(1, content)
    return made


def tree():
    made = ROOT.TTree("t", "t")
    value = array.array("i", [1])
    made.Branch("v", value, "v/I")
    made.Fill()
    return made


def write(path, *objects):
    """Objects with the directories and names they get; a name may have slashes."""
    file = ROOT.TFile(str(path), "recreate")
    for directory, name, thing in objects:
        place = file.GetDirectory(directory) or file.mkdir(directory) if directory else file
        place.WriteObject(thing, name)
    file.Close()
    return path


@pytest.mark.parametrize("by_name_first", [True, False])
@pytest.mark.parametrize("make", [histogram, lambda content: ROOT.TParameter["double"]("p", content)])
def test_a_name_with_a_slash_hides_no_object_of_a_directory(call, tmp_path, make, by_name_first):
    objects = [("", "a/b", make(1)), ("a", "b", make(10))]
    both = write(tmp_path / "both.root", *(objects if by_name_first else objects[::-1]))
    one = write(tmp_path / "one.root", ("", "a/b", make(1)), ("", "c", make(2)))
    done = call("merge", tmp_path / "o.root", one, both)
    assert done.returncode == FAILED
    assert f'"a/b" is one object by its name, and another in a directory, in {both}' in done.stderr
    assert not (tmp_path / "o.root").exists()
    assert call("merge", "--exclude", "a/b", tmp_path / "o.root", one, both).returncode == DONE


def test_which_of_two_is_read_is_not_chosen(call, tmp_path):
    file = write(
        tmp_path / "h.root", ("", "a/b", histogram(1)), ("a", "b", histogram(10)), ("", "c", histogram(2))
    )
    done = call("diff", file, file)
    assert done.returncode == INCOMPLETE
    assert "one object has this path by its name, and another by its directory" in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["inspect", "verify", "run"])
@pytest.mark.parametrize("by_name_first", [True, False])
def test_which_of_two_has_the_events_is_not_chosen(call, tmp_path, by_name_first, command):
    objects = [("", "a/b", tree()), ("a", "b", tree())]
    file = write(tmp_path / "in.root", *(objects if by_name_first else objects[::-1]))
    histograms = {"v": {"x": {"value": "v", "bins": 2, "range": [0, 2]}}}
    samples = {"d": {"files": ["in.root:a/b"]}}
    config = {"schema_version": 1, "samples": samples, "histograms": histograms}
    (tmp_path / "c.json").write_text(json.dumps(config | {"output": {"histograms": "h.root"}}))
    done = call(command, "c.json" if command == "run" else file, cwd=tmp_path)
    assert done.returncode in (FAILED, WRONG_USAGE)
    assert (
        '"a/b": one object has this path by its name, and another by its directory'
        in done.stdout + done.stderr
    )


def test_a_name_with_a_slash_alone(call, tmp_path):
    one = write(tmp_path / "one.root", ("", "a/b", histogram(1)), ("", "a/b", histogram(2)))
    other = write(tmp_path / "other.root", ("a", "b", histogram(10)))
    assert call("merge", tmp_path / "o.root", one, other).returncode == DONE
    file = ROOT.TFile(str(tmp_path / "o.root"))
    assert file.Get("a/b").GetBinContent(1) == 12


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (("", "x", histogram), ("x", "y", histogram), '"x" is a TH1D in {0} and a directory in {1}'),
        (("x", "y", histogram), ("", "x", histogram), '"x" is a TH1D in {1} and a directory in {0}'),
        (("", "x", tree), ("x/y", "z", histogram), '"x" is a TTree in {0} and a directory in {1}'),
        (("", "x", histogram), ("x", "y", tree), '"x" is a TH1D in {0} and a directory in {1}'),
        (("", "x", histogram), ("", "x", tree), '"x" is a TTree in {1} and a TH1D in {0}'),
        (("d", "x", tree), ("d", "x", histogram), '"d/x" is a TTree in {0} and a TH1D in {1}'),
    ],
)
def test_one_path_for_several_things(call, tmp_path, first, second, problem):
    inputs = []
    for number, (directory, name, make) in enumerate((first, second)):
        thing = make(1) if make is histogram else make()
        inputs.append(write(tmp_path / f"{number}.root", (directory, name, thing)))
    done = call("merge", tmp_path / "o.root", *inputs)
    assert done.returncode == FAILED
    assert problem.format(*inputs) in done.stderr
    assert "--exclude leaves objects out" in done.stderr
