# SPDX-License-Identifier: BSD-3-Clause
"""Attributes of ranges of entries, which ROOT can write beside an RNTuple: they are not read, and that is said."""

import json
import warnings

import pytest
import ROOT
import uproot
from exit_codes import DONE, INCOMPLETE

ENTRIES = 10


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    path = tmp_path_factory.mktemp("attributes") / "in.root"
    ROOT.gInterpreter.Declare(
        """
        #include <ROOT/RNTupleAttrWriting.hxx>
        #include <ROOT/RNTupleModel.hxx>
        #include <ROOT/RNTupleWriter.hxx>
        #include <TFile.h>
        void write_attributes(const char* path, int entries) {
          auto model = ROOT::RNTupleModel::Create();
          auto x = model->MakeField<float>("x");
          std::unique_ptr<TFile> file(TFile::Open(path, "RECREATE"));
          auto writer = ROOT::RNTupleWriter::Append(std::move(model), "Events", *file);
          auto attributes = ROOT::RNTupleModel::Create();
          auto quality = attributes->MakeField<int>("quality");
          auto set = writer->CreateAttributeSet(std::move(attributes), "runinfo");
          auto range = set->BeginRange();
          for (int i = 0; i < entries; ++i) { *x = i; writer->Fill(); }
          *quality = 3;
          set->CommitRange(std::move(range));
        }
        """
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are experimental
        ROOT.write_attributes(str(path), ENTRIES)
    return path


def test_inspect_lists_them(call, events):
    found = json.loads(call("inspect", "--json", events).stdout)["ntuples"][0]
    assert [field["name"] for field in found["unsupported_fields"]] == ["attribute set runinfo"]
    assert "attribute set runinfo" in call("inspect", events).stdout


def test_a_skim_says_what_it_leaves_out(job, events, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [str(events)]}},
        "select": [{"name": "high", "where": "x > 4"}],
        "skims": {"s": {"file": "s.root"}},
    }
    done = job(config)
    assert done.returncode == INCOMPLETE, done.stderr
    assert "attribute set runinfo" in done.stderr
    assert uproot.open(tmp_path / "s.root")["Events"].arrays()["x"].tolist() == [5, 6, 7, 8, 9]
    config["skims"]["s"]["drop"] = ["attribute set *"]
    done = job(config, "--force")
    assert done.returncode == DONE, done.stderr


def test_convert_says_what_it_leaves_out(call, events, tmp_path):
    done = call("convert", events, "-o", tmp_path / "c.root")
    assert done.returncode == INCOMPLETE, done.stderr
    assert "attribute set runinfo" in done.stdout + done.stderr
