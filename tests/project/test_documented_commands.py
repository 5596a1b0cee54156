# SPDX-License-Identifier: BSD-3-Clause
"""The commands, code and options that README.md and docs/ show run, and print what is shown."""

import json
import math
import re
import sys
from pathlib import Path

import pytest
import uproot
from console import Console, is_same_output, refreshed
from help_texts import options_of
from pages import COMMAND_LINE, PAGES, README_CONFIG, ROOT, blocks
from pictures import pages_that_draw

# Those of pages with pictures are tested with them.
PAGES_WITH_COMMANDS = [
    page for page in PAGES if "```console" in page.read_text() and page not in pages_that_draw(PAGES)
]


@pytest.fixture
def console(skimline, build_folder, tmp_path) -> Console:
    return Console(tmp_path, Path(skimline).resolve(), build_folder.resolve() / "python")


@pytest.mark.thorough(quick=5)
@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.name)
def test_commands_run_and_print_what_is_shown(console, page):
    for commands in console.play(page.read_text()):
        for command in commands:
            assert command.is_as_shown(), f"{command.line}\n{command.printed}\nscripts/refresh-console {page}"


@pytest.mark.parametrize(
    "found, is_shown",
    [
        ("a.root: 10 events, 1.05 MB, in 3.2 s with 4 threads\n", True),
        ("a.root: 11 events, 1.00 MB, in 0.1 s with 2 threads\n", False),
        ("a.root: 10 events, 1.20 MB, in 0.1 s with 2 threads\n", False),
        ("a.root: 10 events, 1.00 kB, in 0.1 s with 2 threads\n", False),
        ("a.root: 10 events\n", False),
    ],
)
def test_outputs_are_compared_but_for_times_and_a_little_of_sizes(found, is_shown):
    assert is_same_output(found, "a.root: 10 events, 1.00 MB, in 0.1 s with 2 threads\n") == is_shown


def test_a_page_is_refreshed_where_it_is_out_of_step_only(console):
    page = """
```text title="a.txt"
one
```

  ```console
  $ cat a.txt
  two
  $ echo 3.00 s
  4.00 s
  $ echo quiet
  ```

```console title="exit code 3"
$ cat a.txt; echo bad >&2; exit 3
?
```
"""
    expected = page.replace("two", "one").replace("?", "one\nbad")
    assert refreshed(page, console) == expected


def test_a_command_that_fails_is_no_example(console):
    with pytest.raises(AssertionError, match="exit code 4"):
        list(console.play("```console\n$ exit 4\n```"))


def table_below(heading: str) -> list[dict[str, str]]:
    """The rows of the first table of a section of the page about performance."""
    section = (ROOT / "docs" / "performance.md").read_text().split(f"\n## {heading}\n")[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0]
    header, _, *rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    return [dict(zip(header, row, strict=True)) for row in rows]


def said_in_readme(pattern: str) -> list[float]:
    return [float(number) for number in re.search(pattern, (ROOT / "README.md").read_text()).groups()]


def test_the_numbers_in_the_readme_are_those_of_the_measured_tables():
    ratios = [float(row["its loop / Skimline"]) for row in table_below("Against RDataFrame and the floor")]
    said = said_in_readme(r"([\d.]+) to ([\d.]+) times as fast as the event loop")
    assert said == [min(ratios), max(ratios)]
    agc = table_below("The Analysis Grand Challenge")[0]
    said = said_in_readme(r"([\d.]+) s of processor time .*; RDataFrame takes ([\d.]+) s")
    assert said == [float(agc["with all variations"]), float(agc["RDataFrame, all"])]
    flips = [row for row in table_below("Bit rot") if row["reader"] == "Skimline"]
    sums = [sum(int(row[key]) for row in flips) for key in ("reported", "flips")]
    assert said_in_readme(r"(\d+) of (\d+) flipped bits") == sums


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
        "recover",
        "rerun",
        "doctor",
        "upgrade",
    )
    for command in commands:
        section = text.split(f"## skimline {command}\n")[1].split("\n## ")[0] + common
        shown = set(
            re.findall(
                r"(?<![\w-])--?[a-z]+(?:-[a-z]+)*",
                " ".join(re.findall(r"^\|([^|]*)\|", section, re.MULTILINE)),
            )
        )
        assert shown == options_of(call(f"skimline {command} --help").stdout)


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
