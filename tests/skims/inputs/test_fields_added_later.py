# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of a range, in a field that was added later: the entries before are zeros, of which nothing is stored."""

import textwrap

import pytest
import uproot
from prepared_root import prepared_root

SCRIPT = textwrap.dedent(
    """
    ROOT.gInterpreter.Declare('''
    #include <ROOT/RField.hxx>
    #include <ROOT/RNTupleModel.hxx>
    #include <ROOT/RNTupleWriter.hxx>
    void write(const char *path) {
      auto model = ROOT::RNTupleModel::Create();
      auto number = model->MakeField<int>("number");
      auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
      for (*number = 0; *number < 3; ++*number) writer->Fill();
      auto updater = writer->CreateModelUpdater();
      updater->BeginUpdate();
      auto field = std::make_unique<ROOT::RField<float>>("late");
      field->SetQuantized(16, {-300, 300});
      updater->AddField(std::move(field));
      updater->CommitUpdate();
      auto late = writer->GetModel().GetDefaultEntry().GetPtr<float>("late");
      for (*late = 150; *number < 6; ++*number) writer->Fill();
    }
    void write_alike(const char *path, bool has_range) {
      auto model = ROOT::RNTupleModel::Create();
      auto number = model->MakeField<int>("number");
      auto field = std::make_unique<ROOT::RField<float>>("late");
      field->SetQuantized(16, {-300, 300});
      if (has_range) model->AddField(std::move(field));
      auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
      for (*number = 6; *number < 8; ++*number) writer->Fill();
    }
    ''')
    ROOT.write(sys.argv[1])
    ROOT.write_alike(sys.argv[2], True)
    ROOT.write_alike(sys.argv[3], False)
    """
)


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    path = tmp_path_factory.mktemp("late") / "late.root"
    with prepared_root() as root:
        root.run(SCRIPT, path, path.with_name("range.root"), path.with_name("number.root"))
    return path


def values(path):
    with uproot.open(path) as file:
        return file["Events"]["late"].array().tolist()


def test_conversions_keep_the_zeros(call, late, tmp_path):
    output = tmp_path / "converted.root"
    assert call("convert", late, "-o", output).returncode == 0
    assert values(output) == pytest.approx([0, 0, 0, 150, 150, 150], abs=0.01)
    assert call("diff", late, output, "--ignore-record").returncode == 0


@pytest.mark.parametrize("first", [0, 2])
def test_skims_keep_the_zeros(job, late, tmp_path, first):
    config = {
        "schema_version": 1,
        "samples": {"events": {"files": [str(late)]}},
        "skims": {"skim": {"file": "skim.root", "where": f"number >= {first}"}},
    }
    assert job(config).returncode == 0
    assert values(tmp_path / "skim.root") == pytest.approx([0, 0, 0, 150, 150, 150][first:], abs=0.01)


def test_merging_says_that_it_has_no_place_for_the_zeros(call, late, tmp_path):
    merged = call("merge", tmp_path / "merged.root", late)
    assert merged.returncode == 1
    assert f'{late}: RNTuple "Events": a column of field "late" lacks the first 3 elements' in merged.stderr
    assert not (tmp_path / "merged.root").exists()
    converted = tmp_path / "converted.root"
    assert call("convert", late, "-o", converted).returncode == 0
    assert call("merge", tmp_path / "merged.root", converted).returncode == 0
    assert values(tmp_path / "merged.root") == pytest.approx([0, 0, 0, 150, 150, 150], abs=0.01)


def test_zeros_of_missing_fields_have_no_place_either(call, late, tmp_path):
    inputs = late.with_name("range.root"), late.with_name("number.root")
    merged = call("merge", "--missing-fields", "default", tmp_path / "merged.root", *inputs)
    assert merged.returncode == 1
    assert (
        f'{inputs[1]}: RNTuple "Events": a column of field "late" is missing: its 2 elements' in merged.stderr
    )
    assert not (tmp_path / "merged.root").exists()
