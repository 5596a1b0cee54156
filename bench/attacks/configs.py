# SPDX-License-Identifier: BSD-3-Clause
"""Configs that somebody else wrote, or that were damaged: every end is a documented one, soon, and harmless to look at."""

import json
import random
import resource
from collections import Counter
from pathlib import Path

from program import Ending, call, must, table

HEADINGS = ["config", "runs", "refused", "done", "crash", "hang", "controls the terminal"]
MEMORY = 2 << 30

CONFIG = {
    "schema_version": 1,
    "samples": {"d": {"files": ["in.root"], "cross_section_pb": 1, "sum_weights": "genWeight"}},
    "define": {"x": "Sum(Muon_pt)", "y": "x * 2"},
    "select": [{"name": "s", "where": "nMuon > 1 && MET_pt < 100"}],
    "histograms": {"h": {"x": {"value": "x", "bins": 10, "range": [0, 100]}, "weight": "genWeight"}},
    "skims": {"k": {"file": "out.root", "keep": ["Muon_*"]}},
    "output": {"histograms": "h.root"},
}

NASTY = [
    "\x1b[2J\x1b]0;x\x07", "\r\nforged", "\u202e", "\u009b31m", "..", ".", "/", "../../x", "\x00", "", " ", "-f", "*",
    "%s%n", "${x}", "$(id)", "{sample}", "~", "`", "``", "`a:b`", "1e999", "NaN", "\ud83d\ude00", "a" * 100000,
    "((((" * 20000, "[" * 5000, "x+" * 30000 + "x", "!" * 30000 + "x", "1<<99", "2147483648 - 1", "nMuon - 9 > 0",
    "Muon_pt[99999999999]", "Muon_pt[-1]", "Range(1000000000)", "Combinations(Muon_pt, 60)", "x ? x : x ? x : x",
]  # fmt: skip
VALUES = [None, True, -1, 0, 2**31, 2**63, 2**64, 1e308, -1e-308, [], {}, [[]], [None], {"": ""}, "", 1.5]


def bombs() -> list[str]:
    """Texts that stand for far more than their size."""
    variables = {f"v{i}": f"${{v{i - 1}}}" * 10 for i in range(1, 12)} | {"v0": "0123456789" * 10}
    chain = {f"d{i}": f"d{i - 1} + 1" if i else "1" for i in range(20000)}
    return [
        "[" * 1000000, '{"a":' * 1000000, "[" * 1000000 + "]" * 1000000, '"' + "a" * 20000000, "/*" * 1000000,
        "{" + ",".join(f'"k{i}": {i}' for i in range(200000)) + "}",
        json.dumps(CONFIG | {"variables": variables, "define": {"z": "${v11}"}}),
        json.dumps(CONFIG | {"define": chain}),
        json.dumps(CONFIG | {"include": ["a.json"]}),
        "\ufeff" + json.dumps(CONFIG), json.dumps(CONFIG).encode("utf-16").decode("latin-1"), "", "\0" * 1000,
    ]  # fmt: skip


def places(node: object, path: tuple = ()) -> list[tuple]:
    found = [path] if path else []
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            found += places(node[key], (*path, key))
    return found


def mutated(rng: random.Random) -> str:
    """A config with one to three changes: values, keys, or bytes of its text."""
    config = json.loads(json.dumps(CONFIG))
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(places(config))
        node = config
        for key in path[:-1]:
            node = node[key]
        value = rng.choice(NASTY) if rng.random() < 0.6 else rng.choice(VALUES)
        if isinstance(node, dict) and rng.random() < 0.3:
            node[rng.choice(NASTY)] = node.pop(path[-1])
        else:
            node[path[-1]] = value
    text = json.dumps(config, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        text = text[:at] + chr(rng.randrange(0x180)) * rng.randint(0, 3) + text[at + rng.randint(0, 3) :]
    return text


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def count(ending: Ending, counts: Counter) -> None:
    counts["runs"] += 1
    counts["hang"] += ending.code is None
    counts["crash"] += ending.is_crash
    counts["done" if ending.code in (0, 3) else "refused"] += ending.code in (0, 1, 2, 3)
    counts["controls the terminal"] += ending.has_controls


def attack(program: Path, folder: Path, number: int, seed: int) -> bool:
    """Returns whether every run ended as documented, within its memory and soon."""
    must(program, folder, "generate", "dimuon", "-q", "-f", "--events", 500, "-o", "in.root")
    rng = random.Random(seed)
    rows = {"bombs": Counter(), "changed": Counter()}
    texts = [("bombs", text) for text in bombs()] + [("changed", mutated(rng)) for _ in range(number)]
    for kind, text in texts:
        (folder / "a.json").write_bytes(text.encode("utf8", "surrogatepass"))
        command = "run" if rng.random() < 0.7 else "plan"
        more = ["--no-report", "-f"] if command == "run" else []
        ending = call(program, folder, command, "a.json", *more, limits=limit_memory)
        count(ending, rows[kind])
        if ending.is_crash or ending.code is None or ending.has_controls:
            (folder / f"case{rows[kind]['runs']}_{kind}.json").write_bytes(
                text.encode("utf8", "surrogatepass")
            )
    table(HEADINGS, rows)
    return not any(row["crash"] + row["hang"] + row["controls the terminal"] for row in rows.values())
