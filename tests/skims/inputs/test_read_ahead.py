# SPDX-License-Identifier: BSD-3-Clause
"""Storage that answers late: reads are in flight together, and neither results nor messages are others."""

import json

import pytest
import uproot

CUTS = [{"name": "two muons", "where": "nMuon >= 2"}]
HISTOGRAMS = {
    "met": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 200]}},
    "pt": {"x": {"value": "Sum(Muon_pt)", "bins": 50, "range": [0, 200]}},
}
SKIM = {"keep": ["Muon_*", "Jet_pt", "MET_*"], "file": "skim.root"}
# Of a file with four slices, so many at least: reads one after the other would have one.
READS_AT_ONCE = 2


@pytest.fixture(scope="module", params=["rntuple", "ttree"])
def events(request, generate, tmp_path_factory):
    path = tmp_path_factory.mktemp("events") / f"{request.param}.root"
    return generate("adl", path, 200_000, "--format", request.param, "--compression", "zstd:1")


@pytest.fixture
def run_on(call, slow_storage, tmp_path):
    """Runs a config over files that answer after so many milliseconds; returns the run and its folder."""

    def run(name, path, milliseconds, *options, skims=False, command="run"):
        folder = tmp_path / name
        folder.mkdir()
        config = {
            "schema_version": 1,
            "samples": {"a": {"files": [str(each) for each in (path if isinstance(path, list) else [path])]}},
            "select": CUTS,
            "histograms": HISTOGRAMS,
            "output": {"histograms": "h.root"},
        }
        if skims:
            config["skims"] = {"s": SKIM}
        (folder / "c.json").write_text(json.dumps(config))
        environment = slow_storage(milliseconds, folder / "reads") if milliseconds else None
        return call(command, "c.json", *options, cwd=folder, env=environment), folder

    return run


def report(folder):
    return json.loads((folder / "c.report.json").read_text())


def waiting(folder):
    return report(folder)["waiting"]


def reads_of(folder):
    """How often the storage was asked, whoever counts that."""
    return int((folder / "reads").read_text().split()[0])


def reads_in_flight(folder):
    return int((folder / "reads").read_text().split()[1])


def reads_alone(folder):
    """How many reads began while no other was in flight: one after the other, all of them."""
    return int((folder / "reads").read_text().split()[2])


@pytest.fixture(scope="module", params=["rntuple", "ttree"])
def files_of(request, generate, tmp_path_factory):
    """Makes so many files with so many events each, of either format."""

    def make(number, events):
        folder = tmp_path_factory.mktemp(f"{number}_{request.param}")
        options = ("--format", request.param, "--compression", "zstd:1")
        paths = [folder / f"{i}.root" for i in range(number)]
        return [generate("adl", path, events, *options, "--seed", i + 1) for i, path in enumerate(paths)]

    return make


@pytest.mark.parametrize("threads", [1, 3])
def test_reads_are_in_flight_together(run_on, events, threads):
    fast, fast_folder = run_on("fast", events, 0, "-j", threads)
    # More than is waited for at least: a read has begun a little before a thread waits for it.
    slow, slow_folder = run_on("slow", events, 50, "-j", threads)
    assert fast.returncode == slow.returncode == 0, slow.stderr
    assert (fast_folder / "h.root").read_bytes() == (slow_folder / "h.root").read_bytes()
    assert reads_in_flight(slow_folder) >= READS_AT_ONCE
    assert waiting(slow_folder)["storage"] > 0.02


def test_skims_are_the_same(run_on, events):
    fast, fast_folder = run_on("fast", events, 0, skims=True)
    slow, slow_folder = run_on("slow", events, 5, skims=True)
    assert fast.returncode == slow.returncode == 0, slow.stderr
    assert (fast_folder / "skim.root").read_bytes() == (slow_folder / "skim.root").read_bytes()
    assert reads_in_flight(slow_folder) >= READS_AT_ONCE


def test_damage_is_found_in_the_same_place(run_on, events, tmp_path):
    content = bytearray(events.read_bytes())
    # A byte of each hundredth of the file: some of what is read is among them.
    for part in range(1, 100):
        content[len(content) * part // 100] ^= 0x55
    damaged = tmp_path / "damaged.root"
    damaged.write_bytes(content)
    fast, _ = run_on("fast", damaged, 0, skims=True)
    slow, _ = run_on("slow", damaged, 5, skims=True)
    assert fast.returncode == slow.returncode != 0
    assert fast.stderr == slow.stderr


def test_small_files_are_read_once(run_on, files_of):
    paths = files_of(20, 200)
    sizes = [path.stat().st_size for path in paths]
    assert max(sizes) < 128 * 1024
    fast, fast_folder = run_on("fast", paths, 0, skims=True)
    slow, slow_folder = run_on("slow", paths, 5, skims=True)
    assert fast.returncode == slow.returncode == 0, slow.stderr
    for folder in (fast_folder, slow_folder):
        assert report(folder)["read"]["requests"] == len(paths)
        assert report(folder)["read"]["bytes"] == sum(sizes)
    assert reads_of(slow_folder) == len(paths)
    for name in ("h.root", "skim.root"):
        assert (fast_folder / name).read_bytes() == (slow_folder / name).read_bytes()


def test_many_files_are_opened_and_read_together(run_on, files_of):
    paths = files_of(40, 3000)
    sizes = [path.stat().st_size for path in paths]
    assert min(sizes) > 128 * 1024
    fast, fast_folder = run_on("fast", paths, 0)
    slow, slow_folder = run_on("slow", paths, 20)
    assert fast.returncode == slow.returncode == 0, slow.stderr
    assert (fast_folder / "h.root").read_bytes() == (slow_folder / "h.root").read_bytes()
    # Two for the ends, and a few for values; of the ends less than the first file has needed is not read.
    assert report(slow_folder)["read"]["requests"] <= 6 * len(paths)
    assert reads_of(slow_folder) == report(slow_folder)["read"]["requests"]
    assert report(slow_folder)["read"]["bytes"] < sum(sizes) / 2
    assert reads_in_flight(slow_folder) >= 10


def test_parts_of_many_files_are_read_together(run_on, files_of):
    """Where results are kept, each file is planned and run by itself."""
    paths = files_of(40, 3000)
    fast, fast_folder = run_on("fast", paths, 0)
    slow, slow_folder = run_on("slow", paths, 20, "--store", "store")
    assert fast.returncode == slow.returncode == 0, slow.stderr
    assert (fast_folder / "h.root").read_bytes() == (slow_folder / "h.root").read_bytes()
    assert reads_alone(slow_folder) <= len(paths) / 2


def test_skims_of_parts_are_the_same(run_on, files_of):
    paths = files_of(20, 3000)
    fast, fast_folder = run_on("fast", paths, 0, "--store", "store", skims=True)
    slow, slow_folder = run_on("slow", paths, 5, "--store", "store", skims=True)
    assert fast.returncode == slow.returncode == 0, slow.stderr
    for name in ("h.root", "skim.root"):
        assert (fast_folder / name).read_bytes() == (slow_folder / name).read_bytes()


@pytest.mark.parametrize("command", ["validate", "plan"])
def test_metadata_of_many_files_are_read_together(run_on, files_of, command):
    paths = files_of(40, 3000)
    slow, slow_folder = run_on("slow", paths, 20, command=command)
    assert slow.returncode == 0, slow.stderr
    assert reads_of(slow_folder) <= 2 * len(paths) + 4
    assert reads_in_flight(slow_folder) >= 10


def test_pages_are_verified_by_large_reads(call, generate, slow_storage, tmp_path):
    path = generate("adl", tmp_path / "a.root", 20_000, "--compression", "zstd:1")
    done = call("verify", path, env=slow_storage(0))
    assert done.returncode == 0, done.stderr
    assert reads_of(tmp_path) <= 4 + path.stat().st_size // 2**20


def test_many_damaged_files_are_left_out_in_the_same_way(run_on, files_of, tmp_path):
    paths = files_of(12, 3000)
    for number in (0, 5, 9):
        content = bytearray(paths[number].read_bytes())
        content[len(content) // 2 :] = content[: len(content) - len(content) // 2]
        paths[number] = tmp_path / f"damaged_{number}.root"
        paths[number].write_bytes(content)
    options = ("--set", "on_bad_file=skip", "--set", "max_bad_fraction=0.5")
    fast, fast_folder = run_on("fast", paths, 0, *options)
    slow, slow_folder = run_on("slow", paths, 5, *options)
    assert fast.returncode == slow.returncode, (fast.stderr, slow.stderr)
    assert fast.stderr == slow.stderr
    skipped = [report(folder)["samples"][0]["skipped"] for folder in (fast_folder, slow_folder)]
    assert len(skipped[0]) == 3
    assert skipped[0] == skipped[1]
    assert (fast_folder / "h.root").read_bytes() == (slow_folder / "h.root").read_bytes()


def damage(path, number):
    """In the ways that are found one after the other: by the directory, by metadata, by values."""
    content = path.read_bytes()
    if number % 3 == 0:
        content = content[: len(content) // 2]
    if number % 3 == 1:
        middle = len(content) // 2
        content = content[:middle] + content[: len(content) - middle]
    if number % 3 == 2:
        content = b"no file of ROOT" + content
    path.write_bytes(content)


def test_files_are_not_opened_again_for_each_that_is_bad(run_on, files_of):
    paths = files_of(45, 300)
    options = ("--set", "on_bad_file=skip", "--set", "max_bad_fraction=0.8")
    whole = run_on("whole", paths, 5, *options)
    bad = [number for number in range(len(paths)) if number % 3]
    alone = []
    for number in bad:
        damage(paths[number], number // 3)
        done, _ = run_on(f"alone_{number}", paths[number], 0)
        assert done.returncode != 0
        alone.append(done.stderr.removeprefix("skimline: error: ").rstrip("\n"))
    done, folder = run_on("many", paths, 5, *options)
    assert done.returncode == 3, done.stderr
    assert reads_of(folder) <= 4 * reads_of(whole[1])
    skipped = {each["file"]: each["problem"] for each in report(folder)["samples"][0]["skipped"]}
    assert skipped == {str(paths[number]): problem for number, problem in zip(bad, alone, strict=True)}
    good, good_folder = run_on("good", [path for i, path in enumerate(paths) if i % 3 == 0], 0)
    assert good.returncode == 0
    for name in ("met", "pt"):
        counts, expected = (uproot.open(each / "h.root")[name].values() for each in (folder, good_folder))
        assert counts.tolist() == expected.tolist()
