# SPDX-License-Identifier: BSD-3-Clause
"""TTrees written from RNTuples: what ROOT and uproot read from them, and what can be done with the files."""

import subprocess
from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import awkward as ak
import numpy as np
import pytest
import uproot
from prepared_root import prepared_root

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

SCALARS = {
    "bool": "O",
    "int8": "B",
    "uint8": "b",
    "int16": "S",
    "uint16": "s",
    "int32": "I",
    "uint32": "i",
    "int64": "L",
    "uint64": "l",
    "float32": "F",
    "float64": "D",
}
NUM_ENTRIES = 8000


def random_numbers(kind: str, count: int, random: np.random.Generator) -> np.ndarray:
    """Numbers over the whole range of a type, extremes included."""
    if kind == "bool":
        return random.random(count) < 0.5
    if kind.startswith("float"):
        return random.normal(size=count).astype(kind)
    limits = np.iinfo(kind)
    numbers = random.integers(limits.min, limits.max, count, dtype=kind, endpoint=True)
    numbers[: min(count, 2)] = [limits.min, limits.max][: min(count, 2)]
    return numbers


def sample_columns(num_entries: int) -> dict[str, Any]:
    """Columns of all types, flat, jagged with equal sizes ("jet_*") and of their own, nested, and texts."""
    random = np.random.default_rng(5)
    columns: dict[str, Any] = {kind: random_numbers(kind, num_entries, random) for kind in SCALARS}
    sizes = random.integers(0, 6, num_entries)
    sizes[:3] = 0
    columns["njet"] = sizes.astype("int32")
    for kind in SCALARS:
        columns["jet_" + kind] = ak.unflatten(random_numbers(kind, int(sizes.sum()), random), sizes)
    own = random.integers(0, 300, num_entries) * (random.random(num_entries) < 0.05)
    columns["own"] = ak.unflatten(random_numbers("float32", int(own.sum()), random), own)
    for kind in SCALARS:
        inner = random.integers(0, 4, int(sizes.sum()))
        values = random_numbers(kind, int(inner.sum()), random)
        columns["nested_" + kind] = ak.unflatten(ak.unflatten(values, inner), sizes)
    columns["text"] = ["x" * int(n) for n in random.choice([0, 0, 1, 5, 254, 255, 300], num_entries)]
    columns["texts"] = ak.unflatten(["ab" * (i % 4) for i in range(int(sizes.sum()))], sizes)
    return columns


def write_ntuple(path: Path, columns: dict[str, Any]) -> None:
    """Writes columns as an RNTuple."""
    with uproot.recreate(path) as file:
        arrays = {name: ak.Array(values) for name, values in columns.items()}
        ntuple = file.mkrntuple("Events", {name: array.type.content for name, array in arrays.items()})
        if len(next(iter(arrays.values()))) > 0:
            ntuple.extend(arrays)


def copy_to_tree(
    build_folder: Path, source: Path, target: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Runs the program that writes the TTree."""
    program = build_folder / "tests" / "io" / "io_copy_to_tree"
    return subprocess.run(
        [program, source, "Events", target, *options], capture_output=True, text=True, check=False
    )


SIZES = ("600000", "8000")  # of clusters and baskets
COLLECTION = "jet/njet=" + ",".join("jet_" + kind for kind in SCALARS)


@pytest.fixture(scope="module")
def columns() -> dict[str, Any]:
    return sample_columns(NUM_ENTRIES)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, columns: dict[str, Any]) -> Path:
    path = tmp_path_factory.mktemp("tree") / "source.root"
    write_ntuple(path, columns)
    return path


@pytest.fixture(scope="module", params=["zstd:5", "lz4", "zlib", "lzma:1", "none"])
def written(request: pytest.FixtureRequest, build_folder: Path, source: Path) -> Path:
    """A TTree of many clusters and baskets, by compression."""
    path = source.parent / (request.param.replace(":", "") + ".root")
    done = copy_to_tree(build_folder, source, path, request.param, *SIZES, "2", COLLECTION)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def tree_file(build_folder: Path, source: Path) -> Path:
    """A TTree of many clusters and baskets."""
    path = source.parent / "tree.root"
    done = copy_to_tree(build_folder, source, path, "zstd:5", *SIZES, "2", COLLECTION)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def run_root() -> Iterator[Callable[..., str]]:
    """Runs code in a ROOT of its own, which must have nothing to say on stderr."""
    with prepared_root("ROOT.gROOT.SetBatch(True)") as root:
        yield root.run


def test_uproot_reads_what_was_written(written: Path, columns: dict[str, Any]) -> None:
    with uproot.open(written) as file:
        tree = file["Events"]
        assert tree.num_entries == NUM_ENTRIES
        assert set(tree.keys()) == {*columns, "nown"}
        for name, values in columns.items():
            read, expected = tree[name].array(), ak.Array(values)
            assert ak.array_equal(read, expected, dtype_exact=False), name
        assert ak.all(tree["nown"].array() == ak.num(columns["own"]))


def test_uproot_sees_types_and_titles(tree_file: Path) -> None:
    with uproot.open(tree_file) as file:
        tree = file["Events"]
        assert tree.title == "a copy"
        for kind, code in SCALARS.items():
            assert tree[kind].title == f"{kind}/{code}"
            assert tree["jet_" + kind].title == f"jet_{kind}[njet]/{code}"
            assert tree["jet_" + kind].member("fLeaves")[0].member("fTitle") == f"jet_{kind}[njet]"
            assert tree[kind].interpretation.numpy_dtype == np.dtype(kind)
        assert tree["jet_int8"].count_branch is tree["njet"]
        assert tree["own"].count_branch is tree["nown"]
        assert tree["njet"].member("fLeaves")[0].member("fMaximum") == 5


READ_BY_ROOT = """
file = ROOT.TFile.Open(sys.argv[1])
tree = file.Get("Events")
assert not file.TestBit(ROOT.TFile.kRecovered)
assert tree.GetEntries() == int(sys.argv[2])
clusters, iterator = [], tree.GetClusterIterator(0)
while (first := iterator()) < tree.GetEntries():
    clusters.append((first, iterator.GetNextEntry()))
assert clusters[0][0] == 0 and clusters[-1][1] == tree.GetEntries()
assert all(a[1] == b[0] for a, b in zip(clusters, clusters[1:]))
for branch in tree.GetListOfBranches():
    entries = [branch.GetBasketEntry()[i] for i in range(branch.GetWriteBasket())]
    assert {first for first, _ in clusters} <= set(entries), branch.GetName()
    assert branch.GetTotBytes() >= branch.GetZipBytes() > 0
total = 0
for entry in range(tree.GetEntries()):
    size = tree.GetEntry(entry)
    assert size > 0, entry
print(len(clusters))
"""


def test_root_reads_every_entry_and_finds_the_clusters(run_root: Callable[..., str], written: Path) -> None:
    assert int(run_root(READ_BY_ROOT, written, NUM_ENTRIES)) > 5


def test_data_frames_read_what_was_written(
    run_root: Callable[..., str], tree_file: Path, columns: dict[str, Any]
) -> None:
    code = """
frame = ROOT.RDataFrame("Events", sys.argv[1])
names = [str(name) for name in frame.GetColumnNames()]
for name in names:
    kind = frame.GetColumnType(name)
    if name.startswith("nested_"):
        expression = f"double s = 0; int i = 0; for (auto &v : {name}) for (auto x : v) s += double(x) * (1 + i++ % 7); return s;"
    elif name == "text":
        expression = "double(text.size())"
    elif name == "texts":
        expression = "double s = 0; for (auto &t : texts) s += t.size(); return s;"
    elif "RVec" in kind:
        expression = f"double s = 0; int i = 0; for (auto x : {name}) s += double(x) * (1 + i++ % 7); return s;"
    else:
        expression = f"double({name})"
    frame = frame.Define("sum_" + name, expression)
sums = frame.AsNumpy(["sum_" + name for name in names])
import numpy
numpy.savez(sys.argv[2], **sums)
"""
    target = tree_file.with_suffix(".npz")
    run_root(code, tree_file, target)
    sums = np.load(target)
    assert {name.removeprefix("sum_") for name in sums} == {*columns, "nown"}

    def expected(name: str, values: Any) -> list[float]:
        array = ak.Array(values)
        if name == "text":
            return [len(text) for text in values]
        if name == "texts":
            return [sum(map(len, texts)) for texts in array.to_list()]
        if array.ndim == 1:
            return array.to_numpy().astype("float64").tolist()
        flat = ak.flatten(array, axis=2) if array.ndim == 3 else array
        weights = 1 + ak.local_index(flat) % 7
        products = ak.values_astype(flat, "float64") * weights
        # One after the other, as ROOT does; sum() makes up for what is rounded since Python 3.12.
        return [reduce(add, entry, 0.0) for entry in products.to_list()]

    for name, values in columns.items():
        assert sums["sum_" + name].tolist() == expected(name, values), name


def test_root_merges_two_files_fast(
    run_root: Callable[..., str], build_folder: Path, source: Path, columns: dict[str, Any]
) -> None:
    paths = [source.parent / f"part{i}.root" for i in range(2)]
    for path, cluster in zip(paths, ("600000", "900000"), strict=True):
        done = copy_to_tree(build_folder, source, path, "zstd:5", cluster, "8000", "2", COLLECTION)
        assert done.returncode == 0, done.stderr
    merged = source.parent / "merged.root"
    code = """
merger = ROOT.TFileMerger(False)
merger.SetPrintLevel(0)
merger.OutputFile(sys.argv[3], "RECREATE", 505)
merger.SetFastMethod(True)
assert merger.AddFile(sys.argv[1], False) and merger.AddFile(sys.argv[2], False)
assert merger.Merge()
"""
    run_root(code, *paths, merged)
    with uproot.open(merged) as file:
        tree = file["Events"]
        assert tree.num_entries == 2 * NUM_ENTRIES
        for name, values in columns.items():
            expected = ak.Array(values)
            assert ak.array_equal(
                tree[name].array(), ak.concatenate([expected, expected]), dtype_exact=False
            ), name
    run_root(READ_BY_ROOT, merged, 2 * NUM_ENTRIES)


def test_root_adds_objects_to_the_file(
    run_root: Callable[..., str], build_folder: Path, source: Path, columns: dict[str, Any]
) -> None:
    path = source.parent / "updated.root"
    done = copy_to_tree(build_folder, source, path, "zstd:5", *SIZES, "2", COLLECTION)
    assert done.returncode == 0, done.stderr
    code = """
file = ROOT.TFile.Open(sys.argv[1], "UPDATE")
ROOT.TNamed("note", "added").Write()
file.Close()
file = ROOT.TFile.Open(sys.argv[1])
assert file.Get("note").GetTitle() == "added"
"""
    run_root(code, path)
    run_root(READ_BY_ROOT, path, NUM_ENTRIES)
    with uproot.open(path) as file:
        assert ak.array_equal(
            file["Events"]["jet_float32"].array(), columns["jet_float32"], dtype_exact=False
        )


def test_a_tree_without_entries(run_root: Callable[..., str], build_folder: Path, tmp_path: Path) -> None:
    columns = {name: ak.Array(values)[:0] for name, values in sample_columns(50).items()}
    write_ntuple(tmp_path / "source.root", columns)
    path = tmp_path / "empty.root"
    done = copy_to_tree(
        build_folder, tmp_path / "source.root", path, "zstd:5", "1000", "1000", "2", COLLECTION
    )
    assert done.returncode == 0, done.stderr
    with uproot.open(path) as file:
        assert file["Events"].num_entries == 0
        assert set(file["Events"].keys()) == {*columns, "nown"}
        for name in columns:
            assert len(file["Events"][name].array()) == 0
    code = """
file = ROOT.TFile.Open(sys.argv[1])
assert file.Get("Events").GetEntries() == 0
assert ROOT.RDataFrame("Events", sys.argv[1]).Sum("float32").GetValue() == 0
"""
    run_root(code, path)


def test_different_sizes_are_an_error(build_folder: Path, tmp_path: Path) -> None:
    sizes = np.full(9000, 2)
    others = sizes.copy()
    others[7123] = 3
    columns = {
        "jet_pt": ak.unflatten(np.ones(sizes.sum(), "float32"), sizes),
        "jet_eta": ak.unflatten(np.ones(others.sum(), "float32"), others),
    }
    write_ntuple(tmp_path / "source.root", columns)
    path = tmp_path / "out.root"
    done = copy_to_tree(
        build_folder, tmp_path / "source.root", path, "zstd:5", "20000", "1000", "2", "jet=jet_pt,jet_eta"
    )
    assert done.returncode == 1
    assert '"jet_pt" and "jet_eta" have 2 and 3 values' in done.stderr
    assert "entry 7123 " in done.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "source.root"]


def streamed_layouts(path: Path) -> dict[tuple[str, int], list[str]]:
    """The members of every class in the StreamerInfo record of a file, as it is stored."""
    with uproot.open(path) as file:
        return {
            (name, version): [
                f"{info.member('fCheckSum')} {info.member('fTitle')}",
                *(f"{type(element).__name__} {element.all_members}" for element in info.elements),
            ]
            for name, versions in file.file.streamers.items()
            for version, info in versions.items()
        }


def test_classes_are_described_as_root_describes_them(
    run_root: Callable[..., str], tree_file: Path, tmp_path: Path
) -> None:
    code = """
import array
file = ROOT.TFile.Open(sys.argv[1], "RECREATE")
tree = ROOT.TTree("Events", "")
buffers = [array.array("d", [0]) for _ in sys.argv[2]]
for code, buffer in zip(sys.argv[2], buffers):
    tree.Branch(code + "_", buffer, code + "_/" + code)
text = ROOT.std.string("a")
tree.Branch("text", text)
tree.Fill()
tree.Write()
file.Close()
"""
    run_root(code, tmp_path / "root.root", "".join(SCALARS.values()))
    expected = streamed_layouts(tmp_path / "root.root")
    layouts = streamed_layouts(tree_file)
    assert {"TTree", "TBranch", "TBranchElement", "TLeafElement", "TLeafO", "TLeafD"} <= {
        name for name, _ in layouts
    }
    for name, layout in layouts.items():
        assert layout == expected[name], name
