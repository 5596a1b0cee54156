# SPDX-License-Identifier: BSD-3-Clause
"""Writes files for the AGC whose events lie on cuts, on edges of bins and tie, and the list of them.

Each sample has its own events. The trees are copied to both layouts of an RNTuple.
"""

import json
from pathlib import Path

import numpy as np
import ROOT

LAYOUTS = ("tree", "snapshot", "imported")

SAMPLES = {
    "ttbar": ("nominal", "scaledown", "scaleup", "ME_var", "PS_var"),
    "single_top_s_chan": ("nominal",),
    "single_top_t_chan": ("nominal",),
    "single_top_tW": ("nominal",),
    "wjets": ("nominal",),
}

# Of ROOT's leaves.
LEAVES = {np.float32: "F", np.int32: "I", np.bool_: "O"}
TYPES = {"cutBased": np.int32, "jetId": np.int32, "tightId": np.bool_}
MOST = 32

Columns = dict[str, np.ndarray]


def with_exact(
    values: np.ndarray, exact: list[float], share: float, random: np.random.Generator
) -> np.ndarray:
    """Replaces a share of the values by some of `exact`."""
    is_exact = random.random(values.size) < share
    return np.where(is_exact, random.choice(exact, values.size), values)


def momenta(is_coarse: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Transverse momenta: in multiples of 5 GeV where asked, so that their sums lie on edges; else at the cuts too."""
    pt = 10 + random.exponential(50, is_coarse.size)
    exact = with_exact(pt, [25, 30, np.nextafter(np.float32(25), np.float32(26))], 0.06, random)
    return np.where(is_coarse, 5 * np.round(pt / 5), exact)


def leptons(is_coarse: np.ndarray, random: np.random.Generator) -> Columns:
    count = is_coarse.size
    return {
        "pt": momenta(is_coarse, random),
        "eta": with_exact(random.uniform(-2.3, 2.3, count), [2.1, -2.1], 0.05, random),
        "sip3d": with_exact(random.exponential(1, count), [4], 0.05, random),
    }


def electrons(is_coarse: np.ndarray, random: np.random.Generator) -> Columns:
    working_points = random.choice([1, 2, 3, 4], is_coarse.size, p=[0.05, 0.05, 0.1, 0.8])
    return leptons(is_coarse, random) | {"cutBased": working_points}


def muons(is_coarse: np.ndarray, random: np.random.Generator) -> Columns:
    count = is_coarse.size
    return leptons(is_coarse, random) | {
        "tightId": random.random(count) < 0.85,
        "pfRelIso04_all": with_exact(random.exponential(0.05, count), [0.15], 0.05, random),
    }


def jets(is_coarse: np.ndarray, random: np.random.Generator) -> Columns:
    count = is_coarse.size
    pt = momenta(is_coarse, random)
    return {
        "pt": pt,
        "eta": with_exact(random.uniform(-2.5, 2.5, count), [2.4, -2.4], 0.05, random),
        "phi": random.uniform(-np.pi, np.pi, count),
        "mass": np.where(random.random(count) < 0.1, -random.uniform(0, 5, count), 0.12 * pt),
        "btagCSVV2": with_exact(random.beta(0.6, 1, count), [0.5, -10, 1], 0.1, random),
        "jetId": random.choice([0, 2, 6], count, p=[0.03, 0.07, 0.9]),
    }


# How to make the objects, and how many there are on average.
COLLECTIONS = {"Electron": (electrons, 0.55), "Muon": (muons, 0.55), "Jet": (jets, 7.5)}


class Collection:
    """The lists of all events one after the other, and the variables that one event is filled from."""

    def __init__(self, name: str, num_events: int, random: np.random.Generator) -> None:
        make, mean = COLLECTIONS[name]
        self.name = name
        self.counts = np.minimum(random.poisson(mean, num_events), MOST)
        self.counts[::40] = 0
        self.ends = np.cumsum(self.counts)
        is_coarse = np.repeat(np.arange(num_events) % 3 == 0, self.counts)
        self.values = make(is_coarse, random)
        self.count = np.zeros(1, np.uint32)
        self.columns = {field: np.zeros(MOST, TYPES.get(field, np.float32)) for field in self.values}

    def tie(self, random: np.random.Generator) -> None:
        """Gives some objects pt and azimuth of the one before: three jets then tie in pt, not in mass."""
        position = np.arange(self.ends[-1]) - np.repeat(self.ends - self.counts, self.counts)
        twins = np.flatnonzero((position % 2 == 1) & (random.random(position.size) < 0.15))
        for field in ("pt", "phi"):
            self.values[field][twins] = self.values[field][twins - 1]

    def add_branches(self, tree) -> None:
        tree.Branch(f"n{self.name}", self.count, f"n{self.name}/i")
        for field, column in self.columns.items():
            branch = f"{self.name}_{field}"
            tree.Branch(branch, column, f"{branch}[n{self.name}]/{LEAVES[column.dtype.type]}")

    def load(self, event: int) -> None:
        count, end = self.counts[event], self.ends[event]
        self.count[0] = count
        for field, values in self.values.items():
            self.columns[field][:count] = values[end - count : end]


def write_tree(path: Path, num_events: int, random: np.random.Generator) -> None:
    collections = [Collection(name, num_events, random) for name in COLLECTIONS]
    collections[-1].tie(random)
    with ROOT.TFile.Open(str(path), "RECREATE") as file:
        tree = ROOT.TTree("Events", "")
        # Several baskets of each branch.
        tree.SetAutoFlush(400)
        for collection in collections:
            collection.add_branches(tree)
        for event in range(num_events):
            for collection in collections:
                collection.load(event)
            tree.Fill()
        file.WriteObject(tree, "Events")


def snapshot(tree: Path, path: Path) -> None:
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kRNTuple
    ROOT.RDataFrame("Events", str(tree)).Snapshot("Events", str(path), "", options)


def import_tree(tree: Path, path: Path) -> None:
    importer = ROOT.Experimental.RNTupleImporter.Create(str(tree), "Events", str(path))
    importer.SetIsQuiet(True)
    importer.Import()


WRITERS = {"snapshot": snapshot, "imported": import_tree}


def write_samples(folder: Path, num_events: int = 1500) -> dict[str, Path]:
    """Writes all samples in each layout, and returns the list of inputs of each.

    The numbers of events differ; ttbar nominal has two files.
    """
    inputs: dict[str, dict] = {layout: {} for layout in LAYOUTS}
    for layout in LAYOUTS:
        (folder / layout).mkdir(parents=True)
    sizes = iter(range(num_events, 2 * num_events))
    for process, variations in SAMPLES.items():
        for variation in variations:
            parts = ("_0", "_1") if (process, variation) == ("ttbar", "nominal") else ("",)
            files = []
            for part in parts:
                file = {"path": f"{process}__{variation}{part}.root", "nevts": next(sizes)}
                tree = folder / "tree" / file["path"]
                write_tree(tree, file["nevts"], np.random.default_rng(file["nevts"]))
                for layout, write in WRITERS.items():
                    write(tree, folder / layout / file["path"])
                files.append(file)
            described = {"nevts_total": sum(file["nevts"] for file in files), "files": files}
            for layout in LAYOUTS:
                inputs[layout].setdefault(process, {})[variation] = described
    for layout, samples in inputs.items():
        (folder / layout / "nanoaod_inputs.json").write_text(json.dumps(samples, indent=2))
    return {layout: folder / layout / "nanoaod_inputs.json" for layout in LAYOUTS}
