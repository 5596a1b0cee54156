# SPDX-License-Identifier: BSD-3-Clause
"""Yields with their errors and cutflows side by side, as runs print them and files have them, against numpy."""

import csv
import io
import json
import math

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE

MINUS = "\N{MINUS SIGN}"
LUMINOSITY, CROSS_SECTIONS = 20, {"mc": 30.5, "other": 0.7}
CUTS = {"a muon": "nMuon > 0", "quiet": "MET_pt < 40"}
FACTORS = {"sf_up": 1.25, "sf_down": 0.9, "flat_up": 1.5}


@pytest.fixture
def config(sample):
    """Data, two simulated samples with weights and variations, and regions with histograms of all kinds."""

    def histogram(value, **more):
        return {"x": {"value": value, "bins": 3, "range": [0, 20]}, "weight": "weight_", **more}

    simulated = {"files": [str(sample)], "sum_weights": "genWeight"}
    made = {
        "schema_version": 1,
        "luminosity_pb": LUMINOSITY,
        "samples": {
            "data": {"files": [str(sample)], "is_data": True},
            **{name: simulated | {"cross_section_pb": value} for name, value in CROSS_SECTIONS.items()},
        },
        "weights": {"norm": "normalisation_", "generator": "genWeight", "sf": "1.0", "flat": "1.0"},
        "variations": {
            "sf": {"weights": {"sf": {"up": "1.25", "down": "0.9"}}},
            "flat": {"weights": {"flat": {"up": "1.5"}}, "samples": ["mc"]},
        },
        "select": [{"name": name, "where": where} for name, where in CUTS.items()],
        "regions": {"jets": {"where": "nJet > 1"}, "lists": {"where": "nJet > 2"}},
        "histograms": {
            "pt": histogram("Muon_pt", regions=["jets", "lists"]),
            "cut": histogram("MET_pt", where="MET_pt > 10", regions=["jets"]),
            "raw": histogram("MET_pt", regions=["jets"]) | {"weight": "1.0"},
            "cropped": histogram("MET_pt", regions=["jets"]),
            "listed": histogram("MET_pt", regions=["jets"], weight_variations={"muons": "Muon_pt"}),
            "met": histogram("MET_pt", regions=["jets"]),
            "all": histogram("MET_pt"),
        },
        "output": {"histograms": "h.root"},
    }
    made["histograms"]["cropped"]["x"]["overflow"] = False
    return made


@pytest.fixture
def done(job, config):
    """The run of the config."""
    result = job(config)
    assert result.returncode == DONE, result.stderr
    return result


def masks_of(columns):
    muons = awkward.to_numpy(columns.nMuon > 0)
    quiet = muons & awkward.to_numpy(columns.MET_pt < 40)
    everything = numpy.ones(len(columns), bool)
    return {
        "all events": everything,
        "a muon": muons,
        "quiet": quiet,
        "selected": quiet,
        "region jets": quiet & awkward.to_numpy(columns.nJet > 1),
    }


def expected_of(columns, sample, row):
    """Value, statistical error, systematic errors up and down; None where there are none."""
    mask = masks_of(columns)[row]
    weights = awkward.to_numpy(columns.genWeight).astype(float)
    if sample == "data":
        return (mask.sum(), math.sqrt(mask.sum()), None, None)
    if sample == "all simulated":
        parts = [expected_of(columns, each, row) for each in CROSS_SECTIONS]
        value, error = sum(part[0] for part in parts), math.hypot(*(part[1] for part in parts))
        if parts[0][2] is None:
            return value, error, None, None
        up = math.hypot(0.25 * value, 0.5 * parts[0][0])
        return value, error, up, 0.1 * value
    scaled = weights * (LUMINOSITY * CROSS_SECTIONS[sample] / math.fsum(weights))
    value, error = math.fsum(scaled[mask]), math.sqrt(math.fsum(scaled[mask] ** 2))
    if row in ("all events", *CUTS):
        return value, error, None, None
    up = math.hypot(0.25 * value, 0.5 * value) if sample == "mc" else 0.25 * value
    return value, error, up, 0.1 * value


def grouped(value, decimals):
    return f"{value:,.{decimals}f}".replace(",", " ")


def rows_of(call, path, *arguments):
    shown = call("show", *arguments, "--format", "csv", path)
    assert shown.returncode == DONE, shown.stderr
    return list(csv.DictReader(io.StringIO(shown.stdout)))


def test_all_numbers_as_csv(done, call, columns, tmp_path):
    rows = rows_of(call, tmp_path / "h.root", "--yields")
    found = {(row["sample"], row["row"]) for row in rows}
    names = ["data", "mc", "other", "all simulated"]
    known = {(sample, row) for sample in names for row in masks_of(columns)}
    # Data have no region that counts with all weights but those of their own histograms.
    assert found == known
    for row in rows:
        expected = expected_of(columns, row["sample"], row["row"])
        keys = ("value", "statistical_error", "systematic_up", "systematic_down")
        numbers = [float(row[key]) if row[key] else None for key in keys]
        for number, right in zip(numbers, expected, strict=True):
            assert number is None if right is None else number == pytest.approx(right, rel=1e-12), row


def test_csv_of_two_files_is_wrong_usage(done, call, tmp_path):
    shown = call("show", "--format", "csv", tmp_path / "h.root", tmp_path / "h.root")
    assert (shown.returncode, shown.stdout) == (WRONG_USAGE, "")
    assert "--format csv is for one file" in shown.stderr


def test_a_run_prints_what_the_file_shows(done, call, columns, tmp_path):
    shown = call("show", "--yields", tmp_path / "h.root").stdout
    assert shown in done.stdout
    value, error, up, down = expected_of(columns, "mc", "region jets")
    line = next(line for line in shown.splitlines() if line.startswith("  region jets"))
    numbers = [grouped(number, 2) for number in (value, error, up, down)]
    assert " +- ".join(numbers[:2]) in " ".join(line.split()).replace("+- ", "+- ")
    assert f"+{numbers[2]}" in line and f"-{numbers[3]}" in line
    assert '"met" in jets' in shown
    assert "lists" not in shown.split("yields")[1].split("steps:")[0]


def test_the_report_has_them_with_all_variations(done, columns, tmp_path):
    yields = json.loads((tmp_path / "a.report.json").read_text())["yields"]
    for sample, factors in (("mc", FACTORS), ("other", {"sf_up": 1.25, "sf_down": 0.9})):
        region = yields[sample]["regions"]["jets"]
        assert region["value"] == pytest.approx(expected_of(columns, sample, "region jets")[0], rel=1e-12)
        assert {name: each["value"] / region["value"] for name, each in region["variations"].items()} == (
            pytest.approx(factors, rel=1e-12)
        )


def test_json(done, call, tmp_path):
    shown = json.loads(call("show", "--yields", "--json", tmp_path / "h.root").stdout)
    report = json.loads((tmp_path / "a.report.json").read_text())
    assert shown["files"][0]["yields"] == report["yields"]


def test_parts_add_up_to_the_whole(done, job, call, config, tmp_path):
    whole = call("show", "--yields", tmp_path / "h.root").stdout
    for number in (1, 2):
        assert job(config, "--shard", f"{number}/2").returncode == DONE
    parts = [tmp_path / f"h.shard{number}of2.root" for number in (2, 1)]
    assert call("merge", tmp_path / "merged.root", *parts).returncode == DONE
    assert call("show", "--yields", tmp_path / "merged.root").stdout == whole
    assert (tmp_path / "merged.root").read_bytes() == (tmp_path / "h.root").read_bytes()


def test_each_sample_is_counted_by_its_own_histogram(job, call, sample, tmp_path):
    """Of a merged file, where another sample's histogram of that name has all events, and this one's has not."""

    def config(name, histograms):
        return {
            "schema_version": 1,
            "samples": {name: {"files": [str(sample)]}},
            "weights": {"sf": "1.0"},
            "variations": {"sf": {"weights": {"sf": {"up": "1.25"}}}},
            "histograms": histograms,
            "output": {"histograms": {"file": f"{name}.root", "name": "{sample}/{histogram}_{variation}"}},
        }

    whole = {"x": {"value": "MET_pt", "bins": 3, "range": [0, 20]}}
    cropped = {"x": {**whole["x"], "overflow": False}}
    for name, histograms in (("one", {"own": whole, "other": cropped}), ("two", {"other": whole})):
        result = job(config(name, histograms))
        assert result.returncode == DONE, result.stderr
    merged = tmp_path / "merged.root"
    assert call("merge", merged, tmp_path / "one.root", tmp_path / "two.root").returncode == DONE
    shown = json.loads(call("show", "--yields", "--json", merged).stdout)["files"][0]["yields"]
    for name, counting in (("one", "own"), ("two", "other")):
        region = shown[name]["regions"][""]
        assert shown[name]["counted_by"] == {"": counting}
        assert {key: each["value"] for key, each in region["variations"].items()} == {
            "sf_up": 1.25 * region["value"]
        }
        assert (region["systematic_up"], region["systematic_down"]) == (0.25 * region["value"], 0)


def yields_in(call, path):
    return json.loads(call("show", "--yields", "--json", path).stdout)["files"][0]["yields"]


def test_samples_that_are_variations_have_no_yield_of_a_nominal_one_that_was_not_run(
    job, call, sample, tmp_path
):
    simulated = {"files": [str(sample)], "cross_section_pb": 3, "sum_weights": "genWeight"}
    made = {name: {"process": "top", "variation": name} for name in ("nominal", "up")}
    config = {
        "schema_version": 1,
        "luminosity_pb": LUMINOSITY,
        "samples": {name: simulated | {"metadata": metadata} for name, metadata in made.items()}
        | {"w": simulated},
        "weights": {"norm": "normalisation_"},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 3, "range": [0, 20]}, "weight": "weight_"}},
        "output": {"histograms": "h.root"},
    }
    assert job(config).returncode == DONE
    whole = yields_in(call, tmp_path / "h.root")
    assert set(whole) == {"nominal", "w", "all simulated"}
    assert set(whole["nominal"]["regions"][""]["variations"]) == {"up"}
    assert job(config, "--samples", "up", "--samples", "w").returncode == DONE
    assert yields_in(call, tmp_path / "h.root") == {"w": whole["w"]}


def test_all_simulated_has_what_all_simulated_samples_have(job, call, sample, tmp_path):
    """Of a merged file, whose samples have other steps and regions."""
    names = {"one": ["a", "b"], "two": ["a"]}
    for name, points in names.items():
        simulated = {"files": [str(sample)], "cross_section_pb": 3, "sum_weights": "genWeight"}
        config = {
            "schema_version": 1,
            "luminosity_pb": LUMINOSITY,
            "samples": {name: simulated},
            "weights": {"norm": "normalisation_"},
            "select": [{"name": point, "where": "nMuon > 0"} for point in points],
            "regions": {f"in_{point}": {"where": "nJet > 1"} for point in points},
            "histograms": {
                "met": {
                    "x": {"value": "MET_pt", "bins": 3, "range": [0, 20]},
                    "weight": "weight_",
                    "regions": [f"in_{point}" for point in points],
                }
            },
            "output": {"histograms": {"file": f"{name}.root", "name": "{sample}/{region}/{histogram}"}},
        }
        assert job(config).returncode == DONE
    merged = tmp_path / "merged.root"
    assert call("merge", merged, *(tmp_path / f"{name}.root" for name in names)).returncode == DONE
    yields = yields_in(call, merged)
    one, two, total = (yields[name] for name in (*names, "all simulated"))
    for rows, common in (("steps", {"all events", "a"}), ("regions", {"in_a"})):
        assert set(one[rows]) - common == {"b" if rows == "steps" else "in_b"}
        assert {row: each["value"] for row, each in total[rows].items()} == {
            row: one[rows][row]["value"] + two[rows][row]["value"] for row in common
        }


@pytest.mark.parametrize("unweighted", [{"weight": "1"}, {"weight": "generator"}, {"type": "int"}], ids=str)
def test_what_counts_without_the_weights_is_no_yield(unweighted, job, call, sample, tmp_path):
    """It would stand beside the numbers of other regions that have all weights. Data have none."""
    axis = {"x": {"value": "MET_pt", "bins": 3, "range": [0, 20]}}
    simulated = {"files": [str(sample)], "cross_section_pb": 3, "sum_weights": "genWeight"}
    config = {
        "schema_version": 1,
        "luminosity_pb": LUMINOSITY,
        "samples": {"mc": simulated, "data": {"files": [str(sample)], "is_data": True}},
        "weights": {"norm": "normalisation_", "generator": "genWeight"},
        "regions": {"jets": {"where": "nJet > 1"}, "muons": {"where": "nMuon > 0"}},
        "histograms": {
            "all": axis,
            "met": {**axis, **unweighted, "regions": ["jets", "muons"]},
            "halved": {**axis, "weight": "0.5 * weight_", "regions": ["muons"]},
        },
        "output": {"histograms": "h.root"},
    }
    result = job(config)
    assert result.returncode == DONE, result.stderr
    shown = json.loads(call("show", "--yields", "--json", tmp_path / "h.root").stdout)["files"][0]["yields"]
    assert shown["mc"]["counted_by"] == {"": "all", "muons": "halved"}
    assert shown["data"]["counted_by"]["jets"] == "met"


@pytest.mark.parametrize("has_common", [False, True])
def test_a_sum_is_counted_by_what_counts_all_of_its_samples(has_common, job, call, sample, tmp_path):
    """Of a merged file, where a histogram that counts one sample of the sum loses events of the other one."""
    whole = {"x": {"value": "MET_pt", "bins": 3, "range": [0, 20]}}
    some = {**whole, "where": "MET_pt > 10"}
    runs = {"one": {"same": whole} if has_common else {"own": whole, "same": some}, "two": {"same": whole}}
    for name, histograms in runs.items():
        config = {
            "schema_version": 1,
            "samples": {name: {"files": [str(sample)]}},
            "sums": {"total": {name: 1}},
            "histograms": histograms,
            "output": {"histograms": {"file": f"{name}.root", "name": "{sample}/{histogram}"}},
        }
        result = job(config)
        assert result.returncode == DONE, result.stderr
    merged = tmp_path / "merged.root"
    result = call("merge", merged, *(tmp_path / f"{name}.root" for name in runs))
    assert result.returncode == DONE, result.stderr
    shown = json.loads(call("show", "--yields", "--json", merged).stdout)["files"][0]["yields"]
    assert shown["total"]["counted_by"] == ({"": "same"} if has_common else {})
    if has_common:
        values = {name: shown[name]["regions"][""]["value"] for name in ("one", "two", "total")}
        assert values["total"] == values["one"] + values["two"]


@pytest.mark.parametrize("has_common", [False, True])
def test_a_sample_is_counted_by_what_counts_all_of_its_parts(has_common, job, call, sample, tmp_path):
    """Of a merged file, where other files of the sample have filled other histograms."""
    whole = {"x": {"value": "MET_pt", "bins": 3, "range": [0, 20]}}
    counting = {"one": "same" if has_common else "own", "two": "same"}
    for name, histogram in counting.items():
        copy = {"file": str(tmp_path / f"{name}_copy.root")}
        samples = {"mc": {"files": [str(sample)]}}
        half = [{"name": "half", "where": "nMuon > 0" if name == "one" else "nMuon == 0"}]
        skim = {"schema_version": 1, "samples": samples, "select": half, "skims": {"s": copy}}
        assert job(skim).returncode == DONE
        config = {
            "schema_version": 1,
            "samples": {"mc": {"files": [copy["file"]]}},
            "regions": {"muons": {"where": "nMuon > 0"}},
            "histograms": {histogram: whole, f"{name}_muons": {**whole, "regions": ["muons"]}},
            "output": {"histograms": f"{name}.root"},
        }
        result = job(config)
        assert result.returncode == DONE, result.stderr
    merged = tmp_path / "merged.root"
    result = call("merge", merged, tmp_path / "one.root", tmp_path / "two.root")
    assert result.returncode == DONE, result.stderr
    shown = json.loads(call("show", "--yields", "--json", merged).stdout)["files"][0]["yields"]["mc"]
    assert shown["counted_by"] == ({"": "same"} if has_common else {})
    if has_common:
        assert shown["regions"][""]["value"] == shown["steps"]["half"]["value"]


def test_markdown(done, call, columns, tmp_path):
    lines = call("show", "--yields", "--format", "markdown", tmp_path / "h.root").stdout.splitlines()
    assert lines[2] == "| step or region | data | mc | other | all simulated |"
    value, error, up, down = (grouped(number, 2) for number in expected_of(columns, "mc", "selected"))
    (line,) = (line for line in lines if line.startswith("| selected"))
    assert f"| {value} ± {error} +{up} {MINUS}{down} |" in line


def test_latex(done, call, columns, tmp_path):
    text = call("show", "--yields", "--format", "latex", tmp_path / "h.root").stdout
    numbers = [grouped(number, 2).replace(" ", r"\,") for number in expected_of(columns, "mc", "selected")]
    assert r"${} \pm {}\,^{{+{}}}_{{-{}}}$".format(*numbers) in text
    assert text.count(r"\begin{tabular}{lrrrr}") == text.count(r"\end{tabular}") == 1


def test_cutflows_beside_each_other(done, call, columns, tmp_path):
    table = done.stdout[: done.stdout.index("\n\n")]
    assert table in call("show", tmp_path / "h.root").stdout
    assert table.splitlines()[1].split() == ["step", "data", "mc", "other"]
    rows = rows_of(call, tmp_path / "h.root")
    for row in rows:
        mask = masks_of(columns)[row["row"]]
        weights = awkward.to_numpy(columns.genWeight).astype(float)
        if row["table"] == "cutflow: events" or row["sample"] == "data":
            weights = numpy.ones(len(columns))
        assert float(row["value"]) == pytest.approx(math.fsum(weights[mask]), rel=1e-12)
        assert float(row["share"]) == pytest.approx(math.fsum(weights[mask]) / math.fsum(weights), rel=1e-12)
    assert {row["table"] for row in rows} == {"cutflow: events", "cutflow: sums of weights"}


def test_many_samples_follow_in_blocks(job, call, sample, tmp_path):
    names = [f"sample_{number}_with_a_name_that_is_longer_than_a_column" for number in range(9)]
    config = {
        "schema_version": 1,
        "samples": {name: {"files": [str(sample)]} for name in names},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 3, "range": [0, 20]}}},
        "output": {"histograms": {"file": "h.root", "name": "{sample}_{histogram}"}},
    }
    text = job(config).stdout
    assert text == "" or max(map(len, text.split("summary")[0].splitlines())) <= 100
    cutflow = call("show", tmp_path / "h.root").stdout.split("cutflow: events")[1]
    assert cutflow.count("  step") > 1
    assert cutflow.count("100 000 100.00 %") == 9
    # Each name is there, letter by letter, in lines below each other.
    assert cutflow.replace("\n", "").count("sample_") == 9


def test_decimal_points_are_below_each_other(done):
    block = done.stdout.split("\nyields\n")[1].split("\n\n")[0].splitlines()
    points = [[at for at, letter in enumerate(line) if letter == "."] for line in block[1:4]]
    assert points[0] == points[1] == points[2]


def test_what_is_small_is_not_shown_as_nothing(job, call, tmp_path):
    """A tenth of an event beside many has its digits, and so has a small error of a large number."""
    with uproot.recreate(tmp_path / "e.root") as file:
        file.mktree("Events", {"x": "f8"})
        file["Events"].extend({"x": numpy.arange(100000.0)})
    done = job({
        "schema_version": 1,
        "samples": {"s": {"files": ["e.root"], "cross_section_pb": 0.9, "sum_weights": "1"}},
        "luminosity_pb": 1,
        "weights": {"norm": "normalisation_"},
        "variations": {"up": {"weights": {"norm": "norm * 1.5"}}},
        "select": [{"name": "few", "where": "x < 40"}],
        "histograms": {"h": {"x": {"value": "x", "bins": 1, "range": [0, 100]}}},
        "output": {"histograms": "h.root", "report": ["r.json", "r.html"]},
    })  # fmt: skip
    assert done.returncode == DONE, done.stderr
    value, error = 0.9e-5 * 40, 0.9e-5 * math.sqrt(40)
    whole = f"{0.9:.4f} +- {0.9e-5 * math.sqrt(100000):.4f}"
    shown = " ".join(done.stdout.split())
    assert whole in shown
    few = f"{value:.6f} +- {error:.6f}"
    assert shown.count(few) == 2 and f"{few} +{value / 2:.6f}" in shown
    tables = [
        call("show", "--yields", f"--format={form}", tmp_path / "h.root").stdout
        for form in ("markdown", "latex")
    ]
    assert f"{value:.6f} ± {error:.6f} +{value / 2:.6f} {MINUS}0.000000" in tables[0]
    assert f"{value:.6f} \\pm {error:.6f}" in tables[1]
    assert f"{value:.6f} ± {error:.6f}" in (tmp_path / "r.html").read_text()


def test_a_file_without_record(call, sample):
    done = call("show", "--yields", sample)
    assert done.returncode == FAILED
    assert "has no record" in done.stderr
