# SPDX-License-Identifier: BSD-3-Clause
"""The two references of the AGC agree bin by bin, and the samples hold what is easily got wrong."""

import agc_awkward
import agc_definition as agc
import agc_rdataframe
import awkward as ak
import numpy as np
import pytest
import uproot
from agc_comparison import assert_same

TTBAR = ("scaledown", "scaleup", "ME_var", "PS_var")
TAGS = tuple(f"btag_var_{i}_{direction}" for i in range(4) for direction in ("up", "down"))
OTHERS = ("single_top_s_chan", "single_top_t_chan", "single_top_tW", "wjets")


@pytest.fixture(scope="module")
def by_awkward(filled_by, inputs, version):
    return filled_by(agc_awkward, inputs, version)


@pytest.fixture(scope="module")
def by_rdataframe(filled_by, inputs, version):
    return filled_by(agc_rdataframe, inputs, version)


@pytest.mark.thorough(quick=1)
def test_references_agree(by_awkward, by_rdataframe):
    assert_same(by_awkward, by_rdataframe)


def test_histograms_have_the_names_of_the_agc(by_awkward):
    processes = ["ttbar", *OTHERS]
    varied = ("pt_scale_up", "pt_res_up", *TAGS)
    names = [*processes, *(f"ttbar_{name}" for name in TTBAR), "pseudodata"]
    names += [f"{process}_{name}" for process in processes for name in varied]
    names += ["wjets_scale_var_up", "wjets_scale_var_down"]
    assert len(names) == 62
    assert set(by_awkward) == {f"{region}_{name}" for region in ("4j1b", "4j2b") for name in names}


def test_bins_are_filled(by_awkward):
    """Nearly all of them, and the flow; a histogram that is empty shows nothing."""
    for name, contents in by_awkward.items():
        assert np.count_nonzero(contents.sums) >= 15, name
        assert contents.sums[-1] > 0, name


def test_variations_change_what_they_should(by_awkward):
    for region in agc.REGIONS:
        for process in ("ttbar", *OTHERS):
            nominal = by_awkward[f"{region}_{process}"].sums
            sizes = {
                name: by_awkward[f"{region}_{process}_{name}"].sums
                for name in ("pt_scale_up", "pt_res_up", *TAGS)
            }
            assert len({tuple(sums) for sums in [nominal, *sizes.values()]}) == 1 + len(sizes)
        scaled = by_awkward[f"{region}_wjets_scale_var_up"].sums
        np.testing.assert_allclose(scaled, 1.025 * by_awkward[f"{region}_wjets"].sums, rtol=1e-12)


def test_layouts_hold_the_same_events(all_inputs):
    tree, *others = (uproot.open(f"{path.parent}/wjets__nominal.root:Events") for path in all_inputs.values())
    columns = [*agc_awkward.COLUMNS, *agc_awkward.QUALITY_COLUMNS]
    expected = tree.arrays(columns)
    for other in others:
        # An imported file gives its collections along with the columns asked for.
        assert ak.to_list(other.arrays(columns)[columns]) == ak.to_list(expected[columns])


def trijets_that_tie(events: ak.Array) -> int:
    """Events whose largest trijet pt is that of two combinations of unequal mass."""
    jets = agc_awkward.good_jets(events, events.Jet_pt, agc.VERSIONS["v1"])
    jets = jets[ak.num(jets) >= 4]
    forward, backward = agc_awkward.trijet_mass(tagged(jets)), agc_awkward.trijet_mass(tagged(jets[:, ::-1]))
    return int(np.sum(abs(forward - backward) > 1e-6))


def tagged(jets: ak.Array) -> ak.Array:
    return ak.with_field(jets, ak.ones_like(jets.is_tagged), "is_tagged")


def test_samples_hold_what_is_easily_got_wrong(all_inputs):
    (path,) = agc.read_samples(all_inputs["tree"])[-1].paths
    columns = [*agc_awkward.COLUMNS, *agc_awkward.QUALITY_COLUMNS]
    events = uproot.open(f"{path}:Events").arrays(columns)
    values = {name: ak.to_numpy(ak.flatten(events[name])) for name in columns}
    for name, exact in [
        *((name, value) for name in ("Electron_pt", "Muon_pt", "Jet_pt") for value in (25, 30)),
        *(("Electron_eta", 2.1), ("Muon_eta", -2.1), ("Jet_eta", 2.4), ("Jet_eta", -2.4)),
        *(("Electron_sip3d", 4), ("Muon_sip3d", 4), ("Muon_pfRelIso04_all", 0.15)),
        *(("Jet_btagCSVV2", 0.5), ("Jet_btagCSVV2", -10)),
    ]:
        assert np.count_nonzero(values[name] == np.float32(exact)) >= 5, (name, exact)
    assert np.count_nonzero(values["Jet_mass"] < 0) > 100
    assert ak.sum(ak.num(events.Jet_pt) == 0) > 10
    sums = agc_awkward.observables(agc_awkward.good_jets(events, events.Jet_pt, agc.VERSIONS["v1"]))
    _, _, sums = next(sums)
    assert ak.sum((sums - agc.LOW) % 20 == 0) > 10
    assert trijets_that_tie(ak.zip({n: agc_awkward.widened(events[n]) for n in columns}, depth_limit=1)) > 10


# So little is asked of real events that both regions have some of the tree's 200. The RNTuple has 10.
LOOSE = agc.Selection(lepton_pt=10, jet_pt=15, btag=0.2, has_quality=False)

REAL_FILES = {
    "tree": "nanoAOD_2015_CMS_Open_Data_ttbar.root",
    "RNTuple": "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root",
}


@pytest.mark.thorough
@pytest.mark.parametrize("layout", REAL_FILES)
@pytest.mark.parametrize("selection", [*agc.VERSIONS.values(), LOOSE], ids=[*agc.VERSIONS, "loose"])
def test_references_agree_on_real_events(shared_data, layout, selection):
    path = str(shared_data / REAL_FILES[layout])
    sample = agc.Sample("wjets", "nominal", (path,), uproot.open(path)["Events"].num_entries)
    by_awkward = agc_awkward.histograms_of_sample(sample, selection)
    assert_same(by_awkward, agc_rdataframe.histograms_of_sample(sample, selection))
    if layout == "tree" and selection == LOOSE:
        assert all(np.sum(contents.sums) > 0 for contents in by_awkward.values())


@pytest.mark.parametrize("axis", [(agc.BINS, agc.LOW, agc.HIGH)])
def test_edges_belong_to_the_bins_that_root_chooses(axis):
    root_axis = agc_rdataframe.ROOT.TAxis(*axis)
    edges = np.array([root_axis.GetBinLowEdge(i) for i in range(1, agc.BINS + 2)])
    values = np.concatenate(
        [edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [np.nan, np.inf]]
    )
    assert agc_awkward.place(values).tolist() == [root_axis.FindFixBin(value) for value in values]


def test_factors_of_the_resolution_are_those_of_root():
    """Each step of pt has its own."""
    agc_rdataframe.declare()
    pt = np.arange(1000) / 1000 + 30.0005
    expected = np.array(agc_rdataframe.ROOT.agc.Smeared(agc_rdataframe.ROOT.RVecD(pt)))
    found = ak.to_numpy(agc_awkward.smeared(ak.Array([pt])))[0]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert len(set(agc_awkward.RESOLUTION_FACTORS)) == 1000
