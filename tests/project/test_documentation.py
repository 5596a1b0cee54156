# SPDX-License-Identifier: BSD-3-Clause
"""What README.md and docs/ say is true: configs and commands run, messages are the program's, links lead somewhere."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import awkward
import jsonschema
import numpy
import pytest
import uproot

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
CONFIG_REFERENCE = ROOT / "docs" / "config-reference.md"
CORRECTION_FILE = Path(__file__).with_name("muon_sf.json")
COMMAND_LINE = ROOT / "docs" / "command-line.md"

BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
OUTPUTS = ("skim.root", "histograms.root")


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page, without their indentation."""
    found = [match for match in BLOCK.finditer(page.read_text()) if match[2] == language]
    return [re.sub(rf"^{match[1]}", "", match[3], flags=re.MULTILINE) for match in found]


def parsed(text: str) -> dict:
    """A config as plain data: comments and trailing commas are left out."""
    text = re.sub(
        r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda match: match[1] or "", text, flags=re.DOTALL
    )
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))


README_CONFIG = blocks(ROOT / "README.md", "json")[0]


def whole_config(block: str) -> str:
    """A block as a config: a part of one gets what is missing to run it."""
    if block.lstrip().startswith("{"):
        return block
    return '{"schema_version": 1, "samples": {"data": {"files": ["dimuon.root"]}},\n' + block + "}"


CONFIGS = [(page.name, whole_config(block)) for page in PAGES for block in blocks(page, "json")]


@pytest.fixture(scope="module")
def sample(skimline, tmp_path_factory) -> Path:
    """A file with 2000 events."""
    path = tmp_path_factory.mktemp("sample") / "dimuon.root"
    subprocess.run([skimline, "generate", "dimuon", "--events", "2000", "-o", path], check=True)
    return path


@pytest.fixture
def call(skimline, tmp_path):
    """Runs a line as a shell would, in an own folder, with the program in the path."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "skimline").symlink_to(Path(skimline).resolve())
    folder = tmp_path / "work"
    folder.mkdir()
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"

    def run(line: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    run.folder = folder
    return run


def place_inputs(config: dict, sample: Path, folder: Path) -> None:
    (folder / "common.json").write_text(blocks(CONFIG_REFERENCE, "jsonc")[0])
    (folder / "muon_sf.json").write_bytes(CORRECTION_FILE.read_bytes())
    for pattern in next(iter(config["samples"].values()))["files"]:
        name = pattern.split(":")[0].replace("*", "1").replace("?", "1")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(sample.read_bytes())


# Configs


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
    done = call("skimline run --allow-duplicates a.json")
    assert done.returncode == 0, done.stderr
    outputs = [skim["file"] for skim in config.get("skims", {}).values()]
    histograms = config.get("output", {}).get("histograms", [])
    outputs += [histograms["file"]] if isinstance(histograms, dict) else [histograms] if histograms else []
    for name in outputs:
        assert (call.folder / name).is_file()


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
    for section in ("corrections", "regions", "histograms", "skims"):
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


# Commands


def without_measures(text: str) -> str:
    """Output without what changes from run to run and with versions of libraries: times, sizes, numbers of threads."""
    text = re.sub(r"[\d.]+ [kMG]?B\b|\d+ (requests|pages|threads?)\b|[\d. ]+ (s|events/s)\b", "#", text)
    return re.sub(r" +", " ", text)


UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
MEASURE = re.compile(r"([\d.]+) ([kMG]?B)\b|(\d+) pages\b")


def measures(text: str) -> list[tuple[str, float]]:
    """The sizes and the numbers of pages in an output, which depend on versions of libraries at most."""
    return [
        ("pages", float(pages)) if pages else ("bytes", float(number) * UNITS[unit])
        for number, unit, pages in MEASURE.findall(text)
    ]


def is_near(found: tuple[str, float], said: tuple[str, float]) -> bool:
    """Compressed sizes differ a little between versions of the libraries; pages do not."""
    kind, number = found
    return kind == said[0] and (
        number == said[1] if kind == "pages" else math.isclose(number, said[1], rel_tol=0.1)
    )


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```console" in page.read_text()], ids=lambda p: p.name
)
def test_commands_run_and_print_what_is_shown(call, page):
    (call.folder / "analysis.json").write_text(README_CONFIG)
    shutil.copytree(ROOT / "configs", call.folder / "configs")
    for config in blocks(page, "json"):
        if re.search(r"^ *\$ skimline run first\.json", page.read_text(), re.MULTILINE):
            (call.folder / "first.json").write_text(config)
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            done = call(line)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            if shown:
                assert without_measures(done.stdout) == without_measures(shown), line
                said = zip(measures(done.stdout), measures(shown), strict=True)
                assert all(is_near(*pair) for pair in said), f"{line}\n{done.stdout}"


def test_the_speed_in_the_readme_is_that_of_the_measured_table():
    table = re.search(r"(?:^\|.*\n)+", (ROOT / "docs" / "performance.md").read_text(), re.MULTILINE)[0]
    header, _, *rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    ratios = [float(row[header.index("its loop / Skimline")]) for row in rows]
    said = re.search(
        r"([\d.]+) to ([\d.]+) times as fast as the event loop", (ROOT / "README.md").read_text()
    )
    assert (float(said[1]), float(said[2])) == (min(ratios), max(ratios))


RUN_IN_ROOT = """import sys, ROOT
ROOT.gInterpreter.Declare("double use() {" + open("use.C").read() + "return met->GetSumOfWeights(); }")
print("zmumu", repr(ROOT.use()))
"""


@pytest.mark.parametrize("language", ["python", "C"])
def test_code_of_bookkeeping_runs(call, language):
    page = ROOT / "docs" / "bookkeeping.md"
    (call.folder / "first.json").write_text(blocks(page, "json")[0])
    assert call("skimline generate dimuon --events 10000 -o dimuon.root").returncode == 0
    assert call("skimline run first.json").returncode == 0
    (call.folder / "use.C").write_text(blocks(page, "C")[0])
    (call.folder / "use.py").write_text(blocks(page, "python")[0] if language == "python" else RUN_IN_ROOT)
    done = call(f"{sys.executable} -W ignore use.py")
    assert done.returncode == 0, done.stderr
    name, number = done.stdout.split()
    events = uproot.open(call.folder / "dimuon.root")["Events"].arrays(["nMuon", "MET_pt", "genWeight"])
    chosen = events[(events["nMuon"] == 2) & (events["MET_pt"] < 200)]
    expected = 1976.0 * 10000 * math.fsum(chosen["genWeight"]) / math.fsum(events["genWeight"])
    assert (name, float(number)) == ("zmumu", pytest.approx(expected, rel=1e-12))


def test_options_are_those_of_the_help(call):
    text = COMMAND_LINE.read_text()
    common = text.split("## Every command\n")[1].split("\n## ")[0]
    commands = (
        "run",
        "validate",
        "plan",
        "init",
        "schema",
        "inspect",
        "verify",
        "generate",
        "convert",
        "merge",
        "show",
        "plot",
        "diff",
    )
    for command in commands:
        section = text.split(f"## skimline {command}\n")[1].split("\n## ")[0] + common
        shown = set(
            re.findall(
                r"(?<![\w-])--?[a-z]+(?:-[a-z]+)*",
                " ".join(re.findall(r"^\|([^|]*)\|", section, re.MULTILINE)),
            )
        )
        options = call(f"skimline {command} --help").stdout.split("Options:")[1].split("Examples:")[0]
        expected = set(re.findall(r"^ +(-[^ ]+)", options, re.MULTILINE))
        assert shown == {name for names in expected for name in names.split(",")}


def keys_in(command: str, title: str) -> set[str]:
    """The keys in the first column of a table of a command, known by the title of the column."""
    section = COMMAND_LINE.read_text().split(f"## {command}\n")[1].split("\n## ")[0]
    rows = section.split(f"\n| {title} | meaning |\n| --- | --- |\n")[1].split("\n\n")[0].splitlines()
    return {key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_keys_of_json_are_those_of_the_tables(call, sample):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    (call.folder / "analysis.json").write_text(README_CONFIG)
    call("skimline generate dimuon --events 10 --format ttree -o tree.root")

    def printed(command: str) -> dict:
        done = call(f"skimline {command}")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    plan = printed("plan --json analysis.json")
    assert set(plan) == keys_in("skimline plan", "key")
    assert set(plan["samples"][0]) == keys_in("skimline plan", "key of a sample")
    report = printed("run --report - analysis.json")
    assert set(report) == keys_in("skimline run", "key")
    inspection = printed("inspect --json dimuon.root")
    assert set(inspection) == keys_in("skimline inspect", "key")
    assert set(inspection["ntuples"][0]) == keys_in("skimline inspect", "key of an RNTuple")
    (tree,) = printed("inspect --json tree.root")["trees"]
    assert set(tree) == keys_in("skimline inspect", "key of a TTree")
    assert set(printed("merge --json all.root histograms.root")) == keys_in("skimline merge", "key")
    (shown,) = printed("show --json all.root")["files"]
    record = (ROOT / "docs" / "bookkeeping.md").read_text().split("\n| key of a sample | meaning |\n")[1]
    in_file = set(
        re.findall(r"`(\w+)`", " ".join(re.findall(r"^\|([^|]*)\|", record.split("\n\n")[0], re.MULTILINE)))
    )
    assert set(shown["record"]["samples"][0]) == in_file | keys_in("skimline show", "key of a sample")


# Bad input. The tables hold exactly the messages that these provoke.

# Ten times as long from one to the next.
BOMB = {"v0": "x" * 100} | {f"v{i}": f"${{v{i - 1}}}" * 10 for i in range(1, 8)}

MISTAKES = {
    "a comma is missing": ('"schema_version": 1,', '"schema_version": 1'),
    "a key is wrong": ('"histograms": {\n', '"histogram": {\n'),
    "a key is given twice": ('"muon_pt":', '"mass":'),
    "a key is missing": ('"file": "skim.root", ', ""),
    "a value has the wrong type": ('["dimuon.root:Events"]', '"dimuon.root:Events"'),
    "no such file": ("dimuon.root:Events", "dimoun.root:Events"),
    "no file for a pattern": ("dimuon.root:Events", "run*.root:Events"),
    "a file is given twice": ('["dimuon.root:Events"]', '["dimuon.root:Events", "*.root"]'),
    "a folder as a file": ("dimuon.root:Events", "."),
    "an unknown scheme": ("dimuon.root:Events", "rot://host//dimuon.root:Events"),
    "the range is reversed": ("[60, 120]", "[120, 60]"),
    "the range is too wide": ("[60, 120]", "[-1e308, 1e308]"),
    "no bins": ('"bins": 120, ', ""),
    "two histograms of one name": ('"histograms.root"', '{"file": "histograms.root", "name": "all"}'),
    "an unknown placeholder": ('"histograms.root"', '{"file": "histograms.root", "name": "{regoin}/all"}'),
    "an unknown step": ('"mass": {', '"mass": {"after": "two muon", '),
    "an unknown region": ('"mass": {', '"mass": {"regions": ["2j"], '),
    "an unknown compression": ('"zstd:5"', '"zstd:50"'),
    "the output is the input": ("skim.root", "dimuon.root"),
    "two outputs in one file": ('"histograms.root"', '"skim.root"'),
    "no such folder": ("skim.root", "skims/skim.root"),
    "an unknown column": ("(Muon_pt", "(Moun_pt"),
    "an unknown function": ("InvariantMass(", "InvMass("),
    "wrong arguments": ("InvariantMass(Muon_pt, ", "InvariantMass("),
    "a list as a selection": ('"nMuon == 2"', '"Muon_pt > 20"'),
    "`=` instead of `==`": ('"nMuon == 2"', '"nMuon = 2"'),
    "a text as a value": ('"value": "mll"', '"value": "sample_"'),
    "a number as a text": ('"bins": 120, "range": [60, 120]', '"categories": ["ee"]'),
    "too many cells": (
        '"mass": {"x": {"value": "mll", "bins": 120,',
        '"mass": {"y": {"value": "mll", "bins": 10000, "range": [0, 9]}, "x": {"value": "mll", "bins": 7000,',
    ),
    "a regular expression is wrong": ('"nMuon == 2"', "\"regex_match(file_, '[a-')\""),
    "a pattern of flags that matches nothing": ('"nMuon == 2"', "\"AnyOf('HTL_*')\""),
    "a default that does not fit": ('"define"', '"defaults": {"nMuon": 1.5}, "define"'),
    "an included file is not there": (
        '"schema_version": 1,',
        '"schema_version": 1, "include": "common.json",',
    ),
    "an override leads nowhere": ('"define"', '"override": {"select.2.where": "1"}, "define"'),
    "variables that expand without end": (
        '"define": {',
        f'"variables": {json.dumps(BOMB)}, "define": {{"big": "${{v7}}", ',
    ),
    "lists in lists in lists ...": ('"nMuon == 2"', "[" * 70 + "]" * 70),
    "an unknown variable": (
        '"define"',
        '"variables": {"n_muons": 2}, "defaults": {"x": "${n_muon}"}, "define"',
    ),
    "a parenthesis is missing": ("Muon_mass)", "Muon_mass"),
    "a definition with the name of a column": ('"mll": "', '"MET_pt": "1", "mll": "'),
    "a pattern that matches nothing": ('"Muon_*"', '"Moun_*"'),
}


# Messages with these words are those of a library, and change with its versions.
WORDS_OF_CLI11 = ("is required", "not expected", "not in range")


def table_after(heading: str) -> dict[str, str]:
    """The rows of the table in a section of the command line's page: first cell, second cell."""
    section = COMMAND_LINE.read_text().split(f"### {heading}")[1].split("\n### ")[0]
    rows = re.findall(r"^\| (.*?) \| `(.*)` \|$", section, re.MULTILINE)
    return dict(rows)


def message_of(error: str) -> str:
    """The first error, without its place in the config."""
    lines = error.splitlines()
    line = next((each for each in lines if "error: " in each), lines[0] if lines else "")
    return re.sub(r"^analysis\.json:\d+:\d+: error: ", "", line)


def without_long_numbers(message: str) -> str:
    """The message without sizes and offsets, which change with versions of zstd."""
    return re.sub(r"\d{4,}", "#", message)


def wrong_config(mistake: str) -> str:
    right, wrong = MISTAKES[mistake]
    assert README_CONFIG.count(right) >= 1, mistake
    return README_CONFIG.replace(right, wrong, 1)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_config_are_shown_as_written(call, sample, mistake):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    (call.folder / "analysis.json").write_text(wrong_config(mistake))
    done = call("skimline run analysis.json")
    assert done.returncode == 2, done.stderr
    assert re.match(r"analysis\.json:\d+:\d+: error: ", done.stderr)
    assert table_after("Mistakes in the config").get(mistake) == message_of(done.stderr)
    assert sorted(os.listdir(call.folder)) == ["analysis.json", "dimuon.root"]


def test_each_mistake_of_the_table_is_provoked():
    assert list(table_after("Mistakes in the config")) == list(MISTAKES)


@pytest.mark.parametrize(
    ("page", "right", "wrong"),
    [("README.md", '"nMuon == 2"', '"nMuons == 2"'), ("docs/command-line.md", "(Muon_pt", "(Moun_pt")],
)
def test_marked_messages_are_shown_as_written(call, sample, page, right, wrong):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    shown = next(block for block in blocks(ROOT / page, "text") if re.match(r"\w+\.json:.*: error: ", block))
    name = shown.split(":")[0]
    (call.folder / name).write_text(README_CONFIG.replace(right, wrong, 1))
    done = call(f"skimline run {name}")
    assert done.returncode == 2
    assert done.stderr == shown


def test_wrong_usage_is_shown_as_written(call):
    rows = table_after("Wrong usage")
    assert len(rows) >= 5
    for command, message in rows.items():
        done = call(command.strip("`"))
        assert done.returncode == 2, command
        if any(words in message for words in WORDS_OF_CLI11):
            assert done.stderr, command
        else:
            assert message_of(done.stderr) == message, command


def edit(call, right, wrong):
    (call.folder / "analysis.json").write_text(README_CONFIG.replace(right, wrong, 1))


def change_input(call, change):
    path = call.folder / "dimuon.root"
    path.write_bytes(change(bytearray(path.read_bytes())))


def flip_a_bit(call):
    path = call.folder / "dimuon.root"
    ntuple = uproot.open(path)["Events"]
    names = [ntuple.field_records[record.field_id].field_name for record in ntuple.column_records]
    offset = ntuple.page_link_list[0][names.index("nMuon")].pages[0].locator.offset

    def flip(contents):
        contents[offset + 10] ^= 1
        return contents

    change_input(call, flip)


def write_others(call, names, columns):
    (call.folder / "dimuon.root").unlink()
    with uproot.recreate(call.folder / "dimuon.root") as file:
        for name in names:
            file.mkrntuple(name, columns)


def write_a_tree(call):
    (call.folder / "dimuon.root").unlink()
    with uproot.recreate(call.folder / "dimuon.root") as file:
        file.mktree("Event", {"nMuon": numpy.uint32})


FAILURES = {
    "the file is empty": lambda call: change_input(call, lambda contents: b""),
    "it is no ROOT file": lambda call: change_input(call, lambda contents: b"text" * 100),
    "it is cut off": lambda call: change_input(call, lambda contents: contents[:50000]),
    "one bit is wrong": flip_a_bit,
    "there is no such RNTuple": lambda call: edit(call, "dimuon.root:Events", "dimuon.root:Event"),
    "it holds a TTree of another name": write_a_tree,
    "it holds two RNTuples, and none is named": lambda call: (
        edit(call, "dimuon.root:Events", "dimuon.root"),
        write_others(call, ["A", "B"], {"x": numpy.arange(3)}),
    ),
    "an index is out of range": lambda call: edit(call, "nMuon == 2", "nMuon > 0"),
    "the largest of nothing": lambda call: edit(call, "Muon_charge[0] != Muon_charge[1]", "Max(Jet_pt) > 20"),
    "an integer is divided by zero": lambda call: edit(call, "nMuon == 2", "6 / nMuon == 3"),
    "lists of different sizes": lambda call: edit(call, "nMuon == 2", "Any(Muon_pt > Jet_pt)"),
    "a weight is no number": lambda call: edit(call, '"genWeight"', '"log(genWeight - 100)"'),
    'a position is no number, with `"nan": "fail"`': lambda call: edit(
        call, '"mass": {"x": {"value": "mll"', '"mass": {"nan": "fail", "x": {"value": "log(mll - 90)"'
    ),
    "an output cannot be created": lambda call: edit(call, '"skim.root"', '"/proc/skim.root"'),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_failures_are_shown_as_written(call, sample, failure):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    (call.folder / "analysis.json").write_text(README_CONFIG)
    FAILURES[failure](call)
    done = call("skimline run analysis.json")
    assert done.returncode == 1, done.stderr
    shown = table_after("Files and events").get(failure, "")
    assert without_long_numbers(shown) == without_long_numbers(message_of(done.stderr))
    assert not set(os.listdir(call.folder)) - {"analysis.json", "dimuon.root", "more.root"}


def test_each_failure_of_the_table_is_provoked():
    assert list(table_after("Files and events")) == list(FAILURES)


# Exit codes and promises


def test_exit_codes_are_those_of_the_help(call):
    section = COMMAND_LINE.read_text().split("## Exit codes")[1].split("\n## ")[0]
    in_page = dict(re.findall(r"^\| (\d+) \| (.*?) \|", section, re.MULTILINE))
    in_help = dict(
        re.findall(r"^  (\d+) +(.*)$", call("skimline --help").stdout.split("Exit codes:")[1], re.M)
    )
    assert list(in_page) == list(in_help)
    for code, meaning in in_help.items():
        assert in_page[code].startswith(meaning), code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_gives_130_and_leaves_nothing(skimline, tmp_path, number):
    command = [skimline, "generate", "dimuon", "--events", "1e9", "-o", tmp_path / "x.root"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not os.listdir(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert os.listdir(tmp_path) == []


def test_outputs_that_cannot_be_reported_are_complete(call, sample):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    (call.folder / "analysis.json").write_text(README_CONFIG)
    assert call("skimline run analysis.json").returncode == 0
    expected = [(call.folder / name).read_bytes() for name in OUTPUTS]
    for name in OUTPUTS:
        (call.folder / name).unlink()
    done = call("skimline run analysis.json > /dev/full")
    assert done.returncode == 1
    assert "standard output" in done.stderr
    assert [(call.folder / name).read_bytes() for name in OUTPUTS] == expected


def test_a_file_beyond_the_limit_leaves_nothing_and_old_files_stay(call):
    (call.folder / "x.root").write_text("old")
    done = call("ulimit -f 100; skimline generate dimuon -f --events 1e5 -o x.root")
    assert done.returncode == 1
    assert os.listdir(call.folder) == ["x.root"]
    assert (call.folder / "x.root").read_text() == "old"


def test_values_weights_and_not_a_number_are_counted_as_written(call, sample):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    axis = {"value": "Muon_pt", "bins": 5, "range": [10, 60]}
    histograms = {
        "event_weight": {"x": axis, "weight": "genWeight"},
        "element_weight": {"x": axis, "weight": "Muon_eta"},
        "value_per_weight": {"x": axis | {"value": "MET_pt"}, "weight": "Muon_eta"},
        "lost": {"x": axis | {"value": "sqrt(MET_pt - 20)", "label": "m", "unit": "GeV"}},
    }
    config = parsed(README_CONFIG) | {"histograms": histograms, "select": []}
    (call.folder / "analysis.json").write_text(json.dumps(config))
    done = call("skimline run analysis.json")
    assert done.returncode == 0, done.stderr

    events = uproot.open(sample)["Events"].arrays()
    pt, eta, met = events.Muon_pt, events.Muon_eta, events.MET_pt
    num_lost = int(numpy.sum(met < 20))
    assert (
        f'warning: histogram "lost": {num_lost} values are not a number; they count as overflow'
        in done.stderr
    )

    def expected(values, weights):
        edges = [-numpy.inf, 10, 20, 30, 40, 50, 60, numpy.inf]
        return numpy.histogram(awkward.flatten(values), edges, weights=awkward.flatten(weights))[0]

    file = uproot.open(call.folder / "histograms.root")
    for name, values, weights in [
        ("event_weight", pt, awkward.broadcast_arrays(events.genWeight, pt)[0]),
        ("element_weight", pt, eta),
        ("value_per_weight", awkward.broadcast_arrays(met, eta)[0], eta),
    ]:
        found = file[name].values(flow=True)
        numpy.testing.assert_allclose(
            found, expected(values, awkward.values_astype(weights, float)), rtol=1e-12, atol=1e-9
        )
    lost = file["lost"]
    assert lost.values(flow=True)[-1] == num_lost
    assert lost.member("fEntries") == len(events)
    assert (lost.title, lost.member("fXaxis").member("fTitle")) == ("", "m [GeV]")
    assert lost.member("fYaxis").member("fTitle") == "Events"


def test_files_and_columns_come_in_the_order_written(call):
    for number, name in enumerate(["run9", "run10", "a[1]"]):
        with uproot.recreate(call.folder / f"{name}.root") as file:
            file.mkrntuple("Events", {"b": numpy.full(2, number), "a": numpy.arange(2)})
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["a[1].root", "run*.root:Events"]}},
        "define": {"z": "a + 1", "y": "z + 1"},
        "skims": {"s": {"file": "s.root", "keep": ["y", "z", "b", "a"]}},
    }
    (call.folder / "a.json").write_text(json.dumps(config))
    assert call("skimline run a.json").returncode == 0
    skim = uproot.open(call.folder / "s.root")["Events"]
    assert skim.keys() == ["a", "b", "z", "y"]
    assert skim["b"].array().to_list() == [2, 2, 1, 1, 0, 0]


def test_a_definition_is_computed_only_where_it_is_used(call, sample):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    cuts = {"safe": [{"name": "a muon", "where": "nMuon > 0"}], "unsafe": []}
    for name, select in cuts.items():
        config = parsed(README_CONFIG) | {"define": {"mll": "Muon_pt[0]"}, "select": select}
        (call.folder / f"{name}.json").write_text(json.dumps(config))
    assert call("skimline run safe.json").returncode == 0
    assert call("skimline run -f unsafe.json").returncode == 1


def test_a_skim_keeps_fields_that_expressions_cannot_hold(call):
    lists = awkward.Array([[[[1.0], []], []], [], [[[2.0]]]])
    with uproot.recreate(call.folder / "in.root") as file:
        file.mkrntuple(
            "Events", {"x": numpy.arange(3), "name": awkward.Array(["a", "b", "c"]), "deep": lists}
        )
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "skims": {"s": {"file": "s.root"}},
    }

    def run(**more):
        config["skims"]["s"] = {"file": "s.root"} | more
        (call.folder / "a.json").write_text(json.dumps(config))
        return call("skimline run a.json")

    def kept():
        return uproot.open(call.folder / "s.root")["Events"].arrays()

    assert run().returncode == 0
    assert kept()["name"].tolist() == ["a", "b", "c"]
    assert kept()["deep"].tolist() == lists.tolist()
    run(drop=["name"])
    assert set(kept().fields) == {"x", "deep"}
    run(keep=["deep"])
    assert kept().fields == ["deep"]
    refused = run(where="deep > 1")
    assert refused.returncode == 2
    assert 'the field "deep" cannot be used in expressions: lists nested more than two deep' in refused.stderr


# Links and code


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for link in LINK.findall(page.read_text()):
        if link.startswith(("https://", "#")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            anchors = [
                re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
            ]
            assert anchor in anchors, link


def test_files_that_the_architecture_names_exist():
    named = re.findall(r"`([\w/]+/\w+\.(?:cc|h))`", (ROOT / "docs" / "architecture.md").read_text())
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_index_leads_to_every_page():
    linked = set(LINK.findall((ROOT / "docs" / "index.md").read_text()))
    assert {page.name for page in PAGES if page.parent.name == "docs"} - {"index.md"} <= linked


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```cpp" in page.read_text()], ids=lambda p: p.name
)
def test_code_compiles(page, tmp_path):
    includes = [f"-I{ROOT / folder / 'include'}" for folder in ("framework", "histograms", "io", "skims")]
    for code in blocks(page, "cpp"):
        (tmp_path / "a.cc").write_text(code)
        command = ["g++", "-std=c++20", "-Wall", "-Werror", "-fsyntax-only", *includes, tmp_path / "a.cc"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
