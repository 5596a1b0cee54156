# SPDX-License-Identifier: BSD-3-Clause
"""Results added up on workers are those of a run here, byte by byte, and blocks are what they say."""

import itertools
import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import skimline as sk
from dask_cluster import two_workers
from skimline import _core, elsewhere, reduction
from skimline.config import ConfigSource
from skimline.distribution import compute_blocks, marked, open_parts
from skimline.errors import ConfigError, Error, EvaluationError
from skimline.reduction import Reduction, reduce_elsewhere, sums_of_run

COUNT = 11
OUTPUTS = ("h.root", "c.csv", "s.root")
DIGEST = "0123456789abcdef" * 2


@pytest.fixture(scope="module")
def inputs(dimuon_files):
    return dimuon_files(COUNT, 1000)


@pytest.fixture
def config(inputs):
    files = [str(inputs / f"part{number}.root") for number in range(COUNT)]
    return {
        "schema_version": 1,
        "luminosity_pb": 10,
        "samples": {
            "mc": {"files": files[:9], "cross_section_pb": 2, "sum_weights": "0.1 * (1 + event % 3)"},
            "other": {"files": files[9:], "cross_section_pb": 3, "sum_weights": "2"},
        },
        "variations": {"scale": {"columns": {"MET_pt": {"up": "MET_pt * 1.1f"}}}},
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "histograms": {
            "met": {
                "x": {"value": "MET_pt", "bins": 30, "range": [0, 150]},
                "weight": "normalisation_ * (1 + entry_ % 7) * exp(MET_phi * 80.0)",
            },
            "plane": {"axes": [
                {"value": "MET_pt", "bins": 50, "range": [0, 150]},
                {"value": "MET_phi", "bins": 40, "range": [-3, 3]},
            ]},
            "mean": {"x": {"value": "MET_phi", "bins": 7, "range": [-3, 3]}, "profile": {"value": "MET_pt"}},
            "number": {"x": {"value": "nMuon", "categories": [], "growing": True}},
        },
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }  # fmt: skip


@pytest.mark.parametrize("way", [None, "star", "tree", "shuffle"])
def test_outputs_have_the_bytes_of_a_run_here(way, config, run_in, dask):
    expected = run_in(config, "here")
    assert len(expected) == 2
    assert run_in(config, "elsewhere", executor=dask, reduce=way) == expected
    assert run_in.result.report["store"]["computed"] == 0
    said = run_in.result.report["reduction"]
    assert said["way"] == (way or "tree")
    assert said["why"].startswith("as it was asked for" if way else "results of a part are about 0.")


@pytest.mark.parametrize("way", ["tree", "shuffle"])
def test_results_of_parts_stay_in_a_store_that_workers_see(way, config, run_in, dask, tmp_path):
    store = tmp_path / "store"
    expected = run_in(config, "here")
    assert run_in(config, "elsewhere", executor=dask, reduce=way, store=store) == expected
    assert not (store / "sums").exists()
    assert run_in(config, "again", store=store) == expected
    assert run_in.result.report["store"]["computed"] == 0
    config["histograms"]["new"] = {"x": {"value": "MET_pt", "bins": 3, "range": [0, 9]}}
    expected = run_in(config, "more here")
    assert run_in(config, "more", executor=dask, reduce=way, store=store) == expected


@pytest.fixture
def config_with_skims(config):
    config["skims"] = {"s": {"file": "s_{sample}.root", "keep": ["MET_*"]}}
    return config


@pytest.mark.parametrize("way", [None, "star", "tree", "shuffle"])
def test_skims_are_made_part_by_part_while_histograms_are_added(
    way, config_with_skims, run_in, dask, tmp_path
):
    expected = run_in(config_with_skims, "here", store=tmp_path / "store")
    assert len(expected) == 4
    assert run_in(config_with_skims, "elsewhere", executor=dask, reduce=way) == expected
    assert run_in.result.report["store"]["computed"] == 0
    assert run_in.result.report["reduction"]["way"] == way or "tree"


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_sums_without_their_skims_are_computed_again(
    damage, config_with_skims, run_in, dask, tmp_path, monkeypatch
):
    """A skim that got lost is made anew with its part, of which nothing is added twice."""
    expected = run_in(config_with_skims, "here", store=tmp_path / "store")
    lost = []

    def reduce_and_lose(executor, opened, reduction):
        problems = reduce_elsewhere(executor, opened, reduction)
        lost.extend(sorted(Path(opened.store).rglob("*.skim.root"))[:2])
        for path in lost:
            path.unlink() if damage == "gone" else os.truncate(path, 3000)
        return problems

    monkeypatch.setattr(elsewhere, "reduce_elsewhere", reduce_and_lose)
    assert run_in(config_with_skims, "elsewhere", executor=dask, reduce="tree") == expected
    assert len(lost) == 2
    assert run_in.result.report["store"]["computed"] > 0


def test_workers_that_are_lost_while_they_are_asked_say_nothing():
    class Client:
        def __init__(self, *answers):
            self.answers = list(answers)

        def run(self, function, path, on_error):
            assert on_error == "return"
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            return dict(enumerate(answer))

    lost = OSError("Timed out")
    assert reduction._all_see(Client([True, lost], [True], [False]), "store")
    assert not reduction._all_see(Client([lost, True], [True, False], [True, True]), "store")


def test_skims_need_a_store_that_workers_see(config_with_skims, run_in, dask, tmp_path, monkeypatch):
    monkeypatch.setattr(reduction, "_all_see", lambda *_: False)
    expected = run_in(config_with_skims, "here", store=tmp_path / "store")
    assert run_in(config_with_skims, "elsewhere", executor=dask) == expected
    said = run_in.result.report["reduction"]
    why = "skims are made part by part in a store that not all workers see"
    assert said == {"way": "star", "why": why, "blocks": 1}
    with pytest.raises(ConfigError, match=why):
        run_in(config_with_skims, "refused", executor=dask, reduce="shuffle")


@pytest.mark.parametrize("way", ["star", "tree", "shuffle"])
def test_parts_that_are_computed_of_their_file_alone_are_added(way, config, run_in, dask):
    """Where numbers of entries do not matter, a worker opens no file but that of its part."""
    config["histograms"]["met"]["weight"] = "normalisation_ * (1 + event % 7) * exp(MET_phi * 9)"
    expected = run_in(config, "here")
    assert run_in(config, "elsewhere", executor=dask, reduce=way) == expected
    assert run_in.result.report["store"]["computed"] == 0
    assert run_in.result.report["reduction"]["way"] == way


def test_ways_that_are_impossible_are_refused(config, run_in, dask):
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ConfigError, match='"tree" is not possible: the executor has no way from worker'):
            run_in(config, "a", executor=pool, reduce="tree")
        with pytest.raises(ConfigError, match=r'reduce is "shufle".*"shuffle"'):
            run_in(config, "b", executor=pool, reduce="shufle")
        with pytest.raises(ConfigError, match="give executor="):
            run_in(config, "c", reduce="tree")
        expected = run_in(config, "here")
        assert run_in(config, "pool", executor=pool) == expected
        assert run_in.result.report["reduction"]["why"] == "the executor has no way from worker to worker"


class OnlyAsked:
    """A client, and its futures, that compute when the first result is wanted."""

    def __init__(self):
        self.parts = []
        self.known_at_first = None

    def submit(self, function, *arguments, pure, retries=0):
        if function is reduction._make:
            self.parts.append(arguments[1][:2])
        return _Wanted(self, function, arguments)

    def cancel(self, futures):
        pass


class _Wanted:
    client = None

    def __init__(self, owner, function, arguments):
        self.owner, self.function, self.arguments = owner, function, arguments

    def result(self):
        if self.owner.known_at_first is None:
            self.owner.known_at_first = list(self.owner.parts)
        return self.function(*(self.found(each) for each in self.arguments))

    def found(self, argument):
        if isinstance(argument, list):
            return [self.found(each) for each in argument]
        return argument.result() if isinstance(argument, _Wanted) else argument


@pytest.mark.parametrize(("way", "blocks"), [("tree", 1), ("shuffle", 2)])
def test_no_worker_waits_for_the_last_part_of_a_sample(way, blocks, config, tmp_path):
    opened = open_parts(ConfigSource.made_here(config), store=str(tmp_path), threads=1)
    client = OnlyAsked()
    with marked(opened.common), sums_of_run(opened):
        assert reduce_elsewhere(client, opened, Reduction(way, "", blocks)) == []
    assert client.known_at_first == [part[:2] for part in opened.parts] == client.parts


@pytest.mark.parametrize("keeps", [True, False])
def test_results_that_nobody_keeps_are_not_written(keeps, config, tmp_path):
    opened = open_parts(ConfigSource.made_here(config), store=str(tmp_path), threads=1)
    with marked(opened.common):
        assert compute_blocks(opened.common._replace(keeps=keeps), opened.parts[0], opened.sums[0][0], 1)
    assert len(list(tmp_path.rglob("*.results.root"))) == keeps


def test_faults_of_events_are_told_with_their_place(config, run_in, dask):
    config["histograms"]["met"]["x"]["value"] = "Muon_pt[7]"
    del config["variations"]
    with pytest.raises(EvaluationError, match="index 7 is out of range") as here:
        run_in(config, "here")
    with pytest.raises(EvaluationError) as there, pytest.warns(sk.RunWarning, match="computed again"):
        run_in(config, "there", executor=dask, reduce="tree")
    assert str(there.value) == str(here.value)


@pytest.mark.parametrize("way", ["tree", "shuffle"])
def test_a_task_that_fails_once_is_done_again(way, config, run_in, dask, tmp_path):
    expected = run_in(config, "here")

    def fail_once_each(folder):
        from pathlib import Path

        from skimline import reduction

        compute, reduction.computing = reduction.compute_blocks, reduction.compute_blocks

        def failing(common, part, *others):
            mark = Path(folder) / "-".join(str(each) for each in (part[0], part[1], part[5]))
            if not mark.exists():
                mark.touch()
                raise MemoryError("once")
            return compute(common, part, *others)

        reduction.compute_blocks = failing

    def fail_no_more():
        from skimline import reduction

        reduction.compute_blocks = reduction.computing

    marks = tmp_path / "marks"
    marks.mkdir()
    dask.run(fail_once_each, str(marks))
    try:
        assert run_in(config, "there", executor=dask, reduce=way) == expected
    finally:
        dask.run(fail_no_more)
    assert len(list(marks.iterdir())) > 4


# What a worker was about to return may end as an error of Dask itself.
@pytest.mark.thorough(quick=2)
@pytest.mark.filterwarnings("ignore:a part was computed again")
@pytest.mark.parametrize("way", ["tree", "shuffle"])
@pytest.mark.parametrize("seed", range(4))
def test_killed_workers_lose_nothing(way, seed, config, run_in, tmp_path):
    """Dask computes again what they had, sums included."""
    expected = run_in(config, "here")
    chance = random.Random(seed)
    with two_workers(tmp_path / "dask") as client, ThreadPoolExecutor(1) as pool:
        workers = list(client.run(os.getpid).values())
        running = pool.submit(run_in, config, "killed", executor=client, reduce=way)
        time.sleep(chance.random() * 0.5)
        os.kill(chance.choice(workers), signal.SIGKILL)
        assert running.result(timeout=120) == expected


@pytest.fixture(scope="module")
def parts(inputs):
    """The histograms of some parts, filled by runs."""
    all_parts = []
    for number in range(COUNT):
        events = sk.open(f"{inputs}/part{number}.root:Events")
        booked = [
            events.hist("MET_pt", bins=40, range=(0, 90), name="count"),
            events.hist(
                "MET_pt", bins=40, range=(0, 90), weight=f"exp({number % 4} * 9 * MET_phi)", name="sum"
            ),
            events.hist("MET_pt", bins=4000, range=(0, 90), weight="MET_phi - 0.1", name="fine"),
        ]
        sk.run(booked)
        all_parts.append([each.result for each in booked])
    return all_parts


def blocks_of(histograms, count, part):
    return _core.cut_blocks([each._core for each in histograms], DIGEST, count, part)


@pytest.mark.parametrize("count", [1, 3, 64])
def test_sums_of_blocks_are_those_of_the_histograms(count, parts):
    """Whatever the order and the grouping."""
    total = list(parts[0])
    for part in parts[1:]:
        total = [a + b for a, b in zip(total, part, strict=True)]
    expected = blocks_of(total, count, 0)
    cut = [blocks_of(part, count, number) for number, part in enumerate(parts)]
    chance = random.Random(count)
    for number in range(count):
        mine = [each[number] for each in cut]
        once = _core.sum_blocks(mine)
        assert _core.block_facts(once) == (DIGEST, number, count, [(0, COUNT)])
        # All but the parts that are named, and so the checksum, is as it was cut.
        assert once[48 + 72 :] == expected[number][48 + 72 :]
        for _ in range(5):
            left = list(mine)
            while len(left) > 1:
                chance.shuffle(left)
                taken = chance.randrange(2, len(left) + 1)
                left = [*left[taken:], _core.sum_blocks(left[:taken])]
            assert left == [once]


def test_what_was_verified_is_not_verified_again(parts):
    mine = [blocks_of(part, 1, number)[0] for number, part in enumerate(parts[:3])]
    expected = _core.sum_blocks(mine)
    mine[1] = mine[1][:16] + b"f" * 32 + mine[1][48:]
    assert _core.sum_blocks(mine, verified=True) == expected
    assert _core.block_facts(mine[1], verified=True) == (DIGEST, 0, 1, [(1, 2)])
    with pytest.raises(Error, match="its checksum is wrong"):
        _core.sum_blocks(mine)
    with pytest.raises(Error, match="its checksum is wrong"):
        _core.block_facts(mine[1])
    with pytest.raises(Error, match="it ends too early"):
        _core.sum_blocks([mine[0][:-1], *mine[1:]], verified=True)


def test_blocks_with_the_same_part_are_not_added(parts):
    (one,) = blocks_of(parts[0], 1, 4)
    (two,) = blocks_of(parts[1], 1, 5)
    with pytest.raises(Error, match="same parts cannot be added: parts 4 to 4 and 4 to 4"):
        _core.sum_blocks([one, two, one])
    with pytest.raises(Error, match="same parts"):
        _core.sum_blocks([_core.sum_blocks([one, two]), two])


def test_blocks_of_other_places_and_results_are_not_added(parts):
    ours = blocks_of(parts[0], 2, 0)
    others = [
        blocks_of(parts[1], 2, 1)[1],
        blocks_of(parts[1], 3, 1)[0],
        blocks_of(parts[1][:2], 2, 1)[0],
        blocks_of(list(reversed(parts[1])), 2, 1)[0],
        _core.cut_blocks([each._core for each in parts[1]], "f" * 32, 2, 1)[0],
    ]
    for other in others:
        with pytest.raises(Error, match="different results"):
            _core.sum_blocks([ours[0], other])


def test_damaged_blocks_are_refused(parts):
    (block,) = blocks_of(parts[0], 1, 0)
    chance = random.Random(1)
    damaged = [block[: len(block) // 2], b"", block[:40], block + b"\0"]
    for _ in range(200):
        place = chance.randrange(len(block))
        damaged.append(
            block[:place] + bytes([block[place] ^ (1 << chance.randrange(8))]) + block[place + 1 :]
        )
    for each in damaged:
        with pytest.raises(Error, match="a block of results is damaged"):
            _core.sum_blocks([each])


def test_blocks_that_were_sealed_again_do_no_harm(parts):
    """Whoever makes checksums can make wrong sums, but nothing is read or allocated beyond what is there."""
    xxhash = pytest.importorskip("xxhash")
    (block,) = blocks_of(parts[0], 1, 0)
    chance = random.Random(2)
    refused = 0
    for _ in range(2000):
        content = bytearray(block[48:])
        for _ in range(chance.choice([1, 1, 2, 8])):
            place = chance.randrange(min(len(content) - 8, 900))
            content[place : place + 8] = chance.choice(
                [
                    b"\xff" * 8,
                    bytes(8),
                    (1 << 39).to_bytes(8, "little"),
                    chance.randbytes(8),
                    b"\1" + bytes(7),
                ]
            )
        sealed = block[:16] + xxhash.xxh3_128(bytes(content)).hexdigest().encode() + content
        try:
            _core.sum_blocks([sealed, sealed])
        except Error:
            refused += 1
    assert refused > 1500


def test_all_blocks_together_are_the_whole(parts):
    for count in (1, 7, 5000):
        facts = [_core.block_facts(block) for block in blocks_of(parts[0], count, 3)]
        assert facts == [(DIGEST, number, count, [(3, 4)]) for number in range(count)]


def test_results_are_packed(parts):
    """A count that fits a byte takes one: what travels is much less than what is kept in memory."""
    (block,) = blocks_of(parts[0][:1], 1, 0)
    assert len(block) < 48 + 8 * 60 + 42 * 2
    assert list(itertools.chain(blocks_of([], 1, 0)))
