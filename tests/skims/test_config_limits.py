# SPDX-License-Identifier: BSD-3-Clause
"""Texts that no config is: nested without end, larger than any, or with an end that does not come."""

import json

import pytest

WRONG_USAGE = 2


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
