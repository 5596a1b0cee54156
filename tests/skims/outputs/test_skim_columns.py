# SPDX-License-Identifier: BSD-3-Clause
"""Computed columns of skims and the events of variations, read by uproot and ROOT."""

import awkward as ak
import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, WRONG_USAGE

FORMATS = ("rntuple", "ttree")


@pytest.fixture(scope="module")
def few(generate, tmp_path_factory):
    """5 000 dimuon events: the path, and the columns."""
    path = generate("dimuon", tmp_path_factory.mktemp("few") / "few.root", 5000, "--seed", 8)
    return path, uproot.open(path)["Events"].arrays()


@pytest.fixture
def skim_of(job, few, tmp_path):
    """Writes a skim s.root; returns what uproot reads."""

    def run(skim, **more):
        config = {
            "schema_version": 1,
            "samples": {"mc": {"files": [f"{few[0]}:Events"]}},
            "skims": {"s": {"file": "s.root"} | skim},
        } | more
        done = job(config)
        assert done.returncode == DONE, done.stderr
        return uproot.open(tmp_path / "s.root")["Events"].arrays()

    return run


COLUMNS = {
    "Muon_pt": "Muon_pt[Muon_pt > 20]",
    "n_soft": "Sum(Muon_pt < 10)",
    "MET_pt": "MET_pt * 2",
    "scaled_eta": "Muon_eta * 0.5f",
}


def expected_columns(events):
    return {
        "Muon_pt": events.Muon_pt[events.Muon_pt > 20],
        "n_soft": ak.sum(events.Muon_pt < 10, axis=1),
        "MET_pt": events.MET_pt * np.float32(2),
        "scaled_eta": events.Muon_eta * np.float32(0.5),
    }


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("keep", [[], ["event", "nMuon", "Muon_*", "MET_*"]], ids=["alone", "beside"])
def test_columns(skim_of, few, tmp_path, file_format, keep):
    events = few[1]
    skim = {"format": file_format, "columns": COLUMNS} | ({"keep": keep} if keep else {})
    written = skim_of(skim, select=[{"name": "muons", "where": "nMuon > 0"}])
    chosen = events[events.nMuon > 0]
    expected = expected_columns(chosen)
    if keep:
        kept = [name for name in events.fields if name.startswith(("Muon_", "MET_"))]
        expected = {name: chosen[name] for name in ["event", "nMuon", *kept]} | expected
    fields = set(written.fields)
    assert set(expected) <= fields
    if file_format == "rntuple":
        assert fields == set(expected)
    for name, values in expected.items():
        assert ak.array_equal(written[name], values, dtype_exact=False), name
    frame = ROOT.RDataFrame("Events", str(tmp_path / "s.root"))
    assert frame.Count().GetValue() == len(chosen)
    sums = {name: frame.Define("each", f"Sum({name})").Sum("each") for name in ("Muon_pt", "scaled_eta")}
    for name, total in sums.items():
        assert total.GetValue() == pytest.approx(float(ak.sum(expected[name].to_list())), rel=1e-4, abs=1e-2)
    sizes = frame.Define("each", "Muon_pt.size()").Sum("each").GetValue()
    assert sizes == ak.count(expected["Muon_pt"])
    if keep:
        assert frame.Define("each", "Muon_phi.size()").Sum("each").GetValue() == ak.count(
            expected["Muon_phi"]
        )
    if file_format == "ttree":
        tree = uproot.open(tmp_path / "s.root")["Events"]
        counters = {
            name: str(tree[name].member("fLeaves")[0].member("fLeafCount"))
            for name in ("Muon_pt", "scaled_eta")
        }
        assert len(set(counters.values())) == 2, "filtered and whole lists have counts of their own"


VARIATIONS = {
    "scale": {"columns": {"Jet_pt": {"up": "Jet_pt * 1.5f", "down": "Jet_pt * 0.5f"}}},
    "met": {"columns": {"MET_pt": "MET_pt + 10"}},
    "weight": {"weights": {"sf": "2."}, "allow_unchanged": True},
}
ANALYSIS = {
    "define": {"ht": "Sum(Jet_pt)"},
    "weights": {"sf": "1."},
    "variations": VARIATIONS,
    "select": [{"name": "muons", "where": "nMuon > 0"}, {"name": "jets", "where": "ht > 60"}],
    "regions": {"loud": {"where": "MET_pt > 30"}},
}
NAMES = ["nominal", "scale_up", "scale_down", "met", "weight"]


def passes(events, variation, region, where):
    scale = np.float32({"scale_up": 1.5, "scale_down": 0.5}.get(variation, 1))
    met = events.MET_pt + np.float32(10 if variation == "met" else 0)
    ht = ak.sum(events.Jet_pt * scale, axis=1)
    kept = (events.nMuon > 0) & (ht > 60)
    if region:
        kept = kept & (met > 30)
    if where:
        kept = kept & (ak.fill_none(ak.firsts(events.Jet_pt), 0) * scale > 40)
    return ak.to_numpy(kept)


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize(
    ("region", "where", "taken"),
    [
        (False, False, NAMES),
        (True, False, NAMES),
        # The first jet is there only behind the cut on ht.
        (True, True, NAMES),
        (False, True, ["nominal", "scale_up", "met"]),
    ],
)
def test_events_of_variations(skim_of, few, tmp_path, file_format, region, where, taken):
    events = few[1]
    patterns = True if taken == NAMES else ["*_up", "m?t"]
    skim = {"format": file_format, "keep": ["event", "Jet_pt", "MET_pt"], "variations": patterns}
    skim |= {"region": "loud"} if region else {}
    skim |= {"where": "Jet_pt[0] > 40"} if where else {}
    written = skim_of(skim, **ANALYSIS)
    bits = sum(passes(events, name, region, where).astype(np.uint64) << i for i, name in enumerate(taken))
    assert np.count_nonzero(bits) > np.count_nonzero(bits & 1) > 0
    assert ak.array_equal(written.event, events.event[bits != 0])
    assert written.passed_variations.to_list() == bits[bits != 0].tolist()
    # Values are nominal.
    assert ak.array_equal(written.Jet_pt, events.Jet_pt[bits != 0])
    assert ak.array_equal(written.MET_pt, events.MET_pt[bits != 0])
    frame = ROOT.RDataFrame("Events", str(tmp_path / "s.root"))
    assert (
        frame.Filter("(passed_variations & 1) != 0").Count().GetValue()
        == passes(events, "nominal", region, where).sum()
    )
    described = ", ".join(f"{i}: {name}" for i, name in enumerate(taken))
    if file_format == "rntuple":
        (field,) = (
            field
            for field in uproot.open(tmp_path / "s.root")["Events"].field_records
            if field.field_name == "passed_variations"
        )
        assert field.field_desc == f"bits of what the event passes: {described}"
        reader = ROOT.RNTupleReader.Open("Events", str(tmp_path / "s.root"))
        descriptor = reader.GetDescriptor()
        number = descriptor.FindFieldId("passed_variations")
        assert str(descriptor.GetFieldDescriptor(number).GetFieldDescription()) == field.field_desc
        assert field.type_name == "std::uint64_t"
    else:
        assert described in uproot.open(tmp_path / "s.root")["Events/passed_variations"].title


def test_the_skim_counts_the_events_that_it_has(skim_of, few, tmp_path):
    skim_of({"keep": ["event"], "variations": True}, **ANALYSIS)
    events = few[1]
    any_of = np.any([passes(events, name, False, False) for name in NAMES], axis=0)
    cutflow = uproot.open(tmp_path / "s.root")["skimline/cutflow/mc"].to_hist()
    steps = dict(zip(cutflow.axes[0], cutflow.values().tolist(), strict=True))
    assert steps == {"all events": 5000, "muons": ak.sum(events.nMuon > 0), "skim s": any_of.sum()}


def test_columns_of_skims_with_variations_are_nominal(skim_of, few):
    written = skim_of(
        {"columns": {"ht": "Sum(Jet_pt)", "Jet_pt": "Jet_pt[Jet_pt > 30]"}, "variations": ["scale_up"]},
        **{key: value for key, value in ANALYSIS.items() if key != "define"}
        | {"select": [{"name": "jets", "where": "Sum(Jet_pt) > 60"}]},
    )
    assert written.fields == ["ht", "Jet_pt", "passed_variations"]
    events = few[1]
    kept = events[ak.sum(events.Jet_pt * np.float32(1.5), axis=1) > 60]
    assert ak.array_equal(written.Jet_pt, kept.Jet_pt[kept.Jet_pt > 30])
    assert set(written.passed_variations.to_list()) == {2, 3}
    nominal = ak.to_numpy(written.passed_variations) & 1 == 1
    np.testing.assert_array_equal(nominal, ak.to_numpy(ak.sum(kept.Jet_pt, axis=1) > 60))


def test_samples_without_the_variation_have_its_bit_unset(job, few, tmp_path):
    files = {"files": [f"{few[0]}:Events"]}
    more = {
        "samples": {"mc": files, "data": files | {"variations": False}, "some": files},
        "skims": {"s": {"file": "{sample}.root", "keep": ["event"], "variations": True}},
    }
    variations = VARIATIONS | {"scale": VARIATIONS["scale"] | {"samples": ["mc"]}}
    done = job({"schema_version": 1} | ANALYSIS | more | {"variations": variations})
    assert done.returncode == DONE, done.stderr
    events = few[1]
    for sample, taken in {"mc": NAMES, "data": ["nominal"], "some": ["nominal", "met", "weight"]}.items():
        bits = sum(
            passes(events, name, False, False).astype(np.uint64) << NAMES.index(name) for name in taken
        )
        written = uproot.open(tmp_path / f"{sample}.root")["Events"].arrays()
        assert ak.array_equal(written.event, events.event[bits != 0])
        assert written.passed_variations.to_list() == bits[bits != 0].tolist(), sample


@pytest.mark.parametrize("number", [63, 64])
def test_there_are_63_variations_at_most(job, few, tmp_path, number):
    variations = {f"v{i}": {"columns": {"MET_pt": f"MET_pt + {i + 1}"}} for i in range(number)}
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{few[0]}:Events"]}},
        "variations": variations,
        "select": [{"name": "met", "where": "MET_pt > 40"}],
        "skims": {"s": {"file": "s.root", "keep": ["MET_pt"], "variations": True}},
    }
    done = job(config)
    if number > 63:
        assert done.returncode == WRONG_USAGE
        assert "a skim has at most 63 variations, these are 64" in done.stderr
        return
    assert done.returncode == DONE, done.stderr
    written = uproot.open(tmp_path / "s.root")["Events"].arrays()
    met = ak.to_numpy(written.MET_pt)
    bits = (met > 40).astype(np.uint64)
    for i in range(number):
        bits |= (met + np.float32(i + 1) > 40).astype(np.uint64) << np.uint64(i + 1)
    assert bits.max() == 2**64 - 1
    np.testing.assert_array_equal(ak.to_numpy(written.passed_variations), bits)


@pytest.mark.parametrize("number", [31, 32])
def test_variations_of_all_samples_are_63_at_most(job, few, tmp_path, number):
    """A variation has the same bit in all samples, those that lack it too."""
    taken = {"a": range(1, number + 1), "b": range(number + 1, 64 if number == 31 else 65)}
    variations = {
        f"v{i}": {"columns": {"MET_pt": f"MET_pt + {i}"}, "samples": [name]}
        for name, numbers in taken.items()
        for i in numbers
    }
    config = {
        "schema_version": 1,
        "allow_duplicates": True,
        "samples": {name: {"files": [f"{few[0]}:Events"]} for name in taken},
        "variations": variations,
        "select": [{"name": "met", "where": "MET_pt > 40"}],
        "skims": {"s": {"file": "{sample}.root", "keep": ["MET_pt"], "variations": True}},
    }
    done = job(config)
    if len(variations) > 63:
        assert done.returncode == WRONG_USAGE
        assert "a skim has at most 63 variations, these are 64 in all samples" in done.stderr
        return
    assert done.returncode == DONE, done.stderr
    for name, numbers in taken.items():
        written = uproot.open(tmp_path / f"{name}.root")["Events"].arrays()
        met = ak.to_numpy(written.MET_pt)
        bits = (met > 40).astype(np.uint64)
        for i in numbers:
            bits |= (met + np.float32(i) > 40).astype(np.uint64) << np.uint64(i)
        np.testing.assert_array_equal(ak.to_numpy(written.passed_variations), bits)


def test_bytes_do_not_depend_on_threads(job, few, tmp_path):
    skims = {
        file_format: {
            "file": f"{file_format}.root",
            "format": file_format,
            "columns": COLUMNS,
            "variations": True,
        }
        for file_format in FORMATS
    }
    files = []
    for threads in (1, 4):
        done = job(
            {"schema_version": 1, "samples": {"mc": {"files": [f"{few[0]}:Events"]}}, "skims": skims}
            | ANALYSIS,
            "-j",
            threads,
        )
        assert done.returncode == DONE, done.stderr
        files.append([(tmp_path / f"{file_format}.root").read_bytes() for file_format in FORMATS])
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("skim", "message"),
    [
        ({"columns": {"a": "Sum(Muon_ptt)"}}, 'unknown column "Muon_ptt" (did you mean "Muon_pt"?)'),
        ({"columns": {"a b": "nMuon"}}, '"a b"'),
        (
            {"columns": {"p": "P4(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"}},
            "a skim cannot hold a list of Lorentz vector: write its pt(), eta(), phi() and mass() instead",
        ),
        (
            {"columns": {"passed_variations": "nMuon"}, "variations": True},
            'the skim has a column "passed_variations" already',
        ),
    ],
)
def test_mistakes(job, few, skim, message):
    config = {"schema_version": 1, "samples": {"mc": {"files": [f"{few[0]}:Events"]}}} | ANALYSIS
    done = job(config | {"skims": {"s": {"file": "s.root"} | skim}})
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr
    assert done.stderr.count("error:") == 1


def test_a_skim_of_a_skim_needs_the_name_of_the_bits(skim_of, job, few, tmp_path):
    skim_of({"keep": ["event", "MET_pt"], "variations": ["met"]}, **ANALYSIS)
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": ["s.root"]}},
        "variations": {"met": VARIATIONS["met"]},
        "skims": {"t": {"file": "t.root", "where": "MET_pt > 50", "variations": True}},
    }
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert 'the skim has a column "passed_variations" already' in done.stderr
    config["skims"]["t"]["drop"] = ["passed_variations"]
    done = job(config)
    assert done.returncode == DONE, done.stderr
    met = ak.to_numpy(uproot.open(tmp_path / "t.root")["Events"]["MET_pt"].array())
    bits = uproot.open(tmp_path / "t.root")["Events"]["passed_variations"].array()
    np.testing.assert_array_equal(ak.to_numpy(bits), (met > 50) + 2 * (met > 40))
