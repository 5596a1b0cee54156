# SPDX-License-Identifier: BSD-3-Clause
"""The samples of the AGC that `skimline generate agc` writes, judged by uproot, Awkward Array and real data."""

import hashlib
import json
import subprocess

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE

SAMPLES = [
    *(f"ttbar__{variation}" for variation in ("nominal", "scaledown", "scaleup", "ME_var", "PS_var")),
    *(f"single_top_{channel}__nominal" for channel in ("s_chan", "t_chan", "tW")),
    "wjets__nominal",
]
# Fractions of events in the regions 4j1b and 4j2b of CMS's samples, from the analysis's yields.
REAL = {
    "ttbar__nominal": (0.0095, 0.0213),
    "single_top_s_chan__nominal": (0.0007, 0.0017),
    "single_top_t_chan__nominal": (0.0007, 0.0013),
    "single_top_tW__nominal": (0.0070, 0.0092),
    "wjets__nominal": (0.00011, 0.00004),
}
# What the analysis reads.
USED = [
    *(f"Electron_{name}" for name in ("pt", "eta", "sip3d", "cutBased")),
    *(f"Muon_{name}" for name in ("pt", "eta", "sip3d", "tightId", "pfRelIso04_all")),
    *(f"Jet_{name}" for name in ("pt", "eta", "phi", "mass", "jetId", "btagCSVV2")),
]


def regions(columns):
    """Whether events are in 4j1b and in 4j2b, and the four-vectors of their selected jets, in double precision."""
    wide = {
        name: ak.values_astype(columns[name], np.float64) if "Id" not in name else columns[name]
        for name in columns.fields
    }
    electrons = (
        (wide["Electron_pt"] > 30)
        & (abs(wide["Electron_eta"]) < 2.1)
        & (wide["Electron_sip3d"] < 4)
        & (wide["Electron_cutBased"] == 4)
    )
    muons = (
        (wide["Muon_pt"] > 30)
        & (abs(wide["Muon_eta"]) < 2.1)
        & (wide["Muon_sip3d"] < 4)
        & wide["Muon_tightId"]
        & (wide["Muon_pfRelIso04_all"] < 0.15)
    )
    jets = (wide["Jet_pt"] > 30) & (abs(wide["Jet_eta"]) < 2.4) & (wide["Jet_jetId"] == 6)
    tags = ak.sum(wide["Jet_btagCSVV2"][jets] > 0.5, axis=1)
    common = (ak.sum(electrons, axis=1) + ak.sum(muons, axis=1) == 1) & (ak.sum(jets, axis=1) >= 4)
    pt, eta, phi, mass = (wide[f"Jet_{name}"][jets] for name in ("pt", "eta", "phi", "mass"))
    energy = np.sqrt((pt * np.cosh(eta)) ** 2 + mass * abs(mass))
    vectors = ak.zip(
        {
            "x": pt * np.cos(phi),
            "y": pt * np.sin(phi),
            "z": pt * np.sinh(eta),
            "t": energy,
            "tag": wide["Jet_btagCSVV2"][jets],
        }
    )
    return common & (tags == 1), common & (tags >= 2), vectors


def trijet_masses(vectors):
    """The mass of the three jets, one b-tagged or more, with the largest transverse momentum together."""
    triples = ak.combinations(vectors, 3, fields=["a", "b", "c"])
    tagged = (triples.a.tag > 0.5) | (triples.b.tag > 0.5) | (triples.c.tag > 0.5)
    triples = triples[tagged]
    x, y, z, t = (triples.a[i] + triples.b[i] + triples.c[i] for i in "xyzt")
    best = ak.argmax(x**2 + y**2, axis=1, keepdims=True)
    return ak.flatten(np.sqrt(t**2 - x**2 - y**2 - z**2)[best]).to_numpy()


@pytest.fixture(scope="module")
def make(call, tmp_path_factory):
    """Makes a sample, as many events as asked for, and returns its columns."""
    folder = tmp_path_factory.mktemp("agc")

    def run(sample, events, names, *options):
        path = folder / f"{sample}_{events}.root"
        arguments = ["--sample", sample, "--events", events, "--compression", "zstd:1", "-o", path]
        made = call("generate", "agc", *arguments, *options)
        assert made.returncode == DONE, made.stderr
        return uproot.open(path)["Events"].arrays(names)

    return run


@pytest.fixture(scope="module")
def all_samples(call, tmp_path_factory):
    """The folder of all samples, as TTrees of 500 events."""
    folder = tmp_path_factory.mktemp("set") / "agc"
    made = call("generate", "agc", "--events", 500, "--format", "ttree", "-o", folder)
    assert made.returncode == DONE, made.stderr
    assert "nanoaod_inputs.json: the list of these samples" in made.stdout
    return folder


# What the events are like


@pytest.mark.parametrize(
    ("sample", "events"),
    [
        ("ttbar__nominal", 20_000),
        ("single_top_s_chan__nominal", 60_000),
        ("single_top_t_chan__nominal", 60_000),
        ("single_top_tW__nominal", 20_000),
        ("wjets__nominal", 200_000),
    ],
)
def test_the_regions_have_fractions_within_a_factor_of_three_of_the_real_ones(make, sample, events):
    one, two, _ = regions(make(sample, events, USED))
    for found, real in zip((ak.mean(one), ak.mean(two)), REAL[sample], strict=True):
        assert real / 3 < found < real * 3


@pytest.mark.parametrize("variation", ["scaledown", "scaleup", "ME_var", "PS_var"])
def test_varied_samples_fill_the_regions_about_as_the_nominal_one(make, variation):
    one, two, _ = regions(make(f"ttbar__{variation}", 10_000, USED))
    assert 0.007 < ak.mean(one) < 0.025
    assert 0.017 < ak.mean(two) < 0.055


def test_three_jets_have_the_mass_of_a_top(make):
    _, two, vectors = regions(make("ttbar__nominal", 20_000, USED))
    counts, edges = np.histogram(trijet_masses(vectors[two]), bins=25, range=(50, 550))
    assert edges[counts.argmax()] in (150, 170)
    assert counts.max() > 1.5 * counts[3]


# Files


def test_the_set_has_a_file_per_sample_and_the_list_of_them(all_samples):
    listed = json.loads((all_samples / "nanoaod_inputs.json").read_text())
    assert [f"{process}__{variation}" for process in listed for variation in listed[process]] == SAMPLES
    for sample in SAMPLES:
        process, variation = sample.split("__")
        file = f"{sample}.root"
        expected = {"nevts_total": 500, "files": [{"path": file, "nevts": 500}]}
        assert listed[process][variation] == expected
        assert uproot.open(all_samples / file)["Events"].num_entries == 500
    names = {path.name for path in all_samples.iterdir()}
    assert names == {"nanoaod_inputs.json", *(f"{sample}.root" for sample in SAMPLES)}


def test_configs_read_the_list(all_samples, job, tmp_path):
    config = {
        "schema_version": 1,
        "samples_from": str(all_samples / "nanoaod_inputs.json"),
        "histograms": {"jets": {"x": {"value": "nJet", "bins": 30, "range": [0, 30]}}},
        "output": {"histograms": "jets.root"},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    (report,) = tmp_path.glob("*.report.json")
    for sample in SAMPLES:
        assert f'"{sample}"' in report.read_text()


def test_a_sample_of_its_own_is_that_of_the_set(call, all_samples, tmp_path):
    options = ["--events", 500, "--sample", "ttbar__ME_var", "--format", "ttree", "-o", tmp_path / "a.root"]
    assert call("generate", "agc", *options).returncode == DONE
    assert (tmp_path / "a.root").read_bytes() == (all_samples / "ttbar__ME_var.root").read_bytes()


def test_both_formats_have_the_same_values(all_samples, make):
    tree = uproot.open(all_samples / "ttbar__nominal.root")["Events"]
    names = tree.keys()
    assert len(names) == 127
    columns, ntuple = tree.arrays(), make("ttbar__nominal", 500, names)
    for name in names:
        assert ak.array_equal(columns[name], ntuple[name], dtype_exact=False), name


def test_columns_have_the_types_and_counters_of_real_data(all_samples, shared_data):
    real = uproot.open(shared_data / "nanoAOD_2015_CMS_Open_Data_ttbar.root")["Events"]
    for branch in uproot.open(all_samples / "wjets__nominal.root")["Events"].branches:
        expected = real[branch.name]
        assert branch.typename == expected.typename, branch.name
        counters = [each.count_branch.name if each.count_branch else None for each in (branch, expected)]
        assert counters[0] == counters[1], branch.name


def test_what_the_analysis_reads_is_a_small_part(all_samples):
    for sample in ("ttbar__nominal", "wjets__nominal"):
        tree = uproot.open(all_samples / f"{sample}.root")["Events"]
        sizes = {branch.name: branch.compressed_bytes for branch in tree.branches}
        assert sum(sizes[name] for name in USED) < 0.15 * sum(sizes.values())


def test_files_are_the_same_for_any_number_of_threads(call, tmp_path):
    digests = set()
    for threads in (1, 2, 5):
        path = tmp_path / f"{threads}.root"
        options = ["--events", 20_000, "--sample", "wjets__nominal", "-j", threads, "-o", path]
        assert call("generate", "agc", *options).returncode == DONE
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize("model", ["dimuon", "dijet", "adl"])
def test_all_models_can_be_trees(call, tmp_path, model):
    for form in ("rntuple", "ttree"):
        options = ["--events", 300, "--format", form, "-o", tmp_path / f"{form}.root"]
        assert call("generate", model, *options).returncode == DONE
    tree, ntuple = (uproot.open(tmp_path / f"{form}.root")["Events"] for form in ("ttree", "rntuple"))
    assert tree["Jet_pt"].count_branch.name == "nJet"
    columns, expected = tree.arrays(), ntuple.arrays()
    assert sorted(columns.fields) == sorted(expected.fields)
    for name in columns.fields:
        assert ak.array_equal(columns[name], expected[name], equal_nan=True, dtype_exact=False), name


# Mistakes


def test_unknown_samples_are_named(call, tmp_path):
    options = ["--events", 1, "--sample", "ttbar__nominl", "-o", tmp_path / "a.root"]
    done = call("generate", "agc", *options)
    assert done.returncode == WRONG_USAGE
    assert 'unknown sample "ttbar__nominl" of model agc (did you mean "ttbar__nominal"?)' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_only_agc_has_samples(call, tmp_path):
    options = ["--events", 1, "--sample", "ttbar__nominal", "-o", tmp_path / "a.root"]
    done = call("generate", "adl", *options)
    assert done.returncode == WRONG_USAGE
    assert "--sample: model adl has no samples, only agc has" in done.stderr


def test_files_are_called_what_they_are(call, tmp_path):
    done = call("generate", "adl", "--events", 1, "-o", tmp_path / "a.parquet")
    assert done.returncode == WRONG_USAGE
    assert 'a.parquet" would be a ROOT file' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_set_needs_a_folder(call, tmp_path):
    (tmp_path / "taken").write_text("a file")
    for name, problem in {"taken": "is no folder", "new.root": "looks like a file"}.items():
        done = call("generate", "agc", "--events", 1, "-o", tmp_path / name)
        assert done.returncode == WRONG_USAGE
        assert f"{name}: {problem}" in done.stderr
    done = call("generate", "agc", "--events", 1, "-o", tmp_path / "taken" / "agc")
    assert done.returncode in (FAILED, WRONG_USAGE)
    assert "taken" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_set_that_cannot_be_written_leaves_nothing(call, tmp_path, skimline):
    command = f"ulimit -f 600; {skimline} generate agc --events 3000 -o {tmp_path / 'agc'}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == FAILED
    assert not (tmp_path / "agc").exists()
