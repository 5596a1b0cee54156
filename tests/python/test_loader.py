# SPDX-License-Identifier: BSD-3-Clause
"""Batches for training: the same events as arrays, in an order of chance that can be had again."""

import multiprocessing
import re
import sys
from types import SimpleNamespace

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot


@pytest.fixture(scope="module")
def files(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("loader")
    sk.generate("dimuon", folder / "signal.root", events=5000, seed=1)
    sk.generate("dimuon", folder / "background.root", events=3000, seed=2)
    return {"signal": str(folder / "signal.root"), "background": str(folder / "background.root")}


@pytest.fixture
def frame(files):
    return sk.open(files).define("id", 'entry_ + (sample_ == "signal" ? 0 : 1000000)').filter("nMuon >= 1")


@pytest.fixture(scope="module")
def truth(files):
    """Numbers of events and their muons, from uproot."""
    found = {}
    for name, offset in (("signal", 0), ("background", 1000000)):
        with uproot.open(files[name]) as file:
            arrays = file["Events"].arrays(["nMuon", "Muon_pt"])
        for entry, each in enumerate(arrays):
            if each["nMuon"] >= 1:
                found[entry + offset] = each["Muon_pt"].to_list()
    return found


def numbers(batches):
    return np.concatenate([each["id"] for each in batches]).astype(int)


def test_all_events_once_in_order(frame, truth):
    batches = list(sk.loader(frame, batch=700, columns=["id", "Muon_pt"], block=1000))
    assert [len(each["id"]) for each in batches[:-1]] == [700] * (len(batches) - 1)
    assert numbers(batches).tolist() == list(truth)
    muons = [each for part in batches for each in part["Muon_pt"].to_list()]
    assert muons == list(truth.values())


@pytest.mark.parametrize("shuffle", [None, 2])
def test_blocks_without_events_lose_none_of_others(files, shuffle):
    frame = sk.open(files["signal"]).filter("entry_ < 130 || entry_ >= 4000")
    made = sk.loader(frame, batch=100, columns=["entry_"], shuffle=shuffle, block=50, pool=1)
    entries = np.concatenate([each["entry_"] for each in made])
    assert sorted(entries) == [*range(130), *range(4000, 5000)]


def test_batches_in_order_are_not_copied(files):
    """Rows are; what lies in two blocks must be."""
    made = sk.loader(sk.open(files["signal"]), batch=400, columns=["MET_pt", "Muon_pt"], block=500, pool=2)
    batches = list(made)
    events = [each["MET_pt"] for each in batches]
    values = [each["Muon_pt"].layout.content.data for each in batches]
    assert [each["Muon_pt"].layout.offsets[0] for each in batches] == [0] * len(batches)
    for first, second in ((0, 1), (3, 4)):
        assert events[first].base is events[second].base is not None
        assert values[first].base is values[second].base is not None


@pytest.mark.parametrize("shuffle", [None, 2])
def test_batches_of_samples_have_one_type(files, shuffle):
    number = {"signal": "float(MET_pt)", "background": "1. * MET_pt"}
    frame = sk.open({name: {"files": path, "define": {"x": number[name]}} for name, path in files.items()})
    frame = frame.define("x", "float(0)").define("lists", "Muon_pt * x")
    made = sk.loader(frame, batch=300, columns=["x", "lists"], shuffle=shuffle, block=500, pool=1)
    for each in made:
        assert each["x"].dtype == np.float64
        assert each["lists"].layout.content.dtype == np.float64


@pytest.mark.parametrize("shuffle", [None, 2])
def test_lists_of_lists_of_samples_have_one_type(tmp_path, shuffle):
    """As lists and numbers have; integers that it does not hold exactly are refused."""
    values = {"whole": [[[1], [2, 3]], [], [[4]]], "real": [[[0.5]], [[1.5, 2.5], []], []]}
    values["large"] = [[[2**53 + 1]]]
    for name, lists in values.items():
        kind = np.float32 if name == "real" else np.int64
        sk.write(tmp_path / f"{name}.root", {"x": ak.values_astype(ak.Array(lists), kind)})

    def batches(*samples):
        frame = sk.open({name: str(tmp_path / f"{name}.root") for name in samples})
        return list(sk.loader(frame, batch=2, columns=["x"], shuffle=shuffle, block=2, pool=1))

    made = batches("whole", "real")
    assert {str(each["x"].type.content) for each in made} == {"var * var * float64"}
    assert sorted(event for each in made for event in each["x"].to_list()) == sorted(
        values["whole"] + values["real"]
    )
    with pytest.raises(sk.SchemaError, match='"x" has no type that holds the values of all samples'):
        batches("large", "real")


def test_orders_of_chance_can_be_had_again(frame, truth):
    def order(threads=0, seed=4, epochs=1, **options):
        made = sk.loader(
            frame, batch=512, columns=["id"], shuffle=seed, block=500, threads=threads, **options
        )
        return [numbers(made).tolist() for _ in range(epochs)]

    first, second = order(epochs=2)
    assert first != second
    assert sorted(first) == sorted(second) == sorted(truth)
    assert order(threads=1, epochs=2) == [first, second]
    assert order(seed=5)[0] != first
    later = sk.loader(frame, batch=512, columns=["id"], shuffle=4, block=500)
    later.epoch = 1
    assert numbers(later).tolist() == second
    # Far from the order of the files, also between samples.
    assert abs(np.corrcoef(np.arange(len(first)), first)[0, 1]) < 0.5


def test_workers_share_the_events(frame, truth):
    parts = [
        numbers(
            sk.loader(frame, batch=100, columns=["id"], shuffle=3, rank=rank, world=3, block=400)
        ).tolist()
        for rank in range(3)
    ]
    assert all(parts)
    assert sorted(number for part in parts for number in part) == sorted(truth)


def test_lists_are_padded(frame, truth):
    made = list(sk.loader(frame, batch=333, columns=["id", "Muon_pt"], shuffle=9, pad=2))
    for part in made:
        assert part["Muon_pt"].dtype == np.float32
        for number, row, mask in zip(part["id"], part["Muon_pt"], part["Muon_pt_mask"], strict=True):
            expected = truth[int(number)][:2]
            assert mask.tolist() == [True] * len(expected) + [False] * (2 - len(expected))
            assert row[: len(expected)].tolist() == expected
            assert not row[len(expected) :].any()


def test_labels_and_weights_of_samples(frame):
    made = sk.loader(
        frame, batch=999, columns=["id"], shuffle=1, labels={"sig*": 1, "*": 0}, weights={"*": 0.5}
    )
    for part in made:
        np.testing.assert_array_equal(part["label"], part["id"] < 1000000)
        assert set(part["weight"]) == {0.5}
    with pytest.raises(sk.ConfigError, match='no number for the sample "background"'):
        sk.loader(frame, batch=9, labels={"signal": 1})


@pytest.mark.parametrize("key", ["labels", "weights"])
def test_numbers_of_samples_are_those_that_were_meant(frame, key):
    column = key[:-1]
    for hidden in ({"*": 0, "signal": 1}, {"*": 0, "sig*": 1}, {"s?gnal": 0, "*": 2, "signal": 1}):
        with pytest.raises(sk.ConfigError, match=f'{key}: "sig.*" comes behind ".*", which decides'):
            sk.loader(frame, batch=9, **{key: hidden})
    for number in (1e39, -1e39, 1e-50, 10**400, *((2**24 + 1, 1000010020.0) if key == "labels" else ())):
        with pytest.raises(sk.ConfigError, match=re.escape(f"{key}: {number} is no number of 32 bits")):
            sk.loader(frame, batch=9, **{key: {"*": number}})
    alike = ({"*": 1, "signal": 1}, {"signal": 1, "background": 0, "*": 5}, {"signal": 1, "sig*": 3, "*": 0})
    for given in (*alike, {"*": 0.1}, {"*": -(2**24)}, {"*": 2.0**127}):
        made = sk.loader(frame, batch=99, columns=["id"], **{key: given})
        values = {float(value) for each in made for value in each[column]}
        assert values <= {float(np.float32(value)) for value in given.values()}
    signal = [
        each[column]
        for each in sk.loader(
            sk.open({"signal": frame.samples.described["samples"]["signal"]["files"]}),
            batch=9,
            **{key: alike[2]},
        )
    ]
    assert set(np.concatenate(signal)) == {1}


def test_loops_may_end_early_and_errors_arrive(frame, truth):
    made = sk.loader(frame, batch=10, columns=["id"], block=100)
    for _, part in zip(range(3), made, strict=False):
        assert len(part["id"]) == 10
    assert sum(len(each["id"]) for each in sk.loader(frame, batch=1000, columns=["id"], drop_last=True)) == (
        len(truth) // 1000 * 1000
    )
    with pytest.raises(sk.EvaluationError):
        list(sk.loader(frame.define("x", "Muon_pt[3]"), batch=10, columns=["x"]))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"batch": 0}, "batch=0"),
        ({"batch": 1, "rank": 2, "world": 2}, "rank=2"),
        ({"batch": 1, "pad": 0}, "pad=0"),
        ({"batch": 1, "library": "tensorflow"}, "torch"),
        ({"batch": 1, "shuffle": -1}, "shuffle=-1 is no seed"),
        ({"batch": 1, "shuffle": True}, "shuffle=True is no seed"),
        ({"batch": 1, "shuffle": 1.5}, "shuffle=1.5 is no seed"),
        ({"batch": 1, "labels": {"*": 0, "sginal": 1}}, 'labels: no sample matches "sginal"'),
        ({"batch": 1, "columns": {"label": "nMuon"}, "labels": {"*": 0}}, 'two columns are called "label"'),
        ({"batch": 1, "columns": {"pt": "Muon_pt", "pt_mask": "nMuon"}, "pad": 2}, 'are called "pt_mask"'),
    ],
)
def test_mistakes(frame, options, text):
    with pytest.raises(sk.ConfigError, match=text):
        sk.loader(frame, **options)


def test_empty(frame):
    assert (
        list(sk.loader(frame.filter("nMuon > 99"), batch=10, columns=["id", "Muon_pt"], shuffle=1, pad=2))
        == []
    )


def _rest_of(batches):
    try:
        return sum(1 for _ in batches)
    except sk.ConfigError as error:
        return str(error)


def test_loops_stay_in_the_process_that_began_them(frame, truth):
    """What reads ahead does not survive a fork: the other process would wait for it for ever."""
    batches = iter(sk.loader(frame, batch=1, columns=["id"], block=100))
    next(batches)
    ours, theirs = multiprocessing.get_context("fork").Pipe()

    def rest() -> None:
        theirs.send(_rest_of(batches))

    process = multiprocessing.get_context("fork").Process(target=rest)
    process.start()
    try:
        assert ours.poll(60)
        assert "was begun in another process" in ours.recv()
    finally:
        process.kill()
        process.join()
    assert _rest_of(batches) == len(truth) - 1


def test_clusters_are_read_whole_unless_they_are_large(program, tmp_path):
    sk.generate("dimuon", tmp_path / "all.root", events=20000)
    sk.run(sk.open(tmp_path / "all.root").skim(tmp_path / "clusters.root", cluster_size="64 KiB"))
    frame = sk.open(tmp_path / "clusters.root")
    clusters = frame.samples.columns[0].clusters
    assert len(clusters) > 3

    def blocks(**sizes):
        made = sk.loader(frame, batch=100, **sizes)._blocks()
        assert [each.start for each in made[1:]] == [each.stop for each in made[:-1]]
        assert (made[0].start, made[-1].stop) == (0, 20000)
        return [each.start for each in made]

    assert blocks(block=1000) == clusters or set(clusters) < set(blocks(block=1000))
    assert set(blocks(block=5000)) < set(clusters)
    assert len(blocks(block=100)) > 150


def test_batches_are_taken_without_a_copy_by_dlpack(frame):
    for part in sk.loader(frame, batch=1000, columns=["id", "Muon_pt", "nMuon"], shuffle=1, pad=3):
        for array in part.values():
            taken = np.from_dlpack(array)
            assert taken.ctypes.data == array.ctypes.data
            np.testing.assert_array_equal(taken, array)
            assert array.flags.c_contiguous
            assert array.flags.writeable


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_tensors(frame, library):
    pytest.importorskip(library)
    made = list(sk.loader(frame, batch=500, columns=["id", "Muon_pt"], shuffle=1, pad=2, library=library))
    arrays = list(sk.loader(frame, batch=500, columns=["id", "Muon_pt"], shuffle=1, pad=2))
    for tensors, expected in zip(made, arrays, strict=True):
        assert all(type(each).__module__.startswith(library) for each in tensors.values())
        np.testing.assert_allclose(np.asarray(tensors["Muon_pt"]), expected["Muon_pt"])
        np.testing.assert_array_equal(np.asarray(tensors["Muon_pt_mask"]), expected["Muon_pt_mask"])


def test_integers_that_jax_would_cut_are_refused(tmp_path, monkeypatch):
    """It has 32 bits unless it is told otherwise, and keeps the lower ones."""

    def cut(array):
        return array.astype({"int64": "int32", "uint64": "uint32"}.get(array.dtype.name, array.dtype))

    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(numpy=SimpleNamespace(from_dlpack=cut)))
    columns = {
        "event": np.array([2**32, 7], np.uint64),
        "i": np.array([-(2**31), 2**31 - 1]),
        "n": np.int8([-1, 2]),
    }
    sk.write(tmp_path / "made.root", columns)
    frame = sk.open(tmp_path / "made.root")
    (part,) = sk.loader(frame, batch=2, columns=["i", "n"], library="jax")
    assert (part["i"].dtype, part["i"].tolist(), part["n"].tolist()) == (
        np.int32,
        [-(2**31), 2**31 - 1],
        [-1, 2],
    )
    with pytest.raises(sk.ConfigError, match=r'"event" has integers beyond 32 bits.*jax_enable_x64'):
        list(sk.loader(frame, batch=2, library="jax"))
    (part,) = sk.loader(frame.range(1, 2), batch=2, library="jax")
    assert part["event"].tolist() == [7]


def test_strings_vectors_and_nested_lists(tmp_path):
    lists = [[[float(i), 1.0], []] if i % 3 else [] for i in range(700)]
    columns = {"id": np.arange(700), "name": [f"event {i}" for i in range(700)], "nested": ak.Array(lists)}
    sk.write(tmp_path / "made.root", {**columns, "pt": ak.Array([[float(i)] * (i % 4) for i in range(700)])})
    frame = sk.open(tmp_path / "made.root").define("p4", "P4(pt, pt, pt, pt)")
    seen = []
    for part in sk.loader(frame, batch=64, shuffle=2, block=200, pad=2):
        for number, name, nested, p4 in zip(
            part["id"], part["name"], part["nested"], part["p4"], strict=True
        ):
            assert name == f"event {number}"
            assert nested.to_list() == lists[number]
            assert p4.pt.to_list() == pytest.approx([float(number)] * (number % 4))
            seen.append(int(number))
    assert sorted(seen) == list(range(700))


def test_no_shuffle_is_the_order_of_the_files(frame, truth):
    for no in (None, False):
        read = [each["id"] for each in sk.loader(frame, batch=999, columns=["id"], shuffle=no, block=500)]
        np.testing.assert_array_equal(
            np.concatenate(read),
            np.concatenate([e["id"] for e in sk.loader(frame, batch=10**6, columns=["id"])]),
        )


def test_loaders_are_made_by_their_function(dimuon):
    with pytest.raises(TypeError, match=r"made by loader\(\)"):
        sk.Loader(None, None, None)
