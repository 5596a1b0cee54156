# SPDX-License-Identifier: BSD-3-Clause
"""Files of Parquet and Arrow IPC, read and written: compared with what pyarrow and DuckDB see."""

import base64
import json
import os
import shutil
import subprocess

import awkward as ak
import numpy as np
import package_program
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import skimline as sk
import skimline.writing
import uproot


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own for each test."""
    monkeypatch.setenv("SKIMLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache" / "arrow"


@pytest.fixture(scope="session")
def table():
    """Events with columns of all kinds."""
    random = np.random.default_rng(7)
    count = 5000
    sizes = random.poisson(2, count)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype("int32")
    pt = pa.array(random.exponential(30, offsets[-1]).astype("float32"))
    hits = [list(range(i % 3)) for i in range(offsets[-1])]
    muons = pa.StructArray.from_arrays([pt, pa.array(hits, pa.list_(pa.int16()))], ["pt", "hits"])
    return pa.table(
        {
            "met": random.exponential(20, count),
            "run": pa.array(np.arange(count) % 7, pa.uint32()),
            "is_good": random.random(count) < 0.5,
            "trigger": pa.array([f"HLT_{i % 3}" for i in range(count)]).dictionary_encode(),
            "Muon": pa.ListArray.from_arrays(offsets, muons),
            "vertex": pa.StructArray.from_arrays([pa.array(random.normal(size=count))], ["z"]),
            "pair": pa.array([[i, -i] for i in range(count)], pa.list_(pa.int64(), 2)),
        }
    )


def written(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=1234)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path, chunksize=1234)
    else:
        with pa.ipc.new_file(path, table.schema) as out:
            out.write_table(table, max_chunksize=1234)
    return path


def reader(path):
    return pq.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)


def program(*arguments, **options):
    """The program of the package."""
    environment = package_program.environment(**options.pop("environment", {}))
    command = package_program.command(*arguments)
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, **options)


def config_of(source, **skim):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(source)]}},
        "define": {"lead": "Max(Muon.pt)", "n": "Muon.pt.size()"},
        "select": [{"name": "muons", "where": "n > 1 && is_good"}],
        "skims": {"s": {"file": "s.parquet", "format": "parquet", "keep": ["*", "lead"]} | skim},
        "histograms": {"met": {"x": {"value": "met", "bins": 20, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }


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


@pytest.mark.parametrize(
    ("name", "form"), [("s.parquet", "parquet"), ("s.arrow", "arrow"), ("s.feather", "arrow")]
)
def test_skim_is_what_arrow_selects(table, tmp_path, name, form):
    file = written(table, tmp_path / "events.parquet")
    sk.run_config(config_of(file, file=name, format=form))
    muons = ak.from_arrow(table["Muon"])
    passed = ak.to_numpy((ak.num(muons) > 1) & table["is_good"].to_numpy())
    found = reader(tmp_path / name)
    expected = table.filter(pa.array(passed))
    assert found.num_rows == passed.sum() > 100
    for column in table.column_names:
        assert found[column].to_pylist() == expected[column].to_pylist(), column
    assert found["lead"].to_pylist() == ak.max(muons.pt[passed], axis=1).to_list()
    assert found["Muon"].type.value_type.field("pt").type == pa.float32()
    assert found["run"].type == pa.uint32()
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith(".")) == []


def test_duckdb_reads_the_skim(table, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    file = written(table, tmp_path / "events.parquet")
    sk.run_config(config_of(file))
    query = "SELECT count(*), sum(len(Muon)), sum(list_sum(list_transform(Muon, lambda m: len(m.hits)))) FROM 's.parquet'"
    rows = reader(tmp_path / "s.parquet")["Muon"].to_pylist()
    lengths = [len(muon["hits"]) for event in rows for muon in event]
    assert duckdb.execute(query).fetchall() == [(len(rows), len(lengths), sum(lengths))]


def test_skim_of_a_root_file(dimuon, arrays, tmp_path):
    events = sk.open(f"{dimuon}:Events").filter("nMuon == 2")
    sk.run(events.skim(tmp_path / "pairs.parquet", compression="zstd:5"))
    found = pq.read_table(tmp_path / "pairs.parquet")
    expected = arrays[arrays["nMuon"] == 2]
    for name in ("Muon_pt", "MET_pt", "Muon_charge"):
        assert found[name].to_pylist() == expected[name].to_list(), name
    assert found["Muon_pt"].type == pa.large_list(pa.field("item", pa.float32(), nullable=False))


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_awkward_finds_no_missing_values(table, tmp_path, form):
    """Types say that there are none: options would be masked arrays in numpy."""
    file = written(table, tmp_path / "events.parquet")
    sk.run_config(config_of(file, file=f"s.{form}", format=form))
    skim = tmp_path / f"s.{form}"
    found = ak.from_parquet(skim) if form == "parquet" else ak.from_arrow(reader(skim))
    assert "?" not in str(found.type) and "option" not in str(found.type)
    events = sk.open(skim)
    made = ak.from_arrow(pa.table(events))
    assert "?" not in str(made.type) and "option" not in str(made.type)
    assert ak.array_equal(made.run, found.run)
    assert not np.ma.isMaskedArray(ak.to_numpy(found.run))


def test_row_groups_are_clusters_whatever_the_threads(table, tmp_path):
    file = written(pa.concat_tables([table] * 4), tmp_path / "events.parquet")
    root = config_of(file, file="s.root", format="rntuple", cluster_size="64 KiB")
    sk.run_config(root)
    clusters = [each.entries for each in sk.inspect(tmp_path / "s.root").ntuples[0].clusters]
    assert len(clusters) > 2
    made = set()
    for threads in (1, 2, 3):
        sk.run_config(config_of(file, cluster_size="64 KiB"), threads=threads, force=True)
        metadata = pq.read_metadata(tmp_path / "s.parquet")
        assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == clusters
        made.add((tmp_path / "s.parquet").read_bytes())
    assert len(made) == 1


@pytest.mark.parametrize(("end", "form"), [("parquet", "parquet"), ("feather", "arrow")])
def test_split_skim(table, tmp_path, end, form):
    """Files together are the skim that is not split."""
    file = written(table, tmp_path / "events.parquet")
    sk.run_config(config_of(file, file=f"whole.{end}", format=form))
    sk.run_config(config_of(file, file=f"s.{end}", format=form, split={"events": 400}), force=True)
    whole = reader(tmp_path / f"whole.{end}")
    parts = [reader(path) for path in sorted(tmp_path.glob(f"s_*.{end}"))]
    assert len(parts) == -(-whole.num_rows // 400) > 1
    assert {part.num_rows for part in parts[:-1]} == {400}
    assert pa.concat_tables(parts).to_pylist() == whole.to_pylist()
    assert not list(tmp_path.glob(".*"))


def test_skim_without_events_has_its_columns(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    config = config_of(file) | {"select": [{"name": "none", "where": "met < 0"}]}
    sk.run_config(config)
    found = pq.read_table(tmp_path / "s.parquet")
    assert found.num_rows == 0
    assert set(found.column_names) == {*table.column_names, "lead", "n"}
    assert sk.open("s.parquet").num_entries == 0


def test_record_is_in_the_metadata_and_read_again(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    report = sk.run_config(config_of(file))
    metadata = pq.read_schema(tmp_path / "s.parquet").metadata
    run = json.loads(metadata[b"skimline.run"])
    assert run["configs"][0]["select"][0]["where"] == "n > 1 && is_good"
    assert base64.b64decode(metadata[b"skimline.record"])[:4] == b"root"
    shown = sk.show("s.parquet")
    steps = shown.samples["mc"]["cutflow"]
    assert [step["events"] for step in steps[:2]] == [len(table), report.cutflow["muons"].events]
    assert program("show", "s.parquet").stdout == str(shown) + ("" if str(shown).endswith("\n") else "\n")
    # What is made of the skim knows what was done before.
    again = config_of("s.parquet", file="t.parquet", keep=["*"])
    del again["define"]
    sk.run_config(again)
    assert len(sk.show("t.parquet").samples["mc"]["cutflow"]) > len(steps)


def test_program_of_the_package_runs_it_twice_from_one_copy(table, tmp_path, cache):
    config = tmp_path / "c.json"
    config.write_text(json.dumps(config_of(written(table, tmp_path / "events.parquet"))))
    first = program("run", config)
    assert first.returncode == 0, first.stderr
    made = (tmp_path / "s.parquet").read_bytes()
    copies = sorted(cache.glob("*.root"))
    again = program("run", config)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "s.parquet").read_bytes() == made
    assert len(copies) == 1 and sorted(cache.glob("*.root")) == copies
    rerun = program("rerun", "s.parquet", "-o", "again")
    assert rerun.returncode == 0, rerun.stderr
    assert (tmp_path / "again" / "s.parquet").read_bytes() == made
    inspected = program("inspect", "s.parquet")
    assert inspected.returncode == 0 and "Muon.pt" in inspected.stdout


def test_a_changed_file_is_read_anew(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    assert sk.open(str(file)).num_entries == len(table)
    pq.write_table(table.slice(0, 10), file)
    assert sk.open(str(file)).num_entries == 10


def test_a_copy_may_be_used_by_several(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    frame = sk.open(str(file))
    sk.inspect(file)
    sk.run(frame.hist("met", bins=10, range=(0, 100)), frame.skim("t.parquet"))
    assert pq.read_table("t.parquet").num_rows == len(table)


def test_cache_may_be_cleared_at_any_time(table, tmp_path, cache):
    path = str(written(table, tmp_path / "events.parquet"))
    first = sk.open(path)
    (only,) = cache.glob("*.root")
    shutil.rmtree(cache.parent)
    again = sk.open(path)
    assert list(cache.glob("*.root")) == [only]
    for frame in (first, again):
        assert frame.arrays(["run"])["run"].to_list() == table["run"].to_pylist()
    only.unlink()
    assert sk.open(path).arrays(["run"])["run"].to_list() == table["run"].to_pylist()


def test_cache_is_the_one_named_now(table, tmp_path, cache, monkeypatch):
    path = str(written(table, tmp_path / "events.parquet"))
    sk.open(path)
    monkeypatch.setenv("SKIMLINE_CACHE", str(tmp_path / "other"))
    sk.open(path)
    (here,) = cache.glob("*.root")
    assert list((tmp_path / "other/arrow").glob("*.root")) == [tmp_path / "other/arrow" / here.name]


def test_cache_is_bounded(table, tmp_path, cache):
    written(table, tmp_path / "a.parquet")
    written(table.slice(1), tmp_path / "b.parquet")
    assert program("inspect", "a.parquet").returncode == 0
    (only,) = cache.glob("*.root")
    (cache / "left").mkdir()
    small = {"SKIMLINE_CACHE_SIZE": str(only.stat().st_size / 2 / 1e9)}
    assert program("inspect", "b.parquet", environment=small).returncode == 0
    assert only not in set(cache.glob("*.root"))
    assert not (cache / "left").exists()


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


@pytest.mark.parametrize(
    ("skim", "said"),
    [
        ({"file": "s.root"}, 'a file of Parquet has to end with ".parquet"'),
        ({"file": "s.parquet", "format": "rntuple"}, '"format": "parquet" writes what it is called'),
        ({"file": "s.parquet", "format": "arrow"}, 'a file of Arrow has to end with ".arrow" or ".feather"'),
        ({"compression": "lzma"}, "no file of Parquet is compressed by lzma"),
        (
            {"file": "s.arrow", "format": "arrow", "compression": "zlib"},
            "no file of Arrow is compressed by zlib",
        ),
    ],
)
def test_mistakes_in_configs_are_said(table, tmp_path, skim, said):
    file = written(table, tmp_path / "events.parquet")
    with pytest.raises(sk.ConfigError) as error:
        sk.run_config(config_of(file, **skim))
    assert said in str(error.value)


@pytest.mark.parametrize("end", [".parquet", ".arrow"])
def test_tuples_keep_all_members(tmp_path, end):
    """Their members are called as the items of a list are."""
    pairs = [[(1, 2.5), (3, 4.5)], [], [(5, 6.5)]]
    columns = {
        "pair": [(1, 2.5), (3, 4.5), (5, 6.5)],
        "pairs": pairs,
        "nested": [pairs, [], [[(7, 8.5)], []]],
        "inner": [([1, 2], 1.5), ([], 2.5), ([3], 3.5)],
        "inners": [[([1, 2], [1.5])], [], [([], []), ([3], [3.5])]],
        "single": [(1,), (2,), (3,)],
        "singles": [[(1,), (2,)], [], [(3,)]],
        "single_list": [([1, 2],), ([],), ([3],)],
    }
    with uproot.recreate("tuples.root") as file:
        file.mkrntuple("Events", {name: ak.Array(values) for name, values in columns.items()})
    with pytest.warns(sk.RunWarning, match="without checksums"):
        sk.run(sk.open("tuples.root").skim(f"s{end}"))
    found = pq.read_table(f"s{end}") if end == ".parquet" else pa.ipc.open_file(f"s{end}").read_all()

    def as_tuples(value):
        if isinstance(value, dict):
            return tuple(map(as_tuples, value.values()))
        return list(map(as_tuples, value)) if isinstance(value, list) else value

    assert {name: as_tuples(found[name].to_pylist()) for name in columns} == columns
    sk.run(sk.open(f"s{end}").skim(f"again{end}"))
    again = pq.read_table(f"again{end}") if end == ".parquet" else pa.ipc.open_file(f"again{end}").read_all()
    assert again.to_pylist() == found.to_pylist()


def with_bases(value):
    """Members of base classes as those of the class, the first of each name."""
    if isinstance(value, list):
        return list(map(with_bases, value))
    if not isinstance(value, dict):
        return value
    members = {}
    for name, member in value.items():
        found = with_bases(member)
        for each in (found if name.startswith(":_") else {name: found}).items():
            members.setdefault(*each)
    return members


@pytest.mark.parametrize(
    ("name", "drop"),
    [
        ("Run2012BC_DoubleMuParked_Muons_1000evts_rntuple_v1-0-0-0.root", None),
        ("test_class_inheritance_rntuple_v1-0-0-1.root", ["multi_grandparent.*"]),
    ],
)
def test_projections_and_members_of_bases_are_written(shared_data, name, drop):
    """As ROOT's importer writes NanoAOD, and objects of derived classes."""
    with uproot.open(shared_data / name) as file:
        (ntuple,) = file.keys(filter_classname="ROOT::RNTuple", cycle=False)
        expected = with_bases(file[ntuple].arrays().to_list())
    sk.run(sk.open(str(shared_data / name)).skim("s.arrow", drop=drop))
    found = pa.ipc.open_file("s.arrow").read_all()
    assert found.num_columns >= 3
    for column in found.column_names:
        assert found[column].to_pylist() == [entry[column] for entry in expected], column


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


def test_failed_write_leaves_nothing(table, tmp_path, monkeypatch):
    file = written(table, tmp_path / "events.parquet")
    (tmp_path / "s.parquet").write_bytes(b"old")

    def fail(*arguments, **options):
        raise OSError("no space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(sk.FileError, match=r"s\.parquet.*cannot be written: no space left on device"):
        sk.run_config(config_of(file), force=True)
    assert (tmp_path / "s.parquet").read_bytes() == b"old"
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".") or each.suffix == ".part"]


def test_what_is_beside_the_events_is_said(tmp_path):
    import uproot

    with uproot.recreate(tmp_path / "nano.root") as file:
        file["Events"] = {"met": np.arange(10.0), "is_good": np.ones(10, "int32")}
        file["Runs"] = {"sum": np.ones(2)}
    config = config_of("nano.root", keep=["*"])
    del config["define"], config["select"]
    with pytest.warns(sk.RunWarning, match='without "Runs": a file of Parquet holds one table'):
        sk.run_config(config)
    assert pq.read_table("s.parquet")["met"].to_pylist() == list(range(10))


def write_nano(path):
    """A TTree as NanoAOD has it."""
    import uproot

    sizes = np.arange(100) % 4
    pt = ak.unflatten(np.arange(sizes.sum(), dtype="float32"), sizes)
    with uproot.recreate(path) as file:
        events = {"Muon": ak.zip({"pt": pt, "eta": -pt}), "met": np.arange(100, dtype="float32")}
        file.mktree("Events", {"Muon": events["Muon"].type.content, "met": "float32"})
        file["Events"].extend(events)
        file["Runs"] = {"sum": np.ones(2)}
    return pt


def test_lists_of_a_tree_keep_their_names(tmp_path):
    pt = write_nano(tmp_path / "nano.root")
    config = config_of("nano.root", keep=["Muon_*", "nMuon"])
    del config["define"]
    config |= {"select": [{"name": "muon", "where": "nMuon > 0"}]}
    with pytest.warns(sk.RunWarning, match="Runs"):
        sk.run_config(config)
    found = pq.read_table(tmp_path / "s.parquet")
    assert sorted(found.column_names) == ["Muon_eta", "Muon_pt", "nMuon"]
    assert found["Muon_pt"].to_pylist() == pt[ak.num(pt) > 0].to_list()
    assert sk.open("s.parquet").arrays(["Sum(Muon_pt)"], library="np")


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather"])
def test_convert(tmp_path, name):
    pt = write_nano(tmp_path / "nano.root")
    done = program("convert", "nano.root:Events", "-o", name, "--compression", "zstd:3")
    assert done.returncode == 0, done.stderr
    assert (
        f'"Runs" is left out: a file of {"Parquet" if name == "x.parquet" else "Arrow"} holds one table'
        in done.stderr
    )
    found = reader(tmp_path / name)
    assert found["Muon_pt"].to_pylist() == pt.to_list() and found["met"].to_pylist() == list(range(100))
    back = program("convert", name, "-o", "back.root")
    assert back.returncode == 0, back.stderr
    assert sk.open("back.root").arrays(["Muon_pt"])["Muon_pt"].to_list() == pt.to_list()
    wrong = program("convert", "nano.root:Events", "-o", f"again_{name}", "--compression", "lzma")
    assert wrong.returncode == 2 and "is compressed by lzma" in wrong.stderr
    assert not (tmp_path / f"again_{name}").exists()


def test_parts_computed_elsewhere(table, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    file = written(table, tmp_path / "events.parquet")
    sk.run_config(config_of(file))
    alone = pq.read_table(tmp_path / "s.parquet")
    with ThreadPoolExecutor(1) as executor:
        sk.run_config(config_of(file), executor=executor, store=tmp_path / "store", force=True)
    assert pq.read_table(tmp_path / "s.parquet").equals(alone)


def structs_of_one_member():
    """Types of structs with a member that is called as the items of a list are, in each other."""
    number, text = pa.float32(), pa.string()

    def struct(inner):
        return pa.struct([("_0", inner)])

    leaves = [number, text, pa.list_(number)]
    once = [struct(each) for each in leaves]
    twice = [made for each in once for made in (struct(each), struct(pa.list_(each)))]
    both = [pa.struct([("_0", pa.list_(number)), ("_1", struct(number))])]
    return [made for each in (*once, *twice, *both) for made in (each, pa.list_(each))]


def filled(kind, number):
    """A value of a type, with lists of 0 to 2 items."""
    if pa.types.is_list(kind):
        return [filled(kind.value_type, number * 3 + i) for i in range(number % 3)]
    if pa.types.is_struct(kind):
        return {each.name: filled(each.type, number + i) for i, each in enumerate(kind)}
    return f"t{number}" if pa.types.is_string(kind) else float(number)


@pytest.mark.parametrize("end", [".parquet", ".arrow"])
def test_structs_whose_only_member_is_called_as_an_item(tmp_path, end):
    kinds = structs_of_one_member()
    columns = {
        f"c{i}": pa.array([filled(kind, row) for row in range(12)], kind) for i, kind in enumerate(kinds)
    }
    written(pa.table(columns), tmp_path / f"in{end}")
    sk.run(sk.open(str(tmp_path / f"in{end}")).skim(f"s{end}"))
    sk.run(sk.open(f"s{end}").skim(f"again{end}"))
    for name in ("s", "again"):
        path = f"{name}{end}"
        found = pq.read_table(path) if end == ".parquet" else pa.ipc.open_file(path).read_all()
        assert {each: found[each].to_pylist() for each in columns} == {
            each: values.to_pylist() for each, values in columns.items()
        }
