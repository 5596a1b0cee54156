# SPDX-License-Identifier: BSD-3-Clause
"""`skimline verify` finds every changed byte of every page, and nothing in files that are as they were written."""

import json
import random
import re
import subprocess

import pytest
import uproot
from written_inputs import COMPRESSIONS


def verify(skimline, *paths):
    return subprocess.run([skimline, "verify", *paths], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def sample(generate, tmp_path_factory):
    return generate("dimuon", tmp_path_factory.mktemp("verify") / "sample.root", 20000)


def test_sound_files(skimline, sample):
    done = verify(skimline, sample)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r'sound +.*sample\.root: RNTuple "Events", \d+ pages, .*\n', done.stdout)


def test_files_made_by_others(skimline, shared_data):
    """All RNTuples there are sound; uproot is asked how many a file holds."""
    for path in sorted(shared_data.glob("*rntuple*.root")):
        done = verify(skimline, path)
        assert done.returncode == 0, done.stdout
        anchors = [name for name, kind in uproot.open(path).classnames().items() if kind == "ROOT::RNTuple"]
        assert done.stdout.count("sound") == len(set(anchors)), path


def page_places(path):
    """Offset, size and column of every page, as uproot sees them."""
    for cluster in uproot.open(path)["Events"].page_link_list:
        for column, pages in enumerate(cluster):
            for page in pages.pages:
                yield page.locator.offset, page.locator.num_bytes, column


def test_every_changed_byte_of_a_page_is_found(skimline, sample, tmp_path):
    content = sample.read_bytes()
    ntuple = uproot.open(sample)["Events"]
    places = list(page_places(sample))
    assert len(places) > 30
    generator = random.Random(3)
    for trial in range(40):
        offset, size, column = generator.choice(places)
        place = offset + generator.randrange(size)
        damaged = bytearray(content)
        damaged[place] ^= 1 << generator.randrange(8)
        path = tmp_path / f"damaged{trial}.root"
        path.write_bytes(damaged)
        done = verify(skimline, path)
        assert done.returncode == 1
        assert f"page at byte {offset}: checksum is wrong" in done.stdout
        # Pages that columns share are reported for the first of them.
        sharing = {c for o, _, c in places if o == offset}
        assert column in sharing
        fields = ntuple.field_records
        names = {fields[ntuple.column_records[c].field_id].field_name for c in sharing}
        named = re.search(r'column "([^"]+)"', done.stdout).group(1)
        assert named.split(".")[0] in names or named.split(".")[-1] in names


def test_damaged_metadata_and_other_files_are_named_and_the_rest_verified(skimline, sample, tmp_path):
    content = sample.read_bytes()
    cut = tmp_path / "cut.root"
    cut.write_bytes(content[: len(content) // 2])
    text = tmp_path / "text.root"
    text.write_text("no ROOT file")
    done = verify(skimline, cut, text, tmp_path / "missing.root", sample)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["failed", "failed", "failed", "sound"]
    for line, name in zip(lines, ("cut.root", "text.root", "missing.root", "sample.root"), strict=True):
        assert name in line


def test_pages_without_checksums_are_counted(skimline, tmp_path):
    """uproot writes pages without checksums: they can only be decompressed."""
    path = tmp_path / "by_uproot.root"
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", {"x": [1.0, 2.0, 3.0]})
    done = verify(skimline, path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("readable ")
    pages = [size for _, size, _ in page_places(path)]
    unverified = re.search(r"not verified, as they have no checksum: (\d+) pages?, (\d+) B\n", done.stdout)
    assert unverified.groups() == (str(len(pages)), str(sum(pages)))


@pytest.mark.parametrize(
    ("codec", "is_proven"), [("zstd", False), ("lz4", True), ("zlib", True), ("lzma", True)]
)
def test_compressions_that_have_checksums_count(skimline, tmp_path, codec, is_proven):
    """Of a tree with one large basket, whose record is as large as uproot says."""
    path = tmp_path / "tree.root"
    with uproot.recreate(path, compression=COMPRESSIONS[codec]) as file:
        file.mktree("Events", {"x": "int32"}).extend({"x": [5] * 10000})
    with uproot.open(path) as file:
        (size,) = [int(each) for each in file["Events"]["x"].member("fBasketBytes") if each]
    done = verify(skimline, path)
    assert done.returncode == 0
    assert done.stdout.startswith("readable ")
    assert f", 1 basket, {size} B" in done.stdout
    assert (f"not verified, as they have no checksum: 1 basket, {size} B;" in done.stdout) != is_proven


def test_a_uuid_that_differs_between_its_places(skimline, sample, tmp_path):
    """In the header and in the directory, of files with events and with histograms."""
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [str(sample)]}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    subprocess.run([skimline, "run", "a.json"], cwd=tmp_path, check=True, capture_output=True)
    damaged = tmp_path / "damaged.root"
    (tmp_path / "b.json").write_text(json.dumps(config | {"samples": {"data": {"files": [str(damaged)]}}}))
    for whole, commands in (
        (sample, (["verify", damaged], ["inspect", damaged], ["run", "-f", "b.json"])),
        (tmp_path / "h.root", (["merge", tmp_path / "m.root", damaged], ["verify", damaged])),
    ):
        content = whole.read_bytes()
        uuid = uproot.open(whole).file.uuid.bytes
        places = [found.start() for found in re.finditer(re.escape(uuid), content)]
        assert len(places) == 2
        for place in places:
            changed = bytearray(content)
            changed[place + 3] ^= 4
            damaged.write_bytes(changed)
            for command in commands:
                done = subprocess.run(
                    [skimline, *command], cwd=tmp_path, capture_output=True, text=True, check=False
                )
                assert done.returncode == 1, command
                assert re.search("its UUID is|checksum", done.stdout + done.stderr)
                assert str(damaged) in done.stdout + done.stderr
