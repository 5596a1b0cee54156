# SPDX-License-Identifier: BSD-3-Clause
"""Skims that are split into files: each is whole, together they are the skim in one file."""

import json
import os

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE

NUM_EVENTS = 30000


def config_for(split, format="rntuple", files="in.root"):
    skim = {
        "file": "s.root",
        "format": format,
        "keep": ["event", "nMuon", "Muon_*", "MET_pt", "genWeight"],
        "cluster_size": "64 KiB",
        "compression": "zstd:1",
    }
    return {
        "schema_version": 1,
        "samples": {"d": {"files": [files], "sum_weights": "genWeight"}},
        "select": [{"name": "met", "where": "MET_pt > 20"}],
        "skims": {"s": skim | ({} if split is None else {"split": split})},
    }


@pytest.fixture(scope="module")
def folder(generate, run_in, tmp_path_factory):
    """Events, and the skim of them in one file of each format."""
    folder = tmp_path_factory.mktemp("whole")
    generate("dimuon", folder / "in.root", NUM_EVENTS, "--seed", 3)
    for format in ("rntuple", "ttree"):
        (folder / format).mkdir()
        done = run_in(folder / format, config_for(None, format, "../in.root"))
        assert done.returncode == DONE, done.stderr
    return folder


@pytest.fixture
def split(folder, run_in, tmp_path):
    """Makes the skim in files and returns them."""

    def make(split, format="rntuple", *options):
        done = run_in(tmp_path, config_for(split, format, str(folder / "in.root")), *options)
        assert done.returncode == DONE, done.stderr
        return sorted(tmp_path.glob("s*_*.root"))

    return make


def events(path):
    with uproot.open(path) as file:
        ntuple = file["Events"]
        return ak.zip({key: ntuple[key].array() for key in ("event", "MET_pt", "Muon_pt")}, depth_limit=1)


def branches_of(path):
    with uproot.open(path) as file:
        found = file["Events"].arrays()
        return {name: found[name] for name in found.fields}


def num_events_in(path):
    with uproot.open(path) as file:
        return file["Events"].num_entries


def record_of(call, path):
    return json.loads(call("show", "--json", path).stdout)["files"][0]["record"]


def cutflow(path):
    with uproot.open(path) as file:
        return file["skimline/cutflow/d"].values().tolist()


@pytest.mark.parametrize("format", ["rntuple", "ttree"])
def test_files_of_some_events(call, folder, split, format):
    paths = split({"events": 1500}, format)
    whole = events(folder / format / "s.root")
    assert len(whole) > 2000
    assert [path.name for path in paths] == [f"s_{i + 1:04}.root" for i in range(-(-len(whole) // 1500))]
    for i, path in enumerate(paths):
        assert ak.array_equal(events(path), whole[1500 * i : 1500 * (i + 1)]), path
        assert call("verify", path).returncode == DONE
    report = json.loads((paths[0].parent / "a.report.json").read_text())
    assert [output["path"] for output in report["outputs"]] == [path.name for path in paths]
    assert f"file 2 of {len(paths)}: 1 500 events" in report["outputs"][1]["content"]


@pytest.mark.parametrize("format", ["rntuple", "ttree"])
def test_files_of_some_bytes(folder, split, format):
    paths = split("128 KiB", format)
    assert ak.array_equal(
        ak.concatenate([events(path) for path in paths]), events(folder / format / "s.root")
    )
    sizes = [path.stat().st_size for path in paths]
    assert len(sizes) >= 2
    # No file but the last lacks more than a cluster; metadata and record come on top.
    assert min(sizes[:-1]) > 64 << 10
    assert max(sizes) < (128 << 10) + 40000
    if format == "ttree":
        for path in paths:
            with uproot.open(path) as file:
                assert file["Events"].compressed_bytes <= 128 << 10


@pytest.mark.parametrize("format", ["rntuple", "ttree"])
@pytest.mark.parametrize("split_by", [{"events": 700}, 98304])
def test_threads_do_not_matter(split, format, split_by):
    bytes_of = [[path.read_bytes() for path in split(split_by, format, "-j", n)] for n in (1, 2, 5)]
    assert bytes_of[0] == bytes_of[1] == bytes_of[2]
    assert len(bytes_of[0]) > 2


def test_the_end_of_the_skim_is_the_end_of_a_file(folder, split):
    num_events = len(events(folder / "rntuple" / "s.root"))
    assert len(split({"events": num_events})) == 1
    assert len(split({"events": num_events - 1})) == 2


def test_a_skim_without_events_is_one_file(call, run_in, folder, tmp_path):
    config = config_for({"events": 10}, files=str(folder / "in.root"))
    config["select"][0]["where"] = "MET_pt < -1"
    assert run_in(tmp_path, config).returncode == DONE
    assert [path.name for path in tmp_path.glob("s_*")] == ["s_0001.root"]
    assert num_events_in(tmp_path / "s_0001.root") == 0


def test_all_is_counted_once(call, folder, split):
    paths = split({"events": 900})
    whole = folder / "rntuple" / "s.root"
    assert np.sum([cutflow(path) for path in paths], axis=0).tolist() == cutflow(whole)
    assert cutflow(paths[0]) == cutflow(whole)
    (files,) = record_of(call, paths[1])["samples"][0]["files"].values()
    assert files == {"of": len(paths), "numbers": [2]}
    assert f"file 2 of {len(paths)}" in call("show", paths[1]).stdout
    # Read together they are normalised as the one file is.
    for path in paths:
        assert "warning" not in call("show", path).stderr


@pytest.mark.parametrize("format", ["rntuple", "ttree"])
def test_merged_they_are_the_skim(call, folder, split, tmp_path, format):
    paths = split({"events": 900}, format)
    out = tmp_path / "merged.root"
    done = call("merge", out, *reversed(paths))
    assert done.returncode == DONE, done.stderr
    assert ak.array_equal(events(out), events(folder / format / "s.root"))
    assert cutflow(out) == cutflow(folder / format / "s.root")
    assert "split" not in call("show", out).stdout
    # However they are grouped: the record is the same, and a file cannot be added again.
    assert call("merge", "--incomplete", tmp_path / "first.root", *paths[:2]).returncode == INCOMPLETE
    assert call("merge", tmp_path / "grouped.root", *paths[2:], tmp_path / "first.root").returncode == DONE
    assert record_of(call, tmp_path / "grouped.root") == record_of(call, out)
    assert ak.array_equal(events(tmp_path / "grouped.root"), events(out))
    done = call("merge", tmp_path / "twice.root", out, paths[1])
    assert done.returncode == FAILED
    assert f"merged.root and {paths[1]} are both file 2/{len(paths)} of a skim" in done.stderr


def test_a_missing_file_is_named(call, split, tmp_path):
    paths = split({"events": 900})
    done = call("merge", tmp_path / "merged.root", paths[0], *paths[2:])
    assert done.returncode == FAILED
    assert f'file 2/{len(paths)} of a skim of the sample "d" is missing' in done.stderr
    done = call("merge", tmp_path / "merged.root", *paths[1:])
    assert f'file 1/{len(paths)} of a skim of the sample "d" is missing' in done.stderr


def test_files_of_another_run_do_not_count(call, folder, split, tmp_path):
    paths = split({"events": 400})
    old = paths[2].read_bytes()
    paths = split({"events": 900})
    (tmp_path / "old.root").write_bytes(old)
    done = call("merge", tmp_path / "merged.root", *paths[:2], *paths[3:], tmp_path / "old.root")
    assert done.returncode == FAILED
    assert f'file 3/{len(paths)} of a skim of the sample "d" is missing' in done.stderr


def test_files_of_an_earlier_run_go(split, tmp_path):
    many = split({"events": 400})
    few = split({"events": 1000})
    assert 1 < len(few) < len(many)
    assert few == many[: len(few)]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("is_forced", [False, True])
def test_they_go_where_storage_keeps_no_attributes(is_forced, split, tmp_path):
    for path in split({"events": 400}):
        os.removexattr(path, "user.skimline.job")
    few = split({"events": 1000}, "rntuple", *(["--force"] if is_forced else []))
    assert sorted(tmp_path.glob("s_*")) == few
    assert sum(len(events(path)) for path in few) == len(
        set(np.concatenate([events(path).event for path in few]))
    )


def test_files_of_others_go_if_that_is_asked_for(split, tmp_path):
    (tmp_path / "s_0099.root").write_text("mine")
    assert tmp_path / "s_0099.root" not in split({"events": 1000}, "rntuple", "--force")


def test_other_files_with_such_names_stay(call, split, tmp_path, run_in, folder):
    (tmp_path / "s_0007.root").write_text("mine")
    done = run_in(tmp_path, config_for({"events": 400}, files=str(folder / "in.root")))
    assert done.returncode != DONE
    assert 's_0007.root" exists, and is no output of an earlier run of this config' in done.stderr
    assert (tmp_path / "s_0007.root").read_text() == "mine"
    assert not list(tmp_path.glob("s_0001*"))


@pytest.mark.parametrize("format", ["rntuple", "ttree"])
def test_reading_the_files_is_reading_the_skim(run_in, folder, split, tmp_path, format):
    split({"events": 900}, format)
    counts = []
    for files in (tmp_path / "s_*.root", folder / format / "s.root", tmp_path / "s_000[13].root"):
        (tmp_path / f"{len(counts)}").mkdir()
        config = config_for(None, format, str(files)) | {"output": {"cutflow": "c.json"}}
        del config["samples"]["d"]["sum_weights"], config["skims"]
        config["histograms"] = {"met": {"x": {"value": "MET_pt", "bins": 9, "range": [0, 90]}}}
        config["output"]["histograms"] = "h.root"
        done = run_in(tmp_path / f"{len(counts)}", config)
        assert done.returncode == DONE, done.stderr
        counts.append((json.loads((tmp_path / f"{len(counts)}" / "c.json").read_text()), done.stderr))
    assert counts[0] == counts[1]
    assert "are not read: the cutflow of all is in the first" in counts[2][1]


def test_shards_are_split_too(call, folder, split, tmp_path):
    paths = [
        *split({"events": 1500}, "rntuple", "--shard", "1/2"),
        *split({"events": 500}, "rntuple", "--shard", "2/2"),
    ]
    paths = sorted(set(paths))
    assert paths[0].name == "s.shard1of2_0001.root"
    assert len(paths) > 3
    assert call("merge", tmp_path / "merged.root", *reversed(paths)).returncode == DONE
    whole = folder / "rntuple" / "s.root"
    assert ak.array_equal(events(tmp_path / "merged.root"), events(whole))
    assert cutflow(tmp_path / "merged.root") == cutflow(whole)


def test_shards_that_are_split_are_merged_in_groups(call, split, tmp_path):
    for shard in ("1/2", "2/2"):
        paths = sorted(split({"events": 900}, "rntuple", "--shard", shard))
    assert len(paths) > 3
    call("merge", tmp_path / "whole.root", *paths)
    for end in range(1, len(paths)):
        for name, group in (("first", paths[:end]), ("second", paths[end:])):
            done = call("merge", tmp_path / f"{name}.root", *group, "--incomplete", "--force")
            assert done.returncode == INCOMPLETE, done.stderr
        groups = [tmp_path / "second.root", tmp_path / "first.root"]
        done = call("merge", tmp_path / "merged.root", *groups, "--force")
        assert done.returncode == DONE, done.stderr
        assert (tmp_path / "merged.root").read_bytes() == (tmp_path / "whole.root").read_bytes()


def test_a_sample_each(call, folder, run_in, tmp_path):
    config = config_for({"events": 1000}, files=str(folder / "in.root"))
    config["samples"]["e"] = config["samples"]["d"]
    config["skims"]["s"]["file"] = "{sample}.root"
    done = run_in(tmp_path, config, "--set", "skims.s.split.events=2000")
    assert done.returncode == DONE, done.stderr
    names = sorted(path.name for path in tmp_path.glob("?_*.root"))
    assert names[0] == "d_0001.root"
    assert names[len(names) // 2] == "e_0001.root"
    assert num_events_in(tmp_path / "d_0001.root") == 2000
    assert "d_0001.root" in call("plan", tmp_path / "a.json").stdout


def test_the_run_of_a_record(call, split, tmp_path):
    paths = split({"events": 900})
    done = call("rerun", paths[0], "-o", tmp_path / "again")
    assert done.returncode == DONE, done.stdout + done.stderr
    again = sorted((tmp_path / "again").glob("*.root"))
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in paths]
    assert [path.name for path in again] == [path.name for path in paths]
    done = call("rerun", paths[1], "-o", tmp_path / "more")
    assert done.returncode == WRONG_USAGE
    assert f"is that of file 2 of {len(paths)} of a skim: name the first one" in done.stderr


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"events": 0}, '"events" of "split" must be a whole number, 1 or more'),
        ({"events": 1.5}, '"events" of "split" must be a whole number, 1 or more'),
        ({}, '"split" lacks "events"'),
        ({"event": 5}, 'did you mean "events"?'),
        ("many", '"split" must be from 64 KiB to 16384 GiB'),
        (1000, '"split" must be from 64 KiB to 16384 GiB'),
    ],
)
def test_what_cannot_be(run_in, tmp_path, folder, value, problem):
    done = run_in(tmp_path, config_for(value, files=str(folder / "in.root")))
    assert done.returncode == WRONG_USAGE
    assert problem in done.stderr


def test_too_many_files(run_in, tmp_path, folder):
    done = run_in(tmp_path, config_for({"events": 10}, files=str(folder / "in.root")))
    assert done.returncode == FAILED
    assert 'would have more than 500 files: let "split" put more into each' in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json"]


def test_stores_and_urls_are_refused(run_in, tmp_path, folder):
    config = config_for({"events": 500}, files=str(folder / "in.root"))
    for dry_run in ([], ["--dry-run"]):
        done = run_in(tmp_path, config, "--store", tmp_path / "store", *dry_run)
        assert done.returncode == WRONG_USAGE
        assert "put together of parts, with a store or by other processes, cannot be split" in done.stderr
    config["skims"]["s"]["file"] = "https://example.org/s.root"
    done = run_in(tmp_path, config)
    assert done.returncode == WRONG_USAGE
    assert "a skim that is split is written to a folder, not to a URL" in done.stderr


def test_other_outputs_are_not_taken_for_files(run_in, tmp_path, folder):
    config = config_for({"events": 500}, files=str(folder / "in.root"))
    config["skims"]["t"] = {"file": "s_0042.root"}
    done = run_in(tmp_path, config)
    assert done.returncode == WRONG_USAGE
    assert 's_0042.root" may be a file of the skim "s", which is split' in done.stderr


def test_trees_have_the_same_branches(call, run_in, tmp_path):
    """Lists that have other sizes than their column of counts in one late event need one more branch."""
    sizes = np.arange(9000) % 4
    late = sizes.copy()
    late[7500] += 1
    arrays = {"nMuon": sizes.astype("int32")}
    for name, counts in {"Muon_pt": sizes, "Muon_late": late}.items():
        arrays[name] = ak.unflatten(np.arange(counts.sum(), dtype="float32"), counts)
    with uproot.recreate(tmp_path / "in.root") as file:
        types = {name: ak.Array(values).type.content for name, values in arrays.items()}
        file.mkrntuple("Events", types).extend({name: ak.Array(values) for name, values in arrays.items()})
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root:Events"]}},
        "skims": {"s": {"file": "s.root", "format": "ttree", "split": {"events": 1500}}},
    }
    done = run_in(tmp_path, config)
    assert done.returncode == DONE, done.stderr
    paths = sorted(tmp_path.glob("s_*.root"))
    parts = [branches_of(path) for path in paths]
    arrays["nMuon_late"] = late
    assert len(parts) == 6
    assert all(part.keys() == arrays.keys() for part in parts)
    assert all(len(part["Muon_pt"]) == 1500 for part in parts)
    assert call("merge", tmp_path / "merged.root", *paths).returncode == DONE
    merged = branches_of(tmp_path / "merged.root")
    for name, values in arrays.items():
        for found in (ak.concatenate([part[name] for part in parts]), merged[name]):
            assert ak.array_equal(found, values, dtype_exact=False), name
