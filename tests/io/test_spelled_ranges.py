# SPDX-License-Identifier: BSD-3-Clause
"""Ranges of Float16_t and Double32_t in all spellings: numbers are those that ROOT reads, which takes what it does not know for something."""

import json
import subprocess
from array import array

import numpy as np
import pytest

ROOT = pytest.importorskip("ROOT", reason="ROOT writes and reads the numbers")

RANGES = [
    *[
        "-pi,pi",
        "0, 2*pi, 10",
        "0,2pi,10",
        "0,TwoPi,10",
        "-2*PI,0,4",
        "0,pi/4",
        "-pi/2,pi/2,9",
    ],  # what it knows
    *["-3*pi,200,7", "0,3pi", "-pi/3,pi/3,8", "0,pi*4,9", "0,2.5*pi", "-1*pi,1*pi,6", "0,12*pi,4"],
    *[
        "0,5e2,4",
        "+1,+5,8",
        "0 , 10 , 8",
        "-100,100,32",
        "1/2,4,5",
        "0,6/4,8",
        "0,2*3,8",
        "3-,5,4",
        "0,3.7x,8",
    ],
    *["0,10,", ",10,3", "0,1,2,3", "0,1,4.7", "0,1,x"],
    *[
        "0x0,0x10,12",
        "-0X1p2,0x1.8p3,9",
        "0,0xg,9",  # not "1e" either, which C libraries read differently
    ],
    *[
        "0,1,+12",
        "0,1,-12",
        "0,1,012",
        "0,1,0x10",
        "0,1,40",
        "0,1,99999999999",
        "0,1,4294967306",
        "++1,5,8",
        "+-1,5,8",
    ],
    *["-1e-400,3,8", "1e-320,3,8", "\t1,5,8", "0,.5e1,8", "0,5.,8", "0,1\u00a0,8"],
    *["0,0,14", "0,0,15", "5,5,14", "5,1,10", "5,1", "3,3,20", "0,0"],
]
KINDS = {"d": ("d", ""), "f": ("f", ""), "e": ("d", "[2]"), "m": ("d", "[2][3]"), "l": ("d", "[n]")}
ENTRIES = 5


def flat(value):
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


def test_ranges_are_those_of_root(tmp_path, build_folder):
    path = str(tmp_path / "ranges.root")
    file = ROOT.TFile(path, "RECREATE")
    tree = ROOT.TTree("Events", "")
    count, numbers = array("i", [0]), {code: array(code, [0] * 6) for code in "df"}
    tree.Branch("n", count, "n/I")
    for i, spelling in enumerate(RANGES):
        for kind, (code, shape) in KINDS.items():
            tree.Branch(f"{kind}{i}", numbers[code], f"{kind}{i}{shape}/{code}[{spelling}]")
    for entry in range(ENTRIES):
        count[0] = entry
        for code in "df":
            numbers[code][:] = array(
                code, np.random.default_rng(entry).uniform(-8, 20, 6).astype(code).tolist()
            )
        tree.Fill()
    tree.Write()
    file.Close()

    file = ROOT.TFile(path)
    tree = file.Get("Events")
    expected = {leaf.GetName(): [] for leaf in tree.GetListOfLeaves()}
    for entry in range(ENTRIES):
        tree.GetEntry(entry)
        for leaf in tree.GetListOfLeaves():
            expected[leaf.GetName()].append([leaf.GetValue(i) for i in range(leaf.GetLen())])
    program = build_folder / "tests" / "io" / "io_column_values"
    done = subprocess.run([program, path, "Events"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    columns = json.loads(done.stdout)
    wrong = []
    for name, rows in expected.items():
        code = "f" if name[0] == "f" else "d"
        read = [np.array(flat(row), code).tobytes() for row in columns[name]["values"]]
        if read != [np.array(row, code).tobytes() for row in rows]:
            wrong.append(name if name == "n" else f"{name}: [{RANGES[int(name[1:])]}]")
    assert wrong == []
