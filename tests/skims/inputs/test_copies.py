# SPDX-License-Identifier: BSD-3-Clause
"""Copies of a file among the inputs, whose events would be counted twice."""

import json
import os

import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE
from uuids_of_files import UUID_OF_UPROOT3, set_uuid


def config_for(samples, **more):
    return {
        "schema_version": 1,
        "samples": {name: {"files": [str(file) for file in files]} for name, files in samples.items()},
        "select": [{"name": "all", "where": "x >= 0"}],
    } | more


def write(path, seed=1, kind="ntuple", entries=1000):
    values = numpy.random.default_rng(seed).integers(0, 1000, entries).astype("int32")
    with uproot.recreate(path, compression=None) as file:
        if kind == "ntuple":
            file.mkrntuple("Events", {"x": values})
        else:
            file.mktree("Events", {"x": "int32"}).extend({"x": values})
            file.mktree("Other", {"x": "int32"}).extend({"x": values})
    return path


@pytest.mark.parametrize("kind", ["ntuple", "tree"])
@pytest.mark.parametrize("link", ["copy", "hard link"])
def test_copies_in_one_sample_are_an_error(fresh_job, call, tmp_path, kind, link):
    first = write(tmp_path / "a.root", kind=kind)
    other = tmp_path / "b.root"
    other.write_bytes(first.read_bytes()) if link == "copy" else os.link(first, other)
    names = [f"{first}:Events", f"{other}:Events"]
    for command in (("run",), ("plan",), ("validate",)):
        (tmp_path / "a.json").write_text(json.dumps(config_for({"s": names})))
        done = call(*command, "a.json", cwd=tmp_path)
        assert done.returncode == WRONG_USAGE, done.stdout
        assert "a.json:1:" in done.stderr
        assert (
            f'the sample "s" would count events twice, as 1 file is a copy of another: "{other}" of "{first}"'
            in done.stderr
        )
    done = fresh_job(config_for({"s": names}, allow_duplicates=True))
    assert done.returncode == DONE, done.stderr
    assert "2 000 of 2 files" in done.stdout
    done = call("convert", *names, "-o", tmp_path / "c.root")
    assert done.returncode == WRONG_USAGE
    assert f'"{other}" of "{first}"' in done.stderr
    assert not (tmp_path / "c.root").exists()
    assert call("convert", "--allow-duplicates", *names, "-o", tmp_path / "c.root").returncode == DONE
    assert uproot.open(tmp_path / "c.root")["Events"].num_entries == 2000


def test_many_copies_are_one_message(fresh_job, tmp_path):
    first = write(tmp_path / "in0.root")
    for number in range(1, 40):
        os.link(first, tmp_path / f"in{number}.root")
    done = fresh_job(config_for({"s": ["in*.root"]}))
    assert done.returncode == WRONG_USAGE
    assert "39 files are copies of another" in done.stderr
    assert "and 34 more" in done.stderr
    assert done.stderr.count("error:") == 1
    assert fresh_job(config_for({"s": ["in*.root"]}), "--allow-duplicates").returncode == DONE


def test_a_copy_that_another_tool_has_added_to(fresh_job, tmp_path):
    """The UUID and the data of the tree stay; a larger file is a copy all the same."""
    first = write(tmp_path / "a.root", kind="tree")
    other = tmp_path / "b.root"
    other.write_bytes(first.read_bytes())
    with uproot.update(other) as file:
        file["h"] = numpy.histogram([1, 2, 3])
    done = fresh_job(config_for({"s": [f"{first}:Events", f"{other}:Events"]}))
    assert done.returncode == WRONG_USAGE, done.stdout


def test_trees_of_one_file_are_no_copies(fresh_job, tmp_path):
    path = write(tmp_path / "a.root", kind="tree")
    done = fresh_job(config_for({"s": [f"{path}:Events", f"{path}:Other"]}))
    assert done.returncode == DONE, done.stderr


@pytest.mark.parametrize("uuid", [bytes(16), UUID_OF_UPROOT3, b"0123456789abcdef"])
@pytest.mark.parametrize("entries", [1000, 200_000])
def test_equal_uuids_alone_make_no_copies(fresh_job, tmp_path, uuid, entries):
    """Writers that give all files one UUID, and as many entries: other events."""
    files = [write(tmp_path / f"f{seed}.root", seed, entries=entries) for seed in (1, 2)]
    files.append(tmp_path / "f3.root")
    content = bytearray(files[0].read_bytes())
    for file in files[:2]:
        set_uuid(file, uuid)
    done = fresh_job(config_for({"s": files[:2]}))
    assert done.returncode == DONE, done.stderr
    # Equal data are a copy, whatever the UUID says.
    files[2].write_bytes(content)
    set_uuid(files[2], uuid)
    done = fresh_job(config_for({"s": files}))
    assert done.returncode == WRONG_USAGE
    assert "1 file is a copy" in done.stderr


def test_one_file_in_two_samples(fresh_job, tmp_path):
    """That is how one file gives two samples; only where a sum adds both up it may be a mistake."""
    path = write(tmp_path / "a.root", kind="tree")
    samples = {"one": [f"{path}:Events"], "two": [f"{path}:Events"]}
    done = fresh_job(config_for(samples))
    assert (done.returncode, done.stderr) == (DONE, "")
    histograms = {"h": {"x": {"value": "x", "bins": 10, "range": [0, 1000]}}}
    config = config_for(samples, histograms=histograms, output={"histograms": "h.root"})
    done = fresh_job(config | {"sums": {"both": {"one": 1, "two": 1}}})
    assert done.returncode == DONE
    assert 'the sum "both" adds up samples with the same events' in done.stderr
    assert f'"{path}" of the samples "one" and "two"' in done.stderr


def test_a_copy_in_another_sample_is_warned_of(fresh_job, tmp_path):
    path = write(tmp_path / "a.root")
    (tmp_path / "b.root").write_bytes(path.read_bytes())
    samples = {"one": [path], "two": [tmp_path / "b.root"]}
    done = fresh_job(config_for(samples))
    assert done.returncode == DONE
    assert done.unfiltered.count("warning:") == 3  # with those of pages without checksums
    assert "1 file is a copy of what another sample reads" in done.stderr
    assert "is a copy" not in fresh_job(config_for(samples), "--allow-duplicates").stderr


def test_shards_of_one_file(fresh_job, tmp_path):
    write(tmp_path / "a.root")
    for shard in ("1/2", "2/2"):
        done = fresh_job(config_for({"s": ["a.root"]}), "--shard", shard)
        assert done.returncode == DONE, done.stderr
