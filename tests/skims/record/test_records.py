# SPDX-License-Identifier: BSD-3-Clause
"""Records of runs: what ROOT and uproot read, how they add up in merges, and what `skimline show` says."""

import json
import math
import random
import subprocess
from collections import Counter
from itertools import pairwise

import histogram_files
import numpy as np
import pytest
import ROOT
import uproot

# As record_file.cc has it.
STEPS = ["all events", "two muons", "opposite charge"]
INPUTS = {"b.root": 1000, "a.root": 500, "c.root": 700}
NUM_ENTRIES = 2200


def weight_of(entry):
    return (-1 if entry % 5 == 0 else 1) / (entry + 3)


def entries_of(step, first=0, last=NUM_ENTRIES):
    passed = [lambda e: True, lambda e: e % 3 != 0, lambda e: e % 3 != 0 and e % 2 != 0][step]
    return [entry for entry in range(first, last) if passed(entry)]


@pytest.fixture(scope="module")
def make(build_folder, tmp_path_factory):
    """Writes the file of a run over some entries."""
    program = build_folder / "tests" / "skims" / "skims_record_file"
    folder = tmp_path_factory.mktemp("records")

    def run(first=0, last=NUM_ENTRIES, sample="ttbar", cross_section=0, *more):
        name = "-".join(map(str, (first, last, sample, cross_section, *more)))
        path = folder / f"{name}.root"
        if not path.exists():
            subprocess.run(
                [program, path, *map(str, (first, last, sample, cross_section)), *more], check=True
            )
        return path

    return run


def record_of(path):
    return json.loads(str(uproot.open(path)["skimline/record"]))


def shown(call, path):
    done = call("show", "--json", path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["files"][0]["record"]


def test_uproot_reads_the_record(make):
    path = make()
    record = record_of(path)
    assert record["format"] == 1
    assert record["configs"] == [{"schema_version": 1}]
    (sample,) = record["samples"]
    assert {input["file"]: input["processed"] for input in sample["inputs"]} == {
        name: [[0, count]] for name, count in INPUTS.items()
    }
    file = uproot.open(path)
    cutflow = file["skimline/cutflow/ttbar"]
    weighted = file["skimline/weighted_cutflow/ttbar"]
    assert list(cutflow.axis().labels()) == STEPS
    for step in range(3):
        weights = [weight_of(entry) for entry in entries_of(step)]
        assert cutflow.values()[step] == len(weights)
        assert weighted.values()[step] == math.fsum(weights)
        assert weighted.variances()[step] == pytest.approx(math.fsum(w * w for w in weights), rel=1e-15)


def test_root_reads_the_record(make, capfd):
    file = ROOT.TFile(str(make()))
    assert json.loads(file.Get("skimline/record").GetString().Data()) == record_of(make())
    weighted = file.Get("skimline/weighted_cutflow/ttbar")
    assert weighted.GetBinContent(1) == math.fsum(map(weight_of, range(NUM_ENTRIES)))
    assert weighted.GetXaxis().GetBinLabel(2) == "two muons"
    file.Close()
    assert capfd.readouterr().err == ""


def test_parts_merge_to_the_whole(call, make, tmp_path):
    """In any order and any tree, byte for byte."""
    whole = make(0, NUM_ENTRIES, "ttbar", 831.76)
    for seed in range(6):
        generator = random.Random(seed)
        edges = sorted({0, NUM_ENTRIES, *(generator.randrange(NUM_ENTRIES) for _ in range(seed))})
        files = [make(*part, "ttbar", 831.76) for part in pairwise(edges)]
        generator.shuffle(files)
        while len(files) > 1:
            number = generator.randint(2, 3)
            target = tmp_path / f"{seed}-{len(files)}.root"
            done = call("merge", target, *files[:number])
            assert done.returncode == 0, done.stderr
            files = [*files[number:], target]
        assert files[0].read_bytes() == whole.read_bytes()


def test_histograms_are_counted_without_the_record(call, make, tmp_path):
    done = call("merge", "--json", tmp_path / "sum.root", make(0, 100), make(100, 200))
    report = json.loads(done.stdout)
    assert (report["histograms"], report["exact"], report["records"]) == (1, 1, 2)


def test_entries_are_not_counted_twice(call, make, tmp_path):
    files = [make(0, 1200), make(1100, 1300)]
    done = call("merge", tmp_path / "sum.root", *files)
    assert done.returncode == 1
    assert "entries 100 to 200" in done.stderr
    assert "a.root" in done.stderr
    assert "--allow-overlap" in done.stderr
    for file in files:
        assert str(file) in done.stderr
    assert not (tmp_path / "sum.root").exists()

    done = call("merge", "--allow-overlap", tmp_path / "sum.root", *files)
    assert done.returncode == 0, done.stderr
    record = shown(call, tmp_path / "sum.root")
    assert record["samples"][0]["entries"] == 1400
    assert record["samples"][0]["cutflow"][0]["events"] == 1400
    assert ["more than once" in problem for problem in record["problems"]] == [True]
    times = Counter()
    for input in record["samples"][0]["inputs"]:
        for first, count in input["processed"]:
            times.update((input["file"], entry) for entry in range(first, first + count))
    assert sum(times.values()) == 1400
    assert {key for key, count in times.items() if count == 2} == {("a.root", e) for e in range(100, 200)}


def test_cycle_of_a_tree_is_the_tree(call, run_in, tmp_path):
    with uproot.recreate(tmp_path / "in.root") as file:
        file["t"] = {"x": np.arange(100)}
    for number, name in enumerate(("t", "t;1")):
        config = {
            "schema_version": 1,
            "samples": {"d": {"files": [f"in.root:{name}"]}},
            "histograms": {"x": {"x": {"value": "x", "bins": 10, "range": [0, 100]}}},
            "output": {"histograms": f"{number}.root"},
        }
        done = run_in(tmp_path, config)
        assert done.returncode == 0, done.stderr
    for files in (["0.root", "1.root"], ["1.root", "0.root"]):
        done = call("merge", "sum.root", *files, cwd=tmp_path)
        assert done.returncode == 1
        assert 'have both processed entries 0 to 100 of "t" in in.root' in done.stderr


def test_samples_that_differ_are_refused(call, make, tmp_path):
    done = call("merge", tmp_path / "sum.root", make(0, 100, "ttbar", 1.5), make(100, 200, "ttbar", 2.5))
    assert done.returncode == 1
    assert 'sample "ttbar" has different cross sections' in done.stderr
    assert '"cross_section_pb" is 1.5 and 2.5' in done.stderr


def test_different_samples_stay_apart(call, make, tmp_path):
    done = call("merge", tmp_path / "sum.root", make(0, 100, "ttbar", 1.5), make(0, 200, "data"))
    assert done.returncode == 0, done.stderr
    samples = {sample["name"]: sample for sample in shown(call, tmp_path / "sum.root")["samples"]}
    assert {name: sample["entries"] for name, sample in samples.items()} == {"ttbar": 100, "data": 200}
    total = math.fsum(map(weight_of, range(100)))
    assert samples["ttbar"]["sum_weights"] == total
    assert samples["ttbar"]["scale_per_inverse_pb"] == pytest.approx(1.5 / total, rel=1e-15)
    assert samples["data"]["scale_per_inverse_pb"] is None


def test_files_without_record(call, make, tmp_path):
    files = [make(0, 100), make(100, 200, "ttbar", 0, "none"), make(200, 300)]
    done = call("merge", tmp_path / "sum.root", *files)
    assert done.returncode == 0, done.stderr
    assert "record     missing in 1 of 3 files" in done.stdout
    record = shown(call, tmp_path / "sum.root")
    assert record["files_without_record"] == 1
    assert ["had no record" in problem for problem in record["problems"]] == [True]
    assert record["samples"][0]["entries"] == 200


def test_the_record_travels_with_chosen_histograms(call, make, tmp_path):
    done = call("merge", "--include", "mass", tmp_path / "sum.root", make(0, 100), make(100, 200))
    assert done.returncode == 0, done.stderr
    record = shown(call, tmp_path / "sum.root")
    assert record["problems"] == []
    assert record["samples"][0]["entries"] == 200


def test_patterns_for_histograms_do_not_leave_out_parts_of_the_record(call, make, tmp_path):
    done = call("merge", "--exclude", "*t*r*", tmp_path / "sum.root", make(0, 100), make(100, 200))
    assert done.returncode == 2
    assert 'no object matches "*t*r*"' in done.stderr


def test_the_record_is_left_out_if_it_is_named(call, make, tmp_path):
    done = call("merge", "--exclude", "skimline/*", tmp_path / "sum.root", make(0, 100), make(100, 200))
    assert done.returncode == 0, done.stderr
    assert uproot.open(tmp_path / "sum.root").keys() == ["mass;1"]


def test_other_texts_are_kept_if_they_are_equal(call, tmp_path):
    for name, text in (("a", "one"), ("b", "one"), ("c", "two")):
        file = ROOT.TFile(str(tmp_path / f"{name}.root"), "recreate")
        file.WriteTObject(ROOT.TObjString(text), "note")
        file.WriteTObject(ROOT.TH1D("h", "", 2, 0, 2), "h")
        file.Close()
    done = call("merge", tmp_path / "sum.root", tmp_path / "a.root", tmp_path / "b.root")
    assert done.returncode == 0, done.stderr
    assert uproot.open(tmp_path / "sum.root")["note"] == "one"
    done = call("merge", "-f", tmp_path / "sum.root", tmp_path / "a.root", tmp_path / "c.root")
    assert done.returncode == 1
    assert 'the text "note" is not the same' in done.stderr


def test_hadd_keeps_all_texts_side_by_side(call, make, tmp_path):
    """They are read as one, and become one again."""
    files = [make(0, 700), make(700, 1500), make(1500, NUM_ENTRIES)]
    histogram_files.hadd(tmp_path / "hadd.root", *files)
    record = shown(call, tmp_path / "hadd.root")
    assert record["problems"] == []
    (sample,) = record["samples"]
    assert sample["entries"] == NUM_ENTRIES
    assert sample["sum_weights"] == pytest.approx(math.fsum(map(weight_of, range(NUM_ENTRIES))), rel=1e-14)
    assert [step["events"] for step in sample["cutflow"]] == [len(entries_of(step)) for step in range(3)]
    done = call("merge", tmp_path / "sum.root", tmp_path / "hadd.root")
    assert done.returncode == 0, done.stderr
    assert uproot.open(tmp_path / "sum.root").keys(filter_name="*record*", recursive=True) == [
        "skimline/record;1"
    ]
    assert record_of(tmp_path / "sum.root") == record_of(make())


def test_text_that_does_not_fit_the_histograms_is_told(call, make, tmp_path):
    """As if a tool had added the histograms and taken the text of one file."""
    histogram_files.hadd(tmp_path / "hadd.root", make(0, 700), make(700, 1500))
    file = ROOT.TFile(str(tmp_path / "hadd.root"), "update")
    file.GetDirectory("skimline").Delete("record;1")
    file.Close()
    (problem,) = shown(call, tmp_path / "hadd.root")["problems"]
    assert "counts 1500 entries, while its inputs say that 800 were processed" in problem
    assert "changed" in call("show", tmp_path / "hadd.root").stdout


def test_show_prints_the_record(call, make):
    done = call("show", make(0, 1600, "ttbar", 831.76))
    assert done.returncode == 0, done.stderr
    assert "831.76 pb" in done.stdout
    assert "3 files, 1 600 entries processed, not all of 1" in done.stdout
    assert "100 to 700" in done.stdout
    weights = [weight_of(entry) for entry in range(1600)]
    rows = {line.split("  ")[1].strip(): line for line in done.stdout.splitlines() if "%" in line}
    assert list(rows) == STEPS
    error = math.sqrt(math.fsum(weight * weight for weight in weights))
    assert f"  {math.fsum(weights):,.2f}  ".replace(",", " ") in rows["all events"]
    assert f"  {error:,.2f}  ".replace(",", " ") in rows["all events"]
    passed = math.fsum(weight_of(entry) for entry in entries_of(1, 0, 1600))
    assert f"{100 * passed / math.fsum(weights):.2f} %" in rows["two muons"]


def test_show_prints_configs_if_asked(call, make):
    assert "schema_version" not in call("show", make()).stdout
    assert '"schema_version": 1' in call("show", "--config", make()).stdout


def test_show_says_what_has_no_record(call, make, tmp_path):
    plain = make(0, 10, "ttbar", 0, "none")
    done = call("show", plain)
    assert done.returncode == 1
    assert f"{plain}: has no record of a run" in done.stderr
    done = call("show", make(), plain, tmp_path / "none.root")
    assert done.returncode == 1
    assert "ttbar" in done.stdout
    assert f"error: {plain}: has no record" in done.stdout
    assert "none.root: cannot be opened" in done.stdout
    files = json.loads(call("show", "--json", make(), plain).stdout)["files"]
    assert [sorted(file) for file in files] == [["file", "record"], ["error", "file"]]


@pytest.mark.parametrize("text", ["", "{}", "[" * 100000, '{"format": 7}', "\xff"])
def test_damaged_records_are_refused(call, tmp_path, text):
    path = tmp_path / "bad.root"
    file = ROOT.TFile(str(path), "recreate")
    file.mkdir("skimline").WriteTObject(ROOT.TObjString(text), "record")
    file.WriteTObject(ROOT.TH1D("h", "", 2, 0, 2), "h")
    file.Close()
    done = call("show", path)
    assert done.returncode == 1
    assert "cannot be read" in done.stderr
    done = call("merge", tmp_path / "sum.root", path)
    assert done.returncode == 1
    assert "cannot be read" in done.stderr


def test_a_cutflow_that_is_none_is_refused(call, make, tmp_path):
    histogram_files.hadd(tmp_path / "bad.root", make(0, 700))
    file = ROOT.TFile(str(tmp_path / "bad.root"), "update")
    folder = file.GetDirectory("skimline/cutflow")
    folder.WriteTObject(ROOT.TH2D("x", "", 2, 0, 2, 2, 0, 2), "ttbar")
    file.Close()
    done = call("show", tmp_path / "bad.root")
    assert done.returncode == 1
    assert "is no cutflow" in done.stderr
    assert np.isfinite(uproot.open(make())["mass"].values()).all()
