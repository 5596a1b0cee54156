# SPDX-License-Identifier: BSD-3-Clause
"""Merging merged files gives the bytes of merging all at once, however the merges are grouped."""

import json
import random
from itertools import chain, pairwise

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, INCOMPLETE

NUM_SHARDS = 7

OPTIONS = [
    [],
    ["--method", "copy"],
    ["--method", "kernel"],
    ["--method", "rewrite"],
    ["--cluster-size", "300 KiB"],
    ["--method", "rewrite", "--cluster-size", "90 KiB"],
    ["--method", "copy", "--cluster-size", "150 KiB"],
    ["--cluster-size", "200 KiB", "--compression", "lz4"],
]


@pytest.fixture(scope="module")
def shards(generate, run_in, call, tmp_path_factory):
    """Skims as RNTuple and as TTree, and histograms; clusters of 64 KiB and what is left of a shard."""
    folder = tmp_path_factory.mktemp("grouping")
    generate("dimuon", folder / "in.root", 30000, "--seed", 3)
    keep = ["Muon_*", "Jet_*", "MET_*", "genWeight"]
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root:Events"], "sum_weights": "genWeight"}},
        "select": [{"name": "met", "where": "MET_pt > 20"}],
        "skims": {
            "ntuple": {"file": "ntuple.root", "keep": keep, "cluster_size": "64 KiB"},
            "tree": {"file": "tree.root", "keep": keep, "cluster_size": "64 KiB", "format": "ttree"},
        },
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}, "weight": "genWeight"}
        },
        "output": {"histograms": "histograms.root"},
    }
    (folder / "a.json").write_text(json.dumps(config))
    for number in range(1, NUM_SHARDS + 1):
        assert call("run", "--shard", f"{number}/{NUM_SHARDS}", "a.json", cwd=folder).returncode == DONE
    return {
        kind: [folder / f"{kind}.shard{number}of{NUM_SHARDS}.root" for number in range(1, NUM_SHARDS + 1)]
        for kind in ("ntuple", "tree", "histograms")
    }


class Merges:
    """Merges of neighbours, grouped at random."""

    def __init__(self, call, folder, options, seed):
        self.call, self.folder, self.options = call, folder, [str(option) for option in options]
        self.random = random.Random(seed)
        self.count = 0

    def merge(self, paths):
        self.count += 1
        target = self.folder / f"{self.count}.root"
        done = self.call("merge", "--incomplete", *self.options, target, *paths)
        assert done.returncode in (DONE, INCOMPLETE), done.stderr
        return target

    def grouped(self, paths):
        if len(paths) == 1 and self.random.random() < 0.7:
            return paths[0]
        if len(paths) == 1:
            return self.merge(paths)
        number = self.random.randint(1, min(3, len(paths) - 1))
        borders = [0, *sorted(self.random.sample(range(1, len(paths)), number)), len(paths)]
        return self.merge([self.grouped(paths[a:b]) for a, b in pairwise(borders)])


def check_groupings(call, folder, options, paths, seeds):
    at_once = Merges(call, folder, options, 0).merge(paths)
    expected = at_once.read_bytes()
    for seed in seeds:
        (folder / str(seed)).mkdir()
        merges = Merges(call, folder / str(seed), options, seed)
        assert merges.grouped(paths).read_bytes() == expected, (options, seed)
    return at_once


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_skims(call, shards, tmp_path, options):
    check_groupings(call, tmp_path, options, shards["ntuple"], (1, 2, 3))


@pytest.mark.parametrize("kind", ["tree", "histograms"])
@pytest.mark.parametrize("options", [[], ["--compression", "lz4"]], ids=" ".join)
def test_trees_and_histograms(call, shards, tmp_path, kind, options):
    check_groupings(call, tmp_path, options, shards[kind], (1, 2, 3))


def write(path, entries, seed):
    """Lists of lists and texts, of uproot: another writer, with pages of its own, and no record."""
    numbers = np.random.default_rng(seed)
    counts, inner = numbers.integers(0, 4, entries), numbers.integers(0, 3, 4 * entries)
    flat = ak.unflatten(numbers.random(inner.sum()).astype(np.float32), inner)[: counts.sum()]
    columns = {
        "number": numbers.integers(-(2**40), 2**40, entries),
        "lists": ak.unflatten(flat, counts),
        "texts": ak.Array([["ab" * (i % 5)] * ((i + 1) % 3) for i in range(entries)]),
        "Jet": ak.zip({"pt": ak.unflatten(numbers.random(counts.sum()), counts)}),
    }
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", columns)
        file["h"] = np.histogram(numbers.random(50), bins=5, range=(0, 1))
    return columns


@pytest.mark.parametrize("options", [*OPTIONS, ["--cluster-size", "1 KiB"]], ids=" ".join)
def test_files_of_others_of_all_sizes(call, tmp_path, options):
    sizes = (3, 900, 1, 40, 2500, 1, 1, 300)
    paths = [tmp_path / f"in{number}.root" for number in range(len(sizes))]
    columns = [
        write(path, size, number) for number, (path, size) in enumerate(zip(paths, sizes, strict=True))
    ]
    at_once = check_groupings(call, tmp_path, options, paths, (4, 5))
    found = uproot.open(at_once)["Events"].arrays()
    for name in columns[0]:
        assert found[name].to_list() == list(chain.from_iterable(part[name].tolist() for part in columns)), (
            name
        )


def num_clusters(call, *arguments):
    done = call("merge", "-f", "--json", *arguments)
    assert done.returncode == DONE, done.stderr
    return json.loads(done.stdout)["ntuples"][0]["clusters"]


def test_large_clusters_are_cut(call, shards, tmp_path):
    """By rewrite to any size, down to single entries, and joined again to the same bytes."""
    out = [tmp_path / f"{number}.root" for number in range(4)]
    assert num_clusters(call, "--method", "rewrite", out[0], *shards["ntuple"]) == 1
    in_memory = 30 * num_clusters(call, "--method", "rewrite", "--cluster-size", "30 KiB", out[1], out[0])
    half = in_memory // 2 + 30
    assert num_clusters(call, "--method", "rewrite", "--cluster-size", f"{half} KiB", out[2], out[1]) == 2
    num_clusters(call, "--method", "rewrite", out[3], out[2])
    assert out[3].read_bytes() == out[0].read_bytes()


def test_each_entry_can_be_a_cluster(call, tmp_path):
    columns = write(tmp_path / "in.root", 50, 1)
    options = ("--method", "rewrite", "--cluster-size", "1")
    assert num_clusters(call, *options, tmp_path / "m.root", tmp_path / "in.root") == 50
    found = uproot.open(tmp_path / "m.root")["Events"].arrays()
    for name, values in columns.items():
        assert found[name].to_list() == values.tolist(), name


def test_larger_clusters_stay(call, tmp_path):
    """Those beyond the size, and all bytes of their pages, between small ones that are joined."""
    sizes = (10, 10, 2000, 10, 10, 10)
    paths = [tmp_path / f"in{number}.root" for number in range(len(sizes))]
    for number, (path, size) in enumerate(zip(paths, sizes, strict=True)):
        write(path, size, number)
    done = call("merge", "--json", "--cluster-size", "16 KiB", tmp_path / "m.root", *paths)
    (ntuple,) = json.loads(done.stdout)["ntuples"]
    methods = {name: counts["clusters"] for name, counts in ntuple["methods"].items()}
    assert methods in ({"rewrite": 2, "copy": 1}, {"rewrite": 2, "clone": 1})
    assert (ntuple["clusters"], ntuple["joined"]) == (3, 5)
