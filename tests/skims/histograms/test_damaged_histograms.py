# SPDX-License-Identifier: BSD-3-Clause
"""Files of histograms that are not what Skimline wrote: damaged by a bit, or changed by another program."""

import json
import random
import shutil

import pytest
import ROOT
import uproot
import xxhash

CONFIG = {
    "schema_version": 1,
    "regions": {"two": {"where": "nMuon == 2"}},
    "histograms": {
        "met": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 100]}, "weight": "genWeight"},
        "muons": {"x": {"value": "nMuon", "integers": [0, 5]}, "regions": ["two"]},
        "profile": {
            "x": {"value": "Muon_eta", "bins": 10, "range": [-2.5, 2.5]},
            "profile": {"value": "Muon_pt"},
        },
        "growing": {"x": {"value": "int(MET_pt / 20)", "categories": [], "growing": True}},
    },
}
SEAL_POINTER = slice(84, 100)


@pytest.fixture(scope="module")
def folder(call, generate, run_in, tmp_path_factory):
    """Two files of histograms, 1.root and 2.root, and right.root, their sum; a skim as a TTree."""
    folder = tmp_path_factory.mktemp("histograms")
    for number in (1, 2):
        events = f"events{number}.root"
        generate("dimuon", folder / events, 1000, "--seed", number)
        config = CONFIG | {
            "samples": {"s": {"files": [events]}},
            "output": {"histograms": f"{number}.root"},
            "skims": {"s": {"file": f"tree{number}.root", "format": "ttree", "keep": ["MET_pt", "nMuon"]}},
        }
        done = run_in(folder, config)
        assert done.returncode == 0, done.stderr
    done = call("merge", "right.root", "1.root", "2.root", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def merge(call, folder, tmp_path, content, *options):
    """Merges 2.root with a file of these bytes in front."""
    (tmp_path / "bad.root").write_bytes(content)
    (tmp_path / "sum.root").unlink(missing_ok=True)
    return call("merge", *options, "sum.root", "bad.root", folder / "2.root", cwd=tmp_path)


def flipped(content, place, bit):
    damaged = bytearray(content)
    damaged[place] ^= 1 << bit
    return bytes(damaged)


def sealed_records(content):
    """Offset, size and size behind of what has a checksum in the file, the header among them."""
    first, size = (int.from_bytes(content[at : at + 8], "little") for at in (84, 92))
    seal = content[first + 42 : first + size]
    assert seal[:8] == b"skl-seal"
    for at in range(24, len(seal) - 8, 24):
        yield tuple(
            int.from_bytes(seal[at + begin : at + end], "little")
            for begin, end in ((0, 8), (8, 12), (12, 16))
        )


def without_seal(content):
    """The file as earlier versions wrote it: only histograms have checksums."""
    older = bytearray(content)
    older[SEAL_POINTER] = bytes(16)
    return bytes(older)


def places(content, generator, count):
    """So many bytes of each record, whatever its size: those of the seal and of exact sums too."""
    for offset, size, behind in sealed_records(content):
        for _ in range(count):
            yield generator.randrange(offset, offset + size)
        if behind:
            yield generator.randrange(offset + size, offset + size + behind)
    first, size = (int.from_bytes(content[at : at + 8], "little") for at in (84, 92))
    yield from (generator.randrange(first, first + size) for _ in range(count))


def test_a_flipped_bit_is_reported_or_changes_nothing(call, folder, tmp_path):
    """In key lists, directories, keys, objects, exact sums, the record of the run, StreamerInfo and the header."""
    content = (folder / "1.root").read_bytes()
    right = (folder / "right.root").read_bytes()
    generator = random.Random("histograms")
    reported = total = 0
    for place in places(content, generator, 2):
        done = merge(call, folder, tmp_path, flipped(content, place, generator.randrange(8)))
        total += 1
        if done.returncode == 0:
            assert (tmp_path / "sum.root").read_bytes() == right, place
            continue
        assert done.returncode == 1 and "bad.root: " in done.stderr, (place, done.stderr)
        assert (
            "byte" in done.stderr or "is not a ROOT file" in done.stderr or "list of checksums" in done.stderr
        )
        reported += 1
    assert total > 40 and reported > total / 2


def key_of(content, path):
    """Begin of the key of an object's record, by its offset in the file."""
    key = uproot.open(content)[path.rpartition("/")[0] or "/"].key(path.rpartition("/")[2])
    return key.fSeekKey, key.fNbytes


def test_a_damaged_histogram_is_named(call, folder, tmp_path):
    content = (folder / "1.root").read_bytes()
    for path in ("met", "two__muons", "profile"):
        offset, size = key_of(folder / "1.root", path)
        for damaged in (content, without_seal(content)):
            done = merge(call, folder, tmp_path, flipped(damaged, offset + size - 1, 3))
            assert done.returncode == 1
            assert f'bad.root: histogram "{path}" at byte {offset}: ' in done.stderr
            assert "checksum" in done.stderr
            assert not (tmp_path / "sum.root").exists()
            left_out = merge(call, folder, tmp_path, flipped(damaged, offset + size - 1, 3), "--skip-bad")
            assert left_out.returncode == 3
            assert f'histogram "{path}" at byte {offset}' in left_out.stdout


def test_a_renamed_histogram_is_damage(call, folder, tmp_path):
    """Wherever the name stands: in the list of keys, in the key of the record, in the object."""
    content = (folder / "1.root").read_bytes()
    at, found = -1, 0
    while (at := content.find(b"\x07growing", at + 1)) >= 0:
        done = merge(call, folder, tmp_path, flipped(content, at + 1, 0))
        assert done.returncode == 1 and "checksum" in done.stderr, at
        found += 1
    assert found >= 2


def test_exact_sums_are_not_lost_without_a_word(call, folder, tmp_path):
    content = (folder / "1.root").read_bytes()
    offset, size = key_of(folder / "1.root", "met")
    for place in (offset + size + 4, offset + size + 44, offset + size + 60):
        done = merge(call, folder, tmp_path, flipped(content, place, 1))
        assert done.returncode == 1
        assert f'histogram "met" at byte {offset}: ' in done.stderr and "exact sums" in done.stderr


def test_files_of_earlier_versions_are_merged(call, folder, tmp_path):
    older = without_seal((folder / "1.root").read_bytes())
    done = merge(call, folder, tmp_path, older)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "sum.root").read_bytes() == (folder / "right.root").read_bytes()


def test_what_root_appends_is_taken(call, folder, tmp_path):
    """It has no checksum; what was not touched has its own still."""
    path = tmp_path / "edited.root"
    shutil.copy(folder / "1.root", path)
    before = uproot.open(path)["met"].values()
    file = ROOT.TFile(str(path), "update")
    histogram = file.Get("met")
    histogram.SetBinContent(3, 1000.0)
    file.WriteTObject(histogram, "met", "overwrite")
    file.Close()
    done = call("merge", "--json", "sum.root", path, folder / "2.root", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["exact"] == report["histograms"] - 1
    expected = before + uproot.open(folder / "2.root")["met"].values()
    expected[2] += 1000.0 - before[2]
    assert uproot.open(tmp_path / "sum.root")["met"].values() == pytest.approx(expected)


def test_changes_in_place_are_taken_if_allowed(call, folder, tmp_path):
    plain = call("merge", "--compression", "none", "plain.root", folder / "1.root", cwd=tmp_path)
    assert plain.returncode == 0
    content = bytearray((tmp_path / "plain.root").read_bytes())
    offset, size = key_of(tmp_path / "plain.root", "met")
    values = uproot.open(tmp_path / "plain.root")["met"].values(flow=True).astype(">f8")
    at = content.rindex(values.tobytes(), offset, offset + size) + 8 * 7
    values[7] += 1000
    content[at : at + 8] = values[7:8].tobytes()
    refused = merge(call, folder, tmp_path, content)
    assert refused.returncode == 1
    assert f'histogram "met" at byte {offset}: ' in refused.stderr
    done = merge(call, folder, tmp_path, content, "--allow-changed")
    assert done.returncode == 0, done.stderr
    assert "  changed    1 by another program, no longer exact\n" in done.stdout
    expected = values + uproot.open(folder / "2.root")["met"].values(flow=True)
    assert uproot.open(tmp_path / "sum.root")["met"].values(flow=True) == pytest.approx(expected)
    assert (
        json.loads(merge(call, folder, tmp_path, content, "--allow-changed", "--json").stdout)["changed"] == 1
    )


def test_inputs_without_checksums_can_be_refused(call, folder, tmp_path):
    with uproot.recreate(tmp_path / "theirs.root") as file:
        file["met"] = uproot.open(folder / "1.root")["met"].to_numpy()
    options = ("--require-checksums", "--include", "met")
    done = call("merge", *options, "sum.root", folder / "1.root", "theirs.root", cwd=tmp_path)
    assert done.returncode == 1
    assert "theirs.root: its histograms have no checksums, which are required" in done.stderr
    assert not (tmp_path / "sum.root").exists()
    done = call("merge", "--skip-bad", *options, "sum.root", folder / "1.root", "theirs.root", cwd=tmp_path)
    assert done.returncode == 3
    done = call(
        "merge", "--require-checksums", "both.root", folder / "1.root", folder / "2.root", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "both.root").read_bytes() == (folder / "right.root").read_bytes()
    both = call("merge", "--allow-changed", *options, "x.root", folder / "1.root", cwd=tmp_path)
    assert both.returncode == 2


def test_verify_proves_our_histograms(call, folder, tmp_path):
    done = call("verify", folder / "1.root")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith(f"sound    {folder}/1.root: 6 histograms, 1 other object, ")
    content = (folder / "1.root").read_bytes()
    generator = random.Random("verify")
    for offset, size, behind in sealed_records(content):
        for begin, end in ((offset, offset + size), (offset + size + 42, offset + size + behind)):
            if begin >= end:
                continue
            (tmp_path / "bad.root").write_bytes(flipped(content, generator.randrange(begin, end), 0))
            done = call("verify", "bad.root", cwd=tmp_path)
            assert done.returncode == 1, (offset, done.stdout)
            assert done.stdout.startswith(("damaged  bad.root: ", "failed   bad.root: ")), done.stdout


def test_verify_reads_histograms_of_others(call, tmp_path):
    file = ROOT.TFile(str(tmp_path / "theirs.root"), "recreate")
    histogram = ROOT.TH1D("h", "title", 1000, 0, 1)
    histogram.FillRandom("gaus", 1000)
    file.WriteTObject(histogram)
    file.WriteTObject(ROOT.TNamed("note", "text"))
    file.Close()
    done = call("verify", "theirs.root", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("readable theirs.root: 1 histogram, 1 other object, ")
    assert "without a checksum" in done.stdout
    content = (tmp_path / "theirs.root").read_bytes()
    offset, size = key_of(tmp_path / "theirs.root", "h")
    (tmp_path / "theirs.root").write_bytes(
        content[: offset + size - 40] + bytes(20) + content[offset + size - 20 :]
    )
    done = call("verify", "theirs.root", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        f'histogram "h" at byte {offset}: ' in done.stdout or f'object "h" at byte {offset}: ' in done.stdout
    )


def test_verify_says_all_of_a_file_with_events_and_histograms(call, folder, tmp_path):
    shutil.copy(folder / "tree1.root", tmp_path / "both.root")
    file = ROOT.TFile(str(tmp_path / "both.root"), "update")
    file.WriteTObject(ROOT.TH1D("h", "", 3, 0, 3))
    file.Close()
    done = call("verify", "both.root", folder / "1.root", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert 'TTree "Events"' in done.stdout
    assert "readable both.root: 3 histograms, " in done.stdout and "1.root: 6 histograms, " in done.stdout
    (tmp_path / "empty.root").write_bytes(b"")
    assert call("verify", "empty.root", cwd=tmp_path).returncode == 1


def test_other_records_of_a_skim_have_checksums(call, folder, tmp_path):
    """Those of a TTree and of what says how it came to be: reading it fails where they are damaged."""
    content = (folder / "tree1.root").read_bytes()
    records = list(sealed_records(content))
    assert len(records) >= 7
    config = {"schema_version": 1, "samples": {"s": {"files": ["bad.root"]}}, "output": {"histograms": "h.root"},
              "histograms": {"met": CONFIG["histograms"]["met"] | {"weight": "nMuon"}}}  # fmt: skip
    (tmp_path / "a.json").write_text(json.dumps(config))
    (tmp_path / "bad.root").write_bytes(content)
    assert call("run", "a.json", cwd=tmp_path).returncode == 0
    right = (tmp_path / "h.root").read_bytes()
    generator = random.Random("skim")
    for offset, size, _ in records:
        (tmp_path / "h.root").unlink(missing_ok=True)
        (tmp_path / "bad.root").write_bytes(flipped(content, generator.randrange(offset, offset + size), 2))
        done = call("run", "a.json", cwd=tmp_path)
        assert done.returncode == 1 or (tmp_path / "h.root").read_bytes() == right, offset
        assert call("verify", "bad.root", cwd=tmp_path).returncode == 1, offset


def test_checksums_are_those_of_the_records(folder):
    content = (folder / "1.root").read_bytes()
    first, size = (int.from_bytes(content[at : at + 8], "little") for at in (84, 92))
    seal = content[first + 42 : first + size]
    assert int.from_bytes(seal[-8:], "little") == xxhash.xxh3_64_intdigest(seal[:-8])
    for number, (offset, length, _) in enumerate(sealed_records(content)):
        at = 24 + 24 * number + 16
        assert int.from_bytes(seal[at : at + 8], "little") == xxhash.xxh3_64_intdigest(
            content[offset : offset + length]
        )
