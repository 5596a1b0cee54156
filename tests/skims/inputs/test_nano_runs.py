# SPDX-License-Identifier: BSD-3-Clause
"""`Runs` and `LuminosityBlocks` beside the events of NanoAOD: their sums, and how they are carried along."""

import math
import random
import subprocess

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE
from thinned_events import write_with_runs

ROOT.gInterpreter.Declare(
    """
    void WriteRuns(const char *path, const char *name, const char *end, std::uint64_t seed, int entries,
                   bool isData, bool hasExtra) {
      auto model = ROOT::RNTupleModel::Create();
      auto run = model->MakeField<std::uint32_t>("run");
      std::shared_ptr<Long64_t> count;
      std::shared_ptr<double> sum, squares;
      std::shared_ptr<std::vector<double>> scales;
      if (!isData) {
        count = model->MakeField<Long64_t>(std::string("genEventCount") + end);
        sum = model->MakeField<double>(std::string("genEventSumw") + end);
        squares = model->MakeField<double>(std::string("genEventSumw2") + end);
        scales = model->MakeField<std::vector<double>>("LHEScaleSumw");
      }
      std::shared_ptr<std::string> extra;
      if (hasExtra) extra = model->MakeField<std::string>("generator");
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "UPDATE"));
      auto writer = ROOT::RNTupleWriter::Append(std::move(model), name, *file);
      TRandom3 random(seed);
      for (int i = 0; i < entries; ++i) {
        *run = seed + i;
        if (!isData) {
          *count = random.Integer(100000);
          *sum = random.Gaus(0, 1e6);
          *squares = random.Uniform(1e9);
          scales->assign(i % 9, random.Uniform());
        }
        if (hasExtra) *extra = "generator " + std::to_string(i);
        writer->Fill();
      }
    }
    void WriteBlocks(const char *path, std::uint64_t seed, int entries, bool isWide) {
      auto model = ROOT::RNTupleModel::Create();
      auto run = model->MakeField<std::uint32_t>("run");
      auto block = isWide ? nullptr : model->MakeField<std::uint32_t>("luminosityBlock");
      auto wide = isWide ? model->MakeField<std::uint64_t>("luminosityBlock") : nullptr;
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "UPDATE"));
      auto writer = ROOT::RNTupleWriter::Append(std::move(model), "LuminosityBlocks", *file);
      for (int i = 0; i < entries; ++i) {
        *run = seed;
        (isWide ? void(*wide = i) : void(*block = i));
        writer->Fill();
      }
    }
    """
)


@pytest.fixture(scope="module")
def program(build_folder):
    return build_folder / "tests" / "skims" / "skims_carry_ntuple"


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)


def nano(path, seed, entries=5, end="", is_data=False, has_extra=False, name="Runs"):
    ROOT.WriteRuns(str(path), name, end, seed, entries, is_data, has_extra)
    ROOT.WriteBlocks(str(path), seed, 20, False)
    return path


def columns(path, name):
    return uproot.open(path)[name].arrays(library="np")


@pytest.mark.parametrize("end", ["", "_"])
def test_sums_are_exact(program, tmp_path, end):
    files = [nano(tmp_path / f"{seed}.root", seed, 50, end) for seed in range(4)]
    runs = [columns(file, "Runs") for file in files]
    expected = [
        np.concatenate([part[f"genEvent{name}{end}"] for part in runs]) for name in ("Count", "Sumw", "Sumw2")
    ]
    for seed in range(3):
        random.Random(seed).shuffle(files)
        count, weights, squares = run(program, "sums", *files).stdout.split()
        assert int(count) == expected[0].sum()
        assert float(weights) == math.fsum(expected[1])
        assert float(squares) == math.fsum(expected[2])


def test_data_has_no_sums(program, tmp_path):
    assert run(program, "sums", nano(tmp_path / "a.root", 1, is_data=True)).stdout == "none\n"


def test_other_files_have_no_sums(program, tmp_path):
    nano(tmp_path / "a.root", 1, name="Others")
    assert run(program, "sums", tmp_path / "a.root").stdout == "none\n"


@pytest.mark.parametrize(
    ("column", "values", "problem"),
    [
        ("genEventCount", [1.0, -1.0], "no count"),
        ("genEventCount", [1.0, 0.5], "no count"),
        ("genEventSumw", [1.0, math.nan], "not finite"),
        ("genEventSumw2", [1.0, -3.0], "negative sum"),
        ("genEventSumw", [[1.0], [2.0]], "one number per entry"),
    ],
)
def test_sums_that_cannot_be_are_refused(program, tmp_path, column, values, problem):
    content = {name: [1.0, 2.0] for name in ("genEventCount", "genEventSumw", "genEventSumw2")}
    with uproot.recreate(tmp_path / "a.root") as file:
        file.mkrntuple("Runs", content | {column: values})
    done = run(program, "sums", tmp_path / "a.root")
    assert done.returncode == 1
    assert problem in done.stderr
    assert "a.root" in done.stderr


@pytest.mark.parametrize("name", ["Runs", "LuminosityBlocks"])
def test_all_entries_are_carried(program, tmp_path, capfd, name):
    files = [nano(tmp_path / f"{seed}.root", seed, 1 + 3 * seed) for seed in range(4)]
    done = run(program, "carry", 2, tmp_path / "out.root", name, *files)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    expected = [columns(file, name) for file in files]
    found = columns(tmp_path / "out.root", name)
    assert sorted(found) == sorted(expected[0])
    for column, values in found.items():
        wanted = [value for part in expected for value in part[column]]
        assert all(np.array_equal(*pair) for pair in zip(values, wanted, strict=True))

    reader = ROOT.RNTupleReader.Open(name, str(tmp_path / "out.root"))
    assert reader.GetNEntries() == len(found["run"])
    theirs = ROOT.RNTupleReader.Open(name, str(files[0]))
    for field in theirs.GetDescriptor().GetTopLevelFields():
        copy = reader.GetDescriptor().GetFieldDescriptor(
            reader.GetDescriptor().FindFieldId(field.GetFieldName())
        )
        assert copy.GetTypeName() == field.GetTypeName()
    frame = ROOT.RDataFrame(name, str(tmp_path / "out.root"))
    assert frame.Sum("run").GetValue() == sum(part["run"].sum() for part in expected)
    file = ROOT.TFile(str(tmp_path / "out.root"))
    assert file.Get("skimline/record").GetString().Data() == "a text"
    assert file.Get("h").GetXaxis().GetBinLabel(2) == "b"
    names = {info.GetName() for info in file.GetStreamerInfoList()}
    assert {"TObjString", "TH1D", "ROOT::RNTuple"} <= names
    file.Close()
    assert capfd.readouterr().err == ""


def test_bytes_do_not_depend_on_threads(program, tmp_path):
    files = [nano(tmp_path / f"{seed}.root", seed, 10) for seed in range(3)]
    contents = []
    for threads in (1, 2, 4):
        run(program, "carry", threads, tmp_path / "out.root", "Runs", *files)
        contents.append((tmp_path / "out.root").read_bytes())
    assert contents[0] == contents[1] == contents[2]


def test_files_without_it_are_named(program, tmp_path):
    files = [nano(tmp_path / "a.root", 1), nano(tmp_path / "b.root", 2, name="Others")]
    done = run(program, "carry", 1, tmp_path / "out.root", "Runs", *files)
    assert done.returncode == 0, done.stderr
    assert 'the RNTuple "Runs" is missing in' in done.stdout
    assert "b.root" in done.stdout
    assert len(columns(tmp_path / "out.root", "Runs")["run"]) == 5


def test_nothing_is_written_if_no_file_has_it(program, tmp_path):
    nano(tmp_path / "a.root", 1)
    done = run(program, "carry", 1, tmp_path / "out.root", "Others", tmp_path / "a.root")
    assert done.stdout == "none\n"
    assert sorted(uproot.open(tmp_path / "out.root").keys(recursive=False)) == ["h;1", "skimline;1"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_columns_that_not_all_have_are_left_out(program, tmp_path, order):
    files = [nano(tmp_path / "a.root", 1), nano(tmp_path / "b.root", 2, has_extra=True)]
    files = [files[i] for i in order]
    done = run(program, "carry", 2, tmp_path / "out.root", "Runs", *files)
    assert done.returncode == 0, done.stderr
    assert 'the RNTuple "Runs" is written without "generator"' in done.stdout
    found = columns(tmp_path / "out.root", "Runs")
    assert sorted(found) == sorted(columns(tmp_path / "a.root", "Runs"))
    wanted = np.concatenate([columns(file, "Runs")["genEventSumw"] for file in files])
    assert np.array_equal(found["genEventSumw"], wanted)


def test_columns_of_different_types_are_left_out(program, tmp_path):
    for name, is_wide in (("a", False), ("b", True)):
        ROOT.WriteBlocks(str(tmp_path / f"{name}.root"), 7, 4, is_wide)
    done = run(
        program,
        "carry",
        1,
        tmp_path / "out.root",
        "LuminosityBlocks",
        tmp_path / "a.root",
        tmp_path / "b.root",
    )
    assert done.returncode == 0, done.stderr
    assert 'written without "luminosityBlock"' in done.stdout
    assert list(columns(tmp_path / "out.root", "LuminosityBlocks")["run"]) == [7] * 8


@pytest.mark.parametrize("command", ["run", "convert"])
@pytest.mark.parametrize("name", ["Runs", "LuminosityBlocks"])
def test_events_that_take_the_name_of_what_lies_beside_them(job, call, tmp_path, command, name):
    """Nothing is left out without a word; entries of "Runs" themselves have nothing of that name beside them."""
    write_with_runs(tmp_path / "in.root")

    def warnings(ntuple):
        if command == "convert":
            done = call("convert", "-f", f"in.root:{ntuple}", "-o", "s.root", "--name", name, cwd=tmp_path)
        else:
            done = job(
                {
                    "schema_version": 1,
                    "samples": {"mc": {"files": [f"in.root:{ntuple}"]}},
                    "skims": {"s": {"file": "s.root", "name": name}},
                },
                "-f",
            )
        assert done.returncode == DONE, done.stderr
        return done.stderr.count(f'"{name}"')

    assert warnings("Events") == (name == "Runs")
    assert warnings("Runs") == 0
