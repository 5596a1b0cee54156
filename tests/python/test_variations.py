# SPDX-License-Identifier: BSD-3-Clause
"""Systematic variations of frames: what they fill and count is that of numpy with the columns replaced."""

import ctypes
import json
import subprocess
import warnings

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot

SCALES = {"up": 1.25, "down": 0.75}
PT_SCALE = {"Muon_pt": {"up": "Muon_pt * 1.25", "down": "Muon_pt * 0.75"}}
NOMINAL = "nominal"


def varied(arrays, direction):
    """The events with the momenta of a direction, which are of the type of the file here: the factors are exact."""
    return ak.with_field(arrays, arrays.Muon_pt * np.float32(SCALES.get(direction, 1)), "Muon_pt")


def filled(values, bins, low, high, weights=None):
    return np.histogram(ak.to_numpy(ak.flatten(values, axis=None)), bins, (low, high), weights=weights)[0]


def all_of(booked):
    """The nominal histogram and those of variations, by name."""
    return {NOMINAL: booked.result, **booked.variations}


def test_histograms_and_cutflows_follow(events, arrays):
    frame = (
        events.define("hard", "Muon_pt > 30")
        .vary("pt_scale", PT_SCALE)
        .define("num_hard", "Sum(hard)")
        .filter("num_hard > 0", name="hard muon")
    )
    pt = frame.hist("Muon_pt[hard]", bins=20, range=(0, 200), name="pt")
    met = frame.hist("MET_pt", bins=10, range=(0, 100))
    result = sk.run(pt, met)
    assert frame.variations == list(pt.variations) == list(met.variations) == ["pt_scale_up", "pt_scale_down"]
    cutflows = {NOMINAL: result.cutflow, **result.cutflow.variations}
    sizes = set()
    for name, histogram in all_of(pt).items():
        changed = varied(arrays, name.removeprefix("pt_scale_"))
        hard = changed.Muon_pt > 30
        kept = ak.any(hard, axis=1)
        np.testing.assert_array_equal(histogram.values(), filled(changed.Muon_pt[hard], 20, 0, 200))
        np.testing.assert_array_equal(all_of(met)[name].values(), filled(changed.MET_pt[kept], 10, 0, 100))
        assert [step.events for step in cutflows[name]] == [10000, ak.sum(kept)]
        sizes.add(int(ak.sum(kept)))
    assert len(sizes) == 3


def test_weights_are_definitions(events, arrays):
    frame = (
        events.define("scale_factor", "1.")
        .define("weight", "genWeight * scale_factor")
        .vary("sf", {"scale_factor": {"up": "1 + 0.01 * nMuon", "down": "1 - 0.01 * nMuon"}})
    )
    h = frame.hist(
        "MET_pt", bins=10, range=(0, 100), weight="weight", weight_variations={"double": "2 * weight"}
    )
    sk.run(h)
    shift = 0.01 * arrays.nMuon
    factors = {NOMINAL: 1 + 0 * shift, "double": 2 + 0 * shift, "sf_up": 1 + shift, "sf_down": 1 - shift}
    assert set(all_of(h)) == set(factors)
    for name, factor in factors.items():
        weights = ak.to_numpy(arrays.genWeight * factor)
        np.testing.assert_allclose(
            all_of(h)[name].values(), filled(arrays.MET_pt, 10, 0, 100, weights), rtol=1e-12
        )


def test_columns_that_vary_together_and_names_without_direction(events, arrays):
    frame = events.vary("swap", {"MET_pt": "MET_sumet", "MET_sumet": "MET_pt"})
    h = frame.define("difference", "MET_sumet - MET_pt").hist("difference", bins=50, range=(-500, 500))
    sk.run(h)
    difference = arrays.MET_sumet - arrays.MET_pt
    assert frame.variations == list(h.variations) == ["swap"]
    np.testing.assert_array_equal(h.values(), filled(difference, 50, -500, 500))
    np.testing.assert_array_equal(h.variations["swap"].values(), filled(-difference, 50, -500, 500))


def test_branches_behind_a_variation(events, arrays):
    frame = events.vary("pt_scale", PT_SCALE).filter("nMuon > 0", name="muons")
    hard = frame.filter("Max(Muon_pt) > 40", name="hard pt").hist("nJet", integers=(0, 9), name="hard")
    soft = frame.filter("Max(Muon_pt) < 20", name="soft pt").hist("nJet", integers=(0, 9), name="soft")
    result = sk.run(hard, soft)
    for name, histogram in all_of(hard).items():
        changed = varied(arrays, name.removeprefix("pt_scale_"))
        most = ak.fill_none(ak.max(changed.Muon_pt, axis=1), np.nan)
        assert histogram.entries == ak.sum(most > 40)
        assert all_of(soft)[name].entries == ak.sum(most < 20)
        if name != NOMINAL:
            assert result.cutflow.variations[name]["hard pt"].events == ak.sum(most > 40)
            assert result.cutflow.variations[name]["hard pt"].region
    assert (
        result.histogram("hard", region="hard_pt").variations["pt_scale_up"] == hard.variations["pt_scale_up"]
    )


def test_what_varied_before_a_filter_varies_where_another_variation_is_of_its_columns(events, arrays):
    """Behind the filter the definition is another one, made of what varies there; a weight is one, too."""
    varied = events.define("twice", "MET_pt * 2.").weight("scale", "MET_pt * 0.5")
    varied = varied.vary("square", {"twice": "twice * twice"}).vary("flat", {"scale": "4."})
    varied = varied.filter("nMuon > 0", name="muons").vary("shift", {"MET_pt": {"up": "MET_pt + 1"}})
    booked = varied.hist("twice + 1", bins=40, range=(0, 400), name="twice", weight="weight_")
    sk.run(booked)
    met = arrays.MET_pt[arrays.nMuon > 0].to_numpy().astype(float)
    shifted = (arrays.MET_pt[arrays.nMuon > 0].to_numpy() + np.float32(1)).astype(float)
    for histogram, value, weight in (
        (booked.result, met * 2, met * 0.5),
        (booked.variations["square"], (met * 2) ** 2, met * 0.5),
        (booked.variations["flat"], met * 2, np.full(len(met), 4.0)),
        (booked.variations["shift_up"], shifted * 2, shifted * 0.5),
    ):
        expected, _ = np.histogram(value + 1, bins=40, range=(0, 400), weights=weight)
        np.testing.assert_allclose(histogram.values(), expected, rtol=1e-12)


def test_what_a_variation_replaces_with_its_column_follows_later_variations_of_that(events, arrays):
    """In branches that differ, where names mean other things behind each variation."""
    weighted = events.weight("scale", "MET_pt * 0.5")
    both = weighted.vary("both", {"scale": "4.", "MET_pt": "MET_pt * 2"})
    later = both.vary("later", {"MET_pt": "MET_pt + 1"})
    booked = later.hist("nMuon", integers=(0, 5), name="n", weight="weight_")
    sk.run(booked, weighted.hist("nMuon", integers=(0, 5), name="other"))
    met, plus = arrays.MET_pt.to_numpy(), arrays.MET_pt.to_numpy() + np.float32(1)
    for histogram, weight in (
        (booked.result, met * 0.5),
        (booked.variations["both"], np.full(len(met), 4.0)),
        (booked.variations["later"], plus * 0.5),
    ):
        expected = np.bincount(arrays.nMuon, weights=weight.astype(float), minlength=6)[:6]
        np.testing.assert_allclose(histogram.values(), expected, rtol=1e-6)


def test_samples_have_variations_of_their_own(dimuon, arrays):
    described = {"files": [str(dimuon)]}
    events = sk.open(
        {
            "data": {**described, "variations": False},
            "mc__a": described,
            "mc__b": {**described, "metadata": {"f": 2}},
        }
    )
    frame = events.vary("pt_scale", PT_SCALE).vary("f", {"MET_pt": "MET_pt * f"}, samples="*__b")
    h = frame.filter("Sum(Muon_pt) > 60", name="pt").hist("MET_pt", bins=10, range=(0, 100))
    result = sk.run(h)
    assert [list(h[sample].variations) for sample in h] == [
        [],
        ["pt_scale_up", "pt_scale_down"],
        ["pt_scale_up", "pt_scale_down", "f"],
    ]
    assert result.cutflow.variations["pt_scale_up"].samples == ["mc__a", "mc__b"]
    assert result.cutflow.variations["f"].samples == ["mc__b"]
    kept = ak.sum(varied(arrays, "up").Muon_pt, axis=1) > 60
    assert h["mc__a"].variations["pt_scale_up"].entries == ak.sum(kept)
    kept = ak.sum(arrays.Muon_pt, axis=1) > 60
    doubled = np.histogram(2 * arrays.MET_pt[kept], 10, (0, 100))[0]
    np.testing.assert_array_equal(h["mc__b"].variations["f"].values(), doubled)
    assert h.variation("f", sample="mc__b") == h["mc__b"].variations["f"]
    with pytest.raises(sk.Error, match=r'h\["data"\]'):
        h.variations  # noqa: B018
    with pytest.raises(sk.ExpressionError, match='unknown column "f"'):
        events.vary("f", {"MET_pt": "MET_pt * f"})  # mc__a has no f


def test_values_are_nominal_where_a_sample_is_a_variation_itself(dimuon, arrays, tmp_path):
    described = {"files": [str(dimuon)]}
    tune = {**described, "metadata": {"variation": "tune"}}
    fileset = {"listed": {"files": {str(dimuon): "Events"}, "metadata": {"variation": "other"}}}
    (tmp_path / "fileset.json").write_text(json.dumps(fileset))
    events = sk.open(
        {"mc": described, "tune": tune, "both": {**tune, "variations": True}},
        samples_from=str(tmp_path / "fileset.json"),
    )
    frame = events.vary("scale", {"MET_pt": {"up": "MET_pt * 2"}})
    h = frame.hist("MET_pt", bins=10, range=(0, 100))
    sk.run(h)
    for sample, factor in {"mc": 2, "tune": 1, "both": 2, "listed": 1}.items():
        assert bool(h[sample].variations) == (factor == 2)
        for read in (
            frame.arrays("MET_pt", sample=sample, variation="scale_up"),
            frame.in_variation("scale_up").arrays("MET_pt", sample=sample),
            next(iter(frame.iterate("MET_pt", sample=sample, variation="scale_up"))),
        ):
            np.testing.assert_array_equal(read.MET_pt, arrays.MET_pt * np.float32(factor))


def test_the_program_makes_the_same_bytes_of_the_config(events, tmp_path, monkeypatch, program):
    monkeypatch.chdir(tmp_path)
    frame = (
        events.define("weight", "genWeight")
        .define("scaled", "Muon_pt * 1.5")
        .vary("pt_scale", {"Muon_pt": {"up": "scaled", "down": "Muon_pt * 0.75"}})
        .vary("weight", {"weight": {"up": "weight * 1.1", "down": "weight * 0.9"}})
        .filter("Sum(Muon_pt > 30) > 0", name="hard")
    )
    mass = frame.filter("nMuon == 2").hist("Muon_pt", bins=12, range=(0, 120), weight="weight")
    met = frame.filter("nJet > 1").hist("MET_pt", bins=10, range=(0, 100), weight="weight")
    skim = frame.skim("hard.root", keep=["Muon_pt"], variations=True)
    result = sk.run(mass, met, skim, histograms="histograms.root", threads=2)
    names = ("hard.root", "histograms.root")
    written = {name: (tmp_path / name).read_bytes() for name in names}
    (tmp_path / "analysis.json").write_text(json.dumps(sk.to_config(mass, met, skim)))
    subprocess.run([program, "run", "-j1", "--force", "analysis.json"], check=True, capture_output=True)
    assert {name: (tmp_path / name).read_bytes() for name in names} == written
    again = sk.run_config("analysis.json")
    assert again.histograms.keys() == result.histograms.keys()
    assert all(again.histograms[name] == result.histograms[name] for name in result.histograms)
    with uproot.open("histograms.root") as file:
        for histogram in [*all_of(mass).values(), *all_of(met).values()]:
            np.testing.assert_array_equal(file[histogram.name].values(), histogram.values())


def test_counts_and_arrays_are_nominal(events, arrays):
    """Also of frames whose variations change nothing of them."""
    frame = events.define("unused", "MET_pt * 2").vary("unused", {"unused": "MET_pt * 3"})
    frame = frame.vary("phi", {"MET_phi": "MET_phi * 2"}).vary("pt_scale", PT_SCALE)
    frame = frame.filter("Sum(Muon_pt) > 60", name="pt")
    kept = ak.sum(arrays.Muon_pt, axis=1) > 60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flow = frame.cutflow()
        assert frame.count() == flow["pt"].events == ak.sum(kept)
        np.testing.assert_array_equal(frame.arrays("MET_phi", library="np")["MET_phi"], arrays.MET_phi[kept])
        assert next(frame.iterate("MET_phi", step=10)).MET_phi.tolist() == arrays.MET_phi[kept][:10].tolist()
    up = ak.sum(varied(arrays, "up").Muon_pt, axis=1) > 60
    assert flow.variations["pt_scale_up"]["pt"].events == ak.sum(up)
    assert flow.variations["phi"]["pt"].events == ak.sum(kept)


def test_what_changes_nothing(events):
    frame = events.define("twice", "MET_pt * 2").vary("met", {"twice": "MET_pt * 3"})
    with pytest.raises(sk.ConfigError, match='"met" changes nothing of what is run: nothing needs "twice"'):
        sk.run(frame.hist("nMuon", integers=(0, 5)))
    with pytest.raises(sk.ConfigError, match='"met" changes no selection and no histogram'):
        sk.run(events.vary("met", {"MET_pt": "MET_pt * 2"}).hist("nMuon", integers=(0, 5)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for column in ("twice", "MET_phi"):
            allowed = events.define("twice", "MET_pt * 2")
            allowed = allowed.vary("met", {column: f"{column} * 3"}, allow_unchanged=True)
            h = allowed.hist("nMuon", integers=(0, 5))
            sk.run(h)
            assert h.variations["met"] == h.result


@pytest.mark.parametrize("behind", ["nothing", "a filter", "a redefinition"])
def test_what_may_be_unchanged_is_filled_beside_what_does_not_vary(events, behind):
    """Also where what varies is needed by nothing, or means something else since."""
    frame = events.filter("nMuon > 0") if behind == "a filter" else events
    varied = frame.vary("met", {"MET_pt": {"up": "MET_pt * 3"}}, allow_unchanged=True)
    if behind == "a redefinition":
        varied = varied.redefine("MET_pt", "MET_phi")
    booked = varied.hist("nMuon", integers=(0, 5))
    beside = events.hist("nMuon", integers=(0, 5), name="beside")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sk.run(booked, beside)
    assert booked.variations["met_up"] == booked.result
    assert not beside.variations


def test_replacements_may_name_what_is_defined_behind(events, arrays):
    """And what only they name is in the config."""
    frame = events.define("a", "MET_pt").define("b", "MET_sumet").vary("ab", {"a": "a + b"})
    h = frame.hist("a", bins=10, range=(0, 1000))
    assert list(h.to_config()["define"]) == ["a", "b"]
    sk.run(h)
    np.testing.assert_array_equal(
        h.variations["ab"].values(), filled(arrays.MET_pt + arrays.MET_sumet, 10, 0, 1000)
    )


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda f: f.vary("x", {"MET_ptt": "1"}),
            sk.SchemaError,
            'unknown column "MET_ptt" (did you mean "MET_pt"?)',
        ),
        (
            lambda f: f.vary("x", {"MET_pt": "MET_ptt"}),
            sk.ExpressionError,
            'did you mean "MET_pt"?) (in the variation',
        ),
        (
            lambda f: f.vary("x", {"MET_pt": "Muon_pt"}),
            sk.ExpressionError,
            '"MET_pt" is a float, but this is a list',
        ),
        (lambda f: f.vary("x", {"nMuon": "nMuon * 1.5"}), sk.ExpressionError, '(in the variation "x")'),
        (lambda f: f.vary("x", {}), sk.ConfigError, '"x" replaces nothing'),
        (lambda f: f.vary("x", {"MET_pt": {}}), sk.ConfigError, '"MET_pt" has none'),
        (lambda f: f.vary("x", {"MET_pt": ["1.", "2."]}), TypeError, "a name for each direction"),
        (lambda f: f.vary("x", {"MET_pt": 5}), TypeError, 'what replaces "MET_pt" must be a text, not 5'),
        (lambda f: f.vary("x", {5: "1"}), TypeError, "must be a text, not 5"),
        (lambda f: f.vary(5, {"MET_pt": "1."}), TypeError, "vary(): name must be a text, not 5"),
        (lambda f: f.vary("a b", {"MET_pt": "1."}), sk.ConfigError, '"a b" cannot name a variation'),
        (lambda f: f.vary("x", {"MET_pt": {"": "1."}}), sk.ConfigError, "cannot name a direction"),
        (lambda f: f.vary("nominal", {"MET_pt": "1."}), sk.ConfigError, '"nominal" is what is not varied'),
        (
            lambda f: f.hist("MET_pt", integers=(0, 1), weight="1", weight_variations={"nominal": "2"}),
            sk.ConfigError,
            'what the "weight" itself is called: give',
        ),
        (
            lambda f: f.vary("x", {"MET_pt": {"up": "1."}, "MET_phi": {"down": "1."}}),
            sk.ConfigError,
            'the same directions: "MET_phi" has "down", others "up"',
        ),
        (
            lambda f: f.vary("x", {"MET_pt": {"up": "1."}, "MET_phi": "1."}),
            sk.ConfigError,
            '"MET_phi" has none',
        ),
        (
            lambda f: f.vary("x", PT_SCALE).vary("x", {"MET_pt": "1."}),
            sk.ConfigError,
            'two variations are called "x"',
        ),
        (lambda f: f.vary("x", PT_SCALE).vary("x_up", {"MET_pt": "1."}), sk.ConfigError, 'are called "x_up"'),
        (lambda f: f.vary("x", PT_SCALE, samples="event"), sk.ConfigError, 'did you mean "events"'),
        (lambda f: f.vary("x", PT_SCALE, samples=[]), sk.ConfigError, "for no sample"),
    ],
)
def test_mistakes_are_found_where_they_are_made(events, make, error, text):
    with pytest.raises(error) as caught:
        make(events)
    assert text in str(caught.value)


def test_unknown_names(events):
    h = events.vary("pt_scale", PT_SCALE).hist("Muon_pt", bins=2, range=(0, 100))
    with pytest.raises(sk.Error, match="is not filled yet"):
        h.variations  # noqa: B018
    result = sk.run(h)
    for of_name in (h.variations.__getitem__, result.cutflow.variations.__getitem__, h.variation):
        with pytest.raises(sk.ConfigError, match=r'no variation "pt_scale_u".*did you mean "pt_scale_up"'):
            of_name("pt_scale_u")
    assert "pt_scale_u" not in h.variations
    assert h.variations.get("pt_scale_u") is None
    twice = h.result + h.result
    assert list(twice.variations) == list(h.variations)
    assert twice.variations["pt_scale_up"] == h.variations["pt_scale_up"] + h.variations["pt_scale_up"]


def test_compiled_functions_are_called_for_each_variation(events, arrays):
    half = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda value: value / 2)
    frame = events.function("half", half).vary("pt_scale", PT_SCALE).vary("half", {"MET_pt": "half(MET_pt)"})
    h = frame.define("x", "half(Sum(Muon_pt) + MET_pt)").hist("x", bins=10, range=(0, 200))
    sk.run(h, threads=1)
    np.testing.assert_array_equal(
        h.variations["pt_scale_up"].values(),
        filled((ak.sum(varied(arrays, "up").Muon_pt, axis=1) + arrays.MET_pt) / 2, 10, 0, 200),
    )
    np.testing.assert_array_equal(
        h.variations["half"].values(),
        filled((ak.sum(arrays.Muon_pt, axis=1) + arrays.MET_pt / 2) / 2, 10, 0, 200),
    )


def test_frames_show_their_variations(events):
    frame = events.vary("pt_scale", PT_SCALE)
    assert events.variations == []
    assert "variations: pt_scale_up, pt_scale_down" in str(frame)
    assert "variations: pt_scale_up, pt_scale_down" in frame._repr_html_()
    assert "variations" not in str(events)


@pytest.mark.filterwarnings("ignore:(?s).*adds up samples with the same events")
def test_results_of_a_config(dimuon, arrays, tmp_path):
    """Variations, sums of samples and the names of both."""
    result = sk.run_config(
        {
            "schema_version": 1,
            "samples": {
                "a": {"files": [str(dimuon)], "metadata": {"process": "top"}},
                "b": {"files": [str(dimuon)], "metadata": {"process": "w"}, "variations": False},
            },
            "weights": {"tag": "1."},
            "variations": {
                "pt_scale": {"columns": PT_SCALE},
                "tag": {"weights": {"tag": {"up": "1.5"}}},
            },
            "sums": {"all": {"a": 0.5, "b": 2}},
            "select": [{"name": "pt", "where": "Sum(Muon_pt) > 60"}],
            "regions": {"jets": {"where": "nJet > 1"}},
            "histogram_defaults": {"weight": "weight_"},
            "histograms": {
                "met": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 100]}, "regions": ["jets"]}
            },
            "output": {
                "histograms": {
                    "file": str(tmp_path / "histograms.root"),
                    "name": {"nominal": "{region}_{process}", "varied": "{region}_{process}_{variation}"},
                }
            },
        }
    )
    assert list(result.histograms) == [
        "jets_top",
        "jets_top_pt_scale_up",
        "jets_top_pt_scale_down",
        "jets_top_tag_up",
        "jets_w",
        "jets_all",
    ]
    nominal = result.histogram("met", sample="a", region="jets")
    assert list(nominal.variations) == ["pt_scale_up", "pt_scale_down", "tag_up"]
    for direction in SCALES:
        changed = varied(arrays, direction)
        kept = (ak.sum(changed.Muon_pt, axis=1) > 60) & (changed.nJet > 1)
        of_direction = nominal.variations[f"pt_scale_{direction}"]
        np.testing.assert_array_equal(of_direction.values(), filled(arrays.MET_pt[kept], 10, 0, 100))
        assert result.cutflow.variations[f"pt_scale_{direction}"]["jets"].events == ak.sum(kept)
    np.testing.assert_array_equal(nominal.variations["tag_up"].values(), 1.5 * nominal.values())
    total = result.histogram("met", sample="all", region="jets")
    np.testing.assert_array_equal(total.values(), 2.5 * nominal.values())
    assert not total.variations
    assert (
        result.histogram("met", sample="a", region="jets", variation="tag_up") is nominal.variations["tag_up"]
    )


def test_a_list_is_no_variation(events):
    with pytest.raises(TypeError, match='"scale" needs a mapping'):
        events.vary("scale", ["MET_pt * 2"])


@pytest.mark.parametrize("behind", ["", "hard", "weighted"])
def test_samples_that_lack_a_variation_keep_their_values_wherever_one_is_read(dimuon, behind):
    opened = {
        "data": {"files": dimuon, "is_data": True},
        "signal": {"files": dimuon, "variations": False},
        "mc_a": dimuon,
        "mc_b": dimuon,
    }
    frame = sk.open(opened).define("twice", "MET_pt * 2").weight("w", "nMuon")
    if behind == "hard":  # where the variation is none of all names, but stands for some
        frame = frame.filter("MET_pt > 10")
    column = "w" if behind == "weighted" else "MET_pt"
    frame = frame.vary("scale", {column: {"up": f"{column} * 4"}}, samples=["data", "signal", "mc_a"])
    booked = frame.hist("twice", bins=50, range=(0, 400), name="twice")
    sk.run(booked)
    fixed = frame.in_variation("scale_up")
    same = fixed.hist("twice", bins=50, range=(0, 400), name="twice")
    sk.run(same)
    nominal = frame.arrays("MET_pt", sample="mc_b", library="np")["MET_pt"]
    factors = {"data": 1, "signal": 1, "mc_a": 1 if behind == "weighted" else 4, "mc_b": 1}
    for name, factor in factors.items():
        read = frame.arrays(["MET_pt", "twice"], sample=name, variation="scale_up", library="np")
        np.testing.assert_array_equal(read["MET_pt"], nominal * np.float32(factor))
        np.testing.assert_array_equal(read["twice"], nominal * np.float32(2 * factor))
        np.testing.assert_array_equal(
            fixed.arrays("twice", sample=name, library="np")["twice"], read["twice"]
        )
        assert same[name] == booked[name].variations.get("scale_up", booked[name])
    assert list(booked["mc_a"].variations) == ["scale_up"]
    parts = frame.iterate("MET_pt", sample="*", variation="scale_up", library="np")
    read = np.concatenate([part["MET_pt"] for part in parts])
    np.testing.assert_array_equal(
        read, np.concatenate([nominal * np.float32(each) for each in factors.values()])
    )


def test_samples_of_lists_that_lack_a_variation_keep_their_values_and_their_order(dimuon, tmp_path):
    listed = tmp_path / "samples.json"
    samples = {name: {"trees": ["Events"], "files": [str(dimuon)]} for name in ("mc_a", "mc_b")}
    listed.write_text(json.dumps({"samples": samples}))
    frame = sk.open(samples_from=str(listed)).vary("scale", {"MET_pt": {"up": "MET_pt * 4"}}, samples="mc_a")
    nominal = frame.arrays("MET_pt", sample="mc_b", library="np")["MET_pt"]
    for name, factor in {"mc_a": 4, "mc_b": 1}.items():
        read = frame.arrays("MET_pt", sample=name, variation="scale_up", library="np")["MET_pt"]
        np.testing.assert_array_equal(read, nominal * np.float32(factor))


@pytest.mark.parametrize("text", ["MET_pt * weight_", "MET_pt * second"])
def test_values_may_vary_by_the_weight_wherever_one_is_read(dimuon, text):
    own = {"files": dimuon, "weights": {"first": "1. * nMuon"}}
    samples = {
        "data": {"files": dimuon, "is_data": True, "variations": True},
        "measured": {**own, "is_data": True, "variations": True},
        "signal": {"files": dimuon, "variations": False},
        "mc_a": own,
        "mc_b": dimuon,
    }
    frame = sk.open(samples).weight("first", "2.5").weight("second", "first + 1")
    frame = frame.vary("scale", {"MET_pt": {"up": text}})
    booked = frame.hist("MET_pt", bins=50, range=(0, 4000), weight="1")
    sk.run(booked)
    fixed = frame.in_variation("scale_up")
    same = fixed.hist("MET_pt", bins=50, range=(0, 4000), weight="1")
    sk.run(same)
    with uproot.open(dimuon) as file:
        met, number = (file["Events"][name].array(library="np") for name in ("MET_pt", "nMuon"))
    first = {"data": 1, "measured": number, "mc_a": number, "mc_b": 2.5}
    second = {"data": 1, "measured": 1, "mc_a": number + 1.0, "mc_b": 3.5}
    for name in samples:
        factor = second.get(name, 1) * (first.get(name, 1) if "weight_" in text else 1)
        read = frame.arrays("MET_pt", sample=name, variation="scale_up", library="np")["MET_pt"]
        np.testing.assert_allclose(read, met * factor, rtol=1e-6)
        np.testing.assert_array_equal(fixed.arrays("MET_pt", sample=name, library="np")["MET_pt"], read)
        assert same[name] == booked[name].variations.get("scale_up", booked[name])


def test_values_may_vary_by_the_weight_where_a_factor_was_defined_anew(dimuon):
    frame = sk.open(dimuon).weight("f", "nMuon + 1").redefine("f", "MET_pt * 2")
    frame = frame.vary("scale", {"MET_pt": {"up": "MET_pt * weight_ + f"}})
    with uproot.open(dimuon) as file:
        met, number = (file["Events"][name].array(library="np") for name in ("MET_pt", "nMuon"))
    read = frame.arrays("MET_pt", variation="scale_up", library="np")["MET_pt"]
    np.testing.assert_allclose(read, met * (number + 1.0) + met * 2, rtol=1e-6)
    booked = frame.hist("MET_pt", bins=50, range=(0, 4000), weight="1")
    same = frame.in_variation("scale_up").hist("MET_pt", bins=50, range=(0, 4000), weight="1")
    sk.run(booked)
    sk.run(same)
    assert same.result == booked.variations["scale_up"]


def test_equal_variations_of_equal_frames_are_one(events):
    def varied(frame=events):
        return frame.vary("scale", {"MET_pt": {"up": "MET_pt * 2", "down": "MET_pt / 2"}})

    def filled(frame, name):
        return frame.filter("MET_pt > 30").hist("MET_pt", bins=50, range=(0, 200), name=name)

    one, other = filled(varied(), "one"), filled(varied(), "other")
    config = sk.to_config(one, other)
    assert config["variations"] == {
        "scale": {"columns": {"MET_pt": {"up": "MET_pt * 2", "down": "MET_pt / 2"}}}
    }
    assert "define" not in config
    sk.run(one, other)
    alone = filled(varied(), "alone")
    sk.run(alone)
    for name, expected in alone.variations.items():
        for each in (one, other):
            assert np.array_equal(each.variations[name].values(flow=True), expected.values(flow=True))


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.redefine("MET_pt", "MET_pt * 3"),
        lambda f: f.vary("other", {"MET_pt": {"up": "MET_pt * 5"}}),
        lambda f: f.filter("nMuon > 1"),
        lambda f: f.define("factor", "3."),
    ],
)
def test_equal_variations_of_other_frames_are_not(events, change):
    def filled(frame, name):
        frame = frame if "factor" in frame.columns else frame.define("factor", "2.")
        varied = frame.vary("scale", {"MET_pt": {"up": "MET_pt * factor", "down": "MET_pt / factor"}})
        return varied.hist("MET_pt", bins=50, range=(0, 200), name=name)

    def values(booked):
        every = {"": booked.result, **booked.variations}
        return {name: each.values(flow=True).tolist() for name, each in every.items()}

    for plain_first in (True, False):
        frames = [events, change(events)] if plain_first else [change(events), events]
        together = [filled(frame, f"h{number}") for number, frame in enumerate(frames)]
        sk.run(together)
        for each, frame in zip(together, frames, strict=True):
            alone = filled(frame, "alone")
            sk.run(alone)
            assert values(each) == values(alone)


def test_frames_of_variations_run_together_with_the_frame_that_varies(events, arrays):
    """Each has its own filters, though these are written once."""
    varied = events.vary("scale", {"MET_pt": {"up": "MET_pt * 2", "down": "MET_pt / 2"}})
    varied = varied.filter("MET_pt > 30", name="hard").filter("nMuon > 0", name="muons")
    frames = {"": varied, **{name: varied.in_variation(name) for name in varied.variations}}
    booked = {name: frame.hist("nJet", integers=(0, 9), name=f"h{name}") for name, frame in frames.items()}
    again = varied.in_variation("scale_up").hist("nJet", integers=(0, 9), name="again")
    result = sk.run(again, *reversed(booked.values()))
    met, muons = ak.to_numpy(arrays["MET_pt"]), ak.to_numpy(arrays["nMuon"]) > 0
    expected = {"": 30, "scale_up": 15, "scale_down": 60}
    for name, threshold in expected.items():
        assert booked[name].result.entries == np.sum((met > threshold) & muons)
        assert booked[""].variations.get(name, booked[""].result) == booked[name].result
    assert again.result == booked["scale_up"].result
    passing = [step.events for step in result.cutflow if step.name == "muons"]
    assert sorted(passing) == sorted(np.sum((met > each) & muons) for each in expected.values())
