# SPDX-License-Identifier: BSD-3-Clause
"""Files of which the compression of each column was chosen, as ROOT and uproot read them."""

import json
import subprocess
from pathlib import Path

import numpy
import pytest

uproot = pytest.importorskip("uproot")
ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

NUM_ENTRIES = 30_000
WORDS = numpy.frombuffer(b"a few words of a text that come again and again, in another order", "uint8")
CHOSEN = {"noise": "none", "steps": "zstd:1", "text": "zstd:5"}


@pytest.fixture(scope="module")
def columns():
    """One that does not compress, one that seldom changes, one in which stretches come again."""
    random = numpy.random.default_rng(1)
    begins = random.integers(0, len(WORDS), NUM_ENTRIES)
    ages = numpy.arange(NUM_ENTRIES) % 6
    return {
        "noise": random.integers(0, 2**63, NUM_ENTRIES),
        "steps": (numpy.arange(NUM_ENTRIES) // 3000).astype("int32"),
        "text": WORDS[(begins[numpy.arange(NUM_ENTRIES) - ages] + ages) % len(WORDS)],
    }


@pytest.fixture(scope="module")
def source(tmp_path_factory, columns):
    path = tmp_path_factory.mktemp("chosen") / "source.root"
    with uproot.recreate(path, compression=None) as file:
        file.mkrntuple("Events", columns)
    return path


def run(*words) -> str:
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True).stdout


def compressions(skimline: Path, path: Path) -> dict[str, str]:
    ntuple = json.loads(run(skimline, "inspect", "--json", path))["ntuples"][0]
    return {column["field"]: column["compression"] for column in ntuple["columns"]}


def assert_holds(path: Path, columns) -> None:
    by_uproot = uproot.open(f"{path}:Events").arrays()
    by_root = ROOT.RDataFrame("Events", str(path)).AsNumpy(list(columns))
    for name, values in columns.items():
        assert (by_uproot[name].to_numpy() == values).all(), name
        assert (by_root[name] == values).all(), name


def test_skims_say_what_was_chosen(skimline, tmp_path, source, columns):
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(source)]}},
        "skims": {"all": {"file": "skim.root"}},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    written = []
    for threads in (1, 2):
        text = run(skimline, "run", "-j", threads, tmp_path / "config.json")
        assert "3 columns; none for 1, zstd:1 for 1, zstd:5 for 1" in text
        written.append((tmp_path / "skim.root").read_bytes())
    assert written[0] == written[1]
    assert compressions(skimline, tmp_path / "skim.root") == CHOSEN
    run(skimline, "verify", tmp_path / "skim.root")
    assert_holds(tmp_path / "skim.root", columns)

    config["skims"]["all"]["compression"] = "zstd:5"
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert "zstd:5 for" not in run(skimline, "run", tmp_path / "config.json")
    assert set(compressions(skimline, tmp_path / "skim.root").values()) == {"zstd:5"}


@pytest.mark.filterwarnings("ignore:Merging RNTuples is experimental")
def test_joined_clusters_have_what_is_chosen_for_all_their_entries(skimline, tmp_path, source, columns):
    parts = [tmp_path / "a.root", tmp_path / "b.root"]
    for part in parts:
        run(skimline, "convert", source, "-o", part)
    twice = {name: numpy.concatenate([values, values]) for name, values in columns.items()}
    run(skimline, "merge", "--allow-overlap", "--method", "copy", tmp_path / "kept.root", *parts)
    assert compressions(skimline, tmp_path / "kept.root") == CHOSEN
    assert_holds(tmp_path / "kept.root", twice)
    with uproot.recreate(tmp_path / "twice.root", compression=None) as file:
        file.mkrntuple("Events", twice)
    run(skimline, "convert", tmp_path / "twice.root", "-o", tmp_path / "at_once.root")
    run(skimline, "merge", "--allow-overlap", tmp_path / "ours.root", *parts)
    chosen = compressions(skimline, tmp_path / "ours.root")
    assert chosen == compressions(skimline, tmp_path / "at_once.root")
    assert chosen != CHOSEN
    assert_holds(tmp_path / "ours.root", twice)
    merger = ROOT.TFileMerger(False)
    merger.OutputFile(str(tmp_path / "theirs.root"), "RECREATE")
    for part in parts:
        merger.AddFile(str(part))
    assert merger.Merge()
    assert_holds(tmp_path / "theirs.root", twice)


@pytest.mark.parametrize(
    "name",
    [
        "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root",
        "nanoAOD_2015_CMS_Open_Data_ttbar.root",
        "uproot-HZZ.root",
        "uproot-Zmumu.root",
    ],
)
def test_small_files_are_as_small_as_with_one_level(skimline, tmp_path, shared_data, name):
    """Files of experiments, of which some columns are smaller with one level and some with the other."""
    sizes = {}
    for compression in ("auto", "zstd:1", "zstd:5"):
        path = tmp_path / f"{compression}.root"
        run(skimline, "convert", shared_data / name, "-o", path, "--compression", compression)
        sizes[compression] = sum(
            column["bytes_stored"]
            for column in json.loads(run(skimline, "inspect", "--json", path))["ntuples"][0]["columns"]
        )
    assert sizes["auto"] < 1.001 * min(sizes["zstd:1"], sizes["zstd:5"])
