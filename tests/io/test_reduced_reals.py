# SPDX-License-Identifier: BSD-3-Clause
"""Reduced reals: the bytes ROOT writes for them, and the numbers it reads."""

import subprocess
import sys
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

NUM_VALUES = 1000
MINIMUM, MAXIMUM = -2.5, 7.0
TRUNCATED_BITS = (10, 11, 16, 17, 23, 30, 31)
QUANTIZED_BITS = (1, 2, 7, 8, 16, 20, 31, 32)
REAL16, REAL32, SPLIT_REAL32, TRUNCATED, QUANTIZED = 0x0B, 0x0C, 0x18, 0x1C, 0x1D
SCALARS = ("float", "double")
# Each: name, how ROOT is told, column type, bits.
WAYS = [
    ("half", "SetHalfPrecision()", REAL16, 16),
    *[(f"truncated{bits}", f"SetTruncated({bits})", TRUNCATED, bits) for bits in TRUNCATED_BITS],
    *[
        (f"quantized{bits}", f"SetQuantized({bits}, {{{MINIMUM}, {MAXIMUM}}})", QUANTIZED, bits)
        for bits in QUANTIZED_BITS
    ],
    *[
        (name, f"SetColumnRepresentatives({{{{ROOT::ENTupleColumnType::{kind}}}}})", number, 32)
        for name, kind, number in (
            ("plain", "kReal32", REAL32),
            ("split", "kSplitReal32", SPLIT_REAL32),
        )
    ],
]
CASES = [
    pytest.param(f"{scalar}_{name}", scalar, number, bits, id=f"{scalar}_{name}")
    for scalar in SCALARS
    for name, _, number, bits in WAYS
]

WRITE = """
import sys, numpy, ROOT
ROOT.gInterpreter.Declare('''
#include <ROOT/RField.hxx>
#include <ROOT/RNTupleModel.hxx>
#include <ROOT/RNTupleWriteOptions.hxx>
#include <ROOT/RNTupleWriter.hxx>
template <typename T, typename Tell>
void add_field(ROOT::RNTupleModel& model, const char* name, Tell tell) {{
  auto field = std::make_unique<ROOT::RField<T>>(name);
  tell(*field);
  model.AddField(std::move(field));
}}
void write(const char* path, const double* values, std::size_t num_values) {{
  auto model = ROOT::RNTupleModel::Create();
  {fields}
  ROOT::RNTupleWriteOptions options;
  options.SetCompression(0);
  auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "events", path, options);
  auto entry = writer->CreateEntry();
  for (std::size_t i = 0; i < num_values; ++i) {{
    {fill}
    writer->Fill(*entry);
  }}
}}
''')
values = numpy.load(sys.argv[1])
ROOT.write(sys.argv[2], values, len(values))
read = ROOT.RDataFrame("events", sys.argv[2]).AsNumpy()
numpy.savez(sys.argv[3], **read)
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict, "np.ndarray"]:
    """The bytes of a file by ROOT with every reduced form, what ROOT reads from it, and the values."""
    pytest.importorskip("ROOT")
    folder = tmp_path_factory.mktemp("reduced")
    values = np.random.default_rng(1).uniform(MINIMUM, MAXIMUM, NUM_VALUES)
    values[:4] = [MINIMUM, MAXIMUM, 0.0, 1e-7]
    np.save(folder / "values.npy", values)
    names = [(scalar, f"{scalar}_{name}", tell) for scalar in SCALARS for name, tell, *_ in WAYS]
    program = WRITE.format(
        fields="\n  ".join(
            f'add_field<{scalar}>(*model, "{name}", [](auto& field) {{ field.{tell}; }});'
            for scalar, name, tell in names
        ),
        fill="\n    ".join(
            f'*entry->GetPtr<{scalar}>("{name}") = static_cast<{scalar}>(values[i]);'
            for scalar, name, _ in names
        ),
    )
    arguments = [folder / "values.npy", folder / "reduced.root", folder / "read.npz"]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, *arguments], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return (folder / "reduced.root").read_bytes(), dict(np.load(folder / "read.npz")), values


def codec(build_folder: Path, action: str, number: int, bits: int, scalar: str, data: bytes) -> bytes:
    """What io_page_codec makes of the data."""
    program = build_folder / "tests" / "io" / "io_page_codec"
    arguments = [action, number, bits, MINIMUM, MAXIMUM, scalar]
    return subprocess.run([program, *map(str, arguments)], input=data, capture_output=True, check=True).stdout


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize(("name", "scalar", "number", "bits"), CASES)
def test_pages_are_those_of_root(
    written: tuple, build_folder: Path, name: str, scalar: str, number: int, bits: int
) -> None:
    file_bytes, read_by_root, values = written
    source = values.astype({"float": np.float32, "double": np.float64}[scalar])
    page = codec(build_folder, "encode", number, bits, scalar, source.tobytes())
    assert len(page) == (NUM_VALUES * bits + 7) // 8
    assert page in file_bytes
    decoded = np.frombuffer(codec(build_folder, "decode", number, bits, scalar, page), source.dtype)
    assert read_by_root[name].dtype == source.dtype
    assert decoded[:NUM_VALUES].tobytes() == read_by_root[name].tobytes()
