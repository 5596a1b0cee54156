# SPDX-License-Identifier: BSD-3-Clause
"""The program `skimline`: commands, exit codes, outputs, and what it says of bad input."""

import json
import os
import re
import resource
import signal
import subprocess
import time

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, FAILED, INTERRUPTED, WRONG_USAGE


def config_for(path, **more):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{path}:Events"]}},
        "define": {"mll": "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"},
        "select": [
            {"name": "two muons", "where": "nMuon == 2"},
            {"name": "opposite charge", "where": "Muon_charge[0] != Muon_charge[1]"},
        ],
        "histograms": {"mass": {"x": {"value": "mll", "bins": 60, "range": [60, 120], "unit": "GeV"}}},
        "skims": {"pairs": {"file": "skim.root", "keep": ["Muon_*", "MET_pt", "mll"]}},
        "output": {"histograms": "histograms.root"},
    } | more


def outputs(folder):
    """Everything in a folder but the config and inputs, hidden files too."""
    return sorted(name for name in os.listdir(folder) if name not in ("a.json", "in.root"))


# The command line


def test_help_shows_commands_examples_and_exit_codes(call):
    shown = call("--help")
    assert shown.returncode == DONE
    for text in ("run", "plan", "inspect", "verify", "generate", "Examples:", "Exit codes:", "130"):
        assert text in shown.stdout


@pytest.mark.parametrize("command", ["run", "plan", "inspect", "verify", "generate", "convert"])
def test_help_of_commands_has_examples(call, command):
    shown = call(command, "--help")
    assert shown.returncode == DONE
    assert f"skimline {command}" in shown.stdout


def test_version(call, repository):
    version = re.search(r"project\(Skimline VERSION (\S+)", (repository / "CMakeLists.txt").read_text())[1]
    assert call("--version").stdout == f"skimline {version}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("walk",),
        ("run",),
        ("run", "a.json", "extra"),
        ("run", "--thread", "a.json"),
        ("run", "-j", "-1", "a.json"),
        ("run", "none.json"),
        ("inspect",),
        ("generate", "dimuon"),
        ("generate", "trimuon", "--events", "1", "-o", "x.root"),
        ("generate", "dimuon", "--events", "-1", "-o", "x.root"),
        ("generate", "dimuon", "--events", "1.5", "-o", "x.root"),
        ("generate", "dimuon", "--events", "1", "-o", "x.root", "--compression", "zip"),
    ],
)
def test_wrong_usage(call, tmp_path, arguments):
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert done.stderr + done.stdout
    assert outputs(tmp_path) == []


# generate


def test_generated_columns_are_readable_and_typed(columns):
    assert len(columns) == 100000
    assert len(columns.fields) == 25
    assert awkward.all(awkward.num(columns.Muon_pt) == columns.nMuon)
    assert columns.event.type.content.primitive == "uint64"
    assert columns.Muon_tightId.type.content.content.primitive == "bool"


@pytest.mark.parametrize("model", ["dimuon", "dijet", "adl"])
def test_generated_bytes_do_not_depend_on_threads(call, tmp_path, model):
    for threads in (1, 3):
        made = call("generate", model, "--events", "2e5", "-o", tmp_path / f"{threads}.root", "-j", threads)
        assert made.returncode == DONE, made.stderr
    assert (tmp_path / "1.root").read_bytes() == (tmp_path / "3.root").read_bytes()


def test_numbers_with_leading_zeros_are_decimal(call, tmp_path):
    def generate(*arguments):
        made = call("generate", "dimuon", "--events", "010", "-o", tmp_path / "x.root", "--force", *arguments)
        assert made.returncode == DONE, made.stderr
        return made.stdout, (tmp_path / "x.root").read_bytes()

    seeds = {seed: generate("--seed", seed)[1] for seed in ("8", "08", "10", "010", "+0010")}
    assert seeds["08"] == seeds["8"]
    assert seeds["010"] == seeds["+0010"] == seeds["10"] != seeds["8"]
    assert "with 10 threads" in generate("-j", "010")[0]
    assert uproot.open(tmp_path / "x.root")["Events"].num_entries == 10


@pytest.mark.parametrize("kind", ["rntuple", "ttree"])
def test_generate_what_others_find_by_its_name(call, tmp_path, kind):
    path = tmp_path / "x.root"
    for name in ["x;1", "a;b/x", "a/../x", "./x", "/x", "a//x", "a/", "x y", "x.y", "x" * 255]:
        done = call("generate", "dimuon", "--events", 10, "--format", kind, "--name", name, "-o", path)
        assert done.returncode == WRONG_USAGE, done.stderr
        assert done.stderr.endswith(f'"{name}" cannot be the name of an RNTuple or TTree\n')
        assert outputs(tmp_path) == []
    for name in ["a b/x", "..a/x", "%s", "\u00fc", "x" * 254]:
        done = call("generate", "dimuon", "--events", 10, "--format", kind, "--name", name, "-o", path)
        assert done.returncode == DONE, done.stderr
        assert uproot.open(path)[name].num_entries == 10
        path.unlink()


def test_convert_to_a_name_that_others_do_not_find(call, sample, tmp_path):
    done = call("convert", sample, "--name", "x;1", "-o", tmp_path / "x.root")
    assert done.returncode == WRONG_USAGE, done.stderr
    assert '"x;1" cannot be the name of an RNTuple' in done.stderr
    assert outputs(tmp_path) == []


def test_no_file_stands_for_standard_output(call, sample, tmp_path):
    for arguments in (
        ["generate", "dimuon", "--events", 10, "-o", "-"],
        ["convert", sample, "-o", "-"],
        ["merge", "-", sample],
        ["recover", sample, "-"],
        ["init", sample, "-o", "-"],
    ):
        done = call(*arguments, cwd=tmp_path)
        assert done.returncode == WRONG_USAGE, done.stderr
        assert '"-" cannot be the output' in done.stderr
        assert outputs(tmp_path) == []
    assert call("generate", "dimuon", "--events", 10, "-o", "./-", cwd=tmp_path).returncode == DONE
    assert outputs(tmp_path) == ["-"]


def test_generate_nothing(call, tmp_path):
    assert call("generate", "dimuon", "--events", 0, "-o", tmp_path / "x.root").returncode == DONE
    assert uproot.open(tmp_path / "x.root")["Events"].num_entries == 0


def test_generate_into_a_file_as_folder(call, tmp_path):
    (tmp_path / "none").write_text("a file")
    done = call("generate", "dimuon", "--events", "10", "-o", tmp_path / "none" / "x.root")
    assert done.returncode in (FAILED, WRONG_USAGE)
    assert "none" in done.stderr
    assert outputs(tmp_path) == ["none"]


# inspect


def test_inspect_shows_what_uproot_sees(call, sample):
    shown = json.loads(call("inspect", "--json", sample).stdout)
    (ntuple,) = shown["ntuples"]
    theirs = uproot.open(sample)["Events"]
    assert ntuple["entries"] == theirs.num_entries
    assert [f["name"] for f in ntuple["fields"] if "." not in f["name"]] == theirs.keys(recursive=False)
    assert len(ntuple["columns"]) == len(theirs.column_records)
    assert shown["size"] == sample.stat().st_size
    assert sum(column["bytes_stored"] for column in ntuple["columns"]) < shown["size"]
    elements = {c["field"]: c["elements"] for c in ntuple["columns"]}
    assert elements["Muon_pt._0"] == awkward.sum(theirs["nMuon"].array())


def test_inspect_prints_tables(call, sample):
    shown = call("inspect", f"{sample}:Events")
    assert shown.returncode == DONE
    for text in ("100 000 entries", "Muon_pt", "SplitReal32", "zstd", "std::vector<float>", "total"):
        assert text in shown.stdout


def test_inspect_names_what_is_there(call, sample):
    shown = call("inspect", f"{sample}:Event")
    assert shown.returncode == FAILED
    assert "Events" in shown.stderr


def test_inspect_files_made_by_others(call, shared_data):
    files = sorted(shared_data.glob("*rntuple*.root"))
    assert files
    for file in files:
        shown = call("inspect", file)
        assert shown.returncode == DONE, (file, shown.stderr)


# run


def test_run_gives_numpy_s_answer(job, sample, columns, tmp_path):
    done = job(config_for(sample))
    assert done.returncode == DONE, done.stderr
    pairs = columns[columns.nMuon == 2]
    pairs = pairs[pairs.Muon_charge[:, 0] != pairs.Muon_charge[:, 1]]

    skim = uproot.open(tmp_path / "skim.root")["Events"].arrays()
    kept = [name for name in columns.fields if name.startswith("Muon_") or name == "MET_pt"]
    assert skim.fields == [*kept, "mll"]
    for name in kept:
        assert awkward.array_equal(skim[name], pairs[name]), name

    pt, eta, phi = (awkward.values_astype(pairs[f"Muon_{k}"], "float64") for k in ("pt", "eta", "phi"))
    mass = numpy.sqrt(
        2 * pt[:, 0] * pt[:, 1] * (numpy.cosh(eta[:, 0] - eta[:, 1]) - numpy.cos(phi[:, 0] - phi[:, 1]))
    )
    heavy = mass > 60  # the muons' masses do not matter there
    numpy.testing.assert_allclose(skim.mll[heavy], mass[heavy], rtol=1e-4)

    histogram = uproot.open(tmp_path / "histograms.root")["mass"]
    counts, _ = numpy.histogram(awkward.to_numpy(skim.mll), bins=60, range=(60, 120))
    numpy.testing.assert_array_equal(histogram.values(), counts)
    assert histogram.member("fEntries") == len(pairs)


def test_run_prints_cutflow_and_summary(job, sample, columns):
    shown = job(config_for(sample), "-j", "1").stdout
    two = int(awkward.sum(columns.nMuon == 2))
    assert re.search(r"all events +100 000", shown)
    assert re.search(rf"two muons +{two:,} +{two / 1000:.2f} %".replace(",", " "), shown)
    for text in (
        "opposite charge",
        "events/s",
        "1 thread",
        "skim.root",
        "histograms.root",
        "read",
        "decoded",
    ):
        assert text in shown


def test_outputs_do_not_depend_on_threads(job, sample, tmp_path):
    config = config_for(sample)
    config["histograms"]["mass"]["weight"] = "genWeight * MET_pt"
    files = []
    for threads in (1, 2, 5):
        assert job(config, "-j", threads).returncode == DONE
        files.append([(tmp_path / name).read_bytes() for name in ("skim.root", "histograms.root")])
    assert files[0] == files[1] == files[2]


def test_several_files_are_one_sample(job, sample, tmp_path):
    for name in ("in1.root", "in2.root"):
        (tmp_path / name).symlink_to(sample)
    config = config_for("unused")
    config["samples"]["data"]["files"] = ["in?.root:Events"]
    again = job(config)
    # Both names lead to the same file, which is a mistake.
    assert again.returncode == WRONG_USAGE
    assert "given twice" in again.stderr
    (tmp_path / "in2.root").unlink()
    (tmp_path / "in2.root").write_bytes(sample.read_bytes())
    done = job(config, "--allow-duplicates")
    assert done.returncode == DONE, done.stderr
    assert "200 000 of 2 files" in done.stdout


def test_nothing_selected_is_a_valid_empty_output(job, sample, tmp_path):
    config = config_for(sample, select=[{"name": "none", "where": "nMuon > 1000"}])
    assert job(config).returncode == DONE
    skim = uproot.open(tmp_path / "skim.root")["Events"]
    assert skim.num_entries == 0
    assert "Muon_pt" in skim.keys()
    assert uproot.open(tmp_path / "histograms.root")["mass"].values().sum() == 0


def test_empty_input_is_a_valid_empty_output(job, call, tmp_path):
    assert call("generate", "dimuon", "--events", "0", "-o", tmp_path / "in.root").returncode == DONE
    done = job(config_for("in.root"))
    assert done.returncode == DONE, done.stderr
    assert uproot.open(tmp_path / "skim.root")["Events"].num_entries == 0


def test_histograms_and_skims_can_select_further(job, sample, columns, tmp_path):
    config = config_for(sample, select=[])
    config["histograms"] = {"met": {"x": {"value": "MET_pt", "edges": [0, 10, 50, 1e4]}, "where": "nJet > 2"}}
    config["skims"] = {
        "jets": {
            "file": "jets.root",
            "keep": ["nJet"],
            "where": "nJet > 5",
            "compression": "lz4",
            "name": "Jets",
        },
        "all": {"file": "all.root", "drop": ["Muon*", "Jet*"], "compression": "none"},
    }
    assert job(config).returncode == DONE
    counts, _ = numpy.histogram(columns.MET_pt[columns.nJet > 2], bins=[0, 10, 50, 1e4])
    numpy.testing.assert_array_equal(uproot.open(tmp_path / "histograms.root")["met"].values(), counts)
    jets = uproot.open(tmp_path / "jets.root")["Jets"]
    assert jets.keys() == ["nJet"]
    assert jets.num_entries == awkward.sum(columns.nJet > 5)
    everything = uproot.open(tmp_path / "all.root")["Events"]
    assert everything.num_entries == 100000
    assert "mll" not in everything.keys()
    assert not any(name.startswith(("Muon_", "Jet_")) for name in everything.keys())


def test_sizes_of_clusters_and_pages_are_those_asked_for(job, sample, columns, tmp_path):
    config = config_for(sample, select=[])
    kept = {"file": "met.root", "keep": ["MET_pt"], "where": "nJet > 1"}
    config["skims"] = {"met": kept | {"cluster_size": "80KiB", "page_size": 3000}}
    assert job(config).returncode == DONE
    met = uproot.open(tmp_path / "met.root")["Events"]
    expected = columns.MET_pt[columns.nJet > 1]
    assert awkward.all(met.arrays().MET_pt == expected)
    clusters = [cluster.num_entries for cluster in met.cluster_summaries]
    assert clusters[:-1] == [80 * 1024 // 4] * (len(expected) * 4 // (80 * 1024))
    pages = [page.num_elements for page in met.page_link_list[0][0].pages]
    assert pages == [750] * (clusters[0] // 750) + [clusters[0] % 750]


# Mistakes in a config


def set_where(config, where):
    config["select"][1]["where"] = where


MISTAKES = {
    "unknown column": (lambda c: set_where(c, "Muon_chrge[0] > 0"), "Muon_chrge", r"Muon_charge"),
    "type error": (lambda c: set_where(c, "Muon_charge + run"), "Muon_charge", r"bool|list"),
    "syntax error": (lambda c: set_where(c, "nMuon >"), None, r"expected"),
    "unknown key": (lambda c: c.update(selectoin=[]), '"selectoin"', r'did you mean "select"'),
    "unmatched pattern": (lambda c: c["skims"]["pairs"].update(keep=["Moun_*"]), '"Moun_*"', r'"Muon_\*"'),
    "everything dropped": (lambda c: c["skims"]["pairs"].update(drop=["*"]), '"pairs"', r"no column is left"),
    "name taken": (lambda c: c["define"].update(MET_pt="1"), '"MET_pt"', r"already a column"),
    "missing input": (lambda c: c["samples"]["data"].update(files=["no.root"]), '"no.root"', r"no file"),
    "weight of another shape": (
        lambda c: c["histograms"]["mass"].update(weight="Muon_ptt"),
        "Muon_ptt",
        r'"Muon_pt"',
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_located(job, sample, tmp_path, name):
    change, culprit, message = MISTAKES[name]
    config = config_for(sample)
    change(config)
    done = job(config)
    assert done.returncode == WRONG_USAGE, done.stderr
    place = re.match(r"a\.json:(\d+):(\d+): error: (.*)", done.stderr)
    assert place, done.stderr
    assert re.search(message, place[3])
    if culprit:
        line = (tmp_path / "a.json").read_text().splitlines()[int(place[1]) - 1]
        assert line[int(place[2]) - 1 :].startswith(culprit)
    assert outputs(tmp_path) == []


def test_all_mistakes_are_listed(job, sample, tmp_path):
    config = config_for(sample)
    config["define"] = {"bad": "Muon_ptt[0]", "follows": "bad + 1", "worse": "MET_pt +"}
    config["select"] = [{"name": "n", "where": "nMuonn == 2"}]
    config["skims"]["pairs"]["keep"] = ["Muon_*", "Jett_*"]
    config["histograms"]["mass"]["x"]["value"] = "worse * 2"
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.count("error:") == 4, done.stderr
    for name in ("Muon_ptt", "MET_pt +", "nMuonn", "Jett_*"):
        assert name in done.stderr
    assert outputs(tmp_path) == []


# Bad input


def damaged(sample, tmp_path, change):
    contents = bytearray(sample.read_bytes())
    (tmp_path / "in.root").write_bytes(change(contents))
    return config_for("in.root")


@pytest.mark.parametrize(
    "change",
    [
        lambda contents: b"",
        lambda contents: b"no ROOT file" * 100,
        lambda contents: contents[: len(contents) // 2],
        lambda contents: contents[:-1],
        lambda contents: contents[:100],
    ],
    ids=["empty", "not ROOT", "half", "last byte missing", "head only"],
)
def test_damaged_files_are_named(job, sample, tmp_path, change):
    done = job(damaged(sample, tmp_path, change))
    assert done.returncode == FAILED, done.stderr
    assert "in.root: " in done.stderr
    assert outputs(tmp_path) == []


def test_a_flipped_byte_in_any_page_that_is_read_is_found(job, sample, tmp_path):
    """Flips one byte in pages of columns the job reads, found with uproot."""
    ntuple = uproot.open(sample)["Events"]
    names = [record.field_id for record in ntuple.column_records]
    wanted = [
        i for i, field in enumerate(names) if ntuple.field_records[field].field_name in ("nMuon", "MET_pt")
    ]
    assert len(wanted) == 2
    for column in wanted:
        page = ntuple.page_link_list[0][column].pages[0]

        def flip(contents, offset=page.locator.offset + 10):
            contents[offset] ^= 0x10
            return contents

        done = job(damaged(sample, tmp_path, flip))
        assert done.returncode == FAILED, done.stderr
        assert re.search(r"in\.root: .*(nMuon|MET_pt).*cluster", done.stderr), done.stderr
        assert outputs(tmp_path) == []


def test_errors_of_events_name_entry_and_expression(job, sample, columns, tmp_path):
    first = int(numpy.flatnonzero(columns.nMuon == 0)[0])
    done = job(config_for(sample, select=[{"name": "hard", "where": "Muon_pt[0] > 20"}]))
    assert done.returncode == FAILED
    assert "Muon_pt[0]" in done.stderr
    assert f"entry {first} of {sample}" in done.stderr
    assert outputs(tmp_path) == []


def test_output_that_cannot_be_made(job, sample, tmp_path):
    config = config_for(sample, output={"histograms": "/proc/histograms.root"})
    done = job(config)
    assert done.returncode == FAILED, done.stderr
    assert "/proc/histograms.root" in done.stderr
    assert outputs(tmp_path) == []


def test_one_file_cannot_take_two_outputs(job, sample, tmp_path):
    config = config_for(sample, output={"histograms": "./skim.root"})
    done = job(config)
    assert done.returncode == WRONG_USAGE, done.stderr
    assert 'this file is also the output of the skim "pairs"' in done.stderr
    assert outputs(tmp_path) == []


def test_old_outputs_survive_a_failed_run(job, sample, tmp_path):
    (tmp_path / "skim.root").write_text("old")
    job(config_for(sample, select=[{"name": "hard", "where": "Muon_pt[0] > 20"}]))
    assert (tmp_path / "skim.root").read_text() == "old"


@pytest.mark.thorough
def test_too_little_memory_is_said(job, sample, tmp_path, unsanitized):
    """Not a fault of the program, which the user can do nothing about."""
    skims = {"s": {"file": "skim.root", "keep": ["long"]}}
    config = config_for(sample, define={"long": "Range(nMuon + 1000000)"}, select=[], skims=skims)
    del config["histograms"], config["output"]
    limit = 2 << 30
    done = job(config, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == FAILED
    assert "not enough memory" in done.stderr
    assert "fault of skimline" not in done.stderr
    assert outputs(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_nothing(skimline, tmp_path, number):
    command = [skimline, "generate", "dimuon", "--events", "1e9", "-o", tmp_path / "x.root"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not outputs(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    _, error = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED
    assert "interrupted" in error
    assert outputs(tmp_path) == []
