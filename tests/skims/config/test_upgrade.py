# SPDX-License-Identifier: BSD-3-Clause
"""skimline upgrade: what an older config must say, and nothing else of it changed."""

import json
import stat

import pytest

REST = """
  // all of it: "schema_version" too
  "samples": {"data": {"files": ["nowhere.root:Events"]}},
  "histograms": {"h": {"x": {"value": "pt", "bins": 2, "range": [0, 1]}}}, /* the end */
  "output": {"histograms": "out.root"},
}
"""
OLD = "{" + REST
NEW = '{\n  "schema_version": 1,' + REST


@pytest.fixture
def upgrade(call, tmp_path):
    """Upgrades the config with a text; returns what the program said, and the text then."""

    def run(text, *options):
        config = tmp_path / "a.json"
        config.write_bytes(text.encode())
        done = call("upgrade", "a.json", *options, cwd=tmp_path)
        return done, config.read_bytes().decode()

    return run


def test_shows_the_change_and_leaves_the_file(upgrade):
    done, text = upgrade(OLD)
    assert (done.returncode, done.stderr, text) == (0, "", OLD)
    assert done.stdout == (
        'a.json:1:2: the version of the schema is named\n  + "schema_version": 1,\n--write changes the file\n'
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_writes_the_change_and_nothing_else(upgrade, newline):
    done, text = upgrade(OLD.replace("\n", newline), "--write")
    assert done.returncode == 0, done.stderr
    assert text == NEW.replace("\n", newline)
    assert done.stdout.endswith("wrote a.json\n")


def test_a_config_in_one_line_stays_in_one(upgrade):
    made = {"samples": {"data": {"files": ["a.root:Events"]}}, "select": [{"name": "a", "where": "x > 1"}]}
    done, text = upgrade(json.dumps(made), "--write")
    assert done.returncode == 0, done.stderr
    assert text == json.dumps({"schema_version": 1, **made})


def test_a_config_of_this_version_is_left_alone(upgrade):
    done, text = upgrade(NEW, "--write")
    assert (done.returncode, text) == (0, NEW)
    assert done.stdout == 'a.json: is of "schema_version" 1, the newest: nothing to change\n'


def test_an_upgraded_config_runs(call, sample, tmp_path):
    text = OLD.replace("nowhere.root", str(sample)).replace('"pt"', '"nMuon"')
    (tmp_path / "a.json").write_text(text)
    assert call("run", "a.json", cwd=tmp_path).returncode == 2
    assert call("upgrade", "a.json", "--write", cwd=tmp_path).returncode == 0
    assert call("run", "a.json", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            '{"schema_version": 2,' + REST,
            ['a.json:1:20: error: "schema_version" must be 1, the only one this program knows; version 2 is of a newer one'],
        ),
        ('{"schema_version": "1",' + REST, ['"schema_version" must be 1, the only one this program knows\n']),
        ('{"schema_version": 0,' + REST, ['"schema_version" must be 1, the only one this program knows\n']),
        (OLD.replace('"histograms": {"h"', '"histogrms": {"h"'), ['a.json:4:3: error: unknown key "histogrms" (did you mean "histograms"?)']),
        (OLD.replace('"bins"', '"binz"').replace('"files"', '"fils"'), ['unknown key "binz"', 'unknown key "fils"']),
        ("{", ["a.json:1:2: error:"]),
        ("[]", ["the config must be an object, got a list"]),
        ("", ["a.json:1:1: error:"]),
    ],
)  # fmt: skip
def test_what_is_not_known_is_named_and_nothing_written(upgrade, text, messages):
    done, left = upgrade(text, "--write")
    assert (done.returncode, done.stdout, left) == (2, "", text)
    for message in messages:
        assert message in done.stderr


def test_a_file_that_cannot_be_read_or_written_is_named(call, tmp_path):
    done = call("upgrade", "none.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "none.json: cannot be opened" in done.stderr
    folder = tmp_path / "folder"
    folder.mkdir()
    done = call("upgrade", "folder", cwd=tmp_path)
    assert (done.returncode, "folder: is a folder" in done.stderr) == (2, True)


def test_permissions_of_the_file_stay(upgrade, tmp_path):
    (tmp_path / "a.json").touch(0o600)
    upgrade(OLD, "--write")
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o600
