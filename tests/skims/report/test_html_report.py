# SPDX-License-Identifier: BSD-3-Clause
"""The report as a page of HTML: its structure, its texts, and every number that is drawn, against uproot."""

import json
import math
import os
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE
from rendered_pages import CHROMIUM, faults_of_pages

MINUS = "\N{MINUS SIGN}"
VOID = {"meta", "path", "circle", "rect", "br"}
HOSTILE = '</script><img src=x onerror=alert(1)> & "quotes" \'</title>'


class Page(HTMLParser):
    """Elements with their attributes and texts; elements that are not closed, or wrongly, are errors."""

    def __init__(self, text):
        super().__init__()
        self.text, self.open, self.elements = text, [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), [each["tag"] for each in self.open], []))
        if tag not in VOID:
            self.open.append({"tag": tag, "texts": self.elements[-1][3]})

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), [each["tag"] for each in self.open], []))

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for each in self.open:
            each["texts"].append(data)

    def all(self, tag, kind=None):
        """Attributes and text of all elements of a name, and of a class."""
        return [
            (attributes, "".join(texts))
            for name, attributes, _, texts in self.elements
            if name == tag and (kind is None or kind in attributes.get("class", "").split())
        ]


def histogram(value, **more):
    return {"x": {"value": value, "bins": 10, "range": [0, 50]}, "weight": "weight_", **more}


@pytest.fixture
def config(sample):
    """Data, two backgrounds and a signal, in groups; histograms of all kinds that are drawn."""
    simulated = {"files": [str(sample)], "sum_weights": "genWeight", "cross_section_pb": 12.5}
    return {
        "schema_version": 1,
        "luminosity_pb": 3,
        "samples": {
            "data": {"files": [str(sample)], "is_data": True},
            "one": simulated,
            "two": simulated | {"cross_section_pb": 3.25},
            "sig": simulated | {"cross_section_pb": 0.1},
        },
        "weights": {"norm": "normalisation_", "generator": "genWeight", "sf": "1.0"},
        "variations": {"sf": {"weights": {"sf": {"up": "1.0 + MET_pt / 100", "down": "0.9"}}}},
        "select": [{"name": HOSTILE, "where": "nMuon > 0"}],
        "regions": {"jets": {"where": "nJet > 1"}},
        "histograms": {
            "met": histogram("MET_pt", title=HOSTILE, regions=["jets"])
            | {"x": {"value": "MET_pt", "bins": 10, "range": [0, 50], "label": HOSTILE, "unit": "<b>"}},
            "edges": histogram("MET_pt") | {"x": {"value": "MET_pt", "edges": [1, 2, 10, 100, 1000]}},
            "jets": {"x": {"value": "nJet", "integers": [0, 5]}},
            "map": histogram("MET_pt", y={"value": "nJet", "integers": [0, 4]}),
            "profile": histogram("MET_pt", profile={"value": "nJet"}),
            "three": histogram(
                "MET_pt", y={"value": "nJet", "integers": [0, 4]}, z={"value": "nMuon", "integers": [0, 4]}
            ),
        },
        "plots": {
            "groups": {
                "both": {"samples": ["one", "two"], "label": HOSTILE, "colour": "#123456"},
                "signal": {"samples": ["sig"], "kind": "signal", "scale": 8},
                "data": {"samples": ["data"], "kind": "data"},
            },
            "log_y": False,
        },
        "output": {
            "histograms": {"file": "h.root", "name": "{sample}_{region}_{histogram}_{variation}"},
            "report": ["r.html", "r.json"],
            "n_minus_1": True,
        },
    }


@pytest.fixture
def page(job, config, tmp_path):
    """The page of the config."""
    done = job(config)
    assert done.returncode == DONE, done.stderr
    return Page((tmp_path / "r.html").read_text())


def numbers(text):
    return numpy.array([float(each) for each in text.split()])


def drawn(page, kind):
    return [attributes for attributes, _ in page.all("g", kind)]


def test_every_drawn_number_is_that_of_the_file(page, tmp_path):
    with uproot.open(tmp_path / "h.root") as file:
        series = drawn(page, "series")
        assert {each["data-kind"] for each in series} == {"background", "signal", "data"}
        names = set()
        for each in series:
            found = [file[name] for name in json.loads(each["data-histograms"])]
            names.update(json.loads(each["data-histograms"]))
            scale = float(each["data-scale"])
            assert scale == (8 if each["data-kind"] == "signal" else 1)
            values, errors = numbers(each["data-values"]), numbers(each["data-errors"])
            if found[0].classname.startswith("TProfile"):
                if len(found) == 1:
                    filled = found[0].counts() > 0
                    assert values[filled] == pytest.approx(scale * found[0].values()[filled], rel=1e-12)
                continue
            expected = scale * sum(one.values() for one in found)
            assert values == pytest.approx(expected.ravel(order="F"), rel=1e-13)
            variances = scale**2 * sum(one.variances() for one in found)
            assert errors == pytest.approx(numpy.sqrt(variances).ravel(order="F"), rel=1e-13)
        kinds = ("met", "edges", "jets", "map", "profile")
        nominal = {
            name.split(";")[0]
            for name in file.keys(recursive=False)
            if "sf_" not in name and any(kind in name for kind in kinds)
        }
        assert names == nominal and len(names) == 4 * 5


def test_categories_that_have_grown_differently_have_one_axis(job, tmp_path):
    """Of samples and of variations, which are in the bands."""
    for name, values in (("one", [0, 1, 1]), ("two", [1, 10, 10])):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file["Events"] = {"kind": numpy.array(values, dtype=numpy.int32)}
    config = {
        "schema_version": 1,
        "samples": {name: {"files": [f"{name}.root"]} for name in ("one", "two")},
        "variations": {"next": {"columns": {"kind": {"up": "kind + 1"}}, "samples": ["one"]}},
        "histograms": {"kinds": {"x": {"value": "kind", "categories": [], "growing": True}}},
        "plots": {"groups": {"all": {"samples": ["one", "two"]}}},
        "output": {"histograms": "h.root", "report": ["r.html", "r.json"]},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    page = Page((tmp_path / "r.html").read_text())
    # 0, 1, 2 and 10.
    assert [numbers(each["data-values"]).tolist() for each in drawn(page, "series")] == [[1, 3, 0, 2]]
    (varied,) = drawn(page, "variation")
    assert numbers(varied["data-values"]).tolist() == [0, 2, 2, 2]
    assert json.loads(varied["data-histograms"]) == ["one__kinds__next_up"]


def test_a_stack_fits_into_its_frame_where_contents_are_negative(job, tmp_path):
    """The highest layer is not the last one; neither reach may end at the frame, as if that were its number."""
    for name, weights in (("one", [8.0, -8, 2]), ("two", [-7.0, 7, 1])):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file["Events"] = {"x": numpy.array([0.5, 1.5, 2.5]), "w": numpy.array(weights)}
    config = {
        "schema_version": 1,
        "samples": {name: {"files": [f"{name}.root"]} for name in ("one", "two")},
        "weights": {"all": "w"},
        "histograms": {"x": {"x": {"value": "x", "bins": 3, "range": [0, 3]}}},
        "plots": {"groups": {name: {"samples": [name]} for name in ("one", "two")}},
        "output": {"histograms": "h.root", "report": ["r.html", "r.json"]},
    }
    assert job(config).returncode == DONE
    page = Page((tmp_path / "r.html").read_text())
    layers = [re.findall(r"[MV](?:[\d.]+ )?([\d.]+)H", one["d"])[:3] for one, _ in page.all("path", "layer")]
    total, first = numpy.array(layers, dtype=float)
    # Sums of 1, -1 and 3: the last bin and the first two say where 3 and 0 are.
    unit = (total[1] - total[0]) / 2
    zero = total[0] + unit
    assert total == pytest.approx(zero - unit * numpy.array([1, -1, 3]), abs=0.11)
    assert first == pytest.approx(zero - unit * numpy.array([8, -8, 2]), abs=0.5)
    low = numpy.array(re.findall(r"V([\d.]+)Z", page.all("path", "band")[0][0]["d"]), dtype=float)
    assert low == pytest.approx(zero - unit * numbers(drawn(page, "total")[0]["data-low"]), abs=0.5)


def test_maps_have_the_names_of_categories(job, tmp_path):
    """Not the numbers of their bins, which for charges of -1 and 1 would be others."""
    with uproot.recreate(tmp_path / "in.root") as file:
        file["Events"] = {
            "charge": numpy.array([-1, 1, 1], dtype=numpy.int32),
            "kind": numpy.int32([11, 13, 11]),
        }
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["in.root"]}},
        "histograms": {
            "map": {
                "x": {"value": "charge", "categories": [-1, 1]},
                "y": {"value": "kind", "categories": [13, 11]},
            }
        },
        "output": {"histograms": "h.root", "report": ["r.html", "r.json"]},
    }
    assert job(config).returncode == DONE
    page = Page((tmp_path / "r.html").read_text())
    assert [text for _, text in page.all("text", "tick")] == ["-1", "1", "13", "11"]
    places = [float(each["y"]) for each, _ in page.all("text", "tick")]
    assert places[0] == places[1] > places[2] > places[3]


def test_bars_are_as_high_as_their_numbers(page):
    """Of the first figure: the top of the stack at each bin, from the axis to the frame."""
    paths = [attributes for attributes, _ in page.all("path", "layer")]
    tops = [float(y) for y in re.findall(r"[MV](?:[\d.]+ )?([\d.]+)(?=H)", paths[0]["d"])][:10]
    values = numbers(drawn(page, "background")[0]["data-values"])
    heights = 330 - numpy.array(tops)
    assert heights == pytest.approx(values * heights.max() / values.max(), abs=0.11)


def test_tables_say_by_what_a_signal_is_multiplied(page):
    heads = [text for _, text in page.all("thead") if text.startswith("bin")]
    assert heads and all(text.endswith("signal \N{MULTIPLICATION SIGN} 8data") for text in heads)


def test_sums_and_variations(page, tmp_path):
    with uproot.open(tmp_path / "h.root") as file:
        names = [f"{sample}_jets_met" for sample in ("one", "two")]
        nominal = {name: next(key for key in file.keys() if key.startswith(name)) for name in names}
        total = sum(file[key].values() for key in nominal.values())
        assert numbers(drawn(page, "total")[0]["data-values"]) == pytest.approx(total, rel=1e-13)
        variations = drawn(page, "variation")
        found = {(each["data-variation"], each["data-histograms"]) for each in variations}
        assert len(found) == len(variations) == 2 * 3
        for each in variations:
            expected = sum(file[name].values() for name in json.loads(each["data-histograms"]))
            assert numbers(each["data-values"]) == pytest.approx(expected, rel=1e-12)
        (up,) = (
            v for v in variations if v["data-variation"] == "sf_up" and "jets_met" in v["data-histograms"]
        )
        (down,) = (
            v for v in variations if v["data-variation"] == "sf_down" and "jets_met" in v["data-histograms"]
        )
        variances = sum(file[key].variances() for key in nominal.values())
        shift_up = numbers(up["data-values"]) - total
        shift_down = numbers(down["data-values"]) - total
        band = drawn(page, "total")[0]
        assert numbers(band["data-high"]) == pytest.approx(total + numpy.sqrt(variances + shift_up**2))
        assert numbers(band["data-low"]) == pytest.approx(total - numpy.sqrt(variances + shift_down**2))


def test_texts_of_others_are_no_markup(page):
    names = {name for name, _, _, _ in page.elements}
    assert not names & {"script", "img", "b", "i", "iframe", "object", "embed", "form", "input", "link"}
    for _, attributes, _, _ in page.elements:
        assert not any(key.startswith("on") for key in attributes)
    assert HOSTILE in page.all("main")[0][1]
    headings = [text for _, text in page.all("th")]
    assert HOSTILE in headings and "region jets" in headings


def test_nothing_is_fetched(page):
    for name, attributes, _, _ in page.elements:
        assert not {"src", "srcset", "xlink:href", "data", "poster"} & set(attributes)
        if "href" in attributes:
            assert name == "a" and attributes["href"].startswith("#")
    style = page.all("style")[0][1]
    assert "url(" not in style and "@import" not in style
    assert "prefers-color-scheme: dark" in style and "@media print" in style
    assert any("default-src 'none'" in each.get("content", "") for each, _ in page.all("meta"))


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, which scripts/setup --test installs")
def test_nothing_is_cut_or_overlaps(page, tmp_path):
    """As a browser lays it out, on a telephone, on a tablet and on a wide screen."""
    assert faults_of_pages(tmp_path, ["r.html"]) == []


def test_it_can_be_read_without_seeing_it(page):
    assert page.all("html")[0][0]["lang"] == "en"
    for landmark in ("header", "nav", "main"):
        assert len(page.all(landmark)) == 1
    ids = [attributes["id"] for _, attributes, _, _ in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for attributes, _ in page.all("a"):
        assert attributes["href"][1:] in ids
    levels = [int(name[1]) for name, _, _, _ in page.elements if re.fullmatch(r"h[1-6]", name)]
    assert levels[0] == 1 and all(after - before <= 1 for before, after in pairwise(levels))
    for attributes, _ in page.all("svg"):
        assert attributes["role"] == "img"
        assert all(each in ids for each in attributes["aria-labelledby"].split())
    assert len(page.all("caption")) == len(page.all("table")) > 5
    assert all(attributes["scope"] in ("row", "col") for attributes, _ in page.all("th"))
    assert all(text.strip() for _, text in page.all("caption") + page.all("title") + page.all("desc"))


def test_tables_are_those_of_the_report(page, tmp_path):
    report = json.loads((tmp_path / "r.json").read_text())
    cells = {text for _, text in page.all("td")}
    region = report["yields"]["one"]["regions"]["jets"]
    keys = ("value", "statistical_error", "systematic_up", "systematic_down")
    value, error, up, down = (f"{region[key]:,.2f}".replace(",", " ") for key in keys)
    assert f"{value} ± {error} +{up} {MINUS}{down}" in cells
    shift = region["variations"]["sf_down"]["value"] - region["value"]
    share = 100 * abs(shift) / region["value"]
    assert f"{MINUS}{abs(shift):,.2f} {MINUS}{share:.2f} %".replace(",", " ") in cells
    events = report["samples"][0]["cutflow"][1]["events"]
    assert f"{events:,} {100 * events / report['samples'][0]['events']:.2f} %".replace(",", " ") in cells
    config = "".join(text for _, text in page.all("pre"))
    assert json.loads(config)["luminosity_pb"] == 3
    assert "Not drawn" in page.all("main")[0][1]  # the one with three axes


def steady(text):
    text = re.sub(r"<time>[^<]*</time>", "", text)
    return re.sub(r'<section id="resources".*?</section>', "", text, flags=re.DOTALL)


def test_all_but_resources_is_the_same_for_any_threads(page, job, config, tmp_path):
    text = (tmp_path / "r.html").read_text()
    assert job(config, "-j", 1).returncode == DONE
    again = (tmp_path / "r.html").read_text()
    assert steady(again) == steady(text)
    assert len(steady(text)) > 0.5 * len(text)


def test_what_is_written(job, config, tmp_path):
    files = ["a.json", "h.root"]
    config["output"]["report"] = "r.html"
    assert job(config).returncode == DONE
    assert sorted(os.listdir(tmp_path)) == sorted([*files, "a.report.json", "r.html"])
    config["output"]["report"] = False
    for name in ("a.report.json", "r.html"):
        (tmp_path / name).unlink()
    assert job(config, "--report", "other.html").returncode == DONE
    assert sorted(os.listdir(tmp_path)) == sorted([*files, "other.html"])
    assert job(config, "--report", "other.html", "--no-report").returncode == WRONG_USAGE


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (["a.html", "b.html"], 'there is a report of this format already, "a.html"'),
        (3, '"report" must be a path, a list of paths or false'),
        ("a.json/a.html", '"a.json" is a file, not a folder'),
    ],
)
def test_mistakes(job, config, report, message):
    config["output"]["report"] = report
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr


def test_a_run_without_histograms(job, sample, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": [str(sample)]}},
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "output": {"report": "r.html"},
    }
    assert job(config).returncode == DONE
    page = Page((tmp_path / "r.html").read_text())
    assert "Cutflow" in [text for _, text in page.all("h2")]
    assert not page.all("svg")


def test_another_page_is_not_replaced(job, config, tmp_path):
    config["output"]["report"] = "r.html"
    (tmp_path / "r.html").write_text("<!DOCTYPE html>\n<title>mine</title>")
    done = job(config)
    assert done.returncode != DONE
    assert "exists" in done.stderr
    assert "mine" in (tmp_path / "r.html").read_text()


def test_the_size_of_a_large_one_is_bounded(job, sample, tmp_path):
    variable = {"value": "MET_pt", "bins": 1000, "range": [0, 100]}
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": [str(sample)]}},
        "histograms": {f"h{number}": {"x": variable} for number in range(400)},
        "output": {"histograms": "h.root", "report": "r.html"},
    }
    assert job(config).returncode == DONE
    text = (tmp_path / "r.html").read_text()
    assert 3e6 < len(text) < 5e6
    shown = len(Page(text).all("svg"))
    (left,) = re.findall(r"([\d ]+) more figures would", text)
    assert shown + int(left.replace(" ", "")) == 400
    assert math.isfinite(shown)
