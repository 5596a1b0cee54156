# SPDX-License-Identifier: BSD-3-Clause
"""bench/formats at a small size: each format gives the answers of the columns themselves."""

import argparse
import json
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import uproot

EVENTS = 1500
BENCH = Path(__file__).resolve().parents[2] / "bench"
# ROOT's own take seconds to start: one test has them. Lance, Zarr and Vortex are large, and tested where they are.
OPTIONAL = {"Zarr": "zarr", "Zarr, CRC": "zarr", "Lance": "lance", "Lance, nested": "lance"}
OPTIONAL |= {"Vortex": "vortex", "Vortex, nested": "vortex"}
FORMATS = (
    *OPTIONAL,
    "RNTuple",
    "RNTuple, nested",
    "Parquet",
    "Parquet, CRC",
    "Parquet, nested",
    "Arrow IPC",
    "Arrow IPC, nested",
    "SQLite",
    "DuckDB",
    "DuckDB, nested",
    "HDF5 columns",
    "HDF5 columns, Fletcher32",
    "HDF5 rows",
    "HDF5 rows, nested",
    "Avro",
    "Avro, nested",
    "Protocol Buffers",
    "Protocol Buffers, nested",
)


@pytest.fixture(scope="module")
def programs(build_folder):
    """The modules that bench/formats runs, and the Python package of the build."""
    sys.path[:0] = [str(BENCH / "data_formats"), str(build_folder / "python")]
    try:
        import comparison
        import damage
        import events
        import needed_bytes
        import registry
        import report
        import right_answers
        import skimline as package
        import worker
    finally:
        del sys.path[:2]
    assert Path(package.__file__).is_relative_to(build_folder)
    return SimpleNamespace(
        comparison=comparison,
        damage=damage,
        events=events,
        needed_bytes=needed_bytes,
        registry=registry,
        report=report,
        right_answers=right_answers,
        worker=worker,
    )


@pytest.fixture(scope="module")
def columns(skimline, tmp_path_factory) -> dict[str, np.ndarray]:
    file = tmp_path_factory.mktemp("lhcb") / "events.root"
    subprocess.run([skimline, "generate", "lhcb", "--events", str(EVENTS), "-o", file], check=True)
    with uproot.open(file) as opened:
        return opened["Events"].arrays(library="np")


@pytest.fixture(scope="module")
def right(programs, columns) -> dict:
    return programs.right_answers.right_answers(columns)


def test_the_questions_are_about_some_events_and_not_about_all(columns, right):
    muons = sum(columns[f"H{number}_isMuon"] for number in (1, 2, 3))
    assert right["analysis"]["sums"][0] == np.count_nonzero(muons == 0) < EVENTS
    assert np.count_nonzero(columns["B_FlightDistance"] > right["cut"]) == EVENTS // 100


@pytest.mark.parametrize("name", FORMATS)
def test_gives_the_answers_of_the_columns(programs, columns, right, name, tmp_path):
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    made = programs.registry.FORMATS[name]()
    is_right, digest = programs.comparison.is_right, programs.worker.digest
    compression = made.compressions[-1]
    file, skimmed = tmp_path / f"a{made.suffix}", tmp_path / f"b{made.suffix}"
    made.write(file, columns, compression)
    names = sorted(made.all_names())
    assert sorted(columns) == names
    assert digest(made.read(file, names, 1)) == right["read"]
    for threads in (1, 2) if made.has_threads else (1,):
        assert is_right(made.sums(file, threads), right["analysis"])
        assert is_right(made.plot(file, threads), right["plot"])
    if made.has_random_access:
        assert digest(made.take(file, programs.events.taken_entries(EVENTS))) == right["take"]
    made.skim(file, skimmed, right["cut"], compression)
    assert digest(made.read(skimmed, names, 1)) == right["skim"]


def test_nested_events_are_lists_of_structs_for_others_too(programs, columns, tmp_path):
    file = tmp_path / "a.root"
    programs.registry.FORMATS["RNTuple, nested"]().write(file, columns, "zstd")
    kaons = uproot.open(file)["Events"].arrays()["Kaons"]
    assert set(kaons.fields) == set(programs.events.FIELDS)
    assert np.array_equal(np.asarray(kaons["PX"])[:, 1], columns["H2_PX"])


NEEDED = (
    "RNTuple",
    "Parquet",
    "Arrow IPC",
    "HDF5 columns",
    "HDF5 rows",
    "RNTuple, nested",
    "Parquet, nested",
)


@pytest.mark.parametrize("name", NEEDED)
def test_knows_where_the_values_are_that_the_sums_read(programs, columns, name, tmp_path):
    """Without compression they lie in the file as they are."""
    made = programs.registry.FORMATS[name]()
    file = tmp_path / f"a{made.suffix}"
    made.write(file, columns, "none")
    content, needed = file.read_bytes(), bytearray(file.stat().st_size)
    for path, first, size in made.needed(file):
        assert path == file
        needed[first : first + size] = b"\1" * size

    def is_needed(column):
        value = columns[column][EVENTS // 2].tobytes()
        place = content.find(value)
        assert place >= 0
        return needed[place : place + 8] == b"\1" * 8

    assert is_needed("H1_PX")
    assert is_needed("H3_ProbPi")
    reads_all = name == "HDF5 rows"
    assert is_needed("B_FlightDistance") == reads_all
    assert is_needed("H1_IPChi2") == reads_all


def test_damages_files_of_folders(programs, tmp_path):
    folder = tmp_path / "sound"
    (folder / "inner").mkdir(parents=True)
    (folder / "a").write_bytes(bytes(100))
    (folder / "inner" / "b").write_bytes(bytes(5))
    damaged = programs.damage.Damaged(folder, tmp_path / "copy")
    damaged.flip(Path("inner/b"), 9)
    assert (damaged.path / "inner" / "b").read_bytes() == b"\0\2\0\0\0"
    damaged.mend(Path("inner/b"))
    damaged.cut(Path("a"), 40)
    assert [len(each.read_bytes()) for each in programs.needed_bytes.files_of(damaged.path)] == [40, 5]
    assert not any((folder / "a").read_bytes())


def test_a_format_with_another_answer_is_named(programs, right):
    is_right = programs.comparison.is_right
    sums = right["analysis"]["sums"]
    assert is_right(sums, right["analysis"])
    for place in (0, 1, -1):
        changed = list(sums)
        changed[place] += 1e-3 if place else 1
        assert not is_right(changed, right["analysis"])
    assert not is_right([*right["plot"][:-1], right["plot"][-1] + 1], right["plot"])


@pytest.fixture
def driver(monkeypatch, skimline, build_folder, tmp_path):
    """bench/formats as a module, with the Python and the build of the tests, in a folder of its own."""
    loader = SourceFileLoader("bench_formats", str(BENCH / "formats"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "BUILD", skimline.parent)
    monkeypatch.setattr(module, "prepare_python", lambda: Path(sys.executable))
    monkeypatch.setenv("PYTHONPATH", str(build_folder / "python"))
    return module


def arguments_of(**changed):
    defaults = {"events": 2500, "file": None, "formats": ["SQLite"], "compressions": ["none"], "flips": 4}
    return argparse.Namespace(**{"json": None, **defaults, **changed})


def test_measures_and_damages_in_processes(driver, programs, capsys, tmp_path):
    numbers = tmp_path / "numbers.json"
    review = driver.Review(arguments_of(json=numbers))
    review.run()
    assert review.faults == []
    assert json.loads(numbers.read_text()) == review.rows
    tasks = [row["task"] for row in review.rows]
    assert tasks == ["write", "write", "analysis", "plot", "skim", "take", "read", "analysis"]
    assert all(row["peak"] > 0 and row["seconds"] >= 0 for row in review.rows)
    driver.damage(review)
    assert json.loads(numbers.read_text()) == review.rows
    assert [len(review.rows[-1][kind]) for kind in ("flips", "needed", "cuts")] == [4, 4, 1]
    assert capsys.readouterr().out.count("SQLite") == 2
    times = programs.report.times(review.rows, nested=False).splitlines()
    assert times[2].startswith(f"| SQLite | none | {review.rows[3]['bytes'] / 1e6:.1f} |")
    assert programs.report.times(review.rows, nested=True).count("\n") == 2
    assert "| SQLite | none |" in programs.report.damage(review.rows)
    driver.draw(review, tmp_path / "pictures")
    drawn = sorted((tmp_path / "pictures").iterdir())
    assert [path.name for path in drawn] == ["formats-flips.svg", "formats-sizes.svg"]
    assert all("SQLite" in path.read_text() for path in drawn)


def lhcb_tree(columns, path):
    """A TTree as LHCb's file has it, written by ROOT, with a branch that is not asked for."""
    import ROOT

    file = ROOT.TFile(str(path), "RECREATE")
    tree = ROOT.TTree("DecayTree", "")
    values = {name: np.zeros(1, array.dtype) for name, array in columns.items()}
    for name, value in values.items():
        tree.Branch(name, value, f"{name}/{'I' if value.dtype == np.int32 else 'D'}")
    other = np.zeros(1, np.float32)
    tree.Branch("other", other, "other/F")
    for row in range(len(columns["H1_PX"])):
        for name, value in values.items():
            value[0] = columns[name][row]
        tree.Fill()
    tree.Write()
    file.Close()


def test_takes_the_file_of_lhcb(driver, programs, columns, tmp_path):
    """Which has too few events here for the program."""
    pytest.importorskip("ROOT")
    few = {name: values[:200] for name, values in columns.items()}
    lhcb_tree(few, tmp_path / "B2HHH.root")
    command = [sys.executable, BENCH / "data_formats" / "source.py", tmp_path / "B2HHH.root:DecayTree", "150"]
    done = subprocess.run([*command, tmp_path / "found.npz"], check=True, capture_output=True, text=True)
    assert done.stdout == "150\n"
    expected = {name: values[:150] for name, values in few.items()}
    assert programs.worker.digest(dict(np.load(tmp_path / "found.npz"))) == programs.worker.digest(expected)
    with pytest.raises(RuntimeError, match="200 events are too few: more than 2000"):
        driver.Review(arguments_of(file=str(tmp_path / "B2HHH.root")))


def test_names_columns_that_a_given_file_lacks(columns, tmp_path):
    with uproot.recreate(tmp_path / "other.root") as file:
        file["DecayTree"] = {name.replace("H2_PX", "H2_PX_"): values for name, values in columns.items()}
    command = [
        sys.executable,
        BENCH / "data_formats" / "source.py",
        tmp_path / "other.root",
        "10",
        tmp_path / "x.npz",
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "1 columns are missing, the first is H2_PX (did you mean H2_PX_?)" in done.stderr


def test_refuses_formats_that_there_are_not(driver):
    with pytest.raises(RuntimeError, match="'Parket' is none of RNTuple, "):
        driver.Review(arguments_of(formats=["Parket"]))


def test_names_the_format_that_answers_otherwise(driver, programs, right):
    request = {"format": "SQLite", "compression": "none"}
    review = SimpleNamespace(faults=[])
    driver.Review.compare(review, request, "plot", right["plot"], right["plot"])
    assert review.faults == []
    driver.Review.compare(review, request, "plot", [0], right["plot"])
    assert review.faults == ["SQLite, none, plot: another answer"]


def test_no_flipped_bit_of_nested_events_is_silent(programs, columns, build_folder, tmp_path):
    file = tmp_path / "a.root"
    programs.registry.FORMATS["RNTuple, nested"]().write(file, columns, "none")
    environment = {**os.environ, "PYTHONPATH": str(build_folder / "python")}
    command = [sys.executable, BENCH / "data_formats" / "damage.py", "RNTuple, nested", file, "25"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found = json.loads(done.stdout)
    assert set(found["flips"]) <= {"reported", "unchanged"}
    assert set(found["needed"]) == {"reported"}
    assert set(found["cuts"]) == {"reported"}
