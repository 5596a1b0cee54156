# SPDX-License-Identifier: BSD-3-Clause
"""Configs of several files, variables and settings give what one plain config gives, from wherever they are run."""

import json
import os
import re
import subprocess

import numpy
import pytest
import uproot

VALUES = numpy.random.default_rng(6).normal(50, 20, 3000).astype(numpy.float32)

PARTS = {
    "analysis/main.json": {
        "include": ["../shared/objects.json", "cuts.json"],
        "schema_version": 1,
        "variables": {"edges": [0, 25, "${limit}", 100]},
        "override": {"select.1.where": "double > ${low}"},
        "histograms": {"h": {"x": {"value": "x", "edges": "${edges}"}}},
        "skims": {"s": {"file": "skim.root"}},
        "output": {"histograms": "out_${year}.root", "report": False},
    },
    "analysis/cuts.json": {
        "include": "../shared/objects.json",
        "variables": {"low": 30},
        "select": [{"name": "below", "where": "x < limit"}, {"name": "above", "where": "x > 0"}],
    },
    "shared/objects.json": {
        "samples": {"data": {"files": ["../data/${year}/*.root"], "metadata": {"limit": "${limit}"}}},
        "variables": {"year": 2018, "limit": 60},
        "define": {"double": "x * 2"},
    },
}


@pytest.fixture
def folder(tmp_path):
    for name, part in PARTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(part, indent=2))
    for year, values in ((2018, VALUES), (2017, VALUES[:100])):
        (tmp_path / "data" / str(year)).mkdir(parents=True)
        with uproot.recreate(tmp_path / "data" / str(year) / "a.root") as file:
            file.mkrntuple("Events", {"x": values})
    return tmp_path


@pytest.fixture
def run(skimline, folder):
    def run(*arguments, cwd=folder, config="analysis/main.json", command="run"):
        config = os.path.relpath(folder / config, cwd)
        return subprocess.run(
            [skimline, command, config, *arguments], cwd=cwd, capture_output=True, text=True, check=False
        )

    return run


def expected(values, limit=60, low=30):
    kept = values[(values < limit) & (values * 2 > low)]
    return len(kept), numpy.histogram(kept, [0, 25, limit, 100])[0].tolist()


def found(folder, year=2018):
    histogram = uproot.open(folder / "analysis" / f"out_{year}.root")["h"]
    skim = uproot.open(folder / "analysis" / "skim.root")["Events"]
    return skim.num_entries, histogram.values().tolist()


def test_parts_are_one_config(folder, run):
    done = run()
    assert done.returncode == 0, done.stderr
    assert found(folder) == expected(VALUES)


def test_settings_come_last(folder, run):
    settings = {
        "variables.year": "2017",
        "samples.data.metadata.limit": "70",
        "variables.limit": "55.5",
        "select.1.where": "x > 20",
    }
    arguments = [text for key, value in settings.items() for text in ("--set", f"{key}={value}")]
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    values = VALUES[:100]
    kept = values[(values < 70) & (values > 20)]
    counts = numpy.histogram(kept, [0, 25, 55.5, 100])[0].tolist()
    assert found(folder, 2017) == (len(kept), counts)


def test_outputs_do_not_depend_on_where_the_program_is_started(folder, run):
    contents = []
    for cwd in (folder, folder / "analysis", folder / "data" / "2018"):
        assert run(cwd=cwd).returncode == 0
        outputs = sorted(path for path in (folder / "analysis").iterdir() if path.suffix == ".root")
        assert [path.name for path in outputs] == ["out_2018.root", "skim.root"]
        contents.append([path.read_bytes() for path in outputs])
        for path in outputs:
            path.unlink()
    assert contents[0] == contents[1] == contents[2]


def test_one_plain_config_gives_the_same(folder, run):
    assert run().returncode == 0
    composed = found(folder)
    plain = {
        "schema_version": 1,
        "samples": {"data": {"files": ["data/2018/a.root"], "metadata": {"limit": 60}}},
        "define": {"double": "x * 2"},
        "select": [{"name": "below", "where": "x < limit"}, {"name": "above", "where": "double > 30"}],
        "histograms": {"h": {"x": {"value": "x", "edges": [0, 25, 60, 100]}}},
        "skims": {"s": {"file": "analysis/skim.root"}},
        "output": {"histograms": "analysis/out_2018.root", "report": False},
    }
    (folder / "plain.json").write_text(json.dumps(plain))
    assert run("--force", config="plain.json").returncode == 0
    assert found(folder) == composed


def test_friends_of_an_included_file_are_beside_it(folder, run):
    """Not those of the same name beside the config."""
    for place, number in (("shared", 1.0), ("analysis", 2.0)):
        with uproot.recreate(folder / place / "friend.root") as file:
            file.mkrntuple("Events", {"w": numpy.full(len(VALUES), number)})
    part = json.loads((folder / "shared" / "objects.json").read_text())
    part["samples"]["data"]["friends"] = {"other": {"files": ["friend.root"]}}
    (folder / "shared" / "objects.json").write_text(json.dumps(part))
    main = json.loads((folder / "analysis" / "main.json").read_text())
    main["histograms"]["w"] = {"x": {"value": "other.w", "integers": [1, 2]}}
    (folder / "analysis" / "main.json").write_text(json.dumps(main))
    done = run()
    assert done.returncode == 0, done.stderr
    filled = uproot.open(folder / "analysis" / "out_2018.root")["w"].values()
    assert filled.tolist() == [expected(VALUES)[0], 0]


@pytest.mark.parametrize("name", ["v[1]", "v*", "v?", "v\\1"])
@pytest.mark.parametrize(
    ("file", "count"), [("*.root", 12), ("b[1].root", 5), ("b\\[1\\].root", 5), ("../%/a*", 7)]
)
def test_patterns_of_an_included_file_are_beside_it(job, tmp_path, name, file, count):
    """Not in other folders that the name of its own matches."""
    for folder, files in ((name, {"a": 7, "b[1]": 5}), ("v1", {"a": 3, "b1": 3})):
        (tmp_path / folder).mkdir()
        for stem, number in files.items():
            with uproot.recreate(tmp_path / folder / f"{stem}.root") as made:
                made.mkrntuple("Events", {"x": numpy.full(number, 0.5)})
    part = {
        "samples": {
            "s": {"files": [file.replace("%", name.translate(str.maketrans({c: f"\\{c}" for c in "[*?\\"})))]}
        }
    }
    (tmp_path / name / "part.json").write_text(json.dumps(part))
    done = job({
        "schema_version": 1,
        "include": f"{name}/part.json",
        "histograms": {"h": {"x": {"value": "x", "bins": 1, "range": [0, 1]}}},
        "output": {"histograms": "h.root"},
    })  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert uproot.open(tmp_path / "h.root")["h"].values().tolist() == [count]


def test_folders_of_an_included_file_are_beside_it(folder, run, skimline):
    files = [str(folder / "data" / "2018" / "a.root")]
    subprocess.run(
        [skimline, "verify", "--write-checksums", "--checksum-folder", folder / "shared" / "sums", *files],
        check=True,
    )
    part = json.loads((folder / "shared" / "objects.json").read_text())
    part |= {"checksum_folder": "sums", "require_checksums": True}
    (folder / "shared" / "objects.json").write_text(json.dumps(part))
    done = run()
    assert done.returncode == 0, done.stderr


def test_mistakes_point_into_the_file_that_has_them(folder, run):
    part = PARTS["shared/objects.json"] | {"define": {"double": "y * 2"}}
    (folder / "shared" / "objects.json").write_text(json.dumps(part, indent=2))
    done = run("--set", "define.other=x * z")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    written = (folder / "shared" / "objects.json").read_text().splitlines()
    number = written.index('    "double": "y * 2"') + 1
    assert lines[0] == f'shared/objects.json:{number}:16: error: unknown column "y" (did you mean "x"?)'
    assert lines[1:3] == ['      "double": "y * 2"', "                 ^"]
    assert lines[3].startswith('--set:1:18: error: unknown column "z"')
    assert lines[4:] == ["  define.other=x * z", "                   ^"]


def test_mistakes_in_settings_are_shown_as_documented(repository, run):
    page = (repository / "docs" / "command-line.md").read_text()
    shown = re.search(r"```text\n(--set:.*?)```", page, re.DOTALL)[1]
    done = run("--set", shown.splitlines()[1].strip(), command="validate")
    assert done.returncode == 2
    assert done.stderr == shown


def test_faults_of_events_point_into_the_file_that_has_them(folder, run):
    done = run("--set", "select.0.where=1 / (entry_ - 7) >= 0")
    assert done.returncode == 1
    assert "--set:1:" in done.stderr
    assert "integer division by zero" in done.stderr


def test_outputs_may_not_replace_an_included_file(folder, run):
    before = (folder / "analysis" / "cuts.json").read_bytes()
    done = run("--set", "output.histograms=cuts.json")
    assert done.returncode == 2
    assert "this file is also an included config" in done.stderr
    assert (folder / "analysis" / "cuts.json").read_bytes() == before


def test_a_url_cannot_be_included(folder, run):
    (folder / "analysis" / "remote.json").write_text('{"include": "https://me:secret@host/objects.json"}')
    done = run(config="analysis/remote.json")
    assert done.returncode == 2
    assert (
        "https://me:***@host/objects.json: configs and lists are read from files of this machine"
        in done.stderr
    )
    assert "secret" not in done.stderr


def test_plan_takes_settings_too(run):
    plan = run("--set", "variables.year=2017", "--json", command="plan")
    assert plan.returncode == 0, plan.stderr
    assert "data/2017/a.root" in plan.stdout
    assert "data/2018/a.root" not in plan.stdout
