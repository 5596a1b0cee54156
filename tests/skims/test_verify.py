# SPDX-License-Identifier: BSD-3-Clause
"""`skimline verify` finds every changed byte of every page, and nothing in files that are as they were written."""

import random
import re
import subprocess

import pytest
import uproot


def verify(skimline, *paths):
    return subprocess.run([skimline, "verify", *paths], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def sample(skimline, tmp_path_factory):
    path = tmp_path_factory.mktemp("verify") / "sample.root"
    subprocess.run(
        [skimline, "generate", "dimuon", "--events", "20000", "-o", path], check=True, capture_output=True
    )
    return path


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
    assert "pages without a checksum" in done.stdout
