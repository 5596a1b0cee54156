# SPDX-License-Identifier: BSD-3-Clause
"""What `skimline convert` makes of skims is normalised as they are: by all events that they were chosen from."""

import json

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE

LUMINOSITY, CROSS_SECTION = 10, 3.0


@pytest.fixture
def events(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers = np.random.default_rng(5)
    made = {}
    for name in ("a", "b"):
        made[name] = {"x": numbers.normal(size=400), "w": numbers.choice([-1.0, 1.0, 2.0], 400)}
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file.mktree("Events", {"x": "f8", "w": "f8"}).extend(made[name])
    return made


@pytest.fixture
def skim(job):
    def skim(name, output, cut="x > 0", **more):
        config = sample(f"{name}.root") | {"select": [{"name": "c", "where": cut}]}
        done = job(config | {"skims": {"s": {"file": output, **more}}})
        assert done.returncode == DONE, done.stderr

    return skim


def sample(*files, **more):
    return {"schema_version": 1,
            "samples": {"s": {"files": list(files), "cross_section_pb": CROSS_SECTION, "sum_weights": "w", **more}}}  # fmt: skip


@pytest.fixture
def run(job, tmp_path):
    """The normalised number of events behind another cut."""

    def run(*files):
        return job(sample(*files) | {"luminosity_pb": LUMINOSITY, "weights": {"own": "w", "n": "normalisation_"},
                    "select": [{"name": "d", "where": "x > 0.5"}],
                    "histograms": {"h": {"x": {"value": "x", "bins": 1, "range": [0, 9]}}},
                    "output": {"histograms": "h.root"}}, "--force")  # fmt: skip

    return run


def content(done, tmp_path):
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "h.root") as file:
        return file["h"].values()[0]


def expected(*parts):
    x, w = (np.concatenate([part[name] for part in parts]) for name in ("x", "w"))
    return LUMINOSITY * CROSS_SECTION * w[x > 0.5].sum() / w.sum()


@pytest.mark.parametrize("form", ["rntuple", "ttree"])
@pytest.mark.parametrize(
    "options", [(), ("--keep", "x", "--keep", "w"), ("--collections", "vectors"), ("--name", "Other")]
)
def test_converted_skims_have_the_sums_of_all_events(skim, run, call, events, tmp_path, form, options):
    skim("a", "skim.root", format=form)
    assert call("convert", "skim.root", "-o", "out.root", *options).returncode == DONE
    assert np.isclose(content(run("out.root"), tmp_path), expected(events["a"]))
    both = [uproot.open(tmp_path / name)["skimline/record"] for name in ("skim.root", "out.root")]
    assert both[0] == both[1]
    shown = [
        json.loads(call("show", "--json", name).stdout)["files"][0]["record"]
        for name in ("skim.root", "out.root")
    ]
    assert shown[0] == shown[1]


def test_several_skims_become_one(skim, run, call, events, tmp_path):
    for name in ("a", "b"):
        skim(name, f"skim_{name}.root")
    assert call("convert", "skim_b.root", "skim_a.root", "-o", "out.root").returncode == DONE
    assert np.isclose(content(run("out.root"), tmp_path), expected(*events.values()))
    assert call("merge", "merged.root", "skim_a.root", "skim_b.root").returncode == DONE
    shown = [
        json.loads(call("show", "--json", name).stdout)["files"][0]["record"]
        for name in ("merged.root", "out.root")
    ]
    assert shown[0] == shown[1]


def test_what_cannot_be_one_sample_is_an_error(skim, run, call, events, tmp_path):
    skim("a", "one.root")
    skim("a", "other.root", "x < 0")
    done = call("convert", "one.root", "other.root", "-o", "out.root")
    assert done.returncode == FAILED
    assert "a.root" in done.stderr and "; --allow-duplicates writes them all the same" in done.stderr
    assert not (tmp_path / "out.root").exists()
    assert (
        call("convert", "one.root", "other.root", "-o", "out.root", "--allow-duplicates").returncode == DONE
    )
    assert call("convert", "one.root", "-o", "copy.root").returncode == DONE
    done = run("one.root", "copy.root")
    assert done.returncode == WRONG_USAGE
    assert "twice" in done.stderr


@pytest.mark.parametrize("command", [("convert", "-o"), ("merge",)])
def test_events_without_a_record_are_no_sample_with_those_of_a_skim(skim, run, call, events, command):
    """As one file, either."""
    skim("a", "skim.root")
    assert call("convert", "b.root", "-o", "plain.root").returncode == DONE
    assert call(*command, "out.root", "skim.root", "plain.root").returncode == DONE
    for files in (["out.root"], ["skim.root", "plain.root"]):
        done = run(*files)
        assert done.returncode == FAILED, done.stderr
        assert "they cannot be one sample, as its normalisation would be wrong" in done.stderr


def test_histograms_without_a_record_change_nothing(skim, run, call, events, tmp_path):
    skim("a", "skim.root")
    with uproot.recreate(tmp_path / "more.root") as file:
        file["other"] = np.histogram([1.0], 3, (0, 3))
    assert call("merge", "out.root", "skim.root", "more.root").returncode == DONE
    assert np.isclose(content(run("out.root"), tmp_path), expected(events["a"]))


def test_inputs_without_a_record(skim, call, events, tmp_path):
    skim("a", "skim.root")
    done = call("convert", "skim.root", "b.root", "-o", "out.root")
    assert done.returncode == DONE
    assert "1 of 2 inputs has no record" in done.stderr
    assert call("convert", "a.root", "b.root", "-o", "plain.root").returncode == DONE
    with uproot.open(tmp_path / "plain.root") as file:
        assert file.keys(cycle=False) == ["Events"]
