# SPDX-License-Identifier: BSD-3-Clause
"""Standard streams that are full, closed, or read by nobody."""

import json
import os
import subprocess

import pytest

FULL = "standard output cannot be written: No space left on device"

CONFIG = {
    "schema_version": 1,
    "samples": {"a": {"files": ["in.root"]}},
    "histograms": {"m": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 100]}}},
    "skims": {"s": {"file": "s.root"}},
    "output": {"histograms": "h.root"},
}

COMMANDS = (
    "--help",
    "--version",
    "--version --verbose",
    "run --help",
    "inspect in.root",
    "inspect --json in.root",
    "verify in.root",
    "validate a.json",
    "plan a.json",
    "show r.root",
    "show --json r.root",
    "plot --text r.root",
    "diff r.root r.root",
    "schema",
    "man",
    "completion bash",
    "doctor",
    "run -f a.json",
    "run -f a.json --report -",
    "merge -f m.root in.root",
    "convert -f in.root -o c.root",
    "generate dimuon --events 10 -f -o g.root",
    "init in.root -f -o i.json",
)


@pytest.fixture
def shell(skimline, sample, tmp_path):
    (tmp_path / "in.root").symlink_to(sample)
    (tmp_path / "a.json").write_text(json.dumps(CONFIG))

    def run(command):
        line = command.replace("skimline", f"'{skimline}'")
        return subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )

    done = run("skimline run a.json && mv h.root r.root && mv s.root t.root")
    assert done.returncode == 0, done.stderr
    return run


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize("command", COMMANDS)
def test_full_output_is_an_error_with_its_reason(shell, command):
    ordinary = shell(f"skimline {command}")
    assert ordinary.returncode == 0, ordinary.stderr
    for target, reason in ((">/dev/full", FULL), (">&-", "standard output cannot be written: Bad file desc")):
        done = shell(f"skimline {command} {target}")
        assert (done.returncode, reason in done.stderr) == (1, True), done.stderr
        has_outputs = "-f" in command and "init" not in command
        assert ("output files are complete" in done.stderr) == has_outputs


def test_full_output_is_an_error_in_json_too(shell):
    done = shell("skimline inspect --log-format json in.root > /dev/full")
    assert json.loads(done.stderr)["message"] == FULL


def test_what_ends_reading_ends_the_program(shell):
    assert shell("set -o pipefail; skimline schema | true").returncode in (0, 141)
    done = shell("set -o pipefail; trap '' PIPE; skimline schema | true")
    assert done.returncode == 0 or (done.returncode == 1 and "Broken pipe" in done.stderr)


def test_output_that_does_not_wait_is_waited_for(shell, skimline, tmp_path):
    expected = shell("skimline schema").stdout
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    text = b"x" * 4096
    filled = 0
    with pytest.raises(BlockingIOError):
        while True:
            filled += os.write(writing, text)
    process = subprocess.Popen([skimline, "schema"], stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        read = pipe.read()
    assert process.communicate()[1] == b"" and process.returncode == 0
    assert read[filled:].decode() == expected


@pytest.mark.parametrize("closed", ["<&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_outputs_get_nothing_that_is_for_closed_streams(shell, tmp_path, closed):
    """A file would be opened with the number of a stream that is closed."""
    names = ("h.root", "s.root", "g.root")
    ordinary = shell("skimline run -fv a.json && skimline generate dimuon -v --events 3000 -f -o g.root")
    assert ordinary.returncode == 0, ordinary.stderr
    expected = [(tmp_path / name).read_bytes() for name in names]
    for name in names:
        (tmp_path / name).unlink()
    shell(
        f"skimline run -fv a.json {closed}; skimline generate dimuon -v --events 3000 -f -o g.root {closed}"
    )
    assert [(tmp_path / name).read_bytes() for name in names] == expected
