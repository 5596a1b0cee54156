# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of skims: order, shards, fields that differ, damage, and inputs without end."""

import json
import random
import resource
import shutil
import signal
import subprocess
import time

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE
from page_bytes import byte_of_page

NUM_SHARDS = 4


def config_for(path, sample="d", cluster_size="128 KiB"):
    return {
        "schema_version": 1,
        "samples": {sample: {"files": [f"{path}:Events"], "sum_weights": "genWeight"}},
        "select": [{"name": "met", "where": "MET_pt > 20"}],
        "skims": {
            "s": {"file": "s.root", "keep": ["Muon_*", "Jet_*", "MET_*"], "cluster_size": cluster_size}
        },
    }


@pytest.fixture(scope="module")
def shards(generate, run_in, call, tmp_path_factory):
    """A skim in one run, s.root, and in four shards."""
    folder = tmp_path_factory.mktemp("shards")
    generate("dimuon", folder / "in.root", 40000, "--seed", 3)
    assert run_in(folder, config_for("in.root")).returncode == DONE
    for number in range(1, NUM_SHARDS + 1):
        assert call("run", "--shard", f"{number}/{NUM_SHARDS}", "a.json", cwd=folder).returncode == DONE
    return folder


def paths_of(folder, numbers=(1, 2, 3, 4)):
    return [folder / f"s.shard{number}of{NUM_SHARDS}.root" for number in numbers]


def values(path, name="Events"):
    ntuple = uproot.open(path)[name]
    return {key: ntuple[key].array() for key in ntuple.keys(recursive=False) if not key.startswith("_")}


def assert_equal(path, *parts, name="Events"):
    found, expected = values(path, name), [values(part, name) for part in parts]
    assert set(found) == set(expected[0])
    for key, array in found.items():
        assert ak.array_equal(array, ak.concatenate([part[key] for part in expected])), key


def merged(call, *arguments, **options):
    done = call("merge", "-f", *arguments, **options)
    assert done.returncode == DONE, done.stderr
    return done.stdout


@pytest.mark.parametrize("method", ["copy", "kernel", "rewrite", ""])
def test_shards_come_in_the_order_of_the_run(call, shards, tmp_path, method):
    out = tmp_path / "m.root"
    merged(call, *(["--method", method] if method else []), out, *paths_of(shards, (3, 1, 4, 2)))
    assert_equal(out, shards / "s.root")
    assert call("verify", out).returncode == DONE
    records = [json.loads(call("show", "--json", path).stdout) for path in (out, shards / "s.root")]
    assert records[0]["files"][0]["record"] == records[1]["files"][0]["record"]


def test_the_order_of_the_arguments_can_be_kept(call, shards, tmp_path):
    paths = paths_of(shards, (3, 1, 4, 2))
    merged(call, "--keep-order", tmp_path / "m.root", *paths)
    assert_equal(tmp_path / "m.root", *paths)


def test_a_missing_shard_is_an_error(call, shards, tmp_path):
    out = tmp_path / "m.root"
    done = call("merge", out, *paths_of(shards, (1, 4)))
    assert done.returncode == FAILED
    assert 'shard 2/4, 3/4 of the sample "d" is missing' in done.stderr
    assert not out.exists()
    done = call("merge", "--incomplete", out, *paths_of(shards, (4, 1)))
    assert done.returncode == INCOMPLETE
    assert 'missing    shard 2/4, 3/4 of the sample "d" is missing' in done.stdout
    assert_equal(out, *paths_of(shards, (1, 4)))


HISTOGRAM = {"pt": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 100]}}}


@pytest.mark.parametrize("output", ["s", "h"])
def test_shards_of_different_configs_are_no_whole(call, shards, tmp_path, output):
    shutil.copy(shards / "in.root", tmp_path)
    config = {**config_for("in.root"), "histograms": HISTOGRAM, "output": {"histograms": "h.root"}}
    (tmp_path / "a.json").write_text(json.dumps(config))
    changed = ["--set", "select.0.where=MET_pt > 30"]
    for number, options in ((1, []), (2, changed), (3, changed)):
        assert call("run", "--shard", f"{number}/3", *options, "a.json", cwd=tmp_path).returncode == DONE
    first, second, third = [tmp_path / f"{output}.shard{number}of3.root" for number in (1, 2, 3)]
    done = call("merge", tmp_path / "m.root", third, second, first)
    assert done.returncode == FAILED
    assert f"{third} and {first} are shards of one run" in done.stderr
    assert 'of different configs: "select" differs; --allow-overlap merges' in done.stderr
    assert not (tmp_path / "m.root").exists()
    assert call("merge", "--allow-overlap", tmp_path / "m.root", third, second, first).returncode == DONE
    # What two of them make is still known to be of their config.
    assert call("merge", "--incomplete", tmp_path / "two.root", second, third).returncode in (
        DONE,
        INCOMPLETE,
    )
    done = call("merge", tmp_path / "n.root", tmp_path / "two.root", first)
    assert 'of different configs: "select" differs' in done.stderr


def test_shards_are_of_one_config_wherever_inputs_and_outputs_are(call, shards, tmp_path):
    for number, folder in ((1, "a"), (2, "b")):
        (tmp_path / folder).mkdir()
        shutil.copy(shards / "in.root", tmp_path / folder / f"{folder}.root")
        config = {**config_for(f"{folder}.root"), "histograms": HISTOGRAM}
        config["output"] = {"histograms": f"h{folder}.root"}
        config["skims"]["s"] |= {"file": "s{sample}.root", "compression": f"zstd:{number}"}
        config["samples"][folder] = {"files": [f"{folder}.root:Events"]}
        config["allow_duplicates"] = True
        (tmp_path / folder / "a.json").write_text(json.dumps(config, indent=number))
        assert call("run", "--shard", f"{number}/2", "a.json", cwd=tmp_path / folder).returncode == DONE
    for parts, code in (
        (["a/sd.shard1of2.root", "b/sd.shard2of2.root"], DONE),
        (["b/hb.shard2of2.root", "a/ha.shard1of2.root"], INCOMPLETE),  # of "a" and "b" it has halves
    ):
        done = call("merge", "-f", "m.root", *parts, cwd=tmp_path)
        assert done.returncode == code, done.stderr


@pytest.mark.parametrize(
    "of_another", [["--limit-events", 20000], ["--input", "in.root", "--input", "more.root"]]
)
def test_shards_of_different_wholes_are_no_whole(call, generate, shards, tmp_path, of_another):
    """Events are missing between them, and no two of them have the same ones."""
    for name in ("in.root", "a.json"):
        shutil.copy(shards / name, tmp_path)
    generate("dimuon", tmp_path / "more.root", 1000, "--seed", 4)
    limited = "--limit-events" in of_another
    for options in (["--shard", "1/2"], ["--shard", "2/2"]):
        own = of_another if (options[1] == "1/2") == limited else []
        assert call("run", *options, *own, "a.json", cwd=tmp_path).returncode == DONE
    halves = [tmp_path / f"s.shard{number}of2.root" for number in (1, 2)]
    done = call("merge", tmp_path / "m.root", *halves)
    assert done.returncode == FAILED
    entries = (20000, 40000) if limited else (40000, 41000)
    for number, count in zip((2, 1), entries, strict=True):
        assert f'shard {number}/2 of {count} entries of the sample "d" is missing' in done.stderr
    done = call("merge", "--incomplete", tmp_path / "m.root", *halves)
    assert done.returncode == INCOMPLETE
    # The rest of both makes them whole.
    other = [
        ["--shard", "2/2", *(of_another if limited else [])],
        ["--shard", "1/2", *([] if limited else of_another)],
    ]
    rest = []
    for number, options in enumerate(other):
        assert call("run", "-f", *options, "a.json", cwd=tmp_path).returncode == DONE
        rest.append(tmp_path / f"rest{number}.root")
        (tmp_path / f"s.shard{options[1][0]}of2.root").rename(rest[-1])
    done = call("merge", "--allow-overlap", tmp_path / "all.root", tmp_path / "m.root", *rest)
    assert done.returncode == DONE, done.stderr
    (sample,) = json.loads(call("show", "--json", tmp_path / "all.root").stdout)["files"][0]["record"][
        "samples"
    ]
    assert "shards" not in sample


def test_a_shard_that_is_given_twice_is_an_error(call, shards, tmp_path):
    copy = shutil.copy(paths_of(shards)[0], tmp_path / "copy.root")
    done = call("merge", tmp_path / "m.root", *paths_of(shards), copy)
    assert done.returncode == FAILED
    assert "they would be counted twice" in done.stderr


@pytest.mark.parametrize("method", ["copy", "rewrite", ""])
def test_merging_from_left_to_right_gives_the_bytes_of_merging_at_once(call, shards, tmp_path, method):
    method = ["--method", method] if method else []
    merged(call, *method, tmp_path / "all.root", *paths_of(shards))
    call("merge", *method, "--incomplete", tmp_path / "1.root", *paths_of(shards, (1, 2)))
    call("merge", *method, "--incomplete", tmp_path / "2.root", tmp_path / "1.root", *paths_of(shards, (3,)))
    merged(call, *method, tmp_path / "3.root", tmp_path / "2.root", *paths_of(shards, (4,)))
    assert (tmp_path / "3.root").read_bytes() == (tmp_path / "all.root").read_bytes()


def test_merging_in_a_tree_gives_the_bytes_of_merging_at_once(call, shards, tmp_path):
    copy = ["--method", "copy"]
    merged(call, *copy, tmp_path / "all.root", *paths_of(shards))
    call("merge", *copy, "--incomplete", tmp_path / "1.root", *paths_of(shards, (1, 2)))
    call("merge", *copy, "--incomplete", tmp_path / "2.root", *paths_of(shards, (3, 4)))
    merged(call, *copy, tmp_path / "m.root", tmp_path / "2.root", tmp_path / "1.root")
    assert (tmp_path / "m.root").read_bytes() == (tmp_path / "all.root").read_bytes()


@pytest.mark.parametrize("method", ["copy", "rewrite"])
def test_bytes_do_not_depend_on_threads_and_folders(call, shards, tmp_path, method):
    contents = []
    for threads in (1, 2, 5):
        out = tmp_path / str(threads) / "m.root"
        out.parent.mkdir()
        merged(call, "-j", threads, "--method", method, out, *paths_of(shards))
        contents.append(out.read_bytes())
    assert contents[0] == contents[1] == contents[2]


def test_parts_are_merged_while_others_are_made(build_folder, call, shards, tmp_path):
    """The entries of a part are in the output before the next part exists."""
    merged(call, "--method", "copy", tmp_path / "all.root", *paths_of(shards))
    program = build_folder / "tests" / "skims" / "skims_merge_parts"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([program, tmp_path / "m.root"], **pipes) as process:
        for number, source in enumerate(paths_of(shards)):
            part = shutil.copy(source, tmp_path / f"part{number}.root")
            process.stdin.write(f"{part}\n")
            process.stdin.flush()
            assert process.stdout.readline() == "added\n"
        process.stdin.close()
        assert process.stdout.read().endswith("entries\n")
    assert process.returncode == DONE
    assert_equal(tmp_path / "m.root", shards / "s.root")


def write(path, name="Events", seed=0, **columns):
    random_numbers = np.random.default_rng(seed)
    counts = random_numbers.integers(0, 4, 200)
    jagged = ak.unflatten(random_numbers.random(counts.sum()), counts)
    made = {
        key: jagged if kind == "list" else random_numbers.random(200).astype(kind)
        for key, kind in columns.items()
    }
    with uproot.recreate(path) as file:
        file.mkrntuple(name, made)
    return path


def test_fields_in_another_order(call, tmp_path):
    first = write(tmp_path / "1.root", x="f4", y="f8", z="list")
    second = write(tmp_path / "2.root", seed=1, z="list", y="f8", x="f4")
    for method in ("copy", "rewrite"):
        merged(call, "--method", method, tmp_path / "m.root", first, second)
        assert_equal(tmp_path / "m.root", first, second)


@pytest.fixture
def differing(tmp_path):
    return [
        write(tmp_path / "1.root", x="f4", y="f8", z="list"),
        write(tmp_path / "2.root", seed=1, x="f4", y="f8"),
        write(tmp_path / "3.root", seed=2, x="f4", y="f4", w="i4"),
    ]


def test_all_differences_are_listed(call, tmp_path, differing):
    done = call("merge", tmp_path / "m.root", *differing)
    assert done.returncode == FAILED
    one, two, three = differing
    lines = done.stderr.splitlines()
    assert lines[0] == 'skimline: error: RNTuple "Events": the fields of the inputs differ:'
    assert f'  "y" is double in {one} and float in {three}' in lines
    assert f'"z" is missing in {two} and 1 more' in done.stderr
    assert f'"w" is missing in {one} and 1 more' in done.stderr
    assert '"x"' not in done.stderr
    assert "--missing-fields drop" in done.stderr


def test_fields_can_be_dropped(call, tmp_path, differing):
    done = merged(call, "--missing-fields", "drop", tmp_path / "m.root", *differing)
    assert done.count("left out") == 3
    found = values(tmp_path / "m.root")
    assert set(found) == {"x"}
    assert found["x"].to_list() == ak.concatenate([values(path)["x"] for path in differing]).to_list()


@pytest.mark.parametrize("method", ["copy", "rewrite"])
def test_fields_can_get_defaults(call, tmp_path, differing, method):
    paths = (differing[1], differing[0])
    merged(call, "--method", method, "--missing-fields", "default", tmp_path / "m.root", *paths)
    found = values(tmp_path / "m.root")
    assert set(found) == {"x", "y", "z"}
    assert found["z"].to_list() == [[]] * 200 + values(differing[0])["z"].to_list()
    done = call("merge", "-f", "--missing-fields", "default", tmp_path / "m.root", *differing)
    assert done.returncode == FAILED
    assert '"y" is double' in done.stderr


def test_collections_that_writers_call_otherwise(call, generate, run_in, tmp_path):
    """The members of a collection are found by the names under which they are read."""
    generate("dimuon", tmp_path / "in.root", 2000)
    for name, keep in (("1", ["Muon_*", "Jet_*"]), ("2", ["Jet_*", "Muon_*"])):
        config = config_for("in.root", name) | {"skims": {"s": {"file": f"{name}.root", "keep": keep}}}
        config["define"] = {"Jet_double": "Jet_pt * 2", "Muon_double": "Muon_pt * 2"}
        assert run_in(tmp_path, config).returncode == DONE
    merged(call, tmp_path / "m.root", tmp_path / "1.root", tmp_path / "2.root")
    assert_equal(tmp_path / "m.root", tmp_path / "1.root", tmp_path / "2.root")


def test_several_ntuples_and_histograms(call, tmp_path):
    paths = []
    for seed in range(3):
        path = write(tmp_path / f"{seed}.root", seed=seed, x="f4", z="list")
        with uproot.update(path) as file:
            file.mkrntuple("Runs", {"run": np.array([seed, seed + 1])})
            file["h"] = np.histogram(np.arange(10) + seed, bins=5, range=(0, 20))
        paths.append(path)
    report = json.loads(merged(call, "--json", tmp_path / "m.root", *paths))
    assert [(each["path"], each["entries"]) for each in report["ntuples"]] == [("Events", 600), ("Runs", 6)]
    assert report["histograms"] == 1
    for name in ("Events", "Runs"):
        assert_equal(tmp_path / "m.root", *paths, name=name)
    expected = sum(uproot.open(path)["h"].values() for path in paths)
    assert np.array_equal(uproot.open(tmp_path / "m.root")["h"].values(), expected)


def test_small_clusters_are_joined(call, shards, tmp_path):
    def clusters(*options):
        report = json.loads(merged(call, "--json", *options, tmp_path / "m.root", *paths_of(shards)))
        assert_equal(tmp_path / "m.root", shards / "s.root")
        return report["ntuples"][0]["clusters"]

    kept = clusters("--method", "copy")
    assert kept > 4 * NUM_SHARDS
    assert clusters() == 1
    assert 2 < clusters("--cluster-size", "512 KiB") < kept / 2
    assert clusters("--cluster-size", "0") == kept


def test_pages_are_compressed_as_asked_for(call, shards, tmp_path):
    merged(call, "--compression", "lz4", tmp_path / "m.root", *paths_of(shards))
    assert_equal(tmp_path / "m.root", shards / "s.root")
    assert "lz4" in call("inspect", tmp_path / "m.root").stdout
    report = json.loads(
        merged(
            call,
            "--json",
            "--cluster-size",
            "0",
            "--compression",
            "lz4",
            tmp_path / "n.root",
            tmp_path / "m.root",
        )
    )
    assert list(report["ntuples"][0]["methods"]) == ["copy"]


@pytest.mark.parametrize(
    "options", [["--method", "copy"], ["--method", "rewrite"], ["--method", "kernel", "--verify"]]
)
def test_a_damaged_page_is_an_error(call, shards, tmp_path, options):
    bad = tmp_path / "bad.root"
    content = bytearray(paths_of(shards)[1].read_bytes())
    content[byte_of_page(content)] ^= 4
    bad.write_bytes(content)
    paths = [paths_of(shards)[0], bad, *paths_of(shards)[2:]]
    done = call("merge", *options, tmp_path / "m.root", *paths)
    assert done.returncode == FAILED
    assert f'{bad}: RNTuple "Events", cluster' in done.stderr
    assert "checksum is wrong" in done.stderr
    assert not (tmp_path / "m.root").exists()
    done = call("merge", *options, "--skip-bad", "--incomplete", tmp_path / "m.root", *paths)
    assert done.returncode == INCOMPLETE
    assert_equal(tmp_path / "m.root", *paths_of(shards, (1, 3, 4)))


def test_damage_that_is_carried_along_is_found_by_the_next_reader(call, shards, tmp_path):
    bad = tmp_path / "bad.root"
    content = bytearray(paths_of(shards)[1].read_bytes())
    content[byte_of_page(content)] ^= 4
    bad.write_bytes(content)
    paths = [paths_of(shards)[0], bad, *paths_of(shards)[2:]]
    assert "not compared" in merged(call, "--method", "kernel", tmp_path / "m.root", *paths)
    assert call("verify", tmp_path / "m.root").returncode == FAILED


def test_many_inputs_with_few_open_files(skimline, tmp_path):
    (tmp_path / "parts").mkdir()
    for seed in range(20):
        write(tmp_path / "parts" / f"{seed}.root", seed=seed, x="f4", z="list")
    paths = []
    for number in range(1000):
        paths.append(tmp_path / "parts" / f"copy{number}.root")
        shutil.copyfile(tmp_path / "parts" / f"{number % 20}.root", paths[-1])
    (tmp_path / "list").write_text("".join(f"{path}\n" for path in paths))
    command = [skimline, "merge", "--allow-overlap", "--json", tmp_path / "m.root", f"@{tmp_path / 'list'}"]
    limit = (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
    )
    assert done.returncode == DONE, done.stderr
    (ntuple,) = json.loads(done.stdout)["ntuples"]
    assert (ntuple["entries"], ntuple["joined"], ntuple["clusters"]) == (200000, 1000, 1)
    found = values(tmp_path / "m.root")
    expected = values(paths[7])
    for key, array in found.items():
        assert array[200 * 507 : 200 * 508].to_list() == expected[key].to_list()


@pytest.mark.thorough
def test_killed_merges_leave_nothing(skimline, shards, tmp_path, num_tries):
    out = tmp_path / "m.root"
    before = [path.read_bytes() for path in paths_of(shards)]
    command = [skimline, "merge", "--compression", "zstd:19", out, *paths_of(shards)]
    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    duration, whole = time.monotonic() - start, out.read_bytes()
    out.unlink()
    delays = random.Random(4)
    for _ in range(num_tries(20, 6)):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(delays.random() * 1.1 * duration)
            process.send_signal(signal.SIGKILL)
        assert not out.exists() or out.read_bytes() == whole
        out.unlink(missing_ok=True)
    assert [path.read_bytes() for path in paths_of(shards)] == before


@pytest.mark.parametrize("method", ["copy", "kernel", "rewrite"])
def test_a_full_disk_is_an_error(skimline, shards, tmp_path, method):
    out = tmp_path / "m.root"
    command = [skimline, "merge", "--method", method, out, *paths_of(shards)]
    for size in (100, 5000, 100_000, 400_000):

        def limit(size=size):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
        assert done.returncode == FAILED
        assert "cannot be" in done.stderr
        assert list(tmp_path.iterdir()) == []
    assert subprocess.run(command, capture_output=True, check=False).returncode == DONE


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--method", "zero"], "--method"),
        (["--cluster-size", "many"], "is no size of clusters"),
        (["--missing-fields", "guess"], "--missing-fields"),
        (["--verify", "--no-verify"], "--no-verify"),
    ],
)
def test_wrong_usage(call, shards, tmp_path, arguments, problem):
    done = call("merge", *arguments, tmp_path / "m.root", *paths_of(shards))
    assert done.returncode == WRONG_USAGE
    assert problem in done.stderr
