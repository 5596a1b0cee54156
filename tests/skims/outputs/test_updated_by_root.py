# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that ROOT opened with UPDATE: their checksums do not count, whether the file has grown or not."""

import json

import pytest
import ROOT
from exit_codes import DONE, FAILED


def add_object(file):
    file.cd()
    ROOT.TNamed("added", "later").Write()


def delete_record(file):
    file.Delete("skimline;*")


def replace_tree(file):
    """Saved on the way, and last where that begins: the file ends where it did, or before."""
    tree = file.Get("Events")
    for _ in range(3):
        tree.AutoSave()
    tree.Write("", ROOT.TObject.kOverwrite)


UPDATES = [add_object, delete_record, replace_tree]


@pytest.fixture(scope="module")
def skim(generate, run_in, tmp_path_factory):
    folder = tmp_path_factory.mktemp("updated")
    generate("dimuon", folder / "in.root", 2000, "--seed", 5)
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root:Events"]}},
        "skims": {"s": {"file": "s.root", "keep": ["*"], "format": "ttree"}},
    }
    assert run_in(folder, config).returncode == DONE
    return folder / "s.root"


@pytest.fixture
def updated(skim, tmp_path):
    def updated(update):
        path = tmp_path / "u.root"
        path.write_bytes(skim.read_bytes())
        with ROOT.TFile.Open(str(path), "UPDATE") as file:
            update(file)
        return path

    return updated


@pytest.mark.parametrize("update", UPDATES, ids=lambda update: update.__name__)
def test_what_root_updated_is_read(call, updated, update):
    path = updated(update)
    done = call("inspect", "--json", path)
    assert done.returncode == DONE, done.stderr
    assert json.loads(done.stdout)["trees"][0]["entries"] == 2000


def test_damage_to_the_header_is_found(call, skim, tmp_path):
    content = bytearray(skim.read_bytes())
    for place in (19, 27, 40, 44, 70):  # list of free bytes, its segments, class descriptions, their size
        damaged = tmp_path / "d.root"
        damaged.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        done = call("inspect", damaged)
        assert done.returncode == FAILED, place
        assert "checksum of the header" in done.stderr
