# SPDX-License-Identifier: BSD-3-Clause
"""bits(): fields of bits by the names that the titles of branches, and the descriptions of fields, give them."""

import json
import os
from pathlib import Path

import awkward
import numpy
import pytest
import ROOT
import uproot

WORDS = [[0o123, 0o7654321], [], [0o777], [1 << 29, 0, 5]]
FLAGS = [1, 6, 129, 0]


def write_tree(path):
    file = ROOT.TFile(str(path), "RECREATE")
    tree = ROOT.TTree("Events", "Events")
    words, count, flags = numpy.zeros(9, "i4"), numpy.zeros(1, "u4"), numpy.zeros(1, "u1")
    tree.Branch("nElectron", count, "nElectron/i")
    tree.Branch("Electron_vid", words, "Electron_vid[nElectron]/I").SetTitle(
        "VID compressed bitmap (MinPtCut,GsfEleDEtaInSeedCut,GsfEleMissingHitsCut), 3 bits per cut"
    )
    tree.Branch("jetId", flags, "jetId/b").SetTitle("Jet ID flags bit1 is loose, bit2 is tight, bit8 is last")
    for values, flag in zip(WORDS, FLAGS, strict=True):
        count[0], flags[0] = len(values), flag
        words[: len(values)] = values
        tree.Fill()
    tree.Write()
    file.Close()


def values_of(call, folder, file, columns):
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [str(file)]}},
        "objects": {"some": {"from": "Electron", "where": 'bits(vid, "MinPtCut") > 1'}},
        "skims": {"out": {"file": "out.root", "columns": columns}},
    }
    if "some" not in json.dumps(columns):
        del config["objects"]
    (folder / "a.json").write_text(json.dumps(config))
    done = call("run", "-f", "a.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    with uproot.open(folder / "out.root") as skim:
        return skim["Events"].arrays(list(columns))


def test_fields_are_shifted_and_masked(call, tmp_path):
    write_tree(tmp_path / "in.root")
    found = values_of(
        call,
        tmp_path,
        tmp_path / "in.root",
        {
            "eta": 'bits(Electron.vid, "GsfEleDEtaInSeedCut")',
            "hits": 'bits(Electron_vid, "GsfEleMissingHitsCut") >= 4',
            "tight": 'bits(jetId, "tight")',
            "last": 'bits(jetId, "last")',
            "some": "some.vid",
        },
    )
    assert found["eta"].tolist() == [[each >> 3 & 7 for each in words] for words in WORDS]
    assert found["hits"].tolist() == [[int((each >> 6 & 7) >= 4) for each in words] for words in WORDS]
    assert found["tight"].tolist() == [flag >> 1 & 1 for flag in FLAGS]
    assert found["last"].tolist() == [flag >> 7 for flag in FLAGS]
    assert found["some"].tolist() == [[each for each in words if each & 7 > 1] for words in WORDS]


def test_names_are_suggested(call, tmp_path):
    write_tree(tmp_path / "in.root")
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["in.root"]}},
        "select": [{"name": "id", "where": 'bits(jetId, "tigth")'}],
        "skims": {"out": {"file": "out.root"}},
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    done = call("validate", "a.json", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        'there are no bits "tigth" in "jetId" (did you mean "tight"?); it has loose, tight, last'
        in done.stderr
    )


def test_dates_of_trees_are_parts_of_numbers(call, tmp_path):
    times = [(2026, 11, 25, 23, 59, 58), (1995, 1, 1, 0, 0, 0), (2012, 2, 29, 12, 30, 1)]
    file = ROOT.TFile(str(tmp_path / "in.root"), "RECREATE")
    tree = ROOT.TTree("Events", "Events")
    time = ROOT.TDatime()
    tree.Branch("time", time)
    for each in times:
        time.Set(*each)
        tree.Fill()
    tree.Write()
    file.Close()
    parts = ["1995 + (time >> 26)", "(time >> 22) & 15", "(time >> 17) & 31", "(time >> 12) & 31"]
    parts += ["(time >> 6) & 63", "time & 63"]
    page = (Path(__file__).resolve().parents[3] / "docs" / "trees.md").read_text(encoding="utf-8")
    assert all(f"`{part.replace('time', 't')}`" in page for part in parts)
    found = values_of(call, tmp_path, tmp_path / "in.root", {f"p{i}": part for i, part in enumerate(parts)})
    assert [tuple(event.tolist().values()) for event in found] == times


NANO = Path(os.environ.get("SKIMLINE_TEST_DATA", "none")) / "nanoAOD_2015_CMS_Open_Data_ttbar.root"


@pytest.mark.skipif(not NANO.is_file(), reason="needs a file of NanoAOD")
def test_nanoaod_names_its_bits(call, tmp_path):
    found = values_of(
        call,
        tmp_path,
        NANO,
        {
            "hits": 'bits(Electron.vidNestedWPBitmap, "GsfEleMissingHitsCut")',
            "copy": 'bits(GenPart.statusFlags, "isLastCopy")',
            "tight": 'bits(Jet.jetId, "tight")',
            "photon": 'bits(Photon.cutBased_Fall17V1Bitmap, "medium")',
            "tau": 'bits(Tau.idAntiMu, "Tight")',
        },
    )
    with uproot.open(NANO) as file:
        columns = ["Electron_vidNestedWPBitmap", "GenPart_statusFlags", "Jet_jetId", "Tau_idAntiMu"]
        columns.append("Photon_cutBased_Fall17V1Bitmap")
        events = file["Events"].arrays(columns)
    for name, column, first, width in (
        ("hits", "Electron_vidNestedWPBitmap", 27, 3),
        ("copy", "GenPart_statusFlags", 13, 1),
        ("tight", "Jet_jetId", 1, 1),
        ("photon", "Photon_cutBased_Fall17V1Bitmap", 1, 1),
        ("tau", "Tau_idAntiMu", 1, 1),
    ):
        values = awkward.to_numpy(awkward.flatten(events[column])).astype("i8")
        expected = (values >> first) & ((1 << width) - 1)
        assert awkward.flatten(found[name]).tolist() == expected.tolist(), name


def write_flags(path, title, kind, call):
    """A file of one column, whose description is the title."""
    tree_path = path if kind == "tree" else path.with_name("tree_of_" + path.name)
    file = ROOT.TFile(str(tree_path), "RECREATE")
    tree = ROOT.TTree("Events", "Events")
    flags = numpy.zeros(1, "u1")
    tree.Branch("jetId", flags, "jetId/b").SetTitle(title)
    for flags[0] in range(8):
        tree.Fill()
    tree.Write()
    file.Close()
    if kind == "ntuple":
        assert call("convert", tree_path, "-o", path).returncode == 0


@pytest.mark.parametrize(
    "kinds", [("tree", "tree"), ("ntuple", "ntuple"), ("tree", "ntuple"), ("ntuple", "tree")]
)
@pytest.mark.parametrize(
    "first, second, name, bit",
    [
        ("bit1 is loose, bit2 is tight", "ID: bit2 is tight, bit3 is tightLepVeto", "tight", 1),
        ("bit1 is loose, bit2 is tight", "no names", "tight", 1),
        ("no names", "bit1 is loose, bit2 is tight", "tight", 1),
        ("bit1 is loose, bit2 is tight", "bit1 is tight", "tight", None),
        ("bit1 is loose, bit2 is tight", "bit2 is tight, bit3 is tightLepVeto", "loose", None),
        ("bit2 is tight, bit3 is tightLepVeto", "bit1 is loose, bit2 is tight", "loose", None),
        ("bitmap (loose,tight), 1 bits per cut", "bitmap (loose,tight), 2 bits per cut", "loose", None),
    ],
)
def test_names_mean_the_same_bits_in_all_files(call, tmp_path, kinds, first, second, name, bit):
    """A chain has the description of its first file."""
    for file, title, kind in zip("ab", (first, second), kinds, strict=True):
        write_flags(tmp_path / f"{file}.root", title, kind, call)
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["a.root", "b.root"]}},
        "skims": {"out": {"file": "out.root", "columns": {"bit": f'int(bits(jetId, "{name}"))'}}},
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    done = call("run", "-f", "a.json", cwd=tmp_path)
    if bit is None:
        assert done.returncode == 2, done.stdout
        assert f'the files describe the bits "{name}" of "jetId" differently: as ' in done.stderr
        assert first in done.stderr and second in done.stderr
        return
    assert done.returncode == 0, done.stderr
    found = uproot.open(tmp_path / "out.root")["Events"]["bit"].array(library="np")
    assert found.tolist() == [value >> bit & 1 for value in range(8)] * 2
