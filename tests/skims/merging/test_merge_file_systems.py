# SPDX-License-Identifier: BSD-3-Clause
"""Merges on file systems that share blocks, XFS and Btrfs on loop devices made here, and on others that do not."""

import array
import fcntl
import json
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest
import ROOT
from exit_codes import DONE, WRONG_USAGE
from page_bytes import byte_of_page

SHARED = 0x2000  # FIEMAP_EXTENT_SHARED
FIEMAP = 0xC020660B


def shared_bytes(path):
    """Bytes of a file that lie in extents which the file system shares between files, as FIEMAP tells."""
    count = 512
    buffer = array.array("B", struct.pack("=QQLLLL", 0, 2**63, 1, 0, count, 0) + bytes(56 * count))
    with path.open("rb") as file:
        fcntl.ioctl(file, FIEMAP, buffer)
    mapped = struct.unpack_from("=L", buffer, 20)[0]
    extents = (struct.unpack_from("=QQQQQLLLL", buffer, 32 + 56 * number) for number in range(mapped))
    return sum(extent[2] for extent in extents if extent[5] & SHARED)


@pytest.fixture(scope="module", params=["xfs", "btrfs"])
def disk(request, tmp_path_factory):
    """The folder of a new file system."""
    make = shutil.which(f"mkfs.{request.param}", path="/usr/sbin:/sbin:/usr/bin")
    if make is None:
        pytest.skip(f"needs mkfs.{request.param}")
    folder = tmp_path_factory.mktemp(request.param)
    image, mount = folder / "image", folder / "mount"
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(400 << 20)
    subprocess.run([make, "-q", image], check=True, capture_output=True)
    done = subprocess.run(["mount", "-o", "loop", image, mount], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"cannot mount: {done.stderr}")
    yield mount
    subprocess.run(["umount", mount], check=True)


@pytest.fixture(scope="module")
def parts(generate, run_in, call, tmp_path_factory):
    """A skim in three shards."""
    folder = tmp_path_factory.mktemp("parts")
    generate("dimuon", folder / "in.root", 60000)
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "skims": {"s": {"file": "s.root", "cluster_size": "1 MiB"}},
    }
    assert run_in(folder, config).returncode == DONE
    for number in (1, 2, 3):
        assert call("run", "--shard", f"{number}/3", "a.json", cwd=folder).returncode == DONE
    return [folder / f"s.shard{number}of3.root" for number in (1, 2, 3)]


def copied_to(folder, parts):
    paths = [Path(shutil.copy(part, folder / part.name)) for part in parts]
    subprocess.run(["sync", "-f", folder], check=True)
    return paths


def merged(call, *arguments):
    done = call("merge", "-f", "--json", *arguments)
    assert done.returncode == DONE, done.stderr
    return json.loads(done.stdout)["ntuples"][0]["methods"]


def test_clusters_are_shared(call, disk, parts, tmp_path):
    """By the file system's own word; the bytes are those of a copy, and stay when the sources go."""
    sources = copied_to(disk, parts)
    assert list(merged(call, "--method", "copy", tmp_path / "m.root", *parts)) == ["copy"]
    methods = merged(call, "--cluster-size", "0", disk / "m.root", *sources)
    assert list(methods) == ["clone"]
    subprocess.run(["sync", "-f", disk], check=True)
    clusters, num_bytes = methods["clone"]["clusters"], methods["clone"]["bytes"]
    assert num_bytes - 2 * 4096 * clusters < shared_bytes(disk / "m.root") <= num_bytes
    for source in sources:
        source.unlink()
    assert (disk / "m.root").read_bytes() == (tmp_path / "m.root").read_bytes()
    assert call("verify", disk / "m.root").returncode == DONE


def test_merged_files_are_shared_again(call, disk, parts):
    sources = copied_to(disk, parts)
    clone = ["--method", "clone"]
    merged(call, *clone, disk / "all.root", *sources)
    assert call("merge", "-f", *clone, "--incomplete", disk / "1.root", *sources[1:]).returncode == 3
    assert list(merged(call, *clone, disk / "2.root", disk / "1.root", sources[0])) == ["clone"]
    assert (disk / "2.root").read_bytes() != b""
    assert call("verify", disk / "2.root").returncode == DONE


def test_files_of_root_are_shared(call, disk):
    """Their pages begin anywhere in a block, and so do those of the output."""
    for seed in (1, 2):
        options = ROOT.RDF.RSnapshotOptions()
        options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kRNTuple
        ROOT.gRandom.SetSeed(seed)
        frame = ROOT.RDataFrame(100000).Define("x", "gRandom->Gaus()")
        frame.Snapshot("Events", str(disk / f"root{seed}.root"), ["x"], options)
    sources = [disk / "root1.root", disk / "root2.root"]
    subprocess.run(["sync", "-f", disk], check=True)
    methods = merged(call, "--method", "clone", disk / "r.root", *sources)
    assert list(methods) == ["clone"]
    assert shared_bytes(disk / "r.root") > 0.9 * methods["clone"]["bytes"]
    found = ROOT.RDataFrame("Events", str(disk / "r.root")).AsNumpy(["x"])["x"]
    expected = [ROOT.RDataFrame("Events", str(path)).AsNumpy(["x"])["x"] for path in sources]
    assert [*found] == [*expected[0], *expected[1]]


def test_damage_in_shared_clusters_is_found_on_request(call, disk, parts):
    sources = copied_to(disk, parts)
    content = bytearray(sources[1].read_bytes())
    content[byte_of_page(content)] ^= 1
    sources[1].write_bytes(content)
    done = call("merge", "-f", "--method", "clone", "--verify", disk / "d.root", *sources)
    assert done.returncode == 1
    assert "checksum is wrong" in done.stderr
    done = call("merge", "-f", "--method", "clone", disk / "d.root", *sources)
    assert "checksums carried along" in done.stdout
    assert call("verify", disk / "d.root").returncode == 1


def test_other_file_systems_copy(call, parts, tmp_path):
    shm = Path("/dev/shm")
    if not shm.is_dir():
        pytest.skip("needs a tmpfs")
    with tempfile.TemporaryDirectory(dir=shm) as folder:
        for target in (tmp_path, Path(folder)):
            sources = copied_to(target, parts)
            if list(merged(call, "--cluster-size", "0", target / "m.root", *sources)) == ["clone"]:
                pytest.skip("the folder of the tests is on a file system that shares blocks")
            assert list(merged(call, "--method", "kernel", target / "k.root", *sources)) == ["kernel"]
            assert (target / "k.root").read_bytes() == (target / "m.root").read_bytes()
            done = call("merge", "--method", "clone", target / "c.root", *sources)
            assert done.returncode == WRONG_USAGE
            assert "cannot share blocks" in done.stderr
