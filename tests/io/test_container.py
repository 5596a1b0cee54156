# SPDX-License-Identifier: BSD-3-Clause
"""The ROOT file container: every byte by an own walk along the records, and what ROOT and uproot make of it."""

import json
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import pytest
import uproot
import xxhash
from prepared_root import prepared_root

BEGIN = 100
BLOCK = 4096
LIMIT = 2_000_000_000
HISTOGRAM_CLASSES = ("TH", "TProfile")
NUM_ENTRIES = 1500  # of each RNTuple of container_samples.cc


class Record(NamedTuple):
    """A key with what follows it."""

    offset: int
    size: int
    object_size: int
    key_size: int
    directory: int
    class_name: str
    name: str
    title: str
    key: bytes

    @property
    def payload(self) -> int:
        return self.offset + self.key_size


def numbers(layout: str, content: bytes, at: int) -> tuple:
    """Big-endian numbers."""
    return struct.unpack_from(">" + layout, content, at)


def string_at(content: bytes, at: int) -> tuple[str, int]:
    """A counted string, and the position behind it."""
    size = content[at]
    at += 1
    if size == 255:
        (size,) = numbers("I", content, at)
        at += 4
    return content[at : at + size].decode(), at + size


def read_at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    content = file.read(size)
    assert len(content) == size, f"the file ends before byte {offset + size}"
    return content


def record_at(content: bytes, offset: int) -> Record:
    """The record whose key begins the content."""
    size, version, object_size, _, key_size, cycle = numbers("iHIIHH", content, 0)
    is_long = version > 1000
    assert version in (4, 1004) and cycle == 1 and size >= key_size
    own_offset, directory = numbers("QQ" if is_long else "II", content, 18)
    assert own_offset == offset
    assert is_long or max(own_offset, directory) <= LIMIT
    at = 34 if is_long else 26
    class_name, at = string_at(content, at)
    name, at = string_at(content, at)
    title, at = string_at(content, at)
    assert at == key_size
    return Record(offset, size, object_size, key_size, directory, class_name, name, title, content[:at])


class Container:
    """A file that was walked from its first record to its end, each record checked."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self.file = file
            self.read_header(path.stat().st_size)
            self.records = self.walk()
            self.listed: dict[str, Record] = {}
            self.lists: list[Record] = []
            self.read_directory(BEGIN, BEGIN + self.name_size, 0, "")
            self.check_free_list()
            self.check_blobs()
            self.check_seal()
            self.check_every_record_has_its_use()

    def read_header(self, size: int) -> None:
        header = read_at(self.file, 0, BEGIN)
        magic, version, begin = numbers("4sII", header, 0)
        assert magic == b"root" and begin == BEGIN
        is_large = version >= 1_000_000
        assert version % 1_000_000 == 64000
        layout = "QQIIIBIQI18s" if is_large else "IIIIIBIII18s"
        self.end, self.free, self.free_size, num_free, self.name_size, units, _, *rest = numbers(
            layout, header, 12
        )
        self.info, self.info_size, self.uuid = rest
        assert self.end == size
        assert is_large == (size > LIMIT)
        assert (num_free, units) == (1, 8 if is_large else 4)
        assert self.uuid[2:] != bytes(16)
        assert set(header[75 if is_large else 63 : 84]) == {0}
        self.seal, self.seal_size = struct.unpack_from("<QQ", header, 84)

    def walk(self) -> dict[int, Record]:
        records: dict[int, Record] = {}
        offset = BEGIN
        while offset < self.end:
            record = record_at(read_at(self.file, offset, min(70_000, self.end - offset)), offset)
            records[offset] = record
            if record.class_name.startswith((*HISTOGRAM_CLASSES, "TObjString")):
                assert record.key_size + record.object_size >= record.size
            else:
                assert record.key_size + record.object_size == record.size, (
                    "only histograms and texts are compressed"
                )
            offset += record.size
        assert offset == self.end
        return records

    def read_directory(self, offset: int, fields: int, parent: int, path: str) -> None:
        content = read_at(self.file, fields, 60)
        (version,) = numbers("H", content, 0)
        is_large = version > 1000
        keys_size, name_size, *offsets = numbers("IIQQQ" if is_large else "IIIII", content, 10)
        assert version % 1000 == 5
        assert offset + name_size == fields
        assert offsets[:2] == [offset, parent]
        assert is_large == (max(offsets) > LIMIT)
        uuid = content[-18:] if is_large else content[30:48]
        assert (uuid == self.uuid) == (offset == BEGIN), (
            "each directory has an own UUID, the top one the file's"
        )
        assert is_large or content[48:] == bytes(12)
        keys = self.records[offsets[2]]
        own = self.records[offset]
        assert (keys.size, keys.directory) == (keys_size, offset)
        assert (keys.class_name, keys.name, keys.title) == (own.class_name, own.name, own.title)
        self.lists.append(keys)
        self.read_key_list(keys, path)

    def read_key_list(self, keys: Record, path: str) -> None:
        content = read_at(self.file, keys.payload, keys.object_size)
        (count,) = numbers("I", content, 0)
        at = 4
        for _ in range(count):
            version, offset = numbers("H", content, at + 4)[0], at + 18
            (seek,) = numbers("Q" if version > 1000 else "I", content, offset)
            record = self.records[seek]
            assert content[at : at + record.key_size] == record.key
            assert record.directory == keys.directory
            assert path + record.name not in self.listed
            self.listed[path + record.name] = record
            at += record.key_size
            if record.class_name == "TDirectory":
                assert record.object_size == 60
                self.read_directory(seek, record.payload, keys.directory, path + record.name + "/")
        assert at == len(content)

    def check_free_list(self) -> None:
        record = self.records[self.free]
        assert (record.class_name, record.size, record.directory) == ("TFile", self.free_size, BEGIN)
        content = read_at(self.file, record.payload, record.object_size)
        (version,) = numbers("H", content, 0)
        assert version in (1, 1001)
        first, last = numbers("QQ" if version > 1000 else "II", content, 2)
        assert len(content) == (18 if version > 1000 else 10)
        assert first == self.end and last > self.end and last >= LIMIT and last % 1_000_000_000 == 0

    def check_blobs(self) -> None:
        for blob in self.blobs():
            assert (blob.name, blob.title, blob.directory, blob.key_size) == ("", "", BEGIN, 42)
            if self.holds_sums(blob):
                before = next(r for r in self.records.values() if r.offset + r.size == blob.offset)
                assert before.class_name.startswith(HISTOGRAM_CLASSES)
        others = [blob for blob in self.blobs() if not self.holds_sums(blob) and blob.offset != self.seal]
        if not others:
            return
        front = max((blob for blob in others if blob.offset < self.data()), key=lambda blob: blob.offset)
        assert front.offset + front.size == self.data()
        assert set(read_at(self.file, front.payload, front.object_size)) <= {0}, "filler"

    def check_seal(self) -> None:
        """The header and every record but blobs have their checksum in the seal."""
        record = self.records[self.seal]
        assert record.size == self.seal_size
        content = read_at(self.file, record.payload, record.object_size)
        magic, version, count, file_size = struct.unpack_from("<8sIIQ", content)
        assert (magic, version, file_size) == (b"skl-seal", 1, self.end)
        assert len(content) == 24 + 24 * count + 8
        assert struct.unpack("<Q", content[-8:])[0] == xxhash.xxh3_64_intdigest(content[:-8])
        sealed = [struct.unpack_from("<QIIQ", content, 24 + 24 * number) for number in range(count)]
        others = [record.offset for record in self.records.values() if record.class_name != "RBlob"]
        assert [offset for offset, *_ in sealed] == [0, *sorted(others)]
        for offset, size, size_behind, checksum in sealed:
            assert xxhash.xxh3_64_intdigest(read_at(self.file, offset, size)) == checksum
            assert size == (self.records[offset].size if offset else BEGIN)
            behind = self.records.get(offset + size)
            has_sums = offset > 0 and behind and behind.class_name == "RBlob" and self.holds_sums(behind)
            assert size_behind == (behind.size if has_sums else 0)

    def holds_sums(self, blob: Record) -> bool:
        """Whether it has the exact sums of a histogram."""
        return read_at(self.file, blob.payload, min(8, blob.object_size)) == b"skl-sums"

    def check_every_record_has_its_use(self) -> None:
        used = [self.records[offset] for offset in (BEGIN, self.info, self.free)]
        used += [*self.lists, *self.listed.values(), *self.blobs()]
        assert sorted(record.offset for record in used) == sorted(self.records)
        info = self.records[self.info]
        assert (info.class_name, info.name, info.title) == ("TList", "StreamerInfo", "Doubly linked list")
        assert (info.size, info.key_size) == (self.info_size, 64)

    def blobs(self) -> list[Record]:
        return [record for record in self.records.values() if record.class_name == "RBlob"]

    def data(self) -> int:
        """Where the data begins: at the first multiple of the block with enough room after the StreamerInfo, if that is in front."""
        front = BEGIN + self.records[BEGIN].size
        if self.info == front:
            front += self.info_size
        return -(-(front + 2048) // BLOCK) * BLOCK


def make(
    build_folder: Path,
    path: Path,
    *,
    first: int = 0,
    second: str = "dir/Events",
    empty_bytes: int = 0,
    num_histograms: int = 0,
) -> Path:
    """A file with the objects of container_samples.cc."""
    program = build_folder / "tests" / "io" / "io_container_samples"
    subprocess.run([program, path, str(first), second, str(empty_bytes), str(num_histograms)], check=True)
    return path


@pytest.fixture(
    params=[(0, 0), (0, 100), (1_999_985_000, 20), (3_000_000_000, 20), (6_000_000_000, 20)], ids=str
)
def sample(request: pytest.FixtureRequest, build_folder: Path, tmp_path: Path) -> Path:
    """A file, small or with holes beyond 2 GB and 4 GiB, its small objects in front, or too many for that."""
    empty_bytes, num_histograms = request.param
    return make(
        build_folder, tmp_path / "sample.root", empty_bytes=empty_bytes, num_histograms=num_histograms
    )


@pytest.fixture(scope="module")
def run_root() -> Iterator[Callable[..., str]]:
    """Runs a script in a process of its own, so that everything ROOT complains about is seen."""
    pytest.importorskip("ROOT")
    with prepared_root(PREAMBLE) as root:
        yield root.run


PREAMBLE = """
import tempfile
ROOT.gInterpreter.Declare('''
void append_ntuple(TFile &file, const char *name) {
  auto model = ROOT::RNTupleModel::Create();
  auto x = model->MakeField<std::int32_t>("x");
  auto writer = ROOT::RNTupleWriter::Append(std::move(model), name, file);
  for (*x = 0; *x < 10; ++*x) writer->Fill();
}
std::vector<std::int32_t> values_of(const char *path, const char *name) {
  auto reader = ROOT::RNTupleReader::Open(name, path);
  auto view = reader->GetView<std::int32_t>("x");
  std::vector<std::int32_t> values;
  for (auto entry : reader->GetEntryRange()) values.push_back(view(entry));
  return values;
}
''')

def check(path, firsts=(0,), second="dir/Events"):
    for name, offset in (("Events", 0), (second, 10_000)):
        expected = [first + offset + i for first in firsts for i in range(1500)]
        assert list(ROOT.values_of(path, name)) == expected, name
    file = ROOT.TFile.Open(path)
    for name, entries in (("h", 7), ("dir/h", 8), ("dir/sub/deep", 9)):
        assert file.Get(name).GetBinContent(1) == entries * len(firsts), name
        assert file.Get(name).GetTitle() == "a title"
    assert file.Get("dir").ClassName().startswith("TDirectory")
    assert [key.GetName() for key in file.Get("dir").GetListOfKeys() if key.GetName() != "Events"][:2] == ["h", "sub"]
    for key in file.Get("many").GetListOfKeys() if file.Get("many") else []:
        assert key.ReadObj().GetBinContent(1) == len(firsts)
    file.Close()

# What the functions call is compiled at their first call: here, not again in each process.
with tempfile.NamedTemporaryFile(suffix=".root") as place:
    file = ROOT.TFile.Open(place.name, "RECREATE")
    ROOT.append_ntuple(file, "x")
    file.Close()
    assert list(ROOT.values_of(place.name, "x")) == list(range(10))
"""

UPDATE = """
path = sys.argv[1]
check(path)
file = ROOT.TFile.Open(path, "UPDATE")
for directory in ("", "dir", "dir/sub"):
    target = file.GetDirectory(directory) if directory else file
    histogram = ROOT.TH1D("added", "", 3, 0, 3)
    histogram.SetDirectory(ROOT.nullptr)
    histogram.Fill(1.5, len(directory) + 1)
    target.WriteObject(histogram, "added")
file.mkdir("new").WriteObject(ROOT.TNamed("inside", ""), "inside")
ROOT.append_ntuple(file, "more")
file.Close()

file = ROOT.TFile.Open(path)
for directory in ("", "dir", "dir/sub"):
    assert file.Get((directory + "/added").lstrip("/")).GetBinContent(2) == len(directory) + 1
assert file.Get("new/inside").GetName() == "inside"
file.Close()
assert list(ROOT.values_of(path, "more")) == list(range(10))

file = ROOT.TFile.Open(path, "UPDATE")
file.Delete("added;*")
file.Close()
assert not ROOT.TFile.Open(path).GetKey("added")
check(path)
"""

MERGE = """
merger = ROOT.TFileMerger(False)
merger.OutputFile(sys.argv[1], "RECREATE")
for path in sys.argv[2:]:
    assert merger.AddFile(path)
assert merger.Merge()
check(sys.argv[1], firsts=(0, 5000), second="other")
"""


def test_records_form_a_chain_without_hole(sample: Path) -> None:
    container = Container(sample)
    assert {"Events", "h", "dir", "dir/Events", "dir/h", "dir/sub", "dir/sub/deep"} <= container.listed.keys()
    in_front = {name for name, record in container.listed.items() if record.offset < container.data()}
    assert {"Events", "dir/Events"} <= in_front


def test_lists_lie_in_front_or_behind_where_they_do_not_fit(build_folder: Path, tmp_path: Path) -> None:
    few = Container(make(build_folder, tmp_path / "few.root"))
    assert all(record.offset < few.data() for record in [*few.lists, few.records[few.free]])
    assert few.records[max(few.records)].class_name == "RBlob"
    many = Container(make(build_folder, tmp_path / "many.root", num_histograms=200))
    assert max(record.offset for record in many.lists) > many.data()


def test_equal_calls_give_equal_bytes(build_folder: Path, tmp_path: Path) -> None:
    first = make(build_folder, tmp_path / "first.root", num_histograms=30)
    second = make(build_folder, tmp_path / "second.root", num_histograms=30)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("model", ["dimuon", "dijet"])
def test_programs_outputs_keep_to_the_layout(skimline: Path, tmp_path: Path, model: str) -> None:
    path = tmp_path / "events.root"
    command = [skimline, "generate", model, "--events", "20000", "-o", path]
    subprocess.run(command, check=True, capture_output=True)
    container = Container(path)
    assert container.listed["Events"].offset < BLOCK == container.data()


def test_exact_sums_are_directly_behind_histograms(build_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "histograms.root"
    subprocess.run([build_folder / "tests" / "io" / "io_histogram_samples", path, "0"], check=True)
    with path.open("rb") as file:
        container = Container(path)
        container.file = file
        sums = [blob for blob in container.blobs() if container.holds_sums(blob)]
    histograms = [r for r in container.listed.values() if r.class_name.startswith(HISTOGRAM_CLASSES)]
    assert len(histograms) == 29
    assert {blob.offset for blob in sums} == {record.offset + record.size for record in histograms}


def test_a_file_of_few_histograms_ends_with_its_records(skimline: Path, tmp_path: Path) -> None:
    """Where no data follows, there is no room to fill."""
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["events.root:Events"]}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 100]}}},
        "output": {"histograms": "histograms.root"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    for command in (["generate", "dimuon", "--events", "1000", "-o", "events.root"], ["run", "config.json"]):
        subprocess.run([skimline, *command], check=True, capture_output=True, cwd=tmp_path)
    container = Container(tmp_path / "histograms.root")
    histograms = [name for name, record in container.listed.items() if record.class_name == "TH1D"]
    assert histograms == ["met", "skimline/cutflow/data", "skimline/weighted_cutflow/data"]
    assert len(container.blobs()) == len(histograms) + 1, "exact sums, and the seal"


def test_clusters_begin_at_blocks(sample: Path) -> None:
    with uproot.open(sample) as file:
        for name in ("Events", "dir/Events"):
            offsets = [cluster[0].pages[0].locator.offset for cluster in file[name].page_link_list]
            assert len(offsets) == 3
            assert all(offset % BLOCK == 0 for offset in offsets)


def test_clusters_of_skims_begin_at_blocks(skimline: Path, tmp_path: Path) -> None:
    path = tmp_path / "events.root"
    command = [skimline, "generate", "dijet", "--events", "1000000", "-o", path]
    subprocess.run(command, check=True, capture_output=True)
    with uproot.open(path) as file:
        clusters = file["Events"].page_link_list
        firsts = [
            min(page.locator.offset for column in cluster for page in column.pages) for cluster in clusters
        ]
    assert len(firsts) > 1
    assert all(offset % BLOCK == 0 for offset in firsts)


def test_uproot_reads_directories(sample: Path) -> None:
    with uproot.open(sample) as file:
        assert file["Events"]["x"].array().tolist() == list(range(NUM_ENTRIES))
        assert file["dir/Events"]["x"].array().tolist() == list(range(10_000, 10_000 + NUM_ENTRIES))
        assert [file[name].values()[0] for name in ("h", "dir/h", "dir/sub/deep")] == [7, 8, 9]
        assert file.keys(cycle=False)[:4] == ["Events", "h", "dir", "dir/Events"]


@pytest.mark.thorough(quick=1)
def test_uproot_updates(sample: Path, run_root: Callable[..., str]) -> None:
    with uproot.update(sample) as file:
        file["added"] = np.histogram([1.5], bins=3, range=(0, 3))
        file["dir/added"] = np.histogram([2.5], bins=3, range=(0, 3))
    with uproot.open(sample) as file:
        assert file["added"].values().tolist() == [0, 1, 0]
        assert file["dir/added"].values().tolist() == [0, 0, 1]
        assert file["dir/Events"]["x"].array()[-1] == 10_000 + NUM_ENTRIES - 1
    run_root("check(sys.argv[1])", sample)


@pytest.mark.thorough(quick=1)
def test_root_reads_and_updates_without_warning(sample: Path, run_root: Callable[..., str]) -> None:
    run_root(UPDATE, sample)


def test_root_merges(build_folder: Path, tmp_path: Path, run_root: Callable[..., str]) -> None:
    """RNTuples lie at the top: those in directories ROOT 6.40 merges wrongly, whoever wrote them."""
    first = make(build_folder, tmp_path / "first.root", second="other", num_histograms=3)
    second = make(build_folder, tmp_path / "second.root", first=5000, second="other", num_histograms=3)
    run_root(MERGE, tmp_path / "merged.root", first, second)
