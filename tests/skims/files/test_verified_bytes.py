# SPDX-License-Identifier: BSD-3-Clause
"""What a run says of the bytes that checksums prove, and what it does if there are none."""

import json
import subprocess

import numpy
import pytest
import uproot
from exit_codes import DONE, FAILED
from histogram_events import histogram_config
from written_inputs import COMPRESSIONS

CHECKSUM = 8
CODECS = COMPRESSIONS | {"none": None}


def config_for(*files, **more):
    histograms = {"h": {"x": {"value": "x", "bins": 10, "range": [0, 10]}}}
    return histogram_config(files, histograms, "h.root") | more


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


def read_of(fresh_job, tmp_path, config, *arguments):
    done = fresh_job(config, *arguments)
    assert done.returncode == DONE, done.stderr
    report = json.loads(next(tmp_path.glob("*report.json")).read_text())
    return report["read"], report["warnings"], done


@pytest.mark.parametrize("codec", CODECS)
def test_baskets_that_their_compression_proves(fresh_job, tmp_path, codec):
    size = write_tree(tmp_path / "t.root", codec)
    for threads in (1, 3):
        read, warnings, done = read_of(fresh_job, tmp_path, config_for(tmp_path / "t.root"), "-j", threads)
        is_proven = codec in ("lz4", "zlib", "lzma")
        assert read["bytes_verified"] == (size if is_proven else 0)
        assert read["bytes_unverified"] == (0 if is_proven else size)
        assert warnings == []
        assert ("have none" in done.stdout) != is_proven


def test_pages_of_ours_are_all_verified(fresh_job, generate, pages_of, tmp_path):
    """Decoded ones, and those that a skim copies; each counts once, with its checksum."""
    generate("dimuon", tmp_path / "d.root", 30000)
    histograms = {"h": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 10]}}}
    skims = {"s": {"file": "s.root", "keep": ["MET_pt", "MET_phi"]}}
    config = config_for(tmp_path / "d.root", histograms=histograms, skims=skims)
    pages = pages_of(tmp_path / "d.root", "MET_pt", "MET_phi").values()
    size = sum(stored + CHECKSUM for _, stored in pages)
    first, _, done = read_of(fresh_job, tmp_path, config, "-j", 1)
    assert (first["bytes_verified"], first["bytes_unverified"]) == (size, 0)
    assert "by checksums" in done.stdout
    assert "have none" not in done.stdout
    again, _, _ = read_of(fresh_job, tmp_path, config, "-j", 3)
    assert again == first | {"requests": again["requests"]}


def test_pages_without_checksums_are_warned_of_once(fresh_job, tmp_path):
    files = [tmp_path / f"n{number}.root" for number in range(7)]
    size = sum(write_ntuple(file, seed) for seed, file in enumerate(files))
    read, warnings, done = read_of(fresh_job, tmp_path, config_for(*files))
    assert (read["bytes_verified"], read["bytes_unverified"]) == (0, size)
    (warning,) = warnings
    assert '7 files of the sample "data" have RNTuple pages without checksums' in warning
    assert warning.endswith("and 2 more") or "n4.root" in warning
    assert done.unfiltered.count("without checksums") == 1


def test_what_must_have_a_checksum(fresh_job, call, generate, tmp_path):
    write_ntuple(tmp_path / "n.root")
    write_tree(tmp_path / "t.root", "zstd")
    write_tree(tmp_path / "lz4.root", "lz4")
    generate("dimuon", tmp_path / "sound.root", 1000)
    sound = config_for(
        tmp_path / "sound.root", histograms={}, select=[{"name": "two", "where": "nMuon == 2"}]
    )
    del sound["histograms"], sound["output"]
    assert fresh_job(sound, "--require-checksums").returncode == DONE
    # uproot does not compress the record of the tree itself.
    places = {
        "n.root": 'column "x", cluster 0',
        "t.root": 'TTree "Events"',
        "lz4.root": 'record of the TTree "Events"',
    }
    for name, place in places.items():
        config = config_for(tmp_path / name, require_checksums=True, on_bad_file="skip", max_bad_fraction=1)
        done = fresh_job(config)
        assert done.returncode == FAILED
        assert name in done.stderr
        assert place in done.stderr
        assert "has no checksum" in done.stderr
        assert not (tmp_path / "h.root").exists()
        done = call("convert", "--require-checksums", tmp_path / name, "-o", tmp_path / "c.root")
        assert done.returncode == FAILED
        assert "has no checksum" in done.stderr
        assert not (tmp_path / "c.root").exists()


def test_skims_do_not_copy_what_must_have_a_checksum(fresh_job, tmp_path):
    """Pages that are copied as they are stored are not decompressed, whatever their compression has."""
    write_ntuple(tmp_path / "n.root")
    config = config_for(tmp_path / "n.root", skims={"s": {"file": "s.root", "keep": ["unused"]}})
    del config["histograms"], config["output"]
    assert fresh_job(config).returncode == DONE
    done = fresh_job(config, "--require-checksums")
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
