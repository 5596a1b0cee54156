# SPDX-License-Identifier: BSD-3-Clause
"""No output replaces what a run reads, and none a file of somebody else unless that is asked for."""

import json
import os
import shutil

import pytest
import uproot
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE

HISTOGRAM = {"x": {"value": "MET_pt", "bins": 5, "range": [0, 100]}}


@pytest.fixture(scope="module")
def events(generate, tmp_path_factory):
    return generate("dimuon", tmp_path_factory.mktemp("events") / "in.root", 50)


def config_for(*, name="h.root", **more):
    return {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "histograms": {"h": HISTOGRAM},
        "output": {"histograms": name},
    } | more


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def folder(events, tmp_path):
    """Everything that a run can read."""
    shutil.copy(events, tmp_path / "in.root")
    shutil.copy(events, tmp_path / "fr.root")
    (tmp_path / "link.root").symlink_to("fr.root")
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    (tmp_path / "list.txt").write_text("in.root\n")
    (tmp_path / "gold.json").write_text('{"1": [[1, 1000]]}')
    (tmp_path / "inc.json").write_text(json.dumps({"define": {"x": "MET_pt"}}))
    (tmp_path / "from.json").write_text(json.dumps({"other": {"files": {"in.root": "Events"}}}))
    d = {"files": ["@list.txt"], "friends": {"f": {"files": ["fr.root"]}}, "lumi_mask": "gold.json"}
    config = config_for(include="inc.json", samples={"d": d}, samples_from="from.json")
    config["histograms"] = {"h": {"x": HISTOGRAM["x"] | {"value": "x"}}}
    (tmp_path / "a.json").write_text(json.dumps(config))
    return tmp_path


READ = [
    "in.root",
    "fr.root",
    "link.root",
    "elsewhere/fr.root",
    "list.txt",
    "gold.json",
    "inc.json",
    "from.json",
    "a.json",
]
OPTIONS = {
    "report": lambda path: ["--report", path],
    "trace": lambda path: ["--trace", path],
    "histograms": lambda path: ["--set", f"output.histograms={path}"],
    "cutflow": lambda path: ["--set", f"output.cutflow={path}"],
    "skim": lambda path: ["--set", f'skims.s={{"file": "{path}"}}'],
}


@pytest.mark.parametrize("output", OPTIONS)
def test_no_output_replaces_what_is_read(call, folder, output):
    before = contents(folder)
    for path in READ:
        done = call("run", "a.json", "-f", "--samples", "d", *OPTIONS[output](path), cwd=folder)
        assert done.returncode == WRONG_USAGE, path
        assert "this file is also " in done.stderr
    assert contents(folder) == before


def test_hard_links_are_other_files(call, folder):
    os.link(folder / "fr.root", folder / "hard.root")
    before = (folder / "fr.root").read_bytes()
    done = call("run", "a.json", "-f", "--samples", "d", "--set", "output.histograms=hard.root", cwd=folder)
    assert done.returncode == DONE, done.stderr
    assert (folder / "fr.root").read_bytes() == before
    assert uproot.open(folder / "hard.root").keys(filter_classname="TH1D")


def run(call, folder, config, *arguments, name="a.json"):
    (folder / name).write_text(json.dumps(config))
    return call("run", name, *arguments, cwd=folder)


@pytest.fixture
def plain(events, tmp_path):
    shutil.copy(events, tmp_path / "in.root")
    return tmp_path


def test_the_same_analysis_may_be_run_again(call, plain):
    """After any change of its cuts, of a copy without attributes too, and with what older runs have left."""
    skims = {"s": {"file": "s.root"}}
    output = {"histograms": "h.root", "cutflow": "c.csv"}
    for cut in ("nMuon > 0", "nMuon > 1"):
        select = [{"name": "x", "where": cut}]
        done = run(call, plain, config_for(select=select, skims=skims, output=output), "--trace", "t.json")
        assert done.returncode == DONE, done.stderr
    for name in ("h.root", "s.root", "c.csv", "t.json", "a.report.json"):
        os.removexattr(plain / name, "user.skimline.job")
    done = run(call, plain, config_for(skims=skims, output=output), "--trace", "t.json")
    assert done.returncode == DONE, done.stderr
    assert run(call, plain, config_for(skims=skims, output=output), "--dry-run").returncode == DONE


@pytest.mark.parametrize("kind", ["root", "text", "sample", "config"])
def test_files_of_others_need_force(call, events, plain, kind):
    path = plain / "h.root"
    if kind == "root":
        with uproot.recreate(path) as file:
            file["x"] = "text"
    elif kind == "text":
        path.write_text("of somebody")
    elif kind == "sample":
        shutil.copy(events, path)
    else:
        assert run(call, plain, config_for(), "--no-report", name="other.json").returncode == DONE
    before = contents(plain)
    done = run(call, plain, config_for())
    assert done.returncode == WRONG_USAGE
    assert 'the output of the histograms: "h.root" ' in done.stderr and "--force" in done.stderr
    assert {**contents(plain), "a.json": b""} == {**before, "a.json": b""}
    assert run(call, plain, config_for(), "--force").returncode == DONE
    assert "h" in uproot.open(path)


def test_a_merge_with_other_configs_needs_force(call, plain):
    """A copy of it, which has no attribute: the analysis that is run again is only one of those in it."""
    other = config_for(samples={"e": {"files": ["in.root"]}}, name="other.root")
    for name, config in (("a.json", config_for()), ("other.json", other)):
        assert run(call, plain, config, "--no-report", name=name).returncode == DONE
    assert call("merge", "sum.root", "h.root", "other.root", cwd=plain).returncode == DONE
    (plain / "h.root").unlink()
    (plain / "h.root").write_bytes((plain / "sum.root").read_bytes())
    before = contents(plain)
    done = run(call, plain, config_for(), "--no-report")
    assert done.returncode == WRONG_USAGE
    assert '"h.root" exists, and is no output of an earlier run of this config' in " ".join(
        done.stderr.split()
    )
    assert contents(plain) == before


def test_configs_without_a_name_replace_outputs_of_their_samples(call, plain):
    def run_piped(config):
        return call("run", "/dev/stdin", "--no-report", cwd=plain, input=json.dumps(config))

    assert run_piped(config_for()).returncode == DONE
    assert run_piped(config_for(histograms={"renamed": HISTOGRAM})).returncode == DONE
    before = contents(plain)
    done = run_piped(config_for(samples={"e": {"files": ["in.root"]}}))
    assert done.returncode == WRONG_USAGE
    assert "is no output of an earlier run of this config" in " ".join(done.stderr.split())
    assert contents(plain) == before


@pytest.mark.parametrize("option", ["--report", "--trace"])
def test_reports_and_traces_need_force_too(call, plain, option):
    (plain / "note.txt").write_text("of somebody")
    assert run(call, plain, config_for(), option, "note.txt").returncode == WRONG_USAGE
    assert (plain / "note.txt").read_text() == "of somebody"
    assert not (plain / "h.root").exists()
    assert run(call, plain, config_for(), option, "note.txt", "-f").returncode == DONE
    assert run(call, plain, config_for(), option, "note.txt").returncode == DONE


def test_a_merge_without_an_output(call, plain):
    for shard in (1, 2):
        assert run(call, plain, config_for(), "--shard", f"{shard}/2").returncode == DONE
    parts = ["h.shard1of2.root", "h.shard2of2.root"]
    before = contents(plain)
    assert call("merge", *parts, cwd=plain).returncode == WRONG_USAGE
    assert contents(plain) == before
    for _ in range(2):
        assert call("merge", "all.root", *parts, cwd=plain).returncode == DONE
    assert call("merge", "all.root", parts[0], cwd=plain).returncode == WRONG_USAGE
    assert call("merge", "-f", "all.root", parts[0], cwd=plain).returncode == INCOMPLETE


def test_other_commands_need_force(call, plain):
    commands = [
        ("generate", "dimuon", "--events", "10"),
        ("convert", "in.root"),
        ("init", "in.root"),
    ]
    for command in commands:
        (plain / "x.json").write_text("of somebody")
        assert call(*command, "-o", "x.json", cwd=plain).returncode == WRONG_USAGE
        assert (plain / "x.json").read_text() == "of somebody"
        assert call(*command, "-f", "-o", "x.json", cwd=plain).returncode == DONE
    assert call("generate", "dimuon", "--events", "9", "-o", "g.root", cwd=plain).returncode == DONE
    assert call("generate", "dimuon", "--events", "8", "-o", "g.root", cwd=plain).returncode == DONE
    assert (
        call("generate", "dimuon", "--events", "8", "--seed", "9", "-o", "g.root", cwd=plain).returncode
        == WRONG_USAGE
    )
    assert call("convert", "-f", "in.root", "-o", "in.root", cwd=plain).returncode == WRONG_USAGE


def test_shards_elsewhere_give_the_bytes_of_the_whole(call, plain):
    skims = {"s": {"file": "s.root"}}
    config = config_for(skims=skims)
    assert run(call, plain, config).returncode == DONE
    (plain / "out").mkdir()
    for shard in (1, 2):
        sets = [
            "--set",
            "output.histograms=out/x.root",
            "--set",
            "skims.s.file=out/y.root",
            "--set",
            "output.cutflow=c.csv",
        ]
        assert run(call, plain, config, *sets, "--shard", f"{shard}/2").returncode == DONE
    parts = [plain / "out" / f"x.shard{shard}of2.root" for shard in (1, 2)]
    assert call("merge", plain / "all.root", *parts).returncode == DONE
    assert (plain / "all.root").read_bytes() == (plain / "h.root").read_bytes()
    assert run(call, plain, config, "--set", "skims.s.file=z.root").returncode == DONE
    assert (plain / "z.root").read_bytes() == (plain / "s.root").read_bytes()


@pytest.mark.parametrize("value", ["{}", "null"])
def test_what_is_switched_off(call, plain, value):
    config = config_for(skims={"s": {"file": "s.root"}}, select=[{"name": "x", "where": "nMuon > 0"}])
    assert run(call, plain, config, "--set", f"skims={value}").returncode == DONE
    assert not (plain / "s.root").exists() and (plain / "h.root").exists()
    (plain / "h.root").unlink()
    assert run(call, plain, config, "--set", f"histograms={value}").returncode == DONE
    assert (plain / "s.root").exists() and not (plain / "h.root").exists()


@pytest.mark.parametrize("name", [".", ".."])
def test_samples_stay_in_their_folder(call, plain, name):
    (plain / "w").mkdir()
    config = config_for(skims={"s": {"file": "w/{sample}/y.root"}})
    config["samples"] = {name: {"files": ["in.root"]}}
    done = run(call, plain, config)
    assert done.returncode == WRONG_USAGE and "cannot name a sample" in done.stderr
    (plain / "list.json").write_text(json.dumps({name: {"files": {"in.root": "Events"}}}))
    del config["samples"]
    done = run(call, plain, config | {"samples_from": "list.json"})
    assert done.returncode == WRONG_USAGE and "cannot name a sample" in done.stderr
    assert not list(plain.glob("**/y.root"))


@pytest.mark.parametrize("character", ["\x1b", "\n", "\x7f", "\x9b", "\u2028"])
def test_names_hold_no_control_characters(call, plain, character):
    name = f"a{character}b"
    where = {"where": "nMuon > 0"}
    cases = [
        {"select": [{"name": name} | where]},
        {"regions": {name: where}},
        {"histograms": {name: HISTOGRAM}},
        {"skims": {name: {"file": "s.root"}}},
        {"samples": {name: {"files": ["in.root"]}}},
    ]
    for case in cases:
        done = run(call, plain, config_for(**case))
        assert done.returncode == WRONG_USAGE
        assert "control characters" in done.stderr
    assert sorted(path.name for path in plain.iterdir()) == ["a.json", "in.root"]


def test_quiet_prints_no_tables(call, plain):
    done = run(call, plain, config_for(), "-q")
    assert (done.returncode, done.stdout, done.stderr) == (DONE, "", "")
    done = call("merge", "-q", "all.root", "h.root", cwd=plain)
    assert (done.returncode, done.stdout, done.stderr) == (DONE, "", "")
    assert json.loads(run(call, plain, config_for(), "-q", "--report", "-").stdout)["events"] == 50


def test_a_forgotten_config(call, plain):
    done = call("run", "in.root", cwd=plain)
    assert done.returncode == WRONG_USAGE
    assert done.stderr == "in.root: is a ROOT file; a text such as a config is expected\n"
    (plain / "x.bin").write_bytes(b"\x89PNG\x00\x1b[2J")
    done = call("run", "x.bin", cwd=plain)
    assert done.stderr == "x.bin: is a binary file; a text such as a config is expected\n"
