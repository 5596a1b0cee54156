# SPDX-License-Identifier: BSD-3-Clause
"""Functions in configs, the built-in names, and warnings of expressions."""

import json
import shutil

import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

HISTOGRAM = {"x": {"bins": 40, "range": [0, 200]}}


def config_with(sample, value, **more):
    return {
        "schema_version": 1,
        "samples": {"muons": {"files": [str(sample)]}},
        "histograms": {"h": {"x": {"value": value, **HISTOGRAM["x"]}}},
        "output": {"histograms": "h.root"},
    } | more


def counts(folder):
    with uproot.open(folder / "h.root") as file:
        return file["h"].values(flow=True)


def test_functions_are_used_like_those_of_the_language(job, sample, columns, tmp_path):
    functions = {"scaled(x, by)": "x * by", "is_high(pt)": "scaled(pt, 2.) > 60"}
    done = job(config_with(sample, "Sum(is_high(Muon_pt))", functions=functions))
    assert done.returncode == DONE, done.stderr
    expected = [int(numpy.sum(numpy.asarray(pt, float) * 2 > 60)) for pt in columns["Muon_pt"].to_list()]
    assert numpy.sum(counts(tmp_path)[1:2]) == sum(n < 5 for n in expected)
    assert numpy.sum(counts(tmp_path)) == len(expected)


def test_functions_of_cpp_are_taken_with_their_types(job, sample, columns, tmp_path):
    """And one that is not used is named without its type."""
    functions = {
        "int tens(const float &pt)": "{ auto tens = pt / 10; return tens; }",
        "float unused (float x)": "x",
    }
    done = job(config_with(sample, "5 * Sum(tens(Muon_pt) == 3)", functions=functions))
    assert done.returncode == DONE, done.stderr
    assert 'the function "unused" is not used' in done.stderr
    assert "tens" not in done.stderr
    expected = [
        sum(int(pt / numpy.float32(10)) == 3 for pt in event) for event in columns["Muon_pt"].to_list()
    ]
    assert counts(tmp_path)[1:3].tolist() == [expected.count(0), expected.count(1)]


@pytest.mark.parametrize(
    ("functions", "value", "message"),
    [
        ({"f(x)": "x + y"}, "f(1)", '26:16: error: "y" is not a parameter of the function'),
        ({"f(x": "x"}, "1", "26:7: error: expected ')'"),
        ({"Sum(x)": "x"}, "1", '"Sum" is a function of the language'),
        ({"float f(x)": "x + y"}, "f(1)", '26:22: error: "y" is not a parameter of the function'),
        ({"f(x)": "x"}, "f(1, 2)", "f(x) takes 1 argument, not 2"),
        ({"f(x)": "x[0]"}, "f(MET_pt)", 'in f(x), at "x": only lists can be indexed'),
        ({"f(x)": "g(x)", "g(x)": "x"}, "f(1)", 'unknown function "g"'),
    ],
)
def test_mistakes_in_functions_are_located(job, sample, functions, value, message):
    done = job(config_with(sample, value, functions=functions))
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr
    assert done.stderr.count("error:") == 1


def test_sample_and_entry_have_names(job, sample, columns, tmp_path):
    done = job(config_with(sample, "sample_ == 'muons' ? entry_ : 1000"))
    assert done.returncode == DONE, done.stderr
    expected, _ = numpy.histogram(numpy.arange(len(columns["MET_pt"])), numpy.linspace(0, 200, 41))
    # The last of numpy's bins includes its upper edge.
    assert counts(tmp_path)[1:40].tolist() == expected[:39].tolist()


def test_metadata_of_the_sample_are_constants(job, sample, columns, tmp_path):
    config = config_with(
        sample, "is_data ? 1000. : MET_pt * scale / norm + len_", define={"len_": "size(period)"}
    )
    config["samples"]["muons"]["metadata"] = {"is_data": False, "scale": 3, "norm": 2.5, "period": "2012B"}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    # float with int is float, and then double.
    scaled = numpy.asarray(columns["MET_pt"], numpy.float32) * numpy.float32(3)
    expected, _ = numpy.histogram(scaled.astype(float) / 2.5 + 5, numpy.linspace(0, 200, 41))
    assert counts(tmp_path)[1:40].tolist() == expected[:39].tolist()


def test_names_of_metadata_are_new(job, sample):
    config = config_with(sample, "1", define={"taken": "2"})
    config["samples"]["muons"]["metadata"] = {"MET_pt": 1, "taken": 2, "a-b": 3, "list": [1]}
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.count("error:") == 2  # what the config says alone comes first
    config["samples"]["muons"]["metadata"] = {"MET_pt": 1, "taken": 2}
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert '"MET_pt" is already a column' in done.stderr and '"taken" is defined twice' in done.stderr


def test_file_names_are_those_of_the_files(job, sample, tmp_path):
    done = job(config_with(sample, f"file_ == '{sample}' ? 1 : 0"))
    assert done.returncode == DONE, done.stderr
    assert counts(tmp_path)[1] > 0 and numpy.count_nonzero(counts(tmp_path)) == 1


@pytest.mark.parametrize("pattern", ["files/in.root", "files/*.root", "../there/files/in.root"])
def test_file_names_are_those_of_the_config_wherever_the_program_starts(call, sample, tmp_path, pattern):
    folder = tmp_path / "there"
    (folder / "files").mkdir(parents=True)
    shutil.copy(sample, folder / "files" / "in.root")
    config = config_with(pattern, "file_ == 'files/in.root' ? 7 : 0")
    (folder / "a.json").write_text(json.dumps(config))
    made = set()
    for start, path in ((folder, "a.json"), (tmp_path, "there/a.json"), ("/", folder / "a.json")):
        done = call("run", "--force", "--no-report", path, cwd=start)
        assert done.returncode == DONE, done.stderr
        assert counts(folder)[1] == 0 and counts(folder)[2] > 0
        made.add((folder / "h.root").read_bytes())
    assert len(made) == 1


def test_warnings_have_places_and_come_once(job, sample):
    done = job(config_with(sample, "nMuon / 2", define={"half": "run / 2"}))
    assert done.returncode == DONE, done.stderr
    shown = [line for line in done.stderr.splitlines() if "warning:" in line]
    assert len(shown) == 3
    assert all(line.startswith("a.json:") for line in shown)
    assert sum('both sides of "/" are integers' in line for line in shown) == 2
    assert sum('the definition "half" is not used' in line for line in shown) == 1


def test_what_a_skim_keeps_is_used(job, call, sample, tmp_path):
    config = config_with(
        sample, "nMuon", define={"part": "MET_pt * 2", "kept": "part + 1", "idle": "part * 3"}
    )
    config["skims"] = {"s": {"file": "s.root", "keep": ["event", "kept"]}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    shown = [line for line in done.stderr.splitlines() if "warning:" in line]
    assert len(shown) == 1 and 'the definition "idle" is not used' in shown[0]
    planned = call("validate", "a.json", cwd=tmp_path)
    assert planned.returncode == DONE
    assert (planned.stdout + planned.stderr).count("is not used") == 1
