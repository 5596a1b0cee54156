# SPDX-License-Identifier: BSD-3-Clause
"""The JSON Schema of the config says what the program's reader says."""

import copy
import json
import re
import subprocess

import jsonschema
import pytest

CONFIG = {
    "schema_version": 1,
    "samples": {"data": {"files": ["in.root"], "metadata": {"luminosity": 1.5}}},
    "define": {"a": "x + 1"},
    "select": [{"name": "one", "where": "x > 1"}],
    "regions": {"r": {"where": "a < 0", "after": "one"}, "2j": {"where": "a"}},
    "histograms": {
        "h": {
            "x": {"value": "a", "bins": 10, "range": [0, 1], "label": "l", "unit": "GeV"},
            "weight": "w",
            "where": "a < 1",
            "regions": ["r", "2j"],
        },
        "after": {"x": {"value": "a", "edges": [0, 1]}, "after": "one"},
        "all": {
            "axes": [
                {"value": "a", "integers": [0, 1], "circular": True},
                {"value": "a", "edges": [0, 1], "underflow": False, "overflow": False},
                {"value": "b", "categories": ["c", "d"]},
                {"value": "b", "categories": [], "growing": True},
                {"value": "b", "categories": [1, 2], "growing": False},
            ],
            "nan": "fail",
        },
        "plane": {
            "title": "t",
            "x": {"value": "a", "integers": [0, 1]},
            "y": {"value": "a", "integers": [0, 1]},
            "z": {"value": "a", "integers": [0, 1]},
            "profile": {"value": "c", "label": "l", "unit": "GeV"},
            "weight": "w",
            "weight_variations": {"up": "w * 2"},
            "bad_weight": "skip",
        },
        "counts": {"x": {"value": "a", "integers": [0, 1]}, "type": "int"},
    },
    "histogram_defaults": {"type": "float", "nan": "overflow", "bad_weight": "fail"},
    "histogram_memory": "1 GiB",
    "skims": {
        "s": {
            "file": "s.root",
            "name": "Events",
            "keep": ["*"],
            "drop": ["b"],
            "compression": "lz4:4",
            "cluster_size": "64 MiB",
            "page_size": 65536,
            "where": "a",
            "region": "r",
        },
        "t": {"file": "t.root", "after": "all events"},
    },
    "output": {"histograms": {"file": "h.root", "name": "{region}/{sample}/{histogram}_{variation}"}},
}
OBJECTS = [
    (),
    ("samples", "data"),
    ("select", 0),
    ("regions", "r"),
    ("histograms", "h"),
    ("histograms", "h", "x"),
    ("histograms", "all", "axes", 0),
    ("histograms", "plane", "profile"),
    ("histogram_defaults",),
    ("skims", "s"),
    ("output",),
    ("output", "histograms"),
]
# Changes that make a right config wrong: path, new value.
MISTAKES = [
    (("schema_version",), 2),
    (("samples",), {}),
    (("samples", "data", "files"), []),
    (("samples", "data", "files"), "in.root"),
    (("samples", "data", "metadata"), {"2x": 1}),
    (("samples", "data", "metadata"), {"file_": 1}),
    (("samples", "data", "metadata", "luminosity"), [1]),
    (("defaults",), {}),
    (("defaults",), ["a"]),
    (("defaults",), {"a": None}),
    (("defaults",), {"a": [1]}),
    (("defaults",), {"": 1}),
    (("defaults",), {"a b": 1}),
    (("functions",), {}),
    (("functions",), {"f(x)": " "}),
    (("functions",), {"f(x)": 1}),
    (("define",), {"2x": "1"}),
    (("define",), {"true": "1"}),
    (("define",), {"entry_": "1"}),
    (("define",), {"sample_": "1"}),
    (("define", "a"), " "),
    (("select",), {}),
    (("select", 0, "where"), 1),
    (("select", 0, "name"), "all events"),
    (("regions",), {}),
    (("regions",), []),
    (("regions", "r"), {}),
    (("regions", "a b"), {"where": "1"}),
    (("regions", "r", "after"), 1),
    (("histograms", "h", "regions"), []),
    (("histograms", "h", "regions"), "r"),
    (("histograms", "h", "regions"), ["r", "r"]),
    (("histograms", "h", "after"), "one"),
    (("histograms", "after", "after"), ["one"]),
    (("skims", "s", "region"), ["r"]),
    (("skims", "s", "after"), "one"),
    (("histograms",), {}),
    (("histograms", "a/b"), {"x": {"value": "a", "edges": [0, 1]}}),
    (("histograms", "h", "x", "bins"), 0),
    (("histograms", "h", "x", "bins"), 10000001),
    (("histograms", "h", "x", "bins"), 1.5),
    (("histograms", "h", "x", "range"), [0, 1, 2]),
    (("histograms", "h", "x", "edges"), [0, 1]),
    (("histograms", "h", "x"), {"value": "a"}),
    (("histograms", "h", "x"), {"value": "a", "bins": 2}),
    (("histograms", "h", "x"), {"value": "a", "edges": [0]}),
    (("histograms", "h", "x"), {"edges": [0, 1]}),
    (("histograms", "h", "x", "growing"), True),
    (("histograms", "h", "x", "circular"), 1),
    (("histograms", "h", "x", "integers"), [0, 1]),
    (("histograms", "h", "axes"), [{"value": "a", "edges": [0, 1]}]),
    (("histograms", "h", "z"), {"value": "a", "edges": [0, 1]}),
    (("histograms", "h", "type"), "int"),
    (("histograms", "h", "type"), "short"),
    (("histograms", "h", "title"), ""),
    (("histograms", "h", "title"), 8001 * "t"),
    (("histograms", "h", "nan"), "skip"),
    (("histograms", "h", "bad_weight"), "overflow"),
    (("histograms", "h", "weight_variations"), {}),
    (("histograms", "h", "weight_variations"), ["w"]),
    (("histograms", "h", "weight_variations"), {"nominal": "w"}),
    (("histograms", "h", "weight_variations"), {"a/b": "w"}),
    (("histograms", "h", "weight_variations"), {"up": 1}),
    (("histograms", "after", "bad_weight"), "skip"),
    (("histograms", "after", "weight_variations"), {"up": "w"}),
    (("histograms", "all", "axes"), []),
    (("histograms", "all", "axes"), {}),
    (("histograms", "all", "type"), "float"),
    (("histograms", "all", "profile"), {"value": "a"}),
    (("histograms", "all", "axes", 0, "integers"), [1, 0.5]),
    (("histograms", "all", "axes", 0, "integers"), [1]),
    (("histograms", "all", "axes", 0, "integers"), [0, 2147483648]),
    (("histograms", "all", "axes", 1, "underflow"), "no"),
    (("histograms", "all", "axes", 2, "categories"), []),
    (("histograms", "all", "axes", 2, "categories"), ["a", 1]),
    (("histograms", "all", "axes", 2, "categories"), ["a", "a"]),
    (("histograms", "all", "axes", 2, "categories"), [1, 1.0]),
    (("histograms", "all", "axes", 2, "categories"), [1.5]),
    (("histograms", "all", "axes", 2, "categories"), [9007199254740994]),
    (("histograms", "all", "axes", 2, "categories"), [""]),
    (("histograms", "all", "axes", 2, "categories"), "a"),
    (("histograms", "all", "axes", 2, "overflow"), True),
    (("histograms", "all", "axes", 2, "circular"), False),
    (("histograms", "all", "axes", 3, "growing"), False),
    (("histograms", "plane", "type"), "double"),
    (("histograms", "plane", "profile"), "c"),
    (("histograms", "plane", "profile"), {"label": "c"}),
    (("histogram_defaults", "nan"), "skip"),
    (("histogram_defaults", "type"), 1),
    (("histogram_memory",), 1048575),
    (("histogram_memory",), "1 GB"),
    (("histogram_memory",), True),
    (("output", "histograms"), []),
    (("output", "histograms"), " "),
    (("output", "histograms"), {}),
    (("output", "histograms"), {"name": "{histogram}"}),
    (("output", "histograms", "name"), "{histo}"),
    (("output", "histograms", "name"), "{histogram"),
    (("output", "histograms", "name"), "{histogram} "),
    (("output", "histograms", "name"), "{histogram};1"),
    (("output", "histograms", "name"), "/{histogram}"),
    (("output", "histograms", "name"), "{histogram}/"),
    (("output", "histograms", "name"), "a//{histogram}"),
    (("output", "histograms", "name"), ""),
    (("skims", "s", "keep"), []),
    (("skims", "s", "compression"), "gzip"),
    (("skims", "s", "compression"), "zlib:10"),
    (("skims", "s", "compression"), "lzma:0"),
    (("skims", "s", "cluster_size"), 65535),
    (("skims", "s", "cluster_size"), 17179869185),
    (("skims", "s", "cluster_size"), 1e6 + 0.5),
    (("skims", "s", "cluster_size"), "64 MB"),
    (("skims", "s", "cluster_size"), "1.5 GiB"),
    (("skims", "s", "cluster_size"), "0 MiB"),
    (("skims", "s", "cluster_size"), ["64 MiB"]),
    (("skims", "s", "page_size"), 1023),
    (("skims", "s", "page_size"), 268435457),
    (("skims", "s", "page_size"), "1024"),
    (("skims", "s", "name"), "a b"),
    (("skims", "s"), {}),
    (("output",), {}),
]


@pytest.fixture(scope="session")
def schema(repository):
    return json.loads((repository / "configs" / "schema" / "skimline-1.schema.json").read_text())


@pytest.fixture(scope="session")
def validator(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture
def read(skimline, tmp_path):
    """Runs the program on a config whose input is no ROOT file: 2 means the config is wrong, 1 that it was read."""
    (tmp_path / "in.root").write_bytes(b"no ROOT file")

    def run(config) -> subprocess.CompletedProcess:
        path = tmp_path / "a.json"
        path.write_text(json.dumps(config, indent=1))
        return subprocess.run([skimline, "run", path], capture_output=True, text=True, check=False)

    return run


def value_at(config, path):
    for key in path:
        config = config[key]
    return config


def changed(path, value):
    config = copy.deepcopy(CONFIG)
    value_at(config, path[:-1])[path[-1]] = value
    return config


def without_comments(text: str) -> str:
    """The text as plain JSON: line comments and trailing commas are left out."""
    text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda match: match[1] or "", text)
    return re.sub(r",(\s*[}\]])", r"\1", text)


def test_a_right_config_is_right_for_both(validator, read):
    validator.validate(CONFIG)
    assert read(CONFIG).returncode == 1


def test_keys_for_histograms_need_histograms(validator, read):
    config = copy.deepcopy(CONFIG)
    del config["histograms"], config["output"]
    assert not validator.is_valid(config)
    assert read(config).returncode == 2
    for key in ("histogram_defaults", "histogram_memory"):
        del config[key]
    validator.validate(config)
    assert read(config).returncode == 1


@pytest.mark.parametrize(("path", "value"), MISTAKES)
def test_a_wrong_config_is_wrong_for_both(validator, read, path, value):
    config = changed(path, value)
    assert not validator.is_valid(config)
    assert read(config).returncode == 2


@pytest.mark.parametrize("path", OBJECTS)
def test_both_know_the_same_keys(schema, validator, read, path):
    config = changed((*path, "zzzzzzzzzz"), 1)
    assert not validator.is_valid(config)
    error = read(config).stderr
    allowed = re.search(r'unknown key "zzzzzzzzzz"; allowed here: (.*)', error)
    assert allowed, error
    assert set(json.loads(f"[{allowed[1]}]")) == set(keys_of(schema, path))


def keys_of(schema, path):
    """The keys that the schema allows for the object at `path` of a config."""
    node = schema
    for key in path:
        node = (
            node["items"]
            if isinstance(key, int)
            else (node.get("properties", {}).get(key) or node["additionalProperties"])
        )
        node = node["anyOf"][-1] if "anyOf" in node else node
        if "$ref" in node:
            node = value_at(schema, node["$ref"].removeprefix("#/").split("/"))
    return node["properties"]


def test_examples_are_right(repository, validator):
    examples = sorted({*repository.glob("configs/*/*.json")} - {*repository.glob("configs/schema/*")})
    assert {"examples", "adl"} <= {example.parent.name for example in examples}
    for example in examples:
        validator.validate(json.loads(without_comments(example.read_text())))
