# SPDX-License-Identifier: BSD-3-Clause
"""skimline init --from a config of FastFrames: its histograms are those that FastFrames defines, as numpy computes them."""

import json
import re

import awkward as ak
import boost_histogram as bh
import numpy as np
import pytest
import uproot

DONE, WRONG_USAGE, INCOMPLETE = 0, 2, 3

CONFIG = r"""
# A comment, "quotes" and all.
.anchors:
  - &bins {min: 0, max: 200, number_of_bins: 20}

general:
  debug_level: WARNING
  input_filelist_path: "meta/filelist.txt"
  input_sumweights_path: "meta/sums.txt"
  output_path_histograms: "out"
  default_sumweights: "NOSYS"
  default_event_weights: "weight_mc_NOSYS * weight_pileup_NOSYS"
  default_reco_tree_name: "reco"
  xsection_files: ["meta/top.data", "meta/pmg.txt"]
  number_of_cpus: 4
  luminosity:
    mc23a: 29049.3
  define_custom_columns:
    - name: "lead_NOSYS"
      definition: "jet_pt_NOSYS.size() > 0 ? jet_pt_NOSYS[0] : -1.f"
    - {name: scaled_NOSYS, definition: "lead_NOSYS / 1e1"}

regions:
  - name: "SR"
    selection: >
      met_met_NOSYS > 20
      && lead_NOSYS > 30
    variables: &variables
      - name: "met"
        title: "Missing energy;E_{T}^{miss} [GeV];Events"
        definition: "met_met_NOSYS"
        type: "float"
        binning:
          bin_edges: [0, 20, 45.5, 80, 200]
      - name: "jet_pt"
        definition: "jet_pt_NOSYS"
        binning: *bins
    histograms_2d:
      - x: "met"
        y: "jet_pt"

  - name: "CR"
    selection: "n_b == 0"
    variables:
      - *variables
      - name: "lead_#"
        definition: "scaled_NOSYS * #"
        binning:
          <<: *bins
          max: 30
        numbering_sequence:
          - replacement_string: "#"
            min: 1
            max: 2

samples:
  - name: "ttbar"
    dsids: [410470]
    campaigns: ["mc20a", "mc23a"]
    simulation_type: "fullsim"

  - name: "top"
    dsids: [410470, 410471]
    campaigns: ["mc20a", "mc23a"]
    simulation_type: "fullsim"
    weight_suffix: "1.5 + n_b"
    selection_suffix: "n_b != 1"
    define_custom_columns:
      - name: "lead_NOSYS"
        definition: "jet_pt_NOSYS.size() > 0 ? jet_pt_NOSYS[0] * 2 : -1.f"
      - {name: scaled_NOSYS, definition: "lead_NOSYS / 1e1"}

  - name: "single"
    dsids: [410475]
    campaigns: ["mc20a"]
    simulation_type: "fullsim"
    event_weights: "weight_mc_NOSYS"
    sum_weights: "other"

  - name: "fast"
    dsids: [410472]
    campaigns: ["mc20d"]
    simulation_type: "fastsim"
    nominal_only: True

  - name: "data"
    campaigns: [2018]
    simulation_type: "data"

systematics:
  - variation:
      up: "JET_up"
      down: "JET_down"

  - variation:
      up: "PRW_up"
    exclude_samples: ["single"]

  - variation:
      up: "GEN_a"
      sum_weights_up: "GEN_a"
    samples: ["ttbar", "top"]

  - variation:
      up: "boot_#"
      weight_suffix_up: "1. + 0.# * (eventNumber % 2)"
    samples: ["data", "ttbar"]
    numbering_sequence:
      - {replacement_string: "#", values: ["1", "2"]}
"""

FILES = {
    "tt_a1": (410470, "mc20a", "fullsim"),
    "tt_a2": (410470, "mc20a", "fullsim"),
    "tt_d": (410470, "mc23a", "fullsim"),
    "st_a": (410471, "mc20a", "fullsim"),
    "st_d": (410471, "mc23a", "fullsim"),
    "sg": (410475, "mc20a", "fullsim"),
    "fast": (410472, "mc20d", "fastsim"),
    "data": (0, 2018, "data"),
}
CROSS_SECTIONS = {410470: 729.77 * 1.1398 * 0.5437, 410471: 70.43 * 1.2, 410472: 3.5 * 1.5, 410475: 2.5}
LUMINOSITIES = {
    "mc20a": np.float32(3244.54 + 33402.2),
    "mc20d": np.float32(44630.6),
    "mc23a": np.float32(29049.3),
}
SUMS = {
    (dsid, campaign, name): 1000.0 + 7 * (dsid % 10) + 31 * number + 3 * (campaign == "mc23a")
    for dsid, campaign, _ in FILES.values()
    for number, name in enumerate(("NOSYS", "GEN_a", "other"))
    if dsid
}
SYSTEMATICS = ("JET_up", "JET_down", "PRW_up", "GEN_a", "UNUSED_up")


def columns_of(name, seed):
    """The columns of a file; that of data and of fast simulation have no systematics, one lacks one of them."""
    generator = np.random.default_rng(seed)
    size = 400
    counts = generator.integers(0, 5, size)
    pt = np.sort(generator.exponential(60, counts.sum()).astype("f4"))[::-1]
    generator.shuffle(pt)
    columns = {
        "eventNumber": np.arange(size, dtype="u8"),
        "n_b": generator.integers(0, 3, size).astype("i4"),
        "met_met_NOSYS": generator.exponential(50, size).astype("f4"),
        "jet_pt_NOSYS": ak.unflatten(pt, counts),
        "weight_mc_NOSYS": generator.normal(1, 0.5, size).astype("f4"),
        "weight_pileup_NOSYS": generator.uniform(0.5, 1.5, size).astype("f4"),
    }
    if name not in ("data", "fast"):
        columns["met_met_JET_up"] = columns["met_met_NOSYS"] * np.float32(1.1)
        columns["met_met_JET_down"] = columns["met_met_NOSYS"] * np.float32(0.9)
        columns["jet_pt_JET_up"] = columns["jet_pt_NOSYS"] * np.float32(1.2)
        columns["weight_pileup_PRW_up"] = columns["weight_pileup_NOSYS"] * np.float32(1.3)
        columns["weight_mc_GEN_a"] = columns["weight_mc_NOSYS"] * np.float32(0.8)
        if name != "sg":
            columns["jet_pt_JET_down"] = columns["jet_pt_NOSYS"] * np.float32(0.7)
    return columns


@pytest.fixture(scope="module")
def inputs():
    return {name: columns_of(name, seed) for seed, name in enumerate(FILES)}


def write_inputs(folder, inputs):
    (folder / "in").mkdir()
    (folder / "meta").mkdir()
    listed = bh.Histogram(bh.axis.StrCategory(["NOSYS", *SYSTEMATICS]))
    listed.fill(["NOSYS", *SYSTEMATICS])
    for name, columns in inputs.items():
        with uproot.recreate(folder / "in" / f"{name}.root") as file:
            types = {each: getattr(values, "dtype", "var * float32") for each, values in columns.items()}
            file.mktree("reco", types)
            file["reco"].extend(columns)
            if name != "tt_a1":  # the next file has it
                file["listOfSystematics"] = listed
    write_metadata(folder)


def write_metadata(folder):
    lines = [f"{dsid} {campaign} {kind} in/{name}.root" for name, (dsid, campaign, kind) in FILES.items()]
    (folder / "meta" / "filelist.txt").write_text("\n".join(lines) + "\n")
    sums = [
        f"{dsid} {campaign} {'fastsim' if dsid == 410472 else 'fullsim'} {name} {value!r}"
        for (dsid, campaign, name), value in SUMS.items()
    ]
    (folder / "meta" / "sums.txt").write_text("\n".join(sums) + "\n")
    (folder / "meta" / "pmg.txt").write_text(
        "dataset_number/I:physics_short/C:crossSection_pb/D:genFiltEff/D:kFactor/D:relUncertUP/D:...\n"
        "410470 PhPy8EG_ttbar 730.0 0.5 1.0 0.1 0.1 Powheg e5000\n"
        "410470 PhPy8EG_ttbar 729.77 0.5437 1.1398 0.1 0.1 Powheg e6337\n"
        "410470 PhPy8EG_ttbar 1.0 0.5 1.0 0.1 0.1 Powheg e4000\n"
    )
    (folder / "meta" / "top.data").write_text(
        "# dsid, cross section, k-factor\n410471 70.43 1.2 pythia\n\n410472 3.5 1.5\n410475 2.5 1 # alone\n410473 1 1\n410473 2 1\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, inputs):
    folder = tmp_path_factory.mktemp("frames")
    write_inputs(folder, inputs)
    (folder / "frames.yml").write_text(CONFIG)
    return folder


def config_in(path):
    return json.loads(re.sub("^//.*\n", "", path.read_text(), flags=re.MULTILINE))


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


def with_general(text):
    return CONFIG.replace("  number_of_cpus: 4\n", "  number_of_cpus: 4\n" + text)


def changed(old, new):
    assert old in CONFIG, old
    return CONFIG.replace(old, new, 1)


@pytest.mark.parametrize(
    "text, sentence",
    [
        (with_general("  custom_frame_name: Mine\n"), "the columns that the class Mine defines in C++"),
        (with_general("  custom_options: {a: 1}\n"), "they are for the code of a class"),
        (changed('    simulation_type: "data"', '    simulation_type: "data"\n    regions: [SR]'),
         "which regions there are of the samples data"),
        (changed("    nominal_only: True", "    nominal_only: True\n    exclude_variables: [met]"),
         "which variables there are of the samples fast"),
        (changed('      up: "PRW_up"\n', '      up: "PRW_up"\n    campaigns: [mc20a]\n    regions: [SR]\n'),
         "which regions there are of the systematics PRW_up"),
        (changed('        type: "float"', '        type: "float"\n        is_nominal_only: true'),
         '"is_nominal_only" of met'),
        (changed(";Events", ";Jets"), 'titles of the axis of contents of met: here it is "Events"'),
        (CONFIG + "\ncutflows:\n  - name: c\n", '"cutflows": a config has one, its "select"'),
        (CONFIG + "\nsimple_onnx_inference:\n  - name: c\n", 'write a model as a function in "models"'),
        (CONFIG + "\nntuples:\n  samples: [top]\n  copy_trees: [truth]\n", "skims are of all samples"),
        (changed("meta/filelist.txt", "meta/elsewhere.txt"), "the first input cannot be read"),
        (with_general("  split_processing_per_unique_samples: true\n  max_event: 9\n"), "of each data set"),
        (with_general("  list_of_systematics_name: gone\n").replace("    nominal_only: True", "    automatic_systematics: True"), "that lists them"),
        (changed('"ttbar"\n    dsids', '"t t"\n    dsids').replace('"ttbar"', '"t t"'), 'the name "t t": here it is t_t'),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_listed(call, folder, tmp_path, text, sentence):
    if not (folder / "meta" / "elsewhere.txt").exists():
        text_of_list = (folder / "meta" / "filelist.txt").read_text()
        (folder / "meta" / "elsewhere.txt").write_text(text_of_list.replace("in/", "gone/"))
    (tmp_path / "frames.yml").write_text(text)
    done = call("init", "--from", tmp_path / "frames.yml", "-o", tmp_path / "analysis.json", cwd=folder)
    assert done.returncode == INCOMPLETE and sentence in done.stderr, done.stderr
    assert sentence in (tmp_path / "analysis.json").read_text()


@pytest.mark.parametrize(
    "text, message",
    [
        (changed("default_sumweights", "defaults_sumweight"), 'frames.yml:11:3: error: unknown key "defaults_sumweight" (did you mean "default_sumweights"?)'),
        (changed("  - name: \"ttbar\"", "\t- name: \"ttbar\""), "frames.yml:57:1: error: no YAML: "),
        (changed("[410470]", "[410470"), "error: no YAML: while parsing a flow sequence"),
        (changed("  number_of_cpus: 4", "  number_of_cpus: 4\n  number_of_cpus: 5"), 'frames.yml:16:3: error: the key "number_of_cpus" appears twice'),
        (changed("*variables", "*variabels"), 'unknown anchor "variabels" (did you mean "variables"?)'),
        (changed("dsids: [410470]", 'dsids: ["410470"]'), 'each item of "dsids" must be an integer, got a string'),
        (changed("number_of_bins: 20", "number_of_bins: 20, bin_edges: [1, 2]"), 'a binning has either "bin_edges"'),
        (changed("max: 2\n", "max: 200000\n"), "integers that make at most 20000 blocks"),
        (changed('x: "met"', 'x: "mett"'), 'there is no variable of the region "SR" called "mett" (did you mean "met"?)'),
        (changed('exclude_samples: ["single"]', 'exclude_samples: ["singel"]'), 'there is no sample called "singel" (did you mean "single"?)'),
        (changed("    campaigns: [\"mc20d\"]", "    campaigns: [\"mc20f\"]"), 'no "luminosity" of the campaign "mc20f"'),
        (changed("dsids: [410472]", "dsids: [410499]"), 'meta/filelist.txt: no files of 410499 mc20d fastsim, which the sample "fast" needs'),
        (changed('simulation_type: "fastsim"', 'simulation_type: "fullsim"'), "of 410472 there are: mc20d fastsim"),
        (changed('sum_weights: "other"', 'sum_weights: "othre"'), 'meta/sums.txt: no sum of weights "othre" of 410475 mc20a fullsim (did you mean "other"?)'),
        (changed('["meta/top.data", "meta/pmg.txt"]', '["meta/top.data"]'), "no cross section of 410470 in meta/top.data"),
        (changed("meta/pmg.txt", "meta/gone.txt"), "meta/gone.txt"),
        (changed("meta/pmg.txt", "frames.yml"), "frames.yml:3: no line of a PMG file of cross sections"),
        (changed("  default_event_weights", "  #default_event_weights"), 'has no "event_weights"'),
        (changed("PRW_up", "NOSYS"), '"NOSYS" is what is not varied'),
        (changed("PRW_up", "JET_up"), 'two systematics are called "JET_up"'),
        (changed('"single"\n    dsids', '"top"\n    dsids'), 'two samples are called "top"'),
        (changed('name: "lead_NOSYS"', 'name: "lead"'), 'the name of a custom column holds "NOSYS"'),
        (changed("nominal_only: True", "nominal_only: 1"), '"nominal_only" must be a boolean, got an integer'),
        ("- a\n- b\n", "no config of FastFrames"),
        ("", "there is nothing in it"),
        ("a: b\n---\nc: d\n", "a second document begins here"),
        ("a: !!python/object/apply:os.system [ls]\n", "is not understood"),
        ("a: &x [*x]\n", "stands inside of what it names"),
        ("x: " + "[" * 100 + "]" * 100, "nested more than 64 levels deep"),
        ("x: " + "[" * 100000, "nested more than 64 levels deep"),
        ("\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, 20)]), "more than 200000 values"),
    ],
)  # fmt: skip
def test_what_makes_no_config_is_refused(call, folder, tmp_path, text, message):
    (tmp_path / "frames.yml").write_text(text)
    (tmp_path / "meta").symlink_to(folder / "meta")
    done = call("init", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and message in done.stderr, done.stderr
    assert not (tmp_path / "analysis.json").exists()


def test_other_encodings_are_refused(call, tmp_path):
    (tmp_path / "frames.yml").write_bytes(b"general: 1\nsamples: '\xe9'\n")
    done = call("init", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and "frames.yml:2:1: error: this is not UTF-8" in done.stderr
    (tmp_path / "frames.yml").write_bytes(CONFIG.encode("utf-16"))
    assert call("init", "--from", "frames.yml", cwd=tmp_path).returncode == WRONG_USAGE


@pytest.mark.parametrize(
    "name, line, message",
    [
        ("filelist.txt", "410470 mc20a\n", 'filelist.txt:9: expected "dsid campaign simulation path"'),
        ("filelist.txt", "x mc20a fullsim y\n", 'filelist.txt:9: expected "dsid campaign simulation path"'),
        ("sums.txt", "410470 mc20a fullsim NOSYS many\n", 'expected "dsid campaign simulation name sum"'),
        ("pmg.txt", "410470 PhPy8EG_ttbar 1.0 0.5 1.0 0.1 0.1 Powheg e6337\n", "another cross section of 410470 than in meta/pmg.txt:3"),
        ("top.data", "410471 70.43\n", 'top.data:8: expected "dsid cross-section k-factor"'),
    ],
)  # fmt: skip
def test_broken_metadata_are_refused(call, folder, tmp_path, name, line, message):
    (tmp_path / "meta").mkdir()
    for each in (folder / "meta").iterdir():
        (tmp_path / "meta" / each.name).write_text(each.read_text() + (line if each.name == name else ""))
    (tmp_path / "frames.yml").write_text(CONFIG)
    done = call("init", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and message in done.stderr, done.stderr
