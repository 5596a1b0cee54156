# SPDX-License-Identifier: BSD-3-Clause
"""Texts that no config is: nested without end, larger than any, or with an end that does not come."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from exit_codes import WRONG_USAGE


def config_for(sample, **more):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [str(sample)]}},
        "select": [{"name": "any", "where": "MET_pt > 0"}],
    } | more


DEEP = {"lists": "[" * 1_000_000, "objects": '{"a":' * 1_000_000, "closed": "[" * 9_000 + "]" * 9_000}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_nesting_is_refused_with_its_place(job, text):
    done = job(text)
    assert done.returncode == WRONG_USAGE
    assert "a.json:1:" in done.stderr and "nested too deeply" in done.stderr


@pytest.mark.parametrize("text", ["[1]", "[[1]]", "[]", '[{"include": 1}]'])
def test_a_list_is_no_config(job, text):
    done = job(text)
    assert done.returncode == WRONG_USAGE
    assert "a.json:1:1: error: the config must be an object, got a list" in done.stderr


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_nesting_of_other_texts_is_refused(job, sample, tmp_path, text):
    (tmp_path / "deep.json").write_text(text)
    data = {"files": [str(sample)]}
    for config in (
        config_for(sample, include="deep.json"),
        config_for(sample, samples_from="deep.json"),
        config_for(sample, samples={"data": data | {"lumi_mask": "deep.json"}}),
    ):
        done = job(config)
        assert done.returncode == WRONG_USAGE
        assert "deep.json:1:" in done.stderr and "nested too deeply" in done.stderr
    assert job(config_for(sample), "--set", "select=" + text[:100_000]).returncode == WRONG_USAGE


def test_a_list_may_be_included_nowhere(job, sample, tmp_path):
    (tmp_path / "list.json").write_text("[1, 2]")
    done = job(config_for(sample, include="list.json"))
    assert done.returncode == WRONG_USAGE
    assert "list.json:1:1: error: the config must be an object, got a list" in done.stderr


def test_all_that_is_merged_is_said_once(job, sample, tmp_path):
    names = [f"{number}.json" for number in range(30)]
    for name in names:
        keys = {f"h{name[:-5]}_{i}": f"MET_pt + {i}" for i in range(30)}
        (tmp_path / name).write_text(json.dumps({"define": keys}))
    done = job(config_for(sample, include=names))
    assert done.returncode == 0
    assert done.stderr.count("is not used") == 0  # of included files nothing need be used


BOMBS = {
    "texts": lambda name: f"${{{name}}}" * 10,
    "lists": lambda name: [f"${{{name}}}"] * 10,
}


@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS)
def test_variables_that_expand_without_end_are_refused(job, sample, make):
    variables = {"v0": "x" * 100}
    for number in range(1, 12):
        variables[f"v{number}"] = make(f"v{number - 1}")
    done = job(config_for(sample, variables=variables, define={"a": "${v11}"}))
    assert done.returncode == WRONG_USAGE
    assert done.stderr.count("error: ") == 1
    assert "a.json:" in done.stderr and "the variables put in have more than 64 MiB" in done.stderr


def test_variables_that_expand_a_lot_are_not(job, sample):
    variables = {"zero": " + 0" * 100, "many": "${zero}" * 2}
    assert job(config_for(sample, variables=variables, define={"a": "MET_pt${many}"})).returncode == 0


def test_a_text_without_end_is_refused(call, tmp_path):
    done = call("run", "/dev/zero", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert "/dev/zero: is " in done.stderr


@pytest.mark.parametrize("options", [[], ["--report", "told.json"]], ids=["", "report"])
@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
def test_a_config_from_a_pipe(skimline, sample, tmp_path, path, options):
    """Whoever may write nothing into the folders of the system can run it, too."""
    before = set(os.listdir("/dev"))
    (tmp_path / "more.json").write_text('{"define": {"twice": "2 * MET_pt"}}')
    config = config_for(os.path.relpath(sample, tmp_path), include="more.json")
    config["skims"] = {"s": {"file": "skims/s.root", "keep": ["twice"]}}
    done = subprocess.run(
        [skimline, "run", path, *options],
        cwd=tmp_path,
        input=json.dumps(config),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")}
    assert found == {"more.json", "skims/s.root", *options[1:]}
    assert set(os.listdir("/dev")) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", ["run", "plan", "validate"])
def test_a_pipe_that_says_nothing_can_be_left(skimline, tmp_path, command, number):
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen([skimline, command, "pipe"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_until_open(process, tmp_path / "pipe")
    process.send_signal(number)
    assert process.wait(10) == 130
    assert os.listdir(tmp_path) == ["pipe"]
    if command == "run":
        assert process.stderr.read() == "skimline: error: interrupted, no output was written\n"
    process.stderr.close()


def wait_until_open(process, path):
    folder = Path(f"/proc/{process.pid}/fd")
    deadline = time.monotonic() + 30
    while not any(os.path.realpath(each) == str(path) for each in folder.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_very_many_mistakes_are_counted(job):
    done = job(json.dumps({f"k{number}": number for number in range(50_000)}))
    assert done.returncode == WRONG_USAGE
    assert done.stderr.count("error:") == 201
    assert done.stderr.splitlines()[-1].endswith(" more mistakes")


def test_the_first_hundred_mistakes_are_told_what_is_meant(job, sample):
    """Columns and functions together."""
    functions = {f"central{i}(x)": "x" for i in range(200)}
    define = {f"a{i}": f"centrall{i}(MET_pt)" if i % 2 else f"MET_pt{i % 10} + 0" for i in range(160)}
    done = job(config_for(sample, functions=functions, define=define))
    assert done.returncode == WRONG_USAGE
    assert done.stderr.count("error:") == 160
    assert done.stderr.count("did you mean") == 100


def numbered(name, number, value):
    return {f"{name}{i}": value(i) if callable(value) else value for i in range(number)}


MANY = {
    "overrides": lambda n: {"override": numbered("define.a", n, "MET_pt")},
    "objects": lambda n: {"objects": numbered("o", n, {"from": "Muon", "where": "pt > 1"})},
    "functions": lambda n: {
        "functions": {f"f{i}(x)": f"x + {i}" for i in range(n)},
        "define": numbered("a", n, lambda i: f"f{i}(MET_pt)"),
    },
    "variations": lambda n: {
        "variations": numbered("v", n, lambda i: {"columns": {"MET_pt": f"MET_pt * {i + 2}"}})
    },
    "wrong definitions": lambda n: {"define": numbered("a", n, lambda i: f"missing{i}")},
    "calls of unknown functions": lambda n: {
        "functions": {f"f{i}(x)": "x" for i in range(n)},
        "define": numbered("a", n, lambda i: f"g{i}(1)"),
    },
    "unknown variables": lambda n: {"variables": numbered("v", n, lambda i: f"${{other{i}}}")},
    "unknown aliases": lambda n: {"aliases": numbered("a", n, lambda i: f"b{i}")},
    "unknown selections": lambda n: {
        "select": [{"name": f"cut{i}", "where": "MET_pt > 1"} for i in range(n)],
        "regions": numbered("r", n, lambda i: {"where": "MET_pt > 1", "after": f"point{i}"}),
    },
}


@pytest.mark.thorough(quick=2)
@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_four_times_as_much_takes_four_times_as_long(job, sample, make):
    def seconds(number):
        before = os.times().children_user
        job(config_for(sample, **make(number)), "--limit-events", "1")
        return os.times().children_user - before

    assert any(seconds(16_000) < 7 * max(seconds(4_000), 0.05) for _ in range(3))


def test_what_there_is_is_listed_in_part(job, sample):
    """Each of the mistakes has a list, of all there are."""
    regions = numbered("region", 5_000, {"where": "MET_pt > 1"})
    skims = numbered("s", 150, lambda i: {"file": f"{i}.root", "region": f"zzz{i}"})
    done = job(config_for(sample, regions=regions, skims=skims))
    assert done.returncode == WRONG_USAGE
    assert 'unknown region "zzz0"; there are "region0", "region1"' in done.stderr
    assert done.stderr.count("and 4900 more") == 100
    assert done.stderr.count("unknown region") == 150


def test_objects_whose_name_begins_as_that_of_others(job, sample):
    """`good_tight_pt` is of `good_tight`, and not of `good`."""
    objects = {
        "good": {"from": "Muon", "where": "pt > 10"},
        "good_tight": {"from": "Muon", "where": "pt > 30"},
    }
    done = job(config_for(sample, objects=objects, regions={"r": {"where": "Sum(good_tight_pt) > 1"}}))
    assert done.returncode == 0
    assert 'the objects "good" are not used' in done.stderr
    assert 'the objects "good_tight" are not used' not in done.stderr


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["b.json", "b.yaml"])
def test_other_encodings_are_named(call, sample, tmp_path, name, encoding):
    text = json.dumps(config_for(sample, define={"größe": "1"}))
    (tmp_path / name).write_bytes(text.encode(encoding))
    (tmp_path / "including.json").write_text(json.dumps(config_for(sample, include=name)))
    for config in (name, "including.json"):
        done = call("validate", config, cwd=tmp_path)
        assert done.returncode == WRONG_USAGE
        assert f"{name}: is UTF-16; save it as UTF-8, which is expected" in done.stderr


@pytest.mark.parametrize("name", ["b.json", "b.yaml"])
def test_a_byte_order_mark_of_utf_8_is_taken(call, sample, tmp_path, name):
    (tmp_path / name).write_bytes(json.dumps(config_for(sample)).encode("utf-8-sig"))
    assert call("validate", name, cwd=tmp_path).returncode == 0
