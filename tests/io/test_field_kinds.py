# SPDX-License-Identifier: BSD-3-Clause
"""Fields of all kinds in columns of all types, carried into another file: as ROOT and uproot read them, bit for bit."""

import subprocess
from pathlib import Path

import pytest
import uproot
from ntuple_tables import SHARED, WIDE, Table, uproot_differences
from root_types import KINDS, SAMPLES, Sample, described_columns

# Every `modulo`-th entry is carried: all, half, few, the first.
MODULOS = [1, 2, 7, 1_000_003]


def carry(carrier: Path, source: Path, ntuple: str, target: Path, modulo: int) -> None:
    """Writes the entries of `source` whose number is a multiple of `modulo`, with all their fields."""
    done = subprocess.run(
        [carrier, source, ntuple, target, str(modulo)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def carrier(build_folder: Path) -> Path:
    """The program that carry() runs. It must exist: a missing build is a failure."""
    program = build_folder / "tests" / "io" / "io_carry_entries"
    if not program.is_file():
        pytest.fail(f"no program {program}: build the tests")
    return program


def check_carried(carrier: Path, source: Table, target: Path, modulo: int) -> None:
    carry(carrier, source.path, source.ntuple, target, modulo)
    carried = Table(target, source.ntuple, source.kinds)
    assert carried.fields == source.fields
    assert source.by_root.differences(carried.by_root, modulo) == []
    if WIDE.get(source.kinds, modulo) == modulo:
        assert uproot_differences(source, carried, modulo) == []


@pytest.fixture(scope="module")
def written(sample_file):
    """The table of each sample, read once."""
    tables: dict[str, Table] = {}

    def write(sample: Sample) -> Table:
        if str(sample) not in tables:
            tables[str(sample)] = Table(sample_file(sample), "Events", sample.kinds)
        return tables[str(sample)]

    return write


@pytest.mark.thorough(quick=10)
@pytest.mark.parametrize("modulo", MODULOS)
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_carries_every_kind(sample: Sample, modulo: int, written, carrier: Path, tmp_path: Path) -> None:
    check_carried(carrier, written(sample), tmp_path / "carried.root", modulo)


@pytest.mark.parametrize("compression", [0, 505])
def test_columns_stay_as_narrow(compression: int, written, carrier: Path, tmp_path: Path) -> None:
    source = written(Sample("representations", {"compression": compression}))
    target = tmp_path / "carried.root"
    carry(carrier, source.path, source.ntuple, target, 2)
    assert described_columns(target, "Events") == described_columns(source.path, "Events")


@pytest.fixture(scope="module")
def shared(shared_data: Path):
    """The RNTuples of a file made by others, each read once."""
    files: dict[str, list[Table]] = {}

    def read(name: str) -> list[Table]:
        if name not in files:
            with uproot.open(shared_data / name) as file:
                kinds = file.classnames(recursive=True, cycle=False)
            ntuples = [key for key, kind in kinds.items() if kind == "ROOT::RNTuple"]
            assert ntuples
            files[name] = [Table(shared_data / name, ntuple, name) for ntuple in ntuples]
        return files[name]

    return read


@pytest.mark.thorough(quick=6)
@pytest.mark.parametrize("modulo", MODULOS)
@pytest.mark.parametrize("name", SHARED)
def test_carries_files_made_by_others(name: str, modulo: int, shared, carrier: Path, tmp_path: Path) -> None:
    for number, source in enumerate(shared(name)):
        check_carried(carrier, source, tmp_path / f"carried{number}.root", modulo)


def test_every_file_made_by_others_is_listed(shared_data: Path) -> None:
    assert {path.name for path in shared_data.glob("*rntuple*.root")} <= set(SHARED)


@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize("kinds", [*KINDS, "representations", "untyped", "streamed", "extended", "changing"])
def test_comparison_sees_each_field_change(kinds: str, written) -> None:
    """Two files whose last entries differ: ROOT's and uproot's comparison say so of each field, and where."""
    cluster_entries = 40 if kinds == "changing" else 1000
    source = written(Sample(kinds, {"cluster_entries": cluster_entries}))
    changed = written(Sample(kinds, {"cluster_entries": cluster_entries, "changed_from": 220}))
    constant = {name for name in source.by_root.names if name[2:] == "_Empty"}
    for differences, names in (
        (source.by_root.differences(changed.by_root, 1), source.by_root.names),
        (uproot_differences(source, changed, 1), source.by_uproot),
    ):
        assert {each.split(":")[0].removeprefix("field ") for each in differences} == set(names) - constant
        assert all(int(each.split(": entry ")[1].split()[0]) >= 220 for each in differences)


def test_comparison_sees_lost_entries(written) -> None:
    source = written(SAMPLES[0])
    assert len(source.by_root.differences(source.by_root, 2)) == len(source.by_root.names)
    assert len(uproot_differences(source, source, 2)) == len(source.by_uproot)
