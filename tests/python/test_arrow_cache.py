# SPDX-License-Identifier: BSD-3-Clause
"""The cache of copies of files of Parquet and Arrow IPC: one for each state of a file, made again where it is gone."""

import json
import os
import shutil

import package_program
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import skimline as sk
from arrow_files import config_of, written

MADE_ANEW = "if that is what is damaged, it is made anew when the file is read again"

pytestmark = pytest.mark.usefixtures("arrow_cache")


def test_program_of_the_package_runs_it_twice_from_one_copy(table, tmp_path, arrow_cache):
    config = tmp_path / "c.json"
    config.write_text(json.dumps(config_of(written(table, tmp_path / "events.parquet"))))
    first = package_program.run("run", config)
    assert first.returncode == 0, first.stderr
    made = (tmp_path / "s.parquet").read_bytes()
    copies = sorted(arrow_cache.glob("*.root"))
    again = package_program.run("run", config)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "s.parquet").read_bytes() == made
    assert len(copies) == 1 and sorted(arrow_cache.glob("*.root")) == copies
    rerun = package_program.run("rerun", "s.parquet", "-o", "again")
    assert rerun.returncode == 0, rerun.stderr
    assert (tmp_path / "again" / "s.parquet").read_bytes() == made
    inspected = package_program.run("inspect", "s.parquet")
    assert inspected.returncode == 0 and "Muon.pt" in inspected.stdout


def test_a_changed_file_is_read_anew(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    assert sk.open(str(file)).num_entries == len(table)
    pq.write_table(table.slice(0, 10), file)
    assert sk.open(str(file)).num_entries == 10


def test_a_changed_file_with_the_times_of_the_old_one_is_read_anew(tmp_path):
    """As tools leave it that copy into what is there and keep the time of writing."""
    file = tmp_path / "events.parquet"
    for value in (1, 2):
        pq.write_table(pa.table({"x": [value] * 5}), tmp_path / "new.parquet", compression="none")
        file.write_bytes((tmp_path / "new.parquet").read_bytes())
        os.utime(file, ns=(0, 0))
        assert sk.open(str(file)).arrays("x", library="np")["x"].tolist() == [value] * 5


def test_a_copy_may_be_used_by_several(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    frame = sk.open(str(file))
    sk.inspect(file)
    sk.run(frame.hist("met", bins=10, range=(0, 100)), frame.skim("t.parquet"))
    assert pq.read_table("t.parquet").num_rows == len(table)


def test_cache_may_be_cleared_at_any_time(table, tmp_path, arrow_cache):
    path = str(written(table, tmp_path / "events.parquet"))
    first = sk.open(path)
    (only,) = arrow_cache.glob("*.root")
    shutil.rmtree(arrow_cache.parent)
    again = sk.open(path)
    assert list(arrow_cache.glob("*.root")) == [only]
    for frame in (first, again):
        assert frame.arrays(["run"])["run"].to_list() == table["run"].to_pylist()
    only.unlink()
    assert sk.open(path).arrays(["run"])["run"].to_list() == table["run"].to_pylist()


def test_cache_is_the_one_named_now(table, tmp_path, arrow_cache, monkeypatch):
    path = str(written(table, tmp_path / "events.parquet"))
    sk.open(path)
    monkeypatch.setenv("SKIMLINE_CACHE", str(tmp_path / "other"))
    sk.open(path)
    (here,) = arrow_cache.glob("*.root")
    assert list((tmp_path / "other/arrow").glob("*.root")) == [tmp_path / "other/arrow" / here.name]


def test_cache_is_bounded(table, tmp_path, arrow_cache):
    written(table, tmp_path / "a.parquet")
    written(table.slice(1), tmp_path / "b.parquet")
    assert package_program.run("inspect", "a.parquet").returncode == 0
    (only,) = arrow_cache.glob("*.root")
    (arrow_cache / "left").mkdir()
    small = {"SKIMLINE_CACHE_SIZE": str(only.stat().st_size / 2 / 1e9)}
    assert package_program.run("inspect", "b.parquet", environment=small).returncode == 0
    assert only not in set(arrow_cache.glob("*.root"))
    assert not (arrow_cache / "left").exists()


def test_homes_without_room_for_a_cache(table, tmp_path, monkeypatch):
    path = str(written(table, tmp_path / "events.parquet"))
    (tmp_path / "home").write_text("no folder")
    for name in ("SKIMLINE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert sk.open(path).num_entries == len(table)
    assert sk.open(path).arrays(["run"])["run"].to_list() == table["run"].to_pylist()
    monkeypatch.setenv("SKIMLINE_CACHE", str(tmp_path / "home/cache"))
    with pytest.raises(sk.FileError, match="home/cache"):  # a cache that is named is meant
        sk.open(path)


def _damage(copy, how):
    content = bytearray(copy.read_bytes())
    if how == "cut":
        del content[len(content) // 2 :]
    elif how == "zeros":
        content[:] = bytes(len(content))
    else:  # a byte of each page
        content[400:-400:50] = bytes(each ^ 1 for each in content[400:-400:50])
    facts = copy.stat()
    copy.write_bytes(content)
    os.utime(copy, ns=(facts.st_atime_ns, facts.st_mtime_ns))


@pytest.mark.parametrize("how", ["cut", "zeros", "pages"])
def test_a_damaged_copy_is_made_anew_by_the_next_who_needs_it(table, tmp_path, arrow_cache, how):
    config = tmp_path / "c.json"
    file = written(table, tmp_path / "events.parquet")
    config.write_text(json.dumps(config_of(file)))
    whole = package_program.run("run", config)
    assert whole.returncode == 0, whole.stderr
    made = (tmp_path / "s.parquet").read_bytes()
    (copy,) = arrow_cache.glob("*.root")
    content = copy.read_bytes()
    _damage(copy, how)
    failed = package_program.run("run", config)
    assert failed.returncode == 1 and MADE_ANEW in failed.stderr
    again = package_program.run("run", config)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "s.parquet").read_bytes() == made
    assert copy.read_bytes() == content
    _damage(copy, how)
    with pytest.raises(sk.FileError, match=MADE_ANEW):
        sk.open(str(file)).arrays(["run", "met"])
    assert sk.open(str(file)).arrays(["run"])["run"].to_list() == table["run"].to_pylist()


def test_a_copy_that_is_whole_stays_where_something_else_was_wrong(table, tmp_path, arrow_cache):
    file = written(table, tmp_path / "events.parquet")
    config = config_of(file) | {"select": [{"name": "no", "where": "Muon.pt[100] > 0"}]}
    (tmp_path / "c.json").write_text(json.dumps(config))
    assert package_program.run("run", tmp_path / "c.json").returncode == 1
    (copy,) = arrow_cache.glob("*.root")
    before = copy.stat()
    assert sk.open(str(file)).num_entries == len(table)
    assert (copy.stat().st_ino, copy.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not list(arrow_cache.glob("*.suspect"))


def test_a_damaged_copy_that_is_left_out_is_no_damaged_file(table, tmp_path, arrow_cache):
    files = [written(table, tmp_path / name) for name in ("a.parquet", "b.parquet")]
    config = config_of(files[0]) | {"on_bad_file": "skip", "max_bad_fraction": 0.5}
    config["samples"] = {name: {"files": [str(each) for each in files]} for name in config["samples"]}
    (tmp_path / "c.json").write_text(json.dumps(config | {"allow_duplicates": True}))
    whole = package_program.run("run", tmp_path / "c.json")
    assert whole.returncode == 0, whole.stderr
    made = (tmp_path / "s.parquet").read_bytes()
    _damage(sorted(arrow_cache.glob("*.root"))[0], "pages")
    some = package_program.run("run", tmp_path / "c.json")
    assert some.returncode == 3 and MADE_ANEW in some.stdout + some.stderr
    again = package_program.run("run", tmp_path / "c.json")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "s.parquet").read_bytes() == made


def test_nothing_is_said_of_a_copy_where_the_file_itself_is_damaged(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(sk.FileError) as caught:
        sk.open(str(file))
    assert "cache" not in str(caught.value)


def test_files_cannot_be_verified(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    assert sk.open(str(file)).num_entries == len(table)
    facts, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    for options in ([], ["--write-checksums"]):
        done = package_program.run("verify", file, *options)
        assert done.returncode == 1 and "events.parquet: cannot be verified" in done.stdout
    assert not list(tmp_path.glob("*.checksums"))


def test_checksums_of_copies_do_not_count(table, tmp_path):
    file = written(table, tmp_path / "events.parquet")
    assert sk.open(str(file)).num_entries == len(table)
    with pytest.raises(sk.FileError, match="must have one"):
        sk.open(str(file), require_checksums=True)
    (tmp_path / "c.json").write_text(json.dumps(config_of(file)))
    done = package_program.run("run", tmp_path / "c.json", "--require-checksums")
    assert done.returncode == 1 and "events.parquet: is no ROOT file" in done.stderr
    done = package_program.run("convert", file, "-o", tmp_path / "c.root", "--require-checksums")
    assert done.returncode == 1 and not (tmp_path / "c.root").exists()
