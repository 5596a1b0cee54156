# SPDX-License-Identifier: BSD-3-Clause
"""The ttbar analysis of the AGC with RDataFrame from Python as its users write it: expressions as text, own variations.

rdataframe_agc.py v1|v2 THREADS INPUTS OUTPUT

The reference of tests/agc, but that the event loops of all samples run together. Writes the histograms as JSON and
prints the seconds without those of the imports. One thread means no implicit threading.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "agc"))
import agc_definition as agc
import agc_rdataframe
import ROOT
from answers import write_histograms


def main() -> None:
    version, threads, inputs, output = sys.argv[1:]
    start = time.perf_counter()
    if int(threads) > 1:
        ROOT.EnableImplicitMT(int(threads))
    agc_rdataframe.declare()
    samples = agc.read_samples(Path(inputs))
    booked = [agc_rdataframe.book_variations(sample, agc.VERSIONS[version]) for sample in samples]
    ROOT.RDF.RunGraphs([one for regions in booked for one in regions.values()])
    found = {}
    for sample, regions in zip(samples, booked, strict=True):
        found |= agc_rdataframe.collect(sample, regions)
    write_histograms(Path(output), found)
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
