# SPDX-License-Identifier: BSD-3-Clause
"""Results that are kept: whatever a store has, outputs have the bytes of a run that computes everything."""

import copy
import fcntl
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE
from skim_events import comparable

SAMPLES = {"data": 2, "mc": 3}
OUTPUTS = ("h.root", "c.json", "s_data.root", "s_mc.root")


@pytest.fixture(scope="module")
def inputs(generate, tmp_path_factory):
    """A folder with a few files of events for each of two samples."""
    folder = tmp_path_factory.mktemp("inputs")
    for sample, count in SAMPLES.items():
        for number in range(count):
            seed = 10 * len(sample) + number
            generate("dimuon", folder / f"{sample}{number}.root", 3000 + 500 * number, "--seed", seed)
    return folder


@pytest.fixture
def config(inputs):
    """Cuts, regions, variations, weights, sums and all kinds of histograms, over both samples."""
    files = {
        sample: [f"{inputs}/{sample}{number}.root" for number in range(count)]
        for sample, count in SAMPLES.items()
    }
    return {
        "schema_version": 1,
        "luminosity_pb": 100,
        "samples": {
            "data": {"files": files["data"], "is_data": True},
            "mc": {"files": files["mc"], "cross_section_pb": 2.5, "sum_weights": "generatorWeight"},
        },
        "define": {"lead": "nMuon > 0 ? Muon_pt[0] : -1.f", "generatorWeight": "1 + 0.25 * (event % 3)"},
        "weights": {"generator": "generatorWeight", "norm": "normalisation_"},
        "variations": {
            "scale": {"columns": {"MET_pt": {"up": "MET_pt * 1.1f", "down": "MET_pt * 0.9f"}}},
            "tune": {"weights": {"generator": {"up": "generatorWeight * 1.5"}}, "samples": ["mc"]},
        },
        "select": [{"name": "a muon", "where": "nMuon > 0"}, {"name": "hard", "where": "lead > 10"}],
        "regions": {"two": {"where": "nMuon == 2"}, "soft": {"where": "MET_pt < 30", "after": "a muon"}},
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 30, "range": [0, 150]}, "weight": "weight_"},
            "number": {"x": {"value": "nMuon", "integers": [0, 6]}, "after": "all events"},
            "lead": {"x": {"value": "lead", "edges": [0, 5, 20, 100]}, "regions": ["two", "soft"]},
            "profile": {
                "x": {"value": "nMuon", "bins": 5, "range": [0, 5]},
                "profile": {"value": "MET_pt"},
                "weight": "weight_",
            },
            "plane": {
                "x": {"value": "lead", "bins": 6, "range": [0, 60]},
                "y": {"value": "nMuon", "categories": [], "growing": True},
            },
        },
        "sums": {"all": {"data": 1, "mc": 0.5}},
        "skims": {"s": {"file": "s_{sample}.root", "keep": ["MET_*", "event"]}},
        "output": {"histograms": "h.root", "cutflow": "c.json", "n_minus_1": True},
    }


@pytest.fixture
def run_with(run_in, tmp_path):
    """Runs a config with a store, or without; returns the outputs and what the report says of the store."""

    def run(config, store=None, *arguments, code=DONE):
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        options = ["--report", "report.json", *arguments] + (["--store", store] if store else [])
        done = run_in(folder, config, *options)
        assert done.returncode == code, done.stderr
        made = [path for path in folder.iterdir() if path.name not in ("a.json", "report.json")]
        outputs = {path.name: comparable(path) for path in made}
        run.stderr = done.stderr
        return outputs, json.loads((folder / "report.json").read_text())

    return run


def assert_same(outputs, expected):
    assert sorted(outputs) == sorted(expected)
    assert [name for name in outputs if outputs[name] != expected[name]] == []


def test_outputs_are_those_of_a_run_without_a_store(config, run_with, tmp_path):
    expected, report = run_with(config)
    assert set(expected) == set(OUTPUTS)
    assert report["store"] is None
    store = tmp_path / "store"
    first, report = run_with(config, store)
    assert_same(first, expected)
    assert report["store"]["taken"] == 0
    computed = report["store"]["computed"]
    assert computed > 100
    again, report = run_with(config, store, "-j", "1")
    assert_same(again, expected)
    assert report["store"] == {"taken": computed, "computed": 0}


def test_the_same_is_reported(config, run_with, tmp_path):
    def said(report):
        machine = {"started", "seconds", "stages", "waiting", "peak_memory", "threads_share", "read", "store"}
        kept = {key: value for key, value in report.items() if key not in machine | {"histograms"}}
        for sample in kept["samples"]:
            sample.pop("seconds")
        for output in kept["outputs"]:
            output.pop("path")
            if output["content"].startswith("skim"):  # in other clusters
                del output["bytes"], output["checksum"]
                output["content"] = output["content"].partition(";")[0]  # compression is chosen for each part
        return kept

    expected = said(run_with(config)[1])
    warnings = run_with.stderr
    for _ in range(2):
        assert said(run_with(config, tmp_path / "store")[1]) == expected
        assert run_with.stderr == warnings


def renamed_histogram(config, _):
    config["histograms"] = {
        ("other" if name == "met" else name): each for name, each in config["histograms"].items()
    }


def reordered(config, _):
    for key in ("histograms", "define", "regions", "samples"):
        config[key] = dict(reversed(config[key].items()))


def renamed_definition(config, _):
    text = json.dumps(config).replace("generatorWeight", "genW")
    config.clear()
    config.update(json.loads(text))


def other_bins(config, chance):
    config["histograms"]["met"]["x"]["bins"] = chance.randrange(5, 50)


def other_cut(config, chance):
    config["select"][chance.randrange(2)]["where"] += f" && MET_pt < {chance.randrange(40, 200)}"


def more_histograms(config, chance):
    number = chance.randrange(1000)
    config["histograms"][f"more{number}"] = {
        "x": {"value": f"MET_pt + {number}", "bins": 9, "range": [0, 2000]}
    }


def fewer_histograms(config, chance):
    config["histograms"].pop(chance.choice(sorted(config["histograms"])))


def fewer_files(config, _):
    config["samples"]["mc"]["files"].pop(0)


def other_order_of_files(config, _):
    config["samples"]["data"]["files"].reverse()


def other_variation(config, chance):
    config["variations"]["scale"]["columns"]["MET_pt"]["up"] = f"MET_pt * {1 + chance.random():.3f}f"


def other_cross_section(config, chance):
    config["samples"]["mc"]["cross_section_pb"] = chance.randrange(1, 9)


def numbered_entries(config, _):
    config["define"]["lead"] = "float(entry_ % 100)"


def limited(config, chance):
    config["_arguments"] = ["--limit-events", str(chance.randrange(1, 9000))]


def sharded(config, chance):
    config["_arguments"] = ["--shard", f"{chance.randrange(1, 4)}/3"]


EDITS = (
    renamed_histogram,
    reordered,
    renamed_definition,
    other_bins,
    other_cut,
    more_histograms,
    fewer_histograms,
    fewer_files,
    other_order_of_files,
    other_variation,
    other_cross_section,
    numbered_entries,
    limited,
    sharded,
)


@pytest.mark.thorough(quick=1, repeats=True)
@pytest.mark.parametrize("seed", range(6))
def test_edited_configs_take_nothing_wrong(seed, config, run_with, tmp_path):
    chance = random.Random(seed)
    store = tmp_path / "store"
    run_with(config, store)
    for _ in range(3):
        config = copy.deepcopy(config)
        for edit in chance.sample(EDITS, 3):
            edit(config, chance)
        arguments = config.pop("_arguments", [])
        expected, _ = run_with(config, None, *arguments)
        assert_same(run_with(config, store, *arguments)[0], expected)


def test_conditions_that_differ_by_an_operator_are_told_apart(config, run_with, tmp_path):
    store = tmp_path / "store"
    outputs = []
    for operator in ("&&", "||", "==", "!=", "<", ">="):
        config["select"][0]["where"] = f"nMuon > 1 {operator} MET_pt > 20"
        expected, _ = run_with(config)
        assert_same(run_with(config, store)[0], expected)
        outputs.append(expected["h.root"])
    assert all(outputs.count(each) == 1 for each in outputs)


def names_only(config, chance):
    renamed_histogram(config, chance)
    reordered(config, chance)
    renamed_definition(config, chance)


@pytest.mark.parametrize("edit", [names_only, fewer_files, fewer_histograms, other_order_of_files])
def test_what_is_there_is_not_computed(edit, config, run_with, tmp_path):
    del config["luminosity_pb"], config["weights"]["norm"]
    run_with(config, tmp_path / "store")
    edit(config, random.Random(1))
    assert run_with(config, tmp_path / "store")[1]["store"]["computed"] == 0


def test_a_normalisation_is_a_part_of_its_weights(config, run_with, tmp_path):
    run_with(config, tmp_path / "store")
    fewer_files(config, None)  # fewer weights, each of more
    expected = run_with(config)[0]
    found, report = run_with(config, tmp_path / "store")
    assert_same(found, expected)
    assert report["store"]["computed"] > 0


def test_one_more_histogram_costs_what_it_needs(config, run_with, tmp_path):
    del config["skims"]
    store = tmp_path / "store"
    whole = run_with(config, store)[1]
    config["histograms"]["more"] = {
        "x": {"value": "nMuon", "bins": 4, "range": [0, 4]},
        "after": "all events",
    }
    report = run_with(config, store)[1]
    parts = sum(SAMPLES.values())
    assert 2 * parts <= report["store"]["computed"] <= 3 * parts  # and what it adds to sums of samples
    assert 0 < report["read"]["pages_decoded"] < whole["read"]["pages_decoded"] / 2


def test_changed_inputs_are_computed_anew(config, run_with, generate, tmp_path):
    changing = tmp_path / "changing.root"
    config["samples"]["data"]["files"].append(str(changing))
    results = []
    for seed in (1, 2):
        generate("dimuon", changing, 2000, "--seed", seed, "--force")
        expected = run_with(config)[0]
        assert_same(run_with(config, tmp_path / "store")[0], expected)
        results.append(expected["h.root"])
    assert results[0] != results[1]


def move(config, folder):
    """Copies the inputs with their times, and lets the config have the copies."""
    folder.mkdir()
    for sample in config["samples"].values():
        for number, path in enumerate(sample["files"]):
            copied = folder / Path(path).name
            subprocess.run(["cp", "-p", path, copied], check=True)
            sample["files"][number] = str(copied)


def test_moved_inputs_are_the_same(config, run_with, tmp_path):
    run_with(config, tmp_path / "store")
    move(config, tmp_path / "moved")
    expected = run_with(config)[0]
    found, report = run_with(config, tmp_path / "store")
    assert_same(found, expected)
    assert report["store"]["computed"] == 0


def test_names_of_files_count_where_they_are_used(config, run_with, tmp_path):
    config["define"]["lead"] = f"file_ == '{config['samples']['mc']['files'][0]}' ? 30.f : 2.f"
    run_with(config, tmp_path / "store")
    move(config, tmp_path / "moved")
    expected = run_with(config)[0]
    found, report = run_with(config, tmp_path / "store")
    assert_same(found, expected)
    assert report["store"]["computed"] > 0
    assert report["store"]["taken"] > 0


def test_damaged_results_are_computed_anew(config, run_with, tmp_path):
    expected = run_with(config)[0]
    store = tmp_path / "store"
    run_with(config, store)
    chance = np.random.default_rng(3)
    files = sorted(store.rglob("*.results.root"))
    assert len(files) == sum(SAMPLES.values())
    for path in files[:2]:
        content = bytearray(path.read_bytes())
        content[chance.integers(100, len(content) - 100)] ^= 1 << chance.integers(8)
        path.write_bytes(content)
    files[2].write_bytes(files[2].read_bytes()[:-500])
    files[3].write_bytes(b"")
    found, report = run_with(config, store)
    assert_same(found, expected)
    assert report["store"]["computed"] > 0
    assert run_with(config, store)[1]["store"]["computed"] == 0


def test_histograms_of_others_are_no_results(config, run_with, tmp_path):
    store = tmp_path / "store"
    expected = run_with(config, store)[0]
    for path in store.rglob("*.results.root"):
        with uproot.open(path) as file:
            names = [key for key in file.keys(cycle=False) if key.startswith("histograms/")]
            of_numbers = [name for name in names if file[name].classname.startswith("TH1")]
            objects = {name: file[name].to_numpy() for name in of_numbers[:3]}
        with uproot.recreate(path) as file:
            for name, values in objects.items():
                file[name] = values
    assert_same(run_with(config, store)[0], expected)


def test_shares_fill_a_store(config, run_with, run_in, tmp_path):
    expected = run_with(config)[0]
    store = tmp_path / "store"
    for share in ("1/3", "3/3", "2/3", "2/3"):
        folder = tmp_path / f"share{share[0]}"
        folder.mkdir(exist_ok=True)
        done = run_in(folder, config, "--store", store, "--fill-store", share)
        assert done.returncode == DONE, done.stderr
        assert [path.name for path in folder.iterdir()] == ["a.json"]
    found, report = run_with(config, store)
    assert_same(found, expected)
    assert report["store"]["computed"] == 0


def test_runs_at_once_share_a_store(config, run_with, tmp_path):
    expected = run_with(config)[0]
    store = tmp_path / "store"
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(run_with, config, store) for _ in range(4)]:
            assert_same(done.result()[0], expected)


def test_kills_lose_nothing(config, run_with, skimline, tmp_path):
    expected = run_with(config)[0]
    store = tmp_path / "store"
    chance = random.Random(1)
    (tmp_path / "killed.json").write_text(json.dumps(config))
    for _ in range(15):
        process = subprocess.Popen(
            [skimline, "run", "killed.json", "--no-report", "--force", "--store", store],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.random() * 0.12)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert_same(run_with(config, store)[0], expected)


def test_damaged_inputs_are_left_out_as_always(config, run_with, inputs, tmp_path):
    damaged = tmp_path / "damaged.root"
    content = bytearray((inputs / "mc0.root").read_bytes())
    first, last = len(content) // 10, len(content) * 8 // 10
    content[first:last] = bytes(last - first)
    damaged.write_bytes(content)
    config["samples"]["mc"]["files"].insert(1, str(damaged))
    config |= {"on_bad_file": "skip", "max_bad_fraction": 0.5, "allow_duplicates": True}
    expected = run_with(config, code=INCOMPLETE)[0]
    for _ in range(2):
        found, report = run_with(config, tmp_path / "store", code=INCOMPLETE)
        assert_same(found, expected)
    assert report["store"]["taken"] > report["store"]["computed"]


def test_cuts_that_need_others_are_no_end(config, run_with, tmp_path):
    config["select"][1]["where"] = "Muon_pt[0] > 10"
    expected = run_with(config)[0]
    warnings = run_with.stderr
    assert "are not counted" in warnings
    for _ in range(2):
        assert_same(run_with(config, tmp_path / "store")[0], expected)
        assert run_with.stderr == warnings


def test_faults_of_events_are_told_as_always(config, job, tmp_path):
    config["define"]["lead"] = "Muon_pt[3]"
    plain = job(config, "--no-report")
    assert plain.returncode == FAILED
    kept = job(config, "--no-report", "--store", tmp_path / "store")
    assert (kept.returncode, kept.stderr) == (plain.returncode, plain.stderr)


@pytest.mark.parametrize("arguments", [(), ("--fill-store", "1/2")])
def test_a_run_that_fails_before_anything_is_kept_makes_no_store(config, job, tmp_path, arguments):
    config["define"]["wrong"] = "missing + 1"
    assert job(config, "--no-report", "--store", tmp_path / "new" / "store", *arguments).returncode == 2
    del config["define"]["wrong"]
    config["samples"]["data"]["files"] = [str(tmp_path / "text.root")]
    (tmp_path / "text.root").write_text("no ROOT file")
    assert job(config, "--no-report", "--store", tmp_path / "new" / "store", *arguments).returncode in (1, 2)
    assert not (tmp_path / "new").exists()


def test_a_store_that_cannot_be(config, job, tmp_path):
    (tmp_path / "file").write_text("")
    done = job(config, "--no-report", "--store", tmp_path / "file")
    assert done.returncode == FAILED
    assert "file: cannot be made" in done.stderr
    done = job(config, "--fill-store", "1/2")
    assert done.returncode == 2
    done = job(config, "--store", tmp_path / "store", "--fill-store", "3/2")
    assert done.returncode == 2
    assert '--fill-store: "3/2" is not one of N' in done.stderr


def test_damaged_skim_parts_are_written_anew(config, run_with, tmp_path):
    store = tmp_path / "store"
    expected, report = run_with(config, store)
    parts = sorted(store.rglob("*.skim.root"))
    assert len(parts) == sum(SAMPLES.values())
    whole = {path: path.read_bytes() for path in parts}
    parts[0].write_bytes(whole[parts[0]][:-500])
    middle = len(whole[parts[1]]) * 3 // 4
    parts[1].write_bytes(whole[parts[1]][:middle] + b"damage" + whole[parts[1]][middle + 6 :])
    parts[2].unlink()
    again, report = run_with(config, store)
    assert_same(again, expected)
    assert report["store"]["computed"] == 3
    assert {path: path.read_bytes() for path in parts} == whole


def test_damaged_trees_in_a_store_are_written_anew(call, config, inputs, run_with, tmp_path):
    """TTrees have no checksums of their own: any byte that is another one is found, or means nothing."""
    config["samples"] = {"data": {"files": [f"{inputs}/data0.root"]}}
    for key in ("variations", "sums", "weights"):
        del config[key]
    for key in ("met", "profile"):
        del config["histograms"][key]
    config["skims"] = {
        "s": {"file": "s_data.root", "keep": ["MET_*"], "format": "ttree", "compression": "none"},
        "none": {"file": "none.root", "keep": ["MET_*"], "format": "ttree", "where": "false"},
    }
    store = tmp_path / "store"
    expected, report = run_with(config, store)
    assert run_with(config, store)[1]["store"]["computed"] == 0
    part = max(store.rglob("*.skim.root"), key=lambda path: path.stat().st_size)
    whole = part.read_bytes()
    chance = random.Random(7)
    num_found = 0
    for place in [chance.randrange(100, len(whole)) for _ in range(40)]:
        spoilt = bytearray(whole)
        spoilt[place] ^= 1 << chance.randrange(8)
        part.write_bytes(spoilt)
        is_found = call("store", store, "--verify").returncode == FAILED
        again, report = run_with(config, store)
        assert_same(again, expected)
        assert report["store"]["computed"] == is_found
        num_found += is_found
        part.write_bytes(whole)
    assert num_found > 10


@contextmanager
def locked(folder):
    """As a run that is about to give a skim its name."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("before", ["missing", "damaged"])
def test_a_skim_that_another_run_makes_meanwhile_stays(before, config, run_with, skimline, tmp_path):
    store = tmp_path / "store"
    expected, _ = run_with(config, store)
    part = min(store.rglob("*.skim.root"))
    whole = part.read_bytes()
    part.write_bytes(whole[:-500])
    if before == "missing":
        part.unlink()
    (tmp_path / "b.json").write_text(json.dumps(config))
    command = [skimline, "run", "b.json", "--report", "b.report.json", "--force", "--store", store]
    with locked(part.parent):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)
        made = part.with_name("of another run")
        made.write_bytes(whole)
        inode = made.stat().st_ino
        made.replace(part)
    assert process.wait(60) == 0
    assert part.stat().st_ino == inode
    report = json.loads((tmp_path / "b.report.json").read_text())
    assert report["store"]["computed"] == (1 if before == "missing" else 0)
    assert_same(run_with(config, store)[0], expected)


def test_skims_are_kept_by_what_they_hold(config, run_with, tmp_path):
    """A skim with other columns is another; its name and file are nothing that it depends on."""
    run_with(config, tmp_path / "store")
    config["skims"]["t"] = config["skims"]["s"] | {"file": "t_{sample}.root"}
    assert run_with(config, tmp_path / "store")[1]["store"]["computed"] == 0
    config["skims"]["t"]["keep"] = ["MET_pt"]
    assert run_with(config, tmp_path / "store")[1]["store"]["computed"] == sum(SAMPLES.values())


def test_skims_of_others_are_no_parts(config, run_with, tmp_path):
    """A sound file with as many events, under the name of another part."""
    for key in ("select", "regions", "histograms", "weights", "variations", "sums"):
        del config[key]
    config["output"] = {"cutflow": "c.json"}
    expected, _ = run_with(config)
    store = tmp_path / "store"
    run_with(config, store)
    by_size = {}
    for path in store.rglob("*.skim.root"):
        with uproot.open(path) as file:
            by_size.setdefault(file["Events"].num_entries, []).append(path)
    one, other = next(paths for paths in by_size.values() if len(paths) > 1)[:2]
    one.write_bytes(other.read_bytes())
    assert_same(run_with(config, store)[0], expected)
    assert one.read_bytes() != other.read_bytes()


def test_skims_in_use_are_not_pruned_first(config, run_with, call, tmp_path):
    store = tmp_path / "store"
    expected, _ = run_with(config, store)
    used = {path: path.stat() for path in store.rglob("*.skim.root")}
    changed = copy.deepcopy(config)
    changed["select"][1]["where"] = "lead > 11"
    run_with(changed, store)
    sizes = {path: path.stat().st_size for path in store.rglob("*.root")}
    other = [path for path in store.rglob("*.skim.root") if path not in used]
    time.sleep(0.02)
    assert_same(run_with(config, store)[0], expected)
    most = sum(size for path, size in sizes.items() if path not in other)
    assert call("store", store, "--prune", most).returncode == DONE
    assert {path for path in sizes if not path.exists()} == set(other)
    # Who reads a skim sees by this time that it is still the same.
    assert all(path.stat().st_mtime_ns == status.st_mtime_ns for path, status in used.items())
