# SPDX-License-Identifier: BSD-3-Clause
"""Copies an RNTuple into a TTree of the same columns: write_tree.py SOURCE TARGET ALGORITHM LEVEL."""

import sys

import ROOT


def main() -> None:
    source, target, algorithm, level = sys.argv[1:]
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kTTree
    options.fCompressionAlgorithm = getattr(ROOT.RCompressionSetting.EAlgorithm, algorithm)
    options.fCompressionLevel = int(level)
    ROOT.RDataFrame("Events", source).Snapshot("Events", target, "", options)


if __name__ == "__main__":
    main()
