# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of histograms show what is in the files, as uproot and numpy see it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import skimline as sk
import uproot
from skimline import _program
from skimline.errors import ConfigError, FileError
from svg_pictures import Picture

PLOTS = {
    "groups": {
        "other": {"samples": ["w*", "diboson"], "label": "Other", "colour": "#123456"},
        "z": {"samples": ["zmumu"], "label": "Z #rightarrow #mu#mu"},
        "signal": {"samples": ["signal"], "kind": "signal", "scale": 2.5},
        "data": {"samples": ["data"], "kind": "data", "label": "Data"},
    }
}
CONFIG = {
    "schema_version": 1,
    "samples": {
        "data": {"files": ["dimuon.root"], "is_data": True},
        "zmumu": {"files": ["dimuon.root"], "metadata": {"k": 0.6}},
        "wjets": {"files": ["dimuon.root"], "metadata": {"k": 0.2}},
        "diboson": {"files": ["dimuon.root"], "metadata": {"k": 0.1}},
        "signal": {"files": ["dimuon.root"], "metadata": {"k": 0.05}},
    },
    "weights": {"rate": "k", "sf": "1.0"},
    "variations": {
        "sf": {"weights": {"sf": {"up": "1.125", "down": "0.75"}}},
        "scale": {
            "columns": {"MET_pt": {"up": "MET_pt * 1.05", "down": "MET_pt * 0.95"}},
            "samples": ["zmumu"],
        },
    },
    "select": [{"name": "two muons", "where": "nMuon == 2"}],
    "regions": {"low": {"where": "MET_pt < 30"}},
    "histograms": {
        "met": {
            "x": {"value": "MET_pt", "bins": 20, "range": [0, 100], "label": "p_{T}^{miss}", "unit": "GeV"}
        },
        "met_low": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 40]}, "regions": ["low"]},
        "map": {
            "x": {"value": "Muon_pt", "bins": 6, "range": [0, 120]},
            "y": {"value": "Muon_eta", "bins": 4, "range": [-3, 3]},
        },
        "profile": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 50]}, "profile": {"value": "nJet"}},
        "count": {"x": {"value": "nMuon", "categories": [1, 2, 3]}},
    },
    "output": {"histograms": "h.root", "report": False},
}
BACKGROUNDS = ("wjets", "diboson", "zmumu")


@pytest.fixture(scope="module")
def analysis(dimuon, tmp_path_factory):
    """The folder of a run of CONFIG."""
    folder = tmp_path_factory.mktemp("analysis")
    config = json.loads(json.dumps(CONFIG).replace("dimuon.root", str(dimuon)))
    (folder / "a.json").write_text(json.dumps(config | {"plots": PLOTS}))
    sk.run_config(folder / "a.json")
    return folder


@pytest.fixture(scope="module")
def pictures(analysis):
    """The SVG pictures of the run, by name."""
    paths = sk.plot(analysis / "h.root", cutflow=True).save(analysis / "plots", ["svg"])
    return {Path(path).stem: Picture(Path(path)) for path in paths}


@pytest.fixture(scope="module")
def contents(analysis):
    """Values and squared errors of a histogram, by uproot."""
    with uproot.open(analysis / "h.root") as file:
        read = {name: file[name] for name in file.keys(cycle=False) if not name.startswith("skimline")}

    def get(sample, histogram, variation="nominal"):
        name = f"{sample}__{histogram}__{variation}"
        found = read.get(name, read.get(f"{sample}__{histogram}"))
        if found is None:
            found = read[f"{sample}__{histogram}__nominal"]
        return found.values(), found.variances()

    return get


def close(values, expected):
    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(values, expected, rtol=0, atol=2e-4 * scale)


def test_the_stack_has_the_sums_of_the_groups(pictures, contents):
    other = contents("wjets", "met")[0] + contents("diboson", "met")[0]
    top, bottom = pictures["met"].area("stack-0")
    close(top, other)
    np.testing.assert_allclose(bottom, np.zeros(20), atol=1e-3)
    top, bottom = pictures["met"].area("stack-1")
    close(top, other + contents("zmumu", "met")[0])
    close(bottom, other)
    assert "fill: #123456" in pictures["met"].text


def expected_band(contents):
    """Errors of the sum: statistical, and the largest shift of each systematic, samples varying together."""
    total = sum(contents(each, "met")[0] for each in BACKGROUNDS)
    up = sum(contents(each, "met")[1] for each in BACKGROUNDS)
    down = up.copy()
    for systematic in ("sf", "scale"):
        shifts = [
            sum(contents(each, "met", f"{systematic}_{direction}")[0] for each in BACKGROUNDS) - total
            for direction in ("up", "down")
        ]
        up = up + np.maximum(np.maximum(*shifts), 0) ** 2
        down = down + np.minimum(np.minimum(*shifts), 0) ** 2
    return total, np.sqrt(up), np.sqrt(down)


def test_the_band_has_all_errors(pictures, contents):
    total, up, down = expected_band(contents)
    assert np.any(up > 2 * np.sqrt(sum(contents(each, "met")[1] for each in BACKGROUNDS)))
    top, bottom = pictures["met"].area("band")
    close(top, total + up)
    close(bottom, total - down)


def test_points_and_signal_are_those_of_the_file(pictures, contents):
    values, variances = contents("data", "met")
    filled = values != 0
    close(pictures["met"].points("data-0"), values[filled])
    bars = pictures["met"].bars("data-0-errors")
    close(bars[:, 0], (values - np.sqrt(variances))[filled])
    close(bars[:, 1], (values + np.sqrt(variances))[filled])
    close(pictures["met"].steps("signal-0"), 2.5 * contents("signal", "met")[0])


def test_the_ratio_is_that_of_data_and_background(pictures, contents):
    values, _ = contents("data", "met")
    total = sum(contents(each, "met")[0] for each in BACKGROUNDS)
    drawn = (values != 0) & (total != 0)
    close(pictures["met"].points("ratio-0", axes=1), (values[drawn] / total[drawn]))


def test_labels_are_shown(pictures):
    texts = pictures["met"].texts()
    for text in ("Other", "Data", "Stat. + syst.", "Events", "Data / MC"):
        assert text in texts
    assert any("GeV" in "".join(text.split()) for text in texts)
    assert "low" in pictures["low__met_low"].texts()
    assert {"1", "2", "3"} <= set(pictures["count"].texts())


def test_maps_and_profiles_are_pictures_of_their_own(pictures):
    assert set(pictures) == {
        "met", "low__met_low", "map__background", "map__signal", "map__data", "profile", "count", "cutflow",
    }  # fmt: skip
    assert "Mean of" in "".join(pictures["profile"].texts()) or "Mean" in pictures["profile"].texts()


def test_maps_have_the_colours_of_their_contents(analysis, contents):
    figure = sk.plot(analysis / "h.root", include=["map"])["map__background"]
    (mesh,) = [each for each in figure.axes[0].collections if each.get_gid() == "map"]
    total = sum(contents(each, "map")[0] for each in BACKGROUNDS)
    np.testing.assert_allclose(np.asarray(mesh.get_array()), total.T, rtol=1e-14)


def test_profiles_have_the_means(pictures, contents):
    means, _ = contents("data", "profile")
    drawn = pictures["profile"].steps("line-3")
    close(drawn, means[np.isfinite(means) & (means != 0)][: len(drawn)])


def test_the_cutflow_is_that_of_the_record(pictures, analysis):
    steps = sk.show(analysis / "h.root").samples["data"]["cutflow"]
    close(pictures["cutflow"].points("data-0"), np.array([step["sum_weights"] for step in steps]))
    assert [step["name"] for step in steps] == ["all events", "two muons"]
    assert {"all events", "two muons"} <= set(pictures["cutflow"].texts())


@pytest.mark.thorough
def test_the_same_histograms_give_the_same_bytes(analysis, tmp_path):
    code = "import sys, skimline; skimline.plot(sys.argv[1], style='CMS').save(sys.argv[2], ['svg', 'pdf'])"
    for folder in ("1", "2"):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": folder}
        command = [sys.executable, "-c", code, analysis / "h.root", tmp_path / folder]
        subprocess.run(command, check=True, env=environment)
    first = sorted((tmp_path / "1").iterdir())
    assert len(first) == 14
    for path in first:
        assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes(), path.name
        assert b"20" + b"26-" not in path.read_bytes()


@pytest.mark.parametrize("style", ["plain", "CMS", "ATLAS", "LHCb"])
def test_styles_have_their_names(analysis, tmp_path, style):
    pictures = sk.plot(analysis / "h.root", include=["met"], style=style, text="Test & trial")
    (path,) = pictures.save(tmp_path, ["svg"])
    texts = Picture(Path(path)).texts()
    assert "Test & trial" in texts
    assert (style in texts) == (style != "plain")


def test_without_groups_each_sample_is_one(analysis, tmp_path):
    (path,) = sk.plot(analysis / "h.root", include=["met"], plots={}).save(tmp_path, ["svg"])
    picture = Picture(Path(path))
    assert {"zmumu", "wjets", "diboson", "signal", "data"} <= set(picture.texts())
    assert {"stack-0", "stack-1", "stack-2", "stack-3", "data-0"} <= picture.ids()


def test_without_data_systematics_are_drawn_below(analysis, tmp_path, contents):
    groups = {"zmumu": {"samples": ["zmumu"]}}
    (path,) = sk.plot(analysis / "h.root", include=["met"], plots={"groups": groups}).save(tmp_path, ["svg"])
    picture = Picture(Path(path))
    nominal, up = contents("zmumu", "met")[0], contents("zmumu", "met", "scale_up")[0]
    drawn = nominal != 0
    close(
        picture.steps("shift-1-0", axes=1)[: drawn.argmin() or None],
        (up[drawn] / nominal[drawn])[: drawn.argmin() or None],
    )
    assert {"sf", "scale"} <= set(picture.texts())


def test_one_pattern_is_a_list_of_one(analysis):
    assert list(sk.plot(analysis / "h.root", include="met")) == list(
        sk.plot(analysis / "h.root", include=["met"])
    )
    logarithmic = sk.plot(analysis / "h.root", include="met", log_y="met")["met"]
    assert logarithmic.axes[0].get_yscale() == "log"


def test_logarithmic_axes(analysis):
    figure = sk.plot(analysis / "h.root", include=["met"], log_y=["m*"])["met"]
    assert figure.axes[0].get_yscale() == "log"
    figure = sk.plot(analysis / "h.root", include=["met"], log_y=["x*"])["met"]
    assert figure.axes[0].get_yscale() == "linear"


def test_files_of_one_analysis_are_drawn_together(analysis, tmp_path, contents):
    for samples in (["data"], [*BACKGROUNDS, "signal"]):
        sk.run_config(
            analysis / "a.json", samples=samples, sets=[f"output.histograms={tmp_path}/{samples[0]}.root"]
        )
    pictures = sk.plot(tmp_path / "data.root", tmp_path / "wjets.root", include=["met"])
    picture = Picture(Path(pictures.save(tmp_path, ["svg"])[0]))
    close(picture.area("stack-1")[0], sum(contents(each, "met")[0] for each in BACKGROUNDS))
    assert "data-0" in picture.ids()


def test_files_of_others_are_compared_by_name(tmp_path):
    random = np.random.default_rng(1)
    values = {}
    for name in ("old", "new"):
        values[name] = np.histogram(random.normal(size=1000), bins=10, range=(-3, 3))
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file["dir/h"] = values[name]
    pictures = sk.plot(tmp_path / "old.root", tmp_path / "new.root")
    assert list(pictures) == ["dir_h"]
    picture = Picture(Path(pictures.save(tmp_path, ["svg"])[0]))
    close(picture.steps("line-0"), values["old"][0])
    close(picture.steps("line-1"), values["new"][0])
    close(picture.steps("ratio-1", axes=1), values["new"][0] / values["old"][0])
    assert {"old", "new", "Ratio"} <= set(picture.texts())


def test_categories_that_have_grown_differently_are_drawn_at_their_names(tmp_path):
    """Samples, variations and data of one picture each have met others; profiles too, and what has met none."""
    kinds = {"data": [2, 3, 3], "one": [0, 1, 1], "two": [1, 10, 10]}
    for name, values in kinds.items():
        sk.write(
            tmp_path / f"{name}.root", {"kind": np.array(values, dtype=np.int32), "value": np.arange(3.0)}
        )
    growing = {"x": {"value": "kind", "categories": [], "growing": True}}
    config = {
        "schema_version": 1,
        "samples": {name: {"files": [str(tmp_path / f"{name}.root")]} for name in kinds},
        "variations": {"next": {"columns": {"kind": {"up": "kind + 1"}}, "samples": ["one"]}},
        "histograms": {
            "kinds": growing,
            "means": growing | {"profile": {"value": "value"}},
            "none": growing | {"where": "value > 9"},
        },
        "plots": {"groups": {each: {"samples": [each]} for each in ("one", "two")}},
        "output": {"histograms": str(tmp_path / "h.root"), "report": False},
    }
    config["samples"]["data"]["is_data"] = True
    config["plots"]["groups"]["data"] = {"samples": ["data"], "kind": "data"}
    sk.run_config(config)
    drawn = sk.plot(tmp_path / "h.root")
    figure = drawn["kinds"]
    top = figure.axes[0].findobj(lambda each: each.get_gid() == "stack-1")[0].get_data().values
    assert top.tolist() == [1, 3, 0, 0, 2]  # 0, 1, 2, 3 and 10
    # Upwards: statistics, and in "next" the one of 0 is at 1, and the two of 1 are at 2.
    band = figure.axes[0].findobj(lambda each: each.get_gid() == "band")[0].get_data().values
    np.testing.assert_allclose(band, [2, 3 + 3**0.5, 2, 0, 2 + 2**0.5])
    points = figure.axes[0].findobj(lambda each: each.get_gid() == "data-0")[0]
    assert points.get_xydata().tolist() == [[2.5, 1], [3.5, 2]]
    assert [each.get_text() for each in figure.axes[1].get_xticklabels()] == ["0", "1", "2", "3", "10"]
    means = drawn["means"].axes[0]
    line = means.findobj(lambda each: each.get_gid() == "line-1")[0].get_data().values
    np.testing.assert_array_equal(line, [np.nan, 0, np.nan, np.nan, 1.5])
    assert drawn["none"].axes
    histogram = sk.read_histograms(tmp_path / "h.root")["data__none"]
    assert histogram.to_numpy()[1].tolist() == [0]


def test_other_bins_are_not_drawn_on_those_of_another(tmp_path):
    for name, edge in (("old", 3), ("new", 4)):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file["h"] = np.histogram([1.0], bins=10, range=(-edge, edge))
    pictures = sk.plot(tmp_path / "old.root", tmp_path / "new.root")
    with pytest.raises(ConfigError, match="h: histograms that are drawn together have different bins"):
        pictures.save(tmp_path, ["svg"])


def test_histograms_in_memory(analysis):
    read = sk.read_histograms(analysis / "h.root")
    pictures = sk.plot({"a": read["zmumu__met__nominal"], "b": read["data__met"]})
    assert len(pictures) == 1
    for choice in ({"include": "a"}, {"cutflow": True}):
        with pytest.raises(ConfigError, match="is about files of histograms"):
            sk.plot(read["data__met"], **choice)
    with pytest.raises(ConfigError, match="one mapping"):
        sk.plot(read["data__met"], read["zmumu__met__nominal"])


def test_what_was_booked_is_drawn_as_its_file(dimuon, tmp_path):
    """Of several samples data are points, sums are left out, and all variations are there."""
    mc = {"files": [str(dimuon)], "sum_weights": "genWeight"}
    frame = sk.open(
        {"data": {"files": [str(dimuon)], "is_data": True}, "zmumu": mc, "other": mc},
        sums={"all": {"zmumu": 2}},
    ).vary("met", {"MET_pt": {"up": "MET_pt * 1.1", "down": "MET_pt * 0.9"}})
    # Of directions with other names only the largest shift counts; weights of the histogram are systematics each.
    frame = frame.vary("shift", {"MET_pt": {each: f"MET_pt + {each[1:]}" for each in ("s3", "s4", "s5")}})
    weights = {"up": "genWeight * 1.1", "sf_up": "genWeight * 1.2", "sf_down": "genWeight * 1.3"}
    options = {"weight": "genWeight", "weight_variations": weights}
    met = frame.hist("MET_pt", bins=20, range=(0, 100), name="met", unit="GeV", **options)
    sk.run(met, histograms=tmp_path / "h.root")
    (booked,) = sk.plot(met).save(tmp_path / "booked", ["svg"])
    (file,) = sk.plot(tmp_path / "h.root").save(tmp_path / "file", ["svg"])
    assert Path(booked).read_bytes() == Path(file).read_bytes()
    for change, message in [
        ({"groups": {"x": {"samples": ["zmumu"], "color": "red"}}}, 'unknown key "color" .*mean "colour"'),
        ({"groups": {"x": {"label": "x"}}}, 'the group "x" of plots needs the key "samples"'),
        ({"groups": {"x": {"samples": ["zmumumu"]}}}, 'no sample matches "zmumumu" .*"zmumu"'),
    ]:
        with pytest.raises(ConfigError, match=message):
            sk.plot(tmp_path / "h.root", plots=change)


@pytest.mark.parametrize("is_data", [True, False])
def test_what_was_booked_of_one_sample_is_drawn_as_its_file(dimuon, tmp_path, is_data):
    sample = {"files": [str(dimuon)], "is_data": is_data}
    if is_data:
        frame = sk.open({"only": sample})
    else:
        sample |= {"cross_section_pb": 2.0, "sum_weights": "genWeight"}
        frame = sk.open({"only": sample}, luminosity_pb=4200.0).weight("rate", "normalisation_")
    met = frame.hist("MET_pt", bins=20, range=(0, 100), name="met")
    sk.run(met, histograms=tmp_path / "h.root")
    (booked,) = sk.plot(met).save(tmp_path / "booked", ["svg"])
    (file,) = sk.plot(tmp_path / "h.root").save(tmp_path / "file", ["svg"])
    assert Path(booked).read_bytes() == Path(file).read_bytes()
    assert ("data-0" if is_data else "stack-0") in Picture(Path(booked)).ids()
    groups = {"group": {"samples": ["onl?"], "kind": "signal"}}
    (booked,) = sk.plot(met, plots={"groups": groups}).save(tmp_path, ["svg"])
    assert "signal-0" in Picture(Path(booked)).ids()


def test_samples_without_cross_section_are_no_data_unless_they_say_so(dimuon, tmp_path):
    samples = {
        "signal": {"files": [str(dimuon)], "cross_section_pb": 2.0, "sum_weights": "genWeight"},
        "other": {"files": [str(dimuon)]},
    }
    frame = sk.open(samples).vary("met", {"MET_pt": {"up": "MET_pt * 1.1"}})
    met = frame.hist("MET_pt", bins=20, range=(0, 100), name="met", weight="genWeight")
    sk.run(met, histograms=tmp_path / "h.root")
    (booked,) = sk.plot(met).save(tmp_path / "booked", ["svg"])
    (file,) = sk.plot(tmp_path / "h.root").save(tmp_path / "file", ["svg"])
    assert Path(booked).read_bytes() == Path(file).read_bytes()
    assert {"stack-0", "stack-1"} <= Picture(Path(file)).ids()
    # Of lists of other programs nothing says it.
    listed = {"signal": {"files": {str(dimuon): "Events"}, "metadata": {"cross_section_pb": 2.0}}}
    listed["other"] = {"files": {str(dimuon): "Events"}}
    (tmp_path / "list.json").write_text(json.dumps(listed))
    frame = sk.open(samples_from=str(tmp_path / "list.json"), sample_defaults={"sum_weights": "genWeight"})
    met = frame.vary("met", {"MET_pt": {"up": "MET_pt * 1.1"}}).hist("MET_pt", bins=20, range=(0, 100))
    sk.run(met, histograms=tmp_path / "l.root")
    (file,) = sk.plot(tmp_path / "l.root").save(tmp_path / "list", ["svg"])
    assert {"stack-0", "data-0"} <= Picture(Path(file)).ids()


def test_cutflows_stack_samples_in_the_order_of_the_config(dimuon, tmp_path):
    frame = sk.open({name: str(dimuon) for name in "zam"}).filter("nMuon > 1", name="two")
    sk.run(frame.hist("MET_pt", bins=2, range=(0, 9)), histograms=tmp_path / "h.root")
    legend = sk.plot(tmp_path / "h.root", cutflow=True)["cutflow"].axes[0].get_legend().get_texts()
    assert [each.get_text() for each in legend if len(each.get_text()) == 1] == ["m", "a", "z"]


def test_histograms_of_regions_are_told(dimuon):
    frame = sk.open(dimuon, sample="mc")
    region = frame.filter("nMuon == 2", name="two").hist("nMuon", integers=(0, 3), name="n")
    other = frame.filter("nMuon == 1", name="one").hist("nMuon", integers=(0, 3), name="m")
    result = sk.run(region, other)
    with pytest.raises(ConfigError, match="there is no histogram \"mc n\": give region='two'"):
        result.histogram("n")
    assert result.histogram("n", region="two") == region.result


@pytest.mark.parametrize("label", ["$\\frac{", "a $ b", "<script>alert(1)</script>", "m_{#mu", "#nothing{x}"])
def test_hostile_labels_are_texts(analysis, tmp_path, label):
    plots = {"groups": {"x": {"samples": ["zmumu"], "label": label}}}
    (path,) = sk.plot(analysis / "h.root", include=["met"], plots=plots, text=label).save(tmp_path, ["svg"])
    assert label in Picture(Path(path)).texts()
    assert "<script" not in Path(path).read_text()


def test_names_stay_in_the_folder(tmp_path):
    contents = np.histogram([1.0, 2.0], bins=2, range=(0, 4))
    with uproot.recreate(tmp_path / "h.root") as file:
        file["../../x"] = contents
        file["a b"] = contents
        file["a_b"] = contents
    paths = sk.plot(tmp_path / "h.root").save(tmp_path / "plots", ["png"])
    assert all(Path(path).parent == tmp_path / "plots" for path in paths)
    assert len(set(paths)) == 3


def test_mistakes_are_said(analysis, tmp_path):
    with pytest.raises(ConfigError, match="style must be one of"):
        sk.plot(analysis / "h.root", style="cms")["met"]
    with pytest.raises(ConfigError, match='unknown key "group"'):
        sk.plot(analysis / "h.root", plots={"group": {}})
    with pytest.raises(ConfigError, match=r'no histogram matches "mett" \(did you mean "met"\?\) and no'):
        sk.plot(analysis / "h.root", include=["mett", "nothing"])
    with pytest.raises(ConfigError, match=r'^no histogram matches "nothing"$'):
        sk.plot(analysis / "h.root", include=["met", "nothing"])
    with pytest.raises(TypeError, match="histograms, booked or filled, and files of them, not"):
        sk.plot([analysis / "h.root"])
    with pytest.raises(ConfigError, match="not 'gif'"):
        sk.plot(analysis / "h.root").save(tmp_path, ["gif"])
    with pytest.raises(FileError, match="no such file"):
        sk.plot(tmp_path / "none.root")
    with pytest.raises(ConfigError, match="colour 'nocolour'"):
        groups = {"x": {"samples": ["zmumu"], "colour": "nocolour"}}
        sk.plot(analysis / "h.root", plots={"groups": groups})["met"]


@pytest.mark.parametrize(
    ("plots", "text"),
    [
        ({"groups": {"a": {"samples": ["zmumu"]}, "b": {"samples": ["z*"]}}}, '"zmumu" is in two groups'),
        ({"groups": {"a": {"samples": ["zmumu"], "kind": "points"}}}, "kind must be 'background' or"),
        ({"groups": {"a": {"samples": ["zmumu"], "scale": 2}}}, '"kind" "signal" have a "scale"'),
        ({"groups": {"a": {"samples": ["zmumu"], "kind": "signal", "scale": "x"}}}, "scale must be a number"),
        ({"groups": {"a": {"samples": ["zmumu"], "kind": "signal", "scale": 0}}}, "must be greater than 0"),
        ({"groups": {"a": {"samples": 5}}}, "samples must be a text or a list of texts, not 5"),
        ({"groups": ["zmumu"]}, "groups must be a mapping"),
        ({"ratio": "no"}, "ratio must be True or False"),
        ({"text": 5}, "text must be a text, not 5"),
        ({"histograms": 5}, "histograms must be a text or a list of texts"),
        ({"histograms": [5]}, "histograms must be a text or a list of texts"),
        ({"log_x": 5}, "log_x must be True or False or a text or a list of texts"),
    ],
)
def test_plots_are_checked_as_those_of_configs(analysis, plots, text):
    with pytest.raises(ConfigError, match=text):
        sk.plot(analysis / "h.root", plots=plots)


def test_one_text_is_a_list_of_one_in_plots(analysis):
    plots = {"histograms": "met", "regions": "none", "log_y": "met", "groups": {"a": {"samples": "zmumu"}}}
    pictures = sk.plot(analysis / "h.root", plots=plots)
    assert list(pictures) == ["met"]
    assert pictures["met"].axes[0].get_yscale() == "log"


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ({"folder": 1}, "folder must be a path"),
        ({"formats": None}, "formats must be a text or a list of texts"),
        ({"processes": 0}, "processes: 0 is not from 1"),
        ({"processes": 1.5}, "processes must be a whole number"),
    ],
)
def test_saving_is_told_right(analysis, tmp_path, monkeypatch, named, text):
    monkeypatch.chdir(tmp_path)
    pictures = sk.plot(analysis / "h.root", include="met")
    with pytest.raises(ConfigError, match=text):
        pictures.save(**named)
    assert pictures.save("p", "svg") == ["p/met.svg"]


def run(monkeypatch, *arguments) -> int:
    monkeypatch.setattr(sys, "argv", ["skimline", *map(str, arguments)])
    return _program.main()


def command(analysis, *arguments, **environment):
    """The command of the package, in a process of its own."""
    code = "from skimline._program import main; raise SystemExit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=analysis,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
    )


def test_the_command_writes_pictures(analysis, tmp_path):
    done = command(
        analysis,
        "plot",
        "h.root",
        "-o",
        tmp_path / "new" / "p",
        "--format",
        "svg",
        "--format",
        "png",
        "--include",
        "met",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"{tmp_path}/new/p/met.svg", f"{tmp_path}/new/p/met.png"]
    assert (tmp_path / "new/p/met.png").read_bytes().startswith(b"\x89PNG")
    assert "Other" in Picture(tmp_path / "new/p/met.svg").texts()


@pytest.mark.thorough
def test_several_processes_write_the_same(analysis, tmp_path):
    pictures = sk.plot(analysis / "h.root")
    alone = pictures.save(tmp_path / "1", ["svg"])
    shared = pictures.save(tmp_path / "2", ["svg"], processes=2)
    assert [Path(path).name for path in shared] == [Path(path).name for path in alone]
    for one, other in zip(alone, shared, strict=True):
        assert Path(one).read_bytes() == Path(other).read_bytes()
    with pytest.raises(FileError, match="cannot be written"):
        pictures.save(analysis / "h.root" / "x", processes=2)


def test_the_command_takes_plots_of_another_config(analysis, tmp_path):
    other = {"plots": {"groups": {"all": {"samples": ["*mu*"], "label": "Everything"}}}}
    (tmp_path / "o.json").write_text(json.dumps(other))
    done = command(
        analysis,
        "plot",
        "h.root",
        "-o",
        tmp_path,
        "--format",
        "svg",
        "--config",
        tmp_path / "o.json",
        "--include",
        "met",
    )
    assert done.returncode == 0, done.stderr
    assert "Everything" in Picture(tmp_path / "met.svg").texts()
    (tmp_path / "o.json").write_text('{"plots": {"styl": "CMS"}}')
    done = command(analysis, "plot", "h.root", "--config", tmp_path / "o.json")
    assert done.returncode == 2
    assert 'unknown key "styl"' in done.stderr
    assert "o.json:1:12" in done.stderr


def test_the_command_says_what_is_wrong(analysis, tmp_path):
    done = command(analysis, "plot", "none.root")
    assert done.returncode == 1
    assert "none.root" in done.stderr
    assert "Traceback" not in done.stderr
    (tmp_path / "matplotlib.py").write_text("raise ImportError('none')")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = command(analysis, "plot", "h.root", PYTHONPATH=path)
    assert done.returncode == 1
    assert "plot() needs matplotlib: pip install matplotlib" in done.stderr


def test_the_program_alone_says_what_to_install(program, analysis):
    done = subprocess.run(
        [program, "plot", "h.root"], capture_output=True, text=True, cwd=analysis, check=False
    )
    assert done.returncode == 1
    assert "pip install 'skimline[plot]'" in done.stderr


def test_text_is_drawn_alike_by_both(program, analysis):
    arguments = ["plot", "--text", "h.root", "--include", "data__met"]
    alone = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=analysis, check=True)
    assert command(analysis, *arguments).stdout == alone.stdout != ""
