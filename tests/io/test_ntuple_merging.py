# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples of all kinds of fields and writers, merged by each method: as ROOT and uproot read them, bit for bit."""

import shutil
import subprocess
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import uproot
from ntuple_tables import SHARED, WIDE, Table, bits_of
from root_types import SAMPLES, Sample

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

METHODS = ["copy", "kernel", "rewrite"]
# Clusters that end in the middle of those of the inputs.
CUT = ["--method", "rewrite", "--cluster-size", "16 KiB"]


def merge(skimline: Path, target: Path, *arguments: object) -> str:
    done = subprocess.run(
        [skimline, "merge", "-f", target, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def root_differences(merged: Table, parts: list[Table]) -> list[str]:
    found = merged.by_root
    names = parts[0].by_root.names
    if found.names != names:
        return [f"fields {found.names} instead of {names}"]
    assert all(part.by_root.names == names for part in parts)
    return found.differences_from([part.by_root for part in parts])


def is_other(found: ak.Array, parts: list[Table], name: str) -> bool:
    """Part by part: arrays of variants that are put together change their types."""
    begin = 0
    for part in parts:
        end = begin + len(part.by_uproot[name])
        if list(bits_of(found[begin:end].layout)) != part.bits_by_uproot[name]:
            return True
        begin = end
    return begin != len(found)


def uproot_differences(merged: Table, parts: list[Table]) -> list[str]:
    misread = merged.misread_by_uproot.union(*(part.misread_by_uproot for part in parts))
    return [
        name
        for name in parts[0].by_uproot
        if name not in misread and is_other(merged.by_uproot[name], parts, name)
    ]


def check(merged: Table, parts: list[Table], with_uproot: bool = True) -> None:
    assert merged.fields == parts[0].fields
    assert root_differences(merged, parts) == []
    if with_uproot:
        assert uproot_differences(merged, parts) == []


@pytest.fixture(scope="module")
def written(sample_file):
    """The tables of each sample and of one with other values at the end, read once."""
    tables: dict[str, list[Table]] = {}

    def write(sample: Sample) -> list[Table]:
        if str(sample) not in tables:
            parts = [sample, Sample(sample.kinds, {**sample.layout, "changed_from": 3})]
            tables[str(sample)] = [Table(sample_file(part), "Events", part.kinds) for part in parts]
        return tables[str(sample)]

    return write


def test_comparison_sees_other_and_missing_entries(written) -> None:
    one, other = written(SAMPLES[0])
    for differences, names in ((root_differences, one.by_root.names), (uproot_differences, one.by_uproot)):
        assert differences(one, [one]) == []
        for parts in ([other], [one, one]):
            assert set(differences(one, parts)) == set(names)


@pytest.mark.thorough(quick=10)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_every_kind_of_field(sample: Sample, method: str, written, skimline: Path, tmp_path: Path) -> None:
    parts = written(sample)
    merge(skimline, tmp_path / "merged.root", "--method", method, *(part.path for part in parts))
    check(Table(tmp_path / "merged.root", "Events", sample.kinds), parts)


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_every_kind_of_field_is_cut(sample: Sample, written, skimline: Path, tmp_path: Path) -> None:
    """And joined again, to what one merge of whole clusters gives."""
    parts = written(sample)
    cut, joined, at_once = (tmp_path / f"{name}.root" for name in ("cut", "joined", "at_once"))
    merge(skimline, cut, *CUT, *(part.path for part in parts))
    check(Table(cut, "Events", sample.kinds), parts)
    merge(skimline, joined, "--method", "rewrite", cut)
    merge(skimline, at_once, "--method", "rewrite", *(part.path for part in parts))
    assert joined.read_bytes() == at_once.read_bytes()


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize("method", ["copy", "rewrite"])
@pytest.mark.parametrize("name", SHARED)
def test_files_made_by_others(
    name: str, method: str, shared_data: Path, skimline: Path, tmp_path: Path
) -> None:
    """Each with its copy, which has the same UUID."""
    copy = tmp_path / "copy.root"
    shutil.copyfile(shared_data / name, copy)
    inputs = (shared_data / name, copy)
    others = ("--exclude", "##*", "--exclude", "MetaData*") if "physlite" in name else ()
    merge(skimline, tmp_path / "merged.root", "--allow-overlap", "--method", method, *others, *inputs)
    with uproot.open(copy) as file:
        kinds = file.classnames(recursive=True, cycle=False)
    ntuples = [key for key, kind in kinds.items() if kind == "ROOT::RNTuple"]
    assert ntuples
    for ntuple in ntuples:
        source = Table(copy, ntuple, name)
        check(Table(tmp_path / "merged.root", ntuple, name), [source, source], name not in WIDE)


def test_copies_of_a_file_are_refused(written, skimline: Path, tmp_path: Path) -> None:
    source = written(SAMPLES[0])[0].path
    shutil.copyfile(source, tmp_path / "copy.root")
    command = [skimline, "merge", tmp_path / "merged.root", source, tmp_path / "copy.root"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "have the same UUID" in done.stderr
    assert not (tmp_path / "merged.root").exists()


def uproot_file(path: Path, seed: int) -> dict[str, ak.Array]:
    random = np.random.default_rng(seed)
    counts = random.integers(0, 4, 500)
    columns = {
        "x": ak.Array(random.normal(size=500)),
        "n": ak.Array(random.integers(-5, 5, 500).astype(np.int16)),
        "Jet": ak.zip({"pt": ak.unflatten(random.random(counts.sum()), counts)}),
        "names": ak.Array([["a" * (i % 3)] * (i % 2) for i in range(500)]),
    }
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", columns)
    return columns


@pytest.mark.parametrize("method", METHODS)
def test_files_of_uproot(method: str, skimline: Path, tmp_path: Path) -> None:
    parts = [uproot_file(tmp_path / f"{seed}.root", seed) for seed in range(3)]
    merge(
        skimline,
        tmp_path / "merged.root",
        "--method",
        method,
        *(tmp_path / f"{seed}.root" for seed in range(3)),
    )
    merged = uproot.open(tmp_path / "merged.root")["Events"].arrays()
    for name in parts[0]:
        assert merged[name].to_list() == ak.concatenate([part[name] for part in parts]).to_list(), name


@pytest.mark.filterwarnings("ignore:Merging RNTuples is experimental")
def test_root_merges_merged_files(written, skimline: Path, tmp_path: Path) -> None:
    """ROOT's own merger takes them, as it takes those that it has written itself."""
    for sample in (SAMPLES[0], Sample("wrappers", {"cluster_entries": 1000})):
        parts = written(sample)
        merged = tmp_path / f"{sample}.root"
        merge(skimline, merged, "--method", "copy", *(part.path for part in parts))
        merger = ROOT.TFileMerger(False)
        merger.OutputFile(str(tmp_path / f"root-{sample}.root"), "RECREATE")
        for path in (merged, parts[0].path):
            assert merger.AddFile(str(path))
        assert merger.Merge()
        check(Table(tmp_path / f"root-{sample}.root", "Events", sample.kinds), [*parts, parts[0]])


REDUCED_REALS = """
void write_reduced(const char *path, int bits, float low, float high) {
  auto model = ROOT::RNTupleModel::Create();
  auto field = std::make_unique<ROOT::RField<float>>("x");
  if (bits != 0) field->SetQuantized(std::size_t(bits), std::make_pair(low, high));
  model->AddField(std::move(field));
  auto x = model->GetDefaultEntry().GetPtr<float>("x");
  auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
  for (int i = 0; i < 4; ++i) {
    *x = i;
    writer->Fill();
  }
}
"""


def test_reduced_reals_are_as_root_reads_them(skimline: Path, tmp_path: Path) -> None:
    """It takes the bits and the range of the first representation for all."""
    ROOT.gInterpreter.Declare(REDUCED_REALS)
    plain, narrow, wide = (tmp_path / f"{name}.root" for name in ("plain", "narrow", "wide"))
    ROOT.write_reduced(str(plain), 0, 0, 0)
    ROOT.write_reduced(str(narrow), 12, 0, 4095)
    ROOT.write_reduced(str(wide), 12, -4095, 4095)
    merged = tmp_path / "merged.root"
    merge(skimline, merged, "--cluster-size", "0", plain, narrow)
    rows = Table(merged, "Events").by_root
    assert rows.differences_from([Table(plain, "Events").by_root, Table(narrow, "Events").by_root]) == []
    done = subprocess.run(
        [skimline, "merge", tmp_path / "other.root", plain, narrow, wide],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "which ROOT cannot read in one file" in done.stderr
