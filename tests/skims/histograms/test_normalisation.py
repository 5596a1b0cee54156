# SPDX-License-Identifier: BSD-3-Clause
"""Sums of weights before any cut, through skims of skims, shards, masks, NanoAOD's "Runs" and damaged files."""

import json
import math

import awkward
import numpy
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE

MET = {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}, "weight": "genWeight"}


@pytest.fixture(scope="module")
def files(generate, tmp_path_factory):
    """Three files with 3 000 events each."""
    folder = tmp_path_factory.mktemp("normalisation")
    return [generate("dimuon", folder / f"{seed}.root", 3000, "--seed", seed) for seed in range(3)]


@pytest.fixture(scope="module")
def events(files):
    return [uproot.open(path)["Events"].arrays() for path in files]


def config_for(paths, **more):
    return {
        "schema_version": 1,
        "samples": {
            "mc": {
                "files": [str(path) for path in paths],
                "cross_section_pb": 2.5,
                "sum_weights": "genWeight",
            }
        },
        "select": [{"name": "muons", "where": "nMuon == 2"}],
        "histograms": {"met": MET},
        "skims": {"few": {"file": "few.root", "keep": ["MET_pt", "genWeight", "run", "luminosityBlock"]}},
        "output": {"histograms": "h.root"},
    } | more


def weights_of(rows):
    return awkward.to_numpy(rows.genWeight).astype(numpy.float64)


def cutflow_of(path, kind="weighted_cutflow", sample="mc"):
    histogram = uproot.open(path)[f"skimline/{kind}/{sample}"].to_hist()
    return dict(zip(histogram.axes[0], histogram.values().tolist(), strict=True))


def test_a_skim_of_a_skim_knows_the_first_sum(job, call, files, events, tmp_path):
    assert job(config_for(files)).returncode == DONE
    rows = awkward.concatenate(events)
    total, muons = (math.fsum(weights_of(each)) for each in (rows, rows[rows.nMuon == 2]))
    assert cutflow_of(tmp_path / "few.root") == {"all events": total, "muons": muons}
    again = config_for(
        [tmp_path / "few.root"],
        select=[{"name": "quiet", "where": "MET_pt < 30"}],
        skims={"fewer": {"file": "fewer.root"}},
    )
    del again["samples"]["mc"]["cross_section_pb"], again["samples"]["mc"]["sum_weights"]
    done = job(again)
    assert done.returncode == DONE, done.stderr
    quiet = math.fsum(weights_of(rows[(rows.nMuon == 2) & (rows.MET_pt < 30)]))
    expected = {"all events": total, "muons": muons, "events of the inputs": muons, "quiet": quiet}
    for name in ("h.root", "fewer.root"):
        assert cutflow_of(tmp_path / name) == expected
    done = call("show", tmp_path / "fewer.root")
    assert done.returncode == DONE, done.stderr
    assert f"{2.5 / total:.6g}" in done.stdout, "the scale to a luminosity"


def test_parts_of_skims_add_up_to_the_whole(job, call, files, tmp_path):
    for number, paths in enumerate((files[:2], files[2:])):
        skims = {"few": {"file": f"few{number}.root", "keep": ["MET_pt", "genWeight"]}}
        assert job(config_for(paths, skims=skims)).returncode == DONE
    config = config_for(
        [tmp_path / "few0.root", tmp_path / "few1.root"],
        select=[{"name": "quiet", "where": "MET_pt < 30"}],
        skims={},
    )
    del config["skims"]
    assert job(config).returncode == DONE
    for part in range(1, 4):
        done = job(config, "--shard", f"{part}/3")
        assert done.returncode == DONE, done.stderr
    parts = [tmp_path / f"h.shard{part}of3.root" for part in (2, 3, 1)]
    done = call("merge", tmp_path / "sum.root", *parts)
    assert done.returncode == DONE, done.stderr
    assert (tmp_path / "sum.root").read_bytes() == (tmp_path / "h.root").read_bytes()
    done = call("merge", tmp_path / "twice.root", *parts, tmp_path / "h.root")
    assert done.returncode != DONE
    assert "twice" in done.stderr


def test_a_cross_section_needs_a_sum_of_weights(job, call, files, tmp_path):
    config = config_for(files)
    del config["samples"]["mc"]["sum_weights"]
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert 'a sample with a cross section needs "sum_weights"' in done.stderr
    assert call("validate", "a.json", cwd=tmp_path).returncode == WRONG_USAGE
    config["samples"]["mc"]["sum_weights"] = "0.0"
    done = job(config)
    assert done.returncode == FAILED
    assert "its sum of weights before any cut is 0: it cannot be normalised" in done.stderr
    assert not (tmp_path / "h.root").exists()


def test_weights_that_the_inputs_do_not_carry(job, files, tmp_path):
    assert job(config_for(files)).returncode == DONE
    config = config_for([tmp_path / "few.root"], output={"histograms": "other.root"}, skims={})
    del config["skims"]
    config["samples"]["mc"]["sum_weights"] = "genWeight * 2"
    done = job(config)
    assert done.returncode == FAILED
    assert 'carry sums of "genWeight", the config sums up "genWeight * 2"' in done.stderr


def test_luminosity_mask(job, files, events, tmp_path):
    rows = awkward.concatenate(events)
    run, block = awkward.to_numpy(rows.run), awkward.to_numpy(rows.luminosityBlock)
    chosen = sorted(set(run.tolist()))[::2]
    middle = int(numpy.median(block))
    (tmp_path / "golden.json").write_text(json.dumps({str(number): [[1, middle]] for number in chosen}))
    config = config_for(files)
    config["samples"]["mc"] = {"files": config["samples"]["mc"]["files"], "lumi_mask": "golden.json"}
    config["histograms"]["all"] = MET | {"after": "all events"}
    done = job(config, "--report", "-")
    assert done.returncode == DONE, done.stderr
    mask = numpy.isin(run, chosen) & (block <= middle)
    (sample,) = json.loads(done.stdout)["samples"]
    assert 0 < mask.sum() < len(mask)
    assert sample["luminosity_mask"] == {"accepted": mask.sum(), "rejected": (~mask).sum()}
    assert [step["events"] for step in sample["cutflow"]] == [
        len(rows),
        mask.sum(),
        (mask & awkward.to_numpy(rows.nMuon == 2)).sum(),
    ]
    assert uproot.open(tmp_path / "h.root")["all"].member("fEntries") == mask.sum()
    assert uproot.open(tmp_path / "few.root")["Events"].num_entries == sample["cutflow"][-1]["events"]


def damaged(path, target):
    """A copy with one wrong byte in a page of MET_pt."""
    content = bytearray(path.read_bytes())
    ntuple = uproot.open(path)["Events"]
    number = next(
        i
        for i, column in enumerate(ntuple.column_records)
        if ntuple.field_records[column.field_id].field_name == "MET_pt"
    )
    content[ntuple.page_link_list[0][number].pages[0].locator.offset + 5] ^= 0x10
    target.write_bytes(content)
    return target


def test_damaged_files_are_left_out_if_the_config_says_so(job, call, files, tmp_path):
    bad = damaged(files[1], tmp_path / "bad.root")
    config = config_for([files[0], bad, files[2]])
    done = job(config)
    assert done.returncode == FAILED
    assert "checksum is wrong" in done.stderr
    config |= {"on_bad_file": "skip"}
    done = job(config)
    assert done.returncode == FAILED
    assert (
        '1 of 3 files of the sample "mc" are damaged or out of reach, more than "max_bad_fraction" allows'
        in done.stderr
    )
    assert not (tmp_path / "h.root").exists()
    config |= {"max_bad_fraction": 0.4}
    done = job(config, "--report", "report.json")
    assert done.returncode == INCOMPLETE, done.stderr
    (sample,) = json.loads((tmp_path / "report.json").read_text())["samples"]
    assert [each["file"] for each in sample["skipped"]] == [str(bad)]
    assert sample["events"] == 6000
    assert sample["promised_events"] == 9000
    written = {name: (tmp_path / name).read_bytes() for name in ("h.root", "few.root")}
    with uproot.open(tmp_path / "h.root") as file:
        contents = file["met"].values(flow=True)
    assert "bad.root" in call("show", tmp_path / "h.root").stdout
    assert job(config_for([files[0], files[2]])).returncode == DONE
    with uproot.open(tmp_path / "h.root") as file:
        assert (file["met"].values(flow=True) == contents).all()
    assert cutflow_of(tmp_path / "h.root")["all events"] == pytest.approx(
        sum(math.fsum(weights_of(uproot.open(files[i])["Events"].arrays(["genWeight"]))) for i in (0, 2))
    )
    for threads in (1, 3):
        assert job(config, "-j", threads).returncode == INCOMPLETE
        assert {name: (tmp_path / name).read_bytes() for name in written} == written


def test_a_file_that_cannot_be_opened_is_left_out_too(job, files, tmp_path):
    (tmp_path / "cut.root").write_bytes(files[1].read_bytes()[:5000])
    config = config_for([files[0], tmp_path / "cut.root"]) | {"on_bad_file": "skip", "max_bad_fraction": 0.5}
    done = job(config)
    assert done.returncode == INCOMPLETE, done.stderr
    assert "left out:" in done.stdout
    (tmp_path / "cut.root").unlink()
    assert job(config).returncode == WRONG_USAGE, "what is missing is never left out"


def write_nano(path, rows, runs):
    """A file with Events, and Runs as NanoAOD has it."""
    model = ROOT.RNTupleModel.Create()
    for name, kind in (("nMuon", "std::int32_t"), ("MET_pt", "float"), ("genWeight", "float")):
        model.MakeField[kind](name)
    file = ROOT.TFile.Open(str(path), "recreate")
    writer = ROOT.RNTupleWriter.Append(model, "Events", file)
    entry = writer.CreateEntry()
    for muons, met, weight in rows:
        entry["nMuon"], entry["MET_pt"], entry["genWeight"] = muons, met, weight
        writer.Fill(entry)
    del writer
    model = ROOT.RNTupleModel.Create()
    kinds = {"run": "std::uint32_t", "genEventCount": "std::int64_t", "genEventSumw": "double"}
    kinds["genEventSumw2"] = "double"
    for name, kind in kinds.items():
        model.MakeField[kind](name)
    writer = ROOT.RNTupleWriter.Append(model, "Runs", file)
    entry = writer.CreateEntry()
    for values in runs:
        for name, value in zip(kinds, values, strict=True):
            entry[name] = value
        writer.Fill(entry)
    del writer
    file.Close()
    return path


def test_sums_of_runs(job, call, tmp_path):
    first = write_nano(tmp_path / "a.root", [(2, 10.0, 0.5), (1, 20.0, 2.0)], [(1, 100, 150.0, 400.0)])
    second = write_nano(tmp_path / "b.root", [(2, 30.0, 1.5)], [(1, 10, 15.0, 40.0), (2, 1, 0.25, 0.0625)])
    third = write_nano(tmp_path / "c.root", [], [(3, 7, 3.5, 12.25)])
    config = config_for([first, second, third])
    config["samples"]["mc"]["sum_weights"] = {"runs": True}
    config["skims"] = {"few": {"file": "few.root"}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    weights = {"all events": 168.75, "events of the inputs": 4.0, "muons": 2.0}
    counts = {"all events": 118, "events of the inputs": 3, "muons": 2}
    for name in ("h.root", "few.root"):
        assert cutflow_of(tmp_path / name) == weights
        assert cutflow_of(tmp_path / name, "cutflow") == counts
    squares = uproot.open(tmp_path / "h.root")["skimline/weighted_cutflow/mc"].variances()
    assert squares[0] == 452.3125
    runs = ROOT.RDataFrame("Runs", str(tmp_path / "few.root"))
    assert runs.Sum("genEventSumw").GetValue() == 168.75
    assert runs.Count().GetValue() == 4
    for part in (1, 2, 3):
        assert job(config, "--shard", f"{part}/3").returncode == DONE
    parts = [tmp_path / f"h.shard{part}of3.root" for part in (1, 2, 3)]
    assert call("merge", tmp_path / "sum.root", *parts).returncode == DONE
    assert (tmp_path / "sum.root").read_bytes() == (tmp_path / "h.root").read_bytes()
    done = job(config, "--limit-events", "1")
    assert done.returncode == DONE
    assert "in two, whose sums of weights are known as a whole only" in done.stdout + done.stderr


def write_trees(path):
    """Two trees beside one Runs, and in a folder another one beside its own."""
    sums = {"run": numpy.array([1], numpy.uint32), "genEventCount": [100], "genEventSumw2": [400.0]}
    with uproot.recreate(path) as file:
        for name, rows in {"Early": 3, "Late": 2, "other/Events": 4}.items():
            columns = {"nMuon": numpy.int32, "MET_pt": numpy.float32, "genWeight": numpy.float32}
            file.mktree(name, columns)
            file[name].extend({column: numpy.ones(rows, kind) for column, kind in columns.items()})
        for name, weights in {"Runs": 150.0, "other/Runs": 30.0}.items():
            file.mktree(
                name,
                {"run": "u4", "genEventCount": "i8", "genEventSumw": "f8", "genEventSumw2": "f8"},
            )
            file[name].extend(sums | {"genEventSumw": [weights]})
    return path


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        (["a:Early", "a:Late"], 150.0),
        (["a:Late", "a:Early", "a:other/Events"], 180.0),
        (["a:Early", "link:Late", "link:other/Events"], 180.0),
    ],
)
def test_runs_beside_several_trees_are_counted_once(job, call, tmp_path, trees, expected):
    (tmp_path / "link.root").symlink_to(write_trees(tmp_path / "a.root"))
    config = config_for([])
    config["samples"]["mc"] |= {
        "files": [tree.replace(":", ".root:") for tree in trees],
        "sum_weights": {"runs": True},
    }
    config["skims"] = {"few": {"file": "few.root"}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert cutflow_of(tmp_path / "h.root")["all events"] == expected
    runs = uproot.open(tmp_path / "few.root")["Runs"].arrays()
    assert sum(runs.genEventSumw) == expected
    for part in (1, 2, 3):
        assert job(config, "--shard", f"{part}/3").returncode == DONE
    parts = [tmp_path / f"h.shard{part}of3.root" for part in (1, 2, 3)]
    assert call("merge", tmp_path / "sum.root", *parts).returncode == DONE
    assert (tmp_path / "sum.root").read_bytes() == (tmp_path / "h.root").read_bytes()
