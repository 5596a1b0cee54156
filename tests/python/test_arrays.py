# SPDX-License-Identifier: BSD-3-Clause
"""Events as arrays, judged by what uproot reads and numpy computes."""

import _thread
import gc
import json
import math
import os
import signal
import threading
import weakref

import pytest

ak = pytest.importorskip("awkward")
np = pytest.importorskip("numpy")
uproot = pytest.importorskip("uproot")

import skimline as sk  # noqa: E402
from skimline import _core, arrays  # noqa: E402
from skimline.errors import (  # noqa: E402
    ConfigError,
    Error,
    EvaluationError,
    ExpressionError,
    FileError,
    IncompleteWarning,
    RunWarning,
    SchemaError,
)

# Some are written by uproot.
pytestmark = pytest.mark.filterwarnings("ignore:(?s).*pages without checksums")
NUM_EVENTS = 30000
MAX_COLUMNS = 25  # of a file of others: uproot takes a second for a few of them
STEPS = [1000, 4096, 7, 29999, 30000, 50000, "100 kB", "1 MiB", "1 GB", "1 B"]


def config_of(files, *, select=(), limits=None, **keys):
    """A config of one sample, or of several if `files` is a dict."""
    samples = files if isinstance(files, dict) else {"a": [str(file) for file in np.atleast_1d(files)]}
    text = {
        "schema_version": 1,
        "allow_duplicates": True,
        "samples": {name: {"files": each} for name, each in samples.items()},
        "select": [{"name": cut, "where": cut} for cut in select],
        **keys,
    }
    return _core.Config("<python>", json.dumps(text), **(limits or {}))


def random_events(count, seed=3):
    random = np.random.default_rng(seed)
    counts = random.integers(0, 4, count)
    inner = random.integers(0, 3, counts.sum())
    innermost = random.integers(0, 3, inner.sum())
    texts = ak.Array([f"t{i % 7}" for i in range(counts.sum())] or ["x"])[: counts.sum()]
    columns = {
        "flag": random.random(count) < 0.4,
        "i8": random.integers(-100, 100, count).astype(np.int8),
        "u16": random.integers(0, 60000, count).astype(np.uint16),
        "i32": random.integers(-(2**30), 2**30, count).astype(np.int32),
        "u64": random.integers(0, 2**63, count).astype(np.uint64),
        "f": random.normal(size=count).astype(np.float32),
        "d": random.normal(size=count),
        "name": ak.Array(["ä" * (i % 4) + str(i) for i in range(count)] or ["x"])[:count],
        "pt": ak.unflatten(random.exponential(30, counts.sum()).astype(np.float32), counts),
        "good": ak.unflatten(random.random(counts.sum()) < 0.5, counts),
        "hits": ak.unflatten(
            ak.unflatten(random.integers(0, 9, inner.sum()).astype(np.int32), inner), counts
        ),
        "cells": ak.unflatten(
            ak.unflatten(
                ak.unflatten(random.normal(size=innermost.sum()).astype(np.float32), innermost), inner
            ),
            counts,
        ),
        "tags": ak.unflatten(texts, counts),
    }
    return ak.Array(columns)


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory):
    """A file of three clusters with a column of each kind."""
    path = tmp_path_factory.mktemp("kinds") / "kinds.root"
    events = random_events(NUM_EVENTS)
    with uproot.recreate(path) as file:
        ntuple = file.mkrntuple("Events", events[:12000])
        ntuple.extend(events[12000:12003])
        ntuple.extend(events[12003:])
    return path, events


@pytest.fixture(scope="module")
def dimuon(tmp_path_factory):
    path = tmp_path_factory.mktemp("dimuon") / "dimuon.root"
    command = ["skimline", "generate", "dimuon", "--events", str(NUM_EVENTS), "-o", str(path), "--quiet"]
    assert _core.run_program(command) == 0
    with uproot.open(path) as file:
        return path, file["Events"].arrays()


def assert_same(ours, theirs, columns=None):
    for name in columns or theirs.fields:
        assert ak.array_equal(ours[name], theirs[name]), name
        assert str(ours[name].type).split("* ", 1)[1] == str(theirs[name].type).split("* ", 1)[1], name


def links_to(path, count, folder):
    """The same file by several names, as a config takes no name twice."""
    links = [folder / f"link_{i}.root" for i in range(count)]
    for link in links:
        os.link(path, link)
    return links


def outputs_of(fields):
    return {name: name for name in fields}


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_reads_every_kind_of_column_as_uproot_does(all_kinds, threads):
    path, written = all_kinds
    with uproot.open(path) as file:
        theirs = file["Events"].arrays()
    ours = arrays.read(config_of(path), outputs_of(theirs.fields), threads=threads)
    assert ours.fields == theirs.fields
    assert len(ours) == NUM_EVENTS
    assert_same(ours, theirs)
    assert_same(ours, written)


@pytest.mark.thorough
def test_reads_the_files_of_others(shared_data):
    """All columns that uproot gives by the same name, of all files that both can open."""
    num_files = num_columns = 0
    for path in sorted(shared_data.glob("*.root")):
        with uproot.open(path) as file:
            names = [n for n, c in file.classnames().items() if c in ("TTree", "ROOT::RNTuple")]
            for name in {name.split(";")[0] for name in names}:
                compared = compare_with_uproot(f"{path}:{name}", file[name])
                num_files += compared > 0
                num_columns += compared
    assert num_files >= 10
    assert num_columns >= 300


def compare_with_uproot(location, theirs):
    try:
        config = config_of(location)
        columns = [name for name, _, _ in _core.SampleColumns(config, 0).columns]
    except Error:
        return 0
    names = set(theirs.keys())
    shared = {}
    for name in [name for name in columns if name in names][:MAX_COLUMNS]:
        try:
            array = theirs[name].array()
        except Exception:
            continue
        if is_plain(array.layout):
            shared[name] = array
    if not shared:
        return 0
    ours = arrays.read(config, outputs_of(shared), threads=2)
    for name, array in shared.items():
        assert is_nearly_equal(ours[name], array) or ours[name].tolist() == array.tolist(), (
            f"{location}: {name}"
        )
    return len(shared)


def is_plain(layout):
    while layout.is_list and layout.parameter("__array__") is None:
        layout = layout.content
    return layout.is_numpy or layout.parameter("__array__") in ("string", "bytestring")


def is_nearly_equal(ours, theirs):
    """Equal but for NaN, and for arrays of one size that are lists of equal sizes elsewhere."""
    return ak.array_equal(ours, ak.from_regular(theirs, axis=None), equal_nan=True, dtype_exact=False)


def test_applies_definitions_and_cuts(dimuon):
    path, events = dimuon
    config = config_of(
        path, select=["nMuon == 2", "lead > 20"], define={"lead": "Muon_pt[0]", "scaled": "Muon_pt * 2"}
    )
    outputs = {
        "lead": "lead",
        "scaled": "scaled",
        "sum": "Sum(Muon_pt)",
        "close": "abs(Muon_eta) < 1.5",
        "n": "nMuon",
    }
    ours = arrays.read(config, outputs)
    kept = events[events.nMuon == 2]
    kept = kept[kept.Muon_pt[:, 0] > 20]
    assert 0 < len(kept) < NUM_EVENTS
    assert ak.array_equal(ours.lead, kept.Muon_pt[:, 0])
    assert ak.array_equal(ours.scaled, kept.Muon_pt * np.float32(2))
    assert ak.array_equal(ours.close, ak.values_astype(abs(kept.Muon_eta) < 1.5, np.int32))
    assert ak.array_equal(ours.n, kept.nMuon)
    assert np.allclose(ours.sum, ak.sum(kept.Muon_pt, axis=1), rtol=1e-6)


@pytest.mark.parametrize("select", [[], ["d > 0"], ["d > 3"], ["entry_ == 12001"], ["d > 100"]])
@pytest.mark.parametrize("threads", [1, 2])
def test_parts_make_the_whole(all_kinds, select, threads):
    path, written = all_kinds
    config = config_of(path, select=select)
    outputs = outputs_of(["f", "flag", "pt", "hits", "name", "tags"])
    whole = arrays.read(config, outputs, threads=1)
    condition = {"d > 0": written.d > 0, "d > 3": written.d > 3, "d > 100": written.d > 100}
    condition["entry_ == 12001"] = ak.local_index(written.d, axis=0) == 12001
    assert_same(whole, written[condition[select[0]]] if select else written, outputs)
    for step in STEPS:
        if step in (7, "1 B") and len(whole) > 1000:
            continue
        parts = list(arrays.iterate(config, outputs, step=step, threads=threads))
        assert all(len(part) > 0 for part in parts)
        if isinstance(step, int):
            assert [len(part) for part in parts[:-1]] == [step] * (len(parts) - 1)
        if not parts:
            assert len(whole) == 0
            continue
        assert_same(ak.concatenate(parts), whole)


def test_parts_do_not_depend_on_the_threads(all_kinds):
    config = config_of(all_kinds[0], select=["d > 1"])
    sizes = {
        threads: [
            len(part)
            for part in arrays.iterate(config, {"p": "pt", "t": "tags"}, step="40 kB", threads=threads)
        ]
        for threads in (1, 2, 5)
    }
    assert len(sizes[1]) == 5
    assert sizes[1] == sizes[2] == sizes[5]


def bytes_of(array):
    """What the buffers of an array take that are in use, but for the first of each level of offsets."""
    _, _, buffers = ak.to_buffers(array)
    num_levels = sum("offsets" in name for name in buffers)
    return sum(buffer.nbytes for buffer in buffers.values()) - 8 * num_levels


@pytest.mark.parametrize("step", ["30 kB", "1 MiB"])
def test_parts_take_the_bytes_that_were_asked_for(all_kinds, step):
    limit = {"30 kB": 30000, "1 MiB": 2**20}[step]
    outputs = outputs_of(["f", "pt", "hits", "name"])
    sizes = [bytes_of(part) for part in arrays.iterate(config_of(all_kinds[0]), outputs, step=step)]
    assert max(sizes) <= limit
    assert min(sizes[:-1]) > limit - 300  # one event more would be too much


@pytest.mark.thorough
def test_memory_of_parts_is_given_back(dimuon, tmp_path):
    """No part lives on once it is forgotten, however many there are."""
    gc.freeze()  # what other tests have left need not be looked through for each
    alive = []
    for part in arrays.iterate(config_of(links_to(dimuon[0], 3, tmp_path)), {"pt": "Muon_pt"}, step=5000):
        alive.append(weakref.ref(part.layout))
        del part
        gc.collect()
        assert sum(each() is not None for each in alive) == 0
    assert len(alive) == 18


@pytest.mark.parametrize("step", [3000, "50 kB"])
def test_reads_several_files_and_limits(dimuon, tmp_path, step):
    path, events = dimuon
    files = links_to(path, 2, tmp_path)
    twice = ak.concatenate([events, events])
    for limit in (1, 35000, 60000, 99999):
        config = config_of(files, limits={"limit_events": limit})
        ours = arrays.read(config, outputs_of(["Muon_pt", "event"]))
        assert_same(ours, twice[:limit], ["Muon_pt", "event"])
        parts = list(arrays.iterate(config, outputs_of(["Muon_pt", "event"]), step=step))
        assert_same(ak.concatenate(parts), ours)


def test_reads_the_sample_that_is_asked_for(dimuon, tmp_path):
    links = [str(link) for link in links_to(dimuon[0], 3, tmp_path)]
    config = config_of({"one": links[:1], "two": links[1:]})
    assert len(arrays.read(config, {"n": "nMuon"}, sample=1)) == 2 * NUM_EVENTS
    assert len(arrays.read(config, {"n": "nMuon"})) == NUM_EVENTS
    assert sum(len(part) for part in arrays.iterate(config, {"n": "nMuon"}, sample=1)) == 2 * NUM_EVENTS
    for sample in (2, -1):
        with pytest.raises(ConfigError, match=f"no sample number {sample}"):
            arrays.read(config, {"n": "nMuon"}, sample=sample)


@pytest.mark.parametrize("library", ["ak", "np", "pa", "pd"])
def test_empty_results_keep_their_types(tmp_path, all_kinds, library):
    if library in ("pa", "pd"):
        pytest.importorskip({"pa": "pyarrow", "pd": "pandas"}[library])
    with uproot.recreate(tmp_path / "empty.root") as file:
        file.mkrntuple("Events", random_events(10)[:0])
    names = ["flag", "i8", "u64", "d", "name"] + (["pt", "hits"] if library != "np" else [])
    for config in (config_of(tmp_path / "empty.root"), config_of(all_kinds[0], select=["d > 100"])):
        empty = arrays.read(config, outputs_of(names), library=library)
        full = arrays.read(config_of(all_kinds[0]), outputs_of(names), library=library)
        assert len(empty["flag"]) == 0
        for name in names:
            kinds = [
                str(each[name].type).split("* ", 1)[1]
                if library == "ak"
                else each[name].type
                if library == "pa"
                else each[name].dtype
                for each in (empty, full)
            ]
            assert kinds[0] == kinds[1], name
        assert list(arrays.iterate(config, outputs_of(names), library=library)) == []


def test_gives_numpy_arrays(all_kinds):
    path, written = all_kinds
    names = ["flag", "i8", "u16", "i32", "u64", "f", "d", "name"]
    ours = arrays.read(config_of(path), outputs_of(names), library="np")
    assert list(ours) == names
    for name in names[:-1]:
        theirs = ak.to_numpy(written[name])
        assert ours[name].dtype == theirs.dtype
        assert np.array_equal(ours[name], theirs)
        assert ours[name].flags.writeable
    assert ours["flag"].dtype == np.bool_
    assert ours["name"].tolist() == written.name.tolist()


@pytest.mark.parametrize(
    ("expression", "problem"),
    [("pt", "a list for each event"), ("hits", "a list of lists"), ("P4(f, 0, 0, 0)", "Lorentz vector")],
)
def test_numpy_takes_no_lists(all_kinds, expression, problem):
    with pytest.raises(SchemaError, match=problem) as error:
        arrays.read(config_of(all_kinds[0]), {"x": expression}, library="np")
    assert 'library="ak"' in str(error.value)


def test_gives_arrow_tables(all_kinds):
    pa = pytest.importorskip("pyarrow")
    path, written = all_kinds
    table = arrays.read(config_of(path), outputs_of(written.fields), library="pa")
    table.validate(full=True)
    assert table.column_names == written.fields
    for name in written.fields:
        assert table[name].to_pylist() == ak.to_list(written[name]), name
    assert table.schema.field("pt").type == pa.large_list(pa.field("item", pa.float32(), nullable=False))
    assert table.schema.field("flag") == pa.field("flag", pa.bool_(), nullable=False)


def test_gives_data_frames(all_kinds):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path, written = all_kinds
    frame = arrays.read(config_of(path), outputs_of(written.fields), library="pd")
    assert list(frame.columns) == written.fields
    for name in ("flag", "i8", "u64", "f"):
        assert frame[name].dtype == ak.to_numpy(written[name]).dtype
    assert isinstance(frame["pt"].dtype, pd.ArrowDtype)
    assert isinstance(frame["name"].dtype, pd.ArrowDtype)
    for name in written.fields:
        assert (
            frame[name].map(lambda x: x.tolist() if hasattr(x, "tolist") else x).tolist()
            == written[name].tolist()
        )


def test_lorentz_vectors_become_records(dimuon):
    path, events = dimuon
    config = config_of(path, select=["nMuon > 0"], limits={"limit_events": 2000})
    outputs = {"p": "P4(Muon_pt, Muon_eta, Muon_phi, Muon_mass)", "q": "P4(Muon_pt[0], 1.5, 0.5, 2)"}
    ours = arrays.read(config, outputs)
    kept = events[:2000]
    kept = kept[kept.nMuon > 0]
    assert ours.fields == ["p", "q"]
    assert ours.p.fields == ours.q.fields == ["pt", "eta", "phi", "mass"]
    assert np.allclose(ak.flatten(ours.p.pt), ak.flatten(kept.Muon_pt), rtol=1e-6)
    assert np.allclose(ak.flatten(ours.p.eta), ak.flatten(kept.Muon_eta), rtol=1e-5, atol=1e-6)
    assert np.allclose(ours.q.mass, 2, rtol=1e-3)
    pytest.importorskip("pyarrow")
    table = arrays.read(config, outputs, library="pa")
    assert table["p"].to_pylist() == ours.p.tolist()
    frame = arrays.read(config, outputs, library="pd")
    assert frame["q"].tolist() == ours.q.tolist()


def test_bodies_of_functions_may_give_lorentz_vectors(dimuon):
    config = config_of(dimuon[0], limits={"limit_events": 2000})
    body = "auto p = P4(Muon_pt, Muon_eta, Muon_phi, Muon_mass); if (nMuon > 1) return p[0] + p[1]; return P4(0, 0, 0, 0);"
    written_out = body.split(";")[0].removeprefix("auto p = ")
    expected = f"nMuon > 1 ? ({written_out})[0] + ({written_out})[1] : P4(0, 0, 0, 0)"
    made = arrays.read(config, {"p": body, "q": expected})
    assert made.p.tolist() == made.q.tolist()
    assert ak.any(made.p.mass > 0)


def test_nested_names_stay_as_they_are(shared_data):
    path = shared_data / "test_nested_structs_rntuple_v1-0-0-0.root"
    config = config_of(path)
    names = [name for name, _, _ in _core.SampleColumns(config, 0).columns if "." in name]
    assert names
    assert arrays.read(config, outputs_of(names)).fields == names


def test_mistakes_are_named(dimuon):
    config = config_of(dimuon[0])
    with pytest.raises(ExpressionError, match="Muon_pt") as error:
        arrays.read(config, {"x": "Muon_pT * 2"})
    assert (error.value.text, error.value.offset, error.value.length) == ("Muon_pT * 2", 0, 7)
    with pytest.raises(ExpressionError):
        arrays.iterate(config, {"x": "Muon_pt +"})  # at once
    with pytest.raises(SchemaError, match="no columns"):
        arrays.read(config, {})
    with pytest.raises(ConfigError, match='library: "numpy"'):
        arrays.read(config, {"x": "nMuon"}, library="numpy")
    for step in (0, -5, "100", "MB", "0.1 B", "5 apples", ""):
        with pytest.raises(ConfigError, match="step"):
            arrays.iterate(config, {"x": "nMuon"}, step=step)
    with pytest.raises(ConfigError, match="step is a whole number"):
        arrays.iterate(config, {"x": "nMuon"}, step=1.5)
    with pytest.raises(ConfigError, match="nowhere"):
        arrays.read(config_of(dimuon[0], select=["nowhere > 1"]), {"x": "nMuon"})


def test_weights_are_those_of_a_run(dimuon):
    """The events lack no factor that histograms have."""
    path, events = dimuon
    weights = ak.to_numpy(events.genWeight).astype(np.float64)
    text = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(path)], "cross_section_pb": 5, "sum_weights": "genWeight"}},
        "luminosity_pb": 100,
        "weights": {"gen": "genWeight", "lumi": "normalisation_"},
        "select": [{"name": "two", "where": "nMuon == 2"}],
    }
    read = arrays.read(
        _core.Config("<python>", json.dumps(text)), {"w": "weight_", "n": "nMuon"}, library="np"
    )
    expected = (weights * (5 * 100 / math.fsum(weights)))[ak.to_numpy(events.nMuon) == 2]
    np.testing.assert_allclose(read["w"], expected, rtol=1e-12)
    parts = arrays.iterate(
        _core.Config("<python>", json.dumps(text)), {"w": "weight_"}, library="np", step=999
    )
    np.testing.assert_array_equal(np.concatenate([part["w"] for part in parts]), read["w"])
    del text["samples"]["mc"]["sum_weights"]
    with pytest.raises(ConfigError, match='needs "sum_weights"'):
        arrays.read(_core.Config("<python>", json.dumps(text)), {"w": "weight_"})


def test_evaluation_errors_say_where(dimuon, tmp_path):
    _, events = dimuon
    path, other = links_to(dimuon[0], 2, tmp_path)
    first = int(np.argmax(ak.to_numpy(events.nMuon) < 2))
    config = config_of([path, other])
    with pytest.raises(EvaluationError, match=f'"second": .*entry {first} of {path}') as error:
        arrays.read(config, {"second": "Muon_pt[1]"})
    assert error.value.entry == first
    parts = arrays.iterate(config_of(path), {"ratio": "Muon_pt[entry_ < 20000 ? 0 : 9]"}, step=10)
    with pytest.raises(EvaluationError):
        list(parts)
    with pytest.raises(StopIteration):
        next(parts)


def damaged_copy(path, folder):
    copy = folder / "damaged.root"
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    copy.write_bytes(content)
    return copy


def test_damaged_files_are_refused_or_left_out(dimuon, tmp_path):
    path, events = dimuon
    copy = damaged_copy(path, tmp_path)
    first, last = links_to(path, 2, tmp_path)
    outputs = outputs_of(events.fields)
    with pytest.raises(FileError, match=r"damaged\.root"):
        arrays.read(config_of(copy), outputs)
    policy = {"on_bad_file": "skip", "max_bad_fraction": 0.5}
    with pytest.warns(RunWarning, match=r"left out: .*damaged\.root"):
        ours = arrays.read(config_of([first, copy, last], **policy), outputs)
    assert_same(ours, ak.concatenate([events, events]))
    with pytest.raises(FileError, match=r"damaged\.root"):
        list(arrays.iterate(config_of([first, copy], **policy), outputs, step=1000, threads=1))


def test_missing_packages_are_named(dimuon, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "awkward", None)
    with pytest.raises(ImportError, match='library="ak" needs awkward: pip install awkward'):
        arrays.read(config_of(dimuon[0]), {"n": "nMuon"})


def test_can_be_interrupted(dimuon, tmp_path):
    config = config_of(links_to(dimuon[0], 200, tmp_path))
    outputs = {f"x{i}": f"Sum(sqrt(exp(sin(Muon_pt * {i}))))" for i in range(400)}
    reader = _core.EventReader(config, list(outputs.items()), threads=2)
    # Processes that are started in the background may have the signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        reader.read()
    timer.join()
    with pytest.raises(Error, match="after an error or an interruption"):
        reader.read()


def test_readers_refuse_calls_that_overlap(dimuon, tmp_path):
    config = config_of(links_to(dimuon[0], 100, tmp_path))
    reader = _core.EventReader(config, [("x", "Sum(exp(sin(Muon_pt)))")], threads=1)
    faults = []

    def read():
        try:
            reader.read(events=1_000_000)
        except Error as error:
            faults.append(str(error))

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults in ([], ["the events are being read by another thread"])


def test_warns_as_a_run_does(tmp_path):
    """Of files without checksums, and of those that are left out."""
    with uproot.recreate(tmp_path / "theirs.root", compression=uproot.ZSTD(1)) as file:
        file.mkrntuple("Events", {"x": np.arange(100.0)})
    config = config_of(tmp_path / "theirs.root")
    with pytest.warns(RunWarning, match="pages without checksums"):
        arrays.read(config, {"x": "x"})
    with pytest.warns(RunWarning, match="pages without checksums"):
        next(arrays.iterate(config, {"x": "x"}, step=10))
    content = bytearray((tmp_path / "theirs.root").read_bytes())
    (tmp_path / "damaged.root").write_bytes(content[: len(content) // 2])
    config = config_of(
        [tmp_path / "theirs.root", tmp_path / "damaged.root"], on_bad_file="skip", max_bad_fraction=0.9
    )
    with pytest.warns(RunWarning, match=r"left out: .*damaged\.root"):
        assert len(arrays.read(config, {"x": "x"})) == 100


def test_steps_warn_of_what_is_not_there(tmp_path):
    """Of a page that is damaged when it is read, and of a file with fewer events than were promised."""
    for name in ("bad", "sound"):
        sk.generate("dimuon", tmp_path / f"{name}.root", events=500, seed=len(name))
    content = bytearray((tmp_path / "bad.root").read_bytes())
    for place in range(len(content) // 3, len(content) // 2, 100):
        content[place] ^= 0xFF
    (tmp_path / "bad.root").write_bytes(content)
    frame = sk.open(
        [tmp_path / "bad.root", tmp_path / "sound.root"], on_bad_file="skip", max_bad_fraction=0.5
    )
    with pytest.warns(IncompleteWarning, match="left out"):
        assert sum(map(len, frame.iterate(step=100))) == 500
    files = {str(tmp_path / "sound.root"): {"object_path": "Events", "num_entries": 501}}
    (tmp_path / "files.json").write_text(json.dumps({"a": {"files": files}}))
    (tmp_path / "c.json").write_text(
        '{"schema_version": 1, "samples_from": "files.json", "skims": {"s": {"file": "s.root"}}}'
    )
    with pytest.warns(IncompleteWarning, match="missing: .* 501 entries promised"):
        assert sum(map(len, sk.Frame.from_config(tmp_path / "c.json").iterate(["nMuon"]))) == 500


@pytest.mark.parametrize("kind", ["ttree", "collection"])
def test_columns_of_a_collection_share_their_offsets(kind, tmp_path):
    columns = ["Muon_pt", "Muon_charge", "nMuon", "Jet_pt", "Muon_eta"]
    sk.generate("dimuon", tmp_path / "events.root", events=3000, format="ttree")
    if kind == "collection":
        sk.convert(tmp_path / "events.root", tmp_path / "converted.root")
    file = tmp_path / ("events.root" if kind == "ttree" else "converted.root")
    events = sk.open(file)
    _, parts = events.arrays(columns, library="parts")
    pt, charge, count, jet, eta = parts
    assert count.offsets == []
    assert (pt.offsets[0] is charge.offsets[0]) == (pt.offsets[0] is eta.offsets[0])
    assert pt.offsets[0] is not jet.offsets[0]
    if kind == "ttree":
        assert pt.offsets[0] is charge.offsets[0]
    with uproot.open(tmp_path / "events.root") as opened:
        expected = opened["Events"].arrays(columns)
    assert events.arrays(columns).to_list() == expected.to_list()
    assert [len(part) for part in events.iterate(columns, step=1100)] == [1100, 1100, 800]
    assert ak.concatenate(list(events.iterate(columns, step=1100))).to_list() == expected.to_list()
    chosen = events.filter("nMuon == 1").arrays({"twice": "Muon_pt * 2", "pt": "Muon_pt", "eta": "Muon_eta"})
    assert chosen["pt"].to_list() == expected[expected["nMuon"] == 1]["Muon_pt"].to_list()
    assert chosen["twice"].to_list() == (2 * chosen["pt"]).to_list()
    table = events.arrays(columns, library="pa")
    assert table["Muon_eta"].to_pylist() == expected["Muon_eta"].to_list()
