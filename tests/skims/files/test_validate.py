# SPDX-License-Identifier: BSD-3-Clause
"""skimline validate and run --dry-run: all checks of a run, and nothing else."""

import json
import os
import re
import subprocess

import numpy
import pytest
import uproot

CONFIG = {
    "schema_version": 1,
    "samples": {"data": {"files": ["a.root", "b.root:Events"]}},
    "define": {"double": "x * 2"},
    "select": [{"name": "high", "where": "double > 4"}],
    "histograms": {"x": {"x": {"value": "x", "bins": 10, "range": [0, 10]}}},
    "skims": {"s": {"file": "s.root"}},
    "output": {"histograms": "h.root"},
}
VALID = "a.json: valid: 1 sample, 2 files, 1 234 events\n"


def write_file(path, column, entries):
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", {column: numpy.arange(entries, dtype=numpy.float32)})


@pytest.fixture
def folder(tmp_path):
    """A folder with the inputs."""
    write_file(tmp_path / "a.root", "x", 1000)
    write_file(tmp_path / "b.root", "x", 234)
    return tmp_path


@pytest.fixture
def call(skimline, folder):
    """Runs a command on a config in the folder."""

    def run(command, config=CONFIG, *arguments):
        (folder / "a.json").write_text(json.dumps(config, indent=1))
        return subprocess.run(
            [skimline, *command.split(), "a.json", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


def test_a_right_config_is_valid(call, folder):
    done = call("validate")
    assert (done.returncode, done.stdout, done.stderr) == (0, VALID, "")
    assert sorted(os.listdir(folder)) == ["a.json", "a.root", "b.root"]


@pytest.mark.parametrize("command", ["validate", "run --dry-run"])
def test_everything_is_checked_against_all_files(call, folder, command):
    write_file(folder / "b.root", "y", 234)
    done = call(command)
    assert done.returncode != 0
    assert done.stdout == ""
    assert '"x"' in done.stderr and "b.root" in done.stderr


def test_all_mistakes_are_listed(call):
    config = CONFIG | {
        "define": {"double": "y * 2", "text": "x + 'ab'"},
        "skims": {"s": {"file": "s.root", "keep": ["z*"]}},
    }
    done = call("validate", config)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count(": error: ") == 3
    assert 'unknown column "y"' in done.stderr
    assert 'no column matches "z*"' in done.stderr


def test_warnings_are_printed_and_are_no_mistakes(call):
    config = CONFIG | {"variables": {"unused": 1}, "functions": {"never(x)": "x"}}
    config["define"] = CONFIG["define"] | {"lost": "x + 1", "used_by_lost": "lost + 1"}
    done = call("validate", config)
    assert done.returncode == 0
    assert done.stdout.startswith(VALID)
    warnings = re.findall(r"^a\.json:\d+:\d+: warning: (.*)$", done.stdout, re.MULTILINE)
    assert warnings == [
        'the variable "unused" is not used',
        'the function "never" is not used',
        'the definition "lost" is not used',
        'the definition "used_by_lost" is not used',
    ]


def test_settings_apply(call):
    assert call("validate", CONFIG, "--set", "select.0.where=double > y").returncode == 2
    done = call("validate", CONFIG, "--set", 'samples.data.files=["b.root"]')
    assert done.stdout == "a.json: valid: 1 sample, 1 file, 234 events\n"


def test_a_dry_run_shows_the_plan_and_writes_nothing(call, folder):
    done = call("run --dry-run")
    assert done.returncode == 0
    assert done.stdout == VALID + "\n" + call("plan").stdout
    assert sorted(os.listdir(folder)) == ["a.json", "a.root", "b.root"]


def test_no_event_is_read(call, folder):
    """Only a run finds that pages are damaged, as only a run reads them."""
    ntuple = uproot.open(folder / "a.root")["Events"]
    locator = ntuple.page_link_list[0][0].pages[0].locator
    contents = bytearray((folder / "a.root").read_bytes())
    contents[locator.offset] ^= 1
    (folder / "a.root").write_bytes(contents)
    assert call("validate").returncode == 0
    assert call("run").returncode == 1


@pytest.mark.parametrize("name", ["none.json", "a.root", "."])
def test_what_is_no_config_is_refused(skimline, folder, name):
    done = subprocess.run([skimline, "validate", folder / name], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert str(folder / name) in done.stderr
