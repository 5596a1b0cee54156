# SPDX-License-Identifier: BSD-3-Clause
"""`skimline rerun`: the run in a record gives the same bytes, or it is said why it does not."""

import json
import resource
import shutil
import time

import pytest
import uproot
from exit_codes import DIFFERENT, DONE, FAILED, INCOMPLETE, WRONG_USAGE
from remote_servers import Nginx


@pytest.fixture
def config(generate, tmp_path):
    for number in (1, 2):
        generate("dimuon", tmp_path / f"in{number}.root", 3000, "--seed", number)
    return {
        "schema_version": 1,
        "samples": {"s": {"files": ["in*.root"], "sum_weights": "genWeight"}},
        "select": [{"name": "two muons", "where": "nMuon == 2"}],
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}, "weight": "genWeight"}
        },
        "skims": {"dimuon": {"file": "skim.root", "keep": ["Muon_*", "run", "event"]}},
        "output": {"histograms": "h.root"},
    }


@pytest.mark.parametrize("name", ["h.root", "skim.root"])
def test_the_bytes_are_the_same(job, config, call, tmp_path, name):
    assert job(config).returncode == DONE
    done = call("rerun", tmp_path / name, "-o", tmp_path / "made" / "again", "-j", 3)
    assert done.returncode == DONE, done.stdout + done.stderr
    assert f"{tmp_path / name}: the same bytes as {tmp_path / 'made/again' / name}\n" in done.stdout
    assert (tmp_path / "made/again" / name).read_bytes() == (tmp_path / name).read_bytes()


def test_texts_that_are_no_variables(job, config, call, tmp_path):
    config["variables"] = {"wide": 100, "high": "$${wide}"}
    config["histograms"]["met"]["x"] |= {"range": [0, "${wide}"], "label": "$${}^{3}He$ $$${wide} ${high} $"}
    assert job(config).returncode == DONE
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path / "again")
    assert done.returncode == DONE, done.stdout + done.stderr
    shown = call("validate", "--expand", tmp_path / "a.json")
    assert shown.returncode == DONE, shown.stderr
    (tmp_path / "expanded.json").write_text(shown.stdout)
    assert call("validate", "--expand", tmp_path / "expanded.json").stdout == shown.stdout
    label = json.loads(shown.stdout)["histograms"]["met"]["x"]["label"]
    assert label == "$${}^{3}He$ $$${wide} $${wide} $"


def test_uhi_json_and_templates_of_names(job, config, call, tmp_path):
    config["output"]["histograms"] = {"file": "h.json", "name": "dir/{histogram}"}
    assert job(config).returncode == DONE
    done = call("rerun", tmp_path / "h.json", "-o", tmp_path / "again")
    assert done.returncode == DONE, done.stdout + done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--limit-events", 4000],
        ["--shard", "2/3"],
        ["--shard", "2/3", "--limit-events", 4000],
        ["--samples", "b"],
    ],
)
def test_what_the_command_line_said(job, config, call, tmp_path, options):
    config["samples"] = {"a": {"files": ["in1.root"]}, "b": {"files": ["in2.root", "in1.root"]}}
    config["skims"]["dimuon"]["file"] = "{sample}.root"
    assert job(config, *options).returncode == DONE
    (path,) = tmp_path.glob("h*.root")
    done = call("rerun", path, "-o", tmp_path / "again")
    assert done.returncode == DONE, done.stdout + done.stderr
    (skim,) = tmp_path.glob("b*.root")
    done = call("rerun", skim, "-o", tmp_path / "skims")
    assert done.returncode == DONE, done.stdout + done.stderr


@pytest.mark.parametrize("split", [{}, {"split": {"events": 500}}])
def test_files_of_shards_keep_their_names(job, config, call, tmp_path, split):
    config["skims"]["dimuon"] |= split
    assert job(config, "--shard", "2/3").returncode == DONE
    for pattern in ("h.*.root", "skim.*.root"):
        file = sorted(tmp_path.glob(pattern))[0]
        done = call("rerun", file, "-o", tmp_path / "again", "-f")
        assert done.returncode == DONE, done.stdout + done.stderr
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("num_events", [2500, 7000])  # of another sample
@pytest.mark.parametrize("options", [[], ["--limit-events", 1000], ["--limit-events", 4000]])
def test_shards_that_left_out_a_file(job, config, call, generate, tmp_path, options, num_events):
    """In mid-run, so that the limit is not made up for."""
    generate("dimuon", tmp_path / "more.root", num_events, "--seed", 3)
    path = generate(
        "dimuon", tmp_path / "in1.root", 3000, "--force", "--format", "ttree", "--compression", "zlib:1"
    )
    with uproot.open(path) as file:
        branch = file["Events"]["MET_pt"]
        place = int(branch.member("fBasketSeek")[0]) + branch.basket_key(0).fKeylen + 1000
    content = bytearray(path.read_bytes())
    content[place : place + 30] = bytes(30)
    path.write_bytes(content)
    config |= {"on_bad_file": "skip", "max_bad_fraction": 0.5}
    config["samples"]["more"] = {"files": ["more.root"], "sum_weights": "genWeight"}
    del config["skims"], config["select"]
    for number in (1, 2):
        first = job(config, "--shard", f"{number}/2", *options)
        assert first.returncode in (DONE, INCOMPLETE), first.stderr
        done = call("rerun", tmp_path / f"h.shard{number}of2.root", "-o", tmp_path / f"again{number}")
        assert done.returncode == first.returncode, done.stdout + done.stderr
        assert "the same bytes as" in done.stdout


def test_a_file_that_was_moved(job, config, call, tmp_path):
    assert job(config).returncode == DONE
    (tmp_path / "elsewhere").mkdir()
    shutil.copyfile(tmp_path / "h.root", tmp_path / "elsewhere" / "h.root")
    done = call("rerun", tmp_path / "elsewhere" / "h.root", "-o", tmp_path / "again")
    assert done.returncode == FAILED
    assert "in1.root" in done.stderr
    done = call("rerun", tmp_path / "elsewhere/h.root", "-o", tmp_path / "again", "--config-folder", tmp_path)
    assert done.returncode == DONE, done.stderr


def test_a_file_behind_a_url(job, config, call, tmp_path):
    assert job(config).returncode == DONE
    server = Nginx(tmp_path, tmp_path / "nginx").start()
    try:
        done = call("rerun", server.url("h.root"), "--config-folder", tmp_path, "-o", tmp_path / "again")
        assert done.returncode == DONE, done.stdout + done.stderr
        assert f"the same bytes as {tmp_path}/again/h.root" in done.stdout
    finally:
        server.stop()


def test_missing_and_changed_inputs_are_named(job, config, call, generate, tmp_path):
    assert job(config).returncode == DONE
    (tmp_path / "in1.root").unlink()
    generate("dimuon", tmp_path / "in2.root", 3000, "--seed", 7, "--force")
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path / "again")
    assert done.returncode == FAILED
    assert "in1.root: cannot be opened" in done.stderr
    assert "in2.root: has changed: its UUID was" in done.stderr
    generate("dimuon", tmp_path / "in2.root", 10, "--force")
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path / "again")
    assert "in2.root: has changed: it had 3 000 entries and has 10" in done.stderr
    assert not (tmp_path / "again").exists()


def test_new_inputs_are_named_and_not_read(job, config, call, generate, tmp_path):
    assert job(config).returncode == DONE
    generate("dimuon", tmp_path / "in3.root", 10)
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path / "again")
    assert done.returncode == DONE, done.stdout + done.stderr
    assert 'sample "s": in3.root was not read then and is not now' in done.stderr
    assert (tmp_path / "again/h.root").read_bytes() == (tmp_path / "h.root").read_bytes()


@pytest.mark.parametrize("files", ["in*.root", "none.root", "in3.root"])
def test_inputs_of_the_command_line(job, config, call, generate, tmp_path, files):
    """Files beside those of the config, some of them, and where the config finds none."""
    generate("dimuon", tmp_path / "in3.root", 1000, "--seed", 5)
    (tmp_path / "other").mkdir()
    generate("dimuon", tmp_path / "other" / "in4.root", 1000, "--seed", 6)
    config["samples"]["s"]["files"] = [files]
    inputs = ["--input", "in1.root", "--input", "s=in2.root", "--input", "other/in4.root:Events"]
    assert job(config, *inputs).returncode == DONE
    for name in ("h.root", "skim.root"):
        done = call("rerun", tmp_path / name, "-o", tmp_path / "again" / name)
        assert done.returncode == DONE, done.stdout + done.stderr
        assert (tmp_path / "again" / name / name).read_bytes() == (tmp_path / name).read_bytes()
        assert ("in3.root was not read" in done.stderr) == (files != "none.root")


@pytest.mark.parametrize("options", [["--limit-files", 1], ["--input", "in2.root"]])
def test_some_of_the_inputs_of_the_config(job, config, call, tmp_path, options):
    assert job(config, *options).returncode == DONE
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path / "again", "--config-folder", tmp_path)
    assert done.returncode == DONE, done.stdout + done.stderr


def test_some_of_the_inputs_keep_their_order(job, config, call, generate, tmp_path):
    generate("dimuon", tmp_path / "in0.root", 1000, "--seed", 3)
    config["samples"]["s"]["files"] = ["in2.root", "in1.root", "in0.root"]
    config["histograms"]["met"]["weight"] = "1 + entry_ % 5"
    assert job(config, "--limit-files", 2).returncode == DONE
    for name in ("h.root", "skim.root"):
        done = call("rerun", tmp_path / name, "-o", tmp_path / "again", "--force")
        assert done.returncode == DONE, done.stdout + done.stderr


@pytest.mark.parametrize("options", [["--limit-files", 2], ["--input", "trees.root:c"]])
def test_other_trees_of_the_same_file_are_not_read(job, config, call, tmp_path, options):
    with uproot.recreate(tmp_path / "trees.root") as file:
        for number, name in enumerate("abc"):
            file.mktree(name, {"x": "int32"}).extend({"x": [3 * number + i % 3 for i in range(10)]})
    config["samples"]["s"] = {"files": [f"trees.root:{name}" for name in "bac"]}
    config["histograms"] = {"x": {"x": {"value": "x", "bins": 10, "range": [0, 10]}, "weight": "1 + entry_"}}
    config["skims"] = {"all": {"file": "skim.root"}}
    del config["select"]
    assert job(config, *options).returncode == DONE
    for name in ("h.root", "skim.root"):
        done = call("rerun", tmp_path / name, "-o", tmp_path / "again", "--force")
        assert done.returncode == DONE, done.stdout + done.stderr
        assert "was not read then" in done.stderr or "were not read then" in done.stderr


def test_skims_with_the_same_columns_are_told_apart(job, config, call, tmp_path):
    skims = {"all": "all events", "pairs": "two muons"}
    config["skims"] = {
        name: {"file": f"{name}.root", "keep": ["MET_*"], "after": after} for name, after in skims.items()
    }
    assert job(config, "--store", tmp_path / "store").returncode == DONE
    for name in skims:
        done = call("rerun", tmp_path / f"{name}.root", "-o", tmp_path / f"again {name}")
        assert done.returncode in (DONE, DIFFERENT), done.stderr
        if done.returncode == DIFFERENT:  # from a store, events lie in other clusters
            assert f"again {name}/{name}.s.root, from byte" in done.stdout
            assert done.stdout.endswith("compared, none differs\n")


def test_inputs_of_one_sample_of_several(job, config, call, tmp_path):
    config["samples"] = {"a": {"files": ["in1.root"]}, "b": {"files": ["in1.root", "in2.root"]}}
    config["skims"] = {}
    assert job(config, "--input", "a=in2.root", "--limit-events", 4000).returncode == DONE
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path / "again")
    assert done.returncode == DONE, done.stdout + done.stderr
    record = json.loads(call("show", "--json", tmp_path / "again/h.root").stdout)["files"][0]["record"]
    assert [[each["file"] for each in sample["inputs"]] for sample in record["samples"]] == [
        ["in2.root"],
        ["in1.root", "in2.root"],
    ]


def test_other_bytes_are_found(job, config, call, tmp_path):
    """A mask is no part of the config: the same text with other runs gives other events."""
    mask = tmp_path / "mask.json"
    mask.write_text(json.dumps({"190456": [[1, 100000]]}))
    config["samples"]["s"]["lumi_mask"] = "mask.json"
    assert job(config).returncode == DONE
    mask.write_text(json.dumps({"190456": [[1, 1]]}))
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path / "again")
    assert done.returncode == DIFFERENT, done.stdout + done.stderr
    assert "other bytes than" in done.stdout
    assert "entries:" in done.stdout


def test_mistakes(job, config, call, tmp_path):
    assert job(config).returncode == DONE
    assert call("rerun", tmp_path / "none.root").returncode == FAILED
    done = call("rerun", tmp_path / "in1.root", "-o", tmp_path / "again")
    assert done.returncode == WRONG_USAGE
    assert "has no record of a run" in done.stderr
    done = call("rerun", tmp_path / "h.root", "-o", tmp_path)
    assert done.returncode == WRONG_USAGE
    assert "is that of the file" in done.stderr


def test_a_run_that_fails_leaves_no_folder(job, config, call, tmp_path):
    assert job(config).returncode == DONE
    full = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))}
    done = call("rerun", tmp_path / "skim.root", "-o", tmp_path / "made" / "again", **full)
    assert done.returncode == FAILED and "File too large" in done.stderr
    assert not (tmp_path / "made").exists()
    done = call("rerun", tmp_path / "skim.root", "-o", tmp_path / "in1.root" / "again")
    assert done.returncode == FAILED and "is a file" in done.stderr


def test_a_path_that_is_too_long_is_refused_at_once(job, config, call, tmp_path):
    assert job(config).returncode == DONE
    begin = time.monotonic()
    done = call("rerun", tmp_path / "h.root", "-o", "/".join(["d"] * 3000), cwd=tmp_path)
    assert time.monotonic() - begin < 10
    assert done.returncode == FAILED
    assert "the path is too long: it may have 4095 bytes" in done.stderr and len(done.stderr) < 10_000
    config["output"]["histograms"] = "d/" * 3000 + "h.root"
    done = job(config)
    assert done.returncode == WRONG_USAGE and "the path is too long" in done.stderr
    assert not (tmp_path / "d").exists()
