# SPDX-License-Identifier: BSD-3-Clause
"""The JSON Schema of the config says what the program's reader says."""

import copy
import json
import random
import re
import subprocess

import jsonschema
import pytest

CONFIG = {
    "schema_version": 1,
    "variables": {"v": 1, "text": "t", "list": [1, [2, "x"]], "flag": True, "unused": "${v}"},
    "override": {"define.b": "x"},
    "samples": {
        "data": {
            "files": ["in.root"],
            "metadata": {"luminosity": 1.5},
            "cross_section_pb": 1.5,
            "sum_weights": "w",
            "lumi_mask": "golden.json",
        },
        "more": {
            "files": ["more.root"],
            "sum_weights": {"runs": True},
            "define": {"a": "x"},
            "weights": {"first": "1"},
            "variations": False,
        },
        "recorded": {"files": ["more.root"], "is_data": True},
    },
    "sample_defaults": {"sum_weights": "w"},
    "on_bad_file": "skip",
    "corrections": {"sf": {"file": "sf.json", "correction": "sf", "inputs": {"pt": 1.5}}},
    "max_bad_fraction": 0.5,
    "allow_duplicates": True,
    "require_checksums": True,
    "checksum_folder": "sums",
    "memory_limit": "1 GiB",
    "redefine": {"x": "x * 2"},
    "define": {"a": "x + 1"},
    "luminosity_pb": 10,
    "weights": {"first": "w", "second": "normalisation_"},
    "variations": {
        "scale": {
            "columns": {"a": {"up": "x + 2", "down": "x"}},
            "weights": {"first": {"up": "2", "down": "3"}},
        },
        "other": {"columns": {"a": "x"}, "samples": ["da*"], "allow_unchanged": True},
    },
    "sums": {"both": {"data": 0.5, "more": 1}},
    "select": [{"name": "one", "where": "x > 1"}],
    "regions": {"r": {"where": "a < 0", "after": "one"}, "2j": {"where": "a"}},
    "histograms": {
        "h": {
            "x": {"value": "a", "bins": 10, "range": [0, 1], "label": "l", "unit": "GeV"},
            "weight": "w",
            "where": "a < 1",
            "regions": ["r", "2j"],
        },
        "after": {
            "x": {"value": "a", "edges": [0, 1]},
            "after": "one",
            "weight_variations": {"up": "w"},
            "bad_weight": "skip",
        },
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
    "histogram_defaults": {"type": "float", "nan": "overflow", "bad_weight": "fail", "weight": "w"},
    "histogram_memory": "1 GiB",
    "skims": {
        "s": {
            "file": "s_{sample}.root",
            "format": "rntuple",
            "name": "Events",
            "keep": ["*"],
            "drop": ["b"],
            "columns": {"c": "x"},
            "thin": {"Muon": "Muon_pt > 20", "GenPart": {"where": "good", "closure": True}},
            "indices": {"*_link": "Muon", "`a b`": False},
            "variations": ["scale_*"],
            "compression": "lz4:4",
            "cluster_size": "64 MiB",
            "page_size": 65536,
            "split": "2 GB",
            "where": "a",
            "region": "r",
        },
        "t": {"file": "t_{sample}.root", "after": "all events", "variations": True},
    },
    "output": {
        "histograms": {
            "file": "h.root",
            "name": {
                "nominal": "{region}/{sample}/{histogram}",
                "varied": "{region}/{sample}/{histogram}_{variation}",
            },
        },
        "report": "r.json",
        "cutflow": "c.csv",
        "n_minus_1": True,
    },
}
CORRECTIONS = {
    "schema_version": 2,
    "corrections": [
        {
            "name": "sf",
            "version": 1,
            "inputs": [{"name": "pt", "type": "real"}],
            "output": {"name": "weight", "type": "real"},
            "data": 1.5,
        }
    ],
}
OBJECTS = [
    (),
    ("samples", "data"),
    ("corrections", "sf"),
    ("select", 0),
    ("regions", "r"),
    ("histograms", "h"),
    ("histograms", "h", "x"),
    ("histograms", "all", "axes", 0),
    ("histograms", "plane", "profile"),
    ("histogram_defaults",),
    ("skims", "s"),
    ("skims", "s", "thin", "GenPart"),
    ("output",),
    ("output", "histograms"),
    ("output", "histograms", "name"),
    ("sample_defaults",),
    ("variations", "scale"),
]
# Changes that make a right config wrong: path, new value.
MISTAKES = [
    (("schema_version",), 2),
    (("include",), []),
    (("include",), ""),
    (("include",), 1),
    (("include",), ["a.json", 1]),
    (("variables",), []),
    (("variables",), {"a b": 1}),
    (("variables", "v"), None),
    (("variables", "v"), {}),
    (("variables", "v"), [None]),
    (("override",), {}),
    (("override",), []),
    (("override",), {"": 1}),
    (("on_bad_file",), "skipp"),
    (("on_bad_file",), True),
    (("max_bad_fraction",), -0.1),
    (("max_bad_fraction",), 1.1),
    (("max_bad_fraction",), "half"),
    (("allow_duplicates",), 1),
    (("memory_limit",), 67108863),
    (("memory_limit",), "1 Gb"),
    (("samples_from",), []),
    (("samples_from",), 1),
    (("samples_from",), {"tree": "Events"}),
    (("samples_from",), {"file": "a.json", "replace": {}}),
    (("samples",), {}),
    (("samples", "data", "cross_section_pb"), 0),
    (("samples", "data", "cross_section_pb"), "1"),
    (("samples", "data", "sum_weights"), 12.5),
    (("samples", "data", "sum_weights"), ""),
    (("samples", "data", "sum_weights"), {}),
    (("samples", "data", "sum_weights"), {"runs": False}),
    (("samples", "data", "sum_weights"), ["w"]),
    (("samples", "data", "lumi_mask"), {}),
    (("samples", "data", "files"), []),
    (("samples", "data", "files"), "in.root"),
    (("samples", "data", "metadata"), {"2x": 1}),
    (("samples", "data", "metadata"), {"file_": 1}),
    (("samples", "data", "metadata", "luminosity"), [1]),
    (("defaults",), {}),
    (("defaults",), ["a"]),
    (("defaults",), {"a": None}),
    (("defaults",), {"a": [[1]]}),
    (("defaults",), {"": 1}),
    (("defaults",), {"a b": 1}),
    (("corrections",), {}),
    (("corrections",), {"2x": {"file": "sf.json", "correction": "sf"}}),
    (("corrections", "sf"), "sf.json:sf"),
    (("corrections", "sf"), {"file": "sf.json"}),
    (("corrections", "sf"), {"correction": "sf"}),
    (("corrections", "sf", "checksum"), 1),
    (("corrections", "sf", "inputs"), {}),
    (("corrections", "sf", "inputs"), ["pt"]),
    (("corrections", "sf", "inputs", "pt"), [1]),
    (("functions",), {}),
    (("functions",), {"f(x)": " "}),
    (("functions",), {"f(x)": 1}),
    (("redefine",), {}),
    (("redefine",), {"a b": "1"}),
    (("redefine",), {"x": 1}),
    (("define",), {"2x": "1"}),
    (("define",), {"true": "1"}),
    (("define",), {"entry_": "1"}),
    (("define",), {"sample_": "1"}),
    (("define", "a"), " "),
    (("sample_defaults",), {"sum_weights": 1}),
    (("samples", "more", "define"), {}),
    (("samples", "more", "weights"), {"first": 1}),
    (("samples", "more", "variations"), "all"),
    (("samples", "data", "is_data"), True),  # it has a cross section
    (("samples", "recorded", "is_data"), "yes"),
    (("luminosity_pb",), 0),
    (("luminosity_pb",), "10"),
    (("weights",), {}),
    (("weights",), {"a b": "1"}),
    (("weights", "first"), 1),
    (("variations",), {}),
    (("variations",), {"a b": {"columns": {"a": "x"}}}),
    (("variations", "scale"), {}),
    (("variations", "scale"), {"samples": ["data"]}),
    (("variations", "scale", "columns"), {}),
    (("variations", "scale", "columns", "a"), {}),
    (("variations", "scale", "columns", "a"), 1),
    (("variations", "scale", "columns", "a"), {"up": 1}),
    (("variations", "scale", "columns", "a"), {"u p": "x"}),
    (("variations", "other", "samples"), []),
    (("variations", "other", "samples"), "data"),
    (("variations", "other", "allow_unchanged"), "yes"),
    (("sums",), {}),
    (("sums", "both"), {}),
    (("sums", "both", "data"), "half"),
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
    (("histograms", "counts", "bad_weight"), "skip"),
    (("histograms", "counts", "weight_variations"), {"up": "w"}),
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
    (("histogram_memory",), "1 Gb"),
    (("histogram_memory",), True),
    (("output", "report"), True),
    (("output", "report"), " "),
    (("output", "cutflow"), False),
    (("output", "n_minus_1"), 1),
    (("output", "histograms"), []),
    (("output", "histograms"), " "),
    (("output", "histograms"), {}),
    (("output", "histograms"), {"name": "{histogram}"}),
    (("output", "histograms", "name"), {"nominal": "{histogram}"}),
    (("output", "histograms", "name", "varied"), "{histo}"),
    (("output", "histograms", "name"), "{histo}"),
    (("output", "histograms", "name"), "{histogram"),
    (("output", "histograms", "name"), "{histogram} "),
    (("output", "histograms", "name"), "{histogram};1"),
    (("output", "histograms", "name"), "/{histogram}"),
    (("output", "histograms", "name"), "{histogram}/"),
    (("output", "histograms", "name"), "a//{histogram}"),
    (("output", "histograms", "name"), ""),
    (("skims", "s", "keep"), []),
    (("skims", "s", "columns"), {}),
    (("skims", "s", "columns"), {"2c": "x"}),
    (("skims", "s", "columns"), {"c": 1}),
    (("skims", "s", "thin"), {}),
    (("skims", "s", "thin"), "Muon"),
    (("skims", "s", "thin"), {"Muon": 1}),
    (("skims", "s", "thin"), {"Muon": {"closure": True}}),
    (("skims", "s", "thin"), {"Muon": {"where": "x > 1", "closure": 1}}),
    (("skims", "s", "indices"), {}),
    (("skims", "s", "indices"), {"x": True}),
    (("skims", "s", "indices"), {"a b": "Muon"}),
    (("skims", "s", "variations"), []),
    (("skims", "s", "variations"), 1),
    (("skims", "s", "format"), "tree"),
    (("skims", "s", "format"), 1),
    (("skims", "s", "compression"), "gzip"),
    (("skims", "s", "compression"), "zlib:10"),
    (("skims", "s", "compression"), "lzma:0"),
    (("skims", "s", "cluster_size"), 65535),
    (("skims", "s", "cluster_size"), 17179869185),
    (("skims", "s", "cluster_size"), 1e6 + 0.5),
    (("skims", "s", "cluster_size"), "64 Mb"),
    (("skims", "s", "cluster_size"), "1.5 GiB"),
    (("skims", "s", "cluster_size"), "0 MiB"),
    (("skims", "s", "cluster_size"), ["64 MiB"]),
    (("skims", "s", "page_size"), 1023),
    (("skims", "s", "split"), 65535),
    (("skims", "s", "split"), {}),
    (("skims", "s", "split"), {"events": 0}),
    (("skims", "s", "split"), {"events": 5, "bytes": 5}),
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
    for name in ("in.root", "more.root"):
        (tmp_path / name).write_bytes(b"no ROOT file")
    (tmp_path / "golden.json").write_text('{"1": [[1, 10]]}')
    (tmp_path / "sf.json").write_text(json.dumps(CORRECTIONS))

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


def test_a_right_config_is_right_for_both(validator, read):
    validator.validate(CONFIG)
    assert read(CONFIG).returncode == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("include",), "common.json"),
        (("include",), ["common.json"]),
        (("output", "report"), False),
        (("on_bad_file",), "fail"),
        (("max_bad_fraction",), 0),
        (("memory_limit",), 67108864),
        (("samples", "data", "sum_weights"), {"runs": True, "weight": "w"}),
        (("histograms", "h", "x", "bins"), "${v}"),
        (("histograms", "h", "x", "range"), "${list_of_numbers}"),
        (("histograms", "h", "x", "range"), [0, "${v}"]),
        (("histograms", "after", "x", "edges"), "${list_of_numbers}"),
        (("histograms", "all", "axes", 0, "integers"), ["${v}", 7]),
        (("histograms", "all", "axes", 0, "circular"), "${flag}"),
        (("histograms", "all", "axes", 2, "categories"), "${list_of_numbers}"),
        (("histograms", "all", "nan"), "${fail}"),
        (("histograms", "counts", "type"), "${int}"),
        (("skims", "s", "compression"), "lz4:${v}"),
        (("skims", "s", "cluster_size"), "${v} MiB"),
        (("skims", "s", "page_size"), "${large}"),
        (("skims", "s", "keep"), "${list_of_texts}"),
        (("skims", "s", "name"), "Events_${v}"),
        (("output", "n_minus_1"), "${flag}"),
        (("max_bad_fraction",), "${v}"),
        (("memory_limit",), "${v} GiB"),
        (("samples", "data", "cross_section_pb"), "${v}"),
    ],
)
def test_what_is_right_is_right_for_both(validator, read, tmp_path, path, value):
    (tmp_path / "common.json").write_text("{}")
    more = {"list_of_numbers": [0, 5], "list_of_texts": ["a*"], "fail": "fail", "int": "int", "large": 65536}
    config = changed(path, value)
    config["variables"] = config["variables"] | more
    validator.validate(config)
    done = read(config)
    assert done.returncode == 1, done.stderr


# Keys that a whole config needs, and files that have them.
@pytest.mark.parametrize("key", ["samples", "schema_version"])
def test_parts_need_not_be_complete(validator, read, tmp_path, key):
    part = {key: CONFIG[key]}
    main = {name: value for name, value in CONFIG.items() if name != key} | {"include": "part.json"}
    (tmp_path / "part.json").write_text(json.dumps(part))
    validator.validate(main)
    if key != "schema_version":
        validator.validate({"define": {"a": "1"}, "skims": {"s": {"keep": ["*"]}}})
    done = read(main)
    assert done.returncode == 1, done.stderr
    del main["include"]
    assert read(main).returncode == 2


def test_keys_for_histograms_need_histograms(validator, read):
    config = copy.deepcopy(CONFIG)
    del config["histograms"], config["output"]
    assert not validator.is_valid(config)
    assert read(config).returncode == 2
    for key in ("histogram_defaults", "histogram_memory"):
        del config[key]
    validator.validate(config)
    assert read(config).returncode == 1


@pytest.mark.thorough(quick=40)
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
        node = node.get("else", node)  # what is no template
        if "$ref" in node:
            node = value_at(schema, node["$ref"].removeprefix("#/").split("/"))
    return node["properties"]


# What the reader finds beyond the schema: what is there, what names refer to, and how values compare.
BEYOND_THE_SCHEMA = re.compile(
    "|".join(
        [
            r"there is no file",
            r"no file matches",
            r"no (sample|variation) matches",
            r"for all samples, which this could replace",
            r"unknown (factor|sample) ",
            r"there are no \"variations\"",
            r"has no (input|correction)",
            r"of the correction .* must be a number",
            r"has the checksum",
            r"need the same directions",
            r"two variations are called",
            r"cannot be opened",
            r"is given twice",
            r"appears twice",
            r"this file is also",
            r"is a file, not a folder",
            r"the folder .* cannot be made",
            r"is a folder",
            r"each sample has a skim of its own",
            r"unknown (region|selection|variable|key)",
            r"may be used only by those behind it",
            r"is also the name of a selection",
            r"must be two numbers, the lower one first",
            r"must increase from one number to the next",
            r"must be the first and the last of",
            r"is too wide",
            r"may be 10000000 at most",
            r"would be written as",
            r"is overridden twice",
            r"has no \"[^\"]*\" in it",
            r"whose items are called",
            r"is a list without items and has no",
            r"needs the key \"schema_version\"",
            r"must be from \d+ .iB to",
            r"there are no \"histograms\" to write",
            r"is needed",
        ]
    )
)
VALUES = [
    None, True, False, 0, 1, 7, -1, 2.5, 1e300, "", " ", "a", "a b", "x > 1", "in.root", "2 GiB", "${v}", "${text}",
    "${list}", "${flag}", [], [1], [0, 1], [1, 0], ["a"], ["a", "a"], {}, {"a": "1"}, {"value": "a"}, {"where": "a"},
]  # fmt: skip


def places(node, path=()):
    """The paths to all values of a config."""
    if path:
        yield path
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield from places(node[key], (*path, key))


def mutate(config, generator):
    """Changes one thing in a config: puts a value, a key, or what stands elsewhere in a place."""
    everywhere = list(places(config))
    path = generator.choice(everywhere)
    parent, key = value_at(config, path[:-1]), path[-1]
    kind = generator.randrange(5)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        parent[key] = generator.choice(VALUES)
    elif kind == 2:
        parent[key] = copy.deepcopy(value_at(config, generator.choice(everywhere)))
    elif isinstance(parent, list):
        parent.append(generator.choice(VALUES))
    else:
        names = [str(other[-1]) for other in everywhere] + ["a b", "include", "samples_from", "2x", ""]
        parent[generator.choice(names)] = parent.pop(key) if kind == 3 else generator.choice(VALUES)


@pytest.mark.thorough(quick=1, repeats=True)
@pytest.mark.parametrize("seed", range(8))
def test_changed_configs_are_right_or_wrong_for_both(validator, read, seed):
    """What the schema refuses the reader refuses; what only the reader refuses no schema can express."""
    generator = random.Random(seed)
    outcomes = {True: 0, False: 0}
    for _ in range(40):
        config = copy.deepcopy(CONFIG)
        del config["override"]  # it may put right what a change has made wrong
        mutate(config, generator)
        is_valid = validator.is_valid(config)
        outcomes[is_valid] += 1
        done = read(config)
        assert done.returncode in (1, 2), done.stderr
        if not is_valid:
            assert done.returncode == 2, (list(validator.iter_errors(config)), config)
        elif done.returncode == 2 and "${" not in re.sub(r'"unused": "\$\{v\}"', "", json.dumps(config)):
            messages = re.findall(r"^.*: error: (.*)$", done.stderr, re.MULTILINE)
            assert messages
            for message in messages:
                assert BEYOND_THE_SCHEMA.search(message), (message, config)
    assert min(outcomes.values()) > 3


def test_examples_are_right(plain_config, repository, validator):
    examples = sorted({*repository.glob("configs/**/*.json")} - {*repository.glob("configs/schema/*")})
    assert {"examples", "adl"} <= {example.parent.name for example in examples}
    for example in examples:
        validator.validate(plain_config(example))
