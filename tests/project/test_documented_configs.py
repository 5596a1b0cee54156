# SPDX-License-Identifier: BSD-3-Clause
"""The configs of README.md and docs/ are valid and run, and the reference has every key."""

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
from pages import CONFIG_REFERENCE, PAGES, ROOT, blocks, blocks_of
from plain_configs import parsed

FILES_BESIDE = [Path(__file__).with_name(name) for name in ("muon_sf.json", "muon_id.onnx")]


def whole_config(block: str) -> str:
    """A block as a config: a part of one gets what is missing to run it."""
    if block.lstrip().startswith("{"):
        return block
    return '{"schema_version": 1, "samples": {"data": {"files": ["dimuon.root"]}},\n' + block + "}"


# What has a title is a file, which the commands of its page use.
JSON = [(page, block) for page in PAGES for block in blocks_of(page.read_text()) if block.language == "json"]
CONFIGS = [(page.name, whole_config(block.text)) for page, block in JSON if not block.title]
FILES = [(page, block) for page, block in JSON if block.title]


def place_inputs(config: dict, sample: Path, folder: Path) -> None:
    (folder / "common.json").write_text(blocks(CONFIG_REFERENCE, "jsonc")[0])
    if "checksum_folder" in config:
        (folder / config["checksum_folder"]).mkdir(exist_ok=True)
    for path in FILES_BESIDE:
        shutil.copy(path, folder)
    for pattern in next(iter(config["samples"].values()))["files"]:
        name = pattern.split(":")[0].replace("*", "1").replace("?", "1")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(sample.read_bytes())


def test_there_are_configs():
    assert len(CONFIGS) >= 5


@pytest.mark.parametrize(("page", "text"), CONFIGS)
def test_configs_are_valid_and_run(call, sample, page, text):
    config = parsed(text)
    schema = json.loads((ROOT / "configs" / "schema" / "skimline-1.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(config)
    place_inputs(config, sample, call.folder)
    (call.folder / "a.json").write_text(text)
    # All inputs are the same file.
    program = call.package if "models" in config else "skimline"
    done = call(f"{program} run --allow-duplicates a.json")
    assert done.returncode == 0, done.stderr
    outputs = [
        skim["file"].replace(".root", "_0001.root") if "split" in skim else skim["file"]
        for skim in config.get("skims", {}).values()
    ]
    histograms = config.get("output", {}).get("histograms", [])
    outputs += [histograms["file"]] if isinstance(histograms, dict) else [histograms] if histograms else []
    for name in outputs:
        assert (call.folder / name).is_file()


@pytest.mark.parametrize(("page", "block"), FILES, ids=lambda each: getattr(each, "title", None))
def test_files_are_used_by_the_commands_of_their_page(page, block):
    config = parsed(block.text)
    name = re.escape(block.title)
    if "samples" in config:
        schema = json.loads((ROOT / "configs" / "schema" / "skimline-1.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(config)
        assert re.search(rf"^ *\$ skimline run.* {name}$", page.read_text(), re.MULTILINE)
    else:
        assert re.search(rf'"file": "{name}"', page.read_text())


def keys_in_reference() -> dict[str, set[str]]:
    """The first cells of the table in each section, by heading."""
    sections = re.split(r"^##+ ", CONFIG_REFERENCE.read_text(), flags=re.MULTILINE)[1:]
    keys = {}
    for section in sections:
        heading, _, body = section.partition("\n")
        cells = re.findall(r"^\| ((?:`[\w$]+`(?:, )?)+) \|", body, re.MULTILINE)
        keys[heading.strip("`")] = {key for cell in cells for key in re.findall(r"`(.*?)`", cell)}
    return {heading: names for heading, names in keys.items() if names}


def test_reference_has_the_keys_of_the_schema():
    schema = json.loads((ROOT / "configs" / "schema" / "skimline-1.schema.json").read_text())
    kinds = schema["$defs"]
    nodes = {
        "Top level": schema,
        "samples": kinds["sample"],
        "variations": kinds["variation"],
        "corrections": kinds["correction"],
        "models": kinds["model"],
        "select": kinds["cut"],
        "regions": kinds["region"],
        "histograms": kinds["histogram"],
        "axes": kinds["axis"],
        "profile": kinds["profile"],
        "histogram_defaults": kinds["histogram_defaults"],
        "plots": kinds["plots"],
        "plots.groups": kinds["plot_group"],
        "skims": kinds["skim"],
        "output": schema["properties"]["output"],
        "output.histograms": kinds["histogram_output"],
    }
    assert keys_in_reference() == {heading: set(node["properties"]) for heading, node in nodes.items()}


def test_whole_example_uses_every_key():
    example = parsed(blocks(CONFIG_REFERENCE, "json")[0])
    used = keys_in_reference()
    # It has samples already.
    assert set(example) == used["Top level"] - {"samples_from"}
    for section in ("corrections", "models", "regions", "histograms", "skims"):
        assert {key for item in example[section].values() for key in item} == used[section]
    assert set(example["histogram_defaults"]) == used["histogram_defaults"]
    assert set(example["output"]) == used["output"]
    assert set(example["output"]["histograms"]) == used["output.histograms"]
    assert set(example["plots"]) == used["plots"]
    assert {key for group in example["plots"]["groups"].values() for key in group} == used["plots.groups"]
    histograms = example["histograms"].values()
    axes = [item[key] for item in histograms for key in "xyz" if key in item]
    axes += [axis for item in histograms for axis in item.get("axes", [])]
    assert {key for axis in axes for key in axis} == used["axes"]
    assert {key for item in histograms for key in item.get("profile", {})} == used["profile"]
