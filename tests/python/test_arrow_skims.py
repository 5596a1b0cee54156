# SPDX-License-Identifier: BSD-3-Clause
"""Skims written as Parquet and Arrow IPC: compared with what pyarrow and DuckDB see."""

import base64
import json

import awkward as ak
import numpy as np
import package_program
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import skimline as sk
import uproot
from arrow_files import config_of, reader, written

pytestmark = pytest.mark.usefixtures("arrow_cache")


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
    assert package_program.run("show", "s.parquet").stdout == str(shown) + (
        "" if str(shown).endswith("\n") else "\n"
    )
    # What is made of the skim knows what was done before.
    again = config_of("s.parquet", file="t.parquet", keep=["*"])
    del again["define"]
    sk.run_config(again)
    assert len(sk.show("t.parquet").samples["mc"]["cutflow"]) > len(steps)


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
    done = package_program.run("convert", "nano.root:Events", "-o", name, "--compression", "zstd:3")
    assert done.returncode == 0, done.stderr
    assert (
        f'"Runs" is left out: a file of {"Parquet" if name == "x.parquet" else "Arrow"} holds one table'
        in done.stderr
    )
    found = reader(tmp_path / name)
    assert found["Muon_pt"].to_pylist() == pt.to_list() and found["met"].to_pylist() == list(range(100))
    back = package_program.run("convert", name, "-o", "back.root")
    assert back.returncode == 0, back.stderr
    assert sk.open("back.root").arrays(["Muon_pt"])["Muon_pt"].to_list() == pt.to_list()
    wrong = package_program.run("convert", "nano.root:Events", "-o", f"again_{name}", "--compression", "lzma")
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
