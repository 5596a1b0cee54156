# SPDX-License-Identifier: BSD-3-Clause
"""Files of Parquet and Arrow IPC as inputs: compared with what pyarrow sees."""

import json
import os
import subprocess

import awkward as ak
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import skimline as sk
import skimline.writing
from arrow_files import config_of, written

pytestmark = pytest.mark.usefixtures("arrow_cache")


@pytest.mark.parametrize("end", [".parquet", ".arrow", ".feather"])
def test_all_columns_are_read(table, tmp_path, end):
    frame = sk.open(str(written(table, tmp_path / f"events{end}")))
    assert frame.num_entries == len(table)
    for name, truth in (
        ("met", table["met"]),
        ("run", table["run"]),
        ("is_good", table["is_good"]),
        ("trigger", table["trigger"].combine_chunks().dictionary_decode()),
        ("pair", table["pair"]),
        ("vertex.z", pa.chunked_array([each.field("z") for each in table["vertex"].chunks])),
    ):
        assert frame.arrays([name], library="pa")[name].to_pylist() == truth.to_pylist(), name
    muons = ak.from_arrow(table["Muon"])
    for name, truth in (("Muon.pt", muons.pt), ("Muon.hits", muons.hits)):
        found = frame.arrays([name])[name]
        assert found.to_list() == truth.to_list()
        assert str(found.type).rpartition(" ")[2] == str(truth.type).rpartition("?")[2].strip("]")


def test_expressions_are_those_of_root_files(table, tmp_path):
    histogram = sk.hist(
        str(written(table, tmp_path / "events.parquet")),
        "Sum(Muon.pt[Muon.pt > 20])",
        bins=10,
        range=(0, 100),
    )
    muons = ak.from_arrow(table["Muon"])
    sums = ak.to_numpy(ak.sum(muons.pt[muons.pt > 20], axis=1))
    assert histogram.values().tolist() == np.histogram(sums, 10, (0, 100))[0].tolist()


def test_bare_program_says_what_to_install(skimline, table, tmp_path):
    config = tmp_path / "c.json"
    config.write_text(json.dumps(config_of(written(table, tmp_path / "events.parquet"))))
    done = subprocess.run([skimline, "validate", config], check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "pip install 'skimline[arrow]'" in done.stderr and '"format": "parquet"' in done.stderr
    done = subprocess.run(
        [skimline, "inspect", "events.parquet"], check=False, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "events.parquet: cannot be read" in done.stderr and "skimline[arrow]" in done.stderr


@pytest.fixture
def mixed():
    """Columns that cannot be read, each for a reason of its own, beside one that can."""
    columns = {
        "x": [1.0, 2.0, 3.0],
        "when": pa.array([1, 2, 3], pa.timestamp("us")),
        "r": pa.array([[{"d": None}], [], []]),
        "gaps": pa.array([1.0, None, 3.0]),
        "inner": pa.array([[1], [None], []], pa.list_(pa.int32())),
        "part": pa.array([{"a": 1}, {"a": None}, {"a": 3}]),
        "word": pa.array(["a", None, "b"]).dictionary_encode(),
        "a.b": [1, 2, 3],
        "struct": pa.array([{"a.b": 1}] * 3),
        "cents": pa.array([1, 2, 3], pa.decimal128(5, 2)),
    }
    return pa.table(columns)


REASONS = {
    "when": "dates and times are not read: write them as integers",
    "r": "it is no number, bool, text, list or struct",
    "gaps": "it has missing values: fill or drop them",
    "inner": "it has missing values: fill or drop them",
    "part": "it has missing values: fill or drop them",
    "word": "it has missing values: fill or drop them",
    "a.b": "no field can have this name",
    "struct": "no field can have the name of one of its members",
    "cents": "it is no number, bool, text, list or struct",
}


@pytest.mark.parametrize("end", [".parquet", ".arrow"])
def test_columns_that_cannot_be_read_are_left_out_with_a_reason(mixed, tmp_path, end):
    file = written(mixed, tmp_path / f"mixed{end}")
    found = sk.inspect(file).ntuples[0]
    assert [field.name for field in found.fields] == ["x"]
    assert found.description == ""
    assert {each.name: each.reason for each in found.unsupported_fields} == REASONS
    assert {each.name: each.type for each in found.unsupported_fields} == {
        name: str(mixed.schema.field(name).type).replace("item", found_item(file)) for name in REASONS
    }
    assert sk.open(str(file)).arrays("x", library="np")["x"].tolist() == [1, 2, 3]
    frame = sk.open(str(file))
    for ask in (
        lambda: frame.arrays("gaps + 1"),
        lambda: frame.define("y", "2 * gaps"),
        lambda: frame.filter("gaps > 1"),
        lambda: frame.hist("gaps", bins=3, range=(0, 1)),
        lambda: frame.vary("up", {"x": "gaps"}),
    ):
        with pytest.raises(sk.ExpressionError, match="cannot be used in expressions: it has missing values"):
            ask()
    skim = {"schema_version": 1, "samples": {"a": {"files": [str(file)]}}, "skims": {"s": {"file": "s.root"}}}
    with (
        pytest.warns(sk.IncompleteWarning),
        pytest.warns(sk.RunWarning, match='without 9 columns: "when"'),
    ):
        sk.run_config(skim)


def found_item(file):
    """What the format calls the items of lists."""
    return "element" if file.suffix == ".parquet" else "item"


def test_files_without_a_column_that_can_be_read(tmp_path):
    table = pa.table({"gaps": pa.array([[1.0], None]), "when": pa.array([1, 2], pa.date32())})
    with pytest.raises(sk.FileError) as error:
        sk.open(str(written(table, tmp_path / "t.parquet")))
    assert 't.parquet: it has no columns that can be read: "when" (date32[day])' in str(error.value)
    assert '"gaps" (list<element: double>): it has missing values' in str(error.value)
    with pytest.raises(sk.FileError, match="it has no columns"):
        sk.open(str(written(pa.table({}), tmp_path / "none.arrow")))
    with pytest.raises(sk.FileError, match="cannot be opened: no such file"):
        sk.inspect(tmp_path / "none.parquet")


def test_types_that_are_read_as_others(tmp_path):
    """Reals of 16 bits and texts in pieces, in lists too."""
    reals = np.array([1.5, -65504, np.inf, 6e-8, 0.0], "float16")
    views = pa.array(["a", "", "a text that is longer than a view", "ü", "b"], pa.string_view())
    lists = pa.array([[1.5], [], [2.5, -3.0], [0.25], []], pa.list_(pa.float16()))
    with pa.ipc.new_file(
        tmp_path / "t.arrow", pa.schema([("h", pa.float16()), ("s", pa.string_view()), ("l", lists.type)])
    ) as out:
        out.write_table(pa.table({"h": pa.array(reals), "s": views, "l": lists}))
    found = sk.open(str(tmp_path / "t.arrow")).arrays(library="pa")
    assert found["h"].type == pa.float32()
    assert np.array_equal(found["h"].to_numpy(), reals.astype("float32"))
    assert found["s"].to_pylist() == views.to_pylist()
    assert found["l"].to_pylist() == [[1.5], [], [2.5, -3.0], [0.25], []]


@pytest.mark.parametrize("end", [".parquet", ".arrow"])
def test_dictionaries_anywhere(tmp_path, end):
    """In lists that lie in several row groups too, which pyarrow does not put together."""
    words, numbers = (
        pa.array(values).dictionary_encode() for values in (list("abcab"), [1.5, 2.0, 1.5, 2.0, 0.5])
    )
    offsets = pa.array([0, 2, 2, 5], pa.int32())
    whole = pa.table(
        {
            "words": pa.ListArray.from_arrays(offsets, words),
            "numbers": pa.ListArray.from_arrays(offsets, numbers),
            "word": words.slice(0, 3),
        }
    )
    file = tmp_path / f"dictionaries{end}"
    if end == ".parquet":
        pq.write_table(whole, file, row_group_size=2)
    else:
        written(whole, file)
    assert sk.open(str(file)).arrays(library="pa").to_pylist() == whole.to_pylist()


def test_columns_that_pyarrow_cannot_read_are_left_out(tmp_path):
    halves = pa.array(np.array([1.5, 2], np.float16))
    views = pa.array(["a", "b"], pa.string_view())
    indices = pa.array([1, 0], pa.int8())
    columns = {
        "x": pa.array([1, 2]),
        "half": pa.DictionaryArray.from_arrays(indices, halves),
        "view": pa.DictionaryArray.from_arrays(indices, views),
    }
    file = written(pa.table(columns), tmp_path / "views.arrow")
    assert sk.open(str(file)).arrays(library="pa").to_pydict() == {"x": [1, 2], "half": [2.0, 1.5]}
    left_out = sk.inspect(file).ntuples[0].unsupported_fields
    assert [(each.name, each.reason.split(":")[0]) for each in left_out] == [
        ("view", "pyarrow cannot read it")
    ]


@pytest.mark.parametrize("kind", ["shorter", "other"])
@pytest.mark.parametrize("end", [".parquet", ".arrow"])
def test_files_that_change_while_they_are_read(table, tmp_path, monkeypatch, kind, end):
    file = written(table, tmp_path / f"changing{end}")
    other = written(table.slice(1000), tmp_path / f"other{end}").read_bytes()
    extend = skimline.writing.Writer.extend

    def change(writer, batch):
        extend(writer, batch)
        if kind == "shorter":
            os.truncate(file, 5000)
        else:
            file.write_bytes(other)

    monkeypatch.setattr(skimline.writing.Writer, "extend", change)
    with pytest.raises(sk.FileError, match=f"changing{end}: "):
        sk.open(str(file))
    monkeypatch.undo()
    if kind == "other":
        assert sk.open(str(file)).num_entries == table.num_rows - 1000


def test_a_root_file_may_have_any_name(dimuon, tmp_path):
    os.link(dimuon, tmp_path / "dimuon.parquet")
    assert sk.open("dimuon.parquet").num_entries == 10000


def test_damaged_files_are_errors(table, tmp_path):
    random = np.random.default_rng(3)
    for end in (".parquet", ".arrow"):
        whole = written(table.slice(0, 200), tmp_path / f"whole{end}").read_bytes()
        for number in range(12):
            changed = bytearray(whole)
            for place in random.integers(0, len(whole), 8):
                changed[place] ^= 1 << random.integers(8)
            damaged = tmp_path / f"damaged{number}{end}"
            damaged.write_bytes(changed if number % 3 else whole[: random.integers(len(whole))])
            try:
                sk.open(str(damaged)).arrays(library="pa")
            except sk.Error as error:
                assert str(damaged) in str(error)
    assert not list(tmp_path.glob("cache/arrow/tmp*"))


def _flipped(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


def test_checksums_of_pages_are_compared(tmp_path):
    file = tmp_path / "events.parquet"
    numbers = pa.table({"x": np.random.default_rng(1).normal(size=10000)})
    pq.write_table(numbers, file, compression="none", use_dictionary=False, write_page_checksum=True)
    _flipped(file)
    with pytest.raises(sk.FileError, match="CRC checksum verification failed"):
        sk.open(str(file))


def test_pages_that_are_written_have_checksums(tmp_path):
    sk.write(str(tmp_path / "events.root"), {"x": np.random.default_rng(1).normal(size=10000)})
    file = tmp_path / "events.parquet"
    sk.convert(str(tmp_path / "events.root"), str(file))
    _flipped(file)
    with pytest.raises(OSError, match="CRC checksum verification failed"):
        pq.ParquetFile(file, page_checksum_verification=True).read()
    with pytest.raises(sk.FileError, match="CRC checksum verification failed"):
        sk.open(str(file))
