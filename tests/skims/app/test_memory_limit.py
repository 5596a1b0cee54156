# SPDX-License-Identifier: BSD-3-Clause
"""`memory_limit` is held: the system's count of the memory of a run is below it."""

import functools
import json
import re

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

NUM_COLUMNS = 400


@pytest.fixture(scope="module")
def wide(run_in, sample, tmp_path_factory):
    """A file with hundreds of columns, in ten clusters of 16 MiB."""
    folder = tmp_path_factory.mktemp("wide")
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": [str(sample)]}},
        "define": {f"c{i}": f"MET_pt * {i + 1}" for i in range(NUM_COLUMNS)},
        "skims": {
            "w": {"file": "wide.root", "keep": ["c*"], "compression": "none", "cluster_size": "16 MiB"}
        },
    }
    done = run_in(folder, config)
    assert done.returncode == DONE, done.stderr
    return folder / "wide.root"


def histogram(column):
    return {"x": {"value": column, "bins": 100, "range": [0, 1000]}}


def config_for(path, **more):
    return {"schema_version": 1, "samples": {"d": {"files": [str(path)]}}} | more


HISTOGRAMS = {"output": {"histograms": "histograms.root"}}
PLANE = {
    "x": {"value": "c0", "bins": 500, "range": [0, 100]},
    "y": {"value": "c1", "bins": 400, "range": [0, 200]},
}
# Config, and a limit that a run without one may exceed with eight threads.
JOBS = {
    "a wide file": (
        HISTOGRAMS | {"histograms": {f"h{i}": histogram(f"c{i}") for i in range(NUM_COLUMNS)}},
        "140 MiB",
    ),
    "histograms": (
        HISTOGRAMS | {"histograms": {f"h{i}": PLANE | {"weight": f"c{i}"} for i in range(12)}},
        "150 MiB",
    ),
    "a skim": (
        {"skims": {"s": {"file": "s.root", "where": "c0 > 10", "cluster_size": "16 MiB"}}},
        "180 MiB",
    ),
}


def contents(folder):
    """Histograms, or some columns of a skim; the record of the run has its config, which differs."""
    (path,) = folder.glob("*.root")
    with uproot.open(path) as file:
        if "Events" in file:
            return {name: file["Events"][name].array().to_numpy() for name in ("c0", "c1", "c399")}
        return {name: file[name].values(flow=True) for name in file.keys(cycle=False) if name.startswith("h")}


def bytes_of(limit):
    return int(limit.split()[0]) << 20


@pytest.fixture
def peak(peak_memory, tmp_path):
    """The most memory that a run of a.json takes, in bytes."""
    return functools.partial(peak_memory, tmp_path, "run", "a.json", "--no-report")


@pytest.mark.parametrize("name", JOBS)
def test_it_is_held(call, peak, wide, tmp_path, name):
    more, limit = JOBS[name]
    (tmp_path / "a.json").write_text(json.dumps(config_for(wide, **more)))
    # Without a limit it may take more; how much it does depends on how far its threads come apart.
    plan = json.loads(call("plan", "--json", "-j", 8, "a.json", cwd=tmp_path).stdout)
    assert plan["samples"][0]["memory"]["total"] > bytes_of(limit)
    assert peak("-j", 8, "--memory-limit", limit) <= bytes_of(limit)
    found = contents(tmp_path)
    assert found
    # It makes the same without.
    assert peak("-j", 8) < plan["samples"][0]["memory"]["total"]
    again = contents(tmp_path)
    assert found.keys() == again.keys()
    assert all(numpy.array_equal(found[name], again[name]) for name in found)


@pytest.mark.parametrize("name", [name for name in JOBS if name != "a skim"])
def test_parts_that_are_computed_by_themselves_hold_it(call, peak, wide, tmp_path, name):
    more, limit = JOBS[name]
    (tmp_path / "a.json").write_text(json.dumps(config_for(wide, **more)))
    share = ("-j", 8, "--store", "store", "--fill-store", "1/1")
    assert peak(*share, "--memory-limit", limit) <= bytes_of(limit)
    assert peak("-j", 8, "--store", "store") > 0
    found = contents(tmp_path)
    assert peak("-j", 1) > 0
    again = contents(tmp_path)
    assert all(numpy.array_equal(found[name], again[name]) for name in again)


def test_results_that_are_kept_in_a_store_count(peak, wide, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_for(wide, **JOBS["histograms"][0])))
    limit = "360 MiB"
    assert peak("-j", 8, "--store", "store", "--memory-limit", limit) <= bytes_of(limit)


@pytest.mark.parametrize("name", JOBS)
def test_the_plan_is_not_exceeded(call, peak, wide, tmp_path, name):
    config = config_for(wide, **JOBS[name][0])
    (tmp_path / "a.json").write_text(json.dumps(config))
    for threads in (1, 4):
        plan = json.loads(call("plan", "--json", "-j", threads, "a.json", cwd=tmp_path).stdout)
        assert plan["threads"] == threads
        assert peak("-j", threads) < plan["samples"][0]["memory"]["total"]


def test_the_plan_has_fewer_threads(call, wide, tmp_path):
    more, limit = JOBS["a wide file"]
    (tmp_path / "a.json").write_text(json.dumps(config_for(wide, **more, memory_limit=limit)))
    plan = json.loads(call("plan", "--json", "-j", 8, "a.json", cwd=tmp_path).stdout)
    assert 1 <= plan["threads"] < 8
    assert plan["threads"] <= plan["max_slices_in_flight"]
    assert plan["samples"][0]["memory"]["total"] <= bytes_of(limit)
    larger = json.loads(
        call("plan", "--json", "-j", 8, "--memory-limit", "8 GiB", "a.json", cwd=tmp_path).stdout
    )
    assert larger["threads"] == 8


@pytest.mark.parametrize("command", ["run", "plan"])
def test_too_small_a_limit_is_said_before_the_run(call, wide, tmp_path, command):
    (tmp_path / "a.json").write_text(
        json.dumps(config_for(wide, **JOBS["a wide file"][0], memory_limit="64 MiB"))
    )
    done = call(command, "a.json", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert re.match(
        r"a\.json:1:\d+: error: the run needs up to [\d.]+ MB with one thread: .*MB for columns of the input",
        done.stderr,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("where", [("--fill-store", "1/1", "--store", "store"), ("--store", "store")])
def test_too_small_a_limit_of_parts_is_said_before_the_run(call, wide, tmp_path, where):
    (tmp_path / "a.json").write_text(
        json.dumps(config_for(wide, **JOBS["a wide file"][0], memory_limit="64 MiB"))
    )
    done = call("run", "a.json", *where, cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert re.match(r"a\.json:1:\d+: error: the run needs up to [\d.]+ MB with one thread: ", done.stderr)
    assert not list(tmp_path.glob("*.root"))


@pytest.mark.parametrize("limit", ["much", "1 KiB", "-5"])
def test_limits_that_are_none(job, sample, limit):
    done = job(config_for(sample, skims={"s": {"file": "s.root"}}), "--memory-limit", limit)
    assert done.returncode == WRONG_USAGE
    assert "memory_limit" in done.stderr


LONG = 2000


@pytest.fixture(scope="module")
def long_lists(tmp_path_factory):
    """A thousand events with lists of 2000 numbers."""
    path = tmp_path_factory.mktemp("long") / "lists.root"
    values = numpy.tile(numpy.arange(LONG, dtype="f4") % 7, 1000)
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", {"z": awkward.unflatten(values, LONG)})
    return path


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_shrink_with_the_length_of_lists(peak, call, long_lists, tmp_path, threads):
    """Whole batches of them would take a gigabyte."""
    names = [f"a{i}" for i in range(12)]
    config = config_for(
        long_lists,
        define={name: f"z * {i + 1}.5 + {i}" for i, name in enumerate(names)},
        histograms={name: {"x": {"value": name, "bins": 5, "range": [0, 100]}} for name in names},
        **HISTOGRAMS,
    )
    (tmp_path / "a.json").write_text(json.dumps(config))
    assert peak("-j", threads, "--memory-limit", "120 MiB") <= bytes_of("120 MiB")
    plan = json.loads(call("plan", "--json", "-j", threads, "a.json", cwd=tmp_path).stdout)
    assert plan["samples"][0]["memory"]["total"] >= peak("-j", threads)
    with uproot.open(tmp_path / "histograms.root") as file:
        for i, name in enumerate(names):
            values = (numpy.arange(LONG, dtype="f4") % 7) * (i + 1.5) + i
            expected = 1000 * numpy.histogram(values, bins=5, range=(0, 100))[0]
            assert numpy.array_equal(file[name].values(), expected)


def test_computed_lists_of_skims_count(peak, long_lists, tmp_path):
    columns = {f"w{i}": f"z * {i}.f" for i in range(20)}
    config = config_for(
        long_lists,
        skims={"s": {"file": "s.root", "keep": ["z"], "columns": columns, "cluster_size": "8 MiB"}},
    )
    (tmp_path / "a.json").write_text(json.dumps(config))
    assert peak("-j", 2, "--memory-limit", "250 MiB") <= bytes_of("250 MiB")
    with uproot.open(tmp_path / "s.root") as file:
        last = file["Events"]["w19"].array(entry_start=999)
        assert numpy.array_equal(last[0], (numpy.arange(LONG, dtype="f4") % 7) * 19)


def test_trees_with_large_events(peak, tmp_path):
    """Clusters are not read together when each of their events is large."""
    wave = numpy.zeros((10, 100000), dtype="f4")
    wave[:, 5] = 3
    with uproot.recreate(tmp_path / "waves.root") as file:
        tree = file.mktree("Events", {"wave": numpy.dtype(("f4", (100000,)))})
        for _ in range(30):
            tree.extend({"wave": wave})
    config = config_for(
        tmp_path / "waves.root",
        histograms={"peak": {"x": {"value": "Max(wave)", "bins": 4, "range": [0, 4]}}},
        **HISTOGRAMS,
    )
    (tmp_path / "a.json").write_text(json.dumps(config))
    # All events are 120 MB, and twice that while they are decoded.
    assert peak("-j", 1, "--memory-limit", "200 MiB") <= bytes_of("200 MiB")
    with uproot.open(tmp_path / "histograms.root") as file:
        assert file["peak"].values().tolist() == [0, 0, 0, 300]


@pytest.fixture(scope="module")
def many_branches(tmp_path_factory):
    """A TTree and an RNTuple with many columns and few events."""
    folder = tmp_path_factory.mktemp("branches")
    content = {f"column_{i}": numpy.arange(20, dtype=numpy.float32) for i in range(1000)}
    with uproot.recreate(folder / "ttree.root") as file:
        file.mktree("Events", {name: values.dtype for name, values in content.items()}).extend(content)
    with uproot.recreate(folder / "rntuple.root") as file:
        file.mkrntuple("Events", content)
    return folder


@pytest.mark.parametrize("skims", [{}, {"skims": {"s": {"file": "s.root"}}}], ids=["histogram", "skim"])
@pytest.mark.parametrize("data_format", ["ttree", "rntuple"])
def test_files_of_one_kind_share_what_they_have_alike(
    peak_memory, many_branches, tmp_path, data_format, skims
):
    """Names, types and titles are kept once: of each file there is where its pages or baskets lie."""

    def memory_of(num_files):
        files = [tmp_path / f"{num_files}_{i}.root" for i in range(num_files)]
        for file in files:
            file.unlink(missing_ok=True)
            file.hardlink_to(many_branches / f"{data_format}.root")
        config = {
            "schema_version": 1,
            "allow_duplicates": True,
            "samples": {"mc": {"files": [str(file) for file in files]}},
            "histograms": {"h": {"x": {"value": "column_7", "bins": 5, "range": [0, 20]}}},
            "output": {"histograms": "h.root"},
        }
        (tmp_path / "a.json").write_text(json.dumps(config | skims))
        return peak_memory(tmp_path, "plan", "a.json")

    few, many = 50, 250
    # A thread that a busy machine stops in the middle of a file has more of it.
    assert any((memory_of(many) - memory_of(few)) / (many - few) < 600e3 for _ in range(3))
