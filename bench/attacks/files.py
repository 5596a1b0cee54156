# SPDX-License-Identifier: BSD-3-Clause
"""The files that are attacked, and what is in them as uproot sees it."""

import hashlib
import json
from pathlib import Path

import awkward
import numpy
import uproot
from program import must

EVENTS = 1500


def generate(compression: str) -> tuple[str, ...]:
    return ("generate", "dimuon", "-q", "-f", "--events", str(EVENTS), "--compression", compression)


def write_with_uproot(source: Path, target: Path) -> None:
    """An RNTuple without checksums of pages."""
    arrays = uproot.open(source)["Events"].arrays()
    with uproot.recreate(target) as file:
        file.mkrntuple("Events", {name: arrays[name] for name in arrays.fields if "." not in name})


def write_tree(program: Path, folder: Path, source: str, target: str, compression: str) -> None:
    skim = {"file": target, "format": "ttree", "compression": compression, "keep": ["*"]}
    config = {"schema_version": 1, "samples": {"d": {"files": [source]}}, "skims": {"s": skim}}
    (folder / "tree.json").write_text(json.dumps(config))
    must(program, folder, "run", "-q", "--no-report", "tree.json")


def write_histograms(program: Path, folder: Path, source: str, target: str, shard: str = "1/2") -> None:
    """Of one part of the events: two parts are merged."""
    histograms = {
        f"{column}{weight}": {
            "x": {"value": column, "bins": 40, "range": [0, 200]},
            **({"weight": weight} if weight else {}),
        }
        for column in ("MET_pt", "Muon_pt", "Jet_pt", "nMuon")
        for weight in ("", "genWeight")
    }
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": [source]}},
        "select": [{"name": "muons", "where": "nMuon > 0"}],
        "histograms": histograms,
        "output": {"histograms": target},
    }
    (folder / "histograms.json").write_text(json.dumps(config))
    must(program, folder, "run", "-q", "--no-report", "--shard", shard, "histograms.json")
    stem, _, end = target.rpartition(".")
    (folder / f"{stem}.shard{shard.replace('/', 'of')}.{end}").rename(folder / target)


def write_histograms_with_uproot(source: Path, target: Path) -> None:
    with uproot.open(source) as old, uproot.recreate(target) as new:
        for name, kind in old.classnames(cycle=False).items():
            if kind.startswith("TH1"):
                new[name] = old[name].to_numpy()


def content(path: Path) -> object:
    """All values, names and titles."""
    with uproot.open(path) as file:
        return {
            name: histogram(file[name]) if kind.startswith("T") and "H" in kind else data(file[name], kind)
            for name, kind in file.classnames(cycle=False).items()
        }


def histogram(read) -> object:
    if not hasattr(read, "axes"):
        return None
    edges = [axis.edges().tolist() for axis in read.axes]
    titles = [axis.member("fTitle", none_if_missing=True) for axis in read.axes]
    numbers = [read.values(flow=True).tolist(), read.variances(flow=True).tolist()]
    return [read.name, read.title, edges, titles, numbers, read.member("fEntries", none_if_missing=True)]


def data(read, kind: str) -> object:
    if "RNTuple" not in kind and kind != "TTree":
        return str(read) if kind == "TObjString" else None
    arrays = read.arrays()
    digest = hashlib.sha256()
    for name in arrays.fields:
        digest.update(name.encode())
        form, length, buffers = awkward.to_buffers(awkward.to_packed(arrays[name]))
        digest.update(f"{form.type} {length}".encode())
        for key in sorted(buffers):
            digest.update(numpy.ascontiguousarray(buffers[key]).tobytes())
    return digest.hexdigest()
