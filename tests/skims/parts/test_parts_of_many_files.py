# SPDX-License-Identifier: BSD-3-Clause
"""Parts of samples of many files: each is read from few of them, and has the results that it has among all."""

import json
import resource
import tempfile
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import ROOT
import uproot
from skim_events import comparable
from unlike_files import COUNT, config_of_unlike, write_unlike_files
from written_inputs import write

FORMATS = {"rntuple": ("rntuple",), "ttree": ("ttree",), "both": ("rntuple", "ttree")}


def config_of(paths, **more):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(path) for path in paths]}},
        "select": [{"name": "two", "where": "nMuon >= 2"}],
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 30, "range": [0, 150]}},
            "pt": {"x": {"value": "Sum(Muon_pt)", "bins": 30, "range": [0, 300]}},
        },
        "skims": {"s": {"file": "s.root", "keep": ["MET_pt", "Muon_pt", "Muon_eta", "nMuon", "event"]}},
        "output": {"histograms": "h.root", "cutflow": "c.json"},
    } | more


@pytest.fixture
def outputs_of(run_in, tmp_path):
    """Runs a config and returns what its outputs hold, by their names."""

    def run(config, *options, code=0):
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        done = run_in(folder, config, "--report", "report.json", *options)
        assert done.returncode == code, done.stderr
        run.report = json.loads((folder / "report.json").read_text())
        run.stderr = done.stderr
        made = [path for path in folder.iterdir() if path.name not in ("a.json", "report.json")]
        return {path.name: comparable(path) for path in made}

    return run


def with_and_without_store(outputs_of, config, tmp_path):
    """Returns the outputs of a run without a store, of one into an empty store, and of one from it."""
    store = ("--store", tmp_path / "store")
    runs = [outputs_of(config), outputs_of(config, *store, "-j", "3")]
    computed = outputs_of.report["store"]["computed"]
    runs.append(outputs_of(config, *store))
    assert outputs_of.report["store"] == {"taken": computed, "computed": 0}
    return runs


@pytest.fixture(scope="module", params=FORMATS)
def layouts(request, generate, tmp_path_factory):
    """Files of two models, of which one has columns that the other lacks, in one format or in two."""
    folder = tmp_path_factory.mktemp(request.param)
    formats = FORMATS[request.param]
    paths = []
    for number, model in enumerate(["dimuon", "adl", "adl", "dimuon", "adl", "dimuon", "dimuon"]):
        form = formats[number % len(formats)]
        path = folder / f"{number}_{model}.root"
        paths.append(generate(model, path, 400 + 10 * number, "--seed", number + 1, "--format", form))
    return paths


@pytest.mark.parametrize("order", [1, -1], ids=["few columns first", "many columns first"])
def test_files_with_other_columns(layouts, order, outputs_of, tmp_path):
    paths = layouts[1:][::order]
    plain, computed, taken = with_and_without_store(outputs_of, config_of(paths), tmp_path)
    assert sorted(plain) == ["c.json", "h.root", "s.root"]
    assert computed == taken == plain


def test_columns_that_some_files_lack(layouts, outputs_of, tmp_path):
    config = config_of(layouts, defaults={"MET_phi": 7.5, "PV_npvs": 3})
    config["histograms"]["pv"] = {"x": {"value": "PV_npvs", "bins": 10, "range": [0, 10]}}
    config["histograms"]["phi"] = {"x": {"value": "MET_phi", "bins": 10, "range": [-10, 10]}}
    config["skims"]["s"]["keep"] += ["PV_npvs", "MET_phi"]
    plain, computed, taken = with_and_without_store(outputs_of, config, tmp_path)
    assert computed == taken == plain


@pytest.mark.parametrize("value", [2.5, -70000])
@pytest.mark.parametrize("kinds", ["fsn", "snf", "nsf", "ssssnf", "nsfss", "ssnsfds"])
def test_defaults_that_do_not_fit_the_type_of_some_files(kinds, value, outputs_of, tmp_path):
    """They fit the type that holds the numbers of all."""
    types = {"f": np.float32, "d": np.float64, "s": np.int16}
    paths = [tmp_path / f"{number}.root" for number in range(len(kinds))]
    for number, (path, kind) in enumerate(zip(paths, kinds, strict=True)):
        events = {"id": np.arange(3) + 10 * number}
        if kind in types:
            events["x"] = (np.arange(3) + number).astype(types[kind])
        write(path, events, "tree")
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(path) for path in paths]}},
        "defaults": {"x": value},
        "define": {"half": "x / 2"},
        "histograms": {"half": {"x": {"value": "half", "bins": 40, "range": [0, 4]}}},
        "skims": {"s": {"file": "s.root", "keep": ["id", "x", "half"]}},
        "output": {"histograms": "h.root"},
    }
    plain, computed, taken = with_and_without_store(outputs_of, config, tmp_path)
    assert computed == taken == plain


@pytest.mark.parametrize("order", [1, -1], ids=["all columns first", "few columns first"])
def test_a_skim_has_one_form_whichever_file_lacks_a_column(order, outputs_of, tmp_path):
    """Where all files have the column it is carried, else computed, which comes behind what is carried."""
    columns = {"trigger": np.array([True, False]), "x": np.array([1.0, 2.0])}
    for name, own in {"all.root": columns, "few.root": {"x": columns["x"] + 5}}.items():
        with uproot.recreate(tmp_path / name) as file:
            file.mkrntuple("Events", own)
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(tmp_path / name) for name in ["all.root", "few.root"][::order]]}},
        "defaults": {"trigger": True},
        "skims": {"s": {"file": "s.root"}},
    }
    plain, computed, taken = with_and_without_store(outputs_of, config, tmp_path)
    assert computed == taken == plain


def write_lists(path, branch_of):
    """A tree of ten events with lists that each are a branch made by a function of its name and values."""
    file = ROOT.TFile(str(path), "RECREATE")
    tree = ROOT.TTree("Events", "")
    count = np.zeros(1, np.int32)
    tree.Branch("nJet", count, "nJet/I")
    branches = {name: branch_of(tree, name) for name in ("Jet_pt", "Jet_eta")}
    for event in range(10):
        count[0] = event % 3
        for number, fill in enumerate(branches.values()):
            fill([event + 10 * number + i for i in range(count[0])])
        tree.Fill()
    tree.Write()
    file.Close()
    return path


def counted(tree, name):
    values = np.zeros(3, np.float32)
    tree.Branch(name, values, f"{name}[nJet]/F")

    def fill(numbers):
        values[: len(numbers)] = numbers

    return fill


def vector(tree, name):
    values = ROOT.std.vector["float"]()
    tree.Branch(name, values)
    return values.assign


@pytest.mark.parametrize("kinds", [(vector, counted), (counted, vector)])
@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_lists_that_belong_together_in_some_files(kinds, output, outputs_of, tmp_path):
    """They are one collection in the skim of all files, and so in that of each part."""
    paths = [write_lists(tmp_path / f"{kind.__name__}.root", kind) for kind in kinds]
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(path) for path in paths]}},
        "skims": {"s": {"file": "s.root", "format": output}},
    }
    plain, computed, taken = with_and_without_store(outputs_of, config, tmp_path)
    assert computed == taken == plain


def test_numbers_of_entries_are_those_among_all_files(layouts, outputs_of, tmp_path):
    config = config_of(layouts)
    config["histograms"]["number"] = {
        "x": {"value": "entry_", "bins": 40, "range": [0, 4000]},
        "after": "all events",
    }
    plain, computed, taken = with_and_without_store(outputs_of, config, tmp_path)
    assert computed == taken == plain


def test_ranges_that_begin_and_end_in_files(layouts, outputs_of, tmp_path):
    for limits in (("--limit-events", "1500"), ("--shard", "2/3"), ("--limit-files", "4", "--shard", "1/2")):
        plain = outputs_of(config_of(layouts), *limits)
        assert outputs_of(config_of(layouts), *limits, "--store", tmp_path / "store") == plain


def test_faults_name_the_entry_of_the_file(layouts, run_in, tmp_path):
    config = config_of(layouts, define={"tenth": "Muon_pt[MET_pt > 60 ? 100 : 0]"})
    config["histograms"]["met"]["x"]["value"] = "tenth"
    del config["skims"]
    said = set()
    for number, options in enumerate([(), ("--store", "store"), ("--store", "store", "-j", "1")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = run_in(folder, config, *options)
        assert done.returncode == 1
        said.add(done.stderr)
    assert len(said) == 1
    assert "of " + str(layouts[0].parent) in said.pop()


@pytest.fixture(scope="module")
def unlike_files(tmp_path_factory):
    return write_unlike_files(tmp_path_factory.mktemp("unlike"))


@pytest.mark.parametrize("order", [1, -1], ids=["projected first", "projected last"])
def test_files_that_alone_show_more_than_together(unlike_files, order, outputs_of, tmp_path):
    paths = unlike_files[::order]
    plain, computed, taken = with_and_without_store(outputs_of, config_of_unlike(paths), tmp_path)
    assert sorted(plain) == ["c.csv", "h.root", "s.root"]
    assert computed == taken == plain


def test_what_was_carried_of_a_file_alone_is_in_no_other_skim(unlike_files, outputs_of, tmp_path):
    store = ("--store", tmp_path / "store")
    outputs_of(config_of_unlike(unlike_files), *store)
    narrow = config_of_unlike(unlike_files[:1])
    narrow["skims"]["s"]["keep"] = ["x"]
    plain = outputs_of(narrow)
    assert "either" not in plain["s.root"]
    assert outputs_of(narrow, *store) == plain
    whole = outputs_of(config_of_unlike(unlike_files[:1]))
    assert outputs_of(config_of_unlike(unlike_files[:1]), *store) == whole


def test_members_that_have_a_second_name_in_one_file_keep_their_values(unlike_files, outputs_of, tmp_path):
    folder = tmp_path / "made"
    folder.mkdir()
    config = config_of_unlike(unlike_files)
    config["output"]["histograms"] = str(folder / "h.root")
    outputs_of(config, "--store", tmp_path / "store")
    values = np.tile(np.arange(1, COUNT + 1), 2)
    with uproot.open(folder / "h.root") as file:
        for name, factor in (("member", 1), ("redefined", 2)):
            expected = np.histogram(factor * values, bins=20, range=(0, 20))[0]
            assert file[name].values().tolist() == expected.tolist(), name


def write_lists_and_numbers(path, sizes, counts):
    """An RNTuple with lists, and numbers that may be those of their elements."""
    arrays = {
        "nJet": ak.Array(np.asarray(counts, dtype="int32")),
        "Jet_pt": ak.unflatten(np.arange(np.sum(sizes), dtype="float32"), sizes),
    }
    with uproot.recreate(path) as file:
        types = {name: array.type.content for name, array in arrays.items()}
        file.mkrntuple("Events", types).extend(arrays)


@pytest.mark.parametrize("order", [1, -1])
def test_parts_whose_events_ask_for_other_branches(order, outputs_of, tmp_path):
    write_lists_and_numbers(tmp_path / "same.root", [1, 2, 0, 3], [1, 2, 0, 3])
    write_lists_and_numbers(tmp_path / "more.root", [1, 2, 0, 3], [1, 4, 2, 3])
    paths = [tmp_path / "same.root", tmp_path / "more.root"][::order]
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(path) for path in paths]}},
        "skims": {"s": {"file": "s.root", "format": "ttree"}, "n": {"file": "n.root", "where": "nJet > 1"}},
    }
    plain = outputs_of(config)
    assert outputs_of(config, "--store", tmp_path / "store") == plain
    assert outputs_of(config, "--store", tmp_path / "store", "-j", "1") == plain
    assert outputs_of.report["store"]["computed"] == 0


@pytest.fixture(scope="module", params=["rntuple", "ttree"])
def many_files(request, generate, tmp_path_factory):
    """Files that are too large to be read at once, and a second half with more columns."""
    folder = tmp_path_factory.mktemp(f"many_{request.param}")
    models = ["adl"] * 12 + ["dimuon"] * 12
    options = ("--format", request.param, "--compression", "none")
    return [
        generate(model, folder / f"{number:02}.root", 8000 if model == "dimuon" else 1500, *options)
        for number, model in enumerate(models)
    ]


def test_reads_grow_with_files_only(many_files, run_in, slow_storage, tmp_path):
    assert min(path.stat().st_size for path in many_files) > 128 * 1024
    reads = {}
    for number in (12, 24):
        folder = tmp_path / str(number)
        folder.mkdir()
        config = config_of(many_files[-number:])
        del config["skims"]
        done = run_in(folder, config, "--store", "store", "--allow-duplicates", env=slow_storage(0))
        assert done.returncode == 0, done.stderr
        reads[number] = int((tmp_path / "reads").read_text().split()[0])
    assert reads[24] < 2.5 * reads[12] + 24


@pytest.fixture(scope="module", params=["rntuple", "ttree"])
def too_many_to_be_open(request, generate, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"too_many_{request.param}")
    options = ("--format", request.param, "--compression", "none")
    return [
        generate("dimuon", folder / f"{number}.root", 1000, "--seed", number + 1, *options)
        for number in range(260)
    ]


@pytest.mark.parametrize("milliseconds", [0, 2])
def test_more_files_than_may_be_open(too_many_to_be_open, run_in, slow_storage, tmp_path, milliseconds):
    """Each part opens its own, and gives it back."""
    assert min(path.stat().st_size for path in too_many_to_be_open) > 128 * 1024
    config = config_of(too_many_to_be_open)
    del config["skims"]
    most = (150, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, most)}
    for name, store in (("without", ()), ("with", ("--store", "store"))):
        folder = tmp_path / name
        folder.mkdir()
        done = run_in(folder, config, *store, env=slow_storage(milliseconds), **limited)
        assert done.returncode == 0, done.stderr
    assert comparable(tmp_path / "without" / "h.root") == comparable(tmp_path / "with" / "h.root")
