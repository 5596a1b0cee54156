# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a config says can be said of frames, and the other way round."""

import inspect
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import skimline as sk
import uproot
from skimline.config import ConfigSource

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "configs" / "schema" / "skimline-1.schema.json").read_text(encoding="utf-8"))
SECTIONS = {
    "samples": "sample",
    "corrections": "correction",
    "models": "model",
    "variations": "variation",
    "select": "cut",
    "regions": "region",
    "histograms": "histogram",
    "axis": "axis",
    "skims": "skim",
}


def keys_of_the_schema():
    keys = set(SCHEMA["properties"])
    keys |= {f"output.{key}" for key in SCHEMA["properties"]["output"]["properties"]}
    for section, definition in SECTIONS.items():
        keys |= {f"{section}.{key}" for key in SCHEMA["$defs"][definition]["properties"]}
    return keys


def rows_of_the_guide():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    table = text.split("### Keys of a config")[1].split("\n\n")[2]
    return [line.split("|")[1:3] for line in table.splitlines()[2:]]


def test_the_guide_has_all_keys():
    listed = [key for keys, _ in rows_of_the_guide() for key in re.findall(r"`([^`]+)`", keys)]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == keys_of_the_schema()


def test_files_of_corrections_with_one_checksum_are_told_apart(dimuon, tmp_path, monkeypatch):
    """Values in a column may change so that Adler-32, which files have in records, stays the same."""
    monkeypatch.chdir(tmp_path)
    texts = []
    for content in ([1.01, 1.03, 1.01], [1.02, 1.01, 1.02]):
        data = {
            "nodetype": "binning",
            "input": "x",
            "edges": [0.0, 10.0, 20.0, 1e6],
            "content": content,
            "flow": "clamp",
        }
        inputs = [{"name": "x", "type": "real"}]
        correction = {"name": "sf", "version": 1, "inputs": inputs, "output": inputs[0], "data": data}
        texts.append(json.dumps({"schema_version": 2, "corrections": [correction]}))
    assert len({zlib.adler32(text.encode()) for text in texts}) == 1
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(dimuon)]}},
        "corrections": {"sf": {"file": "sf.json", "correction": "sf"}},
        "histograms": {"n": {"x": {"value": "nMuon", "integers": [0, 5]}, "weight": "sf(MET_pt)"}},
    }
    Path("sf.json").write_text(texts[0])
    before = sk.run_config(config, store="store").histograms["n"]
    frame = sk.open(str(dimuon)).correction("sf", "sf.json")
    Path("sf.json").write_text(texts[1])
    after = sk.run_config(config, store="store").histograms["n"]
    assert after == sk.run_config(config).histograms["n"]
    assert after != before
    with pytest.raises(sk.FileError, match=r"sf.json: has changed since the frame was made"):
        frame.sum("sf(MET_pt)").value  # noqa: B018


def test_what_the_guide_says_of_keys_is_there():
    checked = 0
    for _, said in rows_of_the_guide():
        for name, keyword in re.findall(r"`([\w.]+)\((\w+)=\)`", said):
            function = sk
            for part in name.split("."):
                function = getattr(function, part)
            assert keyword in inspect.signature(function).parameters, (name, keyword)
            checked += 1
    assert checked > 50


@pytest.fixture
def folder(dimuon, tmp_path, monkeypatch):
    (tmp_path / "inputs").mkdir()
    shutil.copy(dimuon, tmp_path / "inputs" / "one.root")
    sk.generate("dimuon", tmp_path / "inputs" / "two.root", events=3000, seed=5)
    shutil.copy(ROOT / "tests" / "project" / "muon_sf.json", tmp_path / "inputs")
    (tmp_path / "inputs" / "common.json").write_text(
        json.dumps({"define": {"met2": "MET_pt * met_scale", "limit": "20."}})
    )
    (tmp_path / "inputs" / "config.json").write_text(json.dumps(CONFIG))
    monkeypatch.chdir(tmp_path)
    return tmp_path


CONFIG = {
    "schema_version": 1,
    "include": "common.json",
    "variables": {"pt_min": 20},
    "samples": {
        "mc": {
            "files": ["o*.root:Events"],
            "metadata": {"met_scale": 1.5},
            "cross_section_pb": 12.5,
            "define": {"limit": "30."},
        },
        "other": {"files": ["two.root"], "metadata": {"met_scale": 1}, "weights": {"lepton": "0.5"}},
        "data": {"files": ["two.root"], "metadata": {"met_scale": 2}, "is_data": True},
    },
    "sample_defaults": {"sum_weights": "genWeight"},
    "luminosity_pb": 20.5,
    "corrections": {
        "muon_sf": {"file": "muon_sf.json", "correction": "muon_id", "inputs": {"systematic": "nominal"}}
    },
    "functions": {"central(eta)": "abs(eta) < 2.1"},
    "weights": {
        "generator": "genWeight",
        "normalisation": "normalisation_",
        "lepton": "nMuon > 0 ? muon_sf(min(abs(Muon_eta[0]), 2.3f), max(min(Muon_pt[0], 119.f), 16.f)) : 1.",
    },
    "variations": {
        "scale": {"columns": {"MET_pt": {"up": "MET_pt * 1.1", "down": "MET_pt * 0.9"}}},
        "lepton": {"weights": {"lepton": {"up": "1.1", "down": "0.9"}}, "samples": ["mc"]},
    },
    "sums": {"all": {"mc": 1, "other": 0.25}},
    "select": [
        {"name": "muons", "where": "nMuon > 0"},
        {"name": "hard", "where": "Any(Muon_pt > ${pt_min} && central(Muon_eta))"},
    ],
    "regions": {
        "high": {"where": "met2 > limit"},
        "two": {"where": "nMuon == 2", "after": "muons"},
        "everything": {"where": "MET_pt > 10", "after": "all events"},
    },
    "histogram_defaults": {"type": "float", "nan": "fail"},
    "histograms": {
        "met": {"x": {"value": "met2", "bins": 20, "range": [0, 200]}, "regions": ["high", "two"]},
        "plain": {"x": {"value": "nMuon", "integers": [0, 5]}, "weight": "1", "after": "all events"},
        "counts": {"x": {"value": "nJet", "integers": [0, 5]}, "type": "int", "where": "MET_pt > limit"},
        "mean": {
            "x": {"value": "nJet", "integers": [0, 5]},
            "profile": {"value": "met2"},
            "regions": ["everything"],
        },
        "varied": {
            "x": {"value": "MET_pt", "edges": [0, 20, 50, 200]},
            "weight": "weight_ * 2",
            "weight_variations": {"more": "weight_ * 3"},
        },
    },
    "skims": {"high": {"file": "skim_{sample}.root", "region": "high", "keep": ["MET_pt", "met2", "limit"]}},
    "output": {"histograms": "histograms.root", "report": False},
}


@pytest.mark.filterwarnings("ignore::skimline.RunWarning")
@pytest.mark.parametrize("weights", [{}, {"generator": "genWeight"}])
@pytest.mark.parametrize(
    "defaults", [{"type": "int"}, {"type": "int", "weight": "genWeight * 2"}, {"bad_weight": "skip"}]
)
def test_defaults_are_for_histograms_that_can_have_them(dimuon, defaults, weights):
    axis = {"value": "MET_pt", "bins": 10, "range": [0, 100]}
    described = [
        {},
        {"weight": "genWeight"},
        {"weight": "1"},
        {"type": "int"},
        {"profile": {"value": "nMuon"}},
    ]
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(dimuon)]}},
        "histogram_defaults": defaults,
        "histograms": {f"h{number}": {"x": axis, **each} for number, each in enumerate(described)},
    }
    config |= {"weights": weights} if weights else {}
    expected = sk.run_config(config).histograms
    booked = sk.book(config)
    sk.run(booked)
    for name, histogram in expected.items():
        assert booked.histograms[name].result == histogram, name


@pytest.mark.filterwarnings("ignore::skimline.RunWarning")
def test_a_config_as_frames_fills_the_same(folder):
    """Judged by the program itself, which reads the config."""
    expected = sk.run_config("inputs/config.json")
    skims = {name: (folder / "inputs" / f"skim_{name}.root").read_bytes() for name in ("mc", "other", "data")}
    booked = sk.book("inputs/config.json")
    result = sk.run(booked, force=True)
    compared = 0
    for (sample, name, region, variation), histogram in expected._filled.items():
        own = f"{region}__{name}" if name == "met" else name
        made = booked.histograms[own].variation(variation, sample)
        assert made == histogram, (sample, name, region, variation)
        compared += 1
    assert compared == len(result._filled) > 40
    assert {step.name for step in result.cutflow} >= {
        "all events",
        "muons",
        "hard",
        "high",
        "two",
        "everything",
    }
    for name, before in skims.items():
        with uproot.open(folder / "inputs" / f"skim_{name}.root") as file:
            after = file["Events"].arrays(["MET_pt", "met2", "limit"])
        (folder / "before.root").write_bytes(before)
        with uproot.open(folder / "before.root") as file:
            assert np.array_equal(after, file["Events"].arrays(["MET_pt", "met2", "limit"]))


@pytest.mark.filterwarnings("ignore::skimline.RunWarning")
def test_the_frame_of_a_config_has_what_it_says(folder):
    frame = sk.Frame.from_config("inputs/config.json", sets=["variables.pt_min=30"])
    assert [step.name for step in frame.filters] == ["muons", "hard"]
    assert frame.filters[-1].expression == "Any(Muon_pt > 30 && central(Muon_eta))"
    assert {"met2", "limit", "generator", "lepton"} <= set(frame.columns)
    assert frame.variations == ["scale_up", "scale_down", "lepton_up", "lepton_down"]
    assert frame.samples.names == ["mc", "other", "data"]
    config = sk.to_config(frame.hist("met2", bins=2, range=(0, 99)))
    assert config["samples"]["mc"]["files"] == ["inputs/o*.root:Events"]
    assert config["weights"] == CONFIG["weights"]
    (folder / "again.json").write_text(json.dumps(config))
    again = sk.Frame.from_config("again.json")
    assert sk.to_config(again.hist("met2", bins=2, range=(0, 99))) == config


@pytest.mark.filterwarnings("ignore::skimline.RunWarning")
def test_the_program_runs_a_config_with_weights(folder, program):
    booked = sk.book("inputs/config.json")
    config = sk.to_config(*booked, histograms="histograms.root")
    (folder / "made.json").write_text(json.dumps(config))
    sk.run(booked, histograms="histograms.root", force=True)
    written = (folder / "histograms.root").read_bytes()
    command = [program, "run", "--force", "--quiet", "made.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "histograms.root").read_bytes() == written


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_old_values_in_skims_of_a_config_are_cut_in_those_of_frames(folder, output):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": ["inputs/one.root"]}},
        "redefine": {"Muon_pt": "Muon_pt * 2"},
        "skims": {
            "s": {
                "file": "s.root",
                "format": output,
                "keep": ["Muon_pt", "original_Muon_pt"],
                "thin": {"Muon": "Muon_eta > 0"},
            }
        },
    }
    sk.run_config(config)
    with uproot.open("s.root") as file:
        expected = file["Events"].arrays()
    with uproot.open("inputs/one.root") as file:
        before = file["Events"].arrays(["Muon_pt", "Muon_eta"])
    sk.run(sk.book(config), force=True)
    with uproot.open("s.root") as file:
        tree = file["Events"]
        assert tree["original_Muon_pt"].array().to_list() == expected["original_Muon_pt"].to_list()
        assert tree["Muon_pt"].array().to_list() == expected["Muon_pt"].to_list()
    cut = before["Muon_pt"][before["Muon_eta"] > 0]
    assert expected["original_Muon_pt"].to_list() == cut.to_list()


WEIGHTS_OF_SUMS = {
    "new values": "genWeight * 2",
    "old values": "original_genWeight + genWeight",
    "definition": "scale * genWeight",
    "function": "doubled(MET_pt)",
    "factor": "generator",
}


@pytest.mark.filterwarnings("ignore::skimline.RunWarning")
@pytest.mark.parametrize("weight", WEIGHTS_OF_SUMS.values(), ids=WEIGHTS_OF_SUMS)
@pytest.mark.parametrize("place", ["sample", "defaults"])
def test_sums_of_weights_follow_what_a_config_defines(folder, weight, place):
    """Judged by the program itself, which reads the config."""
    sums = {"sum_weights": weight}
    mc = {"files": ["inputs/one.root"], "cross_section_pb": 12.5, "define": {"scale": "3."}}
    config = {
        "schema_version": 1,
        "samples": {
            "mc": mc | (sums if place == "sample" else {}),
            "other": {key: mc[key] for key in ("files", "cross_section_pb")},
        },
        "sample_defaults": sums if place == "defaults" else {"sum_weights": "genWeight"},
        "luminosity_pb": 20.5,
        "functions": {"doubled(x)": "x * 2"},
        "redefine": {"genWeight": "genWeight * 1.25f"},
        "define": {"scale": "1.5"},
        "weights": {"generator": "genWeight * MET_pt", "normalisation": "normalisation_"},
        "variations": {"v": {"columns": {"genWeight": "genWeight * 3"}}},
        "select": [{"name": "muons", "where": "nMuon > 0"}],
        "histograms": {
            "n": {"x": {"value": "nMuon", "integers": [0, 5]}, "weight": "normalisation_ * genWeight"}
        },
        "output": {"histograms": "h.root", "report": False},
    }
    expected = sk.run_config(config)
    booked = sk.book(config)
    again = pickle.loads(pickle.dumps(booked.histograms["n"].frame)).hist(
        "nMuon", integers=(0, 5), name="n", weight="normalisation_ * genWeight"
    )
    for made in (booked.histograms["n"], again):
        result = sk.run(made, force=True)
        for (sample, _, _, variation), histogram in expected._filled.items():
            assert made.variation(variation, sample) == histogram, (sample, variation)
        sums_found, sums_expected = ([each.sum_weights for each in of.cutflow] for of in (result, expected))
        assert sums_found == sums_expected


def test_luminosity_masks_of_values_defined_anew_are_refused(folder):
    (folder / "mask.json").write_text('{"1": [[1, 9]]}')
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["inputs/one.root"], "lumi_mask": "mask.json"}},
        "redefine": {"run": "run + 1"},
        "select": [{"name": "muons", "where": "nMuon > 0"}],
    }
    with pytest.raises(sk.ConfigError, match='no luminosity mask of values of "run" that are defined anew'):
        sk.book(config)


def test_weights_of_branches(folder):
    """Each histogram has the product of the factors of its own frame."""
    events = sk.open("inputs/one.root", sample="mc")
    one = events.weight("generator", "genWeight")
    both = one.weight("met", "MET_pt")
    other = one.weight("met", "2.")
    booked = {
        name: frame.hist("nMuon", integers=(0, 5), name=name)
        for name, frame in (("none", events), ("one", one), ("both", both), ("other", other))
    }
    explicit = other.hist("nMuon", integers=(0, 5), name="explicit", weight="weight_ * met")
    sk.run(booked, explicit)
    with uproot.open("inputs/one.root") as file:
        arrays = file["Events"].arrays(["nMuon", "genWeight", "MET_pt"])
    weights = arrays["genWeight"].to_numpy()
    factors = {"none": 1 + 0 * weights, "one": weights, "both": weights * arrays["MET_pt"].to_numpy()}
    factors |= {"other": weights.astype(float) * 2, "explicit": weights.astype(float) * 4}
    for name, histogram in {**booked, "explicit": explicit}.items():
        expected, _ = np.histogram(arrays["nMuon"], bins=6, range=(0, 6), weights=factors[name].astype(float))
        np.testing.assert_allclose(histogram.values(), expected, rtol=1e-12, err_msg=name)
    with pytest.raises(sk.ConfigError, match='made of the factor "generator"'):
        one.define("x", "generator * 2")


def test_expressions_name_the_weight_and_its_factors(folder):
    """In any order, and where a name of a factor means something else by now."""
    events = (
        sk.open("inputs/one.root")
        .weight("one", "genWeight")
        .weight("two", "MET_pt")
        .weight("three", "1 / 3.")
    )
    anew = events.redefine("one", "2.")
    varied = events.filter("MET_pt > 0").vary("s", {"one": "one * 3."})
    with uproot.open("inputs/one.root") as file:
        arrays = file["Events"].arrays(["genWeight", "MET_pt"], library="np")
    one, met = arrays["genWeight"], arrays["MET_pt"]
    third, two, three = np.array([1 / 3, 2, 3])
    product = one * met * third
    expected = {
        "weight_ * three": (events, product * third),
        "three * weight_": (events, third * product),
        "weight_ * one": (anew, product * two),
        "one + weight_": (anew, two + product),
        "two * weight_": (varied, met * product),
        "weight_": (anew, product),
    }
    booked = {
        text: frame.hist("1.", bins=1, range=(0, 2), name=f"h{number}", weight=text)
        for number, (text, (frame, _)) in enumerate(expected.items())
    }
    sk.run(*booked.values())
    for text, (_, weights) in expected.items():
        assert booked[text].values()[0] == math.fsum(weights), text
    up = met * (one * three * met * third)
    assert booked["two * weight_"].variations["s"].values()[0] == math.fsum(up)


def test_samples_have_their_own_definitions(folder):
    frame = sk.open(
        {"a": {"files": "inputs/one.root", "define": {"scale": "3."}}, "b": "inputs/one.root"}
    ).define("scale", "1.")
    met = frame.hist("MET_pt * scale", bins=5, range=(0, 100), name="met")
    sk.run(met)
    assert met["a"].values()[0] < met["b"].values()[0]
    three = sk.open("inputs/one.root").hist("MET_pt * 3.", bins=5, range=(0, 100))
    sk.run(three)
    np.testing.assert_array_equal(met["a"].values(), three.values())
    with pytest.raises(sk.ExpressionError, match="MET_p"):
        sk.open({"a": {"files": "inputs/one.root", "define": {"scale": "MET_p"}}}).define("scale", "1.")
    with pytest.raises(sk.ConfigError, match='did you mean "define"'):
        sk.open({"a": {"files": "inputs/one.root", "defin": {"scale": "3."}}})


def test_corrections_and_n_minus_1(folder):
    frame = sk.open("inputs/one.root").correction(
        "sf", "inputs/muon_sf.json", "muon_id", inputs={"systematic": "nominal"}
    )
    good = frame.filter("nMuon > 0", name="muons").filter("Muon_pt[0] > 20", name="hard")
    value = good.define("w", "sf(min(abs(Muon_eta[0]), 2.3f), max(min(Muon_pt[0], 119.f), 21.f))")
    booked = value.hist("w", bins=10, range=(0, 2))
    result = sk.run(booked.frame.hist("nMuon", integers=(0, 3)), booked)
    assert booked.result.entries == result.cutflow["hard"].events
    with pytest.raises(sk.Error, match="muon_ie"):
        frame.correction("other", "inputs/muon_sf.json", "muon_ie")
    flow = sk.run(
        sk.open("inputs/one.root")
        .filter("nMuon > 1", name="a")
        .filter("MET_pt > 20", name="b")
        .hist("nMuon", integers=(0, 3)),
        n_minus_1=True,
    )
    assert "n_minus_1" in json.dumps(flow.report)


def test_files_of_corrections_are_those_that_the_frame_was_made_with(folder):
    file = Path("changing.json")
    shutil.copyfile("inputs/muon_sf.json", file)
    frame = sk.open("inputs/one.root").correction("sf", file, "muon_id", inputs={"systematic": "nominal"})
    scaled = frame.define("w", "sf(1., 50.)")
    pickled = pickle.dumps(scaled)
    assert scaled.filter("w > 0").count() > 0
    file.write_text(file.read_text() + "\n")
    for use in (
        lambda: scaled.filter("w > 0").count(),
        lambda: scaled.arrays("w"),
        lambda: sk.run(scaled.hist("w", bins=1, range=(0, 2))),
    ):
        with pytest.raises(
            sk.FileError, match=r"changing.json: has changed since the frame was made"
        ) as caught:
            use()
        assert caught.value.fault == "changed"
    assert frame.filter("nMuon > 0").count() > 0  # which does not call it
    load = f"import pickle; pickle.loads({pickled!r}).columns"
    package = Path(sk.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", load],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
    )
    assert 'has the checksum "adler32:' in done.stderr


def test_configs_that_redefine_beside_objects_say_so(dimuon):
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(dimuon)]}},
        "redefine": {"Muon_pt": "Muon_pt * 2"},
        "objects": {"good": {"from": "Muon", "where": "pt > 30"}},
        "select": [{"name": "some", "where": "good.size() > 0"}],
    }
    for make in (sk.book, sk.Frame.from_config):
        with pytest.raises(sk.ConfigError, match=r'a config with "redefine" beside "objects".* run_config'):
            make(config)


def test_copies_of_files_are_where_they_are(tmp_path):
    """URLs, whatever the folder of the config."""
    copies = ["https://127.0.0.1:1/a.root", "https://127.0.0.1:1/b.root"]
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"schema_version": 1, "samples": {"mc": {"files": [copies]}}, "select": []}))
    with pytest.raises(sk.FileError, match="none of its 2 copies can be read"):
        sk.Frame.from_config(path)


@pytest.mark.parametrize("as_file", [True, False])
def test_limit_of_memory_and_cache_of_a_config_stay(folder, as_file):
    config = {
        "schema_version": 1,
        "variables": {"place": "blocks"},
        "samples": {"mc": {"files": ["o*.root:Events" if as_file else "inputs/o*.root:Events"]}},
        "select": [{"name": "some", "where": "MET_pt > 10"}],
        "cache": "${place}",
        "memory_limit": "512 MiB",
    }
    (folder / "inputs" / "limited.json").write_text(json.dumps(config))
    frame = sk.Frame.from_config("inputs/limited.json" if as_file else config)
    made = sk.to_config(frame.hist("MET_pt", bins=2, range=(0, 99)))
    assert made["cache"] == ("inputs/blocks" if as_file else "blocks")
    assert made["memory_limit"] == 512 << 20


def test_processes_elsewhere_have_the_limit_of_memory(folder):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": ["inputs/o*.root:Events"]}},
        "select": [{"name": "some", "where": "MET_pt > 10"}],
        "memory_limit": "512 MiB",
    }
    (folder / "limited.json").write_text(json.dumps(config))
    source = ConfigSource.of("limited.json", sk._core.Config("limited.json"), {})
    assert source.read().memory_limit == 512 << 20
