# SPDX-License-Identifier: BSD-3-Clause
"""The JSON Schema of the config says what the program's reader says."""

import copy
import json
import random
import re
import subprocess

import jsonschema
import pytest
from whole_config import CONFIG, CORRECTIONS, MISTAKES, OBJECTS


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
