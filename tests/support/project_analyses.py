# SPDX-License-Identifier: BSD-3-Clause
"""The analyses that come with the project, and what they write."""

from pathlib import Path

import uproot

CONFIGS = Path(__file__).resolve().parents[2] / "configs"

ANALYSES = sorted(
    str(path.relative_to(CONFIGS))
    for folder in ("adl", "agc", "examples")
    for path in (CONFIGS / folder).glob("*.json")
)
SAMPLES = {"adl": "adl", "examples": "dimuon"}
"""The sample of an analysis, by its folder; those of the AGC come with a list."""


def objects_of(path):
    """The bytes of all objects but the record, which names the inputs, and the events of all RNTuples, whose clusters
    may be others."""
    found = {}
    with uproot.open(path) as file:
        for name, kind in file.classnames().items():
            if kind == "ROOT::RNTuple":
                found[name] = file[name].arrays().to_list()
            elif not name.startswith("skimline/record") and not kind.startswith("TDirectory"):
                chunk, _ = file.key(name).get_uncompressed_chunk_cursor()
                found[name] = bytes(chunk.raw_data)
    return found
