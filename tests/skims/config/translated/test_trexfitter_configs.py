# SPDX-License-Identifier: BSD-3-Clause
"""skimline init --from a config of TRExFitter: its histograms are those of TTree::Draw, which TRExFitter calls."""

import json
import re

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE

CONFIG = """
% --------------- %
Job: "Example"
  Label: "l+j" % a comment
  ReadFrom: NTUP
  NtuplePaths: "in"
  NtupleName: "nominal"
  MCweight: "weight_mc*weight_pileup"
  Selection: "met>5"
  Lumi: 2.5

Fit: "SPLUSB"
  FitType: SPLUSB

Region: "ljets_5j"
  Type: CONTROL
  Variable: "HT/1e3",6,0.2,0.8
  VariableTitle: "H_{T} [TeV]"
  Selection: "nJets==5 || jet_pt[1] > 60"

Region: "ljets_6j";"ljets_7j"
  Variable: "nJets/2",10,0,5;"jet_pt",20,0,100
  MCweight: "1";"weight_btag"
  Binning: 0,1,2.5,5;"AutoBin","TransfoD",3,3
  Selection: "nJets>=6";"nJets>=7"

Sample: "data"
  Type: DATA
  NtupleFiles: "data1","data2"

Sample: "ttb"
  Type: BACKGROUND
  Selection: "(HF==1)"
  NtupleFile: "tt"

Sample: "ttH"
  Type: SIGNAL
  MCweight: 50.0
  NtupleFile: "signal"
  LumiScale: 0.5
  IgnoreWeight: "weight_pileup"

Sample: "fakes"
  Type: BACKGROUND
  NtupleFile: "tt"
  NormalizedByTheory: FALSE
  IgnoreSelection: TRUE
  Selection: "HF!=1"

NormFactor: "mu"
  Nominal: 1
  Samples: ttH

Systematic: "lumi"
  Type: OVERALL
  OverallUp: 0.02
  Samples: all

Systematic: "pileup"
  Type: HISTO
  WeightSufUp: "weight_pileup_UP/weight_pileup"
  WeightSufDown: "0.9"
  Exclude: fakes
  Smoothing: 40

Systematic: "generator"
  Type: HISTO
  Samples: ttb
  NtupleFilesUp: "other"
  WeightSufUp: 0.5

Systematic: "scale"
  Samples: ttb,ttH
  NtupleNamesUp: "scale_up"
  NtupleNameDown: "scale_down"
"""


def config_in(text):
    """What is below the comments of a config that was made."""
    return json.loads(re.sub("^//.*\n", "", text, flags=re.MULTILINE))


def write(path, trees, seed):
    generator = np.random.default_rng(seed)
    file = ROOT.TFile(str(path), "RECREATE")
    for name in trees:
        tree = ROOT.TTree(name, name)
        reals = {
            each: np.zeros(1, "f4")
            for each in ("HT", "met", "weight_mc", "weight_pileup", "weight_pileup_UP", "weight_btag")
        }
        wholes = {each: np.zeros(1, "i4") for each in ("nJets", "HF")}
        for each, value in reals.items():
            tree.Branch(each, value, f"{each}/F")
        for each, value in wholes.items():
            tree.Branch(each, value, f"{each}/I")
        pt = ROOT.std.vector("float")()
        tree.Branch("jet_pt", pt)
        for _ in range(400):
            for value in reals.values():
                value[0] = generator.uniform(0.5, 1.5)
            reals["HT"][0], reals["met"][0] = generator.uniform(0, 1000), generator.exponential(20)
            wholes["nJets"][0], wholes["HF"][0] = generator.integers(0, 9), generator.integers(0, 3)
            pt.clear()
            for value in generator.uniform(0, 100, wholes["nJets"][0]):
                pt.push_back(value)
            tree.Fill()
        tree.Write()
    file.Close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit")
    (folder / "in").mkdir()
    for seed, name in enumerate(("data1", "data2", "tt", "signal", "other")):
        write(folder / "in" / f"{name}.root", ("nominal", "scale_up", "scale_down"), seed)
    (folder / "fit.config").write_text(CONFIG)
    return folder


@pytest.fixture(autouse=True)
def histograms_in_directories():
    """Where Draw() looks for them; other tests have ROOT no longer put them there."""
    were_added = ROOT.TH1.AddDirectoryStatus()
    ROOT.TH1.AddDirectory(True)
    yield
    ROOT.TH1.AddDirectory(were_added)


def drawn(folder, files, tree, variable, weight, selection, bins):
    """Sums and sums of squares of the bins, with those below and above."""
    chain = ROOT.TChain(tree)
    for file in files:
        chain.Add(str(folder / "in" / f"{file}.root"))
    histogram = ROOT.TH1D("h", "h", len(bins) - 1, np.array(bins, "f8"))
    histogram.Sumw2()
    histogram.SetDirectory(
        ROOT.gDirectory
    )  # where Draw() looks for it: other tests may have it no longer put there
    chain.Draw(f"{variable}>>h", f"({weight})*({selection})", "goff")
    cells = range(histogram.GetNbinsX() + 2)
    return [histogram.GetBinContent(i) for i in cells], [histogram.GetBinError(i) ** 2 for i in cells]


@pytest.fixture(scope="module")
def made(call, folder):
    done = call("init", "-f", "--from", "fit.config", cwd=folder)
    assert done.returncode == INCOMPLETE, done.stderr
    ran = call("run", "-f", "analysis.json", cwd=folder)
    assert ran.returncode == DONE, ran.stderr
    return done.stderr


REGIONS = {
    "ljets_5j": ("HT/1e3", "nJets==5 || jet_pt[1] > 60", "1", np.linspace(0.2, 0.8, 7)),
    "ljets_6j": ("nJets/2", "nJets>=6", "1", [0, 1, 2.5, 5]),
    "ljets_7j": ("jet_pt", "nJets>=7", "weight_btag", np.linspace(0, 100, 21)),
}
JOB = "weight_mc*weight_pileup*2.5"
# The name, the files, the tree, the weight without that of the region, the selection, whether others apply.
HISTOGRAMS = {
    "data": (["data1", "data2"], "nominal", None, "1", True),
    "ttb": (["tt"], "nominal", JOB, "(HF==1)", True),
    "ttH": (["signal"], "nominal", "weight_mc*2.5*50*0.5", "1", True),
    "fakes": (["tt"], "nominal", "1", "HF!=1", False),
    "ttb_pileup_up": (["tt"], "nominal", f"{JOB}*(weight_pileup_UP/weight_pileup)", "(HF==1)", True),
    "ttH_pileup_down": (["signal"], "nominal", "weight_mc*2.5*50*0.5*0.9", "1", True),
    "ttb_generator_up": (["other"], "nominal", f"{JOB}*0.5", "(HF==1)", True),
    "ttb_scale_up": (["tt"], "scale_up", JOB, "(HF==1)", True),
    "ttH_scale_down": (["signal"], "scale_down", "weight_mc*2.5*50*0.5", "1", True),
}


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("name", HISTOGRAMS)
def test_histograms_are_those_of_trees(folder, made, region, name):
    variable, cut, region_weight, bins = REGIONS[region]
    files, tree, weight, selection, has_others = HISTOGRAMS[name]
    weight = "1" if weight is None else f"({weight})*({region_weight})"
    selection = f"(met>5) && ({cut}) && ({selection})" if has_others else selection
    sums, squares = drawn(folder, files, tree, variable, weight, selection, bins)
    with uproot.open(folder / "analysis_histograms.root") as file:
        found = file[f"{region}_{name}"]
        assert any(sums)
        np.testing.assert_allclose(found.values(flow=True), sums, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.variances(flow=True), squares, rtol=1e-12, atol=1e-12)


def test_histograms_are_those_that_the_fit_needs(folder, made):
    with uproot.open(folder / "analysis_histograms.root") as file:
        names = {key.split(";")[0] for key in file.keys(recursive=False, filter_classname="TH1*")}
    expected = {f"{region}_{name}" for region in REGIONS for name in HISTOGRAMS}
    expected |= {
        f"{region}_{name}"
        for region in REGIONS
        for name in ("ttb_pileup_down", "ttH_pileup_up", "ttH_scale_up", "ttb_scale_down")
    }
    assert names == expected


def test_what_is_of_the_fit_is_listed_in_the_config_too(folder, made):
    text = (folder / "analysis.json").read_text()
    for each in (
        "the systematic lumi: OVERALL is for the fit",
        "Binning of the region ljets_7j, which TRExFitter chooses",
        "Fit: of the fit and its drawings",
        "NormFactor: of the fit",
        "Job: Label: of the fit",
        "Systematic: OverallUp, Smoothing: of the fit",
    ):
        assert each in made and each in text, each
    config = config_in(text)
    assert config["histograms"]["ljets_5j"]["x"]["label"] == "H_{T} [TeV]"
    assert config["samples"]["ttb__scale_up"]["files"] == ["in/tt.root:scale_up"]


FORMULAS = (
    "(nJets%3)/2",
    "weight_btag/HF",
    "HF/nJets",
    "(HF-nJets)*weight_mc",
    "1/2*(HF>=1)+nJets/(2*HF-2)",
    "weight_mc*(HF==1)+0.5*(nJets==3)",
)


def filled(call, folder, name, text):
    """The histograms of a config that is made of such a text, of which nothing may be left out."""
    (folder / f"{name}.config").write_text(text)
    for words in (
        ("init", "-f", "--from", f"{name}.config", "-o", f"{name}.json"),
        ("run", "-f", f"{name}.json"),
    ):
        done = call(*words, cwd=folder)
        assert done.returncode == DONE, done.stderr
    return folder / f"{name}_histograms.root"


def test_formulas_compute_with_doubles_and_give_0_for_what_is_divided_by_0(call, folder):
    text = 'Job: "x"\n  ReadFrom: NTUP\n  NtuplePath: in\n  NtupleName: nominal\n\n'
    text += 'Sample: "tt"\n  NtupleFile: tt\n'
    for number, formula in enumerate(FORMULAS):
        text += f'\nRegion: "r{number}"\n  Variable: "met",10,0,100\n  MCweight: "{formula}"\n'
    with uproot.open(filled(call, folder, "formulas", text)) as file:
        for number, formula in enumerate(FORMULAS):
            sums, squares = drawn(folder, ["tt"], "nominal", "met", formula, "1", np.linspace(0, 100, 11))
            found = file[f"r{number}_tt"]
            np.testing.assert_allclose(found.values(flow=True), sums, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(found.variances(flow=True), squares, rtol=1e-12, atol=1e-12)


SCALES = """Job: "x"
  ReadFrom: NTUP
  NtupleName: nominal
  NtuplePath: in
  NtupleFile: other

Region: "r"
  Variable: "met",10,0,100

Sample: "data"
  Type: DATA
  NtupleFile: data1
  LumiScale: 3

Sample: "sum"
  NtupleFile: tt
  NtupleFiles: signal,tt
  MCweight: "weight_mc+weight_btag"
  LumiScales: 0.25

Systematic: "whole"
  WeightUp: "weight_btag"
  WeightDown: "weight_mc+weight_btag"

Systematic: "factor"
  WeightSufUp: "1"
  WeightSufDown: "weight_pileup-2"

Systematic: "files"
  NtupleFileUp: tt
  NtupleFilesUp: other
  WeightSufUp: 0.5
"""
SCALED = {
    "data": (["data1"], "3"),
    "sum": (["signal", "tt"], "(weight_mc+weight_btag)*0.25"),
    "sum_whole_up": (["signal", "tt"], "weight_btag*0.25"),
    "sum_whole_down": (["signal", "tt"], "(weight_mc+weight_btag)*0.25"),
    "sum_factor_up": (["signal", "tt"], "(weight_mc+weight_btag)*0.25"),
    "sum_factor_down": (["signal", "tt"], "(weight_mc+weight_btag)*(weight_pileup-2)*0.25"),
    "sum_files_up": (["other"], "(weight_mc+weight_btag)*0.5*0.25"),
}


def test_scales_are_of_whole_weights_and_plurals_count(call, folder):
    with uproot.open(filled(call, folder, "scales", SCALES)) as file:
        names = {key.split(";")[0] for key in file.keys(recursive=False, filter_classname="TH1*")}
        assert names == {f"r_{name}" for name in SCALED}
        for name, (files, weight) in SCALED.items():
            sums, squares = drawn(folder, files, "nominal", "met", weight, "1", np.linspace(0, 100, 11))
            found = file[f"r_{name}"]
            np.testing.assert_allclose(found.values(flow=True), sums, rtol=1e-12, atol=1e-12, err_msg=name)
            np.testing.assert_allclose(found.variances(flow=True), squares, rtol=1e-12, atol=1e-12)


def test_what_a_region_has_for_one_sample_is_told(call, tmp_path):
    text = SCALES.replace("10,0,100", '10,0,100\n  SelectionForSample: sum:"met>5"')
    (tmp_path / "fit.config").write_text(text)
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert done.returncode == INCOMPLETE, done.stderr
    assert (
        "SelectionForSample of the region r: its histograms have the Selection of the region" in done.stderr
    )


def test_cuts_on_lists_are_told(call, folder):
    text = CONFIG.replace('"nJets==5 || jet_pt[1] > 60"', '"jet_pt > 60"')
    (folder / "lists.config").write_text(text)
    done = call("init", "-f", "--from", "lists.config", "-o", "lists.json", cwd=folder)
    assert done.returncode == INCOMPLETE
    assert done.stderr.count('elements in "jet_pt > 60", a cut on lists') == 1, done.stderr


def test_selections_that_are_factors_are_said_once(call, folder):
    selection = "(nJets>=6)*weight_btag"
    text = CONFIG.replace('"nJets>=6";"nJets>=7"', f'"{selection}";"{selection}"')
    (folder / "factors.config").write_text(text)
    done = call("init", "-f", "--from", "factors.config", "-o", "factors.json", cwd=folder)
    assert done.returncode == INCOMPLETE
    assert done.stderr.count(f'the selection "{selection}" as a factor: it is a number') == 1, done.stderr
    assert done.stderr.count("as a factor") == 1, done.stderr


def changed(old, new):
    assert old in CONFIG
    return CONFIG.replace(old, new)


@pytest.mark.parametrize(
    "text, message",
    [
        (changed("ReadFrom: NTUP", "ReadFrom: HIST"), 'fit.config:3: the job reads "HIST"'),
        (changed("  Type: CONTROL", "  NtupleFile: x"), "regions with n-tuples of their own"),
        (changed("  Lumi: 2.5", "  Lumi 2.5"), 'fit.config:10: expected a setting, "Name: value"'),
        (changed("  Lumi: 2.5", "  Lumi:"), "expected a setting"),
        (changed('"HT/1e3"', '"HT|met"'), '"|" stands between two variables there'),
        (changed(",6,0.2,0.8", ",6,0.2"), 'must be "expression",bins,low,high'),
        (changed("  Label: ", "  ReplacementFile: "), "other files are not read"),
        ('Job: "x"\n  ReadFrom: NTUP\n', 'has no block "Region"'),
        ('Job: "x"\n  ReadFrom: NTUP\n\nRegion: "r"\n  Variable: "x",1,0,1\n', 'has no block "Sample"'),
        (changed('"met>5"', '"Alt$(jet_pt[0],0)>5"'), "only TTree::Draw knows"),
        (CONFIG + '\nSample: "ttb"\n  NtupleFile: "x"\n', 'there is another Sample "ttb" above'),
        (CONFIG + '\nRegion: "ljets_7j"\n  Variable: "met",1,0,1\n', 'another Region "ljets_7j" above'),
        (
            CONFIG + '\nSample: "ttb__generator_up"\n  NtupleFile: "tt"\n',
            'the systematic generator of ttb would be a second sample "ttb__generator_up": rename one',
        ),
        (
            changed('"ttH"', '"tt/b"') + '\nSample: "tt_b"\n',
            '"tt_b" and "tt/b" would both be called "tt_b" here',
        ),
        (
            changed('"ljets_5j"', '"5j/a"') + '\nRegion: "5j_a"\n  Variable: "met",1,0,1\n',
            '"5j_a" and "5j/a" would both be called "5j_a" here',
        ),
    ],
)
def test_what_makes_no_config_is_refused(call, tmp_path, text, message):
    (tmp_path / "fit.config").write_text(text)
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and message in done.stderr, done.stderr
    assert not (tmp_path / "analysis.json").exists()


def test_another_name_is_said_once(call, tmp_path):
    (tmp_path / "fit.config").write_text(CONFIG.replace('"ttb"', '"t t"').replace('"ljets_5j"', '"5 jets"'))
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert done.returncode == INCOMPLETE, done.stderr
    for name, plain in (("t t", "t_t"), ("5 jets", "5_jets")):
        assert done.stderr.count(f'the name "{name}": here it is {plain}') == 1, done.stderr


def test_systematics_of_no_sample_are_left_out(call, tmp_path):
    systematic = '\nSystematic: "gone"\n  Samples: "other"\n  WeightSufUp: "weight_up"\n'
    (tmp_path / "fit.config").write_text(CONFIG + systematic)
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert "the systematic gone: none of the samples has it" in done.stderr, done.stderr
    config = config_in((tmp_path / "analysis.json").read_text())
    assert config["variations"] and "gone" not in config["variations"]


def test_inputs_that_are_not_there_give_a_config_all_the_same(call, tmp_path):
    (tmp_path / "fit.config").write_text(CONFIG)
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert done.returncode == INCOMPLETE and "the first input cannot be read" in done.stderr


@pytest.mark.parametrize("seed", range(40))
def test_damaged_configs_end_with_a_message(call, tmp_path, seed):
    generator = np.random.default_rng(seed)
    damaged = bytearray(CONFIG.encode())
    for _ in range(generator.integers(1, 30)):
        place = generator.integers(0, len(damaged))
        damaged[place : place + generator.integers(0, 3)] = generator.bytes(generator.integers(0, 3))
    (tmp_path / "fit.config").write_bytes(bytes(damaged))
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert done.returncode in (INCOMPLETE, WRONG_USAGE), done.stderr
    assert "a fault of skimline" not in done.stderr


def test_a_second_systematic_of_a_name_is_left_out(call, tmp_path):
    (tmp_path / "fit.config").write_text(
        CONFIG + '\nSystematic: "pileup"\n  Samples: fakes\n  WeightSufUp: "2"\n'
    )
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert "the systematic pileup: one above has its name" in done.stderr, done.stderr
    config = config_in((tmp_path / "analysis.json").read_text())
    pileup = config["variations"]["pileup"]
    assert pileup["samples"] == ["ttb", "ttH"]
    assert "weight_pileup_UP" in pileup["weights"]["sample_weight"]["up"]


def test_lists_of_samples_have_wildcards(call, tmp_path):
    systematics = '\nSystematic: "some"\n  Samples: ttb,fak*\n  WeightSufUp: "2"\n'
    systematics += '\nSystematic: "others"\n  Exclude: tt?\n  WeightSufUp: "2"\n'
    (tmp_path / "fit.config").write_text(CONFIG + systematics)
    assert call("init", "--from", "fit.config", cwd=tmp_path).returncode == INCOMPLETE
    variations = config_in((tmp_path / "analysis.json").read_text())["variations"]
    assert variations["some"]["samples"] == ["ttb", "fakes"]
    assert variations["others"]["samples"] == ["fakes"]


@pytest.mark.parametrize("setting", ["Type: GHOST", "UseSystematics: FALSE"])
def test_samples_without_systematics_have_none(call, tmp_path, setting):
    text = CONFIG + f'\nSample: "gg"\n  NtupleFile: "tt"\n  {setting}\n'
    text += '\nSystematic: "all"\n  Samples: all\n  WeightSufUp: "2"\n'
    (tmp_path / "fit.config").write_text(text)
    assert call("init", "--from", "fit.config", cwd=tmp_path).returncode == INCOMPLETE
    variations = config_in((tmp_path / "analysis.json").read_text())["variations"]
    assert variations["all"]["samples"] == ["ttb", "ttH", "fakes"]


def test_excluded_regions_and_dummies_of_systematics_are_told(call, tmp_path):
    text = CONFIG.replace("Exclude: fakes", "Exclude: fakes, ljets_6*\n  DummyForSamples: ttH")
    (tmp_path / "fit.config").write_text(text)
    done = call("init", "--from", "fit.config", cwd=tmp_path)
    assert "Exclude of the systematic pileup: its histograms are filled in all regions" in done.stderr
    assert "DummyForSamples of the systematic pileup" in done.stderr, done.stderr
    variations = config_in((tmp_path / "analysis.json").read_text())["variations"]
    assert variations["pileup"]["samples"] == ["ttb"]
