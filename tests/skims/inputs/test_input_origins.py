# SPDX-License-Identifier: BSD-3-Clause
"""Skims that were made from the same events, which would be counted twice, and skims of which a part is missing."""

import json

import numpy
import pytest
import uproot
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE

ENTRIES = 1000


def skim_of(files, output, **more):
    return {
        "schema_version": 1,
        "samples": {"s": {"files": [str(file) for file in files], "sum_weights": "x"}},
        "select": [{"name": "odd", "where": "x % 2 == 1"}],
        "skims": {"k": {"file": str(output)}},
    } | more


def reading(files, **more):
    return {
        "schema_version": 1,
        "samples": {"s": {"files": [str(file) for file in files], "sum_weights": "x"}},
        "histograms": {"x": {"x": {"value": "x", "bins": 10, "range": [0, 1000]}, "weight": "1"}},
        "output": {"histograms": "h.root"},
    } | more


@pytest.fixture(params=["rntuple", "ttree"])
def skims(request, run_in, tmp_path):
    """Makes skims of two files with one value for each entry: the whole, its three shards, and one with another cut."""
    for name, first in (("a", 0), ("b", ENTRIES)):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file.mktree("Events", {"x": "int32"}).extend(
                {"x": numpy.arange(first, first + ENTRIES, dtype="int32")}
            )
    config = skim_of(["a.root", "b.root"], "whole.root")
    config["skims"]["k"]["format"] = request.param
    other = skim_of(["a.root"], "other.root", select=[{"name": "even", "where": "x % 2 == 0"}])
    other["skims"]["k"]["format"] = request.param
    for made, arguments in ((config, ()), *((config, ("--shard", f"{i}/3")) for i in (1, 2, 3)), (other, ())):
        done = run_in(tmp_path, made, *arguments, "--force")
        assert done.returncode == DONE, done.stderr
    return tmp_path


SHARDS = [f"whole.shard{i}of3.root" for i in (1, 2, 3)]


@pytest.mark.parametrize(
    "files, told",
    [
        (
            ["whole.root", SHARDS[1]],
            '"whole.root" and "whole.shard2of3.root" were both made from entries 666 to 1000 of ',
        ),
        (
            ["other.root", *SHARDS],
            '"other.root" and "whole.shard1of3.root" were both made from entries 0 to 666 of ',
        ),
    ],
)
def test_skims_of_the_same_entries_are_an_error(run_in, call, skims, files, told):
    for command in ("run", "plan", "validate"):
        (skims / "a.json").write_text(json.dumps(reading(files)))
        done = call(command, "a.json", cwd=skims)
        assert done.returncode == WRONG_USAGE, done.stdout
        assert 'the sample "s" would count events twice: ' + told + '"Events" in a.root' in done.stderr
        assert "a.json:1:" in done.stderr
    assert not (skims / "h.root").exists()
    done = run_in(skims, reading(files, allow_duplicates=True))
    assert done.returncode == DONE, done.stderr
    entries = uproot.open(skims / "h.root")["x"].member("fEntries")
    assert entries == sum(uproot.open(skims / file)["Events"].num_entries for file in files)


def test_a_skim_and_what_it_was_made_from(run_in, skims):
    done = run_in(skims, skim_of(["whole.root"], "again.root"), "--force")
    assert done.returncode == DONE, done.stderr
    done = run_in(skims, reading(["whole.root", "again.root"]))
    assert done.returncode == WRONG_USAGE, done.stdout
    assert '"again.root" was made from "whole.root"' in done.stderr


def test_two_files_of_a_split_skim(run_in, call, skims):
    """The files behind the first one say of no entry that they were made from it."""
    config = skim_of(["a.root"], "s.root")
    config["skims"]["k"]["split"] = {"events": 100}
    assert run_in(skims, config, "--force").returncode == DONE
    parts = [f"s_000{i}.root" for i in (1, 2, 3)]
    assert call("merge", "--incomplete", "part.root", *parts, cwd=skims).returncode == INCOMPLETE
    done = run_in(skims, reading(["part.root", "s_0002.root"]))
    assert done.returncode == WRONG_USAGE, done.stdout
    assert '"part.root" and "s_0002.root" both have file 2/5 of a skim' in done.stderr


def test_parts_that_are_all_there_are_the_whole(run_in, skims):
    assert run_in(skims, reading(["whole.root"])).returncode == DONE
    whole = uproot.open(skims / "h.root")["x"].values().tolist()
    done = run_in(skims, reading(SHARDS))
    assert done.returncode == DONE
    assert not done.stderr
    assert uproot.open(skims / "h.root")["x"].values().tolist() == whole


def test_a_missing_shard_is_warned_of(run_in, skims):
    done = run_in(skims, reading([SHARDS[0], SHARDS[2]]))
    assert done.returncode == DONE
    assert "warning: whole.shard1of3.root is of a run of which shard 2/3 is not read" in done.stderr


NANO_ENTRIES = 50


def of_runs(files, **more):
    return {"s": {"files": files, "sum_weights": {"runs": True, "weight": "x"}} | more}


@pytest.fixture
def nano(tmp_path):
    """A file in which "Runs" say of more events than are there."""
    with uproot.recreate(tmp_path / "n.root") as file:
        file.mktree("Events", {"x": "int32"}).extend({"x": numpy.arange(NANO_ENTRIES, dtype="int32")})
        sums = {
            "genEventCount": numpy.array([70]),
            "genEventSumw": numpy.array([123.5]),
            "genEventSumw2": numpy.ones(1),
        }
        file.mktree("Runs", {name: values.dtype for name, values in sums.items()}).extend(sums)
    return tmp_path


def test_sums_of_runs_are_of_the_same_events_too(run_in, nano):
    for name, cut in (("one", "x < 20"), ("two", "x > 30")):
        made = skim_of(
            [], f"{name}.root", samples=of_runs(["n.root"]), select=[{"name": "cut", "where": cut}]
        )
        assert run_in(nano, made).returncode == DONE
    done = run_in(nano, reading([], samples=of_runs(["one.root", "two.root"])))
    assert done.returncode == WRONG_USAGE, done.stdout
    assert (
        '"one.root" and "two.root" were both made from entries 0 to 50 of "Events" in n.root' in done.stderr
    )


def first_sum(file):
    return uproot.open(file)["skimline/weighted_cutflow/s"].values()[0]


def test_sums_of_runs_of_some_files_of_a_split_skim(run_in, nano):
    made = skim_of([], "s.root", samples=of_runs(["n.root"]))
    made["skims"]["k"]["split"] = {"events": 10}
    assert run_in(nano, made).returncode == DONE
    files = [f"s_000{i}.root" for i in (1, 2, 3)]
    for count, lost in ((1, "2 are not read"), (3, "")):
        done = run_in(nano, reading([], samples=of_runs(files[:count])), "--force")
        assert done.returncode == DONE, done.stderr
        assert bool(done.stderr) == bool(lost)
        assert lost in done.stderr
        assert first_sum(nano / "h.root") == 123.5


def test_sums_of_runs_of_some_shards(run_in, nano):
    made = skim_of([], "s.root", samples=of_runs(["n.root"]))
    for number in (1, 2):
        assert run_in(nano, made, "--shard", f"{number}/2").returncode == DONE
    shards = ["s.shard1of2.root", "s.shard2of2.root"]
    for files, lost in ((shards[:1], "shard 2/2 is not read"), (shards, "")):
        done = run_in(nano, reading([], samples=of_runs(files)), "--force")
        assert done.returncode == DONE, done.stderr
        assert bool(done.stderr) == bool(lost)
        assert lost in done.stderr
        assert first_sum(nano / "h.root") == 123.5


def test_sums_of_runs_beside_what_a_skim_left_out(run_in, nano):
    (nano / "bad.root").write_bytes((nano / "n.root").read_bytes()[:400])
    allowed = {"on_bad_file": "skip", "max_bad_fraction": 0.5}
    made = skim_of([], "s.root", samples=of_runs(["n.root", "bad.root"]), **allowed)
    assert run_in(nano, made).returncode == INCOMPLETE
    done = run_in(nano, reading([], samples=of_runs(["s.root"])))
    assert done.returncode == DONE, done.stderr
    assert "warning: s.root: its run left out bad.root" in done.stderr


def test_sums_of_runs_have_the_cross_section_of_the_skim(run_in, nano):
    made = skim_of([], "s.root", samples=of_runs(["n.root"], cross_section_pb=2.0))
    assert run_in(nano, made).returncode == DONE
    normalised = {"luminosity_pb": 10, "weights": {"normalisation": "normalisation_"}}
    config = reading([], samples=of_runs(["s.root"]), **normalised)
    del config["histograms"]["x"]["weight"]
    assert run_in(nano, config).returncode == DONE
    values = uproot.open(nano / "h.root")["x"].values()
    assert values.sum() == pytest.approx(NANO_ENTRIES / 2 * 10 * 2.0 / 123.5)
    config["samples"]["s"]["cross_section_pb"] = 3.0
    done = run_in(nano, config, "--force")
    assert done.returncode != DONE
    assert "carry a cross section of 2 pb, the config gives 3 pb" in done.stderr
