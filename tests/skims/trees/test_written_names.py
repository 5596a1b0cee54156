# SPDX-License-Identifier: BSD-3-Clause
"""Branches with names that no field can have, as ROOT writes them, in conversions and skims that uproot and ROOT read."""

import pytest
import ROOT
import uproot
from exit_codes import DONE

ROOT.gInterpreter.Declare(
    r"""
    void WriteOddNames(const char *path, const char *tree_name) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      TTree tree(tree_name, "");
      const char *names[] = {"plain", "a b", "a_b", "a:b", "p.q", "p_q", "slash/and\\", "tab\there", "\xe4"};
      int values[std::size(names)] = {};
      for (std::size_t i = 0; i < std::size(names); ++i)
        tree.Branch(names[i], &values[i], "v/I");
      for (int entry = 0; entry < 20; ++entry) {
        for (std::size_t i = 0; i < std::size(names); ++i)
          values[i] = 100 * i + entry;
        tree.Fill();
      }
      tree.Write();
    }
    """
)

# Of the file, in the order of the branches.
NAMES = ["plain", "a_b_2", "a_b", "a:b", "p_q_2", "p_q", "slash_and_", "tab_here", "_"]


def check(path, name):
    with uproot.open(path) as file:
        found = {key: file[name][key].array().to_list() for key in file[name].keys()}
    expected = {each: [100 * i + entry for entry in range(20)] for i, each in enumerate(NAMES)}
    assert found == expected


@pytest.fixture
def odd(tmp_path):
    ROOT.WriteOddNames(str(tmp_path / "in.root"), "my tree")
    return tmp_path / "in.root"


def test_conversion(call, odd, tmp_path):
    done = call("convert", odd, "-o", tmp_path / "out.root")
    assert done.returncode == DONE, done.stderr
    check(tmp_path / "out.root", "my_tree")
    assert '"my tree" is written as "my_tree"' in done.stderr
    assert '"a b" as "a_b_2"' in done.stderr and '"p.q" as "p_q_2"' in done.stderr
    assert ROOT.RNTupleReader.Open("my_tree", str(tmp_path / "out.root")).GetNEntries() == 20


@pytest.mark.parametrize("file_format", ["rntuple", "ttree"])
def test_skim(job, odd, tmp_path, file_format):
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": ["in.root"]}},
        "skims": {"s": {"file": "s.root", "keep": ["*"], "format": file_format}},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    check(tmp_path / "s.root", "Events")
    assert 'the skim "s" is written with ' in done.stderr
    assert '"a b" as "a_b_2"' in done.stderr and '"p.q" as "p_q_2"' in done.stderr
