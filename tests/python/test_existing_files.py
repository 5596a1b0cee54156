# SPDX-License-Identifier: BSD-3-Clause
"""What writes files from Python replaces older ones of its own, others only with force."""

import json

import numpy as np
import pytest
import skimline as sk
from skimline.errors import ConfigError


@pytest.fixture
def commands(dimuon, tmp_path, monkeypatch):
    """Each writes the file that it is given."""
    monkeypatch.chdir(tmp_path)
    events = sk.open(f"{dimuon}:Events")
    mass = events.hist("MET_pt", bins=5, range=(0, 100), name="met")
    samples = {"d": {"files": [str(dimuon)]}}
    histograms = {"h": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 100]}}}
    config = {
        "schema_version": 1,
        "samples": samples,
        "histograms": histograms,
        "output": {"histograms": "in.root"},
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    sk.run_config("a.json")

    def run_config(path, **options):
        return sk.run_config("a.json", sets=[f"output.histograms={path}"], **options)

    return {
        "run": lambda path, **options: sk.run(mass, histograms=path, **options),
        "run_config": run_config,
        "skim": lambda path, **options: sk.run(events.skim(path, keep=["MET_*"]), **options),
        "merge": lambda path, **options: sk.merge(path, ["in.root"], **options),
        "convert": lambda path, **options: sk.convert(dimuon, path, **options),
        "generate": lambda path, **options: sk.generate("dijet", path, events=10, **options),
        "write": lambda path, **options: sk.write(path, {"x": np.arange(3.0)}, **options),
    }


@pytest.mark.parametrize("name", ["run", "run_config", "skim", "merge", "convert", "generate", "write"])
def test_files_of_others(commands, tmp_path, name):
    path = tmp_path / "out.root"
    path.write_text("of somebody")
    with pytest.raises(ConfigError, match="force=True"):
        commands[name](str(path))
    assert path.read_text() == "of somebody"
    commands[name](str(path), force=True)
    assert path.read_bytes().startswith(b"root")
    commands[name](str(path))


def test_what_comes_while_a_file_is_written_stays(tmp_path):
    path = tmp_path / "out.root"
    with pytest.raises(ConfigError, match="force=True"), sk.create(str(path)) as out:
        out.extend({"x": np.arange(3.0)})
        path.write_text("of somebody")
    assert [each.name for each in tmp_path.iterdir()] == ["out.root"]
    assert path.read_text() == "of somebody"
    with sk.create(str(path), force=True) as out:
        out.extend({"x": np.arange(3.0)})
    assert path.read_bytes().startswith(b"root")


def test_a_config_does_not_write_over_friends(dimuon, tmp_path):
    friend = tmp_path / "friend.root"
    friend.write_bytes(dimuon.read_bytes())
    sample = {"files": [str(dimuon)], "friends": {"f": {"files": [str(friend)]}}}
    config = {"schema_version": 1, "samples": {"d": sample}, "skims": {"s": {"file": str(friend)}}}
    with pytest.raises(ConfigError, match='a file of the friend "f"'):
        sk.run_config(config, force=True)
    assert friend.read_bytes() == dimuon.read_bytes()
