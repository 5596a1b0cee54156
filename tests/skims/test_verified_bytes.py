# SPDX-License-Identifier: BSD-3-Clause
"""What a run says of the bytes that checksums prove, and what it does if there are none."""

import json
import subprocess

import numpy
import pytest
import uproot

DONE, FAILED = 0, 1
CHECKSUM = 8
CODECS = {
    "zstd": uproot.ZSTD(1),
    "lz4": uproot.LZ4(1),
    "zlib": uproot.ZLIB(1),
    "lzma": uproot.LZMA(1),
    "none": None,
}


@pytest.fixture
def job(job, tmp_path):
    """Runs a config where nothing of earlier ones is left."""

    def run(*arguments, **options):
        for pattern in ("h.root", "s.root", "c.root", "*report.json"):
            for path in tmp_path.glob(pattern):
                path.unlink()
        return job(*arguments, **options)

    return run


def config_for(*files, **more):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [str(file) for file in files]}},
        "histograms": {"h": {"x": {"value": "x", "bins": 10, "range": [0, 10]}}},
        "output": {"histograms": "h.root"},
    } | more


def write_tree(path, codec, seed=1):
    """A tree with branches `x` and `unused`, the first in two large baskets. Returns the bytes of their records."""
    values = numpy.random.default_rng(seed).integers(0, 10, 20000).astype("int32")
    with uproot.recreate(path, compression=CODECS[codec]) as file:
        tree = file.mktree("Events", {"x": "int32", "unused": "int32"})
        for part in numpy.split(values, 2):
            tree.extend({"x": part, "unused": part})
    with uproot.open(path) as file:
        return sum(map(int, file["Events"]["x"].member("fBasketBytes")))


def write_ntuple(path, seed=1):
    values = numpy.random.default_rng(seed).integers(0, 10, 20000).astype("int32")
    with uproot.recreate(path, compression=uproot.ZSTD(5)) as file:
        file.mkrntuple("Events", {"x": values, "unused": values})
    # Pages of uproot have no checksum: both columns, but the one of `x` alone is read.
    pages = uproot.open(path)["Events"].page_link_list[0][0].pages
    return sum(page.locator.num_bytes for page in pages)


def read_of(job, tmp_path, config, *arguments):
    done = job(config, *arguments)
    assert done.returncode == DONE, done.stderr
    report = json.loads(next(tmp_path.glob("*report.json")).read_text())
    return report["read"], report["warnings"], done


@pytest.mark.parametrize("codec", CODECS)
def test_baskets_that_their_compression_proves(job, tmp_path, codec):
    size = write_tree(tmp_path / "t.root", codec)
    for threads in (1, 3):
        read, warnings, done = read_of(job, tmp_path, config_for(tmp_path / "t.root"), "-j", threads)
        is_proven = codec in ("lz4", "zlib", "lzma")
        assert read["bytes_verified"] == (size if is_proven else 0)
        assert read["bytes_unverified"] == (0 if is_proven else size)
        assert warnings == []
        assert ("have none" in done.stdout) != is_proven


def test_pages_of_ours_are_all_verified(job, call, tmp_path):
    """Decoded ones, and those that a skim copies; each counts once, with its checksum."""
    assert call("generate", "dimuon", "--events", "30000", "-o", tmp_path / "d.root").returncode == DONE
    histograms = {"h": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 10]}}}
    skims = {"s": {"file": "s.root", "keep": ["MET_pt", "MET_phi"]}}
    config = config_for(tmp_path / "d.root", histograms=histograms, skims=skims)
    ntuple = uproot.open(tmp_path / "d.root")["Events"]
    fields = [field.field_name for field in ntuple.field_records]
    pages = {
        page.locator.offset: page.locator.num_bytes + CHECKSUM
        for cluster in ntuple.page_link_list
        for column, each in zip(ntuple.column_records, cluster, strict=True)
        if fields[column.field_id] in ("MET_pt", "MET_phi")
        for page in each.pages
    }
    first, _, done = read_of(job, tmp_path, config, "-j", 1)
    assert (first["bytes_verified"], first["bytes_unverified"]) == (sum(pages.values()), 0)
    assert "by checksums" in done.stdout
    assert "have none" not in done.stdout
    again, _, _ = read_of(job, tmp_path, config, "-j", 3)
    assert again == first | {"requests": again["requests"]}


def test_pages_without_checksums_are_warned_of_once(job, tmp_path):
    files = [tmp_path / f"n{number}.root" for number in range(7)]
    size = sum(write_ntuple(file, seed) for seed, file in enumerate(files))
    read, warnings, done = read_of(job, tmp_path, config_for(*files))
    assert (read["bytes_verified"], read["bytes_unverified"]) == (0, size)
    (warning,) = warnings
    assert '7 files of the sample "data" have RNTuple pages without checksums' in warning
    assert warning.endswith("and 2 more") or "n4.root" in warning
    assert done.unfiltered.count("without checksums") == 1


def test_what_must_have_a_checksum(job, call, tmp_path):
    write_ntuple(tmp_path / "n.root")
    write_tree(tmp_path / "t.root", "zstd")
    write_tree(tmp_path / "lz4.root", "lz4")
    assert call("generate", "dimuon", "--events", "1000", "-o", tmp_path / "sound.root").returncode == DONE
    sound = config_for(
        tmp_path / "sound.root", histograms={}, select=[{"name": "two", "where": "nMuon == 2"}]
    )
    del sound["histograms"], sound["output"]
    assert job(sound, "--require-checksums").returncode == DONE
    # uproot does not compress the record of the tree itself.
    places = {
        "n.root": 'column "x", cluster 0',
        "t.root": 'TTree "Events"',
        "lz4.root": 'record of the TTree "Events"',
    }
    for name, place in places.items():
        config = config_for(tmp_path / name, require_checksums=True, on_bad_file="skip", max_bad_fraction=1)
        done = job(config)
        assert done.returncode == FAILED
        assert name in done.stderr
        assert place in done.stderr
        assert "has no checksum" in done.stderr
        assert not (tmp_path / "h.root").exists()
        done = call("convert", "--require-checksums", tmp_path / name, "-o", tmp_path / "c.root")
        assert done.returncode == FAILED
        assert "has no checksum" in done.stderr
        assert not (tmp_path / "c.root").exists()


def test_skims_do_not_copy_what_must_have_a_checksum(job, tmp_path):
    """Pages that are copied as they are stored are not decompressed, whatever their compression has."""
    write_ntuple(tmp_path / "n.root")
    config = config_for(tmp_path / "n.root", skims={"s": {"file": "s.root", "keep": ["unused"]}})
    del config["histograms"], config["output"]
    assert job(config).returncode == DONE
    done = job(config, "--require-checksums")
    assert done.returncode == FAILED
    assert 'column "unused"' in done.stderr
    assert not (tmp_path / "s.root").exists()


def test_python(skimline, tmp_path, build_folder):
    write_ntuple(tmp_path / "n.root")
    script = """
import sys
import skimline as sk, skimline.files
item, = skimline.files.verify(sys.argv[1]).items
assert item.sound and item.unverified == item.parts > 0 and item.bytes_unverified == item.bytes
h = sk.open(sys.argv[1], require_checksums=True).hist("x", name="h", bins=10, range=(0, 10))
try:
    sk.run(h)
except sk.FileError as error:
    assert error.fault == "unverified", error.fault
"""
    import os
    import sys

    environment = os.environ | {"PYTHONPATH": str(build_folder / "python")}
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "n.root"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
