# SPDX-License-Identifier: BSD-3-Clause
"""Columns as objects: the text that they make, and its values beside those of awkward and numpy."""

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot


@pytest.fixture
def events(dimuon):
    return sk.open(f"{dimuon}:Events")


class Records:
    """The same names on arrays of awkward."""

    def __init__(self, arrays, prefix=""):
        self._arrays, self._prefix = arrays, prefix

    def __getattr__(self, name):
        full = self._prefix + name
        return self._arrays[full] if full in self._arrays.fields else Records(self._arrays, full + "_")


@pytest.fixture(scope="module")
def records(dimuon):
    with uproot.open(dimuon) as file:
        return Records(file["Events"].arrays())


EXPRESSIONS = [
    (lambda e: e.Muon.pt > 20, "Muon_pt > 20"),
    (lambda e: e.MET_pt * 2 + 1, "MET_pt * 2 + 1"),
    (lambda e: 2.5 * (e.MET_pt + 1), "2.5 * (MET_pt + 1)"),
    (lambda e: e.MET_pt - (e.MET_pt - 3.5), "MET_pt - (MET_pt - 3.5)"),
    (lambda e: 10.5 - e.MET_pt - 1, "10.5 - MET_pt - 1"),
    (lambda e: e.MET_pt / (e.MET_pt / 2.0), "MET_pt / (MET_pt / 2.0)"),
    (lambda e: -(e.MET_pt + 1) * -2, "-(MET_pt + 1) * (-2)"),
    (lambda e: (e.Muon.pt > 20) & (abs(e.Muon.eta) < 1.5), "Muon_pt > 20 && abs(Muon_eta) < 1.5"),
    (lambda e: (e.nMuon > 1) | ((e.MET_pt > 20) & (e.nJet == 0)), "nMuon > 1 || MET_pt > 20 && nJet == 0"),
    (lambda e: ((e.nMuon > 1) | (e.MET_pt > 20)) & (e.nJet != 0), "(nMuon > 1 || MET_pt > 20) && nJet != 0"),
    (lambda e: ~(e.nMuon > 1), "!(nMuon > 1)"),
    (lambda e: e.Muon.pt[e.Muon.pt > 30], "Muon_pt[Muon_pt > 30]"),
    (lambda e: np.sqrt(e.MET_pt**2 + 1), "sqrt(pow(MET_pt, 2) + 1)"),
    (lambda e: np.hypot(np.cos(e.MET_phi), np.sin(e.MET_phi)), "hypot(cos(MET_phi), sin(MET_phi))"),
    (lambda e: np.arctan2(e.MET_pt, 2.0), "atan2(MET_pt, 2.0)"),
    (lambda e: np.multiply(2, e.MET_pt), "2 * MET_pt"),
    (lambda e: np.float64(2) * e.MET_pt, "2.0 * MET_pt"),
    (lambda e: np.logical_and(e.nMuon > 1, e.nJet > 1), "nMuon > 1 && nJet > 1"),
    (lambda e: (e.nMuon > 1) == (e.nJet > 1), "(nMuon > 1) == (nJet > 1)"),
    (lambda e: (e.nMuon == e.nJet) != 2, "(nMuon == nJet) != 2"),
    (lambda e: (~e.nMuon) == 2, "(!nMuon) == 2"),
    (lambda e: np.less(20, e.Muon.pt), "20 < Muon_pt"),
    (lambda e: np.fmod(e.MET_pt, 7), "fmod(MET_pt, 7)"),
    (lambda e: np.minimum(20, np.sqrt(e.MET_pt - 20)), "min(sqrt(MET_pt - 20), 20)"),
    (lambda e: np.maximum(np.sqrt(e.MET_pt - 20), 2.5), "max(sqrt(MET_pt - 20), 2.5)"),
    (lambda e: np.fmax(1, np.sqrt(e.MET_pt - 20)), "fmax(1, sqrt(MET_pt - 20))"),
]


@pytest.mark.parametrize(("make", "text"), EXPRESSIONS, ids=[text for _, text in EXPRESSIONS])
def test_operators_make_texts(events, records, make, text):
    made = make(events)
    assert str(made) == repr(made) == text
    ours = events.arrays({"x": made})["x"]
    with np.errstate(invalid="ignore"):
        theirs = make(records)
    assert ak.almost_equal(
        ak.nan_to_num(ak.values_astype(ours, float), nan=-1),
        ak.nan_to_num(ak.values_astype(theirs, float), nan=-1),
        rtol=1e-6,
        dtype_exact=False,
    )


def test_lists_and_strings(events, records):
    pt = events.Muon.pt
    two = events[events.nMuon >= 2]
    theirs = records.Muon.pt[records.nMuon >= 2]
    made = two.arrays(
        {
            "first": pt[0],
            "last": pt[-1],
            "two": pt[:2],
            "end": pt[-2:],
            "back": pt[::-1],
            "sum": pt.sum(),
            "n": pt.size(),
        }
    )
    assert ak.all(made["first"] == theirs[:, 0])
    assert ak.all(made["last"] == theirs[:, -1])
    assert ak.all(made["two"] == theirs[:, :2])
    assert ak.all(made["end"] == theirs[:, -2:])
    assert ak.all(made["back"] == theirs[:, ::-1])
    np.testing.assert_allclose(made["sum"], ak.sum(theirs, axis=1), rtol=1e-5)
    assert ak.all(made["n"] == ak.num(theirs))
    assert events.filter(events["sample_"] == 'ev"ents').count() == 0
    assert events.filter(events["sample_"] == "events").count() == 10000


SLICES = [
    (slice(start, stop) if step is None else slice(start, stop, step))
    for start, stop, step in (
        *((None, stop, None) for stop in (0, 1, 2, 3, 100, -1, -2, -100)),
        *((start, None, None) for start in (0, 1, 2, 100, -1, -2, -100)),
        *(
            (1, 3, 1),
            (2, 1, None),
            (-2, -1, None),
            (-3, 1, None),
            (1, -1, None),
            (None, None, None),
            (None, None, -1),
        ),
    )
]


def test_slices_end_where_lists_do(events, records):
    made = events.arrays({f"x{i}": events.Muon.pt[each] for i, each in enumerate(SLICES)})
    for i, each in enumerate(SLICES):
        expected = [values[each] for values in ak.to_list(records.Muon.pt)]
        assert ak.to_list(made[f"x{i}"]) == expected, each


@pytest.mark.parametrize("index", [slice(None, None, 2), slice(0.5), slice("a", None), slice(3, None, -1)])
def test_other_slices_are_refused(events, index):
    with pytest.raises(sk.ConfigError, match=r"taken by \[a:b\]"):
        _ = events.Muon.pt[index]


def test_collections(events, records):
    hard = events.Muon[events.Muon.pt > 20]
    assert str(hard.eta) == "Muon_eta[Muon_pt > 20]"
    assert str(events.Muon["pt"]) == "Muon_pt"
    made = (
        events.define("hard_eta", hard.eta)
        .filter((events.Muon.pt > 20).any())
        .hist(hard.eta, bins=10, range=(-3, 3))
    )
    sk.run(made)
    flat = ak.to_numpy(ak.ravel(records.Muon.eta[records.Muon.pt > 20]))
    np.testing.assert_array_equal(made.values(), np.histogram(flat, bins=10, range=(-3, 3))[0])
    with pytest.raises(AttributeError, match=r'Muon has no "ptt".*"pt"'):
        _ = events.Muon.ptt
    with pytest.raises(sk.ConfigError, match='"Muon" is several columns'):
        events.define("x", events.Muon)


def test_everything_takes_them(events):
    scale = {"MET_pt": {"up": events.MET_pt * 1.1, "down": events.MET_pt * 0.9}}
    frame = events.vary("scale", scale).weight("w", events.genWeight).redefine("nJet", events.nJet + 1)
    booked = frame.hist(
        sk.axis(events.MET_pt, bins=3, range=(0, 9)),
        weight=events.genWeight * 2,
        profile=events.nJet,
        where=events.nMuon > 1,
        name="x",
    )
    sums = [frame.sum(events.MET_pt), frame.max(events.MET_pt), frame.take(events.nJet)]
    sk.run(booked, sums, frame.alias("j", events.nJet).hist(events.nJet, integers=(0, 3)))
    assert frame.to_config()["variations"]["scale"]["columns"] == {
        "MET_pt": {"up": "MET_pt * 1.1", "down": "MET_pt * 0.9"}
    }
    assert set(events.arrays([events.Muon.pt, "MET_pt"]).fields) == {"Muon_pt", "MET_pt"}


@pytest.mark.filterwarnings("ignore:`Completer.complete` is pending:PendingDeprecationWarning")
def test_completion(events):
    frame = events.define("good", "Muon_pt > 20")
    assert {"Muon", "MET_pt", "good", "filter", "hist"} <= set(dir(frame))
    assert "pt" in dir(frame.Muon)
    assert "Muon_pt" in frame._ipython_key_completions_()
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    shell.Completer.use_jedi = False
    shell.user_ns["frame"] = frame
    shell.user_ns["muons"] = frame.Muon
    assert ".eta" in shell.complete("muons.et")[1]
    assert {".MET_pt", ".MET_phi"} == set(shell.complete("frame.MET_p")[1])


def test_mistakes(events):
    cases = [
        (lambda: events.MET_pt > 1 and events.nMuon > 1, TypeError, "by & | ~"),
        (lambda: len(events.Muon.pt), TypeError, r"size\(\)"),
        (lambda: list(events.MET_pt), TypeError, "arrays"),
        (lambda: events.Muon.pt[1:3:2], sk.ConfigError, r"\[a:b\]"),
        (lambda: np.gcd(events.nMuon, 2), TypeError, "numpy.gcd"),
        (lambda: events.MET_pt - [1], TypeError, "cannot be in an expression"),
        (lambda: events.MET_pt * float("inf"), sk.ConfigError, "inf"),
        (lambda: events["MET_p"], sk.ExpressionError, "MET_pt"),
        (lambda: events[::2], sk.ConfigError, "step"),
    ]
    for make, error, text in cases:
        with pytest.raises(error, match=text):
            make()


def test_names_with_other_characters(tmp_path):
    sk.write(tmp_path / "odd.root", {"a:b": np.arange(3.0), "plain": np.arange(3)})
    odd = sk.open(tmp_path / "odd.root")
    assert str(odd["a:b"] * 2) == "`a:b` * 2"
    np.testing.assert_array_equal(odd.take(odd["a:b"] * 2).value, [0, 2, 4])


def test_names_that_are_words_of_expressions(tmp_path):
    names = ["true", "xor", "compl", "return", "M\u00fcon"]
    sk.write(tmp_path / "words.root", {name: np.arange(3.0) for name in names})
    events = sk.open(tmp_path / "words.root")
    for name in names:
        np.testing.assert_array_equal(events.take(events[name] * 2).value, [0, 2, 4])
    assert set(events.arrays().fields) == set(names)


def test_integers_of_64_bits_are_what_they_are(tmp_path):
    signed = np.array([-(2**63), -1, 2**63 - 1])
    unsigned = np.array([0, 2**63, 2**64 - 1], np.uint64)
    sk.write(tmp_path / "wide.root", {"signed": signed, "unsigned": unsigned})
    events = sk.open(tmp_path / "wide.root")
    for number in (-(2**63), -(2**63) + 1, 2**63 - 1, np.int64(-(2**63))):
        assert events[events.signed == number].count() == np.sum(signed == number)
        assert events[events.signed <= number].count() == np.sum(signed <= number)
    for number in (2**63, 2**64 - 1, np.uint64(2**63)):
        assert events[number <= events.unsigned].count() == np.sum(unsigned >= np.uint64(number))
    with pytest.raises(sk.ConfigError, match="more than 64 bits, such as 18446744073709551616"):
        events.unsigned < 2**64  # noqa: B015


def test_more_of_numpy(events, arrays):
    last = events.Muon.pt[np.int64(-1)]
    assert str(last) == "back(Muon_pt)"
    assert events[np.isfinite(events.MET_pt) & ~np.isnan(events.MET_pt)].count() == 10000
    assert str(np.copysign(events.MET_pt, -1)) == "copysign(MET_pt, -1)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda e: e.nMuon & 1, r'events\["nMuon & 1"\]'),  # && would be true for any number
        (lambda e: np.bitwise_or(e.nMuon, 4), r'events\["nMuon \| 4"\]'),
        (lambda e: np.int8(2) & e.nMuon, "join conditions"),
        (lambda e: np.bitwise_or(e.nMuon, e.nJet), r'write events\["nMuon \| y"\] for bits, or x \| y'),
        (lambda e: np.bitwise_and(e.nMuon > 1, e.nJet > 1), "or x & y for conditions"),
        (lambda e: np.invert(e.nMuon), r'write events\["~nMuon"\] for bits, or ~x for conditions'),
        (lambda e: np.mod(e.MET_pt, 3), "no numpy.remainder: write MET_pt % n of integers, or numpy.fmod"),
        (lambda e: e.MET_pt * np.arange(3), "a ndarray cannot be in an expression"),
        (lambda e: [1, 2] * e.MET_pt, "a list cannot be in an expression"),
        (lambda e: e.Muon_pt[True], "not by True"),
        (lambda e: e.Muon_pt[0.5], "not by 0.5"),
        (lambda e: np.sum(e.Muon_pt), r"numpy.sum: x.sum\(\) is that of each list"),
        (lambda e: np.where(e.MET_pt > 1, 1, 2), "no numpy.where: write events"),
        (lambda e: np.argmax(e.Muon_pt), r'no numpy.argmax: write events\["ArgMax\(Muon_pt\)"\]'),
        (lambda e: ak.sum(e.Muon_pt, axis=1), r"no awkward.sum: x.sum\(\) is that of each list"),
        (lambda e: ak.num(e.Muon), r"no awkward.num: write x.size\(\)"),
        (lambda e: ak.combinations(e.Muon, 2), r'events\["Combinations\(x, n\)"\], or objects'),
        (lambda e: ak.zip({"a": e.Muon_pt}), "no awkward.zip: define"),
        (list, r"not read event by event: arrays\(columns\)"),
        (np.asarray, "a frame is no array"),
        (lambda e: e[5], r"arrays\(columns, entries="),
        (lambda e: e[np.ones(10000, bool)], r"arrays\(columns, entries="),
        (lambda e: e[["MET_pt", "nMuon"]], r"arrays\(\['MET_pt', 'nMuon'\]\)"),
        (lambda e: e[None], "not None"),
        (lambda e: e.__setitem__("x", e.MET_pt), r"frame = frame.define\('x', ...\)"),
        (lambda e: np.sqrt(e.MET_pt, dtype=float), "numpy.sqrt of an expression has no dtype="),
    ],
)
def test_what_expressions_have_not_is_said(events, make, message):
    with pytest.raises(TypeError, match=message):
        make(events)


def test_columns_of_others_are_told(events):
    with pytest.raises(AttributeError, match=r'has no "argmax": write events\["ArgMax\(Muon_pt\)"\]'):
        events.Muon_pt.argmax()
    with pytest.raises(AttributeError, match=r"never changes: frame = frame.define\('x', ...\)"):
        events.x = "MET_pt * 2"


def test_names_of_a_frame(events):
    frame = events.define("twice", "MET_pt * 2")
    for name in ("MET_pt", "twice", "Muon", "Muon_pt"):
        assert name in frame
    for name in ("twice", "MET_ptt", "MET_pt * 2", 5, None):
        assert name not in events


@pytest.mark.parametrize("comment", ["/* isn't 1 */", '/* " */', "// isn't 1\n", "{ // it's a body\n return"])
def test_comments_may_have_quotes(dimuon, comment):
    """What stands behind them is needed: the normalisation is 1 where nobody names it."""
    sample = {"files": [str(dimuon)], "cross_section_pb": 50, "sum_weights": "1"}
    events = sk.open({"a": sample}, luminosity_pb=1000)
    text = f"{comment} normalisation_" + ("; }" if comment.startswith("{") else "")
    assert set(events.arrays({"w": text})["w"].tolist()) == {50 * 1000 / 10000}
