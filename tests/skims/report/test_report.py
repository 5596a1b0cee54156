# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run: counts of events, pages and bytes, against those that uproot finds in the file."""

import json
import os
import re
import zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE
from histogram_events import histogram_config

# Events that the program evaluates together.
BATCH = 4096


@pytest.fixture(scope="session")
def small_pages(run_in, sample, tmp_path_factory):
    """The sample in clusters of 2 MiB and pages of 4 KiB, compressed otherwise: else its pages would stay as they are."""
    folder = tmp_path_factory.mktemp("small_pages")
    skim = {"file": "in.root", "page_size": 4096, "cluster_size": "2 MiB", "compression": "lz4"}
    config = {"schema_version": 1, "samples": {"d": {"files": [str(sample)]}}, "skims": {"s": skim}}
    assert run_in(folder, config).returncode == DONE
    return folder / "in.root"


def histogram(value):
    return {"x": {"value": value, "bins": 10, "range": [0, 100]}}


def config_for(path, **more):
    return histogram_config([f"{path}:Events"], {"h": histogram("MET_pt")}) | more


@pytest.fixture
def measure(job, tmp_path):
    def run(config, *arguments):
        done = job(config, *arguments)
        assert done.returncode == DONE, done.stderr
        assert "cutflow" in done.stdout
        return json.loads((tmp_path / "a.report.json").read_text())

    return run


def test_all_pages_of_a_column(measure, pages_of, small_pages):
    pages = pages_of(small_pages, "MET_pt")
    read = measure(config_for(small_pages))["read"]
    assert len(pages) > 50
    assert read["pages_decoded"] == len(pages)
    assert read["bytes_decoded"] == 4 * sum(elements for elements, _ in pages.values())
    assert read["pages_skipped"] == read["pages_passed"] == 0
    assert sum(size for _, size in pages.values()) < read["bytes"] < small_pages.stat().st_size


def test_shared_pages_are_decoded_once(measure, pages_of, small_pages):
    config = config_for(small_pages, histograms={name: histogram(name) for name in ("Muon_pt", "Muon_eta")})
    assert measure(config)["read"]["pages_decoded"] == len(pages_of(small_pages, "Muon_pt", "Muon_eta"))


def test_pages_behind_a_selection(measure, pages_of, small_pages):
    """Of the column behind the cut those are decoded that the event's batch needs; none of other columns is."""
    first = int(uproot.open(small_pages)["Events"]["event"].array()[0])
    select = [{"name": "one event", "where": f"event == {first}"}]
    num_of_cut = len(pages_of(small_pages, "event"))
    sizes = [elements for elements, _ in pages_of(small_pages, "MET_pt").values()]
    num_in_batch = 1 + sum(end < BATCH for end in numpy.cumsum(sizes))
    assert 1 < num_in_batch < len(sizes) / 10
    report = measure(config_for(small_pages, select=select))
    read = report["read"]
    assert report["samples"][0]["cutflow"][-1]["events"] == 1
    assert read["pages_decoded"] == num_of_cut + num_in_batch
    assert read["pages_skipped"] == len(sizes) - num_in_batch


def test_entries_per_selection(measure, sample, columns):
    select = [{"name": "a muon", "where": "nMuon > 0"}, {"name": "quiet", "where": "MET_pt < 30"}]
    regions = {"2j": {"where": "nJet >= 2"}, "jets": {"where": "nJet > 0", "after": "all events"}}
    report = measure(config_for(sample, select=select, regions=regions))
    muon = columns.nMuon > 0
    quiet = muon & (columns.MET_pt < 30)
    counts = [len(columns), int(awkward.sum(muon)), int(awkward.sum(quiet))]
    (done,) = report["samples"]
    assert [step["events"] for step in done["cutflow"]] == counts
    assert [step["name"] for step in done["cutflow"]] == ["all events", "a muon", "quiet"]
    assert [(region["name"], region["after"], region["events"]) for region in done["regions"]] == [
        ("2j", "quiet", int(awkward.sum(quiet & (columns.nJet >= 2)))),
        ("jets", "all events", int(awkward.sum(columns.nJet > 0))),
    ]
    assert report["events"] == len(columns)
    assert report["seconds"] > 0


def test_numbers_do_not_depend_on_threads(measure, small_pages):
    select = [{"name": "two", "where": "nMuon == 2 && Sum(Muon_pt) > 40"}]
    skims = {"s": {"file": "s.root", "keep": ["Muon_*", "event"], "region": "r"}}
    config = config_for(small_pages, select=select, regions={"r": {"where": "nJet > 1"}}, skims=skims)
    results = []
    for threads in (1, 2, 5):
        report = measure(config, "-j", threads)
        assert report.pop("threads") == threads
        for key in ("started", "seconds", "stages", "threads_share", "peak_memory", "waiting"):
            del report[key]
        del report["read"]["requests"], report["samples"][0]["seconds"]
        for key in [key for key in report["histograms"] if key.endswith(("seconds", "share"))]:
            del report["histograms"][key]
        results.append(report)
    assert results[0] == results[1] == results[2]


def test_histograms_and_their_share_of_the_run(measure, sample):
    histograms = {
        "h": histogram("MET_pt"),
        "p": histogram("MET_pt") | {"weight": "genWeight", "profile": {"value": "nMuon"}},
        "w": histogram("MET_pt") | {"y": {"value": "nMuon", "integers": [0, 4]}, "weight": "genWeight"},
    }
    report = measure(config_for(sample, histograms=histograms))
    counted = report["histograms"]
    assert (counted["number"], counted["cells"]) == (3, 12 + 12 + 12 * 7)
    assert counted["bytes"] > 8 * (12 + 4 * 12 + 2 * 12 * 7)
    for step in ("reduce", "write"):
        assert 0 < counted[f"{step}_seconds"] < report["seconds"]
        assert counted[f"{step}_share"] == pytest.approx(counted[f"{step}_seconds"] / report["seconds"])


def test_a_run_without_histograms_counts_none(measure, sample):
    config = config_for(sample, select=[{"name": "a muon", "where": "nMuon > 0"}])
    del config["histograms"], config["output"]
    assert set(measure(config)["histograms"].values()) == {0}


SKIMS = {
    "rntuple": {"file": "s.root", "compression": "zstd:1", "page_size": 4096, "cluster_size": "1 MiB"},
    "tree": {"file": "s.root", "format": "ttree"},
    "split": {"file": "s{index}.root", "split": {"events": 3000}},
    "split tree": {"file": "s{index}.root", "format": "ttree", "split": {"events": 3000}},
    "as they are": {"file": "s.root", "keep": ["*"]},
    "some": {"file": "s.root", "keep": ["Jet_*"], "where": "nMuon > 0"},
}


HOW = {"-j 1": ("-j", 1), "-j 3": ("-j", 3), "--store": ("-j", 3, "--store", "store")}
SKIMS_AND_HOW = [(kind, how) for kind in SKIMS for how in HOW if how != "--store" or "split" not in kind]


@pytest.mark.parametrize(("kind", "how"), SKIMS_AND_HOW)
def test_outputs_are_listed_with_their_checksums(measure, small_pages, tmp_path, kind, how):
    """The sums of skims are not of the file that was written, but added up before."""
    report = measure(config_for(small_pages, skims={"s": SKIMS[kind]}), *HOW[how])
    outputs = report["outputs"]
    assert len(outputs) > (2 if kind.startswith("split") else 1)
    for output in outputs:
        contents = (tmp_path / Path(output["path"]).name).read_bytes()
        assert output["bytes"] == len(contents)
        assert output["checksum"] == f"adler32:{zlib.adler32(contents):08x}"


def test_times_and_memory(measure, sample, repository):
    before = datetime.now(timezone.utc)
    report = measure(config_for(sample), "-j", 2)
    started = datetime.fromisoformat(report["started"].replace("Z", "+00:00"))
    assert before - timedelta(seconds=2) < started <= datetime.now(timezone.utc)
    version = re.search(r"project\(Skimline VERSION (\S+)", (repository / "CMakeLists.txt").read_text())[1]
    assert report["version"] == version
    assert list(report["stages"]) == ["evaluate", "stitch", "seal", "commit", "write"]
    assert 0 < report["stages"]["evaluate"] < 2 * report["seconds"]
    assert sum(report["stages"].values()) < 2 * report["seconds"]
    assert 0 < report["threads_share"] <= 1.1
    assert 0 <= report["waiting"]["storage"] <= report["stages"]["evaluate"]
    assert 0 <= report["waiting"]["others"] <= report["threads"] * report["seconds"]
    assert 1e6 < report["peak_memory"] < 1e9


def test_it_is_beside_the_config(call, sample, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(config_for(sample)))
    assert call("run", "folder/a.json", cwd=tmp_path).returncode == DONE
    assert sorted(os.listdir(folder)) == ["a.json", "a.report.json", "histograms.root"]
    assert os.listdir(tmp_path) == ["folder"]


def test_an_old_one_is_replaced(measure, sample):
    assert measure(config_for(sample), "--limit-events", 10)["events"] == 10
    assert measure(config_for(sample))["events"] == 100000


def test_it_can_be_elsewhere_or_left_out(job, sample, tmp_path):
    assert job(config_for(sample), "--report", "r.json").returncode == DONE
    assert json.loads((tmp_path / "r.json").read_text())["events"] == 100000
    assert sorted(os.listdir(tmp_path)) == ["a.json", "histograms.root", "r.json"]
    (tmp_path / "r.json").unlink()
    assert job(config_for(sample), "--no-report").returncode == DONE
    assert sorted(os.listdir(tmp_path)) == ["a.json", "histograms.root"]
    assert job(config_for(sample), "--no-report", "--report", "r.json").returncode == WRONG_USAGE


def test_a_dash_means_standard_output(job, sample, tmp_path):
    done = job(config_for(sample), "--report", "-")
    assert done.returncode == DONE
    assert json.loads(done.stdout)["events"] == 100000
    assert sorted(os.listdir(tmp_path)) == ["a.json", "histograms.root"]


@pytest.mark.parametrize("option", ["--report", "--trace"])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a.json", "is also the config"),
        ("./histograms.root", "is also the output of the histograms"),
        ("s.root", 'is also the output of the skim "s"'),
        ("a.json/m.json", '"a.json" is a file, not a folder'),
        (".", "is a folder"),
    ],
)
def test_files_that_cannot_take_it(job, sample, tmp_path, option, path, message):
    config = config_for(sample, skims={"s": {"file": "s.root", "keep": ["MET_pt"]}})
    done = job(config, option, path)
    assert done.returncode == WRONG_USAGE
    assert f"{option}:1:1: error: " in done.stderr
    assert message in done.stderr
    assert os.listdir(tmp_path) == ["a.json"]


def test_report_and_trace_are_two_files(job, sample, tmp_path):
    done = job(config_for(sample), "--trace", "./a.report.json")
    assert done.returncode == WRONG_USAGE
    assert "is also the report" in done.stderr
    assert os.listdir(tmp_path) == ["a.json"]


def test_an_output_of_the_same_name_is_no_report(job, sample, tmp_path):
    done = job(config_for(sample, output={"histograms": "a.report.json"}))
    assert done.returncode == WRONG_USAGE
    assert (
        "this file is also the report" in done.stderr or "is also the output of the histograms" in done.stderr
    )
    assert os.listdir(tmp_path) == ["a.json"]


def test_configs_of_one_folder_have_their_own(call, sample, tmp_path):
    for name in "ab":
        config = config_for(sample, output={"histograms": f"{name}.root"})
        (tmp_path / f"{name}.json").write_text(json.dumps(config))
        assert call("run", f"{name}.json", cwd=tmp_path).returncode == DONE
    assert {"a.report.json", "b.report.json"} <= set(os.listdir(tmp_path))


def test_an_input_cannot_take_it(job, sample):
    before = sample.read_bytes()
    done = job(config_for(sample), "--report", sample)
    assert done.returncode == WRONG_USAGE
    assert "is also an input" in done.stderr
    assert sample.read_bytes() == before


def test_a_full_disk_is_an_error(job, sample, tmp_path):
    done = job(config_for(sample), "--report", "/dev/full")
    assert done.returncode == FAILED
    assert re.search(r"/dev/full: cannot be written.*: No space left on device", done.stderr)
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_failed_run_leaves_none(job, sample, tmp_path):
    (tmp_path / "a.report.json").write_text("old")
    done = job(config_for(sample, select=[{"name": "x", "where": "Muon_pt[0] > 1"}]), "-f")
    assert done.returncode == FAILED
    assert sorted(os.listdir(tmp_path)) == ["a.json", "a.report.json"]
    assert (tmp_path / "a.report.json").read_text() == "old"
