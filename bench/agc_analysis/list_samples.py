# SPDX-License-Identifier: BSD-3-Clause
"""Writes the list of samples with their weights for the compiled programs.

list_samples.py INPUTS.json SAMPLES.txt
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "agc"))
import agc_definition as agc


def main() -> None:
    inputs, output = map(Path, sys.argv[1:])
    lines = (
        f"{sample.process} {sample.variation} {sample.weight!r} {path}\n"
        for sample in agc.read_samples(inputs)
        for path in sample.paths
    )
    output.write_text("".join(lines))


if __name__ == "__main__":
    main()
