# SPDX-License-Identifier: BSD-3-Clause
"""Skims of which collections lose elements, against plain loops: values, counts and references."""

import re
from functools import lru_cache
from itertools import chain, permutations

import awkward as ak
import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE
from thinned_events import (
    INDICES,
    check_references,
    linked_events,
    thinned_column,
    with_ancestors,
    write_ntuple,
    write_tree,
)

FORMATS = ("rntuple", "ttree")
WRITERS = {"rntuple": write_ntuple, "ttree": write_tree}


def run_skim(job, path, skim, **more):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{path}:Events"]}},
        "skims": {"s": {"file": "s.root"} | skim},
    } | more
    return job(config)


@pytest.fixture
def skim_of(job, tmp_path):
    """Writes a skim s.root of a file; returns what uproot reads."""

    def run(path, skim, **more):
        done = run_skim(job, path, skim, **more)
        assert done.returncode == DONE, done.stderr
        return uproot.open(tmp_path / "s.root")["Events"].arrays()

    return run


def assert_thinned(before, after, masks, indices):
    """All columns are what a loop by hand makes of them, with their types."""
    for name in after.fields:
        expected = thinned_column(name, before[name], masks, indices)
        kind = ak.to_numpy(ak.flatten(before[name], axis=None)).dtype
        found = ak.to_numpy(ak.flatten(after[name], axis=None))
        assert found.dtype == kind or name.startswith("n"), name
        if isinstance(expected[0], list):
            assert np.array_equal(ak.to_numpy(ak.num(after[name])), [len(each) for each in expected]), name
            expected = list(chain.from_iterable(expected))
        flat = np.array(expected).astype(kind)  # -1 as an unsigned integer has it
        assert np.array_equal(found, flat, equal_nan=kind.kind == "f"), name


def random_cuts(random):
    """Conditions and what NumPy makes of them, for some of the collections."""
    cuts = {}
    for name in ("Muon", "Jet", "Electron", "GenPart"):
        if random.random() < 0.25:
            continue
        pt, eta = np.float32(random.integers(0, 50)), np.float32(random.integers(1, 4))
        cuts[name] = (
            f"{name}_pt > {pt:g} && abs({name}.eta) < {eta:g} || !{name}_id",
            lambda events, name=name, pt=pt, eta=eta: (
                (events[f"{name}_pt"] > pt) & (abs(events[f"{name}_eta"]) < eta)
            )
            | ~events[f"{name}_id"],
        )
    return cuts


@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_random_thinning(skim_of, tmp_path, source, output, seed):
    random = np.random.default_rng(seed + 100)
    columns = linked_events(400, seed)
    path = WRITERS[source](tmp_path / "in.root", columns)
    before = uproot.open(path)["Events"].arrays()
    cuts = random_cuts(random)
    thin = {name: text for name, (text, _) in cuts.items()}
    closes = "GenPart" in thin and seed % 2 == 0
    if closes:
        thin["GenPart"] = {"where": thin["GenPart"], "closure": True}
    after = skim_of(path, {"format": output, "thin": thin})
    masks = {name: mask(before).to_list() for name, (_, mask) in cuts.items()}
    if closes:
        masks["GenPart"] = with_ancestors(ak.Array(masks["GenPart"]), before.GenPart_genPartIdxMother)
    assert set(columns) <= set(after.fields)
    chosen = after[[*columns]]
    assert_thinned(before, chosen, masks, INDICES)
    assert check_references(before, chosen, masks, INDICES) > 100
    frame = ROOT.RDataFrame("Events", str(tmp_path / "s.root"))
    # All is asked before anything is computed, since ROOT compiles what was asked until then.
    asked = {
        name: (
            frame.Define("each", f"Sum({name}_key % 1000)").Sum("each"),
            frame.Filter(f"n{name} != {name}_pt.size()").Count(),
        )
        for name in ("Muon", "Jet")
    }
    for name, (keys, others) in asked.items():
        assert keys.GetValue() == ak.sum(chosen[f"{name}_key"] % 1000)
        assert others.GetValue() == 0


NANO_INDICES = {
    "Jet_muonIdx1": "Muon", "Jet_muonIdx2": "Muon", "Jet_electronIdx1": "Electron", "Jet_electronIdx2": "Electron",
    "Jet_genJetIdx": "GenJet", "Muon_jetIdx": "Jet", "Muon_genPartIdx": "GenPart", "Muon_fsrPhotonIdx": "FsrPhoton",
    "Electron_jetIdx": "Jet", "Electron_photonIdx": "Photon", "Electron_genPartIdx": "GenPart",
    "Photon_electronIdx": "Electron", "Photon_jetIdx": "Jet", "Photon_genPartIdx": "GenPart",
    "Tau_jetIdx": "Jet", "Tau_genPartIdx": "GenPart", "GenPart_genPartIdxMother": "GenPart",
    "GenVisTau_genPartIdxMother": "GenPart", "FsrPhoton_muonIdx": "Muon", "FatJet_muonIdx3SJ": "Muon",
    "FatJet_electronIdx3SJ": "Electron", "FatJet_genJetAK8Idx": "GenJetAK8",
}  # fmt: skip
NANO_CUTS = {
    "Muon": ("Muon_pt > 8 && abs(Muon_eta) < 2.1", lambda e: (e.Muon_pt > 8) & (abs(e.Muon_eta) < np.float32(2.1))),
    "Jet": ("Jet_pt > 25", lambda e: e.Jet_pt > 25),
    "Electron": ("Electron_pt > 12", lambda e: e.Electron_pt > 12),
    "GenPart": ("abs(GenPart_pdgId) == 13 || GenPart_status == 62", lambda e: (abs(e.GenPart_pdgId) == 13) | (e.GenPart_status == 62)),
    "GenJet": ("GenJet_pt > 20", lambda e: e.GenJet_pt > 20),
}  # fmt: skip


@lru_cache(maxsize=1)
def events_of(path):
    """Of a file that stays as it is, read once for the tests that follow each other."""
    return uproot.open(path)["Events"].arrays()


@pytest.mark.thorough
@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize(
    "name",
    [
        "nanoAOD_2015_CMS_Open_Data_ttbar.root",
        "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root",
    ],
    ids=["tree", "ntuple"],
)
def test_nanoaod(skim_of, shared_data, tmp_path, name, output):
    """All 947 columns of a real file, and all that points from one of its collections into another."""
    path = shared_data / name
    before = events_of(path)
    thin = {each: text for each, (text, _) in NANO_CUTS.items()}
    thin["GenPart"] = {"where": thin["GenPart"], "closure": True}
    after = skim_of(path, {"format": output, "thin": thin})
    masks = {each: mask(before).to_list() for each, (_, mask) in NANO_CUTS.items()}
    masks["GenPart"] = with_ancestors(ak.Array(masks["GenPart"]), before.GenPart_genPartIdxMother)
    columns = [each for each in after.fields if each in before.fields and not each.startswith("_collection")]
    assert len(columns) == 947
    assert_thinned(before, after[columns], masks, NANO_INDICES)
    assert check_references(before, after[columns], masks, NANO_INDICES) > 50
    # Particles that are kept have all their ancestors.
    mothers = after.GenPart_genPartIdxMother
    had_none = ak.Array([
        [old < 0 for old, keep in zip(olds, mask, strict=True) if keep]
        for olds, mask in zip(before.GenPart_genPartIdxMother.to_list(), masks["GenPart"], strict=True)
    ])  # fmt: skip
    assert ak.all((mothers < 0) == had_none)
    frame = ROOT.RDataFrame("Events", str(tmp_path / "s.root"))
    assert frame.Filter("nJet != Jet_pt.size() || nJet != Jet_muonIdx1.size()").Count().GetValue() == 0
    assert frame.Sum("nGenPart").GetValue() == ak.sum(after.nGenPart)


CUTS = {"Muon": "Muon_pt > 15", "Jet": "good_jets", "GenPart": {"where": "GenPart_pt > 30", "closure": True}}
DEFINE = {"good_jets": "Jet_pt > 10 && abs(Jet_eta) < 3"}


def masks_of(events):
    masks = {
        "Muon": (events.Muon_pt > 15).to_list(),
        "Jet": ((events.Jet_pt > 10) & (abs(events.Jet_eta) < 3)).to_list(),
        "GenPart": (events.GenPart_pt > 30).to_list(),
    }
    masks["GenPart"] = with_ancestors(ak.Array(masks["GenPart"]), events.GenPart_genPartIdxMother)
    return masks


@pytest.fixture(scope="module", params=FORMATS)
def linked(request, tmp_path_factory):
    """A file of 3 000 events, and what is in it."""
    path = WRITERS[request.param](tmp_path_factory.mktemp("linked") / "in.root", linked_events(3000, 77))
    return path, uproot.open(path)["Events"].arrays()


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("output", FORMATS)
def test_skims_of_skims(skim_of, linked, tmp_path, output):
    path, before = linked
    first = skim_of(
        path, {"format": output, "thin": CUTS}, define=DEFINE, select=[{"name": "a", "where": "nJet > 0"}]
    )
    (tmp_path / "s.root").rename(tmp_path / "first.root")
    chosen = before[before.nJet > 0]
    masks = masks_of(chosen)
    assert_thinned(chosen, first[before.fields], masks, INDICES)
    second = skim_of(
        tmp_path / "first.root", {"format": output, "thin": {"Jet": "Jet_id", "Electron": "!Electron_id"}}
    )
    again = {"Jet": first.Jet_id.to_list(), "Electron": (~first.Electron_id).to_list()}
    assert_thinned(first, second[before.fields], again, INDICES)
    assert check_references(first, second[before.fields], again, INDICES) > 1000


def write_records(path, columns):
    """Collections as lists of records, beside numbers that only their names connect with them."""
    records = {name: values for name, values in columns.items() if "_" not in name}
    for name in ("Muon", "Jet", "Electron", "GenPart"):
        records[name] = ak.zip(
            {each[len(name) + 1 :]: columns[each] for each in columns if each.startswith(f"{name}_")}
        )
    return write_ntuple(path, records)


LAYOUTS = {"tree": write_tree, "lists": write_ntuple, "records": write_records}


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize(
    "layouts",
    [("records",), *(pair for other in ("lists", "records") for pair in permutations(("tree", other)))],
    ids="-".join,
)
def test_numbers_count_what_is_left_whatever_the_files(job, tmp_path, layouts, output):
    parts = [linked_events(60, seed) for seed in range(len(layouts))]
    files = [
        str(LAYOUTS[each](tmp_path / f"{each}.root", part)) for each, part in zip(layouts, parts, strict=True)
    ]
    config = thinning_config(files[0], output)
    config["samples"]["mc"]["files"] = files
    done = job(config)
    assert done.returncode == DONE, done.stderr
    after = uproot.open(tmp_path / "s.root")["Events"].arrays()
    for name in ("Muon", "Jet", "Electron", "GenPart"):
        sizes = ak.num(after[name].pt if name in after.fields else after[f"{name}_pt"])
        assert after[f"n{name}"].to_list() == sizes.to_list(), name
        assert (ak.sum(sizes) < sum(ak.sum(part[f"n{name}"]) for part in parts)) == (name in CUTS), name


def thinning_config(path, output):
    skim = {"file": "s.root", "format": output, "thin": CUTS, "cluster_size": "64 KiB"}
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{path}:Events"]}},
        "define": DEFINE,
        "histograms": {"jets": {"x": {"value": "Sum(good_jets)", "bins": 5, "range": [0, 5]}}},
        "skims": {"s": skim},
        "output": {"histograms": "h.root"},
    }


@pytest.mark.parametrize("output", FORMATS)
def test_threads_change_no_byte(job, linked, tmp_path, output):
    files = set()
    for threads in (1, 2, 5):
        done = job(thinning_config(linked[0], output), "-j", threads)
        assert done.returncode == DONE, done.stderr
        files.add((tmp_path / "s.root").read_bytes())
    assert len(files) == 1


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("output", FORMATS)
def test_parts_have_the_same_events(job, run_python, linked, tmp_path, output):
    """From a store, empty and full, and by processes: the parts are put together as they were cut."""
    masks = masks_of(linked[1])

    def check():
        written = uproot.open(tmp_path / "s.root")["Events"].arrays()
        assert_thinned(linked[1], written[linked[1].fields], masks, INDICES)
        (tmp_path / "s.root").unlink()

    for _ in range(2):
        done = job(thinning_config(linked[0], output), "--store", "parts")
        assert done.returncode == DONE, done.stderr
        check()
    done = run_python("""
import sys
from skimline._program import main
if __name__ == "__main__":
    sys.argv = ["skimline", "run", "a.json", "--processes", "2"]
    sys.exit(main())
""")
    assert done.returncode == DONE, done.stderr
    check()


def test_kept_definitions_are_cut(skim_of, linked):
    path, before = linked
    skim = {"keep": ["nMuon", "Muon_*", "Jet_best", "n_good", "loose"], "thin": {"Muon": "Muon_pt > 15"}}
    more = {
        "Muon_twice": "Muon_pt * 2",
        "Jet_best": "Muon_jetIdx",
        "n_good": "Sum(Muon_pt > 15)",
        "loose": "Muon_pt",
    }
    after = skim_of(path, skim, define=more)
    keep = before.Muon_pt > 15
    assert ak.array_equal(after.Muon_twice, (before.Muon_pt * 2)[keep], dtype_exact=False)
    # These belong to no thinned collection.
    assert ak.array_equal(after.loose, before.Muon_pt, dtype_exact=False)
    assert ak.array_equal(after.Jet_best, before.Muon_jetIdx, dtype_exact=False)
    assert ak.all(after.n_good == after.nMuon)


def test_indices_that_are_told(skim_of, tmp_path):
    columns = linked_events(300, 5)
    columns["Jet_link"] = columns.pop("Jet_muonIdx1")
    path = write_ntuple(tmp_path / "in.root", columns)
    before = uproot.open(path)["Events"].arrays()
    skim = {"thin": {"Muon": "Muon_pt > 15"}, "indices": {"*_link": "Muon", "Jet_muonIdx*": False}}
    after = skim_of(path, skim)
    indices = {**INDICES, "Jet_link": "Muon", "Jet_muonIdx2": None}
    assert_thinned(before, after[before.fields], {"Muon": (before.Muon_pt > 15).to_list()}, indices)
    assert ak.array_equal(after.Jet_muonIdx2, before.Jet_muonIdx2)


@pytest.mark.parametrize("output", FORMATS)
def test_indices_behind_words_that_are_no_collection(skim_of, tmp_path, output):
    """Of candidates that are numbers of the event, and of members with a further word."""
    indices = {"best_muonIdx": "Muon", "Z_candidate_muonIdx2": "Muon", "Jet_near_electronIdx": "Electron"}
    columns = linked_events(300, 7)
    columns["best_muonIdx"] = columns["muonIdx"]
    columns["Z_candidate_muonIdx2"] = columns["muonIdx"].astype(np.int64)
    columns["Jet_near_electronIdx"] = columns["Jet_electronIdx1"]
    path = write_ntuple(tmp_path / "in.root", columns)
    before = uproot.open(path)["Events"].arrays()
    after = skim_of(path, {"format": output, "thin": {"Muon": "Muon_pt > 20", "Electron": "Electron_id"}})
    masks = {"Muon": (before.Muon_pt > 20).to_list(), "Electron": before.Electron_id.to_list()}
    assert ak.any(before.best_muonIdx != after.best_muonIdx)
    assert_thinned(before, after[before.fields], masks, {**INDICES, **indices})


def test_variations(skim_of, linked):
    """An element is kept if nominal or a variation that the skim takes wants it."""
    path, before = linked
    more = {
        "define": {"good": "Jet_pt > 40"},
        "variations": {
            "jes": {"columns": {"Jet_pt": {"up": "Jet_pt * 1.3f", "down": "Jet_pt * 0.7f"}}},
            "other": {"columns": {"Jet_pt": "Jet_pt * 100"}},
        },
        "select": [{"name": "jets", "where": "Sum(good) > 0"}],
    }
    skim = {"thin": {"Jet": "good"}, "variations": ["jes*"]}
    after = skim_of(path, skim, **more)
    varied = [before.Jet_pt > 40, before.Jet_pt * np.float32(1.3) > 40, before.Jet_pt * np.float32(0.7) > 40]
    union = varied[0] | varied[1] | varied[2]
    chosen = ak.any(union, axis=1)
    assert_thinned(before[chosen], after[before.fields], {"Jet": union[chosen].to_list()}, INDICES)
    assert ak.sum(after.nJet) > ak.sum(varied[0])
    nominal = skim_of(path, {"thin": {"Jet": "good"}}, **more)
    kept = ak.any(varied[0], axis=1)
    assert_thinned(before[kept], nominal[before.fields], {"Jet": varied[0][kept].to_list()}, INDICES)


OBJECTS = {
    "good": {"from": "Jet", "where": "pt > 10 && abs(eta) < 3", "sort": "-pt"},
    "leading": {"from": "good", "where": "Enumerate(pt) < 2"},
    "soft": {"from": "Muon", "sort": "pt"},
}


def leading_jets(events, scale=1):
    """A mask of the two good jets of highest momentum."""
    pt = events.Jet_pt * np.float32(scale)
    good = (pt > 10) & (abs(events.Jet_eta) < 3)
    place = ak.argsort(ak.argsort(ak.where(good, -pt, 1), stable=True), stable=True)
    return good & (place < 2)


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("output", FORMATS)
def test_objects(skim_of, linked, output):
    """Objects that are sorted and chosen again are kept where they were."""
    path, before = linked
    skim = {"format": output, "thin": {"Jet": "leading", "Muon": "soft"}}
    after = skim_of(path, skim, objects=OBJECTS)
    masks = {"Jet": leading_jets(before).to_list(), "Muon": ak.ones_like(before.Muon_id).to_list()}
    assert_thinned(before, after[before.fields], masks, INDICES)
    assert check_references(before, after[before.fields], masks, INDICES) > 1000


def test_variations_of_objects(skim_of, linked):
    path, before = linked
    variations = {"jes": {"columns": {"Jet_pt": {"up": "Jet_pt * 1.3f", "down": "Jet_pt * 0.7f"}}}}
    skim = {"thin": {"Jet": "leading"}, "variations": ["*"]}
    after = skim_of(path, skim, objects=OBJECTS, variations=variations)
    union = leading_jets(before) | leading_jets(before, 1.3) | leading_jets(before, 0.7)
    assert ak.sum(union) > ak.sum(leading_jets(before))
    assert_thinned(before, after[before.fields], {"Jet": union.to_list()}, INDICES)


def test_objects_with_what_they_come_from(skim_of, linked):
    path, before = linked
    objects = {"hard": {"from": "GenPart", "where": "pt > 30"}}
    after = skim_of(path, {"thin": {"GenPart": {"where": "hard", "closure": True}}}, objects=objects)
    assert_thinned(before, after[before.fields], {"GenPart": masks_of(before)["GenPart"]}, INDICES)


def test_objects_of_another_collection(job, linked):
    done = run_skim(job, linked[0], {"thin": {"Muon": "leading"}}, objects=OBJECTS)
    assert done.returncode == WRONG_USAGE
    assert '"leading" are objects of "Jet", not of "Muon"' in done.stderr


WRONG = {
    "no collection": ({"thin": {"Moun": "Muon_pt > 20"}}, 'there is no collection "Moun" (did you mean "Muon"?)'),
    "flat": ({"thin": {"Muon": "nMuon > 2"}}, "one for each element of the collection, not a bool"),
    "real": ({"thin": {"Muon": "Muon_pt"}}, "one for each element of the collection, not a list of float"),
    "mistyped": ({"thin": {"Muon": "Muon_pq > 20"}}, 'did you mean "Muon_pt"?'),
    "no chain": ({"thin": {"Muon": {"where": "Muon_id", "closure": True}}}, "of which there are none"),
    "own member": ({"thin": {"Muon": "Muon_id"}, "columns": {"Muon_x": "Muon_pt"}}, '"Muon_x" belongs to the collection'),
    "own count": ({"thin": {"Muon": "Muon_id"}, "columns": {"nMuon": "1"}}, '"nMuon" counts the collection "Muon"'),
    "own index": (
        {"thin": {"Muon": "Muon_id"}, "columns": {"Jet_muonIdx9": "Jet_muonIdx1"}},
        '"Jet_muonIdx9" has indexes into the collection "Muon"',
    ),
    "no target": ({"thin": {"Muon": "Muon_id"}, "indices": {"Jet_pt": "Moun"}}, 'no collection "Moun"'),
    "no index": ({"thin": {"Muon": "Muon_id"}, "indices": {"Jat_*": "Muon"}}, 'no column matches "Jat_*"'),
    "no object": ({"thin": "Muon"}, '"thin" must be an object, got a string'),
    "empty": ({"thin": {}}, '"thin" must not be empty'),
    "true index": ({"thin": {"Muon": "Muon_id"}, "indices": {"Jet_pt": True}}, "points into"),
    "unknown key": ({"thin": {"Muon": {"wher": "Muon_id"}}}, 'did you mean "where"?'),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes(job, linked, case):
    skim, message = WRONG[case]
    done = run_skim(job, linked[0], skim)
    assert done.returncode == WRONG_USAGE, done.stderr
    assert message in done.stderr
    assert re.search(r"a\.json:\d+:\d+: error", done.stderr)


@pytest.mark.parametrize("skim", [{}, {"keep": ["Jet_*"]}], ids=["all", "no member"])
def test_a_mask_of_another_size(job, linked, tmp_path, skim):
    events = linked[1]
    done = run_skim(job, linked[0], {"thin": {"Muon": "Jet_pt > 20"}} | skim)
    assert done.returncode == FAILED
    first = int(np.flatnonzero(ak.num(events.Jet_pt) != ak.num(events.Muon_pt))[0])
    assert re.search(rf"\b(entry|event) {first}\b", done.stderr), done.stderr
    assert not (tmp_path / "s.root").exists()


@pytest.mark.parametrize(
    ("keep", "is_warned_of"), [("event", True), ("nJet", False), ("Jet_pt", False), ("Muon_jetIdx", False)]
)
def test_a_collection_of_which_nothing_is_kept(job, linked, keep, is_warned_of):
    done = run_skim(job, linked[0], {"keep": [keep], "thin": {"Jet": "Jet_pt > 30"}})
    assert done.returncode == DONE, done.stderr
    told = 'the skim "s" is written without any column of "Jet", so that "thin" cuts nothing of it'
    assert (told in done.stderr) == is_warned_of


def test_columns_with_a_mask_leave_indexes_stale(job, linked):
    skim = {"keep": ["Jet_*"], "columns": {"Muon_pt": "Muon_pt[Muon_pt > 20]"}}
    done = run_skim(job, linked[0], skim)
    assert done.returncode == DONE
    assert 'warning: the skim "s" is written with "Jet_muonIdx1"' in done.stderr
    assert '"thin"' in done.stderr
    quiet = run_skim(job, linked[0], {**skim, "indices": {"Jet_*Idx*": False}})
    assert "thin" not in quiet.stderr


def test_the_record_tells(skim_of, linked, call, tmp_path):
    skim_of(linked[0], {"thin": CUTS}, define=DEFINE)
    shown = call("show", "--config", tmp_path / "s.root").stdout
    assert "GenPart_pt > 30" in shown


def test_python(run_python, linked, tmp_path):
    code = """
import sys, skimline as sk
events = sk.open(sys.argv[1]).define("good_jets", "Jet_pt > 10 && abs(Jet_eta) < 3")
thin = {"Muon": "Muon_pt > 15", "Jet": events.good_jets, "GenPart": {"where": "GenPart_pt > 30", "closure": True}}
sk.run(events.skim("s.root", thin=thin, indices={"Jet_electronIdx1": False}))
"""
    done = run_python(code, f"{linked[0]}:Events")
    assert done.returncode == 0, done.stderr
    before = linked[1]
    after = uproot.open(tmp_path / "s.root")["Events"].arrays()
    assert_thinned(before, after[before.fields], masks_of(before), {**INDICES, "Jet_electronIdx1": None})


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("alias", ["Jet", "J"])
def test_old_values_of_redefined_columns_are_cut_with_the_new_ones(skim_of, linked, tmp_path, output, alias):
    path, before = linked
    redefine = {f"{alias}_pt": f"{alias}_pt * 2", "Muon_genPartIdx": "Muon_genPartIdx"}
    thin = {"Jet": "Jet_eta > 0", "GenPart": "GenPart_pt > 30"}
    skim = {"format": output, "keep": ["Jet_*", "nJet", "GenPart_pt", "original_*"], "thin": thin}
    after = skim_of(path, skim, redefine=redefine, aliases={"J_*": "Jet_*"})
    cut = before.Jet_eta > 0
    masks = {"GenPart": (before.GenPart_pt > 30).to_list()}
    assert ak.array_equal(after.Jet_pt, before.Jet_pt[cut] * 2)
    assert ak.array_equal(after[f"original_{alias}_pt"], before.Jet_pt[cut])
    indexes = ak.Array(thinned_column("Muon_genPartIdx", before.Muon_genPartIdx, masks, INDICES))
    # -1 of an unsigned index is its largest value.
    kind = ak.to_numpy(ak.flatten(before.Muon_genPartIdx)).dtype
    assert ak.array_equal(after.original_Muon_genPartIdx, ak.values_astype(indexes, kind))
    if output == "ttree":
        file = ROOT.TFile(str(tmp_path / "s.root"))
        branch = file.Get("Events").GetBranch(f"original_{alias}_pt")
        assert branch.GetLeaf(f"original_{alias}_pt").GetLeafCount().GetName() == "nJet"


@pytest.mark.parametrize("output", FORMATS)
def test_columns_of_the_skim_that_stand_for_members_are_cut(skim_of, linked, tmp_path, output):
    path, before = linked
    thin = {"Jet": "Jet_eta > 0", "Muon": "Muon_pt > 15"}
    columns = {"Jet_pt": "Jet_pt * 2", "Jet_muonIdx1": "Reverse(Jet_muonIdx1)"}
    after = skim_of(path, {"format": output, "thin": thin, "columns": columns, "keep": ["*"]})
    cut = before.Jet_eta > 0
    masks = {"Jet": cut.to_list(), "Muon": (before.Muon_pt > 15).to_list()}
    assert ak.array_equal(after.Jet_pt, before.Jet_pt[cut] * 2)
    assert ak.array_equal(after.Jet_eta, before.Jet_eta[cut])
    expected = thinned_column("Jet_muonIdx1", before.Jet_muonIdx1[:, ::-1], masks, INDICES)
    kind = ak.to_numpy(ak.flatten(before.Jet_muonIdx1)).dtype
    assert ak.array_equal(after.Jet_muonIdx1, ak.values_astype(ak.Array(expected), kind))


@pytest.mark.parametrize("output", FORMATS)
def test_frames_thin_what_they_redefine(run_python, linked, tmp_path, output):
    path, before = linked
    code = """
import sys, skimline as sk
events = sk.open(sys.argv[1]).redefine("Jet_pt", "Jet_pt * 2").filter("nJet > 0")
sk.run(events.skim("s.root", format=sys.argv[2], keep=["Jet_*", "nJet"], thin={"Jet": "Jet_pt > 30"}))
"""
    done = run_python(code, f"{path}:Events", output)
    assert done.returncode == 0, done.stderr
    after = uproot.open(tmp_path / "s.root")["Events"].arrays()
    events = before[before.nJet > 0]
    cut = events.Jet_pt * 2 > 30
    assert ak.array_equal(after.Jet_pt, events.Jet_pt[cut] * 2)
    assert ak.array_equal(after.Jet_eta, events.Jet_eta[cut])
    assert ak.all(after.nJet == ak.sum(cut, axis=1))


def test_a_mask_of_another_size_is_named_as_it_was_written(job, generate, tmp_path):
    generate("dimuon", tmp_path / "in.root", 100)
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "skims": {"other": {"file": "o.root"}, "s": {"file": "s.root", "thin": {"Muon": "Jet_pt > 3"}}},
    }
    done = job(config)
    assert done.returncode == 1 and not (tmp_path / "s.root").exists()
    assert "lists of different sizes" in done.stderr and "[Jet_pt > 3]" in done.stderr, done.stderr
    assert "mask_Muon" not in done.stderr
    config["variations"] = {"v": {"columns": {"Jet_pt": "Jet_pt * 2"}, "allow_unchanged": True}}
    config["skims"]["s"]["variations"] = True
    done = job(config)
    assert done.returncode == 1 and "lists of different sizes" in done.stderr
    assert "mask_Muon" not in done.stderr, done.stderr
