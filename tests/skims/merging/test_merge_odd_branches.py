# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of trees with branches that share a name, and with some that were never filled."""

import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED

ROOT.gInterpreter.Declare(
    """
    void WriteOddBranches(const char *path, int begin, bool swaps, bool fills) {
      TFile file(path, "RECREATE");
      TTree tree("events", "");
      int first = 0, plain = 0, seldom = 0;
      double second = 0;
      if (swaps) tree.Branch("twice", &second, "second/D");
      tree.Branch("twice", &first, "first/I");
      tree.Branch("plain", &plain, "plain/I");
      if (!swaps) tree.Branch("twice", &second, "second/D");
      tree.Branch("seldom", &seldom, "seldom/I");
      if (!fills) tree.SetBranchStatus("seldom", false);
      for (int i = begin; i < begin + 10; ++i) {
        first = i, second = i + 0.5, plain = -i, seldom = 7 * i;
        tree.Fill();
      }
      tree.Write();
    }
    """
)


@pytest.fixture
def write(tmp_path):
    def write(name, begin, swaps=False, fills=True):
        ROOT.WriteOddBranches(str(tmp_path / name), begin, swaps, fills)
        return tmp_path / name

    return write


def branches(path):
    with uproot.open(path) as file:
        return [branch.array().tolist() for branch in file["events"].branches]


def test_branches_of_one_name_are_paired_in_their_order(call, write, tmp_path):
    done = call("merge", tmp_path / "m.root", write("a.root", 0), write("b.root", 10))
    assert done.returncode == DONE, done.stderr
    numbers = list(range(20))
    assert branches(tmp_path / "m.root") == [
        numbers,
        [-each for each in numbers],
        [each + 0.5 for each in numbers],
        [7 * each for each in numbers],
    ]


def test_branches_of_one_name_with_other_types_are_not_mixed(call, write, tmp_path):
    done = call("merge", tmp_path / "m.root", write("a.root", 0), write("b.root", 10, swaps=True))
    assert done.returncode == FAILED
    assert f'"twice" is first/I in {tmp_path}/a.root and second/D in {tmp_path}/b.root' in done.stderr
    assert f'"twice" (number 2) is second/D in {tmp_path}/a.root and first/I in' in done.stderr


def test_branches_that_were_never_filled_stay_empty(call, write, tmp_path):
    inputs = write("a.root", 0, fills=False), write("b.root", 10, fills=False)
    done = call("merge", tmp_path / "m.root", *inputs)
    assert done.returncode == DONE, done.stderr
    numbers = list(range(20))
    assert branches(tmp_path / "m.root")[0::3] == [numbers, []]
    assert call("verify", tmp_path / "m.root").returncode == DONE


@pytest.mark.parametrize("fills", [False, True])
def test_branches_that_some_files_never_filled_are_refused(call, write, tmp_path, fills):
    """The entries of one file would be taken for those of another."""
    inputs = write("a.root", 0, fills=fills), write("b.root", 10, fills=not fills)
    done = call("merge", tmp_path / "m.root", *inputs)
    assert done.returncode == FAILED
    assert '"seldom"' in done.stderr
    assert f"in {inputs[1]}" in done.stderr
    assert not (tmp_path / "m.root").exists()
