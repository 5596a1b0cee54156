# SPDX-License-Identifier: BSD-3-Clause
"""Several samples in one run: each as if it were run alone, under its own name and with its own values."""

import json
import subprocess

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

MET = {"value": "MET_pt", "bins": 25, "range": [0, 100]}


@pytest.fixture(scope="module")
def files(generate, tmp_path_factory):
    """Two files with 20 000 and 5 000 events."""
    folder = tmp_path_factory.mktemp("samples")
    return {
        name: generate("dimuon", folder / f"{name}.root", events, "--seed", seed)
        for name, events, seed in (("data", 20000, 1), ("mc", 5000, 2))
    }


@pytest.fixture(scope="module")
def events(files):
    return {name: uproot.open(path)["Events"].arrays() for name, path in files.items()}


def config_for(files, **more):
    return {
        "schema_version": 1,
        "samples": {
            "data": {"files": [str(files["data"])], "metadata": {"scale": 1.0}},
            "mc": {
                "files": [str(files["mc"])],
                "metadata": {"scale": 0.5},
                "cross_section_pb": 20.0,
                "sum_weights": "genWeight",
            },
        },
        "select": [{"name": "muons", "where": "nMuon == 2"}, {"name": "quiet", "where": "MET_pt < 40"}],
        "histograms": {"met": {"x": MET, "weight": "scale"}},
        "skims": {"few": {"file": "few_{sample}.root", "keep": ["event", "MET_pt"]}},
        "output": {"histograms": "h.root"},
    } | more


def passing(rows):
    return rows[(rows.nMuon == 2) & (rows.MET_pt < 40)]


def test_each_sample_has_its_events_and_values(job, files, events, tmp_path):
    done = job(config_for(files))
    assert done.returncode == DONE, done.stderr
    written = uproot.open(tmp_path / "h.root")
    for name, scale in (("data", 1.0), ("mc", 0.5)):
        kept = passing(events[name])
        counts, _ = numpy.histogram(awkward.to_numpy(kept.MET_pt), bins=25, range=(0, 100))
        assert (written[f"{name}__met"].values() == scale * counts).all()
        skim = uproot.open(tmp_path / f"few_{name}.root")["Events"].arrays()
        assert skim.event.to_list() == kept.event.to_list()


def test_a_sample_alone_gives_the_same_histograms(job, files, tmp_path):
    assert job(config_for(files)).returncode == DONE
    together = uproot.open(tmp_path / "h.root")["mc__met"].values()
    alone = config_for(files, output={"histograms": {"file": "alone.root", "name": "{sample}__{histogram}"}})
    del alone["samples"]["data"]
    assert job(alone).returncode == DONE
    assert (uproot.open(tmp_path / "alone.root")["mc__met"].values() == together).all()


def test_bytes_do_not_depend_on_threads(job, files, tmp_path):
    outputs = ["h.root", "few_data.root", "few_mc.root"]
    results = []
    for threads in (1, 3):
        assert job(config_for(files), "-j", threads).returncode == DONE
        results.append([(tmp_path / name).read_bytes() for name in outputs])
    assert results[0] == results[1]


def test_samples_must_not_write_into_one_file(job, files):
    done = job(config_for(files, skims={"few": {"file": "few.root"}}))
    assert done.returncode == WRONG_USAGE
    assert 'put "{sample}" into the name of the file' in done.stderr


def test_histograms_of_samples_must_have_names_of_their_own(job, files):
    done = job(config_for(files, output={"histograms": {"file": "h.root", "name": "{histogram}"}}))
    assert done.returncode == WRONG_USAGE
    assert 'would be written as "met", and so would' in done.stderr


def test_a_mistake_names_the_samples_that_have_it(job, files):
    config = config_for(files)
    del config["samples"]["data"]["metadata"]
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert 'error: in the sample "data": unknown column "scale"\n' in done.stderr
    config = config_for(files, define={"wrong": "MET_ptt + 1"})
    done = job(config)
    assert done.stderr.count("MET_ptt") == 2, "the message and the line of the config"
    assert "in the sample" not in done.stderr


def test_the_name_of_the_record_is_taken(job, files):
    name = {"file": "h.root", "name": "skimline/{sample}/{histogram}"}
    done = job(config_for(files, output={"histograms": name}))
    assert done.returncode == WRONG_USAGE
    assert '"skimline" is where the record of the run is' in done.stderr


def test_the_name_of_the_record_is_no_name_of_a_skim(job, call, files, tmp_path):
    config = config_for(files, skims={"all": {"file": "{sample}.root", "name": "skimline"}})
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert '"skimline" is where the record of the run is' in done.stderr
    assert call("validate", "a.json", cwd=tmp_path).returncode == WRONG_USAGE


@pytest.mark.parametrize(
    ("skim", "histograms", "told"),
    [
        (
            "{smaple}.root",
            "h.root",
            '"{smaple}" is a part of the name of the file: only "{sample}" is replaced',
        ),
        ("{year}_{sample}.root", "h.root", '"{year}" is a part'),
        ("{sample}.root", "{sample}_h.root", '"{sample}" is a part of the name of the file\n'),
        ("{sample}.root", "h}{.root", None),
    ],
)
def test_braces_that_are_no_placeholder_are_warned_of(job, files, tmp_path, skim, histograms, told):
    config = config_for(files, skims={"all": {"file": skim}})
    config["samples"] = {"data": config["samples"]["data"]}
    config["output"] = {"histograms": histograms}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert done.stderr.count("is a part of the name") == (1 if told else 0)
    assert not told or told in done.stderr
    assert (tmp_path / histograms).exists()


def test_the_plan_has_all_samples(call, files, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_for(files)))
    done = call("plan", "--json", "a.json", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    plans = json.loads(done.stdout)["samples"]
    assert [plan["sample"] for plan in plans] == ["data", "mc"]
    assert [plan["entries"] for plan in plans] == [20000, 5000]
    assert "sample mc" in call("plan", "a.json", cwd=tmp_path).stdout


def test_many_files_of_many_samples_are_not_all_open(skimline, files, events, tmp_path):
    config = config_for(files, skims={"few": {"file": "few_{sample}.root", "keep": ["event"]}})
    config["allow_duplicates"] = True
    names = [f"s{number}" for number in range(15)]
    for name in names:
        for number in range(20):
            (tmp_path / f"{name}_{number}.root").write_bytes(files["mc"].read_bytes())
    config["samples"] = {name: {"files": [f"{name}_*.root"], "metadata": {"scale": 1.0}} for name in names}
    (tmp_path / "a.json").write_text(json.dumps(config))
    command = ["bash", "-c", f"ulimit -n 280 && exec {skimline} run a.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == DONE, done.stderr
    expected = 20 * len(passing(events["mc"]))
    assert uproot.open(tmp_path / "few_s14.root")["Events"].num_entries == expected
