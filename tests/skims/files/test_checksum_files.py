# SPDX-License-Identifier: BSD-3-Clause
"""Files of checksums beside files that have none: written by `skimline verify`, compared by all that reads."""

import json
import os
import random

import numpy
import pytest
import uproot
import xxhash
from exit_codes import DONE, FAILED, INCOMPLETE
from histogram_events import histogram_config


def write(path, kind, seed=1):
    generator = numpy.random.default_rng(seed)
    columns = {
        "x": numpy.round(generator.normal(size=3000), 1).astype("float32"),
        "n": numpy.arange(3000, dtype="int32"),
    }
    with uproot.recreate(path, compression=uproot.ZSTD(1)) as file:
        if kind == "ntuple":
            file.mkrntuple("Events", columns)
        else:
            tree = file.mktree("Events", {"x": "float32", "n": "int32"})
            for part in range(3):
                tree.extend(
                    {name: values[part * 1000 : (part + 1) * 1000] for name, values in columns.items()}
                )
    return path


def records_of(path, kind):
    """Where the records lie that hold the values, as uproot sees them."""
    with uproot.open(path) as file:
        events = file["Events"]
        if kind == "ntuple":
            pages = [
                page.locator
                for cluster in events.page_link_list
                for column in cluster
                for page in column.pages
            ]
            return {page.offset: page.num_bytes for page in pages}
        return {
            int(seek): int(size)
            for branch in events.branches
            for seek, size in zip(branch.member("fBasketSeek"), branch.member("fBasketBytes"), strict=True)
            if seek
        }


def config_for(path, **more):
    histograms = {"x": {"x": {"value": "x * n", "bins": 50, "range": [-4, 4]}}}
    return histogram_config([path], histograms, "h.root") | more


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
def test_what_is_written_and_compared(call, fresh_job, tmp_path, kind):
    path = write(tmp_path / "data.root", kind)
    assert call("verify", path).stdout.startswith("readable")
    done = call("verify", "--write-checksums", path)
    assert done.returncode == DONE, done.stdout + done.stderr
    side = tmp_path / "data.root.checksums"
    assert f"written  {side}" in done.stdout
    content = path.read_bytes()
    lines = [line.split() for line in side.read_text().splitlines()[2:-1]]
    hashes = {int(offset): (int(size), value) for offset, size, value in lines}
    for offset, size in records_of(path, kind).items():
        assert hashes[offset] == (size, xxhash.xxh3_64_hexdigest(content[offset : offset + size]))
    # Again changes nothing; what is proven now is sound.
    before = side.stat()
    done = call("verify", "--write-checksums", path)
    assert done.returncode == DONE
    assert done.stdout.startswith("sound")
    assert (side.stat().st_ino, side.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    # A run counts all as verified, warns of nothing, and has what it must.
    done = fresh_job(config_for(path), "--require-checksums")
    assert (done.returncode, done.stderr) == (DONE, "")
    read = json.loads(next(tmp_path.glob("*report.json")).read_text())["read"]
    assert (read["bytes_verified"], read["bytes_unverified"]) == (sum(records_of(path, kind).values()), 0)


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
def test_every_flip_is_found(call, fresh_job, tmp_path, kind):
    path = write(tmp_path / "data.root", kind)
    assert call("verify", "--write-checksums", path).returncode == DONE
    whole = path.read_bytes()
    generator = random.Random(kind)
    records = list(records_of(path, kind).items())
    for trial in range(12):
        offset, size = generator.choice(records)
        damaged = bytearray(whole)
        damaged[offset + generator.randrange(size)] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        done = call("verify", path)
        assert done.returncode == FAILED
        assert "checksum is wrong" in done.stdout
        assert f"at byte {offset}" in done.stdout
        if trial >= 3:
            continue
        done = fresh_job(config_for(path))
        assert done.returncode == FAILED
        assert "checksum is wrong" in done.stderr
        assert call("convert", path, "-o", tmp_path / "c.root").returncode == FAILED
        # The policy for damaged files applies.
        write(tmp_path / "sound.root", kind, seed=2)
        config = config_for(path, on_bad_file="skip", max_bad_fraction=0.5)
        config["samples"]["data"]["files"].append(str(tmp_path / "sound.root"))
        assert fresh_job(config).returncode == INCOMPLETE


def test_flips_anywhere_in_a_tree_file_change_nothing_silently(call, fresh_job, tmp_path):
    path = write(tmp_path / "data.root", "tree")
    assert call("verify", "--write-checksums", path).returncode == DONE
    assert fresh_job(config_for(path)).returncode == DONE
    expected = uproot.open(tmp_path / "h.root")["x"].values(flow=True).tolist()
    whole = path.read_bytes()
    generator = random.Random(5)
    for _ in range(25):
        damaged = bytearray(whole)
        damaged[generator.randrange(len(whole))] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        if fresh_job(config_for(path)).returncode == DONE:
            assert uproot.open(tmp_path / "h.root")["x"].values(flow=True).tolist() == expected


def test_those_of_another_file_are_an_error(call, fresh_job, tmp_path):
    first, other = write(tmp_path / "a.root", "tree"), write(tmp_path / "b.root", "tree", seed=2)
    assert call("verify", "--write-checksums", first).returncode == DONE
    (tmp_path / "a.root.checksums").rename(tmp_path / "b.root.checksums")
    for done in (
        fresh_job(config_for(other, on_bad_file="skip", max_bad_fraction=1)),
        call("convert", other, "-o", tmp_path / "c.root"),
    ):
        assert done.returncode == FAILED
        assert "b.root.checksums: has the checksums of another file" in done.stderr
    done = call("verify", "--write-checksums", other)
    assert done.returncode == FAILED
    assert "another file" in done.stdout
    # A file that was added to is another one.
    assert call("verify", "--write-checksums", first).returncode == DONE
    with uproot.update(first) as file:
        file["h"] = numpy.histogram([1, 2, 3])
    assert "has the checksums of another file" in fresh_job(config_for(first)).stderr


def test_nothing_of_others_is_replaced(call, tmp_path):
    path = write(tmp_path / "data.root", "tree")
    side = tmp_path / "data.root.checksums"
    side.write_text("my notes\n")
    done = call("verify", "--write-checksums", path)
    assert done.returncode == FAILED
    assert side.read_text() == "my notes\n"
    side.unlink()
    side.symlink_to(tmp_path / "elsewhere")
    assert call("verify", "--write-checksums", path).returncode == FAILED
    assert not (tmp_path / "elsewhere").exists()
    side.unlink()
    # Checksums of what is damaged would make it sound.
    content = bytearray(path.read_bytes())
    offset, size = next(iter(records_of(path, "tree").items()))
    content[offset + 80 : offset + size] = bytes(size - 80)
    path.write_bytes(content)
    done = call("verify", "--write-checksums", path)
    assert done.returncode == FAILED
    assert "is not written" in done.stdout
    assert not side.exists()


def test_hostile_files_of_checksums(call, tmp_path):
    path = write(tmp_path / "data.root", "tree")
    assert call("verify", "--write-checksums", path).returncode == DONE
    side = tmp_path / "data.root.checksums"
    whole = side.read_bytes()
    body = whole[: whole.rindex(b"end ")]
    first, line = body.index(b"\n", body.index(b"file ")) + 1, body.splitlines()[2]

    def sealed(text):
        return text + b"end " + xxhash.xxh3_64_hexdigest(text).encode() + b"\n"

    assert sealed(body) == whole
    hostile = [
        b"", b"\n", b"skimline checksums 1\n", whole[:-1], whole + b"\n", whole[:200], b"x" * 10_000_000,
        sealed(b"skimline checksums 1\n"), sealed(b"skimline checksums 2\n" + body[21:]), sealed(body[:first]),
        sealed(body + line + b"\n"), sealed(body + b"18446744073709551615 18446744073709551615 0\n"),
        sealed(body + b"99999999999999999999999999 1 0\n"), sealed(body + b"-1 1 0\n"), sealed(body + b"7"),
        sealed(body + b"1 2 " + b"0" * 5000 + b"\n"), sealed(body.replace(b" ", b"  ")), bytes(range(256)) * 10,
    ]  # fmt: skip
    for content in hostile:
        side.write_bytes(content)
        done = call("verify", path)
        assert done.returncode == FAILED, content[:100]
        assert "data.root.checksums" in done.stdout
    side.unlink()
    os.mkfifo(side)
    assert call("verify", path).returncode == FAILED
    side.unlink()
    side.mkdir()
    assert call("verify", path).returncode == FAILED


def test_a_folder_of_their_own(call, fresh_job, tmp_path):
    path = write(tmp_path / "data.root", "tree")
    folder = tmp_path / "sums"
    folder.mkdir()
    done = call("verify", "--write-checksums", "--checksum-folder", folder, path)
    assert done.returncode == DONE, done.stdout
    assert os.listdir(folder) == ["data.root.checksums"]
    assert not (tmp_path / "data.root.checksums").exists()
    assert call("verify", "--checksum-folder", folder, path).stdout.startswith("sound")
    assert call("verify", path).stdout.startswith("readable")
    assert fresh_job(config_for(path), "--require-checksums").returncode == FAILED
    assert fresh_job(config_for(path, checksum_folder="sums"), "--require-checksums").returncode == DONE
    target = tmp_path / "c.root"
    assert (
        call("convert", "--require-checksums", "--checksum-folder", folder, path, "-o", target).returncode
        == DONE
    )
