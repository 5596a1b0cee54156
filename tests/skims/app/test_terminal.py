# SPDX-License-Identifier: BSD-3-Clause
"""What files and configs of others say cannot control the terminal, nor forge lines of ours."""

import json
import unicodedata

import numpy
import pytest
import uproot

# Clears the screen, names the window, hides, changes colours by a C1 control, turns the direction, forges a line.
EVIL = "x\x1b[2J\x1b]0;owned\x07\x1b[8m\u009b31m\u202e\r\nforged: sound\n"


def check(done):
    """Nothing but printable letters and ends of lines, and no line of somebody else's."""
    for text in (done.stdout, done.stderr):
        odd = {letter for letter in text if letter not in "\n\t" and unicodedata.category(letter)[0] == "C"}
        assert not odd, (done.args, odd)
        assert not any(line.lstrip().startswith("forged") for line in text.splitlines()), text


@pytest.fixture(scope="module")
def evil_file(tmp_path_factory):
    """Histograms, a tree and an RNTuple whose names and titles attack."""
    path = tmp_path_factory.mktemp("evil") / "evil.root"
    counts, edges = numpy.histogram([0.5, 1.5], bins=2, range=(0, 2))
    with uproot.recreate(path) as file:
        file["pt" + EVIL.replace("/", "")] = counts, edges
        tree = file.mktree("t" + EVIL, {"a" + EVIL: "f8", "good": "f8"}, title=EVIL)
        tree.extend({"a" + EVIL: numpy.arange(3.0), "good": numpy.arange(3.0)})
        file.mkrntuple("n" + EVIL, {"b" + EVIL: numpy.arange(3.0), "good": numpy.arange(3.0)})
    return path


@pytest.mark.parametrize("command", ["inspect", "verify", "show", "init"])
def test_commands_on_files(call, evil_file, command):
    done = call(command, evil_file)
    assert done.stdout or done.stderr
    check(done)


def test_merge_and_convert(call, evil_file, tmp_path):
    check(call("merge", tmp_path / "m.root", evil_file, evil_file))
    check(call("convert", evil_file, "-o", tmp_path / "c.root"))


@pytest.mark.parametrize("kind", ["t", "n"])
def test_run_and_plan(call, evil_file, tmp_path, kind):
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": [f"{evil_file}:{kind}{EVIL}"]}},
        "histograms": {"h": {"x": {"value": "good", "bins": 2, "range": [0, 3]}}},
        "skims": {"s": {"file": "s.root", "keep": ["*"]}},
        "output": {"histograms": "h.root"},
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    for command in ("run", "plan", "validate"):
        done = call(command, "a.json", cwd=tmp_path)
        check(done)


@pytest.mark.parametrize(
    "text",
    [
        '{"schema_version": 1, "a\x1b[2J\u009b": 1}',
        '{"schema_version": 1, "x\\u001b[2J\\nforged": 1}',
        '{"schema_version": 1, // \x1b]0;owned\x07\n "samples" [}',
        '{"schema_version": 1, "samples": {"a\\nforged\\u001b": {"files": ["no\\u001b\\nforged.root"]}}}',
        '{"schema_version": 1, "samples": {"a": {"files": ["x.root"], "\u202eforged": 2}}}',
    ],
)
def test_configs(call, tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    for command in ("run", "validate"):
        done = call(command, "a.json", cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr
        check(done)


def test_arguments(call, tmp_path):
    for arguments in (["no\x1b\nforged"], ["run", "no\x1b\nforged.json"], ["inspect", "--no\x1b=\u009b"]):
        done = call(*arguments, cwd=tmp_path)
        assert done.returncode != 0
        check(done)
