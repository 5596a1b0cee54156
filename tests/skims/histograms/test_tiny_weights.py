# SPDX-License-Identifier: BSD-3-Clause
"""Weights over three hundred powers of ten: each bin has its own sums, rounded once, as fractions say them."""

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
import skimline as sk
import uproot
from exit_codes import DONE

NUM_BINS = 12
HISTOGRAMS = {
    "weighted": {"x": {"value": "x", "bins": NUM_BINS, "range": [0, NUM_BINS]}, "weight": "w"},
    "large": {"x": {"value": "x", "bins": 2000 * NUM_BINS, "range": [0, NUM_BINS]}, "weight": "w"},
    "growing": {"x": {"value": "k", "categories": [], "growing": True}, "weight": "w"},
    "profile": {
        "x": {"value": "x", "bins": NUM_BINS, "range": [0, NUM_BINS]},
        "profile": {"value": "v"},
        "weight": "w",
    },
}


@pytest.fixture(scope="module")
def events():
    """Each bin has weights of a size of its own, from small to large and back, and one has all sizes."""
    rng = np.random.default_rng(3)
    sizes = np.array([0, -20, 30, -40, -80, 60, -130, 110, -15, 140, -100, 0])
    x = np.sort(rng.integers(0, NUM_BINS, 4000))
    exponents = np.where(
        x == NUM_BINS - 1, rng.integers(-140, 140, len(x)), sizes[x] + rng.integers(-3, 3, len(x))
    )
    w = rng.normal(size=len(x)) * 10.0**exponents
    return {
        "x": x + 0.5,
        "k": x.astype(np.int64),
        "w": w,
        "v": rng.normal(size=len(x)) * 10.0 ** rng.integers(-9, 9),
    }


@pytest.fixture(scope="module")
def folder(events, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny_weights")
    for part, chosen in enumerate((slice(0, 1500), slice(1500, 1501), slice(1501, 4000))):
        with uproot.recreate(folder / f"in{part}.root") as file:
            file.mktree("Events", {name: values.dtype for name, values in events.items()})
            file["Events"].extend({name: values[chosen] for name, values in events.items()})
    return folder


def config(files=(0, 1, 2), **more):
    return {
        "schema_version": 1,
        "samples": {"s": {"files": [f"in{part}.root" for part in files]}},
        "histograms": HISTOGRAMS,
        "output": {"histograms": "h.root"},
    } | more


def run(run_in, folder, settings, *arguments):
    done = run_in(folder, settings, "--force", *arguments)
    assert done.returncode == DONE, done.stderr
    return (folder / "h.root").read_bytes()


def rounded(terms) -> float:
    """Their sum without rounding, to the nearest double, ties to even: what Python's division of fractions is."""
    return float(sum(map(Fraction, terms.tolist()), Fraction(0)))


def test_each_bin_is_the_sum_of_its_weights_alone(run_in, folder, events):
    run(run_in, folder, config())
    w, product = events["w"], events["w"] * events["v"]
    with uproot.open(folder / "h.root") as file:
        found = {name: (file[name].values(), file[name].variances()) for name in ("weighted", "growing")}
        found["large"] = tuple(
            each[1000::2000] for each in (file["large"].values(), file["large"].variances())
        )
        members = file["profile"].all_members
        profile = [np.asarray(members[name])[1:-1] for name in ("fBinEntries", "fBinSumw2", "fSumw2")]
        statistics = [file["weighted"].member(name) for name in ("fTsumw", "fTsumw2", "fTsumwx", "fTsumwx2")]
    for number in range(NUM_BINS):
        chosen = events["k"] == number
        expected = [rounded(w[chosen]), rounded(w[chosen] ** 2)]
        assert all([values[number], variances[number]] == expected for values, variances in found.values())
        assert [each[number] for each in profile] == [*expected, rounded((product * events["v"])[chosen])]
    x = events["x"]
    assert statistics == [rounded(terms) for terms in (w, w * w, w * x, w * x * x)]


def test_parts_and_threads_make_the_same_bytes(run_in, folder, tmp_path, call):
    whole = run(run_in, folder, config(), "--threads", "1")
    for threads in ("2", "5"):
        assert run(run_in, folder, config(), "--threads", threads) == whole
    assert run(run_in, folder, config(histogram_memory="1 MiB")) == whole
    for count in (2, 5):
        shards = [folder / f"h.shard{shard}of{count}.root" for shard in range(1, count + 1)]
        for shard in range(1, count + 1):
            run(run_in, folder, config(), "--shard", f"{shard}/{count}")
        random.Random(count).shuffle(shards)
        done = call("merge", folder / "merged.root", *shards, "--force")
        assert done.returncode == DONE, done.stderr
        assert (folder / "merged.root").read_bytes() == whole


def test_histograms_of_files_add_up_in_any_order_and_travel(run_in, folder, events):
    parts = []
    for part in range(3):
        run(run_in, folder, config(files=(part,)))
        parts.append({name: sk.read_histogram(folder / "h.root", name) for name in HISTOGRAMS})
    for name in HISTOGRAMS:
        first, second, third = (pickle.loads(pickle.dumps(part[name])) for part in parts)
        left, right = first + second + third, third + (second + first)
        assert np.array_equal(left.values(), right.values())
        assert np.array_equal(left.variances(), right.variances(), equal_nan=True)
    sums = parts[2]["weighted"] + parts[0]["weighted"] + parts[1]["weighted"]
    assert sums.values().tolist() == [rounded(events["w"][events["k"] == n]) for n in range(NUM_BINS)]
