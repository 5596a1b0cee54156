# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of other types than public functions take: errors in words of Python, whatever is given for what."""

import decimal
import fractions
import inspect
import sys

import numpy as np
import pytest
import skimline as sk
from skimline.argument_types import checked


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


# None of these is any argument of any function.
STRANGE = {
    "object": object(),
    "bytes": b"MET_pt",
    "complex": 1 + 2j,
    "module": sys,
    "type": dict[str, int],
    "unprintable": Unprintable(),
    "numbers": np.array([[1.5, 2.5], [2.0, 3.0]]),
    "keys": {1: object()},
    "surrogate": "\ud800",
}

# Words of pybind11, of C++, and of what merely came in between.
FOREIGN = (
    "incompatible",
    "Invoked with",
    "std::",
    "has no attribute",
    "unhashable",
    "is not iterable",
    " at 0x",
)


@pytest.fixture(scope="module")
def folder(dimuon, tmp_path_factory):
    path = tmp_path_factory.mktemp("arguments")
    (path / "in.root").write_bytes(dimuon.read_bytes())
    events = sk.open(path / "in.root")
    sk.run(events.hist("MET_pt", name="met", bins=5, range=(0, 100)), histograms=path / "h.root")
    return path


CONFIG = {
    "schema_version": 1,
    "samples": {"a": {"files": ["in.root"]}},
    "histograms": {"m": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 100]}}},
}


def functions():
    """By name a function of a frame that returns what is called, and arguments that are right."""
    of_frames = {
        "define": {"name": "twice", "expression": "MET_pt * 2"},
        "redefine": {"name": "MET_pt", "expression": "MET_pt * 2"},
        "alias": {"name": "met", "column": "MET_pt"},
        "weight": {"name": "w", "expression": "MET_pt"},
        "filter": {"expression": "MET_pt > 20"},
        "range": {"start": 0},
        "hist": {},
        "skim": {"file": "s.root"},
        "sum": {"expression": "MET_pt"},
        "take": {"expression": "MET_pt"},
        "count": {},
        "cutflow": {},
        "arrays": {"columns": "MET_pt"},
        "iterate": {"columns": "MET_pt"},
        "head": {},
        "describe": {"columns": "MET_pt"},
    }
    for name, right in of_frames.items():
        yield name, (lambda frame, name=name: getattr(frame, name)), right
    of_package = {
        "open": {"files": "in.root"},
        "axis": {"value": "MET_pt", "bins": 5, "range": (0, 100)},
        "inspect": {"location": "in.root"},
        "read_histogram": {"path": "h.root", "name": "met"},
        "read_histograms": {"path": "h.root"},
        "show": {"path": "h.root"},
        "merge": {"output": "m.root", "inputs": ["h.root"], "force": True},
        "convert": {"inputs": "in.root", "output": "c.root", "force": True},
        "generate": {"model": "dimuon", "output": "g.root", "events": 10, "force": True},
        "write": {"location": "w.root", "data": {"x": [1.0]}, "force": True},
        "create": {"location": "w.root", "fields": {"x": "float"}, "force": True},
        "book": {"config": CONFIG},
        "run_config": {"config": CONFIG},
    }
    for name, right in of_package.items():
        yield f"sk.{name}", (lambda _, name=name: getattr(sk, name)), right
    yield "sk.run", (lambda frame: lambda **named: sk.run(frame.sum("MET_pt"), **named)), {}
    yield "sk.loader", (lambda frame: lambda **named: sk.loader(frame, **named)), {"batch": 10}


KNOWN = {name: (of, right) for name, of, right in functions()}
# Mistakes of these are those of a config, which are said with their place.
OF_CONFIGS = (
    "config",
    "data",
    "fields",
    "sum_weights",
    "samples_from",
    "sample_defaults",
    "objects",
    "defaults",
    "metadata",
)


def signature(name, called):
    real = {"sk.run": sk.run, "sk.loader": sk.loader}.get(name, called)
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [
        parameter.name
        for parameter in inspect.signature(real).parameters.values()
        if parameter.kind in kinds and parameter.name not in ("frame", "self")
    ]


@pytest.mark.thorough(quick=6)
@pytest.mark.parametrize("name", KNOWN)
def test_strange_arguments_are_refused_in_words_of_python(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    of, right = KNOWN[name]
    called = of(sk.open("in.root"))
    taken = []
    for parameter in signature(name, called):
        for kind, value in STRANGE.items():
            try:
                result = called(**(right | {parameter: value}))
                if name == "sk.create":
                    result.abandon()
                taken.append(f"{parameter}={kind}")
            except (sk.Error, TypeError) as error:
                said = str(error)
                assert not any(word in said for word in FOREIGN), f"{name}({parameter}={kind}): {said}"
            except RuntimeError as error:
                assert str(error) == "no text", f"{name}({parameter}={kind}): {error!r}"
    # Where anything may stand that behaves as wanted.
    free = ("data", "entries", "progress", "metadata", "defaults", "sample_defaults", "expression", "shuffle")
    assert not [each for each in taken if not each.startswith(free)]


@pytest.mark.parametrize("flag", ["no", "false", 2, -1, 0.0, None, [], b"", np.array([True, False])])
def test_flags_are_true_or_false(folder, monkeypatch, flag):
    monkeypatch.chdir(folder)
    before = (folder / "in.root").read_bytes()
    with pytest.raises(sk.ConfigError, match=r"force must be True or False, not"):
        sk.merge("in.root", ["h.root"], force=flag)
    assert (folder / "in.root").read_bytes() == before


@pytest.mark.parametrize("wrong", [2.5, True, np.True_, np.float64(3), "3", None, [3], decimal.Decimal(3)])
def test_numbers_of_events_are_whole(folder, wrong):
    events = sk.open(folder / "in.root")
    for call in (
        lambda: sk.loader(events, batch=wrong, columns="MET_pt"),
        lambda: events.head(wrong),
        lambda: events.range(wrong),
    ):
        with pytest.raises(sk.ConfigError, match="must be a whole number, not") as caught:
            call()
        assert isinstance(caught.value, TypeError)


NUMPYS = [np.int8, np.uint16, np.int64, np.uint64, np.array]


@pytest.mark.parametrize("kind", NUMPYS, ids=lambda kind: kind.__name__)
def test_whole_numbers_may_be_numpys(folder, kind):
    events = sk.open(folder / "in.root")
    assert len(next(iter(sk.loader(events, batch=kind(7), columns="MET_pt")))["MET_pt"]) == 7
    assert len(events.arrays("MET_pt", entry_start=kind(3), entry_stop=kind(9), threads=kind(1))) == 6
    assert len(next(events.iterate("MET_pt", step=kind(5)))) == 5
    assert events.range(kind(2), kind(6)).count() == 4
    filled = events.hist("MET_pt", bins=kind(4), range=(kind(0), kind(100)))
    sk.run(filled, threads=kind(1), limit_events=kind(10))
    assert len(filled.values()) == 4 and filled.result.entries == 10
    written = sk.write(folder / "n.root", {"x": [1.0]}, force=np.True_, threads=kind(1))
    assert written.entries == 1


@pytest.mark.parametrize("kind", [int, float])
def test_masked_entries_are_no_numbers(folder, kind):
    events = sk.open(folder / "in.root")
    array = np.ma.array([1, 2], kind, mask=[False, True])
    for wrong in (array[1], array[1:].reshape(())):
        for make in (
            lambda wrong=wrong: events.hist("MET_pt", bins=wrong, range=(0, 1)),
            lambda wrong=wrong: events.hist("MET_pt", bins=2, range=(0, wrong)),
            lambda wrong=wrong: events.range(wrong),
            lambda wrong=wrong: sk.open(folder / "in.root", luminosity_pb=wrong),
            lambda wrong=wrong: sk.open(folder / "in.root", metadata={"x": wrong}),
            lambda wrong=wrong: events.MET_pt * wrong,
            lambda wrong=wrong: events.MET_pt > wrong,
            lambda wrong=wrong: events.Muon_pt[wrong],
        ):
            with pytest.raises((TypeError, sk.ConfigError), match=r"mask|must be") as caught:
                make()
            assert "integer scalar arrays" not in str(caught.value)
    assert str(events.MET_pt * array[0]) in ("MET_pt * 1", "MET_pt * 1.0")
    with pytest.raises(sk.ConfigError, match="masked"):
        events.arrays("MET_pt", entries=np.ma.array([1, 2], mask=[False, True]))
    whole = np.ma.array([1, 2])  # of which none is masked
    assert len(events.arrays("MET_pt", entries=whole)) == 2


@pytest.mark.parametrize(
    "number", [np.float32(2), np.float64(2), np.int16(2), fractions.Fraction(2), np.array(2.0)]
)
def test_numbers_may_be_those_of_others(folder, number):
    opened = sk.open(
        folder / "in.root", cross_section_pb=number, luminosity_pb=number, sum_weights="genWeight"
    )
    assert opened.to_config()["samples"]["events"]["cross_section_pb"] == 2


def test_0_and_1_are_numbers_where_these_may_be_given(folder, tmp_path):
    sk.write(tmp_path / "more.root", {"n": [5, 6], "flag": [True, True], "counts": [[1], [2, 3]]})
    opened = sk.open(
        [folder / "in.root", tmp_path / "more.root"],
        metadata={"sign": 1, "year": np.int32(0), "is_new": True, "is_old": np.False_},
        defaults={"n": 0, "flag": np.True_, "counts": [1, 0]},
    )
    sample = opened.to_config()
    assert sample["defaults"] == {"n": 0, "flag": True, "counts": [1, 0]}
    described = sample["samples"]["events"]["metadata"]
    assert [type(described[name]) for name in ("sign", "year", "is_new", "is_old")] == [int, int, bool, bool]
    table = opened.arrays(["n", "flag", "counts"])
    assert table["n"].to_list()[-3:] == [0, 5, 6]
    assert table["counts"].to_list()[-3:] == [[1, 0], [1], [2, 3]]


def test_what_goes_round_or_deep_is_no_config():
    circle = dict(CONFIG)
    circle["define"] = circle
    with pytest.raises(sk.ConfigError, match="cannot hold itself"):
        sk.run_config(circle)
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    with pytest.raises(sk.ConfigError, match="nested"):
        sk.run_config(CONFIG | {"define": deep})
    while deep:  # which Python would free by calling itself as often
        deep = deep.pop("a", None)


def test_names_are_not_cut(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for call in (
        lambda: sk.inspect("in.root\0.other"),
        lambda: sk.merge("m\0.root", ["h.root"]),
        lambda: sk.write("w\0.root", {"x": [1.0]}),
        lambda: sk.generate("dimuon", "g\0.root", events=10),
        lambda: sk.read_histograms("h.root\0"),
    ):
        with pytest.raises(sk.FileError, match="null character"):
            call()
    assert not (folder / "w").exists() and not (folder / "g").exists() and not (folder / "m").exists()
    with pytest.raises(sk.Error, match="names no file"):
        sk.merge("", ["h.root"])


def test_what_is_looked_up_may_be_anything(folder):
    """Nothing is meant by what is no text."""
    events = sk.open(folder / "in.root")
    filled = events.vary("scale", {"MET_pt": {"up": "MET_pt * 2"}}).hist("MET_pt", bins=5, range=(0, 100))
    sk.run(filled)
    cutflow = events.filter("nMuon == 2", name="two").cutflow()
    for value in (None, 2.5, b"two", "\ud800", (), object):
        for look_up in (
            lambda: cutflow[value],  # noqa: B023
            lambda: filled.variation(value),  # noqa: B023
            lambda: filled.variations[value],  # noqa: B023
            lambda: filled.result.axes[0][value],  # noqa: B023
        ):
            with pytest.raises((sk.Error, LookupError, TypeError)) as caught:
                look_up()
            assert not any(word in str(caught.value) for word in FOREIGN)


def test_cutflows_are_asked_for_what_they_have(folder):
    cutflow = sk.open(folder / "in.root").filter("nMuon == 2", name="two").cutflow()
    (sample,) = cutflow.samples
    met = sk.open(folder / "in.root").hist("MET_pt", bins=5, range=(0, 100))
    with pytest.raises(sk.ConfigError, match="variation\\(\\): name must be a text, not \\[\\]"):
        met.variation([])
    assert cutflow.of(sample) == list(cutflow)
    assert cutflow[np.int64(1)] == cutflow["two"] == cutflow[-1]
    for value in ([], {}, np.arange(2), np.arange(0), b"two"):
        for look_up in (cutflow.of, cutflow.__getitem__):
            with pytest.raises(TypeError) as caught:
                look_up(value)
            assert not any(word in str(caught.value) for word in FOREIGN)
    with pytest.raises(sk.ConfigError, match=f'no sample "{sample}s" \\(did you mean "{sample}"'):
        cutflow.of(f"{sample}s")


# The checks themselves


def test_annotations_say_what_is_taken():
    @checked
    def call(
        a: int, *others: int, b: "str | None" = None, c: "tuple[float, float] | None" = None, **more: int
    ):
        return a, others, b, c, more

    assert call(np.int8(3), "x", b=None, c=[1, 2], d="y") == (3, ("x",), None, [1, 2], {"d": "y"})
    assert type(call(np.int8(3))[0]) is int
    for wrong, said in (
        ({"a": "3"}, r"call\(\): a must be a whole number, not '3'"),
        ({"a": 1, "b": 5}, "b must be a text or None, not 5"),
        ({"a": 1, "c": "ab"}, "c must be two numbers or None, not 'ab'"),
        ({"a": 1, "c": (1, "b")}, r"c must be two numbers or None, not \(1, 'b'\)"),
        ({"a": Unprintable()}, "a must be a whole number, not an Unprintable"),
        ({"a": "x" * 1000}, r"not 'x{79}\.\.\. \(1000 characters\)"),
    ):
        with pytest.raises(TypeError, match=said):
            call(**wrong)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        call()


def test_booked_numbers_are_compared_as_numbers(folder):
    events = sk.open(folder / "in.root")
    values = events.arrays("MET_pt", library="np")["MET_pt"].astype(float)
    total, least, none = (
        events.sum("MET_pt"),
        events.min("MET_pt"),
        events.filter("MET_pt < -1").sum("MET_pt"),
    )
    assert total != "text" and total != None and not total.is_filled  # noqa: E711  nothing is run for it
    assert total == total and not total.is_filled
    exact = float(total)
    assert exact == pytest.approx(values.sum(), rel=1e-12)
    assert total == exact and exact == total and (total != exact) is False and total != exact + 1
    assert least == values.min() and least != total and total == events.sum("MET_pt")
    assert total == np.float64(exact) and bool(total) and not bool(none) and none == 0
    assert total // 7 == exact // 7 and total % 7 == exact % 7 and 1e9 // total == 1e9 // exact
    assert 1e9 % total == 1e9 % exact
    assert len({total, events.sum("MET_pt")}) == 2
