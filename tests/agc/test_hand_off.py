# SPDX-License-Identifier: BSD-3-Clause
"""Programs that fit read the histograms of the AGC: cabinetry and pyhf do, Combine and TRExFitter find what they ask for."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import agc_awkward
import agc_definition as agc
import hist
import numpy as np
import pytest
import uproot
from agc_definition import Contents, Histograms

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIGS = REPOSITORY / "configs" / "agc"
PAGE = (REPOSITORY / "docs" / "hand-off.md").read_text()

PROCESSES = tuple(agc.CROSS_SECTIONS_PB)

# pyhf asks jsonschema for what it will drop.
pytestmark = pytest.mark.filterwarnings("ignore:jsonschema.RefResolver:DeprecationWarning")


def section(title: str) -> str:
    """What the page says of a program."""
    return re.search(rf"^## {title}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)[1]


def blocks(title: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", section(title), re.MULTILINE | re.DOTALL)


def naming(title: str) -> dict[str, str]:
    """The templates of names that the page gives for a program."""
    (output,) = blocks(title, "jsonc")
    return json.loads(f"{{{output}}}")["output"]["histograms"]["name"]


def name_parts(name: str) -> dict[str, str]:
    """What the placeholders of templates stand for, from the AGC's name of a histogram."""
    region, rest = name.split("_", 1)
    process = next((known for known in PROCESSES if rest == known or rest.startswith(known + "_")), rest)
    variation = rest.removeprefix(process).removeprefix("_")
    systematic, _, direction = variation.rpartition("_")
    if direction not in ("up", "down"):
        systematic, direction = variation, ""
    return {
        "region": region,
        "process": process,
        "variation": variation,
        "systematic": systematic,
        "Direction": direction.capitalize(),
    }


def in_template(name: str, templates: dict[str, str]) -> str:
    parts = name_parts(name)
    return templates["varied" if parts["variation"] else "nominal"].format(**parts)


def write_histograms(path: Path, histograms: Histograms, templates: dict[str, str]) -> None:
    with uproot.recreate(path) as file:
        for name, contents in histograms.items():
            axis = hist.axis.Regular(agc.BINS, agc.LOW, agc.HIGH)
            filled = hist.Hist(axis, storage=hist.storage.Weight())
            filled.view(flow=True).value = contents.sums
            filled.view(flow=True).variance = contents.variances
            file[in_template(name, templates)] = filled


def run_config(skimline: Path, folder: Path, inputs: Path, templates: dict[str, str]) -> None:
    changes = {
        "samples_from": {"file": str(inputs), "tree": "Events"},
        "output.histograms": {"file": str(folder / "histograms.root"), "name": templates},
        "output.report": False,
    }
    options = [text for path, value in changes.items() for text in ("--set", f"{path}={json.dumps(value)}")]
    command = [skimline, "run", CONFIGS / "ttbar_v1.json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def execute(code: str, folder: Path) -> None:
    """Runs lines of the page where a user would."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


def merged(contents: Contents) -> Contents:
    """The 11 bins from 110 to 550 GeV: the first of the fit is the fourth that is filled, behind the underflow."""
    return Contents(*(values[4:-1].reshape(11, 2).sum(axis=1) for values in contents))


@pytest.fixture(scope="module")
def reference(filled_by, all_inputs) -> Histograms:
    return filled_by(agc_awkward, all_inputs["tree"], "v1")


@pytest.fixture(scope="module")
def expected(reference) -> Histograms:
    """What goes into the fit."""
    return {name: merged(contents) for name, contents in reference.items()}


@pytest.fixture(scope="module", params=["reference", "config"])
def make_folder(request, reference, all_inputs, tmp_path_factory):
    """Makes a folder with histograms.root, named for a program: what the reference fills, and what the config does."""

    def make(title: str) -> Path:
        folder = tmp_path_factory.mktemp("fit")
        if request.param == "reference":
            write_histograms(folder / "histograms.root", reference, naming(title))
        else:
            skimline = request.getfixturevalue("skimline")
            run_config(skimline, folder, all_inputs["tree"], naming(title))
        return folder

    return make


# cabinetry and pyhf


@pytest.fixture(scope="module")
def cabinetry_folder(make_folder) -> Path:
    """A folder in which all lines of the page were run."""
    folder = make_folder("cabinetry and pyhf")
    shutil.copy(CONFIGS / "cabinetry.yml", folder)
    for code in blocks("cabinetry and pyhf", "python"):
        execute(code, folder)
    return folder


@pytest.fixture(scope="module")
def workspace(cabinetry_folder) -> dict:
    return json.loads((cabinetry_folder / "workspace.json").read_text())


def modifiers(sample: dict) -> dict[tuple[str, str], object]:
    return {(item["type"], item["name"]): item["data"] for item in sample["modifiers"]}


def systematics_of(process: str) -> list[dict]:
    import cabinetry

    config = cabinetry.configuration.load(CONFIGS / "cabinetry.yml")
    return [item for item in config["Systematics"] if item.get("Samples", process) == process]


@pytest.mark.thorough(quick=1)
def test_workspace_has_the_bins_of_the_reference(workspace, expected):
    observed = {item["name"]: item["data"] for item in workspace["observations"]}
    assert set(observed) == set(agc.REGIONS)
    for channel in workspace["channels"]:
        region = channel["name"]
        np.testing.assert_allclose(observed[region], expected[f"{region}_pseudodata"].sums, rtol=1e-12)
        assert [sample["name"] for sample in channel["samples"]] == [
            "ttbar",
            *(process for process in PROCESSES if process != "ttbar"),
        ]
        for sample in channel["samples"]:
            contents = expected[f"{region}_{sample['name']}"]
            np.testing.assert_allclose(sample["data"], contents.sums, rtol=1e-12)
            errors = modifiers(sample)["staterror", f"staterror_{region}"]
            np.testing.assert_allclose(errors, np.sqrt(contents.variances), rtol=1e-12)


def test_workspace_has_the_variations_of_the_reference(workspace, expected):
    for channel in workspace["channels"]:
        for sample in channel["samples"]:
            process = f"{channel['name']}_{sample['name']}"
            nominal, found = expected[process].sums, modifiers(sample)
            for systematic in systematics_of(sample["name"]):
                norm = found["normsys", systematic["Name"]]
                if systematic["Type"] == "Normalization":
                    assert norm == {"hi": 1.03, "lo": 0.97}
                    continue
                shape = found["histosys", systematic["Name"]]
                # cabinetry splits a template into its size and a shape of the nominal size.
                for side, key in (("Up", "hi"), ("Down", "lo")):
                    if systematic[side].get("Symmetrize"):
                        total = 2 * nominal - norm["hi"] * np.array(shape["hi_data"])
                        assert norm["lo"] == pytest.approx(2 - norm["hi"], rel=1e-12)
                        assert norm["lo"] == pytest.approx(total.sum() / nominal.sum(), rel=1e-12)
                        continue
                    varied = expected[process + systematic[side]["VariationPath"]].sums
                    assert norm[key] == pytest.approx(varied.sum() / nominal.sum(), rel=1e-12)
                    np.testing.assert_allclose(norm[key] * np.array(shape[f"{key}_data"]), varied, rtol=1e-10)


def test_every_histogram_is_used_by_the_fit(reference):
    """As nominal, data or variation: a systematic that the config leaves out shows here."""
    used = {f"{region}_{process}" for region in agc.REGIONS for process in (*PROCESSES, "pseudodata")}
    for region in agc.REGIONS:
        for process in PROCESSES:
            paths = [
                side["VariationPath"]
                for systematic in systematics_of(process)
                for side in (systematic["Up"], systematic["Down"])
                if "VariationPath" in side
            ]
            used |= {f"{region}_{process}{path}" for path in paths}
    assert used == set(reference)


def test_fit_finds_the_size_of_ttbar_that_was_put_in(workspace):
    import cabinetry
    import pyhf

    model = pyhf.Workspace(workspace).model()
    assert model.config.par_names[model.config.poi_index] == "ttbar_norm"
    parameters = np.array(model.config.suggested_init())
    parameters[model.config.poi_index] = 1.3
    data = model.expected_data(parameters)
    others = [i != model.config.poi_index for i in range(len(parameters))]
    found = pyhf.infer.mle.fit(data, model, fixed_params=others)
    assert found[model.config.poi_index] == pytest.approx(1.3, abs=1e-4)
    # The few events leave so much to the other parameters that only the likelihood of the whole fit is sharp.
    whole = cabinetry.fit.fit(model, data.tolist())
    assert 0 <= whole.best_twice_nll + 2 * model.logpdf(parameters, data)[0] < 0.1


def test_fit_of_pseudodata_is_better_than_no_fit(workspace):
    import cabinetry

    model, data = cabinetry.model_utils.model_and_data(workspace)
    found = cabinetry.fit.fit(model, data)
    before = -2 * model.logpdf(model.config.suggested_init(), data)[0]
    assert found.best_twice_nll < before
    size = found.bestfit[model.config.poi_index]
    assert 0.3 < size < 3
    assert 0 < found.uncertainty[model.config.poi_index] < 1


# Combine


@dataclass
class Datacard:
    """What Combine takes from a datacard with shapes."""

    channels: list[str]
    shapes: dict[tuple[str, str], list[str]]
    columns: list[tuple[str, str, int]]
    systematics: dict[str, tuple[str, list[str]]]


def read_datacard(path: Path) -> Datacard:
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith(("#", "--"))]
    counts = {words[0]: words[1] for words in lines if words[0] in ("imax", "jmax", "kmax")}
    rows = [words for words in lines if words[0] in ("bin", "process", "observation", "rate")]
    (_, *channels), (_, *observations), (_, *bins), (_, *names), (_, *numbers), (_, *rates) = rows
    assert set(observations) == set(rates) == {"-1"}
    assert counts["imax"] == str(len(channels))
    assert counts["jmax"] == str(len(set(names)) - 1)
    shapes = {(words[1], words[2]): words[3:] for words in lines if words[0] == "shapes"}
    systematics = {words[0]: (words[1], words[2:]) for words in lines if words[1] in ("lnN", "shape")}
    columns = list(zip(bins, names, map(int, numbers), strict=True))
    return Datacard(channels, shapes, columns, systematics)


@pytest.fixture(scope="module")
def combine_templates(make_folder) -> dict[str, uproot.Model]:
    folder = make_folder("Combine")
    for code in blocks("Combine", "python"):
        execute(code, folder)
    with uproot.open(folder / "templates.root") as file:
        return {name: file[name] for name in file.keys(cycle=False, filter_classname="TH1D")}


@pytest.fixture(scope="module")
def datacard() -> Datacard:
    return read_datacard(CONFIGS / "combine.txt")


def asked_for(datacard: Datacard, process: str, channel: str, systematic: str = "") -> str:
    """The histogram that Combine reads."""
    file, nominal, *varied = datacard.shapes.get((process, channel)) or datacard.shapes["*", channel]
    assert file == "templates.root"
    name = varied[0] if systematic else nominal
    for word, value in (("$CHANNEL", channel), ("$PROCESS", process), ("$SYSTEMATIC", systematic)):
        name = name.replace(word, value)
    return name


# What the datacard calls the variations.
COMBINE_NAMES = {
    "ME_varUp": "ME_var",
    "PS_varUp": "PS_var",
    "scaleUp": "scaleup",
    "scaleDown": "scaledown",
}
# Those that the AGC has in one direction.
ONE_SIDED = {"pt_scale", "pt_res", "ME_var", "PS_var"}


def variation_of(name: str) -> str:
    """The AGC's variation for `$SYSTEMATIC`."""
    return COMBINE_NAMES.get(name) or name.replace("Up", "_up").replace("Down", "_down")


def test_combine_finds_data_and_processes(datacard, combine_templates, expected):
    # Combine takes no channel that begins with a digit.
    assert datacard.channels == [f"region_{region}" for region in agc.REGIONS]
    for channel, region in zip(datacard.channels, agc.REGIONS, strict=True):
        found = combine_templates[asked_for(datacard, "data_obs", channel)]
        np.testing.assert_allclose(found.values(), expected[f"{region}_pseudodata"].sums, rtol=1e-12)
    assert {process for _, process, number in datacard.columns if number <= 0} == {"ttbar"}
    assert len({column[:2] for column in datacard.columns}) == len(datacard.columns) == 2 * len(PROCESSES)
    for channel, process, _ in datacard.columns:
        found = combine_templates[asked_for(datacard, process, channel)]
        contents = expected[f"{channel.removeprefix('region_')}_{process}"]
        np.testing.assert_allclose(found.values(), contents.sums, rtol=1e-12)
        np.testing.assert_allclose(found.variances(), contents.variances, rtol=1e-12)
        assert found.axis().edges().tolist() == list(range(110, 551, 40))


def test_combine_finds_both_directions_of_every_shape(datacard, combine_templates, expected):
    asked = set()
    for systematic, (kind, effects) in datacard.systematics.items():
        assert len(effects) == len(datacard.columns)
        for (channel, process, _), effect in zip(datacard.columns, effects, strict=True):
            if effect == "-" or kind == "lnN":
                continue
            up, down = (
                asked_for(datacard, process, channel, systematic + direction) for direction in ("Up", "Down")
            )
            asked |= {up, down}
            of_agc = f"{channel.removeprefix('region_')}_{process}"
            of_up = expected[f"{of_agc}_{variation_of(systematic + 'Up')}"].sums
            if systematic in ONE_SIDED:
                of_down = np.maximum(2 * expected[of_agc].sums - of_up, 0)
            else:
                of_down = expected[f"{of_agc}_{variation_of(systematic + 'Down')}"].sums
            for name, sums in ((up, of_up), (down, of_down)):
                found = combine_templates[name].values()
                np.testing.assert_allclose(found, sums, rtol=1e-9, atol=1e-9, err_msg=name)
    others = {f"{region}/{process}" for region in agc.REGIONS for process in (*PROCESSES, "pseudodata")}
    assert set(combine_templates) == asked | others


# TRExFitter


@dataclass
class Block:
    """A paragraph of a config of TRExFitter."""

    kind: str
    name: str
    settings: dict[str, str]


def read_trexfitter(path: Path) -> list[Block]:
    """Paragraphs of `key: value`; the first line says what is set up."""
    found = []
    for paragraph in re.split(r"\n\s*\n", path.read_text()):
        lines = [line for line in paragraph.splitlines() if line.strip() and not line.startswith("%")]
        pairs = [[part.strip().strip('"') for part in line.split(":", 1)] for line in lines]
        if pairs:
            (kind, name), *settings = pairs
            found.append(Block(kind, name, dict(settings)))
    return found


@pytest.fixture(scope="module")
def trexfitter() -> list[Block]:
    return read_trexfitter(CONFIGS / "trexfitter.config")


def of_kind(blocks_: list[Block], kind: str) -> list[Block]:
    return [block for block in blocks_ if block.kind == kind]


def histograms_asked_for(config: list[Block]) -> dict[str, str]:
    """File and histogram, as TRExFitter joins name and suffixes, with the AGC's name of each."""
    (job,) = of_kind(config, "Job")
    assert job.settings["ReadFrom"] == "HIST"
    file = f"{job.settings['HistoPath']}/{job.settings['HistoFile']}.root"
    found = {}
    for region in of_kind(config, "Region"):
        for sample in of_kind(config, "Sample"):
            base = region.settings["HistoName"] + sample.settings["HistoNameSuff"]
            of_agc = "pseudodata" if sample.settings["Type"] == "DATA" else sample.name
            of_agc = f"{region.name.removeprefix('region_')}_{of_agc}"
            found[f"{file}/{base}"] = of_agc
            for systematic in of_kind(config, "Systematic"):
                if sample.name not in systematic.settings["Samples"].split(","):
                    continue
                suffixes = [systematic.settings.get(f"HistoNameSuf{side}") for side in ("Up", "Down")]
                for suffix in filter(None, suffixes):
                    found[f"{file}/{base}{suffix}"] = of_agc + suffix
    return found


def test_trexfitter_finds_every_histogram(trexfitter, make_folder, reference):
    folder = make_folder("TRExFitter")
    asked = histograms_asked_for(trexfitter)
    assert set(asked.values()) == set(reference)
    for path, name in asked.items():
        # As TRExFitter does: what follows the last dot and `root/` is the histogram.
        file, _, histogram = path.rpartition(".root/")
        with uproot.open(folder / f"{file}.root") as opened:
            np.testing.assert_allclose(opened[histogram].values(flow=True), reference[name].sums, rtol=1e-12)


def test_names_in_trexfitter_begin_with_letters(trexfitter):
    """It takes no others."""
    assert all(block.name[0].isalpha() for block in trexfitter)


def test_trexfitter_has_one_direction_or_both(trexfitter):
    for systematic in of_kind(trexfitter, "Systematic"):
        if systematic.settings["Type"] == "OVERALL":
            continue
        has_down = "HistoNameSufDown" in systematic.settings
        assert has_down != (systematic.settings.get("Symmetrisation") == "ONESIDED")


def test_trexfitter_merges_bins_at_edges(trexfitter):
    edges = np.linspace(agc.LOW, agc.HIGH, agc.BINS + 1)
    for region in of_kind(trexfitter, "Region"):
        wanted = [float(edge) for edge in region.settings["Binning"].split(",")]
        assert wanted == list(range(110, 551, 40))
        assert set(wanted) <= set(edges)
