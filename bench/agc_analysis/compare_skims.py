# SPDX-License-Identifier: BSD-3-Clause
"""Compares the skims in two folders; exits with 4 and says what differs if they do.

compare_skims.py OURS THEIRS SAMPLE ...

Entries and checksums of all columns, and of whole entries, in any order of entries. Prints the number of events.
"""

import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "end_to_end"))
from answers import differences, summarise_skim


def main() -> int:
    ours, theirs = map(Path, sys.argv[1:3])
    num_events, has_faults = 0, False
    for sample in sys.argv[3:]:
        summary = summarise_skim(str(ours / f"{sample}.root"))
        num_events += summary["entries"]
        for fault in differences(summary, summarise_skim(str(theirs / f"{sample}.root"))):
            print(f"{sample}: {fault}")
            has_faults = True
    print(num_events)
    return 4 if has_faults else 0


if __name__ == "__main__":
    with numpy.errstate(over="ignore"):
        sys.exit(main())
