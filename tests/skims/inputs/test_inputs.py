# SPDX-License-Identifier: BSD-3-Clause
"""What a run reads: lists of inputs and samples as other programs know them, limits, shards, and faults of storage."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import uproot

EVENTS = {"a.root": 1000, "b.root": 700, "c.root": 1}


@pytest.fixture(scope="module")
def files(generate, tmp_path_factory) -> Path:
    """A folder with files of EVENTS."""
    folder = tmp_path_factory.mktemp("inputs")
    for seed, (name, events) in enumerate(EVENTS.items(), 1):
        generate("dimuon", folder / name, events, "--seed", seed)
    return folder


def config_of(samples: dict, **more) -> str:
    """A config of these samples that keeps events with two muons."""
    keys = {"select": [{"name": "two", "where": "nMuon == 2"}], "output": {"report": False}}
    return json.dumps({"schema_version": 1, **samples, **keys, **more})


def run(skimline: Path, folder: Path, config: str, *arguments: str, **options) -> subprocess.CompletedProcess:
    """Runs a config of a folder."""
    (folder / "config.json").write_text(config)
    command = [skimline, "run", "config.json", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120, **options
    )


def counts_of(done: subprocess.CompletedProcess) -> dict[str, list[int]]:
    """Events by sample, after each step."""
    assert done.returncode == 0, done.stderr
    samples = json.loads(done.stdout)["samples"]
    return {each["name"]: [step["events"] for step in each["cutflow"]] for each in samples}


def expected_counts(folder: Path, names: list[str]) -> list[int]:
    """The same, by uproot."""
    muons = np.concatenate(
        [uproot.open(folder / name)["Events"]["nMuon"].array(library="np") for name in names]
    )
    return [len(muons), int(np.count_nonzero(muons == 2))]


def test_specification_of_rdataframe(skimline, files):
    specification = {
        "samples": {
            "first": {
                "trees": ["Events"],
                "files": [str(files / "a.root"), str(files / "c.root")],
                "metadata": {"w": 2},
            },
            "second": {"trees": ["Events"], "files": [str(files / "[b].root")], "metadata": {"w": 5}},
        }
    }
    (files / "spec.json").write_text(json.dumps(specification))
    histograms = {"n": {"x": {"value": "w", "integers": [0, 9]}}}
    config = config_of({"samples_from": "spec.json"}, histograms=histograms)
    config = config.replace('"report": false', '"report": false, "histograms": "h.root"')
    done = run(skimline, files, config, "--report", "-")
    counts = counts_of(done)
    assert list(counts) == ["first", "second"]
    assert counts["first"] == expected_counts(files, ["a.root", "c.root"])
    assert counts["second"] == expected_counts(files, ["b.root"])
    with uproot.open(files / "h.root") as file:
        for name, w in (("first", 2), ("second", 5)):
            values = file[f"{name}__n"].values()
            assert values[w] == counts[name][-1] == values.sum()


def test_promises_of_a_fileset_are_kept(skimline, files):
    details = {}
    for name, events in EVENTS.items():
        with uproot.open(files / name) as file:
            details[name] = {"object_path": "Events", "num_entries": events, "uuid": str(file.file.uuid)}
            details[name]["steps"] = [[0, events // 2], [events // 2, events]]
            assert file["Events"].num_entries == events
    (files / "fileset.json").write_text(
        json.dumps({"all": {"files": details, "metadata": None, "form": None}})
    )
    config = config_of({"samples_from": "fileset.json"})
    done = run(skimline, files, config, "--report", "-")
    assert counts_of(done) == {"all": expected_counts(files, list(EVENTS))}
    details["b.root"].update(num_entries=701, steps=None)
    (files / "fileset.json").write_text(json.dumps({"all": {"files": details}}))
    done = run(skimline, files, config)
    assert done.returncode == 3
    assert "b.root: 701 entries promised, 700 entries found" in done.stdout + done.stderr


def test_inputs_of_the_analysis_grand_challenge(skimline, files, monkeypatch):
    def listed(names: list[str]) -> dict:
        paths = [{"path": f"https://host:1094//store/{name}", "nevts": EVENTS[name]} for name in names]
        return {"nevts_total": sum(EVENTS[name] for name in names), "files": paths}

    inputs = {"ttbar": {"nominal": listed(["a.root", "c.root"]), "up": listed(["b.root"])}}
    (files / "nanoaod_inputs.json").write_text(json.dumps(inputs))
    samples = {
        "samples_from": {
            "file": "nanoaod_inputs.json",
            "replace": {"https://host:1094//store/": str(files) + "/"},
        }
    }
    done = run(skimline, files, config_of(samples), "--report", "-")
    assert counts_of(done) == {
        "ttbar__nominal": expected_counts(files, ["a.root", "c.root"]),
        "ttbar__up": expected_counts(files, ["b.root"]),
    }
    chosen = run(
        skimline, files, config_of(samples), "--report", "-", "--samples", "*up", "--limit-events", "100"
    )
    assert counts_of(chosen)["ttbar__up"][0] == 100
    monkeypatch.setenv("SKIMLINE_REMOTE_PATIENCE", "0")
    without = run(skimline, files, config_of({"samples_from": "nanoaod_inputs.json"}))
    assert without.returncode == 1
    assert "https://host:1094//store/" in without.stderr


def test_shards_are_together_the_whole(skimline, files):
    (files / "list.txt").write_text("a.root # the first\nb.root\n[c].root\n")
    samples = {"samples": {"s": {"files": ["@list.txt:Events"]}}}
    skims = {"all": {"file": "part.root", "keep": ["event", "Muon_pt"]}}
    whole = run(skimline, files, config_of(samples, skims=skims), "--report", "-")
    counts = np.array(counts_of(whole)["s"])
    assert list(counts) == expected_counts(files, list(EVENTS))
    expected = uproot.open(files / "part.root")["Events"].arrays()
    for number_of_shards in (2, 5):
        parts, sums = [], 0 * counts
        for number in range(1, number_of_shards + 1):
            shard = f"{number}/{number_of_shards}"
            sums += counts_of(
                run(skimline, files, config_of(samples, skims=skims), "--report", "-", "--shard", shard)
            )["s"]
            part = files / f"part.shard{number}of{number_of_shards}.root"
            parts.append(uproot.open(part)["Events"].arrays())
        assert list(sums) == list(counts)
        for field in ("event", "Muon_pt"):
            assert np.concatenate([part[field] for part in parts]).tolist() == expected[field].tolist()


def test_input_replaces_files_from_the_current_folder(skimline, files, tmp_path):
    (tmp_path / "config.json").write_text(config_of({"samples": {"s": {"files": ["none.root"]}}}))
    command = [
        skimline,
        "run",
        str(tmp_path / "config.json"),
        "--report",
        "-",
        "--input",
        "a.root",
        "--input",
        "s=c.root",
    ]
    done = subprocess.run(command, cwd=files, capture_output=True, text=True, check=False, timeout=60)
    assert counts_of(done) == {"s": expected_counts(files, ["a.root", "c.root"])}


def test_luminosity_mask(skimline, files):
    with uproot.open(files / "a.root") as file:
        runs, blocks = (file["Events"][name].array(library="np") for name in ("run", "luminosityBlock"))
    run_number = int(runs[0])
    ranges = [[int(blocks.min()), int(blocks.min()) + 1], [int(blocks.max()), int(blocks.max()) + 5]]
    (files / "golden.json").write_text(json.dumps({str(run_number): ranges, "1": [[1, 1]]}))
    inside = sum((blocks >= first) & (blocks <= last) for first, last in ranges) > 0
    good = int(np.count_nonzero(inside & (runs == run_number)))
    assert good > 0
    done = run(
        skimline,
        files,
        config_of({"samples": {"s": {"files": ["a.root"], "lumi_mask": "golden.json"}}}),
        "--report",
        "-",
    )
    assert done.returncode == 0, done.stderr
    mask = json.loads(done.stdout)["samples"][0]["luminosity_mask"]
    assert mask == {"accepted": good, "rejected": len(runs) - good}
    assert done.stderr == ""


@pytest.mark.parametrize(("arguments", "is_warned"), [((), True), (("--shard", "1/2"), False)])
def test_a_mask_of_other_runs(skimline, files, arguments, is_warned):
    (files / "golden.json").write_text(json.dumps({"1": [[1, 1000000]]}))
    config = config_of({"samples": {"s": {"files": ["a.root"], "lumi_mask": "golden.json"}}})
    done = run(skimline, files, config, *arguments)
    assert done.returncode == 0
    assert ('the luminosity mask accepts no event of the sample "s"' in done.stderr) == is_warned


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (
            {"run": "int32", "luminosityBlock": "uint32"},
            "it is std::uint32_t in first.root and std::int32_t in",
        ),
        ({"luminosityBlock": "uint32"}, "it is missing in second.root, and has no default"),
    ],
)
def test_a_mask_says_why_it_has_no_run(skimline, tmp_path, columns, told):
    files = {"first": {"run": "uint32", "luminosityBlock": "uint32"}, "second": columns}
    for name, types in files.items():
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file.mkrntuple("Events", {column: np.ones(3, dtype=kind) for column, kind in types.items()})
    (tmp_path / "golden.json").write_text(json.dumps({"1": [[1, 5]]}))
    sample = {"files": ["first.root", "second.root"], "lumi_mask": "golden.json"}
    everything = [{"name": "all", "where": "true"}]
    done = run(skimline, tmp_path, config_of({"samples": {"s": sample}}, select=everything))
    assert done.returncode == 2
    assert told in done.stderr


# ---- storage that fails


def run_with_failures(
    skimline: Path, build_folder: Path, folder: Path, failures: str
) -> subprocess.CompletedProcess:
    """Runs with system calls that fail: "call:errno:times" for files called a.root."""
    library = build_folder / "tests" / "io" / "libio_failing_storage.so"
    environment = {**os.environ, "LD_PRELOAD": str(library), "SKIMLINE_FAILURES": failures}
    return run(
        skimline,
        folder,
        config_of({"samples": {"s": {"files": ["a.root"]}}}),
        "--report",
        "-",
        env=environment,
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("frist.root", 'there is no file "work/frist.root" (did you mean "work/first.root"?)'),
        ("first.rot", 'there is no file "work/first.rot"\n'),
        ("other.root", 'there is no file "work/other.root"\n'),
        ("../frist.root", 'there is no file "frist.root"\n'),
        ("link.root", 'there is no file "work/link.root": the link leads to "gone.root"\n'),
        (
            "no/such/first.root",
            'there is no file "work/no/such/first.root": there is no folder "work/no/such"',
        ),
        ("start.root", 'paths are relative to the folder of the config; write "../start.root"'),
        ("data/in.root", 'paths are relative to the folder of the config; write "../data/in.root"'),
        (
            "data/i*.root",
            'no file matches "data/i*.root": paths are relative to the folder of the config; write',
        ),
        ("data/x*.root", 'no file matches "data/x*.root"\n'),
    ],
)
def test_files_that_are_not_there(skimline, tmp_path, path, message):
    """The config is in a folder, and the program is started above it."""
    for name in ("work/first.root", "work/unlike.txt", "start.root", "data/in.root"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"root")
    (tmp_path / "work/link.root").symlink_to("gone.root")
    (tmp_path / "work/config.json").write_text(config_of({"samples": {"s": {"files": [path]}}}))
    done = subprocess.run(
        [skimline, "validate", "work/config.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[0] + "\n"


@pytest.mark.skipif(sys.platform != "linux", reason="takes the place of functions of the C library")
@pytest.mark.parametrize("failures", ["pread:EIO:3", "pread:ESTALE:2", "open:ETIMEDOUT:2", "pread:EINTR:50"])
def test_storage_that_fails_for_a_moment_is_asked_again(skimline, build_folder, files, failures, unsanitized):
    done = run_with_failures(skimline, build_folder, files, failures)
    assert counts_of(done) == {"s": expected_counts(files, ["a.root"])}


@pytest.mark.skipif(sys.platform != "linux", reason="takes the place of functions of the C library")
def test_storage_that_stays_away_is_an_error(skimline, build_folder, files, unsanitized):
    start = time.monotonic()
    done = run_with_failures(skimline, build_folder, files, "pread:EIO:1000")
    assert done.returncode == 1
    assert "a.root: cannot be read at byte 0: Input/output error" in done.stderr
    assert 1 < time.monotonic() - start < 20
    missing = run_with_failures(skimline, build_folder, files, "open:EACCES:1000")
    assert missing.returncode == 1
    assert "a.root: cannot be opened: permission denied" in missing.stderr
