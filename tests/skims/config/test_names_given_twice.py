# SPDX-License-Identifier: BSD-3-Clause
"""What a config gives twice, under two names of one column, is an error that shows the second."""

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE


@pytest.fixture
def run(job, tmp_path):
    with uproot.recreate(tmp_path / "e.root") as file:
        file.mktree("Events", {"x": "f8", "v_pt": "f8"})
        file["Events"].extend({"x": np.arange(5.0), "v_pt": np.arange(5.0)})

    def run(**more):
        return job({"schema_version": 1, "samples": {"s": {"files": ["e.root"]}},
                    "histograms": {"h": {"x": {"value": "x + v_pt", "bins": 5, "range": [0, 10]}}},
                    "output": {"histograms": "h.root"}} | more)  # fmt: skip

    return run


@pytest.fixture
def other_name():
    return {"aliases": {"other": "x"}}


VARIED = {
    "in back-quotes": ({"x": "x + 1", "`x`": "x + 2"}, "x"),
    "by directions": ({"x": {"up": "x + 1"}, "`x`": {"up": "x + 2"}}, "x"),
    "by an alias": ({"x": "x + 1", "other": "x + 2"}, "x"),
    "by an alias first": ({"other": "x + 1", "x": "x + 2"}, "x"),
    "with a dot": ({"v_pt": "x + 1", "v.pt": "x + 2"}, "v_pt"),
    "of definitions": ({"d": "x + 1", "`d`": "x + 2"}, "d"),
}


@pytest.mark.parametrize("case", VARIED)
def test_variations_replace_a_column_once(run, other_name, case):
    columns, name = VARIED[case]
    define = {"d": "2 * x"}
    done = run(variations={"v": {"columns": columns}}, define=define, select=[{"name": "s", "where": "d >= 0"}],
               **other_name)  # fmt: skip
    assert done.returncode == WRONG_USAGE, done.stderr
    assert f'error: "{name}" is replaced twice' in done.stderr
    assert f'"{list(columns)[1]}": ' in done.stderr


def test_variations_may_replace_a_column_by_an_alias(run, other_name, tmp_path):
    done = run(variations={"v": {"columns": {"other": "other + 1"}}}, **other_name)
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "h.root") as file:
        expected, _ = np.histogram(2 * np.arange(5.0) + 1, 5, (0, 10))
        assert np.array_equal(file["h__v"].values(), expected)


@pytest.mark.parametrize("names", [("zz", "`zz`"), ("zz", "other"), ("other", "zz")])
def test_columns_have_one_default(run, names):
    done = run(defaults={names[0]: 1, names[1]: 2}, define={"d": "zz"}, aliases={"other": "zz"})
    assert done.returncode == WRONG_USAGE, done.stderr
    assert 'error: column "zz" has two defaults' in done.stderr
    assert f'"{names[1]}": 2' in done.stderr


def test_skims_have_one_column_of_a_name(run):
    done = run(skims={"s": {"file": "s.root", "columns": {"q": "x", "`q`": "2 * x"}}})
    assert done.returncode == WRONG_USAGE, done.stderr
    assert 'error: there is another column "q"' in done.stderr
    assert '"`q`": ' in done.stderr


NAMED_SO = {
    "a definition": {"define": {"good": "v_pt > 2"}},
    "a factor": {"weights": {"good": "2."}},
    "a value": {"samples": {"s": {"files": ["e.root"], "metadata": {"good": 3}}}},
}
OBJECTS = {"objects": {"good": {"from": "v", "where": "pt > 3"}}}
COLLECTION = {"collections": {"good": "v_*"}}


@pytest.mark.parametrize("made", [OBJECTS, COLLECTION])
@pytest.mark.parametrize("case", NAMED_SO)
def test_nothing_else_is_called_as_objects_are(run, tmp_path, made, case):
    lists = ak.Array([[1.0, 4.0], [5.0]])
    with uproot.recreate(tmp_path / "e.root") as file:
        file["Events"] = {"x": np.arange(2.0), "v": ak.zip({"pt": lists})}

    def sizes(**more):
        return run(
            histograms={"h": {"x": {"value": "good.size()", "bins": 5, "range": [0, 5]}}}, **made, **more
        )

    assert sizes().returncode == DONE
    done = sizes(**NAMED_SO[case])
    assert done.returncode == WRONG_USAGE, done.stderr
    assert 'error: "good" ' in done.stderr
