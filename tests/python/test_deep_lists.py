# SPDX-License-Identifier: BSD-3-Clause
"""Lists of lists of lists in expressions, judged by Awkward Array and what uproot reads."""

import json
import subprocess

import pytest

ak = pytest.importorskip("awkward")
np = pytest.importorskip("numpy")
uproot = pytest.importorskip("uproot")

import skimline as sk  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:(?s).*pages without checksums")

EXPRESSIONS = {
    "v": lambda e: e.v,
    "-v + 1": lambda e: -e.v + 1,
    "v + w * x": lambda e: e.v + e.w * e.x,
    "v * h + g": lambda e: e.v * e.h + e.g,
    "h > x && v > 0": lambda e: (e.h > e.x) & (e.v > 0),
    "sqrt(abs(v))": lambda e: np.sqrt(abs(e.v)),
    "Where(v > w, v, w)": lambda e: ak.where(e.v > e.w, e.v, e.w),
    "Sum(v)": lambda e: ak.sum(e.v, axis=3),
    "Sum(v * h)": lambda e: ak.sum(e.v * e.h, axis=3),
    "Sum(Sum(Sum(v)))": lambda e: ak.sum(ak.sum(ak.sum(e.v, axis=3), axis=2), axis=1),
    "Any(v > 1)": lambda e: ak.any(e.v > 1, axis=3),
    "Sort(v)": lambda e: ak.sort(e.v, axis=3),
    "Argsort(v)": lambda e: ak.argsort(e.v, axis=3, stable=True),
    "v[v > 0]": lambda e: e.v[e.v > 0],
    "v[h > 0]": lambda e: e.v[e.h > 0],
    "v[g > 0]": lambda e: e.v[e.g > 0],
    "v[g > 0][h[g > 0] > 0]": lambda e: e.v[e.g > 0][e.h[e.g > 0] > 0],
    "Take(v, Argsort(g))": lambda e: e.v[ak.argsort(e.g, axis=1, stable=True)],
    "Take(v, Argsort(h))": lambda e: e.v[ak.argsort(e.h, axis=2, stable=True)],
    "Concatenate(v, w)": lambda e: ak.concatenate([e.v, e.w], axis=1),
    "Flatten(v)": lambda e: ak.flatten(e.v, axis=2),
    "Flatten(Flatten(v))": lambda e: ak.flatten(ak.flatten(e.v, axis=2), axis=2),
    "Sizes(v)": lambda e: ak.num(e.v, axis=3),
    "Sizes(Sizes(v))": lambda e: ak.num(e.v, axis=2),
    "size(g) > 0 ? v[0] : h": lambda e: ak.Array(
        [v[0] if len(v) else h for v, h in zip(e.v.to_list(), e.h.to_list(), strict=True)]
    ),
    "x > 0 ? v : w": lambda e: ak.Array(
        [v if x > 0 else w for x, v, w in zip(e.x, e.v.to_list(), e.w.to_list(), strict=True)]
    ),
}


def random_lists(count, seed):
    """Flat x, and lists g, h and v of depths 1 to 3 of one shape, as has w, with many empty ones."""
    random = np.random.default_rng(seed)
    sizes = [random.integers(0, 4, count)]
    for _ in range(2):
        sizes.append(random.integers(0, 4, sizes[-1].sum()))

    def lists(depth):
        values = random.normal(size=sizes[depth - 1].sum() if depth else count)
        array = ak.Array(values.astype(np.float32))
        for level in reversed(sizes[:depth]):
            array = ak.unflatten(array, level)
        return array

    return ak.Array({"x": lists(0), "g": lists(1), "h": lists(2), "v": lists(3), "w": lists(3)})


@pytest.fixture(scope="module")
def lists():
    return random_lists(1500, seed=5)


@pytest.fixture(scope="module", params=["one file", "two files", "parquet", "converted"])
def events(request, lists, tmp_path_factory):
    """A frame of the lists: of RNTuples with several clusters, of Parquet, and of a file that Skimline wrote."""
    folder = tmp_path_factory.mktemp("lists")
    if request.param == "parquet":
        ak.to_parquet(lists, str(folder / "a.parquet"), extensionarray=False)
        return sk.open(str(folder / "a.parquet"))
    parts = np.split(np.arange(len(lists)), [700, 800] if request.param == "one file" else [900])
    if request.param == "two files":
        for i, part in enumerate(parts):
            write(folder / f"{i}.root", lists[part])
        return sk.open(str(folder / "*.root"))
    write(folder / "a.root", *(lists[part] for part in parts))
    if request.param == "one file":
        return sk.open(str(folder / "a.root"))
    sk.convert(str(folder / "a.root"), str(folder / "b.root"), force=True)
    return sk.open(str(folder / "b.root"))


def write(path, *clusters):
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", {name: clusters[0][name] for name in clusters[0].fields})
        for cluster in clusters[1:]:
            file["Events"].extend({name: cluster[name] for name in cluster.fields})
    return path


def shape_and_values(array):
    """The sizes of the lists of each level, and the numbers in them."""
    levels = []
    while array.ndim > 1:
        levels.append(ak.to_numpy(ak.num(array), allow_missing=False))
        array = ak.flatten(array)
    return levels, ak.to_numpy(array, allow_missing=False).astype(np.float64)


def assert_equal(found, expected):
    (sizes, values), (expected_sizes, expected_values) = shape_and_values(found), shape_and_values(expected)
    assert [each.tolist() for each in sizes] == [each.tolist() for each in expected_sizes]
    np.testing.assert_allclose(values, expected_values, rtol=1e-6, atol=1e-6, equal_nan=False)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values(events, lists, expression):
    found = events.arrays({"value": expression}).value
    assert_equal(found, EXPRESSIONS[expression](lists))


def test_selected_events(events, lists):
    found = events.filter("x > 0.5").arrays({"v": "v", "s": "Sum(v)"})
    chosen = lists[lists.x > 0.5]
    assert ak.to_list(found.v) == ak.to_list(chosen.v)
    assert_equal(found.s, ak.sum(chosen.v, axis=3))


def test_histograms_take_all_values(events, lists):
    booked = events.hist("v", bins=20, range=(-2, 2), weight="h")
    sk.run(booked)
    values, weights = (ak.to_numpy(ak.flatten(each, axis=None)) for each in (lists.v, lists.v * 0 + lists.h))
    expected, _ = np.histogram(values, bins=20, range=(-2, 2), weights=weights)
    assert booked.result.values() == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_lists_of_other_sizes_are_refused(events):
    with pytest.raises(
        sk.EvaluationError, match=r'lists of different sizes, \d and \d, in "v \+ v\[v > 0\]" \(entry \d+'
    ):
        events.arrays({"value": "v + v[v > 0]"})


@pytest.mark.parametrize("threads", [1, 3])
def test_skims_hold_what_was_computed(events, lists, tmp_path, threads):
    path = tmp_path / "skim.root"
    skim = events.filter("x > 0").skim(str(path), columns={"doubled": "2 * v", "x": "x"})
    sk.run(skim, threads=threads)
    chosen = lists[lists.x > 0]
    found = uproot.open(path)["Events"].arrays()
    assert ak.to_list(found.doubled) == ak.to_list(2 * chosen.v)


def test_libraries(events, lists):
    pa = pytest.importorskip("pyarrow")
    table = events.arrays({"v": "v"}, library="pa")
    assert pa.types.is_list(table.schema.field("v").type) or pa.types.is_large_list(
        table.schema.field("v").type
    )
    assert table["v"].to_pylist() == lists.v.to_list()


def test_functions_take_and_give_them(events, lists):
    frame = events.define(
        "u", lambda v, h: v * 2 + h, columns=["v", "h"], returns="list of list of list of float"
    )
    assert_equal(frame.arrays({"u": "u"}).u, lists.v * 2 + lists.h)


def test_a_file_without_them_has_empty_lists(lists, tmp_path):
    write(tmp_path / "0.root", lists[:100])
    with uproot.recreate(tmp_path / "1.root") as file:
        file.mkrntuple("Events", {name: lists[name][100:150] for name in ("x", "g", "h")})
    found = sk.open(str(tmp_path / "?.root"), defaults={"v": []}).arrays({"v": "v", "s": "Sum(v)"})
    assert ak.to_list(found.v) == ak.to_list(lists.v[:100]) + [[]] * 50
    assert ak.to_list(found.s[100:]) == [[]] * 50


def test_the_program_shows_and_compares_them(lists, tmp_path, skimline):
    write(tmp_path / "a.root", lists[:50])
    other = lists[:50].to_list()
    place = next(i for i, each in enumerate(other) if each["v"] and each["v"][0] and each["v"][0][0])
    other[place]["v"][0][0][0] += 1
    write(tmp_path / "b.root", ak.values_astype(ak.Array(other), np.float32))

    def run(*words):
        return subprocess.run([skimline, *words], cwd=tmp_path, capture_output=True, text=True)

    shown = json.loads(run("inspect", "--json", "--head", "50", "a.root", "v").stdout)
    (ntuple,) = shown["ntuples"]
    assert_equal(ak.Array([entry["v"] for entry in ntuple["first_entries"]]), lists.v[:50])
    assert run("diff", "a.root", "a.root").returncode == 0
    different = run("diff", "a.root", "b.root")
    assert different.returncode != 0 and f"entry {place}" in different.stdout + different.stderr
