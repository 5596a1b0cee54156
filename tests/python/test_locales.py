# SPDX-License-Identifier: BSD-3-Clause
"""Programs around the package may write numbers with decimal commas; what the package reads and writes has points."""

import json
import subprocess
import sys
from pathlib import Path

import package_program
import pytest

COMMAS = """
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
"""

# Also says how the C library writes one and a half, so that no locale is only seemingly another.
PREPARE = """
import ctypes, locale, os, sys
locale.setlocale(locale.LC_ALL, sys.argv[1])
text = ctypes.create_string_buffer(8)
ctypes.CDLL(None).snprintf(text, 8, b"%.1f", ctypes.c_double(1.5))
print(text.value.decode())
import skimline as sk
source = sys.argv[2]
os.chdir(sys.argv[3])
"""

A_RUN = """
config = {
    "schema_version": 1,
    "samples": {
        name: {"files": [source + ":Events"], "cross_section_pb": section, "sum_weights": "0.25", "metadata": {"scale": scale}}
        for name, section, scale in (("a", 3.75, 1.0625), ("b", 0.125, 2))
    },
    "luminosity_pb": 1234.5,
    "sums": {"all": {"a": 1.5, "b": 0.25}},
    "defaults": {"lost": -0.5},
    "define": {"scaled": "Muon_pt * scale * 0.5 + lost"},
    "weights": {"normalisation": "normalisation_", "half": "0.5"},
    "select": [{"name": "two muons", "where": "nMuon == 2"}, {"name": "hard", "where": "scaled[0] > 1.5"}],
    "histograms": {"pt": {"x": {"value": "scaled", "edges": [0.5, 1.25, 7.5]}},
                   "eta": {"x": {"value": "Muon_eta", "bins": 5, "range": [-2.5, 2.5]}}},
    "skims": {"s": {"file": "s_{sample}.root", "columns": {"scaled": "scaled"}}},
    "output": {"histograms": "h.root", "cutflow": "cutflow.csv", "report": "report.json", "n_minus_1": True},
}
"""


@pytest.fixture(scope="module")
def commas(tmp_path_factory) -> Path:
    """A folder with the locale `comma_XX`."""
    folder = tmp_path_factory.mktemp("locales")
    source = folder / "source"
    source.write_text(COMMAS)
    # It warns of all the other categories, which the locale does not have.
    subprocess.run(["localedef", "-c", "-i", source, folder / "comma_XX"], capture_output=True, check=False)
    assert (folder / "comma_XX" / "LC_NUMERIC").exists()
    return folder


@pytest.fixture
def in_both(commas, dimuon, tmp_path):
    """Runs lines in a locale with points, and in one with commas; returns what they print and the files they write."""

    def run(lines: str):
        found = []
        for name, one_and_a_half in (("C", "1.5"), ("comma_XX", "1,5")):
            folder = tmp_path / "work"
            folder.mkdir()
            environment = {**package_program.environment(), "LOCPATH": str(commas)}
            command = [sys.executable, "-c", PREPARE + lines, name, dimuon, folder]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            first, printed = done.stdout.split("\n", 1)
            assert first == one_and_a_half
            found.append((printed, {path.name: path.read_bytes() for path in folder.iterdir()}))
            folder.rename(tmp_path / name)
        return found

    return run


def test_a_run_writes_the_same(in_both):
    points, commas = in_both(
        A_RUN
        + """
result = sk.run_config(config)
print(result.cutflow)
print(sk.show("h.root"))
print(sk.inspect("h.root"), sk.inspect("s_a.root"))
"""
    )
    assert points[0] == commas[0]
    assert {*points[1]} == {*commas[1]} == {"h.root", "s_a.root", "s_b.root", "cutflow.csv", "report.json"}
    for name in {*points[1]} - {"report.json"}:
        assert points[1][name] == commas[1][name], name
    assert json.loads(commas[1]["report.json"])


def test_frames_compute_the_same(in_both):
    points, commas = in_both(
        """
sample = {"files": [source + ":Events"], "cross_section_pb": 3.75, "sum_weights": "0.25", "metadata": {"scale": 1.25}}
events = sk.open({"a": sample, "b": sample}, luminosity_pb=12.5, sums={"all": {"a": 1.5, "b": 0.25}}, allow_duplicates=True)
events = events.define("half", "Muon_pt * 0.5 * scale").weight("normalisation", "normalisation_")
good = events.filter("Sum(half) > 12.75", name="hard")
held = good.hist("half", bins=4, range=(0.5, 100.25), name="h")
result = sk.run(held)
for name in ("a", "b", "all"):
    print(held[name].values().tolist(), held[name].axes[0])
print(good.sum("Sum(half)"), good.mean("half[0] + 0.125"))
try:
    events.hist("Muon_pt", bins=4, range=(2.5, 1.25))
except Exception as error:
    print(type(error).__name__, error)
"""
    )
    assert points == commas
