# SPDX-License-Identifier: BSD-3-Clause
"""The ttbar analysis of the AGC by RDataFrame on the workers of a Dask client: that of tests/agc, all samples together."""

import contextlib
import io
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "agc"))
import agc_definition as agc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # ROOT's wheel calls itself an alpha
    import agc_rdataframe
    import ROOT


class DataFrames:
    """The first version of the analysis, of the samples that a file lists."""

    def __init__(self, client, inputs):
        self.client = client
        self.samples = agc.read_samples(Path(inputs))
        self.histograms = {}
        ROOT.RDF.Distributed.DistributeCppCode(agc_rdataframe.FUNCTIONS)

    def run(self):
        """Has all samples run at once, and keeps the histograms as tests/agc names them."""
        booked = [self.book(sample) for sample in self.samples]
        with contextlib.redirect_stdout(io.StringIO()):  # a bar for each sample
            ROOT.RDF.RunGraphs([one for regions in booked for one in regions.values()])
        found = {}
        for sample, regions in zip(self.samples, booked, strict=True):
            found |= agc_rdataframe.collect(sample, regions)
        self.histograms = agc.with_pseudodata(found)

    def book(self, sample):
        frame = ROOT.RDataFrame("Events", list(sample.paths), executor=self.client)
        regions = agc_rdataframe.book(frame, sample, agc.VERSIONS["v1"])
        return {region: ROOT.RDF.Experimental.VariationsFor(one) for region, one in regions.items()}
