# SPDX-License-Identifier: BSD-3-Clause
"""UHI JSON: valid for UHI's own validator, and what boost-histogram makes of the same fills."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ROOT

bh = pytest.importorskip("boost_histogram")
hist = pytest.importorskip("hist")
uhi_json = pytest.importorskip("uhi.io.json")
uhi_schema = pytest.importorskip("uhi.schema")

# The fills of sample_histograms.h.
INDEX = np.arange(1000)
LETTERS = ["a", "b", "ü", "", "no such"]
X = -0.5 + 0.0625 * (INDEX % 40)
Y = -0.25 + 0.125 * (INDEX % 13)
Z = 0.25 * (INDEX % 7)
U = 0.5 * (INDEX % 3)
WEIGHT = 0.25 * (INDEX % 7) - 0.5
VALUE = 0.5 * (INDEX % 11) - 1
LETTER = [LETTERS[i % 5] for i in INDEX]
NUMBER = INDEX % 17 - 4


def x_axis() -> bh.axis.Axis:
    return bh.axis.Variable([0, *(0.1 * np.arange(1, 10)), 1])


def y_axis() -> bh.axis.Axis:
    return bh.axis.Variable([0, 0.1, 0.5, 1])


def z_axis() -> bh.axis.Axis:
    return bh.axis.Regular(3, 0, 1.5)


def letter_axis() -> bh.axis.Axis:
    return bh.axis.StrCategory(["b", "a", "ü"])


def filled(storage: bh.storage.Storage, axes: list[Any], columns: list[Any], **others: Any) -> bh.Histogram:
    return bh.Histogram(*axes, storage=storage).fill(*columns, **others)


# By name: the same histogram of boost-histogram, whose bins are those of ROOT where edges are given.
SAMPLES = ["ttbar", "data"]
EXPECTED = {
    "regular": filled(bh.storage.Int64(), [x_axis()], [X]),
    "variable": filled(bh.storage.Int64(), [y_axis()], [Y]),
    "weighted": filled(bh.storage.Weight(), [x_axis()], [X], weight=WEIGHT),
    "integers": filled(bh.storage.Int64(), [bh.axis.Integer(-2, 6)], [NUMBER]),
    "dir/plane": filled(bh.storage.Weight(), [x_axis(), y_axis()], [X, Y], weight=WEIGHT),
    "dir/counted": filled(bh.storage.Int64(), [x_axis(), y_axis()], [X, Y]),
    "dir/sub/cube": filled(bh.storage.Weight(), [x_axis(), y_axis(), z_axis()], [X, Y, Z], weight=WEIGHT),
    "dir/sub/counted": filled(bh.storage.Int64(), [x_axis(), y_axis(), z_axis()], [X, Y, Z]),
    "hyper": filled(
        bh.storage.Weight(),
        [x_axis(), y_axis(), z_axis(), bh.axis.Regular(2, 0, 1)],
        [X, Y, Z, U],
        weight=WEIGHT,
    ),
    "labelled": filled(bh.storage.Int64(), [y_axis(), z_axis(), letter_axis(), x_axis()], [Y, Z, LETTER, X]),
    "profile": filled(bh.storage.Mean(), [x_axis()], [X], sample=VALUE),
    "profiles/weighted": filled(bh.storage.WeightedMean(), [x_axis()], [X], sample=VALUE, weight=WEIGHT),
    "profiles/two": filled(
        bh.storage.WeightedMean(), [x_axis(), y_axis()], [X, Y], sample=VALUE, weight=WEIGHT
    ),
    "profiles/three": filled(
        bh.storage.WeightedMean(), [x_axis(), y_axis(), z_axis()], [X, Y, Z], sample=VALUE, weight=WEIGHT
    ),
    "letters": filled(bh.storage.Weight(), [letter_axis()], [LETTER], weight=WEIGHT),
    "growing": filled(
        bh.storage.Int64(),
        [bh.axis.IntCategory(list(range(-4, 13)), overflow=False), x_axis()],
        [NUMBER, X],
    ),
    "grown": filled(bh.storage.Int64(), [bh.axis.StrCategory(sorted(LETTERS), overflow=False)], [LETTER]),
    "circular": filled(bh.storage.Int64(), [bh.axis.Regular(4, 0, 1, circular=True)], [X]),
    # Without an overflow bin, boost-histogram counts the upper edge as inside.
    "no flow": filled(
        bh.storage.Weight(),
        [bh.axis.Regular(4, 0, 1, underflow=False, overflow=False)],
        [X[X != 1]],
        weight=WEIGHT[X != 1],
    ),
    "Göße/µ": filled(bh.storage.Int64(), [bh.axis.Regular(4, 0, 1)], [X]),
}


@pytest.fixture(scope="module")
def text(build_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("uhi") / "samples.json"
    subprocess.run([build_folder / "tests" / "skims" / "skims_uhi_samples", path], check=True)
    return path.read_text()


@pytest.fixture(scope="module")
def loaded(text: str) -> dict[str, Any]:
    return json.loads(text, object_hook=uhi_json.object_hook)


def test_is_valid_for_the_validator_of_uhi(text: str) -> None:
    pytest.importorskip("fastjsonschema")
    content = json.loads(text)
    uhi_schema.validate(content)
    records = {f"skimline/{kind}/{sample}" for kind in ("cutflow", "weighted_cutflow") for sample in SAMPLES}
    assert set(content) == {*EXPECTED, "nothing", *records}


@pytest.mark.parametrize("name", EXPECTED)
def test_equals_boost_histogram(loaded: dict[str, Any], name: str) -> None:
    found, expected = bh.Histogram(loaded[name]), EXPECTED[name]
    assert found.storage_type is expected.storage_type
    assert found.shape == expected.shape
    assert found.axes.extent == expected.axes.extent
    for axis, other in zip(found.axes, expected.axes, strict=True):
        if isinstance(axis, bh.axis.StrCategory | bh.axis.IntCategory):
            assert list(axis) == list(other)
        else:
            np.testing.assert_allclose(axis.edges, other.edges, rtol=1e-15)
        assert (axis.traits.underflow, axis.traits.overflow) == (
            other.traits.underflow,
            other.traits.overflow,
        )
        assert axis.traits.circular == other.traits.circular
    ours, theirs = found.view(flow=True), expected.view(flow=True)
    if found.kind == bh.Kind.COUNT:
        assert found.values(flow=True).tolist() == expected.values(flow=True).tolist()
        assert found.variances(flow=True).tolist() == expected.variances(flow=True).tolist()
        return
    weights = "count" if found.storage_type is bh.storage.Mean else "sum_of_weights"
    assert ours[weights].tolist() == theirs[weights].tolist()
    # Where weights of both signs cancel, boost-histogram divides by 0 on the way.
    defined = (theirs[weights] != 0) & np.isfinite(theirs.value)
    assert defined.any()
    np.testing.assert_allclose(ours.value[defined], theirs.value[defined], rtol=1e-12, atol=1e-12)
    defined &= np.isfinite(theirs.variance)
    np.testing.assert_allclose(ours.variance[defined], theirs.variance[defined], rtol=1e-9, atol=1e-12)


def test_hist_takes_labels_and_metadata(loaded: dict[str, Any]) -> None:
    regular = hist.Hist(loaded["regular"])
    assert (regular.name, regular.label, regular.title, regular.entries) == (
        "regular",
        "Events",
        "a title",
        1000,
    )
    assert (regular.axes[0].label, regular.axes[0].unit) == ("x", "GeV")
    assert hist.Hist(loaded["nothing"]).sum().value == 0


def test_growing_and_integer_axes_say_so(loaded: dict[str, Any]) -> None:
    assert loaded["grown"]["axes"][0]["writer_info"] == {"skimline": {"growing": True}}
    assert loaded["integers"]["axes"][0]["writer_info"] == {"skimline": {"integer": True}}
    assert loaded["nothing"]["axes"][0]["categories"] == []


def test_has_the_record(loaded: dict[str, Any]) -> None:
    for sample in SAMPLES:
        cutflow = hist.Hist(loaded[f"skimline/cutflow/{sample}"])
        record = json.loads(loaded[f"skimline/cutflow/{sample}"]["writer_info"]["skimline"]["record"])
        assert [part["name"] for part in record["samples"]] == [sample]
        assert record["configs"] == [{"schema_version": 1}]
        assert cutflow[0] == {"ttbar": 100, "data": 5}[sample]
    assert record["samples"][0]["cross_section_pb"] is None
    weights = hist.Hist(loaded["skimline/weighted_cutflow/ttbar"])
    assert list(weights.axes[0]) == ["step 0", "step 1", "step 2"]
    assert weights.values().tolist() == [12.5, 3.25, -0.5]
    assert weights.variances().tolist() == [500, 20, 3]


@pytest.mark.parametrize("storage", [bh.storage.Mean(), bh.storage.WeightedMean()])
def test_bins_of_one_fill_have_no_variance_in_other_libraries(
    call: Callable[..., Any], tmp_path: Path, storage: bh.storage.Storage
) -> None:
    """Python's json writes it as NaN."""
    profile = hist.Hist(hist.axis.Regular(4, 0, 4, name="x"), storage=storage, name="profile")
    profile.fill([0.5, 1.5, 1.5, 1.5, 5], sample=[1, 2, 3, 5, 4])
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps(profile, default=uhi_json.default))
    assert "NaN" in theirs.read_text()
    ours = tmp_path / "ours.root"
    expected = ROOT.TProfile("profile", "", 4, 0, 4)
    for x, value in zip([0.5, 1.5, 1.5, 1.5, 5], [1, 2, 3, 5, 4], strict=True):
        expected.Fill(x, value)
    with ROOT.TFile(str(ours), "RECREATE") as file:
        file.WriteObject(expected, "profile")
    assert call("inspect", theirs).returncode == 0
    done = call("diff", theirs, ours)
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_of_numbers_that_json_lacks(call: Callable[..., Any], tmp_path: Path) -> None:
    """As Python writes them, and null, as JavaScript does."""
    path = tmp_path / "h.json"
    text = json.dumps(hist.Hist.new.Reg(3, 0, 3, name='NaN, "Infinity').Weight(), default=uhi_json.default)
    values = "[0.0, 0.0, 0.0, 0.0, 0.0]"
    assert text.count(values) == 2
    path.write_text(text.replace(values, "[NaN, 1, Infinity, -Infinity, null]", 1))
    shown = json.loads(call("inspect", path, "--json").stdout)["histograms"][0]
    assert (shown["underflow"], shown["overflow"]) == (None, None)
    path.write_text(text.replace(values, "[0, 1, NaNNaN, 1, 1]", 1))
    done = call("inspect", path)
    assert done.returncode == 1
    assert "is no JSON: " in done.stderr


@pytest.mark.parametrize("less", [5, 2.5])
def test_differences_of_counts_have_errors(call: Callable[..., Any], tmp_path: Path, less: float) -> None:
    storage = bh.storage.Int64() if less == 5 else bh.storage.Double()
    counts = filled(storage, [bh.axis.Regular(3, 0, 3)], [np.array([0.5] * 3 + [1.5] * 5 + [2.5])])
    counts[0] -= less
    text = json.dumps({"h": counts}, default=uhi_json.default)
    expected = ROOT.TH1D("h", "", 3, 0, 3)
    for number, value in enumerate(counts.values(), 1):
        expected.SetBinContent(number, value)
    expected.SetEntries(np.ceil(counts.sum()))
    with ROOT.TFile(str(tmp_path / "theirs.root"), "recreate") as file:
        file.WriteObject(expected, "h")
    for name, type_name in (("whole.json", "int"), ("real.json", "double")):
        (tmp_path / name).write_text(re.sub('"type": "(int|double)"', f'"type": "{type_name}"', text))
        done = call("diff", tmp_path / "theirs.root", tmp_path / name)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "axis",
    [
        bh.axis.Regular(3, 0, 3, circular=True),
        bh.axis.Regular(3, 1, 4, transform=bh.axis.transform.log),
        bh.axis.Integer(0, 3),
        bh.axis.Boolean(),
        bh.axis.IntCategory([1, 2]),
        bh.axis.IntCategory([], growth=True),
        bh.axis.Regular(1, 0, 1, growth=True),
    ],
    ids=repr,
)
@pytest.mark.parametrize("values", [[0, 1, 1], []])
def test_reads_axes_of_boost_histogram(
    call: Callable[..., Any], tmp_path: Path, axis: bh.axis.Axis, values: list[int]
) -> None:
    filled_one = filled(bh.storage.Int64(), [axis], [np.array(values, dtype=int)])
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"h": filled_one}, default=uhi_json.default))
    done = call("inspect", path, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["histograms"][0]["integral"] == filled_one.sum()
