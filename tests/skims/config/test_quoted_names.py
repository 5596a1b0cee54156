# SPDX-License-Identifier: BSD-3-Clause
"""Columns whose names are no names of C++: in back-quotes they can be used wherever others can."""

import array
import json
import re

import awkward as ak
import numpy as np
import pytest
import uproot

PHYSLITE = "uproot-physlite-rntuple_v1-0-0-0.root"
PT, ETA = "AnalysisMuonsAuxDyn:pt", "AnalysisMuonsAuxDyn:eta"


@pytest.fixture(scope="module")
def physlite(shared_data):
    """The path, and what uproot reads of it."""
    path = shared_data / PHYSLITE
    return path, uproot.open(path)["EventData"].arrays([PT, ETA])


@pytest.fixture(scope="module")
def odd_tree(tmp_path_factory):
    """A TTree written by ROOT, and its values by name."""
    root = pytest.importorskip("ROOT")
    path = tmp_path_factory.mktemp("odd") / "odd.root"
    names = ["a b", "x-y", "true", "1st", "p*", "péa", "new\nline", "back`quote", "pq"]
    file = root.TFile(str(path), "RECREATE")
    tree = root.TTree("Events", "Events")
    cells = {name: array.array("d", [0.0]) for name in names}
    for number, (name, cell) in enumerate(cells.items()):
        branch = root.TBranch(tree, f"b{number}", cell, f"b{number}/D")
        branch.SetName(name)
        branch.GetLeaf(f"b{number}").SetName(name)
        tree.GetListOfBranches().Add(branch)
        tree.GetListOfLeaves().Add(branch.GetListOfLeaves()[0])
        root.SetOwnership(branch, False)
    values = {name: np.arange(7.0) + 10 * number for number, name in enumerate(names)}
    for entry in range(7):
        for name, cell in cells.items():
            cell[0] = values[name][entry]
        tree.Fill()
    tree.Write()
    file.Close()
    return path, values


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def test_every_part_of_a_config_names_them(job, tmp_path, physlite):
    path, events = physlite
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [f"{path}:EventData"]}},
        "define": {"hard": f"`{PT}`[`{PT}` > 20000]", "leading": f"`{PT}`.size() > 0 ? `{PT}`[0] : -1.f"},
        "variations": {"scale": {"columns": {f"`{PT}`": {"up": f"`{PT}` * 1.1f"}, ETA: {"up": f"-`{ETA}`"}}}},
        "select": [{"name": "muons", "where": f"`{PT}`.size() > 0"}],
        "regions": {"central": {"where": f"abs(`{ETA}`[0]) < 1.5"}},
        "histograms": {
            "pt": {
                "x": {"value": f"`{PT}`", "bins": 10, "range": [0, 100000]},
                "weight": f"`{PT}` / 1000",
                "regions": ["central"],
            },
            "hard": {"x": {"value": "hard.size()", "integers": [0, 9]}},
        },
        "skims": {
            "slim": {
                "file": "slim.root",
                "keep": [f"`{PT}`", "AnalysisMuonsAuxDyn:et?", "leading"],
                "columns": {"both": f"`{PT}` * `{ETA}`"},
            }
        },
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == 0, done.stderr
    pt, eta = events[PT], events[ETA]
    some = ak.num(pt) > 0
    central = some & ak.fill_none(abs(ak.firsts(eta)) < 1.5, False)
    with uproot.open(tmp_path / "h.root") as histograms:
        for name, scale in (("central__pt__nominal", 1), ("central__pt__scale_up", np.float32(1.1))):
            values = ak.to_numpy(ak.flatten(pt[central])) * scale
            expected = np.histogram(values, 10, (0, 100000), weights=values / 1000)[0]
            np.testing.assert_allclose(histograms[name].values(), expected, rtol=1e-6)
        counts = np.bincount(ak.to_numpy(ak.sum(pt[some] > 20000, axis=1)), minlength=10)
        assert histograms["hard__nominal"].values().tolist() == counts[:10].tolist()
    skim = uproot.open(tmp_path / "slim.root")["Events"]
    assert {PT, ETA, "leading", "both"} == {name for name in skim.keys() if "." not in name}
    assert skim.arrays([PT])[PT].tolist() == pt[some].tolist()
    assert skim.arrays(["both"])["both"].tolist() == (pt * eta)[some].tolist()


def test_a_column_of_a_skim_may_take_their_place(job, tmp_path, physlite):
    path, events = physlite
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [f"{path}:EventData"]}},
        "skims": {"slim": {"file": "slim.root", "columns": {f"`{PT}`": f"`{PT}`[`{PT}` > 20000]"}}},
    }
    assert job(config).returncode == 0
    pt = events[PT]
    assert uproot.open(tmp_path / "slim.root")["Events"].arrays()[PT].tolist() == pt[pt > 20000].tolist()


def test_what_a_tree_calls_its_branches_is_all_the_same(job, tmp_path, odd_tree):
    path, values = odd_tree
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [str(path)]}},
        "histograms": {
            f"h{number}": {"x": {"value": f"{quoted(name)} * 2", "bins": 10, "range": [0, 200]}}
            for number, name in enumerate(values)
        },
        "skims": {"literal": {"file": "literal.root", "format": "ttree", "keep": ["`p*`"]}},
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == 0, done.stderr
    with uproot.open(tmp_path / "h.root") as histograms:
        for number, each in enumerate(values.values()):
            expected = np.histogram(each * 2, 10, (0, 200))[0]
            assert histograms[f"h{number}"].values().tolist() == expected.tolist()
    assert uproot.open(tmp_path / "literal.root")["Events"].keys() == ["p*"]


def test_mistakes_say_what_to_write(job, call, physlite):
    path, _ = physlite
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [f"{path}:EventData"]}},
        "select": [
            {"name": "dot", "where": "AnalysisMuonsAuxDyn.pt.size() > 0"},
            {"name": "bare", "where": "Any(AnalysisMuonsAuxDyn:pt > 0)"},
            {"name": "open", "where": "Any(`AnalysisMuonsAuxDyn:pt > 0)"},
        ],
    }
    done = job(config)
    assert done.returncode == 2
    assert f'(did you mean "`{PT}`"?)' in done.stderr
    assert f"stands in back-quotes: `{PT}`" in done.stderr
    assert "the name in back-quotes has no end" in done.stderr


def test_inspect_and_init_write_them_as_expressions_take_them(call, tmp_path, physlite, odd_tree):
    for path in (f"{physlite[0]}:EventData", str(odd_tree[0])):
        listed = call("inspect", path)
        written = re.search(r"stand in back-quotes:\n  (`.*`)", listed.stdout)
        assert written, listed.stdout[-2000:]
        assert call("init", path, "-o", "a.json", "--force", cwd=tmp_path).returncode == 0
        text = (tmp_path / "a.json").read_text()
        assert '"value": "`' in text
        done = call("run", "a.json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr


def test_plans_quote_them(call, tmp_path, physlite):
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [f"{physlite[0]}:EventData"]}},
        "select": [{"name": "some", "where": f"`{PT}`.size() > 0"}],
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    planned = call("plan", "a.json", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    assert f"read     `{PT}`" in planned.stdout
