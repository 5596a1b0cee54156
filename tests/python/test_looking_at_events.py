# SPDX-License-Identifier: BSD-3-Clause
"""Numbers, tables and values of events; what is read by pattern, variation, sample and range; what is told of mistakes."""

import functools
import json
import pickle
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import skimline as sk
from skimline import arrays as reading


@pytest.mark.parametrize("expression", ["MET_pt", "nMuon", "Muon_pt", "Muon_pt[Muon_pt > 30]"])
def test_numbers_of_all_events(events, arrays, expression):
    column, _, rest = expression.partition("[")
    values = ak.to_numpy(ak.ravel(arrays[column])).astype(float)
    values = values[values > 30] if rest else values
    booked = {name: getattr(events, name)(expression) for name in ("sum", "mean", "std", "min", "max")}
    sk.run(booked)
    for name, number in booked.items():
        assert number.value == pytest.approx(getattr(np, name)(values), rel=1e-12), name
        assert float(number) == number.value
        assert repr(number) == repr(number.value)


@pytest.mark.parametrize(
    "values", [[1e15, 1e15 + 1], [1e17, 1e17], [1.0, 1.0 + 2**-52], [3.0, 3.0], [-5e20, 7.0]]
)
def test_bins_that_are_not_given_hold_all_values(tmp_path, values):
    sk.write(tmp_path / "x.root", {"x": np.array(values)})
    assert sk.hist(tmp_path / "x.root", "x").values().sum() == len(values)


def test_numbers_behind_filters_and_variations(events, arrays):
    varied = events.vary("scale", {"MET_pt": {"up": "MET_pt * 2"}})
    two = varied.filter("nMuon == 2")
    total = two.sum("MET_pt", weight="genWeight")
    same = two.sum("MET_pt", weight="genWeight")  # two of one name
    hist = two.hist("MET_pt", bins=5, range=(0, 100))
    values = two.take("MET_pt")
    lists = two.take("Muon_pt", library="ak")
    sk.run(total, same, hist, values, lists, two.max("nJet"))
    some = arrays[arrays["nMuon"] == 2]
    expected = float(np.sum(some["MET_pt"].to_numpy().astype(float) * some["genWeight"].to_numpy()))
    assert total.value == same.value == pytest.approx(expected, rel=1e-12)
    assert total.numbers == {"scale_up": pytest.approx(2 * expected, rel=1e-12)}
    np.testing.assert_array_equal(values.value, some["MET_pt"].to_numpy())
    assert ak.all(lists.value == some["Muon_pt"])
    with pytest.raises(sk.ConfigError, match="no config can hold"):
        sk.to_config(values)
    assert np.isnan(events.filter("nMuon > 99").min("MET_pt").value)
    assert np.isnan(events.filter("nMuon > 99").mean("MET_pt").value)


def test_the_spread_of_values_that_are_close_to_each_other(tmp_path):
    values = 1e9 + np.random.default_rng(1).normal(size=1000)
    sk.write(
        tmp_path / "far.root", {"x": values, "same": np.full(1000, 0.1), "number": np.arange(1000) + 2**40}
    )
    opened = sk.open(tmp_path / "far.root")
    frame = opened.vary("twice", {"x": {"up": "x * 2"}})
    spread = frame.std("x")
    result = sk.run(spread, frame.in_variation("twice_up").std("x"))
    assert result.is_complete
    assert spread.value == pytest.approx(np.std(values), rel=1e-9)
    assert spread.numbers["twice_up"] == pytest.approx(np.std(values * 2), rel=1e-9)
    assert opened.std("number").value == pytest.approx(np.std(np.arange(1000)), rel=1e-9)
    assert opened.std("same").value == pytest.approx(0, abs=1e-12)
    sk.run(spread, limit_events=100)  # what is read again are the events of the run
    assert spread.value == pytest.approx(np.std(values[:100]), rel=1e-9)
    assert (round(spread, 2), f"{spread:.3f}") == (round(spread.value, 2), f"{spread.value:.3f}")


def test_spreads_of_samples_whose_sums_are_the_same(tmp_path):
    sk.write(tmp_path / "apart.root", {"x": [1e9 - 1, 1e9 + 1], "n": [1, 2]})
    sk.write(tmp_path / "alike.root", {"x": [1e9, 1e9], "n": [1, 2]})
    events = sk.open({"apart": tmp_path / "apart.root", "alike": tmp_path / "alike.root"})
    spread = events.std("x")
    assert [spread.of("apart"), spread.of("alike")] == [1, 0]
    swapped = sk.open(tmp_path / "alike.root").vary("v", {"x": "1e9 - 3. + 2. * n"}).std("x")
    assert (swapped.value, swapped.numbers["v"]) == (0, 1)


def test_the_spread_is_that_of_the_last_run(tmp_path):
    sk.write(tmp_path / "apart.root", {"x": [1e9 - 1, 1e9 + 1]})
    sk.write(tmp_path / "alike.root", {"x": [1e9, 1e9]})
    spread = sk.open([tmp_path / "apart.root", tmp_path / "alike.root"]).std("x")
    for shard, wanted in (((1, 2), 1), ((2, 2), 0)):
        sk.run(spread, shard=shard)
        assert spread.value == wanted


@pytest.mark.parametrize("kind", ["sum", "mean", "std"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_leave_out_what_cannot_be_added_if_they_are_told_to(tmp_path, kind, bad):
    values = np.array([1.0, bad, 4.0, 7.0])
    sk.write(tmp_path / "bad.root", {"x": values, "w": values})
    events = sk.open(tmp_path / "bad.root")
    number = getattr(events, kind)
    for booked in (number("x"), number("1.", weight="w")):
        with pytest.raises(sk.EvaluationError, match='bad_weight="skip" leaves such fills out'):
            sk.run(booked)
    with pytest.warns(sk.RunWarning, match="1 "):
        assert number("x", bad_weight="skip").value == getattr(np, kind)([1, 4, 7])
    with pytest.raises(sk.ConfigError, match="bad_weight='skp' is none of"):
        number("x", bad_weight="skp")


@pytest.mark.parametrize("place", [0, 3, 7])
def test_what_is_no_number_is_least_and_greatest_whichever_part_it_is_in(tmp_path, monkeypatch, place):
    values = np.arange(8.0)
    values[place] = np.nan
    sk.write(tmp_path / "nan.root", {"x": values})
    frame = sk.open(tmp_path / "nan.root")
    in_parts = functools.partial(reading.iterate, step=3)
    monkeypatch.setattr(reading, "iterate", lambda *given, step=0, **options: in_parts(*given, **options))
    assert np.isnan([frame.min("x").value, frame.max("x").value]).all()
    assert str(frame.describe()).split()[-4:] == ["nan"] * 4


def test_values_of_several_open_are_read_together(dimuon, arrays):
    first = sk.open(dimuon, sample="a").min("MET_pt")
    second = sk.open(dimuon, sample="b").filter("nMuon == 2", name="two").max("nMuon")
    flow = sk.run(first, second).cutflow
    assert (first.value, second.value) == (ak.min(arrays.MET_pt), 2)
    assert [(step.sample, step.name) for step in flow] == [
        ("a", "all events"),
        ("b", "all events"),
        ("b", "two"),
    ]


def test_numbers_of_entries_may_be_those_of_numpy(events):
    assert len(events.arrays("MET_pt", entry_start=np.uint8(2), entry_stop=np.int64(5))) == 3
    assert events[: np.int32(7)].count() == events.range(np.int64(7)).count(threads=np.int64(1)) == 7
    assert sk.run(events.sum("nMuon"), limit_events=np.int64(9)).report["events"] == 9


def test_numbers_of_samples(dimuon):
    frame = sk.open({"a": dimuon, "b": dimuon}).define("x", 'sample_ == "a" ? 1 : 2')
    total, least = frame.sum("x"), frame.min("x")
    sk.run(total, least)
    assert (total.of("a"), total.of("b"), least.of("b")) == (10000, 20000, 2)
    for number, name in ((total, "sum 'sum_x'"), (least, "min of x")):
        with pytest.raises(sk.Error, match=rf"^there is one {name} for each sample: of\('a'\), of\('b'\)$"):
            float(number)


def test_limits_and_shards_hold_for_values(events, arrays):
    values = events.take("MET_pt")
    parts = []
    for number in (1, 2, 3):
        sk.run(values, shard=(number, 3))
        parts.append(values.value)
    np.testing.assert_array_equal(np.concatenate(parts), arrays["MET_pt"].to_numpy())


def test_parts_of_the_entries(events, arrays):
    met = arrays["MET_pt"].to_numpy()
    np.testing.assert_array_equal(events.range(10, 30).arrays("MET_pt", library="np")["MET_pt"], met[10:30])
    np.testing.assert_array_equal(events.range(7).arrays("MET_pt", library="np")["MET_pt"], met[:7])
    np.testing.assert_array_equal(events.range(30, None).arrays("MET_pt", library="np")["MET_pt"], met[30:])
    behind = events.filter("nMuon == 2")
    some = behind.arrays("MET_pt", library="np", entry_start=100, entry_stop=900)["MET_pt"]
    np.testing.assert_array_equal(some, met[100:900][arrays["nMuon"].to_numpy()[100:900] == 2])
    parts = list(events.iterate("MET_pt", step_size=300, entry_stop=1000, library="np"))
    assert [len(part["MET_pt"]) for part in parts] == [300, 300, 300, 100]
    assert len(events) == len(met)
    assert len(behind) == int(ak.sum(arrays["nMuon"] == 2))
    assert bool(events.filter("nMuon > 99"))
    with pytest.raises(sk.ConfigError, match="counted from 0"):
        events.range(-3)


def test_patterns_of_columns(events, arrays):
    some = events.define("Muon_x", "Muon_pt * 2").arrays(["Muon_*", "MET_p?", "nMuon"])
    expected = {name for name in arrays.fields if name.startswith("Muon_") or name in ("MET_pt", "nMuon")}
    expected |= {name for name in arrays.fields if name.startswith("MET_p") and len(name) == 6}
    assert set(some.fields) == expected | {"Muon_x"}
    assert events.define("a", "2").define("b", "3").arrays(["a*b"], library="np")["a*b"][0] == 6
    with pytest.raises(sk.ConfigError, match="no column matches"):
        events.arrays(["Tau_*"])


def test_what_a_pattern_leaves_out_is_told(tmp_path):
    """As of skims: a column that some files lack was not there, without a word."""
    flags = {name: np.array([True, False]) for name in ("HLT_a", "HLT_b", "HLT_c")}
    paths = [f"{tmp_path}/{name}.root" for name in ("old", "new")]
    for path, columns in zip(paths, (flags, {"HLT_a": flags["HLT_a"]}), strict=True):
        sk.write(f"{path}:Events", columns)
    with pytest.warns(sk.RunWarning) as told:
        found = sk.open(paths).arrays("HLT_*")
    assert found.fields == ["HLT_a"]
    (message,) = (str(each.message) for each in told)
    assert message.startswith('"HLT_*" leaves out "HLT_b" (it is missing in ')
    assert 'and has no default), "HLT_c" (' in message
    assert sk.open(paths, defaults={"HLT_*": False}).arrays("HLT_*").fields == list(flags)
    assert sk.open(paths).arrays(["HLT_a"]).fields == ["HLT_a"]


def test_values_of_variations(events, arrays):
    varied = (
        events.define("double", "MET_pt * 2")
        .filter("nMuon > 0")
        .vary("scale", {"MET_pt": {"up": "MET_pt * 3"}})
    )
    frame = varied.filter("MET_pt > 60")
    met = arrays["MET_pt"].to_numpy()[arrays["nMuon"].to_numpy() > 0]
    np.testing.assert_array_equal(frame.arrays("double", library="np")["double"], met[met > 60] * 2)
    up = frame.arrays("double", library="np", variation="scale_up")["double"]
    np.testing.assert_array_equal(up, met[met * 3 > 60] * np.float32(3) * 2)
    assert frame.in_variation("scale_up").count() == len(up)
    with pytest.raises(sk.ConfigError, match="scale_up"):
        frame.arrays("double", variation="scale_uq")


@pytest.mark.parametrize("library", ["ak", "np", "pa", "pd"])
def test_samples_one_behind_the_other(dimuon, tmp_path, library):
    sk.generate("dimuon", tmp_path / "b.root", events=100)
    frame = sk.open({"a": dimuon, "b": tmp_path / "b.root"})
    both = frame.arrays(["MET_pt"], library=library, sample="*")
    first, second = (frame.arrays(["MET_pt"], library=library, sample=name) for name in ("a", "b"))
    values = [list(map(float, np.asarray(each["MET_pt"]))) for each in (both, first, second)]
    assert values[0] == values[1] + values[2]
    assert sum(len(part) for part in frame.iterate("MET_pt", sample="?")) == 10100
    with pytest.raises(sk.ConfigError, match=r'say which .*"\*" for all'):
        frame.arrays(["MET_pt"])
    with pytest.raises(sk.ConfigError, match='no sample "c'):
        frame.arrays(["MET_pt"], sample="c")


def test_lists_of_one_length_are_rows(events, arrays):
    two = events.filter("nMuon == 2").arrays(["Muon_pt", "MET_pt"], library="np")
    expected = arrays["Muon_pt"][arrays["nMuon"] == 2]
    np.testing.assert_array_equal(two["Muon_pt"], ak.to_numpy(expected))
    assert two["Muon_pt"].shape == (len(expected), 2)
    with pytest.raises(sk.SchemaError, match="unless all have one length"):
        events.arrays(["Muon_pt"], library="np")


def test_tables(events, arrays):
    table = events.filter("nMuon == 2").head(3, ["nMuon", "Muon_charge", "MET_pt"])
    some = arrays[arrays["nMuon"] == 2][:3]
    assert [row[1] for row in table.rows] == [str(each) for each in some["Muon_charge"].to_list()]
    assert "<table>" in table._repr_html_()
    assert len(events.head().header) == 8
    assert events.filter("nMuon > 99").head().rows == []
    described = {row[0]: row[1:] for row in events.describe().rows}
    for name in ("MET_pt", "Muon_pt", "nJet"):
        values = ak.to_numpy(ak.ravel(arrays[name])).astype(float)
        count, mean, std, least, greatest = (float(each) for each in described[name])
        assert count == len(values)
        assert (mean, std) == pytest.approx((values.mean(), values.std()), rel=5e-3)
        assert (least, greatest) == pytest.approx((values.min(), values.max()), rel=1e-5)


def test_plans_and_checks(events):
    booked = events.filter("nMuon == 2", name="two").hist("MET_pt", bins=5, range=(0, 100))
    planned = sk.plan(booked)
    assert planned["samples"][0]["sample"] == "events"
    assert "two" in str(planned)
    assert json.dumps(dict(planned))
    assert sk.validate(booked) is None
    with pytest.warns(sk.RunWarning):
        sk.validate(events.hist("nMuon - 3 > 0", bins=5, range=(0, 100)))


def test_one_line_histograms(dimuon, arrays):
    made = sk.hist(dimuon, "MET_pt", where="nMuon == 2")
    met = arrays["MET_pt"].to_numpy()[arrays["nMuon"].to_numpy() == 2]
    assert made.values().sum() == len(met)
    assert made.axes[0].edges[0] == met.min()
    assert sk.hist(dimuon, "Muon_charge", integers=(-1, 1)).values().sum() == ak.count(arrays["Muon_pt"])
    with pytest.raises(sk.ConfigError, match="no range"):
        sk.hist(dimuon, "MET_pt", where="nMuon > 99")


MISTAKES = [
    (lambda f: f.hist("MET_pt", bins=50), sk.ConfigError, r"bins=50 needs range=\(low, high\)"),
    (lambda f: f.hist("MET_pt", bins=50, range=(100, 0)), sk.ConfigError, "does not go upwards"),
    (
        lambda f: f.hist("MET_pt", edges=np.ma.array([-5, 5, 20], mask=[0, 1, 0])),
        sk.ConfigError,
        "an entry of edges is masked",
    ),
    (lambda f: f.hist("MET_pt", bins=(50, 0, 100)), sk.ConfigError, "bins must be a whole number or None"),
    (lambda f: f.hist("MET_pt", range=(0, 1)), sk.ConfigError, "range needs bins"),
    (lambda f: f.hist({"bins": 5, "range": [0, 1]}), sk.ConfigError, "an axis says what is filled along it"),
    (
        lambda f: f.skim("x.root", thin={"Muon": {"closure": True}}),
        sk.ConfigError,
        "thin says which elements",
    ),
    (lambda f: f.Muon_pt[np.True_], TypeError, "elements are taken by an integer, a mask or a slice"),
    (
        lambda f: f.arrays("MET_pt", entries=ak.Array([1, None])),
        sk.ConfigError,
        "sequence of whole numbers, not",
    ),
    (lambda f: f.arrays("MET_pt", entries=ak.Array([[1], []])), sk.ConfigError, "entries are a sequence of"),
    (lambda f: f.hist("MET_pt"), sk.ConfigError, "it has no bins"),
    (lambda f: f.hist("MET_pt", bins=0, range=(0, 1)), sk.ConfigError, "is not from 1 to"),
    (lambda f: f.hist("MET_pt", edges=[0, 2, 2]), sk.ConfigError, "2 is followed by 2"),
    (lambda f: f.hist("MET_pt", edges=[0]), sk.ConfigError, "two or more"),
    (
        lambda f: f.hist("nJet", integers=(0.5, 3)),
        sk.ConfigError,
        "integers must be two whole numbers or None",
    ),
    (lambda f: f.hist("nJet", categories=[1, 1]), sk.ConfigError, "there twice"),
    (
        lambda f: f.hist("nJet", categories=[1, "a"]),
        sk.ConfigError,
        "a list of texts or a list of whole numbers or None",
    ),
    (lambda f: f.hist("nJet", integers=(0, 2**31)), sk.ConfigError, "32 bits"),
    (lambda f: f.hist("nJet", integers=(-(2**31) - 1, 0)), sk.ConfigError, "32 bits"),
    (lambda f: f.hist("nJet", integers=(1, 10_000_001)), sk.ConfigError, "10000000"),
    (lambda f: f.hist("nJet", categories=[1, -(2**53) - 1]), sk.ConfigError, r"2\*\*53"),
    (lambda f: f.hist("nJet", categories=[]), sk.ConfigError, "not growing"),
    (lambda f: f.hist("nJet", categories=[1], circular=True), sk.ConfigError, "not for categories"),
    (lambda f: f.hist("nJet", integers=(0, 3), growth=True), sk.ConfigError, "growing needs categories"),
    *(
        (
            lambda f, given=given: f.hist(sk.axis("MET_pt", bins=2, range=(0, 1)), **given),
            sk.ConfigError,
            f"give {next(iter(given))} to each skimline.axis",
        )
        for given in (
            {"bins": 1},
            {"edges": np.arange(3.0)},
            {"categories": []},
            {"growing": True},
            {"circular": True},
            {"underflow": False},
            {"overflow": False},
            {"label": "x"},
        )
    ),
    (lambda f: f.hist("nJet", integers=(0, 3), type="flaot"), sk.ConfigError, 'did you mean "float"'),
    (lambda f: f.hist("nJet", integers=(0, 3), nan="skip"), sk.ConfigError, "overflow"),
    (lambda f: f.hist("nJet", integers=(0, 3), type="int", weight="2."), sk.ConfigError, "has no weight"),
    (lambda f: f.hist("nJet", integers=(0, 3), weight_variations={"a": "1"}), sk.ConfigError, "needs weight"),
    (lambda f: f.hist("nJet", integers=(0, 3), name="a b"), sk.ConfigError, "is no name"),
    (lambda f: f.skim("x.root", format="parquet"), sk.ConfigError, "has to end with .parquet"),
    (lambda f: f.skim("x.root", keep=["Muon_pq"]), sk.ConfigError, 'did you mean "Muon_pt"'),
    (lambda f: f.skim("x.root", compression="zstdd"), sk.ConfigError, 'did you mean "zstd"'),
    (lambda f: f.skim("x.root", compression="zstd:77"), sk.ConfigError, "zstd:1 to zstd:19"),
    (lambda f: f.skim("x.root", cluster_size="64 Mb"), sk.ConfigError, "no number of bytes"),
    (lambda f: f.skim("x.root", cluster_size=4), sk.ConfigError, "is not from"),
    (lambda f: f.skim("x.root", format="tree"), sk.ConfigError, 'did you mean "ttree"'),
    (lambda f: f.skim("x.root", compresion="zstd"), TypeError, "compresion"),
    (lambda f: f.hist("MET_pt", binz=10), TypeError, "binz"),
    (lambda f: f.filter("MET_pt ** 2 > 3"), sk.ExpressionError, r"pow\("),
    (lambda f: f.define("x", "np.sqrt(MET_pt)"), sk.ExpressionError, "no module in front"),
    (
        lambda f: f.define("x", "ak.sum(Muon_pt, axis=1)"),
        sk.ExpressionError,
        "^(?!.*front.*front).*module in front",
    ),
    (lambda f: f.define("x", "len(Muon_pt)"), sk.ExpressionError, r"x.size\(\)"),
    (lambda f: f.define("x", "Muon_pt[:2]"), sk.ExpressionError, r"Take\(x, n\)"),
    (lambda f: f.define("x", "Muon_pt[0:2]"), sk.ExpressionError, r"Take\(x, n\)"),
    (lambda f: f.filter(lambda pt: pt > 2), TypeError, "define"),
    (lambda f: f.Filter("nMuon > 1"), AttributeError, "that is filter"),
    (lambda f: f.filtr("nMuon > 1"), AttributeError, 'did you mean "filter"'),
]


MISTAKES += [
    (lambda f: f.sum("name"), sk.SchemaError, 'sum needs numbers: "name" is string'),
    (lambda f: f.min("name"), sk.SchemaError, 'min needs numbers: "name" is string'),
    (lambda f: f.describe(["name"]), sk.SchemaError, 'describe needs numbers: "name" is string'),
    (lambda f: f.weight("w", "name"), sk.SchemaError, 'the factor "w" needs numbers'),
    (
        lambda f: f.hist("MET_pt", 10, 0, 100),
        TypeError,
        r"an axis is an expression, not 10: hist\(.x., bins=10",
    ),
    (lambda f: f.hist(("h", "", 10, 0, 100), "MET_pt"), TypeError, "an axis is an expression, not "),
    (
        lambda f: f.hist("MET_pt", edges=[0, 9, float("inf")]),
        sk.ConfigError,
        "beyond the last is in the overflow",
    ),
    (
        lambda f: f.hist("MET_pt", bins=2, range=(0, 10**400)),
        sk.ConfigError,
        "is not two finite numbers",
    ),
    (lambda f: f.head(0), sk.ConfigError, "0 is no number of events to be shown"),
    (
        lambda f: f.hist("name", bins=2, range=(0, 1)),
        sk.SchemaError,
        "an axis without categories needs numbers",
    ),
    (
        lambda f: f.hist("MET_pt", bins=2, range=(0, 1), weight="name"),
        sk.SchemaError,
        "a weight needs numbers",
    ),
    (
        lambda f: sk.run(f.sum("MET_pt"), limit_events=-1),
        sk.ConfigError,
        "limit_events: -1 is no number of events",
    ),
    (
        lambda f: sk.run(f.sum("MET_pt"), limit_files=1.5),
        sk.ConfigError,
        "limit_files must be a whole number or None, not 1.5",
    ),
    (
        lambda f: sk.run(f.sum("MET_pt"), shard=3),
        sk.ConfigError,
        "shard must be two whole numbers or None, not 3",
    ),
    (
        lambda f: sk.run(f.sum("MET_pt"), threads="2"),
        sk.ConfigError,
        "threads must be a whole number, not '2'",
    ),
    (
        lambda f: f.arrays("MET_pt", entry_stop=2.5),
        sk.ConfigError,
        "entry_stop must be a whole number or None, not 2.5",
    ),
    (lambda f: f.arrays("Moun_*"), sk.ConfigError, 'no column matches "Moun_'),
    (lambda f: f.arrays({1: "MET_pt"}), TypeError, "the name of what is read must be a text, not 1"),
    (
        lambda f: f.iterate("MET_pt", step=2.5),
        sk.ConfigError,
        "step must be a whole number or a text or None, not 2.5",
    ),
    (lambda f: f.arrays("MET_pt", entry_start=-2), sk.ConfigError, "entries are counted from 0: -2"),
]


@pytest.mark.parametrize(("make", "error", "text"), MISTAKES, ids=[each[2] for each in MISTAKES])
def test_mistakes_are_told_where_they_are_made(events, make, error, text):
    with pytest.raises(error, match=text) as caught:
        make(events.define("name", "'a'"))
    assert "<python>" not in str(caught.value)


def test_samples_without_a_common_type_are_not_put_together(tmp_path):
    sk.write(tmp_path / "a.root", {"number": np.array([-1, 2]), "x": np.array([1, 2]), "kind": ["a", "b"]})
    sk.write(
        tmp_path / "b.root",
        {"number": np.array([2**64 - 1], np.uint64), "x": np.array([0.5]), "kind": np.array([1])},
    )
    frame = sk.open({"a": tmp_path / "a.root", "b": tmp_path / "b.root"})
    assert frame.arrays("x", sample="*", library="np")["x"].tolist() == [1, 2, 0.5]
    assert frame.arrays("number", sample="b", library="np")["number"].tolist() == [2**64 - 1]
    for column in ("number", "kind"):
        with pytest.raises(
            sk.SchemaError, match=f'"{column}" has no type that holds the values of all samples'
        ):
            frame.arrays(column, sample="*")
        with pytest.raises(sk.SchemaError, match=f'"{column}" has no type'):
            sk.loader(frame, batch=3, columns=[column])
    with pytest.raises(sk.SchemaError, match='"number" has no type'):
        frame.dask_awkward("number", sample="*")
    assert str(frame.head(3, ["number"], sample="*")).split() == ["number", "-1", "2", str(2**64 - 1)]


@pytest.mark.parametrize("library", ["ak", "np", "pa", "pd", "pl", "loader", "shuffled"])
@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize(
    ("of_one", "of_another"),
    [
        ("uint64", "int8"),
        ("uint64", "int32"),
        ("int64", "float32"),
        ("int64", "float64"),
        ("uint64", "float64"),
    ],
)
def test_integers_of_samples_stay_what_they_are(tmp_path, library, depth, of_one, of_another):
    """Put together with numbers of other types, or refused: never rounded."""

    def read(large):
        numbers = [large, large - 2, 3]
        for name, values in (("a", np.array(numbers, of_one)), ("b", np.array([1, 2], of_another))):
            column = ak.unflatten(values, np.ones(len(values), int)) if depth else values
            sk.write(tmp_path / f"{name}.root", {"x": column}, force=True)
        frame = sk.open({name: tmp_path / f"{name}.root" for name in "ab"})
        if library in ("loader", "shuffled"):
            shuffle = 1 if library == "shuffled" else None
            made = ak.concatenate(
                [each["x"] for each in sk.loader(frame, batch=2, columns=["x"], shuffle=shuffle)]
            )
        else:
            made = frame.arrays(["x"], sample="*", library=library)["x"]
        listed = made.to_pylist() if library == "pa" else made.to_list() if library == "pl" else list(made)
        found = [int(each[0]) if depth else int(each) for each in listed]
        assert sorted(found) == sorted([*numbers, 1, 2])

    try:
        read(2**53 + 1)
    except sk.SchemaError as error:
        assert '"x"' in str(error) or library == "pa"
    if of_one == "int64" or of_another == "float64":
        read(2**53)


def test_lists_of_lists_of_samples_may_have_other_numbers(tmp_path):
    for name, kind in (("a", "float32"), ("b", "float64")):
        inner = ak.unflatten(np.arange(3, dtype=kind), [1, 2])
        sk.write(tmp_path / f"{name}.root", {"x": ak.unflatten(inner, [2, 0])})
    frame = sk.open({name: tmp_path / f"{name}.root" for name in "ab"})
    found = frame.arrays("x", sample="*").x.to_list()
    assert found == [[[0], [1, 2]], [], [[0], [1, 2]], []]
    (batch,) = sk.loader(frame, batch=9, columns=["x"])
    assert batch["x"].to_list() == found


def test_the_length_is_that_of_arrays_where_a_mask_leaves_events_out(tmp_path):
    sections = np.repeat(np.arange(10, dtype=np.uint32), 3)
    file = tmp_path / "data.root"
    sk.write(file, {"run": np.ones(30, np.uint32), "luminosityBlock": sections})
    mask = tmp_path / "mask.json"
    mask.write_text('{"1": [[2, 3]]}')
    frame = sk.open(file, lumi_mask=mask)
    assert len(frame) == frame.count() == len(frame.arrays()) == 6
    assert (frame.num_entries, len(sk.open(file))) == (30, 30)


def test_masks_are_those_that_the_frame_was_opened_with(tmp_path):
    file, mask = tmp_path / "data.root", tmp_path / "mask.json"
    sk.write(
        file, {"run": np.ones(30, np.uint32), "luminosityBlock": np.repeat(np.arange(10, dtype=np.uint32), 3)}
    )
    mask.write_text('{"1": [[2, 3]]}')
    frames = [sk.open(file, lumi_mask=mask), sk.open({"data": {"files": str(file), "lumi_mask": mask}})]
    assert [frame.count() for frame in frames] == [6, 6]
    copies = [pickle.loads(pickle.dumps(frame)) for frame in frames]
    mask.write_text('{ "1": [[2, 3]] }')
    assert [frame.count() for frame in frames + copies] == [6, 6, 6, 6]
    mask.write_text('{"1": [[2, 4]]}')
    for frame in frames + copies:
        for use in (frame.count, frame.arrays, lambda: sk.run(frame.hist("run", integers=(0, 3)))):  # noqa: B023
            with pytest.raises(sk.FileError, match=r"mask.json: has changed since it was opened") as caught:
                use()
            assert (caught.value.path, caught.value.fault) == (str(mask), "changed")
    assert sk.open(file, lumi_mask=mask).count() == 9


def test_masks_that_are_not_there_any_more_have_not_changed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sk.write("data.root", {"run": np.ones(3, np.uint32), "luminosityBlock": np.arange(3, dtype=np.uint32)})
    Path("mask.json").write_text('{"1": [[2, 3]]}')
    frame = sk.open(tmp_path / "data.root", lumi_mask="mask.json")
    monkeypatch.chdir(tmp_path.parent)
    with pytest.raises(sk.ConfigError, match=r'"?mask.json'):
        frame.count()
    monkeypatch.chdir(tmp_path)
    assert frame.count() == 1


def test_one_line_histograms_ignore_nothing(dimuon):
    for others in ({"edges": [0, 1]}, {"integers": (0, 3)}):
        with pytest.raises(sk.ConfigError, match=r"bins and .* cannot be together"):
            sk.hist(dimuon, "nMuon", bins=7, **others)
    assert len(sk.hist(dimuon, "nMuon", range=(0, 3)).axes[0]) == len(sk.hist(dimuon, "nMuon").axes[0]) == 50
    with pytest.raises(sk.ConfigError, match="of one sample, not of a, b"):
        sk.hist({"a": dimuon, "b": dimuon}, "nMuon")


def test_spreads_of_values_that_are_close_beside_what_varies(tmp_path):
    """They are made by a further run, in which nothing else varies."""
    x = 1e9 + np.arange(100) * 1e-3
    sk.write(tmp_path / "a.root", {"x": x, "y": np.arange(100.0)})
    frame = sk.open(tmp_path / "a.root").vary("scale", {"y": {"up": "y * 2"}})
    spread, beside = frame.std("x"), frame.hist("y", bins=2, range=(0, 300))
    sk.run(spread, beside)
    np.testing.assert_allclose([spread.value, spread.numbers["scale_up"]], np.std(x), rtol=1e-6)


def test_columns_may_be_read_once_only(events, dimuon):
    assert events.head(1, iter(["MET_pt"]))
    several = sk.open({"a": str(dimuon), "b": {"files": [str(dimuon)]}}, allow_duplicates=True)
    made = several.arrays(iter(["MET_pt", "nMuon"]), sample="*", library="np")
    assert {name: len(each) for name, each in made.items()} == {"MET_pt": 20000, "nMuon": 20000}
    for entries in (None, [1, 2]):
        with pytest.raises(sk.SchemaError, match="no columns are asked for"):
            events.arrays([], entries=entries, library="np")


def test_rows_of_several_samples(tmp_path):
    for name, length in (("two", 2), ("three", 3)):
        sk.write(tmp_path / f"{name}.root", {"x": np.ones((4, length))})
    frame = sk.open({name: str(tmp_path / f"{name}.root") for name in ("two", "three")})
    with pytest.raises(sk.SchemaError, match="of another length in each sample"):
        frame.arrays(["x"], sample="*", library="np")
    # Of a sample without events no length is known.
    made = frame.filter('sample_ == "three"').arrays(["x"], sample="*", library="np")
    np.testing.assert_array_equal(made["x"], np.ones((4, 3)))
