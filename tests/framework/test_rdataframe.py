# SPDX-License-Identifier: BSD-3-Clause
"""The same expression gives the same values and types as RDataFrame on the same file."""

import json
import subprocess

import awkward as ak
import numpy as np
import pytest
import uproot

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

NUM_ENTRIES = 3000

WRITE_INPUT = """
void write_expression_input(const char *path, int entries)
{
   auto model = ROOT::RNTupleModel::Create();
   auto number = model->MakeField<std::uint32_t>("n");
   auto flag = model->MakeField<bool>("flag");
   auto i8 = model->MakeField<std::int8_t>("i8");
   auto u16 = model->MakeField<std::uint16_t>("u16");
   auto i32 = model->MakeField<std::int32_t>("i32");
   auto i64 = model->MakeField<std::int64_t>("i64");
   auto u64 = model->MakeField<std::uint64_t>("u64");
   auto f = model->MakeField<float>("f");
   auto d = model->MakeField<double>("d");
   auto pt = model->MakeField<std::vector<float>>("pt");
   auto eta = model->MakeField<std::vector<float>>("eta");
   auto phi = model->MakeField<std::vector<float>>("phi");
   auto mass = model->MakeField<std::vector<float>>("mass");
   auto charge = model->MakeField<std::vector<std::int32_t>>("charge");
   auto tight = model->MakeField<std::vector<bool>>("tight");
   auto vd = model->MakeField<std::vector<double>>("vd");
   auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
   TRandom3 random(7);
   const float special[] = {0.f, -0.f, 1e-40f, 3e38f, std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
   for (int entry = 0; entry < entries; ++entry) {
      *number = random.Integer(5);
      *flag = random.Integer(2);
      *i8 = random.Integer(256);
      *u16 = random.Integer(65536);
      *i32 = entry % 50 ? (int)random.Integer(2000) - 1000 : std::numeric_limits<std::int32_t>::max() - entry;
      *i64 = (std::int64_t)random.Integer(2000000000) * (random.Integer(2) ? 3 : -3);
      *u64 = random.Integer(2000000000) * 5ull;
      *f = entry % 10 ? random.Gaus(0, 30) : special[entry / 10 % 7];
      *d = random.Gaus(0, 30);
      pt->clear(); eta->clear(); phi->clear(); mass->clear(); charge->clear(); tight->clear(); vd->clear();
      for (unsigned i = 0; i < *number; ++i) {
         pt->push_back(random.Exp(30));
         eta->push_back(random.Uniform(-5, 5));
         phi->push_back(random.Uniform(-3.2, 3.2));
         mass->push_back(random.Integer(4) ? 0.105658f : -0.01f);
         charge->push_back(random.Integer(2) ? 1 : -1);
         tight->push_back(random.Integer(2));
         vd->push_back(random.Gaus(0, 2));
      }
      writer->Fill();
   }
}
"""

EXPRESSIONS = [
    "n + 1", "n - 1", "i8 + u16", "i8 * i8", "i32 + 1", "i32 * i64", "i64 - u64", "u64 * f", "f * f", "f * 2", "f * 0.1",
    "d / 3", "i32 / 7", "i32 % 7", "i64 / 1000", "u16 / 7u", "-i8", "-f", "!flag", "!i32", "+i8",
    "i32 & 255", "i32 | 1", "u16 ^ 77", "u16 << 3", "i32 >> 2", "i64 >> 5", "f < d", "f <= 0", "f > 0", "f >= 0", "f == 0",
    "f != f", "i32 == u16", "n == 2", "flag == true", "flag && f > 0", "flag || f > 0", "n == 2 && pt[0] > pt[1]",
    "n < 1 || pt[0] > 20", "n > 0 ? pt[0] : -1", "flag ? i8 : i32", "flag ? f : d", "f > 0 ? 1 : 2.5",
    "pt * 2", "pt * 2.", "2 * pt", "pt + eta", "pt * vd", "pt / f", "charge * 2", "charge + pt", "-charge", "!tight",
    "pt > 20", "pt > 20 && abs(eta) < 2.4", "pt > 20 || tight", "eta < vd", "charge == 1", "tight == true",
    "pt[pt > 20]", "eta[pt > 20 && abs(eta) < 2.4]", "charge[tight]", "pt[charge > 0].size()", "pt.size()",
    "Sum(pt)", "Sum(pt > 20)", "Sum(charge)", "Sum(vd)", "Sum(pt * pt)", "Any(pt > 50)", "All(pt > 5)", "Any(tight)",
    "n > 0 ? Max(pt) : 0", "n > 0 ? Min(eta) : 0", "n > 0 ? Max(charge) : 0",
    "sqrt(f)", "sqrt(d)", "sqrt(i32)", "sqrt(pt)", "exp(f / 100)", "log(pt)", "log10(abs(d))", "sin(f)", "cos(phi)", "tan(phi)",
    "atan2(phi, eta)", "atan2(f, d)", "asin(f / 1000)", "sinh(eta)", "cosh(eta)", "tanh(f)", "pow(pt, 2)", "pow(f, f)",
    "pow(d, 3)", "hypot(pt, vd)", "fmod(f, d)", "floor(f)", "ceil(d)", "round(f)", "abs(f)", "abs(i32)", "abs(charge)", "abs(d)",
    "expm1(eta)", "log1p(pt)", "cbrt(f)", "erf(d)",
    "DeltaPhi(phi, eta)", "DeltaR(eta, eta, phi, eta)",
    "InvariantMass(pt, eta, phi, mass)", "InvariantMass(vd, vd, vd, vd)",
]  # fmt: skip


@pytest.fixture(scope="module")
def input_file(tmp_path_factory):
    ROOT.gInterpreter.Declare(WRITE_INPUT)
    path = tmp_path_factory.mktemp("expressions") / "input.root"
    ROOT.write_expression_input(str(path), NUM_ENTRIES)
    return path


@pytest.fixture(scope="module")
def ours(input_file, skimline):
    """The values of all expressions by Skimline."""
    folder = input_file.parent
    config = {
        "schema_version": 1,
        "samples": {"sample": {"files": [input_file.name]}},
        "define": {f"e{i}": text for i, text in enumerate(EXPRESSIONS)},
        "skims": {"values": {"file": "ours.root", "keep": ["e*"], "drop": ["eta"]}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    subprocess.run([skimline, "run", folder / "config.json"], check=True, capture_output=True, text=True)
    return uproot.open(f"{folder / 'ours.root'}:Events")


@pytest.fixture(scope="module")
def theirs(input_file):
    """The values of all expressions by RDataFrame."""
    frame = ROOT.RDataFrame("Events", str(input_file))
    for i, text in enumerate(EXPRESSIONS):
        frame = frame.Define(f"e{i}", text)
    path = str(input_file.parent / "theirs.root")
    names = [f"e{i}" for i in range(len(EXPRESSIONS))]
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kTTree
    frame.Snapshot("Events", path, names, options)
    return uproot.open(f"{path}:Events"), [str(frame.GetColumnType(name)) for name in names]


SCALARS = {
    "bool": "bool", "char": "int8", "Char_t": "int8", "signed char": "int8", "unsigned char": "uint8", "std::int8_t": "int8",
    "short": "int16", "Short_t": "int16", "unsigned short": "uint16", "int": "int32", "Int_t": "int32", "std::int32_t": "int32",
    "unsigned int": "uint32", "UInt_t": "uint32", "std::uint32_t": "uint32", "long": "int64", "Long64_t": "int64", "Long_t": "int64",
    "long long": "int64", "unsigned long": "uint64", "ULong_t": "uint64", "ULong64_t": "uint64", "std::uint64_t": "uint64",
    "std::size_t": "uint64", "size_t": "uint64", "float": "float32", "Float_t": "float32", "double": "float64", "Double_t": "float64",
}  # fmt: skip


def numpy_type(cpp_type):
    inner = cpp_type.removeprefix("const ").strip()
    if "RVec<" in inner or "vector<" in inner:
        inner = inner[inner.index("<") + 1 : inner.rindex(">")].strip()
    return SCALARS[inner]


@pytest.mark.parametrize("index", range(len(EXPRESSIONS)), ids=EXPRESSIONS)
def test_values_and_types(index, ours, theirs):
    name = f"e{index}"
    their_tree, their_types = theirs
    mine, other = ours[name].array(), their_tree[name].array()
    assert ak.type(mine).content.__class__ is not None
    flat_mine, flat_other = np.asarray(ak.flatten(mine, axis=None)), np.asarray(ak.flatten(other, axis=None))
    assert flat_mine.dtype.name == numpy_type(their_types[index])
    assert mine.ndim == other.ndim
    if mine.ndim == 2:
        np.testing.assert_array_equal(ak.num(mine), ak.num(other))
    np.testing.assert_array_equal(flat_mine, flat_other.astype(flat_mine.dtype))
