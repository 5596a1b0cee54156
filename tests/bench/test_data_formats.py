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
# ROOT's own take seconds to start, and Lance is large: bench/formats has them too.
FORMATS = (
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
        import events
        import registry
        import right_answers
        import skimline as package
        import worker
    finally:
        del sys.path[:2]
    assert Path(package.__file__).is_relative_to(build_folder)
    return SimpleNamespace(
        comparison=comparison,
        events=events,
        registry=registry,
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
    assert digest(made.take(file, programs.events.taken_entries(EVENTS))) == right["take"]
    made.skim(file, skimmed, right["cut"], compression)
    assert digest(made.read(skimmed, names, 1)) == right["skim"]


def test_nested_events_are_lists_of_structs_for_others_too(programs, columns, tmp_path):
    file = tmp_path / "a.root"
    programs.registry.FORMATS["RNTuple, nested"]().write(file, columns, "zstd")
    kaons = uproot.open(file)["Events"].arrays()["Kaons"]
    assert set(kaons.fields) == set(programs.events.FIELDS)
    assert np.array_equal(np.asarray(kaons["PX"])[:, 1], columns["H2_PX"])


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


def test_measures_and_damages_in_processes(driver, capsys):
    arguments = argparse.Namespace(events=2500, formats=["SQLite"], compressions=["none"], flips=4)
    review = driver.Review(arguments)
    review.run()
    assert review.faults == []
    tasks = [row["task"] for row in review.rows]
    assert tasks == ["write", "write", "read", "analysis", "analysis", "plot", "skim", "take"]
    assert all(row["peak"] > 0 and row["seconds"] >= 0 for row in review.rows)
    driver.damage(review)
    assert len(review.rows[-1]["flips"]) == 4
    assert capsys.readouterr().out.count("SQLite") == 2


def test_names_the_format_that_answers_otherwise(driver, programs, right):
    request = {"format": "SQLite", "compression": "none"}
    review = SimpleNamespace(right_answers=lambda: right, faults=[])
    driver.Review.compare(review, request, "plot", right["plot"])
    assert review.faults == []
    driver.Review.compare(review, request, "plot", [0])
    assert review.faults == ["SQLite, none, plot: another answer"]


def test_no_flipped_bit_of_nested_events_is_silent(programs, columns, build_folder, tmp_path):
    file = tmp_path / "a.root"
    programs.registry.FORMATS["RNTuple, nested"]().write(file, columns, "none")
    environment = {**os.environ, "PYTHONPATH": str(build_folder / "python")}
    command = [sys.executable, BENCH / "data_formats" / "damage.py", "RNTuple, nested", file, "40"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found = json.loads(done.stdout)
    assert set(found["flips"]) <= {"reported", "unchanged"}
    assert set(found["cuts"]) == {"reported"}
