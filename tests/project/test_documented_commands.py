# SPDX-License-Identifier: BSD-3-Clause
"""The commands, code and options that README.md and docs/ show run, and print what is shown."""

import json
import math
import re
import shutil
import sys

import pytest
import uproot
from pages import COMMAND_LINE, PAGES, README_CONFIG, ROOT, blocks


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
        "submit",
        "status",
        "store",
        "plot",
        "diff",
        "rerun",
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
