# SPDX-License-Identifier: BSD-3-Clause
"""`skimline plot --text`: characters that show the contents of histograms, as uproot and hist have them."""

import json

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE

BLOCKS = " ▁▂▃▄▅▆▇█"


@pytest.fixture
def draw(call, tmp_path):
    """Draws histograms that are made of contents and edges, and returns the lines."""

    def run(histogram, *options):
        with uproot.recreate(tmp_path / "h.root") as file:
            file["h"] = histogram
        done = call("plot", "--text", tmp_path / "h.root", *options)
        assert done.returncode == DONE, done.stderr
        return done.stdout.splitlines()

    return run


def heights(lines) -> list[float]:
    """The heights of the columns in rows, eighths included."""
    rows = [line[12:] for line in lines if line[11:12] == "|"]
    width = max(len(row) for row in rows)
    return [sum(BLOCKS.index(row.ljust(width)[i]) / 8 for row in rows) for i in range(width)]


def test_bars_are_as_high_as_the_contents(draw):
    contents = np.array([0.0, 1, 2, 5, 18, 9, 3.5])
    lines = draw((contents, np.arange(8.0)))
    assert lines[0] == "h: events"
    np.testing.assert_allclose(heights(lines), contents, atol=0.07)


def test_many_bins_share_columns(draw):
    random = np.random.default_rng(3)
    contents = random.poisson(100, 880).astype(float)
    lines = draw((contents, np.linspace(0, 1, 881)))
    sums = contents.reshape(88, 10).sum(axis=1)
    np.testing.assert_allclose(heights(lines), 18 * sums / sums.max(), atol=0.07)


def test_logarithmic_contents(draw):
    contents = np.array([1.0, 10, 100, 1000, 0, 1e6])
    drawn = heights(draw((contents, np.arange(7.0)), "--log-y"))
    np.testing.assert_allclose(drawn, [0, 3, 6, 9, 0, 18], atol=0.07)


def test_logarithmic_x_shows_densities(draw):
    edges = np.array([1.0, 2, 4, 8, 16])
    lines = draw((np.array([1.0, 2, 4, 8]), edges), "--log-x")
    assert lines[0] == "h: events per unit of x"
    np.testing.assert_allclose(heights(lines), [18] * len(heights(lines)), atol=0.07)


def test_negative_contents_begin_at_the_lowest(draw):
    drawn = heights(draw((np.array([-2.0, 0, 7]), np.arange(4.0))))
    np.testing.assert_allclose(drawn, [0, 4, 18], atol=0.07)


def test_ascii_has_no_other_characters(draw):
    lines = draw((np.array([1.0, 18]), np.arange(3.0)), "--ascii")
    assert "\n".join(lines).isascii()
    assert sum(line.count("#") for line in lines) == 19


def test_entries_and_moments_are_told(call, tmp_path):
    hist = pytest.importorskip("hist")
    histogram = hist.Hist(hist.axis.Regular(10, 0, 10, label="x"), storage=hist.storage.Double())
    histogram.fill([-1, 2.5, 2.5, 4.5, 11, 12])
    with uproot.recreate(tmp_path / "h.root") as file:
        file["h"] = histogram
    last = call("plot", "--text", tmp_path / "h.root").stdout.splitlines()[-1]
    assert "underflow 1, overflow 2" in last
    mean = np.mean([2.5, 2.5, 4.5])
    assert f"mean {mean:.4g}" in last
    assert f"RMS {np.std([2.5, 2.5, 4.5]):.4g}" in last


def test_categories_have_a_line_each(job, call, events_file, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{events_file[0]}:Events"]}},
        "histograms": {"channel": {"x": {"value": "channel", "categories": ["ee", "mm", "tau"]}}},
        "output": {"histograms": "h.root"},
    }
    assert job(config).returncode == DONE
    lines = call("plot", "--text", tmp_path / "h.root").stdout.splitlines()
    counts = {name: int(np.sum(np.asarray(events_file[1].channel) == name)) for name in ("ee", "mm", "tau")}
    for line in lines[1:4]:
        name, bar = line.split("|")
        assert f"{counts[name.strip()]:.4g}" == bar.split()[-1]
    assert "overflow" in lines[-1]


def test_maps_are_dark_where_much_is(call, tmp_path):
    contents = np.array([[0.0, 0, 0], [0, 8, 0], [0, 0, 4]])
    with uproot.recreate(tmp_path / "h.root") as file:
        file["h"] = (contents, np.arange(4.0), np.arange(4.0))
    lines = call("plot", "--text", tmp_path / "h.root").stdout.splitlines()
    rows = [line[12:].ljust(3) for line in lines if line[11:12] == "|"]
    assert rows == ["  ▒", " █ ", "   "]


@pytest.mark.parametrize("number", [3, 40])
def test_maps_have_the_names_of_categories(job, call, tmp_path, number):
    """Not the numbers of their bins, of whose places several share a row if there are many."""
    with uproot.recreate(tmp_path / "in.root") as file:
        file["Events"] = {
            "charge": np.array([-1, 1, 1], dtype=np.int32),
            "kind": np.array([11, 13, 11], dtype=np.int32),
        }
    kinds = [11, 13, *range(100, 100 + number - 2)]
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["in.root"]}},
        "histograms": {
            "map": {
                "x": {"value": "charge", "categories": [-1, 1], "label": "charge"},
                "y": {"value": "kind", "categories": kinds},
            }
        },
        "output": {"histograms": "h.root"},
    }
    assert job(config).returncode == DONE
    lines = call("plot", "--text", tmp_path / "h.root").stdout.splitlines()
    together = -(-number // 18)
    labels = [line.split("|")[0].strip() for line in lines if line[11:12] == "|"]
    assert labels == [str(kind) for kind in kinds[::together]][::-1]
    assert "  to the right: -1, 1" in lines
    assert (f"  upwards: ({together} in a row)" in lines) == (together > 1)


def test_uhi_json_is_drawn_as_root_files_are(job, call, events_file, tmp_path):
    drawn = set()
    for file in ("h.root", "h.json"):
        config = {
            "schema_version": 1,
            "samples": {"data": {"files": [f"{events_file[0]}:Events"]}},
            "histograms": {
                "x": {"x": {"value": "x", "bins": 40, "range": [-2, 2], "label": "x", "unit": "cm"}}
            },
            "output": {"histograms": file},
        }
        assert job(config).returncode == DONE
        text = call("plot", "--text", tmp_path / file).stdout
        # Mean and RMS are those of the bins in JSON.
        drawn.add(text.rsplit("\n  ", 1)[0])
    assert len(drawn) == 1
    assert "x [cm]" in drawn.pop()


def test_names_of_others_do_not_reach_the_terminal(call, tmp_path):
    with uproot.recreate(tmp_path / "h.root") as file:
        file["a\x1b[31m\nb"] = np.histogram([1.0], bins=2, range=(0, 2))
    text = call("plot", "--text", tmp_path / "h.root").stdout
    assert "\x1b" not in text
    assert "a␛[31m␊b: events" in text


def test_mistakes(call, draw, tmp_path):
    draw((np.ones(2), np.arange(3.0)))
    for arguments, code, text in [
        (["--text", tmp_path / "h.root", "--include", "x*"], WRONG_USAGE, 'no histogram matches "x*"'),
        ([tmp_path / "h.root", "--include", "x*"], WRONG_USAGE, 'no histogram matches "x*"'),
        (
            ["--text", tmp_path / "h.root", "--include", "*", "--include", "x*"],
            WRONG_USAGE,
            'no histogram matches "x*"',
        ),
        (["--text", tmp_path / "none.root"], FAILED, "none.root"),
        ([tmp_path / "h.root", "--ascii"], WRONG_USAGE, "--text"),
        ([tmp_path / "h.root", "--style", "cms"], WRONG_USAGE, "--style"),
        *(
            (["--text", tmp_path / "h.root", *options], WRONG_USAGE, f"{options[0]} excludes --text")
            for options in (
                ["--format", "svg"],
                ["--output", "pictures"],
                ["--style", "CMS"],
                ["--config", "c.json"],
                ["--no-ratio"],
                ["--cutflow"],
            )
        ),
    ]:
        done = call("plot", *arguments)
        assert done.returncode == code
        assert text in done.stderr


DAMAGE = {
    "no JSON": ("{", "is no JSON"),
    "two of one name": ('{"h": {}, "h": {}}', 'an object has the key "h" twice'),
    "no histogram": ("[]", "is no object with histograms"),
    "another version": ('{"uhi_schema": 2}', "version 1"),
    "no axes": ('{"uhi_schema": 1, "axes": [], "storage": {}}', "no axes"),
    "no storage": (
        '{"uhi_schema": 1, "axes": [{"type": "category_str", "categories": ["a"], "flow": false}]}',
        'no "storage"',
    ),
    "other cells": (
        '{"uhi_schema": 1, "axes": [{"type": "category_str", "categories": ["a"], "flow": false}],'
        ' "storage": {"type": "int", "values": [1, 2]}}',
        "other numbers of cells",
    ),
    "many bins": (
        '{"uhi_schema": 1, "axes": [{"type": "regular", "lower": 0, "upper": 1, "bins": 90000000,'
        ' "underflow": false, "overflow": false}], "storage": {"type": "int", "values": [1]}}',
        "other numbers of cells",
    ),
    "a text": ('{"uhi_schema": 1, "axes": [{"type": 3}]}', "another type"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_json_is_an_error(call, tmp_path, damage):
    text, problem = DAMAGE[damage]
    (tmp_path / "h.json").write_text(text)
    done = call("plot", "--text", tmp_path / "h.json")
    assert done.returncode == FAILED
    assert f"{tmp_path}/h.json: " in done.stderr
    assert problem in done.stderr


def test_changed_json_is_read_or_refused(call, tmp_path):
    """Bytes that are changed at random never end the program otherwise."""
    axis = {
        "type": "regular",
        "lower": 0,
        "upper": 4,
        "bins": 4,
        "underflow": True,
        "overflow": True,
        "circular": False,
    }
    storage = {"type": "weighted", "values": [0, 1, 2.5, 3, 4, 5], "variances": [0, 1, 2, 3, 4, 5]}
    text = json.dumps(
        {"h": {"uhi_schema": 1, "metadata": {"entries": 3}, "axes": [axis], "storage": storage}}
    )
    random = np.random.default_rng(5)
    for _ in range(60):
        changed = list(text)
        for place in random.integers(0, len(text), 2):
            changed[place] = chr(random.integers(32, 127))
        (tmp_path / "h.json").write_text("".join(changed))
        done = call("plot", "--text", tmp_path / "h.json")
        assert done.returncode in (DONE, FAILED), (done.returncode, "".join(changed), done.stderr)


def test_histograms_are_chosen_by_their_names_in_the_config(job, generate, call, tmp_path):
    generate("dimuon", tmp_path / "in.root", 1000)
    axis = {"x": {"value": "nMuon", "bins": 5, "range": [0, 5]}}
    sample = {"files": ["in.root"]}
    config = {
        "schema_version": 1,
        "samples": {"a": sample, "b": sample},
        "histograms": {"mass": axis, "other": axis},
        "output": {"histograms": "h.root"},
    }
    assert job(config).returncode == DONE
    with uproot.open(tmp_path / "h.root") as file:
        names = file.keys(cycle=False)
    done = call("plot", "--text", "--include", "mass", tmp_path / "h.root")
    assert done.returncode == DONE, done.stderr
    drawn = [line.split(":")[0] for line in done.stdout.splitlines() if line.endswith(": Events")]
    assert len(drawn) == 2 and drawn == [name for name in names if "mass" in name]


def test_histograms_that_cannot_be_read_are_named(call, tmp_path):
    root = pytest.importorskip("ROOT")
    histograms = root.TH1D("automatic", "", 10, 0, 0), root.TH1D("plain", "", 10, 0, 10)
    with root.TFile.Open(str(tmp_path / "h.root"), "recreate") as file:
        for histogram in histograms:
            histogram.SetDirectory(root.nullptr)
            histogram.Fill(1)
            file.WriteObject(histogram, histogram.GetName())
    done = call("plot", "--text", tmp_path / "h.root")
    assert (done.returncode, done.stderr) == (INCOMPLETE, "")
    first, blank, second, *_ = done.stdout.splitlines()
    assert first.startswith("not drawn: ") and '"automatic"' in first and "in a buffer" in first
    assert (blank, second) == ("", "plain: events")
    assert call("plot", "--text", "--include", "plain", tmp_path / "h.root").returncode == DONE
