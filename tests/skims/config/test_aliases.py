# SPDX-License-Identifier: BSD-3-Clause
"""Other names for columns: in expressions, in what skims keep, for defaults, and their mistakes."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot

PHYSLITE = "uproot-physlite-rntuple_v1-0-0-0.root"
STORE = "AnalysisMuonsAuxDyn:"


@pytest.fixture
def job(call, tmp_path, shared_data):
    """Runs a command on a config of the PHYSLITE file."""

    def run(command, sample=None, options=(), **config):
        files = {"files": [f"{shared_data / PHYSLITE}:EventData"]}
        path = tmp_path / "job.json"
        path.write_text(
            json.dumps(
                {"schema_version": 1, "samples": {"s": {**files, **(sample or {})}}, **config}, indent=1
            )
        )
        return call(command, path, *options)

    return run


@pytest.fixture(scope="module")
def muons(shared_data):
    with uproot.open(shared_data / PHYSLITE) as opened:
        return opened["EventData"].arrays([STORE + "pt", STORE + "eta"])


HARD = {
    "skims": {"out": {"file": "out.root", "columns": {"hard": "Muon_pt[abs(Muon.eta) < 1]", "eta": "eta2"}}}
}


def test_aliases_stand_for_columns(job, tmp_path, muons):
    done = job("run", aliases={"Muon_*": STORE + "*", "eta2": "Muon_eta"}, **HARD)
    assert done.returncode == 0, done.stderr
    with uproot.open(tmp_path / "out.root") as out:
        found = out["Events"].arrays()
    expected = muons[STORE + "pt"][abs(muons[STORE + "eta"]) < 1]
    assert ak.to_list(ak.num(found["hard"])) == ak.to_list(ak.num(expected))
    np.testing.assert_array_equal(ak.to_numpy(ak.flatten(found["hard"])), ak.to_numpy(ak.flatten(expected)))
    assert ak.to_list(found["eta"]) == ak.to_list(muons[STORE + "eta"])


def test_a_sample_has_its_own(job):
    done = job(
        "validate",
        {"aliases": {"Muon_*": STORE + "*", "eta2": STORE + "phi"}},
        aliases={"eta2": STORE + "eta"},
        **HARD,
    )
    assert done.returncode == 0, done.stderr
    done = job(
        "plan",
        {"aliases": {"Muon_*": STORE + "*", "eta2": STORE + "phi"}},
        aliases={"eta2": STORE + "eta"},
        **HARD,
    )
    assert f"`{STORE}phi`" in done.stdout


def test_variations_and_objects_by_aliases(job, tmp_path, muons):
    done = job(
        "run",
        aliases={"Muon_*": STORE + "*"},
        objects={"hard": {"from": "Muon", "where": "pt > 20000"}},
        variations={"scale": {"columns": {"Muon_pt": {"up": "Muon_pt * 2"}}}},
        histograms={"pt": {"x": {"value": "hard.pt", "bins": 10, "range": [0, 1e5]}}},
        output={"histograms": "out.root"},
    )
    assert done.returncode == 0, done.stderr
    pt = ak.to_numpy(ak.flatten(muons[STORE + "pt"]))
    with uproot.open(tmp_path / "out.root") as out:
        counts = sorted(int(out[key].values(flow=True).sum()) for key in out.keys(filter_name="pt_*"))
    assert counts == sorted([int((pt > 20000).sum()), int((2 * pt > 20000).sum())])


def test_skims_keep_and_drop_by_aliases(job, tmp_path):
    skim = {"file": "out.root", "keep": ["Muon_pt", "Muon_e*"], "drop": ["Muon_energy*"]}
    done = job("run", aliases={"Muon_*": STORE + "*"}, skims={"out": skim})
    assert done.returncode == 0, done.stderr
    direct = {"file": "out2.root", "keep": [f"`{STORE}pt`", STORE + "e*"], "drop": [STORE + "energy*"]}
    assert job("run", skims={"out": direct}).returncode == 0
    with uproot.open(tmp_path / "out.root") as out, uproot.open(tmp_path / "out2.root") as other:
        assert len(out["Events"].keys()) > 1
        assert out["Events"].keys() == other["Events"].keys()


def test_defaults_by_aliases(job, tmp_path):
    done = job(
        "run",
        aliases={"Muon_*": STORE + "*"},
        defaults={"Muon_score": 7},
        skims={"out": {"file": "out.root", "columns": {"x": "Muon_score"}}},
    )
    assert done.returncode == 0, done.stderr
    with uproot.open(tmp_path / "out.root") as out:
        assert set(out["Events"].arrays()["x"].tolist()) == {7}


def test_results_are_known_by_the_columns(job, tmp_path):
    config = {
        "histograms": {"pt": {"x": {"value": "Muon_pt", "bins": 10, "range": [0, 1e5]}}},
        "output": {"histograms": "out.root"},
    }
    store = ("--store", str(tmp_path / "store"), "--force")
    first = job("run", options=store, aliases={"Muon_*": STORE + "*"}, **config)
    assert first.returncode == 0, first.stderr
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*") if path.is_file()}
    assert job("run", options=store, aliases={"Muon_pt": STORE + "pt"}, **config).returncode == 0
    assert {p for p in (tmp_path / "store").rglob("*") if p.is_file()} == set(kept)
    other = job("run", options=store, aliases={"Muon_pt": STORE + "eta"}, **config)
    assert other.returncode == 0
    assert {p for p in (tmp_path / "store").rglob("*") if p.is_file()} > set(kept)


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ({"pt": STORE + "ptt"}, f'unknown column "{STORE}ptt" (did you mean "`{STORE}pt`"?)'),
        ({"m_*": "AnalysisMuonsAuxDin:*"}, 'no column matches "AnalysisMuonsAuxDin:*"'),
        ({"m_*": STORE + "pt"}, 'what "m_*" stands for needs one "*" too'),
        ({"m_*_*": STORE + "*"}, 'a pattern of aliases has one "*"'),
        ({"pt": STORE + "*"}, '"pt" stands for one column: this is a pattern'),
        ({"p t": STORE + "pt"}, '"p t" cannot name an alias'),
        ({"pt": "pt"}, '"pt" stands for itself'),
        ({"a": "b", "b": "a"}, '"b" is an alias further down'),
        ({"pt": STORE + "pt", "p*": STORE + "p*"}, 'cannot be called "pt" too'),
        ({"index_ref": STORE + "pt"}, "a column has that name"),
        ({"pt": 3}, "must be a string"),
    ],
)
def test_mistakes(job, aliases, message):
    done = job("validate", aliases=aliases, select=[{"name": "c", "where": "true"}])
    assert done.returncode != 0
    assert message in done.stderr
    assert "job.json:" in done.stderr


def test_an_alias_that_one_sample_lacks(job):
    done = job(
        "validate",
        aliases={"gone": "nowhere", "pt": STORE + "pt"},
        select=[{"name": "c", "where": "gone > 3"}],
    )
    assert '"gone" stands for nowhere, which is no column of the sample' in done.stderr


@pytest.fixture
def spelt(tmp_path):
    """A file of columns with dots, and one with underscores, of the same values."""
    columns = {"Jet.pt": np.arange(6.0), "Jet.eta": np.arange(6) * 0.5, "HLT.a": np.arange(6) > 4}
    for name, separator in (("dots", "."), ("underscores", "_")):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file.mktree(
                "Events", {key.replace(".", separator): kind.dtype for key, kind in columns.items()}
            ).extend({key.replace(".", separator): values for key, values in columns.items()})
    return columns


@pytest.mark.parametrize("file", ["dots", "underscores"])
@pytest.mark.parametrize("pattern", ["Jet_*", "Jet.*"])
@pytest.mark.parametrize("alias", ["j_*", "j.*"])
@pytest.mark.parametrize("used", ["j_", "j."])
def test_dots_and_underscores_are_the_same_in_patterns(run_in, spelt, tmp_path, file, pattern, alias, used):
    config = {
        "schema_version": 1,
        "aliases": {alias: pattern},
        "samples": {"s": {"files": [f"{file}.root"]}},
        "skims": {"out": {"file": "out.root", "columns": {"double": f"{used}pt * 2"}}},
    }
    done = run_in(tmp_path, config)
    assert done.returncode == 0, done.stderr
    assert uproot.open(tmp_path / "out.root")["Events"].arrays()["double"].to_list() == list(
        spelt["Jet.pt"] * 2
    )


@pytest.mark.parametrize("file", ["dots", "underscores"])
@pytest.mark.parametrize("pattern", ["HLT_*", "HLT.*"])
def test_dots_and_underscores_are_the_same_where_columns_are_combined(run_in, spelt, tmp_path, file, pattern):
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [f"{file}.root"]}},
        "select": [{"name": "any", "where": f'AnyOf("{pattern}")'}],
        "skims": {"out": {"file": "out.root", "keep": ["Jet_*"], "format": "ttree"}},
    }
    done = run_in(tmp_path, config)
    assert done.returncode == 0, done.stderr
    assert uproot.open(tmp_path / "out.root")["Events"].arrays(library="np")["Jet_pt"].tolist() == [5.0]


def test_fields_with_two_names_get_one_by_a_pattern(run_in, call, generate, tmp_path):
    generate("dimuon", tmp_path / "tree.root", 50, "--format", "ttree")
    assert call("convert", "tree.root", "-o", "events.root", cwd=tmp_path).returncode == 0
    names = uproot.open(tmp_path / "events.root")["Events"].keys()
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": ["events.root"]}},
        "histograms": {"pt": {"x": {"value": "m_pt", "bins": 10, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }
    assert {"Muon.pt", "Muon_pt"} <= set(names)
    for pattern in ("Muon_*", "Muon.*"):
        done = run_in(tmp_path, config | {"aliases": {"m_*": pattern}}, "--force")
        assert done.returncode == 0, done.stderr
