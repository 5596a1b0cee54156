# SPDX-License-Identifier: BSD-3-Clause
"""skimline init --from a config of FastFrames: its histograms are those that FastFrames defines, as numpy computes them."""

import awkward as ak
import boost_histogram as bh
import numpy as np
import pytest
import uproot
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE
from fastframes_inputs import CONFIG, CROSS_SECTIONS, FILES, LUMINOSITIES, SUMS, all_inputs, make_folder


@pytest.fixture(scope="module")
def inputs():
    return all_inputs()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, inputs):
    return make_folder(tmp_path_factory.mktemp("frames"), inputs)


@pytest.fixture(scope="module")
def made(call, folder):
    done = call("init", "--from", "frames.yml", cwd=folder)
    assert done.returncode == DONE, done.stderr
    ran = call("run", "analysis.json", cwd=folder)
    assert ran.returncode == DONE, ran.stderr
    return folder / "out" / "analysis_histograms.root"


# What FastFrames defines

SETS = {
    "ttbar": ["tt_a1", "tt_a2", "tt_d"],
    "top": ["tt_a1", "tt_a2", "st_a", "tt_d", "st_d"],
    "single": ["sg"],
    "fast": ["fast"],
    "data": ["data"],
}


class Varied:
    """The columns of one file for a systematic: those with its name, as far as the first file of the sample has them."""

    def __init__(self, inputs, name, sample, systematic):
        self.columns, self.known, self.systematic = inputs[name], inputs[SETS[sample][0]], systematic

    def __getitem__(self, name):
        varied = f"{name}_{self.systematic}"
        if varied in self.known:
            return self.columns[varied]
        return self.columns.get(f"{name}_NOSYS", self.columns.get(name))

    @property
    def lead(self):
        padded = ak.fill_none(ak.pad_none(self["jet_pt"], 1), -1)
        return ak.to_numpy(padded[:, 0]).astype("f4")


def weights_of(columns, name, sample, systematic):
    dsid, campaign, _ = FILES[name]
    if sample == "data":
        weight = np.ones(len(columns["n_b"]))
    else:
        weight = columns["weight_mc"]
        if sample != "single":
            weight = weight * columns["weight_pileup"]
        if sample == "top":
            weight = weight * (1.5 + columns["n_b"])
        kind = "other" if sample == "single" else "GEN_a" if systematic == "GEN_a" else "NOSYS"
        factor = float(LUMINOSITIES[campaign]) * CROSS_SECTIONS[dsid] / SUMS[dsid, campaign, kind]
        weight = weight.astype("f8") * factor
    if systematic.startswith("boot"):
        weight = weight * (1.0 + int(systematic[-1]) / 10 * (columns["eventNumber"] % 2))
    return weight


def filled(inputs, sample, systematic, region, variable):
    """Sums and sums of squares of weights, with flow cells."""
    edges = {"met": [0, 20, 45.5, 80, 200], "jet_pt": np.linspace(0, 200, 21)}
    edges = edges.get(variable, np.linspace(0, 30, 21))
    histogram = bh.Histogram(bh.axis.Variable(edges), storage=bh.storage.Weight())
    for name in SETS[sample]:
        columns = Varied(inputs, name, sample, systematic)
        lead = columns.lead * (2 if sample == "top" else 1)
        lead = np.where(columns.lead == -1, -1, lead).astype("f4")
        chosen = (columns["met_met"] > 20) & (lead > 30) if region == "SR" else columns["n_b"] == 0
        if sample == "top":
            chosen &= columns["n_b"] != 1
        weight = weights_of(columns, name, sample, systematic)[chosen]
        if variable == "jet_pt":
            values = columns["jet_pt"][chosen]
            weight = ak.to_numpy(ak.flatten(ak.broadcast_arrays(weight, values)[0]))
            values = ak.to_numpy(ak.flatten(values))
        elif variable == "met":
            values = columns["met_met"][chosen]
        else:
            values = lead[chosen] / 1e1 * int(variable[-1])
        histogram.fill(values, weight=weight)
    return histogram.values(flow=True), histogram.variances(flow=True)


VARIABLES = {"SR": ["met", "jet_pt"], "CR": ["met", "jet_pt", "lead_1", "lead_2"]}
HAVE = {
    "ttbar": ["JET_up", "JET_down", "PRW_up", "GEN_a", "boot_1", "boot_2"],
    "top": ["JET_up", "JET_down", "PRW_up", "GEN_a"],
    "single": ["JET_up", "JET_down"],
    "fast": [],
    "data": ["boot_1", "boot_2"],
}


@pytest.mark.parametrize("sample", HAVE)
def test_histograms_are_those_that_are_defined(made, inputs, sample):
    with uproot.open(made) as file:
        for systematic in ["NOSYS", *HAVE[sample]]:
            for region, variables in VARIABLES.items():
                for variable in variables:
                    sums, squares = filled(inputs, sample, systematic, region, variable)
                    found = file[f"{sample}/{systematic}/{variable}_{region}"]
                    what = f"{sample} {systematic} {region} {variable}"
                    assert any(sums), what
                    np.testing.assert_allclose(
                        found.values(flow=True), sums, rtol=1e-12, atol=1e-12, err_msg=what
                    )
                    np.testing.assert_allclose(found.variances(flow=True), squares, rtol=1e-12, atol=1e-12)


def test_planes_are_those_that_are_defined(made, inputs):
    plane = bh.Histogram(
        bh.axis.Variable([0, 20, 45.5, 80, 200]), bh.axis.Regular(20, 0, 200), storage=bh.storage.Weight()
    )
    for name in SETS["ttbar"]:
        columns = Varied(inputs, name, "ttbar", "JET_up")
        chosen = (columns["met_met"] > 20) & (columns.lead > 30)
        pt = columns["jet_pt"][chosen]
        weight = weights_of(columns, name, "ttbar", "JET_up")[chosen]
        met, weight = (
            ak.to_numpy(ak.flatten(ak.broadcast_arrays(x, pt)[0]))
            for x in (columns["met_met"][chosen], weight)
        )
        plane.fill(met, ak.to_numpy(ak.flatten(pt)), weight=weight)
    with uproot.open(made) as file:
        found = file["ttbar/JET_up/met_vs_jet_pt_SR"]
    np.testing.assert_allclose(found.values(flow=True), plane.values(flow=True), rtol=1e-12, atol=1e-12)


def test_there_are_no_other_histograms(made):
    with uproot.open(made) as file:
        names = {key.split(";")[0] for key in file.keys(filter_classname="TH*")}
    names = {name for name in names if not name.startswith("skimline/")}
    assert names == {
        f"{sample}/{systematic}/{variable}_{region}"
        for sample, systematics in HAVE.items()
        for systematic in ["NOSYS", *systematics]
        for region, variables in VARIABLES.items()
        for variable in variables + (["met_vs_jet_pt"] if region == "SR" else [])
    }


def test_titles_are_carried_over(made):
    with uproot.open(made) as file:
        histogram = file["data/NOSYS/met_SR"]
    assert histogram.title == "Missing energy"
    assert histogram.member("fXaxis").member("fTitle") == "E_{T}^{miss} [GeV]"


def test_the_histograms_are_the_same_wherever_the_config_is_run(call, folder, made):
    """Files of several data sets are told apart by their names."""
    ran = call("run", "-f", folder / "analysis.json", "--set", "output.histograms.file=again.root", cwd="/")
    assert ran.returncode == DONE, ran.stderr
    with uproot.open(made) as one, uproot.open(folder / "again.root") as other:
        for name in ("ttbar/NOSYS/met_SR", "top/GEN_a/jet_pt_CR"):
            np.testing.assert_array_equal(one[name].values(), other[name].values())


# Systematics of the files, and n-tuples

AUTOMATIC = """
general:
  input_filelist_path: meta/filelist.txt
  input_sumweights_path: meta/sums.txt
  output_path_ntuples: ntuples
  default_event_weights: "weight_mc_NOSYS * weight_pileup_NOSYS"
  xsection_files: [meta/top.data, meta/pmg.txt]
  luminosity: {mc23a: 29049.3}
  automatic_systematics: True
  exclude_systematics: ["PRW_.*"]
  use_region_subfolders: yes
  custom_frame_name: ""
  max_event: 700
  define_custom_columns:
    - {name: hard_NOSYS, definition: "met_met_NOSYS > 40"}
regions:
  - name: SR
    selection: hard_NOSYS
    variables:
      - {name: met, definition: met_met_NOSYS, binning: {min: 0, max: 200, number_of_bins: 20}}
  - name: CR
    selection: "!hard_NOSYS"
    variables:
      - {name: met, definition: met_met_NOSYS, binning: {min: 0, max: 40, number_of_bins: 10}}
samples:
  - {name: ttbar, dsids: [410470], campaigns: [mc20a, mc23a], simulation_type: fullsim}
  - {name: single, dsids: [410475], campaigns: [mc20a], simulation_type: fullsim}
ntuples:
  regions: [SR]
  branches: ["met_met_.*", "(n|m)_b", "hard_NOSYS", "weight_total_NOSYS"]
  exclude_branches: [met_met_JET_down]
"""


@pytest.fixture(scope="module")
def automatic(call, folder):
    (folder / "automatic.yaml").write_text(AUTOMATIC)
    done = call("init", "--from", "automatic.yaml", "-o", "automatic.json", cwd=folder)
    assert done.returncode == INCOMPLETE, done.stderr
    ran = call("run", "automatic.json", cwd=folder)
    assert ran.returncode == DONE, ran.stderr
    return done.stderr


@pytest.fixture(scope="module")
def selected(inputs):
    """Missing momentum and weights of the first 700 events of the sample, nominal and varied."""

    def select(systematic):
        met, weight = [], []
        for name in SETS["ttbar"]:
            columns = Varied(inputs, name, "ttbar", systematic)
            met.append(columns["met_met"])
            weight.append(weights_of(columns, name, "ttbar", systematic))
        return np.concatenate(met)[:700], np.concatenate(weight)[:700]

    return select


def test_listed_systematics_are_variations(folder, automatic, selected):
    with uproot.open(folder / "automatic_histograms.root") as file:
        assert {key.split("/")[0] for key in file["ttbar"].keys(filter_classname="TH1*")} == {
            "NOSYS", "JET_up", "JET_down", "GEN_a", "UNUSED_up",
        }  # fmt: skip
        for systematic in ("NOSYS", "JET_up", "GEN_a", "UNUSED_up"):
            met, weight = selected(systematic)
            for region, high, bins in (("SR", 200, 20), ("CR", 40, 10)):
                chosen = (met > 40) == (region == "SR")
                expected = np.histogram(met[chosen], np.linspace(0, high, bins + 1), weights=weight[chosen])[
                    0
                ]
                found = file[f"ttbar/{systematic}/{region}/met_{region}"].values()
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_skims_have_what_passes_in_any_systematic(folder, automatic, selected):
    passed = [selected(systematic)[0] > 40 for systematic in ("NOSYS", "JET_up", "JET_down")]
    met, weight = selected("NOSYS")
    expected = np.logical_or.reduce(passed)
    with uproot.open(folder / "ntuples" / "ttbar.root") as file:
        tree = file["reco"]
        assert set(tree.keys()) == {
            "met_met_NOSYS", "met_met_JET_up", "n_b", "hard_NOSYS", "weight_total_NOSYS", "passed_variations",
        }  # fmt: skip
        np.testing.assert_array_equal(tree["met_met_NOSYS"].array(library="np"), met[expected])
        np.testing.assert_allclose(
            tree["weight_total_NOSYS"].array(library="np"), weight[expected], rtol=1e-12
        )


def test_skims_have_all_columns_and_those_that_are_defined(call, folder, inputs):
    (folder / "all.yml").write_text(CONFIG + '\nntuples:\n  selection: "lead_NOSYS > 30"\n')
    assert call("init", "--from", "all.yml", "-o", "all.json", cwd=folder).returncode == INCOMPLETE
    ran = call("run", "all.json", "--set", "histograms={}", cwd=folder)
    assert ran.returncode == DONE, ran.stderr
    with uproot.open(folder / "data.root") as file:
        added = {"lead_NOSYS", "scaled_NOSYS", "weight_total_NOSYS", "passed_variations", "njet_pt_NOSYS"}
        assert set(file["reco"].keys()) == set(inputs["data"]) | added
        lead = Varied(inputs, "data", "data", "NOSYS").lead
        np.testing.assert_array_equal(file["reco"]["lead_NOSYS"].array(library="np"), lead[lead > 30])


def test_what_is_not_carried_over_is_listed_in_the_config_too(folder, automatic):
    sentence = "an n-tuple for each data set of the samples ttbar: there is one of all"
    assert sentence in automatic and sentence in (folder / "automatic.json").read_text()


def test_samples_include_samples_that_include_others_wherever_these_stand(call, folder, made):
    included = "\n  - {name: whole, included_samples: [parts, extra]}\n  - {name: parts, included_samples: [ttbar]}\n"
    included += "  - {name: extra, dsids: [410471], campaigns: [mc20a], simulation_type: fullsim}\n"
    (folder / "included.yml").write_text(CONFIG.replace("\nsamples:\n", "\nsamples:" + included))
    done = call("init", "--from", "included.yml", "-o", "included.json", cwd=folder)
    assert done.returncode == DONE, done.stderr
    ran = call("run", "included.json", cwd=folder)
    assert ran.returncode == DONE, ran.stderr
    with uproot.open(folder / "out" / "included_histograms.root") as file:
        entries = {name: file[f"{name}/NOSYS/met_CR"].member("fEntries") for name in ("whole", "parts")}
        one, other = (file[f"{name}/NOSYS/met_CR"].member("fEntries") for name in ("ttbar", "extra"))
    assert entries == {"whole": one + other, "parts": one}


def test_a_factor_of_one_sample_goes_over_to_no_other(call, folder):
    systematic = 'systematics: [{variation: {up: JET_up, weight_suffix_up: "2."}, samples: [ttbar]}]\n'
    (folder / "factor.yml").write_text(AUTOMATIC + systematic)
    done = call("init", "--from", "factor.yml", "-o", "factor.json", cwd=folder)
    assert done.returncode == WRONG_USAGE
    assert 'the systematic "JET_up" has a "weight_suffix" in some samples' in done.stderr, done.stderr
