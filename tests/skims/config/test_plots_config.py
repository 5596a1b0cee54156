# SPDX-License-Identifier: BSD-3-Clause
""" "plots" in configs: checked with their places, by the JSON Schema too, and kept in the record."""

import copy
import json

import pytest
from exit_codes import DONE, WRONG_USAGE

jsonschema = pytest.importorskip("jsonschema")

PLOTS = {
    "style": "CMS",
    "text": "Open Data",
    "histograms": ["m*"],
    "regions": ["low"],
    "groups": {
        "top": {"samples": ["tt*", "st"], "label": "Top", "colour": "#e42536"},
        "signal": {"samples": ["zp"], "kind": "signal", "scale": 10, "colour": "black"},
        "data": {"samples": ["data"], "kind": "data"},
    },
    "ratio": False,
    "log_x": ["met"],
    "log_y": True,
}


@pytest.fixture
def config(sample):
    """A config with PLOTS."""
    return {
        "schema_version": 1,
        "samples": {name: {"files": [str(sample)]} for name in ("tt", "ttz", "st", "zp", "data", "both")},
        "sums": {"sum": {"tt": 1, "ttz": 0.5}},
        "regions": {"low": {"where": "MET_pt < 20"}},
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 50]}},
            "pt": {"x": {"value": "Muon_pt", "bins": 5, "range": [0, 50]}, "regions": ["low"]},
        },
        "plots": copy.deepcopy(PLOTS),
        "output": {"histograms": "h.root"},
    }


@pytest.fixture(scope="module")
def schema(repository):
    """The JSON Schema of configs."""
    return json.loads((repository / "configs/schema/skimline-1.schema.json").read_text())


def test_plots_reach_the_record(job, call, config, schema, tmp_path):
    jsonschema.validate(config, schema)
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert "plots" not in done.stderr
    shown = json.loads(call("show", "--json", tmp_path / "h.root").stdout)
    assert json.loads(json.dumps(shown["files"][0]["record"]["configs"][0]["plots"])) == PLOTS


# What is put where, what is said of it, and whether the schema knows it too.
MISTAKES = [
    (["style"], "cms", '"style" cannot be "cms" (did you mean "CMS"?)', True),
    (["styl"], "CMS", 'unknown key "styl"', True),
    (["histograms"], ["mass"], 'no histogram matches "mass"', False),
    (["regions"], ["lo"], 'no region matches "lo" (did you mean "low"?)', False),
    (["groups"], {}, "must not be empty", True),
    (["groups", "top", "samples"], ["tb"], 'no sample matches "tb"', False),
    (["groups", "top", "samples"], "tt", "must be a list", True),
    (["groups", "top", "colour"], "#e4253", "a colour is written", True),
    (["groups", "top", "colour"], "Orange", "a colour is written", True),
    (["groups", "top", "kind"], "mc", 'it may be "background", "signal", "data"', True),
    (["groups", "top", "scale"], 2, 'only groups of the "kind" "signal"', False),
    (["groups", "signal", "scale"], -1, "must be greater than 0", True),
    (["groups", "signal", "samples"], ["zp", "st"], 'the sample "st" is in the group "top" already', False),
    (["groups", "new"], {"label": "x"}, '"samples"', True),
    (["ratio"], "no", '"ratio" must be', True),
    (["log_y"], 1, "must be true, false or a list", True),
    (["log_y"], ["mett"], 'no histogram matches "mett" (did you mean "met"?)', False),
]


@pytest.mark.parametrize(("path", "value", "message", "in_schema"), MISTAKES)
def test_mistakes_have_places(job, config, schema, tmp_path, path, value, message, in_schema):
    place = config["plots"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr, done.stderr
    assert ".json:" in done.stderr.split(" error: ")[0]
    assert done.stderr.count(" error: ") == 1, done.stderr
    assert (not jsonschema.Draft202012Validator(schema).is_valid(config)) == in_schema


def test_groups_may_name_sums(job, config):
    config["plots"]["groups"]["sum"] = {"samples": ["sum"]}
    assert job(config).returncode == DONE


@pytest.mark.parametrize("names", [["top", "sum"], ["sum", "top"]])
def test_patterns_take_no_sums_where_they_match_samples(job, config, names):
    config["sums"]["ttsum"] = config["sums"].pop("sum")
    groups = {"top": {"samples": ["tt*", "st"]}, "sum": {"samples": ["ttsum"], "kind": "signal"}}
    config["plots"]["groups"] = {name: groups[name] for name in names}
    done = job(config)
    assert done.returncode == DONE, done.stderr


def test_sums_are_in_one_group(job, config):
    config["plots"]["groups"] |= {"one": {"samples": ["su*"]}, "two": {"samples": ["sum"]}}
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert 'the sample "sum" is in the group "one" already' in done.stderr


def test_groups_may_name_sums_that_are_left_out(job, config):
    """Of runs over some of the samples."""
    config["plots"]["groups"]["sum"] = {"samples": ["sum"]}
    done = job(config, "--samples", "tt")
    assert done.returncode == DONE, done.stderr
    assert 'the sum "sum" is left out' in done.stderr


def test_plots_without_histograms_are_warned_of(job, config):
    del config["histograms"], config["output"]
    config["plots"].pop("histograms")
    done = job(config)
    assert '"plots" is not used' in done.stderr
