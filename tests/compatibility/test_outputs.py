# SPDX-License-Identifier: BSD-3-Clause
"""What older versions have written is read, merged and gone on with, or refused by name."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import uproot

HERE = Path(__file__).resolve().parent
VERSIONS = sorted(HERE.glob("*.tar.xz"))
NAMES = ("muons", "leading", "mean")


@pytest.fixture(scope="module", params=[*VERSIONS, None], ids=lambda path: path.name[:-7] if path else "now")
def made(request, skimline, build_folder, tmp_path_factory) -> Path:
    """The outputs of an older version; and of this one, so that what makes them stays in order."""
    folder = tmp_path_factory.mktemp("made")
    if request.param is None:
        command = [sys.executable, HERE / "make_outputs.py", skimline, build_folder / "python", folder]
        subprocess.run(command, check=True)
    else:
        subprocess.run(["tar", "xJf", request.param, "-C", folder], check=True)
    return folder


@pytest.fixture
def call(skimline, made):
    def run(*arguments) -> str:
        command = [skimline, *map(str, arguments)]
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def package(build_folder, monkeypatch):
    monkeypatch.syspath_prepend(str(build_folder / "python"))
    import skimline

    return skimline


def events(path: Path) -> dict[str, list]:
    with uproot.open(path) as file:
        arrays = file["Events"].arrays(["nMuon", "Muon_pt", "leading"])
    return {name: arrays[name].to_list() for name in arrays.fields}


def contents(path: Path) -> dict[str, tuple[list, list]]:
    """Values and variances of all histograms, flow bins included."""
    with uproot.open(path) as file:
        return {
            name: (file[name].values(flow=True).tolist(), file[name].variances(flow=True).tolist())
            for name in NAMES
        }


def expected_events(made: Path) -> dict[str, list]:
    with uproot.open(made / "events.root") as file:
        arrays = file["Events"].arrays(["nMuon", "Muon_pt"])
    chosen = arrays[arrays["nMuon"] > 1]
    pt = chosen["Muon_pt"].to_list()
    return {"nMuon": chosen["nMuon"].to_list(), "Muon_pt": pt, "leading": [max(each) for each in pt]}


def test_there_are_outputs_of_older_versions():
    assert VERSIONS


def test_skims_and_trees_have_the_events_that_were_chosen(made, call):
    expected = expected_events(made)
    assert 0 < len(expected["nMuon"]) < 40
    for name in ("skim.root", "tree.root"):
        assert events(made / name) == expected
        call("verify", name)
    call("diff", "skim.root", "skim.root")


def test_histograms_have_the_bins_of_a_plain_loop(made):
    chosen = np.array(expected_events(made)["nMuon"])
    weights = np.bincount(chosen, minlength=8) * 0.1 * np.arange(8)
    values, variances = contents(made / "histograms.root")["muons"]
    assert values == pytest.approx([0, *weights, 0])
    squares = np.bincount(chosen, minlength=8) * (0.1 * np.arange(8)) ** 2
    assert variances == pytest.approx([0, *squares, 0])


def test_the_config_means_the_same(made, call, tmp_path):
    assert "nothing to change" in call("upgrade", "analysis.json")
    call("validate", "analysis.json")
    outputs = [f'output.histograms="{tmp_path}/new.root"', f'skims.skim.file="{tmp_path}/skim.root"']
    outputs.append(f'skims.tree.file="{tmp_path}/tree.root"')
    call("run", "analysis.json", "--no-report", *(word for output in outputs for word in ("--set", output)))
    assert contents(tmp_path / "new.root") == contents(made / "histograms.root")
    assert events(tmp_path / "skim.root") == events(made / "skim.root")
    call("diff", "histograms.root", tmp_path / "new.root")
    call("diff", "skim.root", tmp_path / "skim.root")


def test_records_are_read(made, call):
    for name in ("histograms.root", "skim.root"):
        assert call("show", name).startswith(f"{name}: made by skimline 0.1.0, 1 config\n")
        (file,) = json.loads(call("show", name, "--json"))["files"]
        (config,) = file["record"]["configs"]
        assert set(config["histograms"]) == set(NAMES)


def test_what_made_a_file_is_run_again_with_the_same_answer(made, request, skimline, tmp_path):
    command = [skimline, "rerun", "histograms.root", "--config-folder", made, "-o", tmp_path / "again"]
    done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
    # Another version may write other bytes, and says so.
    is_now = "now" in request.node.callspec.id
    assert done.returncode == 0 or (not is_now and done.returncode == 4), done.stdout + done.stderr
    assert is_now or "3 histograms compared, none differs" in done.stdout


def test_shards_are_merged_to_the_whole(made, call, tmp_path):
    for name in ("histograms", "skim"):
        target = tmp_path / f"{name}.root"
        call("merge", target, f"{name}.shard1of2.root", f"{name}.shard2of2.root")
    assert contents(tmp_path / "histograms.root") == contents(made / "histograms.root")
    assert events(tmp_path / "skim.root") == events(made / "skim.root")


def test_a_shard_of_then_and_one_of_now_are_merged_to_the_whole(made, call, tmp_path):
    outputs = [f'output.histograms="{tmp_path}/new.root"', f'skims.skim.file="{tmp_path}/skim.root"']
    outputs.append(f'skims.tree.file="{tmp_path}/tree.root"')
    settings = [word for output in outputs for word in ("--set", output)]
    call("run", "analysis.json", "--no-report", "--shard", "2/2", *settings)
    call("merge", tmp_path / "all.root", "histograms.shard1of2.root", tmp_path / "new.shard2of2.root")
    assert contents(tmp_path / "all.root") == contents(made / "histograms.root")
    call("merge", tmp_path / "events.root", "skim.shard1of2.root", tmp_path / "skim.shard2of2.root")
    assert events(tmp_path / "events.root") == events(made / "skim.root")


def test_the_store_is_read_and_gone_on_with(made, call):
    call("store", "results", "--verify")
    before = contents(made / "histograms.root")
    call("run", "analysis.json", "--store", "results", "--no-report", "--force")
    assert contents(made / "histograms.root") == before


def test_pickled_histograms_have_their_bins(made, package):
    import pickle

    histogram = pickle.loads((made / "histogram.pickle").read_bytes())
    values, variances = contents(made / "histograms.root")["leading"]
    assert histogram.values(flow=True).tolist() == values
    assert histogram.variances(flow=True).tolist() == variances


def test_pickled_events_are_the_same_or_refused_by_name(made, package, monkeypatch):
    import pickle

    monkeypatch.chdir(made)
    frame = pickle.loads((made / "events.pickle").read_bytes())
    try:
        assert frame.count() == len(expected_events(made)["nMuon"])
    except package.FileError as error:
        assert "events.root" in str(error)
