# SPDX-License-Identifier: BSD-3-Clause
"""What the program says on standard error: logs, warnings, and how far it is."""

import itertools
import json
import os
import pty
import re
import select
import subprocess

import pytest
from exit_codes import DONE, FAILED, WRONG_USAGE
from histogram_events import histogram_config


def config_for(path, **more):
    """A config with a warning: an integer division."""
    histograms = {"h": {"x": {"value": "nMuon / 2", "bins": 4, "range": [0, 4]}}}
    return histogram_config([f"{path}:Events"], histograms) | more


def test_a_run_says_nothing_but_warnings(job, sample):
    done = job(config_for(sample))
    assert done.returncode == DONE
    assert re.fullmatch(r"a\.json:\d+:\d+: warning: .*\n.*\n +\^~*\n", done.stderr)
    assert "warning" not in done.stdout


def test_quiet_leaves_errors(job, sample):
    assert job(config_for(sample), "--quiet").stderr == ""
    done = job(config_for(sample, select=[{"name": "x", "where": "Muon_pt[0] > 1"}]), "-q")
    assert done.returncode == FAILED
    assert done.stderr.startswith("a.json:28:14: error: ")
    done = job(config_for(sample, selectoin=[]), "-q")
    assert done.returncode == WRONG_USAGE
    assert 'unknown key "selectoin"' in done.stderr


def test_verbose_says_what_is_read_and_written(job, sample):
    error = job(config_for(sample), "--verbose").stderr
    assert re.search(r"^skimline: debug: read a\.json: 1 sample\(s\), .* in [\d.]+ s$", error, re.MULTILINE)
    for text in (
        'sample "data": 1 input(s)',
        "evaluate: ",
        "histograms.root: 1 histogram",
        "a.report.json: report",
    ):
        assert text in error


def test_verbose_and_quiet_exclude_each_other(job, sample):
    assert job(config_for(sample), "-v", "-q").returncode == WRONG_USAGE


@pytest.mark.parametrize(
    ("change", "code", "level", "text"),
    [
        ({}, DONE, "warning", 'both sides of "/" are integers'),
        ({"select": [{"name": "x", "where": "Muon_pt[0] > 1"}]}, FAILED, "error", "out of range"),
        ({"selectoin": []}, WRONG_USAGE, "error", 'unknown key "selectoin" (did you mean "select"?)'),
    ],
)
def test_json_logs_are_one_object_per_line(job, sample, change, code, level, text):
    done = job(config_for(sample, **change), "--log-format", "json", "-v")
    assert done.returncode == code
    messages = [json.loads(line) for line in done.stderr.splitlines()]
    assert all(set(message) == {"time", "level", "message"} for message in messages)
    assert all(
        re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", message["time"]) for message in messages
    )
    assert any(message["level"] == level and text in message["message"] for message in messages)


def test_every_command_has_the_options_of_logs(call, sample):
    assert call("inspect", "-q", sample).returncode == DONE
    shown = call("inspect", "--log-format", "json", f"{sample}:Event")
    assert json.loads(shown.stderr)["level"] == "error"


# Progress


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"progress"')]


def test_json_progress_has_an_end(job, sample):
    shown = objects(job(config_for(sample), "--progress", "json").stderr)
    assert shown[-1]["done"] is True
    assert shown[-1]["events"] == shown[-1]["all_events"] == 100000
    assert shown[-1]["memory"] > 1e6
    assert [each["done"] for each in shown[:-1]] == [False] * (len(shown) - 1)


def test_json_progress_is_not_a_flood(call, tmp_path):
    made = call("generate", "dimuon", "--events", "3e5", "-o", tmp_path / "x.root", "--progress=json")
    assert made.returncode == DONE
    shown = objects(made.stderr)
    seconds = [each["seconds"] for each in shown[:-1]]
    assert all(later - earlier >= 0.49 for earlier, later in itertools.pairwise(seconds))
    assert shown[-1]["events"] == 300000


def test_json_progress_of_merges(call, job, sample, tmp_path):
    assert job(config_for(sample)).returncode == DONE
    done = call("merge", "--progress", "json", tmp_path / "m.root", tmp_path / "histograms.root")
    last = objects(done.stderr)[-1]
    assert last["objects"] == last["all_objects"] >= 1


def test_a_failed_run_has_no_end(job, sample):
    done = job(config_for(sample, select=[{"name": "x", "where": "Muon_pt[0] > 1"}]), "--progress", "json")
    assert done.returncode == FAILED
    assert not any(each["done"] for each in objects(done.stderr))


def on_terminal(command, folder):
    """What the program shows on a terminal as its standard error, and its exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 30)[0]:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        shown += part
    os.close(ours)
    return shown.decode(), process.wait(timeout=30)


def test_a_terminal_has_one_line_that_goes(skimline, tmp_path):
    slow = ["-j", "1"]
    command = [skimline, "generate", "dimuon", "--events", "2e6", *slow, "-o", "x.root"]
    shown, code = on_terminal(command, tmp_path)
    assert code == DONE
    assert re.search(
        r"\r\[=*> *\] [ \d]+ %  [\d.]+( [kM])? events/s  \d+:\d\d left  [\d.]+ [MG]B memory\x1b\[K", shown
    )
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[K")


def test_progress_breaks_no_log_of_objects(skimline, tmp_path):
    command = [skimline, "generate", "dimuon", "--events", "2e6", "-j", "1", "-o", "x.root"]
    shown, code = on_terminal([*command, "--log-format", "json"], tmp_path)
    assert code == DONE
    assert all(json.loads(line)["level"] == "info" for line in shown.splitlines()), shown


@pytest.mark.parametrize("option", ["--quiet", "--progress=none"])
def test_a_terminal_can_stay_empty(skimline, tmp_path, option):
    command = [skimline, "generate", "dimuon", "--events", "1e5", "-o", "x.root", option]
    assert on_terminal(command, tmp_path) == ("", DONE)


def test_warnings_do_not_mix_with_progress(skimline, sample, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_for(sample)))
    shown, code = on_terminal([skimline, "run", "a.json"], tmp_path)
    assert code == DONE
    before = shown[: shown.index("a.json:")].removesuffix("\x1b[1m")
    assert before == "" or before.endswith(("\r\x1b[K", "\n"))
