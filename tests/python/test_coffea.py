# SPDX-License-Identifier: BSD-3-Clause
"""Frames in processors of coffea, run by coffea itself."""

import os
import warnings
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    processor = pytest.importorskip("coffea.processor")
    from coffea.nanoevents import BaseSchema

pytestmark = pytest.mark.filterwarnings("ignore")  # what coffea and its dependencies warn of


class Pairs(processor.ProcessorABC):
    """Fills histograms of a chunk with a frame."""

    def process(self, events):
        frame = sk.open(events).vary("scale", {"MET_pt": {"up": "MET_pt * 1.1", "down": "MET_pt * 0.9"}})
        pairs = frame.filter("nMuon == 2", name="two muons")
        met = pairs.hist("MET_pt", bins=40, range=(0, 100), weight="genWeight", name="met")
        pt = pairs.hist("Muon_pt", bins=30, range=(0, 90), name="pt")
        flow = sk.run(met, pt, threads=1).cutflow
        return {
            events.metadata["dataset"]: {
                "met": met.result,
                "pt": pt.result,
                "events": {step.name: step.events for step in flow},
            }
        }

    def postprocess(self, accumulator):
        return accumulator


def function_of_chunks(events):
    met = sk.open(events).hist("MET_pt", bins=40, range=(0, 100), name="met")
    sk.run(met, threads=1)
    return {"met": met.result.to_hist(), "chunks": 1}


@pytest.fixture(scope="module")
def files(program, tmp_path_factory):
    """TTrees, as coffea reads them, of two datasets."""
    folder = tmp_path_factory.mktemp("coffea")
    made = {}
    for seed, name in enumerate(("signal", "background")):
        made[name] = str(folder / f"{name}.root")
        sk.generate("dimuon", made[name], events=5000 + 1000 * seed, seed=seed, format="ttree")
    return made


def whole(file):
    frame = sk.open(file).filter("nMuon == 2")
    met = frame.hist("MET_pt", bins=40, range=(0, 100), weight="genWeight", name="met")
    pt = frame.hist("Muon_pt", bins=30, range=(0, 90), name="pt")
    sk.run(met, pt)
    return met.result, pt.result


def runner(executor):
    return processor.Runner(executor=executor, schema=BaseSchema, chunksize=1100, savemetrics=False)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_processor(files, workers):
    executor = (
        processor.FuturesExecutor(workers=workers, status=False)
        if workers
        else processor.IterativeExecutor(status=False)
    )
    fileset = {name: [file] for name, file in files.items()}
    made = runner(executor)(fileset, processor_instance=Pairs(), treename="Events")
    assert set(made) == set(files)
    for name, file in files.items():
        met, pt = whole(file)
        # The sums are exact: no chunk shows.
        assert made[name]["met"] == met
        assert made[name]["pt"] == pt
        with uproot.open(file) as opened:
            number = opened["Events"]["nMuon"].array(library="np")
            values = opened["Events"]["MET_pt"].array(library="np")
            weight = opened["Events"]["genWeight"].array(library="np")
        assert made[name]["events"] == {"all events": len(number), "two muons": int((number == 2).sum())}
        chosen = number == 2
        scaled = values[chosen].astype(np.float64) * 1.1
        up, _ = np.histogram(scaled, bins=40, range=(0, 100), weights=weight[chosen].astype(np.float64))
        varied = made[name]["met"].variations
        assert list(varied) == ["scale_up", "scale_down"]
        np.testing.assert_allclose(varied["scale_up"].values(), up, rtol=1e-9)


def test_a_function_that_gives_histograms_of_hist(files):
    made = runner(processor.IterativeExecutor(status=False))(
        {"signal": [files["signal"]]}, processor_instance=function_of_chunks, treename="Events"
    )
    assert made["chunks"] == 5
    met = sk.open(files["signal"]).hist("MET_pt", bins=40, range=(0, 100))
    sk.run(met)
    np.testing.assert_array_equal(made["met"].values(), met.values())


class Chunk:
    """Events as coffea gives them, without coffea."""

    def __init__(self, size, **metadata):
        self._size = size
        self.metadata = metadata

    def __len__(self):
        return self._size


@pytest.fixture
def chunk(dimuon):
    return Chunk(
        600, dataset="data", filename=str(dimuon), treename="Events", entrystart=1300, entrystop=1900
    )


def test_a_chunk_is_a_part_of_a_file(chunk, arrays):
    frame = sk.open(chunk, is_data=True)
    assert frame.samples.names == ["data"]
    assert len(frame) == frame.num_entries == 600
    part = arrays[1300:1900]
    assert frame.arrays(["Muon_pt"])["Muon_pt"].to_list() == part["Muon_pt"].to_list()
    assert frame.arrays(["MET_pt"], entry_stop=1310)["MET_pt"].to_list() == part["MET_pt"][:10].to_list()
    assert len(frame.arrays(["MET_pt"], entry_start=1900)) == 0
    assert [step.events for step in frame.filter("nMuon == 2", name="2").cutflow()] == [
        600,
        ak.sum(part["nMuon"] == 2),
    ]
    assert frame.range(1350).count() == 50
    assert sk.open(chunk, sample="other").samples.names == ["other"]


def test_a_chunk_travels(chunk):
    import pickle
    import subprocess
    import sys

    frame = sk.open(chunk).filter("nMuon == 2")
    code = "import pickle, sys; frame = pickle.loads(sys.stdin.buffer.read()); print(frame.num_entries, len(frame))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(frame),
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(sk.__path__[0]).removesuffix("/skimline")},
    )
    assert done.stdout.split() == [b"600", str(len(frame)).encode()]


def test_mistakes(chunk):
    with pytest.raises(sk.ConfigError, match="600 events"):
        chunk._size = 599
        sk.open(chunk)
    del chunk.metadata["entrystop"]
    with pytest.raises(sk.ConfigError, match="entrystop is missing"):
        sk.open(chunk)


def test_no_config_can_hold_a_chunk(chunk):
    with pytest.raises(sk.ConfigError, match="1300 to 1900"):
        sk.to_config(sk.open(chunk).hist("MET_pt", bins=5, range=(0, 100)))


@pytest.fixture
def two_trees(tmp_path):
    """A file with trees of 10 and of 3 entries."""
    with uproot.recreate(tmp_path / "two.root") as file:
        for name, count in (("Events", 10), ("Other", 3)):
            file.mktree(name, {"x": "f8"}).extend({"x": np.arange(float(count))})
    with uproot.recreate(tmp_path / "others.root") as file:
        file.mktree("Other", {"x": "f8"}).extend({"x": np.arange(5.0)})
    return str(tmp_path / "two.root")


@pytest.mark.parametrize(
    ("tree", "count"),
    [
        ("Events", 10),
        ("Other", 3),
        (None, 10),
        ({"object_path": "Other"}, 3),
        ({"object_path": "Other", "steps": None, "num_entries": 3}, 3),
        ({"object_path": "Other", "steps": [[0, 2], [2, 3]]}, 3),
    ],
)
def test_filesets_name_the_trees(two_trees, tree, count):
    fileset = {"data": {"files": {two_trees: tree}, "metadata": {"year": 2018}}}
    events = sk.open(fileset)
    np.testing.assert_array_equal(events.arrays({"x": "x + year"}).x, np.arange(count) + 2018)
    assert sk.open({"data": {two_trees: tree}}).num_entries == count
    if tree is not None and count == 10:
        assert sk.open(f"{two_trees}:Events", friends={"f": {two_trees: tree}}).take("f.x").value[-1] == 9


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (lambda path: {"data": {"files": {path: "Othr"}}}, 'did you mean "Other"'),
        (lambda path: {path: "Events"}, 'named as in "a.root:Events"'),
        (lambda path: {"data": {"files": {path: 3}}}, "needs the name of a tree, not 3"),
        (
            lambda path: {"data": {"files": {path: {"object_path": "Other", "steps": [[0, 2]]}}}},
            "have 2 of its 3 entries",
        ),
        (
            lambda path: {"data": {path: {"object_path": "Other", "steps": [[0, 2]]}}},
            "have 2 of its 3 entries",
        ),
        (
            lambda path: {
                "data": {
                    "files": {
                        path: {"object_path": "Other", "steps": [[0, 2]]},
                        Path(path).with_name("others.root"): "Other",
                    },
                }
            },
            "have 2 of its 3 entries",
        ),
        (
            lambda path: {
                "data": {
                    "files": [f"{path}:Other"],
                    "friends": {"f": {path: {"object_path": "Other", "steps": [[0, 2]]}}},
                }
            },
            "have 2 of its 3 entries",
        ),
        (
            lambda path: {"data": {"files": {path: {"object_path": "Other", "steps": [[1, 3]]}}}},
            "are not the whole file",
        ),
    ],
)
def test_filesets_that_cannot_be_opened(two_trees, files, message):
    with pytest.raises(sk.Error, match=message):
        sk.open(files(two_trees))


def test_what_others_have_opened(two_trees):
    file = uproot.open(two_trees)
    for source, message in [
        (file, f'by their paths, "{two_trees}", not as objects of uproot'),
        (file["Other"], f'by their paths, "{two_trees}:Other", not as objects'),
        (ak.Array([{"x": 1}]), "write\\(\\) makes a file of a Array"),
        (file["Other"].arrays(library="pd"), "makes a file of a DataFrame"),
    ]:
        with pytest.raises(TypeError, match=message):
            sk.open(source)
