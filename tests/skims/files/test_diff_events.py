# SPDX-License-Identifier: BSD-3-Clause
"""`skimline diff` of events: every difference is found and named, and nothing else."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DIFFERENT, DONE, FAILED, INCOMPLETE, WRONG_USAGE


def write(path, columns, form="rntuple", name="Events", **options):
    """A file of uproot's with one RNTuple or TTree."""
    with uproot.recreate(path) as file:
        if form == "rntuple":
            file.mkrntuple(name, columns)
        else:
            file.mktree(name, columns, **options)
    return path


@pytest.fixture
def events():
    random = np.random.default_rng(5)
    counts = random.integers(0, 4, 500)
    return {
        "run": np.arange(500, dtype=np.int32),
        "big": np.arange(500, dtype=np.uint64) + np.uint64(2**63),
        "x": random.normal(size=500).astype(np.float32),
        "y": random.normal(size=500),
        "flag": random.random(500) < 0.5,
        "pt": ak.unflatten(random.normal(size=counts.sum()).astype(np.float32), counts),
        "nested": ak.Array([[list(range(i % 3)), []][: i % 4] for i in range(500)]),
        "text": np.array([f"event {i}" for i in range(500)]),
    }


def compared(call, *arguments):
    done = call("diff", "--json", *arguments)
    report = json.loads(done.stdout)
    assert done.returncode == (DONE if report["equal"] else DIFFERENT), done.stderr
    return report


def test_equal_events_are_equal(call, events, tmp_path):
    a, b = (write(tmp_path / name, events) for name in ("a.root", "b.root"))
    done = call("diff", a, b)
    assert (done.returncode, done.stdout) == (
        DONE,
        "Events: 8 columns of 500 entries compared, none differs\n",
    )


def replaced(values, entry, value):
    """The same values but for one entry."""
    changed = ak.to_list(values)
    changed[entry] = value
    if isinstance(values, ak.Array):
        return ak.Array(changed)
    return np.array(changed, dtype=None if values.dtype.kind == "U" else values.dtype)


@pytest.mark.parametrize(
    ("column", "entry", "value", "element", "right"),
    [
        ("run", 499, -7, "", "-7"),
        ("big", 3, 2**64 - 1, "", str(2**64 - 1)),
        ("x", 250, np.float32(np.inf), "", '"inf"'),
        ("y", 0, 1.25, "", "1.25"),
        ("text", 77, "event seventy-seven", "", '"event seventy-seven"'),
        ("pt", 11, [1.5] * 9, "", "9 elements"),
        ("nested", 6, [[0, 1, 2], []], "[0]", "3 elements"),
    ],
)
def test_one_value_is_found_and_named(call, events, tmp_path, column, entry, value, element, right):
    a = write(tmp_path / "a.root", events)
    changed = dict(events, **{column: replaced(events[column], entry, value)})
    if column == "nested":
        changed[column] = ak.values_astype(changed[column], "int64")
    if column == "pt":
        changed[column] = ak.values_astype(changed[column], "float32")
    b = write(tmp_path / "b.root", changed)
    (report,) = compared(call, a, b)["events"]
    assert not report["equal"]
    assert report["types"] == []
    (found,) = report["columns"]
    assert (found["column"], found["entries"]) == (column, 1)
    (first,) = found["first"]
    assert (first["entry"], first["element"], first["right"]) == (entry, element, right)
    assert f"entry {entry}" in call("diff", a, b).stdout


def test_counts_and_first_differences_are_those_of_numpy(call, events, tmp_path):
    a = write(tmp_path / "a.root", events)
    pt = ak.values_astype(events["pt"] * np.where(np.arange(500) % 7 == 3, 2, 1), "float32")
    b = write(tmp_path / "b.root", dict(events, pt=pt))
    (found,) = compared(call, a, b)["events"][0]["columns"]
    differing = np.flatnonzero(ak.any(events["pt"] != pt, axis=1))
    assert found["entries"] == len(differing)
    assert [each["entry"] for each in found["first"]] == differing[:3].tolist()
    for each in found["first"]:
        assert each["element"] == "[0]"
        assert np.float32(float(each["left"])) == events["pt"][each["entry"], 0]
        assert np.float32(float(each["right"])) == pt[each["entry"], 0]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_tolerances(call, tmp_path, kind):
    x = np.array([1.0, -0.3, 0.0, 5.0], dtype=kind)
    near = x.copy()
    for _ in range(4):
        near[1] = np.nextafter(near[1], kind(0))
    a, b = write(tmp_path / "a.root", {"x": x}), write(tmp_path / "b.root", {"x": near})
    relative = abs(float(near[1]) - float(x[1])) / 0.3
    for options, code in [
        ([], DIFFERENT),
        (["--ulps", 3], DIFFERENT),
        (["--ulps", 4], DONE),
        (["--relative", relative / 2], DIFFERENT),
        (["--relative", 2 * relative], DONE),
    ]:
        assert call("diff", a, b, *options).returncode == code, options


def test_what_is_no_number_and_zeros(call, tmp_path):
    x = np.array([np.nan, 0.0, np.inf, 1.0])
    same = np.array([np.frombuffer(b"\x01\0\0\0\0\0\xf8\xff")[0], -0.0, np.inf, 1.0])
    a, b = write(tmp_path / "a.root", {"x": x}), write(tmp_path / "b.root", {"x": same})
    assert call("diff", a, b).returncode == DONE
    other = write(tmp_path / "c.root", {"x": np.array([1.0, 0.0, -np.inf, np.nan])})
    (found,) = compared(call, a, other, "--relative", 1, "--ulps", 2**62)["events"][0]["columns"]
    assert found["entries"] == 3


def test_other_columns_types_and_entries(call, events, tmp_path):
    a = write(tmp_path / "a.root", events)
    changed = {name: values[:-3] for name, values in events.items() if name != "y"}
    changed["z"] = np.ones(497)
    changed["run"] = changed["run"].astype(np.int64)
    changed["flag"] = np.array([f"{value}" for value in changed["flag"]])
    b = write(tmp_path / "b.root", changed)
    (report,) = compared(call, a, b)["events"]
    assert (report["left_entries"], report["right_entries"]) == (500, 497)
    assert (report["only_left"], report["only_right"]) == (["y"], ["z"])
    assert set(report["types"]) == {
        "type of run: std::int32_t, and std::int64_t",
        "type of flag: bool, and string",
    }
    assert report["columns"] == []
    text = call("diff", a, b).stdout
    assert "  entries: 500, and 497\n" in text
    assert f"  only in {a}: y\n" in text


def test_numbers_of_other_types_are_compared_as_numbers(call, tmp_path):
    a = write(tmp_path / "a.root", {"n": np.array([1, -1, 3], dtype=np.int64), "x": np.array([0.5, 0.1, 2])})
    b = write(
        tmp_path / "b.root",
        {"n": np.array([1, 2**64 - 1, 3], dtype=np.uint64), "x": np.array([0.5, 0.1, 2], dtype=np.float32)},
    )
    (report,) = compared(call, a, b)["events"]
    found = {column["column"]: column for column in report["columns"]}
    assert found["n"]["entries"] == 1
    assert found["n"]["first"][0] == {"entry": 1, "element": "", "left": "-1", "right": str(2**64 - 1)}
    assert found["x"]["entries"] == 1
    assert len(compared(call, a, b, "--relative", 1e-6)["events"][0]["columns"]) == 1


@pytest.mark.parametrize("form", ["flat", "lists"])
@pytest.mark.parametrize("is_first", [True, False])
def test_large_integers_are_not_the_real_numbers_beside_them(call, tmp_path, form, is_first):
    """They are the same number only where the real one has all of their digits."""
    integers = np.array([2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 7], dtype=np.int64)
    reals = integers.astype(np.float64)
    expected = [entry for entry, (n, x) in enumerate(zip(integers, reals, strict=True)) if int(n) != int(x)]
    assert expected == [1, 2, 3]
    columns = [integers, reals] if form == "flat" else [ak.unflatten(each, 1) for each in (integers, reals)]
    paths = [write(tmp_path / f"{i}.root", {"n": each}) for i, each in enumerate(columns)]
    paths = paths if is_first else paths[::-1]
    (report,) = compared(call, *paths)["events"]
    assert [(c["entries"], [f["entry"] for f in c["first"]]) for c in report["columns"]] == [(3, expected)]
    assert compared(call, *paths, "--relative", 1e-15)["events"][0]["columns"] == []


@pytest.fixture(scope="module")
def forms(generate, tmp_path_factory):
    """The same events as RNTuple and TTree, and the RNTuple in other clusters."""
    folder = tmp_path_factory.mktemp("forms")
    return {
        form: generate("dimuon", folder / f"{form}.root", 30000, "--format", form)
        for form in ("rntuple", "ttree")
    }


def test_a_tree_equals_an_ntuple(call, forms):
    done = call("diff", forms["rntuple"], forms["ttree"])
    assert (done.returncode, done.stdout.count("\n")) == (DONE, 1), done.stdout
    assert call("diff", forms["ttree"], forms["rntuple"]).returncode == DONE


def test_counts_of_single_lists_do_not_count(call, events, job, tmp_path):
    """A tree has one for each list by itself, `npt` for `pt`."""
    events = events | {"nElectron": np.arange(500)}
    write(tmp_path / "in.root", events)
    for form, name in (("ttree", "t.root"), ("rntuple", "n.root")):
        skim = {"file": name, "format": form, "keep": ["*", "lead"]}
        config = {
            "schema_version": 1,
            "samples": {"s": {"files": ["in.root"]}},
            "define": {"lead": "pt[pt > 0]"},
            "skims": {"s": skim},
        }
        assert job(config, "--no-report").returncode == DONE
    counts = set(uproot.open(tmp_path / "t.root")["Events"].keys()) - events.keys() - {"lead"}
    assert counts == {"npt", "nlead"}
    for pair in (("t.root", "n.root"), ("n.root", "t.root")):
        done = call("diff", "--ignore-record", *(tmp_path / name for name in pair))
        assert (done.returncode, done.stdout.count("\n")) == (DONE, 1), done.stdout


def test_types_of_counts_do_not_count(call, tmp_path):
    """Trees count with signed integers as a rule, and RNTuples without sign."""
    jets = ak.unflatten(ak.zip({"pt": np.arange(6.0), "id": np.arange(6)}), [2, 0, 3, 1])
    tree = write(tmp_path / "t.root", {"Jet": jets, "nTau": np.arange(4, dtype=np.int32)}, "ttree")
    assert call("convert", tree, "-o", tmp_path / "n.root").returncode == DONE
    report = compared(call, tree, tmp_path / "n.root")
    assert (report["equal"], report["events"][0]["types"]) == (True, [])
    other = write(tmp_path / "o.root", {"nJet": np.array([2, 0, 3, 2], np.uint32), "nTau": np.arange(4)})
    event = compared(call, tree, other)["events"][0]
    assert event["types"] == ["type of nTau: std::int32_t, and std::int64_t"]
    assert [(each["column"], each["entries"]) for each in event["columns"]] == [("nJet", 1)]


def test_clusters_do_not_count(call, forms, job, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(forms["rntuple"])]}},
        "skims": {"s": {"file": "s.root", "cluster_size": "64 KiB", "compression": "lz4"}},
        "output": {},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    for threads in (1, 3):
        done = call("diff", "-j", threads, "--ignore-record", forms["ttree"], tmp_path / "s.root")
        assert done.returncode == DONE, done.stdout


def test_threads_change_nothing(call, forms, generate, tmp_path):
    other = generate("dimuon", tmp_path / "other.root", 30000, "--seed", 2)
    first, second = (call("diff", "-j", threads, forms["ttree"], other).stdout for threads in (1, 4))
    assert first == second
    assert "Muon_pt: " in first


def test_columns_are_chosen(call, forms, generate, tmp_path):
    other = generate("dimuon", tmp_path / "other.root", 30000, "--seed", 2)
    report = compared(call, forms["rntuple"], other, "--include", "run", "--include", "HLT*")
    assert report["events"][0]["compared"] == 2
    done = call("diff", forms["rntuple"], other, "--include", "Moun_*")
    assert done.returncode == WRONG_USAGE
    assert "no histogram or column matches" in done.stderr


def test_names(call, events, tmp_path):
    a, b = write(tmp_path / "a.root", events), write(tmp_path / "b.root", events, name="Other")
    report = compared(call, a, b)
    assert (report["only_left"], report["only_right"]) == (["Events"], ["Other"])
    assert call("diff", f"{a}:Events", f"{b}:Other").returncode == DONE
    assert call("diff", f"{a}:Events", b).returncode == DONE
    assert call("diff", f"{a}:Evnets", b).returncode == FAILED


def test_skims_and_their_records(job, sample, call, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(sample)]}},
        "select": [{"name": "two", "where": "nMuon == 2"}],
        "skims": {"s": {"file": "s.root", "keep": ["Muon_*", "run"]}},
        "output": {},
    }
    assert job(config).returncode == DONE
    (tmp_path / "s.root").rename(tmp_path / "before.root")
    assert job(config).returncode == DONE
    assert call("diff", tmp_path / "before.root", tmp_path / "s.root").returncode == DONE
    config["select"][0]["where"] = "nMuon >= 2"
    assert job(config).returncode == DONE
    report = compared(call, tmp_path / "before.root", tmp_path / "s.root")
    assert report["events"][0]["left_entries"] < report["events"][0]["right_entries"]
    assert any("select" in problem for problem in report["record"])


def test_what_cannot_be_compared_is_said(call, shared_data):
    path = shared_data / "test_atomic_bitset_rntuple_v1-0-0-0.root"
    report = json.loads(call("diff", "--json", path, path).stdout)
    unread = [name for each in report["events"] for name in each["not_compared"]]
    done = call("diff", path, path)
    assert done.returncode == (INCOMPLETE if unread else DONE)
    for name in unread:
        assert f"not compared: {name}" in done.stdout


def test_damaged_and_missing_files(call, forms, tmp_path):
    damaged = tmp_path / "damaged.root"
    data = bytearray(forms["rntuple"].read_bytes())
    data[len(data) // 2] ^= 0x40
    damaged.write_bytes(data)
    done = call("diff", forms["rntuple"], damaged)
    assert done.returncode == FAILED
    assert "damaged.root" in done.stderr
    assert "checksum" in done.stderr
    assert call("diff", forms["rntuple"], tmp_path / "none.root").returncode == FAILED


@pytest.mark.thorough
def test_memory_is_flat(generate, peak_memory, tmp_path):
    """Three times the events take hardly more."""
    peaks = []
    for number in (1_000_000, 3_000_000):
        a = generate("dimuon", tmp_path / f"a{number}.root", number)
        # Sometimes two threads never need the most at the same time.
        peaks.append(max(peak_memory(tmp_path, "diff", "-j", 2, a, a) for _ in range(3)))
    assert peaks[1] < peaks[0] + 50e6
