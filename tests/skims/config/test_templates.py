# SPDX-License-Identifier: BSD-3-Clause
"""Configs with templates give the bytes that the same config gives when it is written out."""

import json
import shutil
import subprocess
from pathlib import Path

import awkward as ak
import jsonschema
import numpy as np
import pytest
import uproot

REPOSITORY = Path(__file__).parents[3]
TEMPLATES = {
    "schema_version": 1,
    "include": "cuts/regions.json",
    "variables": {"points": ["loose", "tight"], "bins": 10},
    "samples": {"${name}": {"for": {"name": ["a", "b"]}, "files": ["data/${name}.root"]}},
    "define": {
        "n_${wp}": {
            "for": [{"wp": "loose", "cut": 10}, {"wp": "tight", "cut": 30.5}],
            "each": "Sum(x > ${cut})",
        }
    },
    "variations": {
        "scale_${size}": {
            "for": {"size": [1, 2]},
            "columns": {"x": {"up": "x * (1 + 0.0${size}f)", "down": "x * (1 - 0.0${size}f)"}},
        }
    },
    "histograms": {
        "y_${wp}": {
            "for": {"wp": "${points}"},
            "x": {"value": "y", "bins": "${bins}", "range": [0, 1]},
            "regions": ["${wp}_1", "${wp}_2"],
        }
    },
    "output": {"histograms": "out.root", "report": False},
}
REGIONS = {
    "regions": {"${wp}_${n}": {"for": {"wp": "${points}", "n": [1, 2]}, "where": "n_${wp} >= ${n}"}},
    "skims": {"${wp}": {"for": {"wp": ["tight"]}, "file": "${wp}_{sample}.root", "region": "${wp}_2"}},
}
SCALES = {"up": "x * (1 + 0.0{}f)", "down": "x * (1 - 0.0{}f)"}
# In the order in which the files are put together.
WRITTEN_OUT = {
    "regions": {f"{wp}_{n}": {"where": f"n_{wp} >= {n}"} for wp in ("loose", "tight") for n in (1, 2)},
    "skims": {"tight": {"file": "cuts/tight_{sample}.root", "region": "tight_2"}},
    "schema_version": 1,
    "samples": {name: {"files": [f"data/{name}.root"]} for name in "ab"},
    "define": {"n_loose": "Sum(x > 10)", "n_tight": "Sum(x > 30.5)"},
    "variations": {
        f"scale_{size}": {"columns": {"x": {key: text.format(size) for key, text in SCALES.items()}}}
        for size in (1, 2)
    },
    "histograms": {
        f"y_{wp}": {"x": {"value": "y", "bins": 10, "range": [0, 1]}, "regions": [f"{wp}_1", f"{wp}_2"]}
        for wp in ("loose", "tight")
    },
    "output": {"histograms": "out.root", "report": False},
}


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    random = np.random.default_rng(8)
    for sample in "ab":
        counts = random.integers(0, 5, 2000)
        x = ak.unflatten(random.exponential(20, int(counts.sum())).astype("f4"), counts)
        with uproot.recreate(folder / f"{sample}.root") as file:
            file.mktree("Events", {"x": "var * float32", "y": "float64"})
            file["Events"].extend({"x": x, "y": random.random(2000)})
    return folder


@pytest.fixture
def make(tmp_path, events):
    """Makes a folder with a config, what it includes, and the events."""

    def make(name, config, included=None):
        folder = tmp_path / name
        shutil.copytree(events, folder / "data")
        (folder / "cuts").mkdir()
        (folder / "config.json").write_text(json.dumps(config, indent=1))
        if included:
            (folder / "cuts" / "regions.json").write_text(json.dumps(included, indent=1))
        return folder

    return make


def run(skimline, folder, *arguments):
    return subprocess.run(
        [skimline, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


def outputs(folder):
    names = ["out.root", "cuts/tight_a.root", "cuts/tight_b.root"]
    return {name: (folder / name).read_bytes() for name in names}


def test_a_run_gives_the_bytes_of_what_is_written_out(skimline, make):
    templates, written_out = make("templates", TEMPLATES, REGIONS), make("written_out", WRITTEN_OUT)
    for folder in (templates, written_out):
        done = run(skimline, folder, "run", "config.json")
        assert done.returncode == 0, done.stderr
    assert outputs(templates) == outputs(written_out)
    histogram = uproot.open(templates / "out.root")["loose_1__a__y_loose__nominal"]
    assert histogram.values(flow=True).sum() > 100


def test_the_expanded_config_gives_the_same(skimline, make):
    folder = make("templates", TEMPLATES, REGIONS)
    assert run(skimline, folder, "run", "config.json").returncode == 0
    expected = outputs(folder)
    shown = run(skimline, folder, "validate", "--expand", "config.json")
    assert shown.returncode == 0 and "${" not in shown.stdout
    assert json.loads(shown.stdout) == WRITTEN_OUT
    (folder / "config.json").write_text(shown.stdout)
    done = run(skimline, folder, "run", "config.json", "--force")
    assert done.returncode == 0, done.stderr
    assert outputs(folder) == expected


def test_mistakes_of_columns_name_the_copy(skimline, make):
    regions = json.loads(json.dumps(REGIONS).replace("n_${wp} >= ${n}", "n_${wp} >= ${n} + m_${wp}"))
    folder = make("templates", TEMPLATES, regions)
    done = run(skimline, folder, "validate", "config.json")
    assert done.returncode == 2
    places = [line for line in done.stderr.splitlines() if "error:" in line]
    assert len(places) == 4
    for wp in ("loose", "tight"):
        for n in (1, 2):
            assert any(
                f'cuts/regions.json:3:3 with wp = "{wp}", n = {n}:1:' in line
                and f'unknown column "m_{wp}"' in line
                for line in places
            ), places


def test_the_schema_takes_templates():
    schema = json.loads((REPOSITORY / "configs" / "schema" / "skimline-1.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(TEMPLATES)
    validator.validate(REGIONS)
    for wrong in ({"for": [], "where": "1"}, {"for": "wp", "where": "1"}, {"for": {"wp": []}, "where": "1"}):
        assert list(validator.iter_errors({"regions": {"r_${wp}": wrong}}))
    assert list(validator.iter_errors({"regions": {"r": {"were": "1"}}}))


@pytest.mark.parametrize(
    "option", ["--input", "--samples", "--limit-files", "--limit-events", "--shard", "--cache"]
)
def test_options_that_choose_files_do_not_expand(skimline, option):
    value = {"--shard": "1/2"}.get(option, "1")
    done = subprocess.run(
        [skimline, "validate", "--expand", "config.json", option, value],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and f"{option} excludes --expand" in done.stderr
