# SPDX-License-Identifier: BSD-3-Clause
"""Columns of friends, by order and by value, against numpy; what does not go together is an error."""

import json

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE

ENTRIES = 9000
RANDOM = np.random.default_rng(3)
RUN = np.sort(RANDOM.integers(1, 6, ENTRIES)).astype("int32")
EVENT = (np.arange(ENTRIES) * 7 % 10007).astype("uint64")
X = RANDOM.normal(size=ENTRIES).astype("float32")
SHUFFLED = RANDOM.permutation(ENTRIES)


def write_tree(path, name, columns, step):
    """Baskets of `step` entries."""
    with uproot.recreate(path) as file:
        tree = file.mktree(name, {key: values.dtype for key, values in columns.items()})
        for first in range(0, len(next(iter(columns.values()))), step):
            tree.extend({key: values[first : first + step] for key, values in columns.items()})
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("friends")
    main = {"run": RUN, "event": EVENT, "x": X}
    write_tree(folder / "main1.root", "Events", {key: values[:5000] for key, values in main.items()}, 1300)
    write_tree(folder / "main2.root", "Events", {key: values[5000:] for key, values in main.items()}, 900)
    scores = {"dnn": X.astype("float64") * 2, "n": np.arange(ENTRIES, dtype="int32")}
    write_tree(folder / "scores1.root", "S", {key: values[:3333] for key, values in scores.items()}, 700)
    write_tree(folder / "scores2.root", "S", {key: values[3333:] for key, values in scores.items()}, 1100)
    write_tree(folder / "scores3.root", "S", {key: values[:10] for key, values in scores.items()}, 700)
    keyed = {"run": RUN.astype("int64"), "event": EVENT.astype("int64"), **scores}
    write_tree(folder / "keyed.root", "K", {key: values[SHUFFLED] for key, values in keyed.items()}, 800)
    few = {key: values[SHUFFLED[: ENTRIES // 2]] for key, values in keyed.items()}
    write_tree(folder / "few.root", "K", few, 800)
    twice = {key: np.concatenate([values, values[:1]]) for key, values in keyed.items()}
    write_tree(folder / "twice.root", "K", twice, 800)
    return folder


def run(call, folder, tmp_path, friends, *arguments, **more):
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{folder}/main1.root", f"{folder}/main2.root"], "friends": friends}},
        "skims": {"s": {"file": "out.root"}},
        **more,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    return call("run", "--no-report", *arguments, tmp_path / "config.json")


def written(tmp_path):
    return uproot.open(tmp_path / "out.root")["Events"].arrays(library="np")


@pytest.fixture
def by_order(folder):
    return {"scores": {"files": [f"{folder}/scores1.root:S", f"{folder}/scores2.root:S"]}}


@pytest.fixture
def by_value(folder):
    return {"keyed": {"files": [f"{folder}/keyed.root:K"], "match": ["run", "event"]}}


def test_entries_in_order(call, folder, tmp_path, by_order):
    done = run(call, folder, tmp_path, by_order)
    assert done.returncode == DONE, done.stderr
    found = written(tmp_path)
    assert np.array_equal(found["x"], X)
    assert np.array_equal(found["scores_dnn"], X.astype("float64") * 2)
    assert np.array_equal(found["scores_n"], np.arange(ENTRIES))


def test_friends_without_checksums_are_named(call, folder, tmp_path):
    """Pages that uproot writes have no checksum, unless zlib gives them one."""
    with uproot.recreate(tmp_path / "friend.root", compression=uproot.ZSTD(1)) as file:
        file.mkrntuple("S", {"dnn": X.astype("float64")})
    done = run(call, folder, tmp_path, {"f": {"files": [f"{tmp_path}/friend.root:S"]}})
    assert done.returncode == DONE, done.stderr
    assert '1 file of the sample "data" has RNTuple pages without checksums' in done.unfiltered
    assert "friend.root" in done.unfiltered


def test_entries_by_value(call, folder, tmp_path, by_value):
    done = run(call, folder, tmp_path, by_value)
    assert done.returncode == DONE, done.stderr
    found = written(tmp_path)
    assert np.array_equal(found["keyed_n"], np.arange(ENTRIES))
    assert np.array_equal(found["keyed_run"], RUN)
    assert np.array_equal(found["keyed_event"], EVENT)


def test_both_in_expressions_with_any_number_of_threads(call, folder, tmp_path, by_order, by_value):
    contents = []
    for threads in (1, 2, 5):
        done = run(
            call,
            folder,
            tmp_path,
            by_order | by_value,
            "-j",
            threads,
            select=[{"name": "half", "where": "keyed.dnn > 0.5 && scores_n % 3 == 0"}],
        )
        assert done.returncode == DONE, done.stderr
        contents.append((tmp_path / "out.root").read_bytes())
    assert contents[0] == contents[1] == contents[2]
    kept = (X.astype("float64") * 2 > 0.5) & (np.arange(ENTRIES) % 3 == 0)
    found = written(tmp_path)
    assert np.array_equal(found["scores_n"], np.arange(ENTRIES)[kept])
    assert np.array_equal(found["keyed_dnn"], found["scores_dnn"])


@pytest.mark.parametrize("limit", [1, 4999, 5001, 8999])
def test_a_part_of_the_entries(call, folder, tmp_path, by_order, by_value, limit):
    done = run(call, folder, tmp_path, by_order | by_value, "--limit-events", limit)
    assert done.returncode == DONE, done.stderr
    found = written(tmp_path)
    assert np.array_equal(found["scores_n"], np.arange(limit))
    assert np.array_equal(found["keyed_n"], np.arange(limit))


@pytest.mark.parametrize(("numbers", "entries"), [([1], 3333), ([1, 2, 3], ENTRIES + 10)])
def test_other_lengths_are_an_error(call, folder, tmp_path, numbers, entries):
    files = [f"{folder}/scores{number}.root:S" for number in numbers]
    done = run(call, folder, tmp_path, {"scores": {"files": files}})
    assert done.returncode == FAILED
    assert f'the friend "scores" has {entries} entries, the input {ENTRIES}' in done.stderr


def test_fewer_files_are_the_first_of_a_longer_friend(call, folder, tmp_path, by_order):
    done = run(call, folder, tmp_path, by_order, "--limit-files", "1")
    assert done.returncode == DONE, done.stderr
    assert np.array_equal(written(tmp_path)["scores_n"], np.arange(5000))


def test_values_that_are_there_twice_are_an_error(call, folder, tmp_path):
    friends = {"keyed": {"files": [f"{folder}/twice.root:K"], "match": ["run", "event"]}}
    done = run(call, folder, tmp_path, friends)
    assert done.returncode == FAILED
    assert f"has the same values to match in the entries 0 and {ENTRIES}" in done.stderr


def test_entries_without_partner_need_a_default(call, folder, tmp_path):
    friends = {"keyed": {"files": [f"{folder}/few.root:K"], "match": ["run", "event"]}}
    done = run(call, folder, tmp_path, friends)
    assert done.returncode == FAILED
    assert 'the friend "keyed" has no entry with run = ' in done.stderr
    assert not (tmp_path / "out.root").exists()

    skims = {"s": {"file": "out.root", "keep": ["x", "keyed_n"]}}
    done = run(call, folder, tmp_path, friends, skims=skims, defaults={"keyed.n": -1})
    assert done.returncode == DONE, done.stderr
    expected = np.full(ENTRIES, -1)
    expected[SHUFFLED[: ENTRIES // 2]] = SHUFFLED[: ENTRIES // 2]
    assert np.array_equal(written(tmp_path)["keyed_n"], expected)


@pytest.mark.parametrize(
    ("column", "message"),
    [("evnt", 'has no column "evnt" to match (did you mean "event"?)'), ("x", "only whole numbers")],
)
def test_what_cannot_be_matched(call, folder, tmp_path, column, message):
    friends = {"keyed": {"files": [f"{folder}/keyed.root:K"], "match": [column]}}
    done = run(call, folder, tmp_path, friends)
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr
    assert f'"{column}"' in done.stderr.splitlines()[-2]  # the line that is marked


@pytest.mark.parametrize("side", ["input", "friend"])
def test_columns_to_match_that_no_type_holds(call, folder, tmp_path, side):
    """Both files have the column; the message says what is wrong with it."""
    signed = write_tree(tmp_path / "signed.root", "T", {"event": np.arange(9), "run": np.arange(9)}, 5)
    unsigned = {"event": np.arange(9, 18, dtype="uint64"), "run": np.arange(9, 18)}
    both = [f"{signed}:T", f"{write_tree(tmp_path / 'unsigned.root', 'T', unsigned, 5)}:T"]
    one = [f"{folder}/keyed.root:K"]
    files = {"input": (both, one), "friend": (one, both)}[side]
    samples = {"data": {"files": files[0], "friends": {"f": {"files": files[1], "match": ["event"]}}}}
    done = run(call, folder, tmp_path, {}, samples=samples)
    assert done.returncode == WRONG_USAGE
    whose = "the input of the friend" if side == "input" else "the friend"
    assert f'column "event" of {whose} "f" cannot be matched: it is std::int64_t in ' in done.stderr
    assert f"and std::uint64_t in {tmp_path}/unsigned.root" in done.stderr


@pytest.mark.parametrize("types", [("uint64", "int64"), ("int64", "uint64"), ("int32", "uint64")])
def test_large_numbers_are_no_negative_ones(call, folder, tmp_path, types):
    """Where one side is unsigned and the other is not."""
    ours, theirs = (np.array([7, 2**64 - 1 if each == "uint64" else -1], each) for each in types)
    files = [
        f"{write_tree(tmp_path / f'{name}.root', 'T', {'key': keys, 'x': np.arange(2)}, 5)}:T"
        for name, keys in (("ours", ours), ("theirs", theirs))
    ]
    friends = {"f": {"files": files[1:], "match": ["key"]}}
    samples = {"data": {"files": files[:1], "friends": friends}}
    done = run(call, folder, tmp_path, {}, samples=samples)
    assert done.returncode != DONE
    assert f'the friend "f" has no entry with key = {ours[1]}, which entry 1 of the input has' in done.stderr
    done = run(call, folder, tmp_path, {}, samples=samples, defaults={"f.x": 5, "f.key": 0})
    assert done.returncode == DONE, done.stderr
    assert written(tmp_path)["f_x"].tolist() == [0, 5]


@pytest.mark.parametrize("name", ["keyed.n", "keyed_n"])
def test_defaults_that_do_not_fit_are_mistakes_of_the_config(call, folder, tmp_path, by_value, name):
    done = run(call, folder, tmp_path, by_value, defaults={"n": 1, name: "text"})
    assert done.returncode == WRONG_USAGE
    assert "cannot be its default" in done.stderr
    assert f'"{name}": "text"' in done.stderr  # the line that is marked


def test_keys_of_friends_are_checked(call, folder, tmp_path):
    done = run(call, folder, tmp_path, {"scores": {"file": "a.root"}})
    assert done.returncode == WRONG_USAGE
    assert '(did you mean "files"?)' in done.stderr


SIZES = {9: 100, 10: 150, 11: 100}


@pytest.fixture
def in_order(job, tmp_path):
    """How many events have their own friend, with files in the given orders."""
    for number, size in SIZES.items():
        for prefix, name in (("main/run", "x"), ("scores/run", "s"), ("other/s", "s")):
            (tmp_path / prefix).parent.mkdir(exist_ok=True)
            write_tree(tmp_path / f"{prefix}{number}.root", "T", {name: np.full(size, number, "int32")}, 1000)

    def in_order(files, friends):
        done = job({"schema_version": 1, "samples": {"s": {"files": files, "friends": {"f": {"files": friends}}}},
                    "select": [{"name": "own", "where": "x == f.s"}], "output": {"report": "r.json"}}, "--force")  # fmt: skip
        if done.returncode == DONE:
            (steps,) = [line.split() for line in done.stdout.splitlines() if line.split()[:1] == ["own"]]
            assert int(steps[1]) == sum(SIZES[int(file[8:-5])] for file in files)
        return done

    return in_order


def names(prefix, *numbers):
    return [f"{prefix}{number}.root" for number in numbers]


@pytest.mark.parametrize("friends", [names("scores/run", 9, 10, 11), names("other/s", 9, 10, 11)])
def test_files_in_the_same_order_go_together(in_order, friends):
    done = in_order(names("main/run", 9, 10, 11), friends)
    assert done.returncode == DONE, done.stderr


def test_files_in_another_order_are_an_error(in_order):
    """Those of patterns are sorted by bytes, 10 before 9."""
    for friends in (["scores/run*.root"], ["other/s*.root"], names("scores/run", 11, 10, 9)):
        done = in_order(names("main/run", 9, 10, 11), friends)
        assert done.returncode == FAILED, done.stderr
        assert 'the friend "f" has its files in another order than the input: ' in done.stderr
    assert "scores/run11.root" in done.stderr
    done = in_order(names("main/run", 9, 11), ["scores/run11.root", "scores/run9.root"])
    assert done.returncode == FAILED, done.stderr
    assert in_order(names("main/run", 9, 11), names("scores/run", 9, 11)).returncode == DONE


def test_columns_of_friends_have_names_of_their_own(job, tmp_path):
    """Jet.pt was that of the friend, and pt of objects of Jet that of the input."""
    write_tree(tmp_path / "main.root", "T", {"J_x": np.arange(5.0), "J_y": np.arange(5.0)}, 10)
    for column, ending in (("x", FAILED), ("z", DONE)):
        write_tree(tmp_path / "other.root", "T", {column: np.arange(5.0)}, 10)
        done = job({"schema_version": 1, "samples": {"s": {"files": ["main.root"], "friends": {"J": {"files": ["other.root"]}}}},
                    "select": [{"name": "c", "where": f"J.{column} > 2"}]}, "--force")  # fmt: skip
        assert done.returncode == ending, done.stderr
    done = job({"schema_version": 1, "samples": {"s": {"files": ["main.root"], "friends": {"F": {"files": ["main.root"]}}}},
                "select": [{"name": "c", "where": "F.J_x == J_x"}]}, "--force")  # fmt: skip
    assert done.returncode == DONE, done.stderr
