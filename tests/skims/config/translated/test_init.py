# SPDX-License-Identifier: BSD-3-Clause
"""skimline init: configs that are valid, run, and show what is in the file."""

import re
import subprocess

import awkward
import numpy
import pytest
import uproot


@pytest.fixture
def call(skimline, tmp_path):
    def run(*arguments, cwd=tmp_path):
        return subprocess.run(
            [skimline, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=120
        )

    run.folder = tmp_path
    return run


def check_runs(call, name="analysis.json"):
    valid = call("validate", name)
    assert valid.returncode == 0, valid.stderr
    # uproot writes no checksums of pages, which is said.
    assert valid.stdout.count("warning:") == valid.stdout.count("pages without checksums")
    done = call("run", name)
    assert done.returncode == 0, done.stderr


def flat(array):
    return awkward.to_numpy(awkward.flatten(array, axis=None)).astype(float)


@pytest.mark.parametrize("model", ["dimuon", "dijet", "adl"])
def test_configs_for_events_of_all_models_run(call, plain_config, model):
    assert call("generate", model, "--events", "5000", "-o", "in.root").returncode == 0
    done = call("init", "in.root")
    assert (done.returncode, done.stdout) == (0, "wrote analysis.json\n")
    check_runs(call)
    config = plain_config(call.folder / "analysis.json")
    assert config["samples"] == {"in": {"files": ["in.root:Events"]}}
    events = uproot.open(call.folder / "in.root")["Events"].arrays()
    passed = events
    for cut in config.get("select", []):
        column = re.fullmatch(r"(n\w+) > 0", cut["where"])[1]
        passed = passed[passed[column] > 0]
    histograms = uproot.open(call.folder / config["output"]["histograms"])
    assert {key.split(";")[0] for key in histograms.keys()} >= set(config["histograms"])
    depths = set()
    for name, histogram in config["histograms"].items():
        axis = histogram["x"]
        depths.add(passed[axis["value"]].ndim)
        values = flat(passed[axis["value"]])
        low, high = axis["range"]
        inside = numpy.count_nonzero((values >= low) & (values < high))
        assert inside > 0.95 * len(values), name
        # A range that is much wider than the values would show one bin.
        width = numpy.quantile(values, 0.99) - numpy.quantile(values, 0.01)
        assert width == 0 or high - low < 4 * width, name
        assert histograms[name].values().sum() == inside
    assert depths == {1, 2} if model != "dijet" else depths
    skim = uproot.open(call.folder / config["skims"]["selected"]["file"])["Events"]
    assert skim.num_entries == len(passed)


def test_the_muons_are_selected(call, plain_config):
    call("generate", "dimuon", "--events", "100", "-o", "in.root")
    call("init", "in.root", "-o", "muons.json")
    config = plain_config(call.folder / "muons.json")
    assert config["select"] == [{"name": "at least one Muon", "where": "nMuon > 0"}]
    assert "Muon_pt" in config["histograms"]


def test_files_of_any_kind_get_configs(call):
    """Odd names, no numbers to fill, values that are no numbers or all equal, no entries."""
    odd = call.folder / "my file [1] ${x} @.root"
    with uproot.recreate(odd) as file:
        file.mkrntuple(
            "Events",
            {
                "constant": numpy.full(10, 1e9),
                "nothing": numpy.full(10, numpy.nan),
                "infinite": numpy.full(10, numpy.inf),
                "tiny": numpy.linspace(-1e-30, 1e-30, 10),
                "huge": numpy.linspace(-1e300, 1e300, 10),
                "true": numpy.zeros(10),
                "entry_": numpy.zeros(10),
            },
        )
    assert call("init", odd).returncode == 0
    assert call("validate", "analysis.json").returncode == 0
    for number, columns in enumerate(
        [{"text": ["a", "b"]}, {"n": numpy.arange(3)}, {"x": numpy.zeros(0)}, {"lists": [[1.5], []]}]
    ):
        name = f"{number}.root"
        with uproot.recreate(call.folder / name) as file:
            file.mkrntuple("Other", {key: awkward.Array(value) for key, value in columns.items()})
        assert call("init", name, "-o", f"{number}.json").returncode == 0
        check_runs(call, f"{number}.json")


def test_a_config_has_no_skim_if_no_column_can_be_in_it(call, plain_config):
    with uproot.recreate(call.folder / "spaces.root") as file:
        file.mktree("Events", {"a b": numpy.float32})
        file["Events"].extend({"a b": numpy.ones(5, numpy.float32)})
        file.mktree("Numbers", {"a b": numpy.int32})
        file["Numbers"].extend({"a b": numpy.ones(5, numpy.int32)})
    assert call("init", "spaces.root:Events").returncode == 0
    assert "skims" not in plain_config(call.folder / "analysis.json")
    check_runs(call)
    done = call("init", "spaces.root:Numbers", "-o", "numbers.json")
    assert done.returncode == 1
    assert 'has no columns in "Numbers" to begin a config with' in done.stderr


def test_of_several_ntuples_events_are_taken(call, plain_config):
    with uproot.recreate(call.folder / "in.root") as file:
        file.mkrntuple("Runs", {"run": numpy.arange(3)})
        file.mkrntuple("Events", {"x": numpy.linspace(0, 1, 50)})
    assert call("init", "in.root").returncode == 0
    assert plain_config(call.folder / "analysis.json")["samples"]["in"]["files"] == ["in.root:Events"]
    assert call("init", "in.root:Runs", "-o", "runs.json").returncode == 0
    assert plain_config(call.folder / "runs.json")["samples"]["in"]["files"] == ["in.root:Runs"]
    check_runs(call)


def test_paths_are_seen_from_the_config(call, plain_config):
    (call.folder / "data").mkdir()
    (call.folder / "configs").mkdir()
    call("generate", "dimuon", "--events", "100", "-o", "data/in.root")
    assert call("init", "../data/in.root", "-o", "a.json", cwd=call.folder / "configs").returncode == 0
    assert call("init", "data/in.root", "-o", "configs/b.json").returncode == 0
    for name in ("a.json", "b.json"):
        config = plain_config(call.folder / "configs" / name)
        assert config["samples"]["in"]["files"] == ["../data/in.root:Events"]
    check_runs(call, "configs/b.json")


def test_outputs_are_not_the_input(call):
    call("generate", "dimuon", "--events", "100", "-o", "analysis_skim.root")
    assert call("init", "analysis_skim.root").returncode == 0
    check_runs(call)


@pytest.mark.parametrize("source", ["spec.json", "nano_postproc.py out in.root -J spec.json"])
def test_outputs_are_not_what_they_are_made_of(call, source):
    spec = call.folder / "spec.json"
    spec.write_text('{"samples": {"a": {"trees": ["Events"], "files": ["in.root"]}}}')
    before = spec.read_text()
    done = call("init", "--from", source, "-o", "./spec.json", "--force")
    assert done.returncode == 2
    assert '"./spec.json" is what the config would be made of' in done.stderr
    assert spec.read_text() == before


def test_nothing_is_overwritten_unless_told(call, plain_config):
    call("generate", "dimuon", "--events", "100", "-o", "in.root")
    config = call.folder / "analysis.json"
    config.write_text("mine")
    done = call("init", "in.root")
    assert done.returncode == 2
    assert done.stderr == '"analysis.json" exists; --force replaces it\n'
    assert config.read_text() == "mine"
    assert call("init", "in.root", "--force").returncode == 0
    assert plain_config(config)["schema_version"] == 1
    data = (call.folder / "in.root").read_bytes()
    assert call("init", "in.root", "-o", "in.root", "--force").returncode == 2
    assert (call.folder / "in.root").read_bytes() == data
    assert sorted(path.name for path in call.folder.iterdir()) == ["analysis.json", "in.root"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.root"], 1, "none.root"),
        (["text.root"], 1, "is not a ROOT file"),
        (["in.root:Event"], 1, 'did you mean "Events"?'),
        (["in.root", "-o", "text.root/a.json"], 1, "text.root/a.json: cannot be created"),
        (["in.root", "-o", "."], 2, '"." is a folder'),
    ],
)
def test_what_cannot_be_done_is_said(call, arguments, code, message):
    call("generate", "dimuon", "--events", "100", "-o", "in.root")
    (call.folder / "text.root").write_text("text" * 100)
    done = call("init", *arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert sorted(path.name for path in call.folder.iterdir()) == ["in.root", "text.root"]


def test_the_schema_is_printed(skimline, repository):
    done = subprocess.run([skimline, "schema"], capture_output=True, check=True)
    assert done.stdout == (repository / "configs" / "schema" / "skimline-1.schema.json").read_bytes()
