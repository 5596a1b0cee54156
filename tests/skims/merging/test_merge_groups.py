# SPDX-License-Identifier: BSD-3-Clause
"""Merging merged files gives the bytes of merging all at once, whatever the groups of neighbours."""

import random

import numpy as np
import pytest
import uproot
from exit_codes import DONE

NUM_PARTS = 9


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Files of several sizes with an RNTuple, a TTree and histograms."""
    folder = tmp_path_factory.mktemp("parts")
    generator = np.random.default_rng(9)
    paths = []
    for number in range(NUM_PARTS):
        size = int(generator.integers(1, 3000))
        columns = {"x": generator.normal(size=size), "n": generator.integers(0, 50, size)}
        path = folder / f"part{number}.root"
        with uproot.recreate(path) as file:
            file.mkrntuple("rows", columns)
            file["tree"] = columns
            file["h"] = np.histogram(columns["x"], bins=16, range=(-4, 4))  # sums of doubles are exact
            file["counts"] = np.histogram(columns["n"], bins=10, range=(0, 50))
        paths.append(path)
    return paths


class Merges:
    """Merges into files of a folder, under names of their own."""

    def __init__(self, call, folder, options):
        self.call, self.folder, self.options, self.count = call, folder, options, 0

    def __call__(self, paths):
        self.count += 1
        out = self.folder / f"merge{self.count}.root"
        done = self.call("merge", *self.options, out, *paths)
        assert done.returncode == DONE, done.stderr
        return out

    def in_random_groups(self, paths, chance):
        """A tree of merges over neighbours."""
        while len(paths) > 1:
            size = chance.randint(2, len(paths))
            first = chance.randint(0, len(paths) - size)
            paths = [*paths[:first], self(paths[first : first + size]), *paths[first + size :]]
        return paths[0]

    def extended_at_the_end(self, paths, chance):
        merged, rest = self(paths[:2]), paths[2:]
        while rest:
            size = chance.randint(1, len(rest))
            merged, rest = self([merged, *rest[:size]]), rest[size:]
        return merged


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", [("--method", "copy"), ("--cluster-size", "0")])
def test_any_groups_where_clusters_stay(call, tmp_path, parts, options, seed):
    merge = Merges(call, tmp_path, options)
    expected = merge(parts).read_bytes()
    assert merge.in_random_groups(parts, random.Random(seed)).read_bytes() == expected


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", [(), ("--cluster-size", "20 KiB"), ("--cluster-size", "100 KiB")])
def test_groups_in_front_where_clusters_are_joined(call, tmp_path, parts, options, seed):
    merge = Merges(call, tmp_path, options)
    expected = merge(parts).read_bytes()
    assert merge.extended_at_the_end(parts, random.Random(seed)).read_bytes() == expected
