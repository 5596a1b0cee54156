# SPDX-License-Identifier: BSD-3-Clause
"""Branches that say they have entries, and have no baskets with them."""

import json

import pytest
import ROOT
import uproot
from exit_codes import INCOMPLETE, WRONG_USAGE

ROOT.gInterpreter.Declare(
    """
    struct LostPoint { int x = 0; };
    struct LostPoints { int number = 0; std::vector<LostPoint> points; };

    // Of the sizes of a collection, or of a branch by itself, the baskets are forgotten.
    void WriteLostBaskets(const char *path, const char *lost) {
      TFile file(path, "RECREATE");
      TTree tree("t", "");
      auto *event = new LostPoints;
      tree.Branch("event.", &event, 32000, 99);
      for (; event->number < 20; ++event->number) {
        event->points.assign(event->number % 3, LostPoint{event->number});
        tree.Fill();
      }
      tree.FlushBaskets();
      TBranch *branch = tree.GetBranch(lost);
      branch->TBranch::Reset();
      branch->TBranch::SetEntries(20);
      file.cd();
      tree.Write("", TObject::kOverwrite);
    }

    // A branch that is added when the tree has entries.
    void WriteLateBranch(const char *path) {
      TFile file(path, "RECREATE");
      TTree tree("t", "");
      int x = 0, late = 0;
      tree.Branch("x", &x);
      for (; x < 10; ++x) tree.Fill();
      tree.Branch("late", &late)->SetFirstEntry(10);
      for (; x < 20; ++x) tree.Fill();
      tree.Write();
    }
    """
)


@pytest.mark.parametrize("lost", ["event.points", "event.number"])
def test_they_are_listed_and_the_others_are_read(call, run_in, tmp_path, lost):
    path = tmp_path / "in.root"
    ROOT.WriteLostBaskets(str(path), lost)
    column = {"event.points": "event.points_", "event.number": "event.number"}[lost]
    (tree,) = json.loads(call("inspect", "--json", path).stdout)["trees"]
    assert {each["name"]: each["reason"] for each in tree["unsupported"]} == {column: "it has no baskets"}
    done = call("convert", path, "-o", tmp_path / "out.root", "--collections", "vectors")
    assert done.returncode == INCOMPLETE, done.stderr
    with uproot.open(tmp_path / "out.root") as file:
        written = file["t"].arrays()
    assert written["event_points_x"].tolist() == [[i] * (i % 3) for i in range(20)]
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [f"{path}:t"]}},
        "histograms": {"h": {"x": {"value": column, "bins": 3, "range": [0, 3]}}},
        "output": {"histograms": "h.root"},
    }
    done = run_in(tmp_path, config)
    assert done.returncode == WRONG_USAGE
    assert "it has no baskets" in done.stderr


def test_a_branch_without_the_first_entries_says_so(call, tmp_path):
    ROOT.WriteLateBranch(str(tmp_path / "in.root"))
    (tree,) = json.loads(call("inspect", "--json", tmp_path / "in.root").stdout)["trees"]
    reasons = {each["name"]: each["reason"] for each in tree["unsupported"]}
    assert reasons == {"late": "it begins with entry 10 of the tree"}
