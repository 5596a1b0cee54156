# SPDX-License-Identifier: BSD-3-Clause
"""Each exit code of the table in docs/command-line.md, and what is left behind with it."""

import json
import signal

import pytest
from exit_codes import DONE, FAILED, INCOMPLETE, INTERRUPTED, WRONG_USAGE
from interrupted_runs import config_for, parts, running, visible, wait_until

OUTPUTS = ["a.report.json", "histograms.root"]


@pytest.fixture
def damaged(sample, tmp_path):
    """A copy of the sample with bytes changed in each page."""
    contents = bytearray(sample.read_bytes())
    for offset in range(20000, len(contents) - 20000, 997):
        contents[offset] ^= 1
    (tmp_path / "damaged.root").write_bytes(contents)
    return "damaged.root"


def outputs(folder):
    return [name for name in visible(folder) if name not in ("damaged.root", "sound.root")]


def test_0_done(job, sample, tmp_path):
    assert job(config_for(sample)).returncode == DONE
    assert outputs(tmp_path) == OUTPUTS


def test_1_failed(job, damaged, tmp_path):
    assert job(config_for(damaged)).returncode == FAILED
    assert outputs(tmp_path) == []


def test_2_wrong_config(job, sample, tmp_path):
    assert job(config_for(sample, selectoin=[])).returncode == WRONG_USAGE
    assert outputs(tmp_path) == []


def test_2_wrong_usage(call):
    assert call("run").returncode == WRONG_USAGE
    assert call("run", "--no-such-option", "a.json").returncode == WRONG_USAGE


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "a.json", "--store", ""),
        ("run", "a.json", "--trace", ""),
        ("run", "a.json", "--report", ""),
        ("run", "a.json", "--cache", ""),
        ("verify", "--checksum-folder", "", "in.root"),
        ("merge", "", "in.root"),
        ("init", "in.root", "-o", ""),
        ("rerun", "h.root", "-o", ""),
        ("diff", "", "h.root"),
    ],
    ids=" ".join,
)
def test_2_values_of_variables_that_are_not_set(call, sample, tmp_path, arguments):
    (tmp_path / "in.root").symlink_to(sample)
    (tmp_path / "a.json").write_text(json.dumps(config_for("in.root")))
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert "the value is empty" in done.stderr and "fault of skimline" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "in.root"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "a.json", "--store", "s", "--fill-store", "1/1", "--report", "r.json"), "--fill-store"),
        (("run", "a.json", "--store", "s", "--fill-store", "1/1", "--trace", "t.json"), "--fill-store"),
        (("run", "a.json", "--trace", "-"), "--trace"),
    ],
)
def test_2_options_that_nothing_comes_of(call, sample, tmp_path, arguments, text):
    (tmp_path / "in.root").symlink_to(sample)
    (tmp_path / "a.json").write_text(json.dumps(config_for("in.root")))
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == WRONG_USAGE, done.stdout
    assert text in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "in.root"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "--checksum-folder", "none", "in.root"),
        ("convert", "--checksum-folder", "none", "in.root", "-o", "out.root"),
        ("run", "a.json", "--set", "checksum_folder=none"),
    ],
)
def test_1_folder_of_checksums_that_is_not_there(call, sample, tmp_path, arguments):
    (tmp_path / "in.root").symlink_to(sample)
    (tmp_path / "a.json").write_text(json.dumps(config_for("in.root")))
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == FAILED, done.stdout
    assert "none: is no folder, and files of checksums" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "in.root"]


def test_2_numbers_that_wrap_round(call, tmp_path):
    for number in ("-1", "18446744073709551616"):
        done = call("generate", "dimuon", "--events", 10, "--seed", number, "-o", tmp_path / "x.root")
        assert done.returncode == WRONG_USAGE and number in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_2_configs_behind_urls(call):
    done = call("run", "http://127.0.0.1:1/a.json")
    assert done.returncode == WRONG_USAGE and "from files of this machine only" in done.stderr


def test_3_an_input_is_left_out(job, sample, damaged, tmp_path):
    config = config_for(sample, damaged, on_bad_file="skip", max_bad_fraction=0.5)
    done = job(config)
    assert done.returncode == INCOMPLETE, done.stderr
    assert outputs(tmp_path) == OUTPUTS
    report = json.loads((tmp_path / "a.report.json").read_text())
    assert report["complete"] is False
    assert report["events"] == 100000
    (skipped,) = report["samples"][0]["skipped"]
    assert "damaged.root" in skipped["file"]


def test_what_was_left_out_is_told_the_same_from_any_folder(call, sample, damaged, tmp_path):
    config = config_for(sample, damaged, on_bad_file="skip", max_bad_fraction=0.5)
    (tmp_path / "a.json").write_text(json.dumps(config))
    contents = set()
    for folder in (tmp_path, tmp_path.parent, tmp_path.parents[1]):
        done = call("run", (tmp_path / "a.json").relative_to(folder), cwd=folder)
        assert done.returncode == INCOMPLETE, done.stderr
        contents.add((tmp_path / "histograms.root").read_bytes())
        report = json.loads((tmp_path / "a.report.json").read_text())
        assert report["samples"][0]["skipped"][0]["problem"].startswith(f"{damaged}: ")
    assert len(contents) == 1


def test_3_merged_but_for_an_input(call, job, sample, tmp_path):
    assert job(config_for(sample)).returncode == DONE
    (tmp_path / "bad.root").write_text("no ROOT file")
    done = call("merge", "--skip-bad", "all.root", "histograms.root", "bad.root", cwd=tmp_path)
    assert done.returncode == INCOMPLETE
    assert (tmp_path / "all.root").is_file()


def test_130_interrupted(skimline, sample, tmp_path):
    skim = {"file": "s.root", "compression": "lzma:6", "page_size": "64 KiB"}
    (tmp_path / "a.json").write_text(json.dumps(config_for(sample, skims={"s": skim})))
    with running(skimline, tmp_path) as process:
        wait_until(lambda: parts(tmp_path), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == INTERRUPTED
    assert outputs(tmp_path) == []
