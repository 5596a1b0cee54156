# SPDX-License-Identifier: BSD-3-Clause
"""What histograms are called: templates for nominal and varied ones, and samples that are variations themselves."""

import contextlib
import json

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE
from varied_analysis import names_in

H = {"x": {"value": "x", "bins": 40, "range": [-4, 12]}}
VARIATIONS = {
    "scale": {"columns": {"x": {"up": "x + 1", "down": "x + 2"}}, "samples": ["*__nominal"]},
    "only": {"columns": {"x": "x + 3"}, "samples": ["tt__nominal"]},
}


@pytest.fixture
def names_of(job, events_file, tmp_path):
    """Runs a config; returns the names of its histograms by how far their x is shifted."""

    def run(name=None, **more):
        files = [f"{events_file[0]}:Events"]
        samples = more.pop("samples", {"tt__nominal": {}, "wjets__nominal": {}})
        output = {"file": "h.root"} | ({"name": name} if name else {})
        config = {
            "schema_version": 1,
            "samples": {key: {"files": files} | each for key, each in samples.items()},
            "variations": VARIATIONS,
            "histograms": {"h": H},
            "output": {"histograms": output},
        } | more
        done = job(config)
        assert done.returncode == DONE, done.stderr
        names = names_in(tmp_path / "h.root")
        file = uproot.open(tmp_path / "h.root")
        x = ak.to_numpy(events_file[1].x)
        contents = [np.histogram(x + shift, np.linspace(-4, 12, 41))[0] for shift in range(4)]
        shifts = {}
        for each in names:
            shifts[each] = next(i for i in range(4) if (file[each].values() == contents[i]).all())
        return shifts

    return run


def of(process, variation="nominal", **more):
    return {"metadata": {"process": process, "variation": variation} | more}


def test_the_default_calls_what_varies_nominal(names_of):
    assert names_of() == {
        "tt__nominal__h__nominal": 0,
        "tt__nominal__h__scale_up": 1,
        "tt__nominal__h__scale_down": 2,
        "tt__nominal__h__only": 3,
        "wjets__nominal__h__nominal": 0,
        "wjets__nominal__h__scale_up": 1,
        "wjets__nominal__h__scale_down": 2,
    }
    assert names_of(samples={"tt__nominal": {}}) == {
        "h__nominal": 0,
        "h__scale_up": 1,
        "h__scale_down": 2,
        "h__only": 3,
    }
    # A sample of metadata is still called by its name; one that is a variation has no others unless it says so.
    other = of("top", "other")
    for sample, names in (
        (other, {"tt__nominal__h"}),
        (other | {"variations": True}, {"tt__nominal__h__only"}),
    ):
        samples = {"tt__nominal": sample, "wjets__nominal": of("wjets")}
        assert names <= set(names_of(samples=samples))


def test_one_template_is_that_of_all(names_of):
    assert names_of("{sample}/{histogram}/{variation}")["wjets__nominal/h/nominal"] == 0
    names = names_of("{variation}/{sample}")
    assert names["scale_down/tt__nominal"] == 2
    assert names["nominal/tt__nominal"] == 0


def test_nominal_and_varied_have_templates_of_their_own(names_of):
    templates = {"nominal": "{region}_{process}", "varied": "{region}_{process}_{variation}"}
    samples = {"tt__nominal": of("ttbar"), "wjets__nominal": {}, "tt__ME": of("ttbar", "ME_var")}
    assert names_of(templates, samples=samples) == {
        "ttbar": 0,
        "ttbar_scale_up": 1,
        "ttbar_scale_down": 2,
        "ttbar_only": 3,
        "wjets__nominal": 0,
        "wjets__nominal_scale_up": 1,
        "wjets__nominal_scale_down": 2,
        "ttbar_ME_var": 0,
    }
    in_region = H | {"regions": ["2j"]}
    names = names_of(
        templates, samples=samples, regions={"2j": {"where": "true"}}, histograms={"h": in_region}
    )
    assert list(names)[:2] == ["2j_ttbar", "2j_ttbar_scale_up"]
    assert list(names)[-1] == "2j_ttbar_ME_var"


def test_systematics_and_directions(names_of):
    templates = {
        "nominal": "{histogram}/{process}",
        "varied": "{histogram}/{process}_{systematic}{Direction}",
    }
    samples = {
        "tt__nominal": of("ttbar"),
        "tt__up": of("ttbar", "ME_up", systematic="ME", direction="up"),
        "tt__other": of("ttbar", "PS"),
    }
    assert names_of(templates, samples=samples) == {
        "h/ttbar": 0,
        "h/ttbar_scaleUp": 1,
        "h/ttbar_scaleDown": 2,
        "h/ttbar_only": 3,
        "h/ttbar_MEUp": 0,
        "h/ttbar_PS": 0,
    }
    templates["varied"] = "{process}/{histogram}.{systematic}-{direction}"
    assert list(names_of(templates, samples=samples)) == [
        "h/ttbar",
        "ttbar/h.scale-up",
        "ttbar/h.scale-down",
        "ttbar/h.only",
        "ttbar/h.ME-up",
        "ttbar/h.PS",
    ]


def test_weight_variations_are_varied_ones(names_of):
    histograms = {"h": H | {"weight": "1.", "weight_variations": {"sf_up": "1."}}}
    templates = {"nominal": "{histogram}", "varied": "{histogram}__{variation}__{systematic}"}
    assert list(names_of(templates, samples={"tt__nominal": {}}, histograms=histograms)) == [
        "h",
        "h__sf_up__sf_up",
        "h__scale_up__scale",
        "h__scale_down__scale",
        "h__only__only",
    ]


def test_numbers_of_processes_and_variations(names_of):
    samples = {"tt__nominal": of(410470), "other": of(410470, 2, systematic=7, direction=1.5)}
    templates = {"nominal": "{process}", "varied": "{process}_{systematic}_{direction}"}
    names = names_of(templates, samples=samples)
    assert names["410470"] == names["410470_7_1.5"] == 0
    assert names["410470_scale_up"] == 1


def test_sums_are_never_varied(names_of, tmp_path):
    """Whichever of their samples have variations, and whatever these are called."""
    samples = {"tt__nominal": of("ttbar"), "tt__ME": of("ttbar", "ME"), "data": {"variations": False}}
    sums = {"sum": dict.fromkeys(samples, 1), "last": {"data": 1}, "first": {"tt__ME": 1}}
    histograms = {"h": H}

    def sums_in(**more):
        with contextlib.suppress(StopIteration):  # contents of sums are none of the shifted ones
            names_of(samples=samples, sums=sums, histograms=histograms, **more)
        return sorted(
            name for name in names_in(tmp_path / "h.root") if name.startswith(("sum", "first", "last"))
        )

    assert sums_in() == ["first__h", "last__h", "sum__h"]
    assert sums_in(name="{sample}_{variation}") == ["first", "last", "sum"]
    varied = {"nominal": "{process}", "varied": "{process}_{variation}"}
    assert sums_in(name=varied) == ["first", "last", "sum"]
    file = uproot.open(tmp_path / "h.root")
    np.testing.assert_array_equal(file["sum"].values(), 3 * file["ttbar"].values())


def test_lists_of_the_analysis_grand_challenge(job, events_file, tmp_path):
    path = str(events_file[0])
    lists = {
        process: {
            variation: {"nevts_total": 20000, "files": [{"path": path, "nevts": 20000}]}
            for variation in variations
        }
        for process, variations in {"ttbar": ["nominal", "ME_var"], "wjets": ["nominal"]}.items()
    }
    (tmp_path / "inputs.json").write_text(json.dumps(lists))
    templates = {"nominal": "{region}_{process}", "varied": "{region}_{process}_{variation}"}
    config = {
        "schema_version": 1,
        "samples_from": "inputs.json",
        "variations": VARIATIONS | {"only": {"columns": {"x": "x + 3"}, "samples": ["ttbar__nominal"]}},
        "histograms": {"h": H},
        "output": {"histograms": {"file": "h.root", "name": templates}},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert sorted(names_in(tmp_path / "h.root")) == [
        *("ttbar", "ttbar_ME_var", "ttbar_only", "ttbar_scale_down", "ttbar_scale_up"),
        *("wjets", "wjets_scale_down", "wjets_scale_up"),
    ]
